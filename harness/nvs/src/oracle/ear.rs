//! Reads along on one side of a connection, in one direction: what was sent without any loss, or what arrived.

use kit::{DecodeError, Time};
use netquake::constants::MAX_FRAGMENT_BYTES;
use netquake::{Channel, Incoming};

/// What a datagram told.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Heard {
    /// A reliable message, now complete.
    Reliable(Vec<u8>),
    /// An unreliable message.
    Unreliable(Vec<u8>),
    /// Nothing, or nothing yet.
    Nothing,
}

/// A receiver that answers nobody.
#[derive(Debug)]
pub struct Ear {
    channel: Channel,
    unsent: Vec<u8>,
}

impl Default for Ear {
    fn default() -> Ear {
        Ear { channel: Channel::new(MAX_FRAGMENT_BYTES), unsent: Vec::new() }
    }
}

impl Ear {
    /// Takes a datagram of the connection.
    ///
    /// # Errors
    /// Its header is wrong, or the message that it belongs to is too long.
    pub fn hear(&mut self, bytes: &[u8]) -> Result<Heard, DecodeError> {
        // Acknowledgements are the true receiver's to send; here they would pile up.
        self.unsent.clear();
        while self.channel.poll_transmit(Time::ZERO, &mut self.unsent) {
            self.unsent.clear();
        }
        Ok(match self.channel.receive(Time::ZERO, bytes)? {
            Incoming::Reliable { message } => Heard::Reliable(message.to_vec()),
            Incoming::Unreliable { payload, .. } => Heard::Unreliable(payload.to_vec()),
            Incoming::Nothing | Incoming::Stale { .. } => Heard::Nothing,
        })
    }
}
