//! What the command line can say of explorations.

use super::super::candidate::CandidateArguments;
use super::super::evidence::EvidenceArguments;
use super::super::suggest;
use super::super::values::{jobs, seed};
use crate::explore::window::Start;
use crate::sweep::schedules::{MOST_DATAGRAMS, MOST_FAULTS};
use clap::{Args, Subcommand, ValueEnum};
use std::path::PathBuf;
use std::str::FromStr;

#[derive(Debug, Args)]
#[command(args_conflicts_with_subcommands = true)]
pub(in super::super) struct ExploreArguments {
    #[command(subcommand)]
    pub part: Option<ExplorePart>,
    /// Explore only cases whose name contains one of these texts: of the protocol's windows, or with --at of all scenarios
    #[arg(value_name = "FILTER")]
    pub filters: Vec<String>,
    /// The profile
    #[arg(long, value_parser = suggest::profiles(), hide_possible_values = true)]
    pub profile: Option<String>,
    /// At most so many faults at a time: each a datagram that is lost, comes twice, or comes late
    #[arg(long, value_name = "N", default_value_t = 2, value_parser = clap::value_parser!(u32).range(0..=i64::from(MOST_FAULTS)))]
    pub faults: u32,
    /// So many datagrams of each direction make a window
    #[arg(long, value_name = "N", default_value_t = 40, value_parser = clap::value_parser!(u32).range(1..=i64::from(MOST_DATAGRAMS)))]
    pub datagrams: u32,
    /// Where windows begin: `start`, `map`, `remove`, `leave`, or the place of a datagram from 0; otherwise where the protocol's do
    #[arg(long, value_name = "WHERE")]
    pub at: Option<At>,
    /// The seed of the worlds; otherwise the first of each scenario
    #[arg(long, value_name = "N", value_parser = seed)]
    pub seed: Option<u64>,
    #[command(flatten)]
    pub search: SearchArguments,
    /// Keep what is done in DIR, a folder for each window, and go on there: for explorations of hours
    #[arg(long, value_name = "DIR")]
    pub out: Option<PathBuf>,
    /// End after the Nth failure of a window
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..), conflicts_with = "out")]
    pub max_fail: Option<u64>,
    /// Number of runs at the same time; otherwise as many as the machine has processors
    #[arg(long, value_name = "N", value_parser = jobs)]
    pub jobs: Option<usize>,
    #[command(flatten)]
    pub evidence: EvidenceArguments,
    #[command(flatten)]
    pub candidate: CandidateArguments,
}

/// What is no exploration of a window.
#[derive(Debug, Subcommand)]
pub(in super::super) enum ExplorePart {
    /// Compare searches by the mutants that random schedules kill last: datagrams until each is killed
    Compare(CompareArguments),
}

/// Where windows begin.
#[derive(Clone, Copy, Debug)]
pub(in super::super) struct At(pub Start);

impl FromStr for At {
    type Err = String;

    fn from_str(text: &str) -> Result<At, String> {
        match text {
            "start" => Ok(At(Start::Datagram(0))),
            "map" => Ok(At(Start::Map)),
            "remove" => Ok(At(Start::Remove)),
            "leave" => Ok(At(Start::Leave)),
            place => place
                .parse()
                .map(|place| At(Start::Datagram(place)))
                .map_err(|_| String::from("write start, map, remove, leave, or the place of a datagram, such as 64")),
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(in super::super) enum StrategyArgument {
    /// Some faults anywhere, each time again
    Random,
    /// Made of schedules that reached something new
    Guided,
}

#[derive(Clone, Debug, Args)]
pub(in super::super) struct SearchArguments {
    /// Instead of every schedule, try schedules of this kind over the whole run, until one fails or --budget is used
    #[arg(long, value_enum, conflicts_with_all = ["faults", "datagrams", "out", "max_fail"])]
    pub search: Option<StrategyArgument>,
    /// A search ends after so many datagrams
    #[arg(long, value_name = "N", default_value_t = 2_000_000, requires = "search")]
    pub budget: u64,
    /// What the draws of a search begin with; otherwise drawn at random, and printed
    #[arg(long, value_name = "N", value_parser = seed, requires = "search")]
    pub draws: Option<u64>,
}

#[derive(Debug, Args)]
pub(in super::super) struct CompareArguments {
    /// Compare only mutants whose name, requirement or scenario contains one of these texts
    #[arg(value_name = "FILTER")]
    pub filters: Vec<String>,
    /// So many mutants: those that random schedules kill last
    #[arg(long, value_name = "N", default_value_t = 50)]
    pub most: usize,
    /// A search ends after so many datagrams
    #[arg(long, value_name = "N", default_value_t = 200_000)]
    pub budget: u64,
    /// Searches by chance are done so often; the one in the middle counts
    #[arg(long, value_name = "N", default_value_t = 3)]
    pub repeat: u64,
    /// Number of searches at the same time; otherwise as many as the machine has processors
    #[arg(long, value_name = "N", value_parser = jobs)]
    pub jobs: Option<usize>,
}
