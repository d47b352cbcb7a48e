//! Bitmask records: which fields are on the wire, in which order, how wide.
//!
//! A delta record is a mask followed by fields. Whether a field is present, and how wide it is, is decided by
//! mask bits alone; so the whole layout is data, and this file is the only code that interprets it: the
//! encoder, the decoder, the diff, the printed layout and the tampering mutants all walk the same rows.
//!
//! A record's values are a slice of `i32`, one per field, indexed by the field's number. Fields whose unit is
//! a float hold the bits of an `f32` (`f32::to_bits() as i32`).
//!
//! The **gate** that decides the layout is a `u64`: the low 32 bits are the mask bits of the wire, the upper 32
//! are whatever else decides (negotiated extensions, dialects, bits of an enclosing mask).

use crate::reader::{DecodeError, Reader};
use crate::writer::Writer;

/// At most this many rows in a table, and fields in a record: one bit of a `u64` each.
pub const MAX_ROWS: usize = 64;

/// Fields compared at once.
const CHUNK: usize = 8;

/// The bits of a gate that stand on the wire.
pub const WIRE: u64 = 0xffff_ffff;

/// One record layout.
#[derive(Debug)]
pub struct Table {
    /// What the record is called.
    pub name: &'static str,
    /// The fields, in wire order.
    pub rows: &'static [Row],
    /// For each gate bit, the rows whose presence it can decide.
    rows_of_bit: [u64; 64],
    /// For each field, the mask bits to raise when it changed.
    raise_of_field: [u64; MAX_ROWS],
    /// The rows that fall back to zero when absent.
    zero_rows: u64,
    /// For each row, its form where a mask has no more than that needs.
    usual: [Usual; MAX_ROWS],
}

/// The form of a row where, of all bits that any of its forms looks at, a gate has the fewest that make it present. Most
/// gates are so, and one comparison tells.
#[derive(Clone, Copy, Debug)]
struct Usual {
    /// What its forms look at.
    mask: u64,
    /// The fewest bits.
    equals: u64,
    /// The encoding.
    kind: Kind,
}

impl Usual {
    /// Of a row without forms: no gate is so.
    const NONE: Usual = Usual { mask: 0, equals: u64::MAX, kind: Kind::U8 };

    const fn of(forms: &[Layout]) -> Usual {
        if forms.is_empty() {
            return Usual::NONE;
        }
        let (mut mask, mut equals, mut form) = (0, forms[0].equals, 0);
        while form < forms.len() {
            mask |= forms[form].mask;
            if forms[form].equals.count_ones() < equals.count_ones() {
                equals = forms[form].equals;
            }
            form += 1;
        }
        // The first whose condition holds counts.
        let mut first = 0;
        while equals & forms[first].mask != forms[first].equals {
            first += 1;
        }
        Usual { mask, equals, kind: forms[first].kind }
    }
}

/// One field of a record.
#[derive(Clone, Copy, Debug)]
pub struct Row {
    /// The field's name.
    pub name: &'static str,
    /// Index of its value in the record.
    pub field: usize,
    /// The mask bits to raise when its value changed.
    pub raise: u64,
    /// The mask bits by which the encoder chooses among `forms`; 0 where the rest of the mask decides alone.
    pub widens: u64,
    /// The ways to write it; the first whose condition holds counts. Where the encoder chooses, narrowest first.
    /// Empty for a field that travels inside a neighbour's [`OwnKind`].
    pub forms: &'static [Layout],
    /// What its absence means.
    pub absent: Absent,
}

/// One way to write a field: present, as `kind`, when `gate & mask == equals`.
#[derive(Clone, Copy, Debug)]
pub struct Layout {
    /// The gate bits looked at.
    pub mask: u64,
    /// What they must be.
    pub equals: u64,
    /// The encoding.
    pub kind: Kind,
}

/// What a decoder does with a field that the mask leaves out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Absent {
    /// Keep the value of the base record.
    Keep,
    /// Fall back to zero.
    Zero,
}

/// An encoding of one value (little-endian).
#[derive(Clone, Copy, Debug)]
pub enum Kind {
    /// Byte.
    U8,
    /// Char.
    I8,
    /// Ushort.
    U16,
    /// Short.
    I16,
    /// Ulong or long; the value's 32 bits as they are.
    U32,
    /// A float field as an IEEE single.
    F32,
    /// A float field as a short in eighths, rounded half away from zero (the Quake coord).
    Coord16,
    /// A float field as a short of whole units and a byte of 1/255 (24-bit coord).
    Coord24,
    /// A float field as a long in sixteenths (32-bit coord).
    Coord32,
    /// A float field in degrees as a byte, 256 to the circle, signed on reading.
    Angle8,
    /// A float field in degrees as a short, 65536 to the circle, signed on reading.
    Angle16,
    /// A layout of its own, for what no width describes.
    Own(&'static OwnKind),
}

/// Reader, writer and range of a field that is not simply a number of some width.
#[derive(Debug)]
pub struct OwnKind {
    /// What it is called in the printed layout.
    pub name: &'static str,
    /// Whether the value can be written.
    pub holds: fn(i32) -> bool,
    /// Reads into `fields[at]` (and neighbours, where one entry of the wire fills several fields).
    pub read: ReadOwn,
    /// Writes from `fields[at]` (and the same neighbours).
    pub write: WriteOwn,
}

/// Reads a field's own layout: reader, field name, record, index into it, gate.
pub type ReadOwn = fn(&mut Reader<'_>, &'static str, &mut [i32], usize, u64) -> Result<(), DecodeError>;

/// Writes a field's own layout: writer, field name, record, index into it, gate.
pub type WriteOwn = fn(&mut Writer<'_>, &'static str, &[i32], usize, u64);

/// The bits of a float as a record stores them; `-0.0` is stored as `0.0`, so that equal values have equal bits.
pub fn float_bits(value: f32) -> i32 {
    (value + 0.0).to_bits() as i32
}

/// The float that a record stores as `bits`.
pub fn float_value(bits: i32) -> f32 {
    f32::from_bits(bits as u32)
}

/// How far it is from a number in single precision to the next: no finer is a time that is sent so. 1/128 s after 18 hours.
pub fn float_step(value: f64) -> f64 {
    let value = (value.abs() as f32).min(f32::MAX / 2.0);
    f64::from(f32::from_bits(value.to_bits() + 1)) - f64::from(value)
}

/// `value * steps / whole`, rounded half away from zero; what does not fit wraps, as the engines' casts do.
///
/// The product of a single and a power of two is exact, so that halves of steps are known as what they are.
fn scaled(bits: i32, steps: f64, whole: f64) -> i32 {
    rounded(f64::from(float_value(bits)) * steps / whole) as i32
}

/// As `value.round() as i64`, which calls into a library of mathematics where the processor has no instruction for it.
#[inline]
fn rounded(value: f64) -> i64 {
    let whole = value as i64;
    let part = value - whole as f64;
    if part >= 0.5 {
        whole.saturating_add(1)
    } else if part <= -0.5 {
        whole.saturating_sub(1)
    } else {
        whole
    }
}

/// A 24-bit coord: whole units, and 1/255 of one.
fn whole_and_part(bits: i32) -> (i16, u8) {
    let value = float_value(bits);
    let whole = value.floor();
    // Rounded, not cut off: what was read back must be written as the same byte again.
    (whole as i64 as i16, ((value - whole) * 255.0).round() as u8)
}

impl Kind {
    /// Whether `value` survives being written and read back, but for the rounding of float fields.
    #[inline]
    pub fn holds(self, value: i32) -> bool {
        match self {
            Kind::U8 => (0..=0xff).contains(&value),
            Kind::I8 => (-0x80..=0x7f).contains(&value),
            Kind::U16 => (0..=0xffff).contains(&value),
            Kind::I16 => (-0x8000..=0x7fff).contains(&value),
            Kind::Own(own) => (own.holds)(value),
            _ => true,
        }
    }

    /// Writes `fields[at]`.
    #[inline]
    pub fn write(self, w: &mut Writer<'_>, name: &'static str, fields: &[i32], at: usize, gate: u64) {
        let value = fields[at];
        match self {
            Kind::U8 => w.u8(name, value as u8),
            Kind::I8 => w.i8(name, value as i8),
            Kind::U16 => w.u16(name, value as u16),
            Kind::I16 => w.i16(name, value as i16),
            Kind::U32 => w.u32(name, value as u32),
            Kind::F32 => w.u32(name, value as u32),
            Kind::Coord16 => w.i16(name, scaled(value, 8.0, 1.0) as i16),
            Kind::Coord24 => {
                let (whole, part) = whole_and_part(value);
                w.i16(name, whole);
                w.u8(name, part);
            }
            Kind::Coord32 => w.i32(name, scaled(value, 16.0, 1.0)),
            Kind::Angle8 => w.i8(name, scaled(value, 256.0, 360.0) as i8),
            Kind::Angle16 => w.i16(name, scaled(value, 65536.0, 360.0) as i16),
            Kind::Own(own) => (own.write)(w, name, fields, at, gate),
        }
    }

    /// Reads into `fields[at]`.
    #[inline(always)]
    pub fn read(
        self,
        r: &mut Reader<'_>,
        name: &'static str,
        fields: &mut [i32],
        at: usize,
        gate: u64,
    ) -> Result<(), DecodeError> {
        fields[at] = match self {
            Kind::U8 => r.u8(name)?.into(),
            Kind::I8 => r.i8(name)?.into(),
            Kind::U16 => r.u16(name)?.into(),
            Kind::I16 => r.i16(name)?.into(),
            Kind::U32 => r.i32(name)?,
            Kind::F32 => float_bits(r.f32(name)?),
            Kind::Coord16 => float_bits(f32::from(r.fraction16(name, 8)?) / 8.0),
            Kind::Coord24 => float_bits(f32::from(r.i16(name)?) + f32::from(r.u8(name)?) / 255.0),
            Kind::Coord32 => float_bits(r.i32(name)? as f32 / 16.0),
            Kind::Angle8 => float_bits(f32::from(r.i8(name)?) * 360.0 / 256.0),
            Kind::Angle16 => float_bits(f32::from(r.i16(name)?) * 360.0 / 65536.0),
            Kind::Own(own) => return (own.read)(r, name, fields, at, gate),
        };
        Ok(())
    }

    /// What the peer will hold after `fields[at]` was written as this kind and read back.
    ///
    /// Only the plain kinds round; an [`OwnKind`] that holds the value keeps it.
    #[inline]
    pub fn quantise(self, value: i32) -> i32 {
        if value == 0 {
            // Most fields are, and every kind holds it.
            return 0;
        }
        match self {
            Kind::U8 => (value as u8).into(),
            Kind::I8 => (value as i8).into(),
            Kind::U16 => (value as u16).into(),
            Kind::I16 => (value as i16).into(),
            Kind::F32 => float_bits(float_value(value)),
            Kind::Coord16 => float_bits(f32::from(scaled(value, 8.0, 1.0) as i16) / 8.0),
            Kind::Coord24 => {
                let (whole, part) = whole_and_part(value);
                float_bits(f32::from(whole) + f32::from(part) / 255.0)
            }
            Kind::Coord32 => float_bits(scaled(value, 16.0, 1.0) as f32 / 16.0),
            Kind::Angle8 => float_bits(f32::from(scaled(value, 256.0, 360.0) as i8) * 360.0 / 256.0),
            Kind::Angle16 => float_bits(f32::from(scaled(value, 65536.0, 360.0) as i16) * 360.0 / 65536.0),
            Kind::U32 | Kind::Own(_) => value,
        }
    }
}

impl Table {
    /// Builds the table's index. Evaluated at compile time for a `static`.
    pub const fn new(name: &'static str, rows: &'static [Row]) -> Table {
        assert!(rows.len() <= MAX_ROWS, "a table has at most MAX_ROWS rows");
        let (mut rows_of_bit, mut raise_of_field, mut zero_rows) = ([0; 64], [0; MAX_ROWS], 0);
        let mut usual = [Usual::NONE; MAX_ROWS];
        let mut row = 0;
        while row < rows.len() {
            let mut decides = 0;
            let mut form = 0;
            while form < rows[row].forms.len() {
                decides |= rows[row].forms[form].equals & WIRE;
                form += 1;
            }
            let mut bit = 0;
            while bit < 64 {
                if decides & (1 << bit) != 0 {
                    rows_of_bit[bit] |= 1 << row;
                }
                bit += 1;
            }
            raise_of_field[rows[row].field] |= rows[row].raise;
            if matches!(rows[row].absent, Absent::Zero) {
                zero_rows |= 1 << row;
            }
            usual[row] = Usual::of(rows[row].forms);
            row += 1;
        }
        Table { name, rows, rows_of_bit, raise_of_field, zero_rows, usual }
    }

    /// The mask bits to raise so that a peer that holds `from` comes to hold `to`.
    #[inline]
    pub fn diff(&self, from: &[i32], to: &[i32]) -> u64 {
        let mut bits = 0;
        // Most fields of most records are equal: compare eight at a time, and look closely only where they differ.
        let ((old_chunks, old_rest), (new_chunks, new_rest)) = (from.as_chunks::<CHUNK>(), to.as_chunks::<CHUNK>());
        let mut closely = |old: &[i32], new: &[i32], raise: &[u64]| {
            for ((old, new), raise) in old.iter().zip(new).zip(raise) {
                bits |= if old == new { 0 } else { *raise };
            }
        };
        for (index, (old, new)) in old_chunks.iter().zip(new_chunks).enumerate() {
            if old != new {
                closely(old, new, &self.raise_of_field[index * CHUNK..]);
            }
        }
        closely(old_rest, new_rest, &self.raise_of_field[from.len() - old_rest.len()..]);
        bits
    }

    /// The rows that some set bit of `gate` can make present, in wire order.
    #[inline]
    fn candidates(&self, gate: u64) -> Rows {
        let (mut bits, mut rows) = (gate & WIRE, 0);
        while bits != 0 {
            rows |= self.rows_of_bit[bits.trailing_zeros() as usize];
            bits &= bits - 1;
        }
        Rows(rows)
    }

    /// The encoding that `gate` gives the row at `index`, if it is present.
    #[inline]
    fn kind(&self, index: usize, gate: u64) -> Option<Kind> {
        let usual = &self.usual[index];
        if gate & usual.mask == usual.equals {
            return Some(usual.kind);
        }
        self.rows[index].layout(gate).map(|form| form.kind)
    }

    /// The rows that `gate` makes present, in wire order.
    #[inline]
    pub fn present(&self, gate: u64) -> impl Iterator<Item = &'static Row> {
        let rows = self.rows;
        self.candidates(gate).filter(move |&index| self.kind(index, gate).is_some()).map(move |index| &rows[index])
    }

    /// Chooses widths: the final gate for writing the fields that `gate`'s bits name.
    ///
    /// For each such field the narrowest layout that holds its value decides; bits that widen several fields at
    /// once are set when any of them needs it.
    pub fn widen(&self, gate: u64, fields: &[i32]) -> u64 {
        let mut wide = gate;
        for index in self.candidates(gate) {
            let row = &self.rows[index];
            if row.widens == 0 || row.raise & gate == 0 {
                continue;
            }
            let fits = |form: &&Layout| {
                (gate ^ form.equals) & form.mask & !row.widens == 0 && form.kind.holds(fields[row.field])
            };
            if let Some(form) = row.forms.iter().find(fits) {
                // The row's own bit gives way to the layout's (effects: bit 29 instead of bit 5); bits that other
                // rows share are only ever set.
                wide = (wide & !(row.raise & form.mask & !form.equals)) | (form.equals & row.widens);
            }
        }
        wide
    }

    /// Writes the fields that `gate` makes present.
    #[inline]
    pub fn encode(&self, gate: u64, fields: &[i32], w: &mut Writer<'_>) {
        for index in self.candidates(gate) {
            let row = &self.rows[index];
            if let Some(kind) = self.kind(index, gate) {
                kind.write(w, row.name, fields, row.field, gate);
            }
        }
    }

    /// Reads the fields that `gate` makes present into `fields`, which holds the base record.
    ///
    /// # Errors
    /// The first field that is cut off or malformed. Fields read before it are already stored.
    #[inline]
    pub fn decode(&self, gate: u64, fields: &mut [i32], r: &mut Reader<'_>) -> Result<(), DecodeError> {
        for index in Rows(self.zero_rows) {
            fields[self.rows[index].field] = 0;
        }
        for index in self.candidates(gate) {
            let row = &self.rows[index];
            if let Some(kind) = self.kind(index, gate) {
                kind.read(r, row.name, fields, row.field, gate)?;
            }
        }
        Ok(())
    }

    /// The layout that `gate` gives the field, if it is present.
    pub fn layout_of(&self, field: usize, gate: u64) -> Option<&'static Layout> {
        self.rows.iter().filter(|row| row.field == field).find_map(|row| row.layout(gate))
    }

    /// The table as text, one line per layout of each row: the reviewed golden of the wire.
    pub fn describe(&self, name_of_bit: &dyn Fn(u32) -> String) -> String {
        let names = |bits: u64| {
            let list: Vec<String> = (0..64).filter(|bit| bits & (1 << bit) != 0).map(name_of_bit).collect();
            list.join("+")
        };
        let mut text = format!("{}\n", self.name);
        for row in self.rows {
            for form in row.forms {
                let without = form.mask & !form.equals;
                let kind = match form.kind {
                    Kind::Own(own) => String::from(own.name),
                    kind => format!("{kind:?}"),
                };
                let condition = match without {
                    0 => names(form.equals),
                    bits => format!("{} without {}", names(form.equals), names(bits)),
                };
                let absent = if row.absent == Absent::Zero { "; absent: 0" } else { "" };
                text.push_str(&format!("  {:<16} {kind:<12} when {condition}{absent}\n", row.name));
            }
        }
        text
    }
}

impl Row {
    /// The layout that `gate` selects, if the field is present.
    #[inline]
    pub fn layout(&self, gate: u64) -> Option<&'static Layout> {
        let forms: &'static [Layout] = self.forms;
        forms.iter().find(|form| gate & form.mask == form.equals)
    }
}

impl Layout {
    /// Present as `kind` when all of `bits` are set.
    pub const fn when(bits: u64, kind: Kind) -> Layout {
        Layout { mask: bits, equals: bits, kind }
    }

    /// Present as `kind` when all of `set` are set and none of `clear` is.
    pub const fn without(set: u64, clear: u64, kind: Kind) -> Layout {
        Layout { mask: set | clear, equals: set, kind }
    }
}

/// Row indices, from a bit set, lowest first.
struct Rows(u64);

impl Iterator for Rows {
    type Item = usize;

    #[inline]
    fn next(&mut self) -> Option<usize> {
        if self.0 == 0 {
            return None;
        }
        let index = self.0.trailing_zeros() as usize;
        self.0 &= self.0 - 1;
        Some(index)
    }
}
