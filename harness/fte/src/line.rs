//! The transport of one connection, whichever it is.

use netchan::Netchan;
use netquake::Channel;

/// One end of a connection.
pub enum Line {
    /// Reliable and unreliable datagrams, counted apart.
    NetQuake(Channel),
    /// Packets with a reliable part and an unreliable one.
    QuakeWorld(Netchan),
}

impl Line {
    /// Queues a message for the reliable stream.
    pub fn queue_reliable(&mut self, message: &[u8]) {
        match self {
            Line::NetQuake(channel) => channel.queue_reliable(message),
            Line::QuakeWorld(netchan) => netchan.queue_reliable(message),
        }
    }

    /// Whether what comes back can be an answer to the last reliable message; taken for granted where a client says which map
    /// it means.
    pub fn is_all_sent(&self) -> bool {
        match self {
            Line::NetQuake(channel) => channel.is_all_sent(),
            Line::QuakeWorld(_) => true,
        }
    }

    /// Bytes of reliable messages that are not acknowledged yet.
    pub fn queued_bytes(&self) -> usize {
        match self {
            Line::NetQuake(channel) => channel.queued_bytes(),
            Line::QuakeWorld(netchan) => netchan.queued_bytes(),
        }
    }
}
