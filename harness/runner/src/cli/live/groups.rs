//! What several sessions found, by what it is: one server breaks one rule in many sessions.

use super::super::observed::counted;
use super::super::output::{BAD, DIM, Stop, WARN};
use crate::observe::{Observation, Observed};
use std::collections::BTreeMap;
use std::io::Write;
use std::path::{Path, PathBuf};

/// Digits of a datagram that are shown.
const SHOWN_DIGITS: usize = 96;

/// The findings of all sessions, in the order in which each kind was found first, and their remarks.
#[derive(Default)]
pub(super) struct Groups(Vec<Group>, BTreeMap<String, usize>);

/// One kind of finding.
struct Group {
    /// The requirement that fits best, and who broke it.
    what: (String, String),
    first: Observed,
    /// Where it was found first.
    session: String,
    record: PathBuf,
    found: usize,
    sessions: usize,
}

impl Groups {
    /// Adds what a session found.
    pub(super) fn add(&mut self, session: &str, record: &Path, observation: &Observation) {
        for remark in &observation.remarks {
            *self.1.entry(remark.clone()).or_default() += 1;
        }
        let mut seen: Vec<(String, String)> = Vec::new();
        for observed in &observation.findings {
            let finding = &observed.finding;
            // Which of several clients it was differs.
            let host = if finding.host == "server" { "server" } else { "client" };
            let what = (finding.requirement.clone(), host.to_string());
            let is_first = !seen.contains(&what);
            match self.0.iter_mut().find(|group| group.what == what) {
                Some(group) => {
                    group.found += 1;
                    group.sessions += usize::from(is_first);
                }
                None => self.0.push(Group {
                    what: what.clone(),
                    first: observed.clone(),
                    session: session.to_string(),
                    record: record.to_path_buf(),
                    found: 1,
                    sessions: 1,
                }),
            }
            if is_first {
                seen.push(what);
            }
        }
    }

    /// Prints each kind once: how often, and where it was found first.
    pub(super) fn print(&self, out: &mut dyn Write) -> Result<(), Stop> {
        for Group { what: (_, host), first, session, record, found, sessions } in &self.0 {
            let Observed { finding, evidence } = first;
            let suspects = finding.suspects();
            let style = if finding.is_must() { BAD } else { WARN };
            let (found, sessions) = (counted(*found, "time"), counted(*sessions, "session"));
            let weight = finding.weight();
            writeln!(out, "  {style}{suspects}{style:#} {weight} {host}, {found} in {sessions}: {}", finding.what)?;
            let at = evidence.as_ref().map_or_else(
                || format!("at {}", kit::Time(finding.at_us)),
                |at| format!("datagram {} ({})", at.datagram, at.direction),
            );
            writeln!(out, "    {DIM}first in {session}, {at}; recorded: {}{DIM:#}", record.display())?;
            if let Some(evidence) = evidence {
                let shown = evidence.hex.get(..SHOWN_DIGITS).unwrap_or(&evidence.hex);
                let more = if shown.len() < evidence.hex.len() { "…" } else { "" };
                writeln!(out, "    {DIM}{shown}{more}{DIM:#}")?;
            }
        }
        for (remark, sessions) in &self.1 {
            writeln!(out, "  {DIM}remark, in {}: {remark}{DIM:#}", counted(*sessions, "session"))?;
        }
        Ok(())
    }
}
