//! The reference client.
//!
//! Source: "Establishment", "Entity deltas", "clcfte_ackframe" and "PredInfo Extension" of the specification.

use crate::constants::*;
use crate::dialect::{Dialect, Transport};
use crate::extensions::Extensions;
use crate::game::Game;
use crate::latitude::{BuildsUpon, due};
use crate::line::Line;
use crate::message::{self, Carrier};
use crate::notes;
use crate::options::Options;
use crate::rules::Rules;
use crate::verbs::{VERB_ACKNOWLEDGE, VERB_REPEAT_MOVE};
use kit::{Command, DecodeError, Direction, Endpoint, Event, PeerId, Reader, Setup, Time, View, Writer};
use netchan::{Netchan, Qport, Settings, Side};
use netquake::constants::MAX_FRAGMENT_BYTES;
use netquake::{Channel, ClientCommand, ControlPacket, Incoming, Move};
use quakeworld::handshake::{ClientPacket, Connect, Entries, PRIVATE_VALUE, ServerPacket};
use std::collections::VecDeque;

/// How long the client waits for an answer before it asks again.
const RETRY_US: u64 = 1_000_000;

/// Connects without an answer after which a QuakeWorld client tries another port: the server may have answered once, and
/// ignore what comes from the old one until it has forgotten the client.
const CONNECTS_PER_PORT: u16 = 4;

/// From one number of a client to the next; clients side by side have numbers side by side.
const QPORT_STEP: u16 = 0x101;

/// Bytes of replies that may wait for their acknowledgement; further ones are not sent.
pub const MAX_QUEUED_BYTES: usize = 1 << 16;

/// A client.
pub struct Client {
    rules: Rules,
    options: Options,
    stage: Stage,
    pub(crate) line: Line,
    /// QuakeWorld: distinguishes this client from others after the same address.
    qport: u16,
    /// The port that it sends from, as a number of its own.
    port: u16,
    /// QuakeWorld: connects sent from this port.
    connects: u16,
    /// A datagram of the session came.
    in_session: bool,
    pub(crate) game: Game,
    /// When to ask again, while connecting.
    retry: Option<Time>,
    /// When to send the next move.
    next_tick: Option<Time>,
    packet_due: bool,
    leaving: bool,
    /// Acknowledgements that the scenario demands.
    extra_acks: Vec<u32>,
    /// Packets sent while playing.
    packets: u32,
    /// A move that the scenario wants sent once more: how far behind the newest.
    extra_move: Option<u32>,
    move_sequence: u32,
    payload: Vec<u8>,
    events: VecDeque<Event>,
}

/// How far the client has come.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Stage {
    Disconnected,
    /// QuakeWorld: waits for a challenge.
    Challenging,
    /// Waits to be accepted. QuakeWorld: with the challenge and what the server offered.
    Connecting {
        challenge: i32,
        offered: Extensions,
    },
    /// Signs on.
    Connected,
    /// Plays.
    Active,
}

impl Stage {
    fn name(&self) -> &'static str {
        match self {
            Stage::Disconnected => "disconnected",
            Stage::Challenging => "challenging",
            Stage::Connecting { .. } => "connecting",
            Stage::Connected => "connected",
            Stage::Active => "active",
        }
    }
}

/// The client's end of a new connection.
fn new_line(options: &Options, qport: u16) -> Line {
    match options.transport {
        Transport::NetQuake => Line::NetQuake(Channel::new(MAX_FRAGMENT_BYTES)),
        Transport::QuakeWorld => Line::QuakeWorld(Netchan::new(
            Side::Client(Qport::Short(qport)),
            Settings::quakeworld(options.packet_bytes, false),
        )),
    }
}

impl Client {
    /// A client that follows `rules`.
    pub fn new(setup: &Setup, rules: Rules) -> Client {
        let options = Options::new(setup);
        let qport = (setup.seed as u16).wrapping_add(setup.host.0);
        let line = new_line(&options, qport);
        Client {
            rules,
            game: Game::new(&options, rules),
            move_sequence: options.move_start,
            options,
            stage: Stage::Disconnected,
            line,
            qport,
            port: 0,
            connects: 0,
            in_session: false,
            retry: None,
            next_tick: None,
            packet_due: false,
            leaving: false,
            extra_acks: Vec::new(),
            packets: 0,
            extra_move: None,
            payload: Vec::new(),
            events: VecDeque::new(),
        }
    }

    fn enter(&mut self, stage: Stage, cause: &'static str) {
        let (from, to) = (self.stage.name(), stage.name());
        self.stage = stage;
        if from != to {
            self.events.push_back(Event::State { peer: PeerId::SERVER, from, to, cause });
        }
    }

    fn reject(&mut self, error: DecodeError) {
        self.events.push_back(Event::Rejected { peer: PeerId::SERVER, error });
    }

    /// An out-of-band packet of QuakeWorld.
    fn handle_out_of_band(&mut self, now: Time, bytes: &[u8]) -> Result<(), DecodeError> {
        match (ServerPacket::read(&mut Reader::new(bytes))?, &self.stage) {
            (ServerPacket::Challenge { challenge, entries }, Stage::Challenging) => {
                self.enter(Stage::Connecting { challenge, offered: Extensions::of(&entries) }, "challenge");
                self.retry = Some(now);
                self.connects = 0;
            }
            (ServerPacket::Accept, Stage::Connecting { .. }) => self.accepted(now, b"new"),
            _ => {}
        }
        Ok(())
    }

    fn handle_control(&mut self, now: Time, bytes: &[u8]) -> Result<(), DecodeError> {
        match ControlPacket::read(&mut Reader::new(bytes))? {
            ControlPacket::Accept { .. } if matches!(self.stage, Stage::Connecting { .. }) => {
                self.accepted(now, b"");
                // The server may go on with an unreliable challenge, which can be lost: it is asked until it goes on.
                self.retry = Some(now.after(RETRY_US));
            }
            // Accepted once more: it took the challenge back, and counts again.
            ControlPacket::Accept { .. } if std::mem::take(&mut self.game.challenged) => {
                if let Line::NetQuake(channel) = &mut self.line {
                    channel.restart();
                }
            }
            ControlPacket::Reject { .. } if matches!(self.stage, Stage::Connecting { .. }) => {
                self.enter(Stage::Disconnected, "rejected");
                self.retry = None;
            }
            _ => {}
        }
        Ok(())
    }

    fn accepted(&mut self, now: Time, first_command: &'static [u8]) {
        self.enter(Stage::Connected, "accepted");
        // A new session: nothing of an earlier one holds.
        self.line = new_line(&self.options, self.qport);
        self.game = Game::new(&self.options, self.rules);
        self.extra_acks.clear();
        self.extra_move = None;
        self.retry = None;
        self.in_session = false;
        self.next_tick = Some(now.after(self.options.client_tick_us));
        if !first_command.is_empty() {
            self.game.replies.push(first_command.to_vec());
        }
    }

    /// A datagram of the session.
    fn handle_session(&mut self, now: Time, bytes: &[u8]) -> Result<(), DecodeError> {
        if !std::mem::replace(&mut self.in_session, true) {
            self.retry = None;
        }
        let game = &mut self.game;
        if game.challenged {
            // Once the reliable streams run, a late accept changes nothing.
            game.challenged = netquake::datagram::is_unreliable(bytes);
        }
        match &mut self.line {
            Line::NetQuake(channel) => match channel.receive(now, bytes)? {
                Incoming::Unreliable { sequence, payload } => {
                    let carrier =
                        Carrier { direction: Direction::ServerToClient, reliable: false, sequence, acknowledged: None };
                    game.receive(&carrier, payload)?;
                }
                Incoming::Reliable { message } => {
                    let carrier = Carrier {
                        direction: Direction::ServerToClient,
                        reliable: true,
                        sequence: 0,
                        acknowledged: None,
                    };
                    game.receive(&carrier, message)?;
                }
                Incoming::Nothing => {}
                // FTE-ACK-21
                Incoming::Stale { sequence } => {
                    self.events.push_back(notes::note(notes::STALE, sequence.into()));
                }
            },
            Line::QuakeWorld(netchan) => {
                let Some(received) = netchan.receive(bytes)? else {
                    self.events.push_back(notes::note(notes::STALE, 0));
                    return Ok(());
                };
                let carrier = Carrier {
                    direction: Direction::ServerToClient,
                    reliable: received.reliable_delivered,
                    sequence: received.header.sequence,
                    acknowledged: Some(received.header.acknowledged),
                };
                game.receive(&carrier, received.payload)?;
            }
        }
        Ok(())
    }

    /// Acts on what the game received: sends its replies, and follows its sign-on.
    fn follow_game(&mut self) {
        for reply in self.game.replies.drain(..) {
            let mut message = Vec::with_capacity(reply.len() + 2);
            ClientCommand::String { text: &reply }.write(&mut Writer::new(&mut message), &netquake::MoveForm::PLAIN);
            let queued = self.line.queued_bytes();
            if queued > MAX_QUEUED_BYTES {
                self.events.push_back(notes::note(notes::REPLY_NOT_SENT, queued as i64));
                break;
            }
            self.line.queue_reliable(&message);
        }
        for text in self.game.prints.drain(..) {
            self.events.push_back(Event::Print { text });
        }
        for (note, number) in self.game.notes.drain(..) {
            self.events.push_back(notes::note(note, number.into()));
        }
        if self.game.map_began {
            self.game.map_began = false;
            self.enter(Stage::Connected, "map began");
        }
        if self.game.begun {
            self.game.begun = false;
            self.enter(Stage::Active, "begin");
        }
        if self.game.left {
            self.game.left = false;
            self.enter(Stage::Disconnected, "server disconnected");
            self.retry = None;
            self.next_tick = None;
        }
    }

    /// Writes what asks for the next step of the connection.
    fn ask(&mut self, w: &mut Writer<'_>) {
        if matches!((&self.stage, &self.line), (Stage::Connecting { .. }, Line::QuakeWorld(_))) {
            if self.connects == CONNECTS_PER_PORT {
                self.port = self.port.wrapping_add(1);
                self.qport = self.qport.wrapping_add(QPORT_STEP);
                self.enter(Stage::Challenging, "no answer");
            }
            self.connects += 1;
        }
        match (&self.stage, &self.line) {
            (Stage::Challenging, _) => ClientPacket::GetChallenge.write(w), // FTE-HS-01
            (Stage::Connecting { challenge, offered }, Line::QuakeWorld(_)) => {
                // A server that offers nothing may sit behind a proxy that would not understand.
                let wanted = self.options.client_extensions;
                let nothing = *offered == Extensions::default();
                let private = self.options.client_private.then_some(PRIVATE_VALUE);
                let masks = match nothing {
                    true => Entries::default(),
                    false => Entries { private, ..wanted.entries() }, // FTE-HS-04
                };
                let rate = self.options.client_rate.map(|rate| format!("\\rate\\{rate}")).unwrap_or_default();
                let userinfo = format!("\\name\\player{rate}");
                let connect = Connect::new(self.qport, *challenge, userinfo.as_bytes(), masks); // FTE-HS-03
                ClientPacket::Connect(connect).write(w);
            }
            _ => ControlPacket::ConnectRequest {
                game: netquake::constants::GAME_NAME,
                version: netquake::constants::NET_PROTOCOL_VERSION,
                rest: b"",
            }
            .write(w),
        }
    }

    /// The unreliable part of the next packet.
    fn write_payload(&mut self, now: Time) {
        self.payload.clear();
        let Client { game, payload, rules, line, move_sequence, stage, extra_acks, extra_move, packets, .. } = self;
        let mut w = Writer::new(payload);
        let latitude = &rules.latitude;
        let active = *stage == Stage::Active;
        if !latitude.acks_first && active {
            write_move(&mut w, line, &game.dialect, now, move_sequence, extra_move.take());
        }
        if active && game.dialect.deltas() {
            *packets = packets.wrapping_add(1);
            game.wants_reset |= due(*packets, latitude.reset_request_every);
        }
        if game.wants_reset {
            game.wants_reset = false;
            message::write_acknowledge(&mut w, ACK_RESET);
        }
        for sequence in extra_acks.drain(..) {
            message::write_acknowledge(&mut w, sequence);
        }
        let header_ack = match line {
            Line::QuakeWorld(netchan) => Some(netchan.incoming_sequence()),
            Line::NetQuake(_) => None,
        };
        if let Some(implied) = header_ack {
            // The header of the packet acknowledges this frame.
            game.acks.retain(|&sequence| sequence != implied && latitude.explicit_acks);
        }
        let count = latitude.acks_per_packet.min(game.acks.len());
        // FTE-ACK-05, FTE-ACK-06
        for sequence in game.acks.drain(..count) {
            message::write_acknowledge(&mut w, sequence);
        }
        if latitude.acks_first && active {
            write_move(&mut w, line, &game.dialect, now, move_sequence, extra_move.take());
        }
        let says = game.valid && game.dialect.deltas() && latitude.builds_upon == BuildsUpon::Said;
        if let (true, Some(sequence)) = (says, header_ack) {
            // Erratum E2: without it, FTEQW takes every frame for lost.
            quakeworld::write_delta(&mut w, sequence as u8);
        }
    }
}

/// A move, on NetQuake; on QuakeWorld the packet's own sequence is that of the move. Perhaps after it an older one once
/// more.
fn write_move(w: &mut Writer<'_>, line: &Line, dialect: &Dialect, now: Time, sequence: &mut u32, again: Option<u32>) {
    if let Line::QuakeWorld(_) = line {
        return;
    }
    *sequence = sequence.wrapping_add(1);
    let older = again.map(|behind| sequence.wrapping_sub(behind));
    for sequence in [Some(*sequence), older].into_iter().flatten() {
        let movement = Move {
            sequence: sequence as u16,
            time: kit::table::float_bits(now.as_seconds()),
            angles: [0; 3],
            forward: 0,
            side: 0,
            up: 0,
            buttons: 0,
            impulse: 0,
        };
        ClientCommand::Move(movement).write(w, &message::move_form(dialect));
    }
}

impl Endpoint for Client {
    fn handle_command(&mut self, now: Time, command: &Command) {
        match (command, &self.stage) {
            (Command::Connect, Stage::Disconnected) => {
                self.retry = Some(now);
                self.enter(
                    match self.options.transport {
                        Transport::QuakeWorld => Stage::Challenging,
                        Transport::NetQuake => Stage::Connecting { challenge: 0, offered: Extensions::default() },
                    },
                    "connect",
                );
            }
            (Command::Disconnect, Stage::Connected | Stage::Active) => {
                self.retry = None;
                self.leaving = true;
            }
            (Command::Disconnect, Stage::Challenging | Stage::Connecting { .. }) => {
                self.retry = None;
                self.enter(Stage::Disconnected, "gave up");
            }
            (Command::Verb { verb: VERB_ACKNOWLEDGE, args }, Stage::Active) => self.extra_acks.push(args[0] as u32),
            // What was never sent cannot be sent again.
            (Command::Verb { verb: VERB_REPEAT_MOVE, args }, Stage::Active)
                if (args[0] as u32) < self.move_sequence.wrapping_sub(self.options.move_start) =>
            {
                self.extra_move = Some(args[0] as u32)
            }
            _ => self.events.push_back(notes::note(notes::COMMAND_IGNORED, 0)),
        }
    }

    fn handle_datagram(&mut self, now: Time, from: PeerId, bytes: &[u8]) {
        if from != PeerId::SERVER || self.stage == Stage::Disconnected {
            return;
        }
        let handled = match self.options.transport {
            Transport::QuakeWorld if bytes.starts_with(&[0xff; 4]) => self.handle_out_of_band(now, bytes),
            Transport::NetQuake if netquake::datagram::is_control(bytes) => self.handle_control(now, bytes),
            _ if matches!(self.stage, Stage::Connected | Stage::Active) => self.handle_session(now, bytes),
            _ => Ok(()),
        };
        if let Err(error) = handled {
            self.reject(error);
        }
        self.follow_game();
    }

    fn handle_timeout(&mut self, now: Time) {
        if let Some(tick) = self.next_tick.filter(|&tick| tick <= now) {
            self.next_tick = Some(tick.next_tick(self.options.client_tick_us, now));
            self.packet_due = self.options.transport == Transport::QuakeWorld || self.stage == Stage::Active;
        }
    }

    fn poll_transmit(&mut self, now: Time, out: &mut Vec<u8>) -> Option<PeerId> {
        if self.retry.is_some_and(|retry| retry <= now) {
            self.retry = Some(now.after(RETRY_US));
            self.ask(&mut Writer::new(out));
            return Some(PeerId::SERVER);
        }
        // While the next connection is asked for, nothing of the one before is sent again.
        if let (Line::NetQuake(channel), Stage::Connected | Stage::Active) = (&mut self.line, &self.stage)
            && channel.poll_transmit(now, out)
        {
            return Some(PeerId::SERVER);
        }
        if self.leaving {
            self.leaving = false;
            match &mut self.line {
                Line::NetQuake(channel) => {
                    channel.write_unreliable(&[netquake::constants::CLC_DISCONNECT], out);
                }
                Line::QuakeWorld(netchan) => {
                    netchan.transmit(b"\x04drop\0", out);
                }
            }
            self.enter(Stage::Disconnected, "disconnect");
            self.next_tick = None;
            self.packet_due = false;
            return Some(PeerId::SERVER);
        }
        if self.packet_due {
            self.packet_due = false;
            self.write_payload(now);
            match &mut self.line {
                Line::NetQuake(channel) => channel.write_unreliable(&self.payload, out),
                Line::QuakeWorld(netchan) => netchan.transmit(&self.payload, out),
            };
            return Some(PeerId::SERVER);
        }
        None
    }

    fn poll_event(&mut self) -> Option<Event> {
        self.events.pop_front()
    }

    fn poll_timeout(&self) -> Option<Time> {
        let resend = match (&self.line, &self.stage) {
            (Line::NetQuake(channel), Stage::Connected | Stage::Active) => channel.poll_timeout(),
            _ => None,
        };
        [self.retry, self.next_tick, resend].into_iter().flatten().min()
    }

    fn source_port(&self) -> u16 {
        self.port
    }

    fn observe(&self, view: &mut View) {
        view.state = self.stage.name();
        self.game.observe(view);
    }
}
