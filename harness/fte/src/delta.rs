//! The wire of entity deltas: the index coding, the flag bytes, and (in [`fields`]) the field table.
//!
//! Source: "Entity deltas" of the specification. Where engines read it differently (errata E1, E8, E9, E14 to E16),
//! the layout is the one that real traffic shows.

mod fields;
mod foreign;

use crate::constants::field_names::{ENTITY_INDEX, UPDATE_FLAGS};
use crate::constants::*;
use crate::state::*;
use kit::table::Table;
use kit::{DecodeError, ErrorKind, Reader, Writer};

pub use fields::*;
pub(crate) use foreign::read_leb;
pub use foreign::{EXT_LERPTIME, EXT_NEWSIZE, FOREIGN};

/// Gate: PREDINFO is negotiated.
pub const EXT_PREDINFO: u64 = 1 << 40;
/// Gate: large regular entity numbers are placed as the specification says, not as engines do (erratum E1).
pub const NUMBERS_AS_DOCUMENTED: u64 = 1 << 41;
/// Gate: abslight travels with low drawflags of 6, too (erratum E9).
pub const ABSLIGHT_FROM_6: u64 = 1 << 42;
/// Gate: a trail is one short with all its bits, as the specification says; engines add another number (erratum E14).
pub const TRAILS_AS_DOCUMENTED: u64 = 1 << 50;
/// Gate: angles beside a pred block have 16 bits with PREDINFO, too, as the specification says (erratum E15).
pub const ANGLES_AS_DOCUMENTED: u64 = 1 << 51;
/// Gate of a writer: models that take two bytes have the flag of a ragdoll, which readers mask out.
const RAGDOLLS: u64 = 1 << 52;
/// Gate of the pred block: the update has [`UF_ANGLESXZ`].
const WITH_ANGLESXZ: u64 = 1 << 43;
/// Gate of the pred block: the update has [`UF_ANGLESY`].
const WITH_ANGLESY: u64 = 1 << 44;
/// Changed, but it depends on PREDINFO whether and how it travels.
const CHANGED_WEAPONFRAME: u64 = 1 << 45;
const CHANGED_VIEW_XZ: u64 = 1 << 46;
const CHANGED_VIEW_Y: u64 = 1 << 47;

/// The flags that stand for data, which a server tracks per entity.
pub const UF_FIELDS: u64 =
    kit::table::WIRE & !(UF_EXTEND1 | UF_EXTEND2 | UF_EXTEND3 | UF_RESET | UF_16BIT | UF_EFFECTS2 | UF_UNDEFINED);

/// The UF field flags to raise so that a peer that holds `from` comes to hold `to`, by `table`'s rows.
pub fn diff(table: &Table, from: &Entity, to: &Entity, gate: u64) -> u64 {
    let bits = table.diff(&from.0, &to.0);
    let mut flags = bits & kit::table::WIRE;
    if gate & EXT_PREDINFO == 0 {
        if bits & CHANGED_WEAPONFRAME != 0 {
            flags |= UF_PREDINFO;
        }
    } else {
        if bits & CHANGED_VIEW_XZ != 0 {
            flags |= UF_PREDINFO | UF_ANGLESXZ;
        }
        if bits & CHANGED_VIEW_Y != 0 {
            flags |= UF_PREDINFO | UF_ANGLESY;
        }
    }
    flags
}

/// One entry of an update message, up to its fields.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Entry {
    /// The list ends.
    End,
    /// Every known entity is discarded.
    RemoveAll,
    /// An entity is removed.
    Remove(u32),
    /// An entity is updated: its number and its UF flags. Its fields follow.
    Update(u32, u64),
}

/// Which of several forms that mean the same a writer takes; a reader takes them all.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Forms {
    /// Indices have a high byte, small numbers too.
    pub long_index: bool,
    /// There are four flag bytes, those that are zero too.
    pub all_flag_bytes: bool,
    /// Values that have a wide form take it, small ones too; and a wide model has the flag of a ragdoll.
    pub widest: bool,
}

impl Forms {
    /// The shortest of each.
    pub const SHORTEST: Forms = Forms { long_index: false, all_flag_bytes: false, widest: false };
}

/// Writes an entity index in one of its forms.
pub fn write_index_as(w: &mut Writer<'_>, forms: Forms, number: u32, remove: bool) {
    if !forms.long_index || number > u32::from(INDEX_NUMBER) {
        return write_index(w, number, remove);
    }
    w.u16(ENTITY_INDEX, number as u16 | INDEX_EXTEND | if remove { INDEX_REMOVE } else { 0 });
    w.u8("entity index (high)", 0);
}

/// Writes flags and fields as [`write_delta`] does, in one of their forms.
pub fn write_delta_as(w: &mut Writer<'_>, forms: Forms, table: &Table, flags: u64, entity: &Entity, gate: u64) {
    let mut flags = table.widen(flags | gate & !kit::table::WIRE, &entity.0); // FTE-DLT-11, FTE-DLT-13
    if forms.widest {
        if flags & (UF_FRAME | UF_MODEL | UF_SKIN | UF_MODELINDEX2) != 0 {
            flags |= UF_16BIT;
        }
        flags |= RAGDOLLS;
        if flags & (UF_EFFECTS | UF_EFFECTS2) != 0 {
            flags |= UF_EFFECTS | UF_EFFECTS2;
        }
    }
    match forms.all_flag_bytes {
        true => {
            let bytes = (flags | UF_EXTEND1 | UF_EXTEND2 | UF_EXTEND3) as u32;
            for (byte, name) in bytes.to_le_bytes().into_iter().zip(FLAG_BYTES) {
                w.u8(name, byte);
            }
        }
        false => write_flags(w, flags),
    }
    table.encode(flags, &entity.0, w);
}

/// What the flag bytes are called.
const FLAG_BYTES: [&str; 4] = ["UF flags 0-7", "UF flags 8-15", "UF flags 16-23", "UF flags 24-31"];

/// Writes an entity index: 14 bits of the number and two flags, and a byte for numbers from 16384.
pub fn write_index(w: &mut Writer<'_>, number: u32, remove: bool) {
    let remove = if remove { INDEX_REMOVE } else { 0 }; // FTE-ENT-05
    let low = number as u16 & INDEX_NUMBER;
    // FTE-ENT-07
    if number > u32::from(INDEX_NUMBER) {
        w.u16(ENTITY_INDEX, low | remove | INDEX_EXTEND);
        w.u8("entity index (high)", (number >> 14) as u8); // FTE-ENT-06
    } else {
        w.u16(ENTITY_INDEX, low | remove);
    }
}

/// Reads an entity index: the number, and whether it is a remove. Small numbers may come in the long form.
///
/// # Errors
/// When the data ends inside the index.
#[inline]
pub fn read_index(r: &mut Reader<'_>) -> Result<(u32, bool), DecodeError> {
    let short = r.u16(ENTITY_INDEX)?;
    let mut number = u32::from(short & INDEX_NUMBER);
    // FTE-ENT-08
    if short & INDEX_EXTEND != 0 {
        number |= u32::from(r.u8("entity index (high)")?) << 14;
    }
    Ok((number, short & INDEX_REMOVE != 0))
}

/// Writes one to four flag bytes, with as many EXTEND flags as they need.
pub fn write_flags(w: &mut Writer<'_>, flags: u64) {
    let mut flags = flags & kit::table::WIRE & !(UF_EXTEND1 | UF_EXTEND2 | UF_EXTEND3); // FTE-DLT-24, FTE-DLT-34
    if flags >> 24 != 0 {
        flags |= UF_EXTEND3;
    }
    if flags >> 16 != 0 {
        flags |= UF_EXTEND2;
    }
    if flags >> 8 != 0 {
        flags |= UF_EXTEND1;
    }
    w.u8("UF flags 0-7", flags as u8); // FTE-DLT-01
    if flags & UF_EXTEND1 != 0 {
        w.u8("UF flags 8-15", (flags >> 8) as u8);
    }
    if flags & UF_EXTEND2 != 0 {
        w.u8("UF flags 16-23", (flags >> 16) as u8);
    }
    if flags & UF_EXTEND3 != 0 {
        w.u8("UF flags 24-31", (flags >> 24) as u8);
    }
}

/// Reads the flag bytes in a session with the extensions of `gate`. An EXTEND flag with a zero byte after it is legal.
///
/// # Errors
/// When the data ends, or when a flag is set that no negotiated extension defines: what follows could not be read.
#[inline]
pub fn read_flags(r: &mut Reader<'_>, gate: u64) -> Result<u64, DecodeError> {
    let start = r.at();
    let mut flags = u64::from(r.u8("UF flags 0-7")?);
    // FTE-DLT-02
    if flags & UF_EXTEND1 != 0 {
        flags |= u64::from(r.u8("UF flags 8-15")?) << 8;
    }
    if flags & UF_EXTEND2 != 0 {
        flags |= u64::from(r.u8("UF flags 16-23")?) << 16;
    }
    if flags & UF_EXTEND3 != 0 {
        flags |= u64::from(r.u8("UF flags 24-31")?) << 24;
    }
    // FTE-DLT-35
    match flags & foreign::undefined_flags(gate) {
        0 => Ok(flags & !(UF_EXTEND1 | UF_EXTEND2 | UF_EXTEND3)),
        bad => Err(undefined(start, bad)),
    }
}

#[cold]
fn undefined(offset: usize, flags: u64) -> DecodeError {
    let why = "no negotiated extension defines this UF flag";
    DecodeError { offset, field: UPDATE_FLAGS, kind: ErrorKind::Forbidden { value: flags as u32, why } }
}

/// Reads one entry of an update message, up to its fields.
///
/// # Errors
/// As [`read_index`] and [`read_flags`].
pub fn read_entry(r: &mut Reader<'_>, gate: u64) -> Result<Entry, DecodeError> {
    read_coded_entry(r, gate).map(|(entry, _)| entry)
}

/// How many bytes an entry's index and its flags take.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Coding {
    /// Of the index: 2 or 3.
    pub index_bytes: usize,
    /// Of the flags: 0 to 4.
    pub flag_bytes: usize,
}

/// Reads one entry of an update message, up to its fields, and in which form it is.
///
/// # Errors
/// As [`read_entry`].
#[inline(always)]
pub fn read_coded_entry(r: &mut Reader<'_>, gate: u64) -> Result<(Entry, Coding), DecodeError> {
    if !r.records_fields()
        && let Some((number, flags)) = read_usual_head(r.around(0))
    {
        r.pass(USUAL_HEAD_BYTES);
        return Ok((Entry::Update(number, flags), Coding { index_bytes: 2, flag_bytes: 1 }));
    }
    let start = r.at();
    let index = read_index(r)?;
    let mut coding = Coding { index_bytes: r.at() - start, flag_bytes: 0 };
    let entry = match index {
        (0, false) => Entry::End,                // FTE-ENT-10
        (0, true) => Entry::RemoveAll,           // FTE-ENT-11
        (number, true) => Entry::Remove(number), // FTE-ENT-09
        (number, false) => {
            let start = r.at();
            let flags = read_flags(r, gate)?;
            coding.flag_bytes = r.at() - start;
            Entry::Update(number, flags)
        }
    };
    Ok((entry, coding))
}

/// Bytes of the beginning that most entries have.
const USUAL_HEAD_BYTES: usize = 3;

/// The beginning that most entries have: the short index of an update, and one byte of flags, none of which is undefined.
#[inline]
fn read_usual_head(bytes: &[u8]) -> Option<(u32, u64)> {
    let &[low, high, flags] = bytes.first_chunk::<USUAL_HEAD_BYTES>()?;
    let (index, flags) = (u16::from_le_bytes([low, high]), u64::from(flags));
    let usual = index != 0 && index & (INDEX_REMOVE | INDEX_EXTEND) == 0 && flags & UF_EXTEND1 == 0;
    usual.then_some((index.into(), flags))
}

/// Writes flags and fields of `entity` as a delta of exactly the fields that `flags` names (UF field flags, and
/// [`UF_RESET`]). Widths are chosen here.
pub fn write_delta(w: &mut Writer<'_>, table: &Table, flags: u64, entity: &Entity, gate: u64) {
    write_delta_as(w, Forms::SHORTEST, table, flags, entity, gate);
}

/// Reads the fields after `flags`, by the rows of `table`, into `entity`, after putting it back to `baseline` if the flags say so.
///
/// An update without a pred block leaves the player at rest: movement, velocity and age become zero (erratum E17).
///
/// # Errors
/// The first field that is cut off.
#[inline]
pub fn read_delta(
    r: &mut Reader<'_>,
    table: &Table,
    flags: u64,
    baseline: &Entity,
    entity: &mut Entity,
    gate: u64,
) -> Result<(), DecodeError> {
    if flags & UF_RESET != 0 {
        *entity = *baseline; // FTE-RST-01
    }
    if flags & UF_PREDINFO == 0 {
        for field in MOVEMENT_FIELDS {
            entity[field] = 0;
        }
    }
    // FTE-DLT-03, FTE-DLT-41
    foreign::agreed(table, gate).decode(flags | gate & !kit::table::WIRE, &mut entity.0, r)
}
