//! A violation as reports and histories have it: plain text, without the tables of its protocol.

use kit::{Finding, HostId, Level};
use serde::{Deserialize, Serialize};

/// One violation.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schemas", derive(schemars::JsonSchema))]
pub struct FindingReport {
    /// The id of the requirement that fits best.
    pub requirement: String,
    /// The ids of others that fit, best first.
    pub others: Vec<String>,
    /// The check that failed.
    pub check: String,
    /// Its level, such as `MUST`.
    pub level: String,
    /// The profile whose decision it is: the violation says nothing of conformance to the document then.
    pub decided: Option<String>,
    /// Whom it binds.
    pub role: String,
    /// Who violated it.
    pub host: String,
    /// When, in microseconds since the start of the run.
    pub at_us: u64,
    /// What was expected and what was seen.
    pub what: String,
}

/// Which of `findings` are more than what follows from a breach: once an end that is not ours has violated a MUST, nothing is found
/// against those that are.
pub fn standing<'a>(findings: &'a [Finding], is_ours: impl Fn(HostId) -> bool + 'a) -> impl Iterator<Item = bool> + 'a {
    let mut breached = false;
    findings.iter().map(move |finding| {
        let ours = is_ours(finding.host);
        breached |= !ours && finding.requirement().level.is_must();
        !(ours && breached)
    })
}

impl From<&Finding> for FindingReport {
    fn from(finding: &Finding) -> FindingReport {
        FindingReport {
            requirement: String::from(finding.requirement().id),
            others: finding.suspects.iter().skip(1).map(|other| String::from(other.id)).collect(),
            check: String::from(finding.check.name),
            level: finding.requirement().level.to_string(),
            decided: finding.requirement().decided.map(String::from),
            role: finding.requirement().role.to_string(),
            host: finding.host.to_string(),
            at_us: finding.at.us(),
            what: finding.what.clone(),
        }
    }
}

impl FindingReport {
    /// The requirements that fit: `FTE-HIST-02 (or FTE-HIST-04)`.
    pub fn suspects(&self) -> String {
        match self.others.as_slice() {
            [] => self.requirement.clone(),
            others => format!("{} (or {})", self.requirement, others.join(", ")),
        }
    }

    /// Whether an obligation was violated, not a mere recommendation.
    pub fn is_must(&self) -> bool {
        [Level::Must, Level::MustNot].iter().any(|level| level.to_string() == self.level)
    }

    /// The level, and whose it is if it is not the document's: `MUST`, or `MUST of GG2-P1`.
    pub fn weight(&self) -> String {
        weight(&self.level, self.decided.as_deref())
    }
}

/// A level, and the profile that decides it, if one does.
pub fn weight(level: &str, decided: Option<&str>) -> String {
    match decided {
        Some(profile) => format!("{level} of {profile}"),
        None => String::from(level),
    }
}
