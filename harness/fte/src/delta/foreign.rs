//! Layouts of entity updates that other programs negotiate: they are read here, and never written.

use super::fields::ENTITY_ROWS;
use super::*;
use kit::table::Absent::Keep;
use kit::table::{Kind, Layout, OwnKind, Row};

/// Gate: sizes have an encoding in front of them, and updates can have bones (`PEXT2_NEWSIZEENCODING`).
pub const EXT_NEWSIZE: u64 = 1 << 48;
/// Gate: numbers are as long as they need to be, and bit 9 announces the end of an interpolation (`PEXT2_LERPTIME`).
pub const EXT_LERPTIME: u64 = 1 << 49;

/// A size of the smaller player hull, as the encoding's number 2 stands for it.
const SIZE_HULL1: i32 = 0x8020_1810_u32 as i32;
/// A size of the larger hull: number 3.
const SIZE_HULL2: i32 = 0x8040_1820_u32 as i32;
/// The size of a brush model: number 1, and a value of its own in the 16-bit form.
const SIZE_BSP: i32 = 31;
/// Skins below 0 state contents: they travel with this added.
const SKIN_BIAS: i32 = 64;

/// The rows of an entity update with what these extensions change.
pub static FOREIGN: Table = Table::new("entity update of other programs", &ROWS);

/// `table`, or that of other programs where they agreed on another layout.
pub(super) fn agreed(table: &Table, gate: u64) -> &Table {
    if gate & (EXT_NEWSIZE | EXT_LERPTIME) == 0 { table } else { &FOREIGN }
}

/// The flags that have no meaning with the extensions of `gate`.
pub(super) fn undefined_flags(gate: u64) -> u64 {
    let bones = if gate & EXT_NEWSIZE == 0 { 0 } else { UF_UNUSED18 };
    let wide_effects = if gate & EXT_LERPTIME == 0 { 0 } else { UF_EFFECTS2 };
    UF_UNDEFINED & !bones | wide_effects
}

/// With two rows that fill no field: when the interpolation ends, and the bones.
const ROWS: [Row; FIELDS + 2] = {
    let lerp_end =
        skipped("lerptime of LERPTIME", FRAME, &[Layout::when(UF_16BIT | EXT_LERPTIME, Kind::Own(&LERP_END))]);
    let bones = skipped("bonedata of NEWSIZEENCODING", SCALE, &[Layout::when(UF_UNUSED18, Kind::Own(&BONES))]);
    let mut rows = [lerp_end; FIELDS + 2];
    let (mut from, mut to) = (0, 0);
    while from < FIELDS {
        let row = ENTITY_ROWS[from];
        if row.field == EFFECTS {
            rows[to] = lerp_end;
            to += 1;
        }
        rows[to] = Row { forms: forms_of(&row), ..row };
        to += 1;
        if row.field == SCALE {
            rows[to] = bones;
            to += 1;
        }
        from += 1;
    }
    rows
};

const fn skipped(name: &'static str, field: usize, forms: &'static [Layout]) -> Row {
    Row { name, field, raise: 0, widens: 0, forms, absent: Keep }
}

const fn leb(flag: u64, kind: &'static OwnKind) -> Layout {
    Layout::when(flag | EXT_LERPTIME, Kind::Own(kind))
}

const fn byte(flag: u64) -> Layout {
    Layout::without(flag, EXT_LERPTIME, Kind::U8)
}

/// The forms of the fields that the extensions change: those that they bring, then the field's own.
const FORMS: [(usize, &[Layout]); 11] = [
    (FRAME, &[leb(UF_FRAME, &LEB), Layout::without(UF_FRAME, UF_16BIT, Kind::U8), Layout::when(UF_FRAME, Kind::U16)]),
    (
        EFFECTS,
        &[
            leb(UF_EFFECTS, &LEB),
            Layout::without(UF_EFFECTS, UF_EFFECTS2, Kind::U8),
            Layout::without(UF_EFFECTS2, UF_EFFECTS, Kind::U16),
            Layout::when(UF_EFFECTS | UF_EFFECTS2, Kind::U32),
        ],
    ),
    (
        MODEL,
        &[
            leb(UF_MODEL, &LEB),
            Layout::without(UF_MODEL, UF_16BIT, Kind::U8),
            Layout::when(UF_MODEL, Kind::Own(&fields::MODEL_WITH_RAGDOLL_BIT)),
        ],
    ),
    (
        SKIN,
        &[leb(UF_SKIN, &BIASED_SKIN), Layout::without(UF_SKIN, UF_16BIT, Kind::U8), Layout::when(UF_SKIN, Kind::I16)],
    ),
    (COLORMAP, &[leb(UF_COLORMAP, &LEB), byte(UF_COLORMAP)]),
    (SOLID, &[Layout::when(UF_SOLID | EXT_NEWSIZE, Kind::Own(&SIZE)), Layout::when(UF_SOLID, Kind::U16)]),
    (FLAGS, &[leb(UF_FLAGS, &LEB), byte(UF_FLAGS)]),
    (TAGINDEX, &[leb(UF_TAGINFO, &BIASED_TAG), byte(UF_TAGINFO)]),
    (LIGHTSTYLE, &[leb(UF_LIGHT, &LEB), byte(UF_LIGHT)]),
    (
        TRAILEFFECT,
        &[leb(UF_TRAILEFFECT, &TWO_TRAILS), Layout::when(UF_TRAILEFFECT, Kind::Own(&fields::TRAIL_AND_EMIT))],
    ),
    (
        MODELINDEX2,
        &[
            leb(UF_MODELINDEX2, &LEB),
            Layout::without(UF_MODELINDEX2, UF_16BIT, Kind::U8),
            Layout::when(UF_MODELINDEX2, Kind::U16),
        ],
    ),
];

/// The forms of a row.
const fn forms_of(row: &Row) -> &'static [Layout] {
    let mut at = 0;
    while at < FORMS.len() {
        if FORMS[at].0 == row.field {
            return FORMS[at].1;
        }
        at += 1;
    }
    row.forms
}

/// A kind that is only read.
const fn read_only(name: &'static str, read: kit::table::ReadOwn) -> OwnKind {
    OwnKind { name, holds: |_| false, read, write: |_, _, _, _, _| {} }
}

/// Seven bits to a byte, the lowest first; the top bit says that more follow.
///
/// # Errors
/// The data ends inside it, or it has more than 32 bits.
pub(crate) fn read_leb(r: &mut Reader<'_>, name: &'static str) -> Result<u32, DecodeError> {
    let (offset, mut value) = (r.at(), 0u64);
    for shift in (0..35).step_by(7) {
        let byte = r.u8(name)?;
        value |= u64::from(byte & 0x7f) << shift;
        if byte & 0x80 == 0 {
            if let Ok(value) = u32::try_from(value) {
                return Ok(value);
            }
            break;
        }
    }
    let why = "a number of LERPTIME has at most 32 bits";
    r.error(offset, name, ErrorKind::Forbidden { value: value as u32, why })
}

const LEB: OwnKind = read_only("Leb128", |r, name, fields, at, _| {
    fields[at] = read_leb(r, name)? as i32;
    Ok(())
});

const BIASED_SKIN: OwnKind = read_only("Leb128Skin", |r, name, fields, at, _| {
    fields[at] = (read_leb(r, name)? as i32).wrapping_sub(SKIN_BIAS);
    Ok(())
});

/// One more than the tag: 0 stands for a portal, which the byte form has as 255.
const BIASED_TAG: OwnKind = read_only("Leb128Tag", |r, name, fields, at, _| {
    fields[at] = match read_leb(r, name)? {
        0 => 255,
        tag => (tag - 1) as i32,
    };
    Ok(())
});

const TWO_TRAILS: OwnKind = read_only("Leb128Trails", |r, name, fields, at, _| {
    fields[at] = read_leb(r, name)? as i32;
    fields[EMITEFFECT] = read_leb(r, "emiteffect")? as i32;
    Ok(())
});

/// Milliseconds from the server time of the frame.
const LERP_END: OwnKind = read_only("Leb128Time", |r, name, _, _, _| read_leb(r, name).map(drop));

const SIZE: OwnKind = read_only("EncodedSize", |r, _, fields, at, _| {
    let (offset, name) = (r.at(), "solidsize of NEWSIZEENCODING");
    fields[at] = match r.u8(name)? {
        0 => 0,
        1 => SIZE_BSP,
        2 => SIZE_HULL1,
        3 => SIZE_HULL2,
        16 => r.u16(name)?.into(),
        32 => r.i32(name)?,
        value => {
            let why = "sizes are encoded as 0 to 3, 16 or 32";
            return r.error(offset, name, ErrorKind::Forbidden { value: value.into(), why });
        }
    };
    Ok(())
});

/// Bit 7: the bones' positions and turns; bit 6: which bone has which frame.
const BONES: OwnKind = read_only("Bones", |r, name, _, _, gate| {
    let offset = r.at();
    let parts = r.u8(name)?;
    if parts & 0x80 != 0 {
        let bones = r.u8(name)?;
        // Seven shorts for each.
        r.bytes(name, usize::from(bones) * 14)?;
    }
    if parts & 0x40 != 0 {
        if gate & EXT_LERPTIME == 0 {
            r.u8(name)?;
            r.u16(name)?;
        } else {
            read_leb(r, name)?;
            read_leb(r, name)?;
        }
    }
    if parts & 0x3f != 0 {
        let why = "only bits 6 and 7 of bone data have a meaning";
        return r.error(offset, name, ErrorKind::Forbidden { value: parts.into(), why });
    }
    Ok(())
});
