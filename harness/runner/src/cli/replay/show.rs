//! What a replay prints.

use super::super::arguments::ReplayArguments;
use super::super::output::{Answer, BAD, DIM, GOOD, HEAD, Step, Stop, WARN, complain, json_line, stepper};
use super::Replayed;
use crate::history::{self, Entry, Found, History, Packet, What};
use crate::report::CaseReport;
use crate::transcript;
use serde_json::json;
use std::collections::BTreeMap;
use std::io::Write;

/// Events shown before a finding, unless the command line says otherwise.
const EXCHANGES: usize = 24;

/// What is shown: entries by their places, in order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Shown {
    /// The places.
    places: Vec<usize>,
    /// Whether everything is.
    whole: bool,
}

/// What is shown of a history. Where something went wrong, that is what came before it, and the datagram that made it certain.
pub(super) fn choose(history: &History, arguments: &ReplayArguments) -> Shown {
    let entries = &history.entries;
    let found = history.first_finding();
    let end = match (arguments.until, found) {
        (Some(until), _) => entries.partition_point(|entry| entry.at <= until),
        (None, Some(first)) => {
            // Those of the same moment belong to it.
            let more = entries.iter().skip(first).take_while(|entry| matches!(entry.what, What::Finding(_)));
            first + more.count()
        }
        (None, None) => entries.len(),
    };
    let usual = (found.is_some() && arguments.until.is_none() && !arguments.step).then_some(EXCHANGES);
    let last = arguments.last.or(usual);
    let all: Vec<usize> = (0..end).filter(|place| entries.get(*place).is_some_and(is_event)).collect();
    let first = last.map_or(0, |last| all.len().saturating_sub(last));
    let mut places = all.get(first..).unwrap_or_default().to_vec();
    let shown = places.clone();
    for place in shown {
        let cause = found_at(history, place).and_then(|found| found.cause);
        if let Some((sent, _)) = cause.and_then(|cause| history.datagram(cause.packet)) {
            places.push(sent);
        }
    }
    places.sort_unstable();
    places.dedup();
    Shown { whole: arguments.until.is_none() && arguments.last.is_none(), places }
}

/// Whether an entry has a line.
fn is_event(entry: &Entry) -> bool {
    !matches!(entry.what, What::Delivered { .. })
}

fn found_at(history: &History, place: usize) -> Option<&Found> {
    match &history.entries.get(place)?.what {
        What::Finding(found) => Some(found),
        _ => None,
    }
}

/// A run, and what of it is shown.
pub(super) struct Answered<'a> {
    pub replayed: &'a Replayed,
    pub shown: &'a Shown,
    /// Whether it waits after every event.
    pub step: bool,
}

impl Answer for Answered<'_> {
    fn human(&self, out: &mut dyn Write) -> Result<(), Stop> {
        human(self.replayed, self.shown, self.step, out)
    }

    fn json(&self, out: &mut dyn Write) -> Result<(), Stop> {
        json(self.replayed, self.shown, out)
    }
}

/// One object for each event, then the verdict. A trace is complete unless the command line asks for less.
fn json(replayed: &Replayed, shown: &Shown, out: &mut dyn Write) -> Result<(), Stop> {
    let history = &replayed.history;
    let part;
    let written = match shown.whole {
        true => history,
        false => {
            let entries = shown.places.iter().filter_map(|place| history.entries.get(*place)).cloned();
            part = History { entries: entries.collect(), ..history.clone() };
            &part
        }
    };
    for line in history::write(written)? {
        writeln!(out, "{line}")?;
    }
    match &replayed.case {
        Some(case) => json_line(out, &json!({ "summary": case })),
        None => Ok(()),
    }
}

/// A line for each event, findings among them, then the findings once more and the verdict.
fn human(replayed: &Replayed, shown: &Shown, step: bool, out: &mut dyn Write) -> Result<(), Stop> {
    let history = &replayed.history;
    let mut stepper = step.then(stepper).flatten();
    if step && stepper.is_none() {
        complain(WARN, "remark", "--step waits on a terminal only; everything is shown at once");
    }
    let mut caused: BTreeMap<Packet, Vec<&Found>> = BTreeMap::new();
    for (_, found) in history.findings() {
        if let Some(cause) = found.cause {
            caused.entry(cause.packet).or_default().push(found);
        }
    }
    let mut next = 0;
    for &place in &shown.places {
        let skipped =
            history.entries.get(next..place).unwrap_or_default().iter().filter(|entry| is_event(entry)).count();
        if skipped > 0 {
            let between = if next == 0 { "before" } else { "between" };
            writeln!(out, "{DIM}… {skipped} events {between}{DIM:#}")?;
        }
        next = place + 1;
        let Some(entry) = history.entries.get(place) else { continue };
        event(&caused, entry, out)?;
        if let Some(asked) = &mut stepper {
            out.flush()?;
            match asked() {
                Step::Next => {}
                Step::Run => stepper = None,
                Step::Quit => break,
            }
        }
    }
    match &replayed.case {
        Some(case) => verdict(case, out),
        None => Ok(()),
    }
}

fn event(caused: &BTreeMap<Packet, Vec<&Found>>, entry: &Entry, out: &mut dyn Write) -> Result<(), Stop> {
    let Some(line) = transcript::line(entry) else { return Ok(()) };
    match &entry.what {
        What::Finding(found) => {
            let style = if found.finding.is_must() { BAD } else { WARN };
            writeln!(out, "{style}{line}{style:#}")?;
        }
        What::Sent(datagram) => {
            writeln!(out, "{line}")?;
            for found in caused.get(&datagram.packet).into_iter().flatten() {
                let (finding, stage) = (&found.finding, found.cause.map_or("", |cause| cause.stage.name()));
                let at = kit::Time(finding.at_us);
                let (style, ids) = (if finding.is_must() { BAD } else { WARN }, finding.suspects());
                writeln!(out, "{:28}{style}^ {ids}, when it was {stage} at {at}: {}{style:#}", "", finding.what)?;
            }
        }
        _ => writeln!(out, "{line}")?,
    }
    Ok(())
}

fn verdict(case: &CaseReport, out: &mut dyn Write) -> Result<(), Stop> {
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

#[cfg(test)]
mod tests {
    use super::super::super::arguments::{Arguments, Command};
    use super::*;
    use crate::history::{Arrival, Cause, CauseStage, Datagram, Fate};
    use crate::report::sample;
    use clap::Parser;
    use kit::{Damage, Direction, HostId, Time};

    fn arguments(line: &str) -> ReplayArguments {
        let words = "deltaproof replay x".split(' ').chain(line.split_whitespace());
        match Arguments::try_parse_from(words).expect("a command line").command {
            Some(Command::Replay(replay)) => replay,
            other => panic!("{other:?}"),
        }
    }

    /// Thirty commands, a datagram before the first of them, and a finding at it after the last.
    fn replayed() -> Replayed {
        let case = sample::report().cases.remove(1);
        let packet = Packet { client: HostId(1), direction: Direction::ServerToClient, index: 7 };
        let arrives = Fate::Arrives(vec![Arrival { at: Time(1_000_000), damage: Damage::None }]);
        let datagram = Datagram {
            packet,
            bytes: vec![1, 2],
            fate: arrives,
            summary: String::from("frame 7"),
            carries: Vec::new(),
            fields: Vec::new(),
            messages: Vec::new(),
            error: None,
        };
        let entry = |at, what| Entry { at: Time(at), hash: 0, what };
        let mut entries = vec![entry(0, What::Sent(Box::new(datagram)))];
        for number in 1..=30 {
            let text = format!("set 1: frame {number}");
            entries.push(entry(number * 10_000, What::Command { host: HostId::SERVER, text }));
        }
        entries.push(entry(1_000_000, What::Delivered { packet, copy: 0, intact: true }));
        let cause = Some(Cause { packet, stage: CauseStage::Handled });
        let finding = case.findings[0].clone();
        entries.push(entry(1_250_000, What::Finding(Box::new(Found { finding, cause }))));
        entries.push(entry(2_000_000, What::Command { host: HostId(1), text: String::from("disconnect") }));
        Replayed { history: History { entries, end: Time(2_000_000), ..History::default() }, case: Some(case) }
    }

    fn shown(line: &str) -> String {
        let (replayed, mut out) = (replayed(), Vec::new());
        let shown = choose(&replayed.history, &arguments(line));
        human(&replayed, &shown, false, &mut out).expect("writes to memory");
        anstream::adapter::strip_str(&String::from_utf8_lossy(&out)).to_string()
    }

    const FOUND: &str = "   1.250000s  finding      FTE-RST-02 MUST client1, when c1 s2c #7 was handled: entity 5 origin[0] is \
                         <8> after the reset, expected 16 & no more\n";
    const VERDICT: &str = "FTE-RST-02 MUST client1 at 1.250000s: entity 5 origin[0] is <8> after the reset, expected 16 & no \
                           more\nclient1 s2c loss 5.0% configured, 4.90% observed (49 of 1000)\nthe server sends extra resets\n\
                           fail fte/reset-lost@fte-nq";

    #[test]
    fn a_finding_stands_at_its_moment_and_below_its_datagram_which_is_always_shown() {
        let text = shown("--last 2");
        let datagram = "   0.000000s  c1 s2c #7        2 bytes  frame 7  [arrives 1.000000s]\n                            ^ \
                        FTE-RST-02, when it was handled at 1.250000s: entity 5 origin[0] is <8> after the reset, expected 16 \
                        & no more\n… 29 events between\n   0.300000s  server       set 1: frame 30\n";
        assert!(text.starts_with(&format!("{datagram}{FOUND}{VERDICT}")), "{text}");
        assert_eq!(shown("").matches("server       set").count(), EXCHANGES - 1);
    }

    #[test]
    fn until_shows_what_comes_before_a_time_and_what_comes_behind_a_finding() {
        assert!(shown("--until 40ms").contains("frame 4\nFTE-RST-02 MUST client1 at"), "{}", shown("--until 40ms"));
        assert!(shown("--until 2s").contains("client1      disconnect\n"));
        assert!(shown("--until 40ms --last 1").contains("… 4 events before\n   0.040000s"));
    }

    #[test]
    fn machines_get_the_whole_trace_unless_they_ask_for_less() {
        let replayed = replayed();
        let lines = |line: &str| {
            let mut out = Vec::new();
            let shown = choose(&replayed.history, &arguments(line));
            json(&replayed, &shown, &mut out).expect("writes to memory");
            String::from_utf8(out).expect("is text")
        };
        let whole = lines("");
        assert_eq!(history::parse(&whole), Ok(replayed.history.clone()));
        assert!(
            whole
                .lines()
                .last()
                .is_some_and(|line| line.starts_with("{\"summary\":{\"case\":\"fte/reset-lost@fte-nq\""))
        );
        assert_eq!(lines("--until 40ms").lines().count(), 5 + 3);
    }
}
