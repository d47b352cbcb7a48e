//! Fast updates: the state of one entity as its difference from the entity's baseline, in one datagram's terms alone.
//!
//! A record is the kit's: `i32` per field, floats as bits. What protocol 666 adds is read and written where
//! [`Primitives::extended_updates`] says so.

use crate::constants::*;
use crate::primitives::{GATE_ANGLE_FLOAT, GATE_ANGLE16, GATE_COORD_FLOAT, GATE_COORD24, GATE_COORD32, Primitives};
use kit::table::{Absent, Kind, Layout, OwnKind, Row, Table, WIRE, float_value};
use kit::{DecodeError, ErrorKind, Reader, Writer};

/// Index of the model's number in a [`Record`].
pub const MODEL: usize = 0;
/// Index of the frame.
pub const FRAME: usize = 1;
/// Index of the colour map.
pub const COLORMAP: usize = 2;
/// Index of the skin.
pub const SKIN: usize = 3;
/// Index of the effects.
pub const EFFECTS: usize = 4;
/// Index of the origin's x; y and z follow.
pub const ORIGIN: usize = 5;
/// Index of pitch; yaw and roll follow.
pub const ANGLES: usize = 8;
/// Index of alpha, as protocol 666 codes it.
pub const ALPHA: usize = 11;
/// Index of the time to the next frame, as protocol 666 codes it.
pub const LERPFINISH: usize = 12;
/// Index of the scale, in sixteenths, which one engine sends over protocol 666.
pub const SCALE: usize = 13;
/// Number of fields.
pub const FIELDS: usize = 14;

/// What an entity looks like and where it is.
pub type Record = [i32; FIELDS];

/// An origin counts as changed when an axis differs by more than this, in units.
pub const ORIGIN_SLACK: f64 = 0.1;

/// The layout of the fields after mask and entity number.
pub static UPDATE: Table = Table::new(
    "fast update",
    &[
        row("model", MODEL, U_MODEL, &[Layout::when(U_MODEL as u64, Kind::U8)]),
        row("frame", FRAME, U_FRAME, &[Layout::when(U_FRAME as u64, Kind::U8)]),
        row("colormap", COLORMAP, U_COLORMAP, &[Layout::when(U_COLORMAP as u64, Kind::U8)]),
        row("skin", SKIN, U_SKIN, &[Layout::when(U_SKIN as u64, Kind::U8)]),
        row("effects", EFFECTS, U_EFFECTS, &[Layout::when(U_EFFECTS as u64, Kind::U8)]),
        row("origin x", ORIGIN, U_ORIGIN1, &coord(U_ORIGIN1)),
        row("pitch", ANGLES, U_ANGLE1, &angle(U_ANGLE1)),
        row("origin y", ORIGIN + 1, U_ORIGIN2, &coord(U_ORIGIN2)),
        row("yaw", ANGLES + 1, U_ANGLE2, &angle(U_ANGLE2)),
        row("origin z", ORIGIN + 2, U_ORIGIN3, &coord(U_ORIGIN3)),
        row("roll", ANGLES + 2, U_ANGLE3, &angle(U_ANGLE3)),
        row("alpha", ALPHA, 0, &[Layout::when(U_ALPHA as u64, Kind::U8)]), // FITZ-ENT-05
        row("scale", SCALE, 0, &[Layout::when(U_SCALE as u64, Kind::U8)]),
        row("frame (high)", FRAME, 0, &[Layout::when(U_FRAME2 as u64, Kind::Own(&HIGH_BYTE))]), // FITZ-ENT-06
        row("model (high)", MODEL, 0, &[Layout::when(U_MODEL2 as u64, Kind::Own(&HIGH_BYTE))]), // FITZ-ENT-07
        row("lerpfinish", LERPFINISH, 0, &[Layout::when(U_LERPFINISH as u64, Kind::U8)]),       // FITZ-ENT-08
    ],
);

/// Bits 8 to 15 of a field whose low byte stands further up.
const HIGH_BYTE: OwnKind = OwnKind {
    name: "HighByte",
    holds: |value| (0..=0xffff).contains(&value),
    read: |r, name, fields, at, _| {
        fields[at] = fields[at] & 0xff | i32::from(r.u8(name)?) << 8; // FITZ-MODEL-02
        Ok(())
    },
    write: |w, name, fields, at, _| w.u8(name, (fields[at] >> 8) as u8), // FITZ-DEF-05
};

const fn row(name: &'static str, field: usize, raise: u32, forms: &'static [Layout]) -> Row {
    Row { name, field, raise: raise as u64, widens: 0, forms, absent: Absent::Keep }
}

const fn coord(bit: u32) -> [Layout; 4] {
    let bit = bit as u64;
    [
        Layout::when(bit | GATE_COORD_FLOAT, Kind::F32),
        Layout::when(bit | GATE_COORD24, Kind::Coord24),
        Layout::when(bit | GATE_COORD32, Kind::Coord32),
        Layout::when(bit, Kind::Coord16),
    ]
}

const fn angle(bit: u32) -> [Layout; 3] {
    let bit = bit as u64;
    [
        Layout::when(bit | GATE_ANGLE_FLOAT, Kind::F32),
        Layout::when(bit | GATE_ANGLE16, Kind::Angle16),
        Layout::when(bit, Kind::Angle8),
    ]
}

/// A fast update.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FastUpdate {
    /// The entity's number.
    pub entity: u16,
    /// The `U_*` bits. Those that follow from the rest ([`U_SIGNAL`], [`U_MOREBITS`], [`U_LONGENTITY`], [`U_EXTEND1`]) are
    /// added when writing where needed; they may be there without need, and are what was read.
    pub bits: u32,
    /// The fields that `bits` name; the others count for nothing.
    pub fields: Record,
}

impl FastUpdate {
    /// The update from `baseline` to `fields`. An entity that equals its baseline is mentioned all the same: that is
    /// how it stays visible.
    pub fn new(entity: u16, step: bool, baseline: &Record, fields: &Record) -> FastUpdate {
        let mut bits = UPDATE.diff(baseline, fields) as u32;
        for (axis, bit) in [U_ORIGIN1, U_ORIGIN2, U_ORIGIN3].into_iter().enumerate() {
            let moved = float_value(fields[ORIGIN + axis]) - float_value(baseline[ORIGIN + axis]);
            if f64::from(moved).abs() <= ORIGIN_SLACK {
                bits &= !bit;
            }
        }
        bits |= if step { U_STEP } else { 0 };
        FastUpdate { entity, bits, fields: *fields }
    }

    /// The same in protocol 666, with what it adds: alpha, high bytes, and the time to the next frame, in 1/255 s.
    pub fn extended(entity: u16, step: bool, baseline: &Record, fields: &Record, lerpfinish: Option<u8>) -> FastUpdate {
        let mut update = FastUpdate::new(entity, step, baseline, fields);
        update.bits |= if fields[ALPHA] != baseline[ALPHA] { U_ALPHA } else { 0 };
        for (field, low, high) in [(FRAME, U_FRAME, U_FRAME2), (MODEL, U_MODEL, U_MODEL2)] {
            // FITZ-FRAME-01, FITZ-MODEL-01
            update.bits |= if update.bits & low != 0 && fields[field] > 0xff { high } else { 0 };
        }
        if let Some(lerpfinish) = lerpfinish {
            update.bits |= U_LERPFINISH;
            update.fields[LERPFINISH] = lerpfinish.into();
        }
        update
    }

    /// What a peer who holds `baseline` comes to see.
    pub fn over(&self, baseline: &Record) -> Record {
        let mut record = *baseline; // FITZ-FRAME-03
        for row in UPDATE.present(u64::from(self.bits)) {
            record[row.field] = self.fields[row.field]; // FITZ-FRAME-02: both bytes of it
        }
        // A high byte alone leaves the low one.
        for (field, low, high) in [(FRAME, U_FRAME, U_FRAME2), (MODEL, U_MODEL, U_MODEL2)] {
            if self.bits & (low | high) == high {
                record[field] = self.fields[field] & 0xff00 | baseline[field] & 0xff;
            }
        }
        record
    }

    /// Whether the entity moves in steps.
    pub fn step(&self) -> bool {
        self.bits & U_STEP != 0
    }

    /// Appends the update, its first byte included. Bits that nobody knows are left out, and in protocol 15 those of
    /// protocol 666.
    pub fn write(&self, w: &mut Writer<'_>, p: &Primitives) {
        let mut bits = self.bits & if p.extended_updates { U_KNOWN } else { U_EXTEND1 - 1 } | U_SIGNAL;
        bits |= if self.entity > 0xff { U_LONGENTITY } else { 0 }; // FITZ-ENT-13
        bits |= if bits > 0xffff { U_EXTEND1 } else { 0 }; // FITZ-ENT-01
        bits |= if bits > 0xff { U_MOREBITS } else { 0 }; // FITZ-ENT-02
        w.u8("bits", bits as u8);
        if bits & U_MOREBITS != 0 {
            w.u8("more bits", (bits >> 8) as u8);
        }
        if bits & U_EXTEND1 != 0 {
            w.u8("extended bits", (bits >> 16) as u8);
        }
        match bits & U_LONGENTITY {
            0 => w.u8("entity", self.entity as u8),
            _ => w.u16("entity", self.entity),
        }
        UPDATE.encode(u64::from(bits) | p.gate(), &self.fields, w);
    }

    /// Reads the update whose first byte, already read, was `first`.
    ///
    /// # Errors
    /// The data ends inside it, [`U_EXTEND1`] is set, which protocol 15 leaves undefined, or a bit that no protocol
    /// defines.
    pub fn read(r: &mut Reader<'_>, first: u8, p: &Primitives) -> Result<FastUpdate, DecodeError> {
        let mut bits = u32::from(first);
        if bits & U_MOREBITS != 0 {
            let offset = r.at();
            bits |= u32::from(r.u8("more bits")?) << 8;
            if bits & U_EXTEND1 != 0 && !p.extended_updates {
                return r.error(offset, "more bits", ErrorKind::Unknown { value: U_EXTEND1 });
            }
            if bits & U_EXTEND1 != 0 {
                bits |= u32::from(r.u8("extended bits")?) << 16; // FITZ-ENT-03
            }
            if bits & !U_KNOWN != 0 {
                return r.error(offset + 1, "extended bits", ErrorKind::Unknown { value: bits & !U_KNOWN });
            }
        }
        let entity = match bits & U_LONGENTITY {
            0 => r.u8("entity")?.into(),
            _ => r.u16("entity")?,
        };
        let mut fields = [0; FIELDS];
        UPDATE.decode(u64::from(bits) & WIRE | p.gate(), &mut fields, r)?;
        Ok(FastUpdate { entity, bits, fields })
    }
}

/// Baseline of protocol 666: the model's number is a short.
pub const B_LARGEMODEL: u8 = 1;
/// Baseline of protocol 666: the frame's number is a short.
pub const B_LARGEFRAME: u8 = 2;
/// Baseline of protocol 666: alpha follows behind everything else.
pub const B_ALPHA: u8 = 4;
/// Baseline of protocol 999: the scale follows behind everything else.
pub const B_SCALE: u8 = 8;

/// The `B_*` bits that a record needs; where there are none, a baseline of protocol 15 holds it.
pub fn baseline_bits(fields: &Record) -> u8 {
    let when = |condition, bit| if condition { bit } else { 0 };
    when(fields[MODEL] > 0xff, B_LARGEMODEL)
        | when(fields[FRAME] > 0xff, B_LARGEFRAME)
        | when(fields[ALPHA] != 0, B_ALPHA)
}

/// Writes a record without a mask, as baselines and statics have it, with the `B_*` bits of protocol 666 that were
/// written before (0 for a record of protocol 15). Effects are no part of it.
pub fn write_record(w: &mut Writer<'_>, p: &Primitives, bits: u8, fields: &Record) {
    // FITZ-BASE-03, FITZ-BASE-04
    for (field, at, wide) in [("model", MODEL, B_LARGEMODEL), ("frame", FRAME, B_LARGEFRAME)] {
        match bits & wide {
            0 => w.u8(field, fields[at] as u8),
            _ => w.u16(field, fields[at] as u16),
        }
    }
    w.u8("colormap", fields[COLORMAP] as u8);
    w.u8("skin", fields[SKIN] as u8);
    for axis in 0..3 {
        p.write_coord(w, "origin", fields[ORIGIN + axis]);
        p.write_angle(w, "angle", fields[ANGLES + axis]);
    }
    if bits & B_ALPHA != 0 {
        w.u8("alpha", fields[ALPHA] as u8); // FITZ-BASE-05
    }
    if bits & B_SCALE != 0 {
        w.u8("scale", fields[SCALE] as u8);
    }
}

/// Reads a record without a mask; effects are 0, and so are alpha and scale where `bits` do not announce them.
///
/// # Errors
/// The data ends inside it.
pub fn read_record(r: &mut Reader<'_>, p: &Primitives, bits: u8) -> Result<Record, DecodeError> {
    let mut fields = [0; FIELDS];
    for (field, at, wide) in [("model", MODEL, B_LARGEMODEL), ("frame", FRAME, B_LARGEFRAME)] {
        fields[at] = match bits & wide {
            0 => r.u8(field)?.into(),
            _ => r.u16(field)?.into(),
        };
    }
    fields[COLORMAP] = r.u8("colormap")?.into();
    fields[SKIN] = r.u8("skin")?.into();
    for axis in 0..3 {
        fields[ORIGIN + axis] = p.read_coord(r, "origin")?;
        fields[ANGLES + axis] = p.read_angle(r, "angle")?;
    }
    if bits & B_ALPHA != 0 {
        fields[ALPHA] = r.u8("alpha")?.into();
    }
    if bits & B_SCALE != 0 {
        fields[SCALE] = r.u8("scale")?.into();
    }
    Ok(fields)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::primitives::BigEntities;
    use kit::table::float_bits;

    /// The difference between the records has these bytes, and applying them to the baseline gives `to`.
    fn check(p: &Primitives, update: FastUpdate, from: &Record, to: &Record, bytes: &[u8]) {
        let mut out = Vec::new();
        update.write(&mut Writer::new(&mut out), p);
        assert_eq!(out, bytes);
        let mut r = Reader::new(&bytes[1..]);
        let back = FastUpdate::read(&mut r, bytes[0], p).unwrap();
        assert_eq!((r.left(), back.entity, back.step()), (0, update.entity, update.step()));
        assert_eq!(&back.over(from), to);
        assert_eq!(update.over(from), back.over(from));
        for length in 1..bytes.len() {
            let error = FastUpdate::read(&mut Reader::new(&bytes[1..length]), bytes[0], p).unwrap_err();
            assert!(matches!(error.kind, ErrorKind::Truncated { .. }) && !error.field.is_empty());
        }
    }

    fn record(ints: [i32; 5], origin: [f32; 3], angles: [f32; 3]) -> Record {
        let mut record = [0; FIELDS];
        record[..5].copy_from_slice(&ints);
        for axis in 0..3 {
            record[ORIGIN + axis] = float_bits(origin[axis]);
            record[ANGLES + axis] = float_bits(angles[axis]);
        }
        record
    }

    #[test]
    fn an_unchanged_entity_is_two_or_four_bytes() {
        let base = record([1, 5, 0, 0, 0], [1.0, 2.0, 3.0], [0.0; 3]);
        check(&Primitives::PLAIN, FastUpdate::new(1, false, &base, &base), &base, &base, &[0x80, 1]);
        check(&Primitives::PLAIN, FastUpdate::new(256, false, &base, &base), &base, &base, &[0x81, 0x40, 0, 1]);
    }

    #[test]
    fn only_changed_fields_travel_in_wire_order() {
        let base = record([1, 5, 0, 0, 0], [0.0; 3], [0.0; 3]);
        let to = record([9, 7, 1, 2, 8], [16.0, -1.125, 0.0], [0.0, 90.0, -45.0]);
        let bytes = [0xf7, 0x3e, 7, 9, 7, 1, 2, 8, 0x80, 0, 0xf7, 0xff, 0x40, 0xe0];
        check(&Primitives::PLAIN, FastUpdate::new(7, true, &base, &to), &base, &to, &bytes);
    }

    #[test]
    fn a_drift_of_a_tenth_of_a_unit_is_not_sent() {
        let base = record([1, 0, 0, 0, 0], [4.0; 3], [0.0; 3]);
        let near = record([1, 0, 0, 0, 0], [4.09375, 3.90625, 4.0], [0.0; 3]);
        check(&Primitives::PLAIN, FastUpdate::new(3, false, &base, &near), &base, &base, &[0x80, 3]);
        let far = record([1, 0, 0, 0, 0], [4.125, 4.0, 4.0], [0.0; 3]);
        check(&Primitives::PLAIN, FastUpdate::new(3, false, &base, &far), &base, &far, &[0x82, 3, 33, 0]);
    }

    #[test]
    fn float_coords_and_short_angles_are_honoured() {
        let p = Primitives::negotiated(15, 0, true, BigEntities::Plain);
        let base = record([1, 0, 0, 0, 0], [0.0; 3], [0.0; 3]);
        let to = record([1, 0, 0, 0, 0], [0.0, 0.0, 1.0], [-90.0, 0.0, 0.0]);
        let bytes = [0x89, 1, 2, 0, 0xc0, 0, 0, 0x80, 0x3f];
        check(&p, FastUpdate::new(2, false, &base, &to), &base, &to, &bytes);
    }

    #[test]
    fn the_extension_bit_is_unknown_in_protocol_15() {
        let error = FastUpdate::read(&mut Reader::new(&[0x80, 1, 7]), 0x81, &Primitives::PLAIN).unwrap_err();
        assert_eq!(error.to_string(), "more bits at byte 0: unknown value 0x8000");
    }

    #[test]
    fn protocol_666_adds_alpha_high_bytes_and_the_time_to_the_next_frame() {
        let p = Primitives { extended_updates: true, ..Primitives::PLAIN };
        // MOREBITS, FRAME, SIGNAL; MODEL, EXTEND1; ALPHA, FRAME2, MODEL2, LERPFINISH; entity 7; then model and frame,
        // low bytes first, and after everything else alpha, the high bytes, and the time.
        let bytes = [0xc1, 0x84, 0x0f, 7, 0x2c, 0x07, 128, 0x01, 0x01, 25];
        let mut r = Reader::new(&bytes[1..]);
        let update = FastUpdate::read(&mut r, bytes[0], &p).unwrap();
        assert_eq!((r.left(), update.entity), (0, 7));
        let fields = update.fields;
        assert_eq!((fields[MODEL], fields[FRAME], fields[ALPHA], fields[LERPFINISH]), (300, 263, 128, 25));
        let unknown = FastUpdate::read(&mut Reader::new(&[0x80, 0x20, 7]), 0x81, &p).unwrap_err();
        assert_eq!(unknown.to_string(), "extended bits at byte 1: unknown value 0x200000");
        let reserved = FastUpdate::read(&mut Reader::new(&[0x80, 0x80, 7]), 0x81, &p).unwrap_err();
        assert_eq!(reserved.to_string(), "extended bits at byte 1: unknown value 0x800000");
    }

    /// Protocol 666.
    const EXTENDED: Primitives = Primitives { extended_updates: true, ..Primitives::PLAIN };

    #[test]
    fn an_update_of_protocol_666_carries_everything_that_it_adds() {
        // Worked by hand: ORIGIN1, ANGLE2, STEP, FRAME with SIGNAL and MOREBITS are F3; MODEL, LONGENTITY, EXTEND1 are C4;
        // the third byte has its lower four bits. Model 300 is 01 2C, frame 261 is 01 05; 100.25 * 8 is 802, 0322; a yaw
        // of 90 is 64; opacity 0.5 has the code 128; half a second is 128 of 255.
        let base = record([1, 5, 0, 0, 0], [0.0; 3], [0.0; 3]);
        let mut to = record([300, 261, 0, 0, 0], [100.25, 0.0, 0.0], [0.0, 90.0, 0.0]);
        to[ALPHA] = 128;
        let update = FastUpdate::extended(300, true, &base, &to, Some(128));
        to[LERPFINISH] = 128;
        let bytes = [0xf3, 0xc4, 0x0f, 0x2c, 1, 0x2c, 5, 0x22, 3, 0x40, 0x80, 1, 1, 0x80];
        check(&EXTENDED, update, &base, &to, &bytes);
        // Without anything of protocol 666 but alpha: invisible.
        let mut unseen = base;
        unseen[ALPHA] = 1;
        check(&EXTENDED, FastUpdate::extended(7, false, &base, &unseen, None), &base, &unseen, &[0x81, 0x80, 1, 7, 1]);
    }

    #[test]
    fn a_frame_without_its_high_byte_has_none_even_over_a_baseline_that_has() {
        let base = record([1, 300, 0, 0, 0], [0.0; 3], [0.0; 3]);
        let to = record([1, 44, 0, 0, 0], [0.0; 3], [0.0; 3]);
        // Low bytes alike: 300 is 256 + 44.
        check(&EXTENDED, FastUpdate::extended(7, false, &base, &to, None), &base, &to, &[0xc0, 7, 44]);
        check(&EXTENDED, FastUpdate::extended(7, false, &base, &base, None), &base, &base, &[0x80, 7]);
        // A high byte alone, which nobody sends, joins the baseline's low byte.
        let joined = record([1, 0x12c + 0x100, 0, 0, 0], [0.0; 3], [0.0; 3]);
        let update = FastUpdate { entity: 7, bits: U_FRAME2, fields: record([0, 0x200, 0, 0, 0], [0.0; 3], [0.0; 3]) };
        check(&EXTENDED, update, &base, &joined, &[0x81, 0x80, 2, 7, 2]);
    }

    #[test]
    fn bytes_of_bits_without_need_and_the_scale_of_one_engine_are_read_and_written() {
        let base = record([1, 0, 0, 0, 0], [0.0; 3], [0.0; 3]);
        for (bits, bytes) in
            [(U_MOREBITS, &[0x81, 0, 7][..]), (U_EXTEND1, &[0x81, 0x80, 0, 7]), (U_LONGENTITY, &[0x81, 0x40, 7, 0])]
        {
            check(&EXTENDED, FastUpdate { entity: 7, bits, fields: base }, &base, &base, bytes);
        }
        let mut scaled = base;
        (scaled[ALPHA], scaled[SCALE]) = (9, 32);
        let update = FastUpdate { entity: 7, bits: U_ALPHA | U_SCALE, fields: scaled };
        check(&EXTENDED, update, &base, &scaled, &[0x81, 0x80, 0x11, 7, 9, 32]);
    }

    #[test]
    fn protocol_15_has_no_place_for_what_666_adds() {
        let base = record([1, 0, 0, 0, 0], [0.0; 3], [0.0; 3]);
        let mut to = base;
        (to[FRAME], to[ALPHA]) = (300, 9);
        let mut out = Vec::new();
        FastUpdate::extended(7, false, &base, &to, Some(1)).write(&mut Writer::new(&mut out), &Primitives::PLAIN);
        assert_eq!(out, [0xc0, 7, 44]);
    }

    #[test]
    fn a_baseline_is_a_record_without_a_mask() {
        let mut out = Vec::new();
        let fields = record([10, 0, 0, 0, 0], [1.0, 2.0, 3.0], [0.0, 90.0, 0.0]);
        write_record(&mut Writer::new(&mut out), &Primitives::PLAIN, 0, &fields);
        assert_eq!(out, [10, 0, 0, 0, 8, 0, 0, 16, 0, 64, 24, 0, 0]);
        assert_eq!(read_record(&mut Reader::new(&out), &Primitives::PLAIN, 0), Ok(fields));
    }

    #[test]
    fn the_layout_is_as_reviewed() {
        let names = |bit: u32| match bit {
            0..32 => format!("{bit}"),
            33 => String::from("float coords"),
            32 => String::from("24-bit coords"),
            34 => String::from("32-bit coords"),
            35 => String::from("short angles"),
            _ => String::from("float angles"),
        };
        let text = UPDATE.describe(&names);
        let lines: Vec<&str> = text.lines().map(str::trim).collect();
        // The last five are what protocol 666 adds, and the scale that comes with it.
        assert_eq!(lines.len(), 1 + 5 + 3 * 4 + 3 * 3 + 5);
        assert!(lines[1].starts_with("model") && lines[1].ends_with("when 10"), "{text}");
        assert!(text.contains("Coord16"), "{text}");
    }
}
