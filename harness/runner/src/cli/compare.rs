//! `run` with several shims or engines: the same scenarios with each, and what differs.

use super::arguments::RunArguments;
use super::candidate::CandidateArguments;
use super::output::{Answer, BAD, DIM, Format, GOOD, HEAD, Stop, complain, json_line};
use super::values::is_name;
use super::{engine_candidate, shim_candidate};
use crate::candidate::Candidate;
use crate::report::comparison::{self, Compared, Row};
use crate::report::folder;
use crate::report::page::Page;
use serde_json::json;
use std::io::Write;

/// What is run: a name, and what it stands for.
pub(super) fn named(chosen: &CandidateArguments) -> Result<Vec<(String, Candidate)>, Stop> {
    let mut all: Vec<(String, Candidate)> = Vec::new();
    for shim in &chosen.shim {
        let parts = shim.split_once('=').filter(|(name, _)| is_name(name));
        let (name, command) = parts.ok_or_else(|| {
            Stop::Usage(format!(
                "several shims are compared by name: write --shim NAME='{shim}', with letters and digits"
            ))
        })?;
        is_new(&all, name)?;
        all.push((name.to_string(), shim_candidate(command, chosen)?));
    }
    for (name, engine) in chosen.engine.chosen(chosen.settings.map.as_deref(), true)? {
        is_new(&all, &name)?;
        let candidate = engine_candidate(&engine, chosen)?;
        all.push((name, candidate));
    }
    Ok(all)
}

fn is_new(all: &[(String, Candidate)], name: &str) -> Result<(), Stop> {
    match all.iter().any(|(known, _)| known == name) {
        true => Err(Stop::Usage(format!("two are called `{name}`"))),
        false => Ok(()),
    }
}

/// Prints what differs, and writes a report for each and `comparison.html`. Returns the gravest exit code.
pub(super) fn print(
    all: &[Compared],
    arguments: &RunArguments,
    format: Format,
    out: &mut dyn Write,
) -> Result<u8, Stop> {
    format.say(&all, out)?;
    out.flush()?;
    if let Some(reports) = &arguments.reports {
        let failed = |error: folder::FolderError| Stop::Harness(error.to_string());
        let shown = arguments.candidate.shown(None);
        for one in all {
            folder::write(&reports.join(&one.name), &one.report, &|case, id| shown.at(case, id)).map_err(failed)?;
        }
        let page = reports.join("comparison.html");
        folder::write_file(&page, &Page { results: all, kills: &[], blind: &[] }.document()).map_err(failed)?;
        complain(DIM, "report", page.display());
    }
    Ok(all.iter().map(|one| one.report.exit_code()).max().unwrap_or(0))
}

impl Answer for &[Compared] {
    fn human(&self, out: &mut dyn Write) -> Result<(), Stop> {
        human(self, out)
    }

    fn json(&self, out: &mut dyn Write) -> Result<(), Stop> {
        self.iter().try_for_each(|one| json_line(out, &json!({ "implementation": one.name, "summary": one.report })))
    }
}

/// Prints what differs.
pub(super) fn human(all: &[Compared], out: &mut dyn Write) -> Result<(), Stop> {
    table("cases that differ", &comparison::cases(all), all, out)?;
    table("requirements that differ", &comparison::requirements(all), all, out)?;
    for one in all {
        let style = if one.report.exit_code() == 0 { GOOD } else { BAD };
        writeln!(out, "{HEAD}{}{HEAD:#}  {style}{}{style:#}", one.name, one.report.headline)?;
    }
    Ok(())
}

fn table(title: &str, rows: &[Row], all: &[Compared], out: &mut dyn Write) -> Result<(), Stop> {
    let rows: Vec<&Row> = rows.iter().filter(|row| row.differs()).collect();
    if rows.is_empty() {
        writeln!(out, "{title}: none")?;
        return Ok(());
    }
    let first = rows.iter().map(|row| row.what.len()).chain([title.len()]).max().unwrap_or(0);
    let width = |place: usize| {
        let words = rows.iter().map(|row| row.words[place].len());
        words.chain([all[place].name.len()]).max().unwrap_or(0)
    };
    write!(out, "{HEAD}{title:first$}{HEAD:#}")?;
    for (place, one) in all.iter().enumerate() {
        write!(out, "  {HEAD}{:1$}{HEAD:#}", one.name, width(place))?;
    }
    writeln!(out)?;
    for row in &rows {
        write!(out, "{:first$}", row.what)?;
        for (place, word) in row.words.iter().enumerate() {
            write!(out, "  {word:0$}", width(place))?;
        }
        writeln!(out)?;
    }
    Ok(())
}
