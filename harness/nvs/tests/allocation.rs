//! What input can make decoders and machines allocate: no more than a fixed multiple of what arrives, and what the
//! queues' limits name. A binary of its own, as it counts what the whole process allocates.

use kit::{Command, Direction, Event, PeerId, Setup};
use nvs::constants::MESSAGE_BYTES;
use nvs::message::{Reading, move_form, read_message};
use nvs::tables::Tables;
use nvs::verbs::{VERB_EXPLOSION, VERB_PARTICLE, VERB_PRINT};
use nvs::version::Version;
use nvs::{PROTOCOL, client};
use testkit::DIRECTIONS;
use testkit::allocation::{self, Limits, PeakAlloc, alone, peak};
use testkit::mutate::{Dice, mutated};
use testkit::session::{Exchange, closes};

#[global_allocator]
static MEMORY: PeakAlloc = PeakAlloc;

const LIMITS: Limits = Limits {
    // Lists of short things, in vectors that double.
    decoded_per_byte: 128,
    // An entity is created by two bytes, in vectors that double, and a remark by one.
    kept_per_byte: 3 * (size_of::<nvs::state::Entity>() + 8) + 2 * size_of::<Event>(),
    slack: 1 << 17,
};

fn setup() -> Setup {
    testkit::setup(&PROTOCOL, 0, &[])
}

/// What is sent in a game with versions, damaged, and bytes that make many small things.
fn inputs(direction: Direction, count: usize) -> Vec<Vec<u8>> {
    let mut game = Exchange::signed_on(&PROTOCOL, &setup());
    game.sent = Default::default();
    game.server.handle_command(game.now, &Command::Spawn { entity: 1 });
    for (verb, args) in [
        (VERB_EXPLOSION, [1, 0x0702_0408, 0, 0]),
        (VERB_PARTICLE, [1, 20, 73, 100]),
        (VERB_PRINT, [2, 0, 7, 0]),
        (VERB_PRINT, [0, 0, 8, 0]),
    ] {
        game.server.handle_command(game.now, &Command::Verb { verb, args });
    }
    game.server.handle_command(game.now, &Command::Map);
    (0..20).for_each(|_| game.step());
    allocation::inputs(&game.sent[direction.index()], count, 1400)
}

#[test]
fn decoders_allocate_a_fixed_multiple_of_their_input() {
    let _alone = alone();
    let tables = Tables::released();
    for input in DIRECTIONS.into_iter().flat_map(|direction| inputs(direction, 400)) {
        for version in [Version::PLAIN, Version::ENHANCED] {
            LIMITS.check_decoder(&input, |r| {
                while r.left() > 0 && read_message(r, &Reading { tables: &tables, version }).is_ok() {}
            });
            LIMITS.check_decoder(&input, |r| {
                while let Ok(number) = r.u8("clc")
                    && let Ok(Some(_)) = netquake::read_command(r, number, &move_form(version))
                {}
            });
        }
    }
}

#[test]
fn a_text_of_tables_allocates_a_fixed_multiple_of_its_length() {
    let _alone = alone();
    let seeds = vec![nvs::tables::RELEASED.as_bytes().to_vec()];
    let mut dice = Dice::new(5);
    let mut texts: Vec<Vec<u8>> = (0..1000).map(|_| mutated(&seeds, &mut dice)).collect();
    texts.push(b": ".repeat(4000));
    texts.push([&b"message 19:"[..], &b" byte".repeat(4000)].concat());
    texts.push(
        (1..=127).flat_map(|svc| format!("message {svc}: byte\n0.00 writes 1 bytes 1 T\n").into_bytes()).collect(),
    );
    for text in texts {
        let text = String::from_utf8_lossy(&text);
        let used = peak(|| drop(Tables::parse(&text)));
        assert!(
            used <= LIMITS.decoded_per_byte * text.len() + LIMITS.slack,
            "{used} bytes for {} of tables",
            text.len()
        );
    }
}

#[test]
fn a_dissector_and_the_oracle_keep_a_fixed_multiple_of_what_they_saw() {
    let _alone = alone();
    for direction in DIRECTIONS {
        LIMITS.check_watchers(&PROTOCOL, &setup(), direction, &inputs(direction, 400), None);
    }
}

/// Puts a connection's next number into a datagram, so that the machine does not refuse it as stale.
fn numbered(number: u32, mut bytes: Vec<u8>) -> Vec<u8> {
    if let Some(field) = bytes.get_mut(4..8) {
        field.copy_from_slice(&number.to_be_bytes());
    }
    netquake::datagram::seal(&mut bytes);
    bytes
}

#[test]
fn machines_keep_a_fixed_multiple_of_what_they_received() {
    let _alone = alone();
    let inputs = |way| (1000..).zip(inputs(way, 1000)).map(|(number, bytes)| numbered(number, bytes)).collect();
    let pair = Exchange::signed_on(&PROTOCOL, &setup());
    LIMITS.check_machines(pair, inputs, [client::MAX_QUEUED_BYTES, 4 * MESSAGE_BYTES]);
}

/// A reliable message of the client's, whole in one datagram.
fn reliable(sequence: u32, payload: &[u8]) -> Vec<u8> {
    let mut bytes = Vec::new();
    netquake::Packet::Data { sequence, end: true, payload }.write(&mut kit::Writer::new(&mut bytes));
    bytes
}

#[test]
fn a_client_that_asks_again_and_again_and_acknowledges_nothing_is_dropped() {
    let _alone = alone();
    let Exchange { mut server, mut now, .. } = Exchange::signed_on(&PROTOCOL, &setup());
    let mut dropped = false;
    let used = peak(|| {
        // What was received last had a number below this.
        for sequence in 0..400u32 {
            let datagram = reliable(sequence, &b"\x04nvs_request 0.5\0".repeat(60));
            server.handle_datagram(now, PeerId::client(1), &datagram);
            now = now.after(50_000);
            server.handle_timeout(now);
            dropped |= closes(&mut *server);
        }
    });
    assert!(dropped);
    assert!(used <= 32 * MESSAGE_BYTES, "{used} bytes");
}
