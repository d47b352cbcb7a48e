//! What the oracle keeps of one client and the server's side of it.

use super::mirror::{Applied, Mirror, Verdict, remember};
use crate::constants::*;
use crate::message::{ClientEvent, Input, ServerEvent};
use crate::options::Options;
use crate::serial::newer;
use kit::{HostId, PacketId, Time, Writer};
use std::collections::VecDeque;

/// Packets that are remembered.
const PACKETS: usize = 512;

/// Events that are followed; a link with more is judged no further.
const FOLLOWED: usize = 4096;

/// A snapshot may be so much longer than the last one, in bytes.
const NEW_BODIES: usize = 512;

/// Why an event is expected.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cause {
    /// The answer to a hello.
    Hi,
    /// Part of a complete update; the number tells one from the next.
    Complete(u32),
    /// Something in the game.
    Game,
    /// A client's wish: of this player.
    Client(u16),
    /// A client is gone; when the server took it for gone among other events, it alone knows.
    Departure,
}

/// An event that the server has to send.
#[derive(Clone, Debug)]
pub struct Expected {
    /// What.
    pub event: ServerEvent,
    /// Since when.
    pub at: Time,
    /// Why.
    pub cause: Cause,
}

/// An event that the server has sent, and that the client has not acknowledged.
#[derive(Clone, Debug)]
pub struct Known {
    /// Its number.
    pub created: u16,
    /// It.
    pub event: ServerEvent,
    /// Its bytes, number included.
    pub bytes: Vec<u8>,
    /// When a packet had it last.
    pub seen: Time,
    /// How many packets had it.
    pub times: u32,
}

/// A packet that the server sent.
#[derive(Clone, Debug)]
pub struct SentPacket {
    /// Its number.
    pub sequence: u16,
    /// The snapshot in it, without XOR.
    pub snapshot: Option<Vec<u8>>,
    /// Its bytes.
    pub bytes: Vec<u8>,
    /// Whether it got lost.
    pub lost: bool,
}

/// A hello that is to be refused.
#[derive(Clone, Copy, Debug)]
pub struct Refusal {
    /// Since when.
    pub at: Time,
    /// Why.
    pub reason: u8,
    /// The server is full, too.
    pub both: bool,
}

/// One client and the server's side of it.
#[derive(Debug)]
pub struct Link {
    /// The client.
    pub host: HostId,
    /// What happens here can no longer be known: nothing is judged.
    pub off: bool,

    /// Per direction, the index of the next packet; and of the first of the present connection.
    pub next_index: [u32; 2],
    /// Packets before these belong to an earlier connection, which nothing on the wire tells from this one.
    pub first_index: [u32; 2],

    /// The server has let it in.
    pub inside: bool,
    /// Since when.
    pub since: Time,
    /// The server may have thrown it out: it leaves too much unacknowledged.
    pub overflow: bool,
    /// It left too much unacknowledged.
    pub too_much: bool,
    /// It was in, and is not any more.
    pub left: bool,
    /// A packet that was no hello came from it, though it was never in.
    pub strayed: bool,
    /// Hellos to refuse.
    pub refusals: VecDeque<Refusal>,
    /// What was refused last, and why.
    pub refused: Option<Refusal>,
    /// What the server has to send.
    pub expected: VecDeque<Expected>,
    /// What it sent.
    pub ledger: Vec<Known>,
    /// Packets that it sent.
    pub sent: VecDeque<SentPacket>,
    /// The number of the newest.
    pub last_sent: Option<u16>,
    /// When it sent the last snapshot.
    pub snapshot_at: Time,
    /// The server's time in the last snapshot that could be read, in milliseconds, and when it was sent.
    pub clock: Option<(u32, Time)>,
    /// The snapshot after which there was a gap that was found.
    pub gap_told: Option<Time>,
    /// The newest acknowledgement that is good.
    pub acked: Option<u16>,
    /// When it came.
    pub acked_at: Time,
    /// When the first one came.
    pub first_acked: Option<Time>,
    /// Acknowledged packets with snapshots.
    pub bases: VecDeque<u16>,
    /// How many there were.
    pub bases_in_all: u32,
    /// The first base used, and how many others.
    pub first_base: Option<u16>,
    /// Other bases than the first were used.
    pub other_bases: bool,
    /// How many bases were acknowledged when the first was used.
    pub bases_then: u32,
    /// Acknowledgements that are not good.
    pub bogus: VecDeque<u16>,
    /// Packets whose base the scenario forges, and that the scenario makes unreadable.
    pub forged: u32,
    /// Packets that the scenario makes unreadable.
    pub nonsense: u32,
    /// The newest packet of the client that the server has to have accepted.
    pub peer_sequence: u16,
    /// The same, when the server sent last.
    pub peer_told: u16,
    /// Packets of the client that came too late.
    pub late_sequences: VecDeque<u16>,
    /// What they said.
    pub late_inputs: VecDeque<Input>,
    /// When the server heard of the client last.
    pub heard: Time,
    /// Changes of class that came from this client.
    pub class_changes: VecDeque<ServerEvent>,
    /// Changes of class in packets that cannot be read.
    pub unreadable_changes: VecDeque<ServerEvent>,

    /// The scenario wants it to be connected.
    pub wanted: bool,
    /// The client's own conduct is judged.
    pub judged: bool,
    /// The newest packet of the client.
    pub client_sequence: Option<u16>,
    /// When it sent it.
    pub client_sent: Time,
    /// When it sent its last hello, and the first.
    pub hello_sent: Option<Time>,
    /// Its last acknowledgement.
    pub client_ack: Option<u16>,
    /// Events of it that are not acknowledged, by number.
    pub waiting: VecDeque<(u16, ClientEvent)>,
    /// Events that the scenario wants of it.
    pub wishes: VecDeque<(Time, ClientEvent)>,
    /// What the scenario has it do.
    pub input: Input,
    /// When that changed last.
    pub input_at: Time,
    /// Acknowledgements that the scenario makes it send.
    pub scripted_acks: VecDeque<u16>,
    /// Unreadable packets that the scenario makes it send.
    pub client_nonsense: u32,
    /// When something unreadable was delivered to it.
    pub unreadable_at: Option<Time>,
    /// When anything was delivered to it that had an effect.
    pub served: Time,
    /// What a client that does everything right would hold.
    pub mirror: Mirror,
    /// The mirror before the last delivery.
    pub before: Option<Mirror>,
    /// What the last delivery was.
    pub verdict: Option<Verdict>,
    /// What the client said that it applied since.
    pub shown: Vec<Applied>,
    /// What the client showed differed; it is compared no more.
    pub differs: bool,
}

impl Link {
    /// Before anything has happened.
    pub fn new(host: HostId, options: &Options) -> Link {
        Link {
            host,
            off: false,
            next_index: [0; 2],
            first_index: [0; 2],
            inside: false,
            since: Time::ZERO,
            overflow: false,
            too_much: false,
            left: false,
            strayed: false,
            refusals: VecDeque::new(),
            refused: None,
            expected: VecDeque::new(),
            ledger: Vec::new(),
            sent: VecDeque::new(),
            last_sent: None,
            snapshot_at: Time::ZERO,
            gap_told: None,
            clock: None,
            acked: None,
            acked_at: Time::ZERO,
            first_acked: None,
            bases: VecDeque::new(),
            bases_in_all: 0,
            first_base: None,
            other_bases: false,
            bases_then: 0,
            bogus: VecDeque::new(),
            forged: 0,
            nonsense: 0,
            peer_sequence: 0,
            peer_told: 0,
            late_sequences: VecDeque::new(),
            late_inputs: VecDeque::new(),
            heard: Time::ZERO,
            class_changes: VecDeque::new(),
            unreadable_changes: VecDeque::new(),
            wanted: false,
            judged: true,
            client_sequence: None,
            client_sent: Time::ZERO,
            hello_sent: None,
            client_ack: None,
            waiting: VecDeque::new(),
            wishes: VecDeque::new(),
            input: Input::default(),
            input_at: Time::ZERO,
            scripted_acks: VecDeque::new(),
            client_nonsense: 0,
            unreadable_at: None,
            served: Time::ZERO,
            mirror: Mirror::new(Options::nothing(options.first_sequence), options.declared),
            before: None,
            verdict: None,
            shown: Vec::new(),
            differs: false,
        }
    }

    /// The server lets it in.
    pub fn admit(&mut self, now: Time, sequence: u16, options: &Options) {
        let fresh = Link::new(self.host, options);
        let old = std::mem::replace(self, fresh);
        *self = Link {
            inside: true,
            since: now,
            snapshot_at: now,
            acked_at: now,
            heard: now,
            peer_sequence: sequence,
            peer_told: sequence,
            off: old.off,
            next_index: old.next_index,
            first_index: old.first_index,
            wanted: old.wanted,
            judged: old.judged,
            client_sequence: old.client_sequence,
            client_sent: old.client_sent,
            hello_sent: old.hello_sent,
            client_ack: old.client_ack,
            waiting: old.waiting,
            wishes: old.wishes,
            input: old.input,
            input_at: old.input_at,
            scripted_acks: old.scripted_acks,
            client_nonsense: old.client_nonsense,
            unreadable_at: old.unreadable_at,
            served: old.served,
            mirror: old.mirror,
            before: old.before,
            verdict: old.verdict,
            shown: old.shown,
            differs: old.differs,
            ..Link::new(self.host, options)
        };
    }

    /// The client connects anew.
    pub fn connect(&mut self, now: Time, options: &Options) {
        self.wanted = true;
        self.first_index = self.next_index;
        self.client_sequence = None;
        self.client_sent = now;
        self.hello_sent = None;
        self.client_ack = None;
        self.waiting.clear();
        self.wishes.clear();
        self.unreadable_at = None;
        self.served = now;
        self.mirror = Mirror::new(Options::nothing(options.first_sequence), options.declared);
        (self.before, self.verdict) = (None, None);
        self.shown.clear();
        self.differs = false;
        // A server that still has the old session takes this for a part of it, and the client hears of it.
        self.off |= self.inside;
        self.judged = !self.off;
    }

    /// A packet is delivered. One of an earlier connection may have any effect: nothing is judged from there on.
    pub fn delivered(&mut self, packet: PacketId) {
        let first = self.first_index.get(packet.direction.index()).copied().unwrap_or_default();
        if packet.index < first && self.inside {
            (self.off, self.judged) = (true, false);
        }
    }

    /// Whether the server may have taken it for gone.
    pub fn may_be_gone(&self, now: Time) -> bool {
        self.off || self.overflow || self.silent(now)
    }

    /// Whether the server has not heard of it for so long that it may have thrown it out.
    pub fn silent(&self, now: Time) -> bool {
        now.since(self.heard) > SILENCE_US * 9 / 10
    }

    /// Expects an event of the server.
    pub fn expect(&mut self, at: Time, event: &ServerEvent, cause: Cause) {
        if !self.inside || self.off {
            return;
        }
        self.expected.push_back(Expected { event: event.clone(), at, cause });
        let count = self.expected.len() + self.ledger.len();
        if count > FOLLOWED {
            self.off = true;
            self.expected.clear();
            self.ledger.clear();
        }
        self.measure(false);
    }

    /// Measures what is not acknowledged. Who may have been thrown out has not been, if the server `spoke`.
    pub fn measure(&mut self, spoke: bool) {
        let count = self.expected.len() + self.ledger.len();
        let bytes = if count > 8 { self.backlog() } else { 0 };
        self.too_much |= count > MAX_EVENTS || bytes > MAX_PACKET_BYTES;
        // Bodies may have come since the last snapshot.
        let much = count > MAX_EVENTS || bytes + NEW_BODIES > MAX_PACKET_BYTES;
        self.overflow = much || self.overflow && !spoke;
    }

    /// How long a packet with all that is not acknowledged is, with a snapshot like the last one.
    fn backlog(&self) -> usize {
        let waiting = self.expected.iter().map(|expected| bytes_of(&expected.event, 0).len());
        let known = self.ledger.iter().map(|known| known.bytes.len());
        let snapshot = self.sent.iter().rev().find_map(|packet| packet.snapshot.as_ref()).map_or(0, Vec::len);
        SERVER_HEADER_BYTES + waiting.chain(known).sum::<usize>() + RECORD_BYTES + 2 + snapshot
    }

    /// A packet that the server sent.
    pub fn packet(&self, sequence: u16) -> Option<&SentPacket> {
        self.sent.iter().rev().find(|packet| packet.sequence == sequence)
    }

    /// Remembers a packet that the server sent.
    pub fn remember_packet(&mut self, packet: SentPacket) {
        self.last_sent = Some(packet.sequence);
        if self.sent.len() >= PACKETS {
            self.sent.pop_front();
        }
        self.sent.push_back(packet);
    }

    /// The server hears an acknowledgement. Whether it was a good one that told something new.
    pub fn hear_ack(&mut self, now: Time, ack: u16, options: &Options) -> bool {
        let Some(last) = self.last_sent else { return false };
        let oldest = self.acked.unwrap_or(options.first_sequence);
        if newer(ack, last) || newer(oldest, ack) {
            let nothing = self.acked.is_none() && ack == Options::nothing(options.first_sequence);
            if !nothing {
                remember(&mut self.bogus, ack);
            }
            return false;
        }
        if self.acked == Some(ack) {
            return false;
        }
        self.acked = Some(ack);
        self.acked_at = now;
        self.first_acked.get_or_insert(now);
        if self.packet(ack).is_some_and(|packet| packet.snapshot.is_some()) {
            remember(&mut self.bases, ack);
            self.bases_in_all += 1;
        }
        self.ledger.retain(|known| newer(known.created, ack));
        true
    }
}

/// An event as it stands in a packet.
pub fn bytes_of(event: &ServerEvent, created: u16) -> Vec<u8> {
    let mut bytes = Vec::new();
    event.write(&mut Writer::new(&mut bytes), created);
    bytes
}
