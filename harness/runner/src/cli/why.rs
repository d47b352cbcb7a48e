//! `run --why`: the runs of cases that failed or proved nothing, drawn below the verdict.

use super::output::{DIM, HEAD, Stop};
use crate::candidate::Candidate;
use crate::judge::Keep;
use crate::report::{CaseReport, RunReport};
use crate::scenario::Case;
use crate::suite;
use judging::fold::drawn;
use kit::{Knowledge, Time};
use std::io::Write;
use std::path::Path;

/// So many cases are drawn: a screen or two each.
const CASES: usize = 3;
/// So many lines of a run at most.
const LINES: usize = 120;

/// Draws what needs a look in `report`, a run of the scenarios in `folder` with `candidate`, whose oracles had this `knowledge`.
pub(super) fn draw(
    report: &RunReport,
    folder: &Path,
    knowledge: Knowledge,
    candidate: Option<&Candidate>,
    out: &mut dyn Write,
) -> Result<(), Stop> {
    let bad: Vec<&CaseReport> = report.cases.iter().filter(|case| case.verdict.is_bad()).collect();
    for report in bad.iter().take(CASES) {
        if let Some(case) = suite::find(folder, &report.case, None, candidate)? {
            one(report, &Case { knowledge, ..case }, candidate, out)?;
        }
    }
    match bad.len().saturating_sub(CASES) {
        0 => {}
        more => writeln!(out, "\n{DIM}{more} more cases are not drawn; name one to see it{DIM:#}")?,
    }
    Ok(())
}

fn one(report: &CaseReport, case: &Case, candidate: Option<&Candidate>, out: &mut dyn Write) -> Result<(), Stop> {
    let Some(seed) = report.failed_seed.or_else(|| case.seeds().first().copied()) else { return Ok(()) };
    let history = Candidate::judge(candidate, case, seed, Keep::Fields).history;
    // Everything up to what is wrong, or all where something is missing.
    let lines = drawn(&history, report.findings.first().map(|finding| Time(finding.at_us)));
    writeln!(out, "\n{HEAD}{} seed {seed}{HEAD:#}, quiet stretches folded:", report.case)?;
    let hidden = lines.len().saturating_sub(LINES);
    if hidden > 0 {
        writeln!(out, "  {DIM}… {hidden} lines before; all is in: {}{DIM:#}", report.replay)?;
    }
    for line in lines.iter().skip(hidden) {
        writeln!(out, "  {line}")?;
    }
    if !report.reason.is_empty() {
        writeln!(out, "  {}", report.reason)?;
    }
    Ok(())
}
