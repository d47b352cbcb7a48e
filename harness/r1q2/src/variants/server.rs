//! Servers that conform in another way than the reference.

use crate::machine::latitude::*;
use crate::machine::sender::ServerRules;
use crate::mutants::server::pack_always;
use crate::mutants::server_with;
use crate::oracle::coverage::Point;
use crate::requirements::*;
use crate::wire::constants::*;
use kit::variant::of_server;
use kit::{Again, Endpoint, Forgone, Setup, Twice, Variant};
use netchan::Resend;

const REFERENCE: Latitude = Latitude::REFERENCE;

/// The reference but for its choices.
fn with(setup: &Setup, latitude: Latitude) -> Box<dyn Endpoint> {
    server_with(setup, ServerRules { latitude, ..ServerRules::REFERENCE })
}

/// What a server never shows that builds on nothing.
const NO_BASES: Forgone = Forgone::new(
    "sends every frame without a base",
    &[
        Point::DeltaFrame,
        Point::OlderBaseShown,
        Point::InvalidFrame,
        Point::StatisticsStay,
        Point::MovedR1q2,
        Point::MovedOriginal,
        Point::BeamRests,
        Point::BecameBeam,
    ],
);

/// What a server never shows that leaves nothing out.
const NOTHING_ALONE: Forgone = Forgone::new(
    "sends all of what changes",
    &[
        Point::HeightAlone,
        Point::FallAlone,
        Point::StatisticsStay,
        Point::MovedR1q2,
        Point::MovedOriginal,
        Point::BecameBeam,
    ],
);

/// What a server never shows that has longer datagrams for nobody.
const NOTHING_LONG: Forgone = Forgone::new("sends no more than 1390 bytes at once", &[Point::LongDatagram]);

/// What a server never shows that sends beams in every frame.
const BEAMS_ALWAYS: Forgone = Forgone::new("sends the far end of each beam in every frame", &[Point::BecameBeam]);

/// What a server never shows that sends whatever readers take in two ways.
const NO_DOUBT: Forgone =
    Forgone::new("sends the far end of what becomes a beam or ceases to be one", &[Point::BecameBeam]);

/// What a server never shows that sets flags always.
const FLAGS_ALWAYS: Forgone =
    Forgone::new("sends places and statistics of players in every frame", &[Point::HeightAlone, Point::StatisticsStay]);

/// The conforming servers.
pub(super) static VARIANTS: &[Variant] = &[
    of_server("server-resends-at-once", "counts a block as lost one acknowledgement earlier, as Q2PRO", |setup| {
        with(setup, Latitude { resend: Resend::AfterCarrier, ..REFERENCE })
    }),
    of_server("builds-on-16", "builds on frames that are up to 15 frames old, as Q2PRO", |setup| {
        with(setup, Latitude { base_age: Some(16), ..REFERENCE })
    }),
    of_server("builds-on-3", "builds on frames that are at most two frames old", |setup| {
        with(setup, Latitude { base_age: Some(3), ..REFERENCE })
    }),
    of_server("builds-on-31", "builds on whatever a distance can name, up to 30 frames old", |setup| {
        with(setup, Latitude { base_age: Some(31), ..REFERENCE })
    }),
    of_server("builds-on-nothing", "sends every frame without a base", |setup| {
        with(setup, Latitude { base_age: Some(0), ..REFERENCE })
    })
    .forgoes(&[NO_BASES]),
    of_server(
        "all-in-widest-forms",
        "sends all of an entity that changed, and of players, in the widest form",
        |setup| {
            let (ps_flags, eps_flags) = ((1 << PS_NAMES.len()) - 1, (1 << EPS_NAMES.len()) - 1);
            with(setup, Latitude { widest: true, ps_flags, eps_flags, ..REFERENCE })
        },
    )
    .forgoes(&[NOTHING_ALONE]),
    of_server("datagram-each", "sends each effect, sound and line in a datagram of its own", |setup| {
        with(setup, Latitude { datagram_each: true, ..REFERENCE })
    }),
    of_server("counts-from-elsewhere", "adds a number to that of its frames, as R1Q2", |setup| {
        with(setup, Latitude { frame_offset: 1_700, ..REFERENCE })
    }),
    of_server("counts-to-9", "counts at most 9 frames held back, as the specification has it (erratum 15)", |setup| {
        with(setup, Latitude { most_held_back: MOST_SPECIFIED, ..REFERENCE })
    }),
    of_server("acks-go-back", "builds on an older frame if that is acknowledged again, as R1Q2", |setup| {
        with(setup, Latitude { acks_go_back: true, ..REFERENCE })
    }),
    of_server("header-on-top", "does not count the header in the length asked for, as Q2PRO", |setup| {
        with(setup, Latitude { header_on_top: true, ..REFERENCE })
    }),
    of_server("at-least-512", "takes a length below 512 for 512, as Q2PRO", |setup| {
        with(setup, Latitude { raised_length: 512, ..REFERENCE })
    }),
    of_server("at-most-1390", "sends 1390 bytes at most, whatever is asked for, as b8012 and Q2PRO", |setup| {
        with(setup, Latitude { length_cap: DEFAULT_MSGLEN, ..REFERENCE })
    })
    .forgoes(&[NOTHING_LONG]),
    of_server("missing-is-most", "takes a missing length for the maximum, as R1Q2 b5183", |setup| {
        with(setup, Latitude { missing_length: MAX_PAYLOAD, ..REFERENCE })
    }),
    of_server("refuses-below-512", "refuses clients that ask for less than 512 bytes, as R1Q2 b8012", |setup| {
        with(setup, Latitude { least_length: 512, ..REFERENCE })
    }),
    of_server(
        "shortens-long-frames",
        "compresses no frames, and shortens those that are too long, as Q2PRO",
        |setup| with(setup, Latitude { packs_frames: false, ..REFERENCE }),
    ),
    of_server(
        "weapon-with-its-frame",
        "sends the weapon's offset and angles when its frame changes, as R1Q2",
        |setup| with(setup, Latitude { weapon_with_frame: true, ..REFERENCE }),
    ),
    of_server(
        "unknown-acks-are-none",
        "sends a frame without a base after the acknowledgement of an unknown frame",
        |setup| with(setup, Latitude { unknown_is_none: true, ..REFERENCE }),
    ),
    of_server("asks-no-version", "does not ask clients for their version, as Quake II", |setup| {
        with(setup, Latitude { probes_version: false, ..REFERENCE })
    }),
    of_server("plain-sign-on", "does not compress its sign-on", |setup| {
        with(setup, Latitude { packs_sign_on: Packs::Nothing, ..REFERENCE })
    }),
    of_server("packs-each", "compresses each message of its sign-on for itself", |setup| {
        with(setup, Latitude { packs_sign_on: Packs::Each, ..REFERENCE })
    }),
    of_server("frame-last", "puts effects, sounds and prints before the frame", |setup| {
        with(setup, Latitude { frame_last: true, ..REFERENCE })
    }),
    of_server(
        "either-reading-of-beams",
        "sends the far end of beams that are new, or become beams or cease to be, as Q2PRO",
        |setup| with(setup, Latitude { old_origins: OldOrigins::BeamsForEitherReading, ..REFERENCE }),
    )
    .forgoes(&[NO_DOUBT]),
    of_server("old-origins-of-new", "sends the old origin of everything new", |setup| {
        with(setup, Latitude { old_origins: OldOrigins::New, ..REFERENCE })
    }),
    of_server("superfluous-flags", "sets flags of the player state that are not needed", |setup| {
        let ps_flags = (PS_M_TYPE | PS_FOV | PS_WEAPONFRAME | PS_M_ORIGIN) as u16;
        let eps_flags = EPS_STATS | EPS_GUNANGLES | EPS_PMOVE_VELOCITY2;
        with(setup, Latitude { ps_flags, eps_flags, ..REFERENCE })
    })
    .forgoes(&[FLAGS_ALWAYS]),
    of_server("skips-ticks", "sends no frame in every fourth tick", |setup| {
        with(setup, Latitude { skip_every: 4, ..REFERENCE })
    }),
    of_server("talks", "sends unnecessary messages in its sign-on", |setup| {
        with(setup, Latitude { talks: true, ..REFERENCE })
    }),
    of_server("answers-settings", "answers the settings that it knows, as R1Q2", |setup| {
        with(setup, Latitude { answers_settings: true, ..REFERENCE })
    }),
    of_server("connect-with-more", "adds to its client_connect, as R1Q2 and Q2PRO", |setup| {
        with(setup, Latitude { connect_extra: b" dlserver=:0 map=proof", ..REFERENCE })
    }),
    of_server("lists-protocols", "lists the protocols that it speaks in its challenge", |setup| {
        with(setup, Latitude { lists_protocols: true, ..REFERENCE })
    }),
    of_server("speaks-often", "sends to a client without frames every 300 ms", |setup| {
        with(setup, Latitude { idle_us: 300_000, ..REFERENCE })
    }),
    of_server("compresses-what-grows", "compresses even what becomes longer", |setup| {
        server_with(setup, ServerRules { pack: pack_always, ..ServerRules::REFERENCE })
    })
    .waives(&[&ZPKT_09]),
    of_server("beams-in-every-frame", "sends the far end of beams in every frame over protocol 35, too", |setup| {
        with(setup, Latitude { old_origins: OldOrigins::Beams, ..REFERENCE })
    })
    .forgoes(&[BEAMS_ALWAYS]),
    of_server("sends-twice", "sends every datagram that has a number of its own twice, against losses", |setup| {
        Twice::around(with(setup, REFERENCE), netchan::numbering, Again::AtOnce)
    }),
];
