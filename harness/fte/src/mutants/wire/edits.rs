//! Edits of what goes over the wire.

pub(super) use super::super::entry::{Entry, entries};
use crate::constants::*;
use crate::delta;
use kit::{Packet, Span, Writer};
use std::ops::Range;

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
