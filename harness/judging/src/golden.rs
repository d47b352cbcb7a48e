//! What of runs is kept below `golden/` for people to review: of every case, a row in its protocol's table; of the
//! scenarios that ask for it, a trace.

use crate::fold::fold;
use crate::judge::{Keep, judge};
use crate::report::CaseReport;
use crate::scenario::Case;
use crate::transcript::{self, Kind};
use std::collections::BTreeMap;
use std::fmt::Write;

/// The columns of a table but the last, which is the case.
const COLUMNS: [&str; 7] = ["seeds", "datagrams", "lost", "duplicated", "reordered", "findings", "hash"];

/// A case's row: a cell for each column.
pub type Row = [String; COLUMNS.len()];

/// The rows of a protocol's cases, by name.
pub type Table = BTreeMap<String, Row>;

/// The row of a case that was run with all its seeds.
pub fn row(report: &CaseReport) -> Row {
    let counts = [report.seeds, report.datagrams, report.lost, report.duplicated, report.reordered, report.found];
    let mut row = Row::default();
    for (cell, count) in row.iter_mut().zip(counts) {
        *cell = count.to_string();
    }
    row[COLUMNS.len() - 1].clone_from(&report.trace_hash);
    row
}

/// Reads a table; lines that are no rows are left out.
pub fn parse(text: &str) -> Table {
    let rows = text.lines().skip(1).filter_map(|line| {
        let mut words = line.split_whitespace().map(String::from);
        let mut row = Row::default();
        for cell in &mut row {
            *cell = words.next()?;
        }
        Some((words.next()?, row))
    });
    rows.collect()
}

/// Writes a table, in the order of names. The case stands last, so that a long name moves no other row.
pub fn render(table: &Table) -> String {
    let width = |column: usize| {
        let cells = table.values().filter_map(|row| row.get(column)).map(String::len);
        cells.chain(COLUMNS.get(column).map(|name| name.len())).max().unwrap_or(0)
    };
    let widths: Vec<usize> = (0..COLUMNS.len()).map(width).collect();
    let mut text = String::new();
    let mut line = |cells: &[&str], case: &str| {
        for (cell, width) in cells.iter().zip(&widths) {
            let _ = write!(text, "{cell:>width$}  ");
        }
        let _ = writeln!(text, "{case}");
    };
    line(&COLUMNS, "case");
    for (case, row) in table {
        line(&row.each_ref().map(String::as_str), case);
    }
    text
}

/// The columns in which a row differs from the reviewed one, as text; nothing if they are the same.
pub fn differences(reviewed: Option<&Row>, now: &Row) -> Option<String> {
    let Some(reviewed) = reviewed else { return Some(String::from("has no row")) };
    let columns = COLUMNS.iter().zip(reviewed.iter().zip(now)).filter(|(_, (reviewed, now))| reviewed != now);
    let texts: Vec<String> =
        columns.map(|(column, (reviewed, now))| format!("{column}: golden {reviewed}, now {now}")).collect();
    (!texts.is_empty()).then(|| texts.join("; "))
}

/// The trace of a run, quiet stretches folded: the history, then the verdict.
pub fn trace(case: &Case, seed: u64) -> String {
    let judgement = judge(case, seed, None, Keep::Events);
    let mut events = transcript::lines(&judgement.history);
    events.retain(|line| !matches!(line.kind, Kind::Finding));
    let mut lines = fold(&events);
    lines.extend(judgement.impairment);
    lines.extend(judgement.remarks.iter().map(|remark| format!("remark: {remark}")));
    let findings = judgement.findings.iter();
    lines.extend(findings.map(|found| format!("finding: {} {}: {}", found.suspects, found.host, found.what)));
    lines.extend(judgement.missing.iter().map(|missing| format!("missing: {missing}")));
    lines.push(format!("{} datagrams, trace {:016x}\n", judgement.datagrams, judgement.trace_hash));
    lines.join("\n")
}

/// The first line in which two traces differ, as text; nothing if they are the same.
pub fn first_difference(reviewed: &str, now: &str) -> Option<String> {
    let (mut reviewed, mut now) = (reviewed.trim().lines(), now.trim().lines());
    for number in 1.. {
        let (golden, now) = (reviewed.next(), now.next());
        if golden != now {
            let end = "(the trace ends)";
            let (golden, now) = (golden.unwrap_or(end), now.unwrap_or(end));
            return Some(format!("line {number}\n  golden: {golden}\n  now:    {now}"));
        }
        golden?;
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    const TABLE: &str = "\
seeds  datagrams  lost  duplicated  reordered  findings              hash  case
    1        543     2           0          0         0  e5fe87be6906297d  r1q2/clean@r1q2-35
   64   12345678     0           0         10         0  65467b84466fdf59  r1q2/storm@r1q2-35[port=1,rate=5]
";

    #[test]
    fn a_table_is_written_as_it_was_read() {
        let table = parse(TABLE);
        assert_eq!(table.keys().collect::<Vec<_>>(), ["r1q2/clean@r1q2-35", "r1q2/storm@r1q2-35[port=1,rate=5]"]);
        assert_eq!(render(&table), TABLE);
    }

    #[test]
    fn a_difference_names_the_column() {
        let reviewed = parse(TABLE).remove("r1q2/clean@r1q2-35");
        let mut now = reviewed.clone().unwrap_or_default();
        assert_eq!(differences(reviewed.as_ref(), &now), None);
        now[2] = "3".to_string();
        now[6] = "65467b84466fdf59".to_string();
        let expected = "lost: golden 2, now 3; hash: golden e5fe87be6906297d, now 65467b84466fdf59";
        assert_eq!(differences(reviewed.as_ref(), &now).as_deref(), Some(expected));
        assert_eq!(differences(None, &now).as_deref(), Some("has no row"));
    }

    #[test]
    fn the_first_line_that_differs_is_named() {
        assert_eq!(first_difference("a\nb\n", "a\nb"), None);
        assert_eq!(first_difference("a\nb\nc", "a\nx\nc").as_deref(), Some("line 2\n  golden: b\n  now:    x"));
        let longer = first_difference("a", "a\nb");
        assert_eq!(longer.as_deref(), Some("line 2\n  golden: (the trace ends)\n  now:    b"));
    }
}
