//! Recorded or simulated traffic, datagram by datagram, made readable.

use crate::constants::ACK_RESET;
use crate::delta::Entry;
use crate::dialect::{Dialect, Readings, Transport};
use crate::extensions::{Extensions, FTE1_NAMES, FTE2_NAMES};
use crate::message::{Carrier, Listener, UpdateStart};
use crate::options::{Options, PROFILES, transport};
use crate::state::Entity;
use crate::tap::Tap;
use kit::summary::{printable, ranges};
use kit::{
    DecodeError, DemoOf, Direction, Dissection, Dissector, ErrorKind, HostId, Mark, Profile, Reader, Sessions, Setup,
    StatValue, Version,
};
use netquake::datagram::is_of_no_session;
use quakeworld::PROTOCOL_VERSION_QW;
use std::fmt::Write;

kit::marks! {
    FRAME = 0, "frame";
    UPDATE = 1, "update";
    RESET = 2, "reset";
    REMOVE = 3, "remove";
    REMOVE_ALL = 4, "remove_all";
    ACK = 5, "ack";
    ACK_RESET_MARK = 6, "ack_reset";
    MOVE = 7, "move";
    BASELINE = 8, "baseline";
    SESSION = 9, "session";
    STAT = 10, "stat";
    TEXT = 11, "text";
    CONNECTIONLESS = 12, "connectionless";
}

/// Follows the sessions of a run or a capture.
pub struct FteDissector {
    transport: Option<Transport>,
    readings: Readings,
    assumed: Option<Extensions>,
    /// One tap per client, by host.
    taps: Sessions<Tap>,
    /// What the present datagram carries.
    notes: Notes,
    /// The headers were made for a demo, and number nothing.
    is_unnumbered: bool,
}

impl FteDissector {
    /// For the run of `setup`, or for traffic of which nothing is known.
    pub fn new(setup: Option<&Setup>) -> FteDissector {
        let options = setup.map(Options::new);
        let demo = setup.and_then(|setup| setup.vantage.demo);
        let has_headers = options.is_some_and(|options| options.transport == Transport::QuakeWorld);
        FteDissector {
            transport: options.map(|options| options.transport),
            readings: options.map(|options| options.readings).unwrap_or_default(),
            assumed: None,
            taps: Sessions::default(),
            notes: Notes::default(),
            is_unnumbered: demo.is_some_and(|of| of == DemoOf::Server || !has_headers),
        }
    }

    fn tap(&mut self, client: HostId, bytes: &[u8]) -> Option<&mut Tap> {
        let transport = *self.transport.get_or_insert_with(|| guess_transport(bytes));
        let (readings, assumed) = (self.readings, self.assumed);
        self.taps.of(client, || {
            let mut tap = Tap::new(transport, readings);
            if let Some(extensions) = assumed {
                tap.dialect = Dialect::negotiated(transport, extensions, tap.dialect.protocol, 0, readings);
                tap.client_dialect = tap.dialect;
            }
            tap
        })
    }
}

/// A version of QuakeWorld; those before and after 28 were short-lived.
fn version(text: &str) -> Version {
    match text.parse::<u32>() {
        Ok(PROTOCOL_VERSION_QW) => Version::Known,
        Ok(number @ 24..=33) => Version::Neighbour(format!("QuakeWorld's protocol {number}")),
        _ => Version::Foreign(format!("protocol {text}")),
    }
}

/// NetQuake's header is big-endian and repeats the datagram's length; QuakeWorld's begins with a small little-endian
/// sequence, or with four bytes of ones.
fn guess_transport(bytes: &[u8]) -> Transport {
    let length = u32::try_from(bytes.len()).unwrap_or(u32::MAX);
    match bytes.first_chunk().map(|chunk| u32::from_be_bytes(*chunk)) {
        Some(word) if word & 0xffff == length && word != u32::MAX => Transport::NetQuake,
        _ => Transport::QuakeWorld,
    }
}

impl Dissector for FteDissector {
    fn datagram(&mut self, client: HostId, direction: Direction, bytes: &[u8], out: &mut Dissection) {
        if self.transport == Some(Transport::NetQuake) && is_of_no_session(direction, bytes, out) {
            return;
        }
        let mut notes = std::mem::take(&mut self.notes);
        notes.clear();
        let Some(tap) = self.tap(client, bytes) else {
            out.summary.push_str("not followed: too many clients");
            return;
        };
        let transport = tap.dialect.transport;
        let control = match transport {
            Transport::NetQuake => netquake::datagram::is_control(bytes),
            Transport::QuakeWorld => netchan::is_out_of_band(bytes),
        };
        out.unlikely = tap.is_unlikely(direction, bytes);
        let read = tap.datagram(direction, bytes, Some(out), &mut notes);
        out.messages += notes.messages;
        if control {
            out.messages += 1;
            notes.mark(CONNECTIONLESS, 0);
            let text = bytes.get(4..).unwrap_or_default();
            let _ = match transport {
                Transport::QuakeWorld => {
                    write!(out.summary, "connectionless {:?}", printable(text, 40))
                }
                Transport::NetQuake => write!(out.summary, "control {:#04x}", text.first().unwrap_or(&0)),
            };
        } else if !out.marks_only {
            if self.is_unnumbered {
                notes.carrier = None;
                notes.marks.retain(|mark| mark.kind != FRAME);
            }
            summarise(&read, &notes, direction, &mut out.summary);
        }
        out.marks.append(&mut notes.marks);
        if direction == Direction::ClientToServer {
            out.version = match transport {
                // With the first datagram, which transport it is shows only now.
                Transport::NetQuake => out.version.take().or_else(|| netquake::version_asked_for(bytes)),
                Transport::QuakeWorld => netchan::version_asked_for(bytes).map(|text| version(&text)),
            };
        }
        out.error = read.err();
        let announced = out.error.as_ref().and_then(|error| match (transport, &error.kind) {
            (Transport::NetQuake, _) => netquake::version_announced(error),
            // Without a length in front, anything is read as if it were a serverdata.
            (_, ErrorKind::Unknown { value: 24..=33 }) => netquake::version_announced(error),
            _ => None,
        });
        out.version = announced.or(out.version.take());
        self.notes = notes;
    }

    fn extensions(&self) -> Vec<String> {
        let mut names: Vec<String> = self.taps.iter().flat_map(|tap| tap.dialect.extensions.names()).collect();
        names.sort();
        names.dedup();
        names
    }

    fn profile(&self) -> Option<&'static Profile> {
        PROFILES.iter().find(|profile| Some(transport(profile)) == self.transport)
    }

    fn assumptions(&self) -> &'static [&'static str] {
        match self.transport {
            Some(Transport::QuakeWorld) => &["QW,REPLACEMENTDELTAS", "QW,REPLACEMENTDELTAS,PREDINFO", "QW,PREDINFO"],
            _ => &["NQ,REPLACEMENTDELTAS", "NQ,REPLACEMENTDELTAS,PREDINFO", "NQ,PREDINFO"],
        }
    }

    fn assume(&mut self, extensions: &str) -> Result<(), String> {
        let (transport, assumed) = named(extensions)?;
        self.transport = transport.or(self.transport);
        self.assumed = Some(assumed);
        self.taps.clear();
        Ok(())
    }
}

/// The transport and the extensions that some names stand for.
///
/// # Errors
/// A sentence that says which names are known.
pub fn named(extensions: &str) -> Result<(Option<Transport>, Extensions), String> {
    let (mut transport, mut named) = (None, Extensions::default());
    for name in extensions.split([',', '+', ' ']).filter(|name| !name.is_empty()) {
        let find = |table: &[(u32, &str)]| table.iter().find(|(_, known)| known.ends_with(name)).map(|(bit, _)| *bit);
        let name_upper = name.to_ascii_uppercase();
        match (find(FTE1_NAMES), find(FTE2_NAMES), name_upper.as_str()) {
            (Some(bit), ..) => named.fte1 |= bit,
            (_, Some(bit), _) => named.fte2 |= bit,
            (.., "QW") => transport = Some(Transport::QuakeWorld),
            (.., "NQ") => transport = Some(Transport::NetQuake),
            _ => {
                let known: Vec<&str> = FTE1_NAMES.iter().chain(FTE2_NAMES).map(|(_, known)| *known).collect();
                return Err(format!("no extension is called `{name}`; known are QW, NQ, {}", known.join(", ")));
            }
        }
    }
    Ok((transport, named))
}

/// Gathers what a datagram carries.
#[derive(Default)]
struct Notes {
    marks: Vec<Mark>,
    messages: usize,
    carrier: Option<(bool, u32)>,
    server_time: Option<f32>,
    texts: Vec<String>,
}

impl Notes {
    fn clear(&mut self) {
        let Notes { marks, messages, carrier, server_time, texts } = self;
        marks.clear();
        texts.clear();
        (*messages, *carrier, *server_time) = (0, None, None);
    }

    fn mark(&mut self, kind: usize, number: u32) {
        self.marks.push(Mark { kind, number });
    }

    fn count(&self, kind: usize) -> usize {
        self.marks.iter().filter(|mark| mark.kind == kind).count()
    }
}

impl Listener for Notes {
    fn session(&mut self, dialect: &Dialect) {
        self.mark(SESSION, dialect.protocol);
    }

    fn netquake(&mut self, service: &netquake::Service<'_>) {
        match service {
            netquake::Service::StuffText { text } => self.texts.push(format!("stufftext {}", printable(text, 40))),
            netquake::Service::SignOnNum { stage } => self.texts.push(format!("signon {stage}")),
            _ => {}
        }
    }

    fn quakeworld(&mut self, service: &quakeworld::Service<'_>) {
        if let quakeworld::Service::StuffText { text } = service {
            self.texts.push(format!("stufftext {}", printable(text, 40)));
        }
    }

    fn stat(&mut self, carrier: &Carrier, stat: u8, _: StatValue) {
        self.carrier = Some((carrier.reliable, carrier.sequence));
        self.mark(STAT, stat.into());
    }

    fn baseline(&mut self, number: u32, _: &Entity) {
        self.mark(BASELINE, number);
    }

    fn update(&mut self, carrier: &Carrier, start: &UpdateStart) {
        self.carrier = Some((carrier.reliable, carrier.sequence));
        self.server_time = Some(start.server_time);
        self.mark(FRAME, carrier.sequence);
    }

    fn entry(&mut self, _: &Carrier, entry: Entry, _: &mut Reader<'_>, _: &Dialect) -> Result<bool, DecodeError> {
        match entry {
            Entry::End => {}
            Entry::RemoveAll => self.mark(REMOVE_ALL, 0),
            Entry::Remove(number) => self.mark(REMOVE, number),
            Entry::Update(number, flags) => {
                self.mark(UPDATE, number);
                if flags & crate::state::UF_RESET != 0 {
                    self.mark(RESET, number);
                }
            }
        }
        Ok(false)
    }

    fn text_command(&mut self, text: &[u8]) {
        self.mark(TEXT, 0);
        self.texts.push(printable(text, 40));
    }

    fn quakeworld_command(&mut self, command: &quakeworld::Command<'_>) {
        if let quakeworld::Command::Delta { sequence } = command {
            self.texts.push(format!("builds on frame {sequence} (mod 256)"));
        }
    }

    fn moved(&mut self, _: &Carrier, movement: &netquake::Move) {
        self.mark(MOVE, movement.sequence.into());
    }

    fn acknowledge(&mut self, _: &Carrier, sequence: u32) {
        match sequence {
            ACK_RESET => self.mark(ACK_RESET_MARK, 0),
            sequence => self.mark(ACK, sequence),
        }
    }

    fn message_ended(&mut self) {
        self.messages += 1;
    }
}

/// One line: what the datagram contains.
fn summarise(read: &Result<bool, DecodeError>, notes: &Notes, direction: Direction, line: &mut String) {
    let mut parts: Vec<String> = Vec::new();
    if let Some(time) = notes.server_time {
        let sequence = notes.carrier.map_or(String::new(), |(_, sequence)| format!(" {sequence}"));
        parts.push(format!("frame{sequence} at {time:.3}s"));
        if notes.count(REMOVE_ALL) > 0 {
            parts.push(String::from("remove-all"));
        }
        for (kind, name) in [(REMOVE, "remove"), (RESET, "reset")] {
            if notes.count(kind) > 0 {
                parts.push(format!("{name} {}", numbers(notes, kind)));
            }
        }
        let plain = notes
            .marks
            .iter()
            .filter(|mark| mark.kind == UPDATE)
            .filter(|mark| !notes.marks.iter().any(|other| other.kind == RESET && other.number == mark.number));
        let plain: Vec<u32> = plain.map(|mark| mark.number).collect();
        if !plain.is_empty() {
            parts.push(format!("update {}", ranges(&plain)));
        }
    }
    for (kind, name) in
        [(STAT, "stat"), (BASELINE, "baseline"), (MOVE, "move"), (ACK, "ack"), (SESSION, "session, protocol")]
    {
        if notes.count(kind) > 0 {
            parts.push(format!("{name} {}", numbers(notes, kind)));
        }
    }
    if notes.count(ACK_RESET_MARK) > 0 {
        parts.push(String::from("ack ~0"));
    }
    parts.extend(notes.texts.iter().cloned());
    if parts.is_empty() {
        parts.push(String::from(match (read, notes.messages, direction) {
            (Ok(false), ..) => "acknowledges, or repeats what is known",
            (_, 0, _) => "empty",
            _ => "other messages",
        }));
    }
    line.push_str(&parts.join(", "));
}

fn numbers(notes: &Notes, kind: usize) -> String {
    let numbers: Vec<u32> = notes.marks.iter().filter(|mark| mark.kind == kind).map(|mark| mark.number).collect();
    ranges(&numbers)
}
