//! The wire of entity deltas: the bits, the number, and the field ENTITY. Baselines are deltas from the null state.

use crate::wire::constants::*;
use crate::wire::state::*;
use kit::table::Absent::{Keep, Zero};
use kit::table::{Kind, Layout, OwnKind, Row, Table, WIRE};
use kit::{DecodeError, ErrorKind, Reader, Writer};

/// Gate: protocol 35, where beams keep their far end.
pub const GATE_PROTOCOL_35: u64 = 1 << 32;
/// Gate: solid has 32 bits (revision 1905).
pub const GATE_SOLID32: u64 = 1 << 33;
/// Gate: whether an entity is a beam is asked of its new state (erratum 11).
pub const GATE_BEAM_OF_NEW: u64 = 1 << 34;

/// The bits that neither protocol defines.
const U_UNDEFINED: u64 = 1 << 13 | 0xf << 28;
/// The bits that stand for no field.
const U_STRUCTURE: u64 = U_REMOVE | U_MOREBITS1 | U_NUMBER16 | U_MOREBITS2 | U_MOREBITS3;

/// A field that has one width.
const fn row(name: &'static str, field: usize, raise: u64, forms: &'static [Layout]) -> Row {
    Row { name, field, raise, widens: 0, forms, absent: Keep }
}

/// A field whose two bits name its width; the narrow one stands for its change.
const fn wide(name: &'static str, field: usize, narrow: u64, other: u64, forms: &'static [Layout]) -> Row {
    Row { name, field, raise: narrow, widens: narrow | other, forms, absent: Keep }
}

/// One of three widths: a byte, a short, or a long where both bits are set.
const fn three(narrow: u64, other: u64) -> [Layout; 3] {
    [
        Layout::without(narrow, other, Kind::U8),
        Layout::without(other, narrow, Kind::Own(&FIFTEEN_BITS)),
        Layout::when(narrow | other, Kind::U32),
    ]
}

const SKIN_FORMS: &[Layout; 3] = &three(U_SKIN8, U_SKIN16);
const EFFECTS_FORMS: &[Layout; 3] = &three(U_EFFECTS8, U_EFFECTS16);
const RENDERFX_FORMS: &[Layout; 3] = &three(U_RENDERFX8, U_RENDERFX16);

/// A short that is written for values below 32768 alone, because old clients extend its sign.
const FIFTEEN_BITS: OwnKind = OwnKind {
    name: "U16 below 32768",
    holds: |value| (0..0x8000).contains(&value),
    read: |r, name, fields, at, _| {
        fields[at] = i32::from(r.u16(name)?);
        Ok(())
    },
    write: |w, name, fields, at, _| w.u16(name, fields[at] as u16),
};

/// The rows of an entity delta, in wire order.
pub const ENTITY_ROWS: [Row; FIELDS] = [
    row("model", MODEL, U_MODEL, &[Layout::when(U_MODEL, Kind::U8)]),
    row("model2", MODEL2, U_MODEL2, &[Layout::when(U_MODEL2, Kind::U8)]),
    row("model3", MODEL3, U_MODEL3, &[Layout::when(U_MODEL3, Kind::U8)]),
    row("model4", MODEL4, U_MODEL4, &[Layout::when(U_MODEL4, Kind::U8)]),
    wide(
        "frame",
        FRAME,
        U_FRAME8,
        U_FRAME16,
        &[Layout::without(U_FRAME8, U_FRAME16, Kind::U8), Layout::without(U_FRAME16, U_FRAME8, Kind::U16)],
    ),
    wide("skin", SKIN, U_SKIN8, U_SKIN16, SKIN_FORMS),
    wide("effects", EFFECTS, U_EFFECTS8, U_EFFECTS16, EFFECTS_FORMS),
    wide("renderfx", RENDERFX, U_RENDERFX8, U_RENDERFX16, RENDERFX_FORMS),
    row("origin[0]", ORIGIN_X, U_ORIGIN1, &[Layout::when(U_ORIGIN1, Kind::Coord16)]),
    row("origin[1]", ORIGIN_Y, U_ORIGIN2, &[Layout::when(U_ORIGIN2, Kind::Coord16)]),
    row("origin[2]", ORIGIN_Z, U_ORIGIN3, &[Layout::when(U_ORIGIN3, Kind::Coord16)]),
    row("angles[0]", PITCH, U_ANGLE1, &[Layout::when(U_ANGLE1, Kind::Angle8)]),
    row("angles[1]", YAW, U_ANGLE2, &[Layout::when(U_ANGLE2, Kind::Angle8)]),
    row("angles[2]", ROLL, U_ANGLE3, &[Layout::when(U_ANGLE3, Kind::Angle8)]),
    row("old_origin[0]", OLD_ORIGIN_X, U_OLDORIGIN, &[Layout::when(U_OLDORIGIN, Kind::Coord16)]),
    row("old_origin[1]", OLD_ORIGIN_Y, U_OLDORIGIN, &[Layout::when(U_OLDORIGIN, Kind::Coord16)]),
    row("old_origin[2]", OLD_ORIGIN_Z, U_OLDORIGIN, &[Layout::when(U_OLDORIGIN, Kind::Coord16)]),
    row("sound", SOUND, U_SOUND, &[Layout::when(U_SOUND, Kind::U8)]),
    // An event happens once: it is not compared with the base's, and absent means none.
    Row { absent: Zero, ..row("event", EVENT, U_EVENT, &[Layout::when(U_EVENT, Kind::U8)]) },
    row("solid", SOLID, U_SOLID, &[Layout::when(U_SOLID | GATE_SOLID32, Kind::U32), Layout::when(U_SOLID, Kind::U16)]),
];

/// The fields of an entity delta, after its bits and its number.
pub static ENTITY: Table = Table::new("entity delta", &ENTITY_ROWS);

/// One entry of an entity list, up to its fields.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Entry {
    /// The list ends.
    End,
    /// An entity of the base is gone.
    Remove(u32),
    /// An entity differs from its base: its number and its bits. Its fields follow.
    Update(u32, u64),
}

/// The bits without the choice of widths: of each pair that names a width, the narrow one for its field's change.
pub fn fields_of(bits: u64) -> u64 {
    let pairs = [(U_FRAME8, U_FRAME16), (U_SKIN8, U_SKIN16), (U_EFFECTS8, U_EFFECTS16), (U_RENDERFX8, U_RENDERFX16)];
    pairs.into_iter().fold(bits & WIRE & !U_STRUCTURE, |bits, (narrow, wide)| match bits & wide {
        0 => bits,
        _ => bits & !wide | narrow,
    })
}

/// Every field of an entity, each in its widest form, after the number in a short.
pub const WIDEST: u64 = WIRE & !U_STRUCTURE & !U_UNDEFINED & !U_FRAME8 | U_NUMBER16;

/// What the bytes of bits are called.
const BIT_BYTES: [&str; 4] = ["U bits 0-7", "U bits 8-15", "U bits 16-23", "U bits 24-31"];
/// The bits that say that another byte follows.
const MORE_BITS: [u64; 3] = [U_MOREBITS1, U_MOREBITS2, U_MOREBITS3];

/// Writes as many bytes of bits as they need, and the number in a byte or a short.
pub fn write_header(w: &mut Writer<'_>, number: u32, bits: u64) {
    let mut bits = bits & WIRE & !U_STRUCTURE | bits & (U_REMOVE | U_NUMBER16);
    if number > 0xff {
        bits |= U_NUMBER16;
    }
    for (byte, more) in MORE_BITS.into_iter().enumerate() {
        if bits >> (8 * (byte + 1)) != 0 {
            bits |= more;
        }
    }
    for (byte, name) in BIT_BYTES.into_iter().enumerate() {
        w.u8(name, (bits >> (8 * byte)) as u8);
        if MORE_BITS.get(byte).is_none_or(|more| bits & more == 0) {
            break;
        }
    }
    match bits & U_NUMBER16 {
        0 => w.u8("number", number as u8),
        _ => w.u16("number", number as u16),
    }
}

/// Reads bits and number. More bytes of bits than necessary, and a short for a small number, are legal.
///
/// # Errors
/// The data ends, the number is none of an entity, or a bit is set that neither protocol defines.
pub fn read_header(r: &mut Reader<'_>) -> Result<(u32, u64), DecodeError> {
    let start = r.at();
    let mut bits = 0;
    for (byte, name) in BIT_BYTES.into_iter().enumerate() {
        bits |= u64::from(r.u8(name)?) << (8 * byte);
        if MORE_BITS.get(byte).is_none_or(|more| bits & more == 0) {
            break;
        }
    }
    if bits & U_UNDEFINED != 0 {
        let why = "neither protocol defines this U bit";
        return r.error(start, "U bits", ErrorKind::Forbidden { value: (bits & U_UNDEFINED) as u32, why });
    }
    if bits & U_FRAME8 != 0 && bits & U_FRAME16 != 0 {
        let why = "a frame is a byte or a short, not both";
        return r.error(start, "U bits", ErrorKind::Forbidden { value: (bits & U_FRAME16) as u32, why });
    }
    let offset = r.at();
    let number = match bits & U_NUMBER16 {
        0 => u32::from(r.u8("number")?),
        _ => u32::from(r.u16("number")?),
    };
    if number >= MAX_EDICTS {
        let kind = ErrorKind::TooLarge { value: number as usize, limit: MAX_EDICTS as usize - 1 };
        return r.error(offset, "number", kind);
    }
    Ok((number, bits & !(U_STRUCTURE & !U_REMOVE)))
}

/// Reads one entry of an entity list, up to its fields.
///
/// # Errors
/// As [`read_header`].
pub fn read_entry(r: &mut Reader<'_>) -> Result<Entry, DecodeError> {
    Ok(match read_header(r)? {
        (0, _) => Entry::End,
        (number, bits) if bits & U_REMOVE != 0 => Entry::Remove(number),
        (number, bits) => Entry::Update(number, bits),
    })
}

/// Bytes of the end of a list.
pub const END_BYTES: usize = 2;

/// Writes the end of an entity list: no bits, and the number 0.
pub fn write_end(w: &mut Writer<'_>) {
    write_header(w, 0, 0);
}

/// Writes that an entity is gone.
pub fn write_remove(w: &mut Writer<'_>, number: u32) {
    write_header(w, number, U_REMOVE);
}

/// Writes an entry with exactly the fields that `bits` names. Widths are chosen here.
pub fn write_entry(w: &mut Writer<'_>, number: u32, bits: u64, entity: &Entity, gate: u64) {
    let gate = ENTITY.widen(bits & WIRE | gate & !WIRE, &entity.0);
    write_header(w, number, gate);
    ENTITY.encode(gate, &entity.0, w);
}

/// The old origin of an entity that came without [`U_OLDORIGIN`], of its base, its new state, and the gate.
pub type OmittedOrigin = fn(&Entity, &Entity, u64) -> [i32; 3];

/// Reads the fields after `bits` into `entity`, which holds the base.
///
/// # Errors
/// The first field that is cut off.
pub fn read_fields(r: &mut Reader<'_>, bits: u64, entity: &mut Entity, gate: u64) -> Result<(), DecodeError> {
    read_fields_as(r, bits, entity, gate, omitted_old_origin)
}

/// As [`read_fields`], by a reader with its own notion of old origins that are not sent.
///
/// # Errors
/// The first field that is cut off.
pub fn read_fields_as(
    r: &mut Reader<'_>,
    bits: u64,
    entity: &mut Entity,
    gate: u64,
    omitted: OmittedOrigin,
) -> Result<(), DecodeError> {
    let base = *entity;
    let gate = bits & WIRE | gate & !WIRE;
    ENTITY.decode(gate, &mut entity.0, r)?;
    if bits & U_OLDORIGIN == 0 {
        let old = omitted(&base, entity, gate);
        come_from(entity, old);
    }
    Ok(())
}

/// What becomes of an entity of the base that a frame does not mention, to a reader with a notion of old origins that are
/// not sent: it stays, and its event was.
pub fn carry(base: &Entity, gate: u64, omitted: OmittedOrigin) -> Entity {
    let mut entity = *base;
    entity[EVENT] = 0;
    come_from(&mut entity, omitted(base, base, gate));
    entity
}

/// Whether an entity without [`U_OLDORIGIN`] has the old origin of its base, and not the base's origin.
fn keeps_old_origin(base: &Entity, new: &Entity, gate: u64) -> bool {
    // R1Q2-ENT-05
    let asked = if gate & GATE_BEAM_OF_NEW != 0 { new } else { base };
    // R1Q2-ENT-02, R1Q2-ENT-03
    gate & GATE_PROTOCOL_35 != 0 && asked.is_beam()
}

/// What the protocols say of an old origin that is not sent: it is the base's origin, or over protocol 35 that of a beam
/// stays.
pub fn omitted_old_origin(base: &Entity, new: &Entity, gate: u64) -> [i32; 3] {
    // R1Q2-ENT-01
    let fields = if keeps_old_origin(base, new, gate) { OLD_ORIGIN } else { ORIGIN };
    fields.map(|field| base[field])
}

fn come_from(entity: &mut Entity, old: [i32; 3]) {
    for (field, value) in OLD_ORIGIN.into_iter().zip(old) {
        entity[field] = value;
    }
}

/// The bits to raise so that a peer that holds `base` comes to hold `new`.
///
/// Both are states as a peer holds them (see [`quantised`]): engines compare what is on the wire, not what is in the
/// game (erratum 13).
pub fn diff(base: &Entity, new: &Entity, gate: u64) -> u64 {
    let mut bits = ENTITY.diff(&base.0, &new.0) & WIRE & !(U_EVENT | U_OLDORIGIN);
    if new[EVENT] != 0 {
        bits |= U_EVENT;
    }
    if OLD_ORIGIN.map(|field| new[field]) != omitted_old_origin(base, new, gate) {
        bits |= U_OLDORIGIN;
    }
    bits
}

/// An entity as a peer holds it that was sent all of it.
pub fn quantised(entity: &Entity, gate: u64) -> Entity {
    let mut held = *entity;
    // What is 0 stays so.
    for row in ENTITY_ROWS.iter().filter(|row| entity[row.field] != 0) {
        held[row.field] = quantised_by(row, entity[row.field], gate);
    }
    held
}

/// The value of a field as a peer holds it that was sent it.
pub fn quantised_field(field: usize, value: i32, gate: u64) -> i32 {
    ENTITY_ROWS.iter().find(|row| row.field == field).map_or(value, |row| quantised_by(row, value, gate))
}

fn quantised_by(row: &Row, value: i32, gate: u64) -> i32 {
    match row.forms.last().map(|form| form.kind) {
        Some(Kind::U16) if row.field == SOLID && gate & GATE_SOLID32 != 0 => value,
        Some(Kind::Own(_) | Kind::U32) | None => value,
        Some(kind) => kind.quantise(value),
    }
}

/// Writes `svc_spawnbaseline`: the entity's difference from the null state.
pub fn write_baseline(w: &mut Writer<'_>, number: u32, state: &Entity, gate: u64) {
    w.u8("svc", SVC_SPAWNBASELINE);
    write_entry(w, number, diff(&Entity::NULL, state, gate), state, gate);
}

/// Reads a baseline after its command byte: the number, the bits, the state.
///
/// # Errors
/// As [`read_header`] and [`read_fields`]; also number 0, and a baseline that is a remove.
pub fn read_baseline(r: &mut Reader<'_>, gate: u64) -> Result<(u32, u64, Entity), DecodeError> {
    let offset = r.at();
    let (number, bits) = read_header(r)?;
    let why = match (number, bits & U_REMOVE) {
        (0, _) => Some("number 0 is the world's, which has no baseline"),
        (_, U_REMOVE) => Some("a baseline cannot be removed"),
        _ => None,
    };
    if let Some(why) = why {
        return r.error(offset, "baseline", ErrorKind::Forbidden { value: number, why });
    }
    let mut state = Entity::NULL;
    read_fields(r, bits, &mut state, gate)?;
    Ok((number, bits, state))
}
