//! Tables that differ from the reference's in one row, and wrong ways to write a value.

use crate::constants::*;
use crate::delta::{self, ENTITY_ROWS, PRED_ROWS};
use crate::state::*;
use kit::ErrorKind;
use kit::table::{Absent, Kind, Layout, OwnKind, Row};

/// The rows of an entity update.
pub(crate) type Rows = [Row; FIELDS];
/// The rows of a pred block.
pub(super) type PredRows = [Row; PRED_ROWS.len()];

/// A server that writes entity updates by other rows.
macro_rules! writes {
    ($name:literal, $row:ident, $scenario:literal, $differs:literal, $rows:expr) => {
        crate::mutants::of_server($name, &crate::requirements::$row, $scenario, $differs, |setup| {
            const ROWS: crate::mutants::wire::rows::Rows = $rows;
            static TABLE: kit::table::Table = kit::table::Table::new("entity update", &ROWS);
            let rules = crate::rules::Rules { table: &TABLE, ..crate::rules::Rules::REFERENCE };
            crate::mutants::server_with(setup, rules)
        })
    };
}

/// A client that reads entity updates by other rows.
macro_rules! reads {
    ($name:literal, $row:ident, $scenario:literal, $differs:literal, $rows:expr) => {
        crate::mutants::of_client($name, &crate::requirements::$row, $scenario, $differs, |setup| {
            const ROWS: crate::mutants::wire::rows::Rows = $rows;
            static TABLE: kit::table::Table = kit::table::Table::new("entity update", &ROWS);
            let rules = crate::rules::Rules { table: &TABLE, ..crate::rules::Rules::REFERENCE };
            crate::mutants::client_with(setup, rules)
        })
    };
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
        const FORMS: &[kit::table::Layout] =
            &[kit::table::Layout::when(crate::constants::UF_PREDINFO, kit::table::Kind::Own(&BLOCK))];
        crate::mutants::wire::rows::with_forms(crate::state::MOVETYPE, FORMS)
    }};
}

pub(super) use {reads, with_pred, writes};

/// Where the row of `field` stands.
const fn place<const N: usize>(rows: &[Row; N], field: usize) -> usize {
    let mut at = 0;
    while rows[at].field != field {
        at += 1;
    }
    at
}

/// With the rows of two fields exchanged.
const fn exchanged<const N: usize>(mut rows: [Row; N], one: usize, other: usize) -> [Row; N] {
    let (one, other) = (place(&rows, one), place(&rows, other));
    let row = rows[one];
    rows[one] = rows[other];
    rows[other] = row;
    rows
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

/// The rows with two exchanged.
pub(super) const fn swapped(one: usize, other: usize) -> Rows {
    exchanged(ENTITY_ROWS, one, other)
}

/// The rows of the pred block with other forms of one.
pub(super) const fn pred_with_forms(field: usize, forms: &'static [Layout]) -> PredRows {
    let mut rows = PRED_ROWS;
    rows[place(&rows, field)].forms = forms;
    rows
}

/// The rows of the pred block with two exchanged.
pub(super) const fn pred_swapped(one: usize, other: usize) -> PredRows {
    exchanged(PRED_ROWS, one, other)
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
pub(super) const fn byte_or(flag: u64, wide: Kind) -> [Layout; 2] {
    [Layout::without(flag, UF_16BIT, Kind::U8), Layout::when(flag | UF_16BIT, wide)]
}

/// A byte without its highest bit.
pub(super) const SEVEN_BITS: Kind = Kind::Own(&OwnKind {
    name: "SevenBits",
    holds: |value| (0..=0xff).contains(&value),
    read: |r, name, fields, at, _| {
        fields[at] = i32::from(r.u8(name)? & 0x7f);
        Ok(())
    },
    write: |w, name, fields, at, _| w.u8(name, fields[at] as u8 & 0x7f),
});

/// A byte that is one less than the value.
pub(super) const BIASED: Kind = Kind::Own(&OwnKind {
    name: "Biased",
    holds: |value| (0..=0xff).contains(&value),
    read: |r, name, fields, at, _| {
        fields[at] = i32::from(r.u8(name)?.wrapping_add(1));
        Ok(())
    },
    write: |w, name, fields, at, _| w.u8(name, (fields[at] as u8).wrapping_sub(1)),
});

/// A byte of which zero stands for what the null state has.
pub(super) const ZERO_IS_DEFAULT: Kind = Kind::Own(&OwnKind {
    name: "ZeroIsDefault",
    holds: |value| (0..=0xff).contains(&value),
    read: |r, name, fields, at, _| {
        let value = r.u8(name)?;
        fields[at] = if value == 0 { Entity::NULL[at] } else { value.into() };
        Ok(())
    },
    write: |w, name, fields, at, _| w.u8(name, fields[at] as u8),
});

/// A byte of which zero stands for no change.
pub(super) const ZERO_IS_NOTHING: Kind = Kind::Own(&OwnKind {
    name: "ZeroIsNothing",
    holds: |value| (0..=0xff).contains(&value),
    read: |r, name, fields, at, _| {
        let value = r.u8(name)?;
        if value != 0 {
            fields[at] = value.into();
        }
        Ok(())
    },
    write: |w, name, fields, at, _| w.u8(name, fields[at] as u8),
});

/// A byte that is four times the value.
pub(super) const TIMES_FOUR: Kind = Kind::Own(&OwnKind {
    name: "TimesFour",
    holds: |value| (0..=0xff).contains(&value),
    read: |r, name, fields, at, _| {
        fields[at] = i32::from(r.u8(name)? / 4);
        Ok(())
    },
    write: |w, name, fields, at, _| w.u8(name, (fields[at] as u8).wrapping_mul(4)),
});

/// A short with its high byte first.
pub(super) const BIG_ENDIAN: Kind = Kind::Own(&OwnKind {
    name: "BigEndian16",
    holds: |value| (-0x8000..=0xffff).contains(&value),
    read: |r, name, fields, at, _| {
        fields[at] = r.u16(name)?.swap_bytes().into();
        Ok(())
    },
    write: |w, name, fields, at, _| w.u16(name, (fields[at] as u16).swap_bytes()),
});

/// A short of at most 32767.
pub(super) const POSITIVE16: Kind = Kind::Own(&OwnKind {
    name: "Positive16",
    holds: |value| (-0x8000..=0xffff).contains(&value),
    read: |r, name, fields, at, _| {
        fields[at] = r.i16(name)?.max(0).into();
        Ok(())
    },
    write: |w, name, fields, at, _| w.u16(name, fields[at].clamp(0, 0x7fff) as u16),
});

/// A short without the sign.
pub(super) const UNSIGNED16: Kind = Kind::Own(&OwnKind {
    name: "Unsigned16",
    holds: |value| (-0x8000..=0xffff).contains(&value),
    read: |r, name, fields, at, _| {
        fields[at] = r.i16(name)?.unsigned_abs().into();
        Ok(())
    },
    write: |w, name, fields, at, _| w.u16(name, fields[at].unsigned_abs() as u16),
});

/// A byte that is also taken for 256.
pub(super) const BYTE_TO_256: Kind = Kind::Own(&OwnKind {
    name: "ByteTo256",
    holds: |value| (0..=0x100).contains(&value),
    read: |r, name, fields, at, _| {
        fields[at] = r.u8(name)?.into();
        Ok(())
    },
    write: |w, name, fields, at, _| w.u8(name, fields[at] as u8),
});

/// A ulong whose halves are exchanged.
pub(super) const HALVES_SWAPPED: Kind = Kind::Own(&OwnKind {
    name: "HalvesSwapped",
    holds: |_| true,
    read: |r, name, fields, at, _| {
        fields[at] = (r.i32(name)? as u32).rotate_left(16) as i32;
        Ok(())
    },
    write: |w, name, fields, at, _| w.u32(name, (fields[at] as u32).rotate_left(16)),
});

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

/// An entity number as a short, whatever its size.
pub(super) const NUMBER_SHORT: Kind = Kind::Own(&OwnKind {
    name: "EntityNumber",
    holds: |_| true,
    read: |r, name, fields, at, _| {
        fields[at] = r.u16(name)?.into();
        Ok(())
    },
    write: |w, name, fields, at, _| w.u16(name, fields[at] as u16),
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

/// A colormap whose two colours are exchanged where it has colours.
pub(super) const COLOURS_SWAPPED: Kind = Kind::Own(&OwnKind {
    name: "ColoursSwapped",
    holds: |_| true,
    read: |r, name, fields, at, _| {
        let value = r.u8(name)?;
        let direct = fields[FLAGS] & 32 != 0;
        fields[at] = if direct { value.rotate_left(4) } else { value }.into();
        Ok(())
    },
    write: |w, name, fields, at, _| {
        let (value, direct) = (fields[at] as u8, fields[FLAGS] & 32 != 0);
        w.u8(name, if direct { value.rotate_left(4) } else { value });
    },
});

/// A velocity in whole units.
pub(super) const WHOLE_UNITS: Kind = Kind::Own(&OwnKind {
    name: "WholeUnits",
    holds: |_| true,
    read: |r, name, fields, at, _| {
        fields[at] = i32::from(r.i16(name)?) * 8;
        Ok(())
    },
    write: |w, name, fields, at, _| w.i16(name, (fields[at] / 8) as i16),
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

/// A short of which 14 bits count.
pub(super) const FOURTEEN_BITS: Kind = Kind::Own(&OwnKind {
    name: "FourteenBits",
    holds: |value| (0..=0xffff).contains(&value),
    read: |r, name, fields, at, _| {
        fields[at] = (r.u16(name)? & 0x3fff).into();
        Ok(())
    },
    write: |w, name, fields, at, _| w.u16(name, fields[at] as u16 & 0x3fff),
});

/// An angle: 16 bits beside a pred block while PREDINFO is on, which is just the wrong way round.
pub(super) const fn angle_inverted(flag: u64) -> [Layout; 2] {
    [Layout::when(flag | UF_PREDINFO | delta::EXT_PREDINFO, Kind::Angle16), Layout::when(flag, Kind::Angle8)]
}

/// A byte, whether it holds the value or not.
pub(super) const BYTE_OF_ANY: Kind = Kind::Own(&OwnKind {
    name: "U8",
    holds: |_| true,
    read: |r, name, fields, at, _| {
        fields[at] = r.u8(name)?.into();
        Ok(())
    },
    write: |w, name, fields, at, _| w.u8(name, fields[at] as u8),
});

/// A short, whether it holds the value or not.
pub(super) const SHORT_OF_ANY: Kind = Kind::Own(&OwnKind {
    name: "U16",
    holds: |_| true,
    read: |r, name, fields, at, _| {
        fields[at] = r.u16(name)?.into();
        Ok(())
    },
    write: |w, name, fields, at, _| w.u16(name, fields[at] as u16),
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
