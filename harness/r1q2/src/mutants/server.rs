//! What a server decides wrongly.

use super::wire::{frame_of, frames};
use super::{of_server, server_sends, server_with};
use crate::machine::admission::length;
use crate::machine::configstrings::configstrings;
use crate::machine::latitude::Latitude;
use crate::machine::sender::{Sender, Sent, ServerRules, changes};
use crate::requirements::*;
use crate::wire::constants::*;
use crate::wire::deflate::deflate;
use crate::wire::dialect::Dialect;
use crate::wire::handshake::Connect;
use crate::wire::message::pack;
use crate::wire::state::Entity;
use kit::{Mutant, Writer};
use netchan::Qport;

const REFERENCE: ServerRules = ServerRules::REFERENCE;

/// What comes of the acknowledgement of a frame that does not exist yet: the rest of the distance in five bits.
fn in_five_bits(sender: &Sender, number: i32, age: i32) -> Option<(i32, &Sent)> {
    let (base, sent) = sender.acknowledged_slot(number, age)?;
    let named = if base > number { number - (number.wrapping_sub(base) & NO_DELTA_OFFSET as i32) } else { base };
    Some((named, sent))
}

/// What stands where the frame that was acknowledged last stood in a history of sixteen.
fn in_sixteen_slots(sender: &Sender, number: i32, age: i32) -> Option<(i32, &Sent)> {
    let (base, sent) = sender.acknowledged_slot(number, age)?;
    Some((base, sender.held(base.wrapping_add(UPDATE_BACKUP as i32)).unwrap_or(sent)))
}

/// Compresses over protocol 35 even what becomes longer.
pub(crate) fn pack_always(protocol: u32, plain: &[u8], out: &mut Vec<u8>) -> bool {
    if protocol != PROTOCOL_R1Q2 || pack(protocol, plain, out) {
        return protocol == PROTOCOL_R1Q2;
    }
    let (mut w, mut packed) = (Writer::new(out), Vec::new());
    deflate(plain, &mut packed);
    w.u8("svc", SVC_ZPACKET);
    w.u16("compressed length", packed.len() as u16);
    w.u16("uncompressed length", plain.len() as u16);
    w.bytes("compressed data", &packed);
    true
}

/// A length over protocol 34 as it should be, and another one over protocol 35.
fn length_over_35(connect: &Connect<'_>, latitude: &Latitude, other: fn(usize) -> Option<usize>) -> Option<usize> {
    let right = length(connect, latitude)?;
    if connect.protocol == PROTOCOL_ORIGINAL { Some(right) } else { other(right) }
}

pub(super) static MUTANTS: &[Mutant] = &[
    of_server(
        "server-skips-two-bytes",
        &QPORT_02,
        "r1q2/clean",
        "skips two bytes for a client's number over protocol 35, too",
        |setup| server_with(setup, ServerRules { qport: |_, qport| Qport::Short(qport as u16), ..REFERENCE }),
    ),
    of_server(
        "server-always-skips-a-byte",
        &QPORT_04,
        "r1q2/unnumbered",
        "skips a byte over protocol 35 although the client has number 0",
        |setup| {
            let qport = |protocol, qport: u32| match protocol {
                PROTOCOL_ORIGINAL => Qport::Short(qport as u16),
                _ => Qport::Byte(qport as u8),
            };
            server_with(setup, ServerRules { qport, ..REFERENCE })
        },
    ),
    of_server("server-knows-ports-alone", &QPORT_05, "r1q2/rebound", "knows clients by their ports", |setup| {
        server_with(setup, ServerRules { known_by_port: |_| true, ..REFERENCE })
    }),
    of_server(
        "server-mixes-up-unnumbered",
        &QPORT_06,
        "r1q2/unnumbered",
        "knows clients without a number by their address alone",
        |setup| server_with(setup, ServerRules { known_by_port: |_| false, ..REFERENCE }),
    )
    .same_bug_as("R1Q2 b5183"),
    of_server("zpackets-for-all", &ZPKT_08, "r1q2/clean", "sends zpackets over protocol 34, too", |setup| {
        server_with(setup, ServerRules { pack: |_, plain, out| pack(PROTOCOL_R1Q2, plain, out), ..REFERENCE })
    }),
    of_server(
        "zpackets-always",
        &ZPKT_09,
        "r1q2/frames-compressed",
        "compresses whatever it may, even if that makes it longer",
        |setup| server_with(setup, ServerRules { pack: pack_always, ..REFERENCE }),
    ),
    of_server(
        "builds-on-what-is-forgotten",
        &FRM_04,
        "r1q2/acks-lost",
        "builds on a frame that was acknowledged long ago, although another has taken its place",
        |setup| {
            let latitude = Latitude { base_age: Some(NO_DELTA_OFFSET as i32), ..Latitude::REFERENCE };
            server_with(setup, ServerRules { base: in_sixteen_slots, latitude, ..REFERENCE })
        },
    ),
    of_server(
        "believes-the-future",
        &FRM_04,
        "r1q2/acks-ahead",
        "builds on a frame that does not exist yet because its client acknowledges it",
        |setup| {
            let acknowledge = |sender: &mut Sender, frame: i32, _: &Latitude| sender.acknowledged = frame.max(0);
            server_with(setup, ServerRules { acknowledge, base: in_five_bits, ..REFERENCE })
        },
    )
    .same_bug_as("R1Q2 b8012"),
    of_server(
        "suppress-always-zero",
        &FRM_06,
        "r1q2/low-rate",
        "clears the count of frames held back before it writes it",
        |setup| frames(setup, |packet, [_, _, suppress]| packet.set(suppress, packet.value(suppress) & 0xf0)),
    )
    .same_bug_as("R1Q2 b5183"),
    of_server(
        "configstrings-stay",
        &GEN_02,
        "r1q2/borders",
        "begins a map with the configstrings that the map before had at its end",
        |setup| {
            let configstrings = |level: &_, before: Vec<_>| match before.is_empty() {
                true => configstrings(level, before),
                false => before,
            };
            server_with(setup, ServerRules { configstrings, ..REFERENCE })
        },
    ),
    of_server(
        "suppress-runs-over",
        &FRM_05,
        "r1q2/old-bases",
        "lets a count of more than four bits run into the flags",
        |setup| {
            let mut last = None;
            server_sends(setup, move |packet| {
                if let Some([_, number, suppress]) = frame_of(packet) {
                    let number = packet.value(number) & u64::from(FRAME_NUMBER);
                    let next = last.replace(number).map_or(number, |last| last + 1);
                    let count = number.saturating_sub(next);
                    packet.set(suppress, packet.value(suppress) & 0xf0 | count & 0xff);
                }
            })
        },
    )
    .same_bug_as("R1Q2"),
    of_server("suppress-goes-on", &FRM_06, "r1q2/low-rate", "never clears the count of frames held back", |setup| {
        let mut counted = 0;
        server_sends(setup, move |packet| {
            if let Some([_, _, suppress]) = frame_of(packet) {
                let byte = packet.value(suppress);
                counted = (counted + (byte & 0xf)).min(0xf);
                packet.set(suppress, byte & 0xf0 | counted);
            }
        })
    }),
    of_server(
        "player-on-newest",
        &PS_09,
        "r1q2/bad",
        "writes a player state as a change of the newest one, whatever the frame builds on",
        |setup| server_with(setup, ServerRules { player_base: |_, newest| *newest, ..REFERENCE }),
    ),
    of_server("beams-sent-once", &ENT_04, "r1q2/clean", "never sends the far end of a beam again", |setup| {
        let changes = |known: Option<&Entity>, from: &_, now: &_, dialect: &Dialect, latitude: &_| {
            let bits = changes(known, from, now, dialect, latitude);
            if known.is_some_and(Entity::is_beam) && dialect.is_r1q2() { bits & !U_OLDORIGIN } else { bits }
        };
        server_with(setup, ServerRules { changes, ..REFERENCE })
    }),
    of_server("beams-rest-over-34", &ENT_04, "r1q2/clean", "sends no far end again over protocol 34", |setup| {
        let changes = |known: Option<&Entity>, from: &_, now: &_, dialect: &Dialect, latitude: &_| {
            let bits = changes(known, from, now, dialect, latitude);
            if known.is_some_and(Entity::is_beam) && !dialect.is_r1q2() { bits & !U_OLDORIGIN } else { bits }
        };
        server_with(setup, ServerRules { changes, ..REFERENCE })
    }),
    of_server("long-over-34", &LEN_02, "r1q2/lengths", "sends 4096 bytes over protocol 34, too", |setup| {
        let length = |connect: &Connect<'_>, latitude: &_| match connect.protocol {
            PROTOCOL_ORIGINAL => Some(MAX_MSGLEN),
            _ => length(connect, latitude),
        };
        server_with(setup, ServerRules { length, ..REFERENCE })
    }),
    of_server("length-ignored", &LEN_03, "r1q2/lengths", "ignores the length asked for", |setup| {
        let length = |connect: &Connect<'_>, latitude: &_| length_over_35(connect, latitude, |_| Some(MAX_MSGLEN));
        server_with(setup, ServerRules { length, ..REFERENCE })
    }),
    of_server("no-length-refused", &CON_03, "r1q2/no-length", "refuses a connect without a length", |setup| {
        let length = |connect: &Connect<'_>, latitude: &_| {
            let refused = connect.protocol == PROTOCOL_R1Q2 && connect.tail.max_length.is_none();
            length(connect, latitude).filter(|_| !refused)
        };
        server_with(setup, ServerRules { length, ..REFERENCE })
    }),
    of_server("most-refused", &LEN_05, "r1q2/most", "refuses a client that asks for the maximum", |setup| {
        let length = |connect: &Connect<'_>, latitude: &_| {
            length_over_35(connect, latitude, |right| Some(right).filter(|right| *right < MAX_PAYLOAD as usize))
        };
        server_with(setup, ServerRules { length, ..REFERENCE })
    }),
    of_server("spectators-as-ever", &MOV_01, "r1q2/spectators", "lets no spectator fly twice as far", |setup| {
        server_with(setup, ServerRules { command_time: |_, _| 1, ..REFERENCE })
    }),
    of_server(
        "all-twice-as-far",
        &MOV_01,
        "r1q2/clean",
        "lets walking players over protocol 35 move twice as far, too",
        |setup| {
            let command_time = |protocol, _| if protocol == PROTOCOL_R1Q2 { 2 } else { 1 };
            server_with(setup, ServerRules { command_time, ..REFERENCE })
        },
    ),
    of_server(
        "spectators-of-34-too",
        &MOV_02,
        "r1q2/spectators",
        "lets spectators fly twice as far over either protocol",
        |setup| {
            let command_time = |_, pm_type| if pm_type == PM_SPECTATOR { 2 } else { 1 };
            server_with(setup, ServerRules { command_time, ..REFERENCE })
        },
    ),
];
