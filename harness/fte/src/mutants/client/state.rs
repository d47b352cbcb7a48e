//! What clients wrongly keep, forget and build upon.

use super::super::entry::{Said, clear_reset, entries};
use super::super::services::{baselines_as, baselines_over_former, with_classic};
use super::{mentions, removes_of_all};
use crate::client::Client;
use crate::constants::*;
use crate::game::Game;
use crate::mutants::{client_with, is_unreliable, reachable, receives, unreliable_sequence};
use crate::rules::Rules;
use crate::state::*;
use kit::{Endpoint, Mutant, Packet, Setup, Span};
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::rc::Rc;

const REMOVE_ALL: [u8; 2] = INDEX_REMOVE.to_le_bytes();

/// A client to which every message is a whole snapshot, and what it leaves out is gone.
fn parts_are_wholes(setup: &Setup) -> Box<dyn Endpoint> {
    let mut last = Vec::new();
    receives(client_with, setup, move |packet| {
        for time in packet.fields("servertime").collect::<Vec<&Span>>() {
            if packet.raw(time) == last {
                packet.replace(time.end..time.end, &REMOVE_ALL);
            }
            last = packet.raw(time).to_vec();
        }
    })
}

/// A client in whose game every datagram is prepared before it reads it.
fn prepared(setup: &Setup, mut prepare: impl FnMut(&mut Packet<'_>, &mut Game) + 'static) -> Box<dyn Endpoint> {
    let receives = move |packet: &mut Packet<'_>, client: &mut Client| prepare(packet, &mut client.game);
    reachable(setup, Client::new(setup, Rules::REFERENCE), |_, _| {}, receives)
}

/// A client that goes on from the state of entities that were removed, if it `keeps_removed`; and from what `reset`
/// makes of a state and the baseline where it holds a state at a RESET.
fn remembers(setup: &Setup, keeps_removed: bool, reset: Option<fn(&Entity, &Entity) -> Entity>) -> Box<dyn Endpoint> {
    let mut removed = EntityList::default();
    prepared(setup, move |packet, game| {
        for entry in entries(packet) {
            let held = game.entities.get(entry.number).copied();
            let former = held.or(removed.get(entry.number).copied());
            match (entry.said(), former) {
                (Said::Remove, Some(state)) if keeps_removed => *removed.entry(entry.number, &state) = state,
                (Said::Update, Some(state)) => {
                    game.entities.entry(entry.number, &state);
                }
                (Said::Reset, Some(state)) => {
                    if let Some(reset) = reset {
                        let baseline = game.baselines.get(entry.number).unwrap_or(&Entity::NULL);
                        *game.entities.entry(entry.number, &state) = reset(&state, baseline);
                        clear_reset(packet, &entry);
                    }
                }
                _ => {}
            }
        }
    })
}

/// A client that takes a frame that comes before the first of a new map for one of the map before.
fn keeps_the_map_before(setup: &Setup) -> Box<dyn Endpoint> {
    let mut last = None;
    prepared(setup, move |packet, game| {
        let has_frame = packet.fields("servertime").next().is_some();
        if game.valid {
            last = Some(game.entities.clone());
        } else if let Some(last) = last.take().filter(|_| has_frame) {
            (game.entities, game.valid) = (last, true);
        }
    })
}

/// A client that starts an entity which comes without RESET from the one updated last.
fn starts_from_leftovers(setup: &Setup) -> Box<dyn Endpoint> {
    let mut newest = 0;
    prepared(setup, move |packet, game| {
        let left = game.entities.get(newest).copied().unwrap_or(Entity::NULL);
        for entry in entries(packet).into_iter().filter(|entry| entry.is_update()) {
            if entry.said() == Said::Update {
                game.entities.entry(entry.number, &left);
            }
            newest = entry.number;
        }
    })
}

/// A client that keeps two states, by the parity of frames, and builds a frame on the one numbered one less.
fn builds_by_number(setup: &Setup) -> Box<dyn Endpoint> {
    let (mut bases, mut last) = ([EntityList::default(), EntityList::default()], 0);
    prepared(setup, move |packet, game| {
        let framed = packet.fields("servertime").next().is_some();
        if let Some(sequence) = unreliable_sequence(packet).filter(|_| framed) {
            bases[last as usize % 2].copy_from(&game.entities);
            game.entities.copy_from(&bases[sequence.wrapping_sub(1) as usize % 2]);
            last = sequence;
        }
    })
}

/// A client that builds every frame on the state in which it last sent a packet.
fn builds_on_acknowledged(setup: &Setup) -> Box<dyn Endpoint> {
    let base = Rc::new(RefCell::new(EntityList::default()));
    let acknowledged = Rc::clone(&base);
    let sends = move |packet: &mut Packet<'_>, client: &mut Client| {
        if is_unreliable(packet) {
            acknowledged.borrow_mut().copy_from(&client.game.entities);
        }
    };
    let receives = move |packet: &mut Packet<'_>, client: &mut Client| {
        if packet.fields("servertime").next().is_some() {
            client.game.entities.copy_from(&base.borrow());
        }
    };
    reachable(setup, Client::new(setup, Rules::REFERENCE), sends, receives)
}

fn unknown_dropped_for_good() -> impl FnMut(&mut Packet<'_>) {
    let (mut known, mut refused) = (Numbers::default(), Numbers::default());
    move |packet| {
        for entry in mentions(packet) {
            let reset = entry.second_flags().is_some_and(|flags| packet.value(flags) << 8 & UF_RESET != 0);
            if entry.remove {
                known.take(entry.number);
            } else if refused.has(entry.number) || (!reset && !known.has(entry.number)) {
                refused.put(entry.number);
                packet.cut(&entry.whole);
            } else {
                known.put(entry.number);
            }
        }
    }
}

/// Drops what the first frame brings that has entities, or the first of the map after that.
fn drops_the_first_frame(of_next_map: bool) -> impl FnMut(&mut Packet<'_>) {
    let mut waits = !of_next_map;
    move |packet| {
        let complete = removes_of_all(packet).next().is_some();
        waits |= of_next_map && complete;
        let mut dropped = false;
        for entry in mentions(packet).filter(|entry| waits && !entry.remove) {
            packet.cut(&entry.whole);
            dropped = true;
        }
        waits &= !dropped;
    }
}

fn forgets_the_unmentioned(packet: &mut Packet<'_>) {
    for time in packet.fields("servertime").collect::<Vec<&Span>>() {
        packet.replace(time.end..time.end, &REMOVE_ALL);
    }
}

fn forgets_the_long_unmentioned() -> impl FnMut(&mut Packet<'_>) {
    let (mut frames, mut mentioned) = (0u32, BTreeMap::new());
    move |packet| {
        let Some(time) = packet.fields("servertime").next() else { return };
        frames += 1;
        for entry in mentions(packet) {
            mentioned.insert(entry.number, frames);
        }
        for (number, _) in mentioned.iter().filter(|(_, last)| **last + 20 == frames) {
            packet.replace(time.end..time.end, &(*number as u16 | INDEX_REMOVE).to_le_bytes());
        }
    }
}

fn removes_nothing(packet: &mut Packet<'_>) {
    for entry in mentions(packet).filter(|entry| entry.remove) {
        packet.cut(&entry.whole);
    }
}

fn removes_the_next() -> impl FnMut(&mut Packet<'_>) {
    let mut known = Numbers::default();
    move |packet| {
        for entry in entries(packet) {
            match entry.remove {
                false => known.put(entry.number),
                true if known.take(entry.number) => {}
                true => {
                    let next = known.from(entry.number).unwrap_or(entry.number);
                    packet.replace(entry.index.start..entry.index_end(), &(next as u16 | INDEX_REMOVE).to_le_bytes());
                }
            }
        }
    }
}

fn remove_makes_known() -> impl FnMut(&mut Packet<'_>) {
    let mut known = Numbers::default();
    move |packet| {
        for entry in mentions(packet) {
            match entry.remove {
                false => known.put(entry.number),
                true if known.take(entry.number) => {}
                true => {
                    let [low, high] = (entry.number as u16).to_le_bytes();
                    packet.replace(entry.index.start..entry.index_end(), &[low, high, 0]);
                }
            }
        }
    }
}

fn remove_all_keeps_entities(setup: &Setup) -> Box<dyn Endpoint> {
    prepared(setup, |packet, game| {
        for entry in removes_of_all(packet).filter(|_| game.valid) {
            game.entities.iter_mut().for_each(|(_, state)| state[MODEL] = 0);
            packet.cut(&entry.whole);
        }
    })
}

fn remove_all_once() -> impl FnMut(&mut Packet<'_>) {
    let mut valid = false;
    move |packet| {
        for entry in removes_of_all(packet) {
            if std::mem::replace(&mut valid, true) {
                packet.cut(&entry.whole);
            }
        }
    }
}

fn second_part_ignored() -> impl FnMut(&mut Packet<'_>) {
    let mut last = Vec::new();
    move |packet| {
        let same = packet.fields("servertime").next().is_some_and(|time| packet.raw(time) == last);
        for entry in mentions(packet).filter(|_| same) {
            packet.cut(&entry.whole);
        }
        if let Some(time) = packet.fields("servertime").next() {
            last = packet.raw(time).to_vec();
        }
    }
}

fn refuses_after_a_gap() -> impl FnMut(&mut Packet<'_>) {
    let mut last = None;
    move |packet| {
        let Some(sequence) = unreliable_sequence(packet) else { return };
        let follows = last.replace(sequence).is_none_or(|last| sequence == last + 1);
        let complete = removes_of_all(packet).next().is_some();
        for entry in mentions(packet).filter(|_| !follows && !complete) {
            packet.cut(&entry.whole);
        }
    }
}

/// The clients that are broken so.
pub(super) const MUTANTS: &[Mutant] = mutants! {
    client "keeps-the-map-before" DLT_38 "fte/map-change-late-frames":
        by keeps_the_map_before, "goes on from the entities of the map before until the first remove-all of the next";
    client "reset-ignored" RST_01 "fte/remove-lost-respawn":
        receives |packet| entries(packet).iter().for_each(|entry| clear_reset(packet, entry)), "ignores the RESET flag";
    client "reset-of-classic-fields" RST_01 "fte/remove-lost-respawn":
        by |setup| remembers(setup, false, Some(with_classic)),
        "resets only the fields of NetQuake's baselines, so that alpha survives";
    client "first-frame-unread" SVC_15 "fte/delta-clean":
        receives drops_the_first_frame(false), "takes the first frame for a sign of life, and reads nothing of it";
    client "complete-frames-unread" SVC_15 "fte/map-change-late-frames":
        receives drops_the_first_frame(true), "takes a remove-all for all that its frame has to say";
    client "unknown-from-leftovers" RST_06 "fte/reset-unknown-delta":
        by starts_from_leftovers, "starts an unknown entity from the state of the entity read last";
    client "unknown-dropped-for-good" RST_06 "fte/reset-unknown-delta":
        receives unknown_dropped_for_good(), "ignores an entity for good once it came without RESET";
    client "returns-with-old-fields" RST_10 "fte/reset-forgets":
        by |setup| remembers(setup, true, Some(|former, _| *former)),
        "keeps the state of a removed entity, and ignores RESET when it returns";
    client "returns-with-old-alpha" RST_10 "fte/reset-forgets":
        by |setup| remembers(setup, true, Some(with_classic)),
        "keeps the state of a removed entity, and resets only the fields of NetQuake's baselines";
    client "forgets-the-unmentioned" RMV_02 "fte/remove-clean":
        receives forgets_the_unmentioned, "treats every frame as a complete list, as with fast updates";
    client "forgets-the-long-unmentioned" RMV_02 "fte/remove-clean":
        receives forgets_the_long_unmentioned(), "drops an entity that twenty frames did not mention";
    client "removes-nothing" RMV_03 "fte/remove-clean": receives removes_nothing, "ignores removes";
    client "removed-but-known" RMV_03 "fte/reset-unknown-delta":
        by |setup| remembers(setup, true, None),
        "keeps the state of a removed entity, and applies a plain update to it";
    client "removes-the-next" RMV_04 "fte/remove-repeated":
        receives removes_the_next(), "removes the next entity if the one to remove is unknown";
    client "remove-makes-known" RMV_04 "fte/remove-repeated":
        receives remove_makes_known(), "creates an unknown entity when it is removed";
    client "remove-all-keeps-entities" RMV_08 "fte/reset-request-fewer":
        by remove_all_keeps_entities,
        "clears all models at a remove-all, but keeps the entities known",
        "vkQuake before a65d9fe7, QuakeSpasm-Spiked c48936385a44";
    client "remove-all-once" RMV_08 "fte/reset-request-fewer":
        receives remove_all_once(), "applies only the first remove-all";
    client "second-part-is-everything" OVF_08 "fte/overflow-several-datagrams":
        by parts_are_wholes, "treats the second message of a snapshot as a complete snapshot";
    client "second-part-is-everything-quakeworld" OVF_08 "fte/overflow-crowd":
        by parts_are_wholes,
        "treats the second message of a snapshot as a complete snapshot, also in the same datagram";
    client "second-part-ignored" OVF_08 "fte/overflow-several-datagrams":
        receives second_part_ignored(), "ignores the second message of a snapshot as a duplicate";
    client "refuses-after-a-gap" DLT_38 "fte/delta-loss":
        receives refuses_after_a_gap(), "ignores the entries of a frame after a gap";
    client "builds-on-a-numbered-frame" DLT_38 "fte/delta-loss":
        by builds_by_number, "keeps two states, and applies a frame to that of the number before it";
    client "builds-on-the-acknowledged" SVC_12 "fte/delta-between-packets":
        by builds_on_acknowledged, "applies an update to the last acknowledged state, as in old delta compression";
    client "baselines-of-the-map-before" SVC_07 "fte/map-baselines":
        by baselines_over_former, "applies a baseline on top of that of the previous map";
    client "classic-baselines" SVC_08 "fte/map-baselines":
        by |setup| baselines_as(setup, |state| with_classic(&Entity::NULL, state)),
        "keeps only the fields of NetQuake's own baselines";
    client "reset-to-nothing" SVC_08 "fte/map-baselines":
        by |setup| baselines_as(setup, |_| Entity::NULL), "starts from the null state at a RESET";
};

/// A set of entities, as a tampering client remembers them.
#[derive(Default)]
struct Numbers(std::collections::BTreeSet<u32>);

impl Numbers {
    fn has(&self, number: u32) -> bool {
        self.0.contains(&number)
    }

    fn put(&mut self, number: u32) {
        self.0.insert(number);
    }

    fn take(&mut self, number: u32) -> bool {
        self.0.remove(&number)
    }

    /// The first after `number`, which is then not there any more.
    fn from(&mut self, number: u32) -> Option<u32> {
        let next = self.0.range(number..).next().copied()?;
        self.0.remove(&next).then_some(next)
    }
}
