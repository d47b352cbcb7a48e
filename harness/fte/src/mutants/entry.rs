//! The entries of update messages, as an edit finds them.

use crate::constants::*;
use crate::state::UF_RESET;
use kit::{Packet, Span};
use std::ops::Range;

/// What an entry of an update message says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::mutants) enum Said {
    /// The list ends.
    End,
    /// Everything is removed.
    RemoveAll,
    /// An entity is removed.
    Remove,
    /// An entity is updated.
    Update,
    /// An entity is updated, with RESET.
    Reset,
}

/// One entry of an update message.
#[derive(Clone, Debug)]
pub(in crate::mutants) struct Entry {
    pub(in crate::mutants) whole: Span,
    /// The short of its index.
    pub(in crate::mutants) index: Span,
    /// The third byte of its index.
    pub(in crate::mutants) high: Option<Span>,
    /// The entity; 0 for the end and for remove-all.
    pub(in crate::mutants) number: u32,
    /// Whether the index says to remove.
    pub(in crate::mutants) remove: bool,
    pub(in crate::mutants) flag_bytes: Vec<Span>,
    pub(in crate::mutants) flags: u64,
}

impl Entry {
    /// Where its index ends.
    pub(in crate::mutants) fn index_end(&self) -> usize {
        self.high.map_or(self.index.end, |high| high.end)
    }

    /// Where its flag bytes are.
    pub(in crate::mutants) fn flags_range(&self) -> Range<usize> {
        let start = self.index_end();
        start..self.flag_bytes.last().map_or(start, |last| last.end)
    }

    /// What it says.
    pub(in crate::mutants) fn said(&self) -> Said {
        match (self.number, self.remove) {
            (0, true) => Said::RemoveAll,
            (0, false) => Said::End,
            (_, true) => Said::Remove,
            (_, false) if self.flags & UF_RESET != 0 => Said::Reset,
            (_, false) => Said::Update,
        }
    }

    /// The flag byte that has RESET.
    pub(in crate::mutants) fn second_flags(&self) -> Option<&Span> {
        self.flag_bytes.get(1)
    }

    pub(in crate::mutants) fn is_update(&self) -> bool {
        !self.flag_bytes.is_empty()
    }
}

/// The entries of all update messages in a datagram.
pub(in crate::mutants) fn entries(packet: &Packet<'_>) -> Vec<Entry> {
    let entry = |whole: &Span| {
        let mut inside = packet.inside(whole).copied();
        let index = inside.find(|span| span.field == "entity index")?;
        let rest: Vec<Span> = inside.collect();
        let high = rest.first().copied().filter(|span| span.field == "entity index (high)");
        let flag_bytes: Vec<Span> = rest.into_iter().filter(|span| span.field.starts_with("UF flags")).collect();
        let low = packet.value(&index) as u32;
        let number = low & u32::from(INDEX_NUMBER) | high.map_or(0, |high| packet.value(&high) as u32) << 14;
        let flags = flag_bytes.iter().enumerate().fold(0, |flags, (at, byte)| flags | packet.value(byte) << (8 * at));
        let remove = low & u32::from(INDEX_REMOVE) != 0;
        Some(Entry { whole: *whole, index, high, number, remove, flag_bytes, flags })
    };
    packet.fields("entry").filter_map(entry).collect()
}

/// Takes RESET out of an update.
pub(in crate::mutants) fn clear_reset(packet: &mut Packet<'_>, entry: &Entry) {
    if let Some(flags) = entry.second_flags() {
        packet.set(flags, packet.value(flags) & !(UF_RESET >> 8));
    }
}
