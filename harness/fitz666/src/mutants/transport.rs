//! What both ends get wrong about their connection.

use super::{
    bytes_of, client_receives, client_sends, client_with, of_client, of_server, server_receives, server_sends,
    server_with,
};
use crate::dissector::Fitz666Dissector;
use crate::game::rules::ClientRules;
use crate::requirements::*;
use crate::session::rules::ServerRules;
use kit::named::{count, joined};
use kit::{Endpoint, Mutant, Packet, PeerId, Reader, Requirement, Setup, Span, Tampered, Time};
use netquake::channel::Conduct;
use netquake::constants::HEADER_BYTES;
use netquake::{ControlPacket, Packet as Datagram};
use std::collections::{BTreeMap, BTreeSet};

const REFERENCE: Conduct = ClientRules::REFERENCE.conduct;

fn server(setup: &Setup, conduct: Conduct) -> Box<dyn Endpoint> {
    server_with(setup, ServerRules { conduct, ..ServerRules::REFERENCE })
}

fn client(setup: &Setup, conduct: Conduct) -> Box<dyn Endpoint> {
    client_with(setup, ClientRules { conduct, ..ClientRules::REFERENCE })
}

/// An endpoint that writes the headers of its connection otherwise: what `change` makes of the long with the length.
fn headers(setup: &Setup, endpoint: Box<dyn Endpoint>, change: fn([u8; 4]) -> [u8; 4]) -> Box<dyn Endpoint> {
    let dissector = Box::new(Fitz666Dissector::new(Some(setup)));
    let tampered = Tampered::new(endpoint, setup.host, dissector, |_| {});
    Box::new(tampered.outgoing(move |packet| {
        if let (false, Some(word)) = (netquake::is_control(packet.bytes), packet.bytes.first_chunk()) {
            packet.replace(0..4, &change(*word));
        }
    }))
}

fn little_endian(word: [u8; 4]) -> [u8; 4] {
    u32::from_be_bytes(word).to_le_bytes()
}

fn without_header(word: [u8; 4]) -> [u8; 4] {
    u32::from_be_bytes(word).wrapping_sub(8).to_be_bytes()
}

const RENUMBERED: Conduct = Conduct { resend_as: |sequence| sequence.wrapping_add(1), ..REFERENCE };
const ANY_ACK: Conduct = Conduct { heeds: |_, _| true, ..REFERENCE };
const TWICE_DELIVERED: Conduct = Conduct { uses: |_, _| true, ..REFERENCE };

pub(super) fn read<'a>(packet: &Packet<'a>) -> Option<Datagram<'a>> {
    Datagram::read(&mut Reader::new(packet.bytes)).ok()
}

fn renumber(packet: &mut Packet<'_>, sequence: u32) {
    packet.replace(4..HEADER_BYTES, &sequence.to_be_bytes());
}

/// Drops the acks of what was acknowledged before.
fn acks_once() -> impl FnMut(&mut Packet<'_>) {
    let mut next = BTreeMap::new();
    move |packet| {
        if let Some(Datagram::Ack { sequence }) = read(packet) {
            let next = next.entry(packet.client).or_insert(0);
            if sequence < *next {
                packet.discard();
            } else {
                *next = sequence + 1;
            }
        }
    }
}

/// Acknowledges with the number that comes next.
fn acks_with_next(packet: &mut Packet<'_>) {
    if let Some(Datagram::Ack { sequence }) = read(packet) {
        renumber(packet, sequence.wrapping_add(1));
    }
}

/// Numbers unreliable messages as they arrive, so that none is stale.
fn never_stale() -> impl FnMut(&mut Packet<'_>) {
    let mut count = 0;
    move |packet| {
        if let Some(Datagram::Unreliable { .. }) = read(packet) {
            renumber(packet, count);
            count += 1;
        }
    }
}

/// Makes every fragment a message.
fn in_pieces(packet: &mut Packet<'_>) {
    if let Some(Datagram::Data { sequence, payload, .. }) = read(packet) {
        let whole = Datagram::Data { sequence, end: true, payload };
        packet.replace(0..packet.bytes.len(), &bytes_of(|w| whole.write(w)));
    }
}

/// An endpoint that takes every second fragment of a message, from the first on, for acknowledged when it sends it.
struct TwoUnderWay {
    inner: Box<dyn Endpoint>,
    /// Whether the next fragment is one that it waits for.
    waits: bool,
}

impl TwoUnderWay {
    fn of(inner: Box<dyn Endpoint>) -> Box<dyn Endpoint> {
        Box::new(TwoUnderWay { inner, waits: false })
    }
}

impl Endpoint for TwoUnderWay {
    kit::pass_on!(inner: handle_command handle_datagram handle_timeout poll_event poll_timeout observe);

    fn poll_transmit(&mut self, now: Time, out: &mut Vec<u8>) -> Option<PeerId> {
        let before = out.len();
        let to = self.inner.poll_transmit(now, out)?;
        let sent = out.get(before..).unwrap_or_default();
        if let Ok(Datagram::Data { sequence, end, .. }) = Datagram::read(&mut Reader::new(sent)) {
            if !end && !self.waits {
                self.inner.handle_datagram(now, to, &bytes_of(|w| Datagram::Ack { sequence }.write(w)));
            }
            self.waits = !end && !self.waits;
        }
        Some(to)
    }
}

/// The same error at the server, and at the client.
const fn both(
    [server_name, client_name]: [&'static str; 2],
    caught_by: &'static Requirement,
    scenario: &'static str,
    differs: &'static str,
    server: fn(&Setup) -> Box<dyn Endpoint>,
    client: fn(&Setup) -> Box<dyn Endpoint>,
) -> [Mutant; 2] {
    [
        of_server(server_name, caught_by, scenario, differs, server),
        of_client(client_name, caught_by, scenario, differs, client),
    ]
}

pub(super) static MUTANTS: &[Mutant] = &const { joined::<Mutant, { count(GROUPS) }>(GROUPS) };

const GROUPS: &[&[Mutant]] = &[
    &both(
        ["server-length-little-endian", "client-length-little-endian"],
        &NET_01,
        "fitz666/encodings",
        "writes the header's length low byte first",
        |setup| headers(setup, server_with(setup, ServerRules::REFERENCE), little_endian),
        |setup| headers(setup, client_with(setup, ClientRules::REFERENCE), little_endian),
    ),
    &both(
        ["server-length-of-payload", "client-length-of-payload"],
        &NET_01,
        "fitz666/encodings",
        "does not count the header in the length",
        |setup| headers(setup, server_with(setup, ServerRules::REFERENCE), without_header),
        |setup| headers(setup, client_with(setup, ClientRules::REFERENCE), without_header),
    ),
    &both(
        ["server-takes-stale", "client-takes-stale"],
        &NET_02,
        "fitz666/unreliable-duplicated",
        "applies old unreliable messages",
        |setup| server_receives(setup, never_stale()),
        |setup| client_receives(setup, never_stale()),
    ),
    &both(
        ["server-silent-on-duplicates", "client-silent-on-duplicates"],
        &NET_03,
        "fitz666/acks-lost",
        "acknowledges what it expects alone",
        |setup| server_sends(setup, acks_once()),
        |setup| client_sends(setup, acks_once()),
    ),
    &both(
        ["server-acks-with-next", "client-acks-with-next"],
        &NET_03,
        "fitz666/acks-lost",
        "acknowledges with the number that comes next",
        |setup| server_sends(setup, acks_with_next),
        |setup| client_sends(setup, acks_with_next),
    ),
    &both(
        ["server-renumbers", "client-renumbers"],
        &NET_04,
        "fitz666/acks-lost",
        "sends a fragment again under the next number",
        |setup| server(setup, RENUMBERED),
        |setup| client(setup, RENUMBERED),
    ),
    &both(
        ["server-two-under-way", "client-two-under-way"],
        &NET_05,
        "fitz666/fragments",
        "does not wait for an ack with every second fragment",
        |setup| TwoUnderWay::of(server_with(setup, ServerRules::REFERENCE)),
        |setup| TwoUnderWay::of(client_with(setup, ClientRules::REFERENCE)),
    ),
    &both(
        ["server-delivers-pieces", "client-delivers-pieces"],
        &NET_06,
        "fitz666/fragments",
        "takes every fragment for a message",
        |setup| server_receives(setup, in_pieces),
        |setup| client_receives(setup, in_pieces),
    ),
    &[of_client(
        "client-delivers-twice",
        &NET_06,
        "fitz666/prints-repeated",
        "takes a repeated fragment for another",
        |setup| client(setup, TWICE_DELIVERED),
    )],
    &both(
        ["server-heeds-any-ack", "client-heeds-any-ack"],
        &NET_07,
        "fitz666/stale-acks",
        "takes any ack for that of its fragment",
        |setup| server(setup, ANY_ACK),
        |setup| client(setup, ANY_ACK),
    ),
    &[
        of_server(
            "repeated-request-refused",
            &NET_08,
            "fitz666/requests-repeated",
            "refuses a request that comes again",
            |setup| {
                let mut accepted = BTreeSet::new();
                server_sends(setup, move |packet| {
                    let accept = matches!(read(packet), Some(Datagram::Control(ControlPacket::Accept { .. })));
                    if accept && !accepted.insert(packet.client) {
                        let refusal = ControlPacket::Reject { reason: b"Server is full.\n" };
                        packet.replace(0..packet.bytes.len(), &bytes_of(|w| refusal.write(w)));
                    }
                })
            },
        ),
        of_server(
            "repeated-request-restarts",
            &NET_08,
            "fitz666/requests-repeated",
            "ends the session when a request comes again, so that the next one begins another",
            |setup| server_with(setup, ServerRules { repeat_us: 0, ..ServerRules::REFERENCE }),
        ),
        of_client("old-port-kept", &NET_09, "fitz666/port-given", "goes on with the port that it asked", |setup| {
            client_receives(setup, |packet| {
                for span in packet.fields("port").collect::<Vec<&Span>>() {
                    packet.set(span, 0);
                }
            })
        }),
    ],
];
