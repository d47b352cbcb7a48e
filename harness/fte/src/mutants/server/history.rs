//! What a server logs of what it sent, and what it makes of the log.

use super::{of_server, ruled, server_says};
use crate::pending::{LOST, Pending, REMOVE, RESET};
use crate::requirements::*;
use crate::sender::DeltaSender;
use crate::sender::history::{self, Carried};
use crate::state::{Entity, EntityList};
use kit::{Endpoint, Mutant, Setup};
use std::collections::BTreeMap;
use std::ops::Range;

/// Logs what a frame carries as if it were `sent`.
fn log_as(sender: &mut DeltaSender, carried: &Carried, sent: Pending) {
    history::log(sender, &Carried { sent, ..*carried });
}

/// Logs removes, and of updates the flags of `WIRE` alone.
pub fn log_flags<const WIRE: u32>(sender: &mut DeltaSender, carried: &Carried) {
    log_as(sender, carried, Pending { wire: carried.sent.wire & WIRE, ..carried.sent });
}

/// Logs no removes of single entities.
pub fn log_updates(sender: &mut DeltaSender, carried: &Carried) {
    let removes = carried.entity != 0 && carried.sent.has(REMOVE);
    log_as(sender, carried, if removes { Pending::NOTHING } else { carried.sent });
}

/// Logs of what is sent again removes, and the flags of `WIRE`.
fn log_repaired_flags<const WIRE: u32>(sender: &mut DeltaSender, carried: &Carried) {
    if carried.pending.has(LOST) { log_flags::<WIRE>(sender, carried) } else { history::log(sender, carried) }
}

/// Has room for `COUNT` entries in a frame's log.
fn log_up_to<const COUNT: usize>(sender: &mut DeltaSender, carried: &Carried) {
    history::log(sender, carried);
    sender.logs[carried.log].entries.truncate(COUNT);
}

/// Logs 16 bits of entity numbers.
pub(in crate::mutants) fn log_short_numbers(sender: &mut DeltaSender, carried: &Carried) {
    history::log(sender, carried);
    if let Some((entity, _)) = sender.logs[carried.log].entries.last_mut() {
        *entity &= 0xffff;
    }
}

/// Logs a frame under the number before its own.
fn number_before(sender: &DeltaSender, sequence: u32) -> u32 {
    sequence.saturating_sub(sender.newest_sent.is_some().into())
}

/// The number under which the frame before was logged.
fn newest_logged(sender: &DeltaSender) -> Option<u32> {
    let newest = sender.logs.iter().map(|log| log.sequence).max();
    newest.filter(|_| sender.newest_sent.is_some())
}

/// Logs a frame that goes on where a full one ended under the number of that.
fn number_of_tick(sender: &DeltaSender, sequence: u32) -> u32 {
    newest_logged(sender).filter(|_| sender.resume != 0).unwrap_or(sequence)
}

/// Gives the place of a frame in flight away, and forgets the frame.
pub fn forget_oldest(sender: &mut DeltaSender, sequence: u32) {
    if let Some(oldest) = sender.occupied(sequence) {
        sender.logs[oldest].open = false;
    }
}

/// Compares, but sends what is sent again with the values of the frame before.
fn compare_behind(sender: &mut DeltaSender, visible: &EntityList) {
    let lost = sender.known.iter().filter(|(number, _)| sender.pending.get(*number).has(LOST));
    let before: Vec<(u32, Entity)> = lost.map(|(number, state)| (number, *state)).collect();
    crate::sender::compare(sender, visible);
    for (number, state) in before {
        if let Some(known) = sender.known.get_mut(number) {
            *known = state;
        }
    }
}

/// Compares, but `keeps` something pending of entities that are there and whose remove was lost.
pub(super) fn compare_and_keep(sender: &mut DeltaSender, visible: &EntityList, keeps: Pending) {
    let lost = |number: &u32| sender.pending.get(*number).has(REMOVE) && visible.get(*number).is_some();
    let back: Vec<u32> = sender.known.numbers().iter().copied().filter(lost).collect();
    crate::sender::compare(sender, visible);
    back.into_iter().for_each(|number| sender.pending.set(number, keeps));
}

/// Compares, but removes entities that are there and whose remove was lost.
pub(super) fn compare_and_remove(sender: &mut DeltaSender, visible: &EntityList) {
    compare_and_keep(sender, visible, Pending::GONE);
}

/// Folds the log of a lost frame back, as entries that `folded` makes of it.
fn fold_as(sender: &mut DeltaSender, index: usize, folded: impl Fn(&[(u32, Pending)]) -> Vec<(u32, Pending)>) {
    for (entity, carried) in folded(&sender.logs[index].entries) {
        sender.fold_entry(entity, carried);
    }
    sender.fold_stats(index);
}

/// Forgets the first entry.
fn fold_all_but_first(sender: &mut DeltaSender, index: usize) {
    fold_as(sender, index, |entries| entries.iter().skip(1).copied().collect());
}

/// Gives what an entry carried to the entity of the entry behind it.
fn fold_off_by_one(sender: &mut DeltaSender, index: usize) {
    fold_as(sender, index, |entries| entries.windows(2).map(|pair| (pair[1].0, pair[0].1)).collect());
}

/// Forgets what was pending before.
fn fold_instead(sender: &mut DeltaSender, index: usize) {
    for at in 0..sender.logs[index].entries.len() {
        sender.pending.set(sender.logs[index].entries[at].0, Pending::NOTHING);
    }
    history::fold(sender, index);
}

/// Takes whatever stands in the places of skipped numbers for lost.
fn skip_places(sender: &mut DeltaSender, skipped: Range<u32>) {
    let places = sender.logs.len();
    for index in skipped.clone().take(places).map(|number| number as usize % places) {
        if sender.logs[index].sequence != skipped.end {
            sender.lose(index);
        }
    }
}

/// A server that finds the logs of lost frames by their places alone.
fn by_place(setup: &Setup) -> Box<dyn Endpoint> {
    ruled(setup, |rules| {
        rules.skip = skip_places;
        rules.compare = compare_and_remove;
    })
}

/// The broken servers.
pub(in crate::mutants) static MUTANTS: &[Mutant] = &[
    of_server(
        "first-flag-byte-logged",
        &HIST_01,
        "fte/history-two-lost",
        "logs the first flag byte of an update only",
        |setup| ruled(setup, |rules| rules.log = log_flags::<{ RESET | 0xff }>),
    ),
    of_server(
        "first-entry-skipped",
        &HIST_01,
        "fte/history-two-lost",
        "folds all entries of a lost frame back but the first",
        |setup| ruled(setup, |rules| rules.fold = fold_all_but_first),
    )
    .same_bug_as("FTEQW ee72d0ca0"),
    of_server(
        "off-by-one",
        &HIST_01,
        "fte/history-two-lost",
        "folds the flags of each entry of a lost frame back to the entity behind it",
        |setup| ruled(setup, |rules| rules.fold = fold_off_by_one),
    )
    .same_bug_as("FTEQW ee72d0ca0"),
    of_server(
        "pending-replaced",
        &HIST_02,
        "fte/history-two-lost",
        "puts the flags of a lost frame in the place of those pending",
        |setup| ruled(setup, |rules| rules.fold = fold_instead),
    ),
    of_server(
        "newest-loss-only",
        &HIST_02,
        "fte/history-two-lost",
        "of several frames lost in a row folds back the newest",
        |setup| {
            ruled(setup, |rules| {
                rules.skip = |sender, skipped| history::skip(sender, skipped.end.saturating_sub(1)..skipped.end)
            })
        },
    ),
    of_server(
        "fields-not-logged",
        &HIST_04,
        "fte/history-two-lost",
        "logs removes and resets, but no fields",
        |setup| ruled(setup, |rules| rules.log = log_flags::<RESET>),
    ),
    of_server(
        "logged-with-frame-before",
        &HIST_04,
        "fte/history-two-lost",
        "logs what a frame carries with the frame before it",
        |setup| ruled(setup, |rules| rules.log_number = number_before),
    ),
    of_server(
        "reset-not-logged",
        &HIST_05,
        "fte/reset-lost-both",
        "logs the fields of a RESET, but not the RESET",
        |setup| ruled(setup, |rules| rules.log = log_flags::<{ !RESET }>),
    ),
    of_server("removes-not-logged", &HIST_05, "fte/history-two-lost", "logs updates, but no removes", |setup| {
        ruled(setup, |rules| rules.log = log_updates)
    }),
    of_server(
        "log-ring-of-32",
        &HIST_06,
        "fte/history-outage-s2c",
        "keeps 32 frames of history and overwrites older ones without a thought",
        |setup| {
            ruled(setup, |rules| {
                rules.latitude.log_frames = 32;
                rules.make_room = forget_oldest;
            })
        },
    ),
    of_server(
        "history-overwritten",
        &HIST_06,
        "fte/history-overwritten-frame",
        "uses a frame's place in history again without caring what became of the frame",
        |setup| ruled(setup, |rules| rules.make_room = forget_oldest),
    )
    .same_bug_as("QuakeSpasm-Spiked Q-L2"),
    of_server(
        "oldest-64-of-a-gap",
        &HIST_06,
        "fte/history-outage-s2c",
        "looks at the oldest 64 numbers of a gap, and uses places in history again without a thought",
        |setup| {
            ruled(setup, |rules| {
                rules.skip =
                    |sender, skipped| history::skip(sender, skipped.start..skipped.end.min(skipped.start + 64));
                rules.make_room = forget_oldest;
            })
        },
    )
    .same_bug_as("FTEQW F-L2"),
    of_server(
        "history-of-8",
        &HIST_07,
        "fte/history-forty-in-flight",
        "keeps 8 frames of history, and starts over when these are all in flight",
        |setup| ruled(setup, |rules| rules.latitude.log_frames = 8),
    ),
    of_server(
        "history-of-8-folded",
        &HIST_07,
        "fte/history-forty-in-flight",
        "keeps 8 frames of history, and folds back what is in flight for longer",
        |setup| {
            ruled(setup, |rules| {
                rules.latitude.log_frames = 8;
                rules.make_room = history::fold_oldest;
            })
        },
    ),
    of_server(
        "frames-counted",
        &HIST_08,
        "fte/history-gaps-in-flight",
        "logs a frame under a count of frames, not under the number of its datagram",
        |setup| {
            ruled(setup, |rules| {
                rules.log_number = |sender, first| newest_logged(sender).map_or(first, |newest| newest + 1)
            })
        },
    )
    .same_bug_as("FTEQW a339c727d"),
    of_server(
        "gaps-logged-one-early",
        &HIST_08,
        "fte/history-gaps-in-flight",
        "logs a frame under the number before that of its datagram",
        |setup| ruled(setup, |rules| rules.log_number = number_before),
    ),
    of_server(
        "tick-logged-as-one",
        &HIST_09,
        "fte/overflow-several-datagrams",
        "logs all datagrams of a tick under the number of the first",
        |setup| ruled(setup, |rules| rules.log_number = number_of_tick),
    ),
    of_server(
        "siblings-logged-one-early",
        &HIST_09,
        "fte/overflow-several-datagrams",
        "logs each datagram of a tick under the number of the one before",
        |setup| ruled(setup, |rules| rules.log_number = number_before),
    ),
    of_server("repairs-not-logged", &HIST_11, "fte/history-repair-lost", "does not log what it sends again", |setup| {
        ruled(setup, |rules| {
            rules.log = |sender, carried| {
                let again = carried.pending.has(LOST);
                log_as(sender, carried, if again { Pending::NOTHING } else { carried.sent });
            }
        })
    }),
    of_server(
        "repaired-fields-not-logged",
        &HIST_11,
        "fte/history-repair-lost",
        "logs of what it sends again removes and resets, but no fields",
        |setup| ruled(setup, |rules| rules.log = log_repaired_flags::<RESET>),
    ),
    of_server(
        "log-of-64-entries",
        &HIST_13,
        "fte/history-many-entries",
        "has room for 64 entries in a frame's log",
        |setup| ruled(setup, |rules| rules.log = log_up_to::<64>),
    )
    .same_bug_as("FTEQW 71319a885"),
    of_server(
        "log-of-100-entries",
        &HIST_13,
        "fte/history-many-entries",
        "has room for 100 entries in a frame's log",
        |setup| ruled(setup, |rules| rules.log = log_up_to::<100>),
    ),
    of_server("old-map-kept", &HIST_14, "fte/map-change", "goes on in a new map as if it were the old", |setup| {
        ruled(setup, |rules| rules.begin_map = |sender, gate| sender.gate = gate)
    }),
    of_server(
        "old-entities-known",
        &HIST_14,
        "fte/map-change",
        "removes everything in a new map, but takes entities of the old one for known",
        |setup| {
            ruled(setup, |rules| {
                rules.begin_map = |sender, gate| {
                    sender.start_over();
                    sender.gate = gate;
                };
                rules.forget = |_| {};
            })
        },
    )
    .same_bug_as("FTEQW eb3b670a4"),
    of_server(
        "stale-resends",
        &DLT_37,
        "fte/delta-loss",
        "sends lost fields again with the values of the frame before",
        |setup| ruled(setup, |rules| rules.compare = compare_behind),
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
    .same_bug_as("FTEQW a339c727d"),
    of_server(
        "place-for-number-quakeworld",
        &HIST_03,
        "fte/history-place-of-a-gap-quakeworld",
        "folds back what stands in the place of a number that had no frame, and believes it",
        by_place,
    ),
];
