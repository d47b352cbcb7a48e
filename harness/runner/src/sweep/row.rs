//! What a sweep keeps of a run: a line of JSON.

use crate::candidate::Candidate;
use crate::judge::{Judgement, Keep};
use crate::report::Verdict;
use crate::scenario::Case;
use crate::suite;
use serde::{Deserialize, Serialize};

/// Reasons are cut off after so many bytes.
const MOST_REASON: usize = 400;

/// One run.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Row {
    /// The case's name.
    pub case: String,
    pub seed: u64,
    /// The judgement.
    pub verdict: Verdict,
    /// The requirements that were violated, of each finding the one that fits best: obligations first, then in the order of finding.
    pub requirements: Vec<String>,
    /// Datagrams sent.
    pub datagrams: u64,
    /// Of those, the ones that were lost.
    pub lost: u64,
    /// Of those, the ones that were given a second copy.
    pub duplicated: u64,
    /// Of those, the ones that arrived after a datagram sent later.
    pub reordered: u64,
    /// Hash of all that happened.
    pub trace_hash: String,
    /// What was expected and what was seen; only where something is wrong.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub reason: String,
}

impl Row {
    /// Runs a case and judges it.
    pub fn run(case: &Case, seed: u64, candidate: Option<&Candidate>) -> Row {
        Row::of(case, seed, &Candidate::judge(candidate, case, seed, Keep::Verdict))
    }

    /// What is kept of a judgement.
    pub fn of(case: &Case, seed: u64, judgement: &Judgement) -> Row {
        let (verdict, reason) = suite::verdict(case, judgement);
        let mut findings: Vec<&kit::Finding> = judgement.findings.iter().collect();
        findings.sort_by_key(|finding| !finding.requirement().level.is_must());
        let mut requirements: Vec<String> = Vec::new();
        for finding in &findings {
            let id = finding.requirement().id;
            if !requirements.iter().any(|known| known == id) {
                requirements.push(String::from(id));
            }
        }
        let reason = match (verdict, findings.first()) {
            (Verdict::Fail | Verdict::FailShould, Some(worst)) => {
                format!("{} at {}: {}", worst.host, worst.at, worst.what)
            }
            (verdict, _) if is_failure(verdict) => reason,
            _ => String::new(),
        };
        Row {
            case: case.name(),
            seed,
            verdict,
            requirements,
            datagrams: judgement.datagrams,
            lost: judgement.traffic.lost_total(),
            duplicated: judgement.traffic.duplicated,
            reordered: judgement.traffic.reordered,
            trace_hash: format!("{:016x}", judgement.trace_hash),
            reason: shortened(reason),
        }
    }

    /// Whether somebody has to look at it.
    pub fn is_failure(&self) -> bool {
        is_failure(self.verdict)
    }

    /// What it failed, and what failures are grouped by: requirements, or else its verdict. Empty for a run that is in order.
    pub fn failed(&self) -> Vec<&str> {
        match self.verdict {
            Verdict::Fail | Verdict::FailShould => self.requirements.iter().map(String::as_str).collect(),
            verdict if is_failure(verdict) => vec![verdict.name()],
            _ => Vec::new(),
        }
    }

    /// The row as a line, without its end.
    ///
    /// # Errors
    /// None that is known: a row has nothing that JSON cannot say.
    pub fn line(&self) -> serde_json::Result<String> {
        serde_json::to_string(self)
    }
}

/// Whether a verdict asks for a look. A run that did not show what its scenario is about does not: the scenario promises that for its
/// own seeds alone.
pub fn is_failure(verdict: Verdict) -> bool {
    verdict.is_bad() && verdict != Verdict::Vacuous
}

fn shortened(mut reason: String) -> String {
    if reason.len() > MOST_REASON {
        let end = (0..=MOST_REASON).rev().find(|end| reason.is_char_boundary(*end)).unwrap_or_default();
        reason.truncate(end);
        reason.push('…');
    }
    reason
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_reason_is_cut_between_two_characters() {
        assert_eq!(shortened("short".into()), "short");
        let long = shortened("ä".repeat(MOST_REASON));
        assert_eq!(long.chars().count(), MOST_REASON / 2 + 1);
        assert!(long.ends_with("ä…"));
    }
}
