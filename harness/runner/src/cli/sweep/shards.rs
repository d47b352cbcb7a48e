//! Sweeps in parts: `plan`, `shard`, `merge`, `missing`. They keep no state but the files of the shards.

use super::super::candidate::CandidateArguments;
use super::super::output::{BAD, DIM, Format, Last, Stop, complain};
use super::super::progress::Meter;
use super::super::{candidate, catalogue, interrupt};
use super::arguments::{MergeArguments, MissingArguments, PlanArguments, ShardArguments};
use super::tell::{Failed, Teller};
use super::{chosen, count, suffix};
use crate::candidate::Candidate;
use crate::scenario::{Alteration, Case};
use crate::suite;
use crate::sweep::engine::{self, Listener, Work};
use crate::sweep::extent::Extent;
use crate::sweep::manifest::{Manifest, SweepError};
use crate::sweep::merge::{Found, array_spec};
use crate::sweep::row::Row;
use crate::sweep::shard::{self, Writer};
use crate::sweep::summary::Fold;
use kit::Protocol;
use serde_json::json;
use std::collections::BTreeSet;
use std::io::Write;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

/// What schedulers call the number of a task, the innermost first: HyperQueue's workers can be tasks of Slurm themselves.
const INDEXES: [&str; 3] = ["HQ_TASK_ID", "JOB_COMPLETION_INDEX", "SLURM_ARRAY_TASK_ID"];

/// Writes the manifest.
pub(super) fn plan(
    arguments: &PlanArguments,
    protocols: &[&'static Protocol],
    scenarios: Option<&Path>,
    format: Format,
    out: &mut dyn Write,
) -> Result<u8, Stop> {
    let (cases, candidate) = chosen(&arguments.selection, protocols, scenarios)?;
    let (first, last) = arguments.seeds;
    let candidate = candidate.as_ref().map(Candidate::argument);
    let manifest = Manifest::new(&cases, Extent::Seeds { first, last }, arguments.shard_size, candidate)?;
    manifest.write(&arguments.out).map_err(|error| Stop::Usage(error.to_string()))?;
    let (shards, runs) = (manifest.shards, manifest.runs());
    let summary = json!({ "manifest": arguments.out, "hash": manifest.hash(), "shards": shards, "cases": cases.len(),
        "runs": runs.to_string() });
    format.tell(out, &Last { summary }, |out| {
        let again = manifest.candidate.as_ref().map(|candidate| format!(" {candidate}")).unwrap_or_default();
        let (cases, path) = (count(cases.len(), "case"), arguments.out.display());
        writeln!(out, "{path}: {} of {cases} in {}", count(runs, "run"), count(shards, "shard"))?;
        writeln!(
            out,
            "next: deltaproof sweep shard --manifest {path} --index I --out DIR{again}, for I from 0 to {}",
            shards - 1
        )
    })?;
    Ok(0)
}

/// Runs one shard, unless it is there.
pub(super) fn shard(
    arguments: &ShardArguments,
    protocols: &[&'static Protocol],
    scenarios: Option<&Path>,
    format: Format,
    out: &mut dyn Write,
) -> Result<u8, Stop> {
    let manifest = Manifest::read(&arguments.manifest)?;
    let index = match arguments.index {
        Some(index) => index,
        None => index(&|name| std::env::var(name).ok()).map_err(Stop::Usage)?,
    };
    if index >= manifest.shards {
        let shards = manifest.shards;
        return Err(Stop::Usage(format!("no shard {index}: {} has {shards}, from 0", arguments.manifest.display())));
    }
    let path = shard::path(&arguments.out, index);
    if shard::check(&path, &manifest, &mut |_, _| {}).is_ok_and(|found| found == index) {
        return report(index, "is complete, skipped", &path, 0, format, out);
    }
    let candidate = who(&manifest, &arguments.candidate, protocols)?;
    let cases = planned(&manifest, candidate.as_ref(), scenarios)?;
    interrupt::listen();
    let work = Work { cases: &cases, extent: &manifest.extent, candidate: candidate.as_ref(), jobs: arguments.jobs };
    let numbers = manifest.numbers(index);
    let mut meter = Meter::new(numbers.end - numbers.start, None);
    let progress = Progress { meter: &mut meter, before: 0, of: "of a shard" };
    do_shard(work, &manifest, index, &arguments.out, progress, format, out)
}

/// Where it is said how far a shard is.
pub(in super::super) struct Progress<'a> {
    pub meter: &'a mut Meter,
    /// Runs that were done before this shard.
    pub before: u64,
    /// What these runs are part of.
    pub of: &'static str,
}

/// Runs one shard that is not there.
pub(in super::super) fn do_shard(
    work: Work<'_>,
    manifest: &Manifest,
    index: u64,
    folder: &Path,
    progress: Progress<'_>,
    format: Format,
    out: &mut dyn Write,
) -> Result<u8, Stop> {
    let path = shard::path(folder, index);
    let numbers = manifest.numbers(index);
    let runs = (numbers.end - numbers.start) as u64;
    let writer = Writer::create(folder, index, rand::random())?;
    let mut task = Task { writer, progress, rows: 0, stop: None };
    engine::sweep(work, numbers, &mut task);
    if let Some(stop) = task.stop {
        return Err(stop);
    }
    if task.rows != runs {
        return Err(Stop::Harness(format!(
            "shard {index} was interrupted after {} of {runs} runs; run it again",
            task.rows
        )));
    }
    match task.writer.finish(&manifest.hash()) {
        Ok(_) => report(index, "is complete", &path, runs, format, out),
        // Somebody else may have done the same shard, and cleared up.
        Err(_) if shard::check(&path, manifest, &mut |_, _| {}).is_ok() => {
            report(index, "is complete, done by another", &path, runs, format, out)
        }
        Err(error) => Err(error.into()),
    }
}

fn report(index: u64, what: &str, path: &Path, runs: u64, format: Format, out: &mut dyn Write) -> Result<u8, Stop> {
    format.tell(out, &Last { summary: json!({ "shard": index, "runs": runs, "file": path }) }, |out| {
        writeln!(out, "shard {index} {what}: {}, {}", count(runs, "run"), path.display())
    })?;
    Ok(0)
}

/// The number of the task that a scheduler gives to its process.
fn index(variable: &dyn Fn(&str) -> Option<String>) -> Result<u64, String> {
    let found = INDEXES.iter().find_map(|name| Some((*name, variable(name)?)));
    let (name, value) = found.ok_or_else(|| {
        format!("which shard? say --index N, or start it as a task that has one of {}", INDEXES.join(", "))
    })?;
    value.trim().parse().map_err(|_| format!("{name} is `{value}`, which is no number of a shard"))
}

/// What the manifest has in the place of the reference. A program of somebody's is only started if the command line says so, too.
fn who(
    manifest: &Manifest,
    arguments: &CandidateArguments,
    protocols: &[&'static Protocol],
) -> Result<Option<Candidate>, Stop> {
    let given = candidate(protocols, arguments)?;
    let said = given.as_ref().map(Candidate::argument);
    let planned = manifest.candidate.as_deref();
    let built_in = |option: &str| planned.and_then(|text| text.strip_prefix(option)).map(str::trim);
    match (planned, said) {
        (None, None) => Ok(None),
        (Some(planned), Some(said)) if planned == said => Ok(given),
        (Some(_), None) if built_in("--server ").or(built_in("--client ")).is_some() => {
            let (server, client) = (built_in("--server "), built_in("--client "));
            Ok(super::super::built_in(protocols, server, client)?.map(Candidate::BuiltIn))
        }
        (Some(planned), _) => Err(Stop::Usage(format!("the manifest was planned with {planned}; say the same"))),
        (None, Some(said)) => Err(Stop::Usage(format!("the manifest was planned without {said}; leave it out"))),
    }
}

/// The cases of a manifest, if they are the same here.
fn planned(manifest: &Manifest, candidate: Option<&Candidate>, scenarios: Option<&Path>) -> Result<Vec<Case>, Stop> {
    let folder = catalogue::folder(scenarios)?;
    let names: BTreeSet<&str> = manifest.cases.iter().map(|case| case.split('@').next().unwrap_or(case)).collect();
    let all = suite::cases_for(candidate, &folder, |id| names.contains(id))?;
    let find = |name: &String| {
        let (name, alteration) = Alteration::split(name)?;
        all.iter().find(|case| case.name() == name).map(|case| Case { alteration, ..case.clone() })
    };
    let cases: Vec<Case> = manifest.cases.iter().filter_map(find).collect();
    match manifest.differs(&cases)? {
        Some(why) => Err(Stop::Usage(why)),
        None => Ok(cases),
    }
}

/// A shard that is being run.
struct Task<'a> {
    writer: Writer,
    progress: Progress<'a>,
    rows: u64,
    stop: Option<Stop>,
}

impl Listener for Task<'_> {
    fn row(&mut self, row: &Row) -> ControlFlow<()> {
        let written = row.line().map_err(Stop::from).and_then(|line| Ok(self.writer.row(&line)?));
        if let Err(stop) = written {
            self.stop = Some(stop);
            return ControlFlow::Break(());
        }
        self.rows += 1;
        ControlFlow::Continue(())
    }

    fn time_passes(&mut self) -> ControlFlow<()> {
        let Progress { meter, before, of } = &mut self.progress;
        meter.set(*before + self.rows, of);
        if interrupt::came() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    }
}

/// Puts the shards together, and tells what a sweep in one process would.
pub(super) fn merge(
    arguments: &MergeArguments,
    scenarios: Option<&Path>,
    format: Format,
    out: &mut dyn Write,
) -> Result<u8, Stop> {
    let manifest = Manifest::read(&arguments.manifest)?;
    let suffix = suffix(manifest.candidate.as_deref(), scenarios);
    let (code, _) = merged(&manifest, &arguments.folders, &suffix, arguments.out.as_deref(), format, out)?;
    Ok(code)
}

/// Tells what the shards of a manifest have, if they are all there. Returns the exit code, some failures, and how many there are.
pub(in super::super) fn merged(
    manifest: &Manifest,
    folders: &[PathBuf],
    suffix: &str,
    file: Option<&Path>,
    format: Format,
    out: &mut dyn Write,
) -> Result<(u8, (Vec<Failed>, u64)), Stop> {
    let found = Found::look(manifest, folders)?;
    let complaints = found.complaints(manifest);
    if !complaints.is_empty() {
        for complaint in &complaints {
            complain(BAD, "not merged", complaint);
        }
        let missing = found.missing(manifest);
        let next = match missing.is_empty() {
            true => String::from("remove the files that are named, and merge again"),
            false => format!("run the shards {} again, and merge again", array_spec(&missing)),
        };
        return Err(Stop::Usage(next));
    }
    let mut teller = Teller::new(Fold::new(suffix), file, format, out)?;
    let mut stop = None;
    found.rows(manifest, &mut |row, line| {
        if stop.is_none() {
            stop = teller.row(row, line).err();
        }
    })?;
    let failed = (teller.failed(), teller.failures());
    match stop {
        Some(stop) => Err(stop),
        None => Ok((teller.finish(true)?, failed)),
    }
}

/// Prints which shards are not there.
pub(super) fn missing(arguments: &MissingArguments, format: Format, out: &mut dyn Write) -> Result<u8, Stop> {
    let manifest = Manifest::read(&arguments.manifest)?;
    let found = Found::look(&manifest, &arguments.folders)?;
    for (path, defect) in &found.wrong {
        complain(BAD, "not counted", SweepError::Wrong { path: path.clone(), why: defect.to_string() });
    }
    let missing = found.missing(&manifest);
    let summary = json!({ "missing": array_spec(&missing), "shards": manifest.shards,
        "complete": manifest.shards - missing.len() as u64 });
    format.tell(out, &Last { summary }, |out| -> std::io::Result<()> {
        if missing.is_empty() {
            complain(DIM, "complete", format!("all {} are there", count(manifest.shards, "shard")));
            return Ok(());
        }
        writeln!(out, "{}", array_spec(&missing))
    })?;
    Ok(u8::from(!missing.is_empty()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_number_of_a_shard_is_that_of_the_innermost_scheduler() {
        let found = |variables: &[(&str, &str)]| {
            let find =
                |name: &str| variables.iter().find(|(known, _)| *known == name).map(|(_, value)| value.to_string());
            index(&find)
        };
        assert_eq!(found(&[("SLURM_ARRAY_TASK_ID", "7")]), Ok(7));
        assert_eq!(found(&[("JOB_COMPLETION_INDEX", "0")]), Ok(0));
        assert_eq!(found(&[("SLURM_ARRAY_TASK_ID", "7"), ("HQ_TASK_ID", "3")]), Ok(3));
        let why = found(&[("SLURM_ARRAY_TASK_ID", "4294967294x")]).expect_err("no number");
        assert!(why.contains("SLURM_ARRAY_TASK_ID is `4294967294x`"), "{why}");
        assert!(found(&[]).expect_err("nothing is there").contains("say --index N"));
    }
}
