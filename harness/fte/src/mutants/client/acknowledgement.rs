//! What clients wrongly acknowledge, and ask for.

use crate::client::Client;
use crate::constants::*;
use crate::mutants::{behind, client_with, is_unreliable, reachable, sends, unreliable_sequence};
use crate::rules::Rules;
use kit::{Endpoint, Mutant, Packet, Setup, Span};
use std::cell::RefCell;
use std::collections::BTreeSet;
use std::rc::Rc;

/// A client that writes acknowledgements with the high byte first.
fn big_endian(setup: &Setup) -> Box<dyn Endpoint> {
    sends(client_with, setup, |packet| {
        for ack in acks(packet) {
            packet.set(&ack, u64::from((packet.value(&ack) as u32).swap_bytes()));
        }
    })
}

/// A client that drops all frames after one that left it without a state.
fn ignores_after_damage(setup: &Setup) -> Box<dyn Endpoint> {
    let (mut was_valid, mut ignores) = (false, false);
    let client = Client::new(setup, Rules::REFERENCE);
    reachable(
        setup,
        client,
        |_, _| {},
        move |packet, client| {
            ignores |= was_valid && !client.game.valid;
            was_valid = client.game.valid;
            if ignores && is_unreliable(packet) {
                packet.discard();
            }
        },
    )
}

fn acks_descending(packet: &mut Packet<'_>) {
    let acks = acks(packet);
    for (ack, other) in acks.iter().zip(acks.iter().rev()) {
        packet.set(ack, packet.value(other));
    }
}

fn acks_behind_the_header() -> impl FnMut(&mut Packet<'_>) {
    let mut late: Vec<Vec<u8>> = Vec::new();
    move |packet| {
        let due = std::mem::take(&mut late);
        for ack in acks(packet) {
            late.push(packet.raw(&ack).to_vec());
            packet.replace(ack.start - 1..ack.end, &[]);
        }
        for sequence in due {
            append(packet, &sequence);
        }
    }
}

fn acks_the_next_frame(packet: &mut Packet<'_>) {
    for ack in acks(packet) {
        packet.set(&ack, packet.value(&ack) + 1);
    }
}

fn acks_a_count_of_frames() -> impl FnMut(&mut Packet<'_>) {
    let mut next = None;
    move |packet| {
        for ack in acks(packet) {
            let count = next.unwrap_or(packet.value(&ack));
            packet.set(&ack, count);
            next = Some(count + 1);
        }
    }
}

fn acks_in_16_bits(packet: &mut Packet<'_>) {
    for ack in acks(packet) {
        packet.replace(ack.end - 2..ack.end, &[]);
    }
}

fn acks_a_range() -> impl FnMut(&mut Packet<'_>) {
    let mut last = None;
    move |packet| {
        for ack in acks(packet) {
            let sequence = packet.value(&ack) as u32;
            for skipped in last.map_or(sequence, |last: u32| last + 1)..sequence {
                let mut command = vec![CLC_ACKFRAME];
                command.extend_from_slice(&skipped.to_le_bytes());
                packet.replace(ack.start - 1..ack.start - 1, &command);
            }
            last = Some(sequence);
        }
    }
}

fn acks_the_newest_only(packet: &mut Packet<'_>) {
    let pending = acks(packet);
    for ack in &pending[..pending.len().saturating_sub(1)] {
        packet.replace(ack.start - 1..ack.end, &[]);
    }
}

fn acks_two_at_most(packet: &mut Packet<'_>) {
    for ack in acks(packet).into_iter().skip(2) {
        packet.replace(ack.start - 1..ack.end, &[]);
    }
}

fn acks_reliably(setup: &Setup) -> Box<dyn Endpoint> {
    let sends = |packet: &mut Packet<'_>, client: &mut Client| {
        let acks = if is_unreliable(packet) { acks(packet) } else { Vec::new() };
        for ack in acks {
            client.line.queue_reliable(&packet.bytes[ack.start - 1..ack.end]);
            packet.replace(ack.start - 1..ack.end, &[]);
        }
    };
    reachable(setup, Client::new(setup, Rules::REFERENCE), sends, |_, _| {})
}

fn acks_what_the_header_does(packet: &mut Packet<'_>) {
    if let Some(header) = packet.fields("acknowledged").next() {
        let sequence = packet.value(header) as u32 & 0x7fff_ffff;
        append(packet, &sequence.to_le_bytes());
    }
}

fn never_asks_for_a_reset(packet: &mut Packet<'_>) {
    let requests = packet.fields("frame").filter(|ack| packet.raw(ack) == [0xff; 4]);
    for ack in requests.collect::<Vec<&Span>>() {
        packet.replace(ack.start - 1..ack.end, &[]);
    }
}

fn acks_twice(packet: &mut Packet<'_>) {
    for ack in acks(packet) {
        packet.replace(ack.end..ack.end, &packet.bytes[ack.start - 1..ack.end]);
    }
}

/// The clients that are broken so.
pub(super) const MUTANTS: &[Mutant] = mutants! {
    client "ignores-after-damage" ENT_11 "fte/damage-acks":
        by ignores_after_damage, "takes nothing unreliable any more after a frame that it cannot read";
    client "acks-descending" ACK_06 "fte/ack-batched": sends acks_descending, "acknowledges the newest frame first";
    client "acks-after-the-header" ACK_06 "fte/ack-bunched-quakeworld":
        sends acks_behind_the_header(),
        "sends explicit acknowledgements one packet late, after the header acknowledged a later frame";
    client "acks-the-next-frame" ACK_02 "fte/ack-numbering-gaps":
        sends acks_the_next_frame, "acknowledges the datagram's sequence number plus one";
    client "acks-a-count-of-frames" ACK_02 "fte/ack-numbering-gaps":
        sends acks_a_count_of_frames(),
        "acknowledges a count of received frames instead of the sequence number", "FTEQW before 5ace5c8d3";
    client "acks-in-16-bits" ACK_03 "fte/ack-batched":
        sends acks_in_16_bits, "writes the acknowledged number in two bytes";
    client "acks-big-endian" ACK_03 "fte/ack-batched": by big_endian, "writes the acknowledged number big-endian";
    client "acks-big-endian-quakeworld" ACK_03 "fte/ack-bunched-quakeworld":
        by big_endian, "writes the acknowledged number big-endian";
    client "acks-a-range" ACK_04 "fte/ack-batched":
        sends acks_a_range(), "acknowledges every number up to the newest frame, lost ones included";
    client "never-acknowledges" ACK_05 "fte/ack-batched":
        rules |rules| rules.latitude.acks_per_packet = 0, "sends no acknowledgement";
    client "header-lags" ACK_02 "fte/ack-bunched-quakeworld":
        sends |packet| shift_header_ack(packet, -1),
        "acknowledges the last packet but one in the header, not the newest";
    client "header-leads" ACK_04 "fte/ack-bunched-quakeworld":
        sends |packet| shift_header_ack(packet, 1), "acknowledges a packet in the header that it has not received yet";
    client "acks-the-newest-only" ACK_05 "fte/ack-batched":
        sends acks_the_newest_only, "acknowledges only the newest of the frames received since its last packet";
    client "acks-two-at-most" ACK_05 "fte/ack-batched": sends acks_two_at_most, "queues at most two acknowledgements";
    client "acks-reliably" ACK_07 "fte/ack-batched": by acks_reliably, "sends acknowledgements reliably";
    client "acks-what-the-header-does" ACK_11 "fte/ack-bunched-quakeworld":
        sends acks_what_the_header_does, "acknowledges explicitly what the packet's header acknowledges";
    client "acks-by-header-alone" ACK_12 "fte/ack-bunched-quakeworld":
        rules |rules| rules.latitude.explicit_acks = false,
        "sends no explicit acknowledgement when several frames arrived together";
    client "never-asks-for-a-reset" ACK_17 "fte/reset-request-starved":
        sends never_asks_for_a_reset, "never requests a reset", "FTEQW before 630af9dc7";
    client "acks-twice" ACK_21 "fte/ack-batched": sends acks_twice, "acknowledges every frame twice";
    client "acks-stale-datagrams" ACK_21 "fte/ack-stale-frames":
        by acks_stale_datagrams, "acknowledges stale datagrams that the channel discards";
};

/// The numbers of a packet's acknowledgements, requests for a reset left out.
fn acks(packet: &Packet<'_>) -> Vec<Span> {
    packet.fields("frame").filter(|ack| packet.raw(ack) != [0xff; 4]).copied().collect()
}

/// Puts an acknowledgement at the end of a packet.
fn append(packet: &mut Packet<'_>, sequence: &[u8]) {
    let (end, mut command) = (packet.bytes.len(), vec![CLC_ACKFRAME]);
    command.extend_from_slice(sequence);
    packet.replace(end..end, &command);
}

/// A client that acknowledges the stale datagrams that it receives.
fn acks_stale_datagrams(setup: &Setup) -> Box<dyn Endpoint> {
    let stale = Rc::new(RefCell::new((0, BTreeSet::new())));
    let seen = Rc::clone(&stale);
    let receives = move |packet: &mut Packet<'_>| {
        let Some(sequence) = unreliable_sequence(packet) else { return };
        let mut seen = seen.borrow_mut();
        if sequence < seen.0 {
            seen.1.insert(sequence);
        }
        seen.0 = seen.0.max(sequence);
    };
    let sends = move |packet: &mut Packet<'_>| {
        if packet.fields("command").next().is_none() {
            return;
        }
        for sequence in std::mem::take(&mut stale.borrow_mut().1) {
            append(packet, &sequence.to_le_bytes());
        }
    };
    Box::new(behind(setup, client_with(setup, Rules::REFERENCE)).incoming(receives).outgoing(sends))
}

/// QuakeWorld: acknowledges another packet than it should, once the first are through.
fn shift_header_ack(packet: &mut Packet<'_>, by: i64) {
    const THROUGH: u64 = 20;
    for ack in packet.fields("acknowledged") {
        let value = packet.value(ack);
        if value & 0x7fff_ffff > THROUGH {
            packet.set(ack, value.wrapping_add_signed(by));
        }
    }
}
