//! A report as JUnit XML, for CI services.

use super::model::{CaseReport, RequirementReport, RequirementStatus, RunReport, Verdict};
use quick_junit::{NonSuccessKind, Report, TestCase, TestCaseStatus, TestSuite};
use std::collections::BTreeMap;
use std::fmt::Write;
use std::time::Duration;

/// The XML text: a suite per profile, a test case per case, in the form that Jenkins' schema (junit-10.xsd) has. The times are
/// those that the machine took, and all that differs between two runs of the same.
///
/// # Errors
/// None that the report's types allow.
pub fn document(report: &RunReport) -> Result<String, quick_junit::SerializeError> {
    let mut suites: BTreeMap<&str, TestSuite> = BTreeMap::new();
    for case in &report.cases {
        let suite = suites.entry(&case.profile).or_insert_with(|| TestSuite::new(case.profile.as_str()));
        let took = suite.time.unwrap_or_default() + Duration::from_micros(case.took_us);
        suite.set_time(took).add_test_case(test_case(case));
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
    // The same number under the name that the schema has for it.
    Ok(junit.to_string()?.replace(" disabled=\"", " skipped=\""))
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
    test.set_time(Duration::from_micros(case.took_us));
    // The schema has no properties of a test case.
    let failed = case.failed_seed.map(|seed| format!(", seed {seed} failed")).unwrap_or_default();
    let (seeds, plural) = (case.seeds, if case.seeds == 1 { "" } else { "s" });
    let covered = case.requirements.join(" ");
    test.set_system_out(format!("{seeds} seed{plural}{failed}\ncovered: {covered}\ntrace: {}", case.trace_hash));
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
            "<testsuite name=\"fte-nq\" tests=\"2\" skipped=\"0\" errors=\"0\" failures=\"1\" time=\"0.250\">",
            "<property name=\"untested\" value=\"FTE-RST-03\"/>",
            "<property name=\"untestable\" value=\"FTE-RST-04\"/>",
            "<property name=\"decided by the profile\" value=\"FTE-RST-05\"/>",
            "<testcase name=\"fte/reset-lost@fte-nq\" classname=\"fte/reset-lost\" time=\"0.125\">",
            "8 seeds, seed 3 failed\ncovered: FTE-RST-01 FTE-RST-02\ntrace: 00112233445566ff",
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
