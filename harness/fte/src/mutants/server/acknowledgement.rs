//! What a server makes of acknowledgements.

use super::edits::{acks, add_ack, requests, unsay};
use crate::constants::CLC_ACKFRAME;
use crate::mutants::{behind, is_unreliable, reachable, receives, server_with, unreliable_sequence};
use crate::rules::Rules;
use crate::sender::{DeltaSender, history};
use crate::server::Server;
use kit::{Endpoint, Mutant, Packet, Setup};
use std::cell::Cell;
use std::rc::Rc;

/// A server that takes what it is told of as acknowledged with all before it.
fn cumulative(setup: &Setup) -> Box<dyn Endpoint> {
    let mut newest = 0;
    receives(server_with, setup, move |packet| {
        for (ack, sequence) in acks(packet) {
            for skipped in newest + 1..sequence.min(newest + 64) {
                add_ack(packet, ack, skipped);
            }
            newest = newest.max(sequence);
        }
    })
}

/// A server that hears no acknowledgements from the first on that `deafens` it.
fn deafened(setup: &Setup, mut deafens: impl FnMut(&Packet<'_>) -> bool + 'static) -> Box<dyn Endpoint> {
    let mut deaf = false;
    receives(server_with, setup, move |packet| {
        deaf |= deafens(packet);
        if deaf {
            for ack in requests(packet) {
                unsay(packet, ack);
            }
            for (ack, _) in acks(packet) {
                unsay(packet, ack);
            }
        }
    })
}

/// A server that hears only the last acknowledgement of a packet.
fn last_only(setup: &Setup) -> Box<dyn Endpoint> {
    receives(server_with, setup, |packet| {
        for &(ack, _) in acks(packet).iter().rev().skip(1) {
            unsay(packet, ack);
        }
    })
}

/// A server that takes all that is on its way for lost, whenever an older frame is acknowledged for the first time.
fn impatient(setup: &Setup) -> Box<dyn Endpoint> {
    let sent = Rc::new(Cell::new(0));
    let seen = Rc::clone(&sent);
    let mut newest = 0;
    let sends = move |packet: &mut Packet<'_>| {
        let framed = packet.fields("servertime").next().is_some();
        if let Some(sequence) = unreliable_sequence(packet).filter(|_| framed) {
            seen.set(sequence);
        }
    };
    let receives = move |packet: &mut Packet<'_>| {
        let Some(&(ack, sequence)) = acks(packet).last() else { return };
        if sequence > newest && sequence + 1 < sent.get() {
            let [a, b, c, d] = sent.get().to_le_bytes();
            // Behind everything, and behind the header's.
            if ack.field == "acknowledged" {
                packet.set(ack, packet.value(ack) & 0x8000_0000 | u64::from(sent.get()));
                add_ack(packet, ack, sequence);
            } else {
                packet.replace(ack.end..ack.end, &[CLC_ACKFRAME, a, b, c, d]);
            }
        }
        newest = newest.max(sequence);
    };
    Box::new(behind(setup, server_with(setup, Rules::REFERENCE)).outgoing(sends).incoming(receives))
}

/// Starts over in every frame before a frame but that numbered 0 is acknowledged.
fn start_over_without_ack(sender: &mut DeltaSender, sequence: u32) {
    history::make_room(sender, sequence);
    if sender.newest_acked.is_none_or(|newest| newest == 0) {
        sender.start_over();
    }
}

/// A server (NetQuake) that sends entity frames of so many bytes and more reliably.
fn reliable_from(setup: &Setup, bytes: usize) -> Box<dyn Endpoint> {
    const HEADER_BYTES: usize = 8;
    let sends = move |packet: &mut Packet<'_>, server: &mut Server| {
        let framed = is_unreliable(packet) && packet.fields("servertime").next().is_some();
        let session = server.sessions.iter_mut().find(|session| session.peer().host == packet.client);
        if let (Some(session), true) = (session, framed && packet.bytes.len() >= HEADER_BYTES + bytes) {
            session.line.queue_reliable(&packet.bytes[HEADER_BYTES..]);
            packet.discard();
        }
    };
    reachable(setup, Server::new(setup, Rules::REFERENCE), sends, |_, _| {})
}

fn first_ack_only(packet: &mut Packet<'_>) {
    for &(ack, _) in acks(packet).iter().skip(1) {
        unsay(packet, ack);
    }
}

fn frames_reliable_quakeworld(packet: &mut Packet<'_>) {
    let framed = packet.fields("servertime").next().is_some();
    if let Some(sequence) = packet.fields("sequence").next().filter(|_| framed) {
        packet.set(sequence, packet.value(sequence) | 0x8000_0000);
    }
}

fn header_first(packet: &mut Packet<'_>) {
    for &(ack, _) in acks(packet).iter().filter(|ack| ack.0.field == "frame") {
        unsay(packet, ack);
    }
}

fn header_before_the_first(packet: &mut Packet<'_>) {
    if let [(first, _), _, ..] = acks(packet)[..] {
        unsay(packet, first);
    }
}

fn header_not_heard(packet: &mut Packet<'_>) {
    if let Some(&(header, _)) = acks(packet).last().filter(|ack| ack.0.field == "acknowledged") {
        unsay(packet, header);
    }
}

fn reset_request_ignored(packet: &mut Packet<'_>) {
    for ack in requests(packet) {
        unsay(packet, ack);
    }
}

fn stale_becomes_newest(setup: &Setup) -> Box<dyn Endpoint> {
    let mut newest = 0;
    deafened(setup, move |packet| {
        let mut stale = false;
        for (ack, sequence) in acks(packet) {
            stale |= ack.field == "frame" && sequence < newest;
            newest = newest.max(sequence);
        }
        stale
    })
}

fn future_becomes_newest(setup: &Setup) -> Box<dyn Endpoint> {
    let mut newest = 0;
    deafened(setup, move |packet| {
        let before = newest;
        newest = acks(packet).iter().map(|ack| ack.1).fold(newest, u32::max);
        // Nobody has so many frames in flight.
        before > 0 && newest > before + 10_000
    })
}

fn stale_acks_silence() -> impl FnMut(&mut Packet<'_>) {
    let (mut newest, mut silent) = (0, 0);
    move |packet| {
        for (ack, sequence) in acks(packet) {
            if ack.field == "frame" && sequence < newest {
                silent = 60;
            }
            newest = newest.max(sequence);
            if silent > 0 {
                silent -= 1;
                unsay(packet, ack);
            }
        }
    }
}

/// The broken servers.
pub(in crate::mutants) static MUTANTS: &[Mutant] = mutants! {
    server "frames-reliable" ACK_01 "fte/ack-batched":
        by |setup| reliable_from(setup, 0), "sends entity frames reliably";
    server "long-frames-reliable" ACK_01 "fte/overflow-several-datagrams":
        by |setup| reliable_from(setup, 300), "sends entity frames of 300 bytes and more reliably";
    server "first-ack-only" ACK_08 "fte/ack-several":
        receives first_ack_only, "hears only the first acknowledgement of a packet";
    server "last-ack-only" ACK_08 "fte/ack-several": by last_only, "hears only the last acknowledgement of a packet";
    server "header-only" ACK_08 "fte/ack-several-quakeworld":
        by last_only, "hears only the last acknowledgement of a packet, that of the header";
    server "frames-newer-than-the-ack-lost" ACK_10 "fte/ack-newer-in-flight":
        by impatient, "takes what is on its way for lost, whenever an older frame is acknowledged";
    server "frames-reliable-quakeworld" ACK_01 "fte/ack-several-quakeworld":
        sends frames_reliable_quakeworld, "marks the packets of entity frames as reliable";
    server "header-first" ACK_15 "fte/ack-several-quakeworld":
        receives header_first, "hears the acknowledgement of a packet's header first, so that all others are stale";
    server "header-before-the-first" ACK_15 "fte/ack-several-quakeworld":
        receives header_before_the_first,
        "hears the acknowledgement of a packet's header before the first explicit one, which is stale then";
    server "acks-cumulative" ACK_09 "fte/history-two-lost":
        by cumulative, "takes an acknowledgement for one of all frames before it, too";
    server "waits-for-history" ACK_09 "fte/history-two-lost":
        rules |rules| rules.skip = |_, _| {}, "does not look for losses before its history is full";
    server "header-not-heard" ACK_14 "fte/ack-header-quakeworld":
        receives header_not_heard, "hears explicit acknowledgements alone, not that of the packet's header";
    server "header-cumulative" ACK_14 "fte/ack-header-quakeworld":
        by cumulative, "takes the acknowledgement of the packet's header for one of all packets before it, too";
    server "reset-request-ignored" ACK_16 "fte/reset-request-in-flight":
        receives reset_request_ignored, "does not hear an acknowledgement of -1", "FTEQW 5b7a426af";
    server "reset-request-as-number" ACK_16 "fte/reset-request-in-flight":
        by |setup| deafened(setup, |packet| !requests(packet).is_empty()),
        "takes an acknowledgement of -1 for the highest number that there is, and so all others for stale",
        "FTEQW 27a59a0cb";
    server "stale-becomes-newest" ACK_18 "fte/ack-stale-in-flight":
        by stale_becomes_newest,
        "takes a stale acknowledgement for a client that began anew, and no other one for its own", "FTEQW 27a59a0cb";
    server "zero-is-no-frame" ACK_19 "fte/ack-frame-zero":
        rules |rules| rules.make_room = start_over_without_ack,
        "takes an acknowledgement of frame 0 for none at all, and starts over while there is none", "FTEQW fb86222fc";
    server "future-becomes-newest" ACK_20 "fte/ack-future":
        by future_becomes_newest,
        "takes an acknowledgement of a frame never sent for the newest, and so all others for stale";
    server "stale-acks-silence" ACK_18 "fte/ack-stale-in-flight":
        receives stale_acks_silence(), "hears nothing for a while when an acknowledgement is stale";
};
