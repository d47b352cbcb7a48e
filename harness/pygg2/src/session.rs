//! What a server knows of one client: its events that are not acknowledged, its snapshots, its acknowledgements.

pub mod rules;

use crate::constants::*;
use crate::latitude::{BaseChoice, EventPackets, Latitude};
use crate::message::{self, ClientHeader, Difference, ServerEvent, ServerHeader};
use crate::options::Options;
use crate::ring::Ring;
use crate::serial::{age, newer};
use kit::{PeerId, Time, Writer};
use rules::{NumberedSnapshot, ServerRules};
use std::collections::VecDeque;

/// Acknowledged snapshots that are remembered; older ones are too old for a base.
const REMEMBERED: usize = BUFFERED as usize;

/// An event that the client has not acknowledged.
#[derive(Clone, Debug)]
pub struct Pending {
    /// The number of the first packet that carried it; none before that.
    pub created: Option<u16>,
    /// When it happened.
    pub made: Time,
    /// When it is to be sent.
    pub due: Time,
    /// It.
    pub event: ServerEvent,
}

/// When a server asks whether an event stays in the buffer.
#[derive(Clone, Copy, Debug)]
pub enum Occasion {
    /// Time goes on.
    Tick(Time),
    /// The client has acknowledged this packet.
    Acked(u16),
    /// Another client has acknowledged one.
    AnotherAcked,
    /// It was sent.
    Sent,
}

/// Whether an event stays: until a packet that had it is acknowledged.
pub fn keeps(pending: &Pending, occasion: Occasion) -> bool {
    match occasion {
        // GG2-EVT-05
        Occasion::Acked(ack) => pending.created.is_none_or(|created| newer(created, ack)),
        // GG2-EVT-06
        Occasion::Tick(_) | Occasion::AnotherAcked | Occasion::Sent => true,
    }
}

/// The base of packet `sequence`: a snapshot that the client has acknowledged, and that is young enough.
pub fn acknowledged_base(session: &Session, sequence: u16) -> Option<NumberedSnapshot<'_>> {
    // GG2-DLT-05
    let mut young = session.bases.iter().copied().filter(|&base| age(sequence, base) < BUFFERED);
    // GG2-DLT-03
    let base = if session.latitude.base == BaseChoice::Oldest { young.next() } else { young.next_back() };
    session.held(base?)
}

/// Events are never XORed.
pub fn as_they_are(_: &mut [u8], _: &[u8]) {
    // GG2-DLT-09
}

/// Whether an acknowledgement counts: of the `last` packet sent or one that it is newer than, and not older than the one
/// `before`. Of two numbers half a circle apart neither is newer.
pub fn ack_counts(ack: u16, last: u16, before: u16) -> bool {
    // GG2-ACK-07
    (ack == last || newer(last, ack)) && !newer(before, ack)
}

/// Why a session ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ending {
    /// The client has left.
    Left,
    /// Nothing was received from it for too long.
    Silence,
    /// It left too much unacknowledged.
    Overflow,
}

impl Ending {
    /// In words.
    pub fn cause(self) -> &'static str {
        match self {
            Ending::Left => "disconnect",
            Ending::Silence => "silence",
            Ending::Overflow => "overflow",
        }
    }
}

/// A packet that makes no sense on purpose, for tests of the other side.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Nonsense {
    /// A record with an id that nobody knows.
    UnknownId,
    /// A record that ends too soon.
    CutShort,
}

impl Nonsense {
    /// By the argument of a verb.
    pub fn of(kind: i32) -> Nonsense {
        if kind == 0 { Nonsense::UnknownId } else { Nonsense::CutShort }
    }

    /// The bad record.
    pub fn write(self, w: &mut Writer<'_>, created: u16) {
        w.u16_be("created", created);
        match self {
            Nonsense::UnknownId => w.bytes("nonsense", &[77, 1, 2, 3]),
            // Changes of class have at least one byte more, whoever says so.
            Nonsense::CutShort => w.u8("event", S2C_CHANGECLASS),
        }
    }
}

/// One client, as the server sees it.
#[derive(Clone, Debug)]
pub struct Session {
    peer: PeerId,
    /// The name in the client's hello.
    pub name: Vec<u8>,
    rules: ServerRules,
    latitude: Latitude,
    /// The number of the first packet.
    pub first: u16,
    next: u16,
    last_sent: Option<u16>,
    /// The newest acknowledgement.
    pub acked: Option<u16>,
    /// Acknowledged packets with snapshots, oldest first.
    pub bases: VecDeque<u16>,
    peer_sequence: u16,
    last_received: Time,
    pending: VecDeque<Pending>,
    /// The snapshots sent.
    pub ring: Ring,
    snapshots_sent: u32,
    tick_us: u64,
    snapshot_due: bool,
    unknown_bases: u32,
    nonsense: Option<Nonsense>,
    ending: Option<Ending>,
}

impl Session {
    /// A client whose hello had the number `sequence`.
    pub fn new(
        peer: PeerId,
        now: Time,
        sequence: u16,
        rules: ServerRules,
        latitude: Latitude,
        options: &Options,
    ) -> Session {
        Session {
            peer,
            name: Vec::new(),
            rules,
            latitude,
            first: options.first_sequence,
            // GG2-SEQ-05
            next: options.first_sequence,
            last_sent: None,
            acked: None,
            bases: VecDeque::new(),
            peer_sequence: sequence,
            last_received: now,
            pending: VecDeque::new(),
            ring: Ring::new(BUFFERED.into()),
            snapshots_sent: 0,
            tick_us: options.tick_us,
            snapshot_due: false,
            unknown_bases: 0,
            nonsense: None,
            ending: None,
        }
    }

    /// Who it is.
    pub fn peer(&self) -> PeerId {
        self.peer
    }

    /// The id of its player.
    pub fn id(&self) -> u8 {
        self.peer.host.0 as u8
    }

    /// Why it ended, if it did.
    pub fn ending(&self) -> Option<Ending> {
        self.ending
    }

    /// Ends it.
    pub fn end(&mut self, ending: Ending) {
        self.ending.get_or_insert(ending);
    }

    /// Appends an event to the client's buffer.
    pub fn push(&mut self, now: Time, event: ServerEvent) {
        let hi = matches!(event, ServerEvent::Hi(_));
        let delay = if hi { 0 } else { self.rules.delay_ticks * self.tick_us };
        // GG2-HS-08
        self.pending.push_back(Pending { created: None, made: now, due: now.after(delay), event });
        if self.rules.kicks && self.pending.len() > MAX_EVENTS {
            self.end(Ending::Overflow);
        }
    }

    /// The next `count` snapshots name a base that nobody has.
    pub fn forge_bases(&mut self, count: u32) {
        self.unknown_bases = count;
    }

    /// The next packet makes no sense.
    pub fn speak_nonsense(&mut self, nonsense: Nonsense) {
        self.nonsense = Some(nonsense);
    }

    /// Time for a snapshot.
    pub fn tick(&mut self, now: Time) {
        // GG2-SNAP-01
        self.snapshot_due = true;
        // GG2-ROB-05
        if now.since(self.last_received) > self.rules.silence_us {
            self.end(Ending::Silence);
        }
        self.forget(Occasion::Tick(now));
    }

    /// Takes the header of a client's packet. The number of the packet before it, if the rest is to be taken.
    pub fn take_header(&mut self, now: Time, header: &ClientHeader) -> Option<u16> {
        let before = self.peer_sequence;
        // GG2-SEQ-03
        if !(self.rules.newer)(header.sequence, before) {
            return None;
        }
        self.peer_sequence = header.sequence;
        self.last_received = now;
        Some(before)
    }

    /// Takes an acknowledgement. Whether it was a new one.
    pub fn take_ack(&mut self, ack: u16) -> bool {
        let Some(last) = self.last_sent else { return false };
        let oldest = self.acked.unwrap_or(self.first);
        let nothing = self.acked.is_none() && ack == Options::nothing(self.first);
        if self.acked == Some(ack) || nothing || !(self.rules.ack_counts)(ack, last, oldest) {
            return false;
        }
        self.acked = Some(ack);
        // GG2-DLT-10
        if self.ring.get(ack).is_some() {
            // GG2-ACK-05
            self.bases.push_back(ack);
            if self.bases.len() > REMEMBERED {
                self.bases.pop_front();
            }
        }
        self.forget(Occasion::Acked(ack));
        true
    }

    /// Forgets events that need not be kept any more.
    pub fn forget(&mut self, occasion: Occasion) {
        let keeps = self.rules.keeps;
        self.pending.retain(|pending| keeps(pending, occasion));
    }

    /// The snapshot of a packet, with the packet's number.
    pub fn held(&self, sequence: u16) -> Option<NumberedSnapshot<'_>> {
        Some((sequence, self.ring.get(sequence)?))
    }

    /// The packet to send next, if there is one. `snapshot` makes the snapshot for this client.
    pub fn poll_transmit(&mut self, now: Time, snapshot: impl FnOnce(&Session) -> Vec<u8>, out: &mut Vec<u8>) -> bool {
        if self.ending.is_some() {
            return false;
        }
        if let Some(nonsense) = self.nonsense.take() {
            let sequence = self.number();
            self.write_nonsense(nonsense, sequence, out);
            return true;
        }
        let at_once = self.latitude.event_packets == EventPackets::AtOnce;
        let unsent = |pending: &Pending| pending.created.is_none();
        // What was never sent stands last.
        let fresh = self.pending.back().is_some_and(unsent)
            && self.pending.iter().any(|pending| unsent(pending) && pending.due <= now);
        if fresh && at_once && !self.snapshot_due {
            return self.compose(now, None, out);
        }
        if !std::mem::take(&mut self.snapshot_due) {
            return false;
        }
        // GG2-SNAP-02
        let bytes = snapshot(self);
        self.compose(now, Some(bytes), out)
    }

    fn number(&mut self) -> u16 {
        let sequence = self.next;
        // GG2-SEQ-01
        self.next = sequence.wrapping_add(1 + self.latitude.gap);
        self.last_sent = Some(sequence);
        sequence
    }

    /// Writes a packet; none, and the end, if it would be too long.
    fn compose(&mut self, now: Time, snapshot: Option<Vec<u8>>, out: &mut Vec<u8>) -> bool {
        let sequence = self.number();
        for pending in self.pending.iter_mut().filter(|pending| pending.due <= now) {
            pending.created.get_or_insert(sequence);
        }
        // GG2-DLT-06
        let mut delta_sequence = sequence;
        let mut base = None;
        if snapshot.is_some() {
            self.snapshots_sent += 1;
            base = self.base(sequence);
            // GG2-DLT-02
            delta_sequence = base.map_or(sequence, |(named, _)| named);
        }
        let forged = snapshot.is_some() && self.unknown_bases > 0;
        if forged {
            delta_sequence = sequence.wrapping_add(7);
            base = None;
        }
        let start = out.len();
        // GG2-ACK-06
        ServerHeader { sequence, delta_sequence, last_acked_sequence: self.peer_sequence }.write(&mut Writer::new(out));
        // GG2-EVT-04
        self.write_events(out, base.map(|(_, bytes)| bytes));
        if let Some(bytes) = snapshot {
            let old = base.map_or(&[][..], |(_, bytes)| bytes);
            // GG2-DLT-01
            let xored = if old.is_empty() { bytes.clone() } else { (self.rules.combine)(&bytes, old) };
            message::write_snapshot(&mut Writer::new(out), sequence, &Difference { xored, runs: self.latitude.runs });
            if forged {
                self.unknown_bases -= 1;
            } else {
                self.ring.keep(sequence, bytes);
            }
        }
        self.forget(Occasion::Sent);
        // GG2-ROB-04
        if self.rules.kicks && out.len() - start > MAX_PACKET_BYTES {
            out.truncate(start);
            self.end(Ending::Overflow);
            return false;
        }
        true
    }

    fn write_events(&self, out: &mut Vec<u8>, base: Option<&[u8]>) {
        let start = out.len();
        let mut w = Writer::new(out);
        // GG2-EVT-03
        let sent = self.pending.iter().filter_map(|pending| Some((pending.created?, &pending.event)));
        sent.for_each(|(created, event)| event.write(&mut w, created));
        if let (Some(base), Some(events)) = (base, out.get_mut(start..)) {
            (self.rules.combine_events)(events, base);
        }
    }

    fn write_nonsense(&self, nonsense: Nonsense, sequence: u16, out: &mut Vec<u8>) {
        let mut w = Writer::new(out);
        let last_acked_sequence = self.peer_sequence;
        ServerHeader { sequence, delta_sequence: sequence, last_acked_sequence }.write(&mut w);
        // What a reader must not take, though it could be read.
        ServerEvent::Die { id: 0 }.write(&mut w, sequence);
        nonsense.write(&mut w, sequence);
    }

    /// The base of packet `sequence`, if it gets one.
    fn base(&self, sequence: u16) -> Option<NumberedSnapshot<'_>> {
        let every = self.latitude.absolute_every;
        let absolute = every > 0 && self.snapshots_sent.is_multiple_of(every);
        if absolute || self.latitude.base == BaseChoice::None { None } else { (self.rules.base)(self, sequence) }
    }
}
