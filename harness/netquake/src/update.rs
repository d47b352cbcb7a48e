//! Fast updates: the state of one entity as its difference from the entity's baseline, in one datagram's terms alone.
//!
//! A record is the kit's: `i32` per field, floats as bits. What protocol 666 adds is read, and never written.

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
/// Number of fields.
pub const FIELDS: usize = 13;

/// What an entity looks like and where it is.
pub type Record = [i32; FIELDS];

/// An origin counts as changed when an axis differs by more than this, in units.
pub const ORIGIN_SLACK: f32 = 0.1;

/// The layout of the fields behind mask and entity number.
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
        row("alpha", ALPHA, 0, &[Layout::when(U_ALPHA as u64, Kind::U8)]),
        row("frame (high)", FRAME, 0, &[Layout::when(U_FRAME2 as u64, Kind::Own(&HIGH_BYTE))]),
        row("model (high)", MODEL, 0, &[Layout::when(U_MODEL2 as u64, Kind::Own(&HIGH_BYTE))]),
        row("lerpfinish", LERPFINISH, 0, &[Layout::when(U_LERPFINISH as u64, Kind::U8)]),
    ],
);

/// Bits 8 to 15 of a field whose low byte stands further up.
const HIGH_BYTE: OwnKind = OwnKind {
    name: "HighByte",
    holds: |value| (0..=0xffff).contains(&value),
    read: |r, name, fields, at, _| {
        fields[at] = fields[at] & 0xff | i32::from(r.u8(name)?) << 8;
        Ok(())
    },
    write: |w, name, fields, at, _| w.u8(name, (fields[at] >> 8) as u8),
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
    /// The `U_*` bits. Those that follow from the rest ([`U_SIGNAL`], [`U_MOREBITS`], [`U_LONGENTITY`]) are added when
    /// writing where needed.
    pub bits: u32,
    /// The fields that `bits` name; the others count for nothing.
    pub fields: Record,
}

impl FastUpdate {
    /// The update that tells a peer who holds `baseline` about `fields`. An entity that equals its baseline is mentioned
    /// all the same: that is how it stays visible.
    pub fn new(entity: u16, step: bool, baseline: &Record, fields: &Record) -> FastUpdate {
        let mut bits = UPDATE.diff(baseline, fields) as u32;
        for (axis, bit) in [U_ORIGIN1, U_ORIGIN2, U_ORIGIN3].into_iter().enumerate() {
            let moved = float_value(fields[ORIGIN + axis]) - float_value(baseline[ORIGIN + axis]);
            if moved.abs() <= ORIGIN_SLACK {
                bits &= !bit;
            }
        }
        bits |= if step { U_STEP } else { 0 };
        FastUpdate { entity, bits, fields: *fields }
    }

    /// What a peer who holds `baseline` comes to see.
    pub fn over(&self, baseline: &Record) -> Record {
        let mut record = *baseline;
        for row in UPDATE.rows {
            if row.layout(u64::from(self.bits)).is_some() {
                record[row.field] = self.fields[row.field];
            }
        }
        record
    }

    /// Whether the entity moves in steps.
    pub fn step(&self) -> bool {
        self.bits & U_STEP != 0
    }

    /// Appends the update, its first byte included.
    pub fn write(&self, w: &mut Writer<'_>, p: &Primitives) {
        let mut bits = self.bits & 0x7fff | U_SIGNAL;
        bits |= if self.entity > 0xff { U_LONGENTITY } else { 0 };
        bits |= if bits > 0xff { U_MOREBITS } else { 0 };
        w.u8("bits", bits as u8);
        if bits & U_MOREBITS != 0 {
            w.u8("more bits", (bits >> 8) as u8);
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
                bits |= u32::from(r.u8("extended bits")?) << 16;
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

/// Writes a record without a mask, as baselines and statics have it. Effects are no part of it.
pub fn write_record(w: &mut Writer<'_>, p: &Primitives, fields: &Record) {
    w.u8("model", fields[MODEL] as u8);
    w.u8("frame", fields[FRAME] as u8);
    w.u8("colormap", fields[COLORMAP] as u8);
    w.u8("skin", fields[SKIN] as u8);
    for axis in 0..3 {
        p.write_coord(w, "origin", fields[ORIGIN + axis]);
        p.write_angle(w, "angle", fields[ANGLES + axis]);
    }
}

/// Reads a record without a mask; effects are 0.
///
/// # Errors
/// The data ends inside it.
pub fn read_record(r: &mut Reader<'_>, p: &Primitives) -> Result<Record, DecodeError> {
    let mut fields = [0; FIELDS];
    fields[MODEL] = r.u8("model")?.into();
    fields[FRAME] = r.u8("frame")?.into();
    fields[COLORMAP] = r.u8("colormap")?.into();
    fields[SKIN] = r.u8("skin")?.into();
    for axis in 0..3 {
        fields[ORIGIN + axis] = p.read_coord(r, "origin")?;
        fields[ANGLES + axis] = p.read_angle(r, "angle")?;
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
    fn a_drift_of_a_tenth_of_a_unit_is_not_told() {
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
        // low bytes first, and behind everything else alpha, the high bytes, and the time.
        let bytes = [0xc1, 0x84, 0x0f, 7, 0x2c, 0x07, 128, 0x01, 0x01, 25];
        let mut r = Reader::new(&bytes[1..]);
        let update = FastUpdate::read(&mut r, bytes[0], &p).unwrap();
        assert_eq!((r.left(), update.entity), (0, 7));
        let fields = update.fields;
        assert_eq!((fields[MODEL], fields[FRAME], fields[ALPHA], fields[LERPFINISH]), (300, 263, 128, 25));
        let unknown = FastUpdate::read(&mut Reader::new(&[0x80, 0x10, 7]), 0x81, &p).unwrap_err();
        assert_eq!(unknown.to_string(), "extended bits at byte 1: unknown value 0x100000");
    }

    #[test]
    fn a_baseline_is_a_record_without_a_mask() {
        let mut out = Vec::new();
        let fields = record([10, 0, 0, 0, 0], [1.0, 2.0, 3.0], [0.0, 90.0, 0.0]);
        write_record(&mut Writer::new(&mut out), &Primitives::PLAIN, &fields);
        assert_eq!(out, [10, 0, 0, 0, 8, 0, 0, 16, 0, 64, 24, 0, 0]);
        assert_eq!(read_record(&mut Reader::new(&out), &Primitives::PLAIN), Ok(fields));
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
        // The last four are what protocol 666 adds.
        assert_eq!(lines.len(), 1 + 5 + 3 * 4 + 3 * 3 + 4);
        assert!(lines[1].starts_with("model") && lines[1].ends_with("when 10"), "{text}");
        assert!(text.contains("Coord16"), "{text}");
    }
}
