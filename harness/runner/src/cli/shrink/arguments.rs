//! What the command line can say of failures that are made smaller.

use super::super::candidate::CandidateArguments;
use super::super::values::seed;
use clap::Args;
use std::path::PathBuf;

#[derive(Debug, Args)]
pub(in super::super) struct ShrinkArguments {
    /// A folder of evidence, as `--evidence` writes it, or a case; with --mutants, parts of their names
    #[arg(value_name = "WHAT", required_unless_present = "mutants")]
    pub what: Vec<String>,
    /// The seed of the case
    #[arg(long, value_name = "N", value_parser = seed, conflicts_with = "mutants")]
    pub seed: Option<u64>,
    /// Write the evidence of a case below DIR
    #[arg(long, value_name = "DIR", default_value = "evidence", conflicts_with = "mutants")]
    pub evidence: PathBuf,
    /// Instead, make the runs small in which mutants are killed, and print how small each became
    #[arg(long)]
    pub mutants: bool,
    /// Of the mutants, only so many of each protocol that need a fault to be killed
    #[arg(long, value_name = "N", requires = "mutants")]
    pub most: Option<usize>,
    #[command(flatten)]
    pub candidate: CandidateArguments,
}
