//! All scenarios, run and judged: the verdict per case.

use crate::across;
use crate::candidate::Candidate;
use crate::judge::{Judgement, Keep};
use crate::pool;
use crate::report::{CaseReport, FindingReport, MistakeReport, RunReport, Verdict};
use crate::scenario::{self, Alteration, Case, Diagnostic};
use crate::seeds::Seeds;
use crate::stopwatch::Stopwatch;
use crate::summary::summarise;
use kit::{Knowledge, Requirement};
use rayon::prelude::*;
use std::collections::BTreeSet;
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};

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
    /// What the oracle is told. With [`Knowledge::Wire`], cases in which the scenario makes an end misbehave are left out:
    /// what is found there is right.
    pub knowledge: Knowledge,
    /// What runs in the place of the reference, in the cases of its protocol alone.
    pub candidate: Option<Candidate>,
}

/// Seeds that are tried with a candidate behind a scenario's own where none of those shows what it is about.
const SPARE_SEEDS: u64 = 8;

/// Hears how far a run is: cases done, cases in all, the case that ended last.
pub type Progress<'a> = &'a (dyn Fn(u64, u64, &str) + Sync);

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

/// The cases of the scenarios whose names are `wanted`, to be run with `candidate`. What a shim does not show is seen in all
/// scenarios together: with one, all are read.
fn good_cases_for(
    candidate: Option<&Candidate>,
    root: &Path,
    wanted: impl Fn(&str) -> bool,
) -> Result<Good, Diagnostic> {
    let Some(shim @ Candidate::Shim(_)) = candidate else { return good_cases_of(root, wanted) };
    let (all, mistakes) = good_cases_of(root, |_| true)?;
    shim.find_unseen(root, &all)?;
    Ok((all, mistakes))
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
    /// Those of all cases that are selected, with what their oracle is told.
    fn cases(&self, all: Vec<Case>) -> impl Iterator<Item = Case> {
        let told = |case: Case| Case { knowledge: self.knowledge, ..case };
        all.into_iter().filter(|case| self.takes(case)).map(told)
    }

    /// The cases that are left out because of what the oracle is told, and the verb that is the reason.
    ///
    /// # Errors
    /// A folder that cannot be read.
    pub fn left_out(&self, root: &Path) -> Result<Vec<(String, &'static str)>, Diagnostic> {
        let (all, _) = good_cases_of(root, |id| self.may_take(id))?;
        let left_out = self.cases(all).filter(Case::is_left_out);
        Ok(left_out.filter_map(|case| Some((case.name(), case.misbehaviour()?))).collect())
    }

    /// Whether it may take a case of the scenario `id`. Nothing but the name of a scenario has a `/`, and it ends at `@`.
    fn may_take(&self, id: &str) -> bool {
        let may = |filter: &String| match filter.split_once('@') {
            Some((end, _)) => id.ends_with(end),
            None => !filter.contains('/') || id.contains(filter.as_str()),
        };
        self.filters.is_empty() || self.filters.iter().any(may)
    }

    fn takes(&self, case: &Case) -> bool {
        let name = case.name();
        let by_name = self.filters.is_empty() || self.filters.iter().any(|filter| name.contains(filter.as_str()));
        let by_name = by_name && self.candidate.as_ref().is_none_or(|it| it.takes(case));
        by_name && self.profile.as_ref().is_none_or(|profile| profile == case.profile.name)
    }
}

/// The cases that are selected, without those that are left out because of what the oracle is told.
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
    let cases: Vec<Case> = selection.cases(all).filter(|case| !case.is_left_out()).collect();
    let reports = run_cases(&cases, selection, progress);
    let mistakes = mistakes.iter().map(MistakeReport::from).collect();
    Ok(RunReport { mistakes, ..summarise(&cases, reports, candidate) })
}

/// Runs `cases` and judges them, also against each other: a case whose control failed is blocked, and a scenario that
/// names a requirement which none of its variants covers is vacuous.
pub fn run_cases(cases: &[Case], selection: &Selection, progress: Progress<'_>) -> Vec<CaseReport> {
    let mut reports = run_each(cases, selection, progress);
    if let Some(candidate) = &selection.candidate {
        across::pass_over(cases, &mut reports, candidate);
    }
    if selection.seeds.is_none() && selection.knowledge == Knowledge::World {
        across::claim(cases, &mut reports, selection.candidate.as_ref());
    }
    across::block(cases, &mut reports);
    reports
}

/// Runs `cases` and judges each by itself.
pub fn run_each(cases: &[Case], selection: &Selection, progress: Progress<'_>) -> Vec<CaseReport> {
    let done = AtomicU64::new(0);
    let work = || -> Vec<CaseReport> {
        cases
            .par_iter()
            // Each for itself: some take a hundred times as long as others.
            .with_max_len(1)
            .map(|case| {
                let watch = Stopwatch::start();
                let mut report = run_case(case, selection.seeds, selection.candidate.as_ref());
                report.took_us = watch.us();
                progress(done.fetch_add(1, Ordering::Relaxed) + 1, cases.len() as u64, &report.case);
                report
            })
            .collect()
    };
    pool::install(selection.jobs, cases.len(), work)
}

/// Runs one case with all its seeds, to the first that fails.
pub fn run_case(case: &Case, seeds: Option<(u64, u64)>, candidate: Option<&Candidate>) -> CaseReport {
    match (seeds, candidate) {
        (Some((first, last)), _) => run_seeds(case, &Seeds::range(first, last), first == last, candidate),
        (None, _) => run_seeds(case, &Seeds::Listed(case.seeds()), candidate.is_none(), candidate),
    }
}

/// Runs one case with these seeds, to the first that fails. Unless they are `sure` to show what the scenario is about, as its
/// author made sure of for the reference, those that do not are passed over; where none does, others are tried for a
/// candidate.
pub fn run_seeds(case: &Case, seeds: &Seeds<'_>, sure: bool, candidate: Option<&Candidate>) -> CaseReport {
    let spare = if sure || candidate.is_none() { 0 } else { SPARE_SEEDS };
    let (listed, last) = (seeds.count(), seeds.last());
    let most = listed + u128::from(spare);
    let all = seeds.iter().chain((1..=spare).map(|more| last.wrapping_add(more)));
    let mut report = no_run_yet(case, seeds.first(), candidate);
    let mut hash = blake3::Hasher::new();
    let (mut last_hash, mut failed_hash, mut vacuous) = (0, None, 0_u128);
    let mut covered = BTreeSet::new();
    let mut remarks = BTreeSet::new();
    for (run, seed) in (0_u128..).zip(all) {
        if run >= listed && vacuous < run {
            break;
        }
        let judgement = Candidate::judge(candidate, case, seed, Keep::Verdict);
        report.seeds += 1;
        report.datagrams += judgement.datagrams;
        report.lost += judgement.traffic.lost_total();
        report.duplicated += judgement.traffic.duplicated;
        report.reordered += judgement.traffic.reordered;
        report.found += judgement.findings.len() as u64;
        hash.update(&judgement.trace_hash.to_le_bytes());
        last_hash = judgement.trace_hash;
        covered.extend(judgement.covered.iter().map(|requirement| requirement.id));
        remarks.extend(judgement.remarks.iter().cloned());
        let (verdict, reason) = verdict(case, &judgement);
        if !sure && verdict == Verdict::Vacuous {
            vacuous += 1;
            if vacuous < most {
                continue;
            }
        }
        if report.impairment.is_empty() {
            report.impairment.clone_from(&judgement.impairment);
        }
        if verdict != Verdict::Pass && report.verdict != Verdict::FailShould || verdict.is_bad() {
            report.verdict = verdict;
            report.reason = reason;
            report.failed_seed = Some(seed);
            failed_hash = Some(judgement.trace_hash);
            report.replay = replay_line(case, seed, candidate);
            report.findings = judgement.findings.iter().map(finding_report).collect();
            report.impairment = judgement.impairment;
        }
        if verdict.is_bad() {
            break;
        }
    }
    // Of one run, or of the run that failed, the hash that its replay gives; of several, a hash of theirs.
    report.trace_hash = match (report.seeds, failed_hash) {
        (_, Some(trace)) => format!("{trace:016x}"),
        (1, None) => format!("{last_hash:016x}"),
        _ => hash.finalize().to_hex()[..16].to_string(),
    };
    if vacuous > 0 {
        remarks.insert(format!("{vacuous} of {} runs were vacuous", report.seeds));
    }
    report.requirements = covered.into_iter().map(String::from).collect();
    report.remarks = remarks.into_iter().collect();
    report
}

/// The report on a case before its first run, which will be the one with `seed`.
pub fn no_run_yet(case: &Case, seed: u64, candidate: Option<&Candidate>) -> CaseReport {
    CaseReport {
        case: case.name(),
        scenario: case.scenario.id.clone(),
        path: case.scenario.path.display().to_string().replace('\\', "/"),
        profile: String::from(case.profile.name),
        variant: case.variant.clone(),
        title: case.scenario.file.title.clone(),
        seeds: 0,
        failed_seed: None,
        verdict: Verdict::Pass,
        reason: String::new(),
        findings: Vec::new(),
        requirements: Vec::new(),
        remarks: Vec::new(),
        trace_hash: String::new(),
        datagrams: 0,
        lost: 0,
        duplicated: 0,
        reordered: 0,
        found: 0,
        impairment: Vec::new(),
        replay: replay_line(case, seed, candidate),
        took_us: 0,
    }
}

/// The verdict on one run, and why.
pub fn verdict(case: &Case, judgement: &Judgement) -> (Verdict, String) {
    if let Some(fault) = &judgement.fault {
        return (Verdict::of(fault), fault.to_string());
    }
    if let Some(why) = &judgement.halted {
        return (Verdict::HarnessError, format!("the run was given up: {why}"));
    }
    if let Some(wanted) = case.finding() {
        let found = judgement.findings.iter().any(|finding| finding.suspects.contains(wanted));
        return match found {
            true => (Verdict::Xfail, format!("{} is violated, as expected", wanted.id)),
            false => (Verdict::Xpass, format!("{} should be violated, but is not", wanted.id)),
        };
    }
    let worst = judgement.findings.iter().min_by_key(|finding| !finding.requirement().level.is_must());
    match worst {
        Some(finding) if finding.requirement().level.is_must() => (Verdict::Fail, broken(finding.requirement())),
        // What did not happen may be just what is violated, and does not hide it.
        Some(finding) => (Verdict::FailShould, broken(finding.requirement())),
        None if !judgement.missing.is_empty() => (Verdict::Vacuous, judgement.missing.join("; ")),
        None => (Verdict::Pass, String::new()),
    }
}

/// What was violated, and whose decision it is if it is not the document's.
fn broken(requirement: &Requirement) -> String {
    match requirement.decided {
        Some(profile) => format!("{}, decided by {profile}: {}", requirement.id, requirement.text),
        None => format!("{}: {}", requirement.id, requirement.text),
    }
}

/// The command line that does a run again.
pub fn replay_line(case: &Case, seed: u64, candidate: Option<&Candidate>) -> String {
    let name = case.name();
    // Brackets mean something to a shell.
    let quote = if case.variant.is_empty() { "" } else { "'" };
    let candidate = candidate.map_or(String::new(), |candidate| format!(" {}", candidate.argument()));
    format!("deltaproof replay {quote}{name}{quote} --seed {seed}{candidate}")
}

/// A finding, as reports have it.
pub fn finding_report(finding: &kit::Finding) -> FindingReport {
    FindingReport {
        requirement: String::from(finding.requirement().id),
        others: finding.suspects.iter().skip(1).map(|other| String::from(other.id)).collect(),
        check: String::from(finding.check.name),
        level: finding.requirement().level.to_string(),
        decided: finding.requirement().decided.map(String::from),
        role: finding.requirement().role.to_string(),
        host: finding.host.to_string(),
        at_us: finding.at.us(),
        what: finding.what.clone(),
    }
}

/// A run again, with its history: the lines up to the first finding, and the verdict. `None`: no case has the name.
///
/// # Errors
/// The first scenario that cannot be read.
pub fn replay(
    root: &Path,
    name: &str,
    seed: u64,
    candidate: Option<&Candidate>,
) -> Result<Option<(Vec<String>, CaseReport)>, Diagnostic> {
    let Some((name, alteration)) = Alteration::split(name) else { return Ok(None) };
    let cases = cases_for(candidate, root, |id| name.split('@').next() == Some(id))?;
    let named = |case: &&Case| case.name() == name || case.scenario.id == name;
    let Some(case) = cases.iter().find(named) else { return Ok(None) };
    let case = &Case { alteration, ..case.clone() };
    let report = run_case(case, Some((seed, seed)), candidate);
    let judgement = Candidate::judge(candidate, case, seed, Keep::Fields);
    // Up to the first violation of an obligation; a mere recommendation ends the history only where there is no other.
    let first = |must: bool| {
        let found = judgement.findings.iter().filter(|finding| finding.requirement().level.is_must() || !must);
        found.map(|finding| finding.at).min()
    };
    let end = first(true).or(first(false));
    let lines = judgement.transcript.into_iter();
    let lines = lines.filter(|line| end.is_none_or(|end| line.at <= end)).map(|line| line.to_string()).collect();
    Ok(Some((lines, report)))
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
