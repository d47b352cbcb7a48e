//! Fields and the flags that stand for them: what is tracked, and when two values are equal on the wire.

use crate::constants::*;
use crate::delta::{ENTITY_ROWS, EXT_PREDINFO, PRED_ROWS};
use crate::state::*;
use kit::Unit;
use kit::table::float_value;
use netquake::primitives::{GATE_ANGLE_FLOAT, GATE_ANGLE16, GATE_COORD_FLOAT, GATE_COORD24, GATE_COORD32};

/// Stands for the entity's existence, in sets of flags; takes the place of RESET, which is no field.
pub const EXIST: u32 = UF_RESET as u32;
/// Every flag that a server tracks, and [`EXIST`].
pub const ALL: u32 = crate::delta::UF_FIELDS as u32 | EXIST;

/// The tracked fields of each flag, in wire order. Movement and view angles are not tracked: they are sent with what
/// else changes, and are zero or old otherwise.
pub static FIELDS_OF: [&[usize]; 32] = {
    let mut fields: [&[usize]; 32] = [&[]; 32];
    fields[0] = &[FRAME];
    fields[1] = &[ORIGIN_X, ORIGIN_Y];
    fields[2] = &[ORIGIN_Z];
    fields[3] = &[PITCH, ROLL];
    fields[4] = &[YAW];
    fields[5] = &[EFFECTS];
    fields[6] = &[MOVETYPE, WEAPONFRAME];
    fields[10] = &[MODEL];
    fields[11] = &[SKIN];
    fields[12] = &[COLORMAP];
    fields[13] = &[SOLID];
    fields[14] = &[FLAGS];
    fields[16] = &[ALPHA];
    fields[17] = &[SCALE];
    fields[19] = &[DRAWFLAGS, ABSLIGHT];
    fields[20] = &[TAGENTITY, TAGINDEX];
    fields[21] = &[LIGHT_R, LIGHT_G, LIGHT_B, LIGHT_RADIUS, LIGHTSTYLE, LIGHTPFLAGS];
    fields[22] = &[TRAILEFFECT, EMITEFFECT];
    fields[24] = &[COLORMOD_R, COLORMOD_G, COLORMOD_B];
    fields[25] = &[GLOW_SIZE, GLOW_COLOUR, GLOWMOD_R, GLOWMOD_G, GLOWMOD_B];
    fields[26] = &[FATNESS];
    fields[27] = &[MODELINDEX2];
    fields[28] = &[GRAVITY_PITCH, GRAVITY_YAW];
    fields
};

/// The fields in the order in which an update carries them.
pub static WIRE_ORDER: [usize; FIELDS] = {
    let (mut order, mut count, mut row) = ([0; FIELDS], 0, 0);
    while row < ENTITY_ROWS.len() {
        let field = ENTITY_ROWS[row].field;
        let mut pred = 0;
        if field == MOVETYPE {
            while pred < PRED_ROWS.len() {
                order[count] = PRED_ROWS[pred].field;
                (count, pred) = (count + 1, pred + 1);
            }
        } else {
            let mut there = false;
            while pred < PRED_ROWS.len() {
                there |= PRED_ROWS[pred].field == field;
                pred += 1;
            }
            if !there {
                order[count] = field;
                count += 1;
            }
        }
        row += 1;
    }
    order
};

/// The fields that 16BIT widens together.
pub const WIDENED: [usize; 4] = [FRAME, MODEL, SKIN, MODELINDEX2];

/// For each field the flag that tracks it; 0 for those that are not tracked.
static FLAG_OF: [u32; FIELDS] = {
    let mut flags = [0; FIELDS];
    let mut bit = 0;
    while bit < 32 {
        let mut index = 0;
        while index < FIELDS_OF[bit].len() {
            flags[FIELDS_OF[bit][index]] = 1 << bit;
            index += 1;
        }
        bit += 1;
    }
    flags
};

/// The flag that tracks `field`, if one does.
pub fn flag_of(field: usize) -> u32 {
    FLAG_OF.get(field).copied().unwrap_or(0)
}

/// The fields' flags of a sent update: a wide effects flag alone stands for effects, too.
pub fn fields_of_update(flags: u64) -> u32 {
    let wide = if flags & UF_EFFECTS2 != 0 { UF_EFFECTS as u32 } else { 0 };
    (flags & crate::delta::UF_FIELDS) as u32 | wide
}

/// The flags that an update carries, for a reader of the wire.
pub fn carried_by(flags: u64) -> u32 {
    if flags & UF_RESET != 0 { ALL } else { fields_of_update(flags) | EXIST }
}

/// The single flags in a set, lowest first.
pub fn each(mut flags: u32) -> impl Iterator<Item = usize> {
    std::iter::from_fn(move || {
        if flags == 0 {
            return None;
        }
        let bit = flags.trailing_zeros() as usize;
        flags &= flags - 1;
        Some(bit)
    })
}

/// The names of a set's flags.
pub fn names(flags: u32) -> String {
    let list: Vec<&str> = each(flags).map(|bit| if 1 << bit == EXIST { "existence" } else { UF_NAMES[bit] }).collect();
    list.join(", ")
}

/// How coarse the wire of a session is.
#[derive(Clone, Copy, Debug)]
pub struct Quantiser {
    gate: u64,
    coord: f32,
    /// Coords from here on do not fit, and wrap.
    coord_limit: f32,
    angle: f32,
}

impl Quantiser {
    /// Of the dialect whose gate this is.
    pub fn new(gate: u64) -> Quantiser {
        let (coord, coord_limit) = match gate {
            _ if gate & GATE_COORD_FLOAT != 0 => (0.0, f32::INFINITY),
            _ if gate & GATE_COORD24 != 0 => (1.0 / 128.0, 32_767.0),
            _ if gate & GATE_COORD32 != 0 => (1.0 / 16.0, 1e8),
            _ => (1.0 / 8.0, 4095.0),
        };
        let angle = match gate {
            _ if gate & GATE_ANGLE_FLOAT != 0 => 0.0,
            _ if gate & GATE_ANGLE16 != 0 => 360.0 / 65_536.0,
            _ => 360.0 / 256.0,
        };
        Quantiser { gate, coord, coord_limit, angle }
    }

    /// Whether PREDINFO is on.
    pub fn predinfo(&self) -> bool {
        self.gate & EXT_PREDINFO != 0
    }

    /// Whether a peer that holds `held` has what the wire can carry of `truth`: exactly for integers, to one quantum
    /// for coords and angles.
    #[inline]
    pub fn same(&self, field: usize, held: i32, truth: i32) -> bool {
        if held == truth {
            return true;
        }
        match FIELD_TABLE[field].unit {
            // Erratum E8: the byte form of a negative skin is read unsigned.
            Unit::Int(..) => field == SKIN && (-128..0).contains(&truth) && held == truth + 256,
            Unit::Float => self.close(field, float_value(held), float_value(truth)),
        }
    }

    #[cold]
    fn close(&self, field: usize, held: f32, truth: f32) -> bool {
        if !truth.is_finite() {
            return true;
        }
        if matches!(field, PITCH | YAW | ROLL) {
            let apart = (held - truth).rem_euclid(360.0);
            return apart.min(360.0 - apart) <= self.angle * 1.01 + 1e-4;
        }
        truth.abs() >= self.coord_limit || (held - truth).abs() <= self.coord * 1.01
    }

    /// Whether `field` of an entity in state `truth` is tracked: some travel only in company.
    #[inline]
    fn tracked(&self, field: usize, truth: &Entity) -> bool {
        match field {
            WEAPONFRAME => !self.predinfo(),
            // Erratum E9 decides about 6; neither reading is asked for.
            ABSLIGHT => truth[DRAWFLAGS] & 7 == 7,
            _ => true,
        }
    }

    /// Of `flags`, those of which some tracked field differs.
    #[inline]
    pub fn differing(&self, flags: u32, held: &Entity, truth: &Entity) -> u32 {
        // Comparing everything at once pays when there is much to compare.
        if flags == ALL && held == truth {
            return 0;
        }
        let differs = |bit: &usize| self.first_difference(*bit, held, truth).is_some();
        each(flags & !EXIST).filter(differs).fold(0, |found, bit| found | 1 << bit)
    }

    /// The first tracked field of a flag, in wire order, in which the two differ.
    #[inline]
    pub fn first_difference(&self, bit: usize, held: &Entity, truth: &Entity) -> Option<usize> {
        let differs = |field: &usize| !self.same(*field, held[*field], truth[*field]) && self.tracked(*field, truth);
        FIELDS_OF[bit].iter().copied().find(differs)
    }
}

/// Whether an update with `flags` left the tracked fields that it carries as they were.
#[inline]
pub fn repeats(flags: u64, start: &Entity, held: &Entity) -> bool {
    if flags & UF_RESET != 0 {
        return start == held;
    }
    each(fields_of_update(flags)).all(|bit| FIELDS_OF[bit].iter().all(|&field| start[field] == held[field]))
}

/// A value as a person reads it.
pub fn show(field: usize, value: i32) -> String {
    match FIELD_TABLE.get(field).map(|field| field.unit) {
        Some(Unit::Float) => float_value(value).to_string(),
        _ if field == EFFECTS => format!("{:#x}", value as u32),
        _ => value.to_string(),
    }
}
