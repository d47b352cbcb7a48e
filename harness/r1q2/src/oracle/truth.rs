//! The world as the scenario makes it: entities, players, statistics. The server under test receives the same commands.
//!
//! A server takes instructions into its game when it runs, so a frame may show the world as it was at any moment since
//! shortly before: the truth keeps what was in force lately.

use crate::machine::world::{PLAYER_FIRST, World, WorldEntity};
use crate::wire::constants::MAX_STATS;
use crate::wire::state::{EVENT, Entity, ORIGIN, PM_VELOCITY_X, PM_VELOCITY_Z};
use kit::table::float_value;
use kit::{Command, EntityList, StatValue, Time};
use std::collections::{BTreeMap, BTreeSet, VecDeque};

/// States of the world that are remembered; scenarios change it in fewer steps than this within two ticks.
const MAX_SNAPSHOTS: usize = 64;

/// What fields were: so much is remembered.
const MAX_HAD: usize = 1 << 17;
/// Changes of areas that are remembered.
const MAX_AREAS: usize = 256;
/// What clients see unless a scenario sets something else.
const ALL_AREAS: u8 = 0xff;

/// The world at one moment.
#[derive(Clone, Copy, Debug)]
pub struct Snapshot<'a> {
    /// What lives.
    pub live: &'a EntityList<WorldEntity>,
    /// Statistics, by client.
    pub stats: &'a BTreeMap<u16, [i32; MAX_STATS]>,
}

/// The world as it was.
#[derive(Debug)]
struct Past {
    since: Time,
    live: EntityList<WorldEntity>,
    stats: BTreeMap<u16, [i32; MAX_STATS]>,
}

/// The world, now and lately.
#[derive(Debug, Default)]
pub struct Truth {
    world: World,
    stats: BTreeMap<u16, [i32; MAX_STATS]>,
    /// Since when the world is as it is; `None` without a scenario.
    since: Option<Time>,
    /// How it was before, oldest first.
    past: VecDeque<Past>,
    /// Entities that the scenario has given a velocity, with which players move by themselves.
    drifting: BTreeSet<u32>,
    /// What each field of an entity was since the map began, where baselines of somebody else's server ask for it.
    had: Option<BTreeSet<(u32, usize, i32)>>,
    /// When something was last set to happen to an entity.
    events: BTreeMap<u32, Time>,
    /// What clients see of the areas, as it was asked for: when, who (0 for all), on which map, and the bits.
    areas: VecDeque<(Time, i32, u32, u8)>,
    /// How many maps were started.
    pub maps: u32,
    /// When the map last changed.
    pub mapped: Option<Time>,
}

impl Truth {
    /// Of a server that is ours, or somebody else's.
    pub fn new(remote_server: bool) -> Truth {
        Truth { had: remote_server.then(BTreeSet::new), ..Truth::default() }
    }

    /// The scenario instructs the server. Whether it was about the world.
    pub fn command(&mut self, now: Time, command: &Command) -> bool {
        // Many commands come at one moment: only what was in force until then is kept.
        let kept = self.since.filter(|since| *since != now);
        if let Some(since) = kept {
            self.past.push_back(Past { since, live: self.world.live.clone(), stats: self.stats.clone() });
        }
        let applied = match *command {
            Command::Stat { client, stat, value } => {
                let stats = self.stats.entry(client).or_insert([0; MAX_STATS]);
                let value = match value {
                    StatValue::Int(value) => value,
                    StatValue::Float(value) => value as i32,
                };
                stats.get_mut(usize::from(stat)).map(|held| *held = i32::from(value as i16)).is_some()
            }
            _ => self.world.apply(now, command),
        };
        if !applied {
            if kept.is_some() {
                self.past.pop_back();
            }
            return false;
        }
        self.since = Some(now);
        if self.past.len() == MAX_SNAPSHOTS {
            self.past.pop_front();
        }
        if let Command::Set { entity, field, value } | Command::Baseline { entity, field, value } = *command
            && value != 0
            && (PLAYER_FIRST + PM_VELOCITY_X..=PLAYER_FIRST + PM_VELOCITY_Z).contains(&field)
        {
            self.drifting.insert(entity);
        }
        self.remember(command);
        if let Command::Spawn { entity } | Command::Set { entity, field: EVENT, .. } = *command {
            self.events.insert(entity, now);
        }
        if matches!(command, Command::Map) {
            self.maps += 1;
            self.mapped = Some(now);
        }
        true
    }

    /// What fields were, beside their baselines.
    fn remember(&mut self, command: &Command) {
        let Some(had) = &mut self.had else { return };
        match *command {
            Command::Map => had.clear(),
            Command::Set { entity, field, value } if had.len() < MAX_HAD => {
                had.insert((entity, field, value));
            }
            _ => {}
        }
    }

    /// Whether a field of an entity was something since the map began that `fits`. Of more than is remembered, it may have been.
    pub fn had(&self, number: u32, field: usize, fits: impl FnMut(i32) -> bool) -> bool {
        let all = (number, field, i32::MIN)..=(number, field, i32::MAX);
        let Some(had) = &self.had else { return false };
        had.len() >= MAX_HAD || had.range(all).map(|(_, _, value)| *value).any(fits)
    }

    /// Whether there is a scenario; the world of a recording is unknown.
    pub fn is_known(&self) -> bool {
        self.since.is_some()
    }

    /// Where an entity is that lives, in whole eighths.
    pub fn place(&self, number: u32) -> Option<[i32; 3]> {
        self.world.live.get(number).map(|live| eighths(&live.entity))
    }

    /// How many entities live.
    pub fn live(&self) -> usize {
        self.world.live.len()
    }

    /// The baseline of an entity on this map.
    pub fn baseline(&self, number: u32) -> Entity {
        self.world.baselines.get(number).map_or(Entity::NULL, |live| live.entity)
    }

    /// The scenario sets what a client sees of the areas.
    pub fn area(&mut self, now: Time, client: i32, bits: u8) {
        self.areas.push_back((now, client, self.maps, bits));
        if self.areas.len() > MAX_AREAS {
            self.areas.pop_front();
        }
    }

    /// Whether a client, in the game since `begun`, may see these areas: as they were within `window_us` before `now`.
    pub fn may_see(&self, client: u16, bits: u8, begun: Time, now: Time, window_us: u64) -> bool {
        for (at, who, map, wanted) in self.areas.iter().rev() {
            if *who != 0 && *who != i32::from(client) {
                continue;
            }
            // A server may take what was asked for before for this map and connection, or not.
            if *wanted == bits || *at <= begun || *map != self.maps {
                return true;
            }
            if now.since(*at) > window_us {
                return false;
            }
        }
        bits == ALL_AREAS || self.areas.len() >= MAX_AREAS
    }

    /// Whether the player of a client may have moved by the velocity that it was given.
    pub fn drifts(&self, client: u16) -> bool {
        self.drifting.contains(&client.into())
    }

    /// The states of the world that were in force within `window_us` before `now`, newest first.
    pub fn since(&self, now: Time, window_us: u64) -> impl Iterator<Item = Snapshot<'_>> {
        let present = self.since.map(|since| (since, Snapshot { live: &self.world.live, stats: &self.stats }));
        let past = self.past.iter().rev().map(|past| (past.since, Snapshot { live: &past.live, stats: &past.stats }));
        let mut over = false;
        let in_force = move |(since, _): &(Time, Snapshot<'_>)| {
            let is_older = std::mem::replace(&mut over, now.since(*since) > window_us);
            !is_older
        };
        present.into_iter().chain(past).take_while(in_force).map(|(_, snapshot)| snapshot)
    }

    /// Whether the map changed within `window_us` before `now`, so that a server may not have come to it yet.
    pub fn is_unsettled(&self, now: Time, window_us: u64) -> bool {
        self.mapped.is_some_and(|mapped| now.since(mapped) <= window_us)
    }

    /// Whether something can have been set to happen to an entity within `window_us` before `now`.
    pub fn may_happen(&self, number: u32, now: Time, window_us: u64) -> bool {
        self.is_unsettled(now, window_us) || self.events.get(&number).is_none_or(|at| now.since(*at) <= window_us)
    }

    /// Whether anything changed within `window_us` before `now`.
    pub fn changed_lately(&self, now: Time, window_us: u64) -> bool {
        self.since.is_some_and(|since| now.since(since) <= window_us)
    }
}

/// Where an entity is, in whole eighths as far as they go.
pub fn eighths(state: &Entity) -> [i32; 3] {
    ORIGIN.map(|axis| (float_value(state[axis]) * 8.0) as i32)
}
