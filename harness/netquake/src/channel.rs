//! A connection's two streams: reliable messages, stop and wait; unreliable messages, newest only.
//!
//! The streams are numbered separately and not ordered against each other. Nothing here knows what a message means.

use crate::constants::*;
use crate::datagram::Packet;
use kit::{DecodeError, ErrorKind, Reader, Time, Writer};
use std::collections::VecDeque;

/// How an end of a connection works; [`Conduct::REFERENCE`] is the protocol's.
#[derive(Clone, Copy, Debug)]
pub struct Conduct {
    /// Time without an ack after which a fragment is sent again, in microseconds. Engines take a second; any is legal.
    pub resend_us: u64,
    /// The sequence of a fragment that is sent again, from the one that it had.
    pub resend_as: fn(u32) -> u32,
    /// Whether an ack of this sequence counts while the fragment of the second one waits for its ack.
    pub heeds: fn(u32, u32) -> bool,
    /// Whether a fragment of this sequence is used while the second one is expected.
    pub uses: fn(u32, u32) -> bool,
}

impl Conduct {
    /// As the protocol has it.
    pub const REFERENCE: Conduct = Conduct {
        resend_us: RESEND_US,
        resend_as: |sequence| sequence,                         // FITZ-NET-04
        heeds: |sequence, outstanding| sequence == outstanding, // FITZ-NET-07
        uses: |sequence, expected| sequence == expected,
    };

    /// As the protocol has it, but for the time between repetitions.
    pub const fn resending_after(resend_us: u64) -> Conduct {
        Conduct { resend_us, ..Conduct::REFERENCE }
    }
}

/// One end of a connection.
#[derive(Debug)]
pub struct Channel {
    conduct: Conduct,
    fragment_bytes: usize,
    /// Messages not yet acknowledged to their end, one after the other; the first is the outstanding one.
    queue: Vec<u8>,
    /// The lengths of the messages in `queue`.
    lengths: VecDeque<usize>,
    /// Bytes of the outstanding message that the peer has acknowledged.
    acknowledged: usize,
    /// Sequence of the fragment that begins there.
    send_sequence: u32,
    /// When that fragment was sent last, if it was.
    sent: Option<Time>,
    /// The fragment that comes next.
    receive_sequence: u32,
    /// Fragments received so far of the message that is coming in, or the message last completed.
    assembly: Vec<u8>,
    assembly_state: Assembly,
    acks: VecDeque<u32>,
    unreliable_send_sequence: u32,
    unreliable_receive_sequence: u32,
}

/// What `assembly` holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Assembly {
    /// The beginning of a message.
    Open,
    /// A whole message, delivered already.
    Delivered,
    /// A message above the limit; the rest of it is thrown away.
    TooLong,
}

/// What a datagram brought.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Incoming<'a> {
    /// An unreliable message, newer than all before.
    Unreliable {
        /// Its sequence number.
        sequence: u32,
        /// The message.
        payload: &'a [u8],
    },
    /// A complete reliable message.
    Reliable {
        /// The message.
        message: &'a [u8],
    },
    /// Nothing for the layer above: an ack, or a fragment of a message that is not complete.
    Nothing,
    /// A datagram of no use: older than one received before, or a fragment out of turn.
    Stale {
        /// Its sequence number.
        sequence: u32,
    },
}

impl Channel {
    /// A fresh connection that sends fragments of at most `fragment_bytes` (the header not counted; clamped to
    /// 1..=[`MAX_PAYLOAD_BYTES`]). [`MAX_FRAGMENT_BYTES`] suits every engine.
    pub fn new(fragment_bytes: usize) -> Channel {
        Channel::with(fragment_bytes, Conduct::REFERENCE)
    }

    /// A fresh connection with this `conduct`.
    pub fn with(fragment_bytes: usize, conduct: Conduct) -> Channel {
        Channel {
            conduct,
            fragment_bytes: fragment_bytes.clamp(1, MAX_PAYLOAD_BYTES),
            queue: Vec::new(),
            lengths: VecDeque::new(),
            acknowledged: 0,
            send_sequence: 0,
            sent: None,
            receive_sequence: 0,
            assembly: Vec::new(),
            assembly_state: Assembly::Open,
            acks: VecDeque::new(),
            unreliable_send_sequence: 0,
            unreliable_receive_sequence: 0,
        }
    }

    /// Starts all counters again, as a second accept in the same session demands. Queued messages stay and are sent
    /// from their beginning; a half received one is lost.
    pub fn restart(&mut self) {
        self.acknowledged = 0;
        self.send_sequence = 0;
        self.sent = None;
        self.receive_sequence = 0;
        self.assembly.clear();
        self.assembly_state = Assembly::Open;
        self.acks.clear();
        self.unreliable_send_sequence = 0;
        self.unreliable_receive_sequence = 0;
    }

    /// Receives a datagram. Every fragment is acknowledged, a stale one too: the ack before may be what was lost.
    ///
    /// # Errors
    /// The header is wrong, the datagram is a control packet, or the message grows beyond [`MAX_MESSAGE_BYTES`] (it is
    /// then skipped to its end).
    pub fn receive<'a>(&'a mut self, _now: Time, datagram: &'a [u8]) -> Result<Incoming<'a>, DecodeError> {
        let mut r = Reader::new(datagram);
        Ok(match Packet::read(&mut r)? {
            Packet::Data { sequence, end, payload } => return self.receive_fragment(&r, sequence, end, payload),
            Packet::Ack { sequence } => self.receive_ack(sequence),
            // FITZ-NET-02
            Packet::Unreliable { sequence, .. } if sequence < self.unreliable_receive_sequence => {
                Incoming::Stale { sequence }
            }
            Packet::Unreliable { sequence, payload } => {
                self.unreliable_receive_sequence = sequence.wrapping_add(1);
                Incoming::Unreliable { sequence, payload }
            }
            Packet::Control(_) => {
                let why = "a control packet belongs to no connection";
                return r.error(0, "flags", ErrorKind::Forbidden { value: NETFLAG_CTL, why });
            }
        })
    }

    fn receive_fragment<'a>(
        &'a mut self,
        r: &Reader<'_>,
        sequence: u32,
        end: bool,
        payload: &[u8],
    ) -> Result<Incoming<'a>, DecodeError> {
        if self.acks.len() >= MAX_PENDING_ACKS {
            return Ok(Incoming::Stale { sequence });
        }
        self.acks.push_back(sequence); // FITZ-NET-03
        if !(self.conduct.uses)(sequence, self.receive_sequence) {
            return Ok(Incoming::Stale { sequence });
        }
        self.receive_sequence = sequence.wrapping_add(1);
        if self.assembly_state == Assembly::Delivered {
            self.assembly.clear();
            self.assembly_state = Assembly::Open;
        }
        if self.assembly_state == Assembly::TooLong {
            if end {
                self.assembly_state = Assembly::Open;
            }
            return Ok(Incoming::Nothing);
        }
        let value = self.assembly.len() + payload.len();
        if value > MAX_MESSAGE_BYTES {
            self.assembly.clear();
            self.assembly_state = if end { Assembly::Open } else { Assembly::TooLong };
            let kind = ErrorKind::TooLarge { value, limit: MAX_MESSAGE_BYTES };
            return r.error(HEADER_BYTES, "reliable message", kind);
        }
        self.assembly.extend_from_slice(payload);
        // FITZ-NET-06
        if !end {
            return Ok(Incoming::Nothing);
        }
        self.assembly_state = Assembly::Delivered;
        Ok(Incoming::Reliable { message: &self.assembly })
    }

    fn receive_ack(&mut self, sequence: u32) -> Incoming<'static> {
        if self.sent.is_none() || !(self.conduct.heeds)(sequence, self.send_sequence) {
            return Incoming::Stale { sequence };
        }
        self.sent = None;
        self.send_sequence = self.send_sequence.wrapping_add(1);
        self.acknowledged += self.fragment().1.len();
        if self.lengths.front().is_some_and(|&length| self.acknowledged >= length) {
            self.queue.drain(..self.acknowledged);
            self.lengths.pop_front();
            self.acknowledged = 0;
        }
        Incoming::Nothing
    }

    /// The fragment to send or being sent: whether the message ends with it, and its bytes.
    fn fragment(&self) -> (bool, &[u8]) {
        let length = self.lengths.front().copied().unwrap_or(0);
        let rest = self.queue.get(self.acknowledged..length).unwrap_or_default();
        match rest.get(..self.fragment_bytes) {
            Some(fragment) if fragment.len() < rest.len() => (false, fragment),
            _ => (true, rest),
        }
    }

    /// Queues a whole message after those not yet acknowledged. An empty one is not sent.
    pub fn queue_reliable(&mut self, message: &[u8]) {
        if !message.is_empty() {
            self.queue.extend_from_slice(message);
            self.lengths.push_back(message.len());
        }
    }

    /// Whether every reliable message was acknowledged.
    pub fn reliable_idle(&self) -> bool {
        self.lengths.is_empty()
    }

    /// Bytes of reliable messages not yet acknowledged to their end: for dropping a peer that takes none.
    pub fn queued_bytes(&self) -> usize {
        self.queue.len()
    }

    /// Appends the next pending ack, and returns whether there was one: all that is left to send when a connection ends.
    pub fn poll_ack(&mut self, out: &mut Vec<u8>) -> bool {
        let sequence = self.acks.pop_front();
        if let Some(sequence) = sequence {
            Packet::Ack { sequence }.write(&mut Writer::new(out));
        }
        sequence.is_some()
    }

    /// Appends the next datagram that is due, and returns whether there was one: pending acks first, then the next fragment
    /// or its repetition.
    pub fn poll_transmit(&mut self, now: Time, out: &mut Vec<u8>) -> bool {
        if self.poll_ack(out) {
            return true;
        }
        // FITZ-NET-05: while a fragment waits for its ack, the next one is not sent.
        if self.lengths.is_empty() || self.poll_timeout().is_some_and(|resend| now < resend) {
            return false;
        }
        if self.sent.is_some() {
            self.send_sequence = (self.conduct.resend_as)(self.send_sequence);
        }
        let (end, payload) = self.fragment();
        Packet::Data { sequence: self.send_sequence, end, payload }.write(&mut Writer::new(out));
        self.sent = Some(now);
        true
    }

    /// Whether a message is under way; a new one waits behind it.
    pub fn is_sending(&self) -> bool {
        self.sent.is_some()
    }

    /// Whether every reliable message was sent to its end: what comes back can be an answer to the last one.
    pub fn is_all_sent(&self) -> bool {
        match self.lengths.len() {
            0 => true,
            1 => self.sent.is_some() && self.fragment().0,
            _ => false,
        }
    }

    /// The sequence that the next unreliable datagram will have.
    pub fn next_unreliable(&self) -> u32 {
        self.unreliable_send_sequence
    }

    /// Appends a datagram with an unreliable message, and returns its sequence.
    ///
    /// # Panics
    /// The message is longer than [`MAX_PAYLOAD_BYTES`].
    pub fn write_unreliable(&mut self, payload: &[u8], out: &mut Vec<u8>) -> u32 {
        let sequence = self.unreliable_send_sequence;
        self.unreliable_send_sequence = sequence.wrapping_add(1);
        Packet::Unreliable { sequence, payload }.write(&mut Writer::new(out));
        sequence
    }

    /// The numbers that the next fragment of a reliable message has to have, and the next unreliable datagram at least.
    pub fn awaited(&self) -> (u32, u32) {
        (self.receive_sequence, self.unreliable_receive_sequence)
    }

    /// When the fragment under way is to be sent again; `None` without one.
    pub fn poll_timeout(&self) -> Option<Time> {
        self.sent.map(|sent| sent.after(self.conduct.resend_us))
    }
}

#[cfg(test)]
mod tests;
