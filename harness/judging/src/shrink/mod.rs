//! A run that failed, made smaller as long as it fails in the same way: fewer faults, shorter delays, a shorter run, less of a world.
//!
//! What a network did is the list of its fates, not its seed: faults are taken out of that list one by one, and each change of it
//! changes nothing else ([`schedule`]). Where that leaves many, an outage is one fault ([`rows`]). Then the scenario's text is cut
//! ([`document`]). What is left is a scenario of its own, with scripted faults, which fails without the seed's network.
//! Nothing here reads a clock: how much is tried is counted in datagrams.

pub mod document;
pub mod failure;
mod faults;
mod minimise;
mod rounds;
mod rows;
pub mod schedule;
#[cfg(test)]
mod tests;
mod trial;
mod world;

pub use failure::Failure;

use crate::candidate::Candidate;
use crate::judge::{Judgement, Keep};
use crate::scenario::{Case, Diagnostic};
use document::Document;
use faults::Faults;
use kit::Time;
use rows::Rows;
use schedule::Schedule;
use trial::Trial;

/// So many datagrams may be sent while a run is made smaller.
pub const BUDGET: u64 = 4_000_000;
/// The same where each of them is a message to another process.
const BUDGET_OF_A_SHIM: u64 = 200_000;
/// World and faults are made smaller in turns, at most so often.
const ROUNDS: usize = 3;
/// Faults are made fewer by at most so many runs at a time.
const MOST_TRIALS: u64 = 600;
/// A failure that needs more datagrams to meet a fault than this is said by rows of them.
pub const FEW: usize = 12;

/// A run that failed.
#[derive(Clone, Copy, Debug)]
pub struct Failed<'a> {
    pub case: &'a Case,
    pub seed: u64,
    /// What took the place of the reference.
    pub candidate: Option<&'a Candidate>,
}

/// A run that was made smaller.
#[derive(Debug)]
pub struct Shrunk {
    /// The smaller scenario.
    pub text: String,
    /// Its only case.
    pub case: Case,
    /// How it fails: as the larger one does.
    pub failure: Failure,
    /// What its run showed.
    pub judgement: Judgement,
    /// Datagrams that met a fault before.
    pub faults_before: usize,
    /// The faults of the smaller scenario: a row of datagrams that are lost is one, and so is a host that stands still.
    pub faults: usize,
    /// Datagrams that meet one of them.
    pub datagrams_met: usize,
    /// Whether no single fault can be left out, and no end of a row.
    pub minimal: bool,
    /// Runs that were done.
    pub runs: u64,
    /// Datagrams that were sent in them.
    pub datagrams: u64,
}

/// Why nothing smaller was found.
#[derive(Debug, thiserror::Error)]
pub enum Unshrunk {
    /// The run does not fail.
    #[error("the run does not fail: {0}")]
    Passes(&'static str),
    /// It failed, and failed otherwise when it was done again.
    #[error("the run does not fail in the same way when it is done again: {0}")]
    Changes(String),
    /// What is wrong cannot be held fixed while something else changes.
    #[error("{0} is nothing that a smaller run could show")]
    Kind(&'static str),
    /// What is left needs a fault that no scenario can say.
    #[error("no scripted fault says what is left: {0}")]
    Unsayable(String),
    /// A file is at fault.
    #[error("{}", .0.one_line())]
    Scenario(Box<Diagnostic>),
}

impl From<Diagnostic> for Unshrunk {
    fn from(mistake: Diagnostic) -> Unshrunk {
        Unshrunk::Scenario(Box::new(mistake))
    }
}

/// Makes a run smaller that fails in whatever way.
///
/// # Errors
/// Why there is nothing smaller.
pub fn shrink(failed: Failed<'_>) -> Result<Shrunk, Unshrunk> {
    let first = Candidate::judge(failed.candidate, failed.case, failed.seed, Keep::Fates);
    let failure = Failure::of(failed.case, &first)?;
    shrink_to(failed, &failure, first)
}

/// Makes a run smaller as long as `failure` is in it. `first` is the run as it is, with its fates.
///
/// # Errors
/// Why there is nothing smaller.
pub fn shrink_to(failed: Failed<'_>, failure: &Failure, first: Judgement) -> Result<Shrunk, Unshrunk> {
    let budget = if matches!(failed.candidate, Some(Candidate::Shim(_))) { BUDGET_OF_A_SHIM } else { BUDGET };
    let mut trial = Trial::new(failed, failure, budget);
    let document = Document::of(failed.case, failed.seed, failure.requirement())?;
    let links = failed.case.network(failed.seed).links;
    let schedule = Schedule::of(&first.fates, &links);
    let faults_before = schedule.len();
    let whole = Faults::Single(schedule.clone());
    let Some(at) = trial.fails(&document, &whole)? else {
        return Err(Unshrunk::Changes(first.findings.first().map_or(String::new(), |finding| finding.what.clone())));
    };
    let mut start = Small { document, faults: whole, at };
    // What fails without any fault needs none of what follows.
    for simpler in [Schedule::default(), schedule.sayable()] {
        let simpler = Faults::Single(simpler);
        if let Some(at) = trial.fails(&start.document, &simpler)? {
            start = Small { faults: simpler, at, ..start };
            break;
        }
    }
    start.cut(&mut trial)?;
    let mut small = start.clone();
    small.minimise_within(&mut trial, MOST_TRIALS);
    let rows = said(&mut trial, &small)?;
    if rows.datagrams() > FEW
        && let Ok(of_start) = said(&mut trial, &start)
    {
        // It may be that much has to be lost in a row, which is one fault to a reader, and none of it can be spared.
        let mut other = Small { faults: Faults::Rows(of_start), ..start };
        if other.still_fails(&mut trial)? {
            other.minimise_within(&mut trial, MOST_TRIALS);
            if let Faults::Rows(of_start) = &other.faults
                && of_start.len() < rows.len()
            {
                small = other;
            }
        }
    }
    small.reduce(&mut trial)?;
    let rows = said(&mut trial, &small)?;
    finish(&mut trial, &small.document, rows, faults_before)
}

/// A run that fails, as small as it is by now.
#[derive(Clone)]
struct Small {
    document: Document,
    faults: Faults,
    /// When it fails, if there is such a moment.
    at: Option<Time>,
}

impl Small {
    /// Whether it fails with its faults as they are now.
    fn still_fails(&mut self, trial: &mut Trial<'_>) -> Result<bool, Unshrunk> {
        let found = trial.fails(&self.document, &self.faults)?;
        self.at = found.unwrap_or(self.at);
        Ok(found.is_some())
    }

    /// World and faults are made smaller in turns.
    fn reduce(&mut self, trial: &mut Trial<'_>) -> Result<(), Unshrunk> {
        for _ in 0..ROUNDS {
            self.cut(trial)?;
            if !world::reduce(trial, &mut self.document, &self.faults, &mut self.at) {
                break;
            }
            self.minimise_within(trial, MOST_TRIALS);
        }
        Ok(())
    }

    /// Makes the faults fewer and less, with at most so many runs.
    fn minimise_within(&mut self, trial: &mut Trial<'_>, trials: u64) {
        let Small { document, faults, at } = self;
        let last = trial.runs + trials;
        let mut fails = |faults: &Faults| match trial.runs < last {
            true => trial.fails(document, faults).ok().flatten(),
            false => None,
        };
        faults.minimise(&mut fails, at);
    }

    /// Ends the run soon after it has failed, and forgets the faults of later.
    fn cut(&mut self, trial: &mut Trial<'_>) -> Result<(), Unshrunk> {
        if let Some(found) = self.at
            && found < self.document.end()
            && self.attempt(trial, self.document.cut(found), found)?
        {
            return Ok(());
        }
        // What is found at the end of a run, or because of its end, may be found at an earlier end.
        let (mut low, mut high) = (0, self.document.end().us());
        while high - low > high / 8 && high - low > 100_000 {
            let middle = Time((low + (high - low) / 2).next_multiple_of(1_000));
            match self.attempt(trial, self.document.shortened(middle), middle)? {
                true => high = middle.us(),
                false => low = middle.us(),
            }
        }
        Ok(())
    }

    /// Takes a run that ends at `end`, if it fails.
    fn attempt(&mut self, trial: &mut Trial<'_>, document: Document, end: Time) -> Result<bool, Unshrunk> {
        let faults = self.faults.until(end);
        let found = trial.fails(&document, &faults)?;
        if let Some(at) = found {
            *self = Small { document, faults, at };
        }
        Ok(found.is_some())
    }
}

/// What a scenario says for the faults of a run.
fn said(trial: &mut Trial<'_>, small: &Small) -> Result<Rows, Unshrunk> {
    let schedule = match &small.faults {
        Faults::Single(schedule) => schedule,
        Faults::Rows(rows) => return Ok(rows.clone()),
    };
    let case = trial.case(&small.document, &small.faults)?;
    let fates = trial.judge(&case, Keep::Fates).unwrap_or_default().fates;
    let said = schedule.said(&fates, &case.network(trial.seed()).links).map_err(Unshrunk::Unsayable)?;
    Ok(Rows::joined(&said))
}

/// The scenario with its faults written into it, without any that it can do without, and its run.
fn finish(trial: &mut Trial<'_>, document: &Document, rows: Rows, faults_before: usize) -> Result<Shrunk, Unshrunk> {
    if trial.fails(document, &Faults::Rows(rows.clone()))?.is_none() && !trial.is_exhausted() {
        return Err(Unshrunk::Unsayable(rows.said().iter().map(|fault| format!("{fault:?} ")).collect()));
    }
    let fails = |trial: &mut Trial<'_>, rows: &Rows| {
        let found = trial.fails(document, &Faults::Rows(rows.clone()));
        found.ok().flatten()
    };
    let rows = match rows.datagrams() > FEW {
        true => {
            let mut rows = rows;
            rows.minimise(&mut |rows| fails(trial, rows), &mut None);
            rows
        }
        false => {
            let left = minimise::minimise(rows.single(), &mut |rest| fails(trial, &Rows::joined(rest)).is_some());
            Rows::joined(&left)
        }
    };
    let minimal = !trial.is_exhausted();
    let (faults, datagrams_met) = (rows.len() + document.standstills(), rows.datagrams());
    let counted = format!("Faults: {faults}. Datagrams that meet one: {datagrams_met}.");
    let document = document.remarked(&counted).with_faults(rows.said());
    let case = trial.case(&document, &Faults::Rows(Rows::default()))?;
    let judgement = trial.judge(&case, Keep::Verdict).unwrap_or_default();
    if trial.failure().is_in(&case, &judgement).is_none() {
        return Err(Unshrunk::Unsayable(rows.said().iter().map(|fault| format!("{fault:?} ")).collect()));
    }
    Ok(Shrunk {
        text: document.text(),
        case,
        failure: trial.failure().clone(),
        judgement,
        faults_before,
        faults,
        datagrams_met,
        minimal,
        runs: trial.runs,
        datagrams: trial.datagrams,
    })
}
