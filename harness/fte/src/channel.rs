//! QuakeWorld's connection: numbered datagrams, each of which acknowledges the newest one from the other side and may
//! carry one block of reliable data in front of its unreliable data.
//!
//! A block stands for at most one toggle of a bit. The receiver echoes its own bit in every datagram, so the sender sees
//! whether its block arrived; it sends the block again when the echo of a later datagram says that it did not.

use kit::{DecodeError, Direction, ErrorKind, Reader, Writer};
use std::collections::VecDeque;

/// The first long of a datagram that belongs to no connection.
pub const OUT_OF_BAND: u32 = 0xffff_ffff;
/// The bit beside a sequence number: the datagram carries a reliable block, or the state of the echo.
const RELIABLE: u32 = 1 << 31;
/// Largest datagram put together from fragments, header not counted, in bytes.
pub const MAX_ASSEMBLED_BYTES: usize = 65_536;
/// Most bytes of whole messages that are packed into one reliable block; a longer message goes alone.
pub const RELIABLE_BLOCK_BYTES: usize = 1200;
/// Fragments begin at multiples of this, in bytes.
const FRAGMENT_UNIT: usize = 8;
/// Smallest size of datagrams that a connection works with, in bytes.
pub const MIN_DATAGRAM_BYTES: usize = 64;

/// Which end of a connection this is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Side {
    /// A client, which tells its number in every datagram, so that its port may change.
    Client {
        /// The number.
        qport: u16,
    },
    /// The server's end.
    Server,
}

/// What stands in front of every datagram of a connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Header {
    /// The datagram's number, 31 bits.
    pub sequence: u32,
    /// Whether the payload begins with a reliable block.
    pub reliable: bool,
    /// The newest datagram received from the other side, 31 bits.
    pub acknowledged: u32,
    /// The echo: how often, modulo 2, a reliable block was received.
    pub reliable_acknowledged: bool,
    /// The client's number; from client to server only.
    pub qport: Option<u16>,
    /// The place of this fragment; only where fragments were agreed upon.
    pub fragment: Option<Fragment>,
}

/// The place of a fragment in its datagram.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Fragment {
    /// Where its bytes belong; a multiple of 8.
    pub offset: usize,
    /// Whether more fragments follow. A datagram in one piece has offset 0 and no more.
    pub more: bool,
}

impl Header {
    /// Appends the header.
    pub fn write(&self, w: &mut Writer<'_>) {
        w.u32("sequence", self.sequence & !RELIABLE | if self.reliable { RELIABLE } else { 0 });
        w.u32("acknowledged", self.acknowledged & !RELIABLE | if self.reliable_acknowledged { RELIABLE } else { 0 });
        if let Some(qport) = self.qport {
            w.u16("qport", qport);
        }
        if let Some(fragment) = self.fragment {
            w.u16("fragment", (fragment.offset >> 2) as u16 & !1 | u16::from(fragment.more));
        }
    }

    /// Reads the header of a datagram that goes in `direction`, with a fragment field if `fragments` were agreed upon.
    ///
    /// # Errors
    /// The datagram ends inside it, or belongs to no connection.
    pub fn read(r: &mut Reader<'_>, direction: Direction, fragments: bool) -> Result<Header, DecodeError> {
        let offset = r.at();
        let sequence = r.u32("sequence")?;
        if sequence == OUT_OF_BAND {
            let why = "a connectionless datagram belongs to no connection";
            return r.error(offset, "sequence", ErrorKind::Forbidden { value: sequence, why });
        }
        let acknowledged = r.u32("acknowledged")?;
        let qport = match direction {
            Direction::ClientToServer => Some(r.u16("qport")?),
            Direction::ServerToClient => None,
        };
        let fragment = match fragments {
            true => {
                let value = r.u16("fragment")?;
                Some(Fragment { offset: usize::from(value & !1) << 2, more: value & 1 != 0 })
            }
            false => None,
        };
        Ok(Header {
            sequence: sequence & !RELIABLE,
            reliable: sequence & RELIABLE != 0,
            acknowledged: acknowledged & !RELIABLE,
            reliable_acknowledged: acknowledged & RELIABLE != 0,
            qport,
            fragment,
        })
    }
}

/// Whether a datagram belongs to no connection, and so is none for a [`Netchan`].
pub fn is_out_of_band(datagram: &[u8]) -> bool {
    datagram.first_chunk() == Some(&OUT_OF_BAND.to_le_bytes())
}

/// A datagram that a [`Netchan`] took.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Received<'a> {
    /// Its number.
    pub sequence: u32,
    /// The datagram of ours that the sender had received last.
    pub acknowledged: u32,
    /// The client's number, from a client.
    pub qport: Option<u16>,
    /// What it says, the reliable part first. Where that part ends is not on the wire.
    pub payload: &'a [u8],
    /// Whether the payload begins with a reliable block, received for the first time.
    pub reliable: bool,
    /// Whether it acknowledges the reliable block that was under way.
    pub reliable_delivered: bool,
}

/// One end of a QuakeWorld connection.
#[derive(Debug)]
pub struct Netchan {
    side: Side,
    datagram_bytes: usize,
    fragments: bool,
    next_sequence: u32,
    /// The newest datagram received; `None` before the first, which may have any number.
    incoming: Option<u32>,
    incoming_acknowledged: u32,
    /// The echo that the other side sent last.
    echo: bool,
    /// How often, modulo 2, a reliable block was received: the echo that we send.
    received_bit: bool,
    /// The bit of the block under way, or of the last one.
    sent_bit: bool,
    /// The reliable block under way; empty for none.
    block: Vec<u8>,
    /// The last datagram that carried the block.
    carrier: u32,
    /// Messages that wait for a block, one after the other, and their lengths.
    queue: Vec<u8>,
    lengths: VecDeque<usize>,
    assembly: Vec<u8>,
    /// The datagram whose fragments are in `assembly`.
    assembling: Option<u32>,
    /// A long datagram on its way out, and how much of it is sent.
    outgoing: Vec<u8>,
    outgoing_at: usize,
    outgoing_header: Header,
}

impl Netchan {
    /// A fresh connection whose datagrams have at most `max_payload` bytes (the payload of a UDP packet: our header is
    /// part of it), and are cut into fragments above that if `fragments` were agreed upon.
    pub fn new(side: Side, max_payload: usize, fragments: bool) -> Netchan {
        let qport = match side {
            Side::Client { qport } => Some(qport),
            Side::Server => None,
        };
        Netchan {
            side,
            datagram_bytes: max_payload.max(MIN_DATAGRAM_BYTES),
            fragments,
            next_sequence: 1,
            incoming: None,
            incoming_acknowledged: 0,
            echo: false,
            received_bit: false,
            sent_bit: false,
            block: Vec::new(),
            carrier: 0,
            queue: Vec::new(),
            lengths: VecDeque::new(),
            assembly: Vec::new(),
            assembling: None,
            outgoing: Vec::new(),
            outgoing_at: 0,
            outgoing_header: Header {
                sequence: 0,
                reliable: false,
                acknowledged: 0,
                reliable_acknowledged: false,
                qport,
                fragment: fragments.then(Fragment::default),
            },
        }
    }

    /// Takes a datagram. `None`: it is older than one taken before, a duplicate, or not complete yet.
    ///
    /// # Errors
    /// The header is cut off or none of a connection, or the fragments exceed [`MAX_ASSEMBLED_BYTES`].
    pub fn receive<'a>(&'a mut self, datagram: &'a [u8]) -> Result<Option<Received<'a>>, DecodeError> {
        let direction = match self.side {
            Side::Client { .. } => Direction::ServerToClient,
            Side::Server => Direction::ClientToServer,
        };
        let mut r = Reader::new(datagram);
        let header = Header::read(&mut r, direction, self.fragments)?;
        if self.incoming.is_some_and(|newest| header.sequence <= newest) {
            return Ok(None);
        }
        let bytes = r.rest("payload");
        let payload = match header.fragment {
            Some(fragment) if fragment != Fragment::default() => {
                if !self.assemble(&r, header.sequence, fragment, bytes)? {
                    return Ok(None);
                }
                None
            }
            _ => Some(bytes),
        };
        self.assembling = self.assembling.filter(|&newer| newer > header.sequence);
        self.incoming = Some(header.sequence);
        self.incoming_acknowledged = header.acknowledged;
        self.echo = header.reliable_acknowledged;
        self.received_bit ^= header.reliable;
        let reliable_delivered = !self.block.is_empty() && self.echo == self.sent_bit;
        if reliable_delivered {
            self.block.clear();
        }
        Ok(Some(Received {
            sequence: header.sequence,
            acknowledged: header.acknowledged,
            qport: header.qport,
            payload: payload.unwrap_or(&self.assembly),
            reliable: header.reliable,
            reliable_delivered,
        }))
    }

    /// Adds a fragment, and says whether the datagram is complete. Fragments count only in their order: a gap or a
    /// newer datagram ends an incomplete one.
    fn assemble(
        &mut self,
        r: &Reader<'_>,
        sequence: u32,
        fragment: Fragment,
        bytes: &[u8],
    ) -> Result<bool, DecodeError> {
        if self.assembling != Some(sequence) {
            if self.assembling.is_some_and(|newest| sequence < newest) {
                return Ok(false);
            }
            self.assembly.clear();
            self.assembling = Some(sequence);
        }
        // A repetition of what is there does no harm.
        let end = fragment.offset + bytes.len();
        if fragment.offset < self.assembly.len() && end <= self.assembly.len() {
            return Ok(false);
        }
        if fragment.offset != self.assembly.len() {
            self.assembly.clear();
            return Ok(false);
        }
        if end > MAX_ASSEMBLED_BYTES {
            self.assembly.clear();
            return r.error(
                r.at() - bytes.len() - 2,
                "fragment",
                ErrorKind::TooLarge { value: end, limit: MAX_ASSEMBLED_BYTES },
            );
        }
        self.assembly.extend_from_slice(bytes);
        Ok(!fragment.more)
    }

    /// Queues a whole message. Whole messages are packed into a block as long as they fit; one that is longer than a
    /// block goes alone, and without fragments in a datagram above the agreed size.
    pub fn queue_reliable(&mut self, message: &[u8]) {
        if !message.is_empty() {
            self.queue.extend_from_slice(message);
            self.lengths.push_back(message.len());
        }
    }

    /// Whether every reliable message was acknowledged.
    pub fn reliable_idle(&self) -> bool {
        self.block.is_empty() && self.lengths.is_empty()
    }

    /// Bytes of reliable messages not yet acknowledged: for dropping a peer that takes none.
    pub fn queued_bytes(&self) -> usize {
        self.block.len() + self.queue.len()
    }

    /// The number that the next datagram will have; 1 in the beginning.
    pub fn next_sequence(&self) -> u32 {
        self.next_sequence
    }

    /// Raises the next datagram's number, as FTEQW's server does to answer under the client's number. Never lowers it.
    pub fn set_next_sequence(&mut self, sequence: u32) {
        self.next_sequence = self.next_sequence.max(sequence & !RELIABLE);
    }

    /// The newest datagram received; 0 before the first.
    pub fn incoming_sequence(&self) -> u32 {
        self.incoming.unwrap_or(0)
    }

    /// The newest datagram of ours that the other side is known to have received; 0 for none.
    pub fn incoming_acknowledged(&self) -> u32 {
        self.incoming_acknowledged
    }

    /// Size of our headers, in bytes.
    fn header_bytes(&self) -> usize {
        let qport = if matches!(self.side, Side::Client { .. }) { 2 } else { 0 };
        8 + qport + if self.fragments { 2 } else { 0 }
    }

    /// Bytes at the front of the queue that make the next block: as many whole messages as fit, at least one.
    fn block_from_queue(&self) -> usize {
        let limit = RELIABLE_BLOCK_BYTES.min(self.datagram_bytes - self.header_bytes());
        let mut total = 0;
        for length in &self.lengths {
            if total > 0 && total + length > limit {
                break;
            }
            total += length;
        }
        total
    }

    /// Whether the block under way is known to be lost with all that carried it.
    fn block_lost(&self) -> bool {
        !self.block.is_empty() && self.incoming_acknowledged > self.carrier && self.echo != self.sent_bit
    }

    /// Length of the reliable block that goes with the next datagram.
    fn next_block_bytes(&self) -> usize {
        match self.block.len() {
            0 => self.block_from_queue(),
            length if self.block_lost() => length,
            _ => 0,
        }
    }

    /// Bytes that the unreliable part of the next datagram may have beside the reliable block that goes with it, within
    /// the agreed size and so without fragments.
    pub fn room(&self) -> usize {
        self.datagram_bytes.saturating_sub(self.header_bytes() + self.next_block_bytes())
    }

    /// Appends a datagram: the reliable block, if it is due, and `unreliable`; returns its number.
    ///
    /// What exceeds [`Netchan::room`] goes in fragments where they were agreed upon: the first is appended, the others
    /// wait for [`Netchan::poll_fragment`]. Otherwise the unreliable part is left out, yet the datagram counts and will
    /// be acknowledged.
    pub fn transmit(&mut self, unreliable: &[u8], out: &mut Vec<u8>) -> u32 {
        let room = self.room();
        let reliable = self.next_block_bytes() > 0;
        if self.block.is_empty() && reliable {
            let length = self.block_from_queue();
            self.block.extend(self.queue.drain(..length));
            let mut left = length;
            while left > 0 {
                left = left.saturating_sub(self.lengths.pop_front().unwrap_or(left));
            }
            self.sent_bit ^= true;
        }
        let sequence = self.next_sequence;
        self.next_sequence += 1;
        let block: &[u8] = if reliable { &self.block } else { &[] };
        if reliable {
            self.carrier = sequence;
        }
        let header = Header {
            sequence,
            reliable,
            acknowledged: self.incoming_sequence(),
            reliable_acknowledged: self.received_bit,
            ..self.outgoing_header
        };
        let fits = unreliable.len() <= room && self.header_bytes() + block.len() <= self.datagram_bytes;
        let total = block.len() + unreliable.len();
        self.outgoing.clear();
        self.outgoing_at = 0;
        if self.fragments && !fits && total <= MAX_ASSEMBLED_BYTES {
            self.outgoing.extend_from_slice(block);
            self.outgoing.extend_from_slice(unreliable);
            self.outgoing_header = header;
            self.poll_fragment(out);
            return sequence;
        }
        header.write(&mut Writer::new(out));
        out.extend_from_slice(block);
        if fits {
            out.extend_from_slice(unreliable);
        }
        sequence
    }

    /// Appends the next fragment of the last datagram, and says whether there was one. A new datagram forgets those of
    /// the one before.
    pub fn poll_fragment(&mut self, out: &mut Vec<u8>) -> bool {
        let rest = &self.outgoing[self.outgoing_at..];
        if rest.is_empty() {
            return false;
        }
        let size = (self.datagram_bytes - self.header_bytes()) / FRAGMENT_UNIT * FRAGMENT_UNIT;
        let bytes = &rest[..size.min(rest.len())];
        let fragment = Fragment { offset: self.outgoing_at, more: bytes.len() < rest.len() };
        Header { fragment: Some(fragment), ..self.outgoing_header }.write(&mut Writer::new(out));
        out.extend_from_slice(bytes);
        self.outgoing_at += bytes.len();
        true
    }
}

#[cfg(test)]
mod tests;
