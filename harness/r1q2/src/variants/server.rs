//! Servers that conform in another way than the reference.

use super::rules;
use crate::machine::liberties::*;
use crate::machine::rules::Rules;
use crate::mutants::server_with;
use crate::requirements::*;
use crate::wire::constants::*;
use kit::Variant;
use kit::variant::of_server;
use netchan::Resend;

const NONE: Liberties = Liberties::NONE;

/// The conforming servers.
pub(super) static VARIANTS: &[Variant] = &[
    of_server("server-resends-at-once", "counts a block as lost one acknowledgement earlier, as Q2PRO", |setup| {
        server_with(setup, rules(Liberties { resend: Resend::AfterCarrier, ..NONE }))
    }),
    of_server("builds-on-16", "builds on frames that are up to 15 frames old, as Q2PRO", |setup| {
        server_with(setup, rules(Liberties { base_age: Some(16), ..NONE }))
    }),
    of_server("builds-on-3", "builds on frames that are at most two frames old", |setup| {
        server_with(setup, rules(Liberties { base_age: Some(3), ..NONE }))
    }),
    of_server("builds-on-nothing", "sends every frame without a base", |setup| {
        server_with(setup, rules(Liberties { base_age: Some(0), ..NONE }))
    }),
    of_server("counts-from-elsewhere", "adds a number to that of its frames, as R1Q2", |setup| {
        server_with(setup, rules(Liberties { frame_offset: 1_700, ..NONE }))
    }),
    of_server("acks-go-back", "builds on an older frame if that is acknowledged again, as R1Q2", |setup| {
        server_with(setup, rules(Liberties { acks_go_back: true, ..NONE }))
    }),
    of_server("header-on-top", "does not count the header in the length asked for, as Q2PRO", |setup| {
        server_with(setup, rules(Liberties { header_on_top: true, ..NONE }))
    }),
    of_server("at-least-512", "takes a length below 512 for 512, as Q2PRO", |setup| {
        server_with(setup, rules(Liberties { raised_length: 512, ..NONE }))
    }),
    of_server("at-most-1390", "sends 1390 bytes at most, whatever is asked for, as b8012 and Q2PRO", |setup| {
        server_with(setup, rules(Liberties { length_cap: DEFAULT_MSGLEN, ..NONE }))
    }),
    of_server("missing-is-most", "takes a missing length for as much as can be, as R1Q2 b5183", |setup| {
        server_with(setup, rules(Liberties { missing_length: MAX_PAYLOAD, ..NONE }))
    }),
    of_server("refuses-below-512", "does not let in who asks for less than 512 bytes, as R1Q2 b8012", |setup| {
        server_with(setup, rules(Liberties { least_length: 512, ..NONE }))
    }),
    of_server(
        "leaves-out-long-frames",
        "leaves out frames that are too long, and compresses none, as Q2PRO",
        |setup| server_with(setup, rules(Liberties { packs_frames: false, ..NONE })),
    ),
    of_server(
        "weapon-with-its-frame",
        "sends the weapon's offset and angles when its frame changes, as R1Q2",
        |setup| server_with(setup, rules(Liberties { weapon_with_frame: true, ..NONE })),
    ),
    of_server(
        "unknown-acks-are-none",
        "sends a frame without a base to who acknowledges one that there is not",
        |setup| server_with(setup, rules(Liberties { unknown_is_none: true, ..NONE })),
    ),
    of_server("asks-no-version", "does not ask clients for their version, as Quake II", |setup| {
        server_with(setup, rules(Liberties { probes_version: false, ..NONE }))
    }),
    of_server("plain-sign-on", "does not compress its sign-on", |setup| {
        server_with(setup, rules(Liberties { packs_sign_on: Packs::Nothing, ..NONE }))
    }),
    of_server("packs-each", "compresses each message of its sign-on for itself", |setup| {
        server_with(setup, rules(Liberties { packs_sign_on: Packs::Each, ..NONE }))
    }),
    of_server("frame-last", "puts effects, sounds and prints before the frame", |setup| {
        server_with(setup, rules(Liberties { frame_last: true, ..NONE }))
    }),
    of_server(
        "either-reading-of-beams",
        "sends the far end of beams that are new, or become beams or cease to be, as Q2PRO",
        |setup| server_with(setup, rules(Liberties { old_origins: OldOrigins::BeamsForEitherReading, ..NONE })),
    ),
    of_server("old-origins-of-new", "sends the old origin of everything new", |setup| {
        server_with(setup, rules(Liberties { old_origins: OldOrigins::New, ..NONE }))
    }),
    of_server("superfluous-flags", "sets flags of the player state that are not needed", |setup| {
        let ps_flags = (PS_M_TYPE | PS_FOV | PS_WEAPONFRAME | PS_M_ORIGIN) as u16;
        let eps_flags = EPS_STATS | EPS_GUNANGLES | EPS_PMOVE_VELOCITY2;
        server_with(setup, rules(Liberties { ps_flags, eps_flags, ..NONE }))
    }),
    of_server("skips-ticks", "sends no frame in every fourth tick", |setup| {
        server_with(setup, rules(Liberties { skip_every: 4, ..NONE }))
    }),
    of_server("talks", "sends messages in its sign-on that nobody needs", |setup| {
        server_with(setup, rules(Liberties { talks: true, ..NONE }))
    }),
    of_server("answers-settings", "answers the settings that it knows, as R1Q2", |setup| {
        server_with(setup, rules(Liberties { answers_settings: true, ..NONE }))
    }),
    of_server("connect-with-more", "adds to its client_connect, as R1Q2 and Q2PRO", |setup| {
        server_with(setup, rules(Liberties { connect_extra: b" dlserver=:0 map=proof", ..NONE }))
    }),
    of_server("lists-protocols", "lists the protocols that it speaks in its challenge", |setup| {
        server_with(setup, rules(Liberties { lists_protocols: true, ..NONE }))
    }),
    of_server("speaks-often", "sends to a client without frames every 300 ms", |setup| {
        server_with(setup, rules(Liberties { idle_us: 300_000, ..NONE }))
    }),
    of_server("compresses-what-grows", "compresses even what becomes longer", |setup| {
        server_with(setup, Rules { zpacket_always: true, ..Rules::REFERENCE })
    })
    .waives(&[&ZPKT_09]),
    of_server("beams-in-every-frame", "sends the far end of beams in every frame over protocol 35, too", |setup| {
        server_with(setup, rules(Liberties { old_origins: OldOrigins::Beams, ..NONE }))
    }),
];
