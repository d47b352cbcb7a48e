//! The reference server: one world, several clients.

use crate::constants::*;
use crate::message;
use crate::notes;
use crate::options::Options;
use crate::session::rules::ServerRules;
use crate::session::{Scene, Session, StaticSound, Stats, Terms, default_stats};
use crate::state::*;
use crate::think::Thinking;
use crate::verbs::*;
use kit::options::MAP;
use kit::table::{float_bits, float_value};
use kit::{Command, DecodeError, Endpoint, Event, HostId, PeerId, Reader, Setup, Time, View, Writer};
use netquake::constants::{GAME_NAME, NET_PROTOCOL_VERSION};
use netquake::effect::{Sound, SoundExtras};
use netquake::{ClientCommand, ControlPacket, Level, MoveForm, Packet, Primitives, Service};
use std::collections::VecDeque;
use std::sync::Arc;

/// Answers that wait to be sent; more requests at one moment are not answered.
const MAX_ANSWERS: usize = 64;
/// Most static sounds of a map.
const MAX_STATIC_SOUNDS: usize = 256;
/// Most entities out of a client's sight, of all clients together.
const MAX_HIDDEN: usize = 65_536;

/// A server.
pub struct Server {
    rules: ServerRules,
    options: Options,
    level: Arc<Level>,
    world: World,
    thinking: Thinking,
    hidden: Vec<(u16, u32)>,
    static_sounds: Vec<StaticSound>,
    sessions: Vec<Session>,
    /// The players' statistics, by client from 1; they outlast sessions.
    stats: Vec<Stats>,
    clients: u16,
    next_tick: Option<Time>,
    /// Answers outside of any session.
    answers: VecDeque<(PeerId, Vec<u8>)>,
    events: VecDeque<Event>,
}

/// What a client has to say so that it is believed to be where it says.
fn proof(peer: PeerId) -> Vec<u8> {
    [CHALLENGE_CONNECT, format!(" {}", 7_919 * u32::from(peer.host.0)).as_bytes()].concat()
}

impl Server {
    /// A server that follows `rules`.
    pub fn new(setup: &Setup, rules: ServerRules) -> Server {
        let (options, clients) = (Options::new(setup), setup.clients.clamp(1, MAX_CLIENTS));
        Server {
            rules,
            level: Arc::new(Level::new(setup.text(0, MAP.default), (2..=options.models).map(|n| format!("m/{n}")))),
            options,
            world: World::default(),
            thinking: Thinking::default(),
            hidden: Vec::new(),
            static_sounds: Vec::new(),
            sessions: Vec::new(),
            stats: (0..clients).map(|_| default_stats()).collect(),
            clients,
            next_tick: None,
            answers: VecDeque::new(),
            events: VecDeque::new(),
        }
    }

    /// What the sessions see at `now`, and the sessions.
    fn scene(&mut self, now: Time) -> (Scene<'_>, &mut Vec<Session>) {
        let Server { world, thinking, hidden, static_sounds, sessions, .. } = self;
        (Scene { world, thinking, hidden, static_sounds, time: now.as_seconds() }, sessions)
    }

    fn session(&mut self, client: i32) -> Option<&mut Session> {
        let peer = PeerId::client(u16::try_from(client).ok()?);
        self.sessions.iter_mut().find(|session| session.peer() == peer)
    }

    fn answer(&mut self, peer: PeerId, packet: ControlPacket<'_>) {
        if self.answers.len() < MAX_ANSWERS {
            let mut answer = Vec::new();
            packet.write(&mut Writer::new(&mut answer));
            self.answers.push_back((peer, answer));
        }
    }

    fn handle_control(&mut self, now: Time, peer: PeerId, bytes: &[u8]) -> Result<(), DecodeError> {
        let ControlPacket::ConnectRequest { game, version, .. } = ControlPacket::read(&mut Reader::new(bytes))? else {
            return Ok(());
        };
        if game != GAME_NAME {
            return Ok(());
        }
        if version != NET_PROTOCOL_VERSION {
            self.answer(peer, ControlPacket::Reject { reason: b"Incompatible version.\n" });
            return Ok(());
        }
        if let Some(index) = self.sessions.iter().position(|held| held.peer() == peer) {
            // FITZ-NET-08
            if now.since(self.sessions[index].opened()) >= self.rules.repeat_us {
                // Somebody else at the same address, or the same again: the next request will be accepted.
                self.sessions[index].close("asks again");
                return Ok(());
            }
        } else if self.sessions.len() >= usize::from(self.clients) {
            self.answer(peer, ControlPacket::Reject { reason: b"Server is full.\n" });
            return Ok(());
        } else if self.challenges() {
            return self.challenge(peer);
        } else {
            self.open(now, peer);
        }
        self.accept(peer);
        Ok(())
    }

    /// Whether clients are challenged: where an answer fits into one fragment, as nothing is kept of a client until then.
    fn challenges(&self) -> bool {
        self.rules.latitude.challenges && self.options.fragment_bytes >= 64
    }

    fn accept(&mut self, peer: PeerId) {
        let extra = self.rules.latitude.accept_extra;
        self.answer(peer, ControlPacket::Accept { port: self.options.accept_port.into(), extra });
    }

    /// Accepts a client that has to say first what it is asked to; nothing is kept of it.
    fn challenge(&mut self, peer: PeerId) -> Result<(), DecodeError> {
        self.accept(peer);
        let mut message = Vec::new();
        let text = [b"cmd ", proof(peer).as_slice(), b"\n"].concat();
        Service::StuffText { text: &text }.write(&mut Writer::new(&mut message), &Primitives::PLAIN);
        let mut datagram = Vec::new();
        Packet::Unreliable { sequence: 1, payload: &message }.write(&mut Writer::new(&mut datagram));
        if self.answers.len() < MAX_ANSWERS {
            self.answers.push_back((peer, datagram));
        }
        Ok(())
    }

    /// A datagram of a client that there is no session with: one that says what it was asked to gets one.
    fn handle_stranger(&mut self, now: Time, peer: PeerId, bytes: &[u8]) -> Result<(), DecodeError> {
        let Packet::Data { payload, .. } = Packet::read(&mut Reader::new(bytes))? else { return Ok(()) };
        let mut proven = false;
        message::walk_commands(&mut Reader::new(payload), &MoveForm::PLAIN, &mut |command| {
            proven |= command == ClientCommand::String { text: &proof(peer) };
        })?;
        if proven && self.sessions.len() < usize::from(self.clients) {
            self.open(now, peer);
            self.accept(peer);
        }
        Ok(())
    }

    /// Takes a client in.
    fn open(&mut self, now: Time, peer: PeerId) {
        let index = self.sessions.partition_point(|held| held.peer() < peer);
        let default = default_stats();
        let stats = usize::from(peer.host.0).checked_sub(1).and_then(|index| self.stats.get(index)).unwrap_or(&default);
        let terms = Terms { rules: self.rules, options: &self.options, level: &self.level };
        let mut session = Session::new(peer, now, stats, self.clients, terms);
        session.begin_sign_on();
        self.sessions.insert(index, session);
        if self.next_tick.is_none() {
            self.next_tick = Some(Time((now.us() / self.options.tick_us + 1) * self.options.tick_us));
        }
    }

    /// A verb of the protocol's own. Whether it made sense.
    fn verb(&mut self, verb: usize, args: [i32; 4]) -> bool {
        let byte = |value: i32| value.clamp(0, 255) as u8;
        let number = args[0] as u32;
        match verb {
            VERB_SOUND => {
                let (Ok(channel), Ok(sound)) = (u8::try_from(args[1]), u16::try_from(args[2])) else { return false };
                let origin = self.origin(number);
                let (volume, attenuation) = (args[3] as u8, (args[3] >> 8) as u8);
                let sound = Sound {
                    volume,
                    attenuation,
                    entity: number,
                    channel,
                    sound,
                    origin,
                    extras: SoundExtras::default(),
                    forced: 0,
                };
                let known = number <= 0xffff && sound.sound > 0;
                known && self.each(|session| session.play(sound)) == self.sessions.len()
            }
            VERB_STATIC => number <= MAX_ENTITY && self.world.make_static(number),
            VERB_STATIC_SOUND => {
                // There is no sound 0.
                let Some(sound) = u16::try_from(args[1]).ok().filter(|&sound| sound > 0) else { return false };
                let state = self.world.baselines.get(number).unwrap_or(&Entity::NULL);
                let origin = [state[ORIGIN_X], state[ORIGIN_Y], state[ORIGIN_Z]];
                let room = self.static_sounds.len() < MAX_STATIC_SOUNDS;
                if room {
                    let (volume, attenuation) = (byte(args[2]), byte(args[3]));
                    self.static_sounds.push(StaticSound { origin, sound, volume, attenuation });
                }
                room
            }
            VERB_PRINT => {
                let text = format!("proof {}\n", args[1]);
                match args[0] {
                    0 => self.each(|session| session.print(&text)) > 0,
                    client => self.session(client).is_some_and(|session| session.print(&text)),
                }
            }
            VERB_HIDE | VERB_SHOW => {
                let Ok(client) = u16::try_from(args[0]) else { return false };
                let pair = (client, args[1] as u32);
                match (self.hidden.binary_search(&pair), verb) {
                    (Err(index), VERB_HIDE) if self.hidden.len() < MAX_HIDDEN => self.hidden.insert(index, pair),
                    (Ok(index), VERB_SHOW) => drop(self.hidden.remove(index)),
                    _ => return false,
                }
                true
            }
            VERB_DAMAGE => self.session(args[0]).is_some_and(|session| session.hurt(byte(args[1]), byte(args[2]))),
            VERB_SET_ANGLE => {
                let angles = [args[1] as f32 / 100.0, args[2] as f32 / 100.0, 0.0];
                self.session(args[0]).is_some_and(|session| session.turn(angles))
            }
            VERB_PARTICLE => {
                let (origin, count, color) = (self.origin(number), byte(args[1]), byte(args[2]));
                let burst = Service::Particle { origin, direction: [0; 3], count, color };
                self.sessions.iter_mut().for_each(|session| session.add_effect(burst.clone()));
                true
            }
            VERB_RELOAD => {
                self.reload();
                true
            }
            _ => false,
        }
    }

    /// Does something in every session. In how many it made sense.
    fn each(&mut self, mut act: impl FnMut(&mut Session) -> bool) -> usize {
        self.sessions.iter_mut().map(|session| usize::from(act(session))).sum()
    }

    /// Where an entity is; the middle of the world for one that does not live.
    fn origin(&self, number: u32) -> [i32; 3] {
        self.world.live.get(number).map_or([0; 3], |state| [state[ORIGIN_X], state[ORIGIN_Y], state[ORIGIN_Z]])
    }

    /// Saves the game and loads it: the map starts over, with its entities as they were. Of alpha, a saved game has what
    /// its code says.
    fn reload(&mut self) {
        let ServerRules { encode_alpha, save_alpha, .. } = self.rules;
        for (_, state) in self.world.live.iter_mut() {
            state[ALPHA] = float_bits(save_alpha(encode_alpha(float_value(state[ALPHA]))));
        }
        self.world.maps += 1;
        self.change_map();
    }

    /// All clients sign on again.
    fn change_map(&mut self) {
        self.sessions.iter_mut().for_each(Session::change_map);
    }
}

impl Endpoint for Server {
    fn handle_command(&mut self, now: Time, command: &Command) {
        let applied = match *command {
            Command::Stat { client, stat, value } => {
                let known = usize::from(client).checked_sub(1).and_then(|index| self.stats.get_mut(index));
                let known = known.map(|stats| stats[usize::from(stat)] = value).is_some();
                if let Some(session) = self.session(client.into()) {
                    session.set_stat(stat, value);
                }
                known
            }
            Command::Verb { verb, args } => self.verb(verb, args),
            _ => self.world.apply(now, command),
        };
        if !applied {
            self.events.push_back(Event::Note { note: notes::COMMAND_IGNORED, args: [0; 4] });
        }
        if matches!(command, Command::Map) {
            self.hidden.clear();
            self.static_sounds.clear();
            self.change_map();
        }
    }

    fn handle_datagram(&mut self, now: Time, from: PeerId, bytes: &[u8]) {
        let handled = if netquake::datagram::is_control(bytes) {
            self.handle_control(now, from, bytes)
        } else {
            let challenges = self.challenges();
            let (scene, sessions) = self.scene(now);
            match sessions.iter_mut().find(|session| session.peer() == from) {
                Some(session) => session.handle_datagram(now, bytes, &scene),
                None if challenges => self.handle_stranger(now, from, bytes),
                None => return,
            }
        };
        if let Err(error) = handled {
            self.events.push_back(Event::Rejected { peer: from, error });
        }
    }

    fn handle_timeout(&mut self, now: Time) {
        if let Some(tick) = self.next_tick.filter(|&tick| tick <= now) {
            self.next_tick = Some(tick.next_tick(self.options.tick_us, now));
            self.thinking.look(now.as_seconds(), &self.world, &self.rules);
            let (scene, sessions) = self.scene(now);
            sessions.iter_mut().for_each(|session| session.tick(&scene));
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
        self.sessions.iter_mut().find_map(|session| session.poll_transmit(now, out).then(|| session.peer()))
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
