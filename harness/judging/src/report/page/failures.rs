//! What a person has to look at, with all that helps to understand it.

use super::super::comparison::Compared;
use super::super::model::{CaseReport, FindingReport};
use super::{link, many, network, section, verdict};
use maud::{Markup, PreEscaped, html};

/// So many bytes of failures stand on a page: first with all that is known, then in short, and then their number.
const MOST_BYTES: usize = 200_000;
/// So many of them at most with all that is known.
const WHOLE_BYTES: usize = 140_000;

/// Whether a result has something to look at.
pub(super) fn is_there(one: &Compared) -> bool {
    !one.report.mistakes.is_empty() || one.report.cases.iter().any(|case| case.verdict.is_bad() || needs_a_look(case))
}

pub(super) fn section(results: &[Compared]) -> Markup {
    let mut used = 0;
    html! {
        section id="failures" aria-labelledby="h-failures" {
            h2 id="h-failures" { "Failures" }
            @for one in results.iter().filter(|one| is_there(one)) {
                @let bad = one.report.cases.iter().filter(|case| case.verdict.is_bad());
                @let lesser = one.report.cases.iter().filter(|case| needs_a_look(case));
                @let all: Vec<&CaseReport> = bad.chain(lesser).collect();
                @let shown = within(&all, &mut used);
                @if results.len() > 1 { h3 { (one.name) } }
                @for mistake in &one.report.mistakes {
                    article.failure {
                        h4 { span.fail { "mistake in a scenario" } " " code { (mistake.path) ":" (mistake.line) ":" (mistake.column) } }
                        p { (mistake.message) @if let Some(advice) = &mistake.advice { " (" (advice) ")" } }
                    }
                }
                @for failure in &shown { (PreEscaped(failure)) }
                @if all.len() > shown.len() {
                    p { "These are " (shown.len()) " of " (all.len()) "; " a href="#cases" { "the cases" } " have the others." }
                }
            }
        }
    }
}

/// Whether it is no failure, and yet something was found that nobody has registered.
fn needs_a_look(case: &CaseReport) -> bool {
    !case.verdict.is_bad() && case.verdict == super::super::Verdict::FailShould
}

/// So many of these as there is room for, of which `used` is taken.
fn within(all: &[&CaseReport], used: &mut usize) -> Vec<String> {
    let mut shown = Vec::new();
    for case in all {
        let mut text = failure(case, true).into_string();
        if *used + text.len() > WHOLE_BYTES {
            text = failure(case, false).into_string();
        }
        if *used + text.len() > MOST_BYTES {
            break;
        }
        *used += text.len();
        shown.push(text);
    }
    shown
}

fn failure(case: &CaseReport, is_whole: bool) -> Markup {
    html! {
        article.failure {
            h4 {
                (verdict(case.verdict)) " " (link(&case.case))
                @if let Some(seed) = case.failed_seed { span.dim { " seed " (seed) } }
            }
            p { (case.title) }
            @if !case.why.is_empty() && is_whole { p.dim { (case.why) } }
            @if case.findings.is_empty() && !case.reason.is_empty() { p { (case.reason) } }
            @if !case.findings.is_empty() { (findings(&case.findings)) }
            @if let Some(svg) = case.timeline.as_ref().filter(|_| is_whole) {
                details.drawing open {
                    summary { "Timeline" }
                    div.wide tabindex="0" role="region" aria-label={ "Timeline of " (case.case) } { (PreEscaped(svg)) }
                }
            }
            @if !case.events.is_empty() && is_whole {
                details {
                    summary { "The last " (many(case.events.len() as u64, "event")) " before it, each datagram with its fields" }
                    pre tabindex="0" { (case.events.join("\n")) }
                }
            }
            @if !case.impairment.is_empty() && is_whole {
                details {
                    summary { "Network, as configured and as observed" }
                    ul { @for line in network::lines(&case.impairment) { li { (line) } } }
                }
            }
            p { "The same again:" }
            pre { (case.replay) }
        }
    }
}

/// Violations, obligations first; of those of a requirement and a host the first, and how many more there are.
pub(super) fn findings(findings: &[FindingReport]) -> Markup {
    let mut groups: Vec<(&FindingReport, usize)> = Vec::new();
    for finding in findings {
        let alike = |(first, _): &&mut (&FindingReport, usize)| {
            (&first.requirement, &first.others, &first.host) == (&finding.requirement, &finding.others, &finding.host)
        };
        match groups.iter_mut().find(alike) {
            Some((_, more)) => *more += 1,
            None => groups.push((finding, 0)),
        }
    }
    groups.sort_by_key(|(finding, _)| !finding.is_must());
    html! {
        ul.findings {
            @for (finding, more) in groups {
                li {
                    (link(&finding.requirement))
                    @if !finding.others.is_empty() { " (or " (super::links(finding.others.iter().map(String::as_str))) ")" }
                    " " b { (finding.weight()) } ", " (finding.host) " at " (kit::Time(finding.at_us)) ": " (finding.what)
                    @if more > 0 { span.dim { " (and " (more) " more of it later)" } }
                    @if let Some(known) = section::known(&finding.requirement) { div.dim { (known.text) } }
                }
            }
        }
    }
}
