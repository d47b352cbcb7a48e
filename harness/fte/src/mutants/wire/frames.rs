//! Whole frames: their time, their statistics, and which values their deltas are of.

use super::edits::*;
use crate::constants::*;
use crate::state::{UF_FRAME, UF_RESET};
use kit::{Mutant, Packet, Span};
use std::collections::BTreeMap;

/// The server time as a number of milliseconds.
fn time_in_milliseconds(packet: &mut Packet<'_>) {
    for time in packet.fields("servertime").collect::<Vec<&Span>>() {
        let seconds = f32::from_bits(packet.value(time) as u32);
        packet.set(time, (seconds * 1000.0) as u64);
    }
}

/// Float statistics as whole numbers.
fn stats_as_integers(packet: &mut Packet<'_>) {
    for value in packet.fields("value").collect::<Vec<&Span>>() {
        if service_of(packet, value) == Some(SVC_UPDATESTATFLOAT) {
            let float = f32::from_bits(packet.value(value) as u32);
            packet.set(value, float as u64);
        }
    }
}

/// Tells frames that come after a gap in their numbers.
#[derive(Default)]
struct Gaps {
    newest: Option<u32>,
}

impl Gaps {
    /// Whether frames were lost right before this datagram.
    fn after_gap(&mut self, packet: &Packet<'_>) -> bool {
        if packet.fields("servertime").next().is_none() {
            return false;
        }
        let Some(header) = packet.fields("sequence").next() else { return false };
        let raw = packet.raw(header).first_chunk::<4>().copied().unwrap_or_default();
        // NetQuake's header is big-endian.
        let netquake = header.start == 4;
        let sequence = if netquake { u32::from_be_bytes(raw) } else { u32::from_le_bytes(raw) & 0x7fff_ffff };
        let before = self.newest.replace(sequence);
        before.is_some_and(|before| sequence > before + 1)
    }
}

fn frame_of_last_update() -> impl FnMut(&mut Packet<'_>) {
    let mut sent = BTreeMap::new();
    move |packet| {
        for entry in entries(packet).iter().filter(|entry| entry.flags & UF_FRAME != 0) {
            let Some(frame) = packet.inside(&entry.whole).find(|span| span.field == "frame") else { continue };
            let now = packet.value(frame);
            let before = sent.insert(entry.number, now).unwrap_or_default();
            packet.set(frame, before);
        }
    }
}

fn delta_refused_after_gap() -> impl FnMut(&mut Packet<'_>) {
    let mut gaps = Gaps::default();
    move |packet| {
        if gaps.after_gap(packet) {
            let plain = |entry: &&Entry| entry.is_update() && entry.flags & UF_RESET == 0;
            for entry in entries(packet).iter().filter(plain) {
                packet.cut(&entry.whole);
            }
        }
    }
}

fn delta_on_baseline_after_gap() -> impl FnMut(&mut Packet<'_>) {
    let mut gaps = Gaps::default();
    move |packet| {
        if gaps.after_gap(packet) {
            for entry in entries(packet).iter().filter(|entry| entry.is_update()) {
                set_flags(packet, entry, entry.flags | UF_RESET);
            }
        }
    }
}

/// The broken frames.
pub(in super::super) static MUTANTS: &[Mutant] = mutants! {
    server "time-in-milliseconds" SVC_03 "fte/delta-clean":
        sends time_in_milliseconds, "writes the server time as milliseconds";
    client "time-read-as-integer" SVC_03 "fte/delta-clean":
        receives time_in_milliseconds, "reads the server time as an integer";
    server "float-stats-cut" STAT_05 "fte/stats-predinfo":
        sends stats_as_integers, "writes float statistics as integers";
    client "float-stats-read-cut" STAT_05 "fte/stats-predinfo":
        receives stats_as_integers, "reads float statistics as integers";
    server "frame-of-last-update" DLT_37 "fte/delta-fields-alone":
        sends frame_of_last_update(), "sends the value that `frame` had in the previous update";
    client "delta-refused-after-gap" DLT_38 "fte/delta-loss":
        receives delta_refused_after_gap(), "rejects a delta after a lost frame";
    client "delta-on-baseline-after-gap" DLT_38 "fte/delta-after-gap":
        receives delta_on_baseline_after_gap(), "applies a delta to the baseline after a lost frame";
};
