//! All scenarios, run and judged: the verdict per case.

use crate::candidate::Candidate;
use crate::executor::Executor;
use crate::history::History;
use crate::judge::Keep;
use crate::last_events;
use crate::pool;
use crate::registry::{PROTOCOLS, profiles};
use crate::report::{CaseReport, MistakeReport, RunReport, Verdict};
use crate::scenario::{self, Alteration, Case, Diagnostic};
use crate::stopwatch::Stopwatch;
use crate::summary::summarise;
use judging::across;
pub use judging::verdict::{no_run_yet, replay_line, run_again, run_case, run_seeds, verdict};
use kit::Knowledge;
use rayon::prelude::*;
use std::ops::ControlFlow;
use std::path::Path;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

/// What to run.
#[derive(Clone, Debug, Default)]
pub struct Selection {
    /// Parts of case names; a case with any of them is run, and every case without filters.
    pub filters: Vec<String>,
    /// Only cases of this profile.
    pub profile: Option<String>,
    /// Inclusive range of seeds, instead of the scenarios' own.
    pub seeds: Option<(u64, u64)>,
    /// Threads; all processors for `None`. The result does not depend on it.
    pub jobs: Option<usize>,
    /// What the oracle knows. With [`Knowledge::Wire`], cases in which the scenario makes an end misbehave are left out:
    /// what is found there is right.
    pub knowledge: Knowledge,
    /// What runs in the place of the reference, in the cases of its protocol alone.
    pub candidate: Option<Candidate>,
    /// What executes the runs.
    pub executor: Executor,
}

/// How the names of probes begin.
const PROBE: &str = "probe/";

/// A case that has ended.
#[derive(Clone, Copy, Debug)]
pub struct Ended<'a> {
    /// Cases that have ended, this included.
    pub done: u64,
    /// Cases in all.
    pub total: u64,
    /// Its place among all cases.
    pub index: usize,
    /// What is said of it by itself: other cases can change the verdict once all have ended.
    pub report: &'a CaseReport,
    /// The case.
    pub case: &'a Case,
}

impl Ended<'_> {
    /// Whether no other case can change the verdict: what did not happen can be excused, what the scenario names and this case
    /// did not cover can be left without any that did, and a control can fail, too.
    pub fn is_settled(&self) -> bool {
        let CaseReport { verdict, requirements, .. } = self.report;
        match *verdict {
            Verdict::Vacuous => false,
            verdict if verdict.is_bad() => self.case.scenario.file.control.is_none(),
            _ => self.case.requirements().iter().all(|row| requirements.iter().any(|covered| covered == row.id)),
        }
    }
}

/// Gets each case as it ends, and says whether more are to begin.
pub type Progress<'a> = &'a (dyn Fn(&Ended<'_>) -> ControlFlow<()> + Sync);

/// All cases below `root`, in the order of their names' files.
///
/// # Errors
/// The first scenario that cannot be read, or whose control is not there.
pub fn all_cases(root: &Path) -> Result<Vec<Case>, Diagnostic> {
    cases_of(root, |_| true)
}

/// [`all_cases`], of the scenarios whose names are `wanted`. Of the other files, only those are read that these have for controls.
fn cases_of(root: &Path, wanted: impl Fn(&str) -> bool) -> Result<Vec<Case>, Diagnostic> {
    all_or_none(good_cases_of(root, wanted)?)
}

/// The probes below `root` whose names are `wanted`, in the profiles in which `candidate` can take part: they suit every profile, and
/// claim no requirement.
fn probes_for(
    candidate: Option<&Candidate>,
    root: &Path,
    wanted: impl Fn(&str) -> bool,
) -> Result<Vec<Case>, Diagnostic> {
    let mut cases = Vec::new();
    if root.starts_with(scenario::BUILT_IN) || root.join(scenario::PROBES).is_dir() {
        for (protocol, profile) in profiles(PROTOCOLS) {
            cases.extend(scenario::some_probes(root, protocol, profile, &wanted)?);
        }
    }
    cases.retain(|case| candidate.is_none_or(|candidate| candidate.takes(case)));
    Ok(cases)
}

/// Cases, and what is wrong with the scenarios that have none.
type Good = (Vec<Case>, Vec<Diagnostic>);

fn all_or_none((cases, mistakes): Good) -> Result<Vec<Case>, Diagnostic> {
    Diagnostic::all(mistakes).map_or(Ok(cases), Err)
}

fn good_cases_of(root: &Path, wanted: impl Fn(&str) -> bool) -> Result<Good, Diagnostic> {
    let (scenarios, mistakes) = scenario::load_good(root, &wanted)?;
    let cases = scenarios.iter().filter(|scenario| wanted(&scenario.id)).flat_map(scenario::cases).collect();
    Ok((cases, mistakes))
}

/// The cases of the scenarios whose names are `wanted`, to be run with `candidate`. What cannot be judged of one that is partial is
/// seen in all scenarios together: with it, all are read.
fn good_cases_for(
    candidate: Option<&Candidate>,
    root: &Path,
    wanted: impl Fn(&str) -> bool,
) -> Result<Good, Diagnostic> {
    let partial = candidate.filter(|candidate| candidate.is_partial());
    let (mut cases, mistakes) = good_cases_of(root, |id| partial.is_some() || wanted(id))?;
    let is_wanted = |case: &Case| wanted(&case.scenario.id);
    if let Some(partial) = partial {
        let profiles = cases.iter().filter(|case| is_wanted(case)).map(|case| case.profile.name).collect();
        partial.find_unseen(root, &cases, &profiles)?;
    }
    cases.retain(is_wanted);
    cases.extend(probes_for(candidate, root, &wanted)?);
    let (worldless, told) = (candidate.is_some_and(Candidate::is_worldless), candidate.and_then(Candidate::told));
    cases.iter_mut().for_each(|case| (case.worldless, case.told) = (worldless, told.clone()));
    Ok((cases, mistakes))
}

/// The cases of the scenarios whose names are `wanted`, to be run with `candidate`.
///
/// # Errors
/// The mistakes in those scenarios.
pub fn cases_for(
    candidate: Option<&Candidate>,
    root: &Path,
    wanted: impl Fn(&str) -> bool,
) -> Result<Vec<Case>, Diagnostic> {
    all_or_none(good_cases_for(candidate, root, wanted)?)
}

impl Selection {
    /// Those of all cases that are selected, with what their oracle knows.
    fn cases(&self, all: Vec<Case>) -> impl Iterator<Item = Case> {
        let worldless = self.candidate.as_ref().is_some_and(Candidate::is_worldless);
        let told = self.candidate.as_ref().and_then(Candidate::told);
        let (knowledge, executor) = (self.knowledge, self.executor);
        let knowing = move |case: Case| Case { knowledge, executor, worldless, told: told.clone(), ..case };
        all.into_iter().filter(|case| self.takes(case)).map(knowing)
    }

    /// The cases that are left out because of what the oracle knows, and the verb that is the reason.
    ///
    /// # Errors
    /// A folder that cannot be read.
    pub fn left_out(&self, root: &Path) -> Result<Vec<(String, String)>, Diagnostic> {
        let (all, _) = good_cases_of(root, |id| self.may_take(id))?;
        let candidate = self.candidate.as_ref();
        let other = all.iter().filter(|case| self.names(case));
        let other = other.filter_map(|case| Some((case.name(), candidate?.why_not(case)?))).collect::<Vec<_>>();
        let left_out = self.cases(all).filter_map(|case| Some((case.name(), case.why_left_out()?)));
        Ok(left_out.chain(other).collect())
    }

    /// Whether it may take a case of the scenario `id`. The probes are taken where they are asked for, or with a server that nobody can
    /// tell what the world is. Nothing but the name of a scenario has a `/`, and it ends at `@`.
    fn may_take(&self, id: &str) -> bool {
        let may = |filter: &String| match filter.split_once('@') {
            Some((end, _)) => id.ends_with(end),
            None => !filter.contains('/') || id.contains(filter.as_str()),
        };
        let is_probe = id.starts_with(PROBE);
        let probing = || {
            let by_name = self.filters.iter().any(|filter| filter.starts_with(PROBE));
            by_name || self.candidate.as_ref().is_some_and(Candidate::is_worldless)
        };
        (self.filters.is_empty() || self.filters.iter().any(may)) && (!is_probe || probing())
    }

    fn takes(&self, case: &Case) -> bool {
        self.names(case) && self.candidate.as_ref().is_none_or(|it| it.takes(case))
    }

    /// Whether a case is selected, whatever takes part in it.
    fn names(&self, case: &Case) -> bool {
        let name = case.name();
        let by_name = self.filters.is_empty() || self.filters.iter().any(|filter| name.contains(filter.as_str()));
        by_name && self.profile.as_ref().is_none_or(|profile| profile == case.profile.name)
    }
}

/// The cases that are selected, without those that are left out because of what the oracle knows.
///
/// # Errors
/// The first scenario that cannot be read.
pub fn select(root: &Path, selection: &Selection) -> Result<Vec<Case>, Diagnostic> {
    let all = cases_for(selection.candidate.as_ref(), root, |id| selection.may_take(id))?;
    Ok(selection.cases(all).filter(|case| !case.is_left_out()).collect())
}

/// Runs what is selected: the built-in reference, or what takes its place.
///
/// A mistake in a scenario stops no other: the report has it.
///
/// # Errors
/// A folder that cannot be read; nothing was run then.
pub fn run(root: &Path, selection: &Selection, progress: Progress<'_>) -> Result<RunReport, Diagnostic> {
    let candidate = selection.candidate.as_ref();
    let (all, mistakes) = good_cases_for(candidate, root, |id| selection.may_take(id))?;
    if let Some(worldless) = candidate.filter(|candidate| candidate.is_worldless()) {
        let profiles = selection.cases(all.clone()).map(|case| case.profile.name).collect();
        worldless.find_unseen(root, &good_cases_of(root, |_| true)?.0, &profiles)?;
    }
    let chosen: Vec<Case> = selection.cases(all).filter(|case| !case.is_left_out()).collect();
    let ended = begin_each(&chosen, selection, progress);
    let total = chosen.len();
    let pairs = chosen.into_iter().zip(ended).filter_map(|(case, report)| Some((case, report?)));
    let (cases, mut reports): (Vec<Case>, Vec<CaseReport>) = pairs.unzip();
    let not_run = total - cases.len();
    judge_together(&cases, &mut reports, selection, not_run == 0);
    last_events::tell(&cases, &mut reports, candidate);
    let mistakes = mistakes.iter().map(MistakeReport::from).collect();
    Ok(RunReport { mistakes, not_run: not_run as u32, ..summarise(&cases, reports, candidate) })
}

/// Runs `cases` and judges them, also against each other: a case whose control failed is blocked, and a scenario that
/// names a requirement which none of its variants covers is vacuous.
pub fn run_cases(cases: &[Case], selection: &Selection, progress: Progress<'_>) -> Vec<CaseReport> {
    let mut reports = run_each(cases, selection, progress);
    judge_together(cases, &mut reports, selection, true);
    reports
}

/// Judges cases against each other: all of those that were selected, or some.
fn judge_together(cases: &[Case], reports: &mut [CaseReport], selection: &Selection, all: bool) {
    if let Some(candidate) = &selection.candidate {
        across::pass_over(cases, reports, candidate);
    }
    // What a scenario claims, its author has promised of a world.
    let worldless = selection.candidate.as_ref().is_some_and(Candidate::is_worldless);
    if all && selection.seeds.is_none() && selection.knowledge == Knowledge::World && !worldless {
        across::claim(cases, reports, selection.candidate.as_ref());
    }
    across::block(cases, reports);
}

/// Runs `cases` and judges each by itself.
pub fn run_each(cases: &[Case], selection: &Selection, progress: Progress<'_>) -> Vec<CaseReport> {
    let on = |ended: &Ended<'_>| {
        let _ = progress(ended);
        ControlFlow::Continue(())
    };
    begin_each(cases, selection, &on).into_iter().flatten().collect()
}

/// [`run_each`], until `progress` has enough: nothing for the cases that were not begun.
fn begin_each(cases: &[Case], selection: &Selection, progress: Progress<'_>) -> Vec<Option<CaseReport>> {
    let (done, stopped) = (AtomicU64::new(0), AtomicBool::new(false));
    let work = || -> Vec<Option<CaseReport>> {
        cases
            .par_iter()
            .enumerate()
            // Each for itself: some take a hundred times as long as others.
            .with_max_len(1)
            .map(|(index, case)| {
                if stopped.load(Ordering::Relaxed) {
                    return None;
                }
                let watch = Stopwatch::start();
                let mut report = run_case(case, selection.seeds, selection.candidate.as_ref());
                report.took_us = watch.us();
                let done = done.fetch_add(1, Ordering::Relaxed) + 1;
                let ended = Ended { done, total: cases.len() as u64, index, report: &report, case };
                stopped.fetch_or(progress(&ended).is_break(), Ordering::Relaxed);
                Some(report)
            })
            .collect()
    };
    pool::install(selection.jobs, cases.len(), work)
}

/// The case of this name, to be run with `candidate`: that of a scenario, or the first of a scenario (`fte/storm`) or of a scenario
/// in a profile (`fte/storm@fte-nq`), in this profile if there is one. `None`: no case has the name.
///
/// # Errors
/// The mistakes in its scenario.
pub fn find(
    root: &Path,
    name: &str,
    profile: Option<&str>,
    candidate: Option<&Candidate>,
) -> Result<Option<Case>, Diagnostic> {
    let Some((name, alteration)) = Alteration::split(name) else { return Ok(None) };
    let cases = cases_for(candidate, root, |id| name.split('@').next() == Some(id))?;
    let named = |case: &&Case| {
        let fits = profile.is_none_or(|profile| case.profile.name == profile);
        let own = case.name();
        fits && (own == name || case.scenario.id == name || own.split('[').next() == Some(name))
    };
    Ok(cases.iter().find(named).map(|case| Case { alteration, ..case.clone() }))
}

/// A run again: what happened, with every field of every datagram, and the verdict.
pub fn replay(case: &Case, seed: u64, candidate: Option<&Candidate>) -> (History, CaseReport) {
    let report = run_again(case, seed, candidate);
    (Candidate::judge(candidate, case, seed, Keep::Fields).history, report)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_read_whose_cases_a_filter_can_name_and_others_are_not() {
        let selects = |filter: &str, id: &str| {
            Selection { filters: vec![String::from(filter)], ..Selection::default() }.may_take(id)
        };
        for name in ["fte/reset-lost@fte-nq", "nvs/clean@nvs[progs_version=0,server_max=49]"] {
            let id = name.split('@').next().expect("the name of a scenario");
            for start in 0..name.len() {
                for end in start..=name.len() {
                    assert!(selects(&name[start..end], id), "{} of {name}", &name[start..end]);
                }
            }
        }
        assert!(!selects("fte/reset", "fte/clean"));
        assert!(!selects("lost@fte-nq", "fte/clean"));
    }
}
