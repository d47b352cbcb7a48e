//! Whether both ends go on: what one asked for is answered, and what was begun continues.
//!
//! What counts is what an end sends, not what arrives. A run in which datagrams were damaged is left out: an end may have
//! understood a disconnect.

use super::coverage::{Point, Report, checks};
use super::header::{asks_to_connect, classify, has_reliable_part, header_ack};
use super::new_map::NewMap;
use super::ports::Ports;
use super::session::Session;
use super::session::sign_on::SignOn;
use crate::dialect::Transport;
use crate::requirements::HS_27;
use kit::{Direction, HostId, Reader, Time, Vantage};
use netquake::ControlPacket;
use netquake::constants::{CCREP_ACCEPT, CCREP_REJECT, CLC_NOP, GAME_NAME, HEADER_BYTES, NET_PROTOCOL_VERSION};

checks! {
    CLIENTS_GO_ON = "clients-go-on" knows ClientShows ServerShows Time: HS_27 [ClientPlays];
    SERVERS_GO_ON = "servers-go-on" knows ClientShows Silence Time: HS_27 [ServerPlays];
}

/// What an end does at once or with its next tick may take this long beyond ticks and delays, in microseconds.
const PATIENCE_US: u64 = 1_000_000;
/// A request that comes so long after the accept is one of a client that comes back, in microseconds (the transport's two
/// seconds, less what is read late).
const COMES_BACK_US: u64 = 1_800_000;
/// Connects with a challenge that is refused: so many may be on their way, or meant for other ears.
const REFUSALS: u32 = 8;
/// The bit beside the number of QuakeWorld's packets.
const RELIABLE: u32 = 1 << 31;
/// Flags of NetQuake's datagrams, in the second byte.
const FLAG_DATA: u8 = 1;
const FLAG_ACK: u8 = 2;

/// QuakeWorld: whether a server's words are about a challenge.
fn names_challenge(bytes: &[u8]) -> bool {
    bytes.windows(8).any(|word| word == b"hallenge")
}

/// Since when something of a client and its server is due.
#[derive(Debug, Default)]
pub struct Liveness {
    /// The client was instructed to connect, and has not asked for that.
    wanted: Option<Time>,
    /// When datagrams of the session that it asked for reached the client first, and last.
    served: Option<(Time, Time)>,
    /// It asked to be accepted in the middle of that session.
    asks_on: bool,
    /// NetQuake: since when the server accepts the client.
    accepts: Option<Time>,
    /// NetQuake: a request came so late after that that the server may have ended the session for it.
    closed: bool,
    /// NetQuake: the server received a request since then, and has not answered.
    asked_anew: Option<Time>,
    /// The client received that it is accepted.
    accepted: bool,
    /// The client received a fragment of NetQuake's reliable stream, and did not acknowledge it.
    received: Option<(Time, [u8; 4])>,
    /// The client has to take a step of its sign-on: that text comes next.
    step: Option<(Time, &'static [u8])>,
    /// The client is in the game; since when.
    plays: Option<Time>,
    /// The client sent a packet of the game, or QuakeWorld's of the sign-on.
    moved: Option<Time>,
    /// How often the client was instructed to connect.
    connections: u32,
    /// NetQuake: the client was accepted, nothing of a session has reached it, and it asked last at that time.
    waits: Option<Time>,
    /// The server received what it answers at once or with its next tick, and has sent nothing like an answer.
    asked: Option<Time>,
    /// It asked for another game, or another version of it.
    misasks: bool,
    /// QuakeWorld: the client received a challenge, and has not connected with it.
    challenged: Option<Time>,
    connects: bool,
    /// It was sent that its challenge is wrong, has asked for no other, and has connected so often since.
    refused: Option<u32>,
    /// NetQuake: what the server does to a client that asks for nothing but a connection.
    turns_away: Option<&'static str>,
    /// NetQuake: the server accepted the client, and has sent nothing of a session.
    began: Option<Time>,
    talks: bool,
    /// The server received a step of the sign-on, and has not answered it.
    step_asked: Option<Time>,
    /// The server received that the client begins.
    begun: Option<Time>,
    /// The map that comes after the one that the client knows.
    new_map: NewMap,
    /// The server sent a part of its reliable stream; and the client did, of its own.
    reliable: Time,
    client_reliable: Time,
    /// QuakeWorld: the number of the server's newest packet with such a part, and since when a packet that acknowledges it has
    /// reached the server. Until then it has no turn to send more.
    newest_reliable: u32,
    turn: Option<Time>,
    /// The first packet of the client that reached the server since its last frame.
    unanswered: Option<Time>,
    /// The highest number of QuakeWorld's packets that did; what comes after it late is not answered.
    newest: Option<u32>,
    /// One of the ends has reason to stop.
    over: bool,
}

impl Liveness {
    /// The client is instructed to connect.
    pub fn wants(&mut self, now: Time) {
        let connections = self.connections + 1;
        *self = Liveness { wanted: Some(now), connections, ..Liveness::default() };
    }

    /// The session is over, or what an end made of what it received is not known.
    pub fn ends(&mut self) {
        self.over = true;
    }

    /// The scenario begins a map, at a client that knows the one before.
    pub fn map_changes(&mut self, now: Time) {
        self.new_map.begins(now);
        self.signs_on_again();
    }

    /// The client is to sign on again: what it said of the map before is not answered.
    fn signs_on_again(&mut self) {
        (self.begun, self.step_asked) = (None, None);
    }

    /// A datagram is sent; `judged` if which session the ends have is known.
    pub fn sent(&mut self, now: Time, transport: Transport, direction: Direction, bytes: &[u8], judged: bool) {
        let (connectionless, sequence) = classify(transport, bytes);
        let flags = bytes.get(1).copied().unwrap_or_default();
        let reliable = match transport {
            Transport::QuakeWorld => has_reliable_part(transport, bytes),
            Transport::NetQuake => !connectionless && flags & FLAG_DATA != 0,
        };
        if direction == Direction::ServerToClient {
            if reliable {
                self.reliable = now;
                self.newest_reliable = sequence.unwrap_or_default();
                self.turn = None;
                self.new_map.reliable_sent(transport);
            }
            if connectionless || transport == Transport::QuakeWorld || flags & FLAG_ACK != 0 {
                (self.asked, self.asked_anew) = (None, None);
            }
            if transport == Transport::NetQuake && !self.over {
                self.begins(now, connectionless, bytes);
            }
            return;
        }
        if connectionless {
            self.asks(now, transport, bytes, judged && !self.over);
            return;
        }
        if reliable {
            self.client_reliable = now;
        }
        if transport == Transport::NetQuake && flags & FLAG_ACK != 0 {
            let acknowledged = bytes.get(4..).and_then(|rest| rest.first_chunk());
            self.received = self.received.filter(|(_, sequence)| Some(sequence) != acknowledged);
        }
        // An empty packet is no move.
        let moves = transport == Transport::QuakeWorld || bytes.get(8).is_some_and(|&command| command > CLC_NOP);
        if sequence.is_some() && moves {
            self.moved = Some(now);
        }
    }

    /// The client asks to be accepted.
    fn asks(&mut self, now: Time, transport: Transport, bytes: &[u8], judged: bool) {
        let connects = asks_to_connect(transport, bytes);
        let begins = connects || bytes.get(4..).is_some_and(|text| text.starts_with(b"getchallenge"));
        self.wanted = self.wanted.filter(|_| !begins);
        self.refused = self.refused.filter(|_| connects).map(|count| count + 1);
        // An end that has received nothing for long may take the session for lost.
        self.asks_on |= connects
            && judged
            && self.served.is_some_and(|(first, last)| now.since(first) > PATIENCE_US && now.since(last) < PATIENCE_US);
        self.waits = self.waits.map(|_| now);
        match (transport, ControlPacket::read(&mut Reader::new(bytes))) {
            (Transport::NetQuake, Ok(ControlPacket::ConnectRequest { game, version, .. })) => {
                self.misasks |= game != GAME_NAME || version != NET_PROTOCOL_VERSION;
            }
            (Transport::QuakeWorld, _) if connects => (self.challenged, self.connects) = (None, true),
            _ => {}
        }
    }

    /// NetQuake: the server answers a request for a connection, or sends something of a session.
    fn begins(&mut self, now: Time, connectionless: bool, bytes: &[u8]) {
        if connectionless && bytes.get(4) == Some(&CCREP_ACCEPT) && self.accepts.is_none() {
            (self.accepts, self.closed) = (Some(now), false);
        }
        match bytes.get(4) {
            // A header alone says nothing.
            _ if !connectionless && bytes.len() <= HEADER_BYTES => {}
            _ if !connectionless => (self.began, self.talks) = (None, true),
            _ if self.misasks => {}
            Some(&CCREP_REJECT) => self.turns_away = Some("refuses"),
            // Port 0 is the one that was asked.
            Some(&CCREP_ACCEPT) if bytes.get(5..9).is_some_and(|port| port != [0; 4]) => {
                self.turns_away = Some("gives a port where no server listens to");
            }
            // Of a client that comes back a server may have the session already.
            Some(&CCREP_ACCEPT) if !self.talks && self.connections <= 1 => self.began = self.began.or(Some(now)),
            _ => {}
        }
    }

    /// The server sends an entity frame.
    pub fn frame_sent(&mut self) {
        self.unanswered = None;
    }

    /// A datagram is delivered.
    pub fn delivered(&mut self, now: Time, transport: Transport, direction: Direction, bytes: &[u8]) {
        let (connectionless, _) = classify(transport, bytes);
        let data = !connectionless && bytes.get(1).is_some_and(|&flags| flags & FLAG_DATA != 0);
        if direction == Direction::ServerToClient && !connectionless && self.accepted {
            self.served = Some((self.served.map_or(now, |(first, _)| first), now));
        }
        match (direction, transport) {
            (Direction::ServerToClient, Transport::NetQuake) => {
                self.over |= connectionless && bytes.get(4) == Some(&CCREP_REJECT);
                if connectionless && bytes.get(4) == Some(&CCREP_ACCEPT) && !self.accepted {
                    (self.accepted, self.waits) = (true, Some(now));
                }
                self.waits = self.waits.filter(|_| connectionless);
                let sequence = bytes.get(4..).and_then(|rest| rest.first_chunk().copied());
                if let Some(sequence) = sequence.filter(|sequence| {
                    data && self.accepted && self.received.is_none_or(|(_, received)| received != *sequence)
                }) {
                    self.received = Some((now, sequence));
                }
            }
            (Direction::ServerToClient, Transport::QuakeWorld) => {
                if connectionless && bytes.get(4) == Some(&b'c') && !self.connects {
                    self.challenged = self.challenged.or(Some(now));
                }
                // Who has not connected since it was instructed to takes no acceptance.
                let accepts = connectionless && bytes.get(4) == Some(&b'j') && self.connects;
                self.accepted |= accepts;
                let refuses = connectionless && bytes.get(4) == Some(&b'n') && names_challenge(bytes);
                if refuses && !self.accepted {
                    self.refused.get_or_insert(0);
                }
                if accepts && self.plays.is_none() && self.moved.is_none() {
                    self.step = Some((now, b"new"));
                }
            }
            (Direction::ClientToServer, Transport::NetQuake) => {
                self.unanswered.get_or_insert(now);
                if data || connectionless {
                    self.asked.get_or_insert(now);
                }
                if asks_to_connect(transport, bytes) {
                    self.asks_anew(now);
                }
            }
            (Direction::ClientToServer, Transport::QuakeWorld) => {
                let repeats = connectionless && bytes.get(4..).is_some_and(|text| text.starts_with(b"connect"));
                let number = bytes.first_chunk().map(|number| u32::from_le_bytes(*number) & !RELIABLE);
                let stale = !connectionless && number <= self.newest;
                if !connectionless {
                    self.newest = self.newest.max(number);
                }
                if !stale && !connectionless {
                    if header_ack(transport, bytes) >= Some(self.newest_reliable) {
                        self.turn.get_or_insert(now);
                    }
                    self.unanswered.get_or_insert(now);
                    self.new_map.received(now);
                }
                if !repeats && !stale {
                    self.asked.get_or_insert(now);
                }
            }
        }
    }

    /// NetQuake: the server receives a request to connect. Where the accept is older than two seconds, it may take that for a
    /// client that comes back: it ends the session without a word, and answers the next request.
    fn asks_anew(&mut self, now: Time) {
        if self.closed {
            self.asked_anew.get_or_insert(now);
        }
        if self.accepts.take_if(|accepts| now.since(*accepts) >= COMES_BACK_US).is_some() {
            self.closed = true;
        }
    }

    /// The client is to take a step of its sign-on, which begins with this word.
    pub fn step(&mut self, now: Time, word: &'static [u8]) {
        self.step = Some((now, word));
    }

    /// Whether the client is in the game, as delivered.
    pub fn plays(&mut self, now: Time, plays: bool) {
        if plays && self.plays.is_none() {
            self.step = Some((now, b"begin"));
        }
        self.plays = plays.then(|| self.plays.unwrap_or(now));
    }

    /// The client sends a text command.
    pub fn client_says(&mut self, text: &[u8]) {
        self.step = self.step.filter(|(_, word)| !text.starts_with(word));
    }

    /// The client sends what is not read, as the server did not accept it since it connected: the step may be in it.
    pub fn client_says_unread(&mut self) {
        self.step = None;
    }

    /// The server receives it. `served` if it has answered all steps of its map: what comes then but `begin` is of the map
    /// before, as is a `begin` that comes earlier.
    pub fn server_receives(&mut self, now: Time, text: &[u8], served: bool) {
        const STEPS: [&[u8]; 4] = [b"new", b"pext", b"prespawn", b"spawn"];
        if !self.new_map.takes(text) {
            return;
        }
        // With the first of them a client turns to another map.
        if (!served || text.starts_with(b"new")) && STEPS.iter().any(|step| text.starts_with(step)) {
            self.step_asked.get_or_insert(now);
        }
        if served && text.starts_with(b"begin") {
            self.begun.get_or_insert(now);
        }
    }

    /// Whether what the server receives is of the map before, as it has instructed the client to sign on again.
    pub fn is_to_sign_on_again(&self) -> bool {
        self.new_map.is_announced()
    }

    /// Since when the client is in the game, as the server received it.
    pub fn begun(&self) -> Option<Time> {
        self.begun
    }

    /// The server goes on with the sign-on, as a datagram of its has it.
    pub fn server_goes_on(&mut self, sign_on: &SignOn, transport: Transport) {
        let answered = sign_on.began && transport == Transport::QuakeWorld || sign_on.answers();
        self.step_asked = self.step_asked.filter(|_| !answered);
        if sign_on.began {
            self.new_map.session_sent();
            self.begun = None;
        }
        if sign_on.again {
            self.new_map.announced();
            self.signs_on_again();
        }
    }

    /// The run is over: what has been due for too long? `open` while the server has a session with the client.
    /// What `ports` explains is no stop of its own.
    pub fn finish(&self, session: &Session, ports: &Ports, open: bool, report: &mut Report, now: Time) {
        let options = &session.options;
        // What these make of an end is its own affair.
        let strange = options.server_protocol_key.is_some() || options.undefined_flag != 0;
        if strange {
            return;
        }
        if self.asks_on && !session.vantage.remote_clients {
            // What its server makes of that is no stop, even if it starts over.
            let what = || String::from("has a session, and goes on asking to be accepted");
            return report.fail(&CLIENTS_GO_ON, now, session.host, &HS_27, what);
        }
        if session.damaged.is_some() {
            return;
        }
        // Somebody else's server can be full, or have more ports.
        if let Some(what) = self.turns_away.filter(|_| !session.vantage.remote_server) {
            return report.fail(&SERVERS_GO_ON, now, HostId::SERVER, &HS_27, || format!("{what} {}", session.host));
        }
        if self.misasks {
            let host = session.host;
            report.fail(&CLIENTS_GO_ON, now, host, &HS_27, || String::from("asks for another game, or version of it"));
        }
        if self.over {
            return;
        }
        let [down_us, up_us] = session.delay_us;
        let later_us = if session.vantage.virtual_server { Vantage::READS_WITHIN_US } else { 0 };
        let round_us = 4 * (options.tick_us + options.client_tick_us) + down_us + up_us + later_us;
        report.saw_if(self.plays.is_some(), Point::ClientPlays);
        report.saw_if(self.begun.is_some(), Point::ServerPlays);
        let host = session.host;
        if let Some(what) = self.client_stops(session, now, PATIENCE_US + round_us) {
            report.fail(&CLIENTS_GO_ON, now, host, &HS_27, || String::from(what));
        }
        if options.rate == 0
            && let Some(what) = self.server_stops(session, open, now, round_us)
            && !ports.explain(host, report, now)
        {
            report.fail(&SERVERS_GO_ON, now, HostId::SERVER, &HS_27, || format!("{what} {host}"));
        }
    }

    fn client_stops(&self, session: &Session, now: Time, patience_us: u64) -> Option<&'static str> {
        let overdue = |since: Time| now.since(since) > patience_us;
        // What comes next may wait for what was said last, which was lost, or came late.
        let overdue_in_turn = |since: Time| overdue(since.max(session.last_disturbance).max(self.client_reliable));
        let netquake = session.options.transport == Transport::NetQuake;
        if self.wanted.is_some_and(overdue) {
            Some("does not ask to be accepted")
        } else if self.challenged.is_some_and(overdue) {
            Some("received a challenge, and does not connect with it")
        } else if !self.accepted && self.refused.is_some_and(|count| count >= REFUSALS) {
            Some("is sent that its challenge is wrong, and goes on connecting without a request for another")
        } else if session.options.challenge_connect && self.waits.is_some_and(overdue) {
            // The challenge is unreliable.
            Some("does not ask again, though nothing came after it was accepted")
        } else if self.received.is_some_and(|(since, _)| overdue(since)) {
            Some("does not acknowledge what it has received")
        } else if self.step.is_some_and(|(since, _)| overdue_in_turn(since)) {
            Some("does not take the next step of its sign-on")
        } else if self.plays.is_some_and(|since| overdue(self.moved.map_or(since, |moved| moved.max(since)))) {
            Some("is in the game, and has stopped sending")
        } else if !netquake && self.moved.is_some_and(overdue) {
            Some("has stopped sending")
        } else {
            None
        }
    }

    fn server_stops(&self, session: &Session, open: bool, now: Time, round_us: u64) -> Option<&'static str> {
        let overdue = |since: Time| now.since(since) > PATIENCE_US + round_us;
        let in_turn = |since: Time| overdue(since.max(session.last_disturbance).max(self.reliable));
        let gone = session.vantage.remote_server && self.closed;
        let asked = if gone { self.asked_anew } else { self.asked };
        if asked.is_some_and(overdue) {
            return Some("does not answer");
        }
        if gone {
            return None;
        }
        if self.began.is_some_and(overdue) {
            return Some("accepts, and sends nothing of a session to");
        }
        if !open {
            return None;
        }
        if self.step_asked.is_some_and(in_turn) {
            return Some("does not go on with the sign-on of");
        }
        let transport = session.options.transport;
        let netquake = transport == Transport::NetQuake;
        let has_turn = netquake || self.turn.is_some_and(overdue);
        if has_turn && self.new_map.can_be_announced(transport) && self.new_map.pending().is_some_and(in_turn) {
            return Some("does not announce the new map to");
        }
        // Between two maps there are no frames; whether there is another map, the scenario says.
        let plays = session.dialect.deltas() && self.new_map.pending().is_none() && session.truth.is_none();
        let begun = self.begun.filter(|_| plays)?;
        let last = session.newest_frame.map_or(begun, |(at, _)| at.max(begun));
        let newest = session.newest_frame.map(|(_, newest)| newest);
        let due = session.frames_sent == 0
            || session.acked_to < newest
            || session.tracks.iter().any(|(_, track)| track.pending != 0);
        // A server that has sent everything may be silent; and one that receives nothing of a QuakeWorld client has nothing to
        // answer.
        let limit_us = round_us + PATIENCE_US;
        let asked = netquake || self.unanswered.is_some_and(|since| now.since(since) > limit_us);
        (due && now.since(last) > limit_us && asked).then_some("sends no frames to")
    }
}
