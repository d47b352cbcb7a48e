//! What the scenario, and what the clients want, make of the world; and which events follow from it.

use super::link::{Cause, Link};
use crate::complete::CompleteUpdate;
use crate::constants::*;
use crate::message::{ClientEvent, Hi, Input, ServerEvent};
use crate::options::{Options, bot_name};
use crate::state::*;
use crate::verbs::{VERB_COMPLETE_UPDATE, VERB_GAMEMODE};
use kit::{Command, HostId, Time};

/// The world as it must be.
#[derive(Debug)]
pub struct Truth {
    /// What both ends were told.
    pub options: Options,
    /// Ids up to this belong to clients.
    clients: u16,
    /// The players.
    pub world: World,
    gamemode: i32,
    /// A player has left.
    pub anybody_left: bool,
    updates: u32,
}

impl Truth {
    /// An empty world.
    pub fn new(options: Options, clients: u16) -> Truth {
        Truth { options, clients, world: World::default(), gamemode: 0, anybody_left: false, updates: 0 }
    }

    /// The complete update, as it would be now.
    pub fn complete_update(&self) -> CompleteUpdate {
        CompleteUpdate::of(0, &self.world.live, self.gamemode)
    }

    fn introduction(&self, id: u32) -> Vec<ServerEvent> {
        let player = self.world.live.get(id).copied().unwrap_or_default();
        let name = match id <= u32::from(self.clients) {
            true => self.options.name_of(HostId(id as u16)),
            false => bot_name(id),
        };
        let wide = id as u16;
        vec![
            ServerEvent::Join { id: wide, name },
            ServerEvent::ChangeClass { id: wide, class: player.0[CLASS] as u8 },
            ServerEvent::ChangeTeam { id: wide, team: player.0[TEAM] as u8 },
        ]
    }

    /// A new player, as everybody but one is told.
    fn announced(&self, now: Time, id: u32, except: Option<HostId>, links: &mut [Link]) {
        let mut events = self.introduction(id);
        if let Some(player) = self.world.live.get(id).filter(|player| player.is(ALIVE)) {
            events.push(spawn(id, player));
        }
        for link in links.iter_mut().filter(|link| Some(link.host) != except) {
            events.iter().for_each(|event| link.expect(now, event, Cause::Game));
        }
    }

    /// A complete update for one client.
    fn updated(&mut self, now: Time, link: &mut Link) {
        self.updates += 1;
        let cause = Cause::Complete(self.updates);
        let ids = self.world.live.numbers();
        ids.iter().flat_map(|id| self.introduction(*id)).for_each(|event| link.expect(now, &event, cause));
        link.expect(now, &ServerEvent::Complete(self.complete_update()), cause);
    }

    /// The scenario instructs the server.
    pub fn command(&mut self, now: Time, command: &Command, links: &mut [Link]) {
        let bot = |entity: u32| entity > u32::from(self.clients) && entity <= 0xff;
        let everybody = |links: &mut [Link], event: &ServerEvent| {
            links.iter_mut().for_each(|link| link.expect(now, event, Cause::Game));
        };
        match *command {
            Command::Spawn { entity } if bot(entity) && self.world.apply(now, command) => {
                self.announced(now, entity, None, links);
            }
            Command::Remove { entity } if bot(entity) && self.world.apply(now, command) => {
                self.anybody_left = true;
                everybody(links, &ServerEvent::Left { id: entity as u8 });
            }
            Command::Set { entity, field, .. } => {
                let before = self.world.live.get(entity).copied();
                self.world.apply(now, command);
                let after = self.world.live.get(entity).copied();
                let (Some(before), Some(after)) = (before, after) else { return };
                let (id, wide) = (entity as u8, entity as u16);
                if before == after {
                    return;
                }
                match field {
                    CLASS => everybody(links, &ServerEvent::ChangeClass { id: wide, class: after.0[CLASS] as u8 }),
                    TEAM => everybody(links, &ServerEvent::ChangeTeam { id: wide, team: after.0[TEAM] as u8 }),
                    ALIVE if after.is(ALIVE) => everybody(links, &spawn(entity, &after)),
                    ALIVE => everybody(links, &ServerEvent::Die { id }),
                    _ => {}
                }
            }
            Command::Baseline { .. } => {
                self.world.apply(now, command);
            }
            Command::Verb { verb: VERB_GAMEMODE, args } => self.gamemode = args[0],
            Command::Verb { verb: VERB_COMPLETE_UPDATE, args } => {
                for link in links.iter_mut().filter(|link| args[0] == 0 || i32::from(link.host.0) == args[0]) {
                    self.updated(now, link);
                }
            }
            _ => {}
        }
    }

    /// The server lets a client in, whose link knows it already.
    pub fn admitted(&mut self, now: Time, host: HostId, links: &mut [Link]) {
        let id = u32::from(host.0);
        let before = self.world.live.len();
        let start = self.world.baselines.get(id).copied().unwrap_or_default();
        self.world.live.entry(id, &start);
        if let Some(link) = links.iter_mut().find(|link| link.host == host) {
            let hi = Hi {
                server: self.options.server.clone(),
                your_id: id as u8,
                num_players: before as u8,
                map: self.options.map.clone(),
                version: VERSION,
            };
            link.expect(now, &ServerEvent::Hi(hi), Cause::Hi);
            self.updated(now, link);
        }
        self.announced(now, id, Some(host), links);
    }

    /// A client is gone.
    pub fn departed(&mut self, now: Time, host: HostId, links: &mut [Link]) {
        self.world.live.remove(host.0.into());
        self.anybody_left = true;
        let event = ServerEvent::Left { id: host.0 as u8 };
        for link in links.iter_mut() {
            if link.host == host {
                (link.inside, link.left) = (false, true);
                link.expected.clear();
            } else {
                link.expect(now, &event, Cause::Departure);
            }
        }
    }

    /// The server applies a client's event.
    pub fn client_event(&mut self, now: Time, host: HostId, event: &ClientEvent, links: &mut [Link]) {
        match event {
            ClientEvent::ChangeClass { class } if i32::from(*class) < CLASSES => {
                if let Some(player) = self.world.live.get_mut(host.0.into()) {
                    player.0[CLASS] = (*class).into();
                }
                let event = ServerEvent::ChangeClass { id: host.0, class: *class };
                links.iter_mut().for_each(|link| link.expect(now, &event, Cause::Client(host.0)));
            }
            ClientEvent::Disconnect => self.departed(now, host, links),
            _ => {}
        }
    }

    /// The server takes a client's input.
    pub fn client_input(&mut self, host: HostId, input: &Input) {
        if let Some(player) = self.world.live.get_mut(host.0.into()) {
            player.0[INPUTSTATE] = (input.inputstate & INPUTSTATE_BITS).into();
            player.0[AIM] = input.aimdirection.into();
        }
    }
}

fn spawn(id: u32, player: &Player) -> ServerEvent {
    ServerEvent::Spawn { id: id as u8, x: player.0[X] as u32, y: player.0[Y] as u32 }
}
