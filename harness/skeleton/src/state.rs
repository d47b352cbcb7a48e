//! What is sent: entities with a few fields each, and the snapshots of them that an end remembers.

use crate::constants::HISTORY;
use kit::{Command, EntityList, Record, Unit, View};

/// How many fields an entity has.
pub const FIELDS: usize = 3;

kit::fields! {
    /// The fields. On the wire each is a short; its number is its bit in the mask.
    FIELD_TABLE: FIELDS;
    /// Where it is, from west to east.
    X = 0, "x", Unit::Int(-0x8000, 0x7fff);
    /// Where it is, from south to north.
    Y = 1, "y", Unit::Int(-0x8000, 0x7fff);
    /// What it looks like.
    MODEL = 2, "model", Unit::Int(0, 0x7fff);
}

/// One entity: a value per row of [`FIELD_TABLE`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Entity(pub [i32; FIELDS]);

impl Record for Entity {
    const NULL: Entity = Entity([0; FIELDS]);

    fn field_mut(&mut self, field: usize) -> Option<&mut i32> {
        self.0.get_mut(field)
    }
}

/// The entities of one moment, by number.
pub type Entities = EntityList<Entity>;

/// Whether the wire, whose entity numbers are bytes, can carry what a command asks for.
pub fn is_possible(command: &Command) -> bool {
    !matches!(command, Command::Spawn { entity } if *entity > u8::MAX.into())
}

/// The newest snapshots, by number. Number 0 is always there: nothing, from which everything starts.
#[derive(Clone, Debug)]
pub struct History {
    nothing: Entities,
    slots: Vec<(u32, Entities)>,
}

impl Default for History {
    fn default() -> History {
        History { nothing: Entities::default(), slots: vec![(0, Entities::default()); HISTORY as usize] }
    }
}

impl History {
    /// Remembers a snapshot, in place of the one that was [`HISTORY`] before it.
    pub fn put(&mut self, number: u32, entities: &Entities) {
        let slot = &mut self.slots[(number % HISTORY) as usize];
        slot.0 = number;
        slot.1.copy_from(entities);
    }

    /// The snapshot with this number, if it is remembered.
    pub fn get(&self, number: u32) -> Option<&Entities> {
        if number == 0 {
            return Some(&self.nothing);
        }
        let (held, entities) = &self.slots[(number % HISTORY) as usize];
        (*held == number).then_some(entities)
    }

    /// Forgets all.
    pub fn clear(&mut self) {
        self.slots.iter_mut().for_each(|slot| slot.0 = 0);
    }
}

/// Puts entities into a view.
pub fn show(entities: &Entities, view: &mut View) {
    for (number, entity) in entities.iter() {
        view.numbers.push(number);
        view.fields.extend(entity.0);
    }
}
