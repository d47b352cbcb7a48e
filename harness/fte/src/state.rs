//! What is delta-compressed: the state of one entity, its fields and the flags of an update that stand for them.

use kit::Unit;
use std::ops::{Index, IndexMut};

/// Number of fields of an entity.
pub const FIELDS: usize = 51;

const BYTE: Unit = Unit::Int(0, 0xff);
const SHORT: Unit = Unit::Int(-0x8000, 0x7fff);
const USHORT: Unit = Unit::Int(0, 0xffff);
const INDEX14: Unit = Unit::Int(0, 0x3fff);
/// Engines have 14 bits of it on the wire (erratum E14).
const INDEX15: Unit = Unit::Int(0, 0x7fff);

kit::fields! {
    // FTE-DLT-43
    /// Names and ranges of the fields, by number.
    FIELD_TABLE: FIELDS;
    /// Animation frame.
    FRAME = 0, "frame", USHORT;
    /// Position, in quake units.
    ORIGIN_X = 1, "origin_x", Unit::Float;
    /// Position, in quake units.
    ORIGIN_Y = 2, "origin_y", Unit::Float;
    /// Position, in quake units.
    ORIGIN_Z = 3, "origin_z", Unit::Float;
    /// Pitch, in degrees.
    PITCH = 4, "pitch", Unit::Float;
    /// Yaw, in degrees.
    YAW = 5, "yaw", Unit::Float;
    /// Roll, in degrees.
    ROLL = 6, "roll", Unit::Float;
    /// Effect bits; all 32 are used.
    EFFECTS = 7, "effects", Unit::Int(0, 0xffff_ffff);
    /// Model index. Bit 15 of the wire is a flag, not part of it.
    MODEL = 8, "model", Unit::Int(0, 0x7fff);
    /// Skin; negative values state contents.
    SKIN = 9, "skin", SHORT;
    /// Colormap: player slot from 1, or two colours under a flag.
    COLORMAP = 10, "colormap", BYTE;
    /// Encoded bounding box.
    SOLID = 11, "solid", USHORT;
    /// Flags shared with the DP5 protocol.
    FLAGS = 12, "flags", BYTE;
    /// Opacity, 255 is opaque.
    ALPHA = 13, "alpha", BYTE;
    /// Size in sixteenths.
    SCALE = 14, "scale", BYTE;
    /// Hexen 2 draw flags.
    DRAWFLAGS = 15, "drawflags", BYTE;
    /// Absolute light; travels when the low three drawflags are all set.
    ABSLIGHT = 16, "abslight", BYTE;
    /// Entity attached to; 0 for none.
    TAGENTITY = 17, "tagentity", Unit::Int(0, super::constants::MAX_ENTITY as i64);
    /// Bone attached to, from 1; 0 for the entity's origin.
    TAGINDEX = 18, "tagindex", BYTE;
    /// Red of the entity's light.
    LIGHT_R = 19, "light_r", SHORT;
    /// Green of the entity's light.
    LIGHT_G = 20, "light_g", SHORT;
    /// Blue of the entity's light.
    LIGHT_B = 21, "light_b", SHORT;
    /// Radius of the entity's light.
    LIGHT_RADIUS = 22, "light_radius", SHORT;
    /// Style of the entity's light.
    LIGHTSTYLE = 23, "lightstyle", BYTE;
    /// Flags of the entity's light.
    LIGHTPFLAGS = 24, "lightpflags", BYTE;
    /// Trail effect.
    TRAILEFFECT = 25, "traileffect", INDEX15;
    /// Emit effect; travels after the trail effect.
    EMITEFFECT = 26, "emiteffect", INDEX14;
    /// Red modulation, 32 is neutral.
    COLORMOD_R = 27, "colormod_r", BYTE;
    /// Green modulation, 32 is neutral.
    COLORMOD_G = 28, "colormod_g", BYTE;
    /// Blue modulation, 32 is neutral.
    COLORMOD_B = 29, "colormod_b", BYTE;
    /// Glow size, in units of 4.
    GLOW_SIZE = 30, "glow_size", BYTE;
    /// Glow palette colour.
    GLOW_COLOUR = 31, "glow_colour", BYTE;
    /// Red of the glow, 32 is neutral.
    GLOWMOD_R = 32, "glowmod_r", BYTE;
    /// Green of the glow, 32 is neutral.
    GLOWMOD_G = 33, "glowmod_g", BYTE;
    /// Blue of the glow, 32 is neutral.
    GLOWMOD_B = 34, "glowmod_b", BYTE;
    /// Outward expansion in sixteenths of a unit.
    FATNESS = 35, "fatness", BYTE;
    /// Second model.
    MODELINDEX2 = 36, "modelindex2", USHORT;
    /// Direction of gravity: pitch, biased by 192.
    GRAVITY_PITCH = 37, "gravity_pitch", BYTE;
    /// Direction of gravity: yaw.
    GRAVITY_YAW = 38, "gravity_yaw", BYTE;
    /// Forward speed of the player's input.
    FORWARD = 39, "forward", SHORT;
    /// Side speed of the player's input.
    SIDE = 40, "side", SHORT;
    /// Up speed of the player's input.
    UP = 41, "up", SHORT;
    /// Movetype.
    MOVETYPE = 42, "movetype", BYTE;
    /// Velocity, in eighths.
    VELOCITY_X = 43, "velocity_x", SHORT;
    /// Velocity, in eighths.
    VELOCITY_Y = 44, "velocity_y", SHORT;
    /// Velocity, in eighths.
    VELOCITY_Z = 45, "velocity_z", SHORT;
    /// Age of the player's last input, in milliseconds.
    MSEC = 46, "msec", BYTE;
    /// Frame of the view weapon, 15 bits. With PREDINFO a statistic instead.
    WEAPONFRAME = 47, "weaponframe", Unit::Int(0, 0x7fff);
    /// View pitch, 65536 to the circle. Only with PREDINFO.
    VIEW_PITCH = 48, "view_pitch", SHORT;
    /// View yaw, 65536 to the circle. Only with PREDINFO.
    VIEW_YAW = 49, "view_yaw", SHORT;
    /// View roll, 65536 to the circle. Only with PREDINFO.
    VIEW_ROLL = 50, "view_roll", SHORT;
}

/// Declares the flags of an update by their bits, and `UF_NAMES`.
macro_rules! flags {
    ($($(#[$doc:meta])* $name:ident = $bit:literal;)*) => {
        $($(#[$doc])* pub const $name: u64 = 1 << $bit;)*

        const _: () = kit::named::assert_in_order(&[$($bit),*]);

        /// Names of the UF flags, by bit.
        pub const UF_NAMES: [&str; 32] = [$(stringify!($name)),*];
    };
}

flags! {
    /// Updated frame.
    UF_FRAME = 0;
    /// Updated x and y.
    UF_ORIGINXY = 1;
    /// Updated z.
    UF_ORIGINZ = 2;
    /// Updated pitch and roll.
    UF_ANGLESXZ = 3;
    /// Updated yaw.
    UF_ANGLESY = 4;
    /// Updated effects; see [`UF_EFFECTS2`].
    UF_EFFECTS = 5;
    /// A pred block follows.
    UF_PREDINFO = 6;
    /// A second flag byte follows.
    UF_EXTEND1 = 7;
    /// Start from the baseline.
    UF_RESET = 8;
    /// Frame, model, skin and second model are 16 bit wide in this update.
    UF_16BIT = 9;
    /// Updated model.
    UF_MODEL = 10;
    /// Updated skin.
    UF_SKIN = 11;
    /// Updated colormap.
    UF_COLORMAP = 12;
    /// Updated size.
    UF_SOLID = 13;
    /// Updated flags.
    UF_FLAGS = 14;
    /// A third flag byte follows.
    UF_EXTEND2 = 15;
    /// Updated alpha.
    UF_ALPHA = 16;
    /// Updated scale.
    UF_SCALE = 17;
    /// Unused in the specification; bone data under an extension that we never negotiate.
    UF_UNUSED18 = 18;
    /// Updated drawflags.
    UF_DRAWFLAGS = 19;
    /// Updated attachment.
    UF_TAGINFO = 20;
    /// Updated dynamic light.
    UF_LIGHT = 21;
    /// Updated trail (and emit) effect.
    UF_TRAILEFFECT = 22;
    /// A fourth flag byte follows.
    UF_EXTEND3 = 23;
    /// Updated colour modulation.
    UF_COLORMOD = 24;
    /// Updated glow.
    UF_GLOW = 25;
    /// Updated fatness.
    UF_FATNESS = 26;
    /// Updated second model.
    UF_MODELINDEX2 = 27;
    /// Updated direction of gravity.
    UF_GRAVITYDIR = 28;
    /// With [`UF_EFFECTS`]: effects are 32 bit. Alone: 16 bit.
    UF_EFFECTS2 = 29;
    /// Unused; an error when received.
    UF_UNUSED30 = 30;
    /// Unused; an error when received.
    UF_EXTEND4 = 31;
}

/// The flags that no negotiated extension defines: an error when received.
pub const UF_UNDEFINED: u64 = UF_UNUSED18 | UF_UNUSED30 | UF_EXTEND4;

/// The fields that fall back to zero in an update without their pred bit; the others are delta-compressed.
pub const MOVEMENT_FIELDS: [usize; 7] = [FORWARD, SIDE, UP, VELOCITY_X, VELOCITY_Y, VELOCITY_Z, MSEC];

/// The state of one entity: one `i32` per field; float fields hold the bits of an `f32`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Entity(pub [i32; FIELDS]);

impl Entity {
    /// The null state, from which baselines are coded and in which unknown entities start.
    pub const NULL: Entity = {
        let mut fields = [0; FIELDS];
        fields[ALPHA] = 255;
        fields[SCALE] = 16;
        fields[COLORMOD_R] = 32;
        fields[COLORMOD_G] = 32;
        fields[COLORMOD_B] = 32;
        fields[GLOWMOD_R] = 32;
        fields[GLOWMOD_G] = 32;
        fields[GLOWMOD_B] = 32;
        Entity(fields)
    };

    /// Whether the entity moves in a way that only the pred block carries.
    pub fn has_movement(&self) -> bool {
        MOVEMENT_FIELDS.iter().any(|&field| self[field] != 0)
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

/// What the scenario says that there is.
pub type World = kit::World<Entity>;
