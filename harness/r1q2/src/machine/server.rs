//! The reference server: one world, several clients of either protocol.

use crate::machine::address::{Address, Addresses};
use crate::machine::admission::Admission;
use crate::machine::configstrings::Level;
use crate::machine::options::Options;
use crate::machine::sender::{Scene, ServerRules};
use crate::machine::session::{Map, Session};
use crate::machine::world::World;
use crate::notes::{NOTE_COMMAND_IGNORED, NOTE_REBOUND, note};
use crate::verbs::*;
use crate::wire::constants::*;
use crate::wire::handshake::{self, ClientPacket, Connect, Protocols, ServerPacket, is_out_of_band};
use crate::wire::service::{Service, verb};
use crate::wire::state::{EVENT, Entity, EntityList, ORIGIN};
use kit::options::MAP;
use kit::table::Kind;
use kit::{Command, DecodeError, Endpoint, Event, HostId, PeerId, Reader, Setup, StatValue, Time, View, Writer};
use netchan::{HEADER_BYTES, Qport};
use std::collections::VecDeque;

/// Answers that wait to be sent; more requests at one moment are not answered.
const MAX_ANSWERS: usize = 64;
/// Configstrings of one map that scenarios change; more are not taken.
const MAX_CHANGED: usize = 256;
/// A client that has asked for a challenge.
#[derive(Clone, Copy, Debug)]
struct Challenged {
    address: Address,
    challenge: i32,
    /// How many challenges it had before that were used.
    used: u32,
    fresh: bool,
}

/// A server.
pub struct Server {
    rules: ServerRules,
    options: Options,
    seed: u64,
    level: Level,
    world: World,
    /// The entities of the tick before.
    before: EntityList,
    configstrings: Vec<(u16, Vec<u8>)>,
    changed: usize,
    addresses: Addresses,
    challenged: Vec<Challenged>,
    sessions: Vec<Session>,
    /// Statistics by client from 1; they outlast sessions.
    stats: Vec<[i32; MAX_STATS]>,
    /// The number of the last tick.
    number: i32,
    next_tick: Option<Time>,
    answers: VecDeque<(PeerId, Vec<u8>)>,
    events: VecDeque<Event>,
}

impl Server {
    /// A server that follows `rules`.
    pub fn new(setup: &Setup, rules: ServerRules) -> Server {
        let (options, clients) = (Options::new(setup), setup.clients.max(1));
        let name = String::from(setup.text(0, MAP.default));
        let level = Level { name, checksum: options.map_checksum, clients };
        Server {
            rules,
            options,
            seed: setup.seed,
            configstrings: (rules.configstrings)(&level, Vec::new()),
            level,
            world: World::default(),
            before: EntityList::default(),
            changed: 0,
            addresses: Addresses::new(clients, options.same_address),
            challenged: Vec::new(),
            sessions: Vec::new(),
            stats: vec![[0; MAX_STATS]; clients.into()],
            number: options.first_frame,
            next_tick: None,
            answers: VecDeque::new(),
            events: VecDeque::new(),
        }
    }

    /// A number that cannot be guessed without the seed.
    fn secret(&self, of: u64) -> i32 {
        ((self.seed ^ of).wrapping_add(of).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 33) as i32
    }

    fn spawncount(&self) -> i32 {
        (self.secret(0x5a5a) & 0x00ff_ffff).wrapping_add(self.world.maps as i32).max(1)
    }

    fn answer(&mut self, peer: PeerId, packet: ServerPacket<'_>) {
        if self.answers.len() < MAX_ANSWERS {
            let mut answer = Vec::new();
            packet.write(&mut Writer::new(&mut answer));
            self.answers.push_back((peer, answer));
        }
    }

    /// The challenge for an address: the same whenever it asks, until it was used.
    fn challenge(&mut self, peer: PeerId, address: Address) -> i32 {
        let index = match self.challenged.iter().position(|held| held.address == address) {
            Some(index) => index,
            None => {
                self.challenged.push(Challenged { address, challenge: 0, used: 0, fresh: false });
                self.challenged.len() - 1
            }
        };
        let held = self.challenged[index];
        if !held.fresh {
            let of = u64::from(address.base) << 48 | u64::from(address.port) << 32 | u64::from(held.used);
            let challenge = self.secret(of);
            self.challenged[index] = Challenged { challenge, used: held.used.wrapping_add(1), fresh: true, ..held };
            let (from, to) = ("free", "challenged");
            self.events.push_back(Event::State { peer, from, to, cause: "getchallenge" });
        }
        self.challenged[index].challenge
    }

    fn handle_out_of_band(&mut self, now: Time, peer: PeerId, bytes: &[u8]) -> Result<(), DecodeError> {
        let Some(address) = self.addresses.of(peer) else { return Ok(()) };
        match ClientPacket::read(&mut Reader::new(bytes))? {
            ClientPacket::GetChallenge => {
                let challenge = self.challenge(peer, address);
                let lists = self.options.server_minor >= MINOR_STRAFE || self.rules.latitude.lists_protocols;
                let protocols = Protocols(lists.then_some(b"34,35"));
                self.answer(peer, ServerPacket::Challenge { challenge, protocols });
            }
            ClientPacket::Connect(connect) => self.connect(now, peer, address, &connect),
            ClientPacket::Other { .. } => {}
        }
        Ok(())
    }

    fn connect(&mut self, now: Time, peer: PeerId, address: Address, connect: &Connect<'_>) {
        let print = |text: &'static [u8]| ServerPacket::Print { text };
        if !matches!(connect.protocol, PROTOCOL_ORIGINAL | PROTOCOL_R1Q2) {
            return self.answer(peer, print(b"Server speaks protocols 34 and 35.\n"));
        }
        let extra = self.rules.latitude.connect_extra;
        let Some(place) = self.challenged.iter().position(|held| held.address == address) else {
            return self.answer(peer, print(b"No challenge for address.\n"));
        };
        let held = self.challenged[place];
        if held.challenge != connect.challenge {
            return self.answer(peer, print(b"Bad challenge.\n"));
        }
        if !held.fresh {
            // The answer may be lost. Later, this is an old datagram.
            let waits = self.sessions.iter().any(|session| session.admission.address == address && session.is_silent());
            if waits {
                self.answer(peer, ServerPacket::ClientConnect { extra });
            }
            return;
        }
        if !handshake::is_valid_userinfo(connect.userinfo) {
            return self.answer(peer, print(b"Userinfo is not valid.\n"));
        }
        let Some(length) = (self.rules.length)(connect, &self.rules.latitude) else {
            return self.answer(peer, print(b"Invalid maximum message length.\n"));
        };
        // Who is not admitted may try again with the same.
        self.challenged[place].fresh = false;
        let rate = handshake::value_of(connect.userinfo, b"rate");
        let rate = rate.and_then(|rate| std::str::from_utf8(rate).ok()).and_then(|rate| rate.parse().ok());
        let admission = Admission {
            client: peer.host.0,
            peer,
            address,
            protocol: connect.protocol,
            qport: connect.qport,
            length,
            minor: connect.tail.minor,
            rate: rate.unwrap_or(0),
        };
        let index = usize::from(peer.host.0).saturating_sub(1);
        let stats = self.stats.get(index).copied().unwrap_or([0; MAX_STATS]);
        self.sessions.retain(|held| held.admission.client != admission.client);
        let session = Session::new(now, admission, stats, self.rules, self.options);
        let place = self.sessions.partition_point(|held| held.admission.client < admission.client);
        self.sessions.insert(place, session);
        self.answer(peer, ServerPacket::ClientConnect { extra });
        if self.next_tick.is_none() {
            self.next_tick = Some(Time((now.us() / self.options.tick_us + 1) * self.options.tick_us));
        }
    }

    /// The session that a datagram belongs to.
    fn sender_of(&self, address: Address, bytes: &[u8]) -> Option<usize> {
        let number = bytes.get(HEADER_BYTES..).unwrap_or_default();
        let carries = |qport: Qport| match qport {
            Qport::Absent => true,
            Qport::Byte(qport) => number.first() == Some(&qport),
            Qport::Short(qport) => number.first_chunk() == Some(&qport.to_le_bytes()),
        };
        self.sessions.iter().position(|session| {
            let (here, port) = (session.admission.address, session.admission.address.port == address.port);
            let at = port || !(self.rules.known_by_port)(session.qport);
            here.base == address.base && at && !session.has_left() && carries(session.qport)
        })
    }

    fn handle_session(&mut self, now: Time, from: PeerId, bytes: &[u8]) -> Result<(), DecodeError> {
        let Some(address) = self.addresses.of(from) else { return Ok(()) };
        let Some(index) = self.sender_of(address, bytes) else { return Ok(()) };
        let (spawncount, Server { sessions, world, level, configstrings, events, .. }) = (self.spawncount(), self);
        let session = &mut sessions[index];
        if session.admission.address != address {
            (session.admission.address, session.admission.peer) = (address, from);
            events.push_back(note(NOTE_REBOUND, [session.admission.client.into(), address.port.into()]));
        }
        session.handle_datagram(now, bytes, world, &Map { spawncount, name: &level.name, configstrings })
    }

    /// Does something in the session of a client, or (0) in all. Whether it made sense in one.
    fn each(&mut self, client: i32, mut act: impl FnMut(&mut Session) -> bool) -> bool {
        let wanted = |session: &&mut Session| client == 0 || i32::from(session.admission.client) == client;
        self.sessions.iter_mut().filter(wanted).fold(false, |done, session| act(session) | done)
    }

    /// Where an entity is, in eighths; the middle of the world for one that does not live.
    fn place(&self, entity: i32) -> [i16; 3] {
        let state = self.world.live.get(entity as u32).map_or(Entity::NULL, |live| live.entity);
        ORIGIN.map(|axis| {
            let quantised = kit::table::float_value(Kind::Coord16.quantise(state[axis])) * 8.0;
            quantised as i16
        })
    }

    /// A verb of the protocol's own. Whether it made sense.
    fn verb(&mut self, verb: usize, args: [i32; 4]) -> bool {
        let known = (0..MAX_EDICTS as i32).contains(&args[1]);
        match verb {
            VERB_SOUND if known => {
                let sound = verb::sound(args[1], args[2], args[3] as u8, self.place(args[1]));
                self.each(args[0], |session| session.send_unreliably(&Service::Sound(sound)))
            }
            VERB_TEMP_ENTITY => {
                let Some(effect) = verb::effect(args[0], args[1], self.place(args[1])) else { return false };
                self.each(0, |session| session.send_unreliably(&Service::TempEntity(effect)))
            }
            VERB_PRINT => {
                let text = format!("proof {}\n", args[1]);
                self.each(args[0], |session| session.send_reliably(&Service::Print { level: 2, text: text.as_bytes() }))
            }
            VERB_UNICAST => {
                let text = format!("aside {}\n", args[1]);
                self.each(args[0], |session| {
                    session.send_unreliably(&Service::Print { level: 2, text: text.as_bytes() })
                })
            }
            VERB_LAYOUT => {
                let text = format!("layout {}", args[1]);
                self.each(args[0], |session| session.send_reliably(&Service::Layout { text: text.as_bytes() }))
            }
            VERB_INVENTORY => {
                let Ok(item) = usize::try_from(args[1]) else { return false };
                let mut counts = [0; 2 * MAX_ITEMS];
                let Some(place) = counts.get_mut(2 * item..2 * item + 2) else { return false };
                place.copy_from_slice(&(args[2] as i16).to_le_bytes());
                self.each(args[0], |session| session.send_reliably(&Service::Inventory { counts: &counts }))
            }
            VERB_CONFIGSTRING => self.change_configstring(args[0], args[1]),
            VERB_MUZZLEFLASH if (0..MAX_EDICTS as i32).contains(&args[0]) => {
                let flash = Service::MuzzleFlash { entity: args[0] as u16, weapon: args[1] as u8 };
                self.each(0, |session| session.send_unreliably(&flash))
            }
            VERB_BIG => {
                let Ok(bytes) = usize::try_from(args[1]) else { return false };
                self.each(args[0], |session| session.send_text(bytes))
            }
            VERB_AREA => self.each(args[0], |session| {
                session.see_areas(args[1] as u8);
                true
            }),
            VERB_MALFORMED => self.each(args[0], |session| session.send_malformed(args[1])),
            VERB_PAUSE => self.each(args[0], |session| session.pause(args[1])),
            VERB_UNSENT => self.each(args[0], Session::withhold),
            _ => false,
        }
    }

    /// Gives a configstring another text. Whether that made sense.
    fn change_configstring(&mut self, index: i32, number: i32) -> bool {
        let Some(index) = u16::try_from(index).ok().filter(|&it| usize::from(it) < MAX_CONFIGSTRINGS) else {
            return false;
        };
        let text = format!("config {}", number).into_bytes();
        match self.configstrings.binary_search_by_key(&index, |held| held.0) {
            Ok(place) => self.configstrings[place].1.clone_from(&text),
            Err(_) if self.changed >= MAX_CHANGED => return false,
            Err(place) => {
                self.changed += 1;
                self.configstrings.insert(place, (index, text.clone()));
            }
        }
        self.each(0, |session| session.send_reliably(&Service::ConfigString { index, text: &text }));
        true
    }

    fn tick(&mut self, now: Time) {
        self.number = number_after(self.number, 1);
        let number = number_after(self.number, self.rules.latitude.frame_offset);
        let Server { rules, world, before, sessions, .. } = self;
        let scene = Scene { world, before, number };
        sessions.iter_mut().for_each(|session| session.tick(now, &scene));
        before.clear();
        for (number, live) in world.live.iter_mut() {
            *before.entry(number, &live.entity) = live.entity;
            if rules.ends_events {
                live.entity[EVENT] = 0;
            }
        }
    }
}

impl Endpoint for Server {
    fn handle_command(&mut self, now: Time, command: &Command) {
        let applied = match *command {
            Command::Stat { client, stat, value } => {
                let value = match value {
                    StatValue::Int(value) => value,
                    StatValue::Float(value) => value as i32,
                };
                let stats = usize::from(client).checked_sub(1).and_then(|index| self.stats.get_mut(index));
                let place = stats.and_then(|stats| stats.get_mut(usize::from(stat)));
                let known = place.map(|held| *held = value).is_some();
                if known {
                    self.each(client.into(), |session| {
                        session.stats[usize::from(stat)] = value;
                        true
                    });
                }
                known
            }
            Command::Verb { verb, args } => self.verb(verb, args),
            _ => self.world.apply(now, command),
        };
        if !applied {
            self.events.push_back(note(NOTE_COMMAND_IGNORED, []));
        }
        if matches!(command, Command::Map) {
            let before = std::mem::take(&mut self.configstrings);
            (self.configstrings, self.changed) = ((self.rules.configstrings)(&self.level, before), 0);
            if self.options.counts_anew {
                self.number = self.options.first_frame;
            }
            self.before.clear();
            self.sessions.iter_mut().for_each(Session::change_map);
        }
    }

    fn handle_datagram(&mut self, now: Time, from: PeerId, bytes: &[u8]) {
        let handled = match is_out_of_band(bytes) {
            true => self.handle_out_of_band(now, from, bytes),
            false => self.handle_session(now, from, bytes),
        };
        if let Err(error) = handled {
            self.events.push_back(Event::Rejected { peer: from, error });
        }
    }

    fn handle_timeout(&mut self, now: Time) {
        if let Some(tick) = self.next_tick.filter(|&tick| tick <= now) {
            self.next_tick = Some(tick.next_tick(self.options.tick_us, now));
            self.tick(now);
        }
        self.sessions.retain(|session| !session.is_over(now));
        if self.sessions.is_empty() {
            self.next_tick = None;
        }
    }

    fn poll_transmit(&mut self, _: Time, out: &mut Vec<u8>) -> Option<PeerId> {
        if let Some((peer, answer)) = self.answers.pop_front() {
            out.extend_from_slice(&answer);
            return Some(peer);
        }
        self.sessions.iter_mut().find_map(|session| {
            out.extend_from_slice(&session.outbox.pop_front()?);
            Some(session.peer())
        })
    }

    fn poll_event(&mut self) -> Option<Event> {
        self.events.pop_front().or_else(|| self.sessions.iter_mut().find_map(Session::poll_event))
    }

    fn poll_timeout(&self) -> Option<Time> {
        self.next_tick
    }

    fn forget(&mut self, client: HostId) {
        self.sessions.retain(|session| session.peer().host != client);
    }

    fn observe(&self, view: &mut View) {
        view.state = "serving";
        view.valid = true;
        for (number, live) in self.world.live.iter() {
            view.numbers.push(number);
            view.fields.extend_from_slice(&live.entity.0);
            view.fields.extend_from_slice(&live.player.0[..crate::wire::state::STATS]);
        }
    }
}
