//! The decoders: arbitrary bytes are refused or read, never more.

use super::input::Input;
use deltaproof::capture::{Capture, CaptureError, Options};
use deltaproof::demo::unsaid::Unsaid;
use deltaproof::demo::wrap::HEADER_BYTES;
use deltaproof::demo::{DemoReader, unpack};
use deltaproof::registry::PROTOCOLS;
use fte::constants::PEXT_FLOATCOORDS;
use fte::delta::{self, ABSLIGHT_FROM_6, ENTITY, EXT_PREDINFO, Entry, NUMBERS_AS_DOCUMENTED};
use fte::dialect::{Dialect, Readings, Transport};
use fte::dissector::FteDissector;
use fte::extensions::Extensions;
use fte::message::{self, Carrier, Listener};
use fte::state::{Entity, UF_16BIT, UF_EFFECTS, UF_EFFECTS2};
use fte::tap::Tap;
use kit::{
    Container, DecodeError, Delivery, Direction, Dissection, Dissector, Fate, HostId, Oracle, PacketId, Reader, Setup,
    Time, TraceEvent, Writer,
};
use netchan::{MAX_ASSEMBLED_BYTES, Netchan, Qport, Settings, Side, is_out_of_band};
use netquake::constants::{MAX_FRAGMENT_BYTES, MAX_MESSAGE_BYTES};
use netquake::primitives::*;
use netquake::{Channel, ControlPacket, Incoming, MoveForm, Packet, read_command, read_service};
use quakeworld::handshake::{ClientPacket, ServerPacket, Tokens};
use std::io::Cursor;
use std::path::Path;

/// Spans per byte read: a field has a byte, but for empty rests, and a group at least tries to read one.
const SPANS_PER_BYTE: usize = 3;

/// Errors name a field and a place in the input.
pub(super) fn check_error(error: &DecodeError, length: usize) {
    assert!(error.offset <= length && !error.field.is_empty(), "{error}");
    assert!(!error.to_string().is_empty());
}

/// NetQuake: headers, control packets, a channel, services and commands.
pub fn netquake(bytes: &[u8]) {
    let mut r = Reader::new(bytes);
    match Packet::read(&mut r) {
        Ok(packet) => {
            let mut out = Vec::new();
            packet.write(&mut Writer::new(&mut out));
        }
        Err(error) => check_error(&error, bytes.len()),
    }
    if let Err(error) = ControlPacket::read(&mut Reader::new(bytes)) {
        check_error(&error, bytes.len());
    }
    let mut channel = Channel::new(MAX_FRAGMENT_BYTES);
    let (mut input, mut out) = (Input(bytes), Vec::new());
    while let Some((_, datagram)) = input.datagram() {
        match channel.receive(Time::ZERO, datagram) {
            Ok(Incoming::Reliable { message }) => assert!(message.len() <= MAX_MESSAGE_BYTES),
            Ok(_) => {}
            Err(error) => check_error(&error, datagram.len()),
        }
        out.clear();
        channel.poll_transmit(Time::ZERO, &mut out);
    }
    let primitives = [(15, 0), (666, 0), (999, 0x12), (999, 0x8), (999, 0x80)]
        .map(|(protocol, flags)| Primitives::negotiated(protocol, flags, false, BigEntities::Plain));
    let forms = [MoveForm::PLAIN, MoveForm::SHORT_ANGLES, MoveForm::PREDINFO];
    for choice in 0..primitives.len() + forms.len() {
        let mut r = Reader::new(bytes);
        while let Ok(number) = r.u8("message number") {
            let known = match primitives.get(choice) {
                Some(p) => read_service(&mut r, number, p).map(|service| {
                    let mut out = Vec::new();
                    service.iter().for_each(|service| service.write(&mut Writer::new(&mut out), p));
                    service.is_some()
                }),
                None => read_command(&mut r, number, &forms[choice - primitives.len()]).map(|known| known.is_some()),
            };
            match known {
                Ok(true) => {}
                Ok(false) => break,
                Err(error) => {
                    check_error(&error, bytes.len());
                    break;
                }
            }
        }
    }
}

/// The upper bits of a delta's gate that a byte chooses.
fn gate(choice: u8) -> u64 {
    let coord = [0, GATE_COORD24, GATE_COORD_FLOAT, GATE_COORD32][usize::from(choice & 3)];
    let angle = [0, GATE_ANGLE16, GATE_ANGLE_FLOAT, 0][usize::from(choice >> 2 & 3)];
    [EXT_PREDINFO, NUMBERS_AS_DOCUMENTED, ABSLIGHT_FROM_6]
        .into_iter()
        .enumerate()
        .filter(|(bit, _)| choice >> (4 + bit) & 1 != 0)
        .fold(coord | angle, |gate, (_, bit)| gate | bit)
}

/// An entry of an entity update: what was read comes back when it is written.
pub fn fte_delta(bytes: &[u8]) {
    let mut input = Input(bytes);
    let gate = gate(input.u8());
    let mut spans = Vec::new();
    let mut r = Reader::with_spans(input.0, &mut spans);
    let flags = match delta::read_entry(&mut r, gate) {
        Ok(Entry::Update(_, flags)) => flags,
        Ok(_) => return,
        Err(error) => return check_error(&error, input.0.len()),
    };
    let mut entity = Entity::NULL;
    if let Err(error) = delta::read_delta(&mut r, &ENTITY, flags, &Entity::NULL, &mut entity, gate) {
        return check_error(&error, input.0.len());
    }
    assert!(spans.len() <= SPANS_PER_BYTE * (input.0.len() + 1));
    let mut named = flags & !(UF_16BIT | UF_EFFECTS2);
    if flags & UF_EFFECTS2 != 0 {
        named |= UF_EFFECTS;
    }
    let (mut out, mut again) = (Vec::new(), Entity::NULL);
    delta::write_delta(&mut Writer::new(&mut out), &ENTITY, named, &entity, gate);
    let mut r = Reader::new(&out);
    let read = delta::read_flags(&mut r, gate)
        .and_then(|flags| delta::read_delta(&mut r, &ENTITY, flags, &Entity::NULL, &mut again, gate))
        .and_then(|()| r.finish("delta"));
    assert_eq!((read, again), (Ok(()), entity), "flags {named:#x}, gate {gate:#x}");
}

/// A session that a byte chooses.
fn dialect(choice: u8) -> Dialect {
    let transport = if choice & 1 != 0 { Transport::QuakeWorld } else { Transport::NetQuake };
    let fte2 = [0, 0x8, 0x28, 0x20][usize::from(choice >> 1 & 3)];
    let fte1 = if choice & 8 != 0 { PEXT_FLOATCOORDS } else { 0 };
    let (protocol, flags) = [(15, 0), (666, 0), (999, 0x12), (28, 0)][usize::from(choice >> 4 & 3)];
    let readings = Readings {
        numbers_as_documented: choice & 0x40 != 0,
        abslight_from_6: choice & 0x80 != 0,
        trails_as_documented: choice & 0x40 != 0,
        angles_as_documented: choice & 0x80 != 0,
        multi_view: choice & 0x40 != 0,
    };
    Dialect::negotiated(transport, Extensions { fte1, fte2 }, protocol, flags, readings)
}

/// Counts updates: no input has more than it has bytes.
#[derive(Default)]
struct Found {
    messages: usize,
    entries: usize,
}

impl Listener for Found {
    fn entry(&mut self, _: &Carrier, entry: Entry, r: &mut Reader<'_>, dialect: &Dialect) -> Result<bool, DecodeError> {
        self.entries += 1;
        let Entry::Update(_, flags) = entry else { return Ok(false) };
        delta::read_delta(r, &ENTITY, flags, &Entity::NULL, &mut Entity::NULL.clone(), dialect.gate)?;
        Ok(true)
    }

    fn message_ended(&mut self) {
        self.messages += 1;
    }
}

/// A payload, as messages of both directions.
pub fn fte_messages(bytes: &[u8]) {
    let mut input = Input(bytes);
    let mut dialect = dialect(input.u8());
    for direction in [Direction::ClientToServer, Direction::ServerToClient] {
        let carrier = Carrier { direction, reliable: false, sequence: 1, acknowledged: None };
        let (mut found, mut spans) = (Found::default(), Vec::new());
        let mut r = Reader::with_spans(input.0, &mut spans);
        let walked = match direction {
            Direction::ClientToServer => message::walk_commands(&mut r, &dialect, &carrier, &mut found),
            Direction::ServerToClient => {
                message::walk_services(&mut r, &mut dialect, Readings::default(), &carrier, &mut found)
            }
        };
        match walked {
            Ok(()) => assert_eq!(r.left(), 0),
            Err(error) => check_error(&error, input.0.len()),
        }
        assert!(found.messages <= input.0.len() && found.entries <= input.0.len());
        assert!(spans.len() <= SPANS_PER_BYTE * (input.0.len() + 1));
        spans.iter().for_each(|span| drop(span.value(input.0)));
    }
}

/// QuakeWorld's connectionless datagrams and the text forms in them.
pub fn qw_handshake(bytes: &[u8]) {
    let mut out = Vec::new();
    match ServerPacket::read(&mut Reader::new(bytes)) {
        Ok(packet) => packet.write(&mut Writer::new(&mut out)),
        Err(error) => check_error(&error, bytes.len()),
    }
    match ClientPacket::read(&mut Reader::new(bytes)) {
        Ok(packet) => packet.write(&mut Writer::new(&mut out)),
        Err(error) => check_error(&error, bytes.len()),
    }
    let _ = Extensions::read_pext(bytes);
    assert!(Tokens::new(bytes).count() <= quakeworld::handshake::MAX_TOKENS);
}

/// Both ends of a QuakeWorld connection, with and without fragments.
pub fn qw_netchan(bytes: &[u8]) {
    for fragments in [false, true] {
        let ends = [Side::Server(Qport::Short(0)), Side::Client(Qport::Short(7))];
        let mut netchans = ends.map(|side| Netchan::new(side, Settings::quakeworld(300, fragments)));
        let (mut input, mut out) = (Input(bytes), Vec::new());
        while let Some((direction, datagram)) = input.datagram() {
            let netchan = &mut netchans[1 - direction.index()];
            match netchan.receive(datagram) {
                Ok(Some(received)) => assert!(received.payload.len() <= MAX_ASSEMBLED_BYTES.max(datagram.len())),
                Ok(None) => {}
                Err(error) => check_error(&error, datagram.len()),
            }
            if netchan.reliable_idle() {
                netchan.queue_reliable(datagram);
            }
            netchan.set_next_sequence(netchan.incoming_sequence());
            out.clear();
            netchan.transmit(datagram, &mut out);
            while netchan.poll_fragment(&mut out) {}
            let _ = is_out_of_band(&out);
        }
    }
}

/// Datagrams read along: taps and dissectors that know the transport, guess it, or were given extensions.
pub fn dissector(bytes: &[u8]) {
    let mut taps = [
        Tap::new(Transport::NetQuake, Readings { numbers_as_documented: true, ..Readings::default() }),
        Tap::new(Transport::QuakeWorld, Readings::default()),
    ];
    let mut dissectors: Vec<Box<dyn Dissector>> = Vec::new();
    for _ in 0..3 {
        dissectors.push(Box::new(FteDissector::new(None)));
    }
    dissectors.extend(PROTOCOLS.iter().map(|protocol| (protocol.dissector)(None)));
    dissectors[1].assume("NQ,REPLACEMENTDELTAS,PREDINFO").expect("known names");
    dissectors[2].assume("QW,REPLACEMENTDELTAS").expect("known names");
    let (mut input, mut out) = (Input(bytes), Dissection { want_spans: true, ..Dissection::default() });
    while let Some((direction, datagram)) = input.datagram() {
        for tap in &mut taps {
            let read = tap.datagram(direction, datagram, None, &mut Found::default());
            read.err().iter().for_each(|error| assert!(!error.field.is_empty()));
        }
        for dissector in &mut dissectors {
            out.clear();
            dissector.datagram(HostId(1), direction, datagram, &mut out);
            assert!(!out.summary.is_empty(), "{:?} {datagram:02x?}", out.spans);
            for span in &out.spans {
                assert!(span.start <= span.end && span.end <= datagram.len(), "{span}");
                span.value(datagram);
            }
            for (message, spans) in &out.assembled {
                spans.iter().for_each(|span| drop(span.value(message)));
            }
        }
    }
}

/// The oracle receives datagrams that no server or client would send.
pub fn oracle(bytes: &[u8]) {
    let all = PROTOCOLS.iter().flat_map(|protocol| protocol.profiles.iter().map(move |profile| (*protocol, profile)));
    for (protocol, profile) in all {
        let mut oracle: Box<dyn Oracle> = (protocol.oracle)(&Setup::new(protocol, profile));
        let host = HostId(1);
        oracle.on(Time::ZERO, &TraceEvent::Command { host, command: &kit::Command::Connect });
        let (mut input, mut index) = (Input(bytes), [0; 2]);
        while let Some((direction, datagram)) = input.datagram() {
            let index = &mut index[direction.index()];
            let now = Time(u64::from(*index) * 10_000);
            let packet = PacketId { client: host, direction, slot: *index, ordinal: 0, index: *index };
            *index += 1;
            let fate = Fate::Once(Delivery::whole(0));
            oracle.on(now, &TraceEvent::Sent { packet, bytes: datagram, fate, dissection: None });
            oracle.on(now, &TraceEvent::Delivered { packet, copy: 0, bytes: datagram, intact: true });
        }
        oracle.finish(Time(10_000_000));
        oracle.findings().iter().for_each(|finding| assert!(!format!("{finding:?}").is_empty()));
        oracle.covered();
        oracle.remarks();
    }
}

/// Most datagrams of a capture that are looked at.
const MAX_DATAGRAMS: usize = 4096;

/// A capture: a file of any kind, or hex from the command line.
pub fn captures(bytes: &[u8]) {
    let check = |capture: Result<Capture, CaptureError>| {
        let capture = match capture {
            Ok(capture) => capture,
            Err(error) => return assert!(!error.to_string().is_empty()),
        };
        let mut found = 0;
        for datagram in capture.take(MAX_DATAGRAMS) {
            match datagram {
                // What a demo does not have is made for it.
                Ok(datagram) if datagram.demo.is_some() => found += datagram.bytes.len().saturating_sub(HEADER_BYTES),
                Ok(datagram) => found += datagram.bytes.len(),
                Err(error) => assert!(!error.to_string().is_empty()),
            }
        }
        assert!(found <= bytes.len(), "{found} bytes of datagrams in {}", bytes.len());
    };
    if !unpack::is_packed(bytes) {
        check(Capture::from_bytes("input", bytes.to_vec(), &Options::default()));
    }
    let text = String::from_utf8_lossy(bytes);
    let arguments: Vec<&str> = text.split('\n').take(64).collect();
    for argument in &arguments {
        let _ = Capture::looks_like_hex(argument);
    }
    check(Capture::from_hex(1, &arguments, &Options::default()));
}

/// Most bytes that a packed demo may unpack to here.
const MAX_UNPACKED_BYTES: usize = 1 << 16;

/// A demo of each container, which begins where the input does, and the input as a packed file.
pub fn demos(bytes: &[u8]) {
    for container in [Container::Dem, Container::Qwd, Container::Mvd, Container::Dm2] {
        let source = Box::new(Cursor::new(bytes.to_vec()));
        let mut reader = DemoReader::new(source, container, Vec::new());
        let (mut found, mut now, mut unsaid) = (0, None, Unsaid::default());
        while let Some(datagram) = reader.next_message().expect("bytes in memory can be read") {
            found += datagram.datagram.len().saturating_sub(HEADER_BYTES);
            assert!(Some(datagram.time) >= now, "time goes back to {:?}", datagram.time);
            now = Some(datagram.time);
            assert!(unsaid.before(container, &datagram.datagram).iter().all(|(_, bytes)| !bytes.is_empty()));
        }
        assert!(found <= bytes.len(), "{found} bytes of messages in {}", bytes.len());
    }
    if unpack::is_packed(bytes)
        && let Ok(unpacked) = unpack::unpack(bytes, MAX_UNPACKED_BYTES)
    {
        assert!(unpacked.bytes.len() <= MAX_UNPACKED_BYTES);
    }
}

/// A scenario file: a scenario or a diagnostic.
pub fn scenario(bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes);
    if let Err(diagnostic) = deltaproof::scenario::parse("fuzz", Path::new("fuzz.yaml"), &text) {
        assert!(!diagnostic.to_string().is_empty());
    }
}
