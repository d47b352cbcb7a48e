//! The evidence of a failure: a folder by which somebody else sees the same, in less.
//!
//! Its files say who violated what ([`text`]), what the ends showed then ([`state`]), and have the scenario as it is and as small as
//! it gets ([`crate::shrink`]). The same failure gives the same files, byte for byte. Live sessions have one, too ([`live`]).

mod folder;
mod live;
mod record;
mod state;
mod text;

pub use folder::{write, write_as};
pub use live::{Session, collect_live};
pub use record::{Origin, Record, Smaller};

use crate::candidate::Candidate;
use crate::capture::wire;
use crate::history::History;
use crate::judge::{Judgement, Keep};
use crate::report::timeline;
use crate::shrink::{self, Failed, Shrunk};
use kit::Fault;
use shim::last_words;

/// The file by which a folder is known to be ours.
pub const RECORD: &str = "verdict.json";
/// The scenario that the failure was found in, without its control.
pub const SCENARIO: &str = "scenario.yaml";
/// What was sent: of a live session as it was recorded, of a run as a capture.
const CAPTURE: &str = "wire.pcapng";

/// What is known of a failure.
#[derive(Debug)]
pub struct Bundle {
    /// The name of its folder: good on any file system, and no other failure's.
    pub name: String,
    /// Its files, by name.
    pub files: Vec<(String, Vec<u8>)>,
    /// What was made of it.
    pub shrunk: Option<Shrunk>,
    /// What failed, and how much smaller it became, in a line.
    pub what: String,
}

/// Collects the evidence of a run that failed: does it again, and makes it smaller. The same as data is returned with it.
pub fn collect(failed: Failed<'_>) -> (Bundle, Record) {
    if let Some(candidate) = failed.candidate {
        candidate.keep_starting();
    }
    let original = Candidate::judge(failed.candidate, failed.case, failed.seed, Keep::Verdict);
    let (shrunk, why) = match shrink::shrink(failed) {
        Ok(shrunk) => (Some(shrunk), None),
        Err(why) => (None, Some(why.to_string())),
    };
    let smallest = match &shrunk {
        Some(shrunk) => Failed { case: &shrunk.case, ..failed },
        None => failed,
    };
    let again = |keep| Candidate::judge(smallest.candidate, smallest.case, smallest.seed, keep);
    let shown = again(Keep::Events);
    let record = Record::of(failed, &original, shrunk.as_ref(), why);
    let differences = state::differences(smallest);
    let mut files = vec![
        (String::from("README.txt"), text::readme(&record, failed, &shown, &differences).into_bytes()),
        (String::from("repro.sh"), text::repro(&record).into_bytes()),
        (String::from(SCENARIO), scenario_text(failed).into_bytes()),
        (String::from("state-diff.json"), state::text(&differences, &shown).into_bytes()),
        (String::from(RECORD), record.text().into_bytes()),
    ];
    if let Some(shrunk) = &shrunk {
        files.push((String::from(shrink::document::FILE), shrunk.text.clone().into_bytes()));
    }
    if let Some(said) = said(&original, failed.candidate) {
        files.push((String::from("stderr.txt"), said.into_bytes()));
    }
    files.extend(attachments(&again(Keep::Fields).history));
    files.sort();
    let what = record.summary();
    (Bundle { name: record.folder_name(), files, shrunk, what }, record)
}

/// A run as a capture, unless a datagram of it is too long for one, and as a time-space diagram.
fn attachments(history: &History) -> impl Iterator<Item = (String, Vec<u8>)> {
    let capture = wire::pcapng(history).ok().map(|bytes| (String::from(CAPTURE), bytes));
    capture.into_iter().chain([drawing(history)])
}

/// A run as a time-space diagram.
fn drawing(history: &History) -> (String, Vec<u8>) {
    (String::from("timeline.html"), timeline::page(history, &timeline::Window::default()).into_bytes())
}

/// What a process wrote to its standard error: before it failed as a process, or lately, whatever runs that was in.
fn said(judgement: &Judgement, candidate: Option<&Candidate>) -> Option<String> {
    let said = match (&judgement.fault, candidate) {
        (Some(Fault::Ended { said, .. } | Fault::Hung { said, .. } | Fault::Absent { said, .. }), _) => {
            last_words(said)
        }
        (_, Some(Candidate::Shim(shim))) => shim.said(),
        _ => String::new(),
    };
    (!said.trim().is_empty()).then(|| format!("{}\n", said.trim()))
}

/// The scenario's file; a control that is not beside it would be a mistake there. A probe becomes a scenario of its profile, which has to
/// name a requirement.
fn scenario_text(failed: Failed<'_>) -> String {
    let Failed { case, .. } = failed;
    let any = case.protocol.requirements.iter().find(|row| row.applies_to(case.profile.name));
    let any = any.filter(|_| case.requirements().is_empty());
    let lines = case.scenario.text.split_inclusive('\n').map(|line| match any {
        _ if line.starts_with("control:") => format!("# {line}"),
        Some(row) if line.starts_with("profiles:") => {
            format!("profiles: [{}]\nrequirements: [{}]\n", case.profile.name, row.id)
        }
        _ => String::from(line),
    });
    lines.collect()
}
