//! Servers that conform in another way than the reference.

use super::{SIGNED_SKINS, forgone};
use crate::constants::*;
use crate::dialect::Transport;
use crate::latitude::*;
use crate::message::StatForm;
use crate::mutants::{sends, server_with};
use crate::options::Options;
use crate::pending::{Pending, REMOVE, RESET};
use crate::requirements::*;
use crate::rules::Rules;
use crate::sender::DeltaSender;
use crate::sender::history::{FrameLog, fold_oldest};
use crate::state::*;
use kit::variant::of_server;
use kit::{Again, Endpoint, Setup, Twice, Variant};
use std::ops::Range;

const REFERENCE: Latitude = Latitude::REFERENCE;

/// The conforming servers.
pub(super) static VARIANTS: &[Variant] = &[
    of_server("folds-when-full", "treats the oldest frame as lost when history is full (erratum E6)", |setup| {
        server_with(setup, Rules { make_room: fold_oldest, ..Rules::REFERENCE })
    }),
    of_server("short-history", "keeps 16 frames of history and starts over when they do not suffice", |setup| {
        server_with(setup, Rules::with(Latitude { log_frames: 16, ..REFERENCE }))
    })
    .waives(&[&HIST_07]),
    of_server("knows-clients-by-their-ports", "takes a client at another port for a stranger", |setup| {
        server_with(setup, Rules { follow: |_, _| None, ..Rules::REFERENCE })
    })
    .waives(&[&HS_28]),
    of_server("long-history", "keeps 256 frames of history", |setup| {
        server_with(setup, Rules::with(Latitude { log_frames: 256, ..REFERENCE }))
    }),
    of_server("repairs-at-once", "repairs a loss at once in a frame of its own, not in the next tick", |setup| {
        server_with(setup, Rules::with(Latitude { repair: Repair::AtOnce, ..REFERENCE }))
    }),
    of_server("loses-after-four", "takes a frame for lost once four newer ones were acknowledged", |setup| {
        server_with(setup, Rules { skip: skip_after_four, ..Rules::REFERENCE })
    }),
    of_server("echoes-late", "applies a move in its next tick, and echoes it from then on", |setup| {
        server_with(setup, Rules::with(Latitude { echoes: Echoes::NextTick, ..REFERENCE }))
    }),
    of_server("repairs-when-full", "repairs a loss only when its history needs the place of the lost frame", |setup| {
        server_with(setup, Rules { skip: |_, _| {}, make_room: fold_replaced, ..Rules::REFERENCE })
    }),
    of_server("repairs-the-newest", "does not repair a field that a newer frame in flight carries", |setup| {
        server_with(setup, Rules { fold: fold_unsuperseded, ..Rules::REFERENCE })
    })
    .takes(&HIST_12),
    of_server("one-reset", "sends RESET with the first update of an entity alone", |setup| {
        server_with(setup, Rules::with(Latitude { reset_copies: 1, ..REFERENCE }))
    })
    .waives(&[&RST_03]),
    of_server("three-resets", "sends RESET with the first three updates of an entity", |setup| {
        server_with(setup, Rules::with(Latitude { reset_copies: 3, ..REFERENCE }))
    }),
    of_server("all-resets", "sends RESET with every update of an entity", |setup| {
        server_with(setup, Rules::with(Latitude { reset_copies: u8::MAX, ..REFERENCE }))
    })
    .forgoes(&[forgone::PLAIN_UPDATES, forgone::PLAIN_UPDATES_OF_A_MAP]),
    of_server("needless-resets", "resets a known entity in every third frame", |setup| {
        server_with(setup, Rules::with(Latitude { reset_every: 3, ..REFERENCE }))
    })
    .takes(&RST_11),
    of_server("starts-over-now-and-then", "removes and resends everything in every 25th frame", |setup| {
        server_with(setup, Rules::with(Latitude { start_over_every: 25, ..REFERENCE }))
    }),
    of_server(
        "starts-over-always",
        "removes and resends everything in every frame that has room, as FTEQW does without clc_delta (erratum E2)",
        |setup| server_with(setup, Rules::with(Latitude { start_over_every: 1, ..REFERENCE })),
    )
    .forgoes(&[forgone::EMPTY_FRAMES]),
    of_server("removes-twice", "sends every remove twice", |setup| {
        server_with(setup, Rules::with(Latitude { removes: Removes::Twice, ..REFERENCE }))
    }),
    of_server("removes-unknown", "removes entities that never existed", |setup| {
        server_with(setup, Rules::with(Latitude { removes: Removes::AndUnknown, ..REFERENCE }))
    }),
    of_server("repeats-origins", "sends origins and angles with every update, changed or not", |setup| {
        const REPEATED: u32 = (UF_ORIGINXY | UF_ORIGINZ | UF_ANGLESXZ | UF_ANGLESY) as u32;
        server_with(setup, Rules::with(Latitude { repeated: REPEATED, ..REFERENCE }))
    }),
    of_server("repeats-all", "sends every field with every update, changed or not", |setup| {
        server_with(setup, Rules::with(Latitude { repeated: crate::delta::UF_FIELDS as u32, ..REFERENCE }))
    })
    .forgoes(&[forgone::FIELDS_LEFT_OUT]),
    of_server(
        "forces-origins",
        "sends the origin of whatever moves in every frame, as FTEQW and QuakeSpasm-Spiked do",
        |setup| {
            const FORCED: u32 = (UF_ORIGINXY | UF_ORIGINZ) as u32;
            server_with(setup, Rules::with(Latitude { forced: FORCED, ..REFERENCE }))
        },
    ),
    of_server("many-messages", "splits a frame into messages of three entries", |setup| {
        server_with(setup, Rules::with(Latitude { entries_per_message: 3, ..REFERENCE }))
    }),
    of_server("many-datagrams", "splits a tick's changes into datagrams of eight entries (NetQuake)", |setup| {
        split_in(setup, 8)
    })
    .forgoes(&[forgone::FULL_OF_REMOVES]),
    of_server("leaves-room", "leaves up to a hundred bytes of every datagram free", |setup| {
        server_with(setup, Rules::with(Latitude { reserve_bytes: 20, ..REFERENCE }))
    }),
    of_server("begins-anywhere", "begins every frame with another entity", |setup| {
        server_with(setup, Rules::with(Latitude { begins: Begins::Anywhere, ..REFERENCE }))
    }),
    of_server("skips-ticks", "sends no frame in every third tick", |setup| {
        server_with(setup, Rules::with(Latitude { skip_every: 3, ..REFERENCE }))
    }),
    of_server("datagrams-without-frames", "sends a datagram without a frame in every fourth tick", |setup| {
        server_with(setup, Rules::with(Latitude { frameless_every: 4, ..REFERENCE }))
    }),
    of_server("no-empty-frames", "sends no frame while its client has acknowledged everything", |setup| {
        server_with(setup, Rules::with(Latitude { when_done: WhenDone::Silence, ..REFERENCE }))
    }),
    of_server(
        "frames-before-baselines",
        "goes on with frames when a map has begun, before its client has asked for the baselines, as FTEQW does (NetQuake)",
        |setup| {
            let latitude = Latitude { early_frames: true, reset_fields: ResetFields::All, ..REFERENCE };
            server_with(setup, Rules::with(latitude))
        },
    )
    .forgoes(&[forgone::BASELINES_IN_RESETS]),
    of_server("stats-after", "writes statistics after the entities", |setup| {
        server_with(setup, Rules::with(Latitude { stats_place: StatsPlace::After, ..REFERENCE }))
    }),
    of_server("few-stats", "sends at most 32 statistics with a frame, as FTEQW does", |setup| {
        server_with(setup, Rules::with(Latitude { stats_per_datagram: 32, ..REFERENCE }))
    }),
    of_server("long-stats", "sends all integral statistics as longs", |setup| {
        server_with(setup, Rules::with(Latitude { stat_form: StatForm::Long, ..REFERENCE }))
    }),
    of_server("float-stats", "sends statistics as floats where those hold them", |setup| {
        server_with(setup, Rules::with(Latitude { stat_form: StatForm::Float, ..REFERENCE }))
    }),
    of_server("whole-stats", "sends floats that are whole as integers, as FTEQW does", |setup| {
        server_with(setup, Rules::with(Latitude { stat_form: StatForm::WholeAsInteger, ..REFERENCE }))
    }),
    of_server(
        "stats-with-deltas",
        "sends statistics with frames also without PREDINFO, as FTEQW does (erratum E19)",
        |setup| server_with(setup, Rules::with(Latitude { stats_with: StatsWith::Deltas, ..REFERENCE })),
    ),
    of_server("signed-skins", "writes 8-bit skins with a sign, as specified (erratum E8)", |setup| {
        server_with(setup, Rules { table: &SIGNED_SKINS, ..Rules::REFERENCE })
    }),
    of_server("withholds-predinfo", "does not echo PREDINFO, though it could", |setup| {
        server_with(setup, Rules::with(Latitude { withheld_fte2: PEXT2_PREDINFO, ..REFERENCE }))
    })
    .forgoes(&[forgone::PREDICTION, forgone::STATISTICS_IN_FRAMES]),
    of_server("withholds-deltas", "does not echo replacement deltas, though it could", |setup| {
        // Whether a server has understood what stands after a private key shows in its echo alone: where a scenario asks
        // for that, it withholds nothing.
        let withheld_fte2 = if Options::new(setup).client_private { 0 } else { PEXT2_REPLACEMENTDELTAS };
        server_with(setup, Rules::with(Latitude { withheld_fte2, ..REFERENCE }))
    })
    .forgoes(&[forgone::DELTAS]),
    of_server(
        "forces-float-coords",
        "enables float coords that were not requested, as FTEQW does (erratum E24)",
        |setup| server_with(setup, Rules::with(Latitude { unasked_fte1: PEXT_FLOATCOORDS, ..REFERENCE })),
    ),
    of_server("sends-away", "rejects clients that lack replacement deltas or PREDINFO", |setup| {
        const REQUIRED: u32 = PEXT2_REPLACEMENTDELTAS | PEXT2_PREDINFO;
        server_with(setup, Rules::with(Latitude { required_fte2: REQUIRED, ..REFERENCE }))
    })
    .takes(&HS_19)
    .forgoes(&[forgone::PLAIN_CLIENTS, forgone::PLAIN_CLIENTS_OF_QUAKEWORLD]),
    of_server("offers-more", "offers unknown keys beside its masks (QuakeWorld)", |setup| {
        sends(server_with, setup, |packet| {
            let Some(challenge) = packet.bytes.strip_prefix(b"\xff\xff\xff\xffc") else { return };
            let Some(end) = challenge.iter().position(|&byte| byte == 0) else { return };
            let at = end + 6;
            packet.replace(at..at, b"MVD1\x01\0\0\0PRIV\xff\xff\xff\xffvlen\x05\0\0\0GUID12345");
        })
    }),
    of_server("csqc-of-netquake", "numbers the entities of CSQC as service 58 on NetQuake, as FTEQW does", |setup| {
        let netquake = Options::new(setup).transport == Transport::NetQuake;
        sends(server_with, setup, move |packet| {
            for service in packet.fields("service").filter(|_| netquake) {
                if packet.raw(service).first() == Some(&SVC_CSQCENTITIES) {
                    packet.replace(service.start..service.start + 1, &[SVC_CSQCENTITIES_NETQUAKE]);
                }
            }
        })
    }),
    of_server("asks-for-protocols", "sends `cmd protocols` before `cmd pext`, as FTEQW does (NetQuake)", |setup| {
        sends(server_with, setup, |packet| {
            packet.replace_text(b"\x09cmd pext\n\0", b"\x09cmd protocols\n\0\x09cmd pext\n\0");
        })
    }),
    of_server("sends-twice", "sends what has a number of its own again, beside its next datagram", |setup| {
        Twice::around(server_with(setup, Rules::REFERENCE), Options::new(setup).transport.numbers(), Again::WithTheNext)
    }),
];

/// Takes the frames in flight for lost of which four newer ones were acknowledged: what comes late may still arrive.
fn skip_after_four(sender: &mut DeltaSender, skipped: Range<u32>) {
    const ENOUGH: u8 = 4;
    for index in 0..sender.logs.len() {
        let log = &mut sender.logs[index];
        if log.open && log.sequence < skipped.end {
            log.newer_acked += 1;
            if log.newer_acked >= ENOUGH {
                sender.lose(index);
            }
        }
    }
}

/// Folds the frames in flight that a ring by number would overwrite with the log of frame `sequence`.
fn fold_replaced(sender: &mut DeltaSender, sequence: u32) {
    for index in 0..sender.logs.len() {
        let log = &sender.logs[index];
        if log.open && sequence.saturating_sub(log.sequence) as usize >= sender.logs.len() {
            sender.lose(index);
        }
    }
    fold_oldest(sender, sequence);
}

/// Folds of a lost frame only what no newer frame carries that may still arrive, or did.
fn fold_unsuperseded(sender: &mut DeltaSender, index: usize) {
    let lost = sender.logs[index].sequence;
    for at in 0..sender.logs[index].entries.len() {
        let (entity, mut carried) = sender.logs[index].entries[at];
        let alive = |log: &&FrameLog| log.sequence > lost && (log.open || Some(log.sequence) == sender.newest_acked);
        let entries = sender.logs.iter().filter(alive).flat_map(|log| &log.entries);
        for (_, newer) in entries.filter(|(number, _)| [0, entity].contains(number)) {
            if newer.wire & RESET != 0 || newer.has(REMOVE) {
                carried = Pending::NOTHING;
            }
            carried.wire &= !newer.wire;
        }
        sender.fold_entry(entity, carried);
    }
    sender.fold_stats(index);
}

/// A server that splits what there is to send over datagrams of `entries`, unless the scenario limits the datagrams.
fn split_in(setup: &Setup, entries: usize) -> Box<dyn Endpoint> {
    let options = Options::new(setup);
    match (options.transport, options.datagrams_per_tick) {
        (Transport::NetQuake, None) => {
            let latitude = Latitude { entries_per_datagram: entries, datagrams_per_tick: 64, ..REFERENCE };
            server_with(setup, Rules::with(latitude))
        }
        _ => server_with(setup, Rules::REFERENCE),
    }
}
