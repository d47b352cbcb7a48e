//! What a sweep found out: the same from the runs themselves and from the rows that were kept of them.

use super::row::Row;
use crate::registry::PROTOCOLS;
use crate::report::Verdict;
use serde::Serialize;
use std::collections::{BTreeMap, BTreeSet};

/// All runs of a sweep, counted.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Summary {
    /// Whether all runs were done that the sweep was to have.
    pub complete: bool,
    pub runs: u64,
    /// Number of cases, each with its schedules of faults.
    pub cases: usize,
    /// The first and the last seed, if there was a run.
    pub seeds: Option<(u64, u64)>,
    /// Runs by verdict.
    pub verdicts: BTreeMap<&'static str, u64>,
    /// Runs that somebody has to look at.
    pub failures: u64,
    /// What was wrong.
    pub groups: Vec<Group>,
    /// Cases whose runs all failed to show what they are about.
    pub always_vacuous: Vec<String>,
    /// Datagrams sent.
    pub datagrams: u64,
    /// Of those, the ones that were lost.
    pub lost: u64,
    /// Of those, the ones that were given a second copy.
    pub duplicated: u64,
    /// Of those, the ones that arrived after a datagram sent later.
    pub reordered: u64,
    /// Hash over all rows, 32 hex digits.
    pub result_hash: String,
    /// The exit code that the verdicts ask for.
    pub exit_code: u8,
}

/// Failures of one kind.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Group {
    /// The requirement that was violated, or the verdict that is no violation of one.
    pub failed: String,
    /// How binding the requirement is; empty for a verdict.
    pub level: String,
    pub runs: u64,
    /// Number of cases, schedules of faults not counted.
    pub cases: usize,
    pub seeds: u64,
    /// The first run, which has the smallest seed and the fewest faults.
    pub example: Example,
}

/// A run that shows what a group is about.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Example {
    pub case: String,
    pub seed: u64,
    /// What was expected and what was seen.
    pub reason: String,
    /// The command line that does the run again.
    pub replay: String,
}

/// Makes a summary of rows, one after the other.
pub struct Fold {
    /// What stands after `replay CASE --seed N`, such as ` --server NAME`.
    suffix: String,
    summary: Summary,
    groups: BTreeMap<String, Counted>,
    /// Runs by case, and how many of them were vacuous.
    cases: BTreeMap<String, (u64, u64)>,
    hash: blake3::Hasher,
}

struct Counted {
    group: Group,
    cases: BTreeSet<String>,
    last_seed: u64,
}

impl Fold {
    /// Before the first row. `suffix` stands after `replay CASE --seed N` in replay lines.
    pub fn new(suffix: &str) -> Fold {
        let summary = Summary {
            complete: false,
            runs: 0,
            cases: 0,
            seeds: None,
            verdicts: BTreeMap::new(),
            failures: 0,
            groups: Vec::new(),
            always_vacuous: Vec::new(),
            datagrams: 0,
            lost: 0,
            duplicated: 0,
            reordered: 0,
            result_hash: String::new(),
            exit_code: 0,
        };
        let (groups, cases) = (BTreeMap::new(), BTreeMap::new());
        Fold { suffix: String::from(suffix), summary, groups, cases, hash: blake3::Hasher::new() }
    }

    /// Adds the next row, which is this `line`.
    pub fn add(&mut self, row: &Row, line: &str) {
        self.hash.update(line.as_bytes());
        self.hash.update(b"\n");
        let summary = &mut self.summary;
        summary.runs += 1;
        let first = summary.seeds.map_or(row.seed, |(first, _)| first);
        summary.seeds = Some((first, row.seed));
        *summary.verdicts.entry(row.verdict.name()).or_default() += 1;
        summary.failures += u64::from(row.is_failure());
        summary.datagrams += row.datagrams;
        summary.lost += row.lost;
        summary.duplicated += row.duplicated;
        summary.reordered += row.reordered;
        if row.is_failure() {
            summary.exit_code = summary.exit_code.max(row.verdict.exit_code());
        }
        let vacuous = u64::from(row.verdict == Verdict::Vacuous);
        match self.cases.get_mut(base(&row.case)) {
            Some((runs, of_them)) => (*runs, *of_them) = (*runs + 1, *of_them + vacuous),
            None => {
                self.cases.insert(String::from(base(&row.case)), (1, vacuous));
            }
        }
        for failed in row.failed() {
            self.count(failed, row);
        }
    }

    fn count(&mut self, failed: &str, row: &Row) {
        let counted = self.groups.entry(String::from(failed)).or_insert_with(|| Counted {
            group: Group {
                failed: String::from(failed),
                level: level(failed),
                runs: 0,
                cases: 0,
                seeds: 0,
                example: Example {
                    case: row.case.clone(),
                    seed: row.seed,
                    reason: row.reason.clone(),
                    replay: replay(&row.case, row.seed, &self.suffix),
                },
            },
            cases: BTreeSet::new(),
            last_seed: row.seed,
        });
        // Rows come in the order of their seeds.
        counted.group.seeds += u64::from(counted.group.runs == 0 || counted.last_seed != row.seed);
        counted.group.runs += 1;
        counted.last_seed = row.seed;
        if !counted.cases.contains(base(&row.case)) {
            counted.cases.insert(String::from(base(&row.case)));
        }
    }

    /// The line that does a run again.
    pub fn replay(&self, row: &Row) -> String {
        replay(&row.case, row.seed, &self.suffix)
    }

    /// How many runs asked for a look.
    pub fn failures(&self) -> u64 {
        self.summary.failures
    }

    /// How many runs there were.
    pub fn runs(&self) -> u64 {
        self.summary.runs
    }

    /// The summary of all rows, which are all that there were to be or not. What is seen in the most seeds comes first, obligations
    /// before recommendations.
    pub fn finish(mut self, complete: bool) -> Summary {
        let groups = self.groups.into_values();
        let mut groups: Vec<Group> =
            groups.map(|Counted { group, cases, .. }| Group { cases: cases.len(), ..group }).collect();
        groups.sort_by_key(|group| (group.level.starts_with("SHOULD"), std::cmp::Reverse(group.runs)));
        let vacuous = self.cases.iter().filter(|(_, (runs, vacuous))| runs == vacuous);
        self.summary.always_vacuous = vacuous.map(|(case, _)| case.clone()).collect();
        // A sweep that showed nothing proves nothing.
        if self.cases.len() == self.summary.always_vacuous.len() {
            self.summary.exit_code = self.summary.exit_code.max(Verdict::Vacuous.exit_code());
        }
        let hash = self.hash.finalize().to_hex()[..32].to_string();
        Summary { complete, cases: self.cases.len(), groups, result_hash: hash, ..self.summary }
    }
}

/// The command line that does a run again.
pub fn replay(case: &str, seed: u64, suffix: &str) -> String {
    // Brackets mean something to a shell.
    let quote = if case.contains('[') { "'" } else { "" };
    format!("deltaproof replay {quote}{case}{quote} --seed {seed}{suffix}")
}

/// The name of a case without the faults after it.
fn base(case: &str) -> &str {
    case.split('+').next().unwrap_or(case)
}

/// How binding a requirement is; empty for a verdict.
fn level(id: &str) -> String {
    let mut all = PROTOCOLS.iter().flat_map(|protocol| protocol.requirements);
    all.find(|requirement| requirement.id == id).map_or(String::new(), |requirement| requirement.level.to_string())
}
