//! Broken services and commands: what is said beside the entries of frames.

use super::{client_hears, client_says, of_client, of_server, server_says};
use crate::constants::CLC_ACKFRAME;
use crate::dialect::Transport;
use crate::options::Options;
use crate::quakeworld::{SVC_NAILS, SVC_PACKETENTITIES};
use crate::requirements::*;
use kit::{Mutant, Packet, Span};
use netquake::constants::SVC_TIME;

/// The broken services.
pub(super) static MUTANTS: &[Mutant] = &[
    of_server("old-and-new-entities", &SVC_01, "fte/delta-clean", "sends old updates beside its frames", |setup| {
        // An update of entity 1 without a field; a list without an entity.
        let old: &[u8] = match Options::new(setup).transport {
            Transport::NetQuake => &[0x80, 1],
            Transport::QuakeWorld => &[SVC_PACKETENTITIES, 0, 0],
        };
        server_says(setup, move |packet| append_to_frame(packet, old))
    }),
    of_server(
        "nails-apart",
        &SVC_01,
        "fte/handshake-quakeworld",
        "sends nails in the service of their own that frames replace",
        |setup| server_says(setup, |packet| append_to_frame(packet, &[SVC_NAILS, 0])),
    )
    .recalls("FTEQW before d7cdc39cc"),
    of_server("time-apart", &SVC_02, "fte/handshake-netquake", "sends svc_time beside its frames", |setup| {
        server_says(setup, |packet| {
            // With the movement sequence that PREDINFO gives it.
            append_to_frame(packet, &[SVC_TIME, 0, 0, 0x80, 0x3f, 0, 0]);
        })
    }),
    of_server("time-in-milliseconds", &SVC_03, "fte/delta-clean", "sends server time as whole milliseconds", |setup| {
        server_says(setup, |packet| edit_time(packet, |time| (time * 1000.0) as u32))
    }),
    of_client("time-in-minutes", &SVC_03, "fte/delta-clean", "reads server time in another unit", |setup| {
        client_hears(setup, |packet| edit_time(packet, |time| (time / 60.0).to_bits()))
    }),
    of_client(
        "clock-stands-still",
        &SVC_04,
        "fte/delta-clean",
        "takes server time from the first frame only",
        |setup| {
            let mut first = None;
            client_hears(setup, move |packet| edit_time(packet, |time| first.get_or_insert(time).to_bits()))
        },
    ),
    of_client("acks-by-another-number", &SVC_13, "fte/ack-bunched-quakeworld", "acknowledges by command 51", |setup| {
        client_says(setup, |packet| {
            let acks = packet.fields("clc").filter(|clc| packet.value(clc) == u64::from(CLC_ACKFRAME));
            for ack in acks.collect::<Vec<&Span>>() {
                packet.set(ack, u64::from(CLC_ACKFRAME) + 1);
            }
        })
    }),
];

/// Puts a service behind a datagram's entity frame.
fn append_to_frame(packet: &mut Packet<'_>, service: &[u8]) {
    if packet.fields("servertime").next().is_some() {
        let end = packet.bytes.len();
        packet.replace(end..end, service);
    }
}

/// Gives frames another server time: the new bits, from the old seconds.
fn edit_time(packet: &mut Packet<'_>, mut edit: impl FnMut(f32) -> u32) {
    for time in packet.fields("servertime").collect::<Vec<&Span>>() {
        let bits = edit(f32::from_bits(packet.value(time) as u32));
        packet.set(time, bits.into());
    }
}
