//! The codec against recorded traffic of engines.

use kit::{Direction, Reader, Time, Writer};
use netquake::constants::*;
use netquake::fitzquake::{self, Fitz};
use netquake::{
    BigEntities, Channel, ClientCommand, Incoming, MoveForm, Packet, Primitives, Service, is_control, read_command,
    read_service,
};
use testkit::bytes::{Datagram, datagrams};

/// QuakeSpasm-Spiked, plain protocol 15.
const QSS_PROTOCOL_15: &str = "netquake/qss_protocol15";
/// QuakeSpasm-Spiked, plain protocol 666.
const QSS_FITZ_666: &str = "netquake/qss_fitz666";

/// Counts over one recording.
#[derive(Debug, Default, PartialEq, Eq)]
struct Seen {
    datagrams: usize,
    control_packets: usize,
    reliable_messages: usize,
    baselines: usize,
    wide_baselines: usize,
    fast_updates: usize,
    client_data: usize,
    moves: usize,
    strings: usize,
}

/// Decodes a message to its last byte; encoding what was decoded gives the same bytes.
fn check(message: &[u8], from_server: bool, moves: &MoveForm, p: &mut Primitives, seen: &mut Seen) {
    let (mut r, mut out) = (Reader::new(message), Vec::new());
    while r.left() > 0 {
        let mut w = Writer::new(&mut out);
        let number = r.u8("message number").unwrap();
        if from_server {
            let Some(service) = read_service(&mut r, number, p).unwrap() else {
                let service = fitzquake::read_service(&mut r, number, p).unwrap();
                let service = service.unwrap_or_else(|| panic!("service {number}"));
                seen.wide_baselines += usize::from(matches!(service, Fitz::SpawnBaseline { .. }));
                service.write(&mut w, p);
                continue;
            };
            match &service {
                Service::FastUpdate(_) => seen.fast_updates += 1,
                Service::ClientData(_) => seen.client_data += 1,
                Service::SpawnBaseline { .. } => seen.baselines += 1,
                Service::ServerInfo(info) => {
                    *p = Primitives::negotiated(info.protocol, 0, false, BigEntities::Plain);
                }
                _ => {}
            }
            service.write(&mut w, p);
        } else {
            let command = read_command(&mut r, number, moves).unwrap().unwrap_or_else(|| panic!("command {number}"));
            match command {
                ClientCommand::Move(_) => seen.moves += 1,
                ClientCommand::String { .. } => seen.strings += 1,
                _ => {}
            }
            command.write(&mut w, moves);
        }
    }
    assert_eq!(out, message);
}

fn replay(recording: &str, moves: &MoveForm) -> Seen {
    let mut seen = Seen::default();
    let mut p = Primitives::PLAIN;
    let mut receivers = [Channel::new(MAX_FRAGMENT_BYTES), Channel::new(MAX_FRAGMENT_BYTES)];
    for Datagram { direction, bytes: datagram, .. } in datagrams(recording) {
        let from_server = direction == Direction::ServerToClient;
        seen.datagrams += 1;
        let packet = Packet::read(&mut Reader::new(&datagram)).unwrap();
        let mut out = Vec::new();
        packet.write(&mut Writer::new(&mut out));
        assert_eq!(out, datagram);
        if is_control(&datagram) {
            seen.control_packets += 1;
            continue;
        }
        match receivers[usize::from(from_server)].receive(Time::ZERO, &datagram).unwrap() {
            Incoming::Reliable { message } => {
                seen.reliable_messages += 1;
                check(message, from_server, moves, &mut p, &mut seen);
            }
            Incoming::Unreliable { payload, .. } => check(payload, from_server, moves, &mut p, &mut seen),
            Incoming::Nothing | Incoming::Stale { .. } => {}
        }
    }
    seen
}

#[test]
fn a_session_of_protocol_15_is_decoded_and_encoded_to_the_byte() {
    // The recording client sends the moves of protocol 666, for which the server turns it out.
    let seen = Seen {
        datagrams: 120,
        control_packets: 2,
        reliable_messages: 9,
        baselines: 36,
        wide_baselines: 0,
        fast_updates: 24,
        client_data: 2,
        moves: 99,
        strings: 6,
    };
    assert_eq!(replay(QSS_PROTOCOL_15, &MoveForm::SHORT_ANGLES), seen);
}

#[test]
fn a_session_of_protocol_666_is_decoded_and_encoded_to_the_byte() {
    // Of the 36 baselines, one has alpha, and so the new form.
    let seen = Seen {
        datagrams: 214,
        control_packets: 2,
        reliable_messages: 8,
        baselines: 35,
        wide_baselines: 1,
        fast_updates: 3845,
        client_data: 155,
        moves: 42,
        strings: 6,
    };
    assert_eq!(replay(QSS_FITZ_666, &MoveForm::SHORT_ANGLES), seen);
}

/// Reads a message as far as it can be read, and returns whether that was to its end.
fn skim(message: &[u8], from_server: bool) -> bool {
    let mut r = Reader::new(message);
    while r.left() > 0 {
        let at = r.at();
        let known = r.u8("message number").and_then(|number| {
            if from_server {
                read_service(&mut r, number, &Primitives::PLAIN).map(|service| service.is_some())
            } else {
                read_command(&mut r, number, &MoveForm::PREDINFO).map(|command| command.is_some())
            }
        });
        match known {
            Ok(true) => assert!(r.at() > at),
            Ok(false) => return false,
            Err(error) => {
                assert!(error.offset <= message.len() && !error.field.is_empty(), "{error}");
                return false;
            }
        }
    }
    true
}

#[test]
fn damaged_datagrams_are_refused_without_a_panic() {
    let mut state = 7u32;
    let mut roll = |sides: usize| {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        (state >> 8) as usize % sides
    };
    let (mut whole, mut broken) = (0, 0);
    let recorded = datagrams(QSS_PROTOCOL_15);
    for _ in 0..100 {
        for Datagram { direction, bytes: mut datagram, .. } in recorded.iter().cloned() {
            let from_server = direction == Direction::ServerToClient;
            let at = roll(datagram.len());
            datagram[at] ^= 1 << roll(8);
            let accepted = match Channel::new(MAX_FRAGMENT_BYTES).receive(Time::ZERO, &datagram) {
                Ok(Incoming::Reliable { message }) => skim(message, from_server),
                Ok(Incoming::Unreliable { payload, .. }) => skim(payload, from_server),
                Ok(_) => true,
                Err(error) => error.field.is_empty(),
            };
            whole += usize::from(accepted);
            broken += usize::from(!accepted);
        }
    }
    assert!(whole > 1000 && broken > 1000, "{whole} {broken}");
}
