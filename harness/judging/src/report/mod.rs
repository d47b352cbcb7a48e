//! Reports: what a run has found out, for people and for machines.
//!
//! [`model`] is the data; [`json`] writes it as lines, [`junit`] as XML, [`sarif`] and [`github`] for services that show them at a
//! [`place`], [`page`] as HTML, [`timeline`] draws a run, [`comparison`] says what differs between several results, [`kills`] reads what
//! became of mutants, [`engines`] has saved results of engines, made by [`brief`]. The same report gives the same bytes: no date, no host name, no fractions; but JUnit has times.

pub mod brief;
pub mod comparison;
pub mod engines;
pub mod github;
pub mod json;
pub mod junit;
pub mod kills;
pub mod model;
pub mod page;
pub mod place;
pub mod sarif;
pub mod sentence;
pub mod site;
pub mod timeline;

#[cfg(test)]
pub(crate) mod sample;

pub use model::{
    CaseReport, FindingReport, LevelSummary, MistakeReport, ProfileReport, RequirementReport, RequirementStatus,
    RunReport, Tally, Verdict, tallies,
};
