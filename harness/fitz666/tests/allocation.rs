//! What input can make decoders and machines allocate: no more than a fixed multiple of what arrives, and what the
//! queues' limits name. A binary of its own, as it counts what the whole process allocates.

use fitz666::message::{self, Dialect};
use fitz666::{PROTOCOL, client, session};
use kit::{Command, Direction, PeerId, Setup};
use testkit::DIRECTIONS;
use testkit::allocation::{self, Limits, PeakAlloc, alone, peak};
use testkit::session::{Exchange, closes, drain};

#[global_allocator]
static MEMORY: PeakAlloc = PeakAlloc;

const LIMITS: Limits = Limits {
    // Lists of short things, in vectors that double.
    decoded_per_byte: 128,
    // An entity is created by two bytes, in vectors that double.
    kept_per_byte: 3 * (size_of::<fitz666::state::Entity>() + 32) / 2,
    slack: 1 << 17,
};

fn setup() -> Setup {
    testkit::setup(&PROTOCOL, 0, &[])
}

/// What was recorded, damaged, and bytes that make many small things.
fn inputs(direction: Direction, count: usize) -> Vec<Vec<u8>> {
    let names = ["netquake/qss_fitz666", "netquake/qss_protocol15"];
    allocation::inputs(&testkit::bytes::recorded(&names, direction), count, 1400)
}

#[test]
fn decoders_allocate_a_fixed_multiple_of_their_input() {
    let _alone = alone();
    for input in DIRECTIONS.into_iter().flat_map(|direction| inputs(direction, 400)) {
        for protocol in [15, 666] {
            LIMITS.check_decoder(&input, |r| {
                let _ = message::walk_services(r, &mut Dialect::announced(protocol), &mut |_, _| {});
            });
            let form = Dialect::announced(protocol).move_form();
            LIMITS.check_decoder(&input, |r| {
                let _ = message::walk_commands(r, &form, &mut |_| {});
            });
        }
    }
}

#[test]
fn a_dissector_and_the_oracle_keep_a_fixed_multiple_of_what_they_saw() {
    let _alone = alone();
    for direction in DIRECTIONS {
        let inputs = inputs(direction, 400);
        LIMITS.check_watchers(&PROTOCOL, &setup(), direction, &inputs, None);
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
    LIMITS.check_machines(pair, inputs, [client::MAX_QUEUED_BYTES, session::MAX_QUEUED_BYTES]);
}

#[test]
fn a_client_that_takes_no_reliable_message_is_dropped() {
    let _alone = alone();
    let Exchange { mut server, now, .. } = Exchange::signed_on(&PROTOCOL, &setup());
    let mut dropped = false;
    let used = peak(|| {
        for number in 0..200_000 {
            server.handle_command(now, &Command::Verb { verb: fitz666::verbs::VERB_PRINT, args: [0, number, 0, 0] });
            dropped |= closes(&mut *server);
        }
    });
    assert!(dropped);
    assert!(used <= 6 * session::MAX_QUEUED_BYTES, "{used} bytes");
}

#[test]
fn a_server_that_stuffs_commands_without_end_fills_no_memory() {
    let _alone = alone();
    let Exchange { mut client, now, .. } = Exchange::signed_on(&PROTOCOL, &setup());
    let used = peak(|| {
        for number in 1000..1400u32 {
            let text = b"cmd pext\n".repeat(150);
            let stuffed = [&[0, 0x10, 0, 0, 0, 0, 0, 0, netquake::constants::SVC_STUFF_TEXT][..], &text, &[0]].concat();
            client.handle_datagram(now, PeerId::SERVER, &numbered(number, stuffed));
            drain(now, &mut *client);
        }
    });
    assert!(used <= 16 * client::MAX_QUEUED_BYTES, "{used} bytes");
}
