//! A report for tests, with everything that needs escaping.

use super::model::*;

/// One pass and one failure under one profile.
pub(crate) fn report() -> RunReport {
    let case = |name: &str, verdict, findings: Vec<FindingReport>| CaseReport {
        case: format!("fte/{name}@fte-nq"),
        scenario: format!("fte/{name}"),
        path: format!("scenarios/fte/{name}.yaml"),
        profile: "fte-nq".into(),
        variant: String::new(),
        title: format!("A title with <b> & \"quotes\" for {name}"),
        why: "Why <this> matters".into(),
        seeds: 8,
        failed_seed: (!findings.is_empty()).then_some(3),
        failed_seeds: findings.len() as u64,
        verdict,
        reason: findings.first().map(|finding| finding.what.clone()).unwrap_or_default(),
        requirements: vec!["FTE-RST-01".into(), "FTE-RST-02".into()],
        remarks: vec!["the server sends extra resets".into()],
        trace_hash: "00112233445566ff".into(),
        datagrams: 1234,
        lost: 49,
        duplicated: 0,
        reordered: 0,
        found: findings.len() as u64,
        impairment: vec!["client1 s2c loss 5.0% configured, 4.90% observed (49 of 1000)".into()],
        replay: format!("deltaproof replay fte/{name}@fte-nq --seed {}", if findings.is_empty() { 0 } else { 3 }),
        events: match findings.is_empty() {
            true => Vec::new(),
            false => vec!["prints \"</script><img>\"".into()],
        },
        timeline: None,
        findings,
        took_us: 125_000,
    };
    RunReport {
        subject: "the <reference>".into(),
        program: "deltaproof 0.0.0".into(),
        headline:
            "MUST 1/3 (0 skipped, 1 untested)  SHOULD 0/0  decided by profiles: MUST 1/1 (0 skipped, 0 untested)  \
                   SHOULD 0/0"
                .into(),
        root_hash: "aabbccdd00112233".into(),
        profiles: vec![ProfileReport {
            profile: "fte-nq".into(),
            role: "client".into(),
            must: Tally { total: 3, pass: 1, fail: 1, skipped: 0, untested: 1, untestable: 1 },
            should: Tally::default(),
            decided_must: Tally { total: 1, pass: 1, ..Tally::default() },
            decided_should: Tally::default(),
            not_applicable: 2,
            requirements: vec![
                requirement("FTE-RST-01", RequirementStatus::Pass, ""),
                requirement("FTE-RST-02", RequirementStatus::Fail, ""),
                requirement("FTE-RST-03", RequirementStatus::Untested, "no run of this selection covered it"),
                requirement("FTE-RST-04", RequirementStatus::Untestable, "needs a real clock"),
                requirement("FTE-RST-05", RequirementStatus::Pass, ""),
            ],
        }],
        cases: vec![case("reset-kept", Verdict::Pass, Vec::new()), case("reset-lost", Verdict::Fail, vec![finding()])],
        left_out: 0,
        vacuous: 0,
        findings: 1,
        not_run: 0,
        mistakes: Vec::new(),
        levels: Vec::new(),
    }
}

/// A requirement of a client.
fn requirement(id: &str, status: RequirementStatus, untested_because: &str) -> RequirementReport {
    RequirementReport {
        id: id.into(),
        level: "MUST".into(),
        role: "client".into(),
        text: "Apply a reset before the fields that follow it.".into(),
        source: "Resets, paragraph 2".into(),
        decided: (id == "FTE-RST-05").then(|| "OURS-1".into()),
        status,
        cases: vec!["fte/reset-lost@fte-nq".into()],
        untested_because: untested_because.into(),
    }
}

/// A violation with characters that need escaping.
fn finding() -> FindingReport {
    FindingReport {
        requirement: "FTE-RST-02".into(),
        others: Vec::new(),
        check: "resets".into(),
        level: "MUST".into(),
        decided: None,
        role: "client".into(),
        host: "client1".into(),
        at_us: 1_250_000,
        what: "entity 5 origin[0] is <8> after the reset, expected 16 & no more".into(),
    }
}
