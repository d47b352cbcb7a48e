//! Servers that conform in another way than the reference.

use super::rules;
use crate::alpha;
use crate::liberties::*;
use crate::mutants::server_with;
use crate::requirements::*;
use crate::rules::Rules;
use kit::Variant;
use kit::variant::of_server;
use netquake::channel::Conduct;
use netquake::constants::*;

const NONE: Liberties = Liberties::NONE;

/// The conforming servers.
pub(super) static VARIANTS: &[Variant] = &[
    of_server(
        "player-apart",
        "sends clientdata in a datagram of its own before the entities, as vkQuake may",
        |setup| server_with(setup, rules(Liberties { player_place: PlayerPlace::OwnDatagram, ..NONE })),
    ),
    of_server("player-last", "puts clientdata behind the entities, or into the next datagram", |setup| {
        server_with(setup, rules(Liberties { player_place: PlayerPlace::BehindEntities, ..NONE }))
    }),
    of_server("descending-order", "mentions entities in descending order", |setup| {
        server_with(setup, rules(Liberties { order: Order::Descending, ..NONE }))
    }),
    of_server("rotating-order", "begins with another entity in every tick", |setup| {
        server_with(setup, rules(Liberties { order: Order::Rotating, ..NONE }))
    }),
    of_server("sight-in-turns", "shows all but every third entity, for a second at a time", |setup| {
        server_with(setup, rules(Liberties { sight: Sight::InTurns, ..NONE }))
    }),
    of_server("leaves-room", "leaves 48 bytes of every datagram free, and with them entities out", |setup| {
        server_with(setup, rules(Liberties { reserve_bytes: 48, ..NONE }))
    }),
    of_server("datagrams-without-time", "sends a second datagram, which has no time, in every third tick", |setup| {
        server_with(setup, rules(Liberties { timeless_every: 3, ..NONE }))
    }),
    of_server("skips-ticks", "sends nothing in every fourth tick", |setup| {
        server_with(setup, rules(Liberties { skip_every: 4, ..NONE }))
    }),
    of_server("truncates", "rounds coords and angles toward zero, as the engines before FitzQuake", |setup| {
        server_with(setup, rules(Liberties { rounding: Rounding::Truncated, ..NONE }))
    }),
    of_server("alpha-halves-down", "rounds halves of an alpha code down", |setup| {
        // Halfway between two codes, either is as near.
        let encode_alpha = |opacity: f32| match opacity * 254.0 + 1.0 {
            code if opacity != 0.0 && code > 1.0 && code < 255.0 => (code - 0.5).ceil() as u8,
            _ => alpha::encode(opacity),
        };
        server_with(setup, Rules { encode_alpha, ..Rules::REFERENCE })
    }),
    of_server("no-hints", "never tells when an entity thinks next", |setup| {
        server_with(setup, rules(Liberties { hints: HintHabit::Never, ..NONE }))
    }),
    of_server("clamped-hints", "tells a second where an entity thinks later than that", |setup| {
        server_with(setup, rules(Liberties { hints: HintHabit::Clamped, ..NONE }))
    })
    .waives(&[&LERP_02]),
    of_server("tells-tenths", "tells a tenth of a second, which clients assume anyway", |setup| {
        server_with(setup, rules(Liberties { hints: HintHabit::TenthToo, ..NONE }))
    })
    .waives(&[&LERP_02]),
    of_server("superfluous-bits", "writes a second byte of bits for every update, zero or not", |setup| {
        server_with(setup, rules(Liberties { update_bits: U_MOREBITS, ..NONE }))
    }),
    of_server(
        "superfluous-third-byte",
        "writes a third byte of bits for updates and clientdata, zero or not",
        |setup| server_with(setup, rules(Liberties { update_bits: U_EXTEND1, player_bits: SU_EXTEND1, ..NONE })),
    ),
    of_server("says-scale", "says the scale of entities, as vkQuake does", |setup| {
        server_with(setup, rules(Liberties { scale: true, ..NONE }))
    }),
    of_server(
        "new-forms",
        "says all baselines and static entities in the new form, with no flag where none is needed",
        |setup| server_with(setup, rules(Liberties { new_forms: NewForms::All, ..NONE })),
    ),
    of_server("entity-and-channel-apart", "gives a sound's entity and channel their wide form always", |setup| {
        server_with(setup, rules(Liberties { sound_bits: SND_LARGEENTITY, ..NONE }))
    }),
    of_server(
        "no-invisible-statics",
        "does not announce static entities that cannot be seen, as engines do",
        |setup| server_with(setup, rules(Liberties { invisible_statics: false, ..NONE })),
    ),
    of_server("leaves-out-invisible", "does not mention entities that cannot be seen, as engines do", |setup| {
        server_with(setup, rules(Liberties { invisible_entities: false, ..NONE }))
    })
    .takes(&ALPHA_08),
    of_server("no-weapon-alpha", "never tells the opacity of a weapon", |setup| {
        server_with(setup, rules(Liberties { weapon_alpha: false, ..NONE }))
    })
    .takes(&CD_17),
    of_server("small-fragments", "sends fragments of 100 bytes", |setup| {
        server_with(setup, rules(Liberties { fragment_bytes: Some(100), ..NONE }))
    }),
    of_server("large-fragments", "sends fragments of 1400 bytes, as QuakeSpasm-Spiked does", |setup| {
        server_with(setup, rules(Liberties { fragment_bytes: Some(1400), ..NONE }))
    }),
    of_server("accept-with-more", "appends bytes to its accept, as ProQuake's kin do", |setup| {
        server_with(setup, rules(Liberties { accept_extra: &[1, 30, 0], ..NONE }))
    }),
    of_server("asks-for-extensions", "asks for extensions before it announces the map", |setup| {
        server_with(setup, rules(Liberties { asks_extensions: true, ..NONE }))
    }),
    of_server("talks", "says things in the reliable stream that nobody needs", |setup| {
        server_with(setup, rules(Liberties { talks: true, ..NONE }))
    }),
    of_server("small-sign-on", "splits the sign-on into messages of at most some 200 bytes", |setup| {
        server_with(setup, rules(Liberties { sign_on_bytes: 200, ..NONE }))
    }),
    of_server("server-repeats-early", "sends a fragment again after half a second", |setup| {
        server_with(setup, Rules { conduct: Conduct::resending_after(500_000), ..Rules::REFERENCE })
    }),
    of_server("server-repeats-late", "sends a fragment again after three seconds", |setup| {
        server_with(setup, Rules { conduct: Conduct::resending_after(3_000_000), ..Rules::REFERENCE })
    }),
];
