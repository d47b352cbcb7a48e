//! What input can make decoders allocate: no more than a fixed multiple of what arrives, and of what zpackets may stand
//! for. A binary of its own, as it counts what the whole process allocates.

use kit::{Direction, Dissection, Dissector, HostId, Reader};
use r1q2::dissector::R1q2Dissector;
use r1q2::machine::game::{ClientRules, Game};
use r1q2::machine::malformed::MALFORMED;
use r1q2::wire::constants::*;
use r1q2::wire::deflate::{self, MAX_INFLATED_BYTES, MAX_INFLATED_PER_DATAGRAM};
use r1q2::wire::dialect::Dialect;
use r1q2::wire::handshake::{ClientPacket, ServerPacket};
use r1q2::wire::message::{Carrier, Listener, Walk};
use testkit::allocation::{PeakAlloc, alone, peak};

#[global_allocator]
static MEMORY: PeakAlloc = PeakAlloc;

/// What the test's own harness may allocate meanwhile, and what is allocated but once (an inflater).
const SLACK: usize = 1 << 17;
/// Most that spans take per byte: four to a byte, in a vector that doubles and is copied as it does.
const SPANS_PER_BYTE: usize = 4 * 3 * size_of::<kit::Span>();
/// Most that marks and their summary take per byte: a mark and a number of eight digits, in vectors that double.
const NOTES_PER_BYTE: usize = 256;

struct Deaf;

impl Listener for Deaf {}

/// Walks a payload as both directions' messages.
fn walk(payload: &[u8], mut dialect: Dialect) {
    for direction in [Direction::ServerToClient, Direction::ClientToServer] {
        let carrier = Carrier { direction, reliable: false, sequence: 1, acknowledged: 0, nesting: 0 };
        let mut deaf = Deaf;
        let mut walk = Walk::new(&mut dialect, carrier, &mut deaf);
        let mut r = Reader::new(payload);
        // Refusing is as good as reading here.
        let _ = match direction {
            Direction::ServerToClient => walk.services(&mut r),
            Direction::ClientToServer => walk.commands(&mut r),
        };
    }
}

/// A zpacket of as many bytes of `plain`, the largest there is.
fn bomb(plain: u8) -> Vec<u8> {
    let mut packed = Vec::new();
    deflate::deflate(&vec![plain; MAX_INFLATED_BYTES], &mut packed);
    let lengths = [packed.len() as u16, MAX_INFLATED_BYTES as u16].map(u16::to_le_bytes).concat();
    [&[SVC_ZPACKET][..], &lengths, &packed].concat()
}

/// Bytes that make many small messages, as whole payloads.
fn inputs() -> Vec<Vec<u8>> {
    let mut inputs: Vec<Vec<u8>> = (0..=255u8).map(|byte| vec![byte; 1400]).collect();
    inputs.extend((0..=255u8).map(|byte| [&[byte][..], &[1, 0].repeat(700)].concat()));
    // A frame of as many entities as fit.
    let entities: Vec<u8> = (1..=255u8).flat_map(|number| [0, number]).collect();
    inputs.push([&[SVC_FRAME, 1, 0, 0, 0xf8, 0, 0, 0, 0][..], &entities, &[0, 0]].concat());
    inputs
}

#[test]
fn a_walk_allocates_nothing_but_what_zpackets_stand_for() {
    let _alone = alone();
    let bombs = bomb(SVC_NOP).repeat(20);
    for dialect in [Dialect::ORIGINAL, Dialect::r1q2(MINOR_SOURCE), Dialect::r1q2(MINOR_SOLID)] {
        for input in inputs() {
            let used = peak(|| walk(&input, dialect));
            assert!(used <= SLACK, "{used} bytes for {} of messages", input.len());
        }
        let used = peak(|| walk(&bombs, dialect));
        assert!(used <= MAX_INFLATED_BYTES + SLACK, "{used} bytes for bombs: one at a time");
    }
}

#[test]
fn a_client_allocates_no_more_for_a_bomb_than_a_length_can_say() {
    let _alone = alone();
    let malformed = MALFORMED.map(|kind| kind.message().repeat(4));
    for payload in malformed.into_iter().chain([bomb(SVC_NOP).repeat(20)]) {
        let mut game = Game::new(Dialect::r1q2(MINOR_SOURCE), None, ClientRules::REFERENCE);
        let used = peak(|| {
            // Refusing is as good as reading here.
            let _ = game.receive(1, 0, false, &payload);
        });
        assert!(used <= MAX_INFLATED_BYTES + SLACK, "{used} bytes for {}", payload.len());
    }
}

#[test]
fn a_dissector_allocates_a_fixed_multiple_of_what_it_shows() {
    let _alone = alone();
    let check = |payload: &[u8], shown: usize| {
        let datagram = [&[1, 0, 0, 0, 0, 0, 0, 0][..], payload].concat();
        let used = peak(|| {
            let mut dissector = R1q2Dissector::new(None);
            let mut out = Dissection { want_spans: true, ..Dissection::default() };
            dissector.datagram(HostId(1), Direction::ServerToClient, &datagram, &mut out);
        });
        let allowed = (SPANS_PER_BYTE + NOTES_PER_BYTE) * shown + SLACK;
        assert!(used <= allowed, "{used} bytes of {allowed} for {} of messages", payload.len());
    };
    for input in inputs() {
        check(&input, input.len() + 8);
    }
    check(&bomb(SVC_NOP).repeat(20), 4096 + MAX_INFLATED_PER_DATAGRAM);
}

#[test]
fn a_handshake_allocates_nothing() {
    let _alone = alone();
    for input in inputs() {
        let text = [&[0xff; 4][..], b"connect ", &input].concat();
        let used = peak(|| {
            let _ = ServerPacket::read(&mut Reader::new(&text));
            let _ = ClientPacket::read(&mut Reader::new(&text));
        });
        assert!(used <= SLACK, "{used}");
    }
}
