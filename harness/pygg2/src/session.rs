//! What a server knows of one client: its events that are not acknowledged, its snapshots, its acknowledgements.

use crate::constants::*;
use crate::liberties::{BaseChoice, Liberties};
use crate::message::{self, ClientHeader, Difference, ServerEvent, ServerHeader};
use crate::options::Options;
use crate::ring::Ring;
use crate::rules::*;
use crate::serial::{age, newer};
use crate::snapshot;
use kit::{PeerId, Time, Writer};
use std::collections::VecDeque;

/// Acknowledged snapshots that are remembered; older ones are too old for a base.
const REMEMBERED: usize = BUFFERED as usize;

/// An event that the client has not acknowledged.
#[derive(Clone, Debug)]
struct Waiting {
    /// The number of the first packet that carried it; none before that.
    created: Option<u16>,
    made: Time,
    due: Time,
    event: ServerEvent,
}

/// Why a session ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ending {
    /// The client has left.
    Left,
    /// Nothing was heard of it for too long.
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
    rules: ServerRules,
    liberties: Liberties,
    first: u16,
    next: u16,
    last_sent: Option<u16>,
    acked: Option<u16>,
    /// Acknowledged packets with snapshots, oldest first.
    bases: VecDeque<u16>,
    first_base: Option<u16>,
    peer_sequence: u16,
    heard: Time,
    waiting: VecDeque<Waiting>,
    ring: Ring,
    snapshots_sent: u32,
    content: Vec<u8>,
    tick_us: u64,
    snapshot_due: bool,
    unknown_bases: u32,
    nonsense: Option<Nonsense>,
    ending: Option<Ending>,
}

impl Session {
    /// A client whose hello had the number `sequence`.
    pub fn new(peer: PeerId, now: Time, sequence: u16, rules: &Rules, options: &Options) -> Session {
        Session {
            peer,
            rules: rules.server,
            liberties: rules.liberties,
            first: options.first_sequence,
            next: options.first_sequence,
            last_sent: None,
            acked: None,
            bases: VecDeque::new(),
            first_base: None,
            peer_sequence: sequence,
            heard: now,
            waiting: VecDeque::new(),
            ring: Ring::new(BUFFERED.into()),
            snapshots_sent: 0,
            content: Vec::new(),
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
        let delay = if hi { 0 } else { u64::from(self.rules.event_delay_ticks) * self.tick_us };
        self.waiting.push_back(Waiting { created: None, made: now, due: now.after(delay), event });
        if self.rules.kicks && self.waiting.len() > MAX_EVENTS {
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
        self.snapshot_due = true;
        if now.since(self.heard) > SILENCE_US {
            self.end(Ending::Silence);
        }
        if let Forgotten::After(us) = self.rules.forgotten {
            self.waiting.retain(|waiting| now.since(waiting.made) < us);
        }
    }

    /// Takes the header of a client's packet. The number of the packet before it, if the rest is to be taken.
    pub fn take_header(&mut self, now: Time, header: &ClientHeader) -> Option<u16> {
        let before = self.peer_sequence;
        if !(self.rules.newer)(header.sequence, before) && self.rules.late != Late::Taken {
            return None;
        }
        self.peer_sequence = header.sequence;
        self.heard = now;
        Some(before)
    }

    /// Takes an acknowledgement. Whether it told anything new.
    pub fn take_ack(&mut self, ack: u16) -> bool {
        let Some(last) = self.last_sent else { return false };
        let oldest = self.acked.unwrap_or(self.first);
        let plausible = !newer(ack, last) && !newer(oldest, ack);
        if self.acked == Some(ack) || (self.rules.checks_acks && !plausible) {
            return false;
        }
        if self.acked.is_none() && ack == Options::nothing(self.first) {
            return false;
        }
        self.acked = Some(ack);
        if self.ring.get(ack).is_some() || self.rules.base == BaseRule::AnyPacket {
            self.bases.push_back(ack);
            self.first_base.get_or_insert(ack);
            if self.bases.len() > REMEMBERED {
                self.bases.pop_front();
            }
        }
        match self.rules.forgotten {
            Forgotten::All => self.waiting.retain(|waiting| waiting.created.is_none()),
            Forgotten::Never | Forgotten::After(_) => {}
            Forgotten::Covered | Forgotten::ByAnybody => {
                let event_newer = self.rules.event_newer;
                self.waiting.retain(|waiting| waiting.created.is_none_or(|created| event_newer(created, ack)));
            }
        }
        true
    }

    /// Another client has acknowledged.
    pub fn another_acked(&mut self) {
        if self.rules.forgotten == Forgotten::ByAnybody {
            self.waiting.retain(|waiting| waiting.created.is_none());
        }
    }

    /// The packet to send next, if there is one. `snapshot` makes the snapshot for this client.
    pub fn poll_transmit(
        &mut self,
        now: Time,
        shared: &mut u16,
        snapshot: impl FnOnce(&Session) -> Vec<u8>,
        out: &mut Vec<u8>,
    ) -> bool {
        if self.ending.is_some() {
            return false;
        }
        if let Some(nonsense) = self.nonsense.take() {
            let sequence = self.number(true, shared);
            self.write_nonsense(nonsense, sequence, out);
            return true;
        }
        let at_once = self.liberties.event_packets == crate::liberties::EventPackets::AtOnce;
        let fresh = self.waiting.iter().any(|waiting| waiting.created.is_none() && waiting.due <= now);
        if fresh && at_once && !self.snapshot_due {
            return self.compose(now, shared, None, out);
        }
        if !std::mem::take(&mut self.snapshot_due) {
            return false;
        }
        let bytes = snapshot(self);
        let unchanged = bytes.get(4..) == self.content.get(4..);
        if self.rules.snapshots == Snapshots::WhenChanged && unchanged {
            return fresh && self.compose(now, shared, None, out);
        }
        self.content.clone_from(&bytes);
        self.compose(now, shared, Some(bytes), out)
    }

    fn number(&mut self, with_snapshot: bool, shared: &mut u16) -> u16 {
        let step = 1 + self.liberties.gap;
        let sequence = match self.rules.numbering {
            Numbering::Shared => {
                let sequence = *shared;
                *shared = shared.wrapping_add(step);
                sequence
            }
            Numbering::Repeated if !with_snapshot && self.last_sent.is_some() => return self.next.wrapping_sub(step),
            _ => self.next,
        };
        self.next = sequence.wrapping_add(step);
        self.last_sent = Some(sequence);
        sequence
    }

    /// Writes a packet; none, and the end, if it would be too long.
    fn compose(&mut self, now: Time, shared: &mut u16, snapshot: Option<Vec<u8>>, out: &mut Vec<u8>) -> bool {
        let sequence = self.number(snapshot.is_some(), shared);
        for waiting in self.waiting.iter_mut().filter(|waiting| waiting.due <= now) {
            waiting.created.get_or_insert(sequence);
        }
        let mut delta_sequence = sequence;
        let mut base = None;
        if snapshot.is_some() {
            self.snapshots_sent += 1;
            base = self.base(sequence);
            delta_sequence = match (self.rules.base_name, &base) {
                (BaseName::LastSent, Some(_)) => sequence.wrapping_sub(1 + self.liberties.gap),
                (BaseName::ZeroForNone, None) => 0,
                (_, Some((named, _))) => *named,
                (_, None) => sequence,
            };
        }
        let forged = snapshot.is_some() && self.unknown_bases > 0;
        if forged {
            self.unknown_bases -= 1;
            delta_sequence = sequence.wrapping_add(7);
            base = None;
        }
        let start = out.len();
        let mut w = Writer::new(out);
        ServerHeader { sequence, delta_sequence, last_acked_sequence: self.peer_sequence }.write(&mut w);
        self.write_events(&mut w, base.as_ref().map(|(_, bytes)| bytes.as_slice()));
        if let Some(bytes) = snapshot {
            let old = base.as_ref().map_or(&[][..], |(_, bytes)| bytes.as_slice());
            let mut xored = if old.is_empty() { bytes.clone() } else { (self.rules.combine)(&bytes, old) };
            if self.rules.cut_to_base && base.is_some() {
                xored.truncate(old.len());
            }
            message::write_snapshot(&mut w, sequence, &Difference { xored, runs: self.liberties.runs });
            if !forged {
                self.ring.keep(sequence, bytes);
            }
        }
        match self.rules.repeats {
            Repeats::None => self.waiting.retain(|waiting| waiting.created.is_none()),
            _ if !self.rules.repeats_hi => self.waiting.retain(|waiting| !is_greeting(&waiting.event)),
            _ => {}
        }
        if self.rules.kicks && out.len() - start > MAX_PACKET_BYTES {
            out.truncate(start);
            self.end(Ending::Overflow);
            return false;
        }
        true
    }

    fn write_events(&self, w: &mut Writer<'_>, base: Option<&[u8]>) {
        let sent = self.waiting.iter().filter_map(|waiting| Some((waiting.created?, &waiting.event)));
        let skipped = match self.rules.repeats {
            Repeats::Newest => sent.clone().count().saturating_sub(1),
            _ => 0,
        };
        let mut bytes = Vec::new();
        let mut events = Writer::new(&mut bytes);
        sent.skip(skipped).for_each(|(created, event)| event.write(&mut events, created));
        match base {
            Some(base) if self.rules.xors_events => w.bytes("events", &snapshot::xor(&bytes, base)),
            _ => w.bytes("events", &bytes),
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
    fn base(&self, sequence: u16) -> Option<(u16, Vec<u8>)> {
        let every = self.liberties.absolute_every;
        if self.liberties.base == BaseChoice::None || (every > 0 && self.snapshots_sent.is_multiple_of(every)) {
            return None;
        }
        let young = |base: u16| age(sequence, base) < BUFFERED;
        let held = |base: u16| Some((base, self.ring.get(base)?.to_vec()));
        let mut young_bases = self.bases.iter().copied().filter(|base| young(*base));
        match self.rules.base {
            BaseRule::Acknowledged => match self.liberties.base {
                BaseChoice::Oldest => young_bases.next().and_then(held),
                _ => young_bases.next_back().and_then(held),
            },
            BaseRule::First => self.first_base.filter(|base| young(*base)).and_then(held),
            BaseRule::LastSent => self.ring.newest().map(|(base, bytes)| (base, bytes.to_vec())),
            BaseRule::AnyPacket => {
                let base = young_bases.next_back()?;
                Some(held(base).unwrap_or((base, Vec::new())))
            }
            BaseRule::OfAnyAge => {
                let base = *self.bases.back()?;
                held(base).or_else(|| self.ring.oldest().map(|(_, bytes)| (base, bytes.to_vec())))
            }
        }
    }
}

/// Whether an event belongs to the greeting of a new client.
fn is_greeting(event: &ServerEvent) -> bool {
    matches!(event, ServerEvent::Hi(_) | ServerEvent::Complete(_))
}
