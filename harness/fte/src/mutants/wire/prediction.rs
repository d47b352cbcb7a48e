//! What PREDINFO changes beside the pred block.

use super::edits::*;
use crate::mutants::{client_says, of_client, of_server, server_says};
use crate::requirements::*;
use kit::{Mutant, Span};

/// The broken predictions.
pub(in super::super) static MUTANTS: &[Mutant] = &[
    of_server(
        "movement-behind-time",
        &PRED_09,
        "fte/movement-wrap",
        "writes the movement sequence behind the server time",
        |setup| {
            server_says(setup, |packet| {
                for time in packet.fields("servertime").collect::<Vec<&Span>>() {
                    exchange_with_previous(packet, time, "movement sequence");
                }
            })
        },
    ),
    of_client(
        "move-sequence-behind-time",
        &PRED_09,
        "fte/movement-wrap",
        "writes a move's sequence behind its time",
        |setup| {
            client_says(setup, |packet| {
                for time in packet.fields("time").collect::<Vec<&Span>>() {
                    exchange_with_previous(packet, time, "movement sequence");
                }
            })
        },
    ),
    of_client("move-angles-of-8-bits", &PRED_15, "fte/movement-wrap", "writes a move's angles as bytes", |setup| {
        client_says(setup, |packet| {
            for angle in packet.fields("view angle").collect::<Vec<&Span>>() {
                packet.replace(angle.start + 1..angle.end, &[]);
            }
        })
    }),
];
