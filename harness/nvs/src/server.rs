//! The reference server: one world, several clients, and the buffers that all of them share.
//!
//! Source: Part III, "Buffers", "Sign-on" and "QuakeC".

mod calls;
mod sign_on;

use crate::buffers::Buffer;
use crate::call::{Value, encode};
use crate::constants::STAT_SSVC;
use crate::constants::*;
use crate::latitude::Flushes;
use crate::notes::*;
use crate::options::Options;
use crate::preparation::{Common, Init, Preparation, Terms};
use crate::session::rules::ServerRules;
use crate::session::{Session, Stage, insert};
use crate::state::World;
use crate::tables::{Kind, MAX_WRITES, Tables};
use crate::verbs::VERB_REQUEST;
use crate::version::Version;
use kit::options::MAP;
use kit::{Command, Endpoint, Event, HostId, PeerId, Reader, Setup, StatValue, Time, View, Writer};
use netquake::constants::{GAME_NAME, NET_PROTOCOL_VERSION, SVC_SET_ANGLE};
use netquake::level::MODELS;
use netquake::{ControlPacket, Level, Primitives, Service};
use std::collections::VecDeque;

/// Repeated connection requests within this time are answered again, as the first answer may be lost; later ones
/// begin a new session.
const REPEAT_US: u64 = 2_000_000;

/// Answers that wait to be sent; more requests at one moment are not answered.
const MAX_ANSWERS: usize = 64;

/// Calls that wait for the next frame; more are ignored.
const MAX_CALLS: usize = 4096;

/// A server.
pub struct Server {
    rules: ServerRules,
    options: Options,
    tables: Tables,
    level: Level,
    world: World,
    /// The server's version in this level.
    ssvc: Version,
    level_begun: bool,
    sessions: Vec<Session>,
    max_sessions: usize,
    preparation: Preparation,
    /// The sign-on data of the level.
    signon: Buffer,
    /// Unreliable, to all: what no table lists.
    datagram: Buffer,
    /// Reliable, to all: what no table lists.
    reliable: Buffer,
    /// Whether `reliable` was full in this frame: what comes after goes to the clients at once.
    reliable_spilled: bool,
    /// How long the sign-on data was before this frame's calls, as long as it takes more; then `None`.
    signon_mark: Option<usize>,
    /// A message that goes into a datagram on its own.
    own: Buffer,
    calls: VecDeque<(usize, [i32; 4])>,
    /// The version that QuakeC's world entity shows.
    shown_svc: Version,
    next_tick: Time,
    answers: VecDeque<(PeerId, Vec<u8>)>,
    events: VecDeque<Event>,
    scratch: Vec<u8>,
}

impl Server {
    /// A server that follows `rules`.
    pub fn new(setup: &Setup, rules: ServerRules) -> Server {
        let options = Options::new(setup);
        let mut tables = Tables::of(setup);
        (rules.tables)(&mut tables);
        Server {
            rules,
            options,
            tables,
            level: Level::new(setup.text(1, MAP.default), MODELS),
            world: World::default(),
            ssvc: Version::PLAIN,
            level_begun: false,
            sessions: Vec::new(),
            max_sessions: usize::from(setup.clients).max(1),
            preparation: Preparation::default(),
            signon: Buffer::new(SIGNON_BYTES),
            datagram: Buffer::new(DATAGRAM_BYTES),
            reliable: Buffer::new(RELIABLE_DATAGRAM_BYTES),
            reliable_spilled: false,
            signon_mark: None,
            own: Buffer::new(PACKET_BYTES),
            calls: VecDeque::new(),
            shown_svc: Version::PLAIN,
            next_tick: Time(options.tick_us),
            answers: VecDeque::new(),
            events: VecDeque::new(),
            scratch: Vec::new(),
        }
    }

    fn note(&mut self, number: usize, args: &[i64]) {
        self.events.push_back(note(number, args));
    }

    fn session(&mut self, client: i32) -> Option<&mut Session> {
        let host = u16::try_from(client).ok()?;
        self.sessions.iter_mut().find(|session| session.peer.host.0 == host && !session.closed())
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
        } else if self.open(now, peer) {
            ControlPacket::Accept { port: 0, extra: b"" }
        } else {
            ControlPacket::Reject { reason: b"Server is full.\n" }
        };
        if self.answers.len() < MAX_ANSWERS {
            let mut bytes = Vec::new();
            answer.write(&mut Writer::new(&mut bytes));
            self.answers.push_back((peer, bytes));
        }
        Ok(())
    }

    /// Takes a client in, or takes it in again. Whether there is room.
    fn open(&mut self, now: Time, peer: PeerId) -> bool {
        let session = Session::new(now, peer, &self.rules);
        match self.sessions.iter().position(|held| held.peer == peer) {
            Some(index) => {
                let held = &mut self.sessions[index];
                if held.closed() || now.since(held.opened) >= REPEAT_US {
                    while let Some(event) = held.poll_event() {
                        self.events.push_back(event);
                    }
                    *held = session;
                }
            }
            None if self.sessions.len() < self.max_sessions => {
                let index = self.sessions.partition_point(|held| held.peer < peer);
                self.sessions.insert(index, session);
            }
            None => return false,
        }
        true
    }

    /// A level begins: the sign-on data is made, the versions are agreed upon again.
    fn begin_level(&mut self) {
        self.level_begun = true;
        // NVS-VER-05
        self.ssvc = (self.rules.ssvc)(&self.options);
        self.preparation.reset();
        self.reliable.clear();
        self.datagram.clear();
        self.signon.clear();
        for (number, baseline) in self.world.baselines.iter() {
            let Ok(entity) = u16::try_from(number) else { break };
            self.scratch.clear();
            let service = Service::SpawnBaseline { entity, fields: baseline.record() };
            service.write(&mut Writer::new(&mut self.scratch), &Primitives::PLAIN);
            if !self.signon.has_room(self.scratch.len()) {
                self.events.push_back(note(OVERFLOW, &[0]));
                break;
            }
            self.signon.push(&self.scratch);
        }
        for session in &mut self.sessions {
            sign_on::change_level(session, &self.rules);
        }
    }

    /// Prepares a message.
    fn init(&mut self, init: Init) {
        let Server { rules, tables, ssvc, preparation, signon, sessions, .. } = self;
        // A message that names a client stays one for that client.
        let plain = rules.latitude.skips_at_zero && *ssvc == Version::PLAIN && init.only.is_none();
        let none = Tables::new(Vec::new());
        let terms = terms(rules, if plain { &none } else { tables }, *ssvc);
        preparation.init(init, &terms, signon.len(), sessions);
        for session in sessions.iter_mut() {
            if let Some(had_room) = session.outlet.had_room.take() {
                let what = if had_room { BROADCAST_FITS } else { BROADCAST_DROPPED };
                let held = session.outlet.datagram.len() as i64;
                session.note(what, &[session.peer.host.0.into(), held]);
            }
        }
    }

    /// Sends one write of the message that was prepared last; into `own` if it goes into a buffer of its own.
    fn write(&mut self, kind: Kind, value: Value<'_>, apart: bool) {
        let Server { rules, tables, ssvc, preparation, signon, own, sessions, .. } = self;
        self.scratch.clear();
        encode(kind, value, rules.latitude.angles, &mut self.scratch);
        let terms = terms(rules, tables, *ssvc);
        let mut common = Common { signon, apart: apart.then_some(own) };
        if !preparation.write(&self.scratch, &terms, &mut common, sessions) {
            self.events.push_back(note(OVERFLOW, &[0]));
            self.next_tick = (rules.when_full)(self.next_tick);
        }
    }

    /// Sends a message of the engine's: as many of the values as the server's version has; `plain` of them, of these
    /// kinds, if no table lists it.
    fn send(&mut self, init: Init, kinds: &[Kind], plain: usize, values: &[Value<'_>]) {
        self.init(init);
        for (kind, value) in self.due_writes(kinds, plain, values).into_iter().flatten() {
            self.write(kind, value, init.apart);
        }
    }

    /// The writes that are due for the message that was prepared last.
    fn due_writes<'a>(
        &self,
        kinds: &[Kind],
        plain: usize,
        values: &[Value<'a>],
    ) -> [Option<(Kind, Value<'a>)>; MAX_WRITES] {
        let mut writes = [None; MAX_WRITES];
        let kinds = self.preparation.listed(&self.tables).map_or(kinds, |message| &message.kinds);
        let due = self.preparation.due(&self.tables, plain);
        for (index, (write, &kind)) in writes.iter_mut().zip(kinds).enumerate().take(due) {
            *write = Some((kind, values.get(index).copied().unwrap_or(Value::Number(0))));
        }
        writes
    }

    /// One frame of the server.
    fn frame(&mut self, now: Time) {
        if !self.level_begun {
            self.begin_level();
        }
        self.datagram.clear();
        self.reliable.clear();
        self.reliable_spilled = false;
        self.signon_mark = Some(self.signon.len());
        for index in 0..self.sessions.len() {
            if self.sessions[index].stage == Stage::Connected {
                self.inform(index);
            }
            let session = &mut self.sessions[index];
            // NVS-BUF-09
            session.outlet.datagram.clear();
            session.before_calls = session.outlet.message.len();
        }
        self.show_versions();
        let mut calls = std::mem::take(&mut self.calls);
        // NVS-ORD-01
        for (verb, args) in calls.drain(..) {
            self.call(verb, args);
        }
        self.calls = calls;
        self.append_reliable();
        for index in 0..self.sessions.len() {
            self.end_frame(now, index);
        }
        self.remove_closed(now);
    }

    /// Refreshes what QuakeC can see of the versions.
    fn show_versions(&mut self) {
        let shown = (self.rules.world_shows)(self.ssvc, &self.sessions);
        if shown != self.shown_svc {
            self.shown_svc = shown;
            self.note(WORLD_SVC, &[shown.0.into()]);
        }
        for session in self.sessions.iter_mut().filter(|session| !session.closed()) {
            let shown = session.versions.csvc;
            if shown != session.shown_svc {
                session.shown_svc = shown;
                session.note(PLAYER_SVC, &[session.peer.host.0.into(), shown.0.into()]);
            }
        }
    }

    /// Appends what is reliable and for all to every client's buffer.
    fn append_reliable(&mut self) {
        let Server { sessions, reliable, rules, .. } = self;
        if reliable.is_empty() {
            return;
        }
        // NVS-BUF-10
        for session in sessions.iter_mut().filter(|session| !session.closed()) {
            let message = &mut session.outlet.message;
            if rules.latitude.common_first && message.has_room(reliable.len()) {
                insert(message, session.before_calls, reliable.bytes());
            } else {
                message.push(reliable.bytes());
            }
        }
    }

    /// The end of a frame for one client: its datagram, if it plays, and its reliable buffer.
    fn end_frame(&mut self, now: Time, index: usize) {
        let Some(session) = self.sessions.get_mut(index) else { return };
        let (host, stage, angle) = (session.peer.host, session.stage, session.angle);
        if stage == Stage::Active {
            self.own.clear();
            session.angle = None;
            if let Some(angles) = angle {
                let init = Init { dest: MSG_ONE, svc: SVC_SET_ANGLE, sub: 0, only: Some(host), apart: true };
                // NVS-T1-03
                self.send_angles(init, angles);
            }
            let Server { sessions, world, own, datagram, .. } = self;
            if let Some(session) = sessions.get_mut(index) {
                session.write_datagram(now, world, own.bytes(), datagram.bytes());
            }
        }
        if let Some(session) = self.sessions.get_mut(index) {
            session.end_frame(now);
        }
    }

    /// Turns a client's view.
    fn send_angles(&mut self, init: Init, angles: [f32; 3]) {
        const KINDS: [Kind; 4] = [Kind::Byte, Kind::Angle, Kind::Angle, Kind::Angle];
        let [pitch, yaw, roll] = angles.map(Value::Float);
        // NVS-T1-01
        let values = [Value::Number(SVC_SET_ANGLE.into()), pitch, yaw, roll, pitch, yaw, roll];
        self.send(init, &KINDS, KINDS.len(), &values);
    }

    /// Takes the events of all sessions, and forgets those that are over.
    fn remove_closed(&mut self, now: Time) {
        let Server { sessions, events, .. } = self;
        for session in sessions.iter_mut() {
            while let Some(event) = session.poll_event() {
                events.push_back(event);
            }
        }
        sessions.retain(|session| !session.over(now));
    }
}

/// What is common to all messages.
fn terms<'a>(rules: &'a ServerRules, tables: &'a Tables, ssvc: Version) -> Terms<'a> {
    Terms { rules: &rules.preparation, particle_margin: rules.latitude.particle_margin, tables, ssvc }
}

impl Endpoint for Server {
    fn handle_command(&mut self, now: Time, command: &Command) {
        let applied = match *command {
            Command::Verb { verb, .. } if verb >= VERB_REQUEST => false,
            Command::Verb { verb, args } => {
                let room = self.calls.len() < MAX_CALLS;
                if room {
                    self.calls.push_back((verb, args));
                }
                room
            }
            _ => self.world.apply(now, command),
        };
        if !applied {
            self.note(COMMAND_IGNORED, &[]);
        }
        if matches!(command, Command::Map) {
            self.begin_level();
        }
    }

    fn handle_datagram(&mut self, now: Time, from: PeerId, bytes: &[u8]) {
        let handled = if netquake::is_control(bytes) {
            self.handle_control(now, from, bytes)
        } else {
            let Some(index) = self.sessions.iter().position(|session| session.peer == from) else { return };
            let handled = self.sessions[index].receive(now, bytes);
            let commands = std::mem::take(&mut self.sessions[index].commands);
            for text in &commands {
                self.text_command(now, index, text);
            }
            if self.rules.latitude.flushes == Flushes::AtOnce {
                self.sessions[index].flush();
            }
            handled
        };
        if let Err(error) = handled {
            self.events.push_back(Event::Rejected { peer: from, error });
        }
        self.remove_closed(now);
    }

    fn handle_timeout(&mut self, now: Time) {
        if self.next_tick <= now {
            self.next_tick = self.next_tick.next_tick(self.options.tick_us, now);
            self.frame(now);
        }
    }

    fn poll_transmit(&mut self, now: Time, out: &mut Vec<u8>) -> Option<PeerId> {
        if let Some((peer, answer)) = self.answers.pop_front() {
            out.extend_from_slice(&answer);
            return Some(peer);
        }
        self.sessions.iter_mut().find_map(|session| session.poll_transmit(now, out).then_some(session.peer))
    }

    fn poll_event(&mut self) -> Option<Event> {
        self.events.pop_front().or_else(|| self.sessions.iter_mut().find_map(Session::poll_event))
    }

    fn poll_timeout(&self) -> Option<Time> {
        self.sessions.iter().filter_map(Session::poll_timeout).chain([self.next_tick]).min()
    }

    fn forget(&mut self, client: HostId) {
        self.sessions.retain(|session| session.peer.host != client);
    }

    fn observe(&self, view: &mut View) {
        view.state = "serving";
        view.valid = true;
        for (number, entity) in self.world.live.iter() {
            view.numbers.push(number);
            view.fields.extend_from_slice(&entity.0);
        }
        if self.shown_svc != Version::PLAIN {
            view.stats.push((STAT_SSVC, StatValue::Int(self.shown_svc.0)));
        }
    }
}
