//! R1Q2's decoders, and those of the protocol 34 that it grew from.

use super::input::Input;
use super::targets::check_error;
use kit::{DecodeError, Direction, Reader, Writer};
use netchan::{Netchan, Qport, Resend, Settings, Side};
use r1q2::wire::command::Command;
use r1q2::wire::constants::*;
use r1q2::wire::deflate::{self, MAX_INFLATED_BYTES, MAX_INFLATED_PER_DATAGRAM};
use r1q2::wire::delta::Entry;
use r1q2::wire::dialect::{Dialect, Readings};
use r1q2::wire::handshake::{self, ClientPacket, MAX_KEYS, MAX_TOKENS, ServerPacket, Tokens};
use r1q2::wire::message::{Carrier, Listener, Walk};
use r1q2::wire::service::Service;
use std::mem::discriminant;

/// Least bytes that a datagram of these netchans may have.
const DATAGRAM_BYTES: usize = 300;

/// Counts what is found.
#[derive(Default)]
struct Found {
    messages: usize,
    entries: usize,
    inflated: usize,
}

impl Listener for Found {
    fn service(&mut self, _: &Carrier, service: &Service<'_>) {
        let mut out = Vec::new();
        service.write(&mut Writer::new(&mut out));
        assert!(!out.is_empty());
    }

    fn entry(&mut self, _: &Carrier, _: Entry, _: &mut Reader<'_>, _: &Dialect) -> Result<bool, DecodeError> {
        self.entries += 1;
        Ok(false)
    }

    fn zpacket(&mut self, _: &Carrier, _: &[u8], plain: &[u8]) {
        self.inflated += plain.len();
    }

    fn command(&mut self, _: &Carrier, _: &Command<'_>) {
        self.messages += 1;
    }

    fn message_ended(&mut self, _: &Carrier, _: usize, _: &Reader<'_>) {
        self.messages += 1;
    }
}

/// A payload, as messages of both directions, in the dialect that the first byte chooses.
pub fn messages(bytes: &[u8]) {
    let mut input = Input(bytes);
    let choice = input.u8();
    let minor = MINOR_SOURCE + u16::from(choice >> 1) % (1 + MINOR_SOLID - MINOR_SOURCE);
    let spoken = if choice & 1 == 0 { Dialect::ORIGINAL } else { Dialect::r1q2(minor) };
    let spoken = spoken.with(Readings { beam_of_new_state: choice & 0x80 != 0 });
    let payload = input.0;
    for direction in [Direction::ClientToServer, Direction::ServerToClient] {
        let carrier = Carrier { direction, reliable: false, sequence: 1, acknowledged: 0, nesting: 0 };
        let (mut dialect, mut found) = (spoken, Found::default());
        let mut walk = Walk::new(&mut dialect, carrier, &mut found);
        let mut r = Reader::new(payload);
        let walked = match direction {
            Direction::ClientToServer => walk.commands(&mut r),
            Direction::ServerToClient => walk.services(&mut r),
        };
        match walked {
            Ok(()) => assert_eq!(r.left(), 0),
            // A place inside a zpacket is counted in what it stands for.
            Err(error) => check_error(&error, payload.len().max(MAX_INFLATED_BYTES)),
        }
        assert!(found.inflated <= MAX_INFLATED_PER_DATAGRAM);
        let said = 2 * (payload.len() + found.inflated);
        assert!(found.messages <= said && found.entries <= said);
    }
}

/// Datagrams that belong to no connection, and the texts in them.
pub fn handshake(bytes: &[u8]) {
    let mut out = Vec::new();
    match ServerPacket::read(&mut Reader::new(bytes)) {
        Ok(packet) => {
            packet.write(&mut Writer::new(&mut out));
            let again = ServerPacket::read(&mut Reader::new(&out)).expect("it was written");
            assert_eq!(discriminant(&again), discriminant(&packet));
        }
        Err(error) => check_error(&error, bytes.len()),
    }
    out.clear();
    match ClientPacket::read(&mut Reader::new(bytes)) {
        Ok(packet) => {
            packet.write(&mut Writer::new(&mut out));
            let again = ClientPacket::read(&mut Reader::new(&out)).expect("it was written");
            assert_eq!(discriminant(&again), discriminant(&packet));
        }
        Err(error) => check_error(&error, bytes.len()),
    }
    assert!(Tokens::new(bytes).count() <= MAX_TOKENS);
    assert!(handshake::keys(bytes).count() <= MAX_KEYS);
    let _ = handshake::is_valid_userinfo(bytes);
}

/// Both ends of a connection, with every width of the qport.
pub fn netchan(bytes: &[u8]) {
    for (qport, resend) in [
        (Qport::Short(0x1234), Resend::OneLater),
        (Qport::Byte(7), Resend::AfterCarrier),
        (Qport::Absent, Resend::OneLater),
    ] {
        let mut netchans = [Side::Server(qport), Side::Client(qport)]
            .map(|side| Netchan::new(side, Settings::quake2(DATAGRAM_BYTES, resend)));
        let (mut input, mut out) = (Input(bytes), Vec::new());
        while let Some((direction, datagram)) = input.datagram() {
            let netchan = &mut netchans[1 - direction.index()];
            match netchan.receive(datagram) {
                Ok(Some(received)) => assert!(received.payload.len() < datagram.len()),
                Ok(None) => {}
                Err(error) => check_error(&error, datagram.len()),
            }
            if netchan.reliable_idle() && datagram.len() <= netchan.payload_bytes() {
                netchan.queue_reliable(datagram);
            }
            out.clear();
            netchan.transmit(datagram, &mut out);
            assert!(out.len() <= DATAGRAM_BYTES);
        }
    }
}

/// A length and compressed bytes.
pub fn deflate(bytes: &[u8]) {
    let mut input = Input(bytes);
    let length = usize::from(input.u16());
    let (mut plain, mut packed, mut again) = (Vec::new(), Vec::new(), Vec::new());
    let inflated = deflate::inflate(input.0, length, &mut plain);
    assert!(plain.len() <= length + 1);
    if inflated.is_ok() {
        assert_eq!(plain.len(), length);
        deflate::deflate(&plain, &mut packed);
        assert_eq!((deflate::inflate(&packed, length, &mut again), again), (Ok(()), plain));
    }
}
