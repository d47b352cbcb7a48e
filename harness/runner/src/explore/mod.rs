//! Where and how failures are looked for that no scenario was written for: every schedule of a few faults in windows of datagrams, a
//! guided search, and what that is worth.

pub mod compare;
mod features;
pub mod guided;
pub mod window;

use crate::scenario::{Alteration, Case};

/// A case as it is explored: without the faults of its scenario.
pub fn without_faults(case: &Case) -> Case {
    Case { alteration: Alteration::faultless(), ..case.clone() }
}
