//! Broken prediction: movement sequences, and what of a player travels with its entity.

use super::entry::{Said, entries};
use super::server::history::log_flags;
use crate::constants::field_names::PREDBITS;
use crate::constants::*;
use crate::mutants::{behind, server_with};
use crate::rules::Rules;
use crate::state::UF_PREDINFO;
use kit::{Endpoint, Mutant, Packet, Setup, Span};
use std::cell::Cell;
use std::collections::BTreeMap;
use std::rc::Rc;

/// Packets with numbers of their own count, which leaves none out.
fn counts_for_itself() -> impl FnMut(&mut Packet<'_>) {
    let mut last = None;
    move |packet| {
        let framed = packet.fields("servertime").next().is_some();
        if let Some(sequence) = packet.fields("sequence").next().filter(|_| framed) {
            let own = last.map_or(packet.value(sequence), |last: u64| (last & 0x7fff_ffff) + 1);
            packet.set(sequence, own | packet.value(sequence) & 0x8000_0000);
            last = Some(own);
        }
    }
}

fn weaponframe_not_a_statistic(packet: &mut Packet<'_>) {
    let stats = packet.fields("stat").filter(|stat| packet.value(stat) == u64::from(STAT_WEAPONFRAME));
    for stat in stats.collect::<Vec<&Span>>() {
        let service = packet.fields("service").find(|service| service.start + 1 == stat.start);
        if let Some(service) = service {
            packet.cut(service);
        }
    }
}

fn echoes_a_count() -> impl FnMut(&mut Packet<'_>) {
    let mut frames = 0;
    move |packet| {
        for echo in packet.fields("movement sequence").collect::<Vec<&Span>>() {
            frames += 1;
            packet.set(echo, frames);
        }
    }
}

fn echoes_the_move_before(packet: &mut Packet<'_>) {
    for echo in packet.fields("movement sequence").collect::<Vec<&Span>>() {
        packet.set(echo, packet.value(echo).wrapping_sub(1));
    }
}

fn never_echoes(packet: &mut Packet<'_>) {
    for echo in packet.fields("movement sequence").collect::<Vec<&Span>>() {
        packet.set(echo, 0);
    }
}

fn moves_compared_as_numbers() -> impl FnMut(&mut Packet<'_>) {
    let mut largest = 0;
    move |packet| {
        for sequence in packet.fields("movement sequence") {
            largest = largest.max(packet.value(sequence));
            packet.set(sequence, largest);
        }
    }
}

fn old_moves_applied(setup: &Setup) -> Box<dyn Endpoint> {
    let applied = Rc::new(Cell::new(None));
    let echoed = Rc::clone(&applied);
    let receives = move |packet: &mut Packet<'_>| {
        if let Some(sequence) = packet.fields("movement sequence").last() {
            applied.set(Some(packet.value(sequence)));
        }
    };
    let sends = move |packet: &mut Packet<'_>| {
        for echo in packet.fields("movement sequence") {
            packet.set(echo, echoed.get().unwrap_or(packet.value(echo)));
        }
    };
    Box::new(behind(setup, server_with(setup, Rules::REFERENCE)).incoming(receives).outgoing(sends))
}

/// Of the movetypes that each entity was sent with, those that are the last one's again leave their pred blocks.
fn movetype_when_it_changes() -> impl FnMut(&mut Packet<'_>) {
    let mut sent = BTreeMap::new();
    move |packet| {
        for entry in entries(packet) {
            match entry.said() {
                Said::End => {}
                Said::RemoveAll => sent.clear(),
                Said::Remove => {
                    sent.remove(&entry.number);
                }
                said @ (Said::Update | Said::Reset) => {
                    let inside: Vec<&Span> = packet.inside(&entry.whole).collect();
                    let find = |name: &str| inside.iter().find(|span| span.field == name);
                    let (Some(bits), Some(movetype)) = (find(PREDBITS), find("movetype")) else { continue };
                    let again = sent.insert(entry.number, packet.value(movetype)) == Some(packet.value(movetype));
                    if again && said == Said::Update {
                        packet.set(bits, packet.value(bits) & !UFP_MOVETYPE);
                        packet.cut(movetype);
                    }
                }
            }
        }
    }
}

/// The broken servers.
pub(super) static MUTANTS: &[Mutant] = mutants! {
    server "pred-block-not-logged" PRED_06 "fte/prediction-lost":
        rules |rules| rules.log = log_flags::<{ !(UF_PREDINFO as u32) }>, "does not log pred blocks";
    server "movetype-when-it-changes" PRED_06 "fte/prediction-lost":
        sends movetype_when_it_changes(),
        "retransmits a pred block, but leaves the movetype out, as it is what was sent last";
    server "weaponframe-not-a-statistic" PRED_08 "fte/stats-weaponframe":
        sends weaponframe_not_a_statistic, "does not send the weaponframe as a statistic";
    server "echoes-a-count" PRED_10 "fte/movement-echo":
        sends echoes_a_count(), "echoes a count of frames instead of the newest movement sequence";
    server "echoes-the-move-before" PRED_10 "fte/movement-echo":
        sends echoes_the_move_before, "echoes one less than the newest movement sequence";
    server "never-echoes" PRED_10 "fte/movement-clean": sends never_echoes, "echoes no movement sequence";
    server "moves-compared-as-numbers" PRED_11 "fte/movement-wrap":
        receives moves_compared_as_numbers(), "treats every move after the wrap as old";
    server "old-moves-applied" PRED_18 "fte/movement-repeated": by old_moves_applied, "applies repeated moves again";
    server "counts-for-itself" PRED_19 "fte/history-outage-c2s-quakeworld":
        sends counts_for_itself(), "numbers its packets one after the other, whichever of the client's arrived";
};
