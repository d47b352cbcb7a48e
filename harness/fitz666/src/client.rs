//! The reference client.

use crate::constants::*;
use crate::game::rules::ClientRules;
use crate::game::{Game, Happening};
use crate::latitude::due;
use crate::notes;
use crate::options::Options;
use crate::verbs::*;
use kit::table::{float_bits, float_value};
use kit::{Command, DecodeError, Endpoint, Event, HostId, PeerId, Setup, Time, View, Writer};
use netquake::constants::{CLC_DISCONNECT, CLC_NOP, GAME_NAME, NET_PROTOCOL_VERSION};
use netquake::{Channel, ClientCommand, ControlPacket, Incoming, Move, MoveForm, Packet};
use std::collections::VecDeque;

/// Bytes of replies that may wait for their acknowledgement; further ones are not sent.
pub const MAX_QUEUED_BYTES: usize = 1 << 16;

/// Datagrams that the scenario demands and that wait to be sent.
const MAX_EXTRAS: usize = 64;

/// Steps of a circle, as `look` counts them: half those of a 16-bit angle.
const LOOK_STEPS: f32 = 131_072.0;

/// A client.
pub struct Client {
    rules: ClientRules,
    options: Options,
    stage: Stage,
    channel: Channel,
    /// The server's address: the port may change when it accepts.
    server: PeerId,
    game: Game,
    /// The server asked for a number back: its next accept begins the connection again.
    challenged: bool,
    /// When to ask again: while connecting, and until something comes of the connection; and how often it asked.
    retry: Option<Time>,
    requests: u32,
    next_tick: Option<Time>,
    /// When to send that it is still there, while it signs on.
    next_nop: Option<Time>,
    ticks: u32,
    /// Moves that are still made and not sent.
    moves_to_drop: u32,
    packet_due: bool,
    nop_due: bool,
    leaving: bool,
    buttons: u8,
    impulse: u8,
    /// The last unreliable datagram.
    last: Vec<u8>,
    /// Datagrams that the scenario demands.
    extras: VecDeque<Vec<u8>>,
    payload: Vec<u8>,
    events: VecDeque<Event>,
}

/// How far the client has come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Stage {
    Disconnected,
    /// Waits to be accepted.
    Connecting,
    /// Was accepted, or knows that a map begins.
    Connected,
    /// Knows the map, and asked for the baselines.
    Prespawning,
    /// Has the baselines, and asked for the rest.
    Spawning,
    /// Plays.
    Active,
}

impl Stage {
    fn name(self) -> &'static str {
        match self {
            Stage::Disconnected => "disconnected",
            Stage::Connecting => "connecting",
            Stage::Connected => "connected",
            Stage::Prespawning => "prespawning",
            Stage::Spawning => "spawning",
            Stage::Active => "active",
        }
    }

    /// Whether there is a connection.
    fn in_session(self) -> bool {
        !matches!(self, Stage::Disconnected | Stage::Connecting)
    }
}

/// The client's end of a new connection.
fn new_channel(options: &Options, rules: &ClientRules) -> Channel {
    Channel::with(rules.latitude.fragment_bytes.unwrap_or(options.fragment_bytes), rules.conduct)
}

impl Client {
    /// A client that follows `rules`.
    pub fn new(setup: &Setup, rules: ClientRules) -> Client {
        let options = Options::new(setup);
        Client {
            rules,
            stage: Stage::Disconnected,
            channel: new_channel(&options, &rules),
            server: PeerId::SERVER,
            game: Game::new(&options, rules),
            options,
            challenged: false,
            retry: None,
            requests: 0,
            next_tick: None,
            next_nop: None,
            ticks: 0,
            moves_to_drop: 0,
            packet_due: false,
            nop_due: false,
            leaving: false,
            buttons: 0,
            impulse: 0,
            last: Vec::new(),
            extras: VecDeque::new(),
            payload: Vec::new(),
            events: VecDeque::new(),
        }
    }

    /// The states' peer has the port that the client goes on with.
    fn enter(&mut self, stage: Stage, cause: &'static str) {
        let (from, to) = (self.stage.name(), stage.name());
        self.stage = stage;
        if from != to {
            self.events.push_back(Event::State { peer: self.server, from, to, cause });
        }
        if !stage.in_session() {
            (self.next_tick, self.next_nop, self.packet_due, self.nop_due) = (None, None, false, false);
        }
        if stage != Stage::Connecting {
            self.retry = None;
        }
    }

    fn handle_control(&mut self, now: Time, bytes: &[u8]) -> Result<(), DecodeError> {
        match ControlPacket::read(&mut kit::Reader::new(bytes))? {
            ControlPacket::Accept { port, .. } if self.stage == Stage::Connecting => {
                // FITZ-NET-09
                if port != 0 {
                    self.server = PeerId { host: HostId::SERVER, port: port as u16 };
                }
                // A new connection: nothing of an earlier one holds.
                self.channel = new_channel(&self.options, &self.rules);
                self.game = Game::new(&self.options, self.rules);
                self.last.clear();
                self.enter(Stage::Connected, "accepted");
                self.next_tick = Some(now.after(self.options.client_tick_us));
                self.next_nop = Some(now.after(NOP_US));
                self.retry = Some(now.after(SILENCE_US));
                self.challenged = false;
            }
            ControlPacket::Accept { .. } if self.challenged => {
                self.challenged = false;
                self.channel.restart();
            }
            ControlPacket::Reject { .. } if self.stage == Stage::Connecting => {
                self.enter(Stage::Disconnected, "rejected");
            }
            _ => {}
        }
        Ok(())
    }

    /// A datagram of the session. What cannot be read of the reliable stream ends it.
    fn handle_session(&mut self, now: Time, bytes: &[u8]) -> Result<(), DecodeError> {
        let asks_again = self.retry.take();
        let (reliable, received) = match self.channel.receive(now, bytes)? {
            Incoming::Unreliable { payload, .. } => (false, self.game.receive(now, payload)),
            Incoming::Reliable { message } => {
                // The connection goes on, whatever became of the second accept.
                self.challenged = false;
                (true, self.game.receive(now, message))
            }
            Incoming::Nothing => {
                self.challenged = false;
                return Ok(());
            }
            Incoming::Stale { sequence } => {
                // It can be of the connection before: silence in this one still has the client ask again.
                self.retry = asks_again.map(|_| now.after(SILENCE_US));
                self.events.push_back(Event::Note { note: notes::STALE, args: [sequence.into(), 0, 0, 0] });
                return Ok(());
            }
        };
        if reliable && received.is_err() {
            self.enter(Stage::Disconnected, "unreadable message");
        }
        received
    }

    /// Acts on what the game received.
    fn follow_game(&mut self) {
        for happening in std::mem::take(&mut self.game.happenings) {
            match happening {
                Happening::Print(text) => self.events.push_back(Event::Print { text }),
                Happening::Note(note, args) => self.events.push_back(Event::Note { note, args }),
                Happening::MapBegins => self.enter(Stage::Connected, "map begins"),
                // FITZ-NET-11
                Happening::Step(1) => {
                    self.send_command(b"prespawn");
                    self.enter(Stage::Prespawning, "signonnum 1");
                }
                Happening::Step(2) => {
                    self.send_command(b"name \"player\"\n");
                    self.send_command(b"color 0 0\n");
                    self.send_command(b"spawn ");
                    self.enter(Stage::Spawning, "signonnum 2");
                }
                Happening::Step(_) => self.send_command(b"begin"),
                Happening::Begun => {
                    self.moves_to_drop = self.rules.latitude.first_moves_dropped;
                    self.enter(Stage::Active, "first update");
                }
                Happening::Challenged => self.challenged = true,
                Happening::Reply(text) => self.send_command(&text),
                Happening::Ends(cause) => {
                    self.enter(Stage::Disconnected, cause);
                    return;
                }
            }
        }
    }

    /// Sends a command reliably.
    fn send_command(&mut self, text: &[u8]) {
        let queued = self.channel.queued_bytes();
        if queued > MAX_QUEUED_BYTES {
            return self.events.push_back(Event::Note { note: notes::REPLY_NOT_SENT, args: [queued as i64, 0, 0, 0] });
        }
        let mut message = Vec::with_capacity(text.len() + 2);
        ClientCommand::String { text }.write(&mut Writer::new(&mut message), &MoveForm::PLAIN);
        self.channel.queue_reliable(&message);
    }

    /// The move of this tick.
    fn write_move(&mut self) {
        let Client { game, rules, payload, .. } = self;
        let movement = Move {
            time: float_bits(game.server_time()),
            angles: game.view.map(|angle| float_bits((rules.view_angle)(float_value(angle)))),
            buttons: self.buttons,
            impulse: std::mem::take(&mut self.impulse),
            ..Move::default()
        };
        payload.clear();
        ClientCommand::Move(movement).write(&mut Writer::new(payload), &game.dialect.move_form());
    }

    /// Queues a datagram that the scenario demands. Whether there is room.
    fn extra(&mut self, write: impl FnOnce(&mut Writer<'_>)) -> bool {
        let room = self.extras.len() < MAX_EXTRAS;
        if room {
            let mut datagram = Vec::new();
            write(&mut Writer::new(&mut datagram));
            self.extras.push_back(datagram);
        }
        room
    }

    /// A verb of the protocol's own. Whether it made sense.
    fn verb(&mut self, verb: usize, args: [i32; 4]) -> bool {
        let rest = self.rules.latitude.request_extra;
        match verb {
            VERB_LOOK => {
                let look = |steps: i32| float_bits(steps as f32 * 360.0 / LOOK_STEPS);
                self.game.view = [look(args[0]), look(args[1]), look(args[2])];
                true
            }
            VERB_PRESS => {
                self.buttons = args[0] as u8;
                // An impulse that waits for the next move is not taken back.
                self.impulse = if args[1] == 0 { self.impulse } else { args[1] as u8 };
                true
            }
            VERB_REQUEST_AGAIN if self.stage == Stage::Disconnected => false,
            VERB_REQUEST_AGAIN => self.extra(|w| {
                ControlPacket::ConnectRequest { game: GAME_NAME, version: NET_PROTOCOL_VERSION, rest }.write(w);
            }),
            VERB_HELLO => {
                let (game, version) = (if args[0] == 0 { GAME_NAME } else { b"OTHER" }, args[1] as u8);
                self.extra(|w| ControlPacket::ConnectRequest { game, version, rest: b"" }.write(w))
            }
            VERB_REPEAT_MOVE if self.stage.in_session() && !self.last.is_empty() => {
                let last = self.last.clone();
                self.extra(|w| w.bytes("datagram", &last))
            }
            VERB_POKE_ACK if self.stage.in_session() => {
                self.extra(|w| Packet::Ack { sequence: args[0] as u32 }.write(w))
            }
            _ => false,
        }
    }
}

impl Endpoint for Client {
    fn handle_command(&mut self, now: Time, command: &Command) {
        let applied = match *command {
            Command::Connect if self.stage == Stage::Disconnected => {
                // What the session before had to say is not said any more.
                self.channel = new_channel(&self.options, &self.rules);
                self.server = PeerId::SERVER;
                self.enter(Stage::Connecting, "connect");
                (self.retry, self.requests) = (Some(now), 0);
                true
            }
            Command::Disconnect if self.stage.in_session() => {
                self.leaving = true;
                true
            }
            Command::Disconnect if self.stage == Stage::Connecting => {
                self.retry = None;
                self.enter(Stage::Disconnected, "gave up");
                true
            }
            Command::Verb { verb, args } => self.verb(verb, args),
            _ => false,
        };
        if !applied {
            self.events.push_back(Event::Note { note: notes::COMMAND_IGNORED, args: [0; 4] });
        }
    }

    fn handle_datagram(&mut self, now: Time, from: PeerId, bytes: &[u8]) {
        if from.host != HostId::SERVER || self.stage == Stage::Disconnected {
            return;
        }
        let handled = match netquake::datagram::is_control(bytes) {
            true => self.handle_control(now, bytes),
            false if self.stage.in_session() => self.handle_session(now, bytes),
            false => Ok(()),
        };
        if let Err(error) = handled {
            self.events.push_back(Event::Rejected { peer: self.server, error });
        }
        self.follow_game();
    }

    fn handle_timeout(&mut self, now: Time) {
        if let Some(tick) = self.next_tick.filter(|&tick| tick <= now) {
            self.next_tick = Some(tick.next_tick(self.options.client_tick_us, now));
            self.ticks = self.ticks.wrapping_add(1);
            self.packet_due |= self.stage == Stage::Active && due(self.ticks, self.rules.latitude.move_every);
        }
        if let Some(nop) = self.next_nop.filter(|&nop| nop <= now) {
            self.next_nop = Some(nop.after(NOP_US));
            self.nop_due = self.stage != Stage::Active && !self.rules.latitude.no_nops;
        }
    }

    fn poll_transmit(&mut self, now: Time, out: &mut Vec<u8>) -> Option<PeerId> {
        if self.retry.is_some_and(|retry| retry <= now) {
            if self.requests >= REQUESTS {
                self.enter(Stage::Disconnected, "no answer");
                return None;
            }
            self.requests += 1;
            self.retry = Some(now.after(REQUEST_US));
            let rest = self.rules.latitude.request_extra;
            // FITZ-NET-10
            let request = ControlPacket::ConnectRequest { game: GAME_NAME, version: NET_PROTOCOL_VERSION, rest };
            request.write(&mut Writer::new(out));
            return Some(self.server);
        }
        if let Some(extra) = self.extras.pop_front() {
            out.extend_from_slice(&extra);
            return Some(self.server);
        }
        if !self.stage.in_session() {
            // Whatever ended the session: what was received is acknowledged.
            return self.channel.poll_ack(out).then_some(self.server);
        }
        if self.channel.poll_transmit(now, out) {
            return Some(self.server);
        }
        if std::mem::take(&mut self.leaving) {
            self.channel.write_unreliable(&[CLC_DISCONNECT], out);
            let server = self.server;
            self.enter(Stage::Disconnected, "disconnect");
            return Some(server);
        }
        if std::mem::take(&mut self.nop_due) {
            self.channel.write_unreliable(&[CLC_NOP], out);
            return Some(self.server);
        }
        if std::mem::take(&mut self.packet_due) {
            if self.moves_to_drop > 0 {
                self.moves_to_drop -= 1;
                return None;
            }
            self.write_move();
            let before = out.len();
            self.channel.write_unreliable(&self.payload, out);
            self.last.clear();
            self.last.extend_from_slice(&out[before..]);
            return Some(self.server);
        }
        None
    }

    fn poll_event(&mut self) -> Option<Event> {
        self.events.pop_front()
    }

    fn poll_timeout(&self) -> Option<Time> {
        let resend = if self.stage.in_session() { self.channel.poll_timeout() } else { None };
        [self.retry, self.next_tick, self.next_nop, resend].into_iter().flatten().min()
    }

    fn observe(&self, view: &mut View) {
        view.state = self.stage.name();
        self.game.observe(view);
    }
}
