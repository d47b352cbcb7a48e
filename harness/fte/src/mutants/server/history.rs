//! What a server logs of what it sent, and what it makes of the log.

use super::{of_server, ruled, server_says};
use crate::constants::*;
use crate::requirements::*;
use crate::rules::{Folding, LogLookup, LogNumber, Logged, NewMap, Overflow, Resend, Returned, Skipped, StartOver};
use crate::sender;
use kit::{Endpoint, Mutant, Setup};
use std::collections::BTreeMap;

const RESET: u32 = UF_RESET as u32;
/// What is not a field.
const EXISTENCE: u32 = RESET | sender::REMOVE | sender::REMOVE_ALL;

/// A server that finds the logs of lost frames by their places alone.
fn by_place(setup: &Setup) -> Box<dyn Endpoint> {
    ruled(setup, |rules| {
        rules.log_lookup = LogLookup::Place;
        rules.returned = Returned::Remove;
    })
}

/// The broken servers.
pub(in crate::mutants) static MUTANTS: &[Mutant] = &[
    of_server(
        "first-flag-byte-logged",
        &HIST_01,
        "fte/history-two-lost",
        "logs the first flag byte of an update only",
        |setup| ruled(setup, |rules| rules.logged = Logged::only(EXISTENCE | 0xff)),
    ),
    of_server(
        "first-entry-skipped",
        &HIST_01,
        "fte/history-two-lost",
        "folds all entries of a lost frame back but the first",
        |setup| ruled(setup, |rules| rules.folding = Folding::AllButFirst),
    )
    .recalls("FTEQW ee72d0ca0"),
    of_server(
        "off-by-one",
        &HIST_01,
        "fte/history-two-lost",
        "folds the flags of each entry of a lost frame back to the entity behind it",
        |setup| ruled(setup, |rules| rules.folding = Folding::OffByOne),
    )
    .recalls("FTEQW ee72d0ca0"),
    of_server(
        "pending-replaced",
        &HIST_02,
        "fte/history-two-lost",
        "puts the flags of a lost frame in the place of those pending",
        |setup| ruled(setup, |rules| rules.folding = Folding::Replace),
    ),
    of_server(
        "newest-loss-only",
        &HIST_02,
        "fte/history-two-lost",
        "of several frames lost in a row folds back the newest",
        |setup| ruled(setup, |rules| rules.skipped = Skipped::Newest(1)),
    ),
    of_server(
        "fields-not-logged",
        &HIST_04,
        "fte/history-two-lost",
        "logs removes and resets, but no fields",
        |setup| ruled(setup, |rules| rules.logged = Logged::only(EXISTENCE)),
    ),
    of_server(
        "logged-with-frame-before",
        &HIST_04,
        "fte/history-two-lost",
        "logs what a frame carries with the frame before it",
        |setup| ruled(setup, |rules| rules.log_number = LogNumber::Before),
    ),
    of_server(
        "reset-not-logged",
        &HIST_05,
        "fte/reset-lost-both",
        "logs the fields of a RESET, but not the RESET",
        |setup| ruled(setup, |rules| rules.logged = Logged::only(!RESET)),
    ),
    of_server("removes-not-logged", &HIST_05, "fte/history-two-lost", "logs updates, but no removes", |setup| {
        ruled(setup, |rules| rules.logged = Logged::only(!sender::REMOVE))
    }),
    of_server(
        "log-ring-of-32",
        &HIST_06,
        "fte/history-outage-s2c",
        "keeps 32 frames of history and overwrites older ones without a thought",
        |setup| {
            ruled(setup, |rules| {
                rules.log_frames = 32;
                rules.overflow = Overflow::Forget;
            })
        },
    ),
    of_server(
        "history-overwritten",
        &HIST_06,
        "fte/history-overwritten-frame",
        "uses a frame's place in history again without caring what became of the frame",
        |setup| ruled(setup, |rules| rules.overflow = Overflow::Forget),
    )
    .recalls("QuakeSpasm-Spiked Q-L2"),
    of_server(
        "oldest-64-of-a-gap",
        &HIST_06,
        "fte/history-outage-s2c",
        "looks at the oldest 64 numbers of a gap, and uses places in history again without a thought",
        |setup| {
            ruled(setup, |rules| {
                rules.skipped = Skipped::Oldest(64);
                rules.overflow = Overflow::Forget;
            })
        },
    )
    .recalls("FTEQW F-L2"),
    of_server(
        "history-of-8",
        &HIST_07,
        "fte/history-forty-in-flight",
        "keeps 8 frames of history, and starts over when these are all in flight",
        |setup| ruled(setup, |rules| rules.log_frames = 8),
    ),
    of_server(
        "history-of-8-folded",
        &HIST_07,
        "fte/history-forty-in-flight",
        "keeps 8 frames of history, and folds back what is in flight for longer",
        |setup| {
            ruled(setup, |rules| {
                rules.log_frames = 8;
                rules.overflow = Overflow::Fold;
            })
        },
    ),
    of_server(
        "frames-counted",
        &HIST_08,
        "fte/history-gaps-in-flight",
        "logs a frame under a count of frames, not under the number of its datagram",
        |setup| ruled(setup, |rules| rules.log_number = LogNumber::Count),
    )
    .recalls("FTEQW a339c727d"),
    of_server(
        "gaps-logged-one-early",
        &HIST_08,
        "fte/history-gaps-in-flight",
        "logs a frame under the number before that of its datagram",
        |setup| ruled(setup, |rules| rules.log_number = LogNumber::Before),
    ),
    of_server(
        "tick-logged-as-one",
        &HIST_09,
        "fte/overflow-several-datagrams",
        "logs all datagrams of a tick under the number of the first",
        |setup| ruled(setup, |rules| rules.log_number = LogNumber::FirstOfTick),
    ),
    of_server(
        "siblings-logged-one-early",
        &HIST_09,
        "fte/overflow-several-datagrams",
        "logs each datagram of a tick under the number of the one before",
        |setup| ruled(setup, |rules| rules.log_number = LogNumber::Before),
    ),
    of_server("repairs-not-logged", &HIST_11, "fte/history-repair-lost", "does not log what it sends again", |setup| {
        let logged = Logged { repair: 0, ..Logged::only(u32::MAX) };
        ruled(setup, |rules| rules.logged = logged)
    }),
    of_server(
        "repaired-fields-not-logged",
        &HIST_11,
        "fte/history-repair-lost",
        "logs of what it sends again removes and resets, but no fields",
        |setup| {
            let logged = Logged { repair: EXISTENCE, ..Logged::only(u32::MAX) };
            ruled(setup, |rules| rules.logged = logged)
        },
    ),
    of_server(
        "log-of-64-entries",
        &HIST_13,
        "fte/history-many-entries",
        "has room for 64 entries in a frame's log",
        |setup| ruled(setup, |rules| rules.log_entries = 64),
    )
    .recalls("FTEQW 71319a885"),
    of_server(
        "log-of-100-entries",
        &HIST_13,
        "fte/history-many-entries",
        "has room for 100 entries in a frame's log",
        |setup| ruled(setup, |rules| rules.log_entries = 100),
    ),
    of_server("old-map-kept", &HIST_14, "fte/map-change", "goes on in a new map as if it were the old", |setup| {
        ruled(setup, |rules| rules.new_map = NewMap::Keep)
    }),
    of_server(
        "old-entities-known",
        &HIST_14,
        "fte/map-change",
        "removes everything in a new map, but takes entities of the old one for known",
        |setup| {
            ruled(setup, |rules| {
                rules.new_map = NewMap::StartOver;
                rules.start_over = StartOver::Nothing;
            })
        },
    )
    .recalls("FTEQW eb3b670a4"),
    of_server(
        "stale-resends",
        &DLT_37,
        "fte/delta-loss",
        "sends lost fields again with the values of the frame before",
        |setup| ruled(setup, |rules| rules.resend = Resend::Previous),
    ),
    of_server("one-change-late", &DLT_37, "fte/delta-clean", "sends of each frame number the one before", |setup| {
        let mut last = BTreeMap::new();
        server_says(setup, move |packet| {
            for entry in super::edits::entries(packet) {
                if let Some(frame) = packet.inside(&entry.whole).find(|span| span.field == "frame") {
                    let width = frame.end - frame.start;
                    let value = packet.value(frame);
                    if let Some((old, old_width)) = last.insert(entry.number, (value, width))
                        && old_width == width
                    {
                        packet.set(frame, old);
                    }
                }
            }
        })
    }),
    of_server(
        "place-for-number",
        &HIST_03,
        "fte/history-place-of-a-gap",
        "folds back what stands in the place of a number that had no frame, and believes it",
        by_place,
    )
    .recalls("FTEQW a339c727d"),
    of_server(
        "place-for-number-quakeworld",
        &HIST_03,
        "fte/history-place-of-a-gap-quakeworld",
        "folds back what stands in the place of a number that had no frame, and believes it",
        by_place,
    ),
];
