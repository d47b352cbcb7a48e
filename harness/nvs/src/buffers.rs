//! The buffers that messages wait in until the end of a frame, and what each does when it is full.

use crate::constants::{CLIENT_DATAGRAM_BYTES, MESSAGE_BYTES};

/// Bytes up to a limit.
#[derive(Clone, Debug)]
pub struct Buffer {
    bytes: Vec<u8>,
    limit: usize,
    overflowed: bool,
}

impl Buffer {
    /// An empty buffer for at most `limit` bytes.
    pub fn new(limit: usize) -> Buffer {
        Buffer { bytes: Vec::with_capacity(limit), limit, overflowed: false }
    }

    /// What is in it.
    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// How much is in it.
    pub fn len(&self) -> usize {
        self.bytes.len()
    }

    /// Whether nothing is in it.
    pub fn is_empty(&self) -> bool {
        self.bytes.is_empty()
    }

    /// Whether so many bytes more fit in.
    pub fn has_room(&self, bytes: usize) -> bool {
        // NVS-BUF-05
        bytes <= self.limit.saturating_sub(self.bytes.len())
    }

    /// Whether something did not fit in since the buffer was cleared.
    pub fn overflowed(&self) -> bool {
        self.overflowed
    }

    /// Appends bytes. If they do not fit, the buffer is emptied and takes no more until it is cleared, since half a
    /// message is worse than none; whether they fit.
    pub fn push(&mut self, bytes: &[u8]) -> bool {
        if self.overflowed || !self.has_room(bytes.len()) {
            self.bytes.clear();
            self.overflowed = true;
            return false;
        }
        self.bytes.extend_from_slice(bytes);
        true
    }

    /// Takes back all after the first `length` bytes.
    pub fn truncate(&mut self, length: usize) {
        self.bytes.truncate(length);
    }

    /// Empties the buffer, keeping its memory.
    pub fn clear(&mut self) {
        self.bytes.clear();
        self.overflowed = false;
    }
}

/// What a server holds for one client until the end of the frame.
#[derive(Clone, Debug)]
pub struct Outlet {
    /// Reliable: ONE, and ALL of messages that were prepared.
    pub message: Buffer,
    /// Unreliable: BROADCAST of messages that were prepared.
    pub datagram: Buffer,
    /// What of the message under way this client gets.
    pub share: Share,
    /// Where that message starts in `datagram`.
    pub mark: usize,
    /// Whether that message, a BROADCAST that a table lists, had room there; `None` if the client is not meant.
    pub had_room: Option<bool>,
}

impl Default for Outlet {
    fn default() -> Outlet {
        Outlet {
            message: Buffer::new(MESSAGE_BYTES),
            datagram: Buffer::new(CLIENT_DATAGRAM_BYTES),
            share: Share::Nothing,
            mark: 0,
            had_room: None,
        }
    }
}

/// What of the message under way a client gets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Share {
    /// Nothing: it is not meant, came later, or knows no such message.
    Nothing,
    /// Nothing: a BROADCAST does not fit into its unreliable buffer.
    NoRoom,
    /// All of it.
    Everything,
    /// The writes that a line of the tables marks; and those after the message's last.
    Line {
        /// The message's place in the tables.
        message: usize,
        /// The line's place in the message.
        line: usize,
    },
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_buffer_takes_what_fits_exactly() {
        let mut buffer = Buffer::new(4);
        assert!(buffer.push(&[1, 2, 3]) && buffer.has_room(1) && !buffer.has_room(2));
        assert!(buffer.push(&[4]) && !buffer.overflowed());
        assert_eq!(buffer.bytes(), [1, 2, 3, 4]);
    }

    #[test]
    fn what_does_not_fit_empties_the_buffer_until_it_is_cleared() {
        let mut buffer = Buffer::new(4);
        assert!(buffer.push(&[1, 2, 3]) && !buffer.push(&[4, 5]));
        assert!(buffer.is_empty() && buffer.overflowed() && !buffer.push(&[6]));
        buffer.clear();
        assert!(buffer.push(&[7]) && buffer.len() == 1);
    }
}
