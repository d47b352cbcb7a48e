//! Broken clients: [`state`], what they keep and forget; [`acknowledgement`], what they say about it.

mod acknowledgement;
mod state;

use super::entry::{Entry, entries};
use kit::{Mutant, Packet};

/// The broken clients, by file.
pub(super) static STATE: &[Mutant] = state::MUTANTS;
/// The broken clients, by file.
pub(super) static ACKNOWLEDGEMENT: &[Mutant] = acknowledgement::MUTANTS;

/// The updates of an entity, and the removes of one.
fn mentions(packet: &Packet<'_>) -> impl Iterator<Item = Entry> + use<> {
    entries(packet).into_iter().filter(|entry| entry.number != 0)
}

/// The removes of everything.
fn removes_of_all(packet: &Packet<'_>) -> impl Iterator<Item = Entry> + use<> {
    entries(packet).into_iter().filter(|entry| entry.number == 0 && entry.remove)
}
