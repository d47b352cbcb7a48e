//! What a server logs of what it sent, and what it makes of the log.

use crate::mutants::{ruled, server_with};
use crate::pending::{LOST, Pending, REMOVE, RESET};
use crate::rules::Rules;
use crate::sender::DeltaSender;
use crate::sender::history::{self, Carried};
use crate::state::{Entity, EntityList};
use kit::{Endpoint, Mutant, Packet, Setup};
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

/// Gives what an entry carried to the entity of the entry after it.
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
    ruled(server_with, setup, |rules| {
        rules.skip = skip_places;
        rules.compare = compare_and_remove;
    })
}

fn newest_loss_only(rules: &mut Rules) {
    rules.skip = |sender, skipped| history::skip(sender, skipped.end.saturating_sub(1)..skipped.end)
}

fn log_ring_of_32(rules: &mut Rules) {
    rules.latitude.log_frames = 32;
    rules.make_room = forget_oldest;
}

fn oldest_64_of_a_gap(rules: &mut Rules) {
    rules.skip = |sender, skipped| history::skip(sender, skipped.start..skipped.end.min(skipped.start + 64));
    rules.make_room = forget_oldest;
}

fn history_of_8_folded(rules: &mut Rules) {
    rules.latitude.log_frames = 8;
    rules.make_room = history::fold_oldest;
}

fn frames_counted(rules: &mut Rules) {
    rules.log_number = |sender, first| newest_logged(sender).map_or(first, |newest| newest + 1)
}

fn repairs_not_logged(rules: &mut Rules) {
    rules.log = |sender, carried| {
        let again = carried.pending.has(LOST);
        log_as(sender, carried, if again { Pending::NOTHING } else { carried.sent });
    }
}

fn old_entities_known(rules: &mut Rules) {
    rules.begin_map = |sender, gate| {
        sender.start_over();
        sender.gate = gate;
    };
    rules.forget = |_| {};
}

fn one_change_late() -> impl FnMut(&mut Packet<'_>) {
    let mut last = BTreeMap::new();
    move |packet| {
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
    }
}

/// The broken servers.
pub(in crate::mutants) static MUTANTS: &[Mutant] = mutants! {
    server "first-flag-byte-logged" HIST_01 "fte/history-two-lost":
        rules |rules| rules.log = log_flags::<{ RESET | 0xff }>, "logs the first flag byte of an update only";
    server "first-entry-skipped" HIST_01 "fte/history-two-lost":
        rules |rules| rules.fold = fold_all_but_first,
        "does not fold back the first entry of a lost frame", "FTEQW ee72d0ca0";
    server "off-by-one" HIST_01 "fte/history-two-lost":
        rules |rules| rules.fold = fold_off_by_one,
        "folds back the flags of each entry of a lost frame to the next entry's entity", "FTEQW ee72d0ca0";
    server "pending-replaced" HIST_02 "fte/history-two-lost":
        rules |rules| rules.fold = fold_instead,
        "replaces the pending flags by those of a lost frame, instead of merging them";
    server "newest-loss-only" HIST_02 "fte/history-two-lost":
        rules newest_loss_only, "folds back only the newest of several lost frames";
    server "fields-not-logged" HIST_04 "fte/history-two-lost":
        rules |rules| rules.log = log_flags::<RESET>, "logs removes and resets, but no fields";
    server "logged-with-frame-before" HIST_04 "fte/history-two-lost":
        rules |rules| rules.log_number = number_before, "logs the contents of a frame under the number before it";
    server "reset-not-logged" HIST_05 "fte/reset-lost-both":
        rules |rules| rules.log = log_flags::<{ !RESET }>, "logs the fields of a RESET, but not the RESET";
    server "removes-not-logged" HIST_05 "fte/history-two-lost":
        rules |rules| rules.log = log_updates, "logs updates, but no removes";
    server "log-ring-of-32" HIST_06 "fte/history-outage-s2c":
        rules log_ring_of_32, "keeps 32 frames of history, and overwrites the oldest without folding it back";
    server "history-overwritten" HIST_06 "fte/history-overwritten-frame":
        rules |rules| rules.make_room = forget_oldest,
        "overwrites the oldest log without folding it back", "QuakeSpasm-Spiked Q-L2";
    server "oldest-64-of-a-gap" HIST_06 "fte/history-outage-s2c":
        rules oldest_64_of_a_gap,
        "folds back only the oldest 64 numbers of a gap, and overwrites logs without folding them back", "FTEQW F-L2";
    server "history-of-8" HIST_07 "fte/history-forty-in-flight":
        rules |rules| rules.latitude.log_frames = 8,
        "keeps 8 frames of history, and starts over when all are in flight";
    server "history-of-8-folded" HIST_07 "fte/history-forty-in-flight":
        rules history_of_8_folded, "keeps 8 frames of history, and folds back older ones while they are in flight";
    server "frames-counted" HIST_08 "fte/history-gaps-in-flight":
        rules frames_counted, "logs a frame under a count of frames instead of its sequence number", "FTEQW a339c727d";
    server "gaps-logged-one-early" HIST_08 "fte/history-gaps-in-flight":
        rules |rules| rules.log_number = number_before, "logs a frame under its sequence number minus one";
    server "tick-logged-as-one" HIST_09 "fte/overflow-several-datagrams":
        rules |rules| rules.log_number = number_of_tick, "logs all datagrams of a tick under the number of the first";
    server "siblings-logged-one-early" HIST_09 "fte/overflow-several-datagrams":
        rules |rules| rules.log_number = number_before, "logs each datagram of a tick under the number before it";
    server "repairs-not-logged" HIST_11 "fte/history-repair-lost":
        rules repairs_not_logged, "does not log retransmissions";
    server "repaired-fields-not-logged" HIST_11 "fte/history-repair-lost":
        rules |rules| rules.log = log_repaired_flags::<RESET>,
        "logs the removes and resets of retransmissions, but no fields";
    server "log-of-64-entries" HIST_13 "fte/history-many-entries":
        rules |rules| rules.log = log_up_to::<64>, "logs at most 64 entries per frame", "FTEQW 71319a885";
    server "log-of-100-entries" HIST_13 "fte/history-many-entries":
        rules |rules| rules.log = log_up_to::<100>, "logs at most 100 entries per frame";
    server "old-map-kept" HIST_14 "fte/map-change":
        rules |rules| rules.begin_map = |sender, gate| sender.gate = gate, "keeps its delta state across a map change";
    server "old-entities-known" HIST_14 "fte/map-change":
        rules old_entities_known,
        "sends a remove-all in a new map, but treats entities of the old one as known", "FTEQW eb3b670a4";
    server "stale-resends" DLT_37 "fte/delta-loss":
        rules |rules| rules.compare = compare_behind, "retransmits lost fields with the values of the previous frame";
    server "one-change-late" DLT_37 "fte/delta-clean":
        sends one_change_late(), "sends the previous value of the field `frame`";
    server "place-for-number" HIST_03 "fte/history-place-of-a-gap":
        by by_place, "folds back the log in the slot of a number that had no frame", "FTEQW a339c727d";
    server "place-for-number-quakeworld" HIST_03 "fte/history-place-of-a-gap-quakeworld":
        by by_place, "folds back the log in the slot of a number that had no frame";
};
