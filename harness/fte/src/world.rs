//! What the scenario says that there is: the truth that a server sends.

use crate::state::{Entity, EntityList};
use kit::{Command, Time};

/// The entities of the map and their baselines.
#[derive(Clone, Debug, Default)]
pub struct World {
    /// The entities that live, with their present state.
    pub live: EntityList,
    /// The baselines in force, as clients are told when they sign on.
    pub baselines: EntityList,
    /// The baselines of the next map.
    next_baselines: EntityList,
    /// How many maps were started before this one.
    pub maps: u32,
}

impl World {
    /// Applies a command about the world. Whether it was one, and made sense.
    ///
    /// Baselines change at a map's start only: a baseline that differs from what clients were told would make every
    /// RESET a lie. Commands at time zero belong to the first map's start.
    pub fn apply(&mut self, now: Time, command: &Command) -> bool {
        match *command {
            Command::Baseline { entity, field, value } => {
                if field >= crate::state::FIELDS {
                    return false;
                }
                self.next_baselines.entry(entity, &Entity::NULL)[field] = value;
                if now == Time::ZERO {
                    self.baselines.entry(entity, &Entity::NULL)[field] = value;
                }
                true
            }
            Command::Spawn { entity } => {
                if entity == 0 || self.live.get(entity).is_some() {
                    return false;
                }
                self.live.entry(entity, self.baselines.get(entity).unwrap_or(&Entity::NULL));
                true
            }
            Command::Set { entity, field, value } => match self.live.get_mut(entity) {
                Some(state) if field < crate::state::FIELDS => {
                    state[field] = value;
                    true
                }
                _ => false,
            },
            Command::Remove { entity } => self.live.remove(entity),
            Command::Map => {
                self.live.clear();
                self.baselines.copy_from(&self.next_baselines);
                self.maps += 1;
                true
            }
            _ => false,
        }
    }
}
