//! What the world is made of: the entities of protocol 15.

use kit::{Field, Unit};
use netquake::update;

/// Number of fields of an entity.
pub const FIELDS: usize = 11;

const BYTE: Unit = Unit::Int(0, 0xff);

/// Names and ranges of the fields, by number; the numbers are those of [`netquake::update`].
pub static FIELD_TABLE: [Field; FIELDS] = [
    Field { name: "model", unit: BYTE },
    Field { name: "frame", unit: BYTE },
    Field { name: "colormap", unit: BYTE },
    Field { name: "skin", unit: BYTE },
    Field { name: "effects", unit: BYTE },
    Field { name: "origin_x", unit: Unit::Float },
    Field { name: "origin_y", unit: Unit::Float },
    Field { name: "origin_z", unit: Unit::Float },
    Field { name: "pitch", unit: Unit::Float },
    Field { name: "yaw", unit: Unit::Float },
    Field { name: "roll", unit: Unit::Float },
];

/// The state of one entity; float fields hold the bits of an `f32`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Entity(pub [i32; FIELDS]);

impl Entity {
    /// The entity as NetQuake's layer has it, which has room for later protocols' fields.
    pub fn record(&self) -> update::Record {
        let mut record = [0; update::FIELDS];
        record[..FIELDS].copy_from_slice(&self.0);
        record
    }

    /// The entity that a record of NetQuake's layer describes.
    pub fn of(record: &update::Record) -> Entity {
        let mut fields = [0; FIELDS];
        fields.copy_from_slice(&record[..FIELDS]);
        Entity(fields)
    }
}

impl kit::Record for Entity {
    const NULL: Entity = Entity([0; FIELDS]);

    fn field_mut(&mut self, field: usize) -> Option<&mut i32> {
        self.0.get_mut(field)
    }
}

/// Entities in ascending order of their numbers.
pub type EntityList = kit::EntityList<Entity>;

/// What the scenario says that there is.
pub type World = kit::World<Entity>;
