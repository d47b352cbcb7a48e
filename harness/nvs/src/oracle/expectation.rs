//! What a call says on the wire, for a client of a given version: encoded again, from the tables and the scenario alone.

use crate::tables::{Kind, Message};

/// Longest text that a scripted string makes.
const TEXT: &str = "text ";

/// One write, as it goes over the wire.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Write {
    /// Its bytes.
    pub bytes: Vec<u8>,
    /// An angle in a byte: engines cut and round differently, so that its neighbours count as the same.
    pub loose: bool,
}

impl Write {
    /// A write of these bytes.
    pub fn exact(bytes: &[u8]) -> Write {
        Write { bytes: bytes.to_vec(), loose: false }
    }

    /// A byte.
    pub fn byte(value: u8) -> Write {
        Write::exact(&[value])
    }

    /// A float.
    pub fn float(value: f32) -> Write {
        Write::exact(&value.to_le_bytes())
    }

    /// A coord, from units: eighths, cut off.
    pub fn coord(units: f32) -> Write {
        Write::exact(&((f64::from(units) * 8.0) as i64 as i16).to_le_bytes())
    }

    /// An angle, from degrees.
    pub fn angle(degrees: f32) -> Write {
        let byte = (f64::from(degrees) * 256.0 / 360.0) as i64 as u8;
        Write { bytes: vec![byte], loose: true }
    }

    /// Part of a direction: sixteenths, cut off, within a signed byte.
    pub fn direction(part: f32) -> Write {
        Write::byte((f64::from(part) * 16.0).clamp(-128.0, 127.0) as i8 as u8)
    }

    /// What a Write builtin of this kind makes of a scenario's number.
    pub fn scripted(kind: Kind, value: i32) -> Write {
        match kind {
            Kind::Byte | Kind::Char => Write::byte(value as u8),
            Kind::Short | Kind::Entity | Kind::Coord => Write::exact(&(value as i16).to_le_bytes()),
            Kind::Long => Write::exact(&value.to_le_bytes()),
            Kind::Float => Write::float(value as f32 / 1000.0),
            Kind::Angle => Write::angle(value as f32 / 100.0),
            Kind::String => {
                let mut bytes = format!("{TEXT}{value}").into_bytes();
                bytes.push(0);
                Write { bytes, loose: false }
            }
        }
    }

    /// How many bytes at the front of `rest` are this write.
    fn length_in(&self, rest: &[u8]) -> Option<usize> {
        let there = rest.get(..self.bytes.len())?;
        let near = match (self.loose, there, &self.bytes[..]) {
            (true, [found], [wanted]) => matches!(found.wrapping_sub(*wanted), 0 | 1 | 255),
            _ => there == self.bytes,
        };
        near.then_some(there.len())
    }
}

/// How many bytes at the front of `rest` are these writes, one after the other; `None` if it begins otherwise.
pub fn length_in<'a>(writes: impl Iterator<Item = &'a Write>, rest: &[u8]) -> Option<usize> {
    let mut at = 0;
    for write in writes {
        at += write.length_in(rest.get(at..)?)?;
    }
    Some(at)
}

/// Which lines of a message's table count, for a server and a client of these versions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Lines {
    /// The server's: so many writes are made.
    pub server: usize,
    /// The client's: so they are held back.
    pub client: usize,
}

impl Lines {
    /// Selects them: downwards from the newest for the server, and on from there for the client.
    pub fn of(message: &Message, ssvc: i32, csvc: i32) -> Lines {
        let mut server = 0;
        while server + 1 < message.lines.len() && message.lines[server].version.0 > ssvc {
            server += 1;
        }
        let mut client = server;
        while client + 1 < message.lines.len() && message.lines[client].version.0 > csvc {
            client += 1;
        }
        Lines { server, client }
    }

    /// How many writes the server makes.
    pub fn writes(&self, message: &Message) -> usize {
        message.lines.get(self.server).map_or(0, |line| line.writes)
    }

    /// Whether the message does not exist for the client.
    pub fn leaves_out(&self, message: &Message) -> bool {
        message.lines.get(self.client).is_some_and(|line| line.writes == 0)
    }
}

/// A way to write a message's writes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// As it has to be.
    Exact,
    /// As another line has it.
    Line(usize),
    /// Every write that the server makes.
    All,
}

/// The writes of `form`, in order; of a call without a table all of them.
pub fn writes_of<'a>(form: Form, writes: &'a [Write], message: Option<&Message>, lines: Lines) -> Vec<&'a Write> {
    let Some(message) = message else { return writes.iter().collect() };
    let issued = writes.get(..lines.writes(message)).unwrap_or(writes);
    let (from, line) = match form {
        Form::Exact => (issued, message.lines.get(lines.client)),
        Form::Line(index) => (writes, message.lines.get(index)),
        Form::All => (issued, None),
    };
    let written = |k: usize| line.is_none_or(|line| line.converts(k));
    from.iter().enumerate().filter(|(k, _)| written(*k)).map(|(_, write)| write).collect()
}

/// Bytes of writes.
pub fn bytes_of(writes: &[&Write]) -> usize {
    writes.iter().map(|write| write.bytes.len()).sum()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tables::Tables;

    const ANGLES: [f32; 3] = [12.5, -90.0, 0.0];
    const ORIGIN: [f32; 3] = [100.0, -50.5, 24.25];

    fn set_angle() -> Vec<Write> {
        let bytes = ANGLES.map(Write::angle).into_iter();
        [Write::byte(10)].into_iter().chain(bytes).chain(ANGLES.map(Write::float)).collect()
    }

    fn explosion() -> Vec<Write> {
        let color = [1.0, 0.5, 0.25, 0.875].map(Write::coord).into_iter();
        [Write::byte(23), Write::byte(3)].into_iter().chain(ORIGIN.map(Write::coord)).chain(color).collect()
    }

    fn particle() -> Vec<Write> {
        let direction = [0.0, 0.0, 1.0].map(Write::direction).into_iter();
        let tail = [Write::byte(20), Write::byte(73)];
        [Write::byte(18)].into_iter().chain(ORIGIN.map(Write::coord)).chain(direction).chain(tail).collect()
    }

    /// For servers and clients of these versions, the message has these bytes, and `size` of them by the table.
    fn check(svc: u8, writes: &[Write], versions: &[(i32, i32)], bytes: &[u8]) {
        let tables = Tables::released();
        let message = tables.find(svc, 3).expect("the message has a table");
        for &(ssvc, csvc) in versions {
            let lines = Lines::of(message, ssvc, csvc);
            let exact = writes_of(Form::Exact, writes, Some(message), lines);
            let found: Vec<u8> = exact.iter().flat_map(|write| write.bytes.iter().copied()).collect();
            assert_eq!(found, bytes, "SSVC {ssvc}, CSVC {csvc}");
            assert_eq!(message.lines[lines.client].bytes, bytes.len());
            assert_eq!(length_in(exact.iter().copied(), bytes), Some(bytes.len()));
        }
    }

    /// Every pair of versions of the specification's test cases; a client that never asks has CSVC 0. The bytes were worked
    /// out by hand: an angle byte is degrees times 256/360, cut off; a coord eighths; a direction sixteenths.
    #[test]
    fn the_three_test_cases_have_the_bytes_worked_out_by_hand() {
        let old = [(0, 0), (49, 0), (49, 49), (50, 0), (50, 49), (75, 49), (99, 0), (99, 49)];
        let new = [(50, 50), (75, 50), (75, 75), (99, 50), (99, 75), (99, 99)];
        check(10, &set_angle(), &old, &[0x0a, 0x08, 0xc0, 0x00]);
        let floats = [0x0a, 0, 0, 0x48, 0x41, 0, 0, 0xb4, 0xc2, 0, 0, 0, 0];
        check(10, &set_angle(), &new, &floats);
        check(23, &explosion(), &old, &[0x17, 3, 0x20, 3, 0x6c, 0xfe, 0xc2, 0]);
        let colored = [0x17, 3, 0x20, 3, 0x6c, 0xfe, 0xc2, 0, 8, 0, 4, 0, 2, 0, 7, 0];
        check(23, &explosion(), &new, &colored);
        let particles = [0x12, 0x20, 3, 0x6c, 0xfe, 0xc2, 0, 0, 0, 0x10, 0x14, 0x49];
        check(18, &particle(), &[&old[..], &new[..]].concat(), &particles);
    }

    #[test]
    fn a_version_left_from_before_never_selects_what_the_server_does_not_write() {
        // CSVC 0.99 at SSVC 0.25: four writes, and by the line of the server.
        check(10, &set_angle(), &[(25, 99)], &[0x0a, 0x08, 0xc0, 0x00]);
    }

    #[test]
    fn directions_are_cut_off_and_clamped() {
        let direction = [100.0, -100.0, -0.5].map(Write::direction);
        assert_eq!(direction.map(|write| write.bytes[0]), [0x7f, 0x80, 0xf8]);
    }
}
