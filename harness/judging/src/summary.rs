//! What all cases together say of each requirement.

use crate::candidate::Candidate;
use crate::report::{
    self, CaseReport, FindingReport, ProfileReport, RequirementReport, RequirementStatus, RunReport, Tally, Verdict,
};
use crate::scenario::Case;
use kit::{Level, Requirement, Role};
use std::collections::BTreeMap;

/// Verdicts per requirement, profile and role.
pub fn summarise(cases: &[Case], reports: Vec<CaseReport>, candidate: Option<&Candidate>) -> RunReport {
    let mut profiles = Vec::new();
    let mut seen: Vec<(&str, &'static kit::Protocol)> = Vec::new();
    for case in cases {
        if !seen.iter().any(|(name, _)| *name == case.profile.name) {
            seen.push((case.profile.name, case.protocol));
        }
    }
    for (profile, protocol) in seen {
        for role in [Role::Server, Role::Client] {
            profiles.push(profile_report(profile, role, protocol.requirements, &reports, candidate));
        }
    }
    let sum = |pick: fn(&ProfileReport) -> Tally| profiles.iter().map(pick).fold(Tally::default(), Tally::and);
    let mut headline = report::tallies(
        sum(|profile| profile.must),
        sum(|profile| profile.should),
        sum(|profile| profile.decided_must),
        sum(|profile| profile.decided_should),
    );
    for verdict in Verdict::IN_HEADLINE {
        let count = reports.iter().filter(|report| report.verdict == verdict).count();
        if count > 0 {
            headline.push_str(&format!("  {count} {}", verdict.name().replace('-', " ")));
        }
    }
    let mut hash = blake3::Hasher::new();
    for report in &reports {
        hash.update(report.case.as_bytes());
        hash.update(report.trace_hash.as_bytes());
    }
    RunReport {
        subject: candidate.map_or(String::from(report::sentence::REFERENCE), Candidate::argument),
        program: format!("deltaproof {}", env!("CARGO_PKG_VERSION")),
        headline,
        root_hash: hash.finalize().to_hex()[..32].to_string(),
        profiles,
        left_out: 0,
        vacuous: reports.iter().filter(|report| report.verdict == Verdict::Vacuous).count() as u32,
        findings: reports.iter().map(|report| report.findings.len() as u32).sum(),
        cases: reports,
        not_run: 0,
        mistakes: Vec::new(),
        levels: Vec::new(),
    }
}

fn profile_report(
    profile: &str,
    role: Role,
    requirements: &[&'static Requirement],
    reports: &[CaseReport],
    candidate: Option<&Candidate>,
) -> ProfileReport {
    let mut tested: BTreeMap<&str, Vec<&CaseReport>> = BTreeMap::new();
    for report in reports.iter().filter(|report| report.profile == profile) {
        for id in &report.requirements {
            tested.entry(id).or_default().push(report);
        }
    }
    let (mut must, mut should) = (Tally::default(), Tally::default());
    let (mut decided_must, mut decided_should) = (Tally::default(), Tally::default());
    let (mut rows, mut not_applicable) = (Vec::new(), 0);
    for requirement in requirements.iter().filter(|requirement| requirement.role.binds(role)) {
        if requirement.level == Level::May {
            continue;
        }
        if !requirement.applies_to(profile) {
            not_applicable += 1;
            continue;
        }
        let cases = tested.get(requirement.id).map(Vec::as_slice).unwrap_or_default();
        let found = findings_about(requirement, profile, role, reports);
        let excused = candidate.and_then(|candidate| candidate.excuses(requirement, profile));
        let skipped = candidate.and_then(|candidate| candidate.skips(requirement, role, profile));
        let needs_world = candidate.and_then(|candidate| candidate.needs_world(requirement, role, profile));
        let beyond = candidate.is_some_and(|candidate| candidate.is_beyond(requirement, role, profile).is_some());
        let status = match (found, cases.is_empty(), requirement.untestable) {
            (Some(About::Violated), _, _) => RequirementStatus::Fail,
            _ if beyond && requirement.untestable.is_none() => RequirementStatus::NotApplicable,
            _ if skipped.is_some() => RequirementStatus::Skipped,
            (Some(About::Suspected(_)), _, _) => RequirementStatus::Untested,
            (None, false, _) => RequirementStatus::Pass,
            (None, true, None) if excused.is_some() => RequirementStatus::NotApplicable,
            (None, true, None) if needs_world.is_some() => RequirementStatus::Skipped,
            (None, true, None) => RequirementStatus::Untested,
            (None, true, Some(_)) => RequirementStatus::Untestable,
        };
        let tally = match (requirement.level.is_must(), requirement.decided) {
            (true, None) => &mut must,
            (false, None) => &mut should,
            (true, Some(_)) => &mut decided_must,
            (false, Some(_)) => &mut decided_should,
        };
        tally.count(status);
        not_applicable += u32::from(status == RequirementStatus::NotApplicable);
        let why_not = skipped.as_deref().or(excused).or(needs_world.as_deref());
        rows.push(requirement_report(requirement, status, cases, found, why_not));
    }
    ProfileReport {
        profile: String::from(profile),
        role: candidate.map_or_else(|| role.to_string(), |candidate| candidate.end_name(role)),
        must,
        should,
        decided_must,
        decided_should,
        not_applicable,
        requirements: rows,
    }
}

/// What findings say of a requirement.
#[derive(Clone, Copy)]
enum About<'a> {
    /// One fits it best.
    Violated,
    /// One of this case can mean it, though another requirement fits better: whether it held is not known.
    Suspected(&'a str),
}

/// What the findings about one role say of a requirement. A violation that a scenario is registered to show is no failure of
/// the implementation under test.
fn findings_about<'a>(
    requirement: &Requirement,
    profile: &str,
    role: Role,
    reports: &'a [CaseReport],
) -> Option<About<'a>> {
    let judged = reports.iter().filter(|report| report.profile == profile && report.verdict != Verdict::Xfail);
    let mut suspected = None;
    for report in judged {
        let of_role = |finding: &&FindingReport| (finding.host == "server") == (role == Role::Server);
        for finding in report.findings.iter().filter(of_role) {
            if finding.requirement == requirement.id {
                return Some(About::Violated);
            }
            if finding.others.iter().any(|other| other == requirement.id) {
                suspected = suspected.or(Some(About::Suspected(&report.case)));
            }
        }
    }
    suspected
}

fn requirement_report(
    requirement: &Requirement,
    status: RequirementStatus,
    cases: &[&CaseReport],
    found: Option<About<'_>>,
    why_not: Option<&str>,
) -> RequirementReport {
    RequirementReport {
        id: String::from(requirement.id),
        level: requirement.level.to_string(),
        role: requirement.role.to_string(),
        text: String::from(requirement.text),
        source: String::from(requirement.source),
        decided: requirement.decided.map(String::from),
        status,
        cases: cases.iter().map(|report| report.case.clone()).collect(),
        untested_because: match (status, found) {
            (RequirementStatus::Untested, Some(About::Suspected(case))) => format!("a finding in {case} can mean it"),
            (RequirementStatus::Untested, _) => String::from("no run of this selection covered it"),
            (RequirementStatus::NotApplicable | RequirementStatus::Skipped, _) => {
                String::from(why_not.unwrap_or_default())
            }
            (RequirementStatus::Untestable, _) => String::from(requirement.untestable.unwrap_or_default()),
            (RequirementStatus::Pass | RequirementStatus::Fail, _) => String::new(),
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::candidate::BuiltIn;
    use crate::report::sample;

    const fn of_client(id: &'static str) -> Requirement {
        Requirement::new(id, Role::Client, Level::Must, "Hold.", "Section 1", "wire")
    }

    static REQUIREMENTS: [Requirement; 7] = [
        of_client("FTE-RST-01"),
        of_client("FTE-RST-02"),
        of_client("FTE-RST-03"),
        of_client("FTE-RST-04").untestable("there is no clock"),
        of_client("FTE-RST-05").only(&["fte-qw"]),
        of_client("FTE-RST-06").only(&["fte-nq"]),
        of_client("FTE-RST-07").decided_by("OURS-1"),
    ];

    #[test]
    fn what_cannot_be_tested_and_what_does_not_bind_are_counted_apart() {
        let requirements: Vec<&'static Requirement> = REQUIREMENTS.iter().collect();
        let profile = profile_report("fte-nq", Role::Client, &requirements, &sample::report().cases, None);
        let rows: Vec<String> =
            profile.requirements.iter().map(|row| format!("{} {}", row.id, row.status.name())).collect();
        assert_eq!(
            rows,
            [
                "FTE-RST-01 pass",
                "FTE-RST-02 fail",
                "FTE-RST-03 untested",
                "FTE-RST-04 untestable",
                "FTE-RST-06 untested",
                "FTE-RST-07 untested"
            ]
        );
        assert_eq!(profile.must, Tally { total: 4, pass: 1, fail: 1, skipped: 0, untested: 2, untestable: 1 });
        // What a profile decides is no part of conformance to the document.
        assert_eq!(profile.decided_must, Tally { total: 1, untested: 1, ..Tally::default() });
        assert_eq!(profile.decided_should, Tally::default());
        let weights: Vec<String> = profile.requirements.iter().map(|row| row.weight()).collect();
        assert_eq!(weights, ["MUST", "MUST", "MUST", "MUST", "MUST", "MUST of OURS-1"]);
        assert_eq!(profile.not_applicable, 1);
        assert_eq!(profile.requirements[3].untested_because, "there is no clock");
    }

    #[test]
    fn what_a_finding_can_mean_is_not_counted_as_passed() {
        let requirements: Vec<&'static Requirement> = REQUIREMENTS.iter().collect();
        let mut cases = sample::report().cases;
        cases
            .iter_mut()
            .flat_map(|case| &mut case.findings)
            .for_each(|finding| finding.others = vec!["FTE-RST-01".into()]);
        let profile = profile_report("fte-nq", Role::Client, &requirements, &cases, None);
        let row = &profile.requirements[0];
        assert_eq!((row.id.as_str(), row.status), ("FTE-RST-01", RequirementStatus::Untested));
        assert!(row.untested_because.contains("can mean it"), "{}", row.untested_because);
    }

    #[test]
    fn what_a_candidate_forgoes_is_not_applicable_to_it_and_all_else_is() {
        let mut all = BuiltIn::all(crate::registry::PROTOCOLS);
        let candidate = all.find(|it| it.variant.name == "builds-on-nothing").expect("a variant of this name");
        let candidate = Candidate::BuiltIn(candidate);
        let rows = |candidate| profile_report("r1q2-35", Role::Server, r1q2::PROTOCOL.requirements, &[], candidate);
        let status = |report: &ProfileReport| -> Vec<(String, RequirementStatus, String)> {
            let rows = report.requirements.iter();
            rows.map(|row| (row.id.clone(), row.status, row.untested_because.clone())).collect()
        };
        let (reference, forgoing) = (rows(None), rows(Some(&candidate)));
        assert_eq!(forgoing.not_applicable, reference.not_applicable + 2);
        let differs: Vec<_> = status(&forgoing).into_iter().filter(|row| !status(&reference).contains(row)).collect();
        let excused = |id: &str| {
            (String::from(id), RequirementStatus::NotApplicable, String::from("sends every frame without a base"))
        };
        assert_eq!(differs, ["R1Q2-FRM-04", "R1Q2-PS-06"].map(excused));
        assert_eq!(forgoing.must.total + 2, reference.must.total);
    }
}
