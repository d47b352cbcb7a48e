//! A pcapng file: every datagram as it was sent, and every delivery of it, each with a comment that says so.
//!
//! Other tools read it as an ordinary capture. `judge` reads the comments, too, and so sees what the oracle saw. A datagram that is
//! lost is on the interface `sent` alone.

use super::stage::{SessionNote, Stage};
use etherparse::PacketBuilder;
use kit::{Direction, Time};
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

/// Writes the packets of a session.
pub struct PacketWriter<W: Write> {
    writer: PcapNgWriter<BufWriter<W>>,
    server_port: u16,
    fault: Option<String>,
}

impl<W: Write> PacketWriter<W> {
    /// Into `file`, of a session with this `note`; the server has `server_port` there.
    ///
    /// # Errors
    /// The file cannot be written.
    pub fn new(file: W, note: &SessionNote, server_port: u16) -> io::Result<PacketWriter<W>> {
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
        Ok(PacketWriter { writer, server_port, fault: None })
    }

    /// Ends the file and gives it back.
    ///
    /// # Errors
    /// Something of it could not be written.
    pub fn finish(self) -> io::Result<W> {
        if let Some(fault) = self.fault {
            return Err(io::Error::other(fault));
        }
        self.writer.into_inner().into_inner().map_err(io::IntoInnerError::into_error)
    }

    /// A datagram at one stage of its life; what is wrong comes out in the end. `remark` is for people.
    pub fn write(&mut self, now: Time, stage: Stage, bytes: &[u8], remark: &str) {
        let (interface_id, packet) = match stage {
            Stage::Sent { packet, .. } => (0, packet),
            Stage::Delivered { packet, .. } => (1, packet),
        };
        let comment = if remark.is_empty() { stage.to_string() } else { format!("{stage}\n{remark}") };
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
