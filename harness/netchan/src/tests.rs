//! The connection against recorded datagrams, and two ends of it over a bad link.

use super::*;

const NUMBER: Qport = Qport::Short(0x22f1);
const CLIENT: Side = Side::Client(NUMBER);
const SERVER: Side = Side::Server(NUMBER);
const BOTH: [Direction; 2] = [Direction::ServerToClient, Direction::ClientToServer];

fn bytes(hex: &str) -> Vec<u8> {
    let digit = |byte: u8| char::from(byte).to_digit(16).expect("vectors are hexadecimal") as u8;
    hex.as_bytes().chunks(2).map(|pair| digit(pair[0]) << 4 | digit(pair[1])).collect()
}

/// The header has these bytes, the bytes are read back, and no shorter ones are.
fn check(header: Header, bytes: &[u8]) {
    let (mut out, qport) = (Vec::new(), header.qport);
    header.write(&mut Writer::new(&mut out));
    assert_eq!(out, bytes);
    let (direction, fragments) = (BOTH[usize::from(qport != Qport::Absent)], header.fragment.is_some());
    assert_eq!(Header::read(&mut Reader::new(bytes), direction, qport, fragments), Ok(header));
    for length in 0..bytes.len() {
        let error = Header::read(&mut Reader::new(&bytes[..length]), direction, qport, fragments).unwrap_err();
        assert!(matches!(error.kind, ErrorKind::Truncated { .. }) && !error.field.is_empty());
    }
}

fn plain(sequence: u32, acknowledged: u32) -> Header {
    Header {
        sequence,
        reliable: false,
        acknowledged,
        reliable_acknowledged: false,
        qport: Qport::Absent,
        fragment: None,
    }
}

fn sent(channel: &mut Netchan, unreliable: &[u8]) -> Vec<u8> {
    let mut out = Vec::new();
    channel.transmit(unreliable, &mut out);
    out
}

fn payload(channel: &mut Netchan, datagram: &[u8]) -> Option<Vec<u8>> {
    channel.receive(datagram).unwrap().map(|received| received.payload.to_vec())
}

#[test]
fn headers_are_as_engines_send_them() {
    // fteqw_qw_deltas.txt
    let client = Header { reliable: true, qport: NUMBER, ..plain(0, 0) };
    check(client, &bytes("0000008000000000f122"));
    check(Header { reliable: true, ..plain(1, 1) }, &bytes("0100008001000000"));
    let client = Header { reliable_acknowledged: true, qport: NUMBER, ..plain(2, 1) };
    check(client, &bytes("0200000001000080f122"));
    check(Header { reliable: true, reliable_acknowledged: true, ..plain(3, 3) }, &bytes("0300008003000080"));
    check(plain(7, 7), &bytes("0700000007000000"));
    // r1q2_b5183_p34, r1q2_b5183_p35_frames_in_zpackets: the client's second datagram each.
    let client = |qport| Header { reliable: true, reliable_acknowledged: true, qport, ..plain(2, 1) };
    check(client(Qport::Short(0x1234)), &bytes("02000080010000803412"));
    check(client(Qport::Byte(13)), &bytes("02000080010000800d"));
}

#[test]
fn a_fragment_field_holds_a_quarter_of_the_offset() {
    let with = |offset, more| Header { fragment: Some(Fragment { offset, more }), ..plain(1, 2) };
    check(with(0, false), &[1, 0, 0, 0, 2, 0, 0, 0, 0, 0]);
    check(with(0, true), &[1, 0, 0, 0, 2, 0, 0, 0, 1, 0]);
    check(with(1432, true), &[1, 0, 0, 0, 2, 0, 0, 0, 0x67, 1]);
    check(with(0xfffe << 2, false), &[1, 0, 0, 0, 2, 0, 0, 0, 0xfe, 0xff]);
    let client = Header { qport: Qport::Short(9), ..with(8, false) };
    check(client, &[1, 0, 0, 0, 2, 0, 0, 0, 9, 0, 2, 0]);
}

#[test]
fn a_connectionless_datagram_is_refused() {
    let datagram = bytes("ffffffff6a0a0000000000");
    assert!(is_out_of_band(&datagram) && !is_out_of_band(&datagram[..3]) && !is_out_of_band(&[0; 8]));
    let error = Netchan::new(CLIENT, Settings::quakeworld(1440, false)).receive(&datagram).unwrap_err();
    assert!(error.to_string().starts_with("sequence at byte 0: value 0xffffffff is not allowed here"), "{error}");
}

#[test]
fn a_server_takes_what_a_recorded_client_sent() {
    // fteqw_qw_deltas.txt
    let mut server = Netchan::new(SERVER, Settings::quakeworld(1440, false));
    let first = bytes("0000008000000000f122046e657700");
    let received = server.receive(&first).unwrap().unwrap();
    assert_eq!((received.header.sequence, received.header.qport, received.header.reliable), (0, NUMBER, true));
    assert_eq!(received.payload, b"\x04new\0");
    assert_eq!(server.receive(&first), Ok(None));
    let later = bytes("0600008005000080f12204626567696e2031000505");
    let received = server.receive(&later).unwrap().unwrap();
    assert_eq!((received.header.acknowledged, received.payload), (5, &b"\x04begin 1\0\x05\x05"[..]));
    assert_eq!((server.incoming_sequence(), server.incoming_acknowledged()), (6, 5));
    assert_eq!(payload(&mut server, &bytes("0100000000000000f122")), None);
    for length in 0..10 {
        assert!(server.receive(&later[..length]).is_err());
    }
}

#[test]
fn a_client_answers_as_the_recorded_one_did() {
    // fteqw_qw_deltas.txt, but for the first number: the recording begins with 0, which its server ignores.
    let mut client = Netchan::new(CLIENT, Settings::quakeworld(1440, false));
    client.queue_reliable(b"\x04new\0");
    assert_eq!(sent(&mut client, b""), bytes("0100008000000000f122046e657700"));
    assert_eq!(payload(&mut client, &bytes("010000800000000033027465616d00743000")).unwrap().len(), 10);
    assert_eq!(sent(&mut client, b""), bytes("0200000001000080f122"));
    let lost = client.receive(&[2, 0, 0, 0, 2, 0, 0, 0]).unwrap().map(|received| received.reliable_delivered);
    assert_eq!(lost, Some(false));
    assert_eq!(sent(&mut client, b""), bytes("0300008002000080f122046e657700"));
    let arrived = client.receive(&[3, 0, 0, 0x80, 3, 0, 0, 0x80]).unwrap().map(|received| received.reliable_delivered);
    assert_eq!(arrived, Some(true));
    assert!(client.reliable_idle());
    assert_eq!(sent(&mut client, b""), bytes("0400000003000000f122"));
}

#[test]
fn a_block_is_sent_again_only_when_a_later_datagram_came_without_it() {
    let mut server = Netchan::new(SERVER, Settings::quakeworld(1440, false));
    server.queue_reliable(b"r");
    assert_eq!(sent(&mut server, b"u"), b"\x01\0\0\x80\0\0\0\0ru");
    // Nothing is known yet; then only the carrier is acknowledged, with the old echo.
    assert_eq!(sent(&mut server, b"u"), b"\x02\0\0\0\0\0\0\0u");
    assert!(server.receive(&[1, 0, 0, 0, 1, 0, 0, 0, 0, 0]).is_ok());
    assert_eq!(sent(&mut server, b"u"), b"\x03\0\0\0\x01\0\0\0u");
    assert!(server.receive(&[2, 0, 0, 0, 2, 0, 0, 0, 0, 0]).is_ok());
    assert_eq!(sent(&mut server, b"u"), b"\x04\0\0\x80\x02\0\0\0ru");
    assert!(server.receive(&[3, 0, 0, 0, 4, 0, 0, 0x80, 0, 0]).is_ok());
    assert!(server.reliable_idle());
}

/// A block is lost in datagram 1; how many datagrams must follow and be acknowledged before it is sent again?
#[track_caller]
fn check_resend(resend: Resend, expected: u32) {
    let settings = Settings::quake2(1400, resend);
    let [mut server, mut client] =
        [Side::Server, Side::Client].map(|side| Netchan::new(side(Qport::Byte(1)), settings));
    server.queue_reliable(b"lost");
    sent(&mut server, b"");
    for acknowledged in 1.. {
        let datagram = sent(&mut server, b"");
        if datagram.len() > HEADER_BYTES {
            assert_eq!((&datagram[HEADER_BYTES..], acknowledged), (&b"lost"[..], expected + 1));
            break;
        }
        payload(&mut client, &datagram);
        payload(&mut server, &sent(&mut client, b""));
    }
}

#[test]
fn a_lost_block_is_sent_again_by_either_rule() {
    check_resend(Resend::AfterCarrier, 1);
    check_resend(Resend::OneLater, 2);
}

#[test]
fn quake_2_counts_from_1_and_what_was_lost() {
    let mut client = Netchan::new(Side::Client(Qport::Absent), Settings::quake2(1400, Resend::OneLater));
    let mut dropped = |number| client.receive(&[number, 0, 0, 0, 0, 0, 0, 0]).unwrap().map(|received| received.dropped);
    assert_eq!([0, 1, 3, 2, 3, 4].map(&mut dropped), [None, Some(0), Some(1), None, None, Some(0)]);
}

#[test]
fn quake_2_packs_whole_messages_as_far_as_a_datagram_has_room() {
    let mut server = Netchan::new(Side::Server(Qport::Byte(9)), Settings::quake2(108, Resend::OneLater));
    for message in [[1; 60].as_slice(), &[2; 30], &[3; 30]] {
        server.queue_reliable(message);
    }
    assert_eq!((server.payload_bytes(), server.room()), (100, 10));
    assert_eq!(sent(&mut server, &[9; 11]).len(), HEADER_BYTES + 90);
    assert_eq!((server.queued_bytes(), server.room()), (120, 100));
}

#[test]
fn numbers_of_the_server_follow_the_client_and_never_fall() {
    let mut server = Netchan::new(SERVER, Settings::quakeworld(1440, false));
    server.set_next_sequence(7);
    server.set_next_sequence(3);
    assert_eq!((server.next_sequence(), server.transmit(b"", &mut Vec::new())), (7, 7));
    assert_eq!(server.next_sequence(), 8);
}

#[test]
fn whole_messages_share_a_block_up_to_its_limit() {
    let mut server = Netchan::new(SERVER, Settings::quakeworld(1440, false));
    for message in [vec![1; 700], vec![2; 500], vec![3; 1300], vec![4; 1]] {
        server.queue_reliable(&message);
    }
    server.queue_reliable(b"");
    assert_eq!((server.room(), server.queued_bytes()), (1440 - 8 - 1200, 2501));
    assert_eq!(sent(&mut server, b"").len(), 8 + 1200);
    assert_eq!(server.room(), 1440 - 8);
    assert!(server.receive(&[1, 0, 0, 0, 1, 0, 0, 0x80, 0, 0]).is_ok());
    assert_eq!(server.room(), 1440 - 8 - 1300);
    assert_eq!(sent(&mut server, b"").len(), 8 + 1300);
    assert!(server.receive(&[2, 0, 0, 0, 2, 0, 0, 0, 0, 0]).is_ok());
    assert_eq!(sent(&mut server, b"")[8..], [4]);
}

#[test]
fn without_fragments_an_unreliable_part_that_does_not_fit_stays_away() {
    let mut server = Netchan::new(SERVER, Settings::quakeworld(100, false));
    server.queue_reliable(&[7; 60]);
    assert_eq!(server.room(), 32);
    assert_eq!(sent(&mut server, &[1; 33]).len(), 68);
    assert_eq!((server.next_sequence(), server.room()), (2, 92));
    assert_eq!(sent(&mut server, &[1; 92]).len(), 100);
}

/// The datagrams that carry `unreliable`.
fn fragments_of(channel: &mut Netchan, unreliable: &[u8]) -> Vec<Vec<u8>> {
    let mut all = vec![sent(channel, unreliable)];
    loop {
        let mut out = Vec::new();
        if !channel.poll_fragment(&mut out) {
            return all;
        }
        all.push(out);
    }
}

/// The datagrams that a payload of `length` bytes becomes.
fn fragments(channel: &mut Netchan, length: usize) -> Vec<Vec<u8>> {
    let unreliable: Vec<u8> = (0..length).map(|at| at as u8).collect();
    fragments_of(channel, &unreliable)
}

#[test]
fn long_datagrams_are_cut_and_put_together() {
    let (mut server, mut client) =
        (Netchan::new(SERVER, Settings::quakeworld(100, true)), Netchan::new(CLIENT, Settings::quakeworld(100, true)));
    let whole = fragments(&mut server, 90);
    assert_eq!((whole.len(), whole[0].len()), (1, 100));
    assert_eq!(payload(&mut client, &whole[0]).unwrap().len(), 90);
    for length in [91, 176, 177, 5000] {
        let parts = fragments(&mut server, length);
        assert_eq!(parts.len(), length.div_ceil(88));
        assert!(parts.iter().all(|part| part.len() <= 100 && part[..8] == parts[0][..8]));
        let (last, others) = parts.split_last().unwrap();
        for part in others {
            assert_eq!(payload(&mut client, part), None);
            assert_eq!(payload(&mut client, part), None, "a repetition does no harm");
        }
        let expected: Vec<u8> = (0..length).map(|at| at as u8).collect();
        assert_eq!(payload(&mut client, last), Some(expected));
        assert_eq!(payload(&mut client, last), None);
    }
}

#[test]
fn reliable_data_goes_in_fragments_too() {
    let (mut server, mut client) =
        (Netchan::new(SERVER, Settings::quakeworld(100, true)), Netchan::new(CLIENT, Settings::quakeworld(100, true)));
    server.queue_reliable(&[7; 150]);
    assert_eq!(server.room(), 0);
    let parts = fragments(&mut server, 10);
    assert_eq!(parts.len(), 2);
    assert_eq!(payload(&mut client, &parts[0]), None);
    assert_eq!(payload(&mut client, &parts[1]).map(|payload| payload.len()), Some(160));
    let received = server.receive(&sent(&mut client, b"")).unwrap().map(|received| received.reliable_delivered);
    assert_eq!(received, Some(true));
}

#[test]
fn a_gap_between_fragments_loses_the_datagram() {
    let (mut server, mut client) =
        (Netchan::new(SERVER, Settings::quakeworld(100, true)), Netchan::new(CLIENT, Settings::quakeworld(100, true)));
    let parts = fragments(&mut server, 300);
    assert_eq!(parts.len(), 4);
    for part in [0, 2, 1, 3] {
        assert_eq!(payload(&mut client, &parts[part]), None);
    }
    assert_eq!(client.incoming_sequence(), 0, "a datagram that is not complete was not received");
    for part in &parts[..3] {
        assert_eq!(payload(&mut client, part), None);
    }
    assert_eq!(payload(&mut client, &parts[3]).map(|payload| payload.len()), Some(300));
}

#[test]
fn a_newer_datagram_ends_an_incomplete_one() {
    let (mut server, mut client) =
        (Netchan::new(SERVER, Settings::quakeworld(100, true)), Netchan::new(CLIENT, Settings::quakeworld(100, true)));
    let (old, new) = (fragments(&mut server, 100), fragments(&mut server, 120));
    assert_eq!(payload(&mut client, &old[0]), None);
    assert_eq!(payload(&mut client, &new[0]), None);
    assert_eq!(payload(&mut client, &old[1]), None);
    assert_eq!(payload(&mut client, &new[1]).map(|payload| payload.len()), Some(120));
    let (old, whole) = (fragments(&mut server, 100), fragments(&mut server, 5));
    assert_eq!(payload(&mut client, &old[0]), None);
    assert_eq!(payload(&mut client, &whole[0]).map(|payload| payload.len()), Some(5));
    assert_eq!(payload(&mut client, &old[1]), None);
}

#[test]
fn fragments_above_the_limit_are_refused() {
    let mut client = Netchan::new(CLIENT, Settings::quakeworld(1440, true));
    let mut result = Ok(None);
    for offset in (0..=MAX_ASSEMBLED_BYTES).step_by(1024) {
        let mut out = Vec::new();
        Header { fragment: Some(Fragment { offset, more: true }), ..plain(1, 0) }.write(&mut Writer::new(&mut out));
        out.resize(out.len() + 1024, 7);
        result = client.receive(&out).map(|received| received.map(|received| received.header.sequence));
    }
    let error = result.unwrap_err();
    assert_eq!(error.to_string(), "fragment at byte 8: 66560 is above the limit of 65536");
}

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

/// Both ends talk at every step over a link that loses a third, doubles a third, and holds some back.
fn talk(seed: u64, settings: Settings, qport: Qport) {
    let mut dice = Dice(0x9e37_79b9_7f4a_7c15u64.wrapping_mul(seed));
    let mut ends = [Side::Server, Side::Client].map(|side| Netchan::new(side(qport), settings));
    let (mut flying, mut received): ([Vec<Vec<u8>>; 2], [Vec<u8>; 2]) = Default::default();
    let mut queued: [Vec<u8>; 2] = Default::default();
    for number in 0..30u8 {
        for from in 0..2 {
            let message = vec![number.wrapping_mul(3) | 1; 1 + usize::from(number)];
            ends[from].queue_reliable(&message);
            queued[from].extend(message);
        }
    }
    for _ in 0..20_000 {
        for from in 0..2 {
            // Unreliable bytes are 0, reliable ones odd: so the test can distinguish them.
            let unreliable = vec![0; dice.roll(40) as usize];
            for datagram in fragments_of(&mut ends[from], &unreliable) {
                (0..dice.roll(3)).for_each(|_| flying[from].push(datagram.clone()));
            }
            while flying[from].len() > 4 {
                let index = dice.roll(3) as usize;
                let datagram = flying[from].remove(index);
                if let Some(taken) = ends[1 - from].receive(&datagram).unwrap() {
                    let reliable = taken.payload.iter().take_while(|&&byte| byte != 0).count();
                    assert_eq!(reliable > 0, taken.header.reliable);
                    received[1 - from].extend(&taken.payload[..reliable]);
                }
            }
        }
        if ends.iter().all(Netchan::reliable_idle) {
            break;
        }
    }
    for from in 0..2 {
        assert_eq!(received[1 - from], queued[from], "seed {seed}");
    }
}

#[test]
fn reliable_data_arrives_once_and_in_order_over_a_bad_link() {
    for seed in 1..=10 {
        for (size, fragments) in [(80, false), (1440, false), (64, true)] {
            talk(seed, Settings::quakeworld(size, fragments), NUMBER);
        }
        talk(seed, Settings::quake2(80, Resend::AfterCarrier), Qport::Absent);
        talk(seed, Settings::quake2(1400, Resend::OneLater), Qport::Byte(9));
    }
}

#[test]
fn no_bytes_make_a_connection_panic() {
    let mut dice = Dice(0x1234_5678_9abc_def1);
    let mut ends = [
        Netchan::new(SERVER, Settings::quakeworld(1440, true)),
        Netchan::new(CLIENT, Settings::quakeworld(1440, false)),
    ];
    let mut taken = 0;
    for _ in 0..20_000 {
        let length = dice.roll(40) as usize;
        let mut datagram: Vec<u8> = (0..length).map(|_| dice.roll(256) as u8).collect();
        // Low numbers, or the first datagram would end the test.
        datagram.iter_mut().skip(2).take(2).for_each(|byte| *byte = 0);
        taken += usize::from(ends[dice.roll(2) as usize].receive(&datagram).is_ok_and(|received| received.is_some()));
    }
    assert!(taken > 0);
}
