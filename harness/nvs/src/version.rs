//! Versions: numbers with two decimals, held as whole hundredths.
//!
//! On the wire a version is an `f32`, in a request text. Two ends that compare floats of different precision order 0.70
//! and a table's 0.70 differently; whole hundredths cannot.

use kit::{DecodeError, ErrorKind, Reader, Writer};
use std::fmt;

/// A version, in hundredths.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Version(pub i32);

impl Version {
    /// Plain NetQuake.
    pub const PLAIN: Version = Version(0);
    /// The version of the messages that NVS changed.
    pub const ENHANCED: Version = Version(50);
    /// The newest version that an executable knows.
    pub const NEWEST: Version = Version(99);

    /// How far a float may be from whole hundredths to count as having two decimals: more than rounding to an `f32` makes
    /// of any version, and less than half of a third decimal.
    pub const SLACK: f64 = 0.0004;

    /// The largest version that is distinguished; all above count as this one.
    const CEILING: f32 = 10_000.0;

    /// The version as a float, as it goes over the wire.
    pub fn to_f32(self) -> f32 {
        // Hundredths up to the ceiling are exact in an f64; the division is rounded once, to the nearest f32.
        (f64::from(self.0) / 100.0) as f32
    }

    /// The version that a float from the wire means: the nearest hundredth. `None` if it is no number, or beyond all
    /// versions.
    pub fn from_f32(value: f32) -> Option<Version> {
        let sane = (-Self::CEILING..=Self::CEILING).contains(&value);
        // NVS-VER-04
        sane.then(|| Version((f64::from(value) * 100.0).round() as i32))
    }

    /// Whether a float from the wire has no more than two decimals.
    pub fn has_two_decimals(value: f32) -> bool {
        let off = |version: Version| (f64::from(value) - f64::from(version.0) / 100.0).abs();
        Version::from_f32(value).is_some_and(|version| off(version) <= Self::SLACK)
    }

    /// The version in a text, as C's `atof` reads it: what is no number is 0, what follows a number is ignored. A third
    /// decimal is rounded.
    pub fn from_text(text: &[u8]) -> Version {
        let text: Vec<u8> = text.iter().copied().skip_while(|&byte| byte == b' ').collect();
        let (negative, rest) = match text.split_first() {
            Some((b'-', rest)) => (true, rest),
            Some((b'+', rest)) => (false, rest),
            _ => (false, &text[..]),
        };
        let whole = rest.iter().take_while(|byte| byte.is_ascii_digit()).count();
        let behind = rest.get(whole..).unwrap_or_default();
        let decimals = behind.strip_prefix(b".").unwrap_or_default();
        let digit = |byte: Option<&u8>| byte.filter(|byte| byte.is_ascii_digit()).map(|byte| i64::from(byte - b'0'));
        let tenths = digit(decimals.first());
        let hundredths = tenths.and_then(|_| digit(decimals.get(1)));
        let thousandths = hundredths.and_then(|_| digit(decimals.get(2)));
        let fraction = tenths.unwrap_or(0) * 10 + hundredths.unwrap_or(0) + i64::from(thousandths >= Some(5));
        let units = rest.iter().take(whole).fold(0i64, |sum, byte| (sum * 10 + i64::from(byte - b'0')).min(10_000));
        let value = (units * 100 + fraction).min(1_000_000) as i32;
        Version(if negative { -value } else { value })
    }

    /// Appends the version as it goes over the wire.
    pub fn write(self, w: &mut Writer<'_>, field: &'static str) {
        w.f32(field, self.to_f32());
    }

    /// Reads a version from the wire.
    ///
    /// # Errors
    /// The data ends inside it, or the number is no version.
    pub fn read(r: &mut Reader<'_>, field: &'static str) -> Result<Version, DecodeError> {
        let offset = r.at();
        let value = r.f32(field)?;
        match Version::from_f32(value) {
            Some(version) => Ok(version),
            None => r.error(offset, field, ErrorKind::Unknown { value: value.to_bits() }),
        }
    }
}

/// With two decimals, as a request has it: `0.50`.
impl fmt::Display for Version {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let sign = if self.0 < 0 { "-" } else { "" };
        let hundredths = self.0.unsigned_abs();
        f.pad(&format!("{sign}{}.{:02}", hundredths / 100, hundredths % 100))
    }
}

/// The three versions that a server sends a client.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Versions {
    /// What the server and QuakeC write, in this level.
    pub ssvc: Version,
    /// What this client reads.
    pub csvc: Version,
    /// What this client writes.
    pub cclc: Version,
}

impl Versions {
    /// Appends the versions, after service number and type.
    pub fn write(&self, w: &mut Writer<'_>) {
        self.ssvc.write(w, "ssvc");
        self.csvc.write(w, "csvc");
        self.cclc.write(w, "cclc");
    }

    /// Reads the versions after service number and type.
    ///
    /// # Errors
    /// The data ends inside them, or a number is no version.
    pub fn read(r: &mut Reader<'_>) -> Result<Versions, DecodeError> {
        Ok(Versions {
            ssvc: Version::read(r, "ssvc")?,
            csvc: Version::read(r, "csvc")?,
            cclc: Version::read(r, "cclc")?,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_are_the_floats_of_the_document() {
        for (version, bytes) in [(Version(99), [0xa4, 0x70, 0x7d, 0x3f]), (Version(50), [0, 0, 0, 0x3f])] {
            assert_eq!(version.to_f32().to_le_bytes(), bytes);
            assert_eq!(Version::from_f32(f32::from_le_bytes(bytes)), Some(version));
        }
    }

    #[test]
    fn every_version_survives_the_wire_and_a_text() {
        for hundredths in -100..=10_000 {
            let version = Version(hundredths);
            assert_eq!(Version::from_f32(version.to_f32()), Some(version));
            assert!(Version::has_two_decimals(version.to_f32()), "{version}");
            assert_eq!(Version::from_text(version.to_string().as_bytes()), version);
        }
    }

    #[test]
    fn what_has_more_than_two_decimals_is_recognised() {
        for value in [0.505, 0.999, 0.001, f32::NAN, f32::INFINITY, 1e9] {
            assert!(!Version::has_two_decimals(value), "{value}");
        }
        assert_eq!([f32::NAN, f32::INFINITY, -1e9].map(Version::from_f32), [None; 3]);
    }

    #[test]
    fn a_text_is_read_as_far_as_it_is_a_number() {
        let read = |text: &str| Version::from_text(text.as_bytes()).0;
        assert_eq!(
            ["0.99", " .5x", "-1", "1", "+0.756", "abc", "", "0.5.5", "--1"].map(read),
            [99, 50, -100, 100, 76, 0, 0, 50, 0]
        );
        assert_eq!(read("99999999999999999999999999"), 1_000_000);
    }

    // From the document: the server's version is .50, the client's maximum .99.
    #[test]
    fn the_three_versions_have_the_bytes_of_the_document() {
        let bytes = [0, 0, 0, 0x3f, 0, 0, 0, 0x3f, 0xa4, 0x70, 0x7d, 0x3f];
        let versions = Versions { ssvc: Version(50), csvc: Version(50), cclc: Version(99) };
        let mut out = Vec::new();
        versions.write(&mut Writer::new(&mut out));
        assert_eq!(out, bytes);
        assert_eq!(Versions::read(&mut Reader::new(&bytes)), Ok(versions));
    }
}
