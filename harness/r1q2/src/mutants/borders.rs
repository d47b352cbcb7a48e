//! Servers that take what happens again, or late, for what is not worth a word.

use super::{of_server, server_sends};
use crate::requirements::*;
use crate::wire::constants::*;
use kit::{Endpoint, HostId, Mutant, Packet, Setup};
use std::collections::BTreeMap;

/// The frame in which milliseconds need more than 16 bits, at ten frames a second.
const CLOCK_FRAMES: u64 = 656;
/// The bits of a frame's number; above are those of its offset.
const FRAME_BITS: u64 = 0x7ff_ffff;

/// The number of the frame of a datagram, if it has one.
fn frame_of(packet: &Packet<'_>) -> Option<u64> {
    packet.fields("serverframe+offset").next().map(|word| packet.value(word) & FRAME_BITS)
}

/// A server that leaves out what is the same as the last message with this number to the same client.
fn without_the_same(setup: &Setup, number: u8) -> Box<dyn Endpoint> {
    let mut last: BTreeMap<HostId, Vec<u8>> = BTreeMap::new();
    server_sends(setup, move |packet| {
        if frame_of(packet).is_none() && packet.fields("svc_playerinfo").next().is_none() {
            return;
        }
        for span in packet.fields("service") {
            let bytes = packet.raw(span);
            if bytes.first() != Some(&number) {
                continue;
            }
            if last.get(&packet.client).is_some_and(|last| last == bytes) {
                packet.cut(span);
            }
            last.insert(packet.client, bytes.to_vec());
        }
    })
}

/// A server that says nothing with this number beside frames of more than a minute.
fn until_the_clock_runs_out(setup: &Setup, number: u8) -> Box<dyn Endpoint> {
    server_sends(setup, move |packet| {
        if frame_of(packet).is_some_and(|frame| frame >= CLOCK_FRAMES) {
            for span in packet.fields("service") {
                if packet.raw(span).first() == Some(&number) {
                    packet.cut(span);
                }
            }
        }
    })
}

/// What is forgotten too early.
pub(super) const MUTANTS: &[Mutant] = &[
    of_server("same-sound-once", &GEN_02, "r1q2/happens-again", "plays the same sound once", |setup| {
        without_the_same(setup, SVC_SOUND)
    }),
    of_server("same-effect-once", &GEN_02, "r1q2/happens-again", "shows the same effect once", |setup| {
        without_the_same(setup, SVC_TEMP_ENTITY)
    }),
    of_server("same-shot-once", &GEN_02, "r1q2/happens-again", "shows the same shot once", |setup| {
        without_the_same(setup, SVC_MUZZLEFLASH)
    }),
    of_server(
        "no-effects-after-65-seconds",
        &GEN_02,
        "r1q2/everywhere-outage",
        "shows no effect when milliseconds need more than 16 bits",
        |setup| until_the_clock_runs_out(setup, SVC_TEMP_ENTITY),
    ),
    of_server(
        "no-shots-after-65-seconds",
        &GEN_02,
        "r1q2/everywhere-outage",
        "shows no shot when milliseconds need more than 16 bits",
        |setup| until_the_clock_runs_out(setup, SVC_MUZZLEFLASH),
    ),
];
