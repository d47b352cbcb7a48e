//! A failure as data: `verdict.json`.

use crate::candidate::Candidate;
use crate::judge::Judgement;
use crate::report::{FindingReport, Verdict};
use crate::scenario::Alteration;
use crate::scenario::Case;
use crate::shrink::{self, Failed, Shrunk};
use crate::suite;
use kit::Knowledge;
use serde::{Deserialize, Serialize};

/// The form of the file that is written, and the only one that is read.
const FORMAT: u32 = 1;
/// Names of folders have at most so many letters before the hash.
const MOST_NAME: usize = 100;

/// A failure, and what was made of it.
#[derive(Clone, Debug, Serialize)]
pub struct Record {
    /// Where it comes from.
    #[serde(flatten)]
    pub origin: Origin,
    /// The judgement.
    pub verdict: Verdict,
    /// The requirement that is violated, or the verdict.
    pub failed: String,
    /// Why, in a sentence.
    pub reason: String,
    /// All violations of the run.
    pub findings: Vec<FindingReport>,
    /// Hash of all that happened.
    pub trace_hash: String,
    /// The run made smaller.
    pub minimal: Option<Smaller>,
    /// Why there is none smaller; empty where there is one.
    pub not_smaller: String,
}

/// The run that failed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Origin {
    /// The form of this file: 1.
    pub evidence: u32,
    pub case: String,
    pub seed: u64,
    /// What took the place of the reference, as the command line says it.
    pub candidate: Option<String>,
    /// Whether the oracle knew nothing of the server's world.
    pub blind: bool,
    /// Whether it was a live session, which cannot be done again.
    #[serde(default)]
    pub live: bool,
}

/// A smaller run that fails in the same way.
#[derive(Clone, Debug, Serialize)]
pub struct Smaller {
    pub case: String,
    /// Datagrams that met a fault before.
    pub faults_before: usize,
    /// Its faults: a row of datagrams that are lost is one.
    pub faults: usize,
    /// Datagrams that meet one of them.
    pub datagrams_met: usize,
    /// Whether no single one of these can be left out.
    pub one_minimal: bool,
    /// How it fails: the violations.
    pub findings: Vec<FindingReport>,
    /// Hash of all that happens.
    pub trace_hash: String,
    /// Runs that were tried.
    pub runs: u64,
    /// Datagrams sent in them.
    pub datagrams: u64,
}

impl Record {
    /// Of a run that failed.
    pub(super) fn of(
        failed: Failed<'_>,
        judgement: &Judgement,
        shrunk: Option<&Shrunk>,
        not_smaller: Option<String>,
    ) -> Record {
        let (verdict, reason) = suite::verdict(failed.case, judgement);
        let name = shrink::Failure::of(failed.case, judgement).map_or(verdict.name(), |failure| failure.name());
        let findings = |judgement: &Judgement| judgement.findings.iter().map(FindingReport::from).collect();
        Record {
            origin: Origin {
                evidence: FORMAT,
                case: failed.case.name(),
                seed: failed.seed,
                candidate: failed.candidate.map(Candidate::argument),
                blind: failed.case.knowledge == Knowledge::Wire,
                live: false,
            },
            verdict,
            failed: String::from(name),
            reason,
            findings: findings(judgement),
            trace_hash: format!("{:016x}", judgement.trace_hash),
            minimal: shrunk.map(|shrunk| Smaller {
                case: shrunk.case.name(),
                faults_before: shrunk.faults_before,
                faults: shrunk.faults,
                datagrams_met: shrunk.datagrams_met,
                one_minimal: shrunk.minimal,
                findings: findings(&shrunk.judgement),
                trace_hash: format!("{:016x}", shrunk.judgement.trace_hash),
                runs: shrunk.runs,
                datagrams: shrunk.datagrams,
            }),
            not_smaller: not_smaller.unwrap_or_default(),
        }
    }

    /// The text of the file.
    pub(super) fn text(&self) -> String {
        serde_json::to_string_pretty(self).unwrap_or_default() + "\n"
    }

    /// Letters, digits, `-`, `.` and `_`, not too many, and a hash by which two failures never share one.
    pub(super) fn folder_name(&self) -> String {
        let origin = &self.origin;
        let name = format!("{}-seed-{}-{}", origin.case, origin.seed, self.failed);
        let all = format!("{name} {:?} {}", origin.candidate, origin.blind);
        plain_name(&name, all.as_bytes())
    }

    /// How much smaller the run became.
    pub fn summary(&self) -> String {
        let failed = &self.failed;
        let Some(minimal) = &self.minimal else { return format!("{failed}: not made smaller, {}", self.not_smaller) };
        let perhaps = if minimal.one_minimal { "" } else { ", and perhaps fewer" };
        let faults = match minimal.faults {
            0 => String::from("fails without any fault"),
            1 => String::from("1 fault"),
            faults => format!("{faults} faults"),
        };
        let (before, met) = (minimal.faults_before, minimal.datagrams_met);
        format!("{failed}: {faults}{perhaps}; datagrams that meet one: {met} of {before}")
    }

    /// The command line after `deltaproof` that does the smallest run again, in a folder of scenarios called `folder`.
    pub fn again(&self, folder: &str) -> String {
        let origin = &self.origin;
        let candidate = origin.candidate.as_ref().map_or(String::new(), |candidate| format!(" {candidate}"));
        if self.minimal.is_some() {
            let knowledge = if origin.blind { " --knowledge wire" } else { "" };
            return format!("run {}@ --scenarios {folder} --no-report{knowledge}{candidate}", shrink::document::NAME);
        }
        let (_, rest) = origin.case.split_once('@').unwrap_or_default();
        format!("replay 'scenario@{rest}' --seed {} --scenarios {folder}{candidate}", origin.seed)
    }
}

/// A name for a folder: of letters, digits, `-`, `.` and `_`, and not too many, with a hash of `all` after it.
pub(super) fn plain_name(name: &str, all: &[u8]) -> String {
    let plain = |letter: char| if letter.is_ascii_alphanumeric() || "._".contains(letter) { letter } else { '-' };
    let plain: String = name.chars().map(plain).take(MOST_NAME).collect();
    format!("{plain}-{}", &blake3::hash(all).to_hex()[..8])
}

impl Origin {
    /// Of a live session.
    pub(super) fn live(case: &Case, seed: u64) -> Origin {
        Origin { evidence: FORMAT, case: case.name(), seed, candidate: None, blind: true, live: true }
    }

    /// Reads it from the text of a `verdict.json`.
    ///
    /// # Errors
    /// Why it is none.
    pub fn read(text: &str) -> Result<Origin, String> {
        let origin: Origin = serde_json::from_str(text).map_err(|error| format!("is no evidence of ours: {error}"))?;
        match origin.evidence {
            FORMAT => Ok(origin),
            other => Err(format!("is evidence of format {other}; this program knows {FORMAT}")),
        }
    }

    /// The scenario, the profile with the variant, `fte-nq[client_fte2=0x8]`, and what the network does otherwise.
    pub fn parts(&self) -> Option<(&str, &str, Alteration)> {
        let (name, alteration) = Alteration::split(&self.case)?;
        let (scenario, rest) = name.split_once('@')?;
        Some((scenario, rest, alteration))
    }
}
