//! Broken statistics.

use super::entry::{Said, entries};
use super::{of_server, server_says, server_with};
use crate::constants::*;
use crate::requirements::*;
use crate::rules::Rules;
use crate::sender::DeltaSender;
use kit::{Endpoint, Mutant, Packet, Setup, Span, Writer};
use netquake::clientdata::ClientData;
use netquake::primitives::Primitives;
use netquake::{Service, constants::SVC_UPDATE_STAT};

/// A server that sends in the place of a statistic's message that repeats the one before what `instead` gives, if it
/// does; that is told the message with another value before it, too.
fn repeats(
    setup: &Setup,
    instead: impl Fn(&Packet<'_>, &Option<Vec<u8>>) -> Option<Vec<u8>> + 'static,
) -> Box<dyn Endpoint> {
    let mut sent: Vec<[Option<Vec<u8>>; 2]> = vec![[None, None]; 256];
    server_says(setup, move |packet| {
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

/// The broken servers.
pub(super) static MUTANTS: &[Mutant] = &[
    of_server("stats-not-logged", &STAT_01, "fte/stats-predinfo", "sends a changed statistic once", |setup| {
        repeats(setup, |_, _| Some(Vec::new()))
    }),
    of_server(
        "stats-in-another-log",
        &STAT_01,
        "fte/stats-numbering-gaps",
        "finds the log of a frame's statistics by a count that datagrams without frames do not advance",
        |setup| server_with(setup, Rules { fold: fold_stats_by_count, ..Rules::REFERENCE }),
    )
    .same_bug_as("FTEQW before c68cbfec2, and again in 93257c1ac5cd"),
    of_server(
        "clientdata-still-sent",
        &STAT_02,
        "fte/movement-echo",
        "sends svc_clientdata with every frame, beside the statistics",
        |setup| {
            server_says(setup, |packet| {
                let mut message = Vec::new();
                Service::ClientData(ClientData::default()).write(&mut Writer::new(&mut message), &Primitives::PLAIN);
                if packet.fields("servertime").next().is_some() {
                    packet.replace(packet.bytes.len()..packet.bytes.len(), &message);
                }
            })
        },
    ),
    of_server(
        "stats-resent-as-they-were",
        &STAT_03,
        "fte/stats-predinfo",
        "sends a lost statistic again with the value before its last change",
        |setup| repeats(setup, |_, before| before.clone()),
    ),
    of_server(
        "stats-above-sixteen-dropped",
        &STAT_04,
        "fte/stats-predinfo",
        "has room for sixteen statistics in a frame, and forgets those above",
        |setup| {
            server_says(setup, |packet| {
                for service in stats(packet).into_iter().skip(16) {
                    packet.cut(&service);
                }
            })
        },
    ),
    of_server(
        "stats-kept-over-the-map",
        &STAT_06,
        "fte/stats-map-change",
        "sends a statistic only if it differs from what it sent last, in whatever map",
        |setup| repeats(setup, |_, _| Some(Vec::new())),
    ),
    of_server(
        "stats-forgotten-at-a-reset",
        &STAT_06,
        "fte/stats-reset-request",
        "throws its logs away when a reset is asked for, with the statistics in them",
        |setup| {
            repeats(setup, |packet, _| {
                let starts_over = entries(packet).iter().any(|entry| entry.said() == Said::RemoveAll);
                starts_over.then(Vec::new)
            })
        },
    ),
    of_server(
        "plain-stats-in-a-byte",
        &STAT_07,
        "fte/stats-plain",
        "sends statistics as bytes to a client that did not ask for PREDINFO",
        |setup| {
            server_says(setup, |packet| {
                for service in stats(packet) {
                    if let &[SVC_UPDATE_STAT, stat, low, ..] = packet.raw(&service) {
                        packet.replace(service.start..service.end, &[SVC_UPDATESTATBYTE, stat, low]);
                    }
                }
            })
        },
    ),
];

/// The messages that tell a statistic.
fn stats(packet: &Packet<'_>) -> Vec<Span> {
    let told = |service: &&Span| packet.inside(service).any(|field| field.field == "stat");
    packet.fields("service").filter(told).copied().collect()
}
