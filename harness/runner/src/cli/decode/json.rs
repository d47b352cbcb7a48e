//! Decoded datagrams as JSON lines.

use super::super::output::{Last, Stop, json_line};
use super::{Decoded, Totals};
use kit::{Container, Span};
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
    /// Of a demo: its part, and where in the file the message begins.
    #[serde(skip_serializing_if = "Option::is_none")]
    part: Option<u16>,
    #[serde(skip_serializing_if = "Option::is_none")]
    byte: Option<u64>,
    /// `s2c` or `c2s`.
    #[serde(skip_serializing_if = "Option::is_none")]
    direction: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    client: Option<u16>,
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
    offset: u64,
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
    offset: u64,
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

/// Offsets count from `place`.
fn fields<'a>(bytes: &[u8], spans: &'a [Span], place: u64) -> Vec<FieldLine<'a>> {
    let line = |span: &'a Span| FieldLine {
        offset: place.wrapping_add(span.start as u64),
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
        .filter(|_| datagram.demo.is_none_or(|origin| origin.container != Container::Dem))
        .map(|(bytes, spans)| AssembledLine { bytes: bytes.len(), fields: fields(bytes, spans, 0) });
    // Of a demo there is no header, and places are those of the file.
    let (bytes, spans, place) = match datagram.demo {
        Some(origin) => origin.message(&datagram.bytes, dissection),
        None => (&datagram.bytes[..], &dissection.spans[..], 0),
    };
    let length = datagram.bytes.len().saturating_sub(datagram.demo.map_or(0, |origin| origin.header_bytes()));
    let is_datagram = datagram.demo.is_none();
    let line = DatagramLine {
        n: decoded.number,
        time_us: datagram.time.filter(|_| datagram.demo.is_some()).map(|time| time.us()),
        audience: Some(datagram.label.as_str()).filter(|label| datagram.demo.is_some() && !label.is_empty()),
        part: datagram.demo.map(|_| datagram.client.0),
        byte: datagram.demo.map(|origin| origin.at),
        direction: is_datagram.then(|| datagram.direction.to_string()),
        client: is_datagram.then_some(datagram.client.0),
        bytes: length,
        summary: &dissection.summary,
        messages: dissection.messages,
        marks: marks.collect(),
        fields: fields(bytes, spans, place),
        assembled: assembled.collect(),
        error: dissection.error.as_ref().map(|error| ErrorLine {
            offset: datagram.demo.map_or(error.offset as u64, |origin| origin.place(error.offset)),
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
