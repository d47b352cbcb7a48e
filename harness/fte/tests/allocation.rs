//! What input can make decoders and machines allocate: no more than a fixed multiple of what arrives, and what the
//! queues' limits name. A binary of its own, as it counts what the whole process allocates.

use fte::constants::MAX_ENTITY;
use fte::dialect::{Dialect, Readings, Transport};
use fte::extensions::Extensions;
use fte::message::{self, Carrier, Listener};
use fte::pending::Pending;
use fte::state::{Entity, ORIGIN_X};
use fte::{PROTOCOL, client, options, session};
use kit::{Command, Direction, PeerId, Setup};
use quakeworld::handshake::{ClientPacket, ServerPacket};
use testkit::DIRECTIONS;
use testkit::allocation::{self, Limits, PeakAlloc, alone, held, peak};
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

/// Entities that a client sees at once.
const VISIBLE: u32 = 64;
/// Frames in flight of which a server remembers what they carried.
const LOGS: usize = 64;

/// The entity in `slot` of those that a client sees in `tick`: numbers far apart, the highest of all among them.
fn far_apart(tick: u32, slot: u32) -> u32 {
    MAX_ENTITY - slot * (MAX_ENTITY / VISIBLE) - tick * (MAX_ENTITY / VISIBLE / 64)
}

/// What a server and its client hold after `ticks` in which other entities come into view, in bytes, the server first.
fn held_after(setup: &Setup, ticks: u32) -> [usize; 2] {
    let mut pair = Exchange::signed_on(&PROTOCOL, setup);
    let each = |pair: &mut Exchange, tick, command: &dyn Fn(u32) -> Command| {
        for slot in 0..VISIBLE {
            pair.server.handle_command(pair.now, &command(far_apart(tick, slot)));
        }
    };
    for tick in 0..ticks {
        each(&mut pair, tick, &|entity| Command::Spawn { entity });
        for step in 0..4 {
            each(&mut pair, tick, &|entity| Command::Set {
                entity,
                field: ORIGIN_X,
                value: kit::table::float_bits(step as f32),
            });
            pair.step();
        }
        if tick + 1 < ticks {
            each(&mut pair, tick, &|entity| Command::Remove { entity });
        }
    }
    pair.step();
    let mut view = kit::View::default();
    pair.client.observe(&mut view);
    assert_eq!(view.numbers.len(), (ticks.min(1) * VISIBLE) as usize, "the client sees what there is");
    let Exchange { server, client, .. } = pair;
    [held(server), held(client)]
}

/// "One set of previous-frame state (maximum visible at once), one set of pending UFlags (maximum on map), and 64 or so sets
/// of entnum+UFlags"; a client needs but the states.
#[test]
fn of_four_million_possible_entities_a_server_holds_a_mask_each_and_a_state_only_of_those_in_view() {
    let _alone = alone();
    let in_view = VISIBLE as usize;
    // Vectors double; the world itself, which is the game's, holds each state once more.
    let states = 4 * in_view * (size_of::<Entity>() + size_of::<u32>());
    let logs = 2 * LOGS * in_view * size_of::<(u32, Pending)>();
    // Masks are kept by the thousand; a fiftieth more is for finding those that are set.
    let masks = |entities: usize| size_of::<Pending>() * (entities + entities / 50);
    for profile in &options::PROFILES {
        let setup = Setup::new(&PROTOCOL, profile);
        let [server_alone, client_alone] = held_after(&setup, 0);
        for (ticks, used) in [(1, in_view << 10), (64, MAX_ENTITY as usize + 1)] {
            let [server, client] = held_after(&setup, ticks);
            let allowed = server_alone + masks(used) + states + logs;
            assert!(server <= allowed, "{}: a server holds {server} bytes, {allowed} at most", profile.name);
            let allowed = client_alone + states;
            assert!(client <= allowed, "{}: a client holds {client} bytes, {allowed} at most", profile.name);
        }
    }
}
