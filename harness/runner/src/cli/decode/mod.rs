//! `decode`: recorded traffic, taken apart field by field.
//!
//! [`choose`] finds the protocol, [`human`] and [`json`] print, [`demo`] decodes demos while it reads them.

pub(super) mod choose;
mod demo;
mod human;
mod json;

#[cfg(test)]
mod tests;

#[cfg(feature = "schemas")]
pub(super) use demo::PartLine;
#[cfg(feature = "schemas")]
pub(super) use json::{DatagramLine, Summary};

use super::arguments::DecodeArguments;
use super::observed;
use super::output::{Answer, BAD, Format, Stop, WARN, complain};
use crate::capture::stage::Stage;
use crate::capture::{self, Capture, CaptureDatagram, CaptureError, Options};
use crate::demo::kind::protocols;
use choose::Follower;
use kit::{Container, Dissection, Protocol, Time};
use std::io::Write;
use std::ops::Range;
use std::path::Path;

/// Counts over every input.
#[derive(Debug, Default)]
struct Totals {
    datagrams: usize,
    /// Frames of demos, where these were shown.
    frames: Option<usize>,
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
    /// Whether its fields are left out for people.
    quiet: bool,
}

impl Answer for Decoded<'_> {
    fn human(&self, out: &mut dyn Write) -> Result<(), Stop> {
        human::datagram(out, self)
    }

    fn json(&self, out: &mut dyn Write) -> Result<(), Stop> {
        json::datagram(out, self)
    }
}

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
                mark.number == entity && kit::dissect::ABOUT_ENTITIES.contains(&kind)
            })
        })
    }
}

impl Totals {
    /// Notes which profile a part of a demo was found to be.
    fn guess(&mut self, part: &crate::scene::parts::Part) {
        if part.reading.is_some() && !self.guessed.contains(&part.profile.name) {
            self.guessed.push(part.profile.name);
        }
    }

    /// Notes what was agreed upon.
    fn extend(&mut self, extensions: &[String]) {
        for extension in extensions {
            if !self.extensions.contains(extension) {
                self.extensions.push(extension.clone());
            }
        }
    }

    /// Notes versions that cannot be read.
    fn others(&mut self, name: &str, others: &[String], demo: Option<Container>) {
        for other in others {
            let hint = demo.map_or(String::new(), |it| {
                format!("; of a .{} protocols {} are read: record it over one of them", it.name(), protocols(it))
            });
            let remark = format!("{name}: {other} was agreed, which cannot be read{hint}");
            complain(WARN, "remark", &remark);
            self.remarks.push(remark);
        }
    }

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

impl Answer for Totals {
    fn human(&self, out: &mut dyn Write) -> Result<(), Stop> {
        human::summary(out, self)
    }

    fn json(&self, out: &mut dyn Write) -> Result<(), Stop> {
        json::summary(out, self)
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
        if groups.len() > 1 && format.is_for_people() {
            human::heading(out, capture.name())?;
        }
        fault = session(capture, arguments, protocols, forced, format, &mut totals, out)?;
        if fault.is_some() {
            break;
        }
    }
    format.say(&totals, out)?;
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
    if capture.demo().is_some() {
        let fault = demo::session(&mut capture, arguments, protocols, forced, format, totals, out)?;
        remarks(&capture, totals, fault.is_some());
        return Ok(fault);
    }
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
            if format.is_for_people() {
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
        let decoded =
            Decoded { number, datagram, dissection: &dissection, protocol, many_clients, quiet: arguments.quiet };
        if shown.has(&decoded) {
            format.say(&decoded, out)?;
        }
        totals.add(&name, &decoded);
    }
    remarks(&capture, totals, fault.is_some());
    for (_, follower) in &readers {
        totals.extend(&follower.dissector().extensions());
        totals.others(&name, follower.others(), None);
    }
    Ok(fault)
}

/// What is to be known of a file that was read; where it ended with a fault, that is said instead.
fn remarks(capture: &Capture, totals: &mut Totals, has_fault: bool) {
    for remark in capture.remarks() {
        let remark = format!("{}: {remark}", capture.name());
        if !has_fault {
            complain(WARN, "remark", &remark);
        }
        totals.remarks.push(remark);
    }
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
    for reading in &readings {
        if format.is_for_people() {
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
