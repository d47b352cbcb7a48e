//! What became of the mutants, for people.

use crate::equivalent::{Class, Equivalent, class_of};
use crate::operators::Operator;
use crate::outcome::Outcome;
use crate::results::{Record, Results};
use crate::targets::Side;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

/// Requirements that killed most; so many are listed.
const KILLERS: usize = 12;

/// A row of the table.
#[derive(Clone, Debug, Default)]
struct Count {
    unbuildable: usize,
    outcomes: BTreeMap<Outcome, usize>,
    thin: usize,
    /// Killed at a recommendation only.
    should: usize,
    equivalent: usize,
}

impl Count {
    fn of(&self, outcome: Outcome) -> usize {
        self.outcomes.get(&outcome).copied().unwrap_or_default()
    }

    fn made(&self) -> usize {
        self.outcomes.values().sum()
    }

    fn rate(&self) -> f64 {
        let judged = self.made() - self.equivalent;
        if judged == 0 { 100.0 } else { 100.0 * self.of(Outcome::Killed) as f64 / judged as f64 }
    }

    fn take(&mut self, record: &Record, equivalent: bool) {
        *self.outcomes.entry(record.fate.outcome).or_default() += 1;
        self.thin += usize::from(record.fate.is_thin());
        self.should += usize::from(record.fate.kill.as_ref().is_some_and(|kill| !kill.must));
        self.equivalent += usize::from(equivalent);
    }

    fn line(&self, name: &str) -> String {
        let mut line = format!("{name:20}{:6}{:8}", self.made(), self.unbuildable);
        for outcome in Outcome::ALL {
            let _ = write!(line, "{:10}", self.of(outcome));
            if outcome == Outcome::Killed {
                let _ = write!(line, "{:6}{:7}", self.thin, self.should);
            }
        }
        let _ = write!(line, "{:8}{:8.1}%", self.equivalent, self.rate());
        line
    }
}

fn head(protocol: &str) -> String {
    let mut line = format!("{protocol:20}{:>6}{:>8}", "made", "unbuilt");
    for outcome in Outcome::ALL {
        let _ = write!(line, "{:>10}", outcome.name());
        if outcome == Outcome::Killed {
            let _ = write!(line, "{:>6}{:>7}", "thin", "should");
        }
    }
    let _ = write!(line, "{:>8}{:>9}", "equiv", "rate");
    line
}

/// The report on one protocol: a table by operator, what kills, and the survivors by place if they are wanted.
///
/// # Errors
/// Entries of the list that a finding contradicts, a line each.
pub fn report(results: &Results, list: &[Equivalent], survivors: bool) -> Result<String, String> {
    let rows = results.rows();
    let is_equivalent = |record: &Record| class_of(list, &record.mutant, record.side).is_some();
    let mut classes: BTreeMap<Class, usize> = BTreeMap::new();
    let mut counts: BTreeMap<Operator, Count> = BTreeMap::new();
    let mut sum = Count::default();
    for (&operator, &unbuildable) in &results.header.unbuildable {
        counts.entry(operator).or_default().unbuildable = unbuildable;
        sum.unbuildable += unbuildable;
    }
    let wrong = contradicted(results, &rows, list);
    for record in &rows {
        let killed = record.fate.outcome == Outcome::Killed;
        let equivalent = is_equivalent(record);
        if let Some(class) = class_of(list, &record.mutant, record.side).filter(|_| !killed) {
            *classes.entry(class).or_default() += 1;
        }
        counts.entry(record.mutant.operator).or_default().take(record, equivalent && !killed);
        sum.take(record, equivalent && !killed);
    }
    if !wrong.is_empty() {
        return Err(wrong);
    }
    let mut out = head(&results.header.protocol);
    out.push('\n');
    for operator in Operator::ALL {
        if let Some(count) = counts.get(&operator) {
            let _ = writeln!(out, "{}", count.line(operator.name()));
        }
    }
    let _ = writeln!(out, "{}", sum.line("all"));
    let classes: Vec<String> = classes.iter().map(|(class, count)| format!("{} {count}", class.name())).collect();
    let _ = writeln!(out, "need not be killed: {}", classes.join(", "));
    killers(&rows, &mut out);
    if survivors {
        out.push_str("\nnot killed, by place\n");
        for record in rows.iter().filter(|record| record.fate.outcome != Outcome::Killed && !is_equivalent(record)) {
            let _ = writeln!(out, "{:9} {}", record.fate.outcome.name(), place(record));
            if !record.fate.message.is_empty() {
                let at = record.fate.shown_by.as_ref().map_or(String::new(), |(case, seed)| format!("{case} {seed}: "));
                let _ = writeln!(out, "          {at}{}", record.fate.message.lines().next().unwrap_or_default());
            }
        }
    }
    Ok(out)
}

/// The patterns of which nothing is left: all that they mean was killed. In a sample the rest is not known.
fn contradicted(results: &Results, rows: &[&Record], list: &[Equivalent]) -> String {
    let numbers: BTreeSet<u32> = rows.iter().map(|record| record.mutant.number).collect();
    let mut wrong = String::new();
    for pattern in list.iter().flat_map(|entry| &entry.mutants).filter(|_| numbers.len() == results.header.buildable) {
        let mut meant = rows.iter().filter(|record| pattern.is_of(&record.mutant, record.side)).peekable();
        if let Some(first) = meant.peek().map(|first| place(first))
            && meant.all(|record| record.fate.outcome == Outcome::Killed)
        {
            let _ = writeln!(wrong, "{first}: killed, but in the list of equivalent mutants");
        }
    }
    wrong
}

/// How many of the mutants that are not in the list were killed, in percent, and how many there are.
pub fn rate(results: &Results, list: &[Equivalent]) -> (f64, usize) {
    let rows = results.rows();
    let killed = |record: &Record| record.fate.outcome == Outcome::Killed;
    let judged: Vec<&&Record> =
        rows.iter().filter(|record| killed(record) || class_of(list, &record.mutant, record.side).is_none()).collect();
    let killed = judged.iter().filter(|record| killed(record)).count();
    (100.0 * killed as f64 / judged.len().max(1) as f64, judged.len())
}

/// The requirements that killed most, and after how many datagrams.
fn killers(rows: &[&Record], out: &mut String) {
    let kills: Vec<_> = rows.iter().filter_map(|record| record.fate.kill.as_ref()).collect();
    let mut by: BTreeMap<&str, usize> = BTreeMap::new();
    kills.iter().for_each(|kill| *by.entry(&kill.requirement).or_default() += 1);
    let mut by: Vec<(&str, usize)> = by.into_iter().collect();
    by.sort_by_key(|&(id, count)| (std::cmp::Reverse(count), id));
    let mut datagrams: Vec<usize> = kills.iter().map(|kill| kill.datagrams).collect();
    datagrams.sort_unstable();
    let at = |part: usize| datagrams.get(datagrams.len().saturating_sub(1) * part / 100).copied().unwrap_or_default();
    let shown: Vec<String> = by.iter().take(KILLERS).map(|(id, count)| format!("{id} {count}")).collect();
    let _ = writeln!(out, "killed by {} requirements: {}", by.len(), shown.join(", "));
    let _ = writeln!(out, "after datagrams: half within {}, nine in ten within {}, most {}", at(50), at(90), at(100));
}

/// A mutant in a line.
fn place(record: &Record) -> String {
    let mutant = &record.mutant;
    let side = match record.side {
        Side::Server => "server",
        Side::Client => "client",
    };
    format!(
        "{}:{}:{} {} {} {}: {} -> {}",
        mutant.file,
        mutant.line,
        mutant.column,
        side,
        mutant.function,
        mutant.operator,
        mutant.old,
        if mutant.new.is_empty() { "(nothing)" } else { &mutant.new }
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::outcome::{Fate, Kill};
    use crate::results::Header;
    use crate::schema::Mutant;
    use crate::{equivalent, results::Writer};

    fn record(number: u32, side: Side, outcome: Outcome) -> Record {
        let mutant = Mutant {
            number,
            file: String::from("harness/kit/src/a.rs"),
            line: 3,
            column: 9,
            function: String::from("A::f"),
            operator: Operator::Comparison,
            old: format!("a < {number}"),
            new: format!("a <= {number}"),
        };
        let kill = (outcome == Outcome::Killed).then(|| Kill {
            requirement: String::from("LET-NUM-01"),
            check: String::from("numbers"),
            must: true,
            datagrams: 7,
            what: String::from("2 after 1"),
        });
        let killing_cases = usize::from(outcome == Outcome::Killed);
        Record { mutant, side, fate: Fate { outcome, kill, killing_cases, ..Fate::new() } }
    }

    /// Killed at the server; alive there; shared and reached by the client alone; shared and reached by nobody.
    fn results() -> Results {
        let header = Header {
            protocol: String::from("letters"),
            sources: String::from("0"),
            unbuildable: BTreeMap::from([(Operator::Comparison, 2)]),
            buildable: 4,
        };
        let records = vec![
            record(1, Side::Server, Outcome::Killed),
            record(2, Side::Server, Outcome::Alive),
            record(3, Side::Server, Outcome::Unreached),
            record(3, Side::Client, Outcome::Crash),
            record(4, Side::Server, Outcome::Unreached),
            record(4, Side::Client, Outcome::Unreached),
        ];
        Results { header, records }
    }

    fn entry(number: u32) -> Equivalent {
        let Mutant { file, function, operator, old, new, .. } = record(number, Side::Server, Outcome::Alive).mutant;
        let (function, operator) = (Some(function), Some(operator));
        let pattern = equivalent::Pattern { file, function, operator, old: Some(old), new: Some(new), side: None };
        Equivalent { class: Class::Same, why: String::from("It is always less."), mutants: vec![pattern] }
    }

    #[test]
    fn every_outcome_is_counted_apart_and_only_findings_kill() {
        let text = report(&results(), &[entry(2)], true).expect("nothing is contradicted");
        let sum = text.lines().find(|line| line.starts_with("all")).expect("a sum");
        let columns: Vec<&str> = sum.split_whitespace().collect();
        // Made, unbuildable, killed, thin, at a recommendation, innocent, crash, hang, vacuous, golden, alive, unreached.
        assert_eq!(columns, ["all", "4", "2", "1", "1", "0", "0", "1", "0", "0", "0", "1", "1", "1", "33.3%"]);
        assert!(text.contains("unreached harness/kit/src/a.rs:3:9 server A::f comparison: a < 4 -> a <= 4"), "{text}");
        assert!(!text.contains("a < 2"), "what is equivalent is no survivor: {text}");
        assert_eq!(rate(&results(), &[entry(2)]), (100.0 / 3.0, 3));
    }

    #[test]
    fn an_entry_that_is_killed_or_means_nothing_is_an_error() {
        let text = report(&results(), &[entry(1)], false).expect_err("it was killed");
        assert!(text.contains("killed, but in the list"), "{text}");
        let mutants: Vec<Mutant> = results().records.into_iter().map(|record| record.mutant).collect();
        let list = [entry(2), entry(5)];
        assert_eq!(equivalent::stale(&list, &mutants), [&list[1].mutants[0]]);
    }

    #[test]
    fn results_are_read_as_they_were_written_and_a_torn_line_is_left_out() {
        let path = std::env::temp_dir().join(format!("mutagen-{}.jsonl", std::process::id()));
        let Results { header, records } = results();
        Writer::new(&path, &header, &records).expect("it can be written");
        let text = std::fs::read_to_string(&path).expect("it is there");
        std::fs::write(&path, text.get(..text.len() - 20).expect("it is longer")).expect("it can be written");
        let read = Results::read(&path).expect("it can be read");
        std::fs::remove_file(&path).expect("it is there");
        assert_eq!((read.header, read.records), (header, records[..5].to_vec()));
    }
}
