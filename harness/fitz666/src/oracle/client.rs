//! One client and the server's side of it: everything that is known of the two, brought together.

mod playing;

use super::client_held::Beholder;
use super::connect::{Answered, Asked, Requests};
use super::coverage::{Point, Report};
use super::mirror::Mirror;
use super::movement::{Moves, Spoken};
use super::server_sent::{Sent, ServerEar};
use super::transport::{Brought, Said, Stream};
use super::truth::Truth;
use crate::options::Options;
use crate::requirements::*;
use kit::{HostId, PeerId, Reader, Requirement, Time, View};
use netquake::Packet;
use std::collections::VecDeque;

/// Datagrams of the server of which is remembered in which map they were sent.
const MAX_EPOCHS: usize = 1024;
/// A client that has to send moves begins within this, in microseconds, and so many of its ticks.
const MOVES_US: u64 = 2_000_000;
const MOVES_TICKS: u64 = 8;
/// A server that was asked for the next step of a sign-on takes it within this, in microseconds.
const STEP_US: u64 = 5_000_000;

/// A client and its server.
#[derive(Debug)]
pub struct Client {
    /// Which.
    pub host: HostId,
    /// What it was sent.
    pub sent: Sent,
    /// What it has to hold.
    pub mirror: Mirror,
    /// Its requests.
    pub requests: Requests,
    /// To the client, and from it.
    pub streams: [Stream; 2],
    /// Its moves.
    pub moves: Moves,
    /// Something was delivered damaged.
    pub tainted: bool,
    /// Something was delivered to it: it is to be looked at.
    pub look: bool,
    /// It refused what was delivered to it last.
    pub rejected: bool,
    /// It was told to connect, and was not told to leave since.
    wanted: bool,
    /// It left the connection that the server has open.
    left: bool,
    /// The server has a connection with it.
    open: bool,
    /// It has one with the server.
    connected: bool,
    /// Per direction, the first datagram of the present connection, and the one after the newest.
    first: [u32; 2],
    next: [u32; 2],
    /// In which map datagrams of the server were sent.
    epochs: VecDeque<(u32, u32)>,
    /// What was delivered to the client last.
    given: Given,
    /// What was delivered to the server last.
    taken: Given,
    /// What the client has read without complaint.
    digested: Vec<&'static str>,
    /// The number of a sound that the client says it plays, before it says where.
    playing: Option<u32>,
    /// Since when it has to send moves.
    moves_due: Option<Time>,
    /// Since when the server has to take this step of the sign-on.
    step_due: Option<(u8, Time)>,
    /// The newest unreliable datagram that the client sent.
    said: Option<u32>,
    /// Whether a move's time is known beforehand.
    sure_of_time: bool,
}

/// What somebody was given.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Given {
    /// Nothing to judge by.
    Nothing,
    /// A message that a conforming reader reads to its end.
    Readable,
    /// A fragment of a message that is not complete.
    Part,
    /// The last of several fragments of one.
    LastPart,
    /// A datagram to be discarded.
    Stale,
    /// A message with a bit that nobody defines.
    Reserved,
}

impl Client {
    /// Before its first connection.
    pub fn new(host: HostId) -> Client {
        Client {
            host,
            sent: Sent::new(host),
            mirror: Mirror::default(),
            requests: Requests::new(host),
            streams: [Stream::new(HostId::SERVER, host), Stream::new(host, HostId::SERVER)],
            moves: Moves::default(),
            tainted: false,
            look: false,
            rejected: false,
            wanted: false,
            left: false,
            open: false,
            connected: false,
            first: [0; 2],
            next: [0; 2],
            epochs: VecDeque::new(),
            given: Given::Nothing,
            taken: Given::Nothing,
            digested: Vec::new(),
            playing: None,
            moves_due: None,
            step_due: None,
            said: None,
            sure_of_time: false,
        }
    }

    /// It is told to connect.
    pub fn wants(&mut self) {
        if !std::mem::replace(&mut self.wanted, true) {
            self.first[1] = self.next[1];
            self.connected = false;
        }
    }

    /// It is told to leave.
    pub fn leaves(&mut self) {
        self.wanted = false;
        self.left = self.open;
        self.connected = false;
        self.moves_due = None;
        self.step_due = None;
    }

    /// The server ended its connection.
    pub fn closed(&mut self) {
        self.open = false;
        self.requests.closed();
        self.moves_due = None;
        self.step_due = None;
    }

    /// A map ends.
    pub fn map_ends(&mut self) {
        self.sent.between = true;
        self.moves_due = None;
    }

    /// The server is to print a number to it.
    pub fn to_print(&mut self, number: i32) {
        self.sent.to_print(number);
    }

    /// The server begins a connection: nothing of an earlier one counts.
    fn begin(&mut self) {
        self.sent = Sent::new(self.host);
        self.mirror = Mirror::default();
        self.streams = [Stream::new(HostId::SERVER, self.host), Stream::new(self.host, HostId::SERVER)];
        self.moves = Moves::default();
        self.open = true;
        self.left = false;
        self.connected = false;
        self.epochs.clear();
        self.moves_due = None;
        self.step_due = None;
        self.said = None;
        self.sure_of_time = false;
    }

    fn judged(&self) -> bool {
        self.open && !self.tainted
    }

    /// The client's state changes.
    pub fn moved_on(&mut self, peer: PeerId, to: &str, report: &mut Report, now: Time) {
        self.requests.client_moves(peer, report, now);
        if to == "disconnected" {
            self.connected = false;
            self.moves_due = None;
        }
    }

    /// The server notes an angle of the client's view.
    pub fn applied(&mut self, axis: usize, degrees: f64, report: &mut Report, now: Time) {
        if self.judged() {
            let extended = self.sent.extended();
            self.moves.applied(axis, degrees, extended, report, now);
        }
    }

    /// The server notes something else that it took from a move.
    pub fn acted(&mut self, report: &mut Report, now: Time) {
        if self.judged() {
            self.moves.acted(report, now);
        }
    }

    /// The server refuses what it was given.
    pub fn refused(&mut self, report: &mut Report, now: Time) {
        let row = match self.taken {
            _ if !self.judged() => return,
            Given::Part | Given::LastPart => &NET_06,
            Given::Readable if self.sent.extended() => &MOVE_03,
            Given::Readable => &VER_04,
            Given::Stale => &NET_02,
            Given::Nothing | Given::Reserved => return,
        };
        let client = self.host;
        report.find(row, now, HostId::SERVER, || format!("refuses what {client} said, which can be read"));
    }

    /// The client has acted on what it was given.
    pub fn settled(&mut self, view: &View, options: &Options, report: &mut Report, now: Time) {
        let rejected = std::mem::take(&mut self.rejected);
        let (host, given) = (self.host, std::mem::replace(&mut self.given, Given::Nothing));
        if !self.judged() {
            return;
        }
        if rejected {
            self.mirror.sounds.clear();
            self.mirror.prints.clear();
            let known = |row: &&&'static Requirement| !self.digested.contains(&row.id);
            let strange = self.mirror.features.iter().find(known).copied();
            let (row, what) = match given {
                Given::Readable if self.mirror.strange => return,
                Given::Readable => (strange.unwrap_or(&VER_04), "refuses a message that can be read"),
                Given::Part | Given::LastPart => (&NET_06, "refuses a part of a message"),
                Given::Stale => (&NET_02, "reads a stale datagram"),
                Given::Reserved => return report.saw(Point::ReservedBit),
                Given::Nothing => return,
            };
            report.find(row, now, host, || String::from(what));
            return;
        }
        if given == Given::Reserved {
            report.saw(Point::ReservedBit);
            report.find(&DEF_06, now, host, || String::from("reads on behind a bit that nobody defines"));
            return;
        }
        if given == Given::Nothing {
            return;
        }
        let stale = given == Given::Stale;
        let mirror = &self.mirror;
        let own = self.sent.own;
        let right = Beholder { host, mirror, view, options, stale, own, report, now }.look();
        if right && given == Given::Readable {
            for row in &self.mirror.features {
                if !self.digested.contains(&row.id) {
                    self.digested.push(row.id);
                }
            }
        }
        for due in std::mem::take(&mut self.mirror.sounds).into_iter().filter(|due| due.certain && view.valid) {
            let large = due.raw.bits & 0x18 != 0;
            let row = if large { &SND_03 } else { &SND_04 };
            report.find(row, now, host, || format!("does not play (entity, channel, sound) {:?}", due.source));
        }
        if let Some(number) = self.mirror.prints.pop_front() {
            self.mirror.prints.clear();
            report.find(&NET_06, now, host, || format!("does not print {number}, which came"));
        }
    }

    /// Time has passed: what is overdue?
    pub fn overdue(&mut self, options: &Options, report: &mut Report, now: Time) {
        if self.tainted {
            return;
        }
        self.requests.overdue(report, now);
        if !self.judged() {
            return;
        }
        if !self.connected || self.mirror.strange {
            self.streams[0].abandoned();
        }
        self.streams[0].overdue(report, now);
        if self.connected {
            self.streams[1].overdue(report, now);
        }
        if !self.mirror.active {
            // A new map has begun since: the client signs on once more.
            self.moves_due = None;
        }
        let patience = MOVES_US + MOVES_TICKS * options.client_tick_us;
        if self.moves_due.is_some_and(|since| now.since(since) > patience) {
            self.moves_due = None;
            let host = self.host;
            let what = || String::from("has an update behind the third step of its sign-on, and sends no moves");
            report.find(&ENT_16, now, host, what);
        }
        if let (Some((_, since)), true) = (&mut self.step_due, self.streams[0].is_open()) {
            // What the server said before has yet to arrive; only then is its turn.
            *since = now;
        }
        if let Some((step, _)) = self.step_due.filter(|(_, since)| now.since(*since) > STEP_US) {
            self.step_due = None;
            let client = self.host;
            report.find(&NET_06, now, HostId::SERVER, || {
                format!("does not take step {step} of the sign-on, though {client} asked for it")
            });
        }
    }
}

/// A client, and what is needed to judge.
pub struct Hearing<'a> {
    /// The client.
    pub client: &'a mut Client,
    /// What the scenario asks of both.
    pub options: &'a Options,
    /// What the scenario says.
    pub truth: &'a Truth,
    /// Number of player slots.
    pub slots: u32,
    /// Where findings go.
    pub report: &'a mut Report,
    /// The time.
    pub now: Time,
}

impl Hearing<'_> {
    /// The server sends a datagram to the client.
    pub fn server_sends(&mut self, index: u32, bytes: &[u8]) {
        let Hearing { client, options, truth, slots, report, now } = self;
        client.next[0] = index.wrapping_add(1);
        if client.tainted {
            return;
        }
        if netquake::is_control(bytes) {
            if client.requests.server_answers(bytes, report, *now) == Answered::Opened {
                // A client that is in the game as it sees it, and only was told to ask once more, takes no part in the
                // connection that its request began: the two are out of step for good.
                client.tainted = client.connected;
                client.begin();
                client.first[0] = index;
            }
            return;
        }
        if !client.judged() {
            return;
        }
        let packet = match Packet::read(&mut Reader::new(bytes)) {
            Ok(packet) => packet,
            Err(error) => {
                return report.find(&NET_01, *now, HostId::SERVER, || format!("a header is wrong: {error}"));
            }
        };
        if let Packet::Ack { sequence } = packet {
            return client.streams[1].ack_sent(sequence, report, *now);
        }
        let said = client.streams[0].sent(&packet, report, *now);
        let busy_since = client.streams[0].busy_since;
        let mut ear =
            ServerEar { sent: &mut client.sent, truth, options, slots: *slots, report, now: *now, current: true };
        match (said, packet) {
            (Said::Unreliable, Packet::Unreliable { payload, .. }) => {
                ear.message(payload, false);
                if client.epochs.len() == MAX_EPOCHS {
                    client.epochs.pop_front();
                }
                client.epochs.push_back((index, client.sent.epoch));
            }
            (Said::Reliable(message), _) => {
                ear.current = truth.changed <= busy_since;
                ear.message(&message, true);
                let done = |(step, _): &(u8, Time)| *step <= client.sent.stage;
                if client.step_due.as_ref().is_some_and(done) {
                    client.step_due = None;
                }
            }
            _ => {}
        }
    }

    /// The client sends a datagram.
    pub fn client_sends(&mut self, index: u32, bytes: &[u8]) {
        let Hearing { client, report, now, .. } = self;
        client.next[1] = index.wrapping_add(1);
        if netquake::is_control(bytes) || !client.judged() || !client.connected {
            return;
        }
        let host = client.host;
        let packet = match Packet::read(&mut Reader::new(bytes)) {
            Ok(packet) => packet,
            Err(error) => return report.find(&NET_01, *now, host, || format!("a header is wrong: {error}")),
        };
        if let Packet::Ack { sequence } = packet {
            return client.streams[0].ack_sent(sequence, report, *now);
        }
        let said = client.streams[1].sent(&packet, report, *now);
        let protocol = client.mirror.protocol;
        let time = client.mirror.time.map(|time| time.0).filter(|_| client.sure_of_time && !client.mirror.unsure);
        let spoken = match (said, packet) {
            (Said::Unreliable, Packet::Unreliable { sequence, payload }) => {
                // What the scenario has repeated was judged when it was said.
                if client.said.is_some_and(|newest| sequence <= newest) {
                    return;
                }
                client.said = Some(sequence);
                client.moves.said(payload, protocol, time, host, report, *now)
            }
            (Said::Reliable(message), _) => client.moves.said(&message, protocol, time, host, report, *now),
            _ => return,
        };
        self.spoken(&spoken);
    }

    fn spoken(&mut self, spoken: &Spoken) {
        let Hearing { client, report, now, .. } = self;
        if spoken.moved {
            report.saw_if(client.moves_due.is_some(), Point::MovesBegan);
            client.moves_due = None;
        }
        let goes_on = spoken.texts.iter().any(|text| text.starts_with(b"prespawn") || text.starts_with(b"spawn"));
        if client.mirror.strange && (goes_on || spoken.moved) {
            let host = client.host;
            let what = || String::from("goes on with the sign-on of a protocol that nobody knows");
            report.find(&VER_03, *now, host, what);
        }
    }

    /// The client receives a datagram of the server.
    pub fn client_hears(&mut self, index: u32, bytes: &[u8]) {
        let Hearing { client, options, report, now, .. } = self;
        client.given = Given::Nothing;
        client.requests.client_goes_on();
        if client.tainted || index < client.first[0] {
            return;
        }
        if netquake::is_control(bytes) {
            if client.requests.client_hears(bytes) && client.wanted && !client.connected && client.open {
                client.connected = true;
                client.mirror = Mirror::default();
            }
            return;
        }
        if !client.open || !client.connected {
            return;
        }
        let Ok(packet) = Packet::read(&mut Reader::new(bytes)) else { return };
        if let Packet::Ack { sequence } = packet {
            return client.streams[1].ack_delivered(sequence, *now);
        }
        let brought = client.streams[0].delivered(&packet, report, *now);
        let was_active = client.mirror.active;
        client.look = true;
        client.given = match (brought, packet) {
            (Brought::Unreliable, Packet::Unreliable { payload, .. }) => {
                let place = client.epochs.binary_search_by_key(&index, |sent| sent.0);
                let Some(&(_, epoch)) = place.ok().and_then(|place| client.epochs.get(place)) else { return };
                if options.reserved_bits.is_some_and(|reserved| reserved.bytes() == payload) {
                    // Who is not yet in the game may do with it what it likes.
                    client.given = if client.mirror.active { Given::Reserved } else { Given::Nothing };
                    return;
                }
                match client.mirror.message(payload, Some(epoch)) {
                    true => Given::Readable,
                    false => Given::Nothing,
                }
            }
            (Brought::Stale, _) => Given::Stale,
            (Brought::Reliable(message), Packet::Data { payload, .. }) => {
                let several = message.len() > payload.len();
                report.saw_if(several, Point::SeveralFragments);
                match client.mirror.message(&message, None) {
                    true if several => Given::LastPart,
                    true => Given::Readable,
                    false => Given::Nothing,
                }
            }
            (Brought::Part, _) => Given::Part,
            _ => Given::Nothing,
        };
        report.saw_if(client.mirror.strange, Point::StrangeHeard);
        if matches!(client.given, Given::Readable | Given::LastPart) {
            client.sure_of_time = true;
        }
        if let Some(angles) = client.mirror.turned.take() {
            client.moves.turned(Some(angles));
        } else if client.mirror.unsure {
            client.moves.turned(None);
        }
        if client.mirror.active && !was_active {
            client.moves_due = Some(*now);
        }
    }

    /// The server receives a datagram of the client.
    pub fn server_hears(&mut self, index: u32, bytes: &[u8]) {
        let Hearing { client, report, now, .. } = self;
        client.taken = Given::Nothing;
        client.moves.other_delivered();
        if client.tainted || index < client.first[1] {
            return;
        }
        if netquake::is_control(bytes) {
            match client.requests.server_hears(bytes, report, *now) {
                Asked::Nothing => {}
                // Its old connection is still there: each end goes on from another place.
                Asked::Again if client.left => client.tainted = true,
                Asked::Again => client.streams[0].asked_again(),
                Asked::Over => client.closed(),
                // The server may take it for either.
                Asked::Unclear => client.tainted = true,
            }
            return;
        }
        if !client.open {
            return;
        }
        let Ok(packet) = Packet::read(&mut Reader::new(bytes)) else { return };
        if let Packet::Ack { sequence } = packet {
            return client.streams[0].ack_delivered(sequence, *now);
        }
        let protocol = client.sent.protocol;
        let brought = client.streams[1].delivered(&packet, report, *now);
        client.taken = match (brought, packet) {
            (Brought::Unreliable, Packet::Unreliable { payload, .. }) => {
                client.moves.delivered(payload, protocol, false);
                if payload == [netquake::constants::CLC_DISCONNECT] {
                    client.closed();
                }
                Given::Readable
            }
            (Brought::Stale, Packet::Unreliable { payload, .. }) => {
                client.moves.delivered(payload, protocol, true);
                Given::Stale
            }
            (Brought::Reliable(message), Packet::Data { payload, .. }) => {
                let asked = |word: &[u8]| message.windows(word.len()).any(|window| window == word);
                // `spawn` stands in `prespawn`, too.
                let step = if asked(b"prespawn") { 2 } else { 3 };
                let expected = client.sent.stage + 1 == step && (step == 2 || asked(b"spawn"));
                if expected && client.step_due.is_none() {
                    client.step_due = Some((step, *now));
                }
                if message.len() > payload.len() { Given::LastPart } else { Given::Nothing }
            }
            (Brought::Part, _) => Given::Part,
            _ => Given::Nothing,
        };
    }

    /// The run is over.
    pub fn finish(&mut self) {
        let Hearing { client, options, truth, slots, report, now } = self;
        if !client.judged() {
            return;
        }
        let (slots, now) = (*slots, *now);
        ServerEar { sent: &mut client.sent, truth, options, slots, report, now, current: true }.finish();
    }
}
