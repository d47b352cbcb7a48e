//! Entities by number, and the world that a scenario makes of them: the truth that a server sends.

use crate::endpoint::Command;
use crate::numbers::Numbers;
use crate::time::Time;

/// The state of one entity of a protocol: a value per [`Protocol::fields`](crate::protocol::Protocol::fields) entry.
pub trait Record: Copy {
    /// What an entity without a baseline starts from.
    const NULL: Self;

    /// The value of field number `field`; `None` if there is no such field.
    fn field_mut(&mut self, field: usize) -> Option<&mut i32>;
}

/// Entities in ascending order of their numbers.
///
/// Memory grows with the number of entities held, not with the largest number.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EntityList<R> {
    numbers: Numbers,
    states: Vec<R>,
}

impl<R> Default for EntityList<R> {
    fn default() -> Self {
        EntityList { numbers: Numbers::default(), states: Vec::new() }
    }
}

impl<R: Record> EntityList<R> {
    /// An empty list with memory for so many entities.
    pub fn with_capacity(entities: usize) -> EntityList<R> {
        EntityList { numbers: Numbers::with_capacity(entities), states: Vec::with_capacity(entities) }
    }

    /// Makes room for so many more entities.
    pub fn reserve(&mut self, more: usize) {
        self.numbers.reserve(more);
        self.states.reserve(more);
    }

    /// How many entities there are.
    pub fn len(&self) -> usize {
        self.numbers.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.numbers.is_empty()
    }

    /// The entity's state, if it is in the list.
    #[inline]
    pub fn get(&self, number: u32) -> Option<&R> {
        self.find(number).ok().map(|index| &self.states[index])
    }

    /// The entity's state, to be changed, if it is in the list.
    #[inline]
    pub fn get_mut(&mut self, number: u32) -> Option<&mut R> {
        self.find(number).ok().map(|index| &mut self.states[index])
    }

    /// The entity's state, put into the list as `new` if it is not there.
    pub fn entry(&mut self, number: u32, new: &R) -> &mut R {
        let index = match self.find(number) {
            Ok(index) => index,
            Err(index) => {
                self.numbers.insert(index, number);
                self.states.insert(index, *new);
                index
            }
        };
        &mut self.states[index]
    }

    /// Gives the entity a state, whether it is in the list or not.
    pub fn put(&mut self, number: u32, state: R) {
        match self.find(number) {
            Ok(index) => self.states[index] = state,
            Err(index) => {
                self.numbers.insert(index, number);
                self.states.insert(index, state);
            }
        }
    }

    /// Takes the entity out; whether it was there.
    pub fn remove(&mut self, number: u32) -> bool {
        let found = self.find(number);
        if let Ok(index) = found {
            self.numbers.remove(index);
            self.states.remove(index);
        }
        found.is_ok()
    }

    /// Empties the list, keeping its memory.
    pub fn clear(&mut self) {
        self.numbers.clear();
        self.states.clear();
    }

    /// Makes this list equal to `other`, keeping its memory.
    pub fn copy_from(&mut self, other: &EntityList<R>) {
        self.numbers.copy_from(&other.numbers);
        self.states.clone_from(&other.states);
    }

    /// Numbers and states, ascending, the states to be changed.
    pub fn iter_mut(&mut self) -> impl Iterator<Item = (u32, &mut R)> {
        self.numbers.iter().copied().zip(&mut self.states)
    }

    /// Numbers and states, ascending.
    pub fn iter(&self) -> impl DoubleEndedIterator<Item = (u32, &R)> {
        self.numbers.iter().copied().zip(&self.states)
    }

    /// The numbers, ascending.
    pub fn numbers(&self) -> &[u32] {
        &self.numbers
    }

    /// Number and state at `index` of the list.
    pub fn at(&self, index: usize) -> Option<(u32, &R)> {
        Some((*self.numbers.get(index)?, self.states.get(index)?))
    }

    #[inline]
    fn find(&self, number: u32) -> Result<usize, usize> {
        self.numbers.place_of(number)
    }
}

/// The entities of the map and their baselines.
#[derive(Clone, Debug)]
pub struct World<R> {
    /// The entities that live, with their present state.
    pub live: EntityList<R>,
    /// The baselines in force, as clients are sent them when they sign on.
    pub baselines: EntityList<R>,
    /// The baselines of the next map.
    next_baselines: EntityList<R>,
    /// The entities without a number, as clients are sent them when they sign on.
    pub statics: Vec<R>,
    /// How many maps were started before this one.
    pub maps: u32,
}

/// Most static entities of a map.
const MAX_STATICS: usize = 256;

impl<R> Default for World<R> {
    fn default() -> Self {
        World {
            live: EntityList::default(),
            baselines: EntityList::default(),
            next_baselines: EntityList::default(),
            statics: Vec::new(),
            maps: 0,
        }
    }
}

impl<R: Record + PartialEq> World<R> {
    /// Gives this map a static entity that is as the baseline of `entity`. Whether there is room for it.
    pub fn make_static(&mut self, entity: u32) -> bool {
        let room = self.statics.len() < MAX_STATICS;
        if room {
            self.statics.push(*self.baselines.get(entity).unwrap_or(&R::NULL));
        }
        room
    }

    /// Applies a command about the world. Whether it was one, and made sense.
    ///
    /// Baselines change at a map's start only: a baseline that differs from what clients were sent would make every
    /// RESET a lie. Commands at time zero belong to the first map's start.
    #[inline]
    pub fn apply(&mut self, now: Time, command: &Command) -> bool {
        // Most commands by far.
        if let Command::Set { entity, field, value } = *command {
            let state = self.live.get_mut(entity);
            return state.and_then(|state| state.field_mut(field)).map(|held| *held = value).is_some();
        }
        self.apply_rare(now, command)
    }

    /// Applies a command that sets no field of an entity. Whether it was about the world, and made sense.
    fn apply_rare(&mut self, now: Time, command: &Command) -> bool {
        match *command {
            Command::Baseline { entity, field, value } => {
                let set = |list: &mut EntityList<R>| {
                    let mut state = *list.get(entity).unwrap_or(&R::NULL);
                    let known = state.field_mut(field).map(|held| *held = value).is_some();
                    if known {
                        *list.entry(entity, &R::NULL) = state;
                    }
                    known
                };
                set(&mut self.next_baselines) && (now > Time::ZERO || set(&mut self.baselines))
            }
            Command::Spawn { entity } => {
                if entity == 0 || self.live.get(entity).is_some() {
                    return false;
                }
                self.live.entry(entity, self.baselines.get(entity).unwrap_or(&R::NULL));
                true
            }
            Command::Remove { entity } => self.live.remove(entity),
            Command::Map => {
                self.live.clear();
                self.statics.clear();
                self.baselines.clear();
                // One that is the null state is none: a server need not announce it.
                for (number, baseline) in self.next_baselines.iter().filter(|(_, baseline)| **baseline != R::NULL) {
                    self.baselines.entry(number, baseline);
                }
                self.maps += 1;
                true
            }
            _ => false,
        }
    }
}
