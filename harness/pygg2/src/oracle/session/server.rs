//! What is known of the server's side of a session: what it has to send, what it sent, and what was acknowledged.

use super::held::{Cause, Held};
use super::{Indeterminate, MAX_UNREAD, Unread, remember};
use crate::complete::CompleteUpdate;
use crate::constants::*;
use crate::message::{ServerEvent, Stamped};
use crate::options::Options;
use crate::serial::{age, newer};
use kit::{Time, Vantage, Writer};
use std::collections::{BTreeMap, VecDeque};

/// Packets that are remembered.
const PACKETS: usize = 512;

/// Events that are followed; a session with more is judged no further.
const FOLLOWED: usize = 4096;

/// A snapshot may be so much longer than the last one, in bytes.
const NEW_BODIES: usize = 512;

/// What a complete update has of a player, names included, in bytes.
const PLAYER_BYTES: usize = 60;

/// An event that the server has to send.
#[derive(Clone, Debug)]
pub struct Expected {
    /// What.
    pub event: ServerEvent,
    /// How many bytes it has in a packet.
    pub length: usize,
    /// Since when.
    pub at: Time,
    /// How many snapshots the client had been sent.
    pub snapshots: u32,
    /// Why.
    pub cause: Cause,
}

/// An event that the server has sent, and that the client has not acknowledged.
#[derive(Clone, Debug)]
pub struct SentEvent {
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
    /// Whether it was found in the packet that is judged.
    pub is_here: bool,
    /// Whether a remote server may have read that it was acknowledged.
    pub may_be_acknowledged: bool,
}

impl SentEvent {
    /// Whether an event of a packet is this one.
    pub fn is(&self, event: &Stamped<ServerEvent>) -> bool {
        self.created == event.created && self.event == event.what
    }
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

/// A class that the server must not announce for a player whom no cause gives it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UncausedChange {
    /// What it would send.
    pub event: ServerEvent,
    /// It stood in a packet that cannot be read; otherwise it was announced already.
    pub unreadable: bool,
}

/// How a server greets a client: its hi, and the complete update after it, which has the time. It tells sessions apart.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Greeting {
    /// The number of hi.
    pub created: u16,
    /// The complete update, if there is one.
    pub complete: Option<CompleteUpdate>,
}

impl Greeting {
    /// Of a packet that has it, by its first hi.
    pub fn of(events: &[Stamped<ServerEvent>]) -> Option<Greeting> {
        let mut events = events.iter().skip_while(|event| !matches!(event.what, ServerEvent::Hi(_)));
        let created = events.next()?.created;
        let complete = events.find_map(|event| match &event.what {
            ServerEvent::Complete(update) => Some(update.clone()),
            _ => None,
        });
        Some(Greeting { created, complete })
    }
}

/// The server's side of a session.
#[derive(Debug, Default)]
pub struct ServerSide {
    /// Why it is judged no more.
    pub indeterminate: Option<Indeterminate>,

    /// The client is admitted.
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
    /// The number of a hello that the server may accept or refuse.
    pub asked: Option<u16>,
    /// When a remote server was sent its first hello: it may be in from then on, though its hi got lost unseen.
    pub asked_first: Option<Time>,
    /// What there was when a hello came of which only the next packet shows what the server made of it; a server of ours.
    pub held: Option<Box<Held>>,
    /// Hellos to refuse.
    pub refusals: VecDeque<Refusal>,
    /// What was refused last, and why.
    pub refused: Option<Refusal>,

    /// Players who may have been dropped when it was admitted.
    pub doubtful: usize,
    /// How it greeted.
    pub greeting: Option<Greeting>,
    /// Events to send.
    pub expected: VecDeque<Expected>,
    /// Events sent.
    pub unacknowledged: Vec<SentEvent>,
    /// The players that the client was sent, and whether they live.
    pub players: BTreeMap<u8, bool>,
    /// Events that a remote server sent before it showed what caused them.
    pub early: VecDeque<(Time, ServerEvent)>,
    /// Changes of class that must not come.
    pub uncaused: VecDeque<UncausedChange>,

    /// Packets sent.
    pub sent: VecDeque<SentPacket>,
    /// The number of the newest.
    pub last_sent: Option<u16>,
    /// How many snapshots were sent.
    pub snapshots: u32,
    /// When the last snapshot was sent.
    pub snapshot_at: Time,
    /// The server's time in the last snapshot that could be read, in milliseconds, and when it was sent.
    pub clock: Option<(u32, Time)>,
    /// The first time of the server's in the session, in milliseconds, and when it was sent.
    pub origin: Option<(u32, Time)>,
    /// The snapshot after which there was a gap that was found.
    pub gap_after: Option<Time>,
    /// Packets whose base the scenario forges.
    pub forged: u32,
    /// Packets that the scenario makes unreadable.
    pub nonsense: u32,

    /// The newest acknowledgement that is good.
    pub acked: Option<u16>,
    /// When it came.
    pub acked_at: Time,
    /// When the first one came.
    pub first_acked: Option<Time>,
    /// Acknowledged packets with snapshots.
    pub bases: VecDeque<u16>,
    /// How many there were that were young enough.
    pub bases_in_all: u32,
    /// The first base used, and how many were acknowledged then.
    pub first_base: Option<(u16, u32)>,
    /// How many snapshots were sent while there was a base.
    pub usable: u32,
    /// Another base than the first was used.
    pub other_base: bool,
    /// Acknowledgements that are not good.
    pub bogus: VecDeque<u16>,

    /// The newest packet of the client that the server has to have accepted.
    pub peer_sequence: u16,
    /// The same, when the server sent last.
    pub peer_before: u16,
    /// Packets of the client that a remote server has not shown to have read; of any server, what came since the hello of
    /// a client that it may have dropped. The server's next packet to the client shows to which session they belong.
    pub unread: VecDeque<Unread>,
    /// Packets of the client that came too late.
    pub late_sequences: VecDeque<u16>,
    /// When a packet of the client was accepted last.
    pub last_received: Time,
}

impl ServerSide {
    /// The server lets the client in, whose hello is packet `sequence`.
    pub fn admit(&mut self, now: Time, sequence: u16) {
        *self = ServerSide {
            indeterminate: self.indeterminate,
            inside: true,
            since: now,
            asked_first: self.asked_first,
            unread: std::mem::take(&mut self.unread),
            snapshot_at: now,
            acked_at: now,
            last_received: now,
            peer_sequence: sequence,
            peer_before: sequence,
            ..ServerSide::default()
        };
    }

    /// The client is gone. If it has said hello since, the server may have let it in again.
    pub fn depart(&mut self) {
        (self.inside, self.left) = (false, true);
        self.expected.clear();
        let hello = self.unread.iter().position(|unread| unread.hello);
        let hello = self.unread.drain(..hello.map_or(self.unread.len(), |place| place + 1)).next_back();
        let hello = hello.filter(|unread| unread.hello);
        (self.asked, self.asked_first) = (hello.as_ref().map(|hello| hello.sequence), hello.map(|hello| hello.at));
        self.held = self.held.take().filter(|_| self.asked.is_some());
    }

    /// Whether the client has said hello since a session began that the server may have ended, so that it may have let the
    /// client in again.
    pub fn may_be_anew(&self, now: Time, vantage: Vantage) -> bool {
        let ended = vantage.remote_server || self.may_have_ended(now, vantage);
        ended && self.unread.iter().any(|unread| unread.hello)
    }

    /// Whether a server of ours may have ended the session. Whom it admits it sends hi at once.
    pub fn may_have_ended(&self, now: Time, vantage: Vantage) -> bool {
        let mute = self.last_sent.is_none() && now.since(self.since) > HELLO_US / 2;
        self.in_doubt(now, vantage) || mute && self.indeterminate.is_none()
    }

    /// Whether the server may have thrown the client out. In real time anything may have come of a client that is not
    /// judged; and among many players a remote server may have had a complete update for it, which it never could send.
    pub fn in_doubt(&self, now: Time, vantage: Vantage) -> bool {
        let crowd = vantage.remote_server && self.players.len() * PLAYER_BYTES + NEW_BODIES > MAX_PACKET_BYTES;
        crowd || self.overflow || self.silent(now) || vantage.is_remote() && self.indeterminate.is_some()
    }

    /// Whether the server may have thrown the client out, or nobody knows any more what it made of it.
    pub fn is_doubtful(&self, now: Time, vantage: Vantage) -> bool {
        self.indeterminate.is_some() || self.in_doubt(now, vantage)
    }

    /// Whether the client was sent nothing yet. If its session may have ended nevertheless, as its first packet was too long,
    /// nothing tells in which session it is greeted.
    pub fn is_untold(&self) -> bool {
        self.last_sent.is_none() && self.greeting.is_none()
    }

    /// Whether the packet `sequence` is of another session than those before: it greets as if from the beginning, and
    /// otherwise than the session did, or with a number that the session had for something else.
    pub fn is_of_another(&self, now: Time, sequence: u16, greeting: &Greeting, bytes: &[u8]) -> bool {
        let Some(own) = &self.greeting else {
            return self.last_sent.is_none() && now.since(self.since) > HELLO_US / 2;
        };
        let renumbered = self.last_sent.is_some_and(|last| !newer(sequence, last))
            && self.packet(sequence).is_some_and(|packet| packet.bytes != bytes);
        let other = own.complete.is_some() && greeting.complete.is_some() && own.complete != greeting.complete;
        own.created == greeting.created && (renumbered || other)
    }

    /// Remembers how the server greets.
    pub fn greeted(&mut self, greeting: Greeting) {
        let new = self.greeting.as_ref().is_none_or(|own| own.complete.is_none() && own.created == greeting.created);
        if self.inside && new {
            self.greeting = Some(greeting);
        }
    }

    /// Whether the client was sent, or is to be sent, that this player has joined; none if the server alone knows.
    pub fn is_announced(&self, id: u8) -> Option<bool> {
        let joins =
            |expected: &&Expected| matches!(expected.event, ServerEvent::Join { id: joins, .. } if joins == id.into());
        let joins = self.expected.iter().find(joins).map(|expected| expected.cause);
        if self.players.contains_key(&id) || joins.is_some_and(|cause| cause != Cause::Perhaps) {
            return Some(true);
        }
        joins.is_none().then_some(false)
    }

    /// Judges it no further.
    pub fn give_up(&mut self, why: &'static str) {
        self.indeterminate.get_or_insert(Indeterminate { why });
    }

    /// Whether the client is in and judged.
    pub fn is_judged(&self) -> bool {
        self.inside && self.indeterminate.is_none()
    }

    /// A packet of the client is delivered to a remote server.
    pub fn put(&mut self, unread: Unread) {
        if self.silent(unread.at) {
            self.give_up("the server may have dropped the client, which is not announced");
        }
        self.last_received = unread.at;
        if self.unread.len() >= MAX_UNREAD {
            self.unread.pop_front();
        }
        self.unread.push_back(unread);
    }

    /// A packet of a client that the server may have admitted again is delivered.
    pub fn hold(&mut self, unread: Unread) {
        if self.unread.len() < MAX_UNREAD {
            self.unread.push_back(unread);
        }
    }

    /// What a remote server has read that acknowledges `sequence`: all delivered up to that packet, which comes last. Of
    /// those before it any may have been lost after the point of observation.
    pub fn read_up_to(&mut self, sequence: u16) -> Vec<Unread> {
        let new = newer(sequence, self.peer_sequence);
        let place = self.unread.iter().position(|unread| new && unread.sequence == sequence);
        place.map(|place| self.unread.drain(..=place).collect()).unwrap_or_default()
    }

    /// Whether the server may have taken the client for gone.
    pub fn may_be_gone(&self, now: Time) -> bool {
        self.indeterminate.is_some() || self.overflow || self.silent(now)
    }

    /// Whether the server has received nothing from the client for so long that it may have dropped it.
    pub fn silent(&self, now: Time) -> bool {
        now.since(self.last_received) > SILENCE_US * 9 / 10
    }

    /// Expects an event of the server.
    pub fn expect(&mut self, at: Time, event: &ServerEvent, cause: Cause) {
        if let Some(held) = &mut self.held {
            held.remember(at, event, cause);
        }
        if !self.is_judged() {
            return;
        }
        if let Some(place) = self.early.iter().position(|(sent, early)| *sent >= at && early == event) {
            self.early.remove(place);
            return;
        }
        let length = bytes_of(event, 0).len();
        self.expected.push_back(Expected { event: event.clone(), length, at, snapshots: self.snapshots, cause });
        if self.expected.len() + self.unacknowledged.len() > FOLLOWED {
            self.give_up("more events than are followed");
            self.expected.clear();
            self.unacknowledged.clear();
        }
        self.measure(false, true);
    }

    /// Measures what is not acknowledged. Who may have been dropped has not been, if the server `spoke`. Without what
    /// the scenario `instructed`, the events that wait for the next snapshot are not known.
    pub fn measure(&mut self, spoke: bool, instructed: bool) {
        let count = self.expected.len() + self.unacknowledged.len();
        let bytes = if count > 8 { self.backlog() } else { 0 };
        self.too_much |= count > MAX_EVENTS || bytes > MAX_PACKET_BYTES;
        // Bodies may have come since the last snapshot.
        let new = if instructed { NEW_BODIES } else { MAX_PACKET_BYTES / 2 };
        let much = count > MAX_EVENTS || bytes + new > MAX_PACKET_BYTES;
        self.overflow = much || self.overflow && !spoke;
    }

    /// How long a packet with all that is not acknowledged is, with a snapshot like the last one.
    fn backlog(&self) -> usize {
        let expected = self.expected.iter().map(|expected| expected.length);
        let sent = self.unacknowledged.iter().map(|sent| sent.bytes.len());
        let snapshot = self.sent.iter().rev().find_map(|packet| packet.snapshot.as_ref()).map_or(0, Vec::len);
        SERVER_HEADER_BYTES + expected.chain(sent).sum::<usize>() + RECORD_BYTES + 2 + snapshot
    }

    /// A packet that the server sent.
    pub fn packet(&self, sequence: u16) -> Option<&SentPacket> {
        self.sent.iter().rev().find(|packet| packet.sequence == sequence)
    }

    /// Remembers a packet that the server sent.
    pub fn remember_packet(&mut self, packet: SentPacket) {
        self.last_sent = Some(packet.sequence);
        self.remember_late(packet);
    }

    /// Remembers a packet that others may have overtaken.
    pub fn remember_late(&mut self, packet: SentPacket) {
        if self.sent.len() >= PACKETS {
            self.sent.pop_front();
        }
        self.sent.push_back(packet);
    }

    /// Remembers an event that the server sent for the first time.
    pub fn remember_event(&mut self, now: Time, created: u16, event: &ServerEvent) {
        match event {
            ServerEvent::Join { id, .. } => _ = self.players.entry(*id as u8).or_default(),
            ServerEvent::Left { id } => _ = self.players.remove(id),
            ServerEvent::Spawn { id, .. } => self.lives(*id, true),
            ServerEvent::Die { id } => self.lives(*id, false),
            ServerEvent::Complete(update) => {
                update.players.iter().for_each(|stats| self.lives(stats.id, stats.living.is_some()));
            }
            _ => {}
        }
        let bytes = bytes_of(event, created);
        self.unacknowledged.push(SentEvent {
            created,
            event: event.clone(),
            bytes,
            seen: now,
            times: 1,
            is_here: true,
            may_be_acknowledged: false,
        });
    }

    /// The event at this place of a packet, as it was sent before; mostly it stood in the same place.
    pub fn sent_before(&mut self, event: &Stamped<ServerEvent>, place: usize) -> Option<&mut SentEvent> {
        let fits = |sent: &SentEvent| !sent.is_here && sent.is(event);
        let sent = &mut self.unacknowledged;
        let place = if sent.get(place).is_some_and(fits) { Some(place) } else { sent.iter().position(fits) };
        place.and_then(|place| sent.get_mut(place))
    }

    fn lives(&mut self, id: u8, lives: bool) {
        self.players.entry(id).and_modify(|held| *held = lives);
    }

    /// An acknowledgement reaches the server. Whether it is a good one that says something new.
    pub fn receive_ack(&mut self, now: Time, ack: u16, first_sequence: u16) -> bool {
        let Some(last) = self.last_sent else { return false };
        let oldest = self.acked.unwrap_or(first_sequence);
        if ack != last && !newer(last, ack) || newer(oldest, ack) {
            if self.acked.is_some() || ack != Options::nothing(first_sequence) {
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
        self.may_use(ack);
        self.unacknowledged.retain(|sent| newer(sent.created, ack));
        true
    }

    /// A remote server may have read this acknowledgement, before the newest that it has read.
    pub fn may_read_ack(&mut self, ack: u16) {
        self.may_use(ack);
        let sent = self.last_sent.is_some_and(|last| ack == last || newer(last, ack));
        for event in self.unacknowledged.iter_mut().filter(|event| sent && !newer(event.created, ack)) {
            event.may_be_acknowledged = true;
        }
    }

    /// An acknowledged packet, if it had a snapshot, may be a base.
    pub fn may_use(&mut self, ack: u16) {
        if self.packet(ack).is_some_and(|packet| packet.snapshot.is_some()) && !self.bases.contains(&ack) {
            remember(&mut self.bases, ack);
            // What is too old for the next packet already never is one.
            let young = self.last_sent.is_some_and(|last| age(last.wrapping_add(1), ack) < BUFFERED);
            self.bases_in_all += u32::from(young);
        }
    }
}

/// An event as it stands in a packet.
fn bytes_of(event: &ServerEvent, created: u16) -> Vec<u8> {
    let mut bytes = Vec::new();
    event.write(&mut Writer::new(&mut bytes), created);
    bytes
}
