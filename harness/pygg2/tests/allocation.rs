//! What input can make decoders and machines allocate: no more than a fixed multiple of what arrives, and what the
//! queues' limits name. A binary of its own, as it counts what the whole process allocates.

use kit::{
    Command, Delivery, Direction, Dissection, Dissector, Endpoint, Event, Fate, HostId, PacketId, PeerId, Reader,
    Setup, Time, TraceEvent,
};
use mutate::Dice;
use peak_alloc::PeakAlloc;
use pygg2::PROTOCOL;
use pygg2::client::Client;
use pygg2::constants::INSIDE;
use pygg2::constants::{MAX_EVENTS, MAX_PACKET_BYTES};
use pygg2::dissector::Pygg2Dissector;
use pygg2::message::{ClientHeader, ServerEvent, ServerHeader, ServerRecord, read_client_records, read_server_records};
use pygg2::rules::Rules;
use pygg2::server::Server;
use pygg2::snapshot::{Declared, Snapshot};
use pygg2::state::*;
use pygg2::verbs::{VERB_CHANGECLASS, VERB_COMPLETE_UPDATE, VERB_JUMP};
use std::sync::Mutex;

#[path = "../../../fuzz/src/mutate.rs"]
mod mutate;

#[global_allocator]
static MEMORY: PeakAlloc = PeakAlloc;

/// One test at a time: they count each other's memory otherwise.
static ALONE: Mutex<()> = Mutex::new(());

/// Most that a decoder allocates per byte of input: two bytes are a run of 255 zeros, in vectors that double.
const DECODED_PER_BYTE: usize = 4 * 128;
/// Most that a decoder allocates per byte of input when it records spans: three to a byte, in a vector that doubles.
const SPANS_PER_BYTE: usize = DECODED_PER_BYTE + 3 * 3 * size_of::<kit::Span>();
/// Most that a machine keeps per byte that it received: a remark, and what is decoded meanwhile.
const KEPT_PER_BYTE: usize = DECODED_PER_BYTE + 2 * size_of::<Event>();
/// What the test's own harness may allocate meanwhile, and what is allocated but once.
const SLACK: usize = 1 << 17;

/// A server and a client that is in, and all that they said.
fn game() -> (Server, Client, Time, [Vec<Vec<u8>>; 2]) {
    let setup = Setup::new(&PROTOCOL, &PROTOCOL.profiles[0]);
    let mut server = Server::new(&setup, Rules::REFERENCE);
    let mut client = Client::new(&setup.on(HostId(1)), Rules::REFERENCE);
    let (mut now, mut said) = (Time::ZERO, [Vec::new(), Vec::new()]);
    client.handle_command(now, &Command::Connect);
    for entity in 2..6 {
        server.handle_command(now, &Command::Spawn { entity });
        server.handle_command(now, &Command::Set { entity, field: ALIVE, value: 1 });
    }
    for round in 0..40 {
        match round {
            10 => server.handle_command(now, &Command::Set { entity: 1, field: ALIVE, value: 1 }),
            12 => server.handle_command(now, &Command::Set { entity: 1, field: TEAM, value: 2 }),
            14 => client.handle_command(now, &Command::Verb { verb: VERB_CHANGECLASS, args: [5, 0, 0, 0] }),
            16 => client.handle_command(now, &Command::Verb { verb: VERB_JUMP, args: [0; 4] }),
            18 => server.handle_command(now, &Command::Verb { verb: VERB_COMPLETE_UPDATE, args: [0; 4] }),
            20 => server.handle_command(now, &Command::Remove { entity: 3 }),
            _ => {}
        }
        client.handle_timeout(now);
        let from = said[1].len();
        drain(now, &mut client, &mut said[1]);
        said[1][from..].iter().for_each(|bytes| server.handle_datagram(now, PeerId::client(1), bytes));
        server.handle_timeout(now);
        let from = said[0].len();
        drain(now, &mut server, &mut said[0]);
        said[0][from..].iter().for_each(|bytes| client.handle_datagram(now, PeerId::SERVER, bytes));
        now = now.after(50_000);
    }
    let mut view = kit::View::default();
    client.observe(&mut view);
    assert_eq!((view.state, view.valid), (INSIDE, true));
    (server, client, now, said)
}

/// Takes what a machine sends and says; whom it is for plays no part.
fn drain(now: Time, machine: &mut dyn Endpoint, sent: &mut Vec<Vec<u8>>) {
    let mut out = Vec::new();
    while machine.poll_transmit(now, &mut out).is_some() {
        sent.push(std::mem::take(&mut out));
    }
    while machine.poll_event().is_some() {}
}

/// Inputs: what was said in a game, the same damaged, and bytes that make many things, or large ones.
fn inputs(direction: Direction, count: usize) -> Vec<Vec<u8>> {
    let seeds = &game().3[direction.index()];
    let mut dice = Dice::new(3);
    let mut inputs: Vec<Vec<u8>> = (0..count).map(|_| mutate::mutated(seeds, &mut dice)).collect();
    inputs.extend((0..=255u8).map(|byte| vec![byte; MAX_PACKET_BYTES]));
    let header: &[u8] = &[0, 9, 0, 9, 0, 1];
    // Deaths without end; a snapshot of runs; a complete update and a snapshot that promise 255 players.
    inputs.push([header, &[0, 9, 12, 1].repeat(500)].concat());
    inputs.push([header, &[0, 9, 14, 0xff, 0xff], &[0, 255].repeat(257)].concat());
    inputs.push([header, &[0, 9, 14, 0xff, 0xff], &[0, 255].repeat(257)].concat().repeat(3));
    inputs.push([header, &[0, 9, 3, 0, 6, 0, 0, 0, 0, 255, 0]].concat());
    inputs.push([header, &[0, 9, 4, 0, 6, 0, 0, 0, 0, 255, 0]].concat());
    inputs
}

/// The most that was allocated at once while `act` ran, beyond what was allocated before, in bytes.
fn peak(act: impl FnOnce()) -> usize {
    let before = MEMORY.current_usage();
    MEMORY.reset_peak_usage();
    act();
    MEMORY.peak_usage().saturating_sub(before)
}

/// Reads a packet as a server's and as a client's. Refusing is as good as reading here.
fn read(packet: &[u8], declared: Declared, mut spans: Option<&mut Vec<kit::Span>>) {
    for from_server in [true, false] {
        let mut r = match &mut spans {
            Some(spans) => Reader::with_spans(packet, spans),
            None => Reader::new(packet),
        };
        if from_server {
            let mut records = Vec::new();
            let _ = ServerHeader::read(&mut r).and_then(|_| read_server_records(&mut r, declared, &mut records));
            for record in &records {
                if let ServerRecord::Snapshot(difference) = &record.what {
                    let _ = Snapshot::decode(&difference.xored, declared);
                }
            }
        } else {
            let _ = ClientHeader::read(&mut r).and_then(|_| read_client_records(&mut r, &mut Vec::new()));
        }
        spans.iter_mut().for_each(|spans| spans.clear());
    }
}

#[test]
fn decoders_allocate_a_fixed_multiple_of_their_input() {
    let _alone = ALONE.lock();
    let directions = [Direction::ServerToClient, Direction::ClientToServer];
    for input in directions.into_iter().flat_map(|direction| inputs(direction, 400)) {
        let allowed = DECODED_PER_BYTE * input.len() + SLACK;
        for declared in [Declared::NOTHING, Declared { class_fields: true, extras: 3 }] {
            let used = peak(|| read(&input, declared, None));
            assert!(used <= allowed, "{used} bytes for a packet of {}", input.len());
            let used = peak(|| read(&input, declared, Some(&mut Vec::new())));
            assert!(used <= SPANS_PER_BYTE * input.len() + SLACK, "{used} bytes of spans for {}", input.len());
        }
    }
}

#[test]
fn a_dissector_and_the_oracle_keep_a_fixed_multiple_of_what_they_saw() {
    let _alone = ALONE.lock();
    for direction in [Direction::ServerToClient, Direction::ClientToServer] {
        let inputs = inputs(direction, 400);
        let total: usize = inputs.iter().map(Vec::len).sum();
        let used = peak(|| {
            let mut dissector = Pygg2Dissector::new(None);
            for input in &inputs {
                dissector.datagram(HostId(1), direction, input, &mut Dissection::default());
            }
        });
        assert!(used <= DECODED_PER_BYTE * MAX_PACKET_BYTES + SLACK, "{used} bytes of a dissector for {total}");
        let used = peak(|| {
            let mut oracle = (PROTOCOL.oracle)(&Setup::new(&PROTOCOL, &PROTOCOL.profiles[0]));
            for (index, bytes) in (0..).zip(&inputs) {
                let packet = PacketId { client: HostId(1), direction, slot: index, ordinal: 0, index };
                let fate = Fate::Once(Delivery::whole(0));
                oracle.on(Time(1), &TraceEvent::Sent { packet, bytes, fate, dissection: None });
                oracle.on(Time(1), &TraceEvent::Delivered { packet, copy: 0, bytes, intact: true });
            }
            oracle.finish(Time(2));
        });
        // Findings are sentences: a datagram is good for several.
        let allowed = 4 * KEPT_PER_BYTE * total + SLACK + (inputs.len() << 14);
        assert!(used <= allowed, "{used} bytes of an oracle for {total}");
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
    let _alone = ALONE.lock();
    let (mut server, mut client, now, _) = game();
    let check = |machine: &mut dyn Endpoint, from: PeerId, direction: Direction| {
        let inputs: Vec<Vec<u8>> = (1000..)
            .zip(inputs(direction, 1000))
            .map(|(number, bytes)| numbered(number, direction == Direction::ServerToClient, &bytes))
            .collect();
        let total: usize = inputs.iter().map(Vec::len).sum();
        let used = peak(|| {
            for input in &inputs {
                machine.handle_datagram(now, from, input);
                drain(now, machine, &mut Vec::new());
            }
        });
        assert!(used <= KEPT_PER_BYTE * total + SLACK, "{used} bytes of a machine for {total}");
    };
    check(&mut server, PeerId::client(1), Direction::ClientToServer);
    check(&mut client, PeerId::SERVER, Direction::ServerToClient);
}

#[test]
fn a_client_that_asks_for_more_and_more_and_acknowledges_nothing_is_thrown_out() {
    let _alone = ALONE.lock();
    let (mut server, _, mut now, _) = game();
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
    assert!(used <= SLACK + 8 * MAX_EVENTS * size_of::<ServerEvent>(), "{used} bytes");
}
