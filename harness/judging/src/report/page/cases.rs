//! Every case, below its scenario.

use super::super::comparison::Compared;
use super::super::model::CaseReport;
use super::section::{Section, protocol_of};
use super::{failures, network, verdict};
use maud::{Markup, html};
use std::collections::{BTreeMap, BTreeSet};

/// So many lines about links of a case that is in order are shown.
const SHOWN_LINKS: usize = 1;

/// A case with each result that has it.
type Runs<'a> = Vec<(&'a str, &'a CaseReport)>;

pub(super) fn section(results: &[Compared], sections: &[Section<'_>]) -> Markup {
    let mut scenarios: Vec<(&str, Vec<(&str, Runs<'_>)>)> = Vec::new();
    let mut places: BTreeMap<&str, (usize, usize)> = BTreeMap::new();
    for one in results {
        for case in &one.report.cases {
            let (scenario, place) = *places.entry(&case.case).or_insert_with(|| {
                let found = scenarios.iter().position(|(id, _)| *id == case.scenario);
                let scenario = found.unwrap_or_else(|| {
                    scenarios.push((&case.scenario, Vec::new()));
                    scenarios.len() - 1
                });
                scenarios[scenario].1.push((&case.case, Vec::new()));
                (scenario, scenarios[scenario].1.len() - 1)
            });
            scenarios[scenario].1[place].1.push((&one.name, case));
        }
    }
    let verdicts: BTreeSet<&str> =
        results.iter().flat_map(|one| &one.report.cases).map(|case| case.verdict.name()).collect();
    html! {
        section id="cases" aria-labelledby="h-cases" {
            h2 id="h-cases" { "Cases" }
            p { code { "deltaproof replay CASE --seed N" } " shows any run again, every datagram decoded." }
            form.filters role="search" aria-label="Filter cases" {
                label { "Text " input type="search" data-filter="text"; }
                label { "Verdict " select data-filter="verdict" {
                    option value="" { "all" } @for verdict in verdicts { option { (verdict) } }
                } }
                span.count role="status" aria-live="polite" {}
            }
            @for (_, cases) in &scenarios { (scenario(cases, sections, results.len() > 1)) }
        }
    }
}

fn scenario(cases: &[(&str, Runs<'_>)], sections: &[Section<'_>], named: bool) -> Markup {
    let Some((_, first)) = cases.first().and_then(|(_, runs)| runs.first()) else { return html! {} };
    html! {
        article.scenario data-protocol=(protocol_of(&first.profile)) {
            h3 { (first.title) }
            @if !first.why.is_empty() { p.dim { (first.why) } }
            @for (name, runs) in cases {
                details id=(name) {
                    summary {
                        (name) " "
                        @for (result, case) in runs { @if named { span.dim { (result) } " " } (verdict(case.verdict)) " " }
                    }
                    @for (result, case) in runs { (run(case, sections, named.then_some(*result))) }
                }
            }
        }
    }
}

fn run(case: &CaseReport, sections: &[Section<'_>], name: Option<&str>) -> Markup {
    let section = sections.iter().find(|section| section.name == protocol_of(&case.profile));
    html! {
        div.run data-covered=[section.map(|section| section.covered(case))] {
            @if let Some(name) = name { h4 { (name) } }
            p {
                (super::many(case.seeds, "seed")) ", " (super::many(case.datagrams, "datagram"))
                @for (count, what) in [(case.lost, "lost"), (case.duplicated, "duplicated"), (case.reordered, "reordered")] {
                    @if count > 0 { ", " (count) " " (what) }
                }
                ", trace " code { (case.trace_hash) } ", covers " b { (case.requirements.len()) }
            }
            @if !case.reason.is_empty() { p { (case.reason) } }
            @if !case.findings.is_empty() { (failures::findings(&case.findings)) }
            (links(case))
            @for remark in &case.remarks { p { "remark: " (remark) } }
            @if case.verdict.is_bad() { pre { (case.replay) } }
        }
    }
}

/// What the network did: of a case that has nothing to look into, the first link stands for all, so that the page stays small.
fn links(case: &CaseReport) -> Markup {
    let lines = network::lines(&case.impairment);
    let shown = if case.verdict.is_bad() { lines.len() } else { lines.len().min(SHOWN_LINKS) };
    html! {
        ul {
            @for line in &lines[..shown] { li { (line) } }
            @if shown < lines.len() { li { (lines.len() - shown) " more in result.json" } }
        }
    }
}
