//! A demo, decoded while it is read: message by message, or frame by frame.

use super::super::arguments::DecodeArguments;
use super::super::observed;
use super::super::output::{Format, Stop, json_line};
use super::{Decoded, Shown, Totals, choose};
use crate::capture::{Capture, CaptureError};
use crate::demo::wrap::HEADER_BYTES;
use crate::observe::follow::Heard;
use crate::scene::lines::{Lines, Show, defaults};
use crate::scene::parts::{Ask, Counted, Frames, Next, Part, Parts};
use choose::Follower;
use kit::{Container, Dissection, Protocol};
use serde::Serialize;
use std::collections::BTreeMap;
use std::io::Write;

/// The first line of each part, from which what its frames leave out is known.
#[derive(Serialize)]
#[cfg_attr(feature = "schemas", derive(schemars::JsonSchema), schemars(deny_unknown_fields))]
pub(in super::super) struct PartLine<'a> {
    /// Its number, from 1.
    part: u16,
    /// `dem`, `qwd`, `mvd` or `dm2`.
    container: &'a str,
    profile: &'a str,
    extensions: Vec<String>,
    /// What is taken for agreed, where the beginning is missing.
    #[serde(skip_serializing_if = "Option::is_none")]
    assumed: Option<&'a str>,
    /// The fields of an entity of which nothing was said.
    defaults: BTreeMap<String, f64>,
}

/// Decodes a demo. Returns what is wrong with the file itself, if anything.
pub(super) fn session(
    capture: &mut Capture,
    arguments: &DecodeArguments,
    protocols: &[&'static Protocol],
    forced: Option<choose::Choice>,
    format: Format,
    totals: &mut Totals,
    out: &mut dyn Write,
) -> Result<Option<CaptureError>, Stop> {
    let ask = Ask { protocols, forced, assume: arguments.assume.as_deref(), strict: false };
    if format.is_for_people() || arguments.messages {
        messages(capture, arguments, ask, format, totals, out)
    } else {
        frames(capture, arguments, ask, totals, out)
    }
}

/// One line for each frame.
fn frames(
    capture: &mut Capture,
    arguments: &DecodeArguments,
    ask: Ask<'_>,
    totals: &mut Totals,
    out: &mut dyn Write,
) -> Result<Option<CaptureError>, Stop> {
    let container = capture.demo();
    let name = capture.name().to_string();
    let mut frames = Frames::new(Parts::new(capture, ask));
    let (mut lines, mut begun, mut is_shown) = (Lines::default(), 0, false);
    let show = Show { entity: arguments.entity, changes: arguments.changes };
    while frames.advance()? {
        let Some((moment, scene, part)) = frames.shown() else { break };
        if begun != part.number {
            begun = part.number;
            totals.guess(part);
            totals.others(&name, &part.others, container);
            let extensions = scene.extensions();
            totals.extend(&extensions);
            let defaults = serde_json::from_str(&defaults(scene))?;
            let assumed = part.assumed.as_deref();
            let profile = part.profile.name;
            let container = container.map_or("", Container::name);
            json_line(out, &PartLine { part: part.number, container, profile, extensions, assumed, defaults })?;
        }
        if let Some(unread) = moment.unread.first() {
            totals.first_error.get_or_insert_with(|| format!("{name}: byte {}: {}", unread.place, unread.error));
        }
        if is_shown && arguments.at.is_some() || arguments.at.is_some_and(|at| moment.time < at) {
            continue;
        }
        is_shown = true;
        lines.moment(moment, scene, show, out)?;
    }
    let Counted { messages, unread, unread_bytes, services, moments, .. } = frames.counted;
    let fault = frames.fault();
    totals.datagrams += messages;
    totals.messages += services;
    totals.errors += unread;
    totals.undecoded_bytes += unread_bytes;
    *totals.frames.get_or_insert_default() += moments;
    Ok(fault)
}

/// Every message with its fields.
fn messages(
    capture: &mut Capture,
    arguments: &DecodeArguments,
    ask: Ask<'_>,
    format: Format,
    totals: &mut Totals,
    out: &mut dyn Write,
) -> Result<Option<CaptureError>, Stop> {
    let container = capture.demo();
    let name = capture.name().to_string();
    let mut parts = Parts::new(capture, ask);
    let mut dissection = Dissection { want_spans: !arguments.quiet, ..Dissection::default() };
    let mut shown = Shown { at: arguments.at, entity: arguments.entity, moment: None };
    let mut reader: Option<(Box<Part>, Follower)> = None;
    let (mut counted, mut others) = (Counted::default(), Vec::new());
    while let Some(next) = parts.next_of_demo()? {
        let datagram = match next {
            Next::Part(part) => {
                let is_new = reader.as_ref().is_none_or(|(before, _)| before.profile.name != part.profile.name);
                others.extend(end_of_part(&name, reader.take(), container, totals));
                if is_new && format.is_for_people() {
                    let guess = part.reading.as_ref().map(ToString::to_string);
                    observed::profile(guess.as_deref().unwrap_or(part.profile.name), out)?;
                }
                totals.guess(&part);
                let follower = Follower::new(part.choice.dissector(part.assumed.as_deref())?);
                reader = Some((part, follower));
                continue;
            }
            Next::Message(message) => message,
        };
        let Some((part, follower)) = &mut reader else { continue };
        dissection.clear();
        let heard = follower.datagram(datagram.client, datagram.direction, &datagram.bytes, &mut dissection);
        totals.datagrams += 1;
        counted.messages += 1;
        // What is said in the version of a neighbour cannot be read, though it is no error.
        counted.unread += usize::from(matches!(heard, Heard::Unreadable | Heard::Neighbour | Heard::Stranger));
        counted.length = datagram.time.unwrap_or_default().max(counted.length);
        let (number, protocol, many_clients) = (totals.datagrams, part.choice.protocol, datagram.client.0 > 1);
        let decoded = Decoded {
            number,
            datagram: &datagram,
            dissection: &dissection,
            protocol,
            many_clients,
            quiet: arguments.quiet,
        };
        if shown.has(&decoded) {
            format.say(&decoded, out)?;
        }
        totals.add(&name, &decoded);
        if matches!(heard, Heard::Neighbour | Heard::Stranger) {
            totals.errors += 1;
            totals.undecoded_bytes += datagram.bytes.len().saturating_sub(HEADER_BYTES);
        }
    }
    others.extend(end_of_part(&name, reader, container, totals));
    others.dedup();
    let fault = parts.fault();
    if let Some(container) = container.filter(|_| format.is_for_people() && fault.is_none()) {
        observed::demo(container, &counted, &others, out)?;
    }
    Ok(fault)
}

/// Notes what was agreed upon in a part, at its end. Returns the versions of neighbours that it is in.
fn end_of_part(
    name: &str,
    part: Option<(Box<Part>, Follower)>,
    container: Option<Container>,
    totals: &mut Totals,
) -> Vec<String> {
    let Some((_, follower)) = part else { return Vec::new() };
    totals.extend(&follower.dissector().extensions());
    totals.others(name, follower.others(), container);
    follower.others().to_vec()
}
