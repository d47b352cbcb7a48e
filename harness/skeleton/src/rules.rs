//! What the machines decide that a mutant or a variant decides otherwise: the right way stands here, any other beside the
//! mutant or the variant that takes it.

use crate::constants::HISTORY;
use crate::state::Entity;

/// The choices of both machines.
#[derive(Clone, Copy, Debug)]
pub struct Rules {
    /// The base of a snapshot, of the newest acknowledged number and its own.
    pub base: fn(acknowledged: u32, number: u32) -> u32,
    /// Which fields are sent, of the entity in the base and now.
    pub mask: fn(base: &Entity, now: &Entity) -> u8,
    /// Whether a snapshot is to be applied, of its number and that of the newest held.
    pub is_newer: fn(number: u32, newest: u32) -> bool,
}

impl Rules {
    /// Those of the reference.
    pub const REFERENCE: Rules =
        Rules { base: remembered, mask: differing, is_newer: |number, newest| number > newest };
}

/// SKL-BASE-01: the client remembers what it acknowledged for as long as this.
fn remembered(acknowledged: u32, number: u32) -> u32 {
    if number - acknowledged < HISTORY { acknowledged } else { 0 }
}

/// The fields that differ.
pub fn differing(base: &Entity, now: &Entity) -> u8 {
    let pairs = base.0.iter().zip(&now.0).enumerate();
    pairs.fold(0, |mask, (field, (base, now))| mask | u8::from(base != now) << field)
}
