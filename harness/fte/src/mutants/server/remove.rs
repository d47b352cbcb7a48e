//! Removed entities.

use super::edits::{Entry, Said, clear_reset, entries};
use super::history::{compare_and_keep, compare_and_remove, log_updates};
use crate::pending::{Pending, REMOVE, RESET};
use crate::rules::Rules;
use crate::sender::history;
use kit::{Mutant, Packet};
use std::collections::{BTreeMap, BTreeSet};

/// A remove-all, as written.
const REMOVE_ALL: [u8; 2] = [0, 0x80];

fn never_removes(packet: &mut Packet<'_>) {
    for entry in entries(packet).iter().filter(|entry| entry.said() == Said::Remove) {
        packet.cut(&entry.whole);
    }
}

fn removes_beside_updates(packet: &mut Packet<'_>) {
    let entries = entries(packet);
    if !entries.iter().any(|entry| matches!(entry.said(), Said::Update | Said::Reset)) {
        for entry in entries.iter().filter(|entry| entry.said() == Said::Remove) {
            packet.cut(&entry.whole);
        }
    }
}

fn removes_once() -> impl FnMut(&mut Packet<'_>) {
    let mut removed = BTreeSet::new();
    move |packet| {
        for entry in entries(packet) {
            match entry.said() {
                Said::Remove if !removed.insert(entry.number) => packet.cut(&entry.whole),
                Said::Reset => {
                    removed.remove(&entry.number);
                }
                _ => {}
            }
        }
    }
}

fn removed_and_reset(rules: &mut Rules) {
    rules.compare = |sender, visible| compare_and_keep(sender, visible, Pending::GONE.and(Pending::NEW));
    rules.log = |sender, carried| {
        let reset = Pending::flags(carried.pending.wire & RESET);
        let left = if carried.sent.has(REMOVE) { reset } else { carried.left };
        history::log(sender, &history::Carried { left, ..*carried });
    };
}

fn last_words() -> impl FnMut(&mut Packet<'_>) {
    let (mut last, mut due) = (BTreeMap::new(), Vec::new());
    move |packet| {
        let entries = entries(packet);
        let Some(end) = entries.iter().find(|entry| entry.said() == Said::End) else { return };
        for update in due.drain(..) {
            let update: Vec<u8> = update;
            packet.replace(end.whole.start..end.whole.start, &update);
        }
        for entry in entries {
            match entry.said() {
                Said::Update | Said::Reset => {
                    last.insert(entry.number, packet.raw(&entry.whole).to_vec());
                }
                Said::Remove => due.extend(last.remove(&entry.number)),
                Said::RemoveAll | Said::End => {}
            }
        }
    }
}

fn remove_repeated_as_update() -> impl FnMut(&mut Packet<'_>) {
    let mut removed = BTreeSet::new();
    move |packet| {
        for entry in entries(packet).iter().filter(|entry| entry.said() == Said::Remove) {
            if !removed.insert(entry.number) {
                packet.replace(entry.whole.start..entry.whole.end, &[entry.number as u8, 0, 0]);
            }
        }
    }
}

fn deltas_behind_remove_all() -> impl FnMut(&mut Packet<'_>) {
    let mut first = true;
    move |packet| {
        let entries = entries(packet);
        if entries.iter().any(|entry| entry.said() == Said::RemoveAll) && !std::mem::take(&mut first) {
            entries.iter().for_each(|entry| clear_reset(packet, entry));
        }
    }
}

fn remove_all_not_logged(rules: &mut Rules) {
    rules.log = |sender, carried| {
        if carried.entity != 0 {
            history::log(sender, carried);
        }
    }
}

fn remove_all_not_repeated() -> impl FnMut(&mut Packet<'_>) {
    let mut count = 0;
    move |packet| {
        for entry in entries(packet).iter().filter(|entry| entry.said() == Said::RemoveAll) {
            count += 1;
            if count > 2 {
                packet.cut(&entry.whole);
            }
        }
    }
}

fn remove_all_behind_first(packet: &mut Packet<'_>) {
    if let [all, first, end, ..] = &entries(packet)[..]
        && all.said() == Said::RemoveAll
        && end.said() != Said::End
    {
        packet.cut(&all.whole);
        packet.replace(first.whole.end..first.whole.end, &REMOVE_ALL);
    }
}

fn remove_all_last(packet: &mut Packet<'_>) {
    let entries = entries(packet);
    let find = |said: Said| entries.iter().find(|entry| entry.said() == said);
    if let (Some(all), Some(end)) = (find(Said::RemoveAll), find(Said::End)) {
        packet.cut(&all.whole);
        packet.replace(end.whole.start..end.whole.start, &REMOVE_ALL);
    }
}

fn removed_and_updated(packet: &mut Packet<'_>) {
    for entry in entries(packet).iter().filter(|entry| entry.said() == Said::Remove) {
        packet.replace(entry.whole.end..entry.whole.end, &update(entry));
    }
}

fn updated_and_removed(packet: &mut Packet<'_>) {
    for entry in entries(packet).iter().filter(|entry| entry.said() == Said::Remove) {
        packet.replace(entry.whole.start..entry.whole.start, &update(entry));
    }
}

fn begins_with_entities() -> impl FnMut(&mut Packet<'_>) {
    let mut first = true;
    move |packet| {
        let all = entries(packet).into_iter().find(|entry| entry.said() == Said::RemoveAll);
        if let Some(all) = all
            && std::mem::take(&mut first)
        {
            packet.cut(&all.whole);
        }
    }
}

/// The broken servers.
pub(in crate::mutants) static MUTANTS: &[Mutant] = mutants! {
    server "never-removes" RMV_01 "fte/remove-clean": sends never_removes, "sends no remove for an entity that is gone";
    server "removes-beside-updates" RMV_01 "fte/remove-clean":
        sends removes_beside_updates, "sends removes only in frames that have updates";
    server "remove-not-logged" RMV_05 "fte/remove-lost":
        rules |rules| rules.log = log_updates, "does not log removes, so that a lost one is never repeated";
    server "removes-once" RMV_05 "fte/remove-lost": sends removes_once(), "never repeats a remove";
    server "lost-remove-of-the-living" RMV_06 "fte/remove-lost-respawn":
        rules |rules| rules.compare = compare_and_remove,
        "repeats a lost remove after the entity has returned", "FTEQW a339c727d";
    server "removed-and-reset" RMV_06 "fte/remove-lost-respawn":
        rules removed_and_reset,
        "repeats a lost remove after the entity has returned, and sends the entity as new in the next frame";
    server "last-words" RMV_07 "fte/remove-update-lost":
        sends last_words(), "repeats an entity's last update after its remove";
    server "remove-repeated-as-update" RMV_07 "fte/remove-lost":
        sends remove_repeated_as_update(), "repeats a lost remove as an update without fields";
    server "forgets-nothing" RMV_09 "fte/reset-request-in-flight":
        rules |rules| rules.forget = |_| {}, "sends a remove-all, but still treats all entities as known";
    server "deltas-after-remove-all" RMV_09 "fte/reset-request-in-flight":
        sends deltas_behind_remove_all(), "sends updates without RESET after a remove-all";
    server "remove-all-not-logged" RMV_10 "fte/reset-request-in-flight":
        rules remove_all_not_logged, "does not log a remove-all";
    server "remove-all-not-repeated" RMV_10 "fte/reset-request-in-flight":
        sends remove_all_not_repeated(), "after a lost remove-all sends the entities again, but not the remove-all";
    server "remove-all-after-first" RMV_11 "fte/reset-request-in-flight":
        sends remove_all_behind_first, "writes the remove-all after the first entry";
    server "remove-all-last" RMV_11 "fte/reset-request-in-flight":
        sends remove_all_last, "writes the remove-all at the end of the list";
    server "removed-and-updated" RMV_12 "fte/remove-clean":
        sends removed_and_updated, "sends an update of an entity after its remove";
    server "updated-and-removed" RMV_12 "fte/remove-clean":
        sends updated_and_removed, "sends an update of an entity before its remove";
    server "begins-with-entities" RMV_13 "fte/delta-clean": sends begins_with_entities(), "starts without a remove-all";
};

/// An update of the entity's frame.
fn update(entry: &Entry) -> [u8; 4] {
    [entry.number as u8, 0, 1, 7]
}
