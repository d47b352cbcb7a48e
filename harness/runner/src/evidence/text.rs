//! What people read: `README.txt`, and the line of `repro.sh`.

use super::record::Record;
use super::state::Difference;
use crate::history::{Entry, Fate, History, What};
use crate::judge::Judgement;
use crate::shrink::Failed;
use crate::transcript;
use judging::fold::drawn;
use kit::{Damage, Protocol, Time};
use std::fmt::Write;

/// So many lines of what happened before the failure are shown, quiet stretches folded.
const LINES: usize = 60;
/// So many differences between the ends are shown.
const DIFFERENCES: usize = 12;
/// So many datagrams that met a fault are shown.
const DISTURBED: usize = 16;

/// A script of one line that does the smallest run again. Its exit code is that of the failure.
pub(super) fn repro(record: &Record) -> String {
    script(&record.again("\"$(dirname \"$0\")\""))
}

/// A script that runs the program with these arguments.
pub(super) fn script(arguments: &str) -> String {
    format!("#!/bin/sh\nexec \"${{DELTAPROOF:-deltaproof}}\" {arguments}\n")
}

/// What a requirement says, and where; nothing if there is none of this name.
pub(super) fn requirement(protocol: &Protocol, id: &str, line: &mut dyn FnMut(&str, &str)) -> bool {
    let Some(requirement) = protocol.requirements.iter().find(|requirement| requirement.id == id) else { return false };
    line("requirement", &format!("{} ({})", requirement.id, requirement.level));
    line("", requirement.text);
    line("source", requirement.source);
    if let Some(profile) = requirement.decided {
        line("decided by", profile);
    }
    true
}

/// What failed, what was expected and what was seen, in what the ends differ then, and what happened before. `shown` is the smallest
/// run, with its lines.
pub(super) fn readme(record: &Record, failed: Failed<'_>, shown: &Judgement, differences: &[Difference]) -> String {
    let mut text = String::new();
    let findings = record.minimal.as_ref().map_or(&record.findings, |minimal| &minimal.findings);
    let first = findings.iter().find(|finding| finding.requirement == record.failed);
    let mut line = |what: &str, said: &str| {
        // Writing to memory never fails.
        let _ = writeln!(text, "{what:<18}{said}");
    };
    if !requirement(failed.case.protocol, &record.failed, &mut line) {
        line("verdict", &format!("{}: {}", record.failed, record.reason));
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
            let (faults, met, before) = (minimal.faults, minimal.datagrams_met, minimal.faults_before);
            line("faults", &format!("{faults}, of {met} datagrams, are enough; {before} met one before{all}"));
            line("smallest run", "minimal.yaml, which has the times and the entities of this page");
        }
        None => line("smallest run", &format!("the one found: {}", record.not_smaller)),
    }
    line("again", &format!("sh repro.sh, or: deltaproof {}", record.again(".")));
    let at = first.map(|finding| finding.at_us);
    let lines = drawn(&shown.history, at.map(Time));
    disturbed(&shown.history, &mut text);
    let differing: Vec<String> = differences.iter().flat_map(Difference::lines).collect();
    if !differing.is_empty() {
        let _ = writeln!(
            text,
            "\nIn what the ends differ then, though some may be under way (all is in state-diff.json):\n"
        );
    }
    for line in differing.iter().take(DIFFERENCES) {
        let _ = writeln!(text, "{line}");
    }
    let _ = writeln!(
        text,
        "\nWhat happens in that run, up to what is wrong, quiet stretches folded (all is in timeline.html):\n"
    );
    for event in lines.iter().skip(lines.len().saturating_sub(LINES)) {
        let _ = writeln!(text, "{event}");
    }
    text
}

/// The datagrams that met a fault, if there are any: they can be long before what is shown of the run.
fn disturbed(history: &History, text: &mut String) {
    let all: Vec<&Entry> = history.entries.iter().filter(|entry| met_fault(entry, history)).collect();
    if !all.is_empty() {
        let _ = writeln!(text, "\nDatagrams that met a fault in that run:\n");
    }
    for line in all.iter().take(DISTURBED).filter_map(|entry| transcript::line(entry)) {
        let _ = writeln!(text, "{line}");
    }
    if all.len() > DISTURBED {
        let _ = writeln!(text, "and {} more", all.len() - DISTURBED);
    }
}

/// Whether an entry is a datagram that is lost, doubled, damaged, or overtaken by one that was sent later.
fn met_fault(entry: &Entry, history: &History) -> bool {
    let What::Sent(datagram) = &entry.what else { return false };
    let Fate::Arrives(arrivals) = &datagram.fate else { return true };
    let [only] = arrivals.as_slice() else { return true };
    let (client, direction) = (datagram.packet.client, datagram.packet.direction);
    // Entries are in the order of time: what is sent after its arrival overtakes nothing.
    let after = history.entries.partition_point(|other| other.at <= entry.at);
    let mut meanwhile = history.entries[after..].iter().take_while(|other| other.at < only.at);
    let overtaken = meanwhile.any(|later| match &later.what {
        What::Sent(other) if (other.packet.client, other.packet.direction) == (client, direction) => {
            matches!(&other.fate, Fate::Arrives(arrivals) if arrivals.iter().any(|other| other.at < only.at))
        }
        _ => false,
    });
    overtaken || only.damage != Damage::None
}
