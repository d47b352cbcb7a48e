//! `shrink`: a failure that is known, made smaller.

pub(super) mod arguments;
mod mutants;

use super::output::{DIM, Format, GOOD, HEAD, Last, Stop};
use super::replay::no_case;
use super::{candidate, catalogue};
use crate::candidate::Candidate;
use crate::evidence::{Bundle, Origin, RECORD, Record, SCENARIO, collect, write, write_as};
use crate::report::Verdict;
use crate::scenario::{self, Case};
use crate::shrink::Failed;
use crate::suite;
use crate::sweep::row::is_failure;
use arguments::ShrinkArguments;
use kit::{Knowledge, Protocol};
use serde_json::json;
use std::fs;
use std::io::Write;
use std::path::Path;
use std::sync::Arc;

/// Makes a failure smaller, and writes its evidence. Exit code 0: it was made as small as it gets.
pub(super) fn shrink(
    arguments: &ShrinkArguments,
    protocols: &[&'static Protocol],
    scenarios: Option<&Path>,
    format: Format,
    out: &mut dyn Write,
) -> Result<u8, Stop> {
    if arguments.mutants {
        return mutants::table(arguments, protocols, scenarios, format, out);
    }
    let [what] = arguments.what.as_slice() else {
        return Err(Stop::Usage(String::from("one failure at a time: a folder of evidence, or a case and its --seed")));
    };
    let folder = Path::new(what);
    let (case, seed, candidate) = if folder.is_dir() {
        let (origin, case) = known(folder)?;
        let candidate = who(&origin, arguments, protocols)?;
        (case, origin.seed, candidate)
    } else {
        let Some(seed) = arguments.seed else {
            return Err(Stop::Usage(format!("{what} is no folder; of a case, say which run: --seed N")));
        };
        let candidate = candidate(protocols, &arguments.candidate)?;
        (named(what, scenarios, candidate.as_ref())?, seed, candidate)
    };
    let (bundle, record) = collect(Failed { case: &case, seed, candidate: candidate.as_ref() });
    // What only recommendations are against can be made smaller, too.
    if !is_failure(record.verdict) && record.verdict != Verdict::FailShould {
        let (verdict, what) = (record.verdict.name(), &record.origin.case);
        return Err(Stop::Usage(format!(
            "{what} seed {seed} does not fail ({verdict}): there is nothing to make smaller"
        )));
    }
    let written = if folder.is_dir() { write_as(folder, &bundle) } else { write(&arguments.evidence, &bundle) };
    let path = written.map_err(|error| Stop::Harness(error.to_string()))?;
    print(&path, &bundle, &record, format, out)?;
    Ok(0)
}

/// The case of a folder of evidence, which has all that it takes.
fn known(folder: &Path) -> Result<(Origin, Case), Stop> {
    let file = folder.join(RECORD);
    let wrong = |why: String| Stop::Usage(format!("{}: {why}", file.display()));
    let text = fs::read_to_string(&file).map_err(|error| {
        wrong(format!("this is no evidence of ours ({error}); name the folder that --evidence made, or a case"))
    })?;
    let origin = Origin::read(&text).map_err(wrong)?;
    if origin.live {
        return Err(wrong(String::from(
            "is of a live session, which cannot be done again; `sh repro.sh` there judges its recording",
        )));
    }
    let no_case = || wrong(format!("{SCENARIO} beside it has no case {}", origin.case));
    let (id, rest, alteration) = origin.parts().ok_or_else(no_case)?;
    let path = folder.join(SCENARIO);
    if !path.is_file() {
        return Err(wrong(format!(
            "{SCENARIO} is missing beside it; copy the whole folder, or name the case: {}",
            origin.case
        )));
    }
    let scenario = scenario::parse(id, &path, &scenario::read(&path)?)?;
    let mut cases = scenario::cases(&Arc::new(scenario)).into_iter();
    let case = cases.find(|case| case.name() == format!("{id}@{rest}")).ok_or_else(no_case)?;
    let knowledge = if origin.blind { Knowledge::Wire } else { Knowledge::World };
    Ok((origin, Case { alteration, knowledge, ..case }))
}

/// What took the place of the reference. A program of somebody's is only started if the command line says so, too.
fn who(
    origin: &Origin,
    arguments: &ShrinkArguments,
    protocols: &[&'static Protocol],
) -> Result<Option<Candidate>, Stop> {
    let given = candidate(protocols, &arguments.candidate)?;
    let said = given.as_ref().map(Candidate::argument);
    let built_in = |option: &str| origin.candidate.as_deref().and_then(|text| text.strip_prefix(option)).map(str::trim);
    match (&origin.candidate, said) {
        (None, None) => Ok(None),
        (Some(_), Some(_)) => Ok(given),
        (Some(_), None) if built_in("--server ").or(built_in("--client ")).is_some() => {
            let (server, client) = (built_in("--server "), built_in("--client "));
            Ok(super::built_in(protocols, server, client)?.map(Candidate::BuiltIn))
        }
        (Some(known), None) => Err(Stop::Usage(format!("it failed with {known}; say so, if it may be started"))),
        (None, Some(said)) => Err(Stop::Usage(format!("it failed without {said}; leave it out"))),
    }
}

/// The case with this name, which can have faults after it.
fn named(what: &str, scenarios: Option<&Path>, candidate: Option<&Candidate>) -> Result<Case, Stop> {
    let folder = catalogue::folder(scenarios)?;
    suite::find(&folder, what, None, candidate)?.ok_or_else(|| no_case(what, None, &folder))
}

fn print(path: &Path, bundle: &Bundle, record: &Record, format: Format, out: &mut dyn Write) -> Result<(), Stop> {
    let summary = json!({ "evidence": path, "record": record });
    format.tell(out, &Last { summary }, |out| {
        writeln!(out, "{HEAD}{}{HEAD:#} seed {}", record.origin.case, record.origin.seed)?;
        if let Some(shrunk) = &bundle.shrunk {
            write!(out, "{}", shrunk.text)?;
            let (runs, datagrams) = (shrunk.runs, shrunk.datagrams);
            writeln!(out, "{DIM}{runs} runs, {datagrams} datagrams{DIM:#}")?;
        }
        writeln!(out, "{GOOD}{}{GOOD:#}", bundle.what)?;
        writeln!(out, "evidence: {}", path.display())
    })
}
