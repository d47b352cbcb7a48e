//! What the command line can say of sweeps.

use super::super::candidate::CandidateArguments;
use super::super::evidence::EvidenceArguments;
use super::super::values::{jobs, seed_range};
use clap::{Args, Subcommand};
use std::path::PathBuf;
use std::str::FromStr;
use std::time::Duration;

#[derive(Debug, Args)]
#[command(args_conflicts_with_subcommands = true)]
pub(in super::super) struct SweepArguments {
    #[command(subcommand)]
    pub part: Option<SweepPart>,
    #[command(flatten)]
    pub selection: SweepSelection,
    /// Every seed from A to B
    #[arg(long, value_name = "A..B", value_parser = seed_range)]
    pub seeds: Option<(u64, u64)>,
    /// End after this time, such as 90s, 10m or 2h. Without --seeds, seeds are those after one drawn at random, which is printed
    #[arg(long, value_name = "TIME")]
    pub time: Option<Span>,
    /// End after the Nth failure
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    pub max_fail: Option<u64>,
    /// Number of runs at the same time; otherwise as many as the machine has processors
    #[arg(long, value_name = "N", value_parser = jobs)]
    pub jobs: Option<usize>,
    /// Write a line of JSON for every run to FILE, and the summary
    #[arg(long, value_name = "FILE")]
    pub out: Option<PathBuf>,
    #[command(flatten)]
    pub evidence: EvidenceArguments,
}

/// What is run.
#[derive(Debug, Args)]
pub(in super::super) struct SweepSelection {
    /// Run only cases whose name contains one of these texts
    pub filters: Vec<String>,
    /// Run this profile only
    #[arg(long)]
    pub profile: Option<String>,
    #[command(flatten)]
    pub candidate: CandidateArguments,
}

/// A sweep in parts, which other machines can do: plan it, run every shard, merge them.
#[derive(Debug, Subcommand)]
pub(in super::super) enum SweepPart {
    /// Write the manifest of a sweep that is done in shards
    Plan(PlanArguments),
    /// Run one shard of a manifest; one that is there as a whole is skipped
    Shard(ShardArguments),
    /// Put the shards together, if every run is there exactly once
    Merge(MergeArguments),
    /// Print which shards are missing, as job arrays want it: 3,7-9. Exit code 1 if there are any
    Missing(MissingArguments),
}

#[derive(Debug, Args)]
pub(in super::super) struct PlanArguments {
    #[command(flatten)]
    pub selection: SweepSelection,
    /// Every seed from A to B
    #[arg(long, value_name = "A..B", value_parser = seed_range)]
    pub seeds: (u64, u64),
    /// So many seeds make a shard; best is half a minute of work or more
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    pub shard_size: u64,
    /// Where the manifest goes
    #[arg(long, value_name = "FILE", default_value = "manifest.json")]
    pub out: PathBuf,
}

#[derive(Debug, Args)]
pub(in super::super) struct ShardArguments {
    /// The manifest
    #[arg(long, value_name = "FILE")]
    pub manifest: PathBuf,
    /// The number of the shard, from 0; otherwise HQ_TASK_ID, JOB_COMPLETION_INDEX or SLURM_ARRAY_TASK_ID
    #[arg(long, value_name = "N")]
    pub index: Option<u64>,
    /// The folder for the shard's file
    #[arg(long, value_name = "DIR")]
    pub out: PathBuf,
    /// Number of runs at the same time; otherwise as many as the machine has processors
    #[arg(long, value_name = "N", value_parser = jobs)]
    pub jobs: Option<usize>,
    #[command(flatten)]
    pub candidate: CandidateArguments,
}

#[derive(Debug, Args)]
pub(in super::super) struct MergeArguments {
    /// The manifest
    #[arg(long, value_name = "FILE")]
    pub manifest: PathBuf,
    /// The folders with the shards' files
    #[arg(value_name = "DIR", required = true)]
    pub folders: Vec<PathBuf>,
    /// Write a line of JSON for every run to FILE, and the summary
    #[arg(long, value_name = "FILE")]
    pub out: Option<PathBuf>,
}

#[derive(Debug, Args)]
pub(in super::super) struct MissingArguments {
    /// The manifest
    #[arg(long, value_name = "FILE")]
    pub manifest: PathBuf,
    /// The folders with the shards' files
    #[arg(value_name = "DIR", required = true)]
    pub folders: Vec<PathBuf>,
}

/// A length of wall time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in super::super) struct Span(pub Duration);

impl FromStr for Span {
    type Err = String;

    fn from_str(text: &str) -> Result<Span, String> {
        let units = [("min", 60), ("m", 60), ("h", 3600), ("s", 1)];
        let found = units.iter().find_map(|(unit, seconds)| Some((text.strip_suffix(unit)?, seconds)));
        let (number, seconds) = found.ok_or("write a time such as 90s, 10m or 2h")?;
        let number: u64 = number.trim().parse().map_err(|_| "write a time such as 90s, 10m or 2h")?;
        match number.checked_mul(*seconds) {
            Some(0) => Err(String::from("no time at all")),
            Some(seconds) => Ok(Span(Duration::from_secs(seconds))),
            None => Err(String::from("longer than anything")),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_have_a_number_and_a_unit() {
        let seconds = |text: &str| text.parse::<Span>().map(|span| span.0.as_secs());
        assert_eq!(["90s", "10m", "10min", "2h"].map(seconds), [Ok(90), Ok(600), Ok(600), Ok(7200)]);
        for wrong in ["10", "m", "-1s", "1.5h", "0s", "18446744073709551615h"] {
            assert!(seconds(wrong).is_err(), "{wrong}");
        }
    }
}
