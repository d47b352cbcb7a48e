//! What a run of the suite has found out, as plain data. The JSON form of [`RunReport`] is `result.json`.

pub use crate::finding::FindingReport;
use crate::finding::weight;
use crate::scenario::Diagnostic;
use kit::Fault;
use serde::{Deserialize, Serialize};

/// The judgement on one case. The vocabulary is closed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(feature = "schemas", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum Verdict {
    /// Everything held.
    Pass,
    /// A MUST was violated.
    Fail,
    /// A SHOULD was violated, and no MUST.
    FailShould,
    /// A control case failed, so that this one says nothing.
    Blocked,
    /// What the scenario is about did not happen.
    Vacuous,
    /// What the scenario is about did not happen, since the candidate need not do it and never does.
    NotApplicable,
    /// A process in the place of an end ended, or could not be started.
    SutCrash,
    /// A process in the place of an end did not answer.
    SutHang,
    /// A process in the place of an end did something else when the same run was done again.
    SutNondeterministic,
    /// A process in the place of an end broke the shim protocol.
    ShimError,
    /// A process in the place of an end says that it cannot do what the case needs.
    Unsupported,
    /// The harness is at fault.
    HarnessError,
    /// Failed, as registered.
    Xfail,
    /// Passed, although registered to fail.
    Xpass,
}

impl Verdict {
    /// The name, as in every output.
    pub const fn name(self) -> &'static str {
        match self {
            Verdict::Pass => "pass",
            Verdict::Fail => "fail",
            Verdict::FailShould => "fail-should",
            Verdict::Blocked => "blocked",
            Verdict::Vacuous => "vacuous",
            Verdict::NotApplicable => "not-applicable",
            Verdict::SutCrash => "sut-crash",
            Verdict::SutHang => "sut-hang",
            Verdict::SutNondeterministic => "sut-nondeterministic",
            Verdict::ShimError => "shim-error",
            Verdict::Unsupported => "unsupported",
            Verdict::HarnessError => "harness-error",
            Verdict::Xfail => "xfail",
            Verdict::Xpass => "xpass",
        }
    }

    /// What a headline counts, beside the requirements.
    pub const IN_HEADLINE: [Verdict; 11] = [
        Verdict::Fail,
        Verdict::Xpass,
        Verdict::HarnessError,
        Verdict::Blocked,
        Verdict::Vacuous,
        Verdict::NotApplicable,
        Verdict::SutCrash,
        Verdict::SutHang,
        Verdict::SutNondeterministic,
        Verdict::ShimError,
        Verdict::Unsupported,
    ];

    /// The verdict on a run in which a process did something wrong.
    pub const fn of(fault: &Fault) -> Verdict {
        match fault {
            Fault::NoStart { .. } | Fault::Ended { .. } => Verdict::SutCrash,
            Fault::Hung { .. } | Fault::Absent { .. } => Verdict::SutHang,
            Fault::Changed { .. } => Verdict::SutNondeterministic,
            Fault::Own { .. } => Verdict::HarnessError,
            Fault::Wrong { .. } => Verdict::ShimError,
            Fault::Unsupported { .. } => Verdict::Unsupported,
        }
    }

    /// The exit code that the verdict asks for: 0 good, 1 not conforming, 3 a process failed, 4 the harness is at fault.
    pub const fn exit_code(self) -> u8 {
        match self {
            Verdict::Pass | Verdict::FailShould | Verdict::NotApplicable | Verdict::Unsupported | Verdict::Xfail => 0,
            Verdict::Fail | Verdict::Blocked | Verdict::Vacuous | Verdict::Xpass => 1,
            Verdict::SutCrash | Verdict::SutHang | Verdict::SutNondeterministic | Verdict::ShimError => 3,
            Verdict::HarnessError => 4,
        }
    }

    /// Whether a person has to look at it.
    pub const fn is_bad(self) -> bool {
        self.exit_code() != 0
    }
}

/// One case: a scenario under one profile and variant.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schemas", derive(schemars::JsonSchema))]
pub struct CaseReport {
    /// Its name, such as `fte/reset-lost@fte-nq`.
    pub case: String,
    /// The scenario's id.
    pub scenario: String,
    /// The scenario's file.
    pub path: String,
    /// The profile.
    pub profile: String,
    /// The variant, or nothing.
    pub variant: String,
    /// What it is about, in a sentence.
    pub title: String,
    /// Why it matters, in a paragraph.
    #[serde(default)]
    pub why: String,
    /// Number of seeds run.
    pub seeds: u64,
    /// The first seed that failed.
    pub failed_seed: Option<u64>,
    /// How many of the seeds failed.
    #[serde(default)]
    pub failed_seeds: u64,
    /// The judgement.
    pub verdict: Verdict,
    /// Why, in a sentence; empty for a pass.
    pub reason: String,
    /// The violations of the first failing seed.
    pub findings: Vec<FindingReport>,
    /// The requirements covered.
    pub requirements: Vec<String>,
    /// Remarks that are no violations.
    pub remarks: Vec<String>,
    /// Hash of what happened, 16 hex digits: of the run that failed, so that its replay can be compared; otherwise over
    /// the runs of all seeds.
    pub trace_hash: String,
    /// Number of datagrams sent, in the runs of all seeds.
    pub datagrams: u64,
    /// Of those, the ones that were lost.
    pub lost: u64,
    /// Of those, the ones that were given a second copy.
    pub duplicated: u64,
    /// Of those, the ones that arrived after a datagram sent later.
    pub reordered: u64,
    /// Number of violations in the runs of all seeds.
    pub found: u64,
    /// Configured against observed impairment, one line each.
    pub impairment: Vec<String>,
    /// The command line that does the same again.
    pub replay: String,
    /// Of a case that failed, what happened last before its first violation: an entry per event, with every field of a datagram.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub events: Vec<String>,
    /// Of a case that failed, its time-space diagram, as SVG.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub timeline: Option<String>,
    /// How long the machine took, in microseconds of wall time: for JUnit alone, since no two runs agree.
    #[serde(skip)]
    pub took_us: u64,
}

impl CaseReport {
    /// The finding that stands for the case where there is room for one: the first that violates an obligation, or the first.
    pub fn gravest(&self) -> Option<&FindingReport> {
        self.findings.iter().find(|finding| finding.is_must()).or(self.findings.first())
    }
}

/// Whether a requirement held.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(feature = "schemas", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum RequirementStatus {
    /// Put to the test, and held.
    Pass,
    /// Violated.
    Fail,
    /// Not judged, because the implementation does not show what it is about.
    Skipped,
    /// Not covered.
    Untested,
    /// No run can cover it.
    Untestable,
    /// No run can cover it with what takes the place of the reference, which never does what it is about and need not.
    NotApplicable,
}

impl RequirementStatus {
    /// The name, as in every output.
    pub const fn name(self) -> &'static str {
        match self {
            RequirementStatus::Pass => "pass",
            RequirementStatus::Fail => "fail",
            RequirementStatus::Skipped => "skipped",
            RequirementStatus::Untested => "untested",
            RequirementStatus::Untestable => "untestable",
            RequirementStatus::NotApplicable => "not-applicable",
        }
    }
}

/// One requirement under one profile.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schemas", derive(schemars::JsonSchema))]
pub struct RequirementReport {
    /// Stable name, such as `FTE-RST-02`.
    pub id: String,
    /// How binding it is.
    pub level: String,
    /// Whom it binds.
    pub role: String,
    /// What must hold; empty in a brief result.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub text: String,
    /// The section of the source document; empty in a brief result.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub source: String,
    /// The profile whose decision it is, where the document is silent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub decided: Option<String>,
    /// Whether it held.
    pub status: RequirementStatus,
    /// The cases that cover it; empty in a brief result.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub cases: Vec<String>,
    /// Why it was not tested; empty if it was.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub untested_because: String,
}

impl RequirementReport {
    /// The level, and whose it is if it is not the document's: `MUST`, or `MUST of GG2-P1`.
    pub fn weight(&self) -> String {
        weight(&self.level, self.decided.as_deref())
    }
}

/// Requirements of one level, counted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schemas", derive(schemars::JsonSchema))]
pub struct Tally {
    /// All of them but the untestable and the not applicable: those passed, failed, skipped and untested.
    pub total: u32,
    /// Put to the test, and held.
    pub pass: u32,
    /// Violated.
    pub fail: u32,
    /// Left out because the implementation does not support them.
    pub skipped: u32,
    /// Not covered.
    pub untested: u32,
    /// That no run can cover.
    pub untestable: u32,
}

impl Tally {
    /// Both together.
    pub fn and(self, other: Tally) -> Tally {
        Tally {
            total: self.total + other.total,
            pass: self.pass + other.pass,
            fail: self.fail + other.fail,
            skipped: self.skipped + other.skipped,
            untested: self.untested + other.untested,
            untestable: self.untestable + other.untestable,
        }
    }

    /// Counts one more.
    pub fn count(&mut self, status: RequirementStatus) {
        let counts = !matches!(status, RequirementStatus::Untestable | RequirementStatus::NotApplicable);
        self.total += u32::from(counts);
        match status {
            RequirementStatus::Pass => self.pass += 1,
            RequirementStatus::Fail => self.fail += 1,
            RequirementStatus::Skipped => self.skipped += 1,
            RequirementStatus::Untested => self.untested += 1,
            RequirementStatus::Untestable => self.untestable += 1,
            RequirementStatus::NotApplicable => {}
        }
    }
}

/// The tallies in a line: the document's, and after them those of what profiles decide, if there is anything.
pub fn tallies(must: Tally, should: Tally, decided_must: Tally, decided_should: Tally) -> String {
    let pair = |must: Tally, should: Tally| {
        format!(
            "MUST {}/{} ({} skipped, {} untested)  SHOULD {}/{}",
            must.pass, must.total, must.skipped, must.untested, should.pass, should.total
        )
    };
    let mut line = pair(must, should);
    if decided_must.and(decided_should) != Tally::default() {
        line.push_str(&format!("  decided by profiles: {}", pair(decided_must, decided_should)));
    }
    line
}

/// One profile and role.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schemas", derive(schemars::JsonSchema))]
pub struct ProfileReport {
    /// The profile.
    pub profile: String,
    /// The role judged.
    pub role: String,
    /// The document's obligations and prohibitions.
    pub must: Tally,
    /// The document's recommendations.
    pub should: Tally,
    /// Obligations and prohibitions that a profile decides: no part of conformance to the document.
    pub decided_must: Tally,
    /// Recommendations that a profile decides.
    pub decided_should: Tally,
    /// Number of requirements of the role that are in no tally: those that bind in other profiles only, and those that are
    /// not applicable to what takes the place of the reference.
    pub not_applicable: u32,
    /// Every requirement that binds in the profile, in catalogue order. Liberties are none of them.
    pub requirements: Vec<RequirementReport>,
}

impl ProfileReport {
    /// Whether a profile decides any of its requirements.
    pub fn decides(&self) -> bool {
        self.decided_must.and(self.decided_should) != Tally::default()
    }
}

/// A run of the suite.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schemas", derive(schemars::JsonSchema))]
pub struct RunReport {
    /// What was tested, such as `the reference` or `--server fte/no-challenge`.
    #[serde(default)]
    pub subject: String,
    /// What tested it: the program and its version.
    #[serde(default)]
    pub program: String,
    /// `MUST 118/118 (0 skipped, 0 untested)  SHOULD 40/44`, and the same once more for what profiles decide.
    pub headline: String,
    /// Hash over every trace.
    pub root_hash: String,
    /// Per profile and role.
    pub profiles: Vec<ProfileReport>,
    /// Per case.
    pub cases: Vec<CaseReport>,
    /// Of a brief result, the number of cases that are not among those: that passed, or found no more than others do.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub left_out: u32,
    /// Number of vacuous cases.
    pub vacuous: u32,
    /// Number of findings.
    pub findings: u32,
    /// Number of cases that were not begun, as the run was stopped.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub not_run: u32,
    /// What is wrong with the scenarios that were not run.
    #[serde(default)]
    pub mistakes: Vec<MistakeReport>,
    /// Of a certificate, its levels.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub levels: Vec<LevelSummary>,
}

fn is_zero(count: &u32) -> bool {
    *count == 0
}

/// A level of a certificate.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schemas", derive(schemars::JsonSchema))]
pub struct LevelSummary {
    /// Its number and its name, such as `3 resilient`.
    pub level: String,
    /// Whether it was reached.
    pub reached: bool,
    /// What stands in its way, a sentence each.
    pub blockers: Vec<String>,
}

/// A mistake in a scenario file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schemas", derive(schemars::JsonSchema))]
pub struct MistakeReport {
    /// The file.
    pub path: String,
    /// The line, from 1.
    pub line: usize,
    /// The column in characters, from 1.
    pub column: usize,
    /// What is wrong.
    pub message: String,
    /// What to write instead, where that is known.
    pub advice: Option<String>,
    /// The same with the lines concerned, for terminals.
    #[serde(skip)]
    pub shown: String,
}

impl From<&Diagnostic> for MistakeReport {
    fn from(mistake: &Diagnostic) -> MistakeReport {
        MistakeReport {
            path: String::from(mistake.path()),
            line: mistake.line(),
            column: mistake.column(),
            message: mistake.to_string(),
            advice: mistake.advice().map(String::from),
            shown: mistake.render(false),
        }
    }
}

impl RunReport {
    /// The exit code for the whole run: the gravest of its cases', and 2 for a scenario that cannot be read.
    pub fn exit_code(&self) -> u8 {
        let cases = self.cases.iter().map(|case| case.verdict.exit_code());
        cases.chain((!self.mistakes.is_empty()).then_some(2)).max().unwrap_or(0)
    }

    /// `FAILED: 2 of 760 cases (1 fail, 1 vacuous)`, if any case failed or a scenario could not be read.
    pub fn failed(&self) -> Option<String> {
        let mut verdicts: Vec<Verdict> = self.cases.iter().map(|case| case.verdict).collect();
        verdicts.retain(|verdict| verdict.is_bad());
        verdicts.sort_unstable();
        let parts = verdicts.chunk_by(|one, other| one == other);
        let parts: Vec<String> = parts.map(|same| format!("{} {}", same.len(), same[0].name())).collect();
        let (failed, all, unread) = (verdicts.len(), self.cases_run(), self.mistakes.len());
        let many = |count: usize, what: &str| format!("{count} {what}{}", if count == 1 { "" } else { "s" });
        let cases = (failed > 0).then(|| format!("{failed} of {} ({})", many(all, "case"), parts.join(", ")));
        let files = (unread > 0).then(|| format!("{} not run because of mistakes", many(unread, "scenario file")));
        let all: Vec<String> = cases.into_iter().chain(files).collect();
        (!all.is_empty()).then(|| format!("FAILED: {}", all.join("; ")))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_those_of_the_json_form() {
        use Verdict::*;
        let all = [Pass, Fail, FailShould, Blocked, Vacuous, NotApplicable, HarnessError, Xfail, Xpass];
        for verdict in all {
            assert_eq!(serde_json::to_value(verdict).ok(), Some(serde_json::Value::from(verdict.name())));
        }
        use RequirementStatus as Status;
        for status in [Status::Pass, Status::Fail, Status::Untested, Status::Untestable, Status::NotApplicable] {
            assert_eq!(serde_json::to_value(status).ok(), Some(serde_json::Value::from(status.name())));
        }
    }

    #[test]
    fn the_gravest_case_decides_the_exit_code() {
        assert_eq!(RunReport::default().exit_code(), 0);
        let mut report = super::super::sample::report();
        assert_eq!(report.exit_code(), 1);
        report.cases[0].verdict = Verdict::HarnessError;
        assert_eq!(report.exit_code(), 4);
    }

    #[test]
    fn what_failed_is_counted_by_verdict() {
        let mut report = super::super::sample::report();
        assert_eq!(report.failed().as_deref(), Some("FAILED: 1 of 2 cases (1 fail)"));
        report.cases[0].verdict = Verdict::Vacuous;
        assert_eq!(report.failed().as_deref(), Some("FAILED: 2 of 2 cases (1 fail, 1 vacuous)"));
        report.cases.iter_mut().for_each(|case| case.verdict = Verdict::Xfail);
        assert_eq!(report.failed(), None);
        report.mistakes = vec![(&Diagnostic::whole(std::path::Path::new("x.yaml"), "no title", None)).into()];
        assert_eq!(report.failed().as_deref(), Some("FAILED: 1 scenario file not run because of mistakes"));
        assert_eq!(report.exit_code(), 2);
    }
}
