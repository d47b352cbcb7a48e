//! Every requirement at a glance: a cell for each, coloured by what became of it, which says what proves it.

use super::super::comparison::Compared;
use super::super::engines;
use super::super::model::RequirementStatus;
use super::many;
use super::section::{Row, Section};
use maud::{Markup, html};
use std::collections::BTreeSet;

/// What becomes of requirements, with the words of the legend; the first of them that any profile shows is a cell's.
const ALL: [(RequirementStatus, &str); 6] = [
    (RequirementStatus::Fail, "violated"),
    (RequirementStatus::Untested, "not put to the test"),
    (RequirementStatus::Skipped, "not judged, as the implementation does not show it"),
    (RequirementStatus::Pass, "held"),
    (RequirementStatus::Untestable, "no run can test it"),
    (RequirementStatus::NotApplicable, "not applicable"),
];

pub(super) fn section(sections: &[Section<'_>], results: &[Compared]) -> Markup {
    let cells: Vec<(usize, Option<RequirementStatus>)> = sections
        .iter()
        .flat_map(|section| section.rows.iter().map(move |row| (section, row)))
        .flat_map(|(section, row)| (0..results.len()).map(move |result| (result, status(section, row, result))))
        .collect();
    let is_there = |status| cells.iter().any(|(_, cell)| *cell == Some(status));
    html! {
        section id="glance" aria-labelledby="h-glance" {
            h2 id="h-glance" { "Every requirement" }
            p.dim.legend {
                "A square is a MUST, a circle a SHOULD; each says what proves it, and leads to what must hold. "
                @for (status, words) in ALL {
                    @if is_there(status) { span.cells { i class=(status.name()) {} } " " (words) ". " }
                }
            }
            @for section in sections { (protocol(section, results)) }
        }
    }
}

fn protocol(section: &Section<'_>, results: &[Compared]) -> Markup {
    let mut chapters: Vec<(&str, Vec<&Row<'_>>)> = Vec::new();
    for row in &section.rows {
        let id = row.first.id.as_str();
        let name = id.rsplit_once('-').map_or(id, |(chapter, _)| chapter);
        match chapters.last_mut().filter(|(last, _)| *last == name) {
            Some((_, rows)) => rows.push(row),
            None => chapters.push((name, vec![row])),
        }
    }
    let all: BTreeSet<&str> = section
        .rows
        .iter()
        .flat_map(|row| row.cells.iter().flatten())
        .flat_map(|one| &one.cases)
        .map(String::as_str)
        .collect();
    let mutants: usize = section.rows.iter().map(|row| row.mutants().count()).sum();
    let used: BTreeSet<usize> = section.columns.iter().map(|(result, _)| *result).collect();
    html! {
        h3 {
            (section.name) " "
            span.dim {
                (many(section.rows.len() as u64, "requirement"))
                @if !all.is_empty() { ", " (many(all.len() as u64, "case")) }
                @if mutants > 0 { ", " (many(mutants as u64, "mutant")) }
            }
        }
        @if let [result] = used.iter().copied().collect::<Vec<_>>()[..] && results.len() == 1 {
            div.chapters {
                @for (name, rows) in &chapters { div { span.dim { (name) } (cells(section, rows, result)) } }
            }
        } @else {
            div.wide { table.strips {
                thead { tr { th scope="col" { "chapter" } @for result in &used { th scope="col" { (results[*result].name) } } } }
                tbody {
                    @for (name, rows) in &chapters {
                        tr { th scope="row" { (name) } @for result in &used { td { (cells(section, rows, *result)) } } }
                    }
                }
            } }
        }
    }
}

fn cells(section: &Section<'_>, rows: &[&Row<'_>], result: usize) -> Markup {
    html! {
        span.cells {
            @for row in rows {
                @if let Some(status) = status(section, row, result) {
                    @let class = if row.first.level.starts_with("MUST") { String::from(status.name()) } else { format!("{} should", status.name()) };
                    a class=(class) href={ "#" (row.first.id) } title=(proof(section, row, result, status)) {}
                } @else { i {} }
            }
        }
    }
}

/// What became of a requirement in all profiles of a result: what is worst of what was put to the test, or why it was not.
fn status(section: &Section<'_>, row: &Row<'_>, result: usize) -> Option<RequirementStatus> {
    let of = |wanted| columns(section, result).any(|column| row.cells[column].iter().any(|one| one.status == wanted));
    ALL.iter().map(|(status, _)| *status).find(|status| of(*status))
}

fn columns(section: &Section<'_>, result: usize) -> impl Iterator<Item = usize> {
    (0..).zip(&section.columns).filter(move |(_, (of, _))| *of == result).map(|(column, _)| column)
}

/// `FTE-RST-07 held: 12 cases, 3 mutants, q2pro`.
fn proof(section: &Section<'_>, row: &Row<'_>, result: usize, status: RequirementStatus) -> String {
    let cases: BTreeSet<&String> =
        columns(section, result).flat_map(|column| &row.cells[column]).flat_map(|one| &one.cases).collect();
    let words = ALL.iter().find(|(known, _)| *known == status).map_or("", |(_, words)| words);
    let counts = [(cases.len(), "case"), (row.mutants().count(), "mutant")];
    let counts = counts.into_iter().filter(|(count, _)| *count > 0);
    let mut parts: Vec<String> = counts.map(|(count, what)| many(count as u64, what)).collect();
    parts.extend(engines::tested(&row.first.id).into_iter().map(String::from));
    let colon = if parts.is_empty() { "" } else { ": " };
    format!("{} {words}{colon}{}", row.first.id, parts.join(", "))
}
