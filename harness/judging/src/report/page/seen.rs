//! Errata: where a specification and what was built from it disagree, and which reading was seen.

use super::super::comparison::Compared;
use super::section::Section;
use super::{link, links, many};
use maud::{Markup, html};
use std::collections::BTreeMap;

pub(super) fn section(results: &[Compared], sections: &[Section<'_>]) -> Markup {
    let has_errata = |section: &Section<'_>| -> Vec<String> {
        let rows = section.rows.iter().filter(|row| row.known.is_some_and(|known| known.errata.is_some()));
        rows.map(|row| row.first.id.clone()).collect()
    };
    let is_there = results.iter().any(|one| one.report.cases.iter().any(|case| !case.remarks.is_empty()))
        || sections.iter().any(|section| !has_errata(section).is_empty());
    if !is_there {
        return html! {};
    }
    html! {
        section id="errata" aria-labelledby="h-errata" {
            h2 id="h-errata" { "Errata" }
            p { "Where a specification and what was built from it disagree, several readings pass. What was seen of them:" }
            @for one in results.iter().filter(|one| one.report.cases.iter().any(|case| !case.remarks.is_empty())) {
                @if results.len() > 1 { h3 { (one.name) } }
                (seen(one))
            }
            @for section in sections {
                @let ids = has_errata(section);
                @if !ids.is_empty() {
                    p { (section.name) ", requirements with an erratum: " (links(ids.iter().map(String::as_str))) }
                }
            }
        }
    }
}

/// The remarks of all cases, the most frequent first.
fn seen(one: &Compared) -> Markup {
    let mut remarks: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for case in &one.report.cases {
        for remark in &case.remarks {
            remarks.entry(remark).or_default().push(&case.case);
        }
    }
    let mut remarks: Vec<(&str, Vec<&str>)> = remarks.into_iter().collect();
    remarks.sort_by_key(|(_, cases)| std::cmp::Reverse(cases.len()));
    html! {
        ul {
            @for (remark, cases) in remarks {
                li { (remark) ": " span.dim { (many(cases.len() as u64, "case")) ", such as " } (link(cases[0])) }
            }
        }
    }
}
