//! What both ends get wrong about their connection.

use super::{client_receives, client_with, of_client, of_server, server_with};
use crate::dissector::Fitz666Dissector;
use crate::requirements::*;
use crate::rules::{Repeated, Rules};
use kit::{Endpoint, Mutant, Setup, Span, Tampered};
use netquake::channel::{Acknowledges, Conduct, Delivers, Heeds, ResendAs, Uses};

const REFERENCE: Conduct = Rules::REFERENCE.conduct;

fn server(setup: &Setup, conduct: Conduct) -> Box<dyn Endpoint> {
    server_with(setup, Rules { conduct, ..Rules::REFERENCE })
}

fn client(setup: &Setup, conduct: Conduct) -> Box<dyn Endpoint> {
    client_with(setup, Rules { conduct, ..Rules::REFERENCE })
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

const RENUMBERED: Conduct = Conduct { resend_as: ResendAs::Next, ..REFERENCE };
const TWO_UNDER_WAY: Conduct = Conduct { under_way: 2, ..REFERENCE };
const SILENT: Conduct = Conduct { acknowledges: Acknowledges::Expected, ..REFERENCE };
const ACKS_WITH_NEXT: Conduct = Conduct { acknowledges: Acknowledges::WithNext, ..REFERENCE };
const STALE_TAKEN: Conduct = Conduct { unreliable: Uses::Every, ..REFERENCE };
const TWICE_DELIVERED: Conduct = Conduct { uses: Uses::Every, ..REFERENCE };
const IN_PIECES: Conduct = Conduct { delivers: Delivers::Fragments, ..REFERENCE };
const ANY_ACK: Conduct = Conduct { heeds: Heeds::Every, ..REFERENCE };

/// The mutants.
pub(super) static MUTANTS: &[Mutant] = &[
    of_server(
        "server-length-little-endian",
        &NET_01,
        "fitz666/encodings",
        "writes the header's length low byte first",
        |setup| headers(setup, server_with(setup, Rules::REFERENCE), little_endian),
    ),
    of_client(
        "client-length-little-endian",
        &NET_01,
        "fitz666/encodings",
        "writes the header's length low byte first",
        |setup| headers(setup, client_with(setup, Rules::REFERENCE), little_endian),
    ),
    of_server(
        "server-length-of-payload",
        &NET_01,
        "fitz666/encodings",
        "does not count the header in the length",
        |setup| headers(setup, server_with(setup, Rules::REFERENCE), without_header),
    ),
    of_client(
        "client-length-of-payload",
        &NET_01,
        "fitz666/encodings",
        "does not count the header in the length",
        |setup| headers(setup, client_with(setup, Rules::REFERENCE), without_header),
    ),
    of_server(
        "server-takes-stale",
        &NET_02,
        "fitz666/unreliable-duplicated",
        "applies old unreliable messages",
        |setup| server(setup, STALE_TAKEN),
    ),
    of_client(
        "client-takes-stale",
        &NET_02,
        "fitz666/unreliable-duplicated",
        "applies old unreliable messages",
        |setup| client(setup, STALE_TAKEN),
    ),
    of_server(
        "server-silent-on-duplicates",
        &NET_03,
        "fitz666/acks-lost",
        "acknowledges what it expects alone",
        |setup| server(setup, SILENT),
    ),
    of_client(
        "client-silent-on-duplicates",
        &NET_03,
        "fitz666/acks-lost",
        "acknowledges what it expects alone",
        |setup| client(setup, SILENT),
    ),
    of_server(
        "server-acks-with-next",
        &NET_03,
        "fitz666/acks-lost",
        "acknowledges with the number that comes next",
        |setup| server(setup, ACKS_WITH_NEXT),
    ),
    of_client(
        "client-acks-with-next",
        &NET_03,
        "fitz666/acks-lost",
        "acknowledges with the number that comes next",
        |setup| client(setup, ACKS_WITH_NEXT),
    ),
    of_server(
        "server-renumbers",
        &NET_04,
        "fitz666/acks-lost",
        "sends a fragment again under the next number",
        |setup| server(setup, RENUMBERED),
    ),
    of_client(
        "client-renumbers",
        &NET_04,
        "fitz666/acks-lost",
        "sends a fragment again under the next number",
        |setup| client(setup, RENUMBERED),
    ),
    of_server(
        "server-two-under-way",
        &NET_05,
        "fitz666/fragments",
        "does not wait for an ack with every second fragment",
        |setup| server(setup, TWO_UNDER_WAY),
    ),
    of_client(
        "client-two-under-way",
        &NET_05,
        "fitz666/fragments",
        "does not wait for an ack with every second fragment",
        |setup| client(setup, TWO_UNDER_WAY),
    ),
    of_server("server-delivers-pieces", &NET_06, "fitz666/fragments", "takes every fragment for a message", |setup| {
        server(setup, IN_PIECES)
    }),
    of_client("client-delivers-pieces", &NET_06, "fitz666/fragments", "takes every fragment for a message", |setup| {
        client(setup, IN_PIECES)
    }),
    of_client(
        "client-delivers-twice",
        &NET_06,
        "fitz666/prints-repeated",
        "takes a repeated fragment for another",
        |setup| client(setup, TWICE_DELIVERED),
    ),
    of_server(
        "server-heeds-any-ack",
        &NET_07,
        "fitz666/stale-acks",
        "takes any ack for that of its fragment",
        |setup| server(setup, ANY_ACK),
    ),
    of_client(
        "client-heeds-any-ack",
        &NET_07,
        "fitz666/stale-acks",
        "takes any ack for that of its fragment",
        |setup| client(setup, ANY_ACK),
    ),
    of_server(
        "repeated-request-refused",
        &NET_08,
        "fitz666/requests-repeated",
        "refuses a request that comes again",
        |setup| server_with(setup, Rules { repeated: Repeated::Refused, ..Rules::REFERENCE }),
    ),
    of_server(
        "repeated-request-restarts",
        &NET_08,
        "fitz666/requests-repeated",
        "begins anew when a request comes again",
        |setup| server_with(setup, Rules { repeated: Repeated::Restarted, ..Rules::REFERENCE }),
    ),
    of_client("old-port-kept", &NET_09, "fitz666/port-given", "goes on with the port that it asked", |setup| {
        client_receives(setup, |packet| {
            for span in packet.fields("port").collect::<Vec<&Span>>() {
                packet.set(span, 0);
            }
        })
    }),
];
