//! What a sweep says: failures as they come, the summary, and a file with every row.

use super::super::evidence;
use super::super::output::{BAD, DIM, Format, GOOD, HEAD, Last, Stop, WARN, json_line};
use super::count;
use crate::report::Verdict;
use crate::sweep::row::Row;
use crate::sweep::summary::{Fold, Group, Summary};
use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

/// So many failures of a kind are printed as they come; the others are counted.
const MOST_PRINTED: u64 = 5;

/// Takes rows, prints failures, and ends with the summary.
pub(super) struct Teller<'a> {
    fold: Fold,
    file: Option<Rows>,
    format: Format,
    out: &'a mut dyn Write,
    printed: BTreeMap<String, u64>,
    failed: Vec<Failed>,
}

/// A run that failed.
#[derive(Clone, Debug)]
pub(in super::super) struct Failed {
    /// Its case, with its faults.
    pub case: String,
    pub seed: u64,
    /// What it failed first.
    pub what: String,
}

/// The file of all rows, under another name until it is whole.
struct Rows {
    path: PathBuf,
    fresh: PathBuf,
    file: BufWriter<File>,
}

impl<'a> Teller<'a> {
    /// With nothing to tell yet.
    pub(super) fn new(
        fold: Fold,
        path: Option<&Path>,
        format: Format,
        out: &'a mut dyn Write,
    ) -> Result<Teller<'a>, Stop> {
        let file = path.map(Rows::create).transpose()?;
        Ok(Teller { fold, file, format, out, printed: BTreeMap::new(), failed: Vec::new() })
    }

    /// Takes the next row, which is this `line`. What it has to print is printed at once.
    pub(super) fn row(&mut self, row: &Row, line: &str) -> Result<(), Stop> {
        self.fold.add(row, line);
        if let Some(rows) = &mut self.file {
            writeln!(rows.file, "{line}").map_err(|error| rows.fail(&error))?;
        }
        self.keep(row);
        let Some(first) = row.failed().first().map(|id| String::from(*id)) else { return Ok(()) };
        if self.format.is_for_people() {
            let printed = self.printed.entry(first).or_default();
            *printed += 1;
            let printed = *printed;
            if printed > MOST_PRINTED {
                return Ok(());
            }
            self.failure(row, printed == MOST_PRINTED)?;
        } else {
            writeln!(self.out, "{line}")?;
        }
        self.out.flush()?;
        Ok(())
    }

    /// Whether a row is printed as it comes.
    pub(super) fn tells(&self, row: &Row) -> bool {
        !row.failed().is_empty()
    }

    /// Keeps a failure, if there are not enough of its kind, or of all.
    fn keep(&mut self, row: &Row) {
        let Some(what) = row.failed().first().map(|what| String::from(*what)) else { return };
        let of_its_kind = self.failed.iter().filter(|failed| failed.what == what).count();
        if of_its_kind == 0 || self.failed.len() < evidence::MOST {
            self.failed.push(Failed { case: row.case.clone(), seed: row.seed, what });
        }
    }

    /// Failures by which all others can be understood: of each kind the first, and some more.
    pub(super) fn failed(&self) -> Vec<Failed> {
        self.failed.clone()
    }

    pub(super) fn failures(&self) -> u64 {
        self.fold.failures()
    }

    pub(super) fn runs(&self) -> u64 {
        self.fold.runs()
    }

    fn failure(&mut self, row: &Row, last: bool) -> Result<(), Stop> {
        let style = if row.verdict == Verdict::FailShould { WARN } else { BAD };
        let failed = row.failed().join(", ");
        let of = if failed == row.verdict.name() { String::new() } else { format!("  {failed}") };
        let out = &mut *self.out;
        writeln!(out, "{style}{}{style:#} {HEAD}{}{HEAD:#} seed {}{of}", row.verdict.name(), row.case, row.seed)?;
        if !row.reason.is_empty() {
            writeln!(out, "  {}", row.reason)?;
        }
        writeln!(out, "  replay: {}  {DIM}(trace {}){DIM:#}", self.fold.replay(row), row.trace_hash)?;
        if last {
            writeln!(out, "  {DIM}others of this kind are counted below{DIM:#}")?;
        }
        Ok(())
    }

    /// Prints the summary and gives the file its name. Returns the exit code.
    pub(super) fn finish(self, complete: bool) -> Result<u8, Stop> {
        let printed = !self.printed.is_empty();
        let summary = self.fold.finish(complete);
        if let Some(rows) = self.file {
            rows.finish(&summary)?;
        }
        self.format.tell(self.out, &Last { summary: &summary }, |out| human(&summary, printed, out))?;
        self.out.flush()?;
        Ok(summary.exit_code)
    }
}

impl Rows {
    fn create(path: &Path) -> Result<Rows, Stop> {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        let fresh = path.with_file_name(format!(".{name}-{}.tmp", std::process::id()));
        let usage = |error| Stop::Usage(format!("cannot write {}: {error}", path.display()));
        let file = BufWriter::new(File::create(&fresh).map_err(usage)?);
        Ok(Rows { path: path.into(), fresh, file })
    }

    fn fail(&self, error: &io::Error) -> Stop {
        Stop::Harness(format!("cannot write {}: {error}", self.path.display()))
    }

    fn finish(mut self, summary: &Summary) -> Result<(), Stop> {
        json_line(&mut self.file, &Last { summary })?;
        let named = self.file.flush().and_then(|()| self.file.get_ref().sync_all());
        named.and_then(|()| fs::rename(&self.fresh, &self.path)).map_err(|error| self.fail(&error))
    }
}

impl Drop for Rows {
    fn drop(&mut self) {
        // Of a file that is whole there is no such file any more.
        let _ = fs::remove_file(&self.fresh);
    }
}

/// What was found, group by group, and what was done.
fn human(summary: &Summary, printed: bool, out: &mut dyn Write) -> Result<(), Stop> {
    if printed {
        writeln!(out)?;
    }
    for group in &summary.groups {
        self::group(group, out)?;
    }
    if !summary.groups.is_empty() {
        writeln!(out)?;
    }
    if !summary.always_vacuous.is_empty() {
        writeln!(out, "{WARN}vacuous in every run{WARN:#}")?;
        for case in &summary.always_vacuous {
            writeln!(out, "  {case}")?;
        }
        writeln!(out)?;
    }
    let share = |part: u64| match summary.datagrams {
        0 => String::from("0"),
        all => format!("{:.1} %", part as f64 * 100.0 / all as f64),
    };
    let (lost, duplicated, reordered) = (share(summary.lost), share(summary.duplicated), share(summary.reordered));
    let datagrams = count(summary.datagrams, "datagram");
    writeln!(out, "{DIM}{datagrams}: {lost} lost, {duplicated} duplicated, {reordered} reordered{DIM:#}")?;
    writeln!(out, "{DIM}result hash {}{DIM:#}", summary.result_hash)?;
    let style = if summary.exit_code == 0 { GOOD } else { BAD };
    let verdicts: Vec<String> = summary.verdicts.iter().map(|(verdict, runs)| format!("{runs} {verdict}")).collect();
    let seeds = match summary.seeds {
        Some((first, last)) if first == last => format!(", seed {first}"),
        Some((first, last)) => format!(", seeds {first}..{last}"),
        None => String::new(),
    };
    let partly = if summary.complete { "" } else { "ended early: " };
    let runs = count(summary.runs, "run");
    let cases = count(summary.cases, "case");
    let verdicts = if verdicts.is_empty() { String::new() } else { format!(": {}", verdicts.join(", ")) };
    writeln!(out, "{style}{partly}{runs} of {cases}{seeds}{verdicts}{style:#}")?;
    Ok(())
}

fn group(group: &Group, out: &mut dyn Write) -> Result<(), Stop> {
    let style = if group.level.starts_with("SHOULD") { WARN } else { BAD };
    let level = if group.level.is_empty() { String::new() } else { format!(" {}", group.level) };
    let (runs, seeds, cases) = (count(group.runs, "run"), count(group.seeds, "seed"), count(group.cases, "case"));
    writeln!(out, "{style}{}{style:#}{level}  {runs}, {seeds}, {cases}", group.failed)?;
    writeln!(out, "  first: {} seed {}", group.example.case, group.example.seed)?;
    if !group.example.reason.is_empty() {
        writeln!(out, "  {DIM}{}{DIM:#}", group.example.reason)?;
    }
    writeln!(out, "  replay: {}", group.example.replay)?;
    Ok(())
}
