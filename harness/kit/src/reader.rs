//! Reading bytes: every read names its field, errors say where, spans say what.

use std::fmt;

/// Why a datagram could not be decoded: the field, where it starts, and what is wrong.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{field} at byte {offset}: {kind}")]
pub struct DecodeError {
    /// Byte offset from the start of the datagram (or of the reassembled message).
    pub offset: usize,
    /// The field as the protocol's document names it.
    pub field: &'static str,
    /// What is wrong with it.
    pub kind: ErrorKind,
}

/// What is wrong with a field.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ErrorKind {
    /// The data ends inside the field.
    #[error("needs {need} bytes, {have} left")]
    Truncated {
        /// Bytes that the field needs.
        need: usize,
        /// Bytes that were left.
        have: usize,
    },
    /// A string has no terminating NUL.
    #[error("string without its terminating NUL")]
    Unterminated,
    /// A value that the protocol, as negotiated, does not know.
    #[error("unknown value {value:#x}")]
    Unknown {
        /// The value read.
        value: u32,
    },
    /// A value that must not appear here; `why` says which rule forbids it.
    #[error("value {value:#x} is not allowed here: {why}")]
    Forbidden {
        /// The value read.
        value: u32,
        /// The rule that forbids it.
        why: &'static str,
    },
    /// A length or count above a named limit.
    #[error("{value} is above the limit of {limit}")]
    TooLarge {
        /// The value read.
        value: usize,
        /// The limit.
        limit: usize,
    },
    /// Bytes follow where the data should have ended.
    #[error("{left} bytes left over")]
    Trailing {
        /// Number of bytes left over.
        left: usize,
    },
}

/// How the bytes of a span are to be shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// Unsigned little-endian integer.
    Unsigned,
    /// Signed little-endian integer.
    Signed,
    /// Unsigned big-endian integer.
    BigEndian,
    /// Little-endian IEEE single.
    Float,
    /// Signed little-endian integer in units of `1/n`.
    Fraction(u32),
    /// NUL-terminated or counted text.
    Text,
    /// Raw bytes.
    Bytes,
    /// Not a field but a group of the fields inside its range.
    Group,
}

/// One decoded field (or group of fields): where it stands and what it is called.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Span {
    /// The field's name, as the document spells it.
    pub field: &'static str,
    /// Offset of its first byte.
    pub start: usize,
    /// Offset after its last byte.
    pub end: usize,
    /// How to show it.
    pub form: Form,
    /// Nesting: 0 for the outermost fields and groups.
    pub depth: u8,
}

impl Span {
    /// The field's value as text, read from the bytes that the span was made over.
    pub fn value(&self, bytes: &[u8]) -> String {
        let Some(raw) = bytes.get(self.start..self.end) else { return String::from("?") };
        let unsigned = || raw.iter().rev().take(8).fold(0u64, |value, &byte| value << 8 | u64::from(byte));
        let signed = || {
            let unused_bits = 64 - 8 * raw.len().clamp(1, 8) as u32;
            ((unsigned() << unused_bits) as i64) >> unused_bits
        };
        match self.form {
            Form::Unsigned => unsigned().to_string(),
            Form::Signed => signed().to_string(),
            Form::BigEndian => {
                format!("{:#x}", raw.iter().take(8).fold(0u64, |value, &byte| value << 8 | u64::from(byte)))
            }
            Form::Float => raw.first_chunk().map_or(String::from("?"), |b| f32::from_le_bytes(*b).to_string()),
            Form::Fraction(n) => (signed() as f64 / f64::from(n.max(1))).to_string(),
            Form::Text => format!("{:?}", String::from_utf8_lossy(raw.strip_suffix(&[0]).unwrap_or(raw))),
            Form::Bytes => raw.iter().map(|byte| format!("{byte:02x}")).collect(),
            Form::Group => String::new(),
        }
    }
}

/// A cursor over one datagram or message.
///
/// Reading never panics and never reads past the end. With a span list attached every read leaves a
/// [`Span`]; without one (the hot path) nothing is recorded and nothing is allocated.
#[derive(Debug)]
pub struct Reader<'a> {
    bytes: &'a [u8],
    at: usize,
    depth: u8,
    spans: Option<&'a mut Vec<Span>>,
}

macro_rules! number {
    ($($(#[$doc:meta])* $name:ident: $type:ty, $form:expr;)*) => { $(
        $(#[$doc])*
        #[inline]
        pub fn $name(&mut self, field: &'static str) -> Result<$type, DecodeError> {
            self.array(field, $form).map(<$type>::from_le_bytes)
        }
    )* };
}

impl<'a> Reader<'a> {
    /// A reader at the start of `bytes` that records nothing.
    #[inline]
    pub fn new(bytes: &'a [u8]) -> Self {
        Reader { bytes, at: 0, depth: 0, spans: None }
    }

    /// A reader that appends a span for every field to `spans`.
    pub fn with_spans(bytes: &'a [u8], spans: &'a mut Vec<Span>) -> Self {
        Reader { bytes, at: 0, depth: 0, spans: Some(spans) }
    }

    /// Whether fields are recorded: where they are not, nothing needs to be read for its name alone.
    #[inline]
    pub fn records_fields(&self) -> bool {
        self.spans.is_some()
    }

    /// Offset of the next byte.
    #[inline]
    pub fn at(&self) -> usize {
        self.at
    }

    /// Number of bytes not yet read.
    #[inline]
    pub fn left(&self) -> usize {
        self.bytes.len() - self.at
    }

    /// All that is not yet read, and the last `before` bytes that were; of those fewer when there are fewer.
    #[inline]
    pub fn around(&self, before: usize) -> &'a [u8] {
        &self.bytes[self.at.saturating_sub(before)..]
    }

    /// Passes over so many bytes that were looked at with [`Reader::around`]: for a reader that records no fields.
    #[inline]
    pub fn pass(&mut self, bytes: usize) {
        self.at = (self.at + bytes).min(self.bytes.len());
    }

    /// The next byte, not consumed.
    #[inline]
    pub fn peek(&self) -> Option<u8> {
        self.bytes.get(self.at).copied()
    }

    /// An error of `kind` for a field that started at `offset`.
    pub fn error<T>(&self, offset: usize, field: &'static str, kind: ErrorKind) -> Result<T, DecodeError> {
        Err(DecodeError { offset, field, kind })
    }

    #[inline(always)]
    fn array<const N: usize>(&mut self, field: &'static str, form: Form) -> Result<[u8; N], DecodeError> {
        let Some(chunk) = self.bytes.get(self.at..).and_then(|rest| rest.first_chunk::<N>()) else {
            return Err(self.truncated(field, N));
        };
        let chunk = *chunk;
        self.advance(N, field, form);
        Ok(chunk)
    }

    #[cold]
    fn truncated(&self, field: &'static str, need: usize) -> DecodeError {
        DecodeError { offset: self.at, field, kind: ErrorKind::Truncated { need, have: self.left() } }
    }

    #[inline]
    fn advance(&mut self, length: usize, field: &'static str, form: Form) {
        let start = self.at;
        self.at += length;
        if let Some(spans) = &mut self.spans {
            spans.push(Span { field, start, end: self.at, form, depth: self.depth });
        }
    }

    number! {
        /// A byte, 0 to 255.
        u8: u8, Form::Unsigned;
        /// A char, -128 to 127.
        i8: i8, Form::Signed;
        /// A ushort.
        u16: u16, Form::Unsigned;
        /// A short.
        i16: i16, Form::Signed;
        /// A ulong.
        u32: u32, Form::Unsigned;
        /// A long.
        i32: i32, Form::Signed;
        /// An IEEE single.
        f32: f32, Form::Float;
    }

    /// A big-endian ulong (datagram headers of NetQuake).
    #[inline]
    pub fn u32_be(&mut self, field: &'static str) -> Result<u32, DecodeError> {
        self.array(field, Form::BigEndian).map(u32::from_be_bytes)
    }

    /// A big-endian ushort.
    #[inline]
    pub fn u16_be(&mut self, field: &'static str) -> Result<u16, DecodeError> {
        self.array(field, Form::BigEndian).map(u16::from_be_bytes)
    }

    /// A big-endian short.
    #[inline]
    pub fn i16_be(&mut self, field: &'static str) -> Result<i16, DecodeError> {
        self.array(field, Form::BigEndian).map(i16::from_be_bytes)
    }

    /// A short in units of `1/n`; returns the raw short.
    #[inline]
    pub fn fraction16(&mut self, field: &'static str, n: u32) -> Result<i16, DecodeError> {
        self.array(field, Form::Fraction(n)).map(i16::from_le_bytes)
    }

    /// `length` raw bytes.
    #[inline]
    pub fn bytes(&mut self, field: &'static str, length: usize) -> Result<&'a [u8], DecodeError> {
        self.slice(field, length, Form::Bytes)
    }

    /// Everything that is left, as raw bytes.
    #[inline]
    pub fn rest(&mut self, field: &'static str) -> &'a [u8] {
        let bytes = self.bytes;
        let rest = &bytes[self.at..];
        self.advance(rest.len(), field, Form::Bytes);
        rest
    }

    /// `length` bytes of text (connectionless packets).
    pub fn text(&mut self, field: &'static str, length: usize) -> Result<&'a [u8], DecodeError> {
        self.slice(field, length, Form::Text)
    }

    #[inline]
    fn slice(&mut self, field: &'static str, length: usize, form: Form) -> Result<&'a [u8], DecodeError> {
        let bytes = self.bytes;
        match bytes[self.at..].get(..length) {
            Some(slice) => {
                self.advance(length, field, form);
                Ok(slice)
            }
            None => Err(self.truncated(field, length)),
        }
    }

    /// A NUL-terminated string, without its NUL. Quake text is bytes, not UTF-8.
    pub fn string(&mut self, field: &'static str) -> Result<&'a [u8], DecodeError> {
        let bytes = self.bytes;
        let rest = &bytes[self.at..];
        match rest.iter().position(|&byte| byte == 0) {
            Some(length) => {
                self.advance(length + 1, field, Form::Text);
                Ok(&rest[..length])
            }
            None => self.error(self.at, field, ErrorKind::Unterminated),
        }
    }

    /// Goes back to `offset`, and forgets the spans of what was read from there on: to read a payload as what it is.
    pub fn rewind(&mut self, offset: usize) {
        self.at = self.at.min(offset);
        if let Some(spans) = &mut self.spans {
            spans.retain(|span| span.end <= offset);
        }
    }

    /// Opens a group: the fields read until [`Reader::end`] with the returned mark are shown inside it.
    #[inline]
    pub fn begin(&mut self, field: &'static str) -> usize {
        let Some(spans) = &mut self.spans else { return 0 };
        spans.push(Span { field, start: self.at, end: self.at, form: Form::Group, depth: self.depth });
        self.depth += 1;
        spans.len() - 1
    }

    /// Closes the group that [`Reader::begin`] opened.
    #[inline]
    pub fn end(&mut self, mark: usize) {
        if let Some(span) = self.spans.as_mut().and_then(|spans| spans.get_mut(mark)) {
            span.end = self.at;
            self.depth = span.depth;
        }
    }

    /// Fails unless everything was read.
    pub fn finish(&self, field: &'static str) -> Result<(), DecodeError> {
        match self.left() {
            0 => Ok(()),
            left => self.error(self.at, field, ErrorKind::Trailing { left }),
        }
    }
}

impl fmt::Display for Span {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}..{} {}", self.start, self.end, self.field)
    }
}
