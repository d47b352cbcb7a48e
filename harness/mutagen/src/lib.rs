//! Mutants of the reference machines that a machine chose.
//!
//! All mutants of a crate are in one build: every mutated place becomes a choice made at run time by number. The copy's
//! server or client then takes the place of the reference's in the scenarios of its protocol, where the unchanged oracle
//! judges it.
//!
//! Reading order: [`targets`] (what is mutated), [`operators`] (where and how), [`schema`] (a source with all its mutants),
//! [`rt`] (what it asks when it runs), [`copy`] and [`check`] (the copy of the crates, and what of it does not build), [`draw`]
//! (which mutants a sample has), `worker` (a mutant in its scenarios), [`pool`] (the processes that do that), [`outcome`] and
//! [`results`] (what became of each), [`equivalent`] (the reviewed list), [`report`].
#![allow(missing_docs, reason = "nobody but this project uses it: what a name says is not said again")]

pub mod check;
pub mod copy;
pub mod draw;
pub mod equivalent;
pub mod operators;
pub mod outcome;
pub mod pool;
pub mod report;
pub mod results;
pub mod rt;
pub mod schema;
pub mod targets;
#[cfg(feature = "worker")]
pub mod worker;
