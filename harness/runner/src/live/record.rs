//! A session as a pcapng file: every datagram as it was sent, and every delivery of it, each with a comment that says so.
//!
//! Other tools read it as an ordinary capture. `judge` reads the comments, too, and so sees what the oracle saw.

use crate::capture::stage::{SessionNote, Stage};
use etherparse::PacketBuilder;
use kit::{Direction, PacketId, Probe, Time, TraceEvent};
use pcap_file::DataLink;
use pcap_file::pcapng::PcapNgWriter;
use pcap_file::pcapng::blocks::enhanced_packet::{EnhancedPacketBlock, EnhancedPacketOption};
use pcap_file::pcapng::blocks::interface_description::{InterfaceDescriptionBlock, InterfaceDescriptionOption};
use pcap_file::pcapng::blocks::section_header::{SectionHeaderBlock, SectionHeaderOption};
use std::borrow::Cow;
use std::io::{self, BufWriter, Write};
use std::time::Duration;

/// The UDP port of clients in the file is this one plus their number.
const CLIENT_PORT: u16 = 40_000;

/// Writes a session while it happens.
pub struct Recorder<W: Write> {
    writer: PcapNgWriter<BufWriter<W>>,
    server_port: u16,
    fault: Option<String>,
}

impl<W: Write> Recorder<W> {
    /// Into `file`, of a session with this `note`; the server has `server_port` there.
    ///
    /// # Errors
    /// The file cannot be written.
    pub fn new(file: W, note: &SessionNote, server_port: u16) -> io::Result<Recorder<W>> {
        let options = vec![SectionHeaderOption::Comment(Cow::Owned(note.to_string()))];
        let header = SectionHeaderBlock { options, ..SectionHeaderBlock::default() };
        let fail = |error: pcap_file::PcapError| io::Error::other(error.to_string());
        let mut writer = PcapNgWriter::with_section_header(BufWriter::new(file), header).map_err(fail)?;
        for name in ["sent", "delivered"] {
            let mut interface = InterfaceDescriptionBlock::new(DataLink::RAW, 0xffff);
            interface.options.push(InterfaceDescriptionOption::IfName(Cow::Borrowed(name)));
            interface.options.push(InterfaceDescriptionOption::IfTsResol(9));
            writer.write_pcapng_block(interface).map_err(fail)?;
        }
        Ok(Recorder { writer, server_port, fault: None })
    }

    /// Ends the file.
    ///
    /// # Errors
    /// Something of it could not be written.
    pub fn finish(self) -> io::Result<()> {
        match self.fault {
            Some(fault) => Err(io::Error::other(fault)),
            None => self.writer.into_inner().flush(),
        }
    }

    fn write(&mut self, interface_id: u32, now: Time, packet: PacketId, bytes: &[u8], comment: String) {
        let client = [10, 0, (packet.client.0 >> 8) as u8 + 1, packet.client.0 as u8];
        let client = (client, CLIENT_PORT.wrapping_add(packet.client.0));
        let server = ([10, 0, 0, 1], self.server_port);
        let (from, to) = match packet.direction {
            Direction::ServerToClient => (server, client),
            Direction::ClientToServer => (client, server),
        };
        let mut frame = Vec::with_capacity(bytes.len() + 28);
        let built = PacketBuilder::ipv4(from.0, to.0, 64).udp(from.1, to.1).write(&mut frame, bytes);
        let block = EnhancedPacketBlock {
            interface_id,
            timestamp: Duration::from_micros(now.us()),
            original_len: frame.len() as u32,
            data: Cow::Borrowed(&frame),
            options: vec![EnhancedPacketOption::Comment(Cow::Owned(comment))],
        };
        let written = built.map_err(|error| error.to_string());
        let written = written.and_then(|()| self.writer.write_pcapng_block(block).map_err(|error| error.to_string()));
        if let Err(fault) = written {
            self.fault.get_or_insert(fault);
        }
    }
}

impl<W: Write> Probe for Recorder<W> {
    fn on(&mut self, now: Time, event: &TraceEvent<'_>) {
        match *event {
            TraceEvent::Sent { packet, bytes, fate, .. } => {
                self.write(0, now, packet, bytes, Stage::Sent { packet, fate }.to_string());
            }
            TraceEvent::Delivered { packet, copy, bytes, intact } => {
                self.write(1, now, packet, bytes, Stage::Delivered { packet, copy, intact }.to_string());
            }
            TraceEvent::Command { .. } | TraceEvent::Timeout { .. } | TraceEvent::Event { .. } => {}
        }
    }
}
