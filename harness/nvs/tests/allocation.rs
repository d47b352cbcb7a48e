//! What input can make decoders and machines allocate: no more than a fixed multiple of what arrives, and what the
//! queues' limits name. A binary of its own, as it counts what the whole process allocates.

use kit::{
    Command, Delivery, Direction, Dissection, Dissector, Endpoint, Event, Fate, HostId, PacketId, PeerId, Reader,
    Setup, Time, TraceEvent,
};
use mutate::Dice;
use nvs::PROTOCOL;
use nvs::client::{self, Client};
use nvs::constants::MESSAGE_BYTES;
use nvs::dissector::NvsDissector;
use nvs::message::{Reading, move_form, read_message};
use nvs::rules::Rules;
use nvs::server::Server;
use nvs::tables::Tables;
use nvs::verbs::{VERB_EXPLOSION, VERB_PARTICLE, VERB_PRINT};
use nvs::version::Version;
use peak_alloc::PeakAlloc;
use std::sync::Mutex;

#[path = "../../../fuzz/src/mutate.rs"]
mod mutate;

#[global_allocator]
static MEMORY: PeakAlloc = PeakAlloc;

/// One test at a time: they count each other's memory otherwise.
static ALONE: Mutex<()> = Mutex::new(());

/// Most that a decoder allocates per byte of input: lists of short things, in vectors that double.
const DECODED_PER_BYTE: usize = 128;
/// Most that a decoder allocates per byte of input when it records spans: three to a byte, in a vector that doubles.
const SPANS_PER_BYTE: usize = DECODED_PER_BYTE + 3 * 3 * size_of::<kit::Span>();
/// Most that a machine keeps per byte that it received: an entity is created by two bytes, in vectors that double, and
/// a remark by one.
const KEPT_PER_BYTE: usize = 3 * (size_of::<nvs::state::Entity>() + 8) + 2 * size_of::<Event>();
/// What the test's own harness may allocate meanwhile, and what is allocated but once.
const SLACK: usize = 1 << 17;

/// A game with versions: every datagram of the two ends, by direction.
fn game() -> [Vec<Vec<u8>>; 2] {
    let (mut server, mut client, mut now) = signed_on();
    let (mut down, mut up) = (Vec::new(), Vec::new());
    server.handle_command(now, &Command::Spawn { entity: 1 });
    for (verb, args) in [
        (VERB_EXPLOSION, [1, 0x0702_0408, 0, 0]),
        (VERB_PARTICLE, [1, 20, 73, 100]),
        (VERB_PRINT, [2, 0, 7, 0]),
        (VERB_PRINT, [0, 0, 8, 0]),
    ] {
        server.handle_command(now, &Command::Verb { verb, args });
    }
    server.handle_command(now, &Command::Map);
    for _ in 0..20 {
        step(&mut server, &mut client, now, &mut down, &mut up);
        now = now.after(50_000);
    }
    [down, up]
}

/// One moment of a server and a client without a network between them; what they send is kept.
fn step(server: &mut Server, client: &mut Client, now: Time, down: &mut Vec<Vec<u8>>, up: &mut Vec<Vec<u8>>) {
    client.handle_timeout(now);
    let from = up.len();
    drain(now, client, up);
    for bytes in &up[from..] {
        server.handle_datagram(now, PeerId::client(1), bytes);
    }
    server.handle_timeout(now);
    let from = down.len();
    drain(now, server, down);
    for bytes in &down[from..] {
        client.handle_datagram(now, PeerId::SERVER, bytes);
    }
}

/// A server and a client that have signed on.
fn signed_on() -> (Server, Client, Time) {
    let setup = Setup::new(&PROTOCOL, &PROTOCOL.profiles[0]);
    let mut server = Server::new(&setup, Rules::REFERENCE);
    let mut client = Client::new(&setup.on(HostId(1)), Rules::REFERENCE);
    let mut now = Time::ZERO;
    client.handle_command(now, &Command::Connect);
    for _ in 0..40 {
        step(&mut server, &mut client, now, &mut Vec::new(), &mut Vec::new());
        now = now.after(50_000);
    }
    let mut view = kit::View::default();
    client.observe(&mut view);
    assert_eq!((view.state, view.valid), ("active", true));
    (server, client, now)
}

/// Takes what a machine sends and says; whom it is for plays no part.
fn drain(now: Time, machine: &mut dyn Endpoint, sent: &mut Vec<Vec<u8>>) {
    let mut out = Vec::new();
    while machine.poll_transmit(now, &mut out).is_some() {
        sent.push(std::mem::take(&mut out));
    }
    while machine.poll_event().is_some() {}
}

/// Inputs: what was said in a game, the same damaged, and bytes that make many small things.
fn inputs(direction: Direction, count: usize) -> Vec<Vec<u8>> {
    let seeds = &game()[direction.index()];
    let mut dice = Dice::new(3);
    let mut inputs: Vec<Vec<u8>> = (0..count).map(|_| mutate::mutated(seeds, &mut dice)).collect();
    inputs.extend((0..=255u8).map(|byte| vec![byte; 1400]));
    inputs.extend((0..=255u8).map(|byte| [&[byte][..], &[1, 0].repeat(700)].concat()));
    inputs
}

/// The most that was allocated at once while `act` ran, beyond what was allocated before, in bytes.
fn peak(act: impl FnOnce()) -> usize {
    let before = MEMORY.current_usage();
    MEMORY.reset_peak_usage();
    act();
    MEMORY.peak_usage().saturating_sub(before)
}

/// Walks a payload as a server's messages and as a client's. Refusing is as good as reading here.
fn walk(payload: &[u8], version: Version, tables: &Tables, mut spans: Option<&mut Vec<kit::Span>>) {
    for from_server in [true, false] {
        let mut r = match &mut spans {
            Some(spans) => Reader::with_spans(payload, spans),
            None => Reader::new(payload),
        };
        let read = |r: &mut Reader<'_>| match from_server {
            true => read_message(r, &Reading { tables, version }).is_ok(),
            false => {
                let clc = r.u8("clc");
                clc.is_ok_and(|clc| {
                    netquake::read_command(r, clc, &move_form(version)).is_ok_and(|read| read.is_some())
                })
            }
        };
        while r.left() > 0 && read(&mut r) {}
        spans.iter_mut().for_each(|spans| spans.clear());
    }
}

#[test]
fn decoders_allocate_a_fixed_multiple_of_their_input() {
    let _alone = ALONE.lock();
    let tables = Tables::released();
    let directions = [Direction::ServerToClient, Direction::ClientToServer];
    for input in directions.into_iter().flat_map(|direction| inputs(direction, 400)) {
        let allowed = DECODED_PER_BYTE * input.len() + SLACK;
        for version in [Version::PLAIN, Version::ENHANCED] {
            let used = peak(|| walk(&input, version, &tables, None));
            assert!(used <= allowed, "{used} bytes for {} of messages", input.len());
            let used = peak(|| walk(&input, version, &tables, Some(&mut Vec::new())));
            assert!(used <= SPANS_PER_BYTE * input.len() + SLACK, "{used} bytes of spans for {}", input.len());
        }
    }
}

#[test]
fn a_text_of_tables_allocates_a_fixed_multiple_of_its_length() {
    let _alone = ALONE.lock();
    let seeds = vec![nvs::tables::RELEASED.as_bytes().to_vec()];
    let mut dice = Dice::new(5);
    let mut texts: Vec<Vec<u8>> = (0..1000).map(|_| mutate::mutated(&seeds, &mut dice)).collect();
    texts.push(b": ".repeat(4000));
    texts.push([&b"message 19:"[..], &b" byte".repeat(4000)].concat());
    texts.push(
        (1..=127).flat_map(|svc| format!("message {svc}: byte\n0.00 writes 1 bytes 1 T\n").into_bytes()).collect(),
    );
    for text in texts {
        let text = String::from_utf8_lossy(&text);
        let used = peak(|| drop(Tables::parse(&text)));
        assert!(used <= DECODED_PER_BYTE * text.len() + SLACK, "{used} bytes for {} of tables", text.len());
    }
}

#[test]
fn a_dissector_and_the_oracle_keep_a_fixed_multiple_of_what_they_saw() {
    let _alone = ALONE.lock();
    for direction in [Direction::ServerToClient, Direction::ClientToServer] {
        let inputs = inputs(direction, 400);
        let total: usize = inputs.iter().map(Vec::len).sum();
        let used = peak(|| {
            let mut dissector = NvsDissector::new(None);
            for input in &inputs {
                dissector.datagram(HostId(1), direction, input, &mut Dissection::default());
            }
        });
        assert!(used <= KEPT_PER_BYTE * total + SLACK, "{used} bytes of a dissector for {total}");
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

/// Puts a connection's next number into a datagram, so that the machine does not refuse it as stale.
fn numbered(number: u32, bytes: &[u8]) -> Vec<u8> {
    let mut bytes = bytes.to_vec();
    if let Some(field) = bytes.get_mut(4..8) {
        field.copy_from_slice(&number.to_be_bytes());
    }
    netquake::datagram::seal(&mut bytes);
    bytes
}

#[test]
fn machines_keep_a_fixed_multiple_of_what_they_received() {
    let _alone = ALONE.lock();
    let (mut server, mut client, now) = signed_on();
    let check = |machine: &mut dyn Endpoint, from: PeerId, direction: Direction, queue: usize| {
        let inputs: Vec<Vec<u8>> =
            (1000..).zip(inputs(direction, 1000)).map(|(number, bytes)| numbered(number, &bytes)).collect();
        let total: usize = inputs.iter().map(Vec::len).sum();
        let used = peak(|| {
            for input in &inputs {
                machine.handle_datagram(now, from, input);
                drain(now, machine, &mut Vec::new());
            }
        });
        let allowed = KEPT_PER_BYTE * total + 2 * queue + SLACK;
        assert!(used <= allowed, "{used} bytes of a machine for {total}");
    };
    check(&mut server, PeerId::client(1), Direction::ClientToServer, 4 * MESSAGE_BYTES);
    check(&mut client, PeerId::SERVER, Direction::ServerToClient, client::MAX_QUEUED_BYTES);
}

/// A reliable message of the client's, whole in one datagram.
fn reliable(sequence: u32, payload: &[u8]) -> Vec<u8> {
    let mut bytes = Vec::new();
    netquake::Packet::Data { sequence, end: true, payload }.write(&mut kit::Writer::new(&mut bytes));
    bytes
}

#[test]
fn a_client_that_asks_again_and_again_and_acknowledges_nothing_is_dropped() {
    let _alone = ALONE.lock();
    let (mut server, _, mut now) = signed_on();
    let mut dropped = false;
    let used = peak(|| {
        // What was received last had a number below this.
        for sequence in 0..400u32 {
            let datagram = reliable(sequence, &b"\x04nvs_request 0.5\0".repeat(60));
            server.handle_datagram(now, PeerId::client(1), &datagram);
            now = now.after(50_000);
            server.handle_timeout(now);
            while let Some(event) = server.poll_event() {
                dropped |= matches!(event, Event::State { to: "closed", .. });
            }
        }
    });
    assert!(dropped);
    assert!(used <= 32 * MESSAGE_BYTES, "{used} bytes");
}
