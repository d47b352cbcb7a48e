//! Histories with their quiet stretches folded: what repeats and is undisturbed becomes one line.
//!
//! Two lines are alike if they differ in numbers only. A datagram that arrives intact, once and in order is folded when two
//! like it were shown, and so is a note; a command is when the same entity got two like it just before, as a crowd does.
//! Everything else is shown: other commands, state changes, losses, duplicates, damage, datagrams that others overtake; and
//! after each of them the next two of each shape. Commands of one time and host share lines.

use crate::history::History;
use crate::transcript::{Kind, Line, line};
use kit::{Direction, HostId, Time};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

/// Lines of a shape that are shown before the others are folded.
const SHOWN: usize = 2;

/// Fewer lines are not worth folding.
const FEWEST: usize = 4;

/// There is a hash at least once in so many lines.
const LINES_PER_HASH: usize = 64;

/// Commands of a crowd follow each other within so many microseconds.
const STEP_US: u64 = 100_000;

/// A folded line quotes at most so many shapes.
const QUOTED: usize = 6;

/// A shape is quoted up to so many characters.
const QUOTED_CHARS: usize = 60;

/// Stands for a number until a shape is complete; no text has it.
const NUMBER: char = '\0';

/// Commands share lines of at most so many bytes.
const COMMAND_BYTES: usize = 90;

/// The lines of a history, quiet stretches folded, with the hash of everything so far every now and then.
pub fn fold(lines: &[Line]) -> Vec<String> {
    let mut folder = Folder::default();
    for (line, late) in lines.iter().zip(overtaken(lines)) {
        match &line.kind {
            Kind::Command => folder.command(line),
            Kind::Intact { direction, summary, .. } if !late => {
                folder.quiet(line, format!("{direction} {}", shape(summary)))
            }
            Kind::Note => folder.quiet(line, shape(&format!("{} {}", line.who, line.what))),
            Kind::Intact { .. } | Kind::Disturbance | Kind::Finding => {
                folder.seen.clear();
                folder.commanded.clear();
                folder.show(line.clone());
            }
        }
    }
    folder.flush();
    folder.shown
}

/// What happens in a history up to a time, or to its end, quiet stretches folded.
pub fn drawn(history: &History, until: Option<Time>) -> Vec<String> {
    let shown = history.entries.iter().filter(|entry| until.is_none_or(|until| entry.at <= until));
    fold(&shown.filter_map(line).collect::<Vec<_>>())
}

/// For every line, whether it is a datagram that arrives after one sent later.
fn overtaken(lines: &[Line]) -> Vec<bool> {
    let mut earliest: Vec<(HostId, Direction, Time)> = Vec::new();
    let late = |line: &Line| {
        let Kind::Intact { client, direction, arrives, .. } = line.kind else { return false };
        match earliest.iter_mut().find(|(host, way, _)| (*host, *way) == (client, direction)) {
            Some((.., later)) => {
                let late = arrives > *later;
                *later = arrives.min(*later);
                late
            }
            None => {
                earliest.push((client, direction, arrives));
                false
            }
        }
    };
    let mut late: Vec<bool> = lines.iter().rev().map(late).collect();
    late.reverse();
    late
}

#[derive(Default)]
struct Folder<'a> {
    shown: Vec<String>,
    since_hash: usize,
    /// For each command but its value, how often it has come in a row, and when last.
    steps: BTreeMap<String, (usize, Time)>,
    /// Shapes of commands since the last disturbance.
    commanded: BTreeSet<String>,
    /// Lines of each shape since the last disturbance or new command.
    seen: BTreeMap<String, usize>,
    /// Lines that are quiet and were seen before.
    folded: Vec<(&'a Line, String)>,
    /// Commands of one time and host.
    commands: Option<Line>,
}

impl<'a> Folder<'a> {
    fn command(&mut self, line: &'a Line) {
        let (subject, value) = line.what.split_once(':').unwrap_or((&line.what, ""));
        let steps = self.steps.entry(format!("{subject}{}", shape(value))).or_insert((0, line.at));
        if steps.0 == 0 || steps.1 != line.at {
            let follows = line.at.us() - steps.1.us() <= STEP_US;
            *steps = (if follows { steps.0 + 1 } else { 1 }, line.at);
        }
        let known = steps.0;
        // What follows a command unlike those before it is shown.
        if self.commanded.insert(shape(&line.what)) {
            self.seen.clear();
        }
        if known > SHOWN {
            return self.fold(line, shape(&format!("{} {}", line.who, line.what)));
        }
        match &mut self.commands {
            Some(last)
                if last.at == line.at && last.who == line.who && last.what.len() + line.what.len() < COMMAND_BYTES =>
            {
                let _ = write!(last.what, "; {}", line.what);
                last.hash = line.hash;
            }
            _ => {
                self.flush();
                self.commands = Some(line.clone());
            }
        }
    }

    fn quiet(&mut self, line: &'a Line, shape: String) {
        let seen = self.seen.entry(shape.clone()).or_default();
        *seen += 1;
        if *seen <= SHOWN {
            return self.show(line.clone());
        }
        self.fold(line, shape);
    }

    fn fold(&mut self, line: &'a Line, shape: String) {
        if self.commands.is_some() {
            self.flush();
        }
        self.folded.push((line, shape));
    }

    /// Shows a line, after what waits.
    fn show(&mut self, line: Line) {
        self.flush();
        self.push(&line);
    }

    fn push(&mut self, line: &Line) {
        self.shown.push(line.to_string());
        self.since_hash += 1;
        if self.since_hash == LINES_PER_HASH {
            self.shown.push(entry(line.at, "trace", format!("{:016x}", line.hash)));
            self.since_hash = 0;
        }
    }

    /// Shows what waits: commands, or folded lines.
    fn flush(&mut self) {
        if let Some(commands) = self.commands.take() {
            self.push(&commands);
        }
        let folded = std::mem::take(&mut self.folded);
        let (Some((first, _)), Some((last, _))) = (folded.first(), folded.last()) else { return };
        if folded.len() < FEWEST {
            return folded.iter().for_each(|(line, _)| self.push(line));
        }
        let mut shapes: Vec<(&str, usize)> = Vec::new();
        for (_, shape) in &folded {
            match shapes.iter_mut().find(|(known, _)| known == shape) {
                Some((_, count)) => *count += 1,
                None => shapes.push((shape, 1)),
            }
        }
        let mut quoted: Vec<String> =
            shapes.iter().take(QUOTED).map(|(shape, count)| format!("{count} × {}", quoted(shape))).collect();
        if shapes.len() > QUOTED {
            quoted.push(format!("and {} other shapes", shapes.len() - QUOTED));
        }
        let (count, end, shapes) = (folded.len(), last.at, quoted.join("; "));
        let text = format!("{count} lines like these until {end}: {shapes}  [trace {:016x}]", last.hash);
        self.shown.push(entry(first.at, "…", text));
        self.since_hash = 0;
    }
}

fn entry(at: Time, who: &str, what: String) -> String {
    Line { at, who: String::from(who), what, kind: Kind::Note, hash: 0 }.to_string()
}

fn quoted(shape: &str) -> String {
    let cut = if shape.chars().count() > QUOTED_CHARS { "…" } else { "" };
    shape.chars().take(QUOTED_CHARS).chain(cut.chars()).collect()
}

/// A text with `N` for every number, and for every fraction, range and list of numbers.
fn shape(text: &str) -> String {
    let mut shape = String::new();
    let mut rest = text.chars().peekable();
    while let Some(char) = rest.next() {
        if !char.is_ascii_digit() {
            shape.push(char);
            continue;
        }
        while rest.next_if(char::is_ascii_digit).is_some() {}
        let before = shape.trim_end_matches(['.', ' ', '-', ',']);
        if before.ends_with(NUMBER) {
            shape.truncate(before.len());
        } else {
            shape.push(NUMBER);
        }
    }
    shape.replace(NUMBER, "N")
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A datagram of client 1 in each direction every 50 ms, from the time given in steps.
    fn exchange(step: u64) -> [Line; 2] {
        [
            (Direction::ServerToClient, format!("frame {step}")),
            (Direction::ClientToServer, format!("move {step}, ack {}", step / 2)),
        ]
        .map(|(direction, summary)| {
            let at = Time(step * 50_000);
            let kind =
                Kind::Intact { client: HostId(1), direction, arrives: at.after(25_000), summary: summary.clone() };
            line(step, &format!("c1 {direction}"), &summary, kind)
        })
    }

    fn line(step: u64, who: &str, what: &str, kind: Kind) -> Line {
        Line { at: Time(step * 50_000), who: who.to_string(), what: what.to_string(), kind, hash: step }
    }

    fn command(step: u64, what: &str) -> Line {
        line(step, "server", what, Kind::Command)
    }

    #[track_caller]
    fn check(lines: &[Line], expected: &[&str]) {
        let folded: Vec<String> = fold(lines).iter().map(|line| line[14..].to_string()).collect();
        assert_eq!(folded, expected);
    }

    #[test]
    fn what_repeats_becomes_one_line_and_a_disturbance_is_shown_with_what_follows() {
        let mut lines: Vec<Line> = (1..=5).flat_map(exchange).collect();
        lines.push(line(6, "c1 s2c", "frame 6  [lost: script]", Kind::Disturbance));
        lines.extend((7..=7).flat_map(exchange));
        check(
            &lines,
            &[
                "c1 s2c       frame 1",
                "c1 c2s       move 1, ack 0",
                "c1 s2c       frame 2",
                "c1 c2s       move 2, ack 1",
                "…            6 lines like these until 0.250000s: 3 × s2c frame N; 3 × c2s move N, ack N  [trace 0000000000000005]",
                "c1 s2c       frame 6  [lost: script]",
                "c1 s2c       frame 7",
                "c1 c2s       move 7, ack 3",
            ],
        );
    }

    #[test]
    fn a_datagram_that_another_overtakes_is_shown() {
        let mut lines: Vec<Line> = (1..=12).map(|step| exchange(step)[0].clone()).collect();
        if let Kind::Intact { arrives, .. } = &mut lines[6].kind {
            *arrives = Time(450_000);
        }
        let folded = fold(&lines);
        assert!(folded.iter().any(|line| line.ends_with("frame 7")), "{folded:#?}");
        assert_eq!(folded.len(), 9, "{folded:#?}");
    }

    #[test]
    fn only_the_steps_of_a_crowd_are_folded_among_commands() {
        let crowd: Vec<Line> = (1..=6).map(|step| command(step, &format!("set 5: frame {step}"))).collect();
        check(
            &crowd,
            &[
                "server       set 5: frame 1",
                "server       set 5: frame 2",
                "…            4 lines like these until 0.300000s: 4 × server set N: frame N  [trace 0000000000000006]",
            ],
        );
        let script: Vec<Line> = (1..=6).map(|n| command(4 * n, &format!("set 5: frame {n}"))).collect();
        assert_eq!(fold(&script).len(), 6);
        check(&[command(1, "spawn 5"), command(1, "set 5: frame 1")], &["server       spawn 5; set 5: frame 1"]);
    }

    #[test]
    fn a_hash_follows_at_the_latest_after_so_many_lines() {
        let script: Vec<Line> = (1..=70).map(|n| command(4 * n, &format!("set 5: frame {n}"))).collect();
        let folded = fold(&script);
        assert_eq!(folded[LINES_PER_HASH], "  12.800000s  trace        0000000000000100");
        assert_eq!(folded.len(), 71);
    }

    #[test]
    fn shapes_have_no_numbers() {
        for (text, expected) in [
            ("frame 12 at 0.400s, update 1 20..22 24", "frame N at Ns, update N"),
            ("time 1.5, stat 11 = -3", "time N, stat N = -N"),
            ("VERSION 1.09", "VERSION N"),
        ] {
            assert_eq!(shape(text), expected);
        }
    }
}
