//! `--evidence`: a folder for each failure, of those that a command has found.

use super::interrupt;
use super::output::{BAD, DIM, WARN, complain, many};
use super::progress::Bar;
use crate::candidate::Candidate;
use crate::evidence::{self, Bundle};
use crate::scenario::Case;
use crate::shrink::Failed;
use clap::Args;
use std::collections::BTreeSet;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

/// A command writes at most so many folders: each is some seconds of work.
pub(super) const MOST: usize = 20;

#[derive(Debug, Default, Args)]
pub(in super::super) struct EvidenceArguments {
    /// Write a folder below DIR for each failure, with the run made as small as it gets; none is written without it
    #[arg(long, value_name = "DIR")]
    pub evidence: Option<PathBuf>,
}

/// A run that failed.
#[derive(Clone, Debug)]
pub(super) struct Found {
    /// Its case.
    pub case: Case,
    /// Its seed.
    pub seed: u64,
    /// What it failed: those that fail something new come first.
    pub failed: String,
}

impl EvidenceArguments {
    /// Writes the folders, if they are asked for, and says where they are. There are so many failures in all, of which some were
    /// found to be kept. A folder that cannot be written is complained of, and stops no other.
    pub(super) fn write(&self, found: Vec<Found>, failures: u64, candidate: Option<&Candidate>) {
        let Some(parent) = &self.evidence else { return };
        let chosen = varied(found);
        let bar = Bar::new();
        // What ended the search for failures does not end this; what comes now does.
        interrupt::listen();
        let before = interrupt::again();
        let mut tried = 0;
        for found in &chosen {
            if interrupt::times() > before {
                complain(DIM, "ended", "interrupted");
                break;
            }
            bar.set(tried, chosen.len() as u64, &found.case.name());
            let (bundle, _) = evidence::collect(Failed { case: &found.case, seed: found.seed, candidate });
            tell(parent, &bundle);
            tried += 1;
        }
        let left = failures.saturating_sub(tried);
        if left > 0 {
            let all = many(failures as usize, "failure");
            complain(WARN, "evidence", format!("{left} of {all} have no folder; `shrink CASE --seed N` makes one"));
        }
    }
}

/// At most [`MOST`], for each thing that is failed one before a second one for any.
fn varied(found: Vec<Found>) -> Vec<Found> {
    let mut known = BTreeSet::new();
    let (mut first, others): (Vec<Found>, Vec<Found>) =
        found.into_iter().partition(|found| known.insert(found.failed.clone()));
    first.extend(others);
    first.truncate(MOST);
    first
}

/// Writes a folder, and says where it is, or why it is not.
pub(super) fn tell(parent: &Path, bundle: &Bundle) {
    match evidence::write(parent, bundle) {
        Ok(folder) => complain(DIM, "evidence", format!("{}  {}", folder.display(), bundle.what)),
        // What is there already says so itself.
        Err(error) if error.error.kind() == ErrorKind::AlreadyExists => complain(BAD, "error", error),
        Err(error) => complain(BAD, "error", format!("{error}; name a folder for --evidence that can be written")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scenario;
    use std::path::Path;

    #[test]
    fn each_thing_that_is_failed_has_a_folder_before_any_has_two() {
        let text = scenario::read(Path::new("built-in scenarios/nvs/moves.yaml")).expect("it is there");
        let scenario = scenario::parse("nvs/moves", Path::new("moves.yaml"), &text).expect("it is read");
        let case = scenario::cases(&std::sync::Arc::new(scenario)).remove(0);
        let found = |seed, failed: &str| Found { case: case.clone(), seed, failed: String::from(failed) };
        let seeds = |found: Vec<Found>| varied(found).iter().map(|found| found.seed).collect::<Vec<_>>();
        assert_eq!(seeds(vec![found(1, "a"), found(2, "a"), found(3, "b")]), [1, 3, 2]);
        assert_eq!(seeds((0..100).map(|seed| found(seed, "a")).collect()).len(), MOST);
    }
}
