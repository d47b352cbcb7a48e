//! The requirements of a protocol in rows, with a column for each implementation and profile.

use super::super::comparison::Compared;
use super::super::model::{CaseReport, RequirementReport, RequirementStatus};
use crate::registry::{self, PROTOCOLS};
use kit::{Mutant, Requirement};
use std::collections::BTreeMap;

/// A protocol's part of a page.
pub(super) struct Section<'a> {
    /// The protocol's name; of a profile that this program does not know, the profile's.
    pub name: &'a str,
    /// Which result, and which profile.
    pub columns: Vec<(usize, &'a str)>,
    /// In catalogue order.
    pub rows: Vec<Row<'a>>,
}

/// A requirement.
pub(super) struct Row<'a> {
    /// As the first result has it.
    pub first: &'a RequirementReport,
    /// As this program has it, which knows more of it.
    pub known: Option<&'static Requirement>,
    /// For each column what became of it: once for each role that it binds.
    pub cells: Vec<Vec<&'a RequirementReport>>,
}

impl Row<'_> {
    /// What became of it in a column; nothing where it does not bind.
    pub fn words(&self, column: usize) -> Option<(RequirementStatus, String)> {
        let cell = &self.cells[column];
        let worst = cell.iter().map(|one| one.status).max_by_key(|status| gravity(*status))?;
        match cell.as_slice() {
            [server, client] if server.status != client.status => {
                Some((worst, format!("server {}, client {}", server.status.name(), client.status.name())))
            }
            _ => Some((worst, String::from(worst.name()))),
        }
    }
}

impl Row<'_> {
    /// What must hold: as the result has it, or a brief one's as this program has it.
    pub fn text(&self) -> &str {
        if self.first.text.is_empty() { self.known.map_or("", |known| known.text) } else { &self.first.text }
    }

    /// The mutants that show that its check fails.
    pub fn mutants(&self) -> impl Iterator<Item = &'static Mutant> {
        PROTOCOLS.iter().flat_map(|protocol| protocol.mutants()).filter(|mutant| mutant.caught_by.id == self.first.id)
    }
}

const fn gravity(status: RequirementStatus) -> u8 {
    match status {
        RequirementStatus::Pass => 0,
        RequirementStatus::NotApplicable => 1,
        RequirementStatus::Untestable => 2,
        RequirementStatus::Skipped => 3,
        RequirementStatus::Untested => 4,
        RequirementStatus::Fail => 5,
    }
}

/// The protocol of a profile.
pub(super) fn protocol_of(profile: &str) -> &str {
    let mut all = registry::profiles(PROTOCOLS);
    all.find(|(_, known)| known.name == profile).map_or(profile, |(protocol, _)| protocol.name)
}

/// What this program knows of a requirement.
pub(super) fn known(id: &str) -> Option<&'static Requirement> {
    PROTOCOLS.iter().flat_map(|protocol| protocol.requirements).copied().find(|requirement| requirement.id == id)
}

impl<'a> Section<'a> {
    /// Those of all results, in the order in which they come there: what is said of the end that was tested.
    pub fn all(results: &'a [Compared]) -> Vec<Section<'a>> {
        let mut sections: Vec<Section<'a>> = Vec::new();
        for (place, one) in results.iter().enumerate() {
            for profile in one.report.judged() {
                let name = protocol_of(&profile.profile);
                let section = sections.iter().position(|section| section.name == name).unwrap_or_else(|| {
                    sections.push(Section { name, columns: Vec::new(), rows: Vec::new() });
                    sections.len() - 1
                });
                let column = (place, profile.profile.as_str());
                if !sections[section].columns.contains(&column) {
                    sections[section].columns.push(column);
                }
            }
        }
        for section in &mut sections {
            section.fill(results);
        }
        sections
    }

    fn fill(&mut self, results: &'a [Compared]) {
        let columns = self.columns.clone();
        let mut rows: BTreeMap<(usize, &str), Row<'a>> = BTreeMap::new();
        for (column, (result, name)) in columns.iter().enumerate() {
            let profiles = results[*result].report.judged().filter(|profile| profile.profile == *name);
            for requirement in profiles.flat_map(|profile| &profile.requirements) {
                let id = requirement.id.as_str();
                let row = rows.entry((place(id), id)).or_insert_with(|| Row {
                    first: requirement,
                    known: known(id),
                    cells: vec![Vec::new(); columns.len()],
                });
                row.cells[column].push(requirement);
            }
        }
        self.rows = rows.into_values().collect();
    }

    /// What a case covers, as hexadecimal digits of four rows each, the first in the lowest bit; zeros at the end are left out.
    pub fn covered(&self, case: &CaseReport) -> String {
        let mut digits = vec![0_u8; self.rows.len().div_ceil(4)];
        for (place, row) in self.rows.iter().enumerate() {
            if case.requirements.contains(&row.first.id) {
                digits[place / 4] |= 1 << (place % 4);
            }
        }
        while digits.last() == Some(&0) {
            digits.pop();
        }
        digits.iter().map(|digit| char::from_digit(u32::from(*digit), 16).unwrap_or('0')).collect()
    }
}

/// Where the catalogue has a requirement; what it does not have comes last.
fn place(id: &str) -> usize {
    let mut all = PROTOCOLS.iter().flat_map(|protocol| protocol.requirements);
    all.position(|requirement| requirement.id == id).unwrap_or(usize::MAX)
}

#[cfg(test)]
mod tests {
    use super::super::super::sample;
    use super::*;

    #[test]
    fn a_row_has_a_cell_for_each_column_and_cases_name_rows_by_bits() {
        let results = ["one", "other"].map(|name| Compared { name: name.into(), report: sample::report() });
        let sections = Section::all(&results);
        assert_eq!(sections.len(), 1);
        let section = &sections[0];
        assert_eq!((section.name, section.columns.as_slice()), ("fte", [(0, "fte-nq"), (1, "fte-nq")].as_slice()));
        let words: Vec<_> = section.rows.iter().filter_map(|row| Some(row.words(1)?.1)).collect();
        assert_eq!(words, ["pass", "fail", "untested", "untestable", "pass"]);
        // The case covers the first two of five.
        assert_eq!(section.covered(&results[0].report.cases[0]), "3");
    }

    #[test]
    fn roles_that_differ_are_both_named() {
        let mut report = sample::report();
        let mut server = report.profiles[0].clone();
        server.role = "server".into();
        report.profiles.insert(0, server);
        let results = [Compared { name: "one".into(), report }];
        let mut sections = Section::all(&results);
        assert_eq!(sections[0].rows[0].words(0), Some((RequirementStatus::Pass, "pass".into())));
        sections[0].rows[0].cells[0].pop();
        let fail = results[0].report.profiles[0].requirements.iter().find(|row| row.id == "FTE-RST-02");
        sections[0].rows[0].cells[0].extend(fail);
        assert_eq!(sections[0].rows[0].words(0), Some((RequirementStatus::Fail, "server pass, client fail".into())));
    }
}
