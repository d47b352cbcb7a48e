//! The delivered model: what a client that does everything right makes of what is delivered to it.

use super::reading::ServerReading;
use super::remember;
use crate::complete::Stats;
use crate::constants::{BUFFERED, INPUTSTATE_BITS};
use crate::message::{ServerEvent, ServerHeader};
use crate::serial::{age, newer};
use crate::snapshot::{self, Declared, Snapshot};
use crate::state::*;
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
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Delivery {
    /// It does not listen, or the packet is no answer to its hello.
    Ignored,
    /// It is not newer than the last one.
    Late(u16),
    /// It cannot be read.
    Unreadable,
    /// Its base is missing.
    BaseMissing,
    /// Its base is older than what must be kept: the client may have it or not. Or it comes after such a packet, and is late for a
    /// client that has taken that.
    Unsure,
    /// It has an effect: [`Delivered::effect`].
    Effective,
}

impl Delivery {
    /// Whether it has, or may have, an effect.
    pub fn is_effective(&self) -> bool {
        matches!(self, Delivery::Effective | Delivery::Unsure)
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

impl Effect {
    /// Begins again with a packet, `before` which another was applied last.
    fn begin(&mut self, header: &ServerHeader, before: u16) {
        let (mut applied, mut repeats) = (std::mem::take(&mut self.applied), std::mem::take(&mut self.repeats));
        applied.clear();
        repeats.clear();
        let (sequence, last_acked) = (header.sequence, header.last_acked_sequence);
        *self = Effect { sequence, before, last_acked, applied, repeats, ..Effect::default() };
    }

    /// Whether a snapshot is applied.
    pub fn has_snapshot(&self) -> bool {
        matches!(self.applied.last(), Some(Applied::Snapshot(_)))
    }
}

/// What a client held before the last packet that had an effect, but for its snapshots.
#[derive(Clone, Debug, Default)]
struct Before {
    last: u16,
    any: bool,
    inside: bool,
    refused: bool,
    players: Players,
    own: Option<u8>,
    time: u32,
}

/// The client.
#[derive(Clone, Debug)]
pub struct Delivered {
    /// What is declared to stand after bodies.
    pub declared: Declared,
    /// The newest packet that was applied.
    pub last: u16,
    /// Whether any was.
    pub any: bool,
    /// It was admitted.
    pub inside: bool,
    /// It was refused.
    pub refused: bool,
    ring: VecDeque<(u16, Vec<u8>)>,
    /// The snapshot that made room last.
    passed: Option<(u16, Vec<u8>)>,
    /// The effect of the last packet that had one.
    pub effect: Effect,
    before: Before,
    /// What the last snapshot says.
    snapshot: Snapshot,
    /// Packets that were delivered and could not be applied.
    pub unapplied: VecDeque<u16>,
    /// Packets that were delivered too late.
    pub late: VecDeque<u16>,
    /// The newest packet that it may have applied or not, if that is newer than [`Self::last`].
    unsure: Option<u16>,
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
            passed: None,
            effect: Effect::default(),
            before: Before::default(),
            snapshot: Snapshot::default(),
            unapplied: VecDeque::new(),
            late: VecDeque::new(),
            unsure: None,
            players: Players::default(),
            own: None,
            time: 0,
        }
    }

    /// Whether a packet's number is farther ahead than any that the server sends.
    pub fn is_far(&self, packet: &ServerReading) -> bool {
        packet.header.is_some_and(|header| age(header.sequence, self.last) > BUFFERED)
    }

    /// A packet arrives.
    pub fn deliver(&mut self, packet: &ServerReading) -> Delivery {
        if self.refused {
            return Delivery::Ignored;
        }
        let Some(header) = packet.header else { return Delivery::Unreadable };
        let sequence = header.sequence;
        if !newer(sequence, self.last) {
            remember(&mut self.late, sequence);
            return Delivery::Late(sequence);
        }
        let records = &packet.records;
        if packet.error.is_some() || !records.in_order {
            remember(&mut self.unapplied, sequence);
            return Delivery::Unreadable;
        }
        self.effect.begin(&header, self.last);
        let seen = match &records.difference {
            Some(difference) => match self.without_xor(&header, &difference.xored) {
                Ok(bytes) => Some(bytes),
                Err(Delivery::Unsure) => {
                    self.unsure = self.unsure.filter(|&unsure| newer(unsure, sequence)).or(Some(sequence));
                    return Delivery::Unsure;
                }
                Err(delivery) => {
                    remember(&mut self.unapplied, sequence);
                    return delivery;
                }
            },
            None => None,
        };
        let answers = |event: &ServerEvent| matches!(event, ServerEvent::Hi(_) | ServerEvent::Refuse { .. });
        if !self.inside && !records.events.iter().any(|event| answers(&event.what)) {
            return Delivery::Ignored;
        }
        if self.unsure.is_some_and(|unsure| !newer(sequence, unsure)) {
            return Delivery::Unsure;
        }
        self.unsure = None;
        self.remember_before();
        for event in &records.events {
            let applied = Applied::Event(event.created, event.what.id());
            if newer(event.created, self.last) {
                self.effect.applied.push(applied);
                self.event(&event.what);
            } else {
                self.effect.repeats.push(applied);
            }
        }
        if let Some(bytes) = seen {
            self.effect.applied.push(Applied::Snapshot(sequence));
            self.show_snapshot();
            self.ring.push_back((sequence, bytes));
            self.passed = if self.ring.len() > KEPT { self.ring.pop_front() } else { None };
        }
        self.last = sequence;
        self.any = true;
        Delivery::Effective
    }

    fn remember_before(&mut self) {
        let Before { last, any, inside, refused, players, own, time } = &mut self.before;
        (*last, *any, *inside, *refused) = (self.last, self.any, self.inside, self.refused);
        (*own, *time) = (self.own, self.time);
        players.copy_from(&self.players);
    }

    /// The last packet, which should have had an effect, had none.
    pub fn take_back(&mut self) {
        let Before { last, any, inside, refused, players, own, time } = &self.before;
        (self.last, self.any, self.inside, self.refused) = (*last, *any, *inside, *refused);
        (self.own, self.time) = (*own, *time);
        self.players.copy_from(players);
        if self.effect.has_snapshot() {
            self.ring.pop_back();
            self.passed.take().into_iter().for_each(|passed| self.ring.push_front(passed));
        }
    }

    /// A snapshot's bytes without XOR, and what they say in `self.snapshot`; or what the packet is instead.
    fn without_xor(&mut self, header: &ServerHeader, xored: &[u8]) -> Result<Vec<u8>, Delivery> {
        let bytes = if header.is_absolute() {
            xored.to_vec()
        } else {
            let base = self.ring.iter().rev().find(|(held, _)| *held == header.delta_sequence);
            let (_, base) = base.ok_or(Delivery::BaseMissing)?;
            if age(header.sequence, header.delta_sequence) >= BUFFERED {
                return Err(Delivery::Unsure);
            }
            self.effect.delta = true;
            self.effect.other_length = base.len() != xored.len();
            self.effect.older_base = self.ring.back().is_some_and(|(newest, _)| *newest != header.delta_sequence);
            snapshot::xor(xored, base)
        };
        self.snapshot.read(&bytes, self.declared).map_err(|_| Delivery::Unreadable)?;
        Ok(bytes)
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

    fn show_snapshot(&mut self) {
        self.time = self.snapshot.time;
        for body in &self.snapshot.bodies {
            let Some(player) = self.players.get_mut(body.id.into()) else { continue };
            player.take_base(&body.base);
            player.0[INPUTSTATE] &= i32::from(INPUTSTATE_BITS);
            player.0[AMMO] = body.ammo.into();
            player.0[CLOAKED] = body.cloaked.into();
            body.class.iter().for_each(|fields| player.take_class_fields(fields));
        }
    }
}
