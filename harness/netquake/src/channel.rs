//! A connection's two streams: reliable messages, stop and wait; unreliable messages, newest only.
//!
//! The streams are counted apart and not ordered against each other. Nothing here knows what a message says.

use crate::constants::*;
use crate::datagram::Packet;
use kit::{DecodeError, ErrorKind, Reader, Time, Writer};
use std::collections::VecDeque;

/// How an end of a connection goes about it, as plain values; [`Conduct::REFERENCE`] is the protocol's.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Conduct {
    /// Time without an ack after which a fragment is sent again, in microseconds. Engines take a second; any is legal.
    pub resend_us: u64,
    /// The number of a fragment that is sent again.
    pub resend_as: ResendAs,
    /// How many fragments of a message may be under way, 1 or 2.
    pub under_way: usize,
    /// Which fragments are acknowledged.
    pub acknowledges: Acknowledges,
    /// Which acks count.
    pub heeds: Heeds,
    /// What of a reliable message is delivered.
    pub delivers: Delivers,
    /// Which fragments are used.
    pub uses: Uses,
    /// Which unreliable messages are delivered.
    pub unreliable: Uses,
}

/// The number of a fragment that is sent again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ResendAs {
    /// The one that it had.
    Same,
    /// The next one.
    Next,
}

/// Which fragments are acknowledged.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Acknowledges {
    /// Every one, with its own number.
    Every,
    /// Those that are expected.
    Expected,
    /// Every one, with the number that is expected next.
    WithNext,
}

/// Which acks count.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Heeds {
    /// Those of the fragment under way.
    Own,
    /// Every one.
    Every,
}

/// What of a reliable message is delivered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Delivers {
    /// All of it, when it is complete.
    Whole,
    /// Each fragment.
    Fragments,
}

/// Which of what comes in is used.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Uses {
    /// The fragment that is expected; the unreliable message that is newer than all before.
    Due,
    /// Every one.
    Every,
}

impl Conduct {
    /// As the protocol has it.
    pub const REFERENCE: Conduct = Conduct {
        resend_us: RESEND_US,
        resend_as: ResendAs::Same,
        under_way: 1,
        acknowledges: Acknowledges::Every,
        heeds: Heeds::Own,
        delivers: Delivers::Whole,
        uses: Uses::Due,
        unreliable: Uses::Due,
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
    /// Whether the fragment behind it was sent, too.
    ahead: bool,
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

    /// A fresh connection that goes about it as `conduct` says.
    pub fn with(fragment_bytes: usize, conduct: Conduct) -> Channel {
        Channel {
            conduct,
            fragment_bytes: fragment_bytes.clamp(1, MAX_PAYLOAD_BYTES),
            queue: Vec::new(),
            lengths: VecDeque::new(),
            acknowledged: 0,
            send_sequence: 0,
            sent: None,
            ahead: false,
            receive_sequence: 0,
            assembly: Vec::new(),
            assembly_state: Assembly::Open,
            acks: VecDeque::new(),
            unreliable_send_sequence: 0,
            unreliable_receive_sequence: 0,
        }
    }

    /// Starts all counters anew, as a second accept in the same session demands. Queued messages stay and are sent
    /// from their beginning; a half received one is lost.
    pub fn restart(&mut self) {
        self.acknowledged = 0;
        self.send_sequence = 0;
        self.sent = None;
        self.ahead = false;
        self.receive_sequence = 0;
        self.assembly.clear();
        self.assembly_state = Assembly::Open;
        self.acks.clear();
        self.unreliable_send_sequence = 0;
        self.unreliable_receive_sequence = 0;
    }

    /// Takes a datagram. Every fragment is owed an ack, also a stale one: the ack before may be what was lost.
    ///
    /// # Errors
    /// The header is wrong, the datagram is a control packet, or the message grows beyond [`MAX_MESSAGE_BYTES`] (it is
    /// then skipped to its end).
    pub fn receive<'a>(&'a mut self, _now: Time, datagram: &'a [u8]) -> Result<Incoming<'a>, DecodeError> {
        let mut r = Reader::new(datagram);
        Ok(match Packet::read(&mut r)? {
            Packet::Data { sequence, end, payload } => return self.receive_fragment(&r, sequence, end, payload),
            Packet::Ack { sequence } => self.receive_ack(sequence),
            Packet::Unreliable { sequence, .. }
                if sequence < self.unreliable_receive_sequence && self.conduct.unreliable == Uses::Due =>
            {
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
        let expected = sequence == self.receive_sequence;
        if self.acks.len() >= MAX_OWED_ACKS {
            return Ok(Incoming::Stale { sequence });
        }
        match self.conduct.acknowledges {
            Acknowledges::Every => self.acks.push_back(sequence),
            Acknowledges::Expected if expected => self.acks.push_back(sequence),
            Acknowledges::Expected => {}
            Acknowledges::WithNext => self.acks.push_back(self.receive_sequence.wrapping_add(expected.into())),
        }
        if !expected && self.conduct.uses == Uses::Due {
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
        if !end && self.conduct.delivers == Delivers::Whole {
            return Ok(Incoming::Nothing);
        }
        self.assembly_state = Assembly::Delivered;
        Ok(Incoming::Reliable { message: &self.assembly })
    }

    fn receive_ack(&mut self, sequence: u32) -> Incoming<'static> {
        if self.sent.is_none() || sequence != self.send_sequence && self.conduct.heeds == Heeds::Own {
            return Incoming::Stale { sequence };
        }
        // What was sent ahead is now what is waited for.
        self.sent = self.sent.filter(|_| std::mem::take(&mut self.ahead));
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
        self.fragment_from(self.acknowledged)
    }

    /// The fragment that begins at `from` of the outstanding message.
    fn fragment_from(&self, from: usize) -> (bool, &[u8]) {
        let length = self.lengths.front().copied().unwrap_or(0);
        let rest = self.queue.get(from..length).unwrap_or_default();
        match rest.get(..self.fragment_bytes) {
            Some(fragment) if fragment.len() < rest.len() => (false, fragment),
            _ => (true, rest),
        }
    }

    /// Queues a whole message behind those not yet acknowledged. An empty one is not sent.
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

    /// Appends the next ack that is owed, and says whether there was one: all that is left to send when a connection ends.
    pub fn poll_ack(&mut self, out: &mut Vec<u8>) -> bool {
        let sequence = self.acks.pop_front();
        if let Some(sequence) = sequence {
            Packet::Ack { sequence }.write(&mut Writer::new(out));
        }
        sequence.is_some()
    }

    /// Appends the next datagram that is due, and says whether there was one: owed acks first, then the next fragment
    /// or its repetition.
    pub fn poll_transmit(&mut self, now: Time, out: &mut Vec<u8>) -> bool {
        if self.poll_ack(out) {
            return true;
        }
        let due = self.sent.is_none_or(|sent| now >= sent.after(self.conduct.resend_us));
        if self.lengths.is_empty() {
            return false;
        }
        if !due {
            return self.send_ahead(out);
        }
        if self.sent.is_some() && self.conduct.resend_as == ResendAs::Next {
            self.send_sequence = self.send_sequence.wrapping_add(1);
        }
        let (end, payload) = self.fragment();
        Packet::Data { sequence: self.send_sequence, end, payload }.write(&mut Writer::new(out));
        self.sent = Some(now);
        true
    }

    /// Appends the fragment behind the one under way, where that is not waited for.
    fn send_ahead(&mut self, out: &mut Vec<u8>) -> bool {
        let (end, first) = self.fragment();
        if self.conduct.under_way < 2 || self.ahead || end {
            return false;
        }
        let (end, payload) = self.fragment_from(self.acknowledged + first.len());
        Packet::Data { sequence: self.send_sequence.wrapping_add(1), end, payload }.write(&mut Writer::new(out));
        self.ahead = true;
        true
    }

    /// Whether a message is under way; a new one waits behind it.
    pub fn is_sending(&self) -> bool {
        self.sent.is_some()
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

    /// When the fragment under way is to be sent again; `None` without one.
    pub fn poll_timeout(&self) -> Option<Time> {
        self.sent.map(|sent| sent.after(self.conduct.resend_us))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A small generator for test traffic (xorshift).
    struct Dice(u64);

    impl Dice {
        fn roll(&mut self, sides: u64) -> u64 {
            self.0 ^= self.0 << 13;
            self.0 ^= self.0 >> 7;
            self.0 ^= self.0 << 17;
            self.0 % sides
        }
    }

    fn sent(channel: &mut Channel, now: Time) -> Option<Vec<u8>> {
        let mut out = Vec::new();
        channel.poll_transmit(now, &mut out).then_some(out)
    }

    /// The channel takes the datagram as `expected` and answers with `replies`.
    fn check(channel: &mut Channel, datagram: &[u8], expected: Result<Incoming<'_>, &str>, replies: &[&[u8]]) {
        match (channel.receive(Time::ZERO, datagram), expected) {
            (Err(error), Err(message)) => assert_eq!(error.to_string(), message),
            (incoming, expected) => assert_eq!(incoming.ok(), expected.ok()),
        }
        let answers: Vec<_> = std::iter::from_fn(|| sent(channel, Time::ZERO)).collect();
        assert_eq!(answers, replies);
    }

    const ACK_0: &[u8] = &[0, 2, 0, 8, 0, 0, 0, 0];
    const ACK_1: &[u8] = &[0, 2, 0, 8, 0, 0, 0, 1];
    const ACK_9: &[u8] = &[0, 2, 0, 8, 0, 0, 0, 9];

    #[test]
    fn every_fragment_is_acknowledged_but_only_the_expected_one_used() {
        let mut channel = Channel::new(1024);
        let first = [0, 1, 0, 9, 0, 0, 0, 0, b'a'];
        let last = [0, 9, 0, 9, 0, 0, 0, 1, b'b'];
        let early = [0, 9, 0, 9, 0, 0, 0, 9, b'c'];
        check(&mut channel, &first, Ok(Incoming::Nothing), &[ACK_0]);
        check(&mut channel, &first, Ok(Incoming::Stale { sequence: 0 }), &[ACK_0]);
        check(&mut channel, &early, Ok(Incoming::Stale { sequence: 9 }), &[ACK_9]);
        check(&mut channel, &last, Ok(Incoming::Reliable { message: b"ab" }), &[ACK_1]);
        check(&mut channel, &last, Ok(Incoming::Stale { sequence: 1 }), &[ACK_1]);
    }

    #[test]
    fn unreliable_messages_only_move_forward() {
        let mut channel = Channel::new(1024);
        let with = |sequence| [0, 16, 0, 9, 0, 0, 0, sequence, 1];
        let fresh = |sequence| Ok(Incoming::Unreliable { sequence, payload: &[1] });
        check(&mut channel, &with(0), fresh(0), &[]);
        check(&mut channel, &with(3), fresh(3), &[]);
        check(&mut channel, &with(3), Ok(Incoming::Stale { sequence: 3 }), &[]);
        check(&mut channel, &with(2), Ok(Incoming::Stale { sequence: 2 }), &[]);
        check(&mut channel, &with(4), fresh(4), &[]);
    }

    #[test]
    fn unreliable_datagrams_are_numbered_from_zero() {
        let (mut channel, mut out) = (Channel::new(1024), Vec::new());
        assert_eq!(channel.next_unreliable(), 0);
        assert_eq!(channel.write_unreliable(&[1], &mut out), 0);
        assert_eq!(out, [0, 16, 0, 9, 0, 0, 0, 0, 1]);
        assert_eq!(channel.next_unreliable(), 1);
    }

    #[test]
    fn a_control_packet_is_refused() {
        let message =
            "flags at byte 0: value 0x80000000 is not allowed here: a control packet belongs to no connection";
        check(&mut Channel::new(1024), &[0x80, 0, 0, 6, 3, 0], Err(message), &[]);
    }

    #[test]
    fn a_fragment_is_repeated_until_its_own_ack_comes() {
        let mut channel = Channel::new(2);
        channel.queue_reliable(b"abc");
        channel.queue_reliable(b"");
        channel.queue_reliable(b"d");
        let first = Some(vec![0, 1, 0, 10, 0, 0, 0, 0, b'a', b'b']);
        let due = Time::ZERO.after(RESEND_US);
        assert_eq!(sent(&mut channel, Time::ZERO), first);
        assert_eq!(channel.poll_timeout(), Some(due));
        assert_eq!(sent(&mut channel, Time(RESEND_US - 1)), None);
        assert_eq!(sent(&mut channel, due), first);
        check(&mut channel, ACK_9, Ok(Incoming::Stale { sequence: 9 }), &[]);
        check(&mut channel, ACK_1, Ok(Incoming::Stale { sequence: 1 }), &[]);
        check(&mut channel, ACK_0, Ok(Incoming::Nothing), &[&[0, 9, 0, 9, 0, 0, 0, 1, b'c']]);
        check(&mut channel, ACK_0, Ok(Incoming::Stale { sequence: 0 }), &[]);
        check(&mut channel, ACK_1, Ok(Incoming::Nothing), &[&[0, 9, 0, 9, 0, 0, 0, 2, b'd']]);
        check(&mut channel, &[0, 2, 0, 8, 0, 0, 0, 2], Ok(Incoming::Nothing), &[]);
        assert!(channel.reliable_idle());
        assert_eq!((channel.queued_bytes(), channel.poll_timeout()), (0, None));
    }

    #[test]
    fn a_connection_repeats_after_the_time_that_it_was_given() {
        let mut channel = Channel::with(1024, Conduct::resending_after(1_000_000));
        channel.queue_reliable(b"a");
        assert!(sent(&mut channel, Time::ZERO).is_some());
        assert_eq!(channel.poll_timeout(), Some(Time(1_000_000)));
        assert_eq!(sent(&mut channel, Time(999_999)), None);
        assert!(sent(&mut channel, Time(1_000_000)).is_some());
    }

    /// A channel that was given `conduct` and two messages, the first of two fragments, has sent the first of these.
    fn conducting(conduct: Conduct) -> Channel {
        let mut channel = Channel::with(1, conduct);
        channel.queue_reliable(b"ab");
        channel.queue_reliable(b"c");
        assert_eq!(sent(&mut channel, Time::ZERO), Some(vec![0, 1, 0, 9, 0, 0, 0, 0, b'a']));
        channel
    }

    #[test]
    fn every_other_conduct_differs_where_it_says() {
        let other = Conduct::REFERENCE;
        let mut channel = conducting(Conduct { resend_as: ResendAs::Next, ..other });
        assert_eq!(sent(&mut channel, Time(RESEND_US)), Some(vec![0, 1, 0, 9, 0, 0, 0, 1, b'a']));
        let mut channel = conducting(Conduct { under_way: 2, ..other });
        assert_eq!(sent(&mut channel, Time::ZERO), Some(vec![0, 9, 0, 9, 0, 0, 0, 1, b'b']));
        assert_eq!(sent(&mut channel, Time::ZERO), None);
        check(&mut channel, ACK_0, Ok(Incoming::Nothing), &[]);
        check(&mut channel, ACK_1, Ok(Incoming::Nothing), &[&[0, 9, 0, 9, 0, 0, 0, 2, b'c']]);
        let mut channel = conducting(Conduct { heeds: Heeds::Every, ..other });
        check(&mut channel, ACK_9, Ok(Incoming::Nothing), &[&[0, 9, 0, 9, 0, 0, 0, 1, b'b']]);
        let early = [0, 9, 0, 9, 0, 0, 0, 9, b'c'];
        let mut channel = Channel::with(1, Conduct { acknowledges: Acknowledges::Expected, ..other });
        check(&mut channel, &early, Ok(Incoming::Stale { sequence: 9 }), &[]);
        let mut channel = Channel::with(1, Conduct { acknowledges: Acknowledges::WithNext, ..other });
        check(&mut channel, &[0, 1, 0, 9, 0, 0, 0, 0, b'a'], Ok(Incoming::Nothing), &[ACK_1]);
        let mut channel = Channel::with(1, Conduct { uses: Uses::Every, ..other });
        check(&mut channel, &early, Ok(Incoming::Reliable { message: b"c" }), &[ACK_9]);
        let mut channel = Channel::with(1, Conduct { delivers: Delivers::Fragments, ..other });
        check(&mut channel, &[0, 1, 0, 9, 0, 0, 0, 0, b'a'], Ok(Incoming::Reliable { message: b"a" }), &[ACK_0]);
        let mut channel = Channel::with(1, Conduct { unreliable: Uses::Every, ..other });
        for sequence in [3, 3, 2] {
            let datagram = [0, 16, 0, 9, 0, 0, 0, sequence, 1];
            check(&mut channel, &datagram, Ok(Incoming::Unreliable { sequence: sequence.into(), payload: &[1] }), &[]);
        }
    }

    #[test]
    fn a_restart_sends_what_is_queued_under_fresh_numbers() {
        let mut channel = Channel::new(2);
        channel.queue_reliable(b"abc");
        assert!(sent(&mut channel, Time::ZERO).is_some());
        check(&mut channel, ACK_0, Ok(Incoming::Nothing), &[&[0, 9, 0, 9, 0, 0, 0, 1, b'c']]);
        channel.restart();
        assert_eq!(sent(&mut channel, Time::ZERO), Some(vec![0, 1, 0, 10, 0, 0, 0, 0, b'a', b'b']));
    }

    #[test]
    fn a_message_above_the_limit_is_skipped_to_its_end() {
        let mut channel = Channel::new(1024);
        let fragment = |sequence, end| {
            let mut out = Vec::new();
            let payload = &[7; 50_000];
            Packet::Data { sequence, end, payload }.write(&mut Writer::new(&mut out));
            out
        };
        let too_large = "reliable message at byte 8: 100000 is above the limit of 65536";
        check(&mut channel, &fragment(0, false), Ok(Incoming::Nothing), &[ACK_0]);
        check(&mut channel, &fragment(1, false), Err(too_large), &[ACK_1]);
        assert_eq!(channel.receive(Time::ZERO, &fragment(2, true)), Ok(Incoming::Nothing));
        let next = fragment(3, true);
        assert_eq!(channel.receive(Time::ZERO, &next), Ok(Incoming::Reliable { message: &[7; 50_000] }));
    }

    #[test]
    fn acks_owed_are_bounded() {
        let mut channel = Channel::new(1024);
        for _ in 0..MAX_OWED_ACKS + 10 {
            assert!(channel.receive(Time::ZERO, &[0, 1, 0, 9, 0, 0, 0, 0, b'a']).is_ok());
        }
        assert_eq!(std::iter::from_fn(|| sent(&mut channel, Time::ZERO)).count(), MAX_OWED_ACKS);
    }

    /// Sends datagrams over a link that loses a third and doubles a third, in arbitrary order.
    #[test]
    fn reliable_messages_arrive_once_whole_and_in_order_over_a_bad_link() {
        for seed in 1..=20 {
            let mut dice = Dice(0x9e37_79b9_7f4a_7c15u64.wrapping_mul(seed));
            let mut ends = [Channel::new(7), Channel::new(16)];
            let mut flying: [Vec<Vec<u8>>; 2] = Default::default();
            let mut received: [Vec<Vec<u8>>; 2] = Default::default();
            let message = |from: usize, number: usize| vec![(from * 100 + number) as u8; 1 + number * 5];
            for number in 0..20 {
                ends[0].queue_reliable(&message(0, number));
                ends[1].queue_reliable(&message(1, number));
            }
            let mut now = Time::ZERO;
            for _ in 0..50_000 {
                now = now.after(dice.roll(RESEND_US));
                for (from, end) in ends.iter_mut().enumerate() {
                    while let Some(datagram) = sent(end, now) {
                        (0..dice.roll(3)).for_each(|_| flying[from].push(datagram.clone()));
                    }
                }
                for to in 0..2 {
                    if flying[1 - to].is_empty() {
                        continue;
                    }
                    let index = dice.roll(flying[1 - to].len() as u64) as usize;
                    let datagram = flying[1 - to].swap_remove(index);
                    if let Incoming::Reliable { message } = ends[to].receive(now, &datagram).unwrap() {
                        received[to].push(message.to_vec());
                    }
                }
                if ends.iter().all(Channel::reliable_idle) {
                    break;
                }
            }
            for (to, messages) in received.iter().enumerate() {
                let sent: Vec<_> = (0..20).map(|number| message(1 - to, number)).collect();
                assert_eq!(messages, &sent, "seed {seed}");
            }
        }
    }

    #[test]
    fn no_datagram_cut_short_is_taken() {
        for length in 0..9 {
            let datagram = [0, 9, 0, 9, 0, 0, 0, 0, b'a'];
            assert!(Channel::new(1024).receive(Time::ZERO, &datagram[..length]).is_err());
        }
    }
}
