//! The reference server: sends each client a snapshot per tick, as changes of the newest one that it acknowledged.
//!
//! Nothing is ever sent again as such: what a lost snapshot said is part of every later one, until the client has
//! acknowledged one of them.

use crate::constants::{MAX_CLIENTS, REMOVED, SILENCE_US};
use crate::message::{Change, Snapshot, read_ack};
use crate::notes::NOTE_IGNORED;
use crate::options::Options;
use crate::rules::Rules;
use crate::state::{Entities, Entity, History, is_possible, show};
use kit::{Command, Endpoint, Event, PeerId, Reader, Record, Setup, Time, View, World, Writer};
use std::collections::{BTreeMap, VecDeque};

/// What the server knows of a client.
#[derive(Debug)]
struct Session {
    /// Number of the first snapshot that was sent to it.
    first: u32,
    /// Number of the newest snapshot that it acknowledged; 0 for none.
    acknowledged: u32,
    /// When it said something.
    last: Time,
}

/// The server.
#[derive(Debug)]
pub struct Server {
    rules: Rules,
    tick_us: u64,
    next_tick: Time,
    world: World<Entity>,
    /// The number of the newest snapshot. All clients share the numbers, and what they stand for.
    number: u32,
    history: History,
    sessions: BTreeMap<PeerId, Session>,
    to_send: VecDeque<PeerId>,
    events: VecDeque<Event>,
}

impl Server {
    /// A server with an empty world.
    pub fn new(setup: &Setup, rules: Rules) -> Server {
        Server {
            rules,
            tick_us: Options::new(setup).tick_us,
            next_tick: Time::ZERO,
            world: World::default(),
            number: 0,
            history: History::default(),
            sessions: BTreeMap::new(),
            to_send: VecDeque::new(),
            events: VecDeque::new(),
        }
    }

    /// A client acknowledges `number`. One that holds nothing is a new client, or one that starts over.
    fn acknowledged(&mut self, now: Time, peer: PeerId, number: u32) {
        if number == 0 && (self.sessions.contains_key(&peer) || self.sessions.len() < MAX_CLIENTS.into()) {
            let begun = Session { first: self.number + 1, acknowledged: 0, last: now };
            if self.sessions.insert(peer, begun).is_none() {
                self.events.push_back(Event::State { peer, from: "free", to: "active", cause: "acknowledges nothing" });
            }
        } else if let Some(session) = self.sessions.get_mut(&peer) {
            session.last = now;
            if (session.first..=self.number).contains(&number) {
                session.acknowledged = session.acknowledged.max(number);
            }
        }
    }

    fn forget_the_silent(&mut self, now: Time) {
        let events = &mut self.events;
        self.sessions.retain(|&peer, session| {
            let stays = now.since(session.last) < SILENCE_US;
            if !stays {
                events.push_back(Event::State { peer, from: "active", to: "free", cause: "silent" });
            }
            stays
        });
    }
}

/// The changes that make `base` into `now`.
fn changes(base: &Entities, now: &Entities, rules: Rules) -> impl Iterator<Item = Change> {
    (1..=u8::MAX).filter_map(move |entity| {
        let removed = Change { entity, mask: REMOVED, values: Entity::NULL };
        match (base.get(entity.into()), now.get(entity.into())) {
            (None, None) => None,
            (Some(_), None) => Some(removed),
            (None, Some(now)) => Some(Change { entity, mask: (rules.mask)(&Entity::NULL, now), values: *now }),
            (Some(base), Some(now)) => {
                let mask = (rules.mask)(base, now);
                (mask != 0).then_some(Change { entity, mask, values: *now })
            }
        }
    })
}

impl Endpoint for Server {
    fn handle_command(&mut self, now: Time, command: &Command) {
        if !is_possible(command) || !self.world.apply(now, command) {
            self.events.push_back(Event::Note { note: NOTE_IGNORED, args: [0; 4] });
        }
    }

    fn handle_datagram(&mut self, now: Time, from: PeerId, bytes: &[u8]) {
        match read_ack(&mut Reader::new(bytes)) {
            Ok(number) => self.acknowledged(now, from, number),
            Err(error) => self.events.push_back(Event::Rejected { peer: from, error }),
        }
    }

    fn handle_timeout(&mut self, now: Time) {
        if now < self.next_tick {
            return;
        }
        self.next_tick = now.after(self.tick_us);
        self.forget_the_silent(now);
        self.number += 1; // SKL-NUM-01
        self.history.put(self.number, &self.world.live);
        self.to_send.extend(self.sessions.keys());
    }

    fn poll_transmit(&mut self, _: Time, out: &mut Vec<u8>) -> Option<PeerId> {
        let peer = self.to_send.pop_front()?;
        let session = self.sessions.get(&peer)?;
        let base = (self.rules.base)(session.acknowledged, self.number);
        let held = self.history.get(base)?;
        let mut w = Writer::new(out);
        Snapshot { number: self.number, base }.write(&mut w);
        // SKL-DELTA-01: against what the client holds, not against what was sent last, which may be lost.
        changes(held, &self.world.live, self.rules).for_each(|change| change.write(&mut w));
        Some(peer)
    }

    fn poll_event(&mut self) -> Option<Event> {
        self.events.pop_front()
    }

    fn poll_timeout(&self) -> Option<Time> {
        Some(self.next_tick)
    }

    fn observe(&self, view: &mut View) {
        view.state = "running";
        view.valid = true;
        show(&self.world.live, view);
    }
}
