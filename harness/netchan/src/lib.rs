//! The connection of QuakeWorld and Quake II: numbered datagrams, each of which acknowledges the newest one from the other
//! side and may carry one block of reliable data in front of its unreliable data.
//!
//! A block stands for at most one toggle of a bit. The receiver echoes its own bit in every datagram, so the sender sees
//! whether its block arrived; it sends the block again when the echo of a later datagram says that it did not.

mod header;

use header::RELIABLE;
pub use header::{
    Fragment, HEADER_BYTES, Header, OUT_OF_BAND, Qport, is_out_of_band, numbering, version_asked_for, without_stun_bias,
};
use kit::{DecodeError, Direction, ErrorKind, Reader, Writer};
use std::collections::VecDeque;

/// Largest datagram put together from fragments, header not counted, in bytes.
pub const MAX_ASSEMBLED_BYTES: usize = 65_536;
/// Most bytes of whole messages that QuakeWorld packs into one reliable block; a longer message goes alone.
pub const RELIABLE_BLOCK_BYTES: usize = 1200;
/// The longest header: with the longest number of a client and the place of a fragment, in bytes.
const MAX_HEADER_BYTES: usize = HEADER_BYTES + 4;
/// Fragments begin at multiples of this, in bytes.
const FRAGMENT_UNIT: usize = 8;
/// Smallest size of datagrams that a connection works with, in bytes.
pub const MIN_DATAGRAM_BYTES: usize = 64;

/// Which end of a connection this is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Side {
    /// A client with this number.
    Client(Qport),
    /// The server's end of a connection with a client whose number has the size of this one.
    Server(Qport),
}

impl Side {
    /// The client's number.
    fn qport(self) -> Qport {
        match self {
            Side::Client(qport) | Side::Server(qport) => qport,
        }
    }

    /// What stands in front of the datagrams that this end sends.
    fn sent(self) -> Qport {
        if matches!(self, Side::Client(_)) { self.qport() } else { Qport::Absent }
    }

    /// Where the datagrams that this end receives come from.
    fn incoming(self) -> Direction {
        match self {
            Side::Client(_) => Direction::ServerToClient,
            Side::Server(_) => Direction::ClientToServer,
        }
    }
}

/// When a block counts as lost. Both readings are in use; they differ by one acknowledgement.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Resend {
    /// A datagram that is newer than the block's was acknowledged, with the wrong echo: QuakeWorld and Q2PRO.
    AfterCarrier,
    /// One that is newer by two: Quake II and R1Q2, which remember the number after the block's.
    OneLater,
}

impl Resend {
    /// Whether the block of datagram `carrier` counts as lost once datagram `acknowledged` was received without it.
    fn is_due(self, carrier: u32, acknowledged: u32) -> bool {
        match self {
            Resend::AfterCarrier => acknowledged > carrier,
            Resend::OneLater => acknowledged > carrier.saturating_add(1),
        }
    }
}

/// What the engines do differently.
#[derive(Clone, Copy, Debug)]
pub struct Settings {
    /// Most bytes of a datagram (the payload of a UDP packet: our header is part of it).
    datagram_bytes: usize,
    /// Most bytes of whole messages that share a block.
    block_bytes: usize,
    resend: Resend,
    /// Whether datagrams above the size are cut into fragments.
    fragments: bool,
    /// The newest datagram before the first; `None` if the first may have any number.
    newest: Option<u32>,
}

impl Settings {
    /// QuakeWorld, with datagrams of at most `datagram_bytes`, which are cut into fragments above that if `fragments`
    /// were agreed upon.
    pub fn quakeworld(datagram_bytes: usize, fragments: bool) -> Settings {
        Settings {
            datagram_bytes: datagram_bytes.max(MIN_DATAGRAM_BYTES),
            block_bytes: RELIABLE_BLOCK_BYTES,
            resend: Resend::AfterCarrier,
            fragments,
            newest: None,
        }
    }

    /// Quake II, with datagrams of at most `datagram_bytes`.
    pub fn quake2(datagram_bytes: usize, resend: Resend) -> Settings {
        Settings {
            datagram_bytes: datagram_bytes.max(MIN_DATAGRAM_BYTES),
            block_bytes: usize::MAX,
            resend,
            fragments: false,
            newest: Some(0),
        }
    }
}

/// A datagram that a [`Netchan`] took.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Received<'a> {
    /// What stood in front of it. A reliable block in it is received for the first time.
    pub header: Header,
    /// What it says, the reliable part first. Where that part ends is not on the wire.
    pub payload: &'a [u8],
    /// How many datagrams between this one and the last were lost.
    pub dropped: u32,
    /// Whether it acknowledges the reliable block that was under way.
    pub reliable_delivered: bool,
}

/// One end of a connection.
#[derive(Debug)]
pub struct Netchan {
    side: Side,
    settings: Settings,
    next_sequence: u32,
    /// The newest datagram received; `None` before the first, if that may have any number.
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
    /// A fresh connection.
    pub fn new(side: Side, settings: Settings) -> Netchan {
        Netchan {
            side,
            settings,
            next_sequence: 1,
            incoming: settings.newest,
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
                qport: side.sent(),
                fragment: settings.fragments.then(Fragment::default),
            },
        }
    }

    /// Takes a datagram. `None`: it is older than one taken before, a duplicate, or not complete yet.
    ///
    /// # Errors
    /// The header is cut off or none of a connection, or the fragments exceed [`MAX_ASSEMBLED_BYTES`].
    pub fn receive<'a>(&'a mut self, datagram: &'a [u8]) -> Result<Option<Received<'a>>, DecodeError> {
        let mut r = Reader::new(datagram);
        let header = Header::read(&mut r, self.side.incoming(), self.side.qport(), self.settings.fragments)?;
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
        let dropped = self.incoming.map_or(0, |newest| header.sequence - newest - 1);
        self.incoming = Some(header.sequence);
        self.incoming_acknowledged = header.acknowledged;
        self.echo = header.reliable_acknowledged;
        self.received_bit ^= header.reliable;
        let reliable_delivered = !self.block.is_empty() && self.echo == self.sent_bit;
        if reliable_delivered {
            self.block.clear();
        }
        let payload = payload.unwrap_or(&self.assembly);
        Ok(Some(Received { header, payload, dropped, reliable_delivered }))
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

    /// Whether a number is so far from those received that the datagram is hardly one of this connection, or of any: a session
    /// of days at a hundred datagrams a second does not come to the first number that is.
    pub fn is_unlikely(&self, sequence: u32) -> bool {
        match self.incoming_sequence() {
            0 => sequence > 1 << 24,
            newest => sequence.abs_diff(newest) > 1 << 14,
        }
    }

    /// The newest datagram of ours that the other side is known to have received; 0 for none.
    pub fn incoming_acknowledged(&self) -> u32 {
        self.incoming_acknowledged
    }

    /// Size of our headers, in bytes.
    fn header_bytes(&self) -> usize {
        HEADER_BYTES + self.side.sent().bytes() + if self.settings.fragments { 2 } else { 0 }
    }

    /// The longest payload of a datagram that is not cut, in bytes.
    pub fn payload_bytes(&self) -> usize {
        self.settings.datagram_bytes - self.header_bytes()
    }

    /// Bytes at the front of the queue that make the next block: as many whole messages as fit, at least one.
    fn block_from_queue(&self) -> usize {
        let limit = self.settings.block_bytes.min(self.payload_bytes());
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
        let due = self.settings.resend.is_due(self.carrier, self.incoming_acknowledged);
        !self.block.is_empty() && due && self.echo != self.sent_bit
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
        self.payload_bytes().saturating_sub(self.next_block_bytes())
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
        let fits = unreliable.len() <= room && block.len() <= self.payload_bytes();
        let total = block.len() + unreliable.len();
        out.reserve(total + MAX_HEADER_BYTES);
        self.outgoing.clear();
        self.outgoing_at = 0;
        if self.settings.fragments && !fits && total <= MAX_ASSEMBLED_BYTES {
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
        let size = self.payload_bytes() / FRAGMENT_UNIT * FRAGMENT_UNIT;
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
