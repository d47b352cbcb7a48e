//! pcap and pcapng files.

use super::stage::{SessionNote, Stage};
use super::{CaptureDatagram, CaptureError, Place, Source, frame, sides};
use kit::Time;
use pcap_file::pcap::PcapReader;
use pcap_file::pcapng::PcapNgReader;
use pcap_file::pcapng::blocks::interface_description::InterfaceDescriptionOption;
use pcap_file::pcapng::blocks::section_header::SectionHeaderOption;
use pcap_file::pcapng::blocks::{ENHANCED_PACKET_BLOCK, SIMPLE_PACKET_BLOCK};
use pcap_file::{Endianness, PcapError, TsResolution};
use std::collections::BTreeMap;
use std::io::{self, Read, SeekFrom};

/// The first bytes of a pcapng file: the type of its section header block.
const PCAPNG_MAGIC: [u8; 4] = [0x0a, 0x0d, 0x0d, 0x0a];

/// One frame as recorded.
struct Frame<'a> {
    link_type: u32,
    /// Microseconds since 1970.
    time_us: Option<u64>,
    data: &'a [u8],
    /// Whether all of the frame was recorded.
    complete: bool,
    comment: Option<&'a str>,
}

/// The frames of a file, of either format.
enum Frames<R: Read> {
    Pcap(PcapReader<R>),
    PcapNg(PcapNgReader<R>),
}

impl<R: Source> Frames<R> {
    fn new(mut source: R) -> Result<Self, PcapError> {
        let mut magic = [0; 4];
        source.seek(SeekFrom::Start(0)).map_err(PcapError::IoError)?;
        source.read_exact(&mut magic).map_err(PcapError::IoError)?;
        source.seek(SeekFrom::Start(0)).map_err(PcapError::IoError)?;
        if magic == PCAPNG_MAGIC {
            Ok(Frames::PcapNg(PcapNgReader::new(source)?))
        } else {
            Ok(Frames::Pcap(PcapReader::new(source)?))
        }
    }

    fn into_source(self) -> R {
        match self {
            Frames::Pcap(reader) => reader.into_reader(),
            Frames::PcapNg(reader) => reader.into_inner(),
        }
    }

    /// What the file says of its session, if we wrote it.
    fn session(&self) -> Option<SessionNote> {
        let Frames::PcapNg(reader) = self else { return None };
        reader.section().options.iter().find_map(|option| match option {
            SectionHeaderOption::Comment(comment) => SessionNote::parse(comment),
            _ => None,
        })
    }

    /// Gives the next frame to `take`; `None` at the end of the file.
    fn next<T>(&mut self, take: impl FnOnce(Frame<'_>) -> T) -> Result<Option<T>, PcapError> {
        match self {
            Frames::Pcap(reader) => {
                let header = reader.header();
                let Some(packet) = reader.next_raw_packet() else { return Ok(None) };
                let packet = packet?;
                let fraction_us = match header.ts_resolution {
                    TsResolution::MicroSecond => u64::from(packet.ts_frac),
                    TsResolution::NanoSecond => u64::from(packet.ts_frac / 1000),
                };
                Ok(Some(take(Frame {
                    // The upper bits say how long a frame check sequence is.
                    link_type: u32::from(header.datalink) & 0xffff,
                    time_us: Some(u64::from(packet.ts_sec) * 1_000_000 + fraction_us),
                    data: &packet.data,
                    complete: packet.incl_len >= packet.orig_len,
                    comment: None,
                })))
            }
            Frames::PcapNg(reader) => next_in_blocks(reader, take),
        }
    }
}

/// Packet blocks are taken apart here and not by the library, which refuses a whole packet for one odd option and takes
/// every time stamp for nanoseconds.
fn next_in_blocks<R: Read, T>(
    reader: &mut PcapNgReader<R>,
    take: impl FnOnce(Frame<'_>) -> T,
) -> Result<Option<T>, PcapError> {
    loop {
        let Some(block) = reader.next_raw_block() else { return Ok(None) };
        let block = block?;
        let kind = block.type_;
        if kind != ENHANCED_PACKET_BLOCK && kind != SIMPLE_PACKET_BLOCK {
            continue;
        }
        let body = block.body.into_owned();
        let endianness = reader.section().endianness;
        let number = |index: usize| {
            let bytes = body.get(index * 4..).and_then(|rest| rest.first_chunk());
            let bytes = *bytes.ok_or(PcapError::InvalidField("packet block too short"))?;
            Ok::<u32, PcapError>(match endianness {
                Endianness::Big => u32::from_be_bytes(bytes),
                Endianness::Little => u32::from_le_bytes(bytes),
            })
        };
        let (interface, ticks, header_bytes, kept, original) = if kind == ENHANCED_PACKET_BLOCK {
            let ticks = u64::from(number(1)?) << 32 | u64::from(number(2)?);
            (number(0)?, Some(ticks), 20, Some(number(3)? as usize), number(4)?)
        } else {
            (0, None, 4, None, number(0)?)
        };
        let interface = reader.interfaces().get(interface as usize).ok_or(PcapError::InvalidInterfaceId(interface))?;
        let rest = body.get(header_bytes..).unwrap_or_default();
        let kept = kept.unwrap_or_else(|| {
            let snap = if interface.snaplen == 0 { usize::MAX } else { interface.snaplen as usize };
            rest.len().min(original as usize).min(snap)
        });
        let data = rest.get(..kept).ok_or(PcapError::InvalidField("packet longer than its block"))?;
        let resolution = interface.options.iter().find_map(|option| match option {
            InterfaceDescriptionOption::IfTsResol(resolution) => Some(*resolution),
            _ => None,
        });
        return Ok(Some(take(Frame {
            link_type: interface.linktype.into(),
            time_us: ticks.map(|ticks| microseconds(ticks, resolution.unwrap_or(6))),
            data,
            complete: kept >= original as usize,
            comment: rest.get(kept.next_multiple_of(4)..).and_then(|options| comment(options, endianness)),
        })));
    }
}

/// The first comment among the options of a packet block.
fn comment(mut options: &[u8], endianness: Endianness) -> Option<&str> {
    const OPT_COMMENT: u16 = 1;
    let number = |bytes: [u8; 2]| match endianness {
        Endianness::Big => u16::from_be_bytes(bytes),
        Endianness::Little => u16::from_le_bytes(bytes),
    };
    while let [a, b, c, d, rest @ ..] = options {
        let (code, length) = (number([*a, *b]), usize::from(number([*c, *d])));
        if code == OPT_COMMENT {
            return rest.get(..length).and_then(|text| std::str::from_utf8(text).ok());
        }
        options = rest.get(length.next_multiple_of(4)..).filter(|_| code != 0)?;
    }
    None
}

/// `ticks` of `if_tsresol` (a negative power of ten, or of two with the top bit set) as microseconds.
fn microseconds(ticks: u64, resolution: u8) -> u64 {
    let exponent = u32::from(resolution & 0x7f);
    let base: u128 = if resolution & 0x80 == 0 { 10 } else { 2 };
    match base.checked_pow(exponent) {
        Some(per_second) => u64::try_from(u128::from(ticks) * 1_000_000 / per_second).unwrap_or(u64::MAX),
        None => 0,
    }
}

/// Reads the datagrams of a pcap or pcapng file.
pub(super) struct PacketReader<R: Read> {
    input: String,
    frames: Frames<R>,
    sides: sides::Sides,
    packet: usize,
    start_us: Option<u64>,
    skipped: BTreeMap<&'static str, usize>,
    /// The packet in whose middle the file ends, as a recorder leaves it that was ended by force.
    cut: Option<usize>,
    /// What the file says of its session, if we wrote it.
    session: Option<SessionNote>,
}

impl<R: Source> PacketReader<R> {
    /// Reads `source` once to find the server's port (unless given), and rewinds it.
    pub(super) fn new(input: &str, mut source: R, port: Option<u16>) -> Result<Self, CaptureError> {
        let at_start = |error| error_at(input, 0, error);
        let port = match port {
            Some(port) => port,
            None => {
                let mut frames = Frames::new(source).map_err(at_start)?;
                let port = find_port(input, &mut frames)?;
                source = frames.into_source();
                port
            }
        };
        let frames = Frames::new(source).map_err(at_start)?;
        let session = frames.session();
        Ok(PacketReader {
            input: input.to_string(),
            frames,
            sides: sides::Sides::new(port),
            packet: 0,
            start_us: None,
            skipped: BTreeMap::new(),
            cut: None,
            session,
        })
    }

    pub(super) fn next_datagram(&mut self) -> Result<Option<CaptureDatagram>, CaptureError> {
        loop {
            self.packet += 1;
            let ours = self.session.is_some();
            let (packet, sides, start_us) = (self.packet, &mut self.sides, &mut self.start_us);
            let next = self.frames.next(|frame| {
                if start_us.is_none() {
                    *start_us = frame.time_us;
                }
                let udp = frame::udp(frame.link_type, frame.data, frame.complete)?;
                let (direction, client) = sides.of(udp.source, udp.destination)?;
                Ok(CaptureDatagram {
                    line_or_packet: packet,
                    direction,
                    client,
                    time: frame.time_us.map(|time_us| Time(time_us.saturating_sub(start_us.unwrap_or(0)))),
                    bytes: udp.payload.to_vec(),
                    label: format!("{} > {}", udp.source, udp.destination),
                    stage: frame.comment.filter(|_| ours).and_then(Stage::parse),
                    demo: None,
                })
            });
            match next {
                Ok(None) => return Ok(None),
                Ok(Some(Ok(datagram))) => return Ok(Some(datagram)),
                Ok(Some(Err(reason))) => *self.skipped.entry(reason).or_default() += 1,
                // What was recorded before is whole.
                Err(PcapError::IoError(error)) if error.kind() == io::ErrorKind::UnexpectedEof => {
                    self.cut = Some(packet);
                    return Ok(None);
                }
                Err(error) => return Err(error_at(&self.input, packet, error)),
            }
        }
    }

    /// What the file says of its session, if we wrote it.
    pub(super) fn session(&self) -> Option<&SessionNote> {
        self.session.as_ref()
    }

    pub(super) fn remarks(&self) -> Vec<String> {
        let total: usize = self.skipped.values().sum();
        let parts: Vec<String> = self.skipped.iter().map(|(reason, count)| format!("{count} {reason}")).collect();
        let packets = if total == 1 { "packet" } else { "packets" };
        let skipped = (total > 0).then(|| format!("skipped {total} {packets}: {}", parts.join(", ")));
        let cut = self.cut.map(|packet| format!("the file ends in the middle of packet {packet}, which is left out"));
        skipped.into_iter().chain(cut).collect()
    }
}

/// The first well-known port of the capture; if there is none, the port to which the first datagram went.
fn find_port<R: Source>(input: &str, frames: &mut Frames<R>) -> Result<u16, CaptureError> {
    let mut first = None;
    let mut unsupported = None;
    loop {
        let next = frames.next(|frame| {
            if !frame::is_supported(frame.link_type) {
                return Err(Some(frame.link_type));
            }
            let udp = frame::udp(frame.link_type, frame.data, frame.complete).map_err(|_| None)?;
            Ok((udp.source.port(), udp.destination.port()))
        });
        match next {
            Ok(Some(Ok((_, port)))) | Ok(Some(Ok((port, _)))) if sides::is_well_known(port) => return Ok(port),
            Ok(Some(Ok((_, to)))) => {
                first.get_or_insert(to);
            }
            Ok(Some(Err(link_type))) => unsupported = unsupported.or(link_type),
            // A fault is reported when the packets before it have been read.
            Ok(None) | Err(_) => break,
        }
    }
    match (first, unsupported) {
        (Some(port), _) => Ok(port),
        (None, Some(link_type)) => Err(CaptureError {
            input: input.to_string(),
            place: Place::Input,
            what: format!("its packets have link type {link_type}"),
            help: format!("known are {}; record on another interface", frame::SUPPORTED),
        }),
        (None, None) => Ok(0),
    }
}

/// `packet` is 0 for the file's header.
fn error_at(input: &str, packet: usize, error: PcapError) -> CaptureError {
    let place = if packet == 0 { Place::Input } else { Place::Packet(packet) };
    let (what, help) = match error {
        PcapError::IoError(error) if error.kind() == io::ErrorKind::UnexpectedEof => {
            (String::from("the file ends in the middle of its header"), "record it again; end the recorder with Ctrl-C")
        }
        PcapError::IoError(error) => (format!("cannot be read: {error}"), "check the file"),
        error => (format!("is damaged: {error}"), "repair it with `pcapfix` or `editcap`, or record it again"),
    };
    CaptureError { input: input.to_string(), place, what, help: help.to_string() }
}
