//! What a server sends: the state of entities, and the statistics of a player.

use kit::Unit;
use std::ops::{Index, IndexMut};

/// Number of fields of an entity.
pub const FIELDS: usize = 17;
/// How many of them, from the first on, have the same index in the codec's records.
pub const SHARED_FIELDS: usize = netquake::update::ALPHA;

const BYTE: Unit = Unit::Int(0, 0xff);
const USHORT: Unit = Unit::Int(0, 0xffff);

kit::fields! {
    /// Names and ranges of the fields, by number.
    FIELD_TABLE: FIELDS;
    /// Model index.
    MODEL = 0, "model", USHORT;
    /// Animation frame.
    FRAME = 1, "frame", USHORT;
    /// Colormap: a player's slot, or 0.
    COLORMAP = 2, "colormap", BYTE;
    /// Skin.
    SKIN = 3, "skin", BYTE;
    /// Effect bits.
    EFFECTS = 4, "effects", BYTE;
    /// Position, in quake units.
    ORIGIN_X = 5, "origin_x", Unit::Float;
    /// Position, in quake units.
    ORIGIN_Y = 6, "origin_y", Unit::Float;
    /// Position, in quake units.
    ORIGIN_Z = 7, "origin_z", Unit::Float;
    /// Pitch, in degrees.
    PITCH = 8, "pitch", Unit::Float;
    /// Yaw, in degrees.
    YAW = 9, "yaw", Unit::Float;
    /// Roll, in degrees.
    ROLL = 10, "roll", Unit::Float;
    /// What the server's game says of opacity: 0 for nothing, negative for invisible. A client shows what a saved game
    /// would have of the code that it holds.
    ALPHA = 11, "alpha", Unit::Float;
    /// Whether the entity moves in steps.
    STEP = 12, "step", Unit::Int(0, 1);
    /// When the entity thinks next, in seconds of server time; 0 for never. Nothing of it is shown by a client.
    NEXTTHINK = 13, "nextthink", Unit::Float;
    /// Client only: when the client has finished moving the entity to its state, in seconds of server time.
    LERPFINISH = 14, "lerpfinish", Unit::Float;
    /// Client only: the opacity of the entity's solid surfaces, from 0 to 1.
    OPACITY = 15, "opacity", Unit::Float;
    /// Client only: the opacity of the entity's water surfaces, which the player's own setting may decide.
    WATER_OPACITY = 16, "water_opacity", Unit::Float;
}

/// The first of the fields that only a client derives.
pub const DERIVED: usize = LERPFINISH;

/// Health, signed 16-bit.
pub const STAT_HEALTH: u8 = 0;
/// Model index of the weapon in hand.
pub const STAT_WEAPON: u8 = 2;
/// Ammunition of the weapon in hand.
pub const STAT_AMMO: u8 = 3;
/// Armour.
pub const STAT_ARMOR: u8 = 4;
/// Frame of the weapon's model.
pub const STAT_WEAPONFRAME: u8 = 5;
/// Shells; nails, rockets and cells are the next three.
pub const STAT_SHELLS: u8 = 6;
/// The weapon in hand.
pub const STAT_ACTIVEWEAPON: u8 = 10;
/// Total secrets, by `svc_updatestat`.
pub const STAT_TOTALSECRETS: u8 = 11;
/// Total monsters, by `svc_updatestat`.
pub const STAT_TOTALMONSTERS: u8 = 12;
/// Secrets found, by `svc_updatestat`.
pub const STAT_SECRETS: u8 = 13;
/// Monsters killed, by `svc_updatestat`.
pub const STAT_MONSTERS: u8 = 14;
/// The items carried, one bit each.
pub const STAT_ITEMS: u8 = 15;
/// Height of the eyes above the origin, in units.
pub const STAT_VIEWHEIGHT: u8 = 16;
/// Pitch that the view drifts to, in degrees. This number and those after it are this project's own.
pub const STAT_IDEALPITCH: u8 = 32;
/// Kick of the view, in degrees; three axes.
pub const STAT_PUNCH: u8 = 33;
/// Velocity; three axes. Units per second at the server, 16 times the code at a client.
pub const STAT_VELOCITY: u8 = 36;
/// Whether the player stands.
pub const STAT_ONGROUND: u8 = 39;
/// Whether the player swims.
pub const STAT_INWATER: u8 = 40;
/// Client only: the code of the weapon's opacity.
pub const STAT_WEAPONALPHA: u8 = 41;
/// First number after the statistics that there are.
pub const STATS: usize = 42;

/// The state of one entity: one `i32` per field; float fields hold the bits of an `f32`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Entity(pub [i32; FIELDS]);

impl Entity {
    /// What an entity without a baseline starts from.
    pub const NULL: Entity = Entity([0; FIELDS]);

    /// A float field's value.
    pub fn float(&self, field: usize) -> f32 {
        kit::table::float_value(self.0.get(field).copied().unwrap_or(0))
    }
}

impl Index<usize> for Entity {
    type Output = i32;

    fn index(&self, field: usize) -> &i32 {
        &self.0[field]
    }
}

impl IndexMut<usize> for Entity {
    fn index_mut(&mut self, field: usize) -> &mut i32 {
        &mut self.0[field]
    }
}

impl kit::Record for Entity {
    const NULL: Entity = Entity::NULL;

    fn field_mut(&mut self, field: usize) -> Option<&mut i32> {
        // What a client derives is nothing that a world has.
        self.0.get_mut(field).filter(|_| field < DERIVED)
    }
}

/// Entities in ascending order of their numbers.
pub type EntityList = kit::EntityList<Entity>;

/// The world as the scenario has it.
pub type World = kit::World<Entity>;
