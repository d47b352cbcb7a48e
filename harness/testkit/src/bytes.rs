//! Bytes from text, and spans over bytes.

use kit::{DecodeError, Direction, ErrorKind, Form, Span};
use std::path::Path;

/// Bytes from hexadecimal digits; blanks are for the reader.
///
/// # Panics
/// Something else is in it.
pub fn hex_bytes(digits: &str) -> Vec<u8> {
    let digits: Vec<u8> = digits.bytes().filter(|byte| !byte.is_ascii_whitespace()).collect();
    let value = |byte: u8| char::from(byte).to_digit(16).expect("hexadecimal digits") as u8;
    digits.chunks(2).map(|pair| value(pair[0]) << 4 | value(pair[1])).collect()
}

/// One datagram of a recording.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Datagram {
    /// Which way it went.
    pub direction: Direction,
    /// Its line up to the number: `s2c 12`, `C>S seq=5R`.
    pub place: String,
    /// Its payload.
    pub bytes: Vec<u8>,
}

/// The text of a recording of an engine, a datagram a line: `netquake/qss_fitz666` is
/// `golden/netquake/vectors/qss_fitz666.txt`.
///
/// # Panics
/// There is no such recording.
pub fn recording(name: &str) -> String {
    let (protocol, file) = name.split_once('/').expect("a protocol and a name");
    let golden = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../../golden"));
    let path = golden.join(protocol).join("vectors").join(file).with_extension("txt");
    std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// The datagrams of a recording: `direction number [key=value…] hex [# remark]`, a line each.
///
/// # Panics
/// A line that is no datagram, or not as long as its `len` says.
pub fn datagrams(name: &str) -> Vec<Datagram> {
    recording(name).lines().map(|line| datagram(line).unwrap_or_else(|| panic!("{name}: {line}"))).collect()
}

fn datagram(line: &str) -> Option<Datagram> {
    let mut words = line.split("  #").next()?.split_whitespace();
    let way = words.next()?;
    let direction = match way {
        "s2c" | "S>C" => Direction::ServerToClient,
        "c2s" | "C>S" => Direction::ClientToServer,
        _ => return None,
    };
    let place = format!("{way} {}", words.next()?);
    let (mut length, mut bytes) = (None, Vec::new());
    for word in words {
        match word.split_once('=') {
            Some(("len", value)) => length = Some(value.parse().ok()?),
            Some(_) => {}
            None => bytes = hex_bytes(word),
        }
    }
    length.is_none_or(|length: usize| length == bytes.len()).then_some(Datagram { direction, place, bytes })
}

/// The payloads that went one way in some recordings.
pub fn recorded(names: &[&str], direction: Direction) -> Vec<Vec<u8>> {
    let all = names.iter().flat_map(|name| datagrams(name));
    all.filter(|it| it.direction == direction).map(|it| it.bytes).collect()
}

/// These bytes are part of the datagram of a recording whose line begins with `place`.
#[track_caller]
pub fn check_recorded(name: &str, place: &str, digits: &str) {
    let digits = digits.replace(' ', "");
    let text = recording(name);
    let line = text.lines().find(|line| line.starts_with(&format!("{place} ")));
    assert!(line.is_some_and(|line| line.contains(&digits)), "{digits} in {name}, {place}");
}

/// Whether the fields (not groups) cover the bytes from the first to the last, without gap or overlap.
pub fn cover(spans: &[Span], bytes: &[u8]) -> bool {
    let mut at = 0;
    for span in spans.iter().filter(|span| span.form != Form::Group) {
        if span.start != at {
            return false;
        }
        at = span.end;
    }
    at == bytes.len()
}

/// Cuts bytes at every length: the error names the field that is cut, and what it lacks. `spans` are those of the fields.
#[track_caller]
pub fn check_cuts(bytes: &[u8], spans: &[Span], read: impl Fn(&[u8]) -> Result<(), DecodeError>) {
    for length in 0..bytes.len() {
        let error = read(&bytes[..length]).expect_err("cut off");
        let span = spans.iter().find(|span| (span.start..span.end).contains(&length)).expect("fields have no gaps");
        let kind = match span.form {
            Form::Text => ErrorKind::Unterminated,
            _ => ErrorKind::Truncated { need: span.end - span.start, have: length - span.start },
        };
        assert_eq!(error, DecodeError { offset: span.start, field: span.field, kind }, "{bytes:02x?}");
    }
}
