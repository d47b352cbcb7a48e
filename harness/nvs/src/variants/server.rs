//! Servers that conform in another way than the reference.

use super::rules;
use crate::call::Rounding;
use crate::liberties::*;
use crate::mutants::{server_says, server_with};
use crate::requirements::*;
use crate::rules::Rules;
use kit::Variant;
use kit::variant::of_server;
use netquake::channel::Conduct;

const NONE: Liberties = Liberties::NONE;

/// The conforming servers.
pub(super) static VARIANTS: &[Variant] = &[
    of_server("answers-zeros", "answers a request although all versions are 0", |setup| {
        server_with(setup, rules(Liberties { answers_zero: true, ..NONE }))
    }),
    of_server("keeps-its-limits", "does not tell its limits", |setup| {
        server_with(setup, rules(Liberties { tells_limits: false, ..NONE }))
    }),
    of_server("tells-limits-unasked", "tells its limits to every client that asks for versions", |setup| {
        server_with(setup, rules(Liberties { limits_unasked: true, ..NONE }))
    }),
    of_server("silent-in-game", "does not answer a request of a client in the game", |setup| {
        server_with(setup, rules(Liberties { in_game: InGame::Silent, ..NONE }))
    }),
    of_server("tells-again", "tells a client its versions once more when that spawns", |setup| {
        server_with(setup, rules(Liberties { retells_at_spawn: true, ..NONE }))
    }),
    of_server("old-margin", "keeps 16 bytes free for particles, as the base of NVS does", |setup| {
        server_with(setup, rules(Liberties { particle_margin: 4, ..NONE }))
    }),
    of_server("fills-datagrams", "fills datagrams to their last byte", |setup| {
        server_with(setup, rules(Liberties { fills_datagrams: true, ..NONE }))
    }),
    of_server("drops-all-broadcasts", "drops all broadcasts of a frame that has too many", |setup| {
        server_with(setup, rules(Liberties { overfull: Overfull::LeavesOutAll, ..NONE }))
    }),
    of_server("common-first", "sends what is for all before what is for one", |setup| {
        server_with(setup, rules(Liberties { common_first: true, ..NONE }))
    }),
    of_server("common-broadcasts-first", "sends unlisted broadcasts before listed ones", |setup| {
        server_with(setup, rules(Liberties { common_datagram_first: true, ..NONE }))
    }),
    of_server("skips-at-zero", "converts nothing while its version is 0", |setup| {
        server_with(setup, rules(Liberties { skips_at_zero: true, ..NONE }))
    })
    .takes(&SEL_01),
    of_server("rounds-to-nearest", "rounds angles of one byte to the nearest", |setup| {
        server_with(setup, rules(Liberties { angles: Rounding::Nearest, ..NONE }))
    }),
    of_server("rounds-whole-degrees", "makes angles of one byte of whole degrees", |setup| {
        server_with(setup, rules(Liberties { angles: Rounding::OfWholeDegrees, ..NONE }))
    }),
    of_server("answers-at-once", "does not wait for the end of a frame with its answers", |setup| {
        server_with(setup, rules(Liberties { flushes: Flushes::AtOnce, ..NONE }))
    }),
    of_server("sign-on-in-parts", "sends the sign-on data in several messages", |setup| {
        server_with(setup, rules(Liberties { signon_part: 48, ..NONE }))
    }),
    of_server("nops", "sends nops to clients that sign on", |setup| {
        server_with(setup, rules(Liberties { nop_every: 3, ..NONE }))
    }),
    of_server("other-words", "uses other words than the reference", |setup| {
        server_says(setup, |packet| {
            packet.replace_text(b"A version is a positive number.\n", b"Only positive versions, please!\n");
            packet.replace_text(b"nvs_request VERSION:\n", b"Usage: nvs_request <version>\n");
            packet.replace_text(b"This server needs a newer version of NVS.\n", b"Get a newer client\n");
            packet.replace_text(b"VERSION 1.09 SERVER (0 CRC)", b"Engine of another house");
        })
    }),
    of_server("resends-soon", "sends what was not acknowledged again after 250 ms", |setup| {
        let transport = Conduct { resend_us: 250_000, ..Rules::REFERENCE.transport };
        server_with(setup, Rules { transport, ..Rules::REFERENCE })
    }),
];
