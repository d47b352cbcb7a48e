//! What input can make decoders and machines allocate: no more than a fixed multiple of what arrives, and what the
//! queues' limits name. A binary of its own, as it counts what the whole process allocates.

use fte::dialect::{Dialect, Readings, Transport};
use fte::extensions::Extensions;
use fte::message::{self, Carrier, Listener};
use fte::{PROTOCOL, client, options, session};
use kit::{Command, Direction, PeerId, Setup};
use quakeworld::handshake::{ClientPacket, ServerPacket};
use testkit::DIRECTIONS;
use testkit::allocation::{self, Limits, PeakAlloc, alone, peak};
use testkit::session::{Exchange, closes, drain};

#[global_allocator]
static MEMORY: PeakAlloc = PeakAlloc;

const LIMITS: Limits = Limits {
    // Lists of short things, in vectors that double.
    decoded_per_byte: 128,
    // An entity is created by three bytes, in a vector that doubles.
    kept_per_byte: 3 * (size_of::<fte::state::Entity>() + 8) / 3,
    slack: 1 << 16,
};

/// What was recorded over both transports, damaged, and bytes that make many small things.
fn inputs(direction: Direction, count: usize) -> Vec<Vec<u8>> {
    let names = ["fte/fteqw_qw_deltas_predinfo", "fte/fteqw_nq_deltas_predinfo", "fte/qss_nq_deltas_predinfo"];
    allocation::inputs(&testkit::bytes::recorded(&names, direction), count, 1400)
}

struct Deaf;

impl Listener for Deaf {}

#[test]
fn decoders_allocate_a_fixed_multiple_of_their_input() {
    let _alone = alone();
    let extensions = Extensions { fte1: 0, fte2: 0x28 };
    let dialects = [
        Dialect::negotiated(Transport::NetQuake, extensions, 666, 0, Readings::default()),
        Dialect::negotiated(Transport::QuakeWorld, extensions, 28, 0, Readings::default()),
    ];
    let carrier = |direction| Carrier { direction, reliable: false, sequence: 1, acknowledged: None };
    let [from_server, from_client] = DIRECTIONS.map(carrier);
    for input in DIRECTIONS.into_iter().flat_map(|direction| inputs(direction, 400)) {
        for dialect in &dialects {
            LIMITS.check_decoder(&input, |r| {
                let readings = Readings::default();
                let _ = message::walk_services(r, &mut dialect.clone(), readings, &from_server, &mut Deaf);
            });
            LIMITS.check_decoder(&input, |r| {
                let _ = message::walk_commands(r, dialect, &from_client, &mut Deaf);
            });
        }
        LIMITS.check_decoder(&input, |r| {
            let _ = ServerPacket::read(r);
        });
        LIMITS.check_decoder(&input, |r| {
            let _ = ClientPacket::read(r);
        });
        LIMITS.check_decoder(&input, |r| {
            let _ = netquake::Packet::read(r);
        });
    }
}

#[test]
fn a_dissector_and_the_oracle_keep_a_fixed_multiple_of_what_they_saw() {
    let _alone = alone();
    for profile in &options::PROFILES {
        for direction in DIRECTIONS {
            let setup = Setup::new(&PROTOCOL, profile);
            LIMITS.check_watchers(&PROTOCOL, &setup, direction, &inputs(direction, 400), None);
        }
    }
}

/// Puts a connection's next number into a datagram, so that the machine does not refuse it as stale.
fn numbered(transport: Transport, number: u32, mut bytes: Vec<u8>) -> Vec<u8> {
    let at = if transport == Transport::QuakeWorld { 0 } else { 4 };
    let number = if transport == Transport::QuakeWorld { number.to_le_bytes() } else { number.to_be_bytes() };
    if let Some(field) = bytes.get_mut(at..at + 4) {
        field.copy_from_slice(&number);
    }
    if transport == Transport::NetQuake {
        netquake::datagram::seal(&mut bytes);
    }
    bytes
}

#[test]
fn machines_keep_a_fixed_multiple_of_what_they_received() {
    let _alone = alone();
    for profile in &options::PROFILES {
        let transport = options::transport(profile);
        let inputs = |way| {
            let inputs = (1000..).zip(inputs(way, 1000));
            inputs.map(|(number, bytes)| numbered(transport, number, bytes)).collect()
        };
        let pair = Exchange::signed_on(&PROTOCOL, &Setup::new(&PROTOCOL, profile));
        LIMITS.check_machines(pair, inputs, [client::MAX_QUEUED_BYTES, session::MAX_QUEUED_BYTES]);
    }
}

#[test]
fn a_client_that_asks_again_and_again_and_acknowledges_nothing_is_dropped() {
    let _alone = alone();
    let profile = &options::PROFILES[1];
    assert_eq!(options::transport(profile), Transport::QuakeWorld);
    let Exchange { mut server, now, .. } = Exchange::signed_on(&PROTOCOL, &Setup::new(&PROTOCOL, profile));
    server.handle_command(now, &Command::Map);
    let mut dropped = false;
    let used = peak(|| {
        for number in 1000..1200u32 {
            let mut bytes = number.to_le_bytes().to_vec();
            bytes.extend([0; 6]);
            bytes.extend(b"\x04new\0".repeat(280));
            server.handle_datagram(now, PeerId::client(1), &bytes);
            dropped |= closes(&mut *server);
        }
    });
    assert!(dropped);
    assert!(used <= 4 * session::MAX_QUEUED_BYTES, "{used} bytes");
}

#[test]
fn a_server_that_stuffs_commands_without_end_fills_no_memory() {
    let _alone = alone();
    let setup = Setup::new(&PROTOCOL, &options::PROFILES[1]);
    let Exchange { mut client, now, .. } = Exchange::signed_on(&PROTOCOL, &setup);
    let used = peak(|| {
        for number in 1000..1400u32 {
            let mut bytes = number.to_le_bytes().to_vec();
            bytes.extend([0; 4]);
            bytes.push(quakeworld::SVC_STUFFTEXT);
            bytes.extend(b"cmd pext\n".repeat(150));
            bytes.push(0);
            client.handle_datagram(now, PeerId::SERVER, &bytes);
            drain(now, &mut *client);
        }
    });
    assert!(used <= 16 * client::MAX_QUEUED_BYTES, "{used} bytes");
}
