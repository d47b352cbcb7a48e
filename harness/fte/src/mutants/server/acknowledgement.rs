//! What a server makes of acknowledgements.

use super::super::{is_unreliable, reachable, unreliable_sequence};
use super::edits::{acks, add_ack, requests, unsay};
use super::{behind, of_server, ruled, server_hears, server_says, server_with};
use crate::constants::CLC_ACKFRAME;
use crate::requirements::*;
use crate::rules::Rules;
use crate::sender::{DeltaSender, history};
use crate::server::Server;
use kit::{Endpoint, Mutant, Packet, Setup};
use std::cell::Cell;
use std::rc::Rc;

/// A server that takes what it is told of as acknowledged with all before it.
fn cumulative(setup: &Setup) -> Box<dyn Endpoint> {
    let mut newest = 0;
    server_hears(setup, move |packet| {
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
    server_hears(setup, move |packet| {
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
    server_hears(setup, |packet| {
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
    let says = move |packet: &mut Packet<'_>| {
        let framed = packet.fields("servertime").next().is_some();
        if let Some(sequence) = unreliable_sequence(packet).filter(|_| framed) {
            seen.set(sequence);
        }
    };
    let hears = move |packet: &mut Packet<'_>| {
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
    Box::new(behind(setup, server_with(setup, Rules::REFERENCE)).outgoing(says).incoming(hears))
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
    let says = move |packet: &mut Packet<'_>, server: &mut Server| {
        let framed = is_unreliable(packet) && packet.fields("servertime").next().is_some();
        let session = server.sessions.iter_mut().find(|session| session.peer().host == packet.client);
        if let (Some(session), true) = (session, framed && packet.bytes.len() >= HEADER_BYTES + bytes) {
            session.line.queue_reliable(&packet.bytes[HEADER_BYTES..]);
            packet.discard();
        }
    };
    reachable(setup, Server::new(setup, Rules::REFERENCE), says, |_, _| {})
}

/// The broken servers.
pub(in crate::mutants) static MUTANTS: &[Mutant] = &[
    of_server("frames-reliable", &ACK_01, "fte/ack-batched", "sends entity frames reliably", |setup| {
        reliable_from(setup, 0)
    }),
    of_server(
        "long-frames-reliable",
        &ACK_01,
        "fte/overflow-several-datagrams",
        "sends entity frames of 300 bytes and more reliably",
        |setup| reliable_from(setup, 300),
    ),
    of_server(
        "first-ack-only",
        &ACK_08,
        "fte/ack-several",
        "hears only the first acknowledgement of a packet",
        |setup| {
            server_hears(setup, |packet| {
                for &(ack, _) in acks(packet).iter().skip(1) {
                    unsay(packet, ack);
                }
            })
        },
    ),
    of_server(
        "last-ack-only",
        &ACK_08,
        "fte/ack-several",
        "hears only the last acknowledgement of a packet",
        last_only,
    ),
    of_server(
        "header-only",
        &ACK_08,
        "fte/ack-several-quakeworld",
        "hears only the last acknowledgement of a packet, that of the header",
        last_only,
    ),
    of_server(
        "frames-newer-than-the-ack-lost",
        &ACK_10,
        "fte/ack-newer-in-flight",
        "takes what is on its way for lost, whenever an older frame is acknowledged",
        impatient,
    ),
    of_server(
        "frames-reliable-quakeworld",
        &ACK_01,
        "fte/ack-several-quakeworld",
        "marks the packets of entity frames as reliable",
        |setup| {
            server_says(setup, |packet| {
                let framed = packet.fields("servertime").next().is_some();
                if let Some(sequence) = packet.fields("sequence").next().filter(|_| framed) {
                    packet.set(sequence, packet.value(sequence) | 0x8000_0000);
                }
            })
        },
    ),
    of_server(
        "header-first",
        &ACK_15,
        "fte/ack-several-quakeworld",
        "hears the acknowledgement of a packet's header first, so that all others are stale",
        |setup| {
            server_hears(setup, |packet| {
                for &(ack, _) in acks(packet).iter().filter(|ack| ack.0.field == "frame") {
                    unsay(packet, ack);
                }
            })
        },
    ),
    of_server(
        "header-before-the-first",
        &ACK_15,
        "fte/ack-several-quakeworld",
        "hears the acknowledgement of a packet's header before the first explicit one, which is stale then",
        |setup| {
            server_hears(setup, |packet| {
                if let [(first, _), _, ..] = acks(packet)[..] {
                    unsay(packet, first);
                }
            })
        },
    ),
    of_server(
        "acks-cumulative",
        &ACK_09,
        "fte/history-two-lost",
        "takes an acknowledgement for one of all frames before it, too",
        cumulative,
    ),
    of_server(
        "waits-for-history",
        &ACK_09,
        "fte/history-two-lost",
        "does not look for losses before its history is full",
        |setup| ruled(setup, |rules| rules.skip = |_, _| {}),
    ),
    of_server(
        "header-not-heard",
        &ACK_14,
        "fte/ack-header-quakeworld",
        "hears explicit acknowledgements alone, not that of the packet's header",
        |setup| {
            server_hears(setup, |packet| {
                if let Some(&(header, _)) = acks(packet).last().filter(|ack| ack.0.field == "acknowledged") {
                    unsay(packet, header);
                }
            })
        },
    ),
    of_server(
        "header-cumulative",
        &ACK_14,
        "fte/ack-header-quakeworld",
        "takes the acknowledgement of the packet's header for one of all packets before it, too",
        cumulative,
    ),
    of_server(
        "reset-request-ignored",
        &ACK_16,
        "fte/reset-request-in-flight",
        "does not hear an acknowledgement of -1",
        |setup| {
            server_hears(setup, |packet| {
                for ack in requests(packet) {
                    unsay(packet, ack);
                }
            })
        },
    )
    .same_bug_as("FTEQW 5b7a426af"),
    of_server(
        "reset-request-as-number",
        &ACK_16,
        "fte/reset-request-in-flight",
        "takes an acknowledgement of -1 for the highest number that there is, and so all others for stale",
        |setup| deafened(setup, |packet| !requests(packet).is_empty()),
    )
    .same_bug_as("FTEQW 27a59a0cb"),
    of_server(
        "stale-becomes-newest",
        &ACK_18,
        "fte/ack-stale-in-flight",
        "takes a stale acknowledgement for a client that began anew, and no other one for its own",
        |setup| {
            let mut newest = 0;
            deafened(setup, move |packet| {
                let mut stale = false;
                for (ack, sequence) in acks(packet) {
                    stale |= ack.field == "frame" && sequence < newest;
                    newest = newest.max(sequence);
                }
                stale
            })
        },
    )
    .same_bug_as("FTEQW 27a59a0cb"),
    of_server(
        "zero-is-no-frame",
        &ACK_19,
        "fte/ack-frame-zero",
        "takes an acknowledgement of frame 0 for none at all, and starts over while there is none",
        |setup| ruled(setup, |rules| rules.make_room = start_over_without_ack),
    )
    .same_bug_as("FTEQW fb86222fc"),
    of_server(
        "future-becomes-newest",
        &ACK_20,
        "fte/ack-future",
        "takes an acknowledgement of a frame never sent for the newest, and so all others for stale",
        |setup| {
            let mut newest = 0;
            deafened(setup, move |packet| {
                let before = newest;
                newest = acks(packet).iter().map(|ack| ack.1).fold(newest, u32::max);
                // Nobody has so many frames in flight.
                before > 0 && newest > before + 10_000
            })
        },
    ),
    of_server(
        "stale-acks-silence",
        &ACK_18,
        "fte/ack-stale-in-flight",
        "hears nothing for a while when an acknowledgement is stale",
        |setup| {
            let (mut newest, mut silent) = (0, 0);
            server_hears(setup, move |packet| {
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
            })
        },
    ),
];
