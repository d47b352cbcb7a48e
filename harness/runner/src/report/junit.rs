//! A report as JUnit XML, for CI services.

use super::model::{CaseReport, RequirementReport, RequirementStatus, RunReport, Verdict};
use quick_junit::{NonSuccessKind, Report, TestCase, TestCaseStatus, TestSuite};
use std::collections::BTreeMap;
use std::fmt::Write;

/// The XML text: a suite per profile, a test case per case. Without times, so that the same report gives the same text.
///
/// # Errors
/// None that the report's types allow.
pub fn document(report: &RunReport) -> Result<String, quick_junit::SerializeError> {
    let mut suites: BTreeMap<&str, TestSuite> = BTreeMap::new();
    for case in &report.cases {
        let suite = suites.entry(&case.profile).or_insert_with(|| TestSuite::new(case.profile.as_str()));
        suite.add_test_case(test_case(case));
    }
    for (name, suite) in &mut suites {
        for status in [RequirementStatus::Skipped, RequirementStatus::Untested, RequirementStatus::Untestable] {
            let ids = requirements(report, name, |row| row.status == status);
            suite.add_property((status.name(), ids.join(" ").as_str()));
        }
        // What a profile decides says nothing of conformance to the document.
        let decided = requirements(report, name, |row| row.decided.is_some());
        if !decided.is_empty() {
            suite.add_property(("decided by the profile", decided.join(" ").as_str()));
        }
    }
    let mut junit = Report::new("deltaproof");
    junit.add_test_suites(suites.into_values());
    junit.to_string()
}

/// The `wanted` requirements of a profile, in catalogue order for the server and then for the client.
fn requirements<'a>(report: &'a RunReport, profile: &str, wanted: impl Fn(&RequirementReport) -> bool) -> Vec<&'a str> {
    let profiles = report.profiles.iter().filter(|part| part.profile == profile);
    let rows = profiles.flat_map(|part| &part.requirements).filter(|row| wanted(row));
    let mut ids = Vec::new();
    for row in rows {
        if !ids.contains(&row.id.as_str()) {
            ids.push(row.id.as_str());
        }
    }
    ids
}

fn test_case(case: &CaseReport) -> TestCase {
    let mut status = match case.verdict {
        Verdict::Blocked | Verdict::NotApplicable | Verdict::Unsupported => TestCaseStatus::skipped(),
        verdict if !verdict.is_bad() => TestCaseStatus::success(),
        verdict if verdict.exit_code() == 1 => TestCaseStatus::non_success(NonSuccessKind::Failure),
        _ => TestCaseStatus::non_success(NonSuccessKind::Error),
    };
    if case.verdict != Verdict::Pass {
        status.set_type(case.verdict.name()).set_message(case.reason.as_str()).set_description(description(case));
    }
    let mut test = TestCase::new(case.case.as_str(), status);
    test.set_classname(case.scenario.as_str());
    if let Some(seed) = case.failed_seed {
        test.add_property(("seed", seed.to_string().as_str()));
    }
    test.add_property(("seeds", case.seeds.to_string().as_str()));
    test.add_property(("requirements", case.requirements.join(" ").as_str()));
    test.add_property(("trace_hash", case.trace_hash.as_str()));
    test
}

fn description(case: &CaseReport) -> String {
    let mut text = String::new();
    for finding in &case.findings {
        let at = kit::Time(finding.at_us);
        // Writing to a string cannot fail.
        let _ =
            writeln!(text, "{} {} {} at {at}: {}", finding.suspects(), finding.weight(), finding.host, finding.what);
    }
    let _ = write!(text, "replay: {}", case.replay);
    text
}

#[cfg(test)]
mod tests {
    use super::super::sample;

    #[test]
    fn a_case_is_a_test_case_with_its_seed_and_requirements() {
        let xml = super::document(&sample::report()).expect("serializes");
        for part in [
            "<testsuite name=\"fte-nq\" tests=\"2\" disabled=\"0\" errors=\"0\" failures=\"1\">",
            "<property name=\"untested\" value=\"FTE-RST-03\"/>",
            "<property name=\"untestable\" value=\"FTE-RST-04\"/>",
            "<property name=\"decided by the profile\" value=\"FTE-RST-05\"/>",
            "<testcase name=\"fte/reset-lost@fte-nq\" classname=\"fte/reset-lost\">",
            "<property name=\"seed\" value=\"3\"/>",
            "<property name=\"requirements\" value=\"FTE-RST-01 FTE-RST-02\"/>",
            "replay: deltaproof replay fte/reset-lost@fte-nq --seed 3",
            "FTE-RST-02 MUST client1 at 1.250000s: entity 5 origin[0] is &lt;8&gt;",
        ] {
            assert!(xml.contains(part), "{part} is not in\n{xml}");
        }
    }

    #[test]
    fn the_same_report_gives_the_same_text() {
        let report = sample::report();
        assert_eq!(super::document(&report).ok(), super::document(&report).ok());
    }
}
