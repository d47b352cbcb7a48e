//! `explore`: every schedule of a few faults, in windows of datagrams.

pub(super) mod arguments;
mod compare;
mod search;

use super::evidence::EvidenceArguments;
use super::output::{DIM, Format, HEAD, Stop, complain};
use super::progress::Meter;
use super::sweep::{Limits, count, grouped, run, shards, suffix, write_evidence};
use super::{candidate, catalogue, interrupt, profile};
use crate::candidate::Candidate;
use crate::explore::window::{Placed, Start, WINDOWS};
use crate::explore::without_faults;
use crate::scenario::Case;
use crate::stopwatch::Stopwatch;
use crate::suite;
use crate::sweep::engine::Work;
use crate::sweep::extent::Extent;
use crate::sweep::manifest::Manifest;
use crate::sweep::merge::Found;
use crate::sweep::schedules::Schedules;
use arguments::{At, ExploreArguments, ExplorePart};
use kit::Protocol;
use std::io::Write;
use std::path::Path;

/// A shard has so many schedules: what an interruption loses is some seconds of work.
const SHARD_SIZE: u64 = 2_000;

/// A window of one case.
struct Chosen {
    name: String,
    case: Case,
    seed: u64,
    schedules: Schedules,
}

/// Explores window after window. Returns the worst exit code that their verdicts ask for.
pub(super) fn explore(
    arguments: &ExploreArguments,
    protocols: &[&'static Protocol],
    scenarios: Option<&Path>,
    format: Format,
    out: &mut dyn Write,
) -> Result<u8, Stop> {
    if let Some(ExplorePart::Compare(comparing)) = &arguments.part {
        return compare::table(comparing, protocols, scenarios, format, out);
    }
    let name = arguments.profile.as_deref();
    let name = name.ok_or_else(|| Stop::Usage(String::from("which profile? say --profile P")))?;
    let (protocol, _) = profile(protocols, name)?;
    let candidate = candidate(protocols, &arguments.candidate)?;
    if let Some(strategy) = arguments.search.search {
        return search::search(arguments, strategy, protocol, scenarios, candidate.as_ref(), format, out);
    }
    let chosen = windows(arguments, protocol, scenarios, candidate.as_ref())?;
    let suffix = suffix(candidate.as_ref().map(Candidate::argument).as_deref(), scenarios);
    let mut code = 0;
    for Chosen { name, case, seed, schedules } in &chosen {
        let extent = &Extent::Faults { seed: *seed, schedules: *schedules };
        if interrupt::came() {
            break;
        }
        if format.is_for_people() {
            let all = count(extent.steps(), "schedule");
            let by_faults: Vec<String> = (0..=schedules.faults)
                .map(|faults| format!("{} {}", grouped(schedules.of(faults)), of(faults)))
                .collect();
            writeln!(out, "{HEAD}{name}{HEAD:#}: {all} ({}), {}", by_faults.join(", "), case.name())?;
            out.flush()?;
        }
        let watch = Stopwatch::start();
        let cases = std::slice::from_ref(case);
        let work = Work { cases, extent, candidate: candidate.as_ref(), jobs: arguments.jobs };
        let limits = Limits { failures: arguments.max_fail, ..Limits::default() };
        code = code.max(match &arguments.out {
            None => run(work, limits, &suffix, None, &arguments.evidence, format, out)?,
            Some(folder) => resume(work, &folder.join(name), &suffix, &arguments.evidence, format, out)?,
        });
        complain(DIM, "took", format!("{name}: {:.1} s", watch.us() as f64 / 1e6));
    }
    Ok(code)
}

/// What schedules with so many faults are called after their number.
fn of(faults: u32) -> String {
    match faults {
        0 => String::from("without a fault"),
        1 => String::from("of one"),
        faults => format!("of {faults}"),
    }
}

/// The windows that are explored.
fn windows(
    arguments: &ExploreArguments,
    protocol: &Protocol,
    scenarios: Option<&Path>,
    candidate: Option<&Candidate>,
) -> Result<Vec<Chosen>, Stop> {
    let folder = catalogue::folder(scenarios)?;
    let wanted = |id: &str| {
        let known = WINDOWS.iter().any(|window| window.scenario == id);
        if arguments.at.is_some() { id.starts_with(&format!("{}/", protocol.name)) } else { known }
    };
    let cases = suite::cases_for(candidate, &folder, wanted)?;
    let named = |case: &Case| {
        let name = case.name();
        let by_name = arguments.filters.is_empty() || arguments.filters.iter().any(|filter| name.contains(filter));
        by_name && Some(case.profile.name) == arguments.profile.as_deref() && case.finding().is_none()
    };
    let mut starts: Vec<(String, Start, Case)> = Vec::new();
    match arguments.at {
        Some(_) if arguments.filters.is_empty() => {
            return Err(Stop::Usage(String::from("--at needs the name of a case: `deltaproof list` prints them all")));
        }
        Some(At(start)) => {
            let plain = |name: String| name.replace(|letter: char| !letter.is_ascii_alphanumeric(), "-");
            let chosen = cases.into_iter().filter(named);
            starts.extend(chosen.map(|case| (plain(case.name()), start, case)));
        }
        None => {
            for window in WINDOWS.iter().filter(|window| window.protocol == protocol.name) {
                // Of several variants, the first.
                let mut here = cases
                    .iter()
                    .filter(|case| case.scenario.id == window.scenario)
                    .filter(|case| window.variant.is_none_or(|variant| case.variant == variant))
                    .filter(|case| named(case));
                let name = format!("{}-{}", arguments.profile.as_deref().unwrap_or_default(), window.about);
                starts.extend(here.next().map(|case| (name, window.start, case.clone())));
            }
        }
    }
    let mut chosen = Vec::new();
    for (name, start, case) in starts {
        let case = without_faults(&case);
        let seed = arguments.seed.unwrap_or(case.seeds().first().copied().unwrap_or_default());
        let Some(placed) = Placed::of(&case, seed, start) else { continue };
        let schedules = match placed.schedules(arguments.faults, arguments.datagrams) {
            Ok(schedules) => schedules,
            // A search is over the whole run.
            Err(_) if arguments.search.search.is_some() => Schedules { faults: 0, from: placed.from, datagrams: 0 },
            Err(most) => return Err(Stop::Usage(too_long(&case.name(), &placed, most))),
        };
        chosen.push(Chosen { name, case, seed, schedules });
    }
    match chosen.is_empty() {
        true => Err(Stop::Usage(String::from("no window: no such case, or nothing of that kind happens in it"))),
        false => Ok(chosen),
    }
}

/// Why a window has not as many datagrams as it was to have.
fn too_long(name: &str, placed: &Placed, most: u32) -> String {
    let Placed { from: [from_server, to_server], sent: [by_server, to] } = placed;
    let what = format!(
        "{name} begins with datagrams {from_server} and {to_server}, and its run has {by_server} from the server and {to} to it"
    );
    match most {
        0 => format!("{what}: nothing is left"),
        most => format!("{what}: say --datagrams {most}, or fewer"),
    }
}

/// Does what is missing of a window in its folder, and tells all of it.
fn resume(
    work: Work<'_>,
    folder: &Path,
    suffix: &str,
    evidence: &EvidenceArguments,
    format: Format,
    out: &mut dyn Write,
) -> Result<u8, Stop> {
    interrupt::listen();
    let path = folder.join("manifest.json");
    let fresh = Manifest::new(work.cases, work.extent.clone(), SHARD_SIZE, work.candidate.map(Candidate::argument))?;
    if path.exists() {
        let known = Manifest::read(&path)?;
        if known != fresh {
            return Err(Stop::Usage(format!(
                "{} is of another exploration, or of another build; name another folder, or remove it",
                path.display()
            )));
        }
    } else {
        std::fs::create_dir_all(folder).map_err(|error| Stop::Harness(format!("{}: {error}", folder.display())))?;
        fresh.write(&path).map_err(|error| Stop::Harness(error.to_string()))?;
    }
    let folders = [folder.to_path_buf()];
    let missing = Found::look(&fresh, &folders)?.missing(&fresh);
    if !missing.is_empty() && (missing.len() as u64) < fresh.shards {
        let (done, all) = (fresh.shards - missing.len() as u64, count(fresh.shards, "shard"));
        complain(DIM, "going on", format!("{done} of {all} are in {}", folder.display()));
    }
    let runs = |shards: &[u64]| shards.iter().map(|shard| fresh.numbers(*shard)).map(|it| it.end - it.start).sum();
    let mut meter = Meter::new(runs(&missing), None);
    for (index, shard) in missing.iter().enumerate() {
        let before: u128 = runs(&missing[..index]);
        let progress = shards::Progress { meter: &mut meter, before: before as u64, of: "of all shards" };
        // What it says goes to nobody: the result is printed as a whole.
        let done = shards::do_shard(work, &fresh, *shard, folder, progress, format, &mut std::io::sink());
        if interrupt::came() && (done.is_err() || index + 1 < missing.len()) {
            let (left, path) = (missing.len() - index - usize::from(done.is_ok()), folder.display());
            return Err(Stop::Harness(format!(
                "interrupted: {} of {} are in {path}; the same command goes on there",
                fresh.shards - left as u64,
                count(fresh.shards, "shard")
            )));
        }
        done?;
    }
    drop(meter);
    let (code, failed) = shards::merged(&fresh, &folders, suffix, None, format, out)?;
    write_evidence(evidence, failed, work.cases, work.candidate);
    Ok(code)
}
