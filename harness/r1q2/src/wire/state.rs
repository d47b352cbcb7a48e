//! What is delta-compressed: the state of an entity, and the state of the player who looks.

use kit::Unit;
use std::ops::{Index, IndexMut};

/// Number of fields of an entity.
pub const FIELDS: usize = 20;
/// Number of fields of a player, statistics included.
pub const PLAYER_FIELDS: usize = 36 + crate::wire::constants::MAX_STATS;

const BYTE: Unit = Unit::Int(0, 0xff);
const CHAR: Unit = Unit::Int(-0x80, 0x7f);
const SHORT: Unit = Unit::Int(-0x8000, 0x7fff);
const USHORT: Unit = Unit::Int(0, 0xffff);
const ULONG: Unit = Unit::Int(0, 0xffff_ffff);

kit::fields! {
    /// Names and ranges of an entity's fields, by number.
    FIELD_TABLE: FIELDS;
    /// Model.
    MODEL = 0, "model", BYTE;
    /// Second model; 255 for the player's own weapon.
    MODEL2 = 1, "model2", BYTE;
    /// Third model.
    MODEL3 = 2, "model3", BYTE;
    /// Fourth model.
    MODEL4 = 3, "model4", BYTE;
    /// Animation frame.
    FRAME = 4, "frame", USHORT;
    /// Skin; all 32 bits are used (colours of beams, players and weapons).
    SKIN = 5, "skin", ULONG;
    /// Effect bits.
    EFFECTS = 6, "effects", ULONG;
    /// Rendering bits; see [`RF_BEAM`](crate::wire::constants::RF_BEAM).
    RENDERFX = 7, "renderfx", ULONG;
    /// Position, in quake units.
    ORIGIN_X = 8, "origin_x", Unit::Float;
    /// Position, in quake units.
    ORIGIN_Y = 9, "origin_y", Unit::Float;
    /// Position, in quake units.
    ORIGIN_Z = 10, "origin_z", Unit::Float;
    /// Pitch, in degrees.
    PITCH = 11, "pitch", Unit::Float;
    /// Yaw, in degrees.
    YAW = 12, "yaw", Unit::Float;
    /// Roll, in degrees.
    ROLL = 13, "roll", Unit::Float;
    /// Where it is interpolated from, or the far end of a beam.
    OLD_ORIGIN_X = 14, "old_origin_x", Unit::Float;
    /// Where it is interpolated from, or the far end of a beam.
    OLD_ORIGIN_Y = 15, "old_origin_y", Unit::Float;
    /// Where it is interpolated from, or the far end of a beam.
    OLD_ORIGIN_Z = 16, "old_origin_z", Unit::Float;
    /// Looping sound.
    SOUND = 17, "sound", BYTE;
    /// What happens to it in this frame alone.
    EVENT = 18, "event", BYTE;
    /// Encoded size for prediction, 16 bits, from revision 1905 on 32.
    SOLID = 19, "solid", ULONG;
}

/// The fields of an entity's position.
pub const ORIGIN: [usize; 3] = [ORIGIN_X, ORIGIN_Y, ORIGIN_Z];
/// The fields of the position that it comes from.
pub const OLD_ORIGIN: [usize; 3] = [OLD_ORIGIN_X, OLD_ORIGIN_Y, OLD_ORIGIN_Z];
/// The fields of an entity that can come as 16 bits of which nobody says whether they have a sign.
pub const SHORTS: [usize; 3] = [FRAME, SKIN, SOLID];

kit::fields! {
    /// Names and ranges of a player's fields, by number; statistics have [`stat_name`].
    PLAYER_TABLE: 36;
    /// Kind of movement: [`PM_NORMAL`](crate::wire::constants::PM_NORMAL) and its neighbours.
    PM_TYPE = 0, "pm_type", BYTE;
    /// Position, in eighths.
    PM_ORIGIN_X = 1, "pm_origin_x", SHORT;
    /// Position, in eighths.
    PM_ORIGIN_Y = 2, "pm_origin_y", SHORT;
    /// Position, in eighths.
    PM_ORIGIN_Z = 3, "pm_origin_z", SHORT;
    /// Velocity, in eighths.
    PM_VELOCITY_X = 4, "pm_velocity_x", SHORT;
    /// Velocity, in eighths.
    PM_VELOCITY_Y = 5, "pm_velocity_y", SHORT;
    /// Velocity, in eighths.
    PM_VELOCITY_Z = 6, "pm_velocity_z", SHORT;
    /// Time that a state of the flags lasts, in units of 8 ms.
    PM_TIME = 7, "pm_time", BYTE;
    /// Movement flags.
    PM_FLAGS = 8, "pm_flags", BYTE;
    /// Gravity.
    GRAVITY = 9, "gravity", SHORT;
    /// Added to the pitch of user commands, 65536 to the circle.
    DELTA_PITCH = 10, "delta_pitch", SHORT;
    /// Added to the yaw of user commands, 65536 to the circle.
    DELTA_YAW = 11, "delta_yaw", SHORT;
    /// Added to the roll of user commands, 65536 to the circle.
    DELTA_ROLL = 12, "delta_roll", SHORT;
    /// The eye above the position, in quarters.
    VIEWOFFSET_X = 13, "viewoffset_x", CHAR;
    /// The eye above the position, in quarters.
    VIEWOFFSET_Y = 14, "viewoffset_y", CHAR;
    /// The eye above the position, in quarters.
    VIEWOFFSET_Z = 15, "viewoffset_z", CHAR;
    /// Pitch of the view, 65536 to the circle.
    VIEW_PITCH = 16, "view_pitch", SHORT;
    /// Yaw of the view, 65536 to the circle.
    VIEW_YAW = 17, "view_yaw", SHORT;
    /// Roll of the view, 65536 to the circle.
    VIEW_ROLL = 18, "view_roll", SHORT;
    /// What the view is kicked by: pitch, in quarters of a degree.
    KICK_PITCH = 19, "kick_pitch", CHAR;
    /// What the view is kicked by: yaw, in quarters of a degree.
    KICK_YAW = 20, "kick_yaw", CHAR;
    /// What the view is kicked by: roll, in quarters of a degree.
    KICK_ROLL = 21, "kick_roll", CHAR;
    /// Model of the weapon.
    GUNINDEX = 22, "gunindex", BYTE;
    /// Frame of the weapon.
    GUNFRAME = 23, "gunframe", BYTE;
    /// Offset of the weapon, in quarters.
    GUNOFFSET_X = 24, "gunoffset_x", CHAR;
    /// Offset of the weapon, in quarters.
    GUNOFFSET_Y = 25, "gunoffset_y", CHAR;
    /// Offset of the weapon, in quarters.
    GUNOFFSET_Z = 26, "gunoffset_z", CHAR;
    /// Pitch of the weapon, in quarters of a degree.
    GUN_PITCH = 27, "gun_pitch", CHAR;
    /// Yaw of the weapon, in quarters of a degree.
    GUN_YAW = 28, "gun_yaw", CHAR;
    /// Roll of the weapon, in quarters of a degree.
    GUN_ROLL = 29, "gun_roll", CHAR;
    /// Red over the view.
    BLEND_R = 30, "blend_r", BYTE;
    /// Green over the view.
    BLEND_G = 31, "blend_g", BYTE;
    /// Blue over the view.
    BLEND_B = 32, "blend_b", BYTE;
    /// Opacity of the colour over the view.
    BLEND_A = 33, "blend_a", BYTE;
    /// Field of view, in degrees.
    FOV = 34, "fov", BYTE;
    /// Rendering flags.
    RDFLAGS = 35, "rdflags", BYTE;
}

/// The first statistic; the others follow it.
pub const STATS: usize = 36;

/// The name of a statistic, or of any other of a player's fields.
pub fn stat_name(field: usize) -> String {
    match PLAYER_TABLE.get(field) {
        Some(field) => String::from(field.name),
        None => format!("stat_{}", field.saturating_sub(STATS)),
    }
}

/// The state of one entity: one `i32` per field; float fields hold the bits of an `f32`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Entity(pub [i32; FIELDS]);

impl Entity {
    /// The null state, from which baselines are coded.
    pub const NULL: Entity = Entity([0; FIELDS]);

    /// Whether it is a line between two points.
    pub fn is_beam(&self) -> bool {
        self[RENDERFX] & crate::wire::constants::RF_BEAM != 0
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
        self.0.get_mut(field)
    }
}

/// Entities in ascending order of their numbers.
pub type EntityList = kit::EntityList<Entity>;

/// The state of the player who looks: one `i32` per field, in the units of the wire.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Player(pub [i32; PLAYER_FIELDS]);

impl Player {
    /// The null state, from which the state of a frame without a base is coded.
    pub const NULL: Player = Player([0; PLAYER_FIELDS]);

    /// The statistics.
    pub fn stats(&self) -> &[i32] {
        self.0.get(STATS..).unwrap_or_default()
    }
}

impl Index<usize> for Player {
    type Output = i32;

    fn index(&self, field: usize) -> &i32 {
        &self.0[field]
    }
}

impl IndexMut<usize> for Player {
    fn index_mut(&mut self, field: usize) -> &mut i32 {
        &mut self.0[field]
    }
}
