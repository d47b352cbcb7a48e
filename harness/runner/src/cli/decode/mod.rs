//! `decode`: recorded traffic, taken apart field by field.
//!
//! [`choose`] finds the protocol, [`human`] and [`json`] print.

pub(super) mod choose;
mod human;
mod json;

#[cfg(test)]
mod tests;

use super::arguments::{DecodeArguments, Format};
use super::observed;
use super::output::{BAD, Stop, WARN, complain};
use crate::capture::stage::Stage;
use crate::capture::{self, Capture, CaptureDatagram, CaptureError, Options};
use choose::Follower;
use kit::{Dissection, Protocol, Time};
use std::io::Write;
use std::ops::Range;
use std::path::Path;

/// Counts over every input.
#[derive(Debug, Default)]
struct Totals {
    datagrams: usize,
    messages: usize,
    undecoded_bytes: usize,
    errors: usize,
    extensions: Vec<String>,
    /// The profiles that were found from the traffic, since none was asked for.
    guessed: Vec<&'static str>,
    remarks: Vec<String>,
    /// `<file>:<line>: datagram 17 (s2c): …`
    first_error: Option<String>,
}

/// One datagram and what the dissector made of it.
struct Decoded<'a> {
    /// Its number over every input, from 1.
    number: usize,
    datagram: &'a CaptureDatagram,
    dissection: &'a Dissection,
    protocol: &'a Protocol,
    /// Whether the input has more than one client.
    many_clients: bool,
}

/// The marks that name an entity.
const ABOUT_ENTITIES: [&str; 5] = ["update", "reset", "remove", "baseline", "entity"];

/// What is asked for of all that is read.
struct Shown {
    at: Option<Time>,
    entity: Option<u32>,
    /// The time that is shown, once it has come.
    moment: Option<Time>,
}

impl Shown {
    fn has(&mut self, decoded: &Decoded<'_>) -> bool {
        if let Some(at) = self.at {
            let Some(time) = decoded.datagram.time.filter(|time| *time >= at) else { return false };
            if *self.moment.get_or_insert(time) != time {
                return false;
            }
        }
        self.entity.is_none_or(|entity| {
            decoded.dissection.marks.iter().any(|mark| {
                let kind = decoded.protocol.marks.get(mark.kind).copied().unwrap_or_default();
                mark.number == entity && ABOUT_ENTITIES.contains(&kind)
            })
        })
    }
}

impl Totals {
    fn add(&mut self, input: &str, decoded: &Decoded<'_>) {
        self.messages += decoded.dissection.messages;
        let Some(error) = &decoded.dissection.error else { return };
        self.errors += 1;
        self.undecoded_bytes += decoded.datagram.bytes.len().saturating_sub(error.offset);
        if self.first_error.is_none() {
            self.first_error = Some(format!(
                "{input}:{}: datagram {} ({}): {error}",
                decoded.datagram.line_or_packet, decoded.number, decoded.datagram.direction
            ));
        }
    }
}

/// Decodes every input in turn, each as a session of its own.
///
/// Returns 0 when everything was decoded and 1 otherwise.
pub(super) fn decode(
    arguments: &DecodeArguments,
    protocols: &[&'static Protocol],
    format: Format,
    out: &mut dyn Write,
) -> Result<u8, Stop> {
    let forced = choose::by_name(protocols, arguments.profile.as_deref())?;
    let mut totals = Totals::default();
    let mut fault = None;
    let groups = groups(&arguments.inputs);
    let options = Options { direction: arguments.direction, port: arguments.port };
    for group in &groups {
        let capture = match group.open(&arguments.inputs, &options) {
            Ok(capture) => capture,
            Err(error) => {
                fault = Some(error);
                break;
            }
        };
        if groups.len() > 1 && format == Format::Human {
            human::heading(out, capture.name())?;
        }
        fault = session(capture, arguments, protocols, forced, format, &mut totals, out)?;
        if fault.is_some() {
            break;
        }
    }
    match format {
        Format::Json => json::summary(out, &totals)?,
        _ => human::summary(out, &totals)?,
    }
    match fault {
        // Not an early return: what was decoded before the fault is counted all the same.
        Some(error) => {
            out.flush()?;
            complain(BAD, "error", &error);
            Ok(2)
        }
        None => Ok(u8::from(totals.errors > 0)),
    }
}

/// The inputs, in order: each file by itself, neighbouring hex arguments together.
pub(super) fn groups(inputs: &[String]) -> Vec<Group> {
    let is_hex = |input: &str| input != "-" && !Path::new(input).exists() && Capture::looks_like_hex(input);
    let mut groups: Vec<Group> = Vec::new();
    for (index, input) in inputs.iter().enumerate() {
        match groups.last_mut() {
            Some(Group::Hex(range)) if is_hex(input) => range.end = index + 1,
            _ if is_hex(input) => groups.push(Group::Hex(index..index + 1)),
            _ => groups.push(Group::File(index)),
        }
    }
    groups
}

/// Arguments that belong together, by their index.
pub(super) enum Group {
    File(usize),
    Hex(Range<usize>),
}

impl Group {
    pub(super) fn open(&self, inputs: &[String], options: &Options) -> Result<Capture, CaptureError> {
        match self {
            Group::File(index) => capture::open(&inputs[*index], options),
            Group::Hex(range) => Capture::from_hex(range.start + 1, &inputs[range.clone()], options),
        }
    }
}

/// Decodes one input. Returns what is wrong with the input itself, if anything.
fn session(
    mut capture: Capture,
    arguments: &DecodeArguments,
    protocols: &[&'static Protocol],
    forced: Option<choose::Choice>,
    format: Format,
    totals: &mut Totals,
    out: &mut dyn Write,
) -> Result<Option<CaptureError>, Stop> {
    let mut fault = None;
    let all = capture.by_ref().map_while(|next| next.map_err(|error| fault = Some(error)).ok());
    // Of our own recordings, what was sent is decoded; the rest are copies of it.
    let sent = all.filter(|datagram| !matches!(datagram.stage, Some(Stage::Delivered { .. })));
    let datagrams: Vec<CaptureDatagram> = sent.collect();
    if datagrams.is_empty() {
        return Ok(fault);
    }
    let assume = arguments.assume.as_deref();
    let noted = capture.session().map(|session| session.profile.clone());
    let (mut readers, of) = match forced.or(choose::by_name(protocols, noted.as_deref())?) {
        Some(choice) => {
            let choice = choice.reading(&datagrams);
            if format != Format::Json {
                observed::profile(choice.profile.name, out)?;
            }
            (vec![(choice, Follower::new(choice.dissector(assume)?))], vec![0; datagrams.len()])
        }
        None => guessed(protocols, &datagrams, assume, format, totals, out)?,
    };
    let many_clients = datagrams.iter().any(|datagram| datagram.client.0 > 1);
    let mut dissection = Dissection { want_spans: !arguments.quiet, ..Dissection::default() };
    let name = capture.name().to_string();
    let mut shown = Shown { at: arguments.at, entity: arguments.entity, moment: None };
    for (datagram, of) in datagrams.iter().zip(of) {
        let Some((choice, follower)) = readers.get_mut(of) else { continue };
        dissection.clear();
        follower.datagram(datagram.client, datagram.direction, &datagram.bytes, &mut dissection);
        totals.datagrams += 1;
        let (number, protocol) = (totals.datagrams, choice.protocol);
        let decoded = Decoded { number, datagram, dissection: &dissection, protocol, many_clients };
        match format {
            _ if !shown.has(&decoded) => {}
            Format::Json => json::datagram(out, &decoded)?,
            _ => human::datagram(out, &decoded, arguments.quiet)?,
        }
        totals.add(&name, &decoded);
    }
    for extension in readers.iter().flat_map(|(_, follower)| follower.dissector().extensions()) {
        if !totals.extensions.contains(&extension) {
            totals.extensions.push(extension);
        }
    }
    let others = readers.iter().flat_map(|(_, follower)| follower.others());
    let remarks: Vec<String> = others.map(|other| format!("{other} was agreed, which cannot be read")).collect();
    for remark in capture.remarks().into_iter().chain(remarks) {
        if fault.is_none() {
            complain(WARN, "remark", format!("{name}: {remark}"));
        }
        totals.remarks.push(format!("{name}: {remark}"));
    }
    Ok(fault)
}

/// What reads the datagrams of a session, and with which protocol.
type Reader = (choose::Choice, Follower);

/// What reads the sessions that are found in `datagrams`, and which of them each datagram belongs to. Says what was guessed.
fn guessed(
    protocols: &[&'static Protocol],
    datagrams: &[CaptureDatagram],
    assume: Option<&str>,
    format: Format,
    totals: &mut Totals,
    out: &mut dyn Write,
) -> Result<(Vec<Reader>, Vec<usize>), Stop> {
    let (readings, of) = match choose::sessions(protocols, datagrams, assume) {
        Ok(sessions) => (sessions.readings, sessions.of),
        // What cannot be read well is shown all the same: where it fails is what somebody wants to see.
        Err(_) => (vec![choose::best(protocols, datagrams, assume)?], vec![0; datagrams.len()]),
    };
    if format != Format::Json {
        observed::demo(datagrams, readings.iter().map(|reading| reading.unread).sum(), out)?;
    }
    for reading in &readings {
        if format != Format::Json {
            observed::profile(&reading.to_string(), out)?;
        }
        if !totals.guessed.contains(&reading.profile.name) {
            totals.guessed.push(reading.profile.name);
        }
    }
    let reader = |reading: &choose::Reading| {
        let assumed = assume.or(reading.assumed.as_deref());
        Ok((reading.choice, Follower::new(reading.choice.dissector(assumed)?)))
    };
    Ok((readings.iter().map(reader).collect::<Result<_, choose::Unreadable>>()?, of))
}
