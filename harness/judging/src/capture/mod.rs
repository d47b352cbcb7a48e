//! Recorded traffic: text, pcap and pcapng files, and hex from the command line.
//!
//! Reading order: [`hex`], [`text`] (one datagram per line), [`frame`] (from a link-layer frame to a UDP datagram),
//! [`sides`] (who is the server), [`packets`] (pcap and pcapng files, which [`mod@write`] writes and [`wire`] makes of a history). [`Capture`] finds out which of them an input is
//! and streams its datagrams in order.

mod frame;
mod hex;
mod packets;
mod sides;
pub mod stage;
mod text;
pub mod wire;
pub mod write;

#[cfg(test)]
mod demo_tests;
#[cfg(test)]
mod packets_tests;

use crate::demo::{DemoReader, Message, Origin, kind, unpack};
use kit::{Container, Direction, HostId, Time};
use std::fmt;
use std::io::{self, BufReader, Cursor, Read, Seek, SeekFrom};

/// Longest file that is read, in bytes.
pub const MAX_FILE_BYTES: u64 = 1 << 30;
/// Longest line of a text capture, in bytes.
pub const MAX_LINE_BYTES: usize = 1 << 20;
/// How much of a file decides what it is, in bytes.
const SNIFF_BYTES: usize = 4096;

/// One recorded datagram.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CaptureDatagram {
    /// The line of a text file, the packet number of a pcap file, or the number of a command-line argument; from 1.
    pub line_or_packet: usize,
    /// The way it went.
    pub direction: Direction,
    /// The client at the far end, 1 and up.
    pub client: HostId,
    /// When, since the first packet of the capture, if the capture says.
    pub time: Option<Time>,
    /// The payload of the UDP packet.
    pub bytes: Vec<u8>,
    /// What the capture says about it: a sequence number, a remark, or the addresses.
    pub label: String,
    /// What it is in a recording of ours; `None` in others.
    pub stage: Option<stage::Stage>,
    /// The place in a demo that it was made of: its header is none that was ever sent. `None` for a real one.
    pub demo: Option<Origin>,
}

/// Where in a capture something is wrong.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    /// The input as a whole.
    Input,
    /// A line and a byte column of a text file, both from 1.
    Line(usize, usize),
    /// A packet of a pcap file, from 1.
    Packet(usize),
    /// An argument of the command line and a byte column in it, both from 1.
    Argument(usize, usize),
}

/// Why a capture cannot be read: where, what is wrong, what to do.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CaptureError {
    /// The file's name as given, or `-`.
    pub input: String,
    pub place: Place,
    /// What is wrong.
    pub what: String,
    /// What to do about it.
    pub help: String,
}

/// `file:line:column: what; help`.
impl fmt::Display for CaptureError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.place {
            Place::Input => write!(f, "{}: ", self.input)?,
            Place::Line(line, column) => write!(f, "{}:{line}:{column}: ", self.input)?,
            Place::Packet(packet) => write!(f, "{}: packet {packet}: ", self.input)?,
            Place::Argument(argument, column) => write!(f, "argument {argument}, column {column}: ")?,
        }
        write!(f, "{}; {}", self.what, self.help)
    }
}

impl std::error::Error for CaptureError {}

/// How to read captures that do not say everything themselves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Options {
    /// The direction of hex from the command line.
    pub direction: Direction,
    /// The server's UDP port in pcap files; `None` looks for a well-known one.
    pub port: Option<u16>,
}

impl Default for Options {
    fn default() -> Self {
        Options { direction: Direction::ServerToClient, port: None }
    }
}

/// What files, standard input and bytes are to the readers.
pub trait Source: Read + Seek {}
impl<T: Read + Seek> Source for T {}

enum Reader {
    Text(text::TextReader<BufReader<Box<dyn Source>>>),
    Packets(Box<packets::PacketReader<Box<dyn Source>>>),
    Demo(Box<DemoReader>),
    Hex(std::vec::IntoIter<CaptureDatagram>),
}

/// A capture, read datagram by datagram.
pub struct Capture {
    input: String,
    reader: Reader,
    found: usize,
    finished: bool,
}

impl Capture {
    /// Reads `bytes` as a file of that `name`.
    ///
    /// # Errors
    /// They are empty, or no capture at all.
    pub fn from_bytes(name: &str, bytes: Vec<u8>, options: &Options) -> Result<Capture, CaptureError> {
        Capture::from_source(name, Box::new(Cursor::new(bytes)), options)
    }

    /// Reads `source`, which is called `input`.
    ///
    /// # Errors
    /// It is empty, unreadable, or no capture at all.
    pub fn from_source(input: &str, mut source: Box<dyn Source>, options: &Options) -> Result<Capture, CaptureError> {
        let fault = |what: String, help: &str| CaptureError {
            input: input.to_string(),
            place: Place::Input,
            what,
            help: help.to_string(),
        };
        let unreadable = |error: io::Error| fault(format!("cannot be read: {error}"), "check the file");
        let mut head = Vec::new();
        source.by_ref().take(kind::SNIFF_BYTES as u64).read_to_end(&mut head).map_err(unreadable)?;
        source.seek(SeekFrom::Start(0)).map_err(unreadable)?;
        let mut remarks = Vec::new();
        let mut name = String::from(input);
        if unpack::is_packed(&head) {
            let mut packed = Vec::new();
            source.read_to_end(&mut packed).map_err(unreadable)?;
            let unpacked =
                unpack::unpack(&packed, unpack::MAX_UNPACKED_BYTES).map_err(|(what, help)| fault(what, help))?;
            name = match unpacked.name.is_empty() {
                true => String::from(input.strip_suffix(".gz").unwrap_or(input)),
                false => unpacked.name,
            };
            remarks = unpacked.remarks;
            head = unpacked.bytes.get(..unpacked.bytes.len().min(kind::SNIFF_BYTES)).unwrap_or_default().to_vec();
            source = Box::new(Cursor::new(unpacked.bytes));
        }
        if let Some((what, help)) = kind::foreign(&name, &head) {
            return Err(fault(String::from(what), help));
        }
        let is = Kind::of(head.get(..head.len().min(SNIFF_BYTES)).unwrap_or_default());
        if is == Kind::Binary
            && let Some(container) = kind::of(&name, &head)
        {
            let reader = Reader::Demo(Box::new(DemoReader::new(source, container, remarks)));
            return Ok(Capture { input: input.to_string(), reader, found: 0, finished: false });
        }
        let reader = match is {
            Kind::Empty => return Err(fault("the file is empty".to_string(), "record it again")),
            Kind::Compressed(program) => {
                return Err(fault("is compressed".to_string(), &format!("unpack it first, with `{program}`")));
            }
            Kind::Binary => {
                let help = "give a pcap, pcapng, .dem, .qwd, .mvd or .dm2 file, or text with one datagram per line";
                return Err(fault("is no pcap or pcapng file, no demo and no text".to_string(), help));
            }
            Kind::Text => Reader::Text(text::TextReader::new(input, BufReader::new(source))),
            Kind::Packets => Reader::Packets(Box::new(packets::PacketReader::new(input, source, options.port)?)),
        };
        Ok(Capture { input: input.to_string(), reader, found: 0, finished: false })
    }

    /// Reads hex from the command line: one datagram per argument. Arguments of a single byte each
    /// (`ff ff ff ff 6a`) are together one datagram. `first` is the number of the first argument, from 1.
    ///
    /// # Errors
    /// The first character that is not a hex digit, or half a byte.
    pub fn from_hex<S: AsRef<str>>(first: usize, arguments: &[S], options: &Options) -> Result<Capture, CaptureError> {
        let mut datagrams: Vec<CaptureDatagram> = Vec::new();
        let mut joining = false;
        for (index, argument) in arguments.iter().enumerate() {
            let argument = argument.as_ref();
            let mut bytes = Vec::new();
            hex::decode(argument.as_bytes(), hex::Spaces::Allowed, &mut bytes).map_err(|fault| CaptureError {
                input: argument.to_string(),
                place: Place::Argument(first + index, fault.at + 1),
                what: fault.to_string(),
                help: fault.help().to_string(),
            })?;
            let single = bytes.len() == 1;
            match datagrams.last_mut() {
                Some(last) if joining && single => last.bytes.append(&mut bytes),
                _ => datagrams.push(CaptureDatagram {
                    line_or_packet: first + index,
                    direction: options.direction,
                    client: HostId(1),
                    time: None,
                    bytes,
                    label: String::new(),
                    stage: None,
                    demo: None,
                }),
            }
            joining = single;
        }
        let reader = Reader::Hex(datagrams.into_iter());
        Ok(Capture { input: "command line".to_string(), reader, found: 0, finished: false })
    }

    /// Whether `argument`, if no file has that name, is meant as hex: nearly all hex digits, and not like a path.
    pub fn looks_like_hex(argument: &str) -> bool {
        let digits = argument.bytes().filter(u8::is_ascii_hexdigit).count();
        let others = argument.bytes().filter(|&byte| !byte.is_ascii_hexdigit() && !hex::is_separator(byte)).count();
        digits > 0 && others * 8 <= digits && !argument.contains(['/', '\\', '.'])
    }

    /// The file's name as given, `-` for standard input, or `command line`.
    pub fn name(&self) -> &str {
        &self.input
    }

    /// What the capture says of its session, if it is a recording of ours.
    pub fn session(&self) -> Option<&stage::SessionNote> {
        match &self.reader {
            Reader::Packets(packets) => packets.session(),
            Reader::Text(_) | Reader::Hex(_) | Reader::Demo(_) => None,
        }
    }

    /// What kind of demo it is, if it is one.
    pub fn demo(&self) -> Option<Container> {
        match &self.reader {
            Reader::Demo(demo) => Some(demo.container()),
            _ => None,
        }
    }

    /// What a reader should know about the capture as read so far: packets skipped, a line possibly cut.
    pub fn remarks(&self) -> Vec<String> {
        match &self.reader {
            Reader::Text(text) => text.remarks(),
            Reader::Packets(packets) => packets.remarks(),
            Reader::Demo(demo) => demo.remarks(),
            Reader::Hex(_) => Vec::new(),
        }
    }

    fn nothing_found(&self) -> CaptureError {
        let (what, help) = match &self.reader {
            Reader::Packets(packets) => {
                let mut what = "holds no datagram of a game session".to_string();
                for remark in packets.remarks() {
                    what.push_str(", ");
                    what.push_str(&remark);
                }
                (what, "name the server's UDP port with --port".to_string())
            }
            Reader::Demo(demo) => {
                let mut what = "holds no message of a server".to_string();
                for remark in demo.remarks() {
                    what.push_str(", ");
                    what.push_str(&remark);
                }
                (what, "record it again".to_string())
            }
            Reader::Text(_) | Reader::Hex(_) => {
                ("holds no datagram".to_string(), "expected lines such as `s2c 1 010000800100000033`".to_string())
            }
        };
        CaptureError { input: self.input.clone(), place: Place::Input, what, help }
    }
}

/// The datagrams in order. After an error, or once the end is reached, nothing follows.
impl Iterator for Capture {
    type Item = Result<CaptureDatagram, CaptureError>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.finished {
            return None;
        }
        let next = match &mut self.reader {
            Reader::Text(text) => text.next_datagram(),
            Reader::Packets(packets) => packets.next_datagram(),
            Reader::Demo(demo) => demo.next_message().map(|next| next.map(of_demo)).map_err(|error| CaptureError {
                input: self.input.clone(),
                place: Place::Input,
                what: format!("cannot be read: {error}"),
                help: String::from("check the file"),
            }),
            Reader::Hex(datagrams) => Ok(datagrams.next()),
        };
        match next {
            Ok(Some(datagram)) => {
                self.found += 1;
                Some(Ok(datagram))
            }
            Ok(None) => {
                self.finished = true;
                (self.found == 0).then(|| Err(self.nothing_found()))
            }
            Err(error) => {
                self.finished = true;
                Some(Err(error))
            }
        }
    }
}

/// A message of a demo; each part of it is a client.
fn of_demo(message: Message) -> CaptureDatagram {
    CaptureDatagram {
        line_or_packet: message.number,
        direction: Direction::ServerToClient,
        client: HostId(message.part),
        time: Some(message.time),
        bytes: message.datagram,
        label: message.origin.to.to_string(),
        stage: None,
        demo: Some(message.origin),
    }
}

/// What a file is, by its first bytes.
#[derive(Debug, PartialEq, Eq)]
enum Kind {
    Empty,
    Text,
    Packets,
    Compressed(&'static str),
    Binary,
}

impl Kind {
    fn of(head: &[u8]) -> Kind {
        match head {
            [] => Kind::Empty,
            [0x0a, 0x0d, 0x0d, 0x0a, ..]
            | [0xa1, 0xb2, 0xc3, 0xd4, ..]
            | [0xd4, 0xc3, 0xb2, 0xa1, ..]
            | [0xa1, 0xb2, 0x3c, 0x4d, ..]
            | [0x4d, 0x3c, 0xb2, 0xa1, ..] => Kind::Packets,
            [0x28, 0xb5, 0x2f, 0xfd, ..] => Kind::Compressed("unzstd"),
            [0xfd, b'7', b'z', b'X', b'Z', ..] => Kind::Compressed("unxz"),
            _ if head.iter().any(|&byte| byte < 0x20 && !matches!(byte, b'\t' | b'\n' | b'\r')) => Kind::Binary,
            _ => Kind::Text,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn hex_capture(arguments: &[&str]) -> Result<Vec<Vec<u8>>, String> {
        let capture = Capture::from_hex(1, arguments, &Options::default()).map_err(|error| error.to_string())?;
        capture.map(|datagram| datagram.map(|it| it.bytes).map_err(|error| error.to_string())).collect()
    }

    #[track_caller]
    fn check(arguments: &[&str], expected: Result<&[&[u8]], &str>) {
        let expected =
            expected.map(|list| list.iter().map(|bytes| bytes.to_vec()).collect::<Vec<_>>()).map_err(str::to_string);
        assert_eq!(hex_capture(arguments), expected);
    }

    #[test]
    fn each_argument_is_one_datagram() {
        check(&["ffff", "6A0a00"], Ok(&[&[0xff, 0xff], &[0x6a, 0x0a, 0x00]]));
    }

    #[test]
    fn single_byte_arguments_are_one_datagram() {
        check(&["ff", "6a", "0a"], Ok(&[&[0xff, 0x6a, 0x0a]]));
    }

    #[test]
    fn spaces_and_colons_may_separate_bytes() {
        check(&["ff ff:6a\t0a"], Ok(&[&[0xff, 0xff, 0x6a, 0x0a]]));
    }

    #[test]
    fn half_a_byte_is_an_error_with_its_column() {
        check(
            &["ffff", "ff f"],
            Err("argument 2, column 4: odd number of hex digits (3); every byte takes two digits"),
        );
    }

    #[test]
    fn a_foreign_character_is_an_error_with_its_column() {
        check(&["fg"], Err("argument 1, column 2: 'g' is not a hex digit; use 0-9 and a-f only"));
    }

    #[test]
    fn an_argument_with_a_typing_mistake_is_still_taken_for_hex() {
        for (argument, expected) in [
            ("ffff", true),
            ("ff ff:00", true),
            ("0102030405060708x", true),
            ("a.txt", false),
            ("captures", false),
            ("", false),
        ] {
            assert_eq!(Capture::looks_like_hex(argument), expected, "{argument}");
        }
    }

    #[test]
    fn no_hex_at_all_is_an_error() {
        check(&[], Err("command line: holds no datagram; expected lines such as `s2c 1 010000800100000033`"));
    }

    #[test]
    fn the_first_bytes_tell_what_a_file_is() {
        assert_eq!(Kind::of(b""), Kind::Empty);
        assert_eq!(Kind::of(b"s2c 1 00\n"), Kind::Text);
        assert_eq!(Kind::of(b"\x0a\x0d\x0d\x0a"), Kind::Packets);
        assert_eq!(Kind::of(b"\xd4\xc3\xb2\xa1"), Kind::Packets);
        assert_eq!(Kind::of(b"\x28\xb5\x2f\xfd"), Kind::Compressed("unzstd"));
        assert_eq!(Kind::of(b"\x7fELF\x02\x01\x01\x00"), Kind::Binary);
    }
}
