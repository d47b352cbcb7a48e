//! Broken statistics.

use super::entry::{Said, entries};
use crate::constants::*;
use crate::mutants::{sends, server_with};
use crate::rules::Rules;
use crate::sender::DeltaSender;
use kit::{Endpoint, HostId, Mutant, Packet, Setup, Span, Writer};
use netquake::Service;
use netquake::clientdata::ClientData;
use netquake::constants::{SVC_NOP, SVC_UPDATE_STAT};
use netquake::primitives::Primitives;
use std::collections::BTreeMap;

/// A server that sends in the place of a statistic's message that repeats the one before what `instead` gives, if it
/// does; that also gets the message with another value before it.
fn repeats(
    setup: &Setup,
    instead: impl Fn(&Packet<'_>, &Option<Vec<u8>>) -> Option<Vec<u8>> + 'static,
) -> Box<dyn Endpoint> {
    let mut sent: Vec<[Option<Vec<u8>>; 2]> = vec![[None, None]; 256];
    sends(server_with, setup, move |packet| {
        if packet.fields("servertime").next().is_none() {
            return;
        }
        for service in stats(packet) {
            let message = packet.raw(&service).to_vec();
            let [before, last] = &mut sent[usize::from(message[1])];
            if last.as_ref() != Some(&message) {
                *before = last.replace(message);
            } else if let Some(instead) = instead(packet, before) {
                packet.replace(service.start..service.end, &instead);
            }
        }
    })
}

/// Folds the statistics of the frame that a count finds, to which datagrams without frames do not add.
fn fold_stats_by_count(sender: &mut DeltaSender, index: usize) {
    let gaps = sender.newest_sent.unwrap_or_default().wrapping_sub(sender.frames) as usize;
    for at in 0..sender.logs[index].entries.len() {
        let (entity, carried) = sender.logs[index].entries[at];
        sender.fold_entry(entity, carried);
    }
    sender.fold_stats((index + gaps) % sender.logs.len());
}

fn clientdata_still_sent(packet: &mut Packet<'_>) {
    let mut message = Vec::new();
    Service::ClientData(ClientData::default()).write(&mut Writer::new(&mut message), &Primitives::PLAIN);
    if packet.fields("servertime").next().is_some() {
        packet.replace(packet.bytes.len()..packet.bytes.len(), &message);
    }
}

fn clientdata_dropped(packet: &mut Packet<'_>) {
    for service in stats(packet) {
        let stat = packet.inside(&service).find(|field| field.field == "stat").map(|stat| packet.value(stat));
        if stat.is_some_and(|stat| CLIENTDATA_STATS.contains(&(stat as u8))) {
            packet.cut(&service);
        }
    }
}

fn stats_above_sixteen_dropped(packet: &mut Packet<'_>) {
    for service in stats(packet).into_iter().skip(16) {
        packet.cut(&service);
    }
}

/// Sixteen statistics fill a frame, and the lowest are first in every one.
fn stats_starved(rules: &mut Rules) {
    rules.latitude.stats_per_datagram = 16;
    rules.compare = |sender, visible| {
        crate::sender::compare(sender, visible);
        sender.repeat_lowest_stats(16);
    };
}

fn stats_forgotten_at_a_reset(setup: &Setup) -> Box<dyn Endpoint> {
    repeats(setup, |packet, _| {
        let starts_over = entries(packet).iter().any(|entry| entry.said() == Said::RemoveAll);
        starts_over.then(Vec::new)
    })
}

fn zeros_unsent(packet: &mut Packet<'_>) {
    for service in stats(packet) {
        if let &[SVC_UPDATESTATBYTE, _, 0] = packet.raw(&service) {
            packet.cut(&service);
        }
    }
}

fn plain_stats_in_a_byte(packet: &mut Packet<'_>) {
    for service in stats(packet) {
        if let &[SVC_UPDATE_STAT, stat, low, ..] = packet.raw(&service) {
            packet.replace(service.start..service.end, &[SVC_UPDATESTATBYTE, stat, low]);
        }
    }
}

/// In their place stands what means nothing.
fn plain_stats_unsent(packet: &mut Packet<'_>) {
    for service in stats(packet) {
        let nops = vec![SVC_NOP; service.end - service.start];
        packet.replace(service.start..service.end, &nops);
    }
}

/// The value in a message that carries a statistic, as a byte or a long: both transports have forms of their own for these.
fn value_of(message: &[u8]) -> Option<i32> {
    match *message {
        [_, _, value] => Some(value.into()),
        [service, _, ref value @ ..] if service != SVC_UPDATESTATFLOAT => {
            Some(i32::from_le_bytes(*value.first_chunk()?))
        }
        _ => None,
    }
}

/// Sends no statistic that is less than it was, as if nothing were ever lost or spent.
fn lower_stats_unsent(setup: &Setup) -> Box<dyn Endpoint> {
    let mut told: BTreeMap<(HostId, u8), i32> = BTreeMap::new();
    sends(server_with, setup, move |packet| {
        for service in stats(packet) {
            let message = packet.raw(&service);
            let (Some(&stat), Some(value)) = (message.get(1), value_of(message)) else { continue };
            let before = told.entry((packet.client, stat)).or_insert(value);
            if value < *before {
                packet.cut(&service);
            }
            *before = value.max(*before);
        }
    })
}

/// Sends no statistic to a client of which another client was sent just the same.
fn stats_told_to_another_unsent(setup: &Setup) -> Box<dyn Endpoint> {
    let mut told: BTreeMap<u8, (HostId, Vec<u8>)> = BTreeMap::new();
    sends(server_with, setup, move |packet| {
        for service in stats(packet) {
            let message = packet.raw(&service).to_vec();
            let Some(&stat) = message.get(1) else { continue };
            match told.get(&stat) {
                Some((to, same)) if *to != packet.client && *same == message => packet.cut(&service),
                _ => drop(told.insert(stat, (packet.client, message))),
            }
        }
    })
}

/// The broken servers.
pub(super) static MUTANTS: &[Mutant] = mutants! {
    server "stats-not-logged" STAT_01 "fte/stats-predinfo":
        by |setup| repeats(setup, |_, _| Some(Vec::new())), "sends a changed statistic only once";
    server "stats-in-another-log" STAT_01 "fte/stats-numbering-gaps":
        rules |rules| rules.fold = fold_stats_by_count,
        "finds a frame's statistics by a count of frames instead of its sequence number",
        "FTEQW before c68cbfec2, and again in 93257c1ac5cd";
    server "clientdata-still-sent" STAT_02 "fte/movement-echo":
        sends clientdata_still_sent, "sends svc_clientdata with every frame, in addition to the statistics";
    server "clientdata-dropped" STAT_02 "fte/movement-echo":
        sends clientdata_dropped, "sends neither svc_clientdata nor its data as statistics";
    server "stats-resent-as-they-were" STAT_03 "fte/stats-predinfo":
        by |setup| repeats(setup, |_, before| before.clone()), "retransmits a lost statistic with its previous value";
    server "stats-above-sixteen-dropped" STAT_04 "fte/stats-predinfo":
        sends stats_above_sixteen_dropped, "drops statistics beyond sixteen per frame";
    server "stats-starved" STAT_04 "fte/stats-predinfo":
        rules stats_starved, "sends the same sixteen statistics with every frame, and never those beyond";
    server "stats-kept-over-the-map" STAT_06 "fte/stats-map-change":
        by |setup| repeats(setup, |_, _| Some(Vec::new())), "compares statistics with those of the previous map";
    server "stats-forgotten-at-a-reset" STAT_06 "fte/stats-reset-request":
        by stats_forgotten_at_a_reset, "drops the log of statistics at a reset request";
    server "zeros-unsent" STAT_06 "fte/stats-zero-late":
        sends zeros_unsent, "sends no statistic that is zero";
    server "lower-stats-unsent" STAT_01 "fte/everywhere-outage":
        by lower_stats_unsent, "sends no statistic that is lower than before";
    server "stats-told-to-another-unsent" STAT_06 "fte/everywhere-outage":
        by stats_told_to_another_unsent, "sends no statistic to a client that another client was sent alike";
    server "plain-stats-in-a-byte" STAT_07 "fte/stats-plain":
        sends plain_stats_in_a_byte, "sends statistics as bytes to a client without PREDINFO";
    server "plain-stats-unsent" STAT_07 "fte/stats-plain":
        sends plain_stats_unsent, "sends no statistics to a client without PREDINFO";
};

/// The messages that carry a statistic.
fn stats(packet: &Packet<'_>) -> Vec<Span> {
    let carries = |service: &&Span| packet.inside(service).any(|field| field.field == "stat");
    packet.fields("service").filter(carries).copied().collect()
}
