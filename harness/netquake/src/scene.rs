//! What a client holds of a session in which every update is made against its entity's baseline: protocols 15, 666 and 999.

use crate::clientdata::ClientData;
use crate::constants::*;
use crate::fitzquake::{self, Fitz};
use crate::service::Service;
use crate::update::{FIELDS, Record};
use kit::table::float_value;
use kit::{EntityList, Field, StatValue, Unit};
use std::collections::BTreeMap;

const BYTE: Unit = Unit::Int(0, 0xff);
const USHORT: Unit = Unit::Int(0, 0xffff);

/// Names of the fields of a [`Record`], by number.
pub static SCENE_FIELDS: [Field; FIELDS] = [
    Field { name: "model", unit: USHORT },
    Field { name: "frame", unit: USHORT },
    Field { name: "colormap", unit: BYTE },
    Field { name: "skin", unit: BYTE },
    Field { name: "effects", unit: BYTE },
    Field { name: "origin_x", unit: Unit::Float },
    Field { name: "origin_y", unit: Unit::Float },
    Field { name: "origin_z", unit: Unit::Float },
    Field { name: "pitch", unit: Unit::Float },
    Field { name: "yaw", unit: Unit::Float },
    Field { name: "roll", unit: Unit::Float },
    Field { name: "alpha", unit: BYTE },
    Field { name: "lerpfinish", unit: BYTE },
    Field { name: "scale", unit: BYTE },
];

/// An entity of which nothing was ever said.
pub static NULL: Record = [0; FIELDS];

/// The names of the statistics that both NetQuake and QuakeWorld have, by number.
pub fn stat_name(stat: u8) -> Option<&'static str> {
    const NAMES: [&str; 17] = [
        "health",
        "frags",
        "weapon",
        "ammo",
        "armor",
        "weaponframe",
        "shells",
        "nails",
        "rockets",
        "cells",
        "activeweapon",
        "totalsecrets",
        "totalmonsters",
        "secrets",
        "monsters",
        "items",
        "viewheight",
    ];
    NAMES.get(usize::from(stat)).copied()
}

/// The name of a service of which something happens: see [`kit::Scene::event`].
pub fn event(service: u8) -> Option<&'static str> {
    match service {
        SVC_NOP | SVC_TIME | SVC_UPDATE_STAT | SVC_CLIENT_DATA | SVC_SPAWN_BASELINE | U_SIGNAL_BYTE.. => None,
        fitzquake::SVC_SPAWN_BASELINE2 => None,
        _ => service_name(service).or_else(|| fitzquake::service_name(service)),
    }
}

/// The first byte of a fast update has this bit.
const U_SIGNAL_BYTE: u8 = 0x80;

/// A record as a state of the kit's lists.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct State(pub Record);

impl kit::Record for State {
    const NULL: State = State([0; FIELDS]);

    fn field_mut(&mut self, field: usize) -> Option<&mut i32> {
        self.0.get_mut(field)
    }
}

/// What a client holds.
#[derive(Clone, Debug, Default)]
pub struct Held {
    baselines: EntityList<State>,
    /// The entities that were mentioned since the server's time has changed: a client shows no others.
    shown: EntityList<State>,
    time: Option<i32>,
    data: Option<ClientData>,
    stats: BTreeMap<u8, StatValue>,
    /// Whether a serverinfo was there: without it no baseline is known.
    is_announced: bool,
}

impl Held {
    /// Takes a message of the server.
    pub fn said(&mut self, service: &Service<'_>) {
        match service {
            Service::ServerInfo(_) => *self = Held { is_announced: true, ..Held::default() },
            Service::Time { time } => {
                let is_new = self.time.replace(*time) != Some(*time);
                if is_new {
                    self.shown.clear();
                }
            }
            Service::SpawnBaseline { entity, fields } => self.baselines.put((*entity).into(), State(*fields)),
            Service::FastUpdate(update) => {
                let number = update.entity.into();
                let baseline = self.baselines.get(number).map_or(&NULL, |state| &state.0);
                let state = State(update.over(baseline));
                self.shown.put(number, state);
            }
            Service::UpdateStat { stat, value } => self.stat(*stat, StatValue::Int(*value)),
            Service::KilledMonster => self.count(STAT_MONSTERS),
            Service::FoundSecret => self.count(STAT_SECRETS),
            Service::ClientData(data) => {
                let stock = data.stock.map(i32::from);
                let stats = [
                    (0, i32::from(data.health)),
                    (2, data.weapon.into()),
                    (3, data.ammo.into()),
                    (4, data.armor.into()),
                    (5, data.weapon_frame.into()),
                    (6, stock[0]),
                    (7, stock[1]),
                    (8, stock[2]),
                    (9, stock[3]),
                    (10, data.active_weapon.into()),
                    (15, data.items as i32),
                ];
                for (stat, value) in stats {
                    self.stat(stat, StatValue::Int(value));
                }
                self.data = Some(*data);
            }
            _ => {}
        }
    }

    /// Takes a message that protocol 666 adds.
    pub fn fitz(&mut self, service: &Fitz<'_>) {
        if let Fitz::SpawnBaseline { entity, fields, .. } = service {
            self.baselines.put((*entity).into(), State(*fields));
        }
    }

    /// Takes a statistic.
    pub fn stat(&mut self, stat: u8, value: StatValue) {
        self.stats.insert(stat, value);
    }

    fn count(&mut self, stat: u8) {
        let counted = match self.stats.get(&stat) {
            Some(StatValue::Int(value)) => value.saturating_add(1),
            _ => 1,
        };
        self.stat(stat, StatValue::Int(counted));
    }

    /// See [`kit::Scene::entities`].
    pub fn entities(&self, visit: &mut dyn FnMut(u32, &[i32])) {
        self.shown.iter().for_each(|(number, state)| visit(number, &state.0));
    }

    /// See [`kit::Scene::player`].
    pub fn player(&self, visit: &mut dyn FnMut(&'static str, StatValue)) {
        if let Some(time) = self.time {
            visit("server_time", StatValue::Float(float_value(time)));
        }
        let Some(data) = &self.data else { return };
        let mut int = |name, value: i32| visit(name, StatValue::Int(value));
        int("view_height", data.view_height.into());
        int("ideal_pitch", data.ideal_pitch.into());
        for (name, value) in ["punch_pitch", "punch_yaw", "punch_roll"].into_iter().zip(data.punch) {
            int(name, value.into());
        }
        for (name, value) in ["velocity_x", "velocity_y", "velocity_z"].into_iter().zip(data.velocity) {
            int(name, i32::from(value) * VELOCITY_UNITS);
        }
        int("on_ground", data.on_ground.into());
        int("in_water", data.in_water.into());
        int("weapon_alpha", data.weapon_alpha.into());
    }

    /// See [`kit::Scene::stats`].
    pub fn stats(&self, visit: &mut dyn FnMut(Option<u8>, u8, StatValue)) {
        self.stats.iter().for_each(|(stat, value)| visit(None, *stat, *value));
    }

    /// See [`kit::Scene::is_incomplete`].
    pub fn is_incomplete(&self) -> bool {
        !self.is_announced
    }
}

/// What a step of a velocity stands for, in units per second.
const VELOCITY_UNITS: i32 = 16;
/// Secrets found, and monsters killed, which a server also counts by events.
const STAT_SECRETS: u8 = 13;
const STAT_MONSTERS: u8 = 14;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::update::{FRAME, FastUpdate, MODEL};

    fn shown(held: &Held) -> Vec<(u32, i32, i32)> {
        let mut all = Vec::new();
        held.entities(&mut |number, fields| all.push((number, fields[MODEL], fields[FRAME])));
        all
    }

    #[test]
    fn a_client_shows_what_the_newest_time_mentions_over_its_baseline() {
        let mut held = Held::default();
        assert!(held.is_incomplete());
        let mut baseline = NULL;
        (baseline[MODEL], baseline[FRAME]) = (3, 1);
        held.said(&Service::SpawnBaseline { entity: 7, fields: baseline });
        let mut changed = baseline;
        changed[FRAME] = 9;
        held.said(&Service::Time { time: 1 });
        held.said(&Service::FastUpdate(FastUpdate::new(7, false, &baseline, &changed)));
        held.said(&Service::FastUpdate(FastUpdate::new(2, false, &NULL, &NULL)));
        assert_eq!(shown(&held), [(2, 0, 0), (7, 3, 9)]);
        // Its update names no field: it is as its baseline again, and the other is gone.
        held.said(&Service::Time { time: 2 });
        held.said(&Service::FastUpdate(FastUpdate::new(7, false, &baseline, &baseline)));
        assert_eq!(shown(&held), [(7, 3, 1)]);
    }

    #[test]
    fn what_the_player_has_and_what_the_server_counts_are_statistics() {
        let mut held = Held::default();
        held.said(&Service::ClientData(ClientData { health: -7, stock: [1, 2, 3, 4], ..ClientData::default() }));
        held.said(&Service::UpdateStat { stat: 14, value: 5 });
        held.said(&Service::KilledMonster);
        let mut all = Vec::new();
        held.stats(&mut |_, stat, value| all.push((stat_name(stat), value)));
        for (name, value) in [("health", -7), ("cells", 4), ("monsters", 6)] {
            assert!(all.contains(&(Some(name), StatValue::Int(value))), "{name}: {all:?}");
        }
    }

    #[test]
    fn what_says_what_is_is_no_event() {
        assert_eq!([SVC_TIME, SVC_CLIENT_DATA, 0x81, 0xff].map(event), [None; 4]);
        assert_eq!([SVC_SOUND, 37].map(event), [Some("svc_sound"), Some("svc_skybox")]);
    }
}
