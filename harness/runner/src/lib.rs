//! Everything that touches disk, processes, threads and people: scenarios in files, all runs, reports, the command line.
//!
//! What decides is the crate `judging`, whose modules are here under their own names. Reading order: [`registry`] (which protocols
//! there are), [`scenario`] (what a YAML file says, and where the files are), [`judge`] (one scenario run and judged, by an [`executor`]), [`history`] (what happened in it), [`suite`] (all of
//! them, and [`summary`] of what they say, against the reference or a [`candidate`], which can be somebody's process: [`foreign`], in
//! some [`place`]), [`certify`] (which level that reaches), [`kill`] (the mutants), [`report`], [`golden`]
//! (what of runs is kept for review), [`sweep`] (many seeds, on many machines), [`capture`] (recorded
//! traffic), [`observe`] (sessions of somebody else's server or client), [`cli`].
#![allow(missing_docs, reason = "nobody but this project uses it: what a name says is not said again")]

pub mod candidate;

pub mod capture;
pub mod certify;
pub mod cli;
pub mod engine;
pub mod evidence;
pub mod explore;
pub mod foreign;
pub mod kill;
mod last_events;
pub mod live;
pub mod nearest;
pub mod own_world;
mod pool;
pub mod report;
pub mod scenario;
pub mod settings;
mod stopwatch;
pub mod suite;
pub mod sweep;
pub mod unseen;
pub mod worldless;

pub use judging::scene;
pub use judging::{
    charts, coverage, demo, executor, finding, golden, guarded, history, judge, observe, place, registry, seeds,
    shrink, summary, transcript, witness,
};
