//! The verdict on a run in a sentence, for who has never seen one.

use super::model::{ProfileReport, RequirementStatus, RunReport, Tally, Verdict};
use std::collections::{BTreeMap, BTreeSet};

/// So many requirements that were violated are named.
const NAMED: usize = 6;
/// What is tested if nothing takes the reference's place, as [`RunReport::subject`] has it.
pub const REFERENCE: &str = "the reference";

impl RunReport {
    /// The word after an option in what was tested.
    pub(super) fn given(&self, option: &str) -> Option<&str> {
        self.subject.split(' ').skip_while(|word| *word != option).nth(1)
    }

    /// The end that was tested, and the mutant or variant of ours in its place; nothing if both were tested.
    fn end(&self) -> Option<(&str, Option<&str>)> {
        let own = ["server", "client"]
            .into_iter()
            .find_map(|role| Some((role, self.given(&format!("--{role}")))).filter(|it| it.1.is_some()));
        own.or_else(|| self.given("--role").map(|role| (role, None)))
    }

    /// What was tested, for a sentence: `your client`, `the server q2pro`, or what the command line says.
    fn tested(&self) -> String {
        match self.end() {
            Some((role, Some(name))) => format!("the {role} {name}"),
            Some((role, None)) => match self.given("--engine") {
                Some(engine) => format!("the {role} {engine}"),
                None => format!("your {role}"),
            },
            None if self.is_reference() => String::from("deltaproof's own server and client"),
            None => format!("`{}`", self.subject),
        }
    }

    fn is_reference(&self) -> bool {
        self.subject == REFERENCE || self.subject.is_empty()
    }

    /// `deltaproof's own server and client hold all 937 MUSTs (1,001 cases).`, or what is violated, or what was not judged.
    pub fn sentence(&self) -> String {
        let tally = self.judged().fold(Tally::default(), |sum, profile| sum.and(profile.must));
        let verb = |one: &'static str, many: &'static str| if self.is_reference() { many } else { one };
        let broken = self.ids("MUST", RequirementStatus::Fail);
        let mut said = Vec::new();
        if !broken.is_empty() {
            let of = broken.len() + self.ids("MUST", RequirementStatus::Pass).difference(&broken).count();
            said.push(format!(
                "{} {} of the {of} MUSTs that were put to the test: {}",
                verb("breaks", "break"),
                broken.len(),
                named(&broken)
            ));
        } else if tally.pass > 0 && tally.untested + tally.skipped == 0 {
            said.push(format!("{} all {} MUSTs", verb("holds", "hold"), grouped(tally.pass as usize)));
        } else if tally.pass > 0 {
            let open = grouped((tally.untested + tally.skipped) as usize);
            said.push(format!(
                "{} the {} MUSTs that these cases put to the test; {open} others were not",
                verb("holds", "hold"),
                grouped(tally.pass as usize)
            ));
        }
        let recommended = self.ids("SHOULD", RequirementStatus::Fail);
        if !recommended.is_empty() {
            said.push(format!(
                "{} {} of the SHOULDs: {}",
                verb("breaks", "break"),
                recommended.len(),
                named(&recommended)
            ));
        }
        if said.is_empty() {
            said.push(String::from(verb("was put to no test of a MUST", "were put to no test of a MUST")));
        }
        let cases = self.cases_run();
        let counted = format!("({} case{})", grouped(cases), if cases == 1 { "" } else { "s" });
        let mut text = format!("{} {} {counted}.", self.tested(), said.join(", and "));
        text.push_str(&self.not_judged());
        text
    }

    /// What went otherwise than to a verdict on the implementation.
    fn not_judged(&self) -> String {
        let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
        for case in self.cases.iter().filter(|case| case.verdict.is_bad() && case.verdict != Verdict::Fail) {
            *counts.entry(case.verdict.name()).or_default() += 1;
        }
        let counts: Vec<String> = counts.iter().map(|(name, count)| format!("{count} {name}")).collect();
        let mut text = match counts.is_empty() {
            true => String::new(),
            false => format!(" No verdict in {}.", counts.join(", ")),
        };
        if self.not_run > 0 {
            text.push_str(&format!(" Stopped: {} more cases were not run.", grouped(self.not_run as usize)));
        }
        text
    }

    /// What is said of the end that was tested; of both, if both were.
    pub(super) fn judged(&self) -> impl Iterator<Item = &ProfileReport> {
        // A codec is a part of an end: what is said of both is of it.
        let role = self.end().map(|(role, _)| role).filter(|role| self.profiles.iter().any(|it| it.role == *role));
        self.profiles.iter().filter(move |profile| role.is_none_or(|role| profile.role == role))
    }

    /// The requirements of this level of which that is so in any profile.
    fn ids(&self, level: &str, status: RequirementStatus) -> BTreeSet<&str> {
        let rows = self.judged().flat_map(|profile| &profile.requirements);
        rows.filter(|row| row.status == status && row.level.starts_with(level)).map(|row| row.id.as_str()).collect()
    }
}

/// The first of some requirements, and how many more there are.
fn named(ids: &BTreeSet<&str>) -> String {
    let first = ids.iter().take(NAMED).copied().collect::<Vec<_>>().join(", ");
    match ids.len().saturating_sub(NAMED) {
        0 => first,
        more => format!("{first} and {more} more"),
    }
}

/// A number with its thousands apart.
fn grouped(number: usize) -> String {
    let digits = number.to_string();
    let head = digits.len() % 3;
    let mut parts: Vec<&str> = if head > 0 { vec![&digits[..head]] } else { Vec::new() };
    parts.extend((head..digits.len()).step_by(3).map(|at| &digits[at..at + 3]));
    parts.join(",")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::sample;

    #[test]
    fn a_violated_must_is_named_and_cases_that_were_not_judged_are_counted() {
        let mut report = sample::report();
        assert_eq!(
            report.sentence(),
            "`the <reference>` breaks 1 of the 3 MUSTs that were put to the test: FTE-RST-02 (2 cases)."
        );
        report.cases[0].verdict = Verdict::Vacuous;
        report.not_run = 1_001;
        let end = " No verdict in 1 vacuous. Stopped: 1,001 more cases were not run.";
        assert!(report.sentence().ends_with(end), "{}", report.sentence());
    }

    #[test]
    fn all_is_said_only_where_nothing_is_open() {
        let mut report = RunReport { subject: String::from(REFERENCE), ..sample::report() };
        report.profiles[0].requirements.retain(|row| row.status != RequirementStatus::Fail);
        report.profiles[0].must.fail = 0;
        assert_eq!(
            report.sentence(),
            "deltaproof's own server and client hold the 1 MUSTs that these cases put to the test; 1 others were not (2 cases)."
        );
        report.profiles[0].must.untested = 0;
        assert_eq!(report.sentence(), "deltaproof's own server and client hold all 1 MUSTs (2 cases).");
    }
}
