//! The page of a requirement: what must hold, who says so, what checks it, what proves the check, what engines do.

use super::{Site, mark};
use kit::{Check, Mutant, Protocol, Requirement};
use maud::{Markup, html};

impl Site<'_> {
    pub(super) fn requirement(&self, protocol: &Protocol, row: &Requirement) -> Markup {
        let mutants: Vec<&Mutant> = protocol.mutants_of(row).collect();
        let checks: Vec<&Check> = protocol.checks_of(row).collect();
        let clauses: Vec<String> = checks.iter().flat_map(|check| check.clauses).map(ToString::to_string).collect();
        let scenarios = (self.covering)(protocol, row);
        html! {
            p { b { (row.level) } ", " (row.role) @if let Some(profiles) = row.profiles { ", " (profiles.join(", ")) " only" } ": " (row.text) }
            dl {
                @for (name, text) in row.notes() { dt { (name) } dd { (text) } }
                dt { "protocol" } dd { a href={ "../protocols/" (protocol.name) ".html" } { (protocol.title) } }
            }
            @if !clauses.is_empty() { h2 { "Its law" } pre { (clauses.join("\n")) } }
            @if !checks.is_empty() { p { "Checked by " (checks.iter().map(|check| check.name).collect::<Vec<_>>().join(", ")) "." } }
            @if !self.results.is_empty() {
                h2 { "Implementations" }
                div.wide { table { tbody {
                    @for (one, status) in self.results.iter().zip(self.statuses(row.id)) {
                        tr { th { (one.name) } (mark(status)) }
                    }
                } } }
            }
            @if !mutants.is_empty() {
                h2 { "Mutants that show that the check fails" }
                ul {
                    @for mutant in &mutants {
                        li {
                            b { (mutant.name) } " (" (mutant.replacement.role) "): " (mutant.differs)
                            @if let Some(link) = self.play(protocol, mutant) { " " a href=(link) { "play it" } }
                        }
                    }
                }
            }
            @if !scenarios.is_empty() {
                h2 { "Scenarios that cover it" }
                p { @for scenario in &scenarios { code { (scenario) } " " } }
            }
        }
    }

    /// The link that plays a mutant in its scenario, in the browser's page.
    fn play(&self, protocol: &Protocol, mutant: &Mutant) -> Option<String> {
        let case = (self.case)(mutant.scenario).filter(|_| self.plays)?;
        // As `web/page/link.js` reads it. Brackets of a case's options mean nothing in a fragment.
        let encoded = |text: &str| text.replace('%', "%25").replace('/', "%2F");
        Some(format!("../play.html#{case}&seed=1&with={}", encoded(&format!("{}/{}", protocol.name, mutant.name))))
    }
}
