//! Sweeps: the same cases with many seeds, or one case with every schedule of a few faults, on all processors or on many machines.
//!
//! A sweep is a row of numbered runs ([`extent`]): a number says which case is run, and with which seed. Threads take the numbers
//! in turn, and what they find is reported in the order of the numbers ([`engine`]), whoever was faster. So all that a sweep
//! tells (a [`row`] per run, the [`summary`], its hash) is the same with any number of threads, an interrupted sweep is the
//! beginning of the whole one, and parts of it that other machines did ([`manifest`], [`shard`], [`merge`]) make up the same result.
//! Memory is bounded by the number of cases and threads, not by that of the runs.

pub mod engine;
pub mod extent;
pub mod manifest;
pub mod merge;
pub mod row;
pub mod schedules;
pub mod shard;
pub mod summary;
#[cfg(test)]
mod tests;
