//! Places in scenario files, for services that show a line.

use super::model::CaseReport;
use crate::scenario;
use std::path::Path;

pub use judging::report::place::Place;
use judging::report::place::within;

/// Where the scenario of a case names a requirement; its first line where it does not, or without one.
pub fn of(case: &CaseReport, requirement: Option<&str>) -> Place {
    let text = scenario::read(Path::new(&case.path)).unwrap_or_default();
    within(&case.path, &text, requirement)
}
