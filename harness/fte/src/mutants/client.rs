//! Broken clients: what they keep, forget and acknowledge.

use super::{client_hears, client_says, client_with, of_client};
use crate::constants::UF_RESET;
use crate::requirements::*;
use crate::rules::{AckOrder, Rules};
use kit::{Mutant, Packet, Span};

/// The broken clients.
pub(super) static MUTANTS: &[Mutant] = &[
    of_client("acks-descending", &ACK_06, "fte/ack-batched", "acknowledges the newest frame first", |setup| {
        client_with(setup, Rules { ack_order: AckOrder::Descending, ..Rules::REFERENCE })
    }),
    of_client(
        "returns-with-old-fields",
        &RST_10,
        "fte/reset-forgets",
        "takes a RESET for a plain update, so that fields which it leaves out keep their values",
        |setup| {
            client_hears(setup, |packet| {
                let second: Vec<&Span> = packet.fields("UF flags 8-15").collect();
                for flags in second {
                    let without = packet.value(flags) & !(UF_RESET >> 8);
                    packet.set(flags, without);
                }
            })
        },
    ),
    of_client(
        "acks-the-next-frame",
        &ACK_02,
        "fte/ack-numbering-gaps",
        "acknowledges a number one above that of the datagram",
        |setup| {
            client_says(setup, |packet| {
                let acks = packet.fields("frame").filter(|ack| packet.raw(ack) != [0xff; 4]);
                for ack in acks.collect::<Vec<&Span>>() {
                    packet.set(ack, packet.value(ack) + 1);
                }
            })
        },
    ),
    of_client("never-acknowledges", &ACK_05, "fte/ack-batched", "acknowledges no frame at all", |setup| {
        client_with(setup, Rules { acks_per_packet: 0, ..Rules::REFERENCE })
    }),
    of_client(
        "header-lags",
        &ACK_02,
        "fte/ack-bunched-quakeworld",
        "names the last packet but one in the header, not the newest",
        |setup| client_says(setup, |packet| shift_header_ack(packet, -1)),
    ),
    of_client(
        "header-leads",
        &ACK_04,
        "fte/ack-bunched-quakeworld",
        "names a packet in the header that it has not received yet",
        |setup| client_says(setup, |packet| shift_header_ack(packet, 1)),
    ),
];

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
