//! Servers that conform in another way than the reference.

use crate::call::Rounding;
use crate::latitude::*;
use crate::mutants::{server_says, server_with};
use crate::requirements::*;
use kit::variant::of_server;
use kit::{Again, Twice, Variant};

/// The conforming servers.
pub(super) static VARIANTS: &[Variant] = &[
    of_server("answers-zeros", "answers a request although all versions are 0", |setup| {
        server_with(setup, |rules| rules.latitude.answers_zero = true)
    }),
    of_server("keeps-its-limits", "does not announce its limits", |setup| {
        server_with(setup, |rules| rules.latitude.tells_limits = false)
    }),
    of_server("sends-limits-unasked", "announces its limits to every client that asks for versions", |setup| {
        server_with(setup, |rules| rules.latitude.limits_unasked = true)
    }),
    of_server("silent-in-game", "does not answer a request of a client in the game", |setup| {
        server_with(setup, |rules| rules.latitude.in_game = InGame::Silent)
    }),
    of_server("sends-again", "sends a client its versions once more when it spawns", |setup| {
        server_with(setup, |rules| rules.latitude.repeats_at_spawn = true)
    }),
    of_server("old-margin", "keeps 16 bytes free for particles, as the base of NVS does", |setup| {
        server_with(setup, |rules| rules.latitude.particle_margin = 4)
    }),
    of_server("fills-datagrams", "fills datagrams to their last byte", |setup| {
        server_with(setup, |rules| rules.latitude.fills_datagrams = true)
    }),
    of_server("drops-all-broadcasts", "drops all broadcasts of a frame that has too many", |setup| {
        server_with(setup, |rules| rules.latitude.overfull = Overfull::LeavesOutAll)
    }),
    of_server("common-first", "sends what is for all before what is for one", |setup| {
        server_with(setup, |rules| rules.latitude.common_first = true)
    }),
    of_server("common-broadcasts-first", "sends unlisted broadcasts before listed ones", |setup| {
        server_with(setup, |rules| rules.latitude.common_datagram_first = true)
    }),
    of_server("skips-at-zero", "converts nothing while its version is 0", |setup| {
        server_with(setup, |rules| rules.latitude.skips_at_zero = true)
    })
    .takes(&SEL_01),
    of_server("rounds-to-nearest", "rounds angles of one byte to the nearest", |setup| {
        server_with(setup, |rules| rules.latitude.angles = Rounding::Nearest)
    }),
    of_server("rounds-whole-degrees", "makes angles of one byte of whole degrees", |setup| {
        server_with(setup, |rules| rules.latitude.angles = Rounding::OfWholeDegrees)
    }),
    of_server("answers-at-once", "does not wait for the end of a frame with its answers", |setup| {
        server_with(setup, |rules| rules.latitude.flushes = Flushes::AtOnce)
    }),
    of_server("sign-on-in-parts", "sends the sign-on data in several messages", |setup| {
        server_with(setup, |rules| rules.latitude.signon_part = 48)
    }),
    of_server("nops", "sends nops to clients that sign on", |setup| {
        server_with(setup, |rules| rules.latitude.nop_every = 3)
    }),
    of_server("other-words", "uses other words than the reference", |setup| {
        server_says(setup, |packet| {
            packet.replace_text(b"A version is a positive number.\n", b"Only positive versions, please!\n");
            packet.replace_text(b"nvs_request VERSION:\n", b"Usage: nvs_request <version>\n");
            packet.replace_text(b"This server needs a newer version of NVS.\n", b"Get a newer client\n");
            packet.replace_text(b"VERSION 1.09 SERVER (0 CRC)", b"Engine of another author");
        })
    }),
    of_server("resends-soon", "sends what was not acknowledged again after 250 ms", |setup| {
        server_with(setup, |rules| rules.transport.resend_us = 250_000)
    }),
    of_server("sends-twice", "sends every datagram that has a number of its own twice, against losses", |setup| {
        Twice::around(server_with(setup, |_| {}), netquake::datagram::numbering, Again::AtOnce)
    }),
];
