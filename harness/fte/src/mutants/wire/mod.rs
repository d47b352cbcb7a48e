//! Broken codings: what one end writes or reads otherwise than the other.
//!
//! Each is a table with one row changed ([`fields`], by [`rows`]), or an edit of what goes over the wire ([`edits`]).

mod edits;
mod fields;
mod flags;
mod frames;
mod index;
mod prediction;
pub(super) mod rows;

pub(super) use fields::{FIELDS, PRED_BLOCKS, TAGS, WIDTHS};
pub(super) use flags::MUTANTS as FLAGS;
pub(super) use frames::MUTANTS as FRAMES;
pub(super) use index::MUTANTS as INDEX;
pub(super) use prediction::MUTANTS as PREDICTION;
