//! What the scenario and the clients' events make of the world, and which events of the server follow from it. Without
//! the scenario's commands to the server it has the players of clients alone.

use super::session::Session;
use super::session::held::{Cause, Held};
use super::session::server::ServerSide;
use crate::complete::CompleteUpdate;
use crate::constants::*;
use crate::message::{ClientEvent, Hi, Input, ServerEvent};
use crate::options::{Options, bot_name};
use crate::state::*;
use crate::verbs::{VERB_COMPLETE_UPDATE, VERB_GAMEMODE};
use kit::{Command, HostId, Knowledge, Setup, Time, Vantage};
use std::collections::BTreeMap;

/// The world as it must be.
#[derive(Debug)]
pub struct Truth {
    /// The options of both ends.
    pub options: Options,
    /// The scenario's commands to the server are known.
    pub known: bool,
    /// From where the run is seen.
    pub vantage: Vantage,
    /// Ids up to this belong to clients.
    clients: u16,
    /// The players.
    pub world: World,
    /// The names of clients' players, as their hellos have them.
    names: BTreeMap<u32, Vec<u8>>,
    gamemode: i32,
    /// A player has left.
    pub anybody_left: bool,
    /// Players whose sessions are not judged, a bit each: whether a server has them, or had them come again, nobody knows.
    unsure: [u64; 4],
    updates: u32,
}

impl Truth {
    /// An empty world.
    pub fn new(setup: &Setup) -> Truth {
        Truth {
            options: Options::new(setup),
            known: setup.knowledge == Knowledge::World,
            vantage: setup.vantage,
            clients: setup.clients,
            world: World::default(),
            names: BTreeMap::new(),
            gamemode: 0,
            anybody_left: false,
            unsure: [0; 4],
            updates: 0,
        }
    }

    /// Takes down of which players nobody knows what has become of them.
    pub fn follow_unsure(&mut self, sessions: &[Session]) {
        self.unsure = [0; 4];
        for session in sessions.iter().filter(|session| session.server.indeterminate.is_some()) {
            let id = session.player as u8;
            self.unsure[usize::from(id / 64)] |= 1 << (id % 64);
        }
    }

    /// Whether nobody knows what has become of a player. Asked for each body of each snapshot.
    pub fn is_unsure(&self, id: u8) -> bool {
        self.unsure[usize::from(id / 64)] >> (id % 64) & 1 == 1
    }

    /// The complete update, as it would be now.
    pub fn complete_update(&self) -> CompleteUpdate {
        CompleteUpdate::of(0, &self.world.live, self.gamemode)
    }

    fn introduction(&self, id: u32) -> Vec<ServerEvent> {
        let player = self.world.live.get(id).copied().unwrap_or_default();
        let is_client = id <= u32::from(self.clients);
        let learned = self.names.get(&id).cloned();
        let name =
            learned.unwrap_or_else(|| if is_client { self.options.name_of(HostId(id as u16)) } else { bot_name(id) });
        let wide = id as u16;
        let mut events = vec![ServerEvent::Join { id: wide, name }];
        if self.known {
            events.push(ServerEvent::ChangeClass { id: wide, class: player.0[CLASS] as u8 });
            events.push(ServerEvent::ChangeTeam { id: wide, team: player.0[TEAM] as u8 });
        }
        events
    }

    /// Whether what an event says is so now.
    pub fn is_so(&self, event: &ServerEvent) -> bool {
        let there = |id: u32| self.world.live.get(id);
        match event {
            ServerEvent::Join { id, .. } => {
                there((*id).into()).is_some() && self.introduction((*id).into()).contains(event)
            }
            ServerEvent::ChangeClass { id, class } => {
                there((*id).into()).is_some_and(|player| player.0[CLASS] == (*class).into())
            }
            ServerEvent::ChangeTeam { id, team } => {
                there((*id).into()).is_some_and(|player| player.0[TEAM] == (*team).into())
            }
            ServerEvent::Spawn { id, .. } => {
                there((*id).into()).is_some_and(|player| player.is(ALIVE) && spawn((*id).into(), player) == *event)
            }
            ServerEvent::Die { id } => there((*id).into()).is_some_and(|player| !player.is(ALIVE)),
            ServerEvent::Left { id } => there((*id).into()).is_none(),
            // They are judged where they are distinguished.
            ServerEvent::Hi(_) | ServerEvent::Complete(_) | ServerEvent::Refuse { .. } => true,
        }
    }

    /// Expects that everybody but one is sent a new player.
    fn announced(&self, now: Time, id: u32, except: Option<HostId>, sessions: &mut [Session]) {
        let mut events = self.introduction(id);
        if let Some(player) = self.world.live.get(id).filter(|player| player.is(ALIVE)) {
            events.push(spawn(id, player));
        }
        // Where it is learned from what the newcomer is sent, others may have been sent it before.
        let new = |session: &Session| self.known || !session.server.players.contains_key(&(id as u8));
        for session in sessions.iter_mut().filter(|session| Some(session.host) != except && new(session)) {
            events.iter().for_each(|event| session.server.expect(now, event, Cause::Game));
        }
    }

    /// Expects a complete update for one client, which may leave out those who are there `perhaps`.
    fn updated(&mut self, now: Time, session: &mut Session, perhaps: &[u32]) {
        self.updates += 1;
        let cause = Cause::Complete(self.updates);
        for id in self.world.live.numbers() {
            let cause = if perhaps.contains(id) { Cause::Perhaps } else { cause };
            self.introduction(*id).iter().for_each(|event| session.server.expect(now, event, cause));
        }
        let mut update = self.complete_update();
        update.players.retain(|stats| !perhaps.contains(&stats.id.into()));
        session.server.expect(now, &ServerEvent::Complete(update), cause);
    }

    /// The scenario instructs the server.
    pub fn command(&mut self, now: Time, command: &Command, sessions: &mut [Session]) {
        let bot = |entity: u32| entity > u32::from(self.clients) && entity <= 0xff;
        let everybody = |sessions: &mut [Session], event: &ServerEvent| {
            sessions.iter_mut().for_each(|session| session.server.expect(now, event, Cause::Game));
        };
        match *command {
            Command::Spawn { entity } if bot(entity) && self.world.apply(now, command) => {
                self.announced(now, entity, None, sessions);
            }
            Command::Remove { entity } if bot(entity) && self.world.apply(now, command) => {
                self.anybody_left = true;
                everybody(sessions, &ServerEvent::Left { id: entity as u8 });
            }
            Command::Set { entity, field, .. } => {
                held_too(now, command, entity, field, sessions);
                if !self.changes(now, command, entity, field) {
                    return;
                }
                let Some(event) = self.world.live.get(entity).and_then(|player| change(entity, player, field)) else {
                    return;
                };
                // Of a player who may be gone a server may have nothing to say.
                let gone = |session: &Session| {
                    session.player == entity && session.server.inside && session.server.is_doubtful(now, self.vantage)
                };
                let cause = if sessions.iter().any(gone) { Cause::Perhaps } else { Cause::Game };
                sessions.iter_mut().for_each(|session| session.server.expect(now, &event, cause));
            }
            Command::Baseline { .. } => {
                self.world.apply(now, command);
            }
            Command::Verb { verb: VERB_GAMEMODE, args } => self.gamemode = args[0],
            Command::Verb { verb: VERB_COMPLETE_UPDATE, args } => {
                let gone = |other: &&Session| other.server.inside && other.server.is_doubtful(now, self.vantage);
                let gone: Vec<u32> = sessions.iter().filter(gone).map(|other| other.player).collect();
                for session in
                    sessions.iter_mut().filter(|session| args[0] == 0 || i32::from(session.host.0) == args[0])
                {
                    // Whoever is sent it is there.
                    let others: Vec<u32> = gone.iter().copied().filter(|player| *player != session.player).collect();
                    self.updated(now, session, &others);
                }
            }
            _ => {}
        }
    }

    /// Carries out the change of a field. Whether the field has another value then.
    fn changes(&mut self, now: Time, command: &Command, id: u32, field: usize) -> bool {
        let value = |world: &World| world.live.get(id).and_then(|player| player.0.get(field).copied());
        let before = value(&self.world);
        self.world.apply(now, command);
        before != value(&self.world)
    }

    /// The server lets a client in, whose session knows it already.
    pub fn admitted(&mut self, now: Time, host: HostId, sessions: &mut [Session]) {
        let Some(session) = sessions.iter().find(|session| session.host == host) else { return };
        let id = session.player;
        self.names.insert(id, session.name.clone());
        let before = self.world.live.len();
        let start = self.world.baselines.get(id).copied().unwrap_or_default();
        self.world.live.entry(id, &start);
        // Whether a remote server let in the newcomer before these or after them, it alone knows; and whether those who may
        // have been dropped are there, any server.
        let first = session.server.asked_first;
        let meanwhile = |other: &ServerSide| {
            let gone = other.inside && other.is_doubtful(now, self.vantage);
            gone || first.is_some_and(|first| other.since >= first)
        };
        let perhaps = sessions.iter().filter(|other| other.host != host && meanwhile(&other.server));
        let perhaps: Vec<u32> = perhaps.map(|other| other.player).collect();
        if let Some(session) = sessions.iter_mut().find(|session| session.host == host) {
            let hi = Hi {
                server: self.options.server.clone(),
                your_id: id as u8,
                num_players: before as u8,
                map: self.options.map.clone(),
                version: VERSION,
            };
            session.server.doubtful = perhaps.len();
            session.server.expect(now, &ServerEvent::Hi(hi), Cause::Hi);
            self.updated(now, session, &perhaps);
        }
        self.announced(now, id, Some(host), sessions);
    }

    /// Keeps what there is as a hello comes of which nothing shows yet what the server makes of it.
    pub fn hold(&self, now: Time, session: &mut Session) {
        if !self.known || session.server.held.is_some() {
            return;
        }
        let player = session.player;
        let mut world = self.world.clone();
        world.live.remove(player);
        let (mut own, start) = (World::default(), world.baselines.get(player).copied().unwrap_or_default());
        own.live.entry(player, &start);
        let (own_events, events, gamemode) = (Vec::new(), Vec::new(), self.gamemode);
        let held = Held { at: now, player, world, gamemode, own, own_events, events, too_much: false };
        session.server.held = Some(Box::new(held));
    }

    /// The server has let a client in when its hello came, and shows it only now: it was told of the world as it was then, and of
    /// what has happened since.
    pub fn admitted_before(&mut self, host: HostId, held: Held, sessions: &mut [Session]) {
        let Held { at, player, world, gamemode, own, own_events, events, too_much } = held;
        let (now, mode) = (std::mem::replace(&mut self.world, world), std::mem::replace(&mut self.gamemode, gamemode));
        self.admitted(at, host, sessions);
        (self.world, self.gamemode) = (now, mode);
        if let Some(state) = own.live.get(player).copied() {
            *self.world.live.entry(player, &state) = state;
        }
        for session in sessions {
            own_events.iter().for_each(|(at, event)| session.server.expect(*at, event, Cause::Game));
            if session.host == host && too_much {
                session.server.give_up("what it was sent after it was let in again cannot be known");
            } else if session.host == host {
                events.iter().for_each(|(at, event, cause)| session.server.expect(*at, event, *cause));
            }
        }
    }

    /// A client is gone, or comes again; what a remote server makes of that, it alone knows.
    pub fn forget(&mut self, session: &mut Session) {
        self.world.live.remove(session.player);
        session.server = ServerSide::default();
    }

    /// A client is gone.
    pub fn departed(&mut self, now: Time, host: HostId, sessions: &mut [Session]) {
        let Some(id) = sessions.iter().find(|session| session.host == host).map(|session| session.player) else {
            return;
        };
        self.world.live.remove(id);
        self.anybody_left = true;
        let event = ServerEvent::Left { id: id as u8 };
        for session in sessions.iter_mut() {
            if session.host == host {
                session.server.depart();
                continue;
            }
            match session.server.is_announced(id as u8) {
                Some(true) => session.server.expect(now, &event, Cause::Departure),
                // Who was admitted since the server took it for gone.
                Some(false) => {}
                None => session.server.expect(now, &event, Cause::Perhaps),
            }
        }
    }

    /// The server applies a client's event.
    pub fn client_event(&mut self, now: Time, host: HostId, event: &ClientEvent, sessions: &mut [Session]) {
        let Some(session) = sessions.iter().find(|session| session.host == host) else { return };
        let id = session.player;
        let cause = if session.server.is_doubtful(now, self.vantage) { Cause::Perhaps } else { Cause::Client };
        match event {
            ClientEvent::ChangeClass { class } if i32::from(*class) < CLASSES => {
                if let Some(player) = self.world.live.get_mut(id) {
                    player.0[CLASS] = (*class).into();
                }
                let event = ServerEvent::ChangeClass { id: id as u16, class: *class };
                sessions.iter_mut().for_each(|session| session.server.expect(now, &event, cause));
            }
            ClientEvent::Disconnect => self.departed(now, host, sessions),
            _ => {}
        }
    }

    /// The server accepts a client's input.
    pub fn client_input(&mut self, id: u32, input: &Input) {
        if let Some(player) = self.world.live.get_mut(id) {
            player.0[INPUTSTATE] = (input.inputstate & INPUTSTATE_BITS).into();
            player.0[AIM] = input.aimdirection.into();
        }
    }
}

/// Carries out the change of a field for those players, too, who may be others than the server's: see [`Held`].
fn held_too(now: Time, command: &Command, id: u32, field: usize, sessions: &mut [Session]) {
    let held = sessions.iter_mut().filter_map(|session| session.server.held.as_mut());
    for held in held.filter(|held| held.player == id) {
        let value = |world: &World| world.live.get(id).and_then(|player| player.0.get(field).copied());
        let before = value(&held.own);
        held.own.apply(now, command);
        if before != value(&held.own)
            && let Some(event) = held.own.live.get(id).and_then(|player| change(id, player, field))
        {
            held.own_events.push((now, event));
        }
    }
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

fn spawn(id: u32, player: &Player) -> ServerEvent {
    ServerEvent::Spawn { id: id as u8, x: player.0[X] as u32, y: player.0[Y] as u32 }
}
