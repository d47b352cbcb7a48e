//! A report as JSON: `result.json`, and one object per line for pipelines.

use super::model::{RunReport, Tally};
use serde::Serialize;

#[derive(Serialize)]
#[cfg_attr(feature = "schemas", derive(schemars::JsonSchema), schemars(deny_unknown_fields))]
struct Summary<'a> {
    /// The numbers in a line.
    headline: &'a str,
    /// A hash over every trace.
    root_hash: &'a str,
    profiles: Vec<ProfileSummary<'a>>,
    /// Vacuous cases.
    vacuous: u32,
    findings: u32,
}

#[derive(Serialize)]
#[cfg_attr(feature = "schemas", derive(schemars::JsonSchema), schemars(deny_unknown_fields))]
struct ProfileSummary<'a> {
    profile: &'a str,
    role: &'a str,
    must: &'a Tally,
    should: &'a Tally,
    /// What the profile adds where the specification is silent.
    decided_must: &'a Tally,
    decided_should: &'a Tally,
}

/// The last line.
#[derive(Serialize)]
#[cfg_attr(feature = "schemas", derive(schemars::JsonSchema), schemars(deny_unknown_fields))]
pub struct LastLine<'a> {
    summary: Summary<'a>,
}

/// One object per case, and `{"summary": …}` as the last line. No line end.
///
/// # Errors
/// None that the report's types allow.
pub fn lines(report: &RunReport) -> serde_json::Result<Vec<String>> {
    let mut lines = Vec::with_capacity(report.cases.len() + 1);
    for case in &report.cases {
        lines.push(serde_json::to_string(case)?);
    }
    let profiles = report.profiles.iter().map(|profile| ProfileSummary {
        profile: &profile.profile,
        role: &profile.role,
        must: &profile.must,
        should: &profile.should,
        decided_must: &profile.decided_must,
        decided_should: &profile.decided_should,
    });
    lines.push(serde_json::to_string(&LastLine {
        summary: Summary {
            headline: &report.headline,
            root_hash: &report.root_hash,
            profiles: profiles.collect(),
            vacuous: report.vacuous,
            findings: report.findings,
        },
    })?);
    Ok(lines)
}

/// The whole report, indented.
///
/// # Errors
/// None that the report's types allow.
pub fn document(report: &RunReport) -> serde_json::Result<String> {
    let mut text = serde_json::to_string_pretty(report)?;
    text.push('\n');
    Ok(text)
}

#[cfg(test)]
mod tests {
    use super::super::sample;
    use serde_json::Value;

    #[test]
    fn the_last_line_is_the_summary_with_its_fixed_names() {
        let lines = super::lines(&sample::report()).expect("serializes");
        assert_eq!(lines.len(), 3);
        let values: Vec<Value> = lines.iter().map(|line| serde_json::from_str(line).expect("is JSON")).collect();
        assert_eq!(values[1]["verdict"], "fail");
        assert_eq!(values[1]["failed_seed"], 3);
        assert_eq!(
            lines[2],
            "{\"summary\":{\"headline\":\"MUST 1/3 (0 skipped, 1 untested)  SHOULD 0/0  decided by profiles: MUST 1/1 (0 skipped, 0 untested)  SHOULD 0/0\",\
             \"root_hash\":\"aabbccdd00112233\",\"profiles\":[{\"profile\":\"fte-nq\",\"role\":\"client\",\
             \"must\":{\"total\":3,\"pass\":1,\"fail\":1,\"skipped\":0,\"untested\":1,\"untestable\":1},\
             \"should\":{\"total\":0,\"pass\":0,\"fail\":0,\"skipped\":0,\"untested\":0,\"untestable\":0},\
             \"decided_must\":{\"total\":1,\"pass\":1,\"fail\":0,\"skipped\":0,\"untested\":0,\"untestable\":0},\
             \"decided_should\":{\"total\":0,\"pass\":0,\"fail\":0,\"skipped\":0,\"untested\":0,\"untestable\":0}}],\
             \"vacuous\":0,\"findings\":1}}"
        );
    }

    #[test]
    fn the_document_reads_back() {
        let text = super::document(&sample::report()).expect("serializes");
        let value: Value = serde_json::from_str(&text).expect("is JSON");
        assert_eq!(value["profiles"][0]["requirements"][2]["status"], "untested");
    }
}
