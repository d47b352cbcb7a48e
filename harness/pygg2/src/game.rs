//! What a client knows of the players: events and snapshots applied.

use crate::constants::INPUTSTATE_BITS;
use crate::message::ServerEvent;
use crate::snapshot::Snapshot;
use crate::state::*;

/// The players as a client knows them.
#[derive(Clone, Debug, Default)]
pub struct Game {
    /// The players.
    pub players: Players,
    /// The server's time in the newest snapshot, in milliseconds.
    pub time: u32,
    /// The id of the own player.
    pub own: Option<u8>,
}

impl Game {
    /// Applies an event.
    pub fn apply_event(&mut self, event: &ServerEvent) {
        let players = &mut self.players;
        match event {
            // GG2-HS-11
            ServerEvent::Hi(hi) => self.own = Some(hi.your_id),
            ServerEvent::Join { id, .. } => {
                players.entry((*id).into(), &Player::default());
            }
            ServerEvent::Left { id } => {
                players.remove((*id).into());
            }
            ServerEvent::ChangeTeam { id, team } => set(players, (*id).into(), TEAM, (*team).into()),
            ServerEvent::ChangeClass { id, class } => set(players, (*id).into(), CLASS, (*class).into()),
            ServerEvent::Spawn { id, x, y } => {
                for (field, value) in [(ALIVE, 1), (X, *x as i32), (Y, *y as i32)] {
                    set(players, (*id).into(), field, value);
                }
            }
            ServerEvent::Die { id } => set(players, (*id).into(), ALIVE, 0),
            ServerEvent::Complete(update) => {
                self.time = update.time;
                for stats in &update.players {
                    if let Some(player) = players.get_mut(stats.id.into()) {
                        stats.apply(player);
                    }
                }
            }
            ServerEvent::Refuse { .. } => {}
        }
    }

    /// Applies a snapshot, after the events of its packet.
    pub fn apply_snapshot(&mut self, snapshot: &Snapshot) {
        self.time = snapshot.time;
        for body in &snapshot.bodies {
            if let Some(player) = self.players.get_mut(body.id.into()) {
                player.take_base(&body.base);
                player.0[INPUTSTATE] &= i32::from(INPUTSTATE_BITS);
                player.0[AMMO] = body.ammo.into();
                player.0[CLOAKED] = body.cloaked.into();
                body.class.iter().for_each(|fields| player.take_class_fields(fields));
            }
        }
    }
}

fn set(players: &mut Players, id: u32, field: usize, value: i32) {
    if let Some(held) = players.get_mut(id).and_then(|player| player.0.get_mut(field)) {
        *held = value;
    }
}
