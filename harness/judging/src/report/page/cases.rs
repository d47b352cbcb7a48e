//! Every case, below its scenario.

use super::super::comparison::Compared;
use super::super::model::{CaseReport, Verdict};
use super::section::{Section, protocol_of};
use super::{many, verdict};
use maud::{Markup, html};
use std::collections::{BTreeMap, BTreeSet};

/// So many bytes of cases stand on a page; those for which there is no room are counted.
const MOST_BYTES: usize = 310_000;

/// So many of them are kept for cases that did not pass.
const KEPT_BYTES: usize = 60_000;

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
    let (mut room, mut left, mut texts) = (MOST_BYTES, 0, Vec::new());
    for (_, cases) in &scenarios {
        let (text, more) = scenario(cases, sections, results.len() > 1, &mut room);
        texts.push(text);
        left += more;
    }
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
            @for text in &texts { (text) }
            @if left > 0 { p { "These are not all: " (many(left as u64, "more case")) " in result.json." } }
        }
    }
}

/// A scenario with a line for each of its cases, and how many of these are left out, as `room` for them ran out.
fn scenario(cases: &[(&str, Runs<'_>)], sections: &[Section<'_>], named: bool, room: &mut usize) -> (Markup, usize) {
    let Some((_, first)) = cases.first().and_then(|(_, runs)| runs.first()) else { return (html! {}, 0) };
    let lines: Vec<Markup> = cases.iter().map(|(name, runs)| line(name, runs, sections, named)).collect();
    let shown: Vec<&Markup> = lines
        .iter()
        .zip(cases)
        .filter(|(line, (_, runs))| {
            let bytes = line.0.len() + (first.title.len() + first.why.len()) / cases.len();
            // What failed has the rest of the room to itself.
            let kept = if runs.iter().all(|(_, case)| case.verdict == Verdict::Pass) { KEPT_BYTES } else { 0 };
            let fits = bytes + kept <= *room;
            *room -= if fits { bytes } else { 0 };
            fits
        })
        .map(|(line, _)| line)
        .collect();
    let left = cases.len() - shown.len();
    let text = html! {
        @if !shown.is_empty() {
            article.scenario data-protocol=(protocol_of(&first.profile)) {
                h3 { (first.title) }
                @if !first.why.is_empty() { p.dim { (first.why) } }
                @for line in shown { (line) }
            }
        }
    };
    (text, left)
}

fn line(name: &str, runs: &Runs<'_>, sections: &[Section<'_>], named: bool) -> Markup {
    match runs.as_slice() {
        // Of one result a line is one element: there are a thousand.
        [(_, case)] if !named => html! {
            p.case.run id=(name) data-covered=[covered(case, sections)] { (name) " " (outcome(case)) }
        },
        runs => html! {
            div.case id=(name) {
                (name)
                @for (result, case) in runs {
                    p.run data-covered=[covered(case, sections)] { (result) ": " (outcome(case)) }
                }
            }
        },
    }
}

fn covered(case: &CaseReport, sections: &[Section<'_>]) -> Option<String> {
    let section = sections.iter().find(|section| section.name == protocol_of(&case.profile));
    section.filter(|_| !case.requirements.is_empty()).map(|section| section.covered(case))
}

fn outcome(case: &CaseReport) -> Markup {
    html! {
        (verdict(case.verdict))
        @if case.seeds != 1 { ", " (many(case.seeds, "seed")) }
        ", " (many(case.datagrams, "datagram"))
        @for (count, what) in [(case.lost, "lost"), (case.duplicated, "doubled"), (case.reordered, "reordered")] {
            @if count > 0 { ", " (count) " " (what) }
        }
        ", trace " (case.trace_hash)
        @if !case.requirements.is_empty() { ", covers " button { (case.requirements.len()) } }
        @if !case.reason.is_empty() { ": " (case.reason) }
    }
}
