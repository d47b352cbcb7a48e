//! What was observed of somebody else's server or client, for people and machines.

use super::arguments::Format;
use super::output::{BAD, DIM, GOOD, HEAD, Stop, WARN, json_line};
use crate::observe::{Observation, Observed};
use serde_json::json;
use std::io::Write;

/// Ids stand on lines of at most so many characters.
const WIDTH: usize = 110;
/// Digits of a datagram that are shown to people.
const SHOWN_DIGITS: usize = 96;

/// Prints an observation: findings first, then what was covered, then what was not judged and why.
pub(super) fn print(name: &str, observation: &Observation, format: Format, out: &mut dyn Write) -> Result<(), Stop> {
    if format == Format::Json {
        for finding in &observation.findings {
            json_line(out, &json!({ "session": name, "finding": finding }))?;
        }
        return json_line(out, &json!({ "session": name, "summary": observation }));
    }
    let Observation { profile, datagrams, clients, findings, covered, unjudged, remarks } = observation;
    let clients = if *clients == 1 { String::from("1 client") } else { format!("{clients} clients") };
    writeln!(out, "{HEAD}{name}{HEAD:#}  {profile}, {clients}, {datagrams} datagrams")?;
    for observed in findings {
        finding(observed, out)?;
    }
    for remark in remarks {
        writeln!(out, "  {DIM}remark: {remark}{DIM:#}")?;
    }
    writeln!(out, "  covered: {}", counted(covered))?;
    ids(covered, out)?;
    for group in unjudged {
        writeln!(out, "  not judged, {}: {}", group.why, counted(&group.requirements))?;
        ids(&group.requirements, out)?;
    }
    match findings.len() {
        0 => writeln!(out, "{GOOD}observed: no finding{GOOD:#}")?,
        1 => writeln!(out, "{BAD}observed: 1 finding{BAD:#}")?,
        count => writeln!(out, "{BAD}observed: {count} findings{BAD:#}")?,
    }
    Ok(())
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

fn counted(ids: &[String]) -> String {
    if ids.len() == 1 { String::from("1 requirement") } else { format!("{} requirements", ids.len()) }
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
