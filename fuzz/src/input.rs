//! Arbitrary bytes, read as whatever a target needs. Where bytes are missing, there are zeros.

use kit::Direction;

/// Bytes not yet used.
#[derive(Clone, Copy, Debug)]
pub struct Input<'a>(pub &'a [u8]);

impl<'a> Input<'a> {
    /// One byte.
    pub fn u8(&mut self) -> u8 {
        let (&first, rest) = self.0.split_first().unwrap_or((&0, &[]));
        self.0 = rest;
        first
    }

    /// Two bytes, little-endian.
    pub fn u16(&mut self) -> u16 {
        u16::from_le_bytes([self.u8(), self.u8()])
    }

    /// Four bytes, little-endian.
    pub fn i32(&mut self) -> i32 {
        i32::from(self.u16()) | i32::from(self.u16()) << 16
    }

    /// So many bytes, or what there is.
    pub fn bytes(&mut self, length: usize) -> &'a [u8] {
        let (bytes, rest) = self.0.split_at(length.min(self.0.len()));
        self.0 = rest;
        bytes
    }

    /// The next datagram and the way it goes: a short with the length, its top bit set for client to server.
    pub fn datagram(&mut self) -> Option<(Direction, &'a [u8])> {
        if self.0.is_empty() {
            return None;
        }
        let head = self.u16();
        let direction = if head & 0x8000 == 0 { Direction::ServerToClient } else { Direction::ClientToServer };
        Some((direction, self.bytes(usize::from(head & 0x7fff))))
    }
}

/// Appends a datagram as [`Input::datagram`] reads it.
pub fn push_datagram(direction: Direction, bytes: &[u8], out: &mut Vec<u8>) {
    let way = if direction == Direction::ClientToServer { 0x8000 } else { 0 };
    let length = bytes.len().min(0x7fff);
    out.extend_from_slice(&(length as u16 | way).to_le_bytes());
    out.extend_from_slice(&bytes[..length]);
}
