//! Broken codings: what one end writes or reads otherwise than the other.
//!
//! Each is a table with one row changed ([`rows`]), or an edit of what goes over the wire ([`edits`]).

mod edits;
mod fields;
mod flags;
mod frames;
mod index;
mod prediction;
pub(super) mod rows;
mod widths;

pub(super) use fields::MUTANTS as FIELDS;
pub(super) use flags::MUTANTS as FLAGS;
pub(super) use frames::MUTANTS as FRAMES;
pub(super) use index::MUTANTS as INDEX;
pub(super) use prediction::MUTANTS as PREDICTION;
pub(super) use widths::MUTANTS as WIDTHS;
