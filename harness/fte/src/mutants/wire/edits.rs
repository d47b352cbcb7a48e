//! Edits of what goes over the wire.

use crate::constants::*;
use crate::delta;
use kit::{Packet, Span, Writer};
use std::ops::Range;

/// One entry of an update message.
#[derive(Clone, Debug)]
pub(super) struct Entry {
    /// All of it.
    pub(super) whole: Span,
    /// The short of its index.
    pub(super) index: Span,
    /// The third byte of its index.
    pub(super) high: Option<Span>,
    /// The entity; 0 for the end and for remove-all.
    pub(super) number: u32,
    /// Whether the index says to remove.
    pub(super) remove: bool,
    /// Its flag bytes.
    pub(super) flag_bytes: Vec<Span>,
    /// Its flags.
    pub(super) flags: u64,
}

impl Entry {
    /// Where its index ends.
    pub(super) fn index_end(&self) -> usize {
        self.high.map_or(self.index.end, |high| high.end)
    }

    /// Where its flag bytes are.
    pub(super) fn flags_range(&self) -> Range<usize> {
        let start = self.index_end();
        start..self.flag_bytes.last().map_or(start, |last| last.end)
    }

    /// Whether it is an update.
    pub(super) fn is_update(&self) -> bool {
        !self.flag_bytes.is_empty()
    }
}

/// The entries of all update messages in a datagram.
pub(super) fn entries(packet: &Packet<'_>) -> Vec<Entry> {
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

/// Gives an update other flags.
pub(super) fn set_flags(packet: &mut Packet<'_>, entry: &Entry, flags: u64) {
    let mut bytes = Vec::with_capacity(4);
    delta::write_flags(&mut Writer::new(&mut bytes), flags);
    packet.replace(entry.flags_range(), &bytes);
}

/// Where the numbers of baselines stand, their third byte included.
pub(super) fn baseline_numbers(packet: &Packet<'_>) -> Vec<Range<usize>> {
    let spans: Vec<&Span> = packet.fields("entity number").collect();
    let short = |span: &&&Span| span.end - span.start == 2 && service_of(packet, span) == Some(SVC_SPAWNBASELINE2);
    let range = |span: &&Span| {
        let third = spans.iter().find(|other| other.start == span.end);
        span.start..third.map_or(span.end, |third| third.end)
    };
    spans.iter().filter(short).map(range).collect()
}

/// Exchanges a field with the one called `previous` that stands right before it.
pub(super) fn exchange_with_previous(packet: &mut Packet<'_>, field: &Span, previous: &'static str) {
    let before = packet.fields(previous).find(|span| span.end == field.start).copied();
    if let Some(before) = before {
        let exchanged = [packet.raw(field), packet.raw(&before)].concat();
        packet.replace(before.start..field.end, &exchanged);
    }
}

/// The service or command that `field` belongs to: its first byte.
pub(super) fn service_of(packet: &Packet<'_>, field: &Span) -> Option<u8> {
    let around = |group: &&Span| group.start < field.start && field.end <= group.end;
    let group = packet.fields("service").find(around)?;
    packet.bytes.get(group.start).copied()
}
