//! What a server decides wrongly.

use super::wire::{frame_of, frames};
use super::{of_server, server_sends, server_with};
use crate::machine::liberties::Liberties;
use crate::machine::rules::Rules;
use crate::requirements::*;
use crate::wire::constants::*;
use kit::Mutant;
use netchan::Qport;

const REFERENCE: Rules = Rules::REFERENCE;

/// The mutants.
pub(super) static MUTANTS: &[Mutant] = &[
    of_server(
        "server-skips-two-bytes",
        &QPORT_02,
        "r1q2/clean",
        "skips two bytes for a client's number over protocol 35, too",
        |setup| {
            let qport_form = |_, qport: u32| Qport::Short(qport as u16);
            server_with(setup, Rules { qport_form, ..REFERENCE })
        },
    ),
    of_server(
        "server-always-skips-a-byte",
        &QPORT_04,
        "r1q2/unnumbered",
        "skips a byte over protocol 35 although the client has number 0",
        |setup| {
            let qport_form = |protocol, qport: u32| match protocol {
                PROTOCOL_ORIGINAL => Qport::Short(qport as u16),
                _ => Qport::Byte(qport as u8),
            };
            server_with(setup, Rules { qport_form, ..REFERENCE })
        },
    ),
    of_server("server-knows-ports-alone", &QPORT_05, "r1q2/rebound", "knows clients by their ports", |setup| {
        server_with(setup, Rules { matches_port: |_| true, ..REFERENCE })
    }),
    of_server(
        "server-mixes-up-unnumbered",
        &QPORT_06,
        "r1q2/unnumbered",
        "knows clients without a number by their address alone",
        |setup| server_with(setup, Rules { matches_port: |_| false, ..REFERENCE }),
    )
    .same_bug_as("R1Q2 b5183"),
    of_server("zpackets-for-all", &ZPKT_08, "r1q2/clean", "sends zpackets over protocol 34, too", |setup| {
        server_with(setup, Rules { zpackets_for: |_| true, ..REFERENCE })
    }),
    of_server(
        "zpackets-always",
        &ZPKT_09,
        "r1q2/frames-compressed",
        "compresses whatever it may, even if that makes it longer",
        |setup| server_with(setup, Rules { zpacket_always: true, ..REFERENCE }),
    ),
    of_server(
        "builds-on-what-is-forgotten",
        &FRM_04,
        "r1q2/acks-lost",
        "builds on a frame that was acknowledged long ago, although another has taken its place",
        |setup| {
            let liberties = Liberties { base_age: Some(64), ..Liberties::NONE };
            server_with(setup, Rules { base_held: false, liberties, ..REFERENCE })
        },
    ),
    of_server(
        "believes-the-future",
        &FRM_04,
        "r1q2/acks-ahead",
        "builds on a frame that does not exist yet because its client acknowledges it",
        |setup| {
            let named_base = |number: i32, base: i32| match base > number {
                // What is left of the distance in five bits.
                true => number - (number.wrapping_sub(base) & NO_DELTA_OFFSET as i32),
                false => base,
            };
            let liberties = Liberties { acks_go_back: true, ..Liberties::NONE };
            server_with(setup, Rules { future_acks: true, base_held: false, named_base, liberties, ..REFERENCE })
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
        |setup| server_with(setup, Rules { player_base: |_, newest| *newest, ..REFERENCE }),
    ),
    of_server("beams-told-once", &ENT_04, "r1q2/clean", "never sends the far end of a beam again", |setup| {
        server_with(setup, Rules { sends_moved_beams: false, ..REFERENCE })
    }),
    of_server("long-over-34", &LEN_02, "r1q2/lengths", "sends 4096 bytes over protocol 34, too", |setup| {
        server_with(setup, Rules { original_length: MAX_MSGLEN, ..REFERENCE })
    }),
    of_server("length-ignored", &LEN_03, "r1q2/lengths", "takes no notice of the length asked for", |setup| {
        server_with(setup, Rules { length: |_| MAX_MSGLEN, ..REFERENCE })
    }),
    of_server("no-length-refused", &CON_03, "r1q2/no-length", "refuses a connect without a length", |setup| {
        server_with(setup, Rules { takes_no_length: false, ..REFERENCE })
    }),
    of_server("most-refused", &LEN_05, "r1q2/most", "refuses a client that asks for as much as can be", |setup| {
        let length = |payload| if payload == MAX_PAYLOAD { 0 } else { payload as usize };
        server_with(setup, Rules { length, ..REFERENCE })
    }),
    of_server("spectators-as-ever", &MOV_01, "r1q2/spectators", "lets nobody fly twice as far", |setup| {
        server_with(setup, Rules { command_time: |_, _| 1, ..REFERENCE })
    }),
    of_server(
        "all-twice-as-far",
        &MOV_01,
        "r1q2/clean",
        "lets who walks over protocol 35 go twice as far, too",
        |setup| {
            let command_time = |protocol, _| if protocol == PROTOCOL_R1Q2 { 2 } else { 1 };
            server_with(setup, Rules { command_time, ..REFERENCE })
        },
    ),
    of_server(
        "spectators-of-34-too",
        &MOV_02,
        "r1q2/spectators",
        "lets spectators fly twice as far over either protocol",
        |setup| {
            let command_time = |_, pm_type| if pm_type == PM_SPECTATOR { 2 } else { 1 };
            server_with(setup, Rules { command_time, ..REFERENCE })
        },
    ),
];
