//! One case with its seeds: the runs, and the verdict on them.

use crate::candidate::Candidate;
use crate::judge::{Judgement, Keep};
use crate::report::{CaseReport, FindingReport, Verdict};
use crate::scenario::Case;
use crate::seeds::Seeds;
use crate::witness::together;
use kit::{Knowledge, Requirement};
use std::collections::BTreeSet;

/// Seeds that are tried after those asked for where none of those shows what a case is about.
pub const SPARE_SEEDS: u64 = 8;

/// Runs one case with all its seeds.
pub fn run_case(case: &Case, seeds: Option<(u64, u64)>, candidate: Option<&Candidate>) -> CaseReport {
    match seeds {
        Some((first, last)) => run_seeds(case, &Seeds::range(first, last), false, candidate),
        None => run_seeds(case, &Seeds::Listed(case.seeds()), candidate.is_none(), candidate),
    }
}

/// Runs one case with this seed alone, whatever it shows.
pub fn run_again(case: &Case, seed: u64, candidate: Option<&Candidate>) -> CaseReport {
    run_seeds(case, &Seeds::range(seed, seed), true, candidate)
}

/// Runs one case with these seeds. The first that fails is told; the others are counted, unless a process is at fault. Unless they
/// are `sure` to show what the scenario is about, as its author made sure of for the reference, those that do not are passed over;
/// where none does, the [`SPARE_SEEDS`] after them are tried. What a scenario promises of chance is so kept with every seed, but for a
/// chance to the ninth power.
pub fn run_seeds(case: &Case, seeds: &Seeds<'_>, sure: bool, candidate: Option<&Candidate>) -> CaseReport {
    let spare = if sure { 0 } else { SPARE_SEEDS };
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
        if !sure && matches!(verdict, Verdict::Vacuous | Verdict::NotApplicable) {
            vacuous += 1;
            // More seeds than the scenario's own make nothing possible.
            let goes_on = if verdict == Verdict::Vacuous { vacuous < most } else { run + 1 < listed };
            if goes_on {
                continue;
            }
        }
        if report.impairment.is_empty() {
            report.impairment.clone_from(&judgement.impairment);
        }
        let is_first = report.failed_seeds == 0;
        report.failed_seeds += u64::from(verdict.is_bad());
        if is_first && (verdict != Verdict::Pass && report.verdict != Verdict::FailShould || verdict.is_bad()) {
            report.verdict = verdict;
            report.reason = reason;
            report.failed_seed = Some(seed);
            failed_hash = Some(judgement.trace_hash);
            report.replay = replay_line(case, seed, candidate);
            report.findings = judgement.findings.iter().map(FindingReport::from).collect();
            report.impairment = judgement.impairment;
        }
        if verdict.exit_code() > 1 || verdict == Verdict::NotApplicable {
            break;
        }
    }
    // Of one run, or of the run that failed, the hash that its replay gives; of several, a hash of theirs.
    report.trace_hash = match (report.seeds, failed_hash) {
        (_, Some(trace)) => format!("{trace:016x}"),
        (1, None) => format!("{last_hash:016x}"),
        _ => hash.finalize().to_hex()[..16].to_string(),
    };
    if vacuous > 0 && report.seeds > 1 {
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
        why: case.scenario.file.why.clone(),
        seeds: 0,
        failed_seed: None,
        failed_seeds: 0,
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
        events: Vec::new(),
        timeline: None,
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
        None if !judgement.differences.is_empty() => {
            let what = judgement.differences.join("; ");
            (Verdict::Fail, format!("a client holds what the control client does not once the world rests: {what}"))
        }
        None if !judgement.missing.is_empty() => (Verdict::Vacuous, together(&judgement.missing)),
        None if !judgement.impossible.is_empty() => {
            let what = together(&judgement.impossible);
            (Verdict::NotApplicable, format!("the server's own world did not make it possible: {what}"))
        }
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
    let knowledge = if case.knowledge == Knowledge::Wire { " --knowledge wire" } else { "" };
    format!("deltaproof replay {quote}{name}{quote} --seed {seed}{candidate}{knowledge}")
}
