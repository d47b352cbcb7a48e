//! What is wrong with a run, as far as a smaller run has to have the same.

use super::Unshrunk;
use crate::judge::Judgement;
use crate::report::Verdict;
use crate::scenario::Case;
use crate::verdict::verdict;
use kit::{Finding, HostId, Requirement, Role, Time};

/// What is held fixed while a run is made smaller.
#[derive(Clone, Debug)]
pub enum Failure {
    /// A violation: the check, the requirement that fits best, and whose it is.
    Violation {
        /// The name of the check.
        check: &'static str,
        requirement: &'static Requirement,
        /// The side.
        role: Role,
    },
    /// Something else than a violation.
    Other(Verdict),
}

impl Failure {
    /// What is wrong with a run: of several violations the one that its verdict names.
    ///
    /// # Errors
    /// Nothing is wrong, or nothing that a smaller run could show.
    pub fn of(case: &Case, judgement: &Judgement) -> Result<Failure, Unshrunk> {
        let (found, _) = verdict(case, judgement);
        let worst = judgement.findings.iter().min_by_key(|finding| !finding.requirement().level.is_must());
        match (found, worst) {
            (Verdict::Fail | Verdict::FailShould, Some(worst)) => Ok(Failure::of_finding(worst)),
            // What a client holds otherwise than the control client is no violation of a requirement that can be named.
            (Verdict::Fail | Verdict::SutCrash | Verdict::ShimError | Verdict::HarnessError, _) => {
                Ok(Failure::Other(found))
            }
            // One that hangs takes the whole patience each time; the others are about what does not happen.
            (found, _) if found.is_bad() => Err(Unshrunk::Kind(found.name())),
            (found, _) => Err(Unshrunk::Passes(found.name())),
        }
    }

    /// A violation.
    pub fn of_finding(finding: &Finding) -> Failure {
        Failure::Violation { check: finding.check.name, requirement: finding.requirement(), role: role(finding.host) }
    }

    /// Whether it is in a run; with the moment at which it was certain, where there is one.
    pub fn is_in(&self, case: &Case, judgement: &Judgement) -> Option<Option<Time>> {
        match self {
            Failure::Violation { check, requirement, role: side } => {
                let same = |finding: &&Finding| {
                    finding.check.name == *check
                        && finding.requirement().id == requirement.id
                        && role(finding.host) == *side
                };
                judgement.findings.iter().find(same).map(|finding| Some(finding.at))
            }
            Failure::Other(other) => (verdict(case, judgement).0 == *other).then_some(None),
        }
    }

    /// The requirement that is violated, if one is.
    pub fn requirement(&self) -> Option<&'static Requirement> {
        match self {
            Failure::Violation { requirement, .. } => Some(requirement),
            Failure::Other(_) => None,
        }
    }

    /// What it is called: the requirement's id, or the verdict.
    pub fn name(&self) -> &'static str {
        match self {
            Failure::Violation { requirement, .. } => requirement.id,
            Failure::Other(verdict) => verdict.name(),
        }
    }
}

fn role(host: HostId) -> Role {
    if host == HostId::SERVER { Role::Server } else { Role::Client }
}
