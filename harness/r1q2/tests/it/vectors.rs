//! Golden bytes of the codec: what is written and read wrongly in both directions round-trips, so every row of the
//! tables, every width and every flag is pinned by bytes that an engine sent or that were worked out by hand from the
//! layout.

mod entity;
mod frame;
mod moves;
mod player;
mod service;

use crate::captured;
use kit::{DecodeError, ErrorKind, Span};

/// Where the bytes of a vector come from.
#[derive(Clone, Copy, Debug)]
enum Evidence {
    /// An engine sent them: the recording, and the datagram in it.
    Recorded(&'static str, &'static str),
    /// Worked out by hand, for this reason.
    Hand(&'static str),
}

impl Evidence {
    /// Whether the bytes stand where they are said to, and a hand gives a reason.
    #[track_caller]
    fn check(self, hex: &str) {
        match self {
            Evidence::Hand(reason) => assert!(!reason.is_empty(), "{hex}"),
            Evidence::Recorded(file, datagram) => {
                let hex = hex.replace(' ', "");
                let line = captured(file).lines().find(|line| line.starts_with(&format!("{datagram} ")));
                assert!(line.is_some_and(|line| line.contains(&hex)), "{hex} in {file}, {datagram}");
            }
        }
    }
}

/// Cuts bytes at every length: the error names the field that is cut, and what it lacks.
#[track_caller]
fn check_cuts(bytes: &[u8], spans: &[Span], read: impl Fn(&[u8]) -> Result<(), DecodeError>) {
    for length in 0..bytes.len() {
        let error = read(&bytes[..length]).expect_err("cut off");
        let span = spans.iter().find(|span| (span.start..span.end).contains(&length)).expect("fields have no gaps");
        let expected = match span.form {
            kit::Form::Text => ErrorKind::Unterminated,
            _ => ErrorKind::Truncated { need: span.end - span.start, have: length - span.start },
        };
        assert_eq!((error.offset, error.field, error.kind), (span.start, span.field, expected), "{bytes:02x?}");
    }
}

/// The fields among spans: groups are not.
fn fields(spans: Vec<Span>) -> Vec<Span> {
    spans.into_iter().filter(|span| span.form != kit::Form::Group).collect()
}

/// The value of a float field.
const fn f(value: f32) -> i32 {
    value.to_bits() as i32
}
