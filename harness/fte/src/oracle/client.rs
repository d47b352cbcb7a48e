//! One client and the server's side of it: when a connection begins, ends, and starts over.

use super::challenge::Asking;
use super::coverage::Report;
use super::damage::{self, Content, HEADER_BYTES, Headers, QPORT_BYTES};
use super::establishment::{Ends, Establishment};
use super::header::{asks_to_connect, classify, gives_challenge, has_reliable_part, header_ack, is_accept};
use super::indeterminate::Indeterminate;
use super::liveness::Liveness;
use super::ports::Ports;
use super::session::Session;
use crate::dialect::Transport;
use crate::options::Options;
use crate::tap::{Ignore, Tap, Turn, has_challenge};
use kit::{Arrival, Direction, Fate, HostId, PacketId, Reader, Time, Vantage};
use quakeworld::handshake::ClientPacket;
use std::collections::VecDeque;

/// Engines take a request for a repetition of the one that they accepted so shortly before, in microseconds; on QuakeWorld
/// one with the challenge of that, which they may give again.
const REPEATED_US: u64 = 2_000_000;

/// By the clock of a server that is as wrong as a scenario may make it (0.1 %), that time is so much longer or shorter.
const CLOCK_US: u64 = REPEATED_US / 1_000;

/// A request for another connection by a remote client, or one that came late.
#[derive(Clone, Copy, Debug)]
pub struct ComesBack {
    /// The datagram with it.
    asked: u32,
    /// The datagram that accepted it. A server repeats that for a request that comes late or twice, too: only the number
    /// of what it sends next shows whether another connection begins.
    accepted: Option<u32>,
}

/// One client and the server's side of it.
pub struct Client {
    /// At the server: what it sends and what it receives.
    pub server_tap: Tap,
    /// At the client.
    pub client_tap: Tap,
    /// The session.
    pub session: Session,
    /// How it came about.
    pub establishment: Establishment,
    /// Whether both go on.
    pub liveness: Liveness,
    /// Whether its server goes on at its port.
    pub ports: Ports,
    /// QuakeWorld: which challenges the client may have from a port that it had before.
    asking: Asking,
    /// The client was instructed to connect.
    pub wanted: bool,
    /// The server accepted it since.
    pub open: bool,
    /// It was accepted before, or that is missed already.
    opened: bool,
    /// It was sent the end of the present connection.
    pub dismissed: bool,
    /// It has sent datagrams of the present connection.
    pub talked: bool,
    /// And has asked for another connection since.
    comes_back: Option<ComesBack>,
    /// The server accepted a request that the client had given up: the client can take that for the answer to its next one.
    accepted_late: bool,
    /// When the server accepted the session that it has: at the earliest, and at the latest.
    accepted: Option<[Time; 2]>,
    /// The server knows that it is over: it ended it, or received the client's disconnect.
    pub over: bool,
    /// How datagrams began that are on their way and arrive damaged.
    pub headers: Headers,
    /// Per direction, the first datagram of the present connection.
    pub first: [u32; 2],
    /// Whether the client has received a datagram of it.
    reached: bool,
    /// The datagram after the newest, per direction.
    pub next: [u32; 2],
}

impl Client {
    /// Before its first datagram.
    pub fn new(host: HostId, options: Options, vantage: Vantage) -> Client {
        let tap = || Tap::new(options.transport, options.readings);
        Client {
            server_tap: tap(),
            client_tap: tap(),
            session: Session::new(host, options, vantage),
            establishment: Establishment::default(),
            liveness: Liveness::default(),
            ports: Ports::default(),
            asking: Asking::default(),
            wanted: false,
            open: false,
            opened: false,
            dismissed: false,
            talked: false,
            comes_back: None,
            accepted_late: false,
            accepted: None,
            over: false,
            headers: Headers::default(),
            first: [0; 2],
            reached: false,
            next: [0; 2],
        }
    }

    /// A connection begins that the server accepted with datagram `packet`: nothing of an earlier one counts.
    fn begin(&mut self, options: Options, accepted: u32, report: &mut Report) {
        self.server_tap.begin();
        self.ports.begin();
        self.client_tap.begin();
        let Session { host, vantage, last_disturbance, delay_us, .. } = self.session;
        self.session = Session { last_disturbance, delay_us, ..Session::new(host, options, vantage) };
        self.open = true;
        self.opened = true;
        self.dismissed = false;
        self.talked = false;
        self.first[Direction::ServerToClient.index()] = accepted;
        self.reached = false;
        if std::mem::take(&mut self.accepted_late) {
            let why = "two requests were accepted, and which of them the client goes on with is not known";
            self.session.damaged = Some(Indeterminate { why });
        }
        if options.transport == Transport::QuakeWorld {
            let agreed = self.establishment.asked.unwrap_or_default().mask(self.establishment.offered);
            self.session.agrees(agreed, report);
        }
        self.over = false;
        if vantage.remote_clients {
            self.establishment.begin_anew(options.transport);
        }
    }

    /// Whether a server that accepts the client may go on with the session before: it knows nothing of its end, and takes the
    /// request for a repetition.
    fn may_linger(&self, now: Time) -> bool {
        !self.over && self.accepted.is_some_and(|[_, latest]| now.since(latest) < REPEATED_US + CLOCK_US)
    }

    /// Whether the server surely takes a request for a repetition.
    fn repeats(&self, now: Time) -> bool {
        !self.over && self.accepted.is_some_and(|[earliest, _]| now.since(earliest) < REPEATED_US - CLOCK_US)
    }

    /// The client is instructed to connect: nothing of what it did before counts.
    pub fn connects(&mut self, now: Time) {
        self.wanted = true;
        self.open = false;
        let unread = self.session.damaged.take().is_some();
        // What its server accepted in a session that was not judged was not seen: perhaps the newest a moment ago.
        self.accepted = self.accepted.map(|[earliest, latest]| [earliest, if unread { now } else { latest }]);
        self.establishment.connects(unread);
        self.asking.begins();
        self.liveness.wants(now);
        let c2s = Direction::ClientToServer.index();
        self.first[c2s] = self.next[c2s];
    }

    /// The client is instructed to leave, or to give up.
    pub fn leaves(&mut self) {
        self.wanted = false;
        self.accepted_late |= self.open && !self.reached;
        self.open = false;
        self.establishment.ends();
        self.liveness.ends();
    }

    /// The server accepts the client outside of any connection, with datagram `packet`.
    pub fn accepted(&mut self, now: Time, options: Options, packet: PacketId, report: &mut Report) {
        if self.session.frames_sent == 0 {
            // Perhaps a session of its own, in which nothing of an earlier one was sent.
            self.session.stats.truth = [None; 256];
            self.session.stats.pending = [0; 4];
        }
        if !self.open && (self.wanted || self.session.vantage.remote_clients) {
            let lingers = self.may_linger(now);
            self.begin(options, packet.index, report);
            if lingers {
                let why = "a client came back before the server knew that it had left";
                self.session.damaged = Some(Indeterminate { why });
            } else {
                self.accepted = Some([now; 2]);
            }
            return;
        }
        if !self.open {
            self.accepted_late = true;
            return;
        }
        let repeats = self.repeats(now) && !self.ports.has_moved();
        if let Some(back) = &mut self.comes_back {
            back.accepted = Some(packet.index);
            // A server that answers each packet with its number shows by none that it started over. A client that has not received
            // that it was accepted goes on with the request that is, unless that was of another port.
            let own_clients = !self.session.vantage.remote_clients;
            let anew = (self.reached && !repeats) || self.asking.is_request_of_before(back.asked);
            if options.transport == Transport::QuakeWorld && own_clients && anew {
                let why = "a request came so late that the server can have begun a new session, and its client did not";
                self.session.damaged = Some(Indeterminate { why });
            }
        }
        if !repeats {
            // From here on a request counts as a repetition of this one, if the server started over.
            let earliest = self.accepted.filter(|_| self.may_linger(now)).map_or(now, |[earliest, _]| earliest);
            self.accepted = Some([earliest, now]);
        }
        if self.server_tap.is_challenged() {
            // The session that the server has is of this moment.
            self.accepted = Some([now; 2]);
            self.session.channel_begins_anew();
        }
    }

    /// The server sends this datagram of a connection, which perhaps begins another one than the present. `sequence` is the
    /// number of its unreliable part.
    pub fn goes_on(
        &mut self,
        now: Time,
        options: Options,
        plain: &[u8],
        sequence: Option<u32>,
        fate: Fate,
        report: &mut Report,
    ) {
        if let Some(ComesBack { asked, accepted: Some(accepted) }) = self.comes_back {
            let decides = options.transport == Transport::QuakeWorld || sequence.is_none();
            match self.server_tap.turn(plain) {
                Turn::Anew => {
                    self.comes_back = None;
                    self.begin(options, accepted, report);
                    self.accepted = Some([now; 2]);
                    if !self.session.vantage.remote_clients {
                        let why = "a request came so late that the server began a new session, and its client did not";
                        self.session.damaged = Some(Indeterminate { why });
                    }
                    self.first[Direction::ClientToServer.index()] = asked;
                }
                Turn::Next if decides => self.comes_back = None,
                // Its first datagram once more, or that of another session, in which the client takes no part.
                Turn::Old if options.transport == Transport::NetQuake => self.liveness.ends(),
                Turn::Next | Turn::Old => {}
            }
        }
        if self.session.vantage.remote_server && self.server_tap.begins_unaccepted(plain) {
            self.session.channel_begins_anew();
        }
        if self.open {
            self.ports.sent(self.session.host, fate, report, now);
        }
    }

    /// A datagram of a session of which nothing is known: a recording may begin in the middle of one.
    pub fn note_unknown(&mut self, report: &mut Report) {
        if self.session.vantage.remote_clients && !std::mem::replace(&mut self.opened, true) {
            report.remark("a session was under way already: nothing is judged until a connection begins");
        }
    }

    /// A client that somebody else runs sends a datagram: a request for a connection after others can mean that it has
    /// left the one before.
    pub fn note_talk(&mut self, packet: PacketId, asks: bool) {
        if asks && self.talked && self.open && self.session.vantage.remote_clients {
            self.comes_back = Some(ComesBack { asked: packet.index, accepted: None });
        }
    }

    /// The server receives a request for a connection that it has, perhaps one that the network kept: engines take what comes
    /// late for the request of a client that has come back, and start over.
    fn asks_again(&mut self, packet: PacketId) {
        if self.open && !self.session.vantage.remote_clients {
            self.comes_back = Some(ComesBack { asked: packet.index, accepted: None });
        }
    }

    /// QuakeWorld: a client that somebody else runs connects with a challenge that it received at another host, or before
    /// anybody looked.
    pub fn brings_challenge(&mut self, bytes: &[u8], received: &VecDeque<i32>) {
        let vantage = self.session.vantage;
        let unseen = vantage.remote_server && !self.opened && !self.establishment.has_challenge();
        if let Ok(ClientPacket::Connect(connect)) = ClientPacket::read(&mut Reader::new(bytes))
            && vantage.remote_clients
            && (unseen || received.contains(&connect.challenge))
        {
            self.establishment.brings_challenge(connect.challenge);
        }
    }

    /// Both ends, for what is said outside of connections.
    pub fn ends<'a>(&'a mut self, report: &'a mut Report, now: Time) -> Ends<'a> {
        Ends { session: &mut self.session, establishment: &mut self.establishment, report, now }
    }

    /// Notes a datagram sent, and what the network makes of it.
    pub fn note_sent(&mut self, now: Time, packet: PacketId, bytes: &[u8], fate: Fate) {
        self.headers.sent(packet, bytes, fate);
        if packet.direction == Direction::ClientToServer {
            self.session.acks.spoke = now;
        }
        let judged = self.session.damaged.is_none();
        self.liveness.sent(now, self.session.options.transport, packet.direction, bytes, judged);
        let direction = packet.direction.index();
        if self.session.options.transport == Transport::QuakeWorld {
            self.asking.sent(&packet, bytes, self.next);
        }
        self.next[direction] = packet.index.wrapping_add(1);
        if matches!(fate, Fate::Lost(_)) {
            self.session.last_disturbance = now;
        }
        self.note_copied(packet, fate);
    }

    /// Notes what the network makes of a datagram, or of a copy of it.
    pub fn note_copied(&mut self, packet: PacketId, fate: Fate) {
        let delay_us = match fate {
            Fate::Lost(_) => 0,
            Fate::Once(copy) => copy.delay_us,
            Fate::Twice(one, other) => one.delay_us.max(other.delay_us),
        };
        let longest = &mut self.session.delay_us[packet.direction.index()];
        *longest = (*longest).max(delay_us);
    }

    /// A datagram is delivered damaged. Whether judging can go on: its header is known, and it has nothing that changes more
    /// than entities and acknowledgements; or it is dropped.
    fn damaged(&mut self, now: Time, arrival: &Arrival<'_>) -> bool {
        let Arrival { packet, bytes, .. } = *arrival;
        let transport = self.session.options.transport;
        let netquake = transport == Transport::NetQuake;
        let to_server = packet.direction == Direction::ClientToServer;
        let header_bytes = if to_server && !netquake { HEADER_BYTES + QPORT_BYTES } else { HEADER_BYTES };
        let sent = self.headers.of(packet).and_then(|sent| sent.get(..header_bytes));
        let known = sent.is_some() && bytes.get(..header_bytes) == sent;
        // NetQuake drops what has another length than its header says.
        let length = bytes.get(2..4).and_then(|length| length.first_chunk().copied()).map(u16::from_be_bytes);
        let cut = netquake && length.map(usize::from) != Some(bytes.len());
        if cut && !known {
            return true;
        }
        let (connectionless, sequence) = classify(transport, bytes);
        let Some(sequence) = sequence.filter(|_| known && !connectionless) else { return cut };
        let reliable = has_reliable_part(transport, bytes);
        let session = &self.session;
        let agreed = session.dialect.deltas() && session.delivered_dialect.deltas();
        if reliable || !agreed || !self.open || self.dismissed || packet.index < self.first[packet.direction.index()] {
            return cut;
        }
        let mut content = Content::default();
        let tap = if to_server { &mut self.server_tap } else { &mut self.client_tap };
        tap.peek(packet.direction, bytes.get(header_bytes..).unwrap_or_default(), &mut content);
        if content.strange {
            return cut;
        }
        let mut empty: Vec<u8> = bytes.iter().take(header_bytes).copied().collect();
        empty.push(netquake::constants::CLC_NOP);
        if netquake {
            netquake::datagram::seal(&mut empty);
        }
        let took = cut || tap.datagram(packet.direction, &empty, None, &mut Ignore) != Ok(false);
        self.session.last_disturbance = now;
        self.session.unneeded.close();
        if to_server {
            self.session.input = None;
            damage::perhaps_received(&mut self.session, &content, header_ack(transport, bytes));
            return true;
        }
        damage::perhaps_taken(&mut self.session, sequence, took, cut, &content)
    }

    /// Notes a datagram delivered. Whether it is judged.
    pub fn note_received(&mut self, now: Time, arrival: &Arrival<'_>, report: &mut Report) -> bool {
        let Arrival { packet, bytes, .. } = *arrival;
        let to_server = packet.direction == Direction::ClientToServer;
        let sends_disconnect = match self.session.options.transport {
            Transport::NetQuake => bytes.get(HEADER_BYTES..) == Some(&[netquake::constants::CLC_DISCONNECT]),
            Transport::QuakeWorld => bytes.ends_with(b"drop\0"),
        };
        self.over |= arrival.intact && to_server && sends_disconnect;
        let judged = arrival.intact && self.session.damaged.is_none();
        if judged && to_server && asks_to_connect(self.session.options.transport, bytes) {
            self.asks_again(packet);
        }
        let late = packet.index < self.first[packet.direction.index()];
        let offered = self.server_tap.is_challenged() && !classify(self.session.options.transport, bytes).0;
        if arrival.intact && to_server && (late || offered && !has_challenge(bytes)) {
            // Of a session before, or of one that the server has only offered: of that it need take the answer to its challenge alone.
        } else if arrival.intact {
            self.liveness.delivered(now, self.session.options.transport, packet.direction, bytes);
        } else {
            self.liveness.ends();
            self.session.last_disturbance = now;
            self.session.unneeded.close();
            let ours = !self.session.vantage.is_remote() && self.session.damaged.is_none();
            if ours && self.damaged(now, arrival) {
                report.remark("a datagram was delivered damaged: what it changes is not judged");
            } else {
                self.session.damaged = Some(Indeterminate { why: "a datagram was delivered damaged" });
                report.remark("a datagram was delivered damaged: from there on the session is not judged");
            }
            return false;
        }
        let there = self.reached || to_server;
        // A challenge is not of a connection yet: one that was asked for earlier serves as well.
        let transport = self.session.options.transport;
        let quakeworld = transport == Transport::QuakeWorld;
        let challenges = quakeworld && !to_server && gives_challenge(bytes);
        self.reached |= !late && !to_server && !challenges;
        if quakeworld && to_server {
            self.asking.received(&packet, bytes);
        }
        if challenges && (self.ports.is_of_before(&packet) || self.asking.is_of_before(&packet)) {
            self.establishment.distrust_next();
        }
        let ours = !self.session.vantage.is_remote() && self.session.damaged.is_none();
        if quakeworld && ours && !there && is_accept(bytes) && self.asking.is_of_before(&packet) {
            // It has another number since, and perhaps another port: its server does not know it by them.
            let why = "the client goes on with an acceptance of a request that it had given up";
            self.session.damaged = Some(Indeterminate { why });
        }
        if late && there && ours && self.open && !classify(transport, arrival.bytes).0 {
            self.session.damaged = Some(Indeterminate {
                why: "a datagram of the connection before cannot be distinguished from one of this",
            });
        }
        // A connect that the client gave up begins a session all the same.
        let connects = quakeworld && to_server && asks_to_connect(transport, bytes);
        self.session.damaged.is_none() && (!late || challenges || connects)
    }
}
