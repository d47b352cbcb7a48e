//! The reference server: one world, several clients.

use crate::dialect::Transport;
use crate::extensions::{CHALLENGE_CONNECT, Extensions};
use crate::notes;
use crate::options::Options;
use crate::rules::Rules;
use crate::session::{Session, Terms};
use crate::state::World;
use crate::verbs::*;
use kit::options::MAP;
use kit::{Command, Endpoint, Event, HostId, PeerId, Reader, Setup, Time, View, Writer};
use netquake::constants::{GAME_NAME, NET_PROTOCOL_VERSION};
use netquake::level::MODELS;
use netquake::{ClientCommand, ControlPacket, Level, MoveForm, Packet, Primitives, Service};
use quakeworld::handshake::{ClientPacket, Entries, ServerPacket};
use std::collections::VecDeque;
use std::sync::Arc;

/// Repeated connection requests within this time are answered again, as the first answer may be lost; later ones
/// begin a new session.
const REPEAT_US: u64 = 2_000_000;

/// A server.
pub struct Server {
    rules: Rules,
    options: Options,
    level: Arc<Level>,
    /// What it supports from the next map on.
    next_support: Extensions,
    world: World,
    pub(crate) sessions: Vec<Session>,
    max_sessions: usize,
    seed: u64,
    next_tick: Option<Time>,
    /// Answers outside of any session.
    answers: VecDeque<(PeerId, Vec<u8>)>,
    events: VecDeque<Event>,
}

/// Answers that wait to be sent; more requests at one moment are not answered.
const MAX_ANSWERS: usize = 64;

impl Server {
    /// A server that follows `rules`.
    pub fn new(setup: &Setup, rules: Rules) -> Server {
        let options = Options::new(setup);
        let rules = Rules { latitude: options.asked_of_server(rules.latitude), ..rules };
        Server {
            rules,
            options,
            level: Arc::new(Level::new(setup.text(0, MAP.default), MODELS)),
            next_support: options.server_extensions,
            world: World::default(),
            sessions: Vec::new(),
            max_sessions: usize::from(setup.clients).max(1),
            seed: setup.seed,
            next_tick: None,
            answers: VecDeque::new(),
            events: VecDeque::new(),
        }
    }

    fn terms(&self) -> Terms<'_> {
        Terms { rules: self.rules, options: &self.options, level: &self.level }
    }

    /// The session of a client's host, whatever its port.
    fn session(&mut self, client: u16) -> Option<&mut Session> {
        self.sessions.iter_mut().find(|session| session.peer().host == HostId(client))
    }

    fn answer(&mut self, peer: PeerId, write: impl FnOnce(&mut Writer<'_>)) {
        if self.answers.len() < MAX_ANSWERS {
            let mut answer = Vec::new();
            write(&mut Writer::new(&mut answer));
            self.answers.push_back((peer, answer));
        }
    }

    /// The challenge for `peer`: the same whenever it asks.
    fn challenge(&self, peer: PeerId) -> i32 {
        let peer = u64::from(peer.host.0) << 16 | u64::from(peer.port);
        ((self.seed ^ peer).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 33) as i32
    }

    /// Takes a client in, or takes it in again. Whether there is room.
    fn open(&mut self, now: Time, peer: PeerId, session: Session) -> bool {
        // A host has one player: it comes from another port when it gave up on the old one.
        self.sessions.retain(|held| held.peer().host != peer.host || held.peer() == peer);
        match self.sessions.iter().position(|held| held.peer() == peer) {
            Some(index) if now.since(self.sessions[index].opened()) < REPEAT_US => return true,
            Some(index) => self.sessions[index] = session,
            None if self.sessions.len() < self.max_sessions => {
                let index = self.sessions.partition_point(|held| held.peer() < peer);
                self.sessions.insert(index, session);
            }
            None => return false,
        }
        if self.next_tick.is_none() {
            self.next_tick = Some(Time((now.us() / self.options.tick_us + 1) * self.options.tick_us));
        }
        true
    }

    fn handle_out_of_band(&mut self, now: Time, peer: PeerId, bytes: &[u8]) -> Result<(), kit::DecodeError> {
        match ClientPacket::read(&mut Reader::new(bytes))? {
            ClientPacket::GetChallenge => {
                let challenge = self.challenge(peer);
                let offered = match self.options.proxy_strips {
                    true => Entries::default(),
                    false => self.options.server_extensions.entries(),
                };
                self.answer(peer, |w| ServerPacket::Challenge { challenge, entries: offered }.write(w)); // FTE-HS-02
            }
            ClientPacket::Connect(connect) => {
                if connect.challenge != self.challenge(peer) {
                    self.answer(peer, |w| ServerPacket::Print { text: b"Bad challenge.\n" }.write(w));
                    return Ok(());
                }
                if self.options.connects_once && self.sessions.iter().any(|session| session.began_with_connect_of(peer))
                {
                    return Ok(());
                }
                // FTE-HS-06
                let asked = match self.options.proxy_strips {
                    true => Extensions::default(),
                    false => Extensions::of(&connect.entries),
                };
                let session = Session::quakeworld((peer, connect.qport), now, asked, self.terms());
                let answer = match self.open(now, peer, session) {
                    true => ServerPacket::Accept, // FTE-HS-05
                    false => ServerPacket::Print { text: b"Server is full.\n" },
                };
                self.answer(peer, |w| answer.write(w));
            }
            ClientPacket::Other { .. } => {}
        }
        Ok(())
    }

    fn handle_control(&mut self, now: Time, peer: PeerId, bytes: &[u8]) -> Result<(), kit::DecodeError> {
        let ControlPacket::ConnectRequest { game, version, .. } = ControlPacket::read(&mut Reader::new(bytes))? else {
            return Ok(());
        };
        if game != GAME_NAME {
            return Ok(());
        }
        let answer = if version != NET_PROTOCOL_VERSION {
            ControlPacket::Reject { reason: b"Incompatible version.\n" }
        } else if self.options.challenge_connect && !self.opened_lately(now, peer) {
            return self.challenge_address(peer);
        } else if self.open(now, peer, Session::netquake(peer, now, self.terms())) {
            ControlPacket::Accept { port: 0, extra: b"" }
        } else {
            ControlPacket::Reject { reason: b"Server is full.\n" }
        };
        self.answer(peer, |w| answer.write(w));
        Ok(())
    }

    fn opened_lately(&self, now: Time, peer: PeerId) -> bool {
        self.sessions.iter().any(|held| held.peer() == peer && now.since(held.opened()) < REPEAT_US)
    }

    /// NetQuake: accepts a client, and has it say something that only the owner of its address can know. Nothing of it is
    /// remembered, so that nobody can fill the server with the addresses of others.
    fn challenge_address(&mut self, peer: PeerId) -> Result<(), kit::DecodeError> {
        self.sessions.retain(|held| held.peer() != peer);
        self.answer(peer, |w| ControlPacket::Accept { port: 0, extra: b"" }.write(w));
        let mut payload = Vec::new();
        let text = [b"cmd ".as_slice(), &self.address_challenge(peer), b"\n"].concat();
        let question = Service::StuffText { text: &text };
        question.write(&mut Writer::new(&mut payload), &Primitives::PLAIN);
        self.answer(peer, |w| Packet::Unreliable { sequence: 1, payload: &payload }.write(w));
        Ok(())
    }

    /// The command that shows that a client's address is its own.
    fn address_challenge(&self, peer: PeerId) -> Vec<u8> {
        let number = self.challenge(peer);
        [CHALLENGE_CONNECT, format!(" {number}").as_bytes()].concat()
    }

    /// NetQuake: a datagram of nobody's session. When it has the answer to the challenge, its sender is accepted once more,
    /// and both ends count again: what has the answer is not acknowledged.
    fn handle_answer(&mut self, now: Time, peer: PeerId, bytes: &[u8]) -> Result<(), kit::DecodeError> {
        let Packet::Data { payload, .. } = Packet::read(&mut Reader::new(bytes))? else { return Ok(()) };
        let mut expected = Vec::new();
        let text = &self.address_challenge(peer);
        ClientCommand::String { text }.write(&mut Writer::new(&mut expected), &MoveForm::PLAIN);
        if payload == expected {
            let answer = match self.open(now, peer, Session::netquake(peer, now, self.terms())) {
                true => ControlPacket::Accept { port: 0, extra: b"" },
                false => ControlPacket::Reject { reason: b"Server is full.\n" },
            };
            self.answer(peer, |w| answer.write(w));
        }
        Ok(())
    }
}

impl Endpoint for Server {
    fn handle_command(&mut self, now: Time, command: &Command) {
        let applied = match *command {
            Command::Stat { client, stat, value } => {
                match self.session(client) {
                    Some(session) => session.set_stat(stat, value),
                    // The player is not there yet; its statistics begin when it is.
                    None => self.events.push_back(notes::note(notes::ABSENT_CLIENT, client.into())),
                }
                true
            }
            Command::Verb { verb: VERB_SUPPORT, args } => {
                self.next_support = Extensions { fte1: args[0] as u32, fte2: args[1] as u32 };
                true
            }
            Command::Verb { verb: VERB_STATIC, args } => self.world.make_static(args[0] as u32),
            Command::Verb { verb, args } => match (verb, self.session(args[0] as u16)) {
                (VERB_NOP_DATAGRAMS, Some(session)) => {
                    session.add_nops(args[1]);
                    true
                }
                (VERB_VIEW, Some(session)) => session.change_view(args[1] as u32),
                (VERB_SOUND, Some(session)) => session.play_sound(args[1] as u32, args[2] as u16),
                (VERB_BEAM, Some(session)) => session.show_beam(args[1] as u32),
                (VERB_CSQC_GONE, Some(session)) => session.csqc_gone(args[1] as u32),
                _ => false,
            },
            _ => self.world.apply(now, command),
        };
        if !applied {
            self.events.push_back(notes::note(notes::COMMAND_IGNORED, 0));
        }
        if matches!(command, Command::Map) {
            self.options.server_extensions = self.next_support;
            for session in &mut self.sessions {
                session.change_map(&self.world, &self.options);
            }
        }
    }

    fn handle_datagram(&mut self, now: Time, from: PeerId, bytes: &[u8]) {
        let connectionless = match self.options.transport {
            Transport::QuakeWorld => bytes.starts_with(&[0xff; 4]),
            Transport::NetQuake => netquake::datagram::is_control(bytes),
        };
        let handled = if !connectionless {
            let Server { sessions, world, .. } = self;
            match sessions.iter_mut().find_map(|session| session.recognise(from, bytes)) {
                Some(session) => session.handle_datagram(now, bytes, world),
                None if self.options.challenge_connect => self.handle_answer(now, from, bytes),
                None => return,
            }
        } else if self.options.transport == Transport::QuakeWorld {
            self.handle_out_of_band(now, from, bytes)
        } else {
            self.handle_control(now, from, bytes)
        };
        if let Err(error) = handled {
            self.events.push_back(Event::Rejected { peer: from, error });
        }
    }

    fn handle_timeout(&mut self, now: Time) {
        if let Some(tick) = self.next_tick.filter(|&tick| tick <= now) {
            self.next_tick = Some(tick.next_tick(self.options.tick_us, now));
            for session in &mut self.sessions {
                session.tick(now, &self.world);
            }
        }
        if self.sessions.is_empty() {
            self.next_tick = None;
        }
    }

    fn poll_transmit(&mut self, now: Time, out: &mut Vec<u8>) -> Option<PeerId> {
        if let Some((peer, answer)) = self.answers.pop_front() {
            out.extend_from_slice(&answer);
            return Some(peer);
        }
        let Server { sessions, world, .. } = self;
        sessions.iter_mut().find_map(|session| session.poll_transmit(now, world, out).then(|| session.peer()))
    }

    fn poll_event(&mut self) -> Option<Event> {
        let event = self.events.pop_front().or_else(|| self.sessions.iter_mut().find_map(Session::poll_event));
        if event.is_none() {
            self.sessions.retain(|session| !session.closed());
        }
        event
    }

    fn poll_timeout(&self) -> Option<Time> {
        let resends = self.sessions.iter().filter_map(Session::poll_timeout);
        resends.chain(self.next_tick).min()
    }

    fn forget(&mut self, client: HostId) {
        self.sessions.retain(|session| session.peer().host != client);
    }

    fn observe(&self, view: &mut View) {
        view.state = "serving";
        view.valid = true;
        for (number, state) in self.world.live.iter() {
            view.numbers.push(number);
            view.fields.extend_from_slice(&state.0);
        }
    }
}
