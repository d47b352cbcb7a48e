//! A run that failed, made smaller as long as it fails in the same way: fewer faults, shorter delays, a shorter run, less of a world.
//!
//! What a network did is the list of its fates, not its seed: faults are taken out of that list one by one, and each change of it
//! changes nothing else ([`schedule`]). Then the scenario's text is cut ([`document`]). What is left is a scenario of its own, with
//! scripted faults, which fails without the seed's network.
//! Nothing here reads a clock: how much is tried is counted in datagrams.

pub mod document;
pub mod failure;
mod minimise;
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
use kit::Time;
use schedule::Schedule;
use trial::Trial;

/// So many datagrams may be sent while a run is made smaller.
pub const BUDGET: u64 = 4_000_000;
/// The same where each of them is a message to another process.
const BUDGET_OF_A_SHIM: u64 = 200_000;
/// World and faults are made smaller in turns, at most so often.
const ROUNDS: usize = 3;

/// A run that failed.
#[derive(Clone, Copy, Debug)]
pub struct Failed<'a> {
    /// The case.
    pub case: &'a Case,
    /// The seed.
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
    /// Datagrams that still meet one.
    pub faults: usize,
    /// Whether no single fault can be left out, as far as all were tried.
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
    let mut document = Document::of(failed.case, failed.seed, failure.requirement())?;
    let links = failed.case.network(failed.seed).links;
    let mut schedule = Schedule::of(&first.fates, &links);
    let faults_before = schedule.len();
    let Some(mut at) = trial.fails(&document, &schedule)? else {
        return Err(Unshrunk::Changes(first.findings.first().map_or(String::new(), |finding| finding.what.clone())));
    };
    // What fails without any fault needs none of what follows.
    for candidate in [Schedule::default(), schedule.sayable()] {
        if let Some(found) = trial.fails(&document, &candidate)? {
            (schedule, at) = (candidate, found);
            break;
        }
    }
    for _ in 0..ROUNDS {
        cut(&mut trial, &mut document, &mut schedule, &mut at)?;
        schedule.minimise(&mut |schedule| trial.fails(&document, schedule).ok().flatten(), &mut at);
        cut(&mut trial, &mut document, &mut schedule, &mut at)?;
        if !world::reduce(&mut trial, &mut document, &schedule, &mut at) {
            break;
        }
    }
    schedule.leave_out(&mut |schedule| trial.fails(&document, schedule).ok().flatten(), &mut at);
    let minimal = !trial.is_exhausted();
    let (text, case, judgement) = say(&mut trial, &document, &schedule)?;
    let (runs, datagrams) = (trial.runs, trial.datagrams);
    let faults = schedule.len();
    Ok(Shrunk { text, case, failure: failure.clone(), judgement, faults_before, faults, minimal, runs, datagrams })
}

/// Ends the run soon after it has failed, and forgets the faults of later.
fn cut(
    trial: &mut Trial<'_>,
    document: &mut Document,
    schedule: &mut Schedule,
    at: &mut Option<Time>,
) -> Result<(), Unshrunk> {
    if let Some(found) = *at
        && found < document.end()
    {
        let (shorter, sooner) = (document.cut(found), schedule.until(found));
        if let Some(found) = trial.fails(&shorter, &sooner)? {
            (*document, *schedule, *at) = (shorter, sooner, found);
            return Ok(());
        }
    }
    // What is found at the end of a run, or because of its end, may be found at an earlier end.
    let (mut low, mut high) = (0, document.end().us());
    while high - low > high / 8 && high - low > 100_000 {
        let middle = Time((low + (high - low) / 2).next_multiple_of(1_000));
        let (shorter, sooner) = (document.shortened(middle), schedule.until(middle));
        match trial.fails(&shorter, &sooner)? {
            Some(found) => {
                (*document, *schedule, *at) = (shorter, sooner, found);
                high = middle.us();
            }
            None => low = middle.us(),
        }
    }
    Ok(())
}

/// The scenario with its faults written into it, its case, and its run, which is tried last.
fn say(trial: &mut Trial<'_>, document: &Document, schedule: &Schedule) -> Result<(String, Case, Judgement), Unshrunk> {
    let case = trial.case(document, schedule)?;
    let fates = trial.judge(&case, Keep::Fates).unwrap_or_default().fates;
    let links = case.network(trial.seed()).links;
    let faults = schedule.said(&fates, &links).map_err(Unshrunk::Unsayable)?;
    let document = document.with_faults(&faults, schedule.len());
    let case = trial.plain(&document)?;
    let judgement = trial.judge(&case, Keep::Verdict).unwrap_or_default();
    match trial.failure().is_in(&case, &judgement) {
        Some(_) => Ok((document.text(), case, judgement)),
        None => Err(Unshrunk::Unsayable(faults.iter().map(|fault| format!("{fault:?} ")).collect())),
    }
}
