//! A live session as a pcapng file, written while it happens.

use crate::capture::stage::{SessionNote, Stage};
use crate::capture::write::PacketWriter;
use kit::{Probe, Time, TraceEvent};
use std::io::{self, Write};

/// Writes a session while it happens.
pub struct Recorder<W: Write> {
    packets: PacketWriter<W>,
}

impl<W: Write> Recorder<W> {
    /// Into `file`, of a session with this `note`; the server has `server_port` there.
    ///
    /// # Errors
    /// The file cannot be written.
    pub fn new(file: W, note: &SessionNote, server_port: u16) -> io::Result<Recorder<W>> {
        Ok(Recorder { packets: PacketWriter::new(file, note, server_port)? })
    }

    /// Ends the file.
    ///
    /// # Errors
    /// Something of it could not be written.
    pub fn finish(self) -> io::Result<()> {
        self.packets.finish().map(drop)
    }
}

impl<W: Write> Probe for Recorder<W> {
    fn on(&mut self, now: Time, event: &TraceEvent<'_>) {
        match *event {
            TraceEvent::Sent { packet, bytes, fate, .. } => {
                self.packets.write(now, Stage::Sent { packet, fate }, bytes, "");
            }
            TraceEvent::Delivered { packet, copy, bytes, intact } => {
                self.packets.write(now, Stage::Delivered { packet, copy, intact }, bytes, "");
            }
            TraceEvent::Command { .. } | TraceEvent::Timeout { .. } | TraceEvent::Event { .. } => {}
        }
    }
}
