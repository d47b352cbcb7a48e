//! What input can make decoders and machines allocate: no more than a fixed multiple of what arrives, and what the
//! queues' limits name. A binary of its own, as it counts what the whole process allocates.

use fitz666::client::{self, Client};
use fitz666::dissector::Fitz666Dissector;
use fitz666::message::{self, Dialect};
use fitz666::rules::Rules;
use fitz666::server::Server;
use fitz666::verbs::VERB_PRINT;
use fitz666::{PROTOCOL, session};
use kit::{
    Command, Delivery, Direction, Dissection, Dissector, Endpoint, Event, Fate, HostId, PacketId, PeerId, Reader,
    Setup, Time, TraceEvent,
};
use mutate::Dice;
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
/// Most that a machine keeps per byte that it received: an entity is created by two bytes, in vectors that double.
const KEPT_PER_BYTE: usize = 3 * (size_of::<fitz666::state::Entity>() + 32) / 2;
/// What the test's own harness may allocate meanwhile, and what is allocated but once.
const SLACK: usize = 1 << 17;

const RECORDINGS: [&str; 2] = [
    include_str!("../../../golden/netquake/vectors/qss_fitz666.txt"),
    include_str!("../../../golden/netquake/vectors/qss_protocol15.txt"),
];

/// Recorded datagrams of one direction.
fn recorded(direction: &str) -> Vec<Vec<u8>> {
    let digit = |digit: u8| char::from(digit).to_digit(16).expect("hexadecimal digits") as u8;
    let lines = RECORDINGS.iter().flat_map(|text| text.lines()).filter(|line| line.starts_with(direction));
    lines
        .filter_map(|line| line.split_whitespace().nth(2))
        .map(|hex| hex.as_bytes().chunks(2).map(|pair| digit(pair[0]) << 4 | digit(pair[1])).collect())
        .collect()
}

/// Inputs: what was recorded, the same damaged, and bytes that make many small things.
fn inputs(direction: &str, count: usize) -> Vec<Vec<u8>> {
    let seeds = recorded(direction);
    let mut dice = Dice::new(3);
    let mut inputs: Vec<Vec<u8>> = (0..count).map(|_| mutate::mutated(&seeds, &mut dice)).collect();
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

/// Walks a payload as both directions' messages. Refusing is as good as reading here.
fn walk(payload: &[u8], protocol: u32, mut spans: Option<&mut Vec<kit::Span>>) {
    let mut dialect = Dialect::announced(protocol);
    let form = dialect.move_form();
    for from_server in [true, false] {
        let mut r = match &mut spans {
            Some(spans) => Reader::with_spans(payload, spans),
            None => Reader::new(payload),
        };
        let _ = match from_server {
            true => message::walk_services(&mut r, &mut dialect, &mut |_, _| {}),
            false => message::walk_commands(&mut r, &form, &mut |_| {}),
        };
        spans.iter_mut().for_each(|spans| spans.clear());
    }
}

#[test]
fn decoders_allocate_a_fixed_multiple_of_their_input() {
    let _alone = ALONE.lock();
    for input in inputs("s2c", 400).iter().chain(&inputs("c2s", 400)) {
        let allowed = DECODED_PER_BYTE * input.len() + SLACK;
        for protocol in [15, 666] {
            let used = peak(|| walk(input, protocol, None));
            assert!(used <= allowed, "{used} bytes for {} of messages", input.len());
            let used = peak(|| walk(input, protocol, Some(&mut Vec::new())));
            assert!(used <= SPANS_PER_BYTE * input.len() + SLACK, "{used} bytes of spans for {}", input.len());
        }
    }
}

#[test]
fn a_dissector_and_the_oracle_keep_a_fixed_multiple_of_what_they_saw() {
    let _alone = ALONE.lock();
    for (way, direction) in [("s2c", Direction::ServerToClient), ("c2s", Direction::ClientToServer)] {
        let inputs = inputs(way, 400);
        let total: usize = inputs.iter().map(Vec::len).sum();
        let used = peak(|| {
            let mut dissector = Fitz666Dissector::new(None);
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

/// Takes what a machine sends and says; whom it is for plays no part.
fn drain(now: Time, machine: &mut dyn Endpoint, sent: &mut Vec<Vec<u8>>) {
    let mut out = Vec::new();
    while machine.poll_transmit(now, &mut out).is_some() {
        sent.push(std::mem::take(&mut out));
    }
    while machine.poll_event().is_some() {}
}

/// A server and a client that have signed on.
fn pair() -> (Server, Client, Time) {
    let setup = Setup::new(&PROTOCOL, &PROTOCOL.profiles[0]);
    let mut server = Server::new(&setup, Rules::REFERENCE);
    let mut client = Client::new(&setup.on(HostId(1)), Rules::REFERENCE);
    let mut now = Time::ZERO;
    client.handle_command(now, &Command::Connect);
    for _ in 0..40 {
        let (mut up, mut down) = (Vec::new(), Vec::new());
        client.handle_timeout(now);
        drain(now, &mut client, &mut up);
        for bytes in up {
            server.handle_datagram(now, PeerId::client(1), &bytes);
            drain(now, &mut server, &mut down);
        }
        server.handle_timeout(now);
        drain(now, &mut server, &mut down);
        for bytes in down {
            client.handle_datagram(now, PeerId::SERVER, &bytes);
        }
        now = now.after(50_000);
    }
    let mut view = kit::View::default();
    client.observe(&mut view);
    assert_eq!((view.state, view.valid), ("active", true));
    (server, client, now)
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
    let (mut server, mut client, now) = pair();
    let check = |machine: &mut dyn Endpoint, from: PeerId, way: &str, queue: usize| {
        let inputs: Vec<Vec<u8>> =
            (1000..).zip(inputs(way, 1000)).map(|(number, bytes)| numbered(number, &bytes)).collect();
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
    check(&mut server, PeerId::client(1), "c2s", session::MAX_QUEUED_BYTES);
    check(&mut client, PeerId::SERVER, "s2c", client::MAX_QUEUED_BYTES);
}

#[test]
fn a_client_that_takes_no_reliable_message_is_dropped() {
    let _alone = ALONE.lock();
    let (mut server, _, now) = pair();
    let mut dropped = false;
    let used = peak(|| {
        for number in 0..200_000 {
            server.handle_command(now, &Command::Verb { verb: VERB_PRINT, args: [0, number, 0, 0] });
            while let Some(event) = server.poll_event() {
                dropped |= matches!(event, Event::State { to: "closed", .. });
            }
        }
    });
    assert!(dropped);
    assert!(used <= 6 * session::MAX_QUEUED_BYTES, "{used} bytes");
}

#[test]
fn a_server_that_stuffs_commands_without_end_fills_no_memory() {
    let _alone = ALONE.lock();
    let (_, mut client, now) = pair();
    let used = peak(|| {
        for number in 1000..1400u32 {
            let mut bytes = vec![0, 0x10, 0, 0];
            bytes.extend(number.to_be_bytes());
            bytes.push(netquake::constants::SVC_STUFF_TEXT);
            bytes.extend(b"cmd pext\n".repeat(150));
            bytes.push(0);
            netquake::datagram::seal(&mut bytes);
            client.handle_datagram(now, PeerId::SERVER, &bytes);
            drain(now, &mut client, &mut Vec::new());
        }
    });
    assert!(used <= 16 * client::MAX_QUEUED_BYTES, "{used} bytes");
}
