//! What several broken servers do to a datagram.

pub(super) use super::super::entry::{Entry, Said, clear_reset, entries};
use crate::constants::*;
use kit::{Packet, Span};
use netquake::constants::CLC_NOP;
use std::collections::BTreeSet;

/// Takes a field out of an update: `bit` of its flag byte `flags`, and the field called `name`.
pub(super) fn leave_out(packet: &mut Packet<'_>, entry: &Entry, flags: &'static str, bit: u32, name: &'static str) {
    let inside: Vec<&Span> = packet.inside(&entry.whole).collect();
    let find = |name: &str| inside.iter().find(|span| span.field == name);
    if let (Some(flags), Some(field)) = (find(flags), find(name)) {
        packet.set(flags, packet.value(flags) & !(1 << bit));
        packet.cut(field);
    }
}

/// The entities that a client holds, by what it is sent.
#[derive(Default)]
pub(super) struct Held(BTreeSet<u32>);

impl Held {
    /// Takes an entry; whether the client held the entity before.
    pub fn receive(&mut self, entry: &Entry) -> bool {
        match entry.said() {
            Said::End => false,
            Said::RemoveAll => !std::mem::take(&mut self.0).is_empty(),
            Said::Remove => self.0.remove(&entry.number),
            Said::Update | Said::Reset => !self.0.insert(entry.number),
        }
    }
}

/// The acknowledgements in a client's packet that name frames, and the header's of QuakeWorld last; in order.
pub(super) fn acks<'a>(packet: &Packet<'a>) -> Vec<(&'a Span, u32)> {
    let explicit = packet.fields("frame").filter(|ack| packet.raw(ack) != [0xff; 4]);
    let header = packet.fields("acknowledged");
    explicit.chain(header).map(|span| (span, packet.value(span) as u32 & 0x7fff_ffff)).collect()
}

/// Erases an acknowledgement: the command becomes as many no-operations; the header has 0.
pub(super) fn erase(packet: &mut Packet<'_>, ack: &Span) {
    if ack.field == "acknowledged" {
        packet.set(ack, packet.value(ack) & 0x8000_0000);
    } else {
        packet.replace(ack.start - 1..ack.end, &[CLC_NOP]);
    }
}

/// The requests for a reset in a client's packet.
pub(super) fn requests<'a>(packet: &Packet<'a>) -> Vec<&'a Span> {
    packet.fields("frame").filter(|ack| packet.raw(ack) == [0xff; 4]).collect()
}

/// Adds an acknowledgement of `sequence` before `ack`; if that is the header's, explicitly.
pub(super) fn add_ack(packet: &mut Packet<'_>, ack: &Span, sequence: u32) {
    let [a, b, c, d] = sequence.to_le_bytes();
    let at = if ack.field == "acknowledged" { packet.bytes.len() } else { ack.start - 1 };
    packet.replace(at..at, &[CLC_ACKFRAME, a, b, c, d]);
}
