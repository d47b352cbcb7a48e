//! Broken prediction: movement sequences, and what of a player travels with its entity.

use super::server::history::log_flags;
use super::{behind, of_server, server_hears, server_says, server_with};
use crate::constants::*;
use crate::requirements::*;
use crate::rules::Rules;
use crate::state::UF_PREDINFO;
use kit::{Mutant, Packet, Span};
use std::cell::Cell;
use std::rc::Rc;

/// The broken servers.
pub(super) static MUTANTS: &[Mutant] = &[
    of_server(
        "pred-block-not-logged",
        &PRED_06,
        "fte/prediction-lost",
        "does not log pred blocks, as if all in them came with every update",
        |setup| server_with(setup, Rules { log: log_flags::<{ !(UF_PREDINFO as u32) }>, ..Rules::REFERENCE }),
    ),
    of_server(
        "weaponframe-not-a-statistic",
        &PRED_08,
        "fte/stats-weaponframe",
        "leaves the weaponframe out of the statistics",
        |setup| {
            server_says(setup, |packet| {
                let stats = packet.fields("stat").filter(|stat| packet.value(stat) == u64::from(STAT_WEAPONFRAME));
                for stat in stats.collect::<Vec<&Span>>() {
                    let service = packet.fields("service").find(|service| service.start + 1 == stat.start);
                    if let Some(service) = service {
                        packet.cut(service);
                    }
                }
            })
        },
    ),
    of_server(
        "echoes-a-count",
        &PRED_10,
        "fte/movement-echo",
        "echoes how many frames it has sent, not the sequence of the newest move",
        |setup| {
            let mut frames = 0;
            server_says(setup, move |packet| {
                for echo in packet.fields("movement sequence").collect::<Vec<&Span>>() {
                    frames += 1;
                    packet.set(echo, frames);
                }
            })
        },
    ),
    of_server(
        "echoes-the-move-before",
        &PRED_10,
        "fte/movement-echo",
        "echoes one less than the newest sequence, whether there was such a move or not",
        |setup| {
            server_says(setup, |packet| {
                for echo in packet.fields("movement sequence").collect::<Vec<&Span>>() {
                    packet.set(echo, packet.value(echo).wrapping_sub(1));
                }
            })
        },
    ),
    of_server(
        "moves-compared-as-numbers",
        &PRED_11,
        "fte/movement-wrap",
        "takes every move behind the wrap for an old one",
        |setup| {
            let mut largest = 0;
            server_hears(setup, move |packet| {
                for sequence in packet.fields("movement sequence") {
                    largest = largest.max(packet.value(sequence));
                    packet.set(sequence, largest);
                }
            })
        },
    ),
    of_server(
        "old-moves-applied",
        &PRED_18,
        "fte/movement-repeated",
        "applies a move that it has applied before",
        |setup| {
            let applied = Rc::new(Cell::new(None));
            let echoed = Rc::clone(&applied);
            let hears = move |packet: &mut Packet<'_>| {
                if let Some(sequence) = packet.fields("movement sequence").last() {
                    applied.set(Some(packet.value(sequence)));
                }
            };
            let says = move |packet: &mut Packet<'_>| {
                for echo in packet.fields("movement sequence") {
                    packet.set(echo, echoed.get().unwrap_or(packet.value(echo)));
                }
            };
            Box::new(behind(setup, server_with(setup, Rules::REFERENCE)).incoming(hears).outgoing(says))
        },
    ),
];
