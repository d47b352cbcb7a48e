//! What input can make decoders and machines allocate: no more than a fixed multiple of what arrives, and what the
//! queues' limits name. A binary of its own, as it counts what the whole process allocates.

use kit::{Command, Direction, Event, PeerId, Setup};
use pygg2::PROTOCOL;
use pygg2::constants::INSIDE;
use pygg2::constants::{MAX_EVENTS, MAX_PACKET_BYTES};
use pygg2::message::{ClientHeader, ServerEvent, ServerHeader, ServerRecord, read_client_records, read_server_records};
use pygg2::snapshot::{Declared, Snapshot};
use pygg2::state::*;
use pygg2::verbs::*;
use testkit::DIRECTIONS;
use testkit::allocation::{self, Limits, PeakAlloc, alone, peak};
use testkit::session::Exchange;

#[global_allocator]
static MEMORY: PeakAlloc = PeakAlloc;

/// Two bytes are a run of 255 zeros, in vectors that double.
const DECODED_PER_BYTE: usize = 4 * 128;
const LIMITS: Limits = Limits {
    decoded_per_byte: DECODED_PER_BYTE,
    // A remark, and what is decoded meanwhile.
    kept_per_byte: DECODED_PER_BYTE + 2 * size_of::<Event>(),
    slack: 1 << 17,
};

fn setup() -> Setup {
    testkit::setup(&PROTOCOL, 0, &[])
}

/// A server and a client that is in.
fn game() -> Exchange {
    let mut game = Exchange::new(&PROTOCOL, &setup());
    for entity in 2..6 {
        game.server.handle_command(game.now, &Command::Spawn { entity });
        game.server.handle_command(game.now, &Command::Set { entity, field: ALIVE, value: 1 });
    }
    for round in 0..40 {
        let Exchange { server, client, now, .. } = &mut game;
        match round {
            10 => server.handle_command(*now, &Command::Set { entity: 1, field: ALIVE, value: 1 }),
            12 => server.handle_command(*now, &Command::Set { entity: 1, field: TEAM, value: 2 }),
            14 => client.handle_command(*now, &Command::Verb { verb: VERB_CHANGECLASS, args: [5, 0, 0, 0] }),
            16 => client.handle_command(*now, &Command::Verb { verb: VERB_JUMP, args: [0; 4] }),
            18 => server.handle_command(*now, &Command::Verb { verb: VERB_COMPLETE_UPDATE, args: [0; 4] }),
            20 => server.handle_command(*now, &Command::Remove { entity: 3 }),
            _ => {}
        }
        game.step();
    }
    game.check(INSIDE);
    game
}

/// What is sent in a game, damaged, and bytes that make many things, or large ones.
fn inputs(direction: Direction, count: usize) -> Vec<Vec<u8>> {
    let mut inputs = allocation::inputs(&game().sent[direction.index()], count, MAX_PACKET_BYTES);
    let header: &[u8] = &[0, 9, 0, 9, 0, 1];
    // Deaths without end; a snapshot of runs; a complete update and a snapshot that promise 255 players.
    inputs.push([header, &[0, 9, 12, 1].repeat(500)].concat());
    let runs = [header, &[0, 9, 14, 0xff, 0xff], &[0, 255].repeat(257)].concat();
    inputs.extend([1, 3].map(|times| runs.repeat(times)));
    inputs.push([header, &[0, 9, 3, 0, 6, 0, 0, 0, 0, 255, 0]].concat());
    inputs.push([header, &[0, 9, 4, 0, 6, 0, 0, 0, 0, 255, 0]].concat());
    inputs
}

#[test]
fn decoders_allocate_a_fixed_multiple_of_their_input() {
    let _alone = alone();
    for input in DIRECTIONS.into_iter().flat_map(|direction| inputs(direction, 400)) {
        for declared in [Declared::NOTHING, Declared { class_fields: true, extras: 3 }] {
            LIMITS.check_decoder(&input, |r| {
                let mut records = Vec::new();
                let _ = ServerHeader::read(r).and_then(|_| read_server_records(r, declared, &mut records));
                for record in &records {
                    if let ServerRecord::Snapshot(difference) = &record.what {
                        let _ = Snapshot::decode(&difference.xored, declared);
                    }
                }
            });
        }
        LIMITS.check_decoder(&input, |r| {
            let _ = ClientHeader::read(r).and_then(|_| read_client_records(r, &mut Vec::new()));
        });
    }
}

#[test]
fn a_dissector_and_the_oracle_keep_a_fixed_multiple_of_what_they_saw() {
    let _alone = alone();
    for direction in DIRECTIONS {
        let dissector = Some(DECODED_PER_BYTE * MAX_PACKET_BYTES);
        LIMITS.check_watchers(&PROTOCOL, &setup(), direction, &inputs(direction, 400), dissector);
    }
}

/// Gives a packet the next number, so that the machine does not drop it as an old one.
fn numbered(number: u16, absolute: bool, bytes: &[u8]) -> Vec<u8> {
    let mut bytes = bytes.to_vec();
    for place in [0..2, 2..4].into_iter().take(1 + usize::from(absolute)) {
        if let Some(field) = bytes.get_mut(place) {
            field.copy_from_slice(&number.to_be_bytes());
        }
    }
    bytes
}

#[test]
fn machines_keep_a_fixed_multiple_of_what_they_received() {
    let _alone = alone();
    let inputs = |way: Direction| {
        let inputs = (1000..).zip(inputs(way, 1000));
        inputs.map(|(number, bytes)| numbered(number, way == Direction::ServerToClient, &bytes)).collect()
    };
    LIMITS.check_machines(game(), inputs, [0; 2]);
}

#[test]
fn a_client_that_asks_for_more_and_more_and_acknowledges_nothing_is_thrown_out() {
    let _alone = alone();
    let Exchange { mut server, mut now, .. } = game();
    let mut cause = "";
    let used = peak(|| {
        for number in 1000..1600u16 {
            // Each packet has one more change of class; what it acknowledges is what was acknowledged already.
            let [high, low] = number.to_be_bytes();
            let datagram = [high, low, 0, 1, high, low, 9, (number % 10) as u8];
            server.handle_datagram(now, PeerId::client(1), &datagram);
            now = now.after(10_000);
            server.handle_timeout(now);
            let mut out = Vec::new();
            while server.poll_transmit(now, &mut out).is_some() {
                assert!(out.len() <= MAX_PACKET_BYTES, "{} bytes", out.len());
                out.clear();
            }
            while let Some(event) = server.poll_event() {
                if let Event::State { cause: why, .. } = event {
                    cause = why;
                }
            }
        }
    });
    assert_eq!(cause, "overflow");
    assert!(used <= LIMITS.slack + 8 * MAX_EVENTS * size_of::<ServerEvent>(), "{used} bytes");
}
