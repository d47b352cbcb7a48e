//! Tables that differ from the reference's in a row, and wrong ways to write a value.

use crate::delta::{self, ENTITY_ROWS, PRED_ROWS};
use crate::state::*;
use kit::ErrorKind;
use kit::table::{Absent, Kind, Layout, OwnKind, Row};

/// The rows of an entity update.
pub(crate) type Rows = [Row; FIELDS];
/// The rows of a pred block.
pub(super) type PredRows = [Row; PRED_ROWS.len()];

/// The rows with one field coded otherwise: wherever it has a form of the first kind, it has one of the second.
macro_rules! recoded {
    ($field:expr, $($from:ident => $to:expr),+) => {{
        const FORMS: &[kit::table::Layout] = crate::mutants::wire::rows::forms_of($field);
        const RECODED: [kit::table::Layout; FORMS.len()] =
            crate::mutants::wire::rows::recode(FORMS, &[$((kit::table::Kind::$from, $to)),+]);
        crate::mutants::wire::rows::with_forms($field, &RECODED)
    }};
}

/// The rows with other forms of one field.
macro_rules! coded {
    ($field:expr, $($form:expr),+) => {{
        const FORMS: &[kit::table::Layout] = &[$($form),+];
        crate::mutants::wire::rows::with_forms($field, FORMS)
    }};
}

/// The rows of an entity update whose pred block has other rows.
macro_rules! with_pred {
    ($rows:expr) => {{
        const PRED: crate::mutants::wire::rows::PredRows = $rows;
        static TABLE: kit::table::Table = kit::table::Table::new("pred block", &PRED);
        const BLOCK: kit::table::OwnKind = kit::table::OwnKind {
            name: "PredBlock",
            holds: |_| true,
            read: |r, _, fields, _, gate| crate::delta::read_pred(r, &TABLE, fields, gate),
            write: |w, _, fields, _, gate| crate::delta::write_pred(w, &TABLE, fields, gate),
        };
        coded!(crate::state::MOVETYPE, kit::table::Layout::when(UF_PREDINFO, kit::table::Kind::Own(&BLOCK)))
    }};
}

pub(super) use {coded, recoded, with_pred};

/// Where the row of `field` stands.
const fn place<const N: usize>(rows: &[Row; N], field: usize) -> usize {
    let mut at = 0;
    while rows[at].field != field {
        at += 1;
    }
    at
}

/// The forms of a field in the reference.
pub(super) const fn forms_of(field: usize) -> &'static [Layout] {
    ENTITY_ROWS[place(&ENTITY_ROWS, field)].forms
}

/// `forms`, with the first kind of every change replaced by its second.
pub(super) const fn recode<const N: usize>(forms: &[Layout], changes: &[(Kind, Kind)]) -> [Layout; N] {
    let mut recoded = [forms[0]; N];
    let mut at = 0;
    while at < N {
        recoded[at] = forms[at];
        let mut change = 0;
        while change < changes.len() {
            if same(forms[at].kind, changes[change].0) {
                recoded[at].kind = changes[change].1;
            }
            change += 1;
        }
        at += 1;
    }
    recoded
}

const fn same(one: Kind, other: Kind) -> bool {
    use Kind::*;
    matches!((one, other), (U8, U8) | (I8, I8) | (U16, U16) | (I16, I16) | (U32, U32))
}

/// `rows` with those of two fields exchanged.
pub(super) const fn exchanged<const N: usize>(mut rows: [Row; N], one: usize, other: usize) -> [Row; N] {
    let (one, other) = (place(&rows, one), place(&rows, other));
    (rows[one], rows[other]) = (rows[other], rows[one]);
    rows
}

/// The rows with two exchanged.
pub(super) const fn swapped(one: usize, other: usize) -> Rows {
    exchanged(ENTITY_ROWS, one, other)
}

/// The rows with one whose changes raise nothing.
pub(in crate::mutants) const fn without_change(field: usize) -> Rows {
    let mut rows = ENTITY_ROWS;
    rows[place(&rows, field)].raise = 0;
    rows
}

/// The rows with other forms of one.
pub(crate) const fn with_forms(field: usize, forms: &'static [Layout]) -> Rows {
    let mut rows = ENTITY_ROWS;
    rows[place(&rows, field)].forms = forms;
    rows
}

/// The rows with one that falls back to zero when it is not flagged.
pub(super) const fn zero_when_absent(field: usize) -> Rows {
    let mut rows = ENTITY_ROWS;
    rows[place(&rows, field)].absent = Absent::Zero;
    rows
}

/// The rows of the pred block with other forms of one.
pub(super) const fn pred_with_forms(field: usize, forms: &'static [Layout]) -> PredRows {
    let mut rows = PRED_ROWS;
    rows[place(&rows, field)].forms = forms;
    rows
}

/// The rows of the pred block with all keeping their values when they are absent.
pub(super) const fn pred_kept() -> PredRows {
    let mut rows = PRED_ROWS;
    let mut at = 0;
    while at < rows.len() {
        rows[at].absent = Absent::Keep;
        at += 1;
    }
    rows
}

/// A byte, or by another flag a short of `kind`.
pub(super) const fn byte_or_short(flag: u64, wide: Kind) -> [Layout; 2] {
    [Layout::without(flag, UF_16BIT, Kind::U8), Layout::when(flag | UF_16BIT, wide)]
}

/// An angle: 16 bits beside a pred block while PREDINFO is on, which is just the wrong way round.
pub(super) const fn angle_inverted(flag: u64) -> [Layout; 2] {
    [Layout::when(flag | UF_PREDINFO | delta::EXT_PREDINFO, Kind::Angle16), Layout::when(flag, Kind::Angle8)]
}

fn read_by(read: fn(i32, usize, &[i32]) -> i32, value: i32, at: usize, fields: &[i32]) -> i32 {
    read(value, at, fields)
}

fn write_by(write: fn(i32, &[i32]) -> i32, value: i32, fields: &[i32]) -> i32 {
    write(value, fields)
}

/// Kinds of a number of the wire: which values it takes, what a reader makes of it (and of the field's value and its
/// record), and what a writer makes of the value (and the record).
macro_rules! kinds {
    ($(#[$doc:meta] $name:ident $wire:ident $holds:expr, $read:expr, $write:expr;)*) => {$(
        #[$doc]
        pub(super) const $name: Kind = Kind::Own(&OwnKind {
            name: stringify!($name),
            holds: |value| ($holds).contains(&value),
            read: |r, name, fields, at, _| {
                let value = r.$wire(name)? as i32;
                fields[at] = read_by($read, value, at, fields);
                Ok(())
            },
            write: |w, name, fields, at, _| {
                w.$wire(name, write_by($write, fields[at], fields) as $wire);
            },
        });
    )*};
}

const ANY: std::ops::RangeInclusive<i32> = i32::MIN..=i32::MAX;
const BYTE: std::ops::RangeInclusive<i32> = 0..=0xff;
const SHORT: std::ops::RangeInclusive<i32> = -0x8000..=0xffff;

/// A colormap's colours exchanged, where it has colours.
fn exchange_colours(value: i32, fields: &[i32]) -> i32 {
    if fields[FLAGS] & 32 != 0 { (value as u8).rotate_left(4).into() } else { value }
}

kinds! {
    /// A byte without its highest bit.
    SEVEN_BITS u8 BYTE, |value, _, _| value & 0x7f, |value, _| value & 0x7f;
    /// A byte that is one less than the value.
    BIASED u8 BYTE, |value, _, _| (value + 1) & 0xff, |value, _| value - 1;
    /// A byte of which zero stands for what the null state has.
    ZERO_IS_DEFAULT u8 BYTE, |value, at, _| if value == 0 { Entity::NULL[at] } else { value }, |value, _| value;
    /// A byte of which zero stands for no change.
    ZERO_IS_NOTHING u8 BYTE, |value, at, held| if value == 0 { held[at] } else { value }, |value, _| value;
    /// A byte that is four times the value.
    TIMES_FOUR u8 BYTE, |value, _, _| value / 4, |value, _| value * 4;
    /// A byte that is also taken for 256.
    BYTE_TO_256 u8 0..=0x100, |value, _, _| value, |value, _| value;
    /// A byte, whether it holds the value or not.
    BYTE_OF_ANY u8 ANY, |value, _, _| value, |value, _| value;
    /// A colormap whose two colours are exchanged where it has colours.
    COLOURS_SWAPPED u8 ANY, |value, _, held| exchange_colours(value, held), exchange_colours;
    /// A short, whether it holds the value or not.
    SHORT_OF_ANY u16 ANY, |value, _, _| value, |value, _| value;
    /// A short with its high byte first.
    BIG_ENDIAN u16 SHORT, |value, _, _| (value as u16).swap_bytes().into(), |value, _| (value as u16).swap_bytes().into();
    /// A short of at most 32767.
    POSITIVE16 u16 SHORT, |value, _, _| (value as i16).max(0).into(), |value, _| value.clamp(0, 0x7fff);
    /// A short without the sign.
    UNSIGNED16 u16 SHORT, |value, _, _| (value as i16).unsigned_abs().into(), |value, _| value.abs();
    /// A short of which 14 bits count.
    FOURTEEN_BITS u16 0..=0xffff, |value, _, _| value & 0x3fff, |value, _| value & 0x3fff;
    /// A velocity in whole units.
    WHOLE_UNITS i16 ANY, |value, _, _| value * 8, |value, _| value / 8;
    /// A ulong whose halves are exchanged.
    HALVES_SWAPPED u32 ANY, |value, _, _| value.rotate_left(16), |value, _| value.rotate_left(16);
}

/// A regular entity number with the bits of large ones placed as the session does not have it.
pub(super) const NUMBER_MISPLACED: Kind = Kind::Own(&OwnKind {
    name: "EntityNumber",
    holds: |_| true,
    read: |r, name, fields, at, gate| {
        fields[at] = delta::regular_numbers(gate ^ delta::NUMBERS_AS_DOCUMENTED).read_entity(r, name)? as i32;
        Ok(())
    },
    write: |w, name, fields, at, gate| {
        let numbers = delta::regular_numbers(gate ^ delta::NUMBERS_AS_DOCUMENTED);
        numbers.write_entity(w, name, fields[at] as u32);
    },
});

/// An entity number in the coding of delta indices.
pub(super) const NUMBER_AS_INDEX: Kind = Kind::Own(&OwnKind {
    name: "EntityNumber",
    holds: |_| true,
    read: |r, _, fields, at, _| {
        fields[at] = delta::read_index(r)?.0 as i32;
        Ok(())
    },
    write: |w, _, fields, at, _| delta::write_index(w, fields[at] as u32, false),
});

/// A small entity number with its bytes exchanged.
pub(super) const NUMBER_BIG_ENDIAN: Kind = Kind::Own(&OwnKind {
    name: "EntityNumber",
    holds: |_| true,
    read: |r, name, fields, at, gate| {
        let number = delta::regular_numbers(gate).read_entity(r, name)?;
        fields[at] = if number < 0x8000 { (number as u16).swap_bytes().into() } else { number as i32 };
        Ok(())
    },
    write: |w, name, fields, at, gate| match fields[at] as u32 {
        number @ 0..0x8000 => w.u16(name, (number as u16).swap_bytes()),
        number => delta::regular_numbers(gate).write_entity(w, name, number),
    },
});

/// Trail and emit effect, the wrong way round where there are both.
pub(super) const EMIT_BEFORE_TRAIL: Kind = Kind::Own(&OwnKind {
    name: "EmitTrail",
    holds: |_| true,
    read: |r, name, fields, at, _| {
        let first = r.u16(name)?;
        let second = if first & 0x8000 != 0 { r.u16("emiteffect")? & 0x3fff } else { 0 };
        let (trail, emit) = if second == 0 { (first & 0x3fff, 0) } else { (second, first & 0x3fff) };
        (fields[at], fields[EMITEFFECT]) = (trail.into(), emit.into());
        Ok(())
    },
    write: |w, name, fields, at, _| match (fields[at] as u16, fields[EMITEFFECT] as u16) {
        (trail, 0) => w.u16(name, trail),
        (trail, emit) => {
            w.u16(name, emit | 0x8000);
            w.u16("emiteffect", trail);
        }
    },
});

/// A weaponframe whose second byte begins with bit 8.
pub(super) const EIGHT_AND_SEVEN: Kind = Kind::Own(&OwnKind {
    name: "EightAndSeven",
    holds: |_| true,
    read: |r, name, fields, at, _| {
        let low = r.u8(name)?;
        let high = if low & 0x80 != 0 { r.u8(name)? } else { 0 };
        fields[at] = i32::from(low & 0x7f) | i32::from(high) << 8;
        Ok(())
    },
    write: |w, name, fields, at, _| match fields[at] {
        value @ 0..=0x7f => w.u8(name, value as u8),
        value => {
            w.u8(name, value as u8 | 0x80);
            w.u8(name, (value >> 8) as u8);
        }
    },
});

/// A byte, or a short where a byte is too small; no flag says which.
pub(super) const FITTED: Kind = Kind::Own(&OwnKind {
    name: "Fitted",
    holds: |_| true,
    read: |r, name, fields, at, _| {
        fields[at] = r.u8(name)?.into();
        Ok(())
    },
    write: |w, name, fields, at, _| match u8::try_from(fields[at]) {
        Ok(byte) => w.u8(name, byte),
        Err(_) => w.u16(name, fields[at] as u16),
    },
});

/// A byte that nobody wants to read.
pub(super) const REFUSED: Kind = Kind::Own(&OwnKind {
    name: "Refused",
    holds: |_| true,
    read: |r, name, _, _, _| r.error(r.at(), name, ErrorKind::Forbidden { value: 0, why: "not implemented" }),
    write: |w, name, fields, at, _| w.u8(name, fields[at] as u8),
});
