//! The reference server: one world, several clients.

use crate::complete::CompleteUpdate;
use crate::constants::*;
use crate::latitude::Latitude;
use crate::message::*;
use crate::notes::{COMMAND_IGNORED, JUMPED, NO_SUCH_CLASS};
use crate::options::{Options, bot_name};
use crate::rules::Unreadable;
use crate::session::rules::{Admission, ServerRules};
use crate::session::{Ending, Nonsense, Occasion, Session};
use crate::snapshot::Snapshot;
use crate::state::*;
use crate::verbs::{VERB_COMPLETE_UPDATE, VERB_GAMEMODE, VERB_NONSENSE, VERB_UNKNOWN_BASE};
use kit::{Command, DecodeError, Endpoint, ErrorKind, Event, HostId, PeerId, Reader, Setup, Time, View, Writer};
use std::collections::VecDeque;

/// Refusals that wait to be sent; more hellos at one moment are not answered.
const MAX_REFUSALS: usize = 64;

/// A server.
pub struct Server {
    rules: ServerRules,
    latitude: Latitude,
    options: Options,
    /// Ids up to this belong to clients.
    clients: u16,
    world: World,
    gamemode: i32,
    sessions: Vec<Session>,
    /// Who was refused, the number of the hello, and why.
    refusals: VecDeque<(PeerId, u16, u8)>,
    next_tick: Option<Time>,
    stopped: bool,
    events: VecDeque<Event>,
}

impl Server {
    /// A server that follows `rules`, with these free choices.
    pub fn new(setup: &Setup, rules: ServerRules, latitude: Latitude) -> Server {
        let options = Options::new(setup);
        Server {
            rules,
            latitude,
            clients: setup.clients,
            options,
            world: World::default(),
            gamemode: 0,
            sessions: Vec::new(),
            refusals: VecDeque::new(),
            next_tick: None,
            stopped: false,
            events: VecDeque::new(),
        }
    }

    fn name_of(&self, id: u32) -> Vec<u8> {
        let client = self.sessions.iter().find(|session| u32::from(session.id()) == id);
        client.map_or_else(|| bot_name(id), |session| session.name.clone())
    }

    /// An event for every client but one.
    fn broadcast(&mut self, now: Time, event: &ServerEvent, except: Option<PeerId>) {
        for session in self.sessions.iter_mut().filter(|session| Some(session.peer()) != except) {
            // GG2-EVT-02, GG2-EVT-10
            session.push(now, event.clone());
        }
    }

    /// Tells everybody but one client of a new player.
    fn announce(&mut self, now: Time, id: u32, except: Option<PeerId>) {
        let player = self.world.live.get(id).copied().unwrap_or_default();
        let name = self.name_of(id);
        for event in introduction(id, &player, name) {
            self.broadcast(now, &event, except);
        }
        if player.is(ALIVE) {
            self.broadcast(now, &spawn(id, &player), except);
        }
    }

    /// Everything about everybody, for one client.
    fn send_complete_update(&mut self, now: Time, index: usize) {
        let mut events = Vec::new();
        for (id, player) in self.world.live.iter() {
            events.push(introduction(id, player, self.name_of(id)));
        }
        let mut update = CompleteUpdate::of(milliseconds(now), &self.world.live, self.gamemode);
        if self.latitude.backwards {
            events.reverse();
            update.players.reverse();
        }
        let Some(session) = self.sessions.get_mut(index) else { return };
        events.into_iter().flatten().for_each(|event| session.push(now, event));
        session.push(now, ServerEvent::Complete(update));
    }

    fn handle_stranger(&mut self, now: Time, peer: PeerId, bytes: &[u8]) -> Result<(), DecodeError> {
        let mut r = Reader::new(bytes);
        let header = ClientHeader::read(&mut r)?;
        let mut records = Vec::new();
        read_client_records(&mut r, &mut records)?;
        let first = records.into_iter().next().map(|record| record.what);
        // GG2-ROB-02
        let Some(ClientRecord::Event(ClientEvent::Hello { name, password })) = first else {
            return Ok(());
        };
        let wrong = !self.options.password.is_empty() && password != self.options.password;
        let id = u32::from(peer.host.0);
        let taken = id > 0xff || self.world.live.get(id).is_some();
        let most = if taken { 0 } else { self.options.max_players };
        let Admission { refused, answer, let_in } = (self.rules.admission)(wrong, self.world.live.len(), most);
        if let Some(reason) = refused {
            if answer && self.refusals.len() < MAX_REFUSALS {
                self.refusals.push_back((peer, header.sequence, reason));
            }
            let cause = if reason == REFUSE_PASSWORD { "wrong password" } else { "full" };
            self.events.push_back(Event::State { peer, from: OUTSIDE, to: OUTSIDE, cause });
        }
        if let_in {
            self.admit(now, peer, name, header.sequence);
        }
        Ok(())
    }

    fn admit(&mut self, now: Time, peer: PeerId, name: Vec<u8>, sequence: u16) {
        let id = u32::from(peer.host.0);
        let before = self.world.live.len();
        let start = self.world.baselines.get(id).copied().unwrap_or_default();
        self.world.live.entry(id, &start);
        let index = self.sessions.partition_point(|held| held.peer() < peer);
        let mut session = Session::new(peer, now, sequence, self.rules, self.latitude, &self.options);
        session.name = name;
        self.sessions.insert(index, session);
        self.greet(now, index, before);
        self.announce(now, id, Some(peer));
        self.events.push_back(Event::State { peer, from: OUTSIDE, to: INSIDE, cause: "hello" });
        if self.next_tick.is_none() {
            self.next_tick = Some(Time((now.us() / self.options.tick_us + 1) * self.options.tick_us));
        }
    }

    /// Says hi, and everything about everybody; there were so many players `before`.
    fn greet(&mut self, now: Time, index: usize, before: usize) {
        let counted = if self.latitude.counts_newcomer { before + 1 } else { before };
        let Some(session) = self.sessions.get_mut(index) else { return };
        let your_id = session.id();
        session.push(
            now,
            // GG2-HS-06
            ServerEvent::Hi(Hi {
                server: self.options.server.clone(),
                your_id,
                num_players: counted as u8,
                map: self.options.map.clone(),
                version: VERSION,
            }),
        );
        // GG2-HS-07
        self.send_complete_update(now, index);
    }

    fn handle_client(&mut self, now: Time, index: usize, bytes: &[u8]) -> Result<(), DecodeError> {
        let mut r = Reader::new(bytes);
        let header = ClientHeader::read(&mut r)?;
        let mut records = Vec::new();
        let read = read_client_records(&mut r, &mut records);
        let ordered = in_order(&records, |record| matches!(record, ClientRecord::Event(_)));
        let read = if ordered {
            read
        } else {
            read.and(r.error(0, "record", ErrorKind::Forbidden { value: 0, why: "an event after the input" }))
        };
        if read.is_err() && self.rules.unreadable != Unreadable::TakenInPart {
            return read;
        }
        let Some(session) = self.sessions.get_mut(index) else { return read };
        let peer = session.peer();
        let Some(before) = session.take_header(now, &header) else { return read };
        if session.take_ack(header.ack_sequence) {
            let others = self.sessions.iter_mut().filter(|other| other.peer() != peer);
            others.for_each(|other| other.forget(Occasion::AnotherAcked));
        }
        for record in records {
            match record.what {
                ClientRecord::Event(event) => {
                    if (self.rules.event_newer)(record.created, before) {
                        self.apply(now, peer, event);
                    }
                }
                ClientRecord::Input(input) => {
                    if let Some(player) = self.world.live.get_mut(u32::from(peer.host.0)) {
                        player.0[INPUTSTATE] = (input.inputstate & INPUTSTATE_BITS).into();
                        player.0[AIM] = input.aimdirection.into();
                    }
                }
            }
        }
        read
    }

    /// Does what a client said, once.
    fn apply(&mut self, now: Time, peer: PeerId, event: ClientEvent) {
        let id = u32::from(peer.host.0);
        match event {
            ClientEvent::Hello { .. } if self.rules.greets_again => {
                let index = self.sessions.iter().position(|session| session.peer() == peer);
                let players = self.world.live.len();
                index.into_iter().for_each(|index| self.greet(now, index, players));
                self.announce(now, id, Some(peer));
            }
            // GG2-HS-09
            ClientEvent::Hello { .. } => {}
            ClientEvent::ChangeClass { class } if i32::from(class) < CLASSES => {
                if let Some(player) = self.world.live.get_mut(id) {
                    player.0[CLASS] = class.into();
                }
                self.broadcast(now, &ServerEvent::ChangeClass { id: id as u16, class }, None);
            }
            ClientEvent::ChangeClass { class } => {
                self.events.push_back(Event::Note { note: NO_SUCH_CLASS, args: [class.into(), 0, 0, 0] });
            }
            ClientEvent::Jump { time } => {
                self.events.push_back(Event::Note { note: JUMPED, args: [id.into(), time.into(), 0, 0] });
            }
            ClientEvent::Disconnect => {
                if let Some(session) = self.sessions.iter_mut().find(|session| session.peer() == peer) {
                    session.end(Ending::Left);
                }
            }
        }
    }

    /// Takes the players of ended sessions out of the world. Whether there were any.
    fn bury(&mut self, now: Time) -> bool {
        let mut any = false;
        while let Some(index) = self.sessions.iter().position(|session| session.ending().is_some()) {
            let session = self.sessions.remove(index);
            let cause = session.ending().map_or("", Ending::cause);
            self.world.live.remove(session.id().into());
            self.broadcast(now, &ServerEvent::Left { id: session.id() }, None);
            self.events.push_back(Event::State { peer: session.peer(), from: INSIDE, to: OUTSIDE, cause });
            any = true;
        }
        any
    }

    fn set(&mut self, now: Time, command: &Command, id: u32, field: usize) -> bool {
        let value = |world: &World| world.live.get(id).and_then(|player| player.0.get(field).copied());
        let before = value(&self.world);
        if !self.world.apply(now, command) {
            return false;
        }
        // GG2-EVT-12
        if before != value(&self.world)
            && let Some(event) = self.world.live.get(id).and_then(|player| change(id, player, field))
        {
            self.broadcast(now, &event, None);
        }
        true
    }

    fn snapshot(&self, session: &Session, now: Time) -> Snapshot {
        let bodies = (self.rules.bodies)(&self.world.live, session.id(), self.options.declared);
        Snapshot { time: milliseconds(now), bodies }
    }
}

/// Join, class and team of a player.
fn introduction(id: u32, player: &Player, name: Vec<u8>) -> [ServerEvent; 3] {
    let id = id as u16;
    [
        // GG2-FULL-01
        ServerEvent::Join { id, name },
        ServerEvent::ChangeClass { id, class: player.0[CLASS] as u8 },
        ServerEvent::ChangeTeam { id, team: player.0[TEAM] as u8 },
    ]
}

fn spawn(id: u32, player: &Player) -> ServerEvent {
    ServerEvent::Spawn { id: id as u8, x: player.0[X] as u32, y: player.0[Y] as u32 }
}

/// The event that a change of a field is, if it is one.
fn change(id: u32, player: &Player, field: usize) -> Option<ServerEvent> {
    let wide = id as u16;
    match field {
        CLASS => Some(ServerEvent::ChangeClass { id: wide, class: player.0[CLASS] as u8 }),
        TEAM => Some(ServerEvent::ChangeTeam { id: wide, team: player.0[TEAM] as u8 }),
        ALIVE if player.is(ALIVE) => Some(spawn(id, player)),
        ALIVE => Some(ServerEvent::Die { id: id as u8 }),
        _ => None,
    }
}

impl Endpoint for Server {
    fn handle_command(&mut self, now: Time, command: &Command) {
        let bot = |entity: u32| entity > u32::from(self.clients) && entity <= 0xff;
        let applied = match *command {
            Command::Spawn { entity } if bot(entity) => {
                let new = self.world.apply(now, command);
                if new {
                    self.announce(now, entity, None);
                }
                new
            }
            Command::Remove { entity } if bot(entity) => {
                let gone = self.world.apply(now, command);
                if gone {
                    self.broadcast(now, &ServerEvent::Left { id: entity as u8 }, None);
                }
                gone
            }
            // A client's player comes and goes with its client.
            Command::Spawn { entity } => entity > 0 && entity <= u32::from(self.clients),
            Command::Set { entity, field, .. } => self.set(now, command, entity, field),
            Command::Baseline { .. } => self.world.apply(now, command),
            Command::Verb { verb: VERB_GAMEMODE, args } => {
                self.gamemode = args[0];
                true
            }
            Command::Verb { verb: VERB_COMPLETE_UPDATE, args } => {
                let wanted = |session: &Session| args[0] == 0 || i32::from(session.id()) == args[0];
                let indices: Vec<usize> =
                    (0..self.sessions.len()).filter(|&index| self.sessions.get(index).is_some_and(wanted)).collect();
                indices.iter().for_each(|&index| self.send_complete_update(now, index));
                !indices.is_empty()
            }
            Command::Verb { verb: verb @ (VERB_UNKNOWN_BASE | VERB_NONSENSE), args } => {
                let mut sessions = self.sessions.iter_mut();
                let session = sessions.find(|session| i32::from(session.id()) == args[0]);
                let found = session.is_some();
                if let Some(session) = session {
                    match verb {
                        VERB_UNKNOWN_BASE => session.forge_bases(args[1].clamp(0, 1_000) as u32),
                        _ => session.speak_nonsense(Nonsense::of(args[1])),
                    }
                }
                found
            }
            _ => false,
        };
        if !applied {
            self.events.push_back(Event::Note { note: COMMAND_IGNORED, args: [0; 4] });
        }
        self.bury(now);
    }

    fn handle_datagram(&mut self, now: Time, from: PeerId, bytes: &[u8]) {
        if self.stopped {
            return;
        }
        self.bury(now);
        let index = self.sessions.iter().position(|session| session.peer() == from);
        let handled = match index {
            Some(index) => self.handle_client(now, index, bytes),
            None => self.handle_stranger(now, from, bytes),
        };
        if let Err(error) = handled {
            // GG2-ROB-01
            self.stopped = self.rules.unreadable == Unreadable::Fatal;
            self.events.push_back(Event::Rejected { peer: from, error });
        }
        self.bury(now);
    }

    fn handle_timeout(&mut self, now: Time) {
        if let Some(tick) = self.next_tick.filter(|&tick| tick <= now) {
            self.next_tick = Some(tick.next_tick(self.options.tick_us, now));
            self.sessions.iter_mut().for_each(|session| session.tick(now));
        }
        self.bury(now);
        if self.sessions.is_empty() {
            self.next_tick = None;
        }
    }

    fn poll_transmit(&mut self, now: Time, out: &mut Vec<u8>) -> Option<PeerId> {
        if self.stopped {
            return None;
        }
        if let Some((peer, sequence, reason)) = self.refusals.pop_front() {
            let first = self.options.first_sequence;
            let mut w = Writer::new(out);
            ServerHeader { sequence: first, delta_sequence: first, last_acked_sequence: sequence }.write(&mut w);
            ServerEvent::Refuse { reason }.write(&mut w, first);
            return Some(peer);
        }
        let mut sent = None;
        // A session that ends while it writes leaves news for the others: all are looked at once more.
        loop {
            let mut sessions = std::mem::take(&mut self.sessions);
            let make = |session: &Session| self.snapshot(session, now).encode();
            for session in &mut sessions {
                if session.poll_transmit(now, make, out) {
                    sent = Some(session.peer());
                    break;
                }
            }
            self.sessions = sessions;
            if !self.bury(now) || sent.is_some() {
                return sent;
            }
        }
    }

    fn poll_event(&mut self) -> Option<Event> {
        self.events.pop_front()
    }

    fn poll_timeout(&self) -> Option<Time> {
        self.next_tick
    }

    fn forget(&mut self, client: HostId) {
        // The others get it with the next packet.
        let sessions = self.sessions.iter_mut().filter(|session| session.peer().host == client);
        sessions.for_each(|session| session.end(Ending::Silence));
    }

    fn observe(&self, view: &mut View) {
        view.state = "serving";
        view.valid = true;
        for (number, player) in self.world.live.iter() {
            view.numbers.push(number);
            view.fields.extend_from_slice(&player.0);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::options::PROFILES;

    fn sent(server: &mut Server, now: Time) -> Vec<(PeerId, Vec<u8>)> {
        let mut all = Vec::new();
        loop {
            let mut out = Vec::new();
            let Some(to) = server.poll_transmit(now, &mut out) else { return all };
            all.push((to, out));
        }
    }

    #[test]
    fn a_forgotten_client_is_admitted_again_at_once_and_the_others_are_sent_that() {
        let setup = Setup::new(&crate::PROTOCOL, &PROFILES[0]);
        let mut server = Server::new(&setup, ServerRules::REFERENCE, Latitude::NONE);
        let mut hello = Vec::new();
        let mut w = Writer::new(&mut hello);
        ClientHeader { sequence: 1, ack_sequence: 0 }.write(&mut w);
        ClientEvent::Hello { name: b"anna".to_vec(), password: Vec::new() }.write(&mut w, 1);
        let greets = |packets: &[(PeerId, Vec<u8>)], client: u16| {
            packets.iter().any(|(to, bytes)| *to == PeerId::client(client) && bytes.get(8) == Some(&S2C_HI))
        };
        for client in [1, 2] {
            server.handle_datagram(Time::ZERO, PeerId::client(client), &hello);
            assert!(greets(&sent(&mut server, Time::ZERO), client));
        }
        let now = Time::from_ms(20);
        server.forget(HostId(1));
        server.handle_datagram(now, PeerId::client(1), &hello);
        let packets = sent(&mut server, now);
        assert!(greets(&packets, 1), "{packets:?}");
        let left = [S2C_LEFT, 1];
        let sent =
            packets.iter().any(|(to, bytes)| *to == PeerId::client(2) && bytes.windows(2).any(|two| two == left));
        assert!(sent, "{packets:?}");
    }
}
