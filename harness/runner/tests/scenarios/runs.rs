//! The runs of all scenarios, shared by the tests: each is run when the first test asks for it.

use deltaproof::report::{CaseReport, RunReport};
use deltaproof::scenario::{Case, by_profile};
use deltaproof::suite::{self, Selection};
use deltaproof::summary::summarise;
use std::ops::ControlFlow;
use std::sync::OnceLock;

/// All scenarios, once for each of their profiles.
pub struct Runs(Vec<Variants>);

/// The variants of a scenario in a profile.
pub struct Variants {
    cases: Vec<Case>,
    reports: OnceLock<Vec<CaseReport>>,
}

impl Runs {
    /// None is run yet.
    pub fn of(cases: &[Case]) -> Runs {
        Runs(by_profile(cases).map(|cases| Variants { cases: cases.to_vec(), reports: OnceLock::new() }).collect())
    }

    pub fn scenarios(&self) -> impl Iterator<Item = &Variants> {
        self.0.iter()
    }

    /// The scenario at a place in [`Self::scenarios`].
    pub fn scenario(&self, place: usize) -> &Variants {
        &self.0[place]
    }

    /// What a run of everything reports.
    pub fn report(&self) -> RunReport {
        let cases: Vec<Case> = self.scenarios().flat_map(|variants| variants.cases.iter().cloned()).collect();
        summarise(&cases, self.scenarios().flat_map(|variants| variants.reports().iter().cloned()).collect(), None)
    }
}

impl Variants {
    /// The scenario and the profile. There is always a case.
    pub fn name(&self) -> String {
        format!("{}@{}", self.cases[0].scenario.id, self.cases[0].profile.name)
    }

    pub fn cases(&self) -> &[Case] {
        &self.cases
    }

    /// What became of each case.
    pub fn reports(&self) -> &[CaseReport] {
        self.reports
            .get_or_init(|| suite::run_cases(&self.cases, &Selection::default(), &|_| ControlFlow::Continue(())))
    }
}
