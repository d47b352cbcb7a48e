//! Recorded or simulated traffic, datagram by datagram, made readable.

use crate::machine::options;
use crate::tap::{Asked, Tap};
use crate::wire::command::Command;
use crate::wire::constants::*;
use crate::wire::delta::Entry;
use crate::wire::dialect::Dialect;
use crate::wire::frame::FrameStart;
use crate::wire::handshake::is_out_of_band;
use crate::wire::message::{Carrier, Listener};
use crate::wire::netchan::Qport;
use crate::wire::service::Service;
use crate::wire::state::Entity;
use kit::summary::{printable, ranges};
use kit::{DecodeError, Direction, Dissection, Dissector, HostId, Mark, Reader, Setup};
use std::fmt::Write;

/// What a datagram can carry, by number of the mark.
pub const MARKS: [&str; 24] = [
    "connect",
    "connectionless",
    "frame",
    "full_frame",
    "update",
    "remove",
    "event",
    "zpacket",
    "reliable",
    "serverdata",
    "configstring",
    "baseline",
    "stufftext",
    "print",
    "sound",
    "temp_entity",
    "download",
    "zdownload",
    "setting",
    "move",
    "nodelta",
    "stringcmd",
    "userinfo",
    "stale",
];

/// A connect.
pub const CONNECT: usize = 0;
/// Any datagram that belongs to no connection; a connect, too.
pub const CONNECTIONLESS: usize = 1;
/// A frame, by its number.
pub const FRAME: usize = 2;
/// A frame without a base, by its number.
pub const FULL_FRAME: usize = 3;
/// An update of an entity.
pub const UPDATE: usize = 4;
/// A remove of an entity.
pub const REMOVE: usize = 5;
/// An update of an entity with an event.
pub const EVENT: usize = 6;
/// A zpacket; its number is the length of what it stands for.
pub const ZPACKET: usize = 7;
/// A reliable block, by the datagram's number.
pub const RELIABLE: usize = 8;
/// A serverdata; its number is the protocol.
pub const SERVERDATA: usize = 9;
/// A configstring.
pub const CONFIGSTRING: usize = 10;
/// A baseline, by its entity.
pub const BASELINE: usize = 11;
/// A command for the client's console.
pub const STUFFTEXT: usize = 12;
/// A text for the player, centred or not.
pub const PRINT: usize = 13;
/// A sound.
pub const SOUND: usize = 14;
/// An effect, by its kind.
pub const TEMP_ENTITY: usize = 15;
/// A block of a file.
pub const DOWNLOAD: usize = 16;
/// A compressed block of a file.
pub const ZDOWNLOAD: usize = 17;
/// A setting, of a server or of a client.
pub const SETTING: usize = 18;
/// A move; its number is the frame that it acknowledges, or 0.
pub const MOVE: usize = 19;
/// A move that asks for a frame without a base.
pub const NODELTA: usize = 20;
/// A command of a player.
pub const STRINGCMD: usize = 21;
/// A userinfo.
pub const USERINFO: usize = 22;
/// A datagram older than one before it.
pub const STALE: usize = 23;

/// More clients than any scenario has; a capture with more is not followed further.
const MAX_CLIENTS: usize = 4096;
/// Characters of a text that a summary shows.
const SHOWN_CHARACTERS: usize = 40;

/// Follows the sessions of a run or a capture: learns protocol, number and revision from connects and serverdatas.
#[derive(Debug)]
pub struct R1q2Dissector {
    /// What is assumed of a session whose connect was not seen.
    dialect: Dialect,
    /// How its client's datagrams carry their number, if not as usual.
    qport: Option<Qport>,
    /// One tap per client, by host.
    taps: Vec<Option<Tap>>,
}

impl R1q2Dissector {
    /// For the run of `setup`, or for traffic of which nothing is known.
    pub fn new(setup: Option<&Setup>) -> R1q2Dissector {
        let dialect = setup.map_or(Dialect::r1q2(MINOR_SOURCE), |setup| options::dialect(setup.profile));
        R1q2Dissector { dialect, qport: None, taps: Vec::new() }
    }

    fn tap(&mut self, client: HostId) -> Option<&mut Tap> {
        let index = usize::from(client.0);
        if index >= MAX_CLIENTS {
            return None;
        }
        if index >= self.taps.len() {
            self.taps.resize_with(index + 1, || None);
        }
        let (dialect, qport) = (self.dialect, self.qport);
        Some(self.taps[index].get_or_insert_with(|| match qport {
            Some(qport) => Tap::of(Asked { protocol: dialect.protocol, qport, minor: None, max_length: None }, dialect),
            None => Tap::new(dialect),
        }))
    }
}

/// What [`R1q2Dissector::assume`] knows.
const ASSUMPTIONS: &str = "34, 35, 1901 to 1905, qport0 (none), qport1 (a byte), qport2 (a short)";

impl Dissector for R1q2Dissector {
    fn datagram(&mut self, client: HostId, direction: Direction, bytes: &[u8], out: &mut Dissection) {
        let Some(tap) = self.tap(client) else {
            out.summary.push_str("not followed: too many clients");
            return;
        };
        let mut notes = Notes::default();
        let told = tap.datagram(direction, bytes, Some(out), &mut notes);
        out.messages += notes.messages;
        if is_out_of_band(bytes) {
            let text = bytes.get(4..).unwrap_or_default();
            out.messages += 1;
            notes.mark(CONNECTIONLESS, 0);
            if direction == Direction::ClientToServer && text.starts_with(b"connect ") {
                notes.mark(CONNECT, 0);
            }
            let _ = write!(out.summary, "connectionless {:?}", printable(text, SHOWN_CHARACTERS));
        } else {
            if told == Ok(false) {
                notes.mark(STALE, 0);
            }
            let word =
                |at: usize| bytes.get(at..).and_then(|rest| rest.first_chunk()).map(|it| u32::from_le_bytes(*it));
            if let Some(sequence) = word(0).filter(|word| word >> 31 != 0) {
                notes.mark(RELIABLE, sequence & !(1 << 31));
            }
            summarise(&told, &notes, &mut out.summary);
        }
        out.marks.append(&mut notes.marks);
        out.error = told.err();
    }

    fn extensions(&self) -> Vec<String> {
        let mut names = Vec::new();
        for tap in self.taps.iter().flatten().filter(|tap| tap.dialect.is_r1q2()) {
            names.push(format!("R1Q2 {}", tap.dialect.minor));
            names.push(String::from(match tap.asked.qport {
                Qport::Absent => "no qport",
                _ => "qport of one byte",
            }));
        }
        names.sort();
        names.dedup();
        names
    }

    fn assume(&mut self, extensions: &str) -> Result<(), String> {
        let (mut dialect, mut qport) = (self.dialect, None);
        for name in extensions.split([',', '+', ' ']).filter(|name| !name.is_empty()) {
            match (name, name.parse()) {
                ("34", _) => dialect = Dialect::ORIGINAL,
                ("35", _) => dialect = Dialect::r1q2(MINOR_SOURCE),
                (_, Ok(minor @ MINOR_SOURCE..=MINOR_SOLID)) => dialect = Dialect::r1q2(minor),
                ("qport0", _) => qport = Some(Qport::Absent),
                ("qport1", _) => qport = Some(Qport::Byte(0)),
                ("qport2", _) => qport = Some(Qport::Short(0)),
                _ => return Err(format!("nothing is called `{name}`; known are {ASSUMPTIONS}")),
            }
        }
        (self.dialect, self.qport) = (dialect, qport);
        self.taps.clear();
        Ok(())
    }
}

/// Gathers what a datagram carries.
#[derive(Default)]
struct Notes {
    marks: Vec<Mark>,
    messages: usize,
    texts: Vec<String>,
}

impl Notes {
    fn mark(&mut self, kind: usize, number: u32) {
        self.marks.push(Mark { kind, number });
    }

    fn numbers(&self, kind: usize) -> Vec<u32> {
        self.marks.iter().filter(|mark| mark.kind == kind).map(|mark| mark.number).collect()
    }
}

impl Listener for Notes {
    fn service(&mut self, _: &Carrier, service: &Service<'_>) {
        match service {
            Service::ServerData(data) => {
                self.mark(SERVERDATA, data.protocol);
                self.texts.push(match data.r1q2 {
                    Some(r1q2) => format!("serverdata, protocol {} revision {}", data.protocol, r1q2.minor),
                    None => format!("serverdata, protocol {}", data.protocol),
                });
            }
            Service::ConfigString { index, .. } => self.mark(CONFIGSTRING, (*index).into()),
            Service::StuffText { text } => {
                self.mark(STUFFTEXT, 0);
                self.texts.push(format!("stufftext {}", printable(text, SHOWN_CHARACTERS)));
            }
            Service::Print { text, .. } | Service::CenterPrint { text } => {
                self.mark(PRINT, 0);
                self.texts.push(format!("print {}", printable(text, SHOWN_CHARACTERS)));
            }
            Service::Sound(sound) => self.mark(SOUND, sound.index.into()),
            Service::TempEntity(effect) => self.mark(TEMP_ENTITY, effect.kind.into()),
            Service::Download(block) => self.mark(DOWNLOAD, block.percent.into()),
            Service::ZDownload(block) => self.mark(ZDOWNLOAD, block.percent.into()),
            Service::Setting { index, value } => {
                self.mark(SETTING, *index as u32);
                self.texts.push(format!("setting {index} = {value}"));
            }
            Service::Disconnect => self.texts.push(String::from("disconnect")),
            Service::Reconnect => self.texts.push(String::from("reconnect")),
            _ => {}
        }
    }

    fn baseline(&mut self, _: &Carrier, number: u32, _: u64, _: &Entity) {
        self.mark(BASELINE, number);
    }

    fn frame(&mut self, _: &Carrier, start: &FrameStart<'_>) {
        self.mark(FRAME, start.number as u32);
        let base = match start.base() {
            Some(base) => format!("on {base}"),
            None => {
                self.mark(FULL_FRAME, start.number as u32);
                String::from("on nothing")
            }
        };
        let held_back = if start.suppress > 0 { format!(", {} held back", start.suppress) } else { String::new() };
        self.texts.push(format!("frame {} {base}{held_back}", start.number));
    }

    fn entry(&mut self, _: &Carrier, entry: Entry, _: &mut Reader<'_>, _: &Dialect) -> Result<bool, DecodeError> {
        match entry {
            Entry::End => {}
            Entry::Remove(number) => self.mark(REMOVE, number),
            Entry::Update(number, bits) => {
                self.mark(UPDATE, number);
                if bits & U_EVENT != 0 {
                    self.mark(EVENT, number);
                }
            }
        }
        Ok(false)
    }

    fn zpacket(&mut self, _: &Carrier, packed: &[u8], plain: &[u8]) {
        self.mark(ZPACKET, plain.len() as u32);
        self.texts.push(format!("zpacket {} of {}", packed.len(), plain.len()));
    }

    fn command(&mut self, _: &Carrier, command: &Command<'_>) {
        match command {
            Command::Nop => {}
            Command::Move(movement) => {
                self.mark(MOVE, movement.last_frame.max(0) as u32);
                if movement.wants_no_delta() {
                    self.mark(NODELTA, 0);
                }
                self.texts.push(match movement.wants_no_delta() {
                    true => String::from("move, wants a frame on nothing"),
                    false => format!("move, has frame {}", movement.last_frame),
                });
            }
            Command::UserInfo { .. } => self.mark(USERINFO, 0),
            Command::StringCmd { text } => {
                self.mark(STRINGCMD, 0);
                self.texts.push(format!("command {}", printable(text, SHOWN_CHARACTERS)));
            }
            Command::Setting { index, value } => {
                self.mark(SETTING, *index as u16 as u32);
                self.texts.push(format!("setting {index} = {value}"));
            }
        }
    }

    fn message_ended(&mut self, _: &Carrier, _: usize, _: &Reader<'_>) {
        self.messages += 1;
    }
}

/// One line: what the datagram says.
fn summarise(told: &Result<bool, DecodeError>, notes: &Notes, line: &mut String) {
    let mut parts = notes.texts.clone();
    for (kind, name) in [
        (CONFIGSTRING, "configstring"),
        (BASELINE, "baseline"),
        (REMOVE, "remove"),
        (UPDATE, "update"),
        (SOUND, "sound"),
        (TEMP_ENTITY, "effect"),
        (DOWNLOAD, "download, percent"),
        (ZDOWNLOAD, "zdownload, percent"),
    ] {
        let numbers = notes.numbers(kind);
        if !numbers.is_empty() {
            parts.push(format!("{name} {}", ranges(&numbers)));
        }
    }
    if parts.is_empty() {
        parts.push(String::from(match (told, notes.messages) {
            (Ok(false), _) => "stale",
            (_, 0) => "acknowledges",
            _ => "other messages",
        }));
    }
    line.push_str(&parts.join(", "));
}
