//! Every requirement, and what became of it with each implementation and profile.

use super::super::comparison::Compared;
use super::Page;
use super::section::{Row, Section};
use kit::Mutant;
use maud::{Markup, html};
use std::collections::BTreeSet;

/// So many mutants of a requirement are told.
const MOST_MUTANTS: usize = 5;

pub(super) fn section(sections: &[Section<'_>], page: &Page<'_>) -> Markup {
    html! {
        section id="requirements" aria-labelledby="h-requirements" {
            h2 id="h-requirements" { "Each requirement, and what proves it" }
            form.filters role="search" aria-label="Filter requirements" {
                label { "Text " input type="search" data-filter="text"; }
                label { "Level " select data-filter="level" {
                    option value="" { "all" } option { "MUST" } option { "SHOULD" }
                } }
                label { "Role " select data-filter="role" {
                    option value="" { "all" } option { "server" } option { "client" } option { "both" }
                } }
                label { "Status " select data-filter="status" {
                    option value="" { "all" }
                    @for status in ["pass", "fail", "untested", "skipped", "untestable", "not-applicable"] { option { (status) } }
                    @if page.results.len() > 1 { option value="differs" { "differs" } }
                } }
                label { "Protocol " select data-filter="protocol" {
                    option value="" { "all" }
                    @for section in sections { option { (section.name) } }
                } }
                span.count role="status" aria-live="polite" {}
            }
            @for section in sections { (table(section, page.results)) }
        }
    }
}

fn table(section: &Section<'_>, results: &[Compared]) -> Markup {
    html! {
        div.wide.matrix data-protocol=(section.name) {
            table {
                caption { (section.name) }
                thead { tr {
                    th scope="col" { "requirement" }
                    th scope="col" { "level" }
                    th scope="col" { "role" }
                    @for (result, profile) in &section.columns {
                        th scope="col" { @if results.len() > 1 { (results[*result].name) " " } (profile) }
                    }
                    th scope="col" { "what must hold" }
                } }
                tbody { @for row in &section.rows { (requirement(row, section)) } }
            }
        }
    }
}

fn requirement(row: &Row<'_>, section: &Section<'_>) -> Markup {
    let words: Vec<_> = (0..section.columns.len()).map(|column| row.words(column)).collect();
    let differs = words.windows(2).any(|pair| pair[0] != pair[1]);
    let id = &row.first.id;
    html! {
        tr id=(id) .differs[differs] {
            th scope="row" { a href={ "#" (id) } { (id) } }
            td { (row.first.weight()) }
            td { (row.first.role) }
            @for cell in words {
                @if let Some((status, word)) = cell { td class=(status.name()) { (word) } } @else { td { "–" } }
            }
            td { details { summary { (row.text()) } (known(row)) } }
        }
    }
}

/// What is known of a requirement beside its text.
fn known(row: &Row<'_>) -> Markup {
    let mutants: Vec<&Mutant> = row.mutants().collect();
    let reasons: BTreeSet<&str> =
        row.cells.iter().flatten().map(|cell| cell.untested_because.as_str()).filter(|why| !why.is_empty()).collect();
    let cases = row.cells.iter().flatten().flat_map(|cell| &cell.cases).collect::<BTreeSet<_>>().len();
    let note = |label: &str, text: Option<&str>| {
        html! { @if let Some(text) = text { dt { (label) } dd { (text) } } }
    };
    html! {
        dl {
            @if let Some(source) = Some(row.first.source.as_str()).filter(|it| !it.is_empty()).or(row.known.map(|it| it.source)) {
                dt { "source" } dd { (source) }
            }
            @for why in reasons { dt.warn { "not tested" } dd { (why) } }
            @if let Some(known) = row.known {
                (note("observed", Some(known.observed).filter(|observed| !observed.is_empty())))
                (note("erratum", known.errata))
                (note("engines", known.engines))
            }
            dt { "cases" } dd.covering { (cases) }
            @if !mutants.is_empty() {
                dt { "mutants" }
                dd { ul { @for mutant in mutants.iter().take(MOST_MUTANTS) {
                    li {
                        code { (mutant.name) } ": " (mutant.differs)
                        @if let Some(bug) = mutant.same_bug_as { " (as in " (bug) ")" }
                    }
                }
                @if mutants.len() > MOST_MUTANTS { li { (mutants.len() - MOST_MUTANTS) " more: " code { "deltaproof explain " (row.first.id) } } }
                } }
            }
        }
    }
}
