//! Broken servers: what they remember, repair and forget.

pub(super) mod acknowledgement;
mod edits;
pub(super) mod history;
pub(super) mod overflow;
pub(super) mod remove;
pub(super) mod reset;
