//! Coords, angles and entity numbers, whose encodings are negotiated.
//!
//! A coord or an angle is a float in a record's form: the bits of an `f32` (see [`kit::table::float_bits`]).

use crate::constants::{
    PRFL_24BITCOORD, PRFL_FLOATANGLE, PRFL_FLOATCOORD, PRFL_INT32COORD, PRFL_SHORTANGLE, PROTOCOL_FITZQUAKE,
    PROTOCOL_RMQ,
};
use kit::table::Kind;
use kit::{DecodeError, Reader, Writer};

/// Gate bit of a [`kit::table::Table`]: coords are 24-bit ([`Primitives::gate`]).
pub const GATE_COORD24: u64 = 1 << 32;
/// Gate bit: coords are floats.
pub const GATE_COORD_FLOAT: u64 = 1 << 33;
/// Gate bit: coords are longs in sixteenths.
pub const GATE_COORD32: u64 = 1 << 34;
/// Gate bit: angles are shorts.
pub const GATE_ANGLE16: u64 = 1 << 35;
/// Gate bit: angles are floats.
pub const GATE_ANGLE_FLOAT: u64 = 1 << 36;

/// The number whose top bit announces the third byte of an entity number.
const BIG_ENTITY: u32 = 0x8000;

/// How an entity number that needs more than 15 bits is written (erratum E1 of the FTE document).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum BigEntities {
    /// It is not: numbers are plain ushorts.
    #[default]
    Plain,
    /// As the engines do: ushort `0x8000 | n >> 8`, byte `n & 0xff`. 23 bits.
    Built,
    /// As specified: ushort `0x8000 | n & 0x7fff`, byte `n >> 15`. 23 bits.
    Seed,
}

/// How the primitives of a session are written.
#[derive(Clone, Copy, Debug)]
pub struct Primitives {
    /// Coords.
    pub coord: Kind,
    /// Angles.
    pub angle: Kind,
    /// The finer angles that some messages ask for ("shortangle").
    pub angle16: Kind,
    /// Entity numbers.
    pub big_entities: BigEntities,
    /// Whether fast updates and clientdata may have what protocol 666 adds.
    pub extended_updates: bool,
    /// Whether baselines may have a scale: protocol 999.
    pub scaled_baselines: bool,
    /// QuakeWorld: whether the coords of entities and players are floats, whatever the others are: ezQuake's extension.
    pub float_entities: bool,
    /// QuakeWorld: whether this is an `.mvd`, in which a server tells of all players in forms of their own.
    pub multi_view: bool,
    /// QuakeWorld: FTE's first mask, where entities and players have what it adds to them; 0 with replacement deltas.
    pub entity_mask: u32,
}

impl Primitives {
    /// Protocol 15 and 666 without extensions.
    pub const PLAIN: Primitives = Primitives {
        coord: Kind::Coord16,
        angle: Kind::Angle8,
        angle16: Kind::Angle16,
        big_entities: BigEntities::Plain,
        extended_updates: false,
        scaled_baselines: false,
        float_entities: false,
        multi_view: false,
        entity_mask: 0,
    };

    /// What a serverinfo announces: `protocol` with its `PRFL_*` flags, and whether FTE's float coords (which bring
    /// 16-bit angles) were agreed upon.
    pub fn negotiated(protocol: u32, protocol_flags: u32, float_coords: bool, big_entities: BigEntities) -> Self {
        let flags = if protocol == PROTOCOL_RMQ { protocol_flags } else { 0 };
        let coord = match flags {
            _ if float_coords || flags & PRFL_FLOATCOORD != 0 => Kind::F32,
            _ if flags & PRFL_INT32COORD != 0 => Kind::Coord32,
            _ if flags & PRFL_24BITCOORD != 0 => Kind::Coord24,
            _ => Kind::Coord16,
        };
        let float_angle = flags & PRFL_FLOATANGLE != 0;
        let angle = if float_angle {
            Kind::F32
        } else if float_coords || flags & PRFL_SHORTANGLE != 0 {
            Kind::Angle16
        } else {
            Kind::Angle8
        };
        let angle16 = if float_angle { Kind::F32 } else { Kind::Angle16 };
        let extended_updates = protocol == PROTOCOL_FITZQUAKE || protocol == PROTOCOL_RMQ;
        let scaled_baselines = protocol == PROTOCOL_RMQ;
        let primitives = Primitives { coord, angle, angle16, big_entities, ..Primitives::PLAIN };
        Primitives { extended_updates, scaled_baselines, ..primitives }
    }

    /// The same for what stands of entities, whose coords may be floats.
    #[must_use]
    pub fn of_entities(&self) -> Primitives {
        Primitives { coord: if self.float_entities { Kind::F32 } else { self.coord }, ..*self }
    }

    /// The upper bits of a table's gate that stand for these coords and angles; none for [`Primitives::PLAIN`].
    #[inline]
    pub fn gate(&self) -> u64 {
        let coord = match self.coord {
            Kind::Coord24 => GATE_COORD24,
            Kind::F32 => GATE_COORD_FLOAT,
            Kind::Coord32 => GATE_COORD32,
            _ => 0,
        };
        let angle = match self.angle {
            Kind::Angle16 => GATE_ANGLE16,
            Kind::F32 => GATE_ANGLE_FLOAT,
            _ => 0,
        };
        coord | angle
    }

    /// Writes a coord.
    pub fn write_coord(&self, w: &mut Writer<'_>, field: &'static str, value: i32) {
        self.coord.write(w, field, &[value], 0, 0);
    }

    /// Reads a coord.
    ///
    /// # Errors
    /// The data ends inside it.
    pub fn read_coord(&self, r: &mut Reader<'_>, field: &'static str) -> Result<i32, DecodeError> {
        read(self.coord, r, field)
    }

    /// Writes three coords.
    pub fn write_point(&self, w: &mut Writer<'_>, field: &'static str, values: [i32; 3]) {
        for value in values {
            self.write_coord(w, field, value);
        }
    }

    /// Reads three coords.
    ///
    /// # Errors
    /// The data ends inside them.
    pub fn read_point(&self, r: &mut Reader<'_>, field: &'static str) -> Result<[i32; 3], DecodeError> {
        Ok([self.read_coord(r, field)?, self.read_coord(r, field)?, self.read_coord(r, field)?])
    }

    /// Writes an angle.
    pub fn write_angle(&self, w: &mut Writer<'_>, field: &'static str, value: i32) {
        self.angle.write(w, field, &[value], 0, 0);
    }

    /// Reads an angle.
    ///
    /// # Errors
    /// The data ends inside it.
    pub fn read_angle(&self, r: &mut Reader<'_>, field: &'static str) -> Result<i32, DecodeError> {
        read(self.angle, r, field)
    }

    /// Writes a finer angle.
    pub fn write_angle16(&self, w: &mut Writer<'_>, field: &'static str, value: i32) {
        self.angle16.write(w, field, &[value], 0, 0);
    }

    /// Reads a finer angle.
    ///
    /// # Errors
    /// The data ends inside it.
    pub fn read_angle16(&self, r: &mut Reader<'_>, field: &'static str) -> Result<i32, DecodeError> {
        read(self.angle16, r, field)
    }

    /// Writes an entity number; bits that the form cannot hold are lost.
    pub fn write_entity(&self, w: &mut Writer<'_>, field: &'static str, number: u32) {
        let (short, byte) = match self.big_entities {
            BigEntities::Built if number >= BIG_ENTITY => (BIG_ENTITY | number >> 8, number),
            BigEntities::Seed if number >= BIG_ENTITY => (BIG_ENTITY | number, number >> 15),
            _ => return w.u16(field, number as u16),
        };
        w.u16(field, short as u16);
        w.u8(field, byte as u8);
    }

    /// Reads an entity number.
    ///
    /// # Errors
    /// The data ends inside it.
    pub fn read_entity(&self, r: &mut Reader<'_>, field: &'static str) -> Result<u32, DecodeError> {
        let short = u32::from(r.u16(field)?);
        let low = short & !BIG_ENTITY;
        match self.big_entities {
            BigEntities::Built if short >= BIG_ENTITY => Ok(low << 8 | u32::from(r.u8(field)?)),
            BigEntities::Seed if short >= BIG_ENTITY => Ok(low | u32::from(r.u8(field)?) << 15),
            _ => Ok(short),
        }
    }
}

/// Reads one value that stands alone.
fn read(kind: Kind, r: &mut Reader<'_>, field: &'static str) -> Result<i32, DecodeError> {
    let mut value = [0];
    kind.read(r, field, &mut value, 0, 0)?;
    Ok(value[0])
}

#[cfg(test)]
mod tests {
    use super::*;
    use kit::table::float_bits;

    fn check(form: BigEntities, number: u32, bytes: &[u8]) {
        let p = Primitives { big_entities: form, ..Primitives::PLAIN };
        let mut out = Vec::new();
        p.write_entity(&mut Writer::new(&mut out), "entity", number);
        assert_eq!(out, bytes, "{number} as {form:?}");
        assert_eq!(p.read_entity(&mut Reader::new(bytes), "entity"), Ok(number));
        for length in 0..bytes.len() {
            let error = p.read_entity(&mut Reader::new(&bytes[..length]), "entity").unwrap_err();
            assert_eq!(error.field, "entity");
        }
    }

    #[test]
    fn entity_numbers_follow_their_form() {
        check(BigEntities::Plain, 40_000, &[0x40, 0x9c]);
        check(BigEntities::Built, 0x7fff, &[0xff, 0x7f]);
        check(BigEntities::Built, 40_000, &[0x9c, 0x80, 0x40]);
        check(BigEntities::Built, 0x7f_ffff, &[0xff, 0xff, 0xff]);
        check(BigEntities::Seed, 0x7fff, &[0xff, 0x7f]);
        check(BigEntities::Seed, 40_000, &[0x40, 0x9c, 0x01]);
        check(BigEntities::Seed, 0x7f_ffff, &[0xff, 0xff, 0xff]);
    }

    #[test]
    fn protocol_flags_decide_the_widths_of_coords_and_angles() {
        let widths = |protocol, flags, float_coords| {
            let p = Primitives::negotiated(protocol, flags, float_coords, BigEntities::Plain);
            let mut out = Vec::new();
            let mut lengths = [0; 3];
            let value = float_bits(-90.0);
            p.write_coord(&mut Writer::new(&mut out), "coord", value);
            lengths[0] = out.len();
            p.write_angle(&mut Writer::new(&mut out), "angle", value);
            lengths[1] = out.len() - lengths[0];
            p.write_angle16(&mut Writer::new(&mut out), "angle16", value);
            lengths[2] = out.len() - lengths[0] - lengths[1];
            let mut r = Reader::new(&out);
            assert_eq!(p.read_coord(&mut r, "coord"), Ok(value));
            assert_eq!(p.read_angle(&mut r, "angle"), Ok(value));
            assert_eq!(p.read_angle16(&mut r, "angle16"), Ok(value));
            lengths
        };
        assert_eq!(widths(15, u32::MAX, false), [2, 1, 2], "only protocol 999 has flags");
        assert_eq!(widths(666, 0, true), [4, 2, 2], "FTE float coords bring 16-bit angles");
        assert_eq!(widths(999, 0, false), [2, 1, 2]);
        assert_eq!(widths(999, PRFL_SHORTANGLE | PRFL_FLOATCOORD, false), [4, 2, 2]);
        assert_eq!(widths(999, PRFL_FLOATANGLE | PRFL_24BITCOORD, false), [3, 4, 4]);
        assert_eq!(widths(999, PRFL_INT32COORD, false), [4, 1, 2]);
    }
}
