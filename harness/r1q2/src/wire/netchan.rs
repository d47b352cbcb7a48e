//! Quake II's connection: numbered datagrams, each of which acknowledges the newest one from the other side and may
//! carry one block of reliable data in front of its unreliable data.
//!
//! A block stands for one toggle of a bit. The receiver echoes its own bit in every datagram, so the sender sees
//! whether its block arrived; it sends the block again once a later datagram's echo says that it did not.

use kit::{DecodeError, Direction, ErrorKind, Reader, Writer};
use std::collections::VecDeque;

use crate::wire::constants::{PROTOCOL_ORIGINAL, PROTOCOL_R1Q2};
use crate::wire::handshake::OUT_OF_BAND;

/// The bit beside a sequence number: the datagram carries a reliable block, or the state of the echo.
const RELIABLE: u32 = 1 << 31;
/// What stands in front of every datagram but for the client's number, in bytes.
pub const HEADER_BYTES: usize = 8;
/// Smallest size of datagrams that a connection works with, in bytes.
pub const MIN_DATAGRAM_BYTES: usize = 64;

/// A client's number in its datagrams, so that its port may change.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Qport {
    /// None: over protocol 35 after a connect that said 0.
    Absent,
    /// A byte: over protocol 35.
    Byte(u8),
    /// A short: over protocol 34.
    Short(u16),
}

impl Qport {
    /// What a client that said `qport` in a connect of `protocol` sends. R1Q2's servers take what is no byte for none
    /// (erratum 5).
    pub fn announced(protocol: u32, qport: u32) -> Qport {
        match (protocol, u8::try_from(qport)) {
            (PROTOCOL_ORIGINAL, _) => Qport::Short(qport as u16),
            (PROTOCOL_R1Q2, Ok(1..)) => Qport::Byte(qport as u8),
            _ => Qport::Absent,
        }
    }

    /// Its size, in bytes.
    pub fn bytes(self) -> usize {
        match self {
            Qport::Absent => 0,
            Qport::Byte(_) => 1,
            Qport::Short(_) => 2,
        }
    }

    fn write(self, w: &mut Writer<'_>) {
        match self {
            Qport::Absent => {}
            Qport::Byte(qport) => w.u8("qport", qport),
            Qport::Short(qport) => w.u16("qport", qport),
        }
    }

    /// Reads one of the same size.
    fn read_like(self, r: &mut Reader<'_>) -> Result<Qport, DecodeError> {
        Ok(match self {
            Qport::Absent => Qport::Absent,
            Qport::Byte(_) => Qport::Byte(r.u8("qport")?),
            Qport::Short(_) => Qport::Short(r.u16("qport")?),
        })
    }
}

/// Which end of a connection this is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Side {
    /// A client with this number.
    Client(Qport),
    /// The server's end of a connection with a client of this number.
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
    /// A datagram that is newer than the block's was acknowledged, with the wrong echo: Q2PRO.
    AfterCarrier,
    /// One that is newer by two: Quake II and R1Q2, which remember the number behind the block's.
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
    pub qport: Qport,
}

impl Header {
    /// Appends the header.
    pub fn write(&self, w: &mut Writer<'_>) {
        w.u32("sequence", self.sequence & !RELIABLE | if self.reliable { RELIABLE } else { 0 });
        w.u32("acknowledged", self.acknowledged & !RELIABLE | if self.reliable_acknowledged { RELIABLE } else { 0 });
        self.qport.write(w);
    }

    /// Reads the header of a datagram that goes in `direction`, between a server and a client with a number of the same
    /// size as `qport`.
    ///
    /// # Errors
    /// The datagram ends inside it, or belongs to no connection.
    pub fn read(r: &mut Reader<'_>, direction: Direction, qport: Qport) -> Result<Header, DecodeError> {
        let offset = r.at();
        let sequence = r.u32("sequence")?;
        if sequence == OUT_OF_BAND {
            let why = "a connectionless datagram belongs to no connection";
            return r.error(offset, "sequence", ErrorKind::Forbidden { value: sequence, why });
        }
        let acknowledged = r.u32("acknowledged")?;
        let qport = match direction {
            Direction::ClientToServer => qport.read_like(r)?,
            Direction::ServerToClient => Qport::Absent,
        };
        Ok(Header {
            sequence: sequence & !RELIABLE,
            reliable: sequence & RELIABLE != 0,
            acknowledged: acknowledged & !RELIABLE,
            reliable_acknowledged: acknowledged & RELIABLE != 0,
            qport,
        })
    }
}

/// A datagram that a [`Netchan`] took.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Received<'a> {
    /// What stood in front of it.
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
    datagram_bytes: usize,
    resend: Resend,
    next_sequence: u32,
    /// The newest datagram received; 0 before the first.
    incoming: u32,
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
}

impl Netchan {
    /// A fresh connection whose datagrams have at most `datagram_bytes`, the header included.
    pub fn new(side: Side, datagram_bytes: usize, resend: Resend) -> Netchan {
        Netchan {
            side,
            datagram_bytes: datagram_bytes.max(MIN_DATAGRAM_BYTES),
            resend,
            next_sequence: 1,
            incoming: 0,
            incoming_acknowledged: 0,
            echo: false,
            received_bit: false,
            sent_bit: false,
            block: Vec::new(),
            carrier: 0,
            queue: Vec::new(),
            lengths: VecDeque::new(),
        }
    }

    /// Takes a datagram. `None`: it is older than one taken before, or a duplicate.
    ///
    /// # Errors
    /// The header is cut off, or none of a connection.
    pub fn receive<'a>(&mut self, datagram: &'a [u8]) -> Result<Option<Received<'a>>, DecodeError> {
        let mut r = Reader::new(datagram);
        let header = Header::read(&mut r, self.side.incoming(), self.side.qport())?;
        if header.sequence <= self.incoming {
            return Ok(None);
        }
        let dropped = header.sequence - self.incoming - 1;
        self.incoming = header.sequence;
        self.incoming_acknowledged = header.acknowledged;
        self.echo = header.reliable_acknowledged;
        self.received_bit ^= header.reliable;
        let reliable_delivered = !self.block.is_empty() && self.echo == self.sent_bit;
        if reliable_delivered {
            self.block.clear();
        }
        Ok(Some(Received { header, payload: r.rest("payload"), dropped, reliable_delivered }))
    }

    /// Queues a whole message. Whole messages are packed into a block as long as they fit.
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

    /// The newest datagram received; 0 before the first.
    pub fn incoming_sequence(&self) -> u32 {
        self.incoming
    }

    /// The newest datagram of ours that the other side is known to have received; 0 for none.
    pub fn incoming_acknowledged(&self) -> u32 {
        self.incoming_acknowledged
    }

    /// The longest payload of a datagram, in bytes.
    pub fn payload_bytes(&self) -> usize {
        self.datagram_bytes - HEADER_BYTES - self.side.sent().bytes()
    }

    /// Bytes at the front of the queue that make the next block: as many whole messages as fit, at least one.
    fn block_from_queue(&self) -> usize {
        let mut total = 0;
        for length in &self.lengths {
            if total > 0 && total + length > self.payload_bytes() {
                break;
            }
            total += length;
        }
        total
    }

    /// Whether the block under way is known to be lost with all that carried it.
    fn block_lost(&self) -> bool {
        let due = self.resend.is_due(self.carrier, self.incoming_acknowledged);
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

    /// Bytes that the unreliable part of the next datagram may have beside the reliable block that goes with it.
    pub fn room(&self) -> usize {
        self.payload_bytes().saturating_sub(self.next_block_bytes())
    }

    /// Appends a datagram: the reliable block, if it is due, and `unreliable`; returns its number.
    ///
    /// What exceeds [`Netchan::room`] is left out, yet the datagram counts and will be acknowledged.
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
        let header = Header {
            sequence,
            reliable,
            acknowledged: self.incoming,
            reliable_acknowledged: self.received_bit,
            qport: self.side.sent(),
        };
        header.write(&mut Writer::new(out));
        if reliable {
            self.carrier = sequence;
            out.extend_from_slice(&self.block);
        }
        if unreliable.len() <= room {
            out.extend_from_slice(unreliable);
        }
        sequence
    }
}

#[cfg(test)]
mod tests;
