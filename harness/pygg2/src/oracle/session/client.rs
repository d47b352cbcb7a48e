//! What is known of a client: what it was instructed to do, what it sent, and what it made of what was delivered.

use super::delivered::{Applied, Delivered, Delivery};
use super::reading::{Reading, ServerReading};
use super::{Indeterminate, MAX_UNREAD, Unread};
use crate::message::{ClientEvent, Input};
use crate::serial::newer;
use kit::Time;
use std::collections::VecDeque;

/// The client's side of a session.
#[derive(Debug)]
pub struct ClientSide {
    /// Why its conduct is judged no more.
    pub indeterminate: Option<Indeterminate>,
    /// Why what it applies and shows is compared no more.
    pub incomparable: Option<Indeterminate>,
    /// The scenario wants it to be connected.
    pub wanted: bool,
    /// The number of its newest packet.
    pub sequence: Option<u16>,
    /// When it sent that, or was admitted.
    pub sent_at: Time,
    /// When it was instructed to connect.
    pub connected: Time,
    /// When it sent its last hello.
    pub hello_at: Option<Time>,
    /// Its last acknowledgement.
    pub ack: Option<u16>,
    /// The newest of its packets that the server has acknowledged.
    pub covered: Option<u16>,
    /// Events of it that are not acknowledged, by number.
    pub unacknowledged: VecDeque<(u16, ClientEvent)>,
    /// Events that the scenario wants of it, since when.
    pub expected: VecDeque<(Time, ClientEvent)>,
    /// What the scenario has it do.
    pub input: Input,
    /// The first time of its own that it sent, in milliseconds, and when.
    pub origin: Option<(u32, Time)>,
    /// Acknowledgements that the scenario makes it send.
    pub scripted_acks: VecDeque<u16>,
    /// Unreadable packets that the scenario makes it send.
    pub nonsense: u32,
    /// When something unreadable was delivered to it.
    pub unreadable_at: Option<Time>,
    /// When anything was delivered to it that had an effect.
    pub served: Time,
    /// What was delivered to it, and what it, being remote, has not shown to have read.
    pub unread: VecDeque<Unread>,
    /// The server read a damaged packet of it, and may acknowledge what it has not received.
    pub is_misread: bool,
    /// It disconnected.
    pub leaving: bool,
    /// When it was instructed to leave, being in.
    pub left_at: Option<Time>,
    /// When it said so last.
    pub disconnect_at: Option<Time>,
    /// What was delivered to it.
    pub delivered: Delivered,
    /// What the last delivery was; none once the client has acted on it.
    pub delivery: Option<Delivery>,
    /// What the client reports to have applied since.
    pub applied: Vec<Applied>,
}

impl ClientSide {
    /// A client that begins at `now`.
    pub fn new(delivered: Delivered, now: Time) -> ClientSide {
        ClientSide {
            indeterminate: None,
            incomparable: None,
            wanted: false,
            sequence: None,
            sent_at: now,
            connected: now,
            hello_at: None,
            ack: None,
            covered: None,
            unacknowledged: VecDeque::new(),
            expected: VecDeque::new(),
            input: Input::default(),
            origin: None,
            scripted_acks: VecDeque::new(),
            nonsense: 0,
            unreadable_at: None,
            served: now,
            unread: VecDeque::new(),
            is_misread: false,
            leaving: false,
            left_at: None,
            disconnect_at: None,
            delivered,
            delivery: None,
            applied: Vec::new(),
        }
    }

    /// Whether its conduct is judged.
    pub fn is_judged(&self) -> bool {
        self.wanted && self.indeterminate.is_none()
    }

    /// The server acknowledges a packet: that counts if it was sent, and is not older than the one before.
    pub fn is_acknowledged(&mut self, ack: u16) {
        let sent = self.sequence.is_some_and(|sent| !newer(ack, sent));
        if sent && self.covered.is_none_or(|covered| !newer(covered, ack)) {
            self.covered = Some(ack);
            self.unacknowledged.retain(|(created, _)| newer(*created, ack));
        }
    }

    /// Whether a packet of the server acknowledges an event that was not acknowledged before.
    pub fn may_acknowledge(&self, packet: &ServerReading) -> bool {
        let ack = packet.header.map(|header| header.last_acked_sequence);
        ack.is_some_and(|ack| self.unacknowledged.iter().any(|(created, _)| !newer(*created, ack)))
    }

    /// A packet is delivered to a remote client.
    pub fn put(&mut self, unread: Unread) {
        if self.unread.len() < MAX_UNREAD {
            self.unread.push_back(unread);
        } else {
            self.give_up("it does not show what it has read");
        }
    }

    /// The packets that a remote client has read if it acknowledges `ack`, in order: no more than are needed to explain it.
    pub fn read_up_to(&mut self, ack: u16) -> Vec<Unread> {
        if self.delivered.last == ack || self.unread.is_empty() {
            return Vec::new();
        }
        let declared = self.delivered.declared;
        let mut model = self.delivered.clone();
        let mut explains = |unread: &Unread| {
            model.deliver(&ServerReading::of(&unread.bytes, declared));
            model.any && model.last == ack
        };
        if let Some(place) = self.unread.iter().position(&mut explains) {
            return self.unread.drain(..=place).collect();
        }
        let Some(place) = self.unread.iter().position(|unread| unread.sequence == ack) else { return Vec::new() };
        let mut read: Vec<Unread> = self.unread.drain(..=place).collect();
        // What was delivered before may have been lost after the point of observation.
        let last = read.last().map(|last| ServerReading::of(&last.bytes, declared));
        if last.is_some_and(|last| self.delivered.clone().deliver(&last).is_effective()) {
            read.drain(..place);
        }
        read
    }

    /// Judges its conduct no further.
    pub fn give_up(&mut self, why: &'static str) {
        self.left_at = None;
        self.indeterminate.get_or_insert(Indeterminate { why });
    }

    /// Compares what it shows no further.
    pub fn stop_comparing(&mut self, why: &'static str) {
        self.incomparable.get_or_insert(Indeterminate { why });
    }
}
