//! Hex digits to bytes.

use std::fmt;

/// Whether separators may stand between digits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Spaces {
    /// White space and colons are skipped.
    Allowed,
    /// Digits only.
    Forbidden,
}

/// Whether `byte` may separate digits.
pub(super) fn is_separator(byte: u8) -> bool {
    byte.is_ascii_whitespace() || byte == b':'
}

/// What is wrong with some hex, and at which byte of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct HexFault {
    /// Offset of the offending byte, from 0.
    pub at: usize,
    kind: FaultKind,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum FaultKind {
    NotADigit(u8),
    OddDigits(usize),
}

impl HexFault {
    /// What to do about it.
    pub(super) fn help(&self) -> &'static str {
        match self.kind {
            FaultKind::NotADigit(_) => "use 0-9 and a-f only",
            FaultKind::OddDigits(_) => "every byte takes two digits",
        }
    }

    /// Whether the last byte is cut in half.
    pub(super) fn is_cut(&self) -> bool {
        matches!(self.kind, FaultKind::OddDigits(_))
    }
}

impl fmt::Display for HexFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.kind {
            FaultKind::NotADigit(byte) => write!(f, "'{}' is not a hex digit", byte.escape_ascii()),
            FaultKind::OddDigits(digits) => write!(f, "odd number of hex digits ({digits})"),
        }
    }
}

/// Appends the bytes that `text` spells to `out`.
pub(super) fn decode(text: &[u8], spaces: Spaces, out: &mut Vec<u8>) -> Result<(), HexFault> {
    out.reserve(text.len() / 2);
    let mut high = None;
    let mut digits = 0;
    let mut last = 0;
    for (at, &byte) in text.iter().enumerate() {
        if spaces == Spaces::Allowed && is_separator(byte) {
            continue;
        }
        let nibble = match byte {
            b'0'..=b'9' => byte - b'0',
            b'a'..=b'f' => byte - b'a' + 10,
            b'A'..=b'F' => byte - b'A' + 10,
            _ => return Err(HexFault { at, kind: FaultKind::NotADigit(byte) }),
        };
        digits += 1;
        last = at;
        match high.take() {
            None => high = Some(nibble),
            Some(high) => out.push(high << 4 | nibble),
        }
    }
    match high {
        None => Ok(()),
        Some(_) => Err(HexFault { at: last, kind: FaultKind::OddDigits(digits) }),
    }
}
