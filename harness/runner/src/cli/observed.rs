//! What was observed of somebody else's server or client, for people and machines.

use super::output::{Answer, BAD, DIM, GOOD, HEAD, Stop, WARN, json_line};
use crate::observe::{Coverage, Observation, Observed};
use crate::scene::parts::Counted;
use kit::Container;
use serde::Serialize;
use std::io::Write;

/// Ids stand on lines of at most so many characters.
const WIDTH: usize = 110;
/// Digits of a datagram that are shown to people.
const SHOWN_DIGITS: usize = 96;

/// What was observed in a session. A profile that was not named is the first thing that is said: all else follows from it.
pub(super) struct Session<'a> {
    /// The recording, or the scenario.
    pub name: &'a str,
    /// Which profile was guessed and how well it reads the recording, if none was named.
    pub guess: Option<&'a str>,
    pub observation: &'a Observation,
}

/// A finding, as a line of JSON.
#[derive(Serialize)]
#[cfg_attr(feature = "schemas", derive(schemars::JsonSchema), schemars(deny_unknown_fields))]
pub(super) struct Line<'a> {
    /// The recording.
    session: &'a str,
    finding: &'a Observed,
}

/// The last line of JSON.
#[derive(Serialize)]
#[cfg_attr(feature = "schemas", derive(schemars::JsonSchema), schemars(deny_unknown_fields))]
pub(super) struct Summary<'a> {
    /// The recording.
    session: &'a str,
    /// Which profile was guessed and how well it reads the recording, if none was named.
    guess: Option<&'a str>,
    summary: &'a Observation,
}

impl Answer for Session<'_> {
    fn human(&self, out: &mut dyn Write) -> Result<(), Stop> {
        let Session { name, guess, observation } = *self;
        profile(guess.unwrap_or(&observation.profile), out)?;
        found(name, observation, out)?;
        coverage(&observation.coverage, out)?;
        verdict(observation, out)
    }

    fn json(&self, out: &mut dyn Write) -> Result<(), Stop> {
        let Session { name: session, guess, observation } = *self;
        for finding in &observation.findings {
            json_line(out, &Line { session, finding })?;
        }
        json_line(out, &Summary { session, guess, summary: observation })
    }
}

/// Prints which profile it is, and how that is known.
pub(super) fn profile(profile: &str, out: &mut dyn Write) -> Result<(), Stop> {
    writeln!(out, "profile: {profile}")?;
    Ok(())
}

/// Prints what a demo is: its container, how long it goes on, how many messages it has, how many of them were read, and in which
/// versions of neighbours others are.
pub(super) fn demo(container: Container, all: &Counted, others: &[String], out: &mut dyn Write) -> Result<(), Stop> {
    let Counted { messages, unread, length, .. } = *all;
    let mut read = match unread {
        0 => String::from("all decoded"),
        unread if unread >= messages => String::from("none decoded"),
        unread => format!("{} decoded", messages - unread),
    };
    if !others.is_empty() {
        read += &format!(": it is in {}, which is not read", others.join(" and "));
    }
    let (seconds, messages) = (length.us() as f64 / 1e6, counted(messages, "message"));
    writeln!(out, "demo: {}, {seconds:.1}s, {messages}, {read}", container.name())?;
    Ok(())
}

/// Prints what was found.
pub(super) fn found(name: &str, observation: &Observation, out: &mut dyn Write) -> Result<(), Stop> {
    let Observation { profile, datagrams, clients, findings, .. } = observation;
    let (clients, datagrams) = (counted(usize::from(*clients), "client"), counted(*datagrams, "datagram"));
    writeln!(out, "{HEAD}{name}{HEAD:#}  {profile}, {clients}, {datagrams}")?;
    for observed in findings {
        finding(observed, out)?;
    }
    self::remarks(observation, out)
}

/// Prints what is no finding.
pub(super) fn remarks(observation: &Observation, out: &mut dyn Write) -> Result<(), Stop> {
    for remark in &observation.remarks {
        writeln!(out, "  {DIM}remark: {remark}{DIM:#}")?;
    }
    Ok(())
}

/// Prints how much was covered, and what not and why.
pub(super) fn counts(coverage: &Coverage, out: &mut dyn Write) -> Result<(), Stop> {
    writeln!(out, "  covered: {}; --format json lists them", counted(coverage.covered.len(), "requirement"))?;
    for group in &coverage.unjudged {
        writeln!(out, "  not judged, {}: {}", group.why, counted(group.requirements.len(), "requirement"))?;
    }
    Ok(())
}

/// Prints what was covered, what was not judged and why.
pub(super) fn coverage(coverage: &Coverage, out: &mut dyn Write) -> Result<(), Stop> {
    let Coverage { covered, unjudged } = coverage;
    writeln!(out, "  covered: {}", counted(covered.len(), "requirement"))?;
    ids(covered, out)?;
    for group in unjudged {
        writeln!(out, "  not judged, {}: {}", group.why, counted(group.requirements.len(), "requirement"))?;
        ids(&group.requirements, out)?;
    }
    Ok(())
}

/// Prints the verdict.
pub(super) fn verdict(observation: &Observation, out: &mut dyn Write) -> Result<(), Stop> {
    match (observation.findings.len(), &observation.not_judged) {
        (0, None) => writeln!(out, "{GOOD}observed: no finding{GOOD:#}")?,
        (0, Some(why)) => writeln!(out, "{WARN}not judged: {why}{WARN:#}")?,
        (count, None) => writeln!(out, "{BAD}observed: {}{BAD:#}", counted(count, "finding"))?,
        (count, Some(why)) => {
            writeln!(out, "{BAD}observed: {}{BAD:#}; not all was judged: {why}", counted(count, "finding"))?;
        }
    }
    Ok(())
}

/// `1 finding`, `2 findings`.
pub(super) fn counted(count: usize, what: &str) -> String {
    if count == 1 { format!("1 {what}") } else { format!("{count} {what}s") }
}

fn finding(observed: &Observed, out: &mut dyn Write) -> Result<(), Stop> {
    let Observed { finding, evidence } = observed;
    let style = if finding.is_must() { BAD } else { WARN };
    write!(out, "  {style}{}{style:#} {} {}", finding.suspects(), finding.weight(), finding.host)?;
    match evidence {
        Some(at) => write!(out, ", datagram {} ({})", at.datagram, at.direction)?,
        None => write!(out, ", at {}", kit::Time(finding.at_us))?,
    }
    writeln!(out, ": {}", finding.what)?;
    if let Some(evidence) = evidence {
        let shown = evidence.hex.get(..SHOWN_DIGITS).unwrap_or(&evidence.hex);
        let more = if shown.len() < evidence.hex.len() { "…" } else { "" };
        writeln!(out, "    {DIM}{shown}{more}{DIM:#}")?;
    }
    Ok(())
}

/// The ids, several to a line.
fn ids(ids: &[String], out: &mut dyn Write) -> Result<(), Stop> {
    let mut line = String::new();
    for id in ids {
        if !line.is_empty() && line.len() + id.len() + 5 > WIDTH {
            writeln!(out, "    {DIM}{line}{DIM:#}")?;
            line.clear();
        }
        if !line.is_empty() {
            line.push(' ');
        }
        line.push_str(id);
    }
    if !line.is_empty() {
        writeln!(out, "    {DIM}{line}{DIM:#}")?;
    }
    Ok(())
}
