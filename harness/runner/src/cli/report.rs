//! `report`: one page of results that were saved.

use super::arguments::ReportArguments;
use super::compare::human;
use super::output::{DIM, Stop, complain};
use super::values::is_name;
use crate::report::RunReport;
use crate::report::comparison::Compared;
use crate::report::folder;
use crate::report::kills::{self, KillRow};
use crate::report::page::Page;
use std::io::Write;
use std::path::{Path, PathBuf};

/// Reads the results, prints what differs, and writes the page. Returns the exit code.
pub(super) fn report(arguments: &ReportArguments, out: &mut dyn Write) -> Result<u8, Stop> {
    let results = results(&arguments.results)?;
    let (kills, blind) = (rows(arguments.kills.as_ref())?, rows(arguments.blind.as_ref())?);
    match results.as_slice() {
        [one] => writeln!(out, "{}", one.report.headline)?,
        several => human(several, out)?,
    }
    out.flush()?;
    let page = Page { results: &results, kills: &kills, blind: &blind }.document();
    folder::write_file(&arguments.out, &page).map_err(|error| Stop::Harness(error.to_string()))?;
    complain(DIM, "report", arguments.out.display());
    for one in arguments.save.iter().flat_map(|folder| results.iter().map(move |one| (folder, one))) {
        save(one.0, one.1)?;
    }
    Ok(0)
}

/// Writes a result as it is kept.
fn save(folder: &Path, one: &Compared) -> Result<(), Stop> {
    if !is_name(&one.name) {
        return Err(Stop::Usage(format!(
            "`{}` is no name for a file: write NAME=FILE, with a name of letters and digits",
            one.name
        )));
    }
    std::fs::create_dir_all(folder).map_err(|error| Stop::Usage(format!("{}: {error}", folder.display())))?;
    let path = folder.join(format!("{}.json", one.name));
    let text = serde_json::to_string(&one.report.brief())? + "\n";
    folder::write_file(&path, &text).map_err(|error| Stop::Harness(error.to_string()))?;
    complain(DIM, "saved", path.display());
    Ok(())
}

/// Saved results, each with a name of its own.
pub(super) fn results(arguments: &[String]) -> Result<Vec<Compared>, Stop> {
    let mut results: Vec<Compared> = Vec::new();
    for text in arguments {
        let one = result(text)?;
        if results.iter().any(|known| known.name == one.name) {
            return Err(Stop::Usage(format!(
                "two results are called `{}`; write NAME=FILE, with another name for each",
                one.name
            )));
        }
        results.push(one);
    }
    Ok(results)
}

/// A result with its name: the one given, or what it says that was tested.
fn result(text: &str) -> Result<Compared, Stop> {
    let named = text.split_once('=').filter(|(name, _)| is_name(name) && !Path::new(text).exists());
    let path = Path::new(named.map_or(text, |(_, path)| path));
    let report: RunReport = serde_json::from_str(&read(path)?).map_err(|error| {
        Stop::Usage(format!(
            "{}: {error}; it has to be the result.json that `run --reports DIR` writes",
            path.display()
        ))
    })?;
    let name = match named {
        Some((name, _)) => String::from(name),
        None if report.subject.is_empty() => path.display().to_string(),
        None => report.subject.clone(),
    };
    Ok(Compared { name, report })
}

fn rows(path: Option<&PathBuf>) -> Result<Vec<KillRow>, Stop> {
    let Some(path) = path else { return Ok(Vec::new()) };
    kills::read(&read(path)?).map_err(|error| Stop::Usage(format!("{}: {error}", path.display())))
}

fn read(path: &Path) -> Result<String, Stop> {
    std::fs::read_to_string(path).map_err(|error| Stop::Usage(format!("{}: {error}", path.display())))
}
