//! Broken clients: [`state`], what they keep and forget; [`acknowledgement`], what they say about it.

mod acknowledgement;
mod state;

use crate::constants::{INDEX_NUMBER, INDEX_REMOVE};
use kit::{Mutant, Packet, Span};

/// The broken clients, by file.
pub(super) static STATE: &[Mutant] = state::MUTANTS;
/// The broken clients, by file.
pub(super) static ACKNOWLEDGEMENT: &[Mutant] = acknowledgement::MUTANTS;

/// An entry of an update message.
struct Entry {
    /// All of it.
    span: Span,
    /// Its index, without the byte for large numbers.
    index: Span,
    /// Where its flags begin, or would.
    behind_index: usize,
    /// The entity; 0 for the end and the remove-all.
    number: u32,
    /// Whether it is a remove.
    remove: bool,
    /// Its second flag byte, in which RESET is.
    second_flags: Option<Span>,
}

/// The entries of the update messages in a datagram.
fn entries(packet: &Packet<'_>) -> Vec<Entry> {
    let entry = |span: &Span| {
        let find = |name: &str| packet.inside(span).find(|field| field.field == name).copied();
        let index = find("entity index")?;
        let high = find("entity index (high)");
        let low = packet.value(&index) as u16;
        let number = u32::from(low & INDEX_NUMBER) | high.map_or(0, |high| packet.value(&high) as u32) << 14;
        Some(Entry {
            span: *span,
            index,
            behind_index: high.unwrap_or(index).end,
            number,
            remove: low & INDEX_REMOVE != 0,
            second_flags: find("UF flags 8-15"),
        })
    };
    packet.fields("entry").filter_map(entry).collect()
}

/// The number of an unreliable datagram of the server.
fn unreliable_sequence(packet: &Packet<'_>) -> Option<u32> {
    let header = packet.fields("sequence").next()?;
    // NetQuake's unreliable datagrams have a count of their own.
    let flags = packet.fields("flags and length").next().map(|flags| packet.raw(flags));
    match (flags, packet.raw(header).first_chunk::<4>()) {
        (None, Some(&bytes)) => Some(u32::from_le_bytes(bytes) & 0x7fff_ffff),
        (Some(&[_, 0x10, ..]), Some(&bytes)) => Some(u32::from_be_bytes(bytes)),
        _ => None,
    }
}

/// The updates of an entity, and the removes of one.
fn mentions(packet: &Packet<'_>) -> impl Iterator<Item = Entry> + use<> {
    entries(packet).into_iter().filter(|entry| entry.number != 0)
}

/// The removes of everything.
fn removes_of_all(packet: &Packet<'_>) -> impl Iterator<Item = Entry> + use<> {
    entries(packet).into_iter().filter(|entry| entry.number == 0 && entry.remove)
}
