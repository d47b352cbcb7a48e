//! The record of one client: what the server's side of its session knows, and what the client's own side knows. Plain
//! state; what is wrong with it is for the checks to say.

pub mod client;
pub mod delivered;
pub mod held;
pub mod reading;
pub mod server;

use crate::options::Options;
use crate::serial::age;
use client::ClientSide;
use delivered::Delivered;
use kit::{HostId, PacketId, Time};
use reading::{ClientReading, Readings, ServerReading};
use server::ServerSide;
use std::collections::VecDeque;

/// Values that a list remembers.
const REMEMBERED: usize = 64;

/// What happens can no longer be known, so that nothing is judged any more.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Indeterminate {
    /// What made it so.
    pub why: &'static str,
}

/// One client and the server's side of it.
#[derive(Debug)]
pub struct Session {
    /// The client.
    pub host: HostId,
    /// Its player's id: its host's number, or what a remote server says in hi.
    pub player: u32,
    /// The name in its last hello.
    pub name: Vec<u8>,
    /// What the server's side knows.
    pub server: ServerSide,
    /// What the client's side knows.
    pub client: ClientSide,
    /// The packets that the client was sent last.
    pub from_server: Readings<ServerReading>,
    /// The packets that it sent last.
    pub from_client: Readings<ClientReading>,
    /// Per direction, the index of the next packet; and of the first of the present connection. Nothing on the wire tells
    /// packets of an earlier one from those of this one.
    pub next_index: [u32; 2],
    first_index: [u32; 2],
    /// The newest packet of the client's connection before, and when the present one began.
    before: Option<(u16, Time)>,
}

/// For so long packets of a connection before can be under way, in microseconds.
const FLIES_US: u64 = 3_000_000;
/// A packet whose number is no farther from another may be one of the same connection.
const NEAR: u16 = 64;
/// Packets in a row that may be lost before the next, at the beginning of a connection.
const LOST_IN_A_ROW: u16 = 16;

impl Session {
    /// Before anything has happened.
    pub fn new(host: HostId, options: &Options) -> Session {
        let delivered = Delivered::new(Options::nothing(options.first_sequence), options.declared);
        let (server, client) = (ServerSide::default(), ClientSide::new(delivered, Time::ZERO));
        let (player, name) = (u32::from(host.0), Vec::new());
        let (from_server, from_client) = (Readings::default(), Readings::default());
        let (next_index, first_index) = ([0; 2], [0; 2]);
        let before = None;
        Session { host, player, name, server, client, from_server, from_client, next_index, first_index, before }
    }

    /// The client connects again.
    pub fn connect(&mut self, now: Time, options: &Options) {
        self.first_index = self.next_index;
        let delivered = Delivered::new(Options::nothing(options.first_sequence), options.declared);
        let old = std::mem::replace(&mut self.client, ClientSide::new(delivered, now));
        self.before = old.sequence.map(|sequence| (sequence, now));
        self.client.wanted = true;
        self.client.input = old.input;
        self.client.scripted_acks = old.scripted_acks;
        self.client.nonsense = old.nonsense;
        if self.server.inside {
            self.server.give_up("a server that still has the old session takes the new one for a part of it");
        }
        self.client.indeterminate = self.server.indeterminate;
    }

    /// Judges neither side any further.
    pub fn give_up(&mut self, why: &'static str) {
        self.server.give_up(why);
        self.client.give_up(why);
    }

    /// Whether a packet of a remote client, whose ordinal nobody knows, is one of the connection before that comes late: its number goes on
    /// from there, and is far from those of this connection.
    pub fn is_of_before(&self, now: Time, sequence: u16) -> bool {
        let near = |last: u16| age(sequence, last).min(age(last, sequence)) <= NEAR;
        let old = self.before.is_some_and(|(last, began)| now.since(began) <= FLIES_US && near(last));
        old && self.client.sequence.is_none_or(|last| age(sequence, last) > LOST_IN_A_ROW)
    }

    /// A packet is delivered. One of an earlier connection may have any effect.
    pub fn delivered(&mut self, packet: PacketId) {
        let first = self.first_index.get(packet.direction.index()).copied().unwrap_or_default();
        if packet.index < first && (self.server.inside || self.client.delivered.inside) {
            self.give_up("a packet of an earlier connection was delivered");
        }
    }
}

/// A packet that was delivered to a remote end, which counts from when the end shows that it has read it.
#[derive(Clone, Debug)]
pub struct Unread {
    /// When it was delivered.
    pub at: Time,
    /// Its number.
    pub sequence: u16,
    /// It is a hello.
    pub hello: bool,
    /// Its bytes.
    pub bytes: Vec<u8>,
}

/// Unread packets that are kept: a remote end that shows nothing for longer is judged no further.
pub const MAX_UNREAD: usize = 512;

/// Events that a remote server sent before it showed what caused them: as many as a crowd has in an outage of several seconds.
pub const MAX_EARLY: usize = 2048;

/// Remembers a value; the oldest makes room.
pub fn remember<T>(list: &mut VecDeque<T>, value: T) {
    remember_of(REMEMBERED, list, value);
}

/// Remembers a value, of so many; the oldest makes room.
pub fn remember_of<T>(most: usize, list: &mut VecDeque<T>, value: T) {
    if list.len() >= most {
        list.pop_front();
    }
    list.push_back(value);
}
