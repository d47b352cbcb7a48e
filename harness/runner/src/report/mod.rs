//! Reports: what a run has found out, for people and for machines.
//!
//! [`model`] is the data; [`folder`] writes it as files (`result.json`, `junit.xml`, `index.html`), [`json`] as lines,
//! [`junit`] as XML, [`page`] as HTML, [`comparison`] several of them. The same report gives the same bytes: no date, no host name, no fractions.

pub mod comparison;
pub mod folder;
pub mod json;
pub mod junit;
pub mod model;
pub mod page;

#[cfg(test)]
pub(crate) mod sample;

pub use model::{
    CaseReport, FindingReport, ProfileReport, RequirementReport, RequirementStatus, RunReport, Tally, Verdict, tallies,
};
