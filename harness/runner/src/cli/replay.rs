//! `replay`: one run again, event by event.

use super::arguments::{Format, ReplayArguments};
use super::output::{BAD, DIM, GOOD, HEAD, Stop, json_line};
use super::{candidate, catalogue, judge};
use crate::candidate::Candidate;
use crate::capture::{self, Options};
use crate::report::CaseReport;
use crate::suite;
use crate::transcript;
use kit::Protocol;
use serde_json::json;
use std::io::Write;
use std::path::Path;

/// Events shown before a finding, unless the command line says otherwise.
const EXCHANGES: usize = 24;

/// A run's history, a line per event, and its judgement.
type Replayed = (Vec<String>, CaseReport);

/// Prints the run's history and its verdict. Returns the exit code that the verdict asks for.
pub(super) fn replay(
    arguments: &ReplayArguments,
    protocols: &[&'static Protocol],
    scenarios: Option<&Path>,
    format: Format,
    out: &mut dyn Write,
) -> Result<u8, Stop> {
    if Path::new(&arguments.case).is_file() {
        return recorded(arguments, protocols, format, out);
    }
    let folder = catalogue::folder(scenarios)?;
    let Some(seed) = arguments.seed else {
        return Err(Stop::Usage(format!("which run of {}? give --seed N, as failures print it", arguments.case)));
    };
    let replayed = again(&arguments.case, seed, &folder, candidate(protocols, &arguments.candidate)?)?;
    // Where something went wrong, what matters are the last exchanges before it.
    let last = arguments.last.or((!replayed.1.findings.is_empty()).then_some(EXCHANGES));
    print(&replayed, last, format, out)?;
    Ok(replayed.1.verdict.exit_code())
}

fn print((lines, case): &Replayed, last: Option<usize>, format: Format, out: &mut dyn Write) -> Result<(), Stop> {
    let left_out = last.map_or(0, |last| lines.len().saturating_sub(last));
    let shown = lines.get(left_out..).unwrap_or_default();
    if format == Format::Json {
        for line in shown {
            json_line(out, &json!({ "event": line }))?;
        }
        return json_line(out, &json!({ "summary": case }));
    }
    if left_out > 0 {
        writeln!(out, "{DIM}… {left_out} events before{DIM:#}")?;
    }
    for line in shown {
        writeln!(out, "{line}")?;
    }
    for finding in &case.findings {
        let at = kit::Time(finding.at_us);
        writeln!(
            out,
            "{BAD}{}{BAD:#} {} {} at {at}: {}",
            finding.suspects(),
            finding.weight(),
            finding.host,
            finding.what
        )?;
    }
    for line in case.impairment.iter().chain(&case.remarks) {
        writeln!(out, "{DIM}{line}{DIM:#}")?;
    }
    let style = if case.verdict.is_bad() { BAD } else { GOOD };
    write!(out, "{style}{}{style:#} {HEAD}{}{HEAD:#}", case.verdict.name(), case.case)?;
    if !case.reason.is_empty() {
        write!(out, ": {}", case.reason)?;
    }
    writeln!(out, "  {DIM}trace {}{DIM:#}", case.trace_hash)?;
    Ok(())
}

/// Shows a recorded session, every datagram decoded.
fn recorded(
    arguments: &ReplayArguments,
    protocols: &[&'static Protocol],
    format: Format,
    out: &mut dyn Write,
) -> Result<u8, Stop> {
    let capture =
        capture::open(&arguments.case, &Options::default()).map_err(|error| Stop::Usage(error.to_string()))?;
    let lines = transcript::lines(&judge::read(capture, protocols, None, &[])?.history(&arguments.case));
    let left_out = arguments.last.map_or(0, |last| lines.len().saturating_sub(last));
    for line in lines.iter().skip(left_out) {
        match format {
            Format::Json => json_line(out, &json!({ "event": line.to_string() }))?,
            _ => writeln!(out, "{line}")?,
        }
    }
    Ok(0)
}

fn again(name: &str, seed: u64, folder: &Path, candidate: Option<Candidate>) -> Result<Replayed, Stop> {
    suite::replay(folder, name, seed, candidate.as_ref())?
        .ok_or_else(|| Stop::Usage(format!("no case is called `{name}`; `deltaproof list` prints them all")))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::sample;

    #[track_caller]
    fn check(last: Option<usize>, format: Format, expected: &str) {
        let mut case = sample::report().cases.remove(1);
        case.reason = "it broke".to_string();
        if format == Format::Json {
            case.findings.clear();
        }
        let lines = ["a", "b", "c"].map(str::to_string).to_vec();
        let mut out = Vec::new();
        print(&(lines, case), last, format, &mut out).expect("writes to memory");
        let text = anstream::adapter::strip_str(&String::from_utf8_lossy(&out)).to_string();
        assert!(text.starts_with(expected), "{text}");
    }

    #[test]
    fn the_history_is_followed_by_the_findings_and_the_verdict() {
        check(
            None,
            Format::Human,
            "a\nb\nc\nFTE-RST-02 MUST client1 at 1.250000s: entity 5 origin[0] is <8> after the reset, expected 16 & no \
             more\ns2c loss: configured 5.0 %, observed 4.9 % (49 of 1000)\nthe server sends extra resets\n\
             fail fte/reset-lost@fte-nq: it broke  trace 00112233445566ff\n",
        );
    }

    #[test]
    fn only_the_last_events_are_shown_when_asked() {
        check(Some(1), Format::Human, "… 2 events before\nc\n");
        check(Some(9), Format::Human, "a\nb\nc\n");
        check(Some(1), Format::Json, "{\"event\":\"c\"}\n{\"summary\":{\"case\":\"fte/reset-lost@fte-nq\",");
    }
}
