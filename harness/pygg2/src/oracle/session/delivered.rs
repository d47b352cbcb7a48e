//! The delivered model: what a client that does everything right makes of what is delivered to it.

use super::remember;
use crate::complete::Stats;
use crate::constants::{BUFFERED, INPUTSTATE_BITS};
use crate::message::{self, ServerEvent, ServerHeader, ServerRecord, Stamped};
use crate::serial::{age, newer};
use crate::snapshot::{self, Declared, Snapshot};
use crate::state::*;
use kit::Reader;
use std::collections::VecDeque;

/// Snapshots that are kept.
const KEPT: usize = 64;

/// Something that a client applies, in the order in which it does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Applied {
    /// An event: when it was created, and its record's id.
    Event(u16, u8),
    /// The snapshot of this packet.
    Snapshot(u16),
}

/// What a packet is to the client that gets it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Delivery {
    /// It does not listen, or the packet is no answer to its hello.
    Ignored,
    /// It is not newer than the last one.
    Late(u16),
    /// It cannot be read.
    Unreadable,
    /// Its base is missing.
    BaseMissing,
    /// Its base is older than what must be kept: the client may have it or not.
    Unsure,
    /// It has an effect.
    Effective(Effect),
}

impl Delivery {
    /// Whether it has, or may have, an effect.
    pub fn is_effective(&self) -> bool {
        matches!(self, Delivery::Effective(_) | Delivery::Unsure)
    }
}

/// The effect of a packet.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Effect {
    /// The packet's number.
    pub sequence: u16,
    /// What was applied last before it.
    pub before: u16,
    /// What it acknowledges.
    pub last_acked: u16,
    /// Whether the snapshot has a base.
    pub delta: bool,
    /// Whether there are younger snapshots than that.
    pub older_base: bool,
    /// Whether the base has another length.
    pub other_length: bool,
    /// What is applied, in order.
    pub applied: Vec<Applied>,
    /// Events in it that were applied before.
    pub repeats: Vec<Applied>,
}

/// The client.
#[derive(Clone, Debug)]
pub struct Delivered {
    declared: Declared,
    /// The newest packet that was applied.
    pub last: u16,
    /// Whether any was.
    pub any: bool,
    /// It was let in.
    pub inside: bool,
    /// It was refused.
    pub refused: bool,
    ring: VecDeque<(u16, Vec<u8>)>,
    /// Packets that were delivered and could not be applied.
    pub unapplied: VecDeque<u16>,
    /// Packets that were delivered too late.
    pub late: VecDeque<u16>,
    /// What it shows.
    pub players: Players,
    /// The id of its own player.
    pub own: Option<u8>,
    /// The server's time in what was applied last of snapshots and complete updates, in milliseconds.
    pub time: u32,
}

impl Delivered {
    /// A client that has received nothing; `nothing` is what it acknowledges.
    pub fn new(nothing: u16, declared: Declared) -> Delivered {
        Delivered {
            declared,
            last: nothing,
            any: false,
            inside: false,
            refused: false,
            ring: VecDeque::new(),
            unapplied: VecDeque::new(),
            late: VecDeque::new(),
            players: Players::default(),
            own: None,
            time: 0,
        }
    }

    /// Whether a packet's number is farther ahead than any that the server sends.
    pub fn is_far(&self, bytes: &[u8]) -> bool {
        let header = ServerHeader::read(&mut Reader::new(bytes));
        header.is_ok_and(|header| age(header.sequence, self.last) > BUFFERED)
    }

    /// A packet arrives.
    pub fn deliver(&mut self, bytes: &[u8]) -> Delivery {
        if self.refused {
            return Delivery::Ignored;
        }
        let mut r = Reader::new(bytes);
        let Ok(header) = ServerHeader::read(&mut r) else { return Delivery::Unreadable };
        let sequence = header.sequence;
        if !newer(sequence, self.last) {
            remember(&mut self.late, sequence);
            return Delivery::Late(sequence);
        }
        let mut records = Vec::new();
        let read = message::read_server_records(&mut r, self.declared, &mut records);
        let ordered = message::in_order(&records, |record| matches!(record, ServerRecord::Event(_)));
        if read.is_err() || !ordered {
            remember(&mut self.unapplied, sequence);
            return Delivery::Unreadable;
        }
        let mut effect =
            Effect { sequence, before: self.last, last_acked: header.last_acked_sequence, ..Effect::default() };
        let seen = match records.last() {
            Some(Stamped { what: ServerRecord::Snapshot(difference), .. }) => {
                match self.without_xor(&header, &difference.xored, &mut effect) {
                    Ok(seen) => Some(seen),
                    Err(delivery) => {
                        if delivery != Delivery::Unsure {
                            remember(&mut self.unapplied, sequence);
                        }
                        return delivery;
                    }
                }
            }
            _ => None,
        };
        let answers = |event: &ServerEvent| matches!(event, ServerEvent::Hi(_) | ServerEvent::Refuse { .. });
        let events = records.iter().filter_map(|record| match &record.what {
            ServerRecord::Event(event) => Some((record.created, event)),
            ServerRecord::Snapshot(_) => None,
        });
        if !self.inside && !events.clone().any(|(_, event)| answers(event)) {
            return Delivery::Ignored;
        }
        for (created, event) in events {
            let applied = Applied::Event(created, event.id());
            if newer(created, self.last) {
                effect.applied.push(applied);
                self.event(event);
            } else {
                effect.repeats.push(applied);
            }
        }
        if let Some((bytes, snapshot)) = seen {
            effect.applied.push(Applied::Snapshot(sequence));
            self.snapshot(&snapshot);
            self.ring.push_back((sequence, bytes));
            if self.ring.len() > KEPT {
                self.ring.pop_front();
            }
        }
        self.last = sequence;
        self.any = true;
        Delivery::Effective(effect)
    }

    /// A snapshot's bytes without XOR, and what they say; or what the packet is instead.
    fn without_xor(
        &self,
        header: &ServerHeader,
        xored: &[u8],
        effect: &mut Effect,
    ) -> Result<(Vec<u8>, Snapshot), Delivery> {
        let mut bytes = xored.to_vec();
        if !header.is_absolute() {
            let base = self.ring.iter().find(|(held, _)| *held == header.delta_sequence);
            let (_, base) = base.ok_or(Delivery::BaseMissing)?;
            if age(header.sequence, header.delta_sequence) >= BUFFERED {
                return Err(Delivery::Unsure);
            }
            effect.delta = true;
            effect.other_length = base.len() != bytes.len();
            effect.older_base = self.ring.back().is_some_and(|(newest, _)| *newest != header.delta_sequence);
            bytes = snapshot::xor(&bytes, base);
        }
        let snapshot = Snapshot::decode(&bytes, self.declared).map_err(|_| Delivery::Unreadable)?;
        Ok((bytes, snapshot))
    }

    fn event(&mut self, event: &ServerEvent) {
        let mut change = |id: u32, changes: &[(usize, i32)]| {
            let Some(player) = self.players.get_mut(id) else { return };
            for &(field, value) in changes {
                player.0[field] = value;
            }
        };
        match event {
            ServerEvent::Hi(hi) => (self.inside, self.own) = (true, Some(hi.your_id)),
            // Who is in is not refused any more.
            ServerEvent::Refuse { .. } => self.refused |= !self.inside,
            ServerEvent::Join { id, .. } => {
                self.players.entry((*id).into(), &Player::default());
            }
            ServerEvent::Left { id } => {
                self.players.remove((*id).into());
            }
            ServerEvent::ChangeClass { id, class } => change((*id).into(), &[(CLASS, (*class).into())]),
            ServerEvent::ChangeTeam { id, team } => change((*id).into(), &[(TEAM, (*team).into())]),
            ServerEvent::Spawn { id, x, y } => {
                change((*id).into(), &[(ALIVE, 1), (X, *x as i32), (Y, *y as i32)]);
            }
            ServerEvent::Die { id } => change((*id).into(), &[(ALIVE, 0)]),
            ServerEvent::Complete(update) => {
                self.time = update.time;
                update.players.iter().for_each(|stats| self.stats(stats));
            }
        }
    }

    fn stats(&mut self, stats: &Stats) {
        if let Some(player) = self.players.get_mut(stats.id.into()) {
            stats.apply(player);
        }
    }

    fn snapshot(&mut self, snapshot: &Snapshot) {
        self.time = snapshot.time;
        for body in &snapshot.bodies {
            let Some(player) = self.players.get_mut(body.id.into()) else { continue };
            player.take_base(&body.base);
            player.0[INPUTSTATE] &= i32::from(INPUTSTATE_BITS);
            player.0[AMMO] = body.ammo.into();
            player.0[CLOAKED] = body.cloaked.into();
            body.class.iter().for_each(|fields| player.take_class_fields(fields));
        }
    }
}
