//! The reference client.

use crate::machine::download;
use crate::machine::game::{ClientRules, Game, Happening};
use crate::machine::latitude::due;
use crate::machine::movement::{MAX_MSEC, Mover};
use crate::machine::options::{Options, QportChoice};
use crate::notes::{NOTE_COMMAND_IGNORED, NOTE_FALLBACK, NOTE_PREDICTION_ERROR, NOTE_REPLY_NOT_SENT, NOTE_STALE, note};
use crate::verbs::*;
use crate::wire::command::Command as Outgoing;
use crate::wire::constants::*;
use crate::wire::dialect::Dialect;
use crate::wire::handshake::{ClientPacket, Connect, ServerPacket, Tail, is_out_of_band};
use crate::wire::state::{PM_ORIGIN_X, PM_TYPE, Player};
use crate::wire::usercmd::*;
use kit::{Command, DecodeError, Endpoint, Event, PeerId, Reader, Setup, Time, View, Writer};
use netchan::{Netchan, Settings, Side};
use std::collections::VecDeque;

/// Bytes of replies that may wait for their acknowledgement; further ones are not sent.
pub const MAX_QUEUED_BYTES: usize = 1 << 16;
/// Moves that are remembered, to be made again from the place of a frame.
const MOVES: usize = 64;
/// Most frames that a scenario lets the client acknowledge ahead, and with most moves.
pub const MAX_AHEAD: i32 = 64;
/// The client's answer when it is asked for its version.
const VERSION: &str = "deltaproof";
/// Datagrams that wait to be sent.
const MAX_OUTBOX: usize = 64;

/// How far the client has come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Stage {
    Disconnected,
    /// Waits for a challenge.
    Challenging,
    /// Has sent a connect with this challenge, and waits to be admitted.
    Connecting(i32),
    Connected,
    /// Receives the map.
    Loading,
    Active,
}

impl Stage {
    fn name(self) -> &'static str {
        match self {
            Stage::Disconnected => "disconnected",
            Stage::Challenging => "challenging",
            Stage::Connecting(_) => "connecting",
            Stage::Connected => "connected",
            Stage::Loading => "loading",
            Stage::Active => "active",
        }
    }

    fn in_session(self) -> bool {
        matches!(self, Stage::Connected | Stage::Loading | Stage::Active)
    }
}

/// A move that was made, and where it led.
#[derive(Clone, Copy, Debug)]
struct Made {
    /// The datagram with it.
    sequence: u32,
    command: UserCmd,
    /// Where it led, as predicted; `None`: there was nothing to predict from.
    place: Option<([i32; 3], Mover)>,
}

/// A client.
pub struct Client {
    rules: ClientRules,
    options: Options,
    number: u16,
    /// The number by which it is known from others of its address.
    qport: u32,
    stage: Stage,
    protocol: u32,
    netchan: Netchan,
    game: Game,
    retry: Option<Time>,
    next_tick: Option<Time>,
    ticks: u32,
    moves: u32,
    nodelta: bool,
    /// How far ahead it acknowledges, and with how many moves.
    ahead: (i32, u32),
    /// What the player does.
    input: UserCmd,
    /// The commands of the last datagrams: the one before the newest, and the newest.
    last: [UserCmd; 2],
    made: VecDeque<Made>,
    /// Messages for the next datagram, unreliable.
    unreliable: Vec<u8>,
    outbox: VecDeque<Vec<u8>>,
    events: VecDeque<Event>,
}

fn place_of(player: &Player) -> [i32; 3] {
    [player[PM_ORIGIN_X], player[PM_ORIGIN_X + 1], player[PM_ORIGIN_X + 2]]
}

impl Client {
    /// A client that follows `rules`.
    pub fn new(setup: &Setup, rules: ClientRules) -> Client {
        let options = Options::new(setup);
        let qport = match options.qport {
            QportChoice::Fixed(qport) => qport.into(),
            // Different for clients of one run: 37 and 255 have no divisor in common.
            QportChoice::Drawn => (setup.seed % 255 + u64::from(setup.host.0) * 37) as u32 % 255 + 1,
        };
        let mut client = Client {
            rules,
            options,
            number: setup.host.0,
            qport,
            stage: Stage::Disconnected,
            protocol: options.protocol(setup.host.0),
            netchan: Netchan::new(
                Side::Client(netchan::Qport::Absent),
                Settings::quake2(MAX_MSGLEN, rules.latitude.resend),
            ),
            game: Game::new(Dialect::ORIGINAL, None, rules),
            retry: None,
            next_tick: None,
            ticks: 0,
            moves: 0,
            nodelta: options.nodelta,
            ahead: (0, 0),
            input: UserCmd::NULL,
            last: [UserCmd::NULL; 2],
            made: VecDeque::new(),
            unreliable: Vec::new(),
            outbox: VecDeque::new(),
            events: VecDeque::new(),
        };
        client.input[CMD_MSEC] = (client.interval_us() / 1000).min(MAX_MSEC as u64) as i32;
        client
    }

    /// The revision that this client states in its connect: those since 1904 do, after the length that they ask for.
    fn stated_minor(&self) -> Option<u16> {
        let minor = self.options.client_minor;
        let states = minor >= MINOR_USERCMD && self.options.maxlen.is_some();
        (self.protocol == PROTOCOL_R1Q2 && states).then_some(minor)
    }

    fn enter(&mut self, stage: Stage, cause: &'static str) {
        let (from, to) = (self.stage.name(), stage.name());
        self.stage = stage;
        if from != to {
            self.events.push_back(Event::State { peer: PeerId::SERVER, from, to, cause });
        }
        if !stage.in_session() {
            self.next_tick = None;
        }
        if !matches!(stage, Stage::Challenging | Stage::Connecting(_)) {
            self.retry = None;
        }
        if matches!(stage, Stage::Disconnected | Stage::Challenging | Stage::Connected) {
            self.game.end_map();
            self.made.clear();
        }
    }

    fn note<const N: usize>(&mut self, number: usize, args: [i64; N]) {
        self.events.push_back(note(number, args));
    }

    /// Asks for a challenge, to connect over `protocol`.
    fn challenge(&mut self, now: Time, protocol: u32, cause: &'static str) {
        self.protocol = protocol;
        self.enter(Stage::Challenging, cause);
        self.retry = Some(now);
    }

    fn handle_out_of_band(&mut self, now: Time, bytes: &[u8]) -> Result<(), DecodeError> {
        match (ServerPacket::read(&mut Reader::new(bytes))?, self.stage) {
            (ServerPacket::Challenge { challenge, protocols }, Stage::Challenging) => {
                if protocols.include(PROTOCOL_R1Q2) == Some(false) {
                    self.protocol = PROTOCOL_ORIGINAL;
                }
                self.enter(Stage::Connecting(challenge), "challenge");
                self.retry = Some(now);
            }
            (ServerPacket::ClientConnect { .. }, Stage::Connecting(_)) => self.accepted(now),
            (ServerPacket::Print { text }, Stage::Connecting(_)) => {
                if text.starts_with(b"Bad challenge") || text.starts_with(b"No challenge") {
                    self.challenge(now, self.protocol, "another challenge");
                }
                self.events.push_back(Event::Print { text: text.to_vec() });
            }
            _ => {}
        }
        Ok(())
    }

    fn accepted(&mut self, now: Time) {
        let qport = (self.rules.qport)(self.protocol, self.qport);
        self.netchan =
            Netchan::new(Side::Client(qport), Settings::quake2(MAX_MSGLEN_ORIGINAL, self.rules.latitude.resend));
        let dialect = match self.protocol {
            PROTOCOL_R1Q2 => Dialect::r1q2(self.options.client_minor),
            _ => Dialect::ORIGINAL,
        };
        self.game = Game::new(dialect, self.stated_minor(), self.rules);
        (self.unreliable, self.ahead) = (Vec::new(), (0, 0));
        if !self.rules.keeps_commands {
            self.last = [UserCmd::NULL; 2];
        }
        self.enter(Stage::Connected, "client_connect");
        self.next_tick = Some(now.after(self.options.client_tick_us));
        self.send_reliably(b"new");
    }

    /// Sends a command reliably.
    fn send_reliably(&mut self, text: &[u8]) {
        let queued = self.netchan.queued_bytes();
        if queued > MAX_QUEUED_BYTES {
            return self.note(NOTE_REPLY_NOT_SENT, [queued as i64]);
        }
        let mut message = Vec::new();
        Outgoing::StringCmd { text }.write(&mut Writer::new(&mut message), &self.game.dialect);
        self.netchan.queue_reliable(&message);
    }

    /// Sends that it leaves, a few times because that is not acknowledged.
    fn send_disconnects(&mut self) {
        let mut message = Vec::new();
        Outgoing::StringCmd { text: b"disconnect" }.write(&mut Writer::new(&mut message), &self.game.dialect);
        for _ in 0..self.rules.latitude.disconnects {
            let mut datagram = Vec::new();
            self.netchan.transmit(&message, &mut datagram);
            self.outbox.push_back(datagram);
        }
    }

    /// A datagram of the session. What cannot be read ends it.
    fn handle_session(&mut self, now: Time, bytes: &[u8]) -> Result<(), DecodeError> {
        // R1Q2-LEN-01
        let cut = bytes.get(..MAX_MSGLEN).unwrap_or(bytes);
        let Some(received) = self.netchan.receive(cut)? else {
            let sequence = bytes.first_chunk().map_or(0, |word| u32::from_le_bytes(*word) & 0x7fff_ffff);
            self.note(NOTE_STALE, [sequence.into()]);
            return Ok(());
        };
        let (header, before) = (received.header, self.game.newest);
        let read = self.game.receive(header.sequence, header.acknowledged, header.reliable, received.payload);
        let fell_back = self.follow_game(now);
        if self.rules.latitude.answers_frames && self.stage == Stage::Active && self.game.newest != before {
            self.answer_frame(now);
        }
        if read.is_err() && !fell_back && self.rules.ends_at_errors && self.stage.in_session() {
            self.send_disconnects();
            self.enter(Stage::Disconnected, "unreadable message");
        }
        if fell_back { Ok(()) } else { read }
    }

    /// Acts on what the game received. Whether the client has left for another protocol.
    fn follow_game(&mut self, now: Time) -> bool {
        for happening in std::mem::take(&mut self.game.happenings) {
            match happening {
                Happening::Print(text) => self.events.push_back(Event::Print { text }),
                Happening::Note(event) => self.events.push_back(event),
                Happening::MapBegins(minor) => {
                    if let Some(minor) = minor.filter(|minor| self.is_foreign(*minor)) {
                        return self.fall_back(now, minor);
                    }
                    self.enter(Stage::Loading, "serverdata");
                }
                Happening::Frame(acknowledged) => {
                    self.enter(Stage::Active, "frame");
                    self.predict_from(acknowledged);
                }
                Happening::StuffText(text) => self.obey(&text),
                Happening::NextBlock => self.send_reliably(b"nextdl"),
                Happening::Disconnect => {
                    self.enter(Stage::Disconnected, "server disconnects");
                    return false;
                }
                Happening::Reconnect => {
                    self.challenge(now, self.protocol, "server reconnects");
                    return true;
                }
            }
        }
        false
    }

    /// Whether a client of this revision does not go on with a server of that.
    fn is_foreign(&self, announced: u16) -> bool {
        self.options.client_minor < MINOR_USERCMD && announced != self.options.client_minor
    }

    fn fall_back(&mut self, now: Time, announced: u16) -> bool {
        let Some(protocol) = self.rules.fallback else {
            self.enter(Stage::Loading, "serverdata");
            return false;
        };
        // R1Q2-SD-04: nothing of the connection before is kept
        self.note(NOTE_FALLBACK, [announced.into()]);
        self.send_disconnects();
        self.challenge(now, protocol, "another revision");
        true
    }

    /// Does what the server types into the client's console.
    fn obey(&mut self, text: &[u8]) {
        for line in text.split(|byte| matches!(byte, b'\n' | b';')) {
            let (word, rest) = match line.iter().position(|byte| *byte == b' ') {
                Some(blank) => (&line[..blank], &line[blank + 1..]),
                None => (line, &[][..]),
            };
            match word {
                b"cmd" => {
                    let command = String::from_utf8_lossy(rest).replace("$version", VERSION);
                    self.send_reliably(command.as_bytes());
                }
                b"precache" => self.send_reliably(&[b"begin ", rest].concat()),
                b"changing" => self.enter(Stage::Connected, "map changes"),
                b"reconnect" => {
                    self.enter(Stage::Connected, "map changes");
                    self.send_reliably(b"new");
                }
                _ => {}
            }
        }
    }

    fn is_predicted(&self) -> bool {
        self.game.player().is_some_and(|player| matches!(player[PM_TYPE], PM_NORMAL | PM_SPECTATOR))
    }

    /// A frame has where the player was once the server had the datagram `acknowledged`: the moves since then are made
    /// again from there.
    fn predict_from(&mut self, acknowledged: u32) {
        self.made.retain(|made| made.sequence >= acknowledged);
        let Some(mut player) = self.game.player().copied() else { return };
        let mut mover = Mover::default();
        if let Some(made) = self.made.front().filter(|made| made.sequence == acknowledged)
            && let Some((place, moved)) = made.place
        {
            let off = place.into_iter().zip(place_of(&player)).map(|(predicted, is)| (predicted - is).abs()).max();
            mover = moved;
            if self.is_predicted() {
                self.note(NOTE_PREDICTION_ERROR, [off.unwrap_or_default().into()]);
            }
        }
        // R1Q2-MOV-03
        let times = (self.rules.command_time)(self.protocol, player[PM_TYPE]);
        for made in &mut self.made {
            if made.sequence > acknowledged {
                mover.apply(&mut player, &made.command, times);
            }
            made.place = Some((place_of(&player), mover));
        }
    }

    /// Remembers the newest move, and where it leads.
    fn predict(&mut self, sequence: u32) {
        let before = self.made.back().and_then(|made| made.place);
        let base = self.game.player().copied();
        let place = base.zip(before).map(|(mut player, (place, mut mover))| {
            player.0[PM_ORIGIN_X..PM_ORIGIN_X + 3].copy_from_slice(&place);
            let times = (self.rules.command_time)(self.protocol, player[PM_TYPE]);
            mover.apply(&mut player, &self.input, times);
            (place_of(&player), mover)
        });
        if self.made.len() >= MOVES {
            self.made.pop_front();
        }
        self.made.push_back(Made { sequence, command: self.input, place });
    }

    /// Time from one datagram to the next, in microseconds.
    fn interval_us(&self) -> u64 {
        self.options.client_tick_us / u64::from(self.rules.latitude.sends_per_tick)
    }

    /// Answers a frame in place of the next datagram that is due; its move lasts as long as it was since the last.
    fn answer_frame(&mut self, now: Time) {
        let interval = self.interval_us();
        if let Some(tick) = self.next_tick.replace(now.after(interval)) {
            let since = now.after(interval).since(tick);
            let msec = self.input[CMD_MSEC];
            self.input[CMD_MSEC] = (since / 1000).min(MAX_MSEC as u64) as i32;
            self.send();
            self.input[CMD_MSEC] = msec;
        }
    }

    /// The datagram of a tick, unless too many wait: one that is made has taken its number, and must be sent.
    fn send(&mut self) {
        if self.outbox.len() >= MAX_OUTBOX {
            return;
        }
        let mut payload = Vec::with_capacity(self.netchan.room());
        if self.stage == Stage::Active {
            self.moves = self.moves.wrapping_add(1);
            let nodelta = self.nodelta || due(self.moves, self.rules.latitude.nodelta_every);
            let acknowledged = match self.game.acknowledged() {
                frame if frame > 0 && self.ahead.1 > 0 => {
                    self.ahead.1 -= 1;
                    frame.saturating_add(self.ahead.0)
                }
                _ if nodelta => NO_DELTA,
                frame => frame,
            };
            let [oldest, previous] = self.last;
            let commands = [oldest, previous, self.input];
            let dialect = self.game.dialect;
            let movement = Move::new(acknowledged, commands, self.rules.latitude.compaction, &dialect);
            Outgoing::Move(movement).write(&mut Writer::new(&mut payload), &dialect);
            self.last = [previous, self.input];
            self.predict(self.netchan.next_sequence());
        }
        payload.append(&mut self.unreliable);
        let mut datagram = Vec::new();
        self.netchan.transmit(&payload, &mut datagram);
        self.outbox.push_back(datagram);
    }

    /// A verb of the protocol's own. Whether it made sense.
    fn verb(&mut self, verb: usize, args: [i32; 4]) -> bool {
        let short = |value: i32| i32::from(value as i16);
        match verb {
            VERB_WALK => {
                for (field, speed) in [CMD_FORWARD, CMD_SIDE, CMD_UP].into_iter().zip(args) {
                    self.input[field] = speed.clamp(i16::MIN.into(), i16::MAX.into());
                }
                self.input[CMD_BUTTONS] = args[3] & i32::from(REAL_BUTTONS);
                true
            }
            VERB_LOOK => {
                for (field, angle) in [CMD_ANGLE1, CMD_ANGLE2, CMD_ANGLE3].into_iter().zip(args) {
                    self.input[field] = short(angle);
                }
                true
            }
            VERB_NODELTA => {
                self.nodelta = args[0] != 0;
                true
            }
            VERB_ACK_AHEAD if self.stage == Stage::Active => {
                self.ahead = (args[0].clamp(0, MAX_AHEAD), args[1].clamp(0, MAX_AHEAD) as u32);
                true
            }
            VERB_SETTING if self.stage == Stage::Active && self.game.dialect.has_settings() => {
                let setting = Outgoing::Setting { index: args[0] as i16, value: args[1] as i16 };
                let mut message = Vec::new();
                setting.write(&mut Writer::new(&mut message), &self.game.dialect);
                self.netchan.queue_reliable(&message);
                true
            }
            VERB_DOWNLOAD if self.stage == Stage::Active && !self.game.is_downloading() => {
                let name = download::name(args[0].max(0) as u32);
                let text = match self.game.dialect.is_r1q2() {
                    true => format!("download {name} 0 udp-zlib"),
                    false => format!("download {name}"),
                };
                self.game.begin_file();
                self.send_reliably(text.as_bytes());
                true
            }
            _ => false,
        }
    }

    fn connect_packet(&self, challenge: i32, out: &mut Vec<u8>) {
        let mut userinfo = format!("\\name\\player{}\\skin\\male/grunt", self.number);
        if let Some(rate) = self.options.rate {
            userinfo.push_str(&format!("\\rate\\{rate}"));
        }
        let connect = Connect {
            protocol: self.protocol,
            // R1Q2-QPORT-08
            qport: self.qport,
            challenge,
            userinfo: userinfo.as_bytes(),
            tail: Tail { max_length: self.options.maxlen, minor: self.stated_minor(), ..Tail::default() },
        };
        ClientPacket::Connect(connect).write(&mut Writer::new(out));
    }
}

impl Endpoint for Client {
    fn handle_command(&mut self, now: Time, command: &Command) {
        let applied = match *command {
            Command::Connect if self.stage == Stage::Disconnected => {
                self.challenge(now, self.options.protocol(self.number), "connect");
                true
            }
            Command::Disconnect if self.stage.in_session() => {
                self.send_disconnects();
                self.enter(Stage::Disconnected, "disconnect");
                true
            }
            Command::Disconnect if self.stage != Stage::Disconnected => {
                self.enter(Stage::Disconnected, "gave up");
                true
            }
            Command::Verb { verb, args } => self.verb(verb, args),
            _ => false,
        };
        if !applied {
            self.note(NOTE_COMMAND_IGNORED, []);
        }
    }

    fn handle_datagram(&mut self, now: Time, from: PeerId, bytes: &[u8]) {
        if from != PeerId::SERVER || self.stage == Stage::Disconnected {
            return;
        }
        let handled = match is_out_of_band(bytes) {
            true => self.handle_out_of_band(now, bytes),
            false if self.stage.in_session() => self.handle_session(now, bytes),
            false => Ok(()),
        };
        if let Err(error) = handled {
            self.events.push_back(Event::Rejected { peer: PeerId::SERVER, error });
        }
    }

    fn handle_timeout(&mut self, now: Time) {
        if let Some(tick) = self.next_tick.filter(|&tick| tick <= now) {
            self.next_tick = Some(tick.next_tick(self.interval_us(), now));
            self.ticks = self.ticks.wrapping_add(1);
            if due(self.ticks, self.rules.latitude.send_every) {
                self.send();
            }
        }
    }

    fn poll_transmit(&mut self, now: Time, out: &mut Vec<u8>) -> Option<PeerId> {
        if let Some(datagram) = self.outbox.pop_front() {
            out.extend_from_slice(&datagram);
            return Some(PeerId::SERVER);
        }
        if self.retry.is_none_or(|retry| retry > now) {
            return None;
        }
        self.retry = Some(now.after(self.rules.latitude.retry_us));
        match self.stage {
            Stage::Challenging => ClientPacket::GetChallenge.write(&mut Writer::new(out)),
            Stage::Connecting(challenge) => self.connect_packet(challenge, out),
            _ => return None,
        }
        Some(PeerId::SERVER)
    }

    fn poll_event(&mut self) -> Option<Event> {
        self.events.pop_front()
    }

    fn poll_timeout(&self) -> Option<Time> {
        [self.retry, self.next_tick].into_iter().flatten().min()
    }

    fn observe(&self, view: &mut View) {
        view.state = self.stage.name();
        if self.stage == Stage::Active {
            self.game.observe(view);
        }
    }
}
