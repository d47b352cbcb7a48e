//! Reading along on one side of a connection, in one direction: datagrams, and the messages in them.

use super::expectation::Lines;
use crate::tables::{Kind, Message};
use kit::{DecodeError, ErrorKind, Reader, Time};
use netquake::constants::MAX_FRAGMENT_BYTES;
use netquake::{Channel, Incoming, Primitives, Service, read_service};

/// What a datagram completed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Packet {
    /// A reliable message, now whole.
    Reliable(Vec<u8>),
    /// An unreliable message.
    Unreliable(Vec<u8>),
    /// Nothing, or nothing yet.
    Nothing,
}

/// A receiver that answers nobody.
#[derive(Debug)]
pub struct Stream {
    channel: Channel,
    unsent: Vec<u8>,
}

impl Default for Stream {
    fn default() -> Stream {
        Stream { channel: Channel::new(MAX_FRAGMENT_BYTES), unsent: Vec::new() }
    }
}

impl Stream {
    /// The numbers that the next fragment of a reliable message has to have, and the next unreliable datagram at least.
    pub fn awaited(&self) -> (u32, u32) {
        self.channel.awaited()
    }

    /// Takes a datagram of the connection.
    ///
    /// # Errors
    /// Its header is wrong, or the message that it belongs to is too long.
    pub fn take(&mut self, bytes: &[u8]) -> Result<Packet, DecodeError> {
        // Acknowledgements are the true receiver's to send; here they would pile up.
        self.unsent.clear();
        while self.channel.poll_transmit(Time::ZERO, &mut self.unsent) {
            self.unsent.clear();
        }
        Ok(match self.channel.receive(Time::ZERO, bytes)? {
            Incoming::Reliable { message } => Packet::Reliable(message.to_vec()),
            Incoming::Unreliable { payload, .. } => Packet::Unreliable(payload.to_vec()),
            Incoming::Nothing | Incoming::Stale { .. } => Packet::Nothing,
        })
    }
}

/// A message of protocol 15 at the front of `rest`, and its length.
///
/// # Errors
/// None begins so, or it is cut off.
pub fn base(rest: &[u8]) -> Result<(usize, Service<'_>), DecodeError> {
    let mut r = Reader::new(rest);
    let svc = r.u8("svc")?;
    // A service is large: it is moved once.
    match read_service(&mut r, svc, &Primitives::PLAIN) {
        Ok(Some(service)) => Ok((r.at(), service)),
        Ok(None) => r.error(0, "svc", ErrorKind::Unknown { value: svc.into() }),
        Err(error) => Err(error),
    }
}

/// How long a message with a table is at the front of `rest`, in these lines' form.
pub fn listed_length(rest: &[u8], message: &Message, lines: Lines) -> Option<usize> {
    let line = message.lines.get(lines.client)?;
    let mut at = 0;
    for (_, kind) in message.kinds.iter().enumerate().filter(|(k, _)| line.converts(*k)) {
        let left = rest.get(at..)?;
        at += match kind {
            Kind::String => left.iter().position(|&byte| byte == 0)? + 1,
            kind => kind.bytes(),
        };
        rest.get(..at)?;
    }
    (at > 0).then_some(at)
}
