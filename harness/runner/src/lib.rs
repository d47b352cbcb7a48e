//! Everything that touches disk, processes, YAML and people: scenarios, runs, verdicts, reports, the command line.
//!
//! Reading order: [`registry`] (which protocols there are), [`scenario`] (what a YAML file says), [`judge`] (one
//! scenario run and judged), [`suite`] (all of them, and [`summary`] of what they say, against the reference or a [`candidate`], which
//! can be somebody's process: [`foreign`], in some [`place`]), [`certify`] (which level that reaches), [`kill`] (the mutants), [`report`], [`golden`]
//! (what of runs is kept for review), [`sweep`] (many seeds, on many machines), [`capture`] (recorded
//! traffic), [`observe`] (sessions of somebody else's server or client), [`cli`].

mod across;
pub mod candidate;
pub mod capture;
pub mod certify;
pub mod cli;
pub mod coverage;
mod fold;
pub mod foreign;
pub mod golden;
pub mod judge;
pub mod kill;
pub mod live;
pub mod observe;
pub mod place;
mod pool;
pub mod registry;
pub mod report;
pub mod scenario;
pub mod seeds;
mod stopwatch;
pub mod suite;
pub mod summary;
pub mod sweep;
pub mod transcript;
pub mod unseen;
pub mod witness;
