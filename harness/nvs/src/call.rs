//! One write, as the Write builtins of QuakeC and of the engine have it: a kind, a value, and the bytes they make.

use crate::tables::Kind;

/// Parts of the circle in an angle of one byte.
const ANGLES: f32 = 256.0;
/// Parts of a unit in a coord.
const COORDS: f32 = 8.0;

/// How an angle becomes one of 256.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rounding {
    /// What is after the point is cut off.
    CutOff,
    /// To the nearest one.
    Nearest,
    /// Of whole degrees alone, as the base of NVS has it.
    OfWholeDegrees,
}

/// What a write is given.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Value<'a> {
    /// A whole number.
    Number(i32),
    /// A number with a fraction: floats, coords, angles in degrees.
    Float(f32),
    /// A text, without its NUL.
    Text(&'a [u8]),
}

impl Value<'_> {
    fn number(self) -> i32 {
        match self {
            Value::Number(number) => number,
            Value::Float(value) => value as i32,
            Value::Text(_) => 0,
        }
    }

    fn float(self) -> f32 {
        match self {
            Value::Number(number) => number as f32,
            Value::Float(value) => value,
            Value::Text(_) => 0.0,
        }
    }
}

/// Appends the bytes of a write. A value that its kind does not hold loses its high bits; a fraction is cut off.
pub fn encode(kind: Kind, value: Value<'_>, rounding: Rounding, out: &mut Vec<u8>) {
    match kind {
        Kind::Byte | Kind::Char => out.push(value.number() as u8),
        Kind::Short | Kind::Entity => out.extend_from_slice(&(value.number() as i16).to_le_bytes()),
        Kind::Long => out.extend_from_slice(&value.number().to_le_bytes()),
        Kind::Float => out.extend_from_slice(&value.float().to_le_bytes()),
        Kind::Coord => out.extend_from_slice(&((value.float() * COORDS) as i32 as i16).to_le_bytes()),
        Kind::Angle => {
            let parts = value.float() * ANGLES / 360.0;
            out.push(match rounding {
                Rounding::CutOff => parts as i32,
                Rounding::Nearest => parts.round() as i32,
                Rounding::OfWholeDegrees => (value.float().trunc() * ANGLES / 360.0) as i32,
            } as u8);
        }
        Kind::String => {
            let text = if let Value::Text(text) = value { text } else { &[] };
            // What stands after a NUL would be read as the next message.
            out.extend(text.iter().copied().take_while(|&byte| byte != 0));
            out.push(0);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(kind: Kind, value: Value<'_>, expected: &[u8]) {
        let mut out = Vec::new();
        encode(kind, value, Rounding::CutOff, &mut out);
        assert_eq!(out, expected, "{kind:?} {value:?}");
        if kind != Kind::String {
            assert_eq!(kind.bytes(), expected.len(), "{kind:?}");
        }
    }

    // By hand, from the document's table: 12.5 degrees are 8.88 parts of 256, -90 are -64; 24.25 units are 194 eighths,
    // -50.5 are -404; 12.5 as an IEEE single is 1.5625 times 2 to the third: 0x41480000.
    #[test]
    fn numbers_are_written_little_endian_and_cut_to_their_kind() {
        check(Kind::Byte, Value::Number(300), &[44]);
        check(Kind::Char, Value::Number(-1), &[0xff]);
        check(Kind::Short, Value::Number(-2), &[0xfe, 0xff]);
        check(Kind::Long, Value::Number(0x0102_0304), &[4, 3, 2, 1]);
        check(Kind::Entity, Value::Number(600), &[0x58, 2]);
    }

    #[test]
    fn fractions_are_cut_off() {
        check(Kind::Angle, Value::Float(12.5), &[0x08]);
        check(Kind::Angle, Value::Float(-90.0), &[0xc0]);
        check(Kind::Coord, Value::Float(24.25), &[0xc2, 0]);
        check(Kind::Coord, Value::Float(-50.5), &[0x6c, 0xfe]);
        check(Kind::Coord, Value::Float(0.99), &[7, 0]);
        check(Kind::Float, Value::Float(12.5), &[0, 0, 0x48, 0x41]);
    }

    #[test]
    fn an_angle_may_be_rounded_in_three_ways() {
        let rounded = |degrees: f32, rounding| {
            let mut out = Vec::new();
            encode(Kind::Angle, Value::Float(degrees), rounding, &mut out);
            out[0]
        };
        let ways = [Rounding::CutOff, Rounding::Nearest, Rounding::OfWholeDegrees];
        // 12.9 degrees are 9.17 parts, 12 are 8.53, 13.9 are 9.88, 13 are 9.24.
        assert_eq!(ways.map(|way| rounded(12.9, way)), [9, 9, 8]);
        assert_eq!(ways.map(|way| rounded(13.9, way)), [9, 10, 9]);
    }

    #[test]
    fn a_text_ends_at_its_first_nul() {
        check(Kind::String, Value::Text(b"ab\0c"), b"ab\0");
        check(Kind::String, Value::Number(1), b"\0");
    }
}
