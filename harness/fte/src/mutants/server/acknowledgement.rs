//! What a server makes of acknowledgements.

use super::edits::{acks, add_ack, erase, requests};
use super::history::forget_oldest;
use crate::constants::CLC_ACKFRAME;
use crate::mutants::{behind, is_unreliable, reachable, receives, server_with, unreliable_sequence};
use crate::rules::Rules;
use crate::sender::{DeltaSender, history};
use crate::server::Server;
use kit::{Endpoint, Mutant, Packet, Setup};
use std::cell::Cell;
use std::rc::Rc;

/// A server to which an acknowledgement is one of all frames before it, too; or that in a header alone is.
fn cumulative(setup: &Setup, in_header_alone: bool) -> Box<dyn Endpoint> {
    let mut newest = 0;
    receives(server_with, setup, move |packet| {
        for (ack, sequence) in acks(packet) {
            if !in_header_alone || ack.field == "acknowledged" {
                for skipped in newest + 1..sequence.min(newest + 64) {
                    add_ack(packet, ack, skipped);
                }
            }
            newest = newest.max(sequence);
        }
    })
}

/// A server that ignores acknowledgements from the packet on that `starts` it.
fn acks_ignored(setup: &Setup, mut starts: impl FnMut(&Packet<'_>) -> bool + 'static) -> Box<dyn Endpoint> {
    let mut ignoring = false;
    receives(server_with, setup, move |packet| {
        ignoring |= starts(packet);
        if ignoring {
            for ack in requests(packet) {
                erase(packet, ack);
            }
            for (ack, _) in acks(packet) {
                erase(packet, ack);
            }
        }
    })
}

/// A server that processes only the last acknowledgement of a packet.
fn last_only(setup: &Setup) -> Box<dyn Endpoint> {
    receives(server_with, setup, |packet| {
        for &(ack, _) in acks(packet).iter().rev().skip(1) {
            erase(packet, ack);
        }
    })
}

/// A server that treats all frames in flight as lost when an older one is acknowledged for the first time.
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
            // After everything, and after the header's.
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
        erase(packet, ack);
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
        erase(packet, ack);
    }
}

fn header_before_the_first(packet: &mut Packet<'_>) {
    if let [(first, _), _, ..] = acks(packet)[..] {
        erase(packet, first);
    }
}

fn header_ack_ignored(packet: &mut Packet<'_>) {
    if let Some(&(header, _)) = acks(packet).last().filter(|ack| ack.0.field == "acknowledged") {
        erase(packet, header);
    }
}

fn reset_request_ignored(packet: &mut Packet<'_>) {
    for ack in requests(packet) {
        erase(packet, ack);
    }
}

fn stale_becomes_newest(setup: &Setup) -> Box<dyn Endpoint> {
    let mut newest = 0;
    acks_ignored(setup, move |packet| {
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
    acks_ignored(setup, move |packet| {
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
                erase(packet, ack);
            }
        }
    }
}

fn acks_unread(packet: &mut Packet<'_>) {
    for (ack, _) in acks(packet) {
        erase(packet, ack);
    }
}

/// A server that looks for no losses: it reads requests for resets alone, and has no history that could be full.
fn looks_for_no_losses(setup: &Setup) -> Box<dyn Endpoint> {
    let rules = Rules { make_room: forget_oldest, ..Rules::REFERENCE };
    Box::new(behind(setup, server_with(setup, rules)).incoming(acks_unread))
}

/// The broken servers.
pub(in crate::mutants) static MUTANTS: &[Mutant] = mutants! {
    server "frames-reliable" ACK_01 "fte/ack-batched":
        by |setup| reliable_from(setup, 0), "sends entity frames reliably";
    server "long-frames-reliable" ACK_01 "fte/overflow-several-datagrams":
        by |setup| reliable_from(setup, 300), "sends entity frames of 300 bytes and more reliably";
    server "first-ack-only" ACK_08 "fte/ack-several":
        receives first_ack_only, "processes only the first acknowledgement of a packet";
    server "last-ack-only" ACK_08 "fte/ack-several":
        by last_only, "processes only the last acknowledgement of a packet";
    server "header-only" ACK_08 "fte/ack-several-quakeworld":
        by last_only, "processes only the header's acknowledgement";
    server "frames-newer-than-the-ack-lost" ACK_10 "fte/ack-newer-in-flight":
        by impatient, "treats all frames in flight as lost when an older one is acknowledged";
    server "frames-reliable-quakeworld" ACK_01 "fte/ack-several-quakeworld":
        sends frames_reliable_quakeworld, "marks the packets of entity frames as reliable";
    server "header-first" ACK_15 "fte/ack-several-quakeworld":
        receives header_first, "processes the header's acknowledgement first, so that explicit ones are stale";
    server "header-before-the-first" ACK_15 "fte/ack-several-quakeworld":
        receives header_before_the_first, "discards the first explicit acknowledgement of a packet as stale";
    server "acks-cumulative" ACK_09 "fte/history-two-lost": by |setup| cumulative(setup, false), "treats acknowledgements as cumulative";
    server "waits-for-history" ACK_09 "fte/history-two-lost":
        rules |rules| rules.skip = |_, _| {}, "detects no loss before its history is full";
    server "looks-for-no-losses" ACK_09 "fte/delta-loss":
        by looks_for_no_losses, "reads no acknowledgement, and sends nothing again";
    server "header-ack-ignored" ACK_14 "fte/ack-header-after-explicit":
        receives header_ack_ignored, "ignores the header's acknowledgement";
    server "header-cumulative" ACK_14 "fte/ack-header-after-explicit":
        by |setup| cumulative(setup, true), "treats the header's acknowledgement as cumulative";
    server "reset-request-ignored" ACK_16 "fte/reset-request-in-flight":
        receives reset_request_ignored, "ignores an acknowledgement of -1", "FTEQW 5b7a426af";
    server "reset-request-as-number" ACK_16 "fte/reset-request-in-flight":
        by |setup| acks_ignored(setup, |packet| !requests(packet).is_empty()),
        "treats an acknowledgement of -1 as the highest number, and later ones as stale",
        "FTEQW 27a59a0cb";
    server "stale-becomes-newest" ACK_18 "fte/ack-stale-in-flight":
        by stale_becomes_newest, "ignores every acknowledgement after a stale one", "FTEQW 27a59a0cb";
    server "zero-is-no-frame" ACK_19 "fte/ack-frame-zero":
        rules |rules| rules.make_room = start_over_without_ack,
        "treats an acknowledgement of frame 0 as none, and starts over while there is none", "FTEQW fb86222fc";
    server "future-becomes-newest" ACK_20 "fte/ack-future":
        by future_becomes_newest,
        "accepts an acknowledgement of a frame never sent as the newest, and treats later ones as stale";
    server "stale-acks-silence" ACK_18 "fte/ack-stale-in-flight":
        receives stale_acks_silence(), "ignores the next acknowledgements after a stale one";
};
