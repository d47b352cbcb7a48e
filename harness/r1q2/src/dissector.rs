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
use crate::wire::service::Service;
use crate::wire::state::Entity;
use kit::summary::{printable, ranges};
use kit::{
    DecodeError, Direction, Dissection, Dissector, ErrorKind, HostId, Mark, Profile, Reader, Sessions, Setup, Version,
};
use netchan::Qport;
use std::fmt::Write;

kit::marks! {
    CONNECT = 0, "connect";
    /// Any datagram that belongs to no connection; a connect, too.
    CONNECTIONLESS = 1, "connectionless";
    FRAME = 2, "frame";
    /// A frame without a base, by its number.
    FULL_FRAME = 3, "full_frame";
    /// An update of an entity.
    UPDATE = 4, "update";
    /// A remove of an entity.
    REMOVE = 5, "remove";
    /// An update of an entity with an event.
    EVENT = 6, "event";
    /// A zpacket; its number is the length of what it stands for.
    ZPACKET = 7, "zpacket";
    /// A reliable block, by the datagram's number.
    RELIABLE = 8, "reliable";
    /// A serverdata; its number is the protocol.
    SERVERDATA = 9, "serverdata";
    CONFIGSTRING = 10, "configstring";
    /// A baseline, by its entity.
    BASELINE = 11, "baseline";
    /// A command for the client's console.
    STUFFTEXT = 12, "stufftext";
    /// A text for the player, centred or not.
    PRINT = 13, "print";
    SOUND = 14, "sound";
    /// An effect, by its kind.
    TEMP_ENTITY = 15, "temp_entity";
    /// A block of a file.
    DOWNLOAD = 16, "download";
    /// A compressed block of a file.
    ZDOWNLOAD = 17, "zdownload";
    /// A setting, of a server or of a client.
    SETTING = 18, "setting";
    /// A move; its number is the frame that it acknowledges, or 0.
    MOVE = 19, "move";
    /// A move that asks for a frame without a base.
    NODELTA = 20, "nodelta";
    /// A command of a player.
    STRINGCMD = 21, "stringcmd";
    USERINFO = 22, "userinfo";
    /// A datagram older than one before it.
    STALE = 23, "stale";
}

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
    taps: Sessions<Tap>,
}

impl R1q2Dissector {
    /// For the run of `setup`, or for traffic of which nothing is known.
    pub fn new(setup: Option<&Setup>) -> R1q2Dissector {
        let dialect = setup.map_or(Dialect::r1q2(MINOR_SOURCE), |setup| options::dialect(setup.profile));
        R1q2Dissector { dialect, qport: None, taps: Sessions::default() }
    }

    fn tap(&mut self, client: HostId) -> Option<&mut Tap> {
        let (dialect, qport) = (self.dialect, self.qport);
        self.taps.of(client, || match qport {
            Some(qport) => Tap::of(Asked { protocol: dialect.protocol, qport, minor: None, max_length: None }, dialect),
            None => Tap::new(dialect),
        })
    }
}

/// A version of Quake II.
fn version(text: &str) -> Version {
    match text.parse::<u32>() {
        Ok(PROTOCOL_ORIGINAL | PROTOCOL_R1Q2) => Version::Known,
        // QuakeWorld's.
        Ok(24..=33) => Version::Foreign(format!("protocol {text}")),
        Ok(number) => Version::Neighbour(neighbour(number)),
        _ => Version::Neighbour(format!("protocol {text}")),
    }
}

/// Whose a protocol is that somebody asks for or a serverdata announces, by its number: such as `KMQuake2's protocol 56`.
///
/// Each stands in an open source: 26, 36, 37 and 3434 in Q2PRO's `protocol.h`, where those from 26 on are an older game's; 3435 and 3436
/// in its description of the extended one's versions; 38 in q2pro-aqtion, 56 in KMQuake2's `qcommon.h`, 1038 in Q2REPRO, which reads
/// the re-release's 2022 and 2023, too; 66 to 68 in the list of demos that Quake III plays, 71 in ioquake3.
pub fn neighbour(number: u32) -> String {
    let whose = match number {
        26..=33 => "an older Quake II's ",
        PROTOCOL_Q2PRO => "Q2PRO's ",
        37 => "Q2PRO's MVD ",
        38 => "AQtion's ",
        56 => "KMQuake2's ",
        66..=68 | 71 => "Quake III's ",
        1038 => "Q2REPRO's ",
        2022 | 2023 => "the re-release's ",
        3434..=3436 => "Q2PRO's extended ",
        _ => "",
    };
    format!("{whose}protocol {number}")
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
        out.unlikely = tap.is_unlikely(direction, bytes);
        let read = tap.datagram(direction, bytes, Some(out), &mut notes);
        out.messages += notes.messages;
        tap.announced |= !notes.numbers(SERVERDATA).is_empty();
        tap.settled |= tap.announced;
        if is_out_of_band(bytes) {
            let text = bytes.get(4..).unwrap_or_default();
            out.messages += 1;
            notes.mark(CONNECTIONLESS, 0);
            if direction == Direction::ClientToServer && text.starts_with(b"connect ") {
                notes.mark(CONNECT, 0);
                out.version = netchan::version_asked_for(bytes).map(|text| version(&text));
            }
            let _ = write!(out.summary, "connectionless {:?}", printable(text, SHOWN_CHARACTERS));
        } else {
            if read == Ok(false) {
                notes.mark(STALE, 0);
            }
            let word =
                |at: usize| bytes.get(at..).and_then(|rest| rest.first_chunk()).map(|it| u32::from_le_bytes(*it));
            if let Some(sequence) = word(0).filter(|word| word >> 31 != 0) {
                notes.mark(RELIABLE, sequence & !(1 << 31));
            }
            if !out.marks_only {
                summarise(&read, &notes, &mut out.summary);
            }
        }
        out.marks.append(&mut notes.marks);
        out.error = read.err();
        if let Some(DecodeError { field: "protocol", kind: ErrorKind::Unknown { value }, .. }) = out.error
            // What is no serverdata at all may be read as one.
            && matches!(value, 26..=99 | 1038 | 2000..=2099 | 3434..=3436)
        {
            out.version = Some(Version::Neighbour(neighbour(value)));
        }
    }

    fn extensions(&self) -> Vec<String> {
        let mut names = Vec::new();
        for tap in self.taps.iter().filter(|tap| tap.dialect.is_r1q2()) {
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

    fn profile(&self) -> Option<&'static Profile> {
        // The newest revision that any session came to; without one over protocol 35, the first profile has protocol 34.
        // A connect over protocol 35 does not say it, nor does a serverdata whose connect was not seen.
        let knows = |tap: &Tap| !tap.dialect.is_r1q2() || tap.announced && tap.connected;
        if self.taps.iter().any(|tap| !knows(tap)) {
            return None;
        }
        let settled = self.taps.iter().filter(|tap| tap.settled);
        let minor = settled.map(|tap| if tap.dialect.is_r1q2() { tap.dialect.minor } else { 0 }).max()?;
        options::PROFILES.iter().rev().find(|profile| options::minor(profile) <= minor.max(MINOR_SOURCE))
    }

    fn assumptions(&self) -> &'static [&'static str] {
        &[
            "34,qport2",
            "34,qport0",
            "1901",
            "1903",
            "1904",
            "1905",
            "1901,qport0",
            "1903,qport0",
            "1904,qport0",
            "1905,qport0",
        ]
    }

    fn assume(&mut self, extensions: &str) -> Result<(), String> {
        (self.dialect, self.qport) = named(extensions, self.dialect)?;
        self.taps.clear();
        Ok(())
    }
}

/// What some names stand for: how a session is spoken, if not in `dialect`, and how its client's datagrams carry their number, if
/// not as usual.
///
/// # Errors
/// A sentence that says which names are known.
pub fn named(extensions: &str, mut dialect: Dialect) -> Result<(Dialect, Option<Qport>), String> {
    let mut qport = None;
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
    Ok((dialect, qport))
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

/// One line: what the datagram holds.
fn summarise(read: &Result<bool, DecodeError>, notes: &Notes, line: &mut String) {
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
        parts.push(String::from(match (read, notes.messages) {
            (Ok(false), _) => "stale",
            (_, 0) => "acknowledges",
            _ => "other messages",
        }));
    }
    line.push_str(&parts.join(", "));
}
