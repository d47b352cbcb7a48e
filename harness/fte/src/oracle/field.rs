//! Fields and the flags that stand for them: what is tracked, and when two values are equal on the wire.

use super::coverage::Point;
use crate::delta::{self, ENTITY_ROWS, EXT_PREDINFO, PRED_ROWS, TRAILS_AS_DOCUMENTED};
use crate::requirements::*;
use crate::state::*;
use kit::table::float_value;
use kit::{Breaks, DecodeError, Reader, Requirement, Unit, breaks};
use netquake::primitives::{GATE_ANGLE_FLOAT, GATE_ANGLE16, GATE_COORD_FLOAT, GATE_COORD24, GATE_COORD32};

/// Stands for the entity's existence, in sets of flags; takes the place of RESET, which is no field.
pub const EXIST: u32 = UF_RESET as u32;
/// Stands for the weaponframe, in sets of flags: a pred block may carry it without the movetype, which
/// [`UF_PREDINFO`] stands for, or neither. Takes the place of EXTEND1, which is no field.
pub const WEAPON: u32 = UF_EXTEND1 as u32;
/// What a pred block may carry that is tracked.
pub const PRED: u32 = UF_PREDINFO as u32 | WEAPON;
/// Every flag that a server tracks, and [`EXIST`].
pub const ALL: u32 = delta::UF_FIELDS as u32 | WEAPON | EXIST;
/// In the place of a field until it is read; nothing on the wire is that.
const UNREAD: i32 = -1;

/// The fields that a flag of an update stands for.
#[derive(Clone, Copy)]
pub struct Group {
    /// The UF flag.
    pub flag: u64,
    /// The tracked fields, in wire order. Movement and view angles are not tracked: they are sent with what else changes,
    /// and are zero or old otherwise.
    pub fields: &'static [usize],
    /// The requirement about their coding, and what a run must show to cover it.
    pub coding: Breaks,
}

/// A row per flag: its tracked fields and the requirement about their coding. What covers that is an update with the flag,
/// if the row does not say that it `needs` other points.
macro_rules! groups {
    ($($flag:ident [$($field:ident)+] $coding:ident $(needs $([$($point:ident)+])*)?;)+) => {
        &[$(Group {
            flag: $flag,
            fields: &[$($field),+],
            coding: breaks(&$coding, groups!(@ $flag $(needs $([$($point)+])*)?)),
        }),+]
    };
    (@ $flag:ident) => { const { &[const { &[Point::carried($flag)] as &[_] }] } };
    (@ $flag:ident needs $([$($point:ident)+])*) => { &[$(&[$(Point::$point),+]),*] };
}

/// What is tracked.
pub const GROUPS: &[Group] = groups! {
    UF_FRAME [FRAME] DLT_05 needs [Frame8 Frame16];
    UF_ORIGINXY [ORIGIN_X ORIGIN_Y] DLT_06 needs [OriginXY OriginZ];
    UF_ORIGINZ [ORIGIN_Z] DLT_06 needs [OriginXY OriginZ];
    UF_ANGLESXZ [PITCH ROLL] DLT_08 needs [AnglesXZ AnglesY];
    UF_ANGLESY [YAW] DLT_08 needs [AnglesXZ AnglesY];
    UF_EFFECTS [EFFECTS] DLT_10 needs [Effects8 Effects16 Effects32];
    UF_PREDINFO [MOVETYPE WEAPONFRAME] PRED_01;
    UF_MODEL [MODEL] DLT_14 needs [Model Wide];
    UF_SKIN [SKIN] DLT_15 needs [NegativeSkin];
    UF_COLORMAP [COLORMAP] DLT_17;
    UF_SOLID [SOLID] DLT_18;
    UF_FLAGS [FLAGS] DLT_20;
    UF_ALPHA [ALPHA] DLT_22;
    UF_SCALE [SCALE] DLT_23;
    UF_DRAWFLAGS [DRAWFLAGS ABSLIGHT] DLT_25 needs [AbsLight NoAbsLight];
    UF_TAGINFO [TAGENTITY TAGINDEX] DLT_26 needs [SmallTag] [BigTag];
    UF_LIGHT [LIGHT_R LIGHT_G LIGHT_B LIGHT_RADIUS LIGHTSTYLE LIGHTPFLAGS] DLT_27;
    UF_TRAILEFFECT [TRAILEFFECT EMITEFFECT] DLT_28;
    UF_COLORMOD [COLORMOD_R COLORMOD_G COLORMOD_B] DLT_29;
    UF_GLOW [GLOW_SIZE GLOW_COLOUR GLOWMOD_R GLOWMOD_G GLOWMOD_B] DLT_30;
    UF_FATNESS [FATNESS] DLT_31;
    UF_MODELINDEX2 [MODELINDEX2] DLT_32 needs [Model2Narrow] [Model2Wide];
    UF_GRAVITYDIR [GRAVITY_PITCH GRAVITY_YAW] DLT_33;
};

/// What a wrong value of each group can mean.
pub const CODINGS: &[Breaks] = &{
    let (mut codings, mut row) = ([GROUPS[0].coding; GROUPS.len()], 0);
    while row < GROUPS.len() {
        codings[row] = GROUPS[row].coding;
        row += 1;
    }
    codings
};

/// The tracked fields of each flag, by its bit.
pub static FIELDS_OF: [&[usize]; 32] = {
    let (mut fields, mut row): ([&[usize]; 32], usize) = ([&[]; 32], 0);
    while row < GROUPS.len() {
        fields[GROUPS[row].flag.trailing_zeros() as usize] = GROUPS[row].fields;
        row += 1;
    }
    fields[UF_PREDINFO.trailing_zeros() as usize] = &[MOVETYPE];
    fields[WEAPON.trailing_zeros() as usize] = &[WEAPONFRAME];
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

/// The requirement about the coding of the group of a tracked field.
pub fn coding_of_group(field: usize) -> Option<&'static Requirement> {
    GROUPS.iter().find(|group| group.fields.contains(&field)).map(|group| group.coding.requirement)
}

/// The fields' flags of a sent update: a wide effects flag alone stands for effects, too.
#[inline]
pub fn fields_of_update(flags: u64) -> u32 {
    let wide = if flags & UF_EFFECTS2 != 0 { UF_EFFECTS as u32 } else { 0 };
    let weapon = if flags & UF_PREDINFO != 0 { WEAPON } else { 0 };
    (flags & delta::UF_FIELDS) as u32 | wide | weapon
}

/// Reads the fields of an update into what a reader of the wire holds, and tells which flags it carries: all with RESET,
/// of a pred block otherwise what its own flags name.
#[inline]
pub fn read_update(
    r: &mut Reader<'_>,
    flags: u64,
    baseline: &Entity,
    held: &mut Entity,
    gate: u64,
) -> (u32, Result<(), DecodeError>) {
    if flags & (UF_RESET | UF_PREDINFO) != UF_PREDINFO {
        let carried = if flags & UF_RESET != 0 { ALL } else { fields_of_update(flags) | EXIST };
        return (carried, delta::read_delta(r, &delta::ENTITY, flags, baseline, held, gate));
    }
    let mut carried = fields_of_update(flags) | EXIST;
    // With PREDINFO nobody tracks the weaponframe.
    let tracked = if gate & EXT_PREDINFO == 0 { &[MOVETYPE, WEAPONFRAME][..] } else { &[MOVETYPE] };
    let before = *held;
    for &field in tracked {
        held[field] = UNREAD;
    }
    let result = delta::read_delta(r, &delta::ENTITY, flags, baseline, held, gate);
    for &field in tracked {
        if held[field] == UNREAD {
            held[field] = before[field];
            carried &= !flag_of(field);
        }
    }
    (carried, result)
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
    let name = |bit: usize| match 1 << bit {
        EXIST => "existence",
        WEAPON => "weaponframe",
        _ => UF_NAMES[bit],
    };
    each(flags).map(name).collect::<Vec<&str>>().join(", ")
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

    /// Whether a trail is one short, and nothing is emitted (erratum E14).
    fn trails_as_documented(&self) -> bool {
        self.gate & TRAILS_AS_DOCUMENTED != 0
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
            Unit::Int(..) if field == SKIN => (-128..0).contains(&truth) && held == truth + 256,
            // Erratum E14: of what engines write, one bit says that another number follows.
            Unit::Int(..) if field == TRAILEFFECT => !self.trails_as_documented() && held == truth & 0x3fff,
            Unit::Int(..) => false,
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
            EMITEFFECT => !self.trails_as_documented(),
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
