//! Broken clients: what they keep, forget and acknowledge.

use super::{client_hears, client_says, client_with, of_client};
use crate::constants::UF_RESET;
use crate::requirements::*;
use crate::rules::{AckOrder, Rules};
use kit::{Mutant, Span};

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
];
