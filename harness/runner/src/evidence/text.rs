//! What people read: `README.txt`, and the line of `repro.sh`.

use super::record::Record;
use crate::judge::Judgement;
use crate::shrink::Failed;
use crate::transcript;
use std::fmt::Write;

/// So many events before the failure are told.
const EVENTS: usize = 24;

/// A script of one line that does the smallest run again. Its exit code is that of the failure.
pub(super) fn repro(record: &Record) -> String {
    let again = record.again("\"$(dirname \"$0\")\"");
    format!("#!/bin/sh\nexec \"${{DELTAPROOF:-deltaproof}}\" {again}\n")
}

/// What failed, what was expected and what was seen, and what happened before. `shown` is the smallest run, with its lines.
pub(super) fn readme(record: &Record, failed: Failed<'_>, shown: &Judgement) -> String {
    let mut text = String::new();
    let findings = record.minimal.as_ref().map_or(&record.findings, |minimal| &minimal.findings);
    let first = findings.iter().find(|finding| finding.requirement == record.failed);
    let catalogue = failed.case.protocol.requirements;
    let mut line = |what: &str, said: &str| {
        // Writing to memory never fails.
        let _ = writeln!(text, "{what:<18}{said}");
    };
    match catalogue.iter().find(|requirement| requirement.id == record.failed) {
        Some(requirement) => {
            line("requirement", &format!("{} ({})", requirement.id, requirement.level));
            line("", requirement.text);
            line("source", requirement.source);
            if let Some(profile) = requirement.decided {
                line("decided by", profile);
            }
        }
        None => line("verdict", &format!("{}: {}", record.failed, record.reason)),
    }
    if let Some(finding) = first {
        line("violated by", &format!("{} at {}", finding.host, kit::Time(finding.at_us)));
        line("expected, seen", &finding.what);
        line("can mean", &finding.suspects());
        line("check", &finding.check);
    }
    line("found in", &format!("{} seed {}", record.origin.case, record.origin.seed));
    line("in the place of", record.origin.candidate.as_deref().unwrap_or("nothing: the reference alone"));
    match &record.minimal {
        Some(minimal) => {
            let all = if minimal.one_minimal { "" } else { " (there may be less: not all was tried)" };
            line(
                "faults",
                &format!("{} of {} datagrams that met one are enough{all}", minimal.faults, minimal.faults_before),
            );
            line("smallest run", "minimal.yaml, which has the times and the entities of this page");
        }
        None => line("smallest run", &format!("the one found: {}", record.not_smaller)),
    }
    line("again", &format!("sh repro.sh, or: deltaproof {}", record.again(".")));
    let at = first.map(|finding| finding.at_us);
    let before = shown.history.entries.iter().filter(|entry| at.is_none_or(|at| entry.at.us() <= at));
    let lines: Vec<String> = before.filter_map(transcript::line).map(|line| line.to_string()).collect();
    let _ = writeln!(text, "\nThe last events of that run, up to what is wrong:\n");
    for event in lines.iter().skip(lines.len().saturating_sub(EVENTS)) {
        let _ = writeln!(text, "{event}");
    }
    text
}
