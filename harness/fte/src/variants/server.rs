//! Servers that conform in another way than the reference.

use super::{SIGNED_SKINS, rules};
use crate::constants::*;
use crate::dialect::Transport;
use crate::liberties::*;
use crate::message::StatForm;
use crate::mutants::{server_says, server_with};
use crate::options::Options;
use crate::requirements::*;
use crate::rules::{Overflow, Rules};
use kit::variant::of_server;
use kit::{Endpoint, Setup, Variant};

const NONE: Liberties = Liberties::NONE;

/// The conforming servers.
pub(super) static VARIANTS: &[Variant] = &[
    of_server("folds-when-full", "takes the oldest frame for lost when history is full (erratum E6)", |setup| {
        server_with(setup, Rules { overflow: Overflow::Fold, ..Rules::REFERENCE })
    }),
    of_server("short-history", "keeps 16 frames of history and starts over when they do not suffice", |setup| {
        server_with(setup, Rules { log_frames: 16, ..Rules::REFERENCE })
    })
    .foregoes(&[&HIST_07]),
    of_server("long-history", "keeps 256 frames of history", |setup| {
        server_with(setup, Rules { log_frames: 256, ..Rules::REFERENCE })
    }),
    of_server(
        "repairs-at-once",
        "repairs a loss in a frame of its own, as soon as it knows, and not in the next tick",
        |setup| server_with(setup, rules(Liberties { repair: Repair::AtOnce, ..NONE })),
    ),
    of_server("repairs-the-newest", "does not repair what a newer frame carries that may still arrive", |setup| {
        server_with(setup, rules(Liberties { fold: Fold::Unsuperseded, ..NONE }))
    })
    .takes(&HIST_12),
    of_server("one-reset", "sends RESET with the first update of an entity alone", |setup| {
        server_with(setup, Rules { reset_copies: 1, ..Rules::REFERENCE })
    })
    .foregoes(&[&RST_03]),
    of_server("three-resets", "sends RESET with the first three updates of an entity", |setup| {
        server_with(setup, Rules { reset_copies: 3, ..Rules::REFERENCE })
    }),
    of_server("all-resets", "sends RESET with every update of an entity", |setup| {
        server_with(setup, Rules { reset_copies: u8::MAX, ..Rules::REFERENCE })
    }),
    of_server("needless-resets", "resets a known entity in every third frame", |setup| {
        server_with(setup, rules(Liberties { reset_every: 3, ..NONE }))
    }),
    of_server("starts-over-now-and-then", "removes and resends everything in every 25th frame", |setup| {
        server_with(setup, rules(Liberties { start_over_every: 25, ..NONE }))
    }),
    of_server(
        "starts-over-always",
        "removes and resends everything in every frame that holds it, as FTEQW does without clc_delta (erratum E2)",
        |setup| server_with(setup, rules(Liberties { start_over_every: 1, ..NONE })),
    ),
    of_server("removes-twice", "sends every remove twice", |setup| {
        server_with(setup, rules(Liberties { removes: Removes::Twice, ..NONE }))
    }),
    of_server("removes-unknown", "removes entities that nobody ever had", |setup| {
        server_with(setup, rules(Liberties { removes: Removes::AndUnknown, ..NONE }))
    }),
    of_server("repeats-origins", "sends origins and angles with every update, changed or not", |setup| {
        const REPEATED: u32 = (UF_ORIGINXY | UF_ORIGINZ | UF_ANGLESXZ | UF_ANGLESY) as u32;
        server_with(setup, rules(Liberties { repeated: REPEATED, ..NONE }))
    }),
    of_server("repeats-all", "sends every field with every update, changed or not", |setup| {
        server_with(setup, rules(Liberties { repeated: crate::delta::UF_FIELDS as u32, ..NONE }))
    }),
    of_server(
        "forces-origins",
        "sends the origin of whatever moves in every frame, as FTEQW and QuakeSpasm-Spiked do",
        |setup| {
            const FORCED: u32 = (UF_ORIGINXY | UF_ORIGINZ) as u32;
            server_with(setup, rules(Liberties { forced: FORCED, ..NONE }))
        },
    ),
    of_server("many-messages", "splits a frame into messages of three entries", |setup| {
        server_with(setup, rules(Liberties { entries_per_message: 3, ..NONE }))
    }),
    of_server("many-datagrams", "splits a tick's changes into datagrams of eight entries (NetQuake)", |setup| {
        split_in(setup, 8)
    }),
    of_server("leaves-room", "leaves up to a hundred bytes of every datagram free", |setup| {
        server_with(setup, rules(Liberties { reserve_bytes: 20, ..NONE }))
    }),
    of_server("begins-anywhere", "begins every frame with another entity", |setup| {
        server_with(setup, rules(Liberties { begins: Begins::Anywhere, ..NONE }))
    }),
    of_server("skips-ticks", "sends no frame in every third tick", |setup| {
        server_with(setup, rules(Liberties { skip_every: 3, ..NONE }))
    }),
    of_server("datagrams-without-frames", "sends a datagram without a frame in every fourth tick", |setup| {
        server_with(setup, rules(Liberties { frameless_every: 4, ..NONE }))
    }),
    of_server("no-empty-frames", "sends no frame while its client is known to have everything", |setup| {
        server_with(setup, rules(Liberties { when_done: WhenDone::Silence, ..NONE }))
    }),
    of_server("stats-behind", "puts statistics behind the entities", |setup| {
        server_with(setup, rules(Liberties { stats_place: StatsPlace::Behind, ..NONE }))
    }),
    of_server("long-stats", "sends all integral statistics as longs", |setup| {
        server_with(setup, rules(Liberties { stat_form: StatForm::Long, ..NONE }))
    }),
    of_server("float-stats", "sends statistics as floats where these hold them", |setup| {
        server_with(setup, rules(Liberties { stat_form: StatForm::Float, ..NONE }))
    }),
    of_server("whole-stats", "sends floats that are whole as integers, as FTEQW does", |setup| {
        server_with(setup, rules(Liberties { stat_form: StatForm::WholeAsInteger, ..NONE }))
    }),
    of_server(
        "stats-with-deltas",
        "sends statistics with frames also without PREDINFO, as FTEQW does (erratum E19)",
        |setup| server_with(setup, rules(Liberties { stats_with: StatsWith::Deltas, ..NONE })),
    ),
    of_server("signed-skins", "writes 8-bit skins with a sign, as documented (erratum E8)", |setup| {
        server_with(setup, Rules { table: &SIGNED_SKINS, ..Rules::REFERENCE })
    }),
    of_server("withholds-predinfo", "does not echo PREDINFO, though it could", |setup| {
        server_with(setup, rules(Liberties { withheld_fte2: PEXT2_PREDINFO, ..NONE }))
    }),
    of_server("withholds-deltas", "does not echo replacement deltas, though it could", |setup| {
        // Whether a server has understood what stands behind a private key shows in its echo alone: where a scenario asks
        // for that, it withholds nothing.
        let withheld_fte2 = if Options::new(setup).client_private { 0 } else { PEXT2_REPLACEMENTDELTAS };
        server_with(setup, rules(Liberties { withheld_fte2, ..NONE }))
    }),
    of_server("forces-float-coords", "turns float coords on unasked, as FTEQW does (erratum E24)", |setup| {
        server_with(setup, rules(Liberties { unasked_fte1: PEXT_FLOATCOORDS, ..NONE }))
    }),
    of_server("sends-away", "sends clients away that lack replacement deltas or PREDINFO", |setup| {
        const REQUIRED: u32 = PEXT2_REPLACEMENTDELTAS | PEXT2_PREDINFO;
        server_with(setup, rules(Liberties { required_fte2: REQUIRED, ..NONE }))
    })
    .takes(&HS_19),
    of_server("offers-more", "offers keys that nobody knows beside its masks (QuakeWorld)", |setup| {
        server_says(setup, |packet| {
            let Some(challenge) = packet.bytes.strip_prefix(b"\xff\xff\xff\xffc") else { return };
            let Some(end) = challenge.iter().position(|&byte| byte == 0) else { return };
            let at = end + 6;
            packet.replace(at..at, b"MVD1\x01\0\0\0PRIV\xff\xff\xff\xffvlen\x05\0\0\0GUID12345");
        })
    }),
    of_server("asks-for-protocols", "asks for protocols before extensions, as FTEQW does (NetQuake)", |setup| {
        server_says(setup, |packet| {
            packet.replace_text(b"\x09cmd pext\n\0", b"\x09cmd protocols\n\0\x09cmd pext\n\0");
        })
    }),
];

/// A server that splits what there is to send over datagrams of `entries`, unless the scenario limits the datagrams.
fn split_in(setup: &Setup, entries: usize) -> Box<dyn Endpoint> {
    let options = Options::new(setup);
    match (options.transport, options.datagrams_per_tick) {
        (Transport::NetQuake, None) => {
            let split = rules(Liberties { entries_per_datagram: entries, ..NONE });
            server_with(setup, Rules { datagrams_per_tick: 64, ..split })
        }
        _ => server_with(setup, Rules::REFERENCE),
    }
}
