//! Broken statistics.

use super::{of_server, server_says, server_with};
use crate::constants::*;
use crate::requirements::*;
use crate::rules::{Resend, Rules, StatLog};
use kit::{Mutant, Packet, Span, Writer};
use netquake::clientdata::ClientData;
use netquake::primitives::Primitives;
use netquake::{Service, constants::SVC_UPDATE_STAT};

/// The broken servers.
pub(super) static MUTANTS: &[Mutant] = &[
    of_server("stats-not-logged", &STAT_01, "fte/stats-predinfo", "sends a changed statistic once", |setup| {
        server_with(setup, Rules { stat_log: StatLog::Nowhere, ..Rules::REFERENCE })
    }),
    of_server(
        "stats-in-another-log",
        &STAT_01,
        "fte/stats-numbering-gaps",
        "finds the log of a frame's statistics by a count that datagrams without frames do not advance",
        |setup| server_with(setup, Rules { stat_log: StatLog::ByCount, ..Rules::REFERENCE }),
    )
    .recalls("FTEQW before c68cbfec2, and again in 93257c1ac5cd"),
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
        |setup| server_with(setup, Rules { stat_resend: Resend::Previous, ..Rules::REFERENCE }),
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
        |setup| {
            let mut sent = vec![Vec::new(); 256];
            server_says(setup, move |packet| {
                if packet.fields("servertime").next().is_none() {
                    return;
                }
                for service in stats(packet) {
                    let message = packet.raw(&service).to_vec();
                    let stat = usize::from(message[1]);
                    if sent[stat] == message {
                        packet.cut(&service);
                    }
                    sent[stat] = message;
                }
            })
        },
    ),
    of_server(
        "stats-forgotten-at-a-reset",
        &STAT_06,
        "fte/stats-reset-request",
        "throws its logs away when a reset is asked for, with the statistics in them",
        |setup| server_with(setup, Rules { stat_log: StatLog::UntilStartOver, ..Rules::REFERENCE }),
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
