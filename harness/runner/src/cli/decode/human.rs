//! Decoded datagrams as text.

use super::super::output::{BAD, DIM, HEAD, Stop, many};
use super::{Decoded, Totals};
use crate::demo::Origin;
use kit::{Container, DecodeError, Form, Span};
use std::io::Write;

/// Bytes of a field shown as hex before the dots.
const HEX_BYTES: usize = 8;
/// Width of the column of hex: the digits and the dots.
const HEX_WIDTH: usize = 2 * HEX_BYTES + 1;
/// Longest value shown, in characters.
const VALUE_CHARS: usize = 120;

pub(super) fn heading(out: &mut dyn Write, input: &str) -> Result<(), Stop> {
    writeln!(out, "{HEAD}{input}{HEAD:#}")?;
    Ok(())
}

/// The header line and, unless it is `quiet`, every field.
pub(super) fn datagram(out: &mut dyn Write, decoded: &Decoded<'_>) -> Result<(), Stop> {
    let (datagram, dissection) = (decoded.datagram, decoded.dissection);
    if let Some(origin) = datagram.demo {
        return message(out, decoded, origin);
    }
    write!(out, "{HEAD}#{} {}{HEAD:#}", decoded.number, datagram.direction)?;
    if decoded.many_clients {
        write!(out, " {}", datagram.client)?;
    }
    writeln!(out, " {} bytes  {}", datagram.bytes.len(), dissection.summary)?;
    if !decoded.quiet {
        fields(out, &datagram.bytes, &dissection.spans, 0)?;
        for (bytes, spans) in &dissection.assembled {
            writeln!(out, "  {HEAD}reassembled message, {} bytes{HEAD:#}", bytes.len())?;
            fields(out, bytes, spans, 0)?;
        }
        carries(out, decoded)?;
    }
    if let Some(error) = &dissection.error {
        writeln!(out, "  {BAD}error:{BAD:#} {error}")?;
    }
    Ok(())
}

/// The marks.
fn carries(out: &mut dyn Write, decoded: &Decoded<'_>) -> Result<(), Stop> {
    let marks = &decoded.dissection.marks;
    if marks.is_empty() {
        return Ok(());
    }
    let names = marks.iter().map(|mark| {
        let kind = decoded.protocol.marks.get(mark.kind).copied().unwrap_or("?");
        format!("{kind} {}", mark.number)
    });
    writeln!(out, "  {DIM}carries {}{DIM:#}", names.collect::<Vec<_>>().join(", "))?;
    Ok(())
}

/// A message of a demo: when, to whom, where in the file, and what stands there; no header is there.
fn message(out: &mut dyn Write, decoded: &Decoded<'_>, origin: Origin) -> Result<(), Stop> {
    let (datagram, dissection) = (decoded.datagram, decoded.dissection);
    let time = datagram.time.unwrap_or_default().us() as f64 / 1e6;
    write!(out, "{HEAD}#{} at {time:.3}s{HEAD:#}", decoded.number)?;
    if decoded.many_clients {
        write!(out, " part {}", datagram.client.0)?;
    }
    if !datagram.label.is_empty() {
        write!(out, " {}", datagram.label)?;
    }
    let length = datagram.bytes.len().saturating_sub(origin.header_bytes());
    writeln!(out, " {length} bytes from byte {} on  {}", origin.at, dissection.summary)?;
    if !decoded.quiet {
        let (bytes, spans, place) = origin.message(&datagram.bytes, dissection);
        fields(out, bytes, spans, place)?;
        for (bytes, spans) in dissection.assembled.iter().filter(|_| origin.container != Container::Dem) {
            writeln!(out, "  {HEAD}unpacked message, {} bytes{HEAD:#}", bytes.len())?;
            fields(out, bytes, spans, 0)?;
        }
        carries(out, decoded)?;
    }
    if let Some(error) = &dissection.error {
        let DecodeError { offset, field, kind } = error;
        writeln!(out, "  {BAD}error:{BAD:#} {field} at byte {} of the file: {kind}", origin.place(*offset))?;
    }
    Ok(())
}

/// `  <offset>  <hex>  <field> = <value>`, one line per span, indented by depth; offsets count from `place`.
fn fields(out: &mut dyn Write, bytes: &[u8], spans: &[Span], place: u64) -> Result<(), Stop> {
    for span in spans {
        let indent = 2 * usize::from(span.depth);
        let at = place.wrapping_add(span.start as u64);
        if span.form == Form::Group {
            writeln!(out, "  {at:>4}  {:HEX_WIDTH$}  {:indent$}{}", "", "", span.field)?;
            continue;
        }
        let raw = bytes.get(span.start..span.end).unwrap_or_default();
        let mut hex: String = raw.iter().take(HEX_BYTES).map(|byte| format!("{byte:02x}")).collect();
        if raw.len() > HEX_BYTES {
            hex.push('…');
        }
        let value = shortened(span.value(bytes));
        writeln!(out, "  {at:>4}  {hex:HEX_WIDTH$}  {:indent$}{} = {value}", "", span.field)?;
    }
    Ok(())
}

fn shortened(mut value: String) -> String {
    if let Some((end, _)) = value.char_indices().nth(VALUE_CHARS) {
        value.truncate(end);
        value.push('…');
    }
    value
}

/// The counts and the extensions, and the first error where there is one.
pub(super) fn summary(out: &mut dyn Write, totals: &Totals) -> Result<(), Stop> {
    let (datagrams, messages) = (many(totals.datagrams, "datagram"), many(totals.messages, "message"));
    write!(out, "{datagrams}, {messages}, {}", many(totals.undecoded_bytes, "undecoded byte"))?;
    if totals.errors > 0 {
        write!(out, ", {}", many(totals.errors, "error"))?;
    }
    let extensions = if totals.extensions.is_empty() { "none".to_string() } else { totals.extensions.join(", ") };
    writeln!(out, "\nextensions: {extensions}")?;
    if let Some(error) = &totals.first_error {
        writeln!(out, "{BAD}{error}{BAD:#}")?;
    }
    Ok(())
}
