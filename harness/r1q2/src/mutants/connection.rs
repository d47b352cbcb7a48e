//! Ends that connect wrongly, or break the connection's own rules.

use super::{client_sends, client_with, of_client, of_server, server_sends};
use crate::machine::game::ClientRules;
use crate::requirements::*;
use crate::wire::constants::*;
use crate::wire::handshake::{ClientPacket, Connect, Tail, announced};
use kit::{Endpoint, Mutant, Reader, Setup, Writer};
use netchan::Qport;

/// The sign bit of a sequence's long: the block, or the echo of one.
const RELIABLE: u64 = 1 << 31;

/// A client whose connects are changed.
fn connects(setup: &Setup, change: fn(&mut Connect<'_>)) -> Box<dyn Endpoint> {
    client_sends(setup, move |packet| {
        if let Ok(ClientPacket::Connect(mut connect)) = ClientPacket::read(&mut Reader::new(packet.bytes)) {
            change(&mut connect);
            let mut changed = Vec::new();
            ClientPacket::Connect(connect).write(&mut Writer::new(&mut changed));
            packet.replace(0..packet.bytes.len(), &changed);
        }
    })
}

/// Ends that connect wrongly, or break the connection's own rules.
pub(super) const MUTANTS: &[Mutant] = &[
    of_client("qport-of-two-bytes", &QPORT_01, "r1q2/clean", "puts its number into two bytes", |setup| {
        client_with(setup, ClientRules { qport: |_, qport| Qport::Short(qport as u16), ..ClientRules::REFERENCE })
    }),
    of_client("no-qport-as-a-byte", &QPORT_03, "r1q2/unnumbered", "sends number 0 as a byte", |setup| {
        let qport = |protocol, qport| match announced(protocol, qport) {
            Qport::Absent => Qport::Byte(0),
            other => other,
        };
        client_with(setup, ClientRules { qport, ..ClientRules::REFERENCE })
    }),
    of_client("another-qport", &QPORT_08, "r1q2/clean", "has another number in its connect", |setup| {
        connects(setup, |connect| connect.qport = connect.qport % 255 + 1)
    }),
    of_client("qport-of-16-bits", &QPORT_08, "r1q2/clean", "has a number above 255 in its connect", |setup| {
        connects(setup, |connect| connect.qport += 0x100)
    }),
    of_client("chooses-34", &GEN_02, "r1q2/clean", "connects over protocol 34 although its user set 35", |setup| {
        connects(setup, |connect| (connect.protocol, connect.tail) = (PROTOCOL_ORIGINAL, Tail::default()))
    }),
    of_client("asks-for-no-rate", &GEN_02, "r1q2/low-rate", "says nothing of the rate that its user set", |setup| {
        client_sends(setup, |packet| {
            packet.replace_text(b"\\rate\\", b"\\pace\\");
        })
    }),
    of_client("no-length", &CON_01, "r1q2/clean", "leaves the length out of its connect", |setup| {
        connects(setup, |connect| connect.tail = Tail::default())
    }),
    of_client(
        "states-no-revision",
        &GEN_02,
        "r1q2/spectators-compact-clean",
        "leaves its revision out of its connect",
        |setup| connects(setup, |connect| connect.tail.minor = None),
    ),
    of_client("quoted-length", &CON_01, "r1q2/clean", "puts the length into quotes", |setup| {
        client_sends(setup, |packet| {
            packet.replace_text(b"\" 1390", b"\" \"1390\"");
        })
    }),
    of_client("length-over-34", &CON_02, "r1q2/clean", "asks for a length over protocol 34, too", |setup| {
        client_sends(setup, |packet| {
            let original = packet.bytes.get(4..).is_some_and(|text| text.starts_with(b"connect 34 "));
            if original {
                packet.replace_text(b"\"\n", b"\" 1390\n");
            }
        })
    }),
    of_client(
        "greedy-length",
        &LEN_04,
        "r1q2/clean",
        "asks for the maximum length although its user does not",
        |setup| connects(setup, |connect| connect.tail.max_length = Some(MAX_PAYLOAD)),
    ),
    of_client("goes-on", &SD_03, "r1q2/other-revision", "stays in the session at another revision", |setup| {
        client_with(setup, ClientRules { fallback: None, ..ClientRules::REFERENCE })
    }),
    of_client("comes-back-over-35", &SD_03, "r1q2/other-revision", "comes back over protocol 35", |setup| {
        client_with(setup, ClientRules { fallback: Some(PROTOCOL_R1Q2), ..ClientRules::REFERENCE })
    }),
    of_client(
        "keeps-its-byte",
        &SD_04,
        "r1q2/other-revision",
        "keeps its number in one byte after it came back over protocol 34",
        |setup| {
            client_with(setup, ClientRules { qport: |_, qport| Qport::Byte(qport as u8), ..ClientRules::REFERENCE })
        },
    ),
    of_client("never-echoes", &GEN_02, "r1q2/clean", "does not echo the reliable blocks that it received", |setup| {
        client_sends(setup, |packet| {
            if let Some(acknowledged) = packet.fields("acknowledged").next() {
                let value = packet.value(acknowledged);
                packet.set(acknowledged, value & !RELIABLE);
            }
        })
    }),
    of_server("acknowledges-ahead", &GEN_02, "r1q2/clean", "acknowledges the datagram that comes next", |setup| {
        server_sends(setup, |packet| {
            if let Some(acknowledged) = packet.fields("acknowledged").next() {
                let value = packet.value(acknowledged);
                packet.set(acknowledged, value + 1);
            }
        })
    }),
    of_client("acknowledges-the-next", &GEN_02, "r1q2/clean", "acknowledges the frame that comes next", |setup| {
        client_sends(setup, |packet| {
            if let Some(frame) = packet.fields("lastframe").next() {
                let value = packet.value(frame);
                if value as i32 > 0 {
                    packet.set(frame, value + 1);
                }
            }
        })
    }),
];
