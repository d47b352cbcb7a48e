//! What clients wrongly keep, forget and build upon.

use super::super::entry::{Said, clear_reset, entries};
use super::super::services::{baselines_as, baselines_over_former, with_classic};
use super::super::{client_hears, is_unreliable, of_client, reachable, unreliable_sequence};
use super::{mentions, removes_of_all};
use crate::client::Client;
use crate::constants::*;
use crate::game::Game;
use crate::requirements::*;
use crate::rules::Rules;
use crate::state::*;
use kit::{Endpoint, Mutant, Packet, Setup, Span};
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::rc::Rc;

/// A remove-all.
const REMOVE_ALL: [u8; 2] = INDEX_REMOVE.to_le_bytes();

/// A client to which every message is a whole snapshot, and what it leaves out is gone.
fn parts_are_wholes(setup: &Setup) -> Box<dyn Endpoint> {
    let mut last = Vec::new();
    client_hears(setup, move |packet| {
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
    let hears = move |packet: &mut Packet<'_>, client: &mut Client| prepare(packet, &mut client.game);
    reachable(setup, Client::new(setup, Rules::REFERENCE), |_, _| {}, hears)
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
    let says = move |packet: &mut Packet<'_>, client: &mut Client| {
        if is_unreliable(packet) {
            acknowledged.borrow_mut().copy_from(&client.game.entities);
        }
    };
    let hears = move |packet: &mut Packet<'_>, client: &mut Client| {
        if packet.fields("servertime").next().is_some() {
            client.game.entities.copy_from(&base.borrow());
        }
    };
    reachable(setup, Client::new(setup, Rules::REFERENCE), says, hears)
}

/// The clients that are broken so.
pub(super) const MUTANTS: &[Mutant] = &[
    of_client("reset-ignored", &RST_01, "fte/remove-lost-respawn", "takes a RESET for a plain update", |setup| {
        client_hears(setup, |packet| entries(packet).iter().for_each(|entry| clear_reset(packet, entry)))
    }),
    of_client(
        "reset-of-classic-fields",
        &RST_01,
        "fte/remove-lost-respawn",
        "puts back only such fields as NetQuake's baselines have, so that alpha stays after a RESET",
        |setup| remembers(setup, false, Some(with_classic)),
    ),
    of_client(
        "unknown-from-leftovers",
        &RST_06,
        "fte/reset-unknown-delta",
        "starts an entity that comes without RESET from what it read last",
        starts_from_leftovers,
    ),
    of_client(
        "unknown-dropped-for-good",
        &RST_06,
        "fte/reset-unknown-delta",
        "wants nothing to do any more with an entity that once came without RESET",
        |setup| {
            let (mut known, mut refused) = (Numbers::default(), Numbers::default());
            client_hears(setup, move |packet| {
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
            })
        },
    ),
    of_client(
        "returns-with-old-fields",
        &RST_10,
        "fte/reset-forgets",
        "keeps the state of what was removed, and takes a RESET for a plain update of it",
        |setup| remembers(setup, true, Some(|former, _| *former)),
    ),
    of_client(
        "returns-with-old-alpha",
        &RST_10,
        "fte/reset-forgets",
        "keeps the state of what was removed, and puts back only such fields as NetQuake's baselines have",
        |setup| remembers(setup, true, Some(with_classic)),
    ),
    of_client(
        "forgets-the-unmentioned",
        &RMV_02,
        "fte/remove-clean",
        "takes every frame for a complete list, as fast updates were",
        |setup| {
            client_hears(setup, |packet| {
                for time in packet.fields("servertime").collect::<Vec<&Span>>() {
                    packet.replace(time.end..time.end, &REMOVE_ALL);
                }
            })
        },
    ),
    of_client(
        "forgets-the-long-unmentioned",
        &RMV_02,
        "fte/remove-clean",
        "drops an entity of which it has not heard for twenty frames",
        |setup| {
            let (mut frames, mut heard) = (0u32, BTreeMap::new());
            client_hears(setup, move |packet| {
                let Some(time) = packet.fields("servertime").next() else { return };
                frames += 1;
                for entry in mentions(packet) {
                    heard.insert(entry.number, frames);
                }
                for (number, _) in heard.iter().filter(|(_, last)| **last + 20 == frames) {
                    packet.replace(time.end..time.end, &(*number as u16 | INDEX_REMOVE).to_le_bytes());
                }
            })
        },
    ),
    of_client("removes-nothing", &RMV_03, "fte/remove-clean", "passes over removes", |setup| {
        client_hears(setup, |packet| {
            for entry in mentions(packet).filter(|entry| entry.remove) {
                packet.cut(&entry.whole);
            }
        })
    }),
    of_client(
        "removed-but-known",
        &RMV_03,
        "fte/reset-unknown-delta",
        "hides what is removed, and goes on from its state when a plain update comes",
        |setup| remembers(setup, true, None),
    ),
    of_client(
        "removes-the-next",
        &RMV_04,
        "fte/remove-repeated",
        "removes the next entity that it holds when it does not hold the one to remove",
        |setup| {
            let mut known = Numbers::default();
            client_hears(setup, move |packet| {
                for entry in entries(packet) {
                    match entry.remove {
                        false => known.put(entry.number),
                        true if known.take(entry.number) => {}
                        true => {
                            let next = known.from(entry.number).unwrap_or(entry.number);
                            packet.replace(
                                entry.index.start..entry.index_end(),
                                &(next as u16 | INDEX_REMOVE).to_le_bytes(),
                            );
                        }
                    }
                }
            })
        },
    ),
    of_client(
        "remove-makes-known",
        &RMV_04,
        "fte/remove-repeated",
        "makes an entity that it does not hold to remove it, and keeps it",
        |setup| {
            let mut known = Numbers::default();
            client_hears(setup, move |packet| {
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
            })
        },
    ),
    of_client(
        "remove-all-keeps-entities",
        &RMV_08,
        "fte/reset-request-fewer",
        "takes the models of all entities at a remove-all, but goes on to know the entities",
        |setup| {
            prepared(setup, |packet, game| {
                for entry in removes_of_all(packet).filter(|_| game.valid) {
                    game.entities.iter_mut().for_each(|(_, state)| state[MODEL] = 0);
                    packet.cut(&entry.whole);
                }
            })
        },
    )
    .same_bug_as("vkQuake before a65d9fe7, QuakeSpasm-Spiked c48936385a44"),
    of_client(
        "remove-all-once",
        &RMV_08,
        "fte/reset-request-fewer",
        "obeys a remove-all only while it holds no valid state",
        |setup| {
            let mut valid = false;
            client_hears(setup, move |packet| {
                for entry in removes_of_all(packet) {
                    if std::mem::replace(&mut valid, true) {
                        packet.cut(&entry.whole);
                    }
                }
            })
        },
    ),
    of_client(
        "second-part-is-everything",
        &OVF_08,
        "fte/overflow-several-datagrams",
        "takes the second message of a snapshot for a snapshot of its own",
        parts_are_wholes,
    ),
    of_client(
        "second-part-is-everything-quakeworld",
        &OVF_08,
        "fte/overflow-crowd",
        "takes the second message of a snapshot for a snapshot of its own, also in the same datagram",
        parts_are_wholes,
    ),
    of_client(
        "second-part-ignored",
        &OVF_08,
        "fte/overflow-several-datagrams",
        "takes the second message of a snapshot for a copy of the first",
        |setup| {
            let mut last = Vec::new();
            client_hears(setup, move |packet| {
                let same = packet.fields("servertime").next().is_some_and(|time| packet.raw(time) == last);
                for entry in mentions(packet).filter(|_| same) {
                    packet.cut(&entry.whole);
                }
                if let Some(time) = packet.fields("servertime").next() {
                    last = packet.raw(time).to_vec();
                }
            })
        },
    ),
    of_client(
        "refuses-after-a-gap",
        &DLT_38,
        "fte/delta-loss",
        "passes over what a frame says if the one numbered before it is missing",
        |setup| {
            let mut last = None;
            client_hears(setup, move |packet| {
                let Some(sequence) = unreliable_sequence(packet) else { return };
                let follows = last.replace(sequence).is_none_or(|last| sequence == last + 1);
                let complete = removes_of_all(packet).next().is_some();
                for entry in mentions(packet).filter(|_| !follows && !complete) {
                    packet.cut(&entry.whole);
                }
            })
        },
    ),
    of_client(
        "builds-on-a-numbered-frame",
        &DLT_38,
        "fte/delta-loss",
        "keeps two states and applies a frame to the one where the frame numbered one less has its place",
        builds_by_number,
    ),
    of_client(
        "builds-on-the-acknowledged",
        &SVC_12,
        "fte/delta-between-packets",
        "applies an update to the state that it acknowledged last, as old delta compression does",
        builds_on_acknowledged,
    ),
    of_client(
        "baselines-of-the-map-before",
        &SVC_07,
        "fte/map-baselines",
        "reads a baseline over that which the entity had in the map before",
        baselines_over_former,
    ),
    of_client(
        "classic-baselines",
        &SVC_08,
        "fte/map-baselines",
        "keeps only such fields of a baseline as NetQuake's own have",
        |setup| baselines_as(setup, |state| with_classic(&Entity::NULL, state)),
    ),
    of_client("reset-to-nothing", &SVC_08, "fte/map-baselines", "starts from the null state at a RESET", |setup| {
        baselines_as(setup, |_| Entity::NULL)
    }),
];

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

    /// Whether it was there.
    fn take(&mut self, number: u32) -> bool {
        self.0.remove(&number)
    }

    /// The first behind `number`, which is then not there any more.
    fn from(&mut self, number: u32) -> Option<u32> {
        let next = self.0.range(number..).next().copied()?;
        self.0.remove(&next).then_some(next)
    }
}
