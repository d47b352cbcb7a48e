//! Servers that conform in another way than the reference.

use crate::alpha;
use crate::latitude::*;
use crate::mutants::server_with;
use crate::oracle::coverage::Point;
use crate::requirements::*;
use crate::session::rules::ServerRules;
use kit::variant::of_server;
use kit::{Again, Forgone, Twice, Variant};
use netquake::channel::Conduct;
use netquake::constants::*;

const REFERENCE: Latitude = Latitude::REFERENCE;

/// What a server never shows that sends no hints.
const NO_HINTS: Forgone = Forgone::new(
    "never sends when an entity thinks next",
    &[Point::Hint, Point::Model2AndHint, Point::HintShown, Point::HintForgotten],
);

/// What a server never shows that sends no opacity of weapons.
const NO_WEAPON_ALPHA: Forgone = Forgone::new("never sends the opacity of a weapon", &[Point::WeaponAlpha]);

/// What a server never shows whose second datagram of a tick is taken.
const NO_SPARE_DATAGRAM: Forgone = Forgone::new(
    "sends clientdata in the datagram in which a scenario has an undefined bit sent",
    &[Point::ReservedBit],
);

/// The conforming servers.
pub(super) static VARIANTS: &[Variant] = &[
    of_server(
        "player-apart",
        "sends clientdata in a datagram of its own before the entities, as vkQuake may",
        |setup| server_with(setup, ServerRules::with(Latitude { player_place: PlayerPlace::OwnDatagram, ..REFERENCE })),
    )
    .forgoes(&[NO_SPARE_DATAGRAM]),
    of_server("player-last", "puts clientdata after the entities, or into the next datagram", |setup| {
        server_with(setup, ServerRules::with(Latitude { player_place: PlayerPlace::BehindEntities, ..REFERENCE }))
    }),
    of_server("descending-order", "mentions entities in descending order", |setup| {
        server_with(setup, ServerRules::with(Latitude { order: Order::Descending, ..REFERENCE }))
    }),
    of_server("rotating-order", "begins with another entity in every tick", |setup| {
        server_with(setup, ServerRules::with(Latitude { order: Order::Rotating, ..REFERENCE }))
    }),
    of_server("sight-in-turns", "shows all but every third entity, for a second at a time", |setup| {
        server_with(setup, ServerRules::with(Latitude { sight: Sight::InTurns, ..REFERENCE }))
    }),
    of_server("leaves-room", "leaves 48 bytes of every datagram free, and with them entities out", |setup| {
        server_with(setup, ServerRules::with(Latitude { reserve_bytes: 48, ..REFERENCE }))
    }),
    of_server("datagrams-without-time", "sends a second datagram, which has no time, in every third tick", |setup| {
        server_with(setup, ServerRules::with(Latitude { timeless_every: 3, ..REFERENCE }))
    }),
    of_server("skips-ticks", "sends nothing in every fourth tick", |setup| {
        server_with(setup, ServerRules::with(Latitude { skip_every: 4, ..REFERENCE }))
    }),
    of_server("truncates", "rounds coords and angles toward zero, as the engines before FitzQuake", |setup| {
        server_with(setup, ServerRules::with(Latitude { rounding: Rounding::Truncated, ..REFERENCE }))
    }),
    of_server("alpha-halves-down", "rounds halves of an alpha code down", |setup| {
        // Halfway between two codes, either is as near.
        let encode_alpha = |opacity: f32| match opacity * 254.0 + 1.0 {
            code if opacity != 0.0 && code > 1.0 && code < 255.0 => (code - 0.5).ceil() as u8,
            _ => alpha::encode(opacity),
        };
        server_with(setup, ServerRules { encode_alpha, ..ServerRules::REFERENCE })
    }),
    of_server("no-hints", "never sends when an entity thinks next", |setup| {
        server_with(setup, ServerRules::with(Latitude { hints: HintHabit::Never, ..REFERENCE }))
    })
    .waives(&[&LERP_06])
    .forgoes(&[NO_HINTS]),
    of_server("clamped-hints", "sends a second where an entity thinks later than that", |setup| {
        server_with(setup, ServerRules::with(Latitude { hints: HintHabit::Clamped, ..REFERENCE }))
    })
    .waives(&[&LERP_02]),
    of_server("sends-tenths", "sends a tenth of a second, which clients assume anyway", |setup| {
        server_with(setup, ServerRules::with(Latitude { hints: HintHabit::TenthToo, ..REFERENCE }))
    })
    .waives(&[&LERP_02]),
    of_server("superfluous-bits", "writes a second byte of bits for every update, zero or not", |setup| {
        server_with(setup, ServerRules::with(Latitude { update_bits: U_MOREBITS, ..REFERENCE }))
    }),
    of_server(
        "superfluous-third-byte",
        "writes a third byte of bits for updates and clientdata, zero or not",
        |setup| {
            server_with(
                setup,
                ServerRules::with(Latitude { update_bits: U_EXTEND1, player_bits: SU_EXTEND1, ..REFERENCE }),
            )
        },
    ),
    of_server("says-scale", "sends the scale of entities, as vkQuake does", |setup| {
        server_with(setup, ServerRules::with(Latitude { scale: true, ..REFERENCE }))
    }),
    of_server(
        "new-forms",
        "sends all baselines and static entities in the new form, with no flag where none is needed",
        |setup| server_with(setup, ServerRules::with(Latitude { new_forms: NewForms::All, ..REFERENCE })),
    ),
    of_server("entity-and-channel-apart", "gives a sound's entity and channel their wide form always", |setup| {
        server_with(setup, ServerRules::with(Latitude { sound_bits: SND_LARGEENTITY, ..REFERENCE }))
    }),
    of_server(
        "no-invisible-statics",
        "does not announce static entities that cannot be seen, as engines do",
        |setup| server_with(setup, ServerRules::with(Latitude { invisible_statics: false, ..REFERENCE })),
    ),
    of_server("leaves-out-invisible", "does not mention entities that cannot be seen, as engines do", |setup| {
        server_with(setup, ServerRules::with(Latitude { invisible_entities: false, ..REFERENCE }))
    })
    .takes(&ALPHA_08),
    of_server("no-weapon-alpha", "never sends the opacity of a weapon", |setup| {
        server_with(setup, ServerRules::with(Latitude { weapon_alpha: false, ..REFERENCE }))
    })
    .waives(&[&CD_18])
    .forgoes(&[NO_WEAPON_ALPHA]),
    of_server("small-fragments", "sends fragments of 100 bytes", |setup| {
        server_with(setup, ServerRules::with(Latitude { fragment_bytes: Some(100), ..REFERENCE }))
    }),
    of_server("large-fragments", "sends fragments of 1400 bytes, as QuakeSpasm-Spiked does", |setup| {
        server_with(setup, ServerRules::with(Latitude { fragment_bytes: Some(1400), ..REFERENCE }))
    }),
    of_server("accept-with-more", "appends bytes to its accept, as ProQuake and its relatives do", |setup| {
        server_with(setup, ServerRules::with(Latitude { accept_extra: &[1, 30, 0], ..REFERENCE }))
    }),
    of_server("asks-for-extensions", "asks for extensions before it announces the map", |setup| {
        server_with(setup, ServerRules::with(Latitude { asks_extensions: true, ..REFERENCE }))
    }),
    of_server(
        "challenges-clients",
        "has a client repeat a number and accepts it once more, with counters that start over, as FTEQW does",
        |setup| server_with(setup, ServerRules::with(Latitude { challenges: true, ..REFERENCE })),
    ),
    of_server("talks", "sends reliable messages that no client needs", |setup| {
        server_with(setup, ServerRules::with(Latitude { talks: true, ..REFERENCE }))
    }),
    of_server("small-sign-on", "splits the sign-on into messages of at most some 200 bytes", |setup| {
        server_with(setup, ServerRules::with(Latitude { sign_on_bytes: 200, ..REFERENCE }))
    }),
    of_server("server-repeats-early", "sends a fragment again after half a second", |setup| {
        server_with(setup, ServerRules { conduct: Conduct::resending_after(500_000), ..ServerRules::REFERENCE })
    }),
    of_server("server-repeats-late", "sends a fragment again after three seconds", |setup| {
        server_with(setup, ServerRules { conduct: Conduct::resending_after(3_000_000), ..ServerRules::REFERENCE })
    }),
    of_server("sends-twice", "sends every datagram that has a number of its own twice, against losses", |setup| {
        Twice::around(server_with(setup, ServerRules::REFERENCE), netquake::datagram::numbering, Again::AtOnce)
    }),
];
