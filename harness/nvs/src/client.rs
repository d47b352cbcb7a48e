//! The reference client.
//!
//! Source: Part I, "Client"; Part III, "Reading".

use crate::game::rules::ClientRules;
use crate::game::{Game, SIGNON_DONE, SIGNON_PRESPAWNED, request, write_command};
use crate::message::move_form;
use crate::notes::{COMMAND_IGNORED, REPLY_NOT_SENT, STALE, note};
use crate::options::Options;
use crate::verbs::{VERB_LIMIT, VERB_LOOK, VERB_REQUEST, VERB_REQUEST_BARE};
use crate::version::Version;
use kit::table::float_bits;
use kit::{Command, DecodeError, Endpoint, Event, PeerId, Reader, Setup, Time, View, Writer};
use netquake::constants::{CLC_DISCONNECT, GAME_NAME, MAX_FRAGMENT_BYTES, NET_PROTOCOL_VERSION};
use netquake::{Channel, ClientCommand, ControlPacket, Incoming, Move};
use std::collections::VecDeque;

/// How long the client waits for an answer before it asks again.
const RETRY_US: u64 = 1_000_000;

/// Bytes of commands that may wait for their acknowledgement; further ones are not sent.
pub const MAX_QUEUED_BYTES: usize = 1 << 16;

/// A client.
pub struct Client {
    rules: ClientRules,
    options: Options,
    stage: Stage,
    channel: Channel,
    game: Game,
    /// When to ask again, while connecting.
    retry: Option<Time>,
    /// When to send the next move.
    next_tick: Option<Time>,
    move_due: bool,
    leaving: bool,
    /// The server asked for its challenge back: it accepts once more, and the connection starts over.
    challenged: bool,
    payload: Vec<u8>,
    events: VecDeque<Event>,
}

/// How far the client has come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Stage {
    Disconnected,
    /// Waits to be accepted.
    Connecting,
    /// Is accepted, and knows nothing yet.
    Connected,
    /// Has asked for the sign-on data.
    Prespawning,
    /// Has the sign-on data, and asked to be spawned.
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

    /// The stage of a connection whose sign-on has come so far.
    fn of(signon: u8) -> Stage {
        match signon {
            0 => Stage::Connected,
            1 => Stage::Prespawning,
            SIGNON_PRESPAWNED => Stage::Spawning,
            _ => Stage::Active,
        }
    }
}

impl Client {
    /// A client that follows `rules`.
    pub fn new(setup: &Setup, rules: ClientRules) -> Client {
        let options = Options::new(setup);
        Client {
            rules,
            options,
            stage: Stage::Disconnected,
            channel: Channel::with(MAX_FRAGMENT_BYTES, rules.transport),
            game: Game::new(setup, &options, rules, setup.host),
            retry: None,
            next_tick: None,
            move_due: false,
            leaving: false,
            challenged: false,
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

    fn is_connected(&self) -> bool {
        !matches!(self.stage, Stage::Disconnected | Stage::Connecting)
    }

    fn handle_control(&mut self, now: Time, bytes: &[u8]) -> Result<(), DecodeError> {
        match ControlPacket::read(&mut Reader::new(bytes))? {
            ControlPacket::Accept { .. } if self.stage == Stage::Connecting || self.challenged => {
                self.challenged = false;
                self.enter(Stage::Connected, "accepted");
                self.channel = Channel::with(MAX_FRAGMENT_BYTES, self.rules.transport);
                self.game.restart();
                self.retry = None;
                self.next_tick = Some(now.after(self.options.client_tick_us));
            }
            ControlPacket::Reject { .. } if self.stage == Stage::Connecting => {
                self.enter(Stage::Disconnected, "rejected");
                self.retry = None;
            }
            _ => {}
        }
        Ok(())
    }

    fn handle_session(&mut self, now: Time, bytes: &[u8]) -> Result<(), DecodeError> {
        match self.channel.receive(now, bytes)? {
            Incoming::Unreliable { payload, .. } => {
                let challenge = challenge(payload).filter(|_| self.stage == Stage::Connected).map(<[u8]>::to_vec);
                let received = self.game.receive(false, payload);
                if let Some(challenge) = challenge {
                    self.challenged = true;
                    self.command(&challenge);
                }
                received
            }
            Incoming::Reliable { message } => self.game.receive(true, message),
            Incoming::Nothing => Ok(()),
            Incoming::Stale { sequence } => {
                self.events.push_back(note(STALE, &[sequence.into()]));
                Ok(())
            }
        }
    }

    /// Acts on what the game received: sends its replies, moves with its sign-on.
    fn follow_game(&mut self) {
        let replies = std::mem::take(&mut self.game.replies);
        if self.rules.latitude.one_by_one {
            // Each is a string after its number.
            replies.split_inclusive(|&byte| byte == 0).for_each(|reply| self.say(reply));
        } else {
            self.say(&replies);
        }
        self.events.extend(self.game.events.drain(..));
        if !self.is_connected() {
            return;
        }
        if std::mem::take(&mut self.game.left) {
            self.enter(Stage::Disconnected, "server disconnected");
            self.next_tick = None;
            self.move_due = false;
            return;
        }
        let stage = Stage::of(self.game.signon);
        let cause = match stage {
            Stage::Connected => "level began",
            Stage::Prespawning => "signon 1",
            Stage::Spawning => "signon 2",
            _ => "signon 3",
        };
        self.enter(stage, cause);
    }

    /// Queues a reliable message, unless too much waits already.
    fn say(&mut self, message: &[u8]) {
        let queued = self.channel.queued_bytes();
        if queued > MAX_QUEUED_BYTES && !message.is_empty() {
            self.events.push_back(note(REPLY_NOT_SENT, &[queued as i64]));
            return;
        }
        self.channel.queue_reliable(message);
    }

    fn command(&mut self, text: &[u8]) {
        let mut message = Vec::with_capacity(text.len() + 2);
        write_command(&mut message, text);
        self.say(&message);
    }

    fn write_move(&mut self) {
        self.payload.clear();
        let input = Move { time: self.game.server_time, angles: self.game.angles, ..Move::default() };
        // NVS-CLC-01
        let form = move_form(self.game.writes_by());
        ClientCommand::Move(input).write(&mut Writer::new(&mut self.payload), &form);
    }
}

/// The command with which a server of another engine has its challenge sent back before anything else.
fn challenge(payload: &[u8]) -> Option<&[u8]> {
    const ASKS: &[u8] = b"cmd challengeconnect";
    let at = payload.windows(ASKS.len()).position(|window| window == ASKS)? + b"cmd ".len();
    payload.get(at..)?.split(|&byte| byte == b'\n' || byte == 0).next()
}

impl Endpoint for Client {
    fn handle_command(&mut self, now: Time, command: &Command) {
        match *command {
            Command::Connect if self.stage == Stage::Disconnected => {
                self.retry = Some(now);
                self.enter(Stage::Connecting, "connect");
            }
            Command::Disconnect if self.is_connected() => self.leaving = true,
            Command::Disconnect if self.stage == Stage::Connecting => {
                self.retry = None;
                self.enter(Stage::Disconnected, "gave up");
            }
            Command::Verb { verb: VERB_LOOK, args } => {
                self.game.angles = [args[0], args[1], args[2]].map(|angle| float_bits(angle as f32 / 100.0));
            }
            Command::Verb { verb: VERB_REQUEST, args } if self.is_connected() => {
                let text = request(Version(args[0]), self.rules.latitude.request_form);
                self.command(&text);
            }
            Command::Verb { verb: VERB_REQUEST_BARE, .. } if self.is_connected() => {
                self.command(crate::constants::NVS_REQUEST);
            }
            Command::Verb { verb: VERB_LIMIT, .. } if self.is_connected() => {
                self.command(crate::constants::LIMIT_REQUEST);
            }
            _ => self.events.push_back(note(COMMAND_IGNORED, &[])),
        }
    }

    fn handle_datagram(&mut self, now: Time, from: PeerId, bytes: &[u8]) {
        if from != PeerId::SERVER || self.stage == Stage::Disconnected {
            return;
        }
        let handled = if netquake::datagram::is_control(bytes) {
            self.handle_control(now, bytes)
        } else if self.is_connected() {
            self.handle_session(now, bytes)
        } else {
            Ok(())
        };
        if let Err(error) = handled {
            self.events.push_back(Event::Rejected { peer: PeerId::SERVER, error });
        }
        self.follow_game();
    }

    fn handle_timeout(&mut self, now: Time) {
        if let Some(tick) = self.next_tick.filter(|&tick| tick <= now) {
            self.next_tick = Some(tick.next_tick(self.options.client_tick_us, now));
            self.move_due = self.stage == Stage::Active && self.game.signon >= SIGNON_DONE;
        }
    }

    fn poll_transmit(&mut self, now: Time, out: &mut Vec<u8>) -> Option<PeerId> {
        if self.retry.is_some_and(|retry| retry <= now) {
            self.retry = Some(now.after(RETRY_US));
            let request = ControlPacket::ConnectRequest { game: GAME_NAME, version: NET_PROTOCOL_VERSION, rest: b"" };
            request.write(&mut Writer::new(out));
            return Some(PeerId::SERVER);
        }
        // While the next connection is asked for, nothing of the one before is sent again.
        if self.is_connected() && self.channel.poll_transmit(now, out) {
            return Some(PeerId::SERVER);
        }
        if std::mem::take(&mut self.leaving) {
            self.channel.write_unreliable(&[CLC_DISCONNECT], out);
            self.enter(Stage::Disconnected, "disconnect");
            self.next_tick = None;
            self.move_due = false;
            return Some(PeerId::SERVER);
        }
        if std::mem::take(&mut self.move_due) {
            self.write_move();
            self.channel.write_unreliable(&self.payload, out);
            return Some(PeerId::SERVER);
        }
        None
    }

    fn poll_event(&mut self) -> Option<Event> {
        self.events.pop_front()
    }

    fn poll_timeout(&self) -> Option<Time> {
        let resend = self.channel.poll_timeout().filter(|_| self.is_connected());
        [self.retry, self.next_tick, resend].into_iter().flatten().min()
    }

    fn observe(&self, view: &mut View) {
        view.state = self.stage.name();
        self.game.observe(view);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use netquake::constants::{CCREP_ACCEPT, NETFLAG_DATA, NETFLAG_EOM, NETFLAG_UNRELIABLE};

    fn sent(client: &mut Client, now: Time) -> Vec<Vec<u8>> {
        let mut all = Vec::new();
        let mut bytes = Vec::new();
        while client.poll_transmit(now, &mut bytes).is_some() {
            all.push(std::mem::take(&mut bytes));
        }
        all
    }

    fn datagram(flags: u32, payload: &[u8]) -> Vec<u8> {
        [&(flags | (8 + payload.len() as u32)).to_be_bytes()[..], &[0; 4], payload].concat()
    }

    #[test]
    fn a_second_acceptance_behind_a_challenge_begins_the_channel_anew() {
        let setup = Setup::new(&crate::PROTOCOL, &crate::options::PROFILES[0]);
        let mut client = Client::new(&setup.on(kit::HostId(1)), ClientRules::REFERENCE);
        let now = Time::ZERO;
        let accept = [0x80, 0, 0, 9, CCREP_ACCEPT, 0, 0, 0, 0];
        client.handle_command(now, &Command::Connect);
        client.handle_datagram(now, PeerId::SERVER, &accept);
        sent(&mut client, now);
        let challenge = datagram(NETFLAG_UNRELIABLE, b"\x09cmd challengeconnect 0x17\n\0");
        client.handle_datagram(now, PeerId::SERVER, &challenge);
        let answers = sent(&mut client, now);
        let text = b"\x04challengeconnect 0x17\0";
        assert!(answers.iter().any(|answer| answer.ends_with(text)), "{answers:?}");
        assert!(client.channel.is_sending());
        let reliable = datagram(NETFLAG_DATA | NETFLAG_EOM, b"\x08line\n\0");
        for _ in 0..2 {
            client.handle_datagram(now, PeerId::SERVER, &reliable);
            client.handle_datagram(now, PeerId::SERVER, &accept);
            assert!(client.channel.reliable_idle(), "what was said before is forgotten");
        }
        let prints = std::iter::from_fn(|| client.poll_event()).filter(|event| matches!(event, Event::Print { .. }));
        assert_eq!(prints.count(), 2);
    }
}
