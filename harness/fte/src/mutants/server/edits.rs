//! What several broken servers do to a datagram.

use crate::constants::*;
use kit::{Packet, Span};
use netquake::constants::CLC_NOP;
use std::collections::BTreeSet;

/// What an entry of an update message says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Said {
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
#[derive(Clone, Copy, Debug)]
pub(super) struct Entry<'a> {
    /// All of it.
    pub group: &'a Span,
    /// The entity.
    pub number: u32,
    /// What it says.
    pub said: Said,
    /// The second flag byte, which has RESET.
    flags: Option<&'a Span>,
}

/// The entries of a datagram's update messages, in order.
pub(super) fn entries<'a>(packet: &Packet<'a>) -> Vec<Entry<'a>> {
    packet.fields("entry").filter_map(|group| entry(packet, group)).collect()
}

fn entry<'a>(packet: &Packet<'a>, group: &'a Span) -> Option<Entry<'a>> {
    let inside = |name: &str| packet.inside(group).find(|span| span.field == name);
    let low = packet.value(inside("entity index")?) as u32;
    let high = inside("entity index (high)").map_or(0, |span| packet.value(span) as u32);
    let number = low & u32::from(INDEX_NUMBER) | high << 14;
    let flags = inside("UF flags 8-15");
    let reset = flags.is_some_and(|flags| packet.value(flags) & UF_RESET >> 8 != 0);
    let said = match (number, low & u32::from(INDEX_REMOVE) != 0) {
        (0, true) => Said::RemoveAll,
        (0, false) => Said::End,
        (_, true) => Said::Remove,
        (_, false) if reset => Said::Reset,
        (_, false) => Said::Update,
    };
    Some(Entry { group, number, said, flags })
}

/// Takes RESET out of an update.
pub(super) fn clear_reset(packet: &mut Packet<'_>, entry: &Entry<'_>) {
    if let Some(flags) = entry.flags {
        packet.set(flags, packet.value(flags) & !(UF_RESET >> 8));
    }
}

/// Takes a field out of an update: `bit` of its flag byte `flags`, and the field called `name`.
pub(super) fn leave_out(packet: &mut Packet<'_>, entry: &Entry<'_>, flags: &'static str, bit: u32, name: &'static str) {
    let inside: Vec<&Span> = packet.inside(entry.group).collect();
    let find = |name: &str| inside.iter().find(|span| span.field == name);
    if let (Some(flags), Some(field)) = (find(flags), find(name)) {
        packet.set(flags, packet.value(flags) & !(1 << bit));
        packet.cut(field);
    }
}

/// The entities that a client holds, by what it is told.
#[derive(Default)]
pub(super) struct Held(BTreeSet<u32>);

impl Held {
    /// Hears an entry; whether the client held the entity before.
    pub fn hear(&mut self, entry: &Entry<'_>) -> bool {
        match entry.said {
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

/// Makes an acknowledgement unheard: the command becomes as many that say nothing; the header says 0.
pub(super) fn unsay(packet: &mut Packet<'_>, ack: &Span) {
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
