//! What decides: scenarios read from texts, runs and their verdicts, transcripts, reports. The command line and the page in a browser
//! are two faces of it.
//!
//! Reading order: [`registry`] (which protocols there are), [`scenario`] (what a YAML text says), [`judge`] (one run, judged by what
//! its [`witness`] and oracle saw, and written down as a [`history`], of which the [`transcript`] makes lines), [`verdict`] (a case with all its [`seeds`]), [`candidate`]
//! (what takes the place of the reference, in some [`place`]), [`across`] (cases judged against each other), [`summary`] (what all say
//! of each requirement), [`report`], [`golden`] and [`fold`] (what of runs is kept for review), [`coverage`] (what that says), [`capture`]
//! (recorded traffic, from its bytes), [`observe`] (sessions of somebody else's server or client), [`mod@scene`] (what a demo shows), [`shrink`] (a failure made
//! smaller; an end that panics is [`guarded`]), [`charts`] (several protocols, measured).
//!
//! Invariants of absence: this crate knows no file, no thread, no process, no socket, no terminal and no clock.
#![allow(missing_docs, reason = "nobody but this project uses it: what a name says is not said again")]

pub mod across;
pub mod candidate;
pub mod capture;
pub mod charts;
pub mod coverage;
pub mod demo;
pub mod executor;
pub mod finding;
pub mod fold;
pub mod golden;
pub mod guarded;
pub mod history;
pub mod holdings;
pub mod judge;
pub mod observe;
pub mod place;
pub mod registry;
pub mod report;
mod restart;
pub mod scenario;
pub mod scene;
pub mod seeds;
pub mod shrink;
pub mod summary;
pub mod transcript;
pub mod verdict;
pub mod witness;
