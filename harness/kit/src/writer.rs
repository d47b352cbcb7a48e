//! Writing bytes: the mirror of [`Reader`](crate::reader::Reader), so that `encode` reads like `decode`.

use crate::reader::{Form, Span};

/// Appends fields to a byte vector that the caller owns and reuses.
#[derive(Debug)]
pub struct Writer<'a> {
    out: &'a mut Vec<u8>,
    spans: Option<&'a mut Vec<Span>>,
}

macro_rules! number {
    ($($(#[$doc:meta])* $name:ident: $type:ty, $form:expr;)*) => { $(
        $(#[$doc])*
        #[inline]
        pub fn $name(&mut self, field: &'static str, value: $type) {
            self.put(field, &value.to_le_bytes(), $form);
        }
    )* };
}

impl<'a> Writer<'a> {
    /// A writer that appends to `out`.
    #[inline]
    pub fn new(out: &'a mut Vec<u8>) -> Self {
        Writer { out, spans: None }
    }

    /// A writer that also appends a span for every field to `spans`.
    pub fn with_spans(out: &'a mut Vec<u8>, spans: &'a mut Vec<Span>) -> Self {
        Writer { out, spans: Some(spans) }
    }

    /// Length of the output so far, what was there before included.
    #[inline]
    pub fn len(&self) -> usize {
        self.out.len()
    }

    /// Whether the output is empty.
    pub fn is_empty(&self) -> bool {
        self.out.is_empty()
    }

    /// Takes back everything written after the output was `length` bytes long.
    pub fn truncate(&mut self, length: usize) {
        self.out.truncate(length);
        if let Some(spans) = &mut self.spans {
            spans.retain(|span| span.end <= length);
        }
    }

    /// Overwrites bytes already written, starting at `offset`.
    pub fn patch(&mut self, offset: usize, bytes: &[u8]) {
        self.out[offset..offset + bytes.len()].copy_from_slice(bytes);
    }

    #[inline]
    fn put(&mut self, field: &'static str, bytes: &[u8], form: Form) {
        let start = self.out.len();
        self.out.extend_from_slice(bytes);
        if let Some(spans) = &mut self.spans {
            spans.push(Span { field, start, end: self.out.len(), form, depth: 0 });
        }
    }

    number! {
        /// A byte.
        u8: u8, Form::Unsigned;
        /// A char.
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

    /// A big-endian ulong.
    #[inline]
    pub fn u32_be(&mut self, field: &'static str, value: u32) {
        self.put(field, &value.to_be_bytes(), Form::BigEndian);
    }

    /// A big-endian ushort.
    #[inline]
    pub fn u16_be(&mut self, field: &'static str, value: u16) {
        self.put(field, &value.to_be_bytes(), Form::BigEndian);
    }

    /// A big-endian short.
    #[inline]
    pub fn i16_be(&mut self, field: &'static str, value: i16) {
        self.put(field, &value.to_be_bytes(), Form::BigEndian);
    }

    /// Raw bytes.
    #[inline]
    pub fn bytes(&mut self, field: &'static str, bytes: &[u8]) {
        self.put(field, bytes, Form::Bytes);
    }

    /// Text without a NUL (connectionless packets).
    pub fn text(&mut self, field: &'static str, text: &[u8]) {
        self.put(field, text, Form::Text);
    }

    /// A NUL-terminated string. Text after an embedded NUL would desynchronise the reader, so it is cut there.
    pub fn string(&mut self, field: &'static str, text: &[u8]) {
        let start = self.out.len();
        self.out.extend(text.iter().take_while(|&&byte| byte != 0));
        self.out.push(0);
        if let Some(spans) = &mut self.spans {
            spans.push(Span { field, start, end: self.out.len(), form: Form::Text, depth: 0 });
        }
    }
}
