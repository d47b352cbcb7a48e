//! A channel, datagram by datagram, and two of them over a bad link.

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
    let message = "flags at byte 0: value 0x80000000 is not allowed here: a control packet belongs to no connection";
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
    for _ in 0..MAX_PENDING_ACKS + 10 {
        assert!(channel.receive(Time::ZERO, &[0, 1, 0, 9, 0, 0, 0, 0, b'a']).is_ok());
    }
    assert_eq!(std::iter::from_fn(|| sent(&mut channel, Time::ZERO)).count(), MAX_PENDING_ACKS);
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

#[test]
fn all_is_sent_once_the_last_fragment_was_sent_first() {
    let mut channel = Channel::new(2);
    assert!(channel.is_all_sent());
    channel.queue_reliable(b"abc");
    assert!(!channel.is_all_sent());
    assert!(sent(&mut channel, Time::ZERO).is_some());
    assert!(!channel.is_all_sent(), "the second fragment waits for the first one's ack");
    assert_eq!(channel.receive(Time::ZERO, ACK_0).ok(), Some(Incoming::Nothing));
    assert!(!channel.is_all_sent());
    assert!(sent(&mut channel, Time::ZERO).is_some());
    assert!(channel.is_all_sent());
    channel.queue_reliable(b"d");
    assert!(!channel.is_all_sent());
}
