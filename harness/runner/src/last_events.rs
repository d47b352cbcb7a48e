//! What happened last before a case failed: for reports, whose reader has no terminal to replay it in.

use crate::candidate::Candidate;
use crate::judge::Keep;
use crate::report::CaseReport;
use crate::report::timeline::{self, Links, Window};
use crate::scenario::Case;
use crate::transcript;

/// So many failures are shown. Each is a run again, and a report that nobody reads to its end needs no more.
const CASES: usize = 50;
/// So many of them are drawn; a drawing takes some fifty kilobytes.
const DRAWN: usize = 10;
/// So many events of each, the last with the violation.
const EVENTS: usize = 12;

/// Adds to the reports on failed `cases` what happened last before their first violation, and a drawing of it.
pub fn tell(cases: &[Case], reports: &mut [CaseReport], candidate: Option<&Candidate>) {
    let failed = cases.iter().zip(reports).filter(|(_, report)| report.verdict.is_bad() && !report.findings.is_empty());
    for (index, (case, report)) in failed.take(CASES).enumerate() {
        let Some(seed) = report.failed_seed else { continue };
        let judgement = Candidate::judge(candidate, case, seed, Keep::Fields);
        let Some(end) = judgement.findings.iter().map(|finding| finding.at).min() else { continue };
        let lines: Vec<_> = transcript::lines(&judgement.history).into_iter().filter(|line| line.at <= end).collect();
        let first = lines.len().saturating_sub(EVENTS);
        report.events = lines[first..].iter().map(|line| line.to_string()).collect();
        if index < DRAWN {
            report.timeline = Some(timeline::svg(&judgement.history, &Window::default(), Links::None));
        }
    }
}
