//! A report as SARIF 2.1.0, for services that show findings beside the code.

use super::model::{CaseReport, FindingReport, RequirementReport, RunReport};
use super::place::{Place, Places};
use serde_json::{Value, json};
use std::collections::BTreeMap;

/// The JSON text: a result for each finding of a case that failed, one for each case that failed without, and one for each
/// scenario that could not be read.
///
/// # Errors
/// None that the report's types allow.
pub fn document(report: &RunReport, places: Places<'_>) -> serde_json::Result<String> {
    let mut results = Vec::new();
    for mistake in &report.mistakes {
        let place = Place { path: mistake.path.clone(), line: mistake.line };
        let advice = mistake.advice.as_ref().map(|advice| format!(" ({advice})")).unwrap_or_default();
        results.push(result(
            "scenario-mistake",
            "error",
            format!("{}{advice}", mistake.message),
            Some(place),
            &mistake.path,
        ));
    }
    for case in report.cases.iter().filter(|case| case.verdict.is_bad()) {
        for finding in &case.findings {
            let level = if finding.is_must() { "error" } else { "warning" };
            let place = places(case, Some(&finding.requirement));
            results.push(result(&finding.requirement, level, said(case, finding), place, &case.case));
        }
        if case.findings.is_empty() {
            let text = format!("{}: {}\nreplay: {}", case.case, case.reason, case.replay);
            results.push(result(case.verdict.name(), "error", text, places(case, None), &case.case));
        }
    }
    let driver =
        json!({ "name": "deltaproof", "version": env!("CARGO_PKG_VERSION"), "rules": rules(report, &results) });
    let mut text = serde_json::to_string_pretty(&json!({
        "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
        "version": "2.1.0",
        "runs": [{ "tool": { "driver": driver }, "results": results }],
    }))?;
    text.push('\n');
    Ok(text)
}

fn said(case: &CaseReport, finding: &FindingReport) -> String {
    let at = kit::Time(finding.at_us);
    let who = format!("{} {} {} at {at}", finding.suspects(), finding.weight(), finding.host);
    format!("{who}: {}\n{}\nreplay: {}", finding.what, case.case, case.replay)
}

fn result(rule: &str, level: &str, text: String, place: Option<Place>, case: &str) -> Value {
    let location = |place: Place| {
        json!({ "physicalLocation": {
            "artifactLocation": { "uri": place.path.replace(' ', "%20") },
            "region": { "startLine": place.line },
        } })
    };
    json!({
        "ruleId": rule,
        "level": level,
        "message": { "text": text },
        "locations": Vec::from_iter(place.map(location)),
        // By these an alert stays the same when lines move.
        "partialFingerprints": { "case/v1": format!("{case} {rule}") },
    })
}

/// The rules of all results, each once, with what is known of the requirement.
fn rules(report: &RunReport, results: &[Value]) -> Vec<Value> {
    let rows = report.profiles.iter().flat_map(|profile| &profile.requirements);
    let known: BTreeMap<&str, &RequirementReport> = rows.map(|row| (row.id.as_str(), row)).collect();
    let mut ids: Vec<&str> = results.iter().filter_map(|result| result["ruleId"].as_str()).collect();
    ids.sort_unstable();
    ids.dedup();
    let rule = |id: &str| match known.get(id) {
        Some(row) => json!({
            "id": id,
            "shortDescription": { "text": row.text },
            "help": { "text": format!("{}, {}. `deltaproof explain {id}` says how it is checked.", row.weight(), row.source) },
        }),
        None => json!({ "id": id, "shortDescription": { "text": id } }),
    };
    ids.into_iter().map(rule).collect()
}

#[cfg(test)]
mod tests {
    use super::super::model::Verdict;
    use super::super::sample;
    use super::*;

    fn results(report: &RunReport) -> Vec<Value> {
        let places = |case: &CaseReport, id: Option<&str>| {
            Some(Place { path: case.path.clone(), line: 1 + id.map_or(0, str::len) })
        };
        let text = document(report, &places).expect("serializes");
        let value: Value = serde_json::from_str(&text).expect("is JSON");
        assert_eq!(value["version"], "2.1.0");
        value["runs"][0]["results"].as_array().expect("a list").clone()
    }

    #[test]
    fn a_finding_is_a_result_at_the_place_where_the_scenario_names_the_requirement() {
        let results = results(&sample::report());
        assert_eq!(results.len(), 1);
        assert_eq!(results[0]["ruleId"], "FTE-RST-02");
        assert_eq!(results[0]["level"], "error");
        let place = &results[0]["locations"][0]["physicalLocation"];
        assert_eq!(place["artifactLocation"]["uri"], "scenarios/fte/reset-lost.yaml");
        assert_eq!(place["region"]["startLine"], 11);
        let text = results[0]["message"]["text"].as_str().expect("text");
        assert!(text.ends_with("replay: deltaproof replay fte/reset-lost@fte-nq --seed 3"), "{text}");
    }

    #[test]
    fn a_case_that_failed_without_a_finding_is_a_result_too() {
        let mut report = sample::report();
        report.cases[1].findings.clear();
        report.cases[1].verdict = Verdict::Vacuous;
        assert_eq!(results(&report)[0]["ruleId"], "vacuous");
        report.cases[1].verdict = Verdict::Pass;
        assert_eq!(results(&report), [Value::Null; 0]);
    }
}
