//! Certificates: which level an implementation reaches, and the data by which another person runs it again.
//!
//! The levels, each above the one before:
//!
//! | level | name | what has to hold |
//! |---|---|---|
//! | 0 | valid | the shim is in order (a built-in end always is) |
//! | 1 | session | the control case that most others have: a session comes to be, and shows the right world |
//! | 2 | core | every case, on links without faults |
//! | 3 | resilient | every case, [`RUNS`] runs in all, and that control case once more with every single fault in its first [`WINDOW`] datagrams of each direction; every MUST of the role was covered, none skipped, and held |
//! | 4 | strict | of the SHOULDs of the role, 95 of 100 were covered, and held |

mod badge;
mod certificate;
mod expectations;

pub use badge::badge;
pub use certificate::{Blocker, Certificate, Implementation, LevelReport, RequirementVerdict, Run};
pub use expectations::{Expectations, Today};

use crate::candidate::Candidate;
use crate::place::Place;
use crate::report::{CaseReport, ProfileReport, RequirementReport, RequirementStatus, RunReport, Verdict};
use crate::scenario::{Alteration, Case, Diagnostic, FaultKind, OneFault};
use crate::suite::{self, Progress, Selection};
use crate::summary;
use kit::Direction;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

/// The highest level.
pub const HIGHEST: u8 = 4;
/// Runs that level 3 is made of: every case with its own seeds, and then with others until there are so many.
pub const RUNS: u64 = 1_000;
/// The first of those other seeds.
const FIRST_SEED: u64 = 1_000_001;
/// So many datagrams of each direction fare badly, one at a time.
pub const WINDOW: u32 = 40;
/// So many of 100 SHOULDs have to hold for level 4.
const SHOULD_PERCENT: u32 = 95;

/// What is to be certified.
pub struct Request<'a> {
    pub profile: &'a str,
    /// Whose place the implementation takes.
    pub place: Place,
    /// The level that is asked for: higher ones are not tried.
    pub level: u8,
    /// What takes the place of the reference; the reference itself without one.
    pub candidate: Option<Candidate>,
    pub implementation: Implementation,
    /// Runs at the same time.
    pub jobs: Option<usize>,
    /// Failures that are known.
    pub expectations: &'a Expectations,
}

/// All that was found out.
pub struct Outcome {
    pub certificate: Certificate,
    /// The run of every case with its own seeds.
    pub report: RunReport,
    /// What is wrong with the expectations: an unexpected pass, an entry that fits no case, one that has expired.
    pub complaints: Vec<String>,
    /// The runs that failed: the case, the seed, and what they failed.
    pub failed: Vec<(Case, u64, String)>,
}

/// Runs all levels up to the one asked for. What level 0 showed is given: empty, or why the shim is none.
///
/// # Errors
/// The first scenario that cannot be read, or that no case is of this profile.
pub fn certify(
    root: &Path,
    request: &Request<'_>,
    not_valid: Vec<String>,
    progress: Progress<'_>,
) -> Result<Outcome, Diagnostic> {
    let all = suite::all_cases(root)?;
    if let Some(candidate) = &request.candidate {
        candidate.find_unseen(root, &all, &BTreeSet::from([request.profile]))?;
    }
    let worldless = request.candidate.as_ref().is_some_and(Candidate::is_worldless);
    let here = all.into_iter().filter(|case| case.profile.name == request.profile);
    let told = request.candidate.as_ref().and_then(Candidate::told);
    let here = here
        .map(|case| Case { worldless, told: told.clone(), ..case })
        .filter(|case| !worldless || !case.is_left_out());
    let mut cases: Vec<Case> = here.collect();
    if let Some(candidate) = request.candidate.as_ref().filter(|it| cases.iter().any(|case| it.takes(case))) {
        cases.retain(|case| candidate.takes(case));
    }
    let selection = Selection { jobs: request.jobs, candidate: request.candidate.clone(), ..Selection::default() };
    let tries = |level: u8| not_valid.is_empty() && request.level >= level;
    let mut batches = Batches::default();
    let controls: Vec<Case> = cases.iter().filter(|case| control(&cases) == Some(&case.scenario.id)).cloned().collect();
    if tries(1) {
        batches.session = suite::run_cases(&controls, &selection, progress);
    }
    if tries(2) {
        batches.core = core(&cases, &selection, progress);
    }
    if tries(3) {
        batches.resilient = suite::run_cases(&cases, &selection, progress);
    }
    let (known, complaints) = batches.excuse(&cases, request.expectations, tries(3));
    let good = |report: &CaseReport| is_good(report) && !known.contains(&report.case);
    if tries(3) && batches.resilient.iter().all(good) {
        batches.more = more_runs(&cases, &batches.resilient, &selection, progress);
        batches.faulted = controls.first().map(|base| one_fault(base, &selection, progress)).unwrap_or_default();
    }
    let shown = batches.highest().clone();
    let report = summary::summarise(&cases, shown, request.candidate.as_ref());
    let role = request.place.to_string();
    let profile = report.profiles.iter().find(|profile| profile.role == role);
    let mut levels = vec![valid(&not_valid)];
    for level in 1..=request.level {
        let below = levels.last().is_some_and(|below| below.reached);
        levels.push(of(level, below, &batches.of(level), &good, &Shown { profile, worldless }));
    }
    let suite = certificate::suite_hash(&cases);
    let certificate = Certificate::new(request, suite, levels, &report, &batches, &known);
    let failed = batches.failed(&cases, &good);
    Ok(Outcome { certificate, report, complaints, failed })
}

/// What was run.
#[derive(Default)]
struct Batches {
    /// The control case.
    session: Vec<CaseReport>,
    /// Every case on links without faults.
    core: Vec<CaseReport>,
    /// Every case as it is.
    resilient: Vec<CaseReport>,
    /// Every case with more seeds.
    more: Vec<CaseReport>,
    /// The control case with every fault of one datagram.
    faulted: Vec<CaseReport>,
}

impl Batches {
    /// What counts for a level, beside the levels below.
    fn of(&self, level: u8) -> Vec<&CaseReport> {
        match level {
            1 => self.session.iter().collect(),
            2 => self.core.iter().collect(),
            3 => self.resilient.iter().chain(&self.more).chain(&self.faulted).collect(),
            _ => Vec::new(),
        }
    }

    /// The runs that failed, each with its case as it was run.
    fn failed(&self, cases: &[Case], good: &dyn Fn(&CaseReport) -> bool) -> Vec<(Case, u64, String)> {
        let all = [&self.session, &self.core, &self.resilient, &self.more, &self.faulted].into_iter().flatten();
        let failed = all.filter(|report| !good(report)).filter_map(|report| {
            let (name, alteration) = Alteration::split(&report.case)?;
            let case = cases.iter().find(|case| case.name() == name)?;
            let what = report.gravest().map_or(report.verdict.name(), |finding| &finding.requirement);
            Some((Case { alteration, ..case.clone() }, report.failed_seed?, String::from(what)))
        });
        failed.collect()
    }

    /// The runs that tell most of requirements.
    fn highest(&self) -> &Vec<CaseReport> {
        let all = [&self.resilient, &self.core, &self.session];
        all.into_iter().find(|batch| !batch.is_empty()).unwrap_or(&self.session)
    }

    /// Marks the failures that are known. Returns the cases, and what is wrong with the expectations.
    fn excuse(
        &mut self,
        cases: &[Case],
        expectations: &Expectations,
        complete: bool,
    ) -> (BTreeSet<String>, Vec<String>) {
        let (mut known, _) = expectations.apply(cases, &mut self.session, false);
        known.extend(expectations.apply(cases, &mut self.core, false).0);
        let (more, complaints) = expectations.apply(cases, &mut self.resilient, complete);
        known.extend(more);
        (known, complaints)
    }
}

/// Every case on links without faults. One that is there to show a violation under faults has nothing to show then.
fn core(cases: &[Case], selection: &Selection, progress: Progress<'_>) -> Vec<CaseReport> {
    let shows_none = cases.iter().filter(|case| case.finding().is_none());
    let clean: Vec<Case> =
        shows_none.map(|case| Case { alteration: Alteration::faultless(), ..case.clone() }).collect();
    // Without faults little depends on the seed.
    let mut reports = suite::run_each(&clean, &Selection { seeds: Some((1, 1)), ..selection.clone() }, progress);
    excuse_vacuous(&mut reports);
    reports
}

/// Whether a case counts towards a level: what an implementation does not support is not. A scenario of which the suite itself
/// says that it shows a violation is.
const fn is_good(report: &CaseReport) -> bool {
    matches!(report.verdict, Verdict::Pass | Verdict::FailShould | Verdict::NotApplicable | Verdict::Xfail)
}

/// Every case again with other seeds, so often that there are [`RUNS`] runs.
fn more_runs(cases: &[Case], reports: &[CaseReport], selection: &Selection, progress: Progress<'_>) -> Vec<CaseReport> {
    let done: u64 = reports.iter().map(|report| report.seeds).sum();
    let each = RUNS.saturating_sub(done).div_ceil(cases.len() as u64);
    if each == 0 {
        return Vec::new();
    }
    let seeds = Some((FIRST_SEED, FIRST_SEED + each - 1));
    let mut more = suite::run_each(cases, &Selection { seeds, ..selection.clone() }, progress);
    excuse_vacuous(&mut more);
    more
}

/// A case with every fault of one datagram.
fn one_fault(base: &Case, selection: &Selection, progress: Progress<'_>) -> Vec<CaseReport> {
    let mut cases = Vec::new();
    for direction in [Direction::ServerToClient, Direction::ClientToServer] {
        for (index, (kind, _)) in (0..WINDOW).flat_map(|index| FaultKind::ALL.map(|kind| (index, kind))) {
            let faults = vec![OneFault { kind, direction, index }];
            cases.push(Case { alteration: Alteration { faults, ..Alteration::default() }, ..base.clone() });
        }
    }
    let seed = base.seeds().first().copied().unwrap_or_default();
    let mut reports = suite::run_each(&cases, &Selection { seeds: Some((seed, seed)), ..selection.clone() }, progress);
    excuse_vacuous(&mut reports);
    reports
}

/// Whether a run shows what its scenario is about was seen with the scenario's own seeds, and without a fault more.
fn excuse_vacuous(reports: &mut [CaseReport]) {
    for report in reports.iter_mut().filter(|report| report.verdict == Verdict::Vacuous) {
        report.verdict = Verdict::Pass;
    }
}

/// The control that most cases have; of several, the first by name.
fn control(cases: &[Case]) -> Option<&str> {
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    for control in cases.iter().filter_map(|case| case.scenario.file.control.as_deref()) {
        *counts.entry(control).or_default() += 1;
    }
    let is_here = |name: &str| cases.iter().any(|case| case.scenario.id == name);
    counts.into_iter().filter(|(name, _)| is_here(name)).rev().max_by_key(|(_, count)| *count).map(|(name, _)| name)
}

fn valid(why: &[String]) -> LevelReport {
    let blocked_by =
        why.iter().map(|why| Blocker { what: why.clone(), not_covered: String::new(), cases: Vec::new() }).collect();
    LevelReport { level: 0, name: String::from("valid"), reached: why.is_empty(), cases: 0, runs: 0, blocked_by }
}

/// Whether a level is reached, and what blocks it: what fails in the fewest cases first, what was not covered last.
fn of(
    level: u8,
    below: bool,
    cases: &[&CaseReport],
    good: &dyn Fn(&CaseReport) -> bool,
    shown: &Shown<'_>,
) -> LevelReport {
    let name = ["valid", "session", "core", "resilient", "strict"][usize::from(level.min(HIGHEST))];
    let mut blocked_by = blockers(cases.iter().copied().filter(|case| !good(case)));
    blocked_by.sort_by_key(|blocker| blocker.cases.len());
    if level == 3 {
        blocked_by.extend(shown.uncovered(true));
    }
    if level == 4 {
        let tally = shown.profile.map(|profile| profile.should.and(profile.decided_should)).unwrap_or_default();
        let asked = if shown.worldless { tally.total - tally.skipped } else { tally.total };
        if tally.pass * 100 < asked * SHOULD_PERCENT {
            blocked_by.extend(shown.uncovered(false));
        }
    }
    let runs = cases.iter().map(|case| case.seeds).sum();
    let reached = below && blocked_by.is_empty() && (level == HIGHEST || !cases.is_empty());
    LevelReport { level, name: String::from(name), reached, cases: cases.len() as u32, runs, blocked_by }
}

/// What the bad cases are bad for: a requirement each, or what happened instead of a verdict about one.
fn blockers<'a>(bad: impl Iterator<Item = &'a CaseReport>) -> Vec<Blocker> {
    let mut blockers: Vec<Blocker> = Vec::new();
    for case in bad {
        let must = case.findings.iter().find(|finding| finding.is_must());
        let what = match (case.verdict, must) {
            (Verdict::Fail, Some(finding)) => finding.requirement.clone(),
            (verdict, _) => format!("{}: {}", verdict.name(), case.reason.lines().next().unwrap_or_default()),
        };
        match blockers.iter_mut().find(|blocker| blocker.what == what) {
            Some(known) => known.cases.push(case.replay.clone()),
            None => blockers.push(Blocker { what, not_covered: String::new(), cases: vec![case.replay.clone()] }),
        }
    }
    blockers
}

/// What all runs together have shown.
struct Shown<'a> {
    /// Of each requirement of the role.
    profile: Option<&'a ProfileReport>,
    /// Nobody can tell the server what the world is: what needs that is skipped, and keeps it from no level.
    worldless: bool,
}

impl Shown<'_> {
    /// The requirements of the role that were not covered, or do not hold without any case being bad.
    fn uncovered(&self, must: bool) -> Vec<Blocker> {
        let rows = self.profile.map(|profile| profile.requirements.as_slice()).unwrap_or_default();
        let rows = rows.iter().filter(|row| row.level.starts_with("MUST") == must);
        let rows = rows.filter(|row| match row.status {
            RequirementStatus::Untested => true,
            RequirementStatus::Skipped => !self.worldless,
            RequirementStatus::Fail => !must,
            _ => false,
        });
        let blocker = |row: &RequirementReport| Blocker {
            what: row.id.clone(),
            not_covered: row.untested_because.clone(),
            cases: Vec::new(),
        };
        rows.map(blocker).collect()
    }
}
