//! Decoded datagrams as JSON lines.

use super::super::output::{Last, Stop, json_line};
use super::{Decoded, Totals};
use kit::Span;
use serde::Serialize;
use std::io::Write;

#[derive(Serialize)]
#[cfg_attr(feature = "schemas", derive(schemars::JsonSchema), schemars(deny_unknown_fields))]
pub(in super::super) struct DatagramLine<'a> {
    /// Its number, from 1.
    n: usize,
    /// Of a demo: when, in microseconds since it began.
    #[serde(skip_serializing_if = "Option::is_none")]
    time_us: Option<u64>,
    /// Of an `.mvd`: the players to whom alone it is said, such as `to 3 7`.
    #[serde(skip_serializing_if = "Option::is_none")]
    audience: Option<&'a str>,
    /// `s2c` or `c2s`.
    direction: String,
    client: u16,
    bytes: usize,
    summary: &'a str,
    messages: usize,
    marks: Vec<MarkLine<'a>>,
    fields: Vec<FieldLine<'a>>,
    /// Messages that this datagram completes.
    assembled: Vec<AssembledLine<'a>>,
    error: Option<ErrorLine<'a>>,
}

#[derive(Serialize)]
#[cfg_attr(feature = "schemas", derive(schemars::JsonSchema), schemars(deny_unknown_fields))]
struct MarkLine<'a> {
    kind: &'a str,
    number: u32,
}

#[derive(Serialize)]
#[cfg_attr(feature = "schemas", derive(schemars::JsonSchema), schemars(deny_unknown_fields))]
struct FieldLine<'a> {
    offset: usize,
    field: &'a str,
    length: usize,
    value: String,
    depth: u8,
}

#[derive(Serialize)]
#[cfg_attr(feature = "schemas", derive(schemars::JsonSchema), schemars(deny_unknown_fields))]
struct AssembledLine<'a> {
    bytes: usize,
    fields: Vec<FieldLine<'a>>,
}

#[derive(Serialize)]
#[cfg_attr(feature = "schemas", derive(schemars::JsonSchema), schemars(deny_unknown_fields))]
struct ErrorLine<'a> {
    offset: usize,
    field: &'a str,
    kind: String,
}

#[derive(Serialize)]
#[cfg_attr(feature = "schemas", derive(schemars::JsonSchema), schemars(deny_unknown_fields))]
pub(in super::super) struct Summary<'a> {
    datagrams: usize,
    /// Of demos that were shown frame by frame.
    #[serde(skip_serializing_if = "Option::is_none")]
    frames: Option<usize>,
    messages: usize,
    undecoded_bytes: usize,
    errors: usize,
    extensions: &'a [String],
    /// The profiles that were guessed; none where one was given.
    guessed: &'a [&'static str],
    remarks: &'a [String],
}

fn fields<'a>(bytes: &[u8], spans: &'a [Span]) -> Vec<FieldLine<'a>> {
    let line = |span: &'a Span| FieldLine {
        offset: span.start,
        field: span.field,
        length: span.end.saturating_sub(span.start),
        value: span.value(bytes),
        depth: span.depth,
    };
    spans.iter().map(line).collect()
}

/// One datagram as one line.
pub(super) fn datagram(out: &mut dyn Write, decoded: &Decoded<'_>) -> Result<(), Stop> {
    let (datagram, dissection) = (decoded.datagram, decoded.dissection);
    let marks = dissection.marks.iter().map(|mark| MarkLine {
        kind: decoded.protocol.marks.get(mark.kind).copied().unwrap_or("?"),
        number: mark.number,
    });
    let assembled = dissection
        .assembled
        .iter()
        .map(|(bytes, spans)| AssembledLine { bytes: bytes.len(), fields: fields(bytes, spans) });
    let line = DatagramLine {
        n: decoded.number,
        time_us: datagram.time.filter(|_| datagram.demo.is_some()).map(|time| time.us()),
        audience: Some(datagram.label.as_str()).filter(|label| datagram.demo.is_some() && !label.is_empty()),
        direction: datagram.direction.to_string(),
        client: datagram.client.0,
        bytes: datagram.bytes.len(),
        summary: &dissection.summary,
        messages: dissection.messages,
        marks: marks.collect(),
        fields: fields(&datagram.bytes, &dissection.spans),
        assembled: assembled.collect(),
        error: dissection.error.as_ref().map(|error| ErrorLine {
            offset: error.offset,
            field: error.field,
            kind: error.kind.to_string(),
        }),
    };
    json_line(out, &line)
}

/// The last line.
pub(super) fn summary(out: &mut dyn Write, totals: &Totals) -> Result<(), Stop> {
    let summary = Summary {
        datagrams: totals.datagrams,
        frames: totals.frames,
        messages: totals.messages,
        undecoded_bytes: totals.undecoded_bytes,
        errors: totals.errors,
        extensions: &totals.extensions,
        guessed: &totals.guessed,
        remarks: &totals.remarks,
    };
    json_line(out, &Last { summary })
}
