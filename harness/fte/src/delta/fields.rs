//! The fields of an entity update and of its pred block: when each is there, and how it is coded.

use super::*;
use crate::constants::field_names::PREDBITS;
use kit::table::Absent::{Keep, Zero};
use kit::table::{Kind, Layout, OwnKind, Row};
use netquake::primitives::*;

const COORD: &[Layout; 4] = &coord(UF_ORIGINXY);
const COORD_Z: &[Layout; 4] = &coord(UF_ORIGINZ);
const ANGLE_XZ: &[Layout; 5] = &angle(UF_ANGLESXZ);
const ANGLE_Y: &[Layout; 5] = &angle(UF_ANGLESY);

const fn coord(bit: u64) -> [Layout; 4] {
    [
        Layout::when(bit | GATE_COORD_FLOAT, Kind::F32),
        Layout::when(bit | GATE_COORD24, Kind::Coord24),
        Layout::when(bit | GATE_COORD32, Kind::Coord32),
        Layout::when(bit, Kind::Coord16),
    ]
}

/// Erratum E15: by the specification an update with a pred block has 16-bit angles; in engines only while PREDINFO is off.
const fn angle(bit: u64) -> [Layout; 5] {
    [
        Layout::when(bit | UF_PREDINFO | ANGLES_AS_DOCUMENTED, Kind::Angle16),
        Layout::without(bit | UF_PREDINFO, EXT_PREDINFO, Kind::Angle16), // FTE-DLT-09
        Layout::when(bit | GATE_ANGLE_FLOAT, Kind::F32),
        Layout::when(bit | GATE_ANGLE16, Kind::Angle16),
        Layout::when(bit, Kind::Angle8),
    ]
}

const fn row(name: &'static str, field: usize, raise: u64, forms: &'static [Layout]) -> Row {
    Row { name, field, raise, widens: 0, forms, absent: Keep }
}

/// A field that the shared 16BIT flag widens.
const fn wide(name: &'static str, field: usize, raise: u64, forms: &'static [Layout]) -> Row {
    // FTE-DLT-12, FTE-DLT-40
    Row { name, field, raise, widens: UF_16BIT, forms, absent: Keep }
}

/// A field that travels inside a neighbour's layout: it only raises flags.
const fn inside(name: &'static str, field: usize, raise: u64) -> Row {
    row(name, field, raise, &[])
}

/// The rows of an entity update, in wire order.
// FTE-DLT-04
pub const ENTITY_ROWS: [Row; FIELDS] = [
    wide(
        "frame",
        FRAME, // FTE-DLT-05
        UF_FRAME,
        &[Layout::without(UF_FRAME, UF_16BIT, Kind::U8), Layout::when(UF_FRAME | UF_16BIT, Kind::U16)],
    ),
    row("origin[0]", ORIGIN_X, UF_ORIGINXY, COORD), // FTE-DLT-06, FTE-DLT-07
    row("origin[1]", ORIGIN_Y, UF_ORIGINXY, COORD),
    row("origin[2]", ORIGIN_Z, UF_ORIGINZ, COORD_Z),
    row("angles[0]", PITCH, UF_ANGLESXZ, ANGLE_XZ), // FTE-DLT-08
    row("angles[2]", ROLL, UF_ANGLESXZ, ANGLE_XZ),
    row("angles[1]", YAW, UF_ANGLESY, ANGLE_Y),
    Row {
        name: "effects",
        field: EFFECTS,
        raise: UF_EFFECTS,
        widens: UF_EFFECTS | UF_EFFECTS2, // FTE-DLT-10
        forms: &[
            Layout::without(UF_EFFECTS, UF_EFFECTS2, Kind::U8),
            Layout::without(UF_EFFECTS2, UF_EFFECTS, Kind::U16),
            Layout::when(UF_EFFECTS | UF_EFFECTS2, Kind::U32),
        ],
        absent: Keep,
    },
    row("predinfo", MOVETYPE, UF_PREDINFO, &[Layout::when(UF_PREDINFO, Kind::Own(&PRED_BLOCK))]),
    inside("forward", FORWARD, UF_PREDINFO),
    inside("side", SIDE, UF_PREDINFO),
    inside("up", UP, UF_PREDINFO),
    inside("velocity[0]", VELOCITY_X, UF_PREDINFO),
    inside("velocity[1]", VELOCITY_Y, UF_PREDINFO),
    inside("velocity[2]", VELOCITY_Z, UF_PREDINFO),
    inside("msec", MSEC, UF_PREDINFO),
    inside("weaponframe", WEAPONFRAME, CHANGED_WEAPONFRAME), // FTE-PRED-06, FTE-PRED-08
    inside("v_angle[0]", VIEW_PITCH, CHANGED_VIEW_XZ),
    inside("v_angle[2]", VIEW_ROLL, CHANGED_VIEW_XZ),
    inside("v_angle[1]", VIEW_YAW, CHANGED_VIEW_Y),
    wide(
        "modelindex",
        MODEL, // FTE-DLT-14
        UF_MODEL,
        &[
            Layout::without(UF_MODEL, UF_16BIT, Kind::U8),
            Layout::when(UF_MODEL | UF_16BIT, Kind::Own(&MODEL_WITH_RAGDOLL_BIT)),
        ],
    ),
    // Erratum E8: the byte form is read unsigned by every engine, so negative skins take the short.
    wide(
        "skin",
        SKIN, // FTE-DLT-15
        UF_SKIN,
        &[Layout::without(UF_SKIN, UF_16BIT, Kind::U8), Layout::when(UF_SKIN | UF_16BIT, Kind::I16)],
    ),
    row("colormap", COLORMAP, UF_COLORMAP, &[Layout::when(UF_COLORMAP, Kind::U8)]), // FTE-DLT-17, FTE-DLT-21
    row("solid", SOLID, UF_SOLID, &[Layout::when(UF_SOLID, Kind::U16)]),            // FTE-DLT-18
    row("flags", FLAGS, UF_FLAGS, &[Layout::when(UF_FLAGS, Kind::U8)]),             // FTE-DLT-20
    row("alpha", ALPHA, UF_ALPHA, &[Layout::when(UF_ALPHA, Kind::U8)]),             // FTE-DLT-22
    row("scale", SCALE, UF_SCALE, &[Layout::when(UF_SCALE, Kind::U8)]),             // FTE-DLT-23
    row("drawflags", DRAWFLAGS, UF_DRAWFLAGS, &[Layout::when(UF_DRAWFLAGS, Kind::Own(&DRAWFLAGS_AND_ABSLIGHT))]),
    inside("abslight", ABSLIGHT, UF_DRAWFLAGS),
    // FTE-DLT-26, FTE-ENT-13
    row("tagentity", TAGENTITY, UF_TAGINFO, &[Layout::when(UF_TAGINFO, Kind::Own(&REGULAR_NUMBER))]),
    row("tagindex", TAGINDEX, UF_TAGINFO, &[Layout::when(UF_TAGINFO, Kind::U8)]),
    row("light[0]", LIGHT_R, UF_LIGHT, &[Layout::when(UF_LIGHT, Kind::I16)]), // FTE-DLT-27
    row("light[1]", LIGHT_G, UF_LIGHT, &[Layout::when(UF_LIGHT, Kind::I16)]),
    row("light[2]", LIGHT_B, UF_LIGHT, &[Layout::when(UF_LIGHT, Kind::I16)]),
    row("light[3]", LIGHT_RADIUS, UF_LIGHT, &[Layout::when(UF_LIGHT, Kind::I16)]),
    row("lightstyle", LIGHTSTYLE, UF_LIGHT, &[Layout::when(UF_LIGHT, Kind::U8)]),
    row("lightpflags", LIGHTPFLAGS, UF_LIGHT, &[Layout::when(UF_LIGHT, Kind::U8)]),
    // FTE-DLT-28
    row("traileffect", TRAILEFFECT, UF_TRAILEFFECT, &[Layout::when(UF_TRAILEFFECT, Kind::Own(&TRAIL_AND_EMIT))]),
    inside("emiteffect", EMITEFFECT, UF_TRAILEFFECT),
    row("colormod[0]", COLORMOD_R, UF_COLORMOD, &[Layout::when(UF_COLORMOD, Kind::U8)]), // FTE-DLT-29
    row("colormod[1]", COLORMOD_G, UF_COLORMOD, &[Layout::when(UF_COLORMOD, Kind::U8)]),
    row("colormod[2]", COLORMOD_B, UF_COLORMOD, &[Layout::when(UF_COLORMOD, Kind::U8)]),
    row("glowsize", GLOW_SIZE, UF_GLOW, &[Layout::when(UF_GLOW, Kind::U8)]), // FTE-DLT-30
    row("glowcolour", GLOW_COLOUR, UF_GLOW, &[Layout::when(UF_GLOW, Kind::U8)]),
    row("glowmod[0]", GLOWMOD_R, UF_GLOW, &[Layout::when(UF_GLOW, Kind::U8)]),
    row("glowmod[1]", GLOWMOD_G, UF_GLOW, &[Layout::when(UF_GLOW, Kind::U8)]),
    row("glowmod[2]", GLOWMOD_B, UF_GLOW, &[Layout::when(UF_GLOW, Kind::U8)]),
    row("fatness", FATNESS, UF_FATNESS, &[Layout::when(UF_FATNESS, Kind::U8)]), // FTE-DLT-31
    wide(
        "modelindex2",
        MODELINDEX2, // FTE-DLT-32
        UF_MODELINDEX2,
        &[Layout::without(UF_MODELINDEX2, UF_16BIT, Kind::U8), Layout::when(UF_MODELINDEX2 | UF_16BIT, Kind::U16)],
    ),
    row("gravitydir[0]", GRAVITY_PITCH, UF_GRAVITYDIR, &[Layout::when(UF_GRAVITYDIR, Kind::U8)]), // FTE-DLT-33
    row("gravitydir[1]", GRAVITY_YAW, UF_GRAVITYDIR, &[Layout::when(UF_GRAVITYDIR, Kind::U8)]),
];

/// An entity update after its flag bytes.
pub static ENTITY: Table = Table::new("entity update", &ENTITY_ROWS);

/// A field that is zero where its bit is not set.
const fn pred(name: &'static str, field: usize, raise: u64, forms: &'static [Layout]) -> Row {
    // FTE-PRED-02
    Row { name, field, raise, widens: 0, forms, absent: Zero }
}

/// The rows of a pred block, in wire order. Movement, velocity and age are zero when absent.
// FTE-PRED-01
pub const PRED_ROWS: [Row; 12] = [
    pred("forward", FORWARD, UFP_FORWARD, &[Layout::when(UFP_FORWARD, Kind::I16)]),
    pred("side", SIDE, UFP_SIDE, &[Layout::when(UFP_SIDE, Kind::I16)]),
    pred("up", UP, UFP_UP, &[Layout::when(UFP_UP, Kind::I16)]),
    row("movetype", MOVETYPE, UFP_MOVETYPE, &[Layout::when(UFP_MOVETYPE, Kind::U8)]), // FTE-PRED-03
    pred("velocity[0]", VELOCITY_X, UFP_VELOCITYXY, &[Layout::when(UFP_VELOCITYXY, Kind::I16)]), // FTE-PRED-04
    pred("velocity[1]", VELOCITY_Y, UFP_VELOCITYXY, &[Layout::when(UFP_VELOCITYXY, Kind::I16)]),
    pred("velocity[2]", VELOCITY_Z, UFP_VELOCITYZ, &[Layout::when(UFP_VELOCITYZ, Kind::I16)]),
    pred("msec", MSEC, UFP_MSEC, &[Layout::when(UFP_MSEC, Kind::U8)]),
    row("weaponframe", WEAPONFRAME, 0, &[Layout::without(UFP_WEAPONFRAME, EXT_PREDINFO, Kind::Own(&SEVEN_BITS))]),
    row("v_angle[0]", VIEW_PITCH, 0, &[Layout::when(UFP_WEAPONFRAME | EXT_PREDINFO | WITH_ANGLESXZ, Kind::I16)]),
    row("v_angle[2]", VIEW_ROLL, 0, &[Layout::when(UFP_WEAPONFRAME | EXT_PREDINFO | WITH_ANGLESXZ, Kind::I16)]),
    row("v_angle[1]", VIEW_YAW, 0, &[Layout::when(UFP_WEAPONFRAME | EXT_PREDINFO | WITH_ANGLESY, Kind::I16)]),
];

/// A pred block after its flag byte.
pub static PRED: Table = Table::new("pred block", &PRED_ROWS);

const PRED_BLOCK: OwnKind = OwnKind {
    name: "PredBlock",
    holds: |_| true,
    read: |r, _, fields, _, gate| read_pred(r, &PRED, fields, gate),
    write: |w, _, fields, _, gate| write_pred(w, &PRED, fields, gate),
};

/// Writes a pred block by the rows of `table`: the flag byte, and what it names.
pub fn write_pred(w: &mut Writer<'_>, table: &Table, fields: &[i32], gate: u64) {
    // Movetype and weaponframe are delta-compressed: sending them with every block makes each block a full repair. The
    // others are zero by default, so only what is not zero is sent.
    let mut bits = table.diff(&Entity::NULL.0, fields) | UFP_MOVETYPE;
    if gate & EXT_PREDINFO == 0 || gate & (UF_ANGLESXZ | UF_ANGLESY) != 0 {
        bits |= UFP_WEAPONFRAME;
    }
    w.u8(PREDBITS, bits as u8);
    table.encode(pred_gate(bits, gate), fields, w);
}

/// Reads a pred block by the rows of `table`.
///
/// # Errors
/// The first field that is cut off.
pub fn read_pred(r: &mut Reader<'_>, table: &Table, fields: &mut [i32], gate: u64) -> Result<(), DecodeError> {
    let bits = r.u8(PREDBITS)?;
    table.decode(pred_gate(u64::from(bits), gate), fields, r)
}

fn pred_gate(bits: u64, update: u64) -> u64 {
    let angles = |flag: u64, gate: u64| if update & flag != 0 { gate } else { 0 };
    // FTE-PRED-07
    bits | update & EXT_PREDINFO | angles(UF_ANGLESXZ, WITH_ANGLESXZ) | angles(UF_ANGLESY, WITH_ANGLESY)
}

/// Seven bits and a flag for a second byte, which has bits 7 to 14.
// FTE-PRED-05
const SEVEN_BITS: OwnKind = OwnKind {
    name: "SevenBits",
    holds: |value| (0..=0x7fff).contains(&value),
    read: |r, name, fields, at, _| {
        let low = r.u8(name)?;
        let high = if low & 0x80 != 0 { r.u8(name)? } else { 0 };
        fields[at] = i32::from(low & 0x7f) | i32::from(high) << 7;
        Ok(())
    },
    write: |w, name, fields, at, _| match fields[at] {
        value @ 0..=0x7f => w.u8(name, value as u8),
        value => {
            w.u8(name, value as u8 | 0x80);
            w.u8(name, (value >> 7) as u8);
        }
    },
};

/// A ushort whose bit 15 is a ragdoll flag.
pub(super) const MODEL_WITH_RAGDOLL_BIT: OwnKind = OwnKind {
    name: "Model16",
    holds: |value| (0..=0x7fff).contains(&value),
    read: |r, name, fields, at, _| {
        fields[at] = i32::from(r.u16(name)? & 0x7fff);
        Ok(())
    },
    write: |w, name, fields, at, gate| {
        let ragdoll = if gate & RAGDOLLS != 0 { 0x8000 } else { 0 };
        w.u16(name, fields[at] as u16 & 0x7fff | ragdoll);
    },
};

const DRAWFLAGS_AND_ABSLIGHT: OwnKind = OwnKind {
    name: "DrawFlags",
    holds: |value| (0..=0xff).contains(&value),
    read: |r, name, fields, at, gate| {
        fields[at] = i32::from(r.u8(name)?);
        if has_abslight(fields[at], gate) {
            fields[ABSLIGHT] = i32::from(r.u8("abslight")?);
        }
        Ok(())
    },
    write: |w, name, fields, at, gate| {
        w.u8(name, fields[at] as u8);
        if has_abslight(fields[at], gate) {
            w.u8("abslight", fields[ABSLIGHT] as u8);
        }
    },
};

fn has_abslight(drawflags: i32, gate: u64) -> bool {
    // FTE-DLT-25
    drawflags & 7 == 7 || (gate & ABSLIGHT_FROM_6 != 0 && drawflags & 7 == 6)
}

/// An entity number in the regular coding, which is not that of delta indices (erratum E1).
const REGULAR_NUMBER: OwnKind = OwnKind {
    name: "EntityNumber",
    holds: |value| (0..=MAX_ENTITY as i32).contains(&value),
    read: |r, name, fields, at, gate| {
        fields[at] = regular_numbers(gate).read_entity(r, name)? as i32;
        Ok(())
    },
    write: |w, name, fields, at, gate| regular_numbers(gate).write_entity(w, name, fields[at] as u32),
};

/// The coding of entity numbers outside of delta indices while replacement deltas are on.
pub(crate) fn regular_numbers(gate: u64) -> Primitives {
    let big_entities = if gate & NUMBERS_AS_DOCUMENTED != 0 { BigEntities::Seed } else { BigEntities::Built };
    Primitives { big_entities, ..Primitives::PLAIN }
}

/// The second field of a trail: bit 15 of the first short says that it follows (erratum E14). By the specification there is
/// none, and all bits are the trail's.
pub(super) const TRAIL_AND_EMIT: OwnKind = OwnKind {
    name: "TrailEmit",
    holds: |value| (0..=0x7fff).contains(&value),
    read: |r, name, fields, at, gate| {
        let trail = r.u16(name)?;
        if gate & TRAILS_AS_DOCUMENTED != 0 {
            fields[at] = i32::from(trail);
            return Ok(());
        }
        fields[at] = i32::from(trail & 0x3fff);
        fields[EMITEFFECT] = if trail & 0x8000 != 0 { i32::from(r.u16("emiteffect")? & 0x3fff) } else { 0 };
        Ok(())
    },
    write: |w, name, fields, at, gate| {
        if gate & TRAILS_AS_DOCUMENTED != 0 {
            return w.u16(name, fields[at] as u16);
        }
        let trail = fields[at] as u16 & 0x3fff;
        match fields[EMITEFFECT] as u16 & 0x3fff {
            0 => w.u16(name, trail),
            emit => {
                w.u16(name, trail | 0x8000);
                w.u16("emiteffect", emit);
            }
        }
    },
};

/// What a peer holds of `value` after it was written under `flags` and `gate` and read back.
pub fn quantise(field: usize, value: i32, flags: u64, gate: u64) -> i32 {
    match field {
        // Erratum E14.
        TRAILEFFECT if gate & TRAILS_AS_DOCUMENTED == 0 => return value & 0x3fff,
        EMITEFFECT if gate & TRAILS_AS_DOCUMENTED != 0 => return 0,
        _ => {}
    }
    // The field's own flag decides nothing but presence; the widest layout loses least, and the one used for float
    // fields depends on the gate and the pred flag alone.
    let flags = ENTITY_ROWS.iter().find(|row| row.field == field).map_or(flags, |row| flags | row.raise);
    match ENTITY.layout_of(field, flags | gate & !kit::table::WIRE) {
        Some(layout) => match layout.kind {
            Kind::U8 | Kind::U16 | Kind::I16 | Kind::U32 => value,
            kind => kind.quantise(value),
        },
        None => value,
    }
}
