//! Servers that mistake one stream for the other, or the order in it.

use super::*;
use crate::constants::MSG_ALL;
use crate::requirements::*;

/// Longer than any run.
const NEVER_US: u64 = 3_600_000_000;

/// Turns the order of a packet's numbered prints round.
fn reverse_prints(packet: &mut Packet<'_>) {
    let prints = numbered_prints(packet);
    for (place, print) in prints.iter().zip(prints.iter().rev()) {
        packet.replace(place.start..place.end, packet.raw(print));
    }
}

/// The servers that are broken so.
pub(super) const MUTANTS: &[Mutant] = &[
    of_server("all-unreliable", &BUF_01, "nvs/order", "writes a converted MSG_ALL into unreliable buffers", |setup| {
        server_with(setup, |rules| {
            rules.preparation.into = |dest| if dest == MSG_ALL { Into::Datagram } else { into(dest) }
        })
    }),
    of_server(
        "sends-once",
        &BUF_01,
        "nvs/order-loss",
        "does not send again what was lost of reliable messages",
        |setup| server_with(setup, |rules| rules.transport.resend_us = NEVER_US),
    ),
    of_server(
        "broadcast-reliable",
        &BUF_02,
        "nvs/named",
        "writes a converted MSG_BROADCAST into reliable buffers, where it is sent until it arrives",
        |setup| server_with(setup, |rules| rules.preparation.into = |_| Into::Message),
    ),
    of_server("calls-reversed", &ORD_01, "nvs/order", "executes the calls of a frame the other way round", |setup| {
        server_says(setup, reverse_prints)
    }),
    of_server(
        "calls-reversed-one-list",
        &ORD_01,
        "nvs/order-one-list",
        "executes the calls of a frame the other way round",
        |setup| server_says(setup, reverse_prints),
    ),
];
