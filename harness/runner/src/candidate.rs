//! What is run in the place of the reference, somebody's process among it.

use crate::foreign::Foreign;
use crate::judge::{Judgement, Keep};
use crate::place::Place;
use crate::scenario::{Case, Diagnostic, Told};
use crate::unseen;
pub use judging::candidate::{BuiltIn, Candidate, ForeignEnd};
use kit::Requirement;
use std::collections::BTreeSet;
use std::path::Path;

impl ForeignEnd for Foreign {
    fn place(&self) -> Place {
        self.place
    }

    fn profiles(&self) -> &[String] {
        &self.hello.profiles
    }

    fn takes(&self, case: &Case) -> bool {
        Foreign::takes(self, case)
    }

    fn differs(&self, case: &Case) -> Option<&'static str> {
        Foreign::differs(self, case)
    }

    fn argument(&self) -> String {
        Foreign::argument(self)
    }

    fn judge(&self, case: &Case, seed: u64, keep: Keep) -> Judgement {
        Foreign::judge(self, case, seed, keep)
    }

    fn said(&self) -> String {
        Foreign::said(self)
    }

    fn excuses(&self, requirement: &Requirement, profile: &str) -> Option<&'static str> {
        Foreign::excuses(self, requirement, profile)
    }

    fn skips(&self, requirement: &Requirement, profile: &str) -> Option<String> {
        Foreign::skips(self, requirement, profile)
    }

    fn is_beyond(&self, requirement: &Requirement, profile: &str) -> Option<&'static str> {
        Foreign::is_beyond(self, requirement, profile)
    }

    fn is_partial(&self) -> bool {
        Foreign::is_partial(self)
    }

    fn takes_world(&self) -> bool {
        Foreign::takes_world(self)
    }

    fn told(&self) -> Option<Told> {
        Foreign::told(self)
    }

    fn needs_world(&self, requirement: &Requirement, profile: &str) -> Option<String> {
        Foreign::needs_world(self, requirement, profile)
    }

    fn find_unseen(&self, root: &Path, cases: &[Case], profiles: &BTreeSet<&str>) -> Result<(), Diagnostic> {
        unseen::find(self, cases, profiles).map_err(|error| Diagnostic::whole(root, error.to_string(), None))
    }

    fn keep_starting(&self) {
        Foreign::keep_starting(self);
    }
}
