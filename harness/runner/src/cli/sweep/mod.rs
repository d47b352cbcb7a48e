//! `sweep`: many seeds, on all processors or on many machines.

pub(super) mod arguments;
pub(super) mod shards;
pub(super) mod tell;
mod watch;

use super::evidence::{EvidenceArguments, Found};
use super::output::{DIM, Format, Stop, complain};
use super::{candidate, catalogue, interrupt};
use crate::candidate::Candidate;
use crate::report::folder::FolderError;
use crate::scenario::{Alteration, Case};
use crate::suite::{self, Selection};
use crate::sweep::engine::{self, Work};
use crate::sweep::extent::Extent;
use crate::sweep::manifest::{PlanError, SweepError};
use crate::sweep::summary::Fold;
use arguments::{SweepArguments, SweepPart, SweepSelection};
use kit::Protocol;
use std::fmt::Display;
use std::io::Write;
use std::path::Path;
use tell::{Failed, Teller};
pub(super) use watch::Limits;
use watch::Watch;

/// Seeds are drawn below this, so that every reader of JSON keeps them as they are.
const DRAWN_BELOW: u64 = 1 << 48;

impl From<SweepError> for Stop {
    fn from(error: SweepError) -> Stop {
        match error {
            SweepError::Write { .. } => Stop::Harness(error.to_string()),
            SweepError::Read { .. } | SweepError::Wrong { .. } => Stop::Usage(error.to_string()),
        }
    }
}

impl From<PlanError> for Stop {
    fn from(error: PlanError) -> Stop {
        match error {
            PlanError::File(error) => error.into(),
            PlanError::Shards(_) => Stop::Usage(error.to_string()),
        }
    }
}

impl From<FolderError> for Stop {
    fn from(error: FolderError) -> Stop {
        Stop::Harness(error.to_string())
    }
}

/// Sweeps, or does what belongs to a sweep in parts. Returns the exit code that the verdicts ask for.
pub(super) fn sweep(
    arguments: &SweepArguments,
    protocols: &[&'static Protocol],
    scenarios: Option<&Path>,
    format: Format,
    out: &mut dyn Write,
) -> Result<u8, Stop> {
    match &arguments.part {
        Some(SweepPart::Plan(plan)) => return shards::plan(plan, protocols, scenarios, format, out),
        Some(SweepPart::Shard(shard)) => return shards::shard(shard, protocols, scenarios, format, out),
        Some(SweepPart::Merge(merge)) => return shards::merge(merge, scenarios, format, out),
        Some(SweepPart::Missing(missing)) => return shards::missing(missing, format, out),
        None => {}
    }
    let (first, last) = match (arguments.seeds, arguments.time) {
        (Some(seeds), _) => seeds,
        (None, Some(_)) => {
            let first = rand::random::<u64>() % DRAWN_BELOW;
            complain(
                DIM,
                "seeds",
                format!("from {first} on, drawn at random; the last line says how far they went, for --seeds"),
            );
            (first, u64::MAX)
        }
        (None, None) => {
            return Err(Stop::Usage(String::from(
                "how far? say --seeds A..B, or --time 10m for seeds that are drawn at random, or both",
            )));
        }
    };
    let (cases, candidate) = chosen(&arguments.selection, protocols, scenarios)?;
    let extent = Extent::Seeds { first, last };
    let work = Work { cases: &cases, extent: &extent, candidate: candidate.as_ref(), jobs: arguments.jobs };
    let limits = Limits { time: arguments.time.map(|span| span.0), failures: arguments.max_fail };
    let suffix = suffix(candidate.as_ref().map(Candidate::argument).as_deref(), scenarios);
    run(work, limits, &suffix, arguments.out.as_deref(), &arguments.evidence, format, out)
}

/// Does all runs of `work`, and tells of them while they are done and at the end.
pub(super) fn run(
    work: Work<'_>,
    limits: Limits,
    suffix: &str,
    file: Option<&Path>,
    evidence: &EvidenceArguments,
    format: Format,
    out: &mut dyn Write,
) -> Result<u8, Stop> {
    interrupt::listen();
    let teller = Teller::new(Fold::new(suffix), file, format, out)?;
    let mut watch = Watch::new(teller, work, limits);
    engine::sweep(work, 0..work.runs(), &mut watch);
    let (teller, end) = watch.finish()?;
    // A sweep that ends by its own limits is as complete as it was to be, but not the whole range.
    let complete = u128::from(teller.runs()) == work.runs();
    let failed = (teller.failed(), teller.failures());
    let code = teller.finish(complete)?;
    if let Some(end) = end.filter(|_| !complete) {
        complain(DIM, "ended", end);
    }
    write_evidence(evidence, failed, work.cases, work.candidate);
    Ok(code)
}

/// Writes the evidence of what failed, if it is asked for: of these failures, of so many.
pub(super) fn write_evidence(
    evidence: &EvidenceArguments,
    (failed, failures): (Vec<Failed>, u64),
    cases: &[Case],
    candidate: Option<&Candidate>,
) {
    let found = failed.into_iter().filter_map(|failed| {
        let (_, alteration) = Alteration::split(&failed.case)?;
        let with = |case: &Case| Case { alteration: alteration.clone(), ..case.clone() };
        let case = cases.iter().map(with).find(|case| case.name() == failed.case)?;
        Some(Found { case, seed: failed.seed, failed: failed.what })
    });
    evidence.write(found.collect(), failures, candidate);
}

/// The cases that are chosen, and what takes the place of the reference.
fn chosen(
    selection: &SweepSelection,
    protocols: &[&'static Protocol],
    scenarios: Option<&Path>,
) -> Result<(Vec<Case>, Option<Candidate>), Stop> {
    let folder = catalogue::folder(scenarios)?;
    selection.profile.as_ref().map(|name| super::profile(protocols, name)).transpose()?;
    let candidate = candidate(protocols, &selection.candidate)?;
    let selection = Selection {
        filters: selection.filters.clone(),
        profile: selection.profile.clone(),
        candidate: candidate.clone(),
        ..Selection::default()
    };
    let cases = suite::select(&folder, &selection)?;
    if cases.is_empty() {
        let filters = selection.filters.join(" ");
        return Err(Stop::Usage(format!("no case matches `{filters}`; `deltaproof list` prints them all")));
    }
    Ok((cases, candidate))
}

/// What stands after `replay CASE --seed N`.
pub(super) fn suffix(candidate: Option<&str>, scenarios: Option<&Path>) -> String {
    let candidate = candidate.map_or(String::new(), |argument| format!(" {argument}"));
    candidate + &catalogue::argument(scenarios)
}

/// So many of something: `1 run`, `12,345 runs`.
pub(super) fn count(number: impl Display, what: &str) -> String {
    let digits = grouped(number);
    let plural = if digits == "1" { "" } else { "s" };
    format!("{digits} {what}{plural}")
}

/// A number in groups of three digits: `12,345`.
pub(super) fn grouped(number: impl Display) -> String {
    let digits = number.to_string();
    let mut text = String::new();
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_written_in_groups_of_three_digits() {
        assert_eq!(count(1, "run"), "1 run");
        assert_eq!(count(0, "run"), "0 runs");
        assert_eq!(count(999, "seed"), "999 seeds");
        assert_eq!(count(1_234_567, "datagram"), "1,234,567 datagrams");
        assert_eq!(count(1_u128 << 64, "seed"), "18,446,744,073,709,551,616 seeds");
    }

    #[test]
    fn replay_lines_name_the_candidate_and_the_folder_of_scenarios() {
        assert_eq!(suffix(None, None), "");
        assert_eq!(
            suffix(Some("--server fte/x"), Some(Path::new("my scenarios"))),
            " --server fte/x --scenarios 'my scenarios'"
        );
    }
}
