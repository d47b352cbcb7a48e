//! Clients that conform in another way than the reference.

use crate::machine::game::ClientRules;
use crate::machine::latitude::Latitude;
use crate::mutants::client_with;
use crate::requirements::ZPKT_07;
use crate::wire::constants::UPDATE_BACKUP;
use crate::wire::dialect::Readings;
use crate::wire::usercmd::Compaction;
use kit::variant::of_client;
use kit::{Again, Endpoint, Setup, Twice, Variant};
use netchan::Resend;

const REFERENCE: Latitude = Latitude::REFERENCE;

/// The reference but for its choices.
fn with(setup: &Setup, latitude: Latitude) -> Box<dyn Endpoint> {
    client_with(setup, ClientRules { latitude, ..ClientRules::REFERENCE })
}

/// The conforming clients.
pub(super) static VARIANTS: &[Variant] = &[
    of_client("client-resends-at-once", "counts a block as lost one acknowledgement earlier, as Q2PRO", |setup| {
        with(setup, Latitude { resend: Resend::AfterCarrier, ..REFERENCE })
    }),
    of_client("short-speeds", "shortens the speeds of compact user commands, not the angles, as Q2PRO", |setup| {
        with(setup, Latitude { compaction: Compaction::Speeds, ..REFERENCE })
    }),
    of_client("nothing-short", "shortens nothing in compact user commands", |setup| {
        with(setup, Latitude { compaction: Compaction::None, ..REFERENCE })
    }),
    of_client("sends-seldom", "sends a datagram in every third tick", |setup| {
        with(setup, Latitude { send_every: 3, ..REFERENCE })
    }),
    of_client("asks-patiently", "waits three seconds before it asks again, as engines do", |setup| {
        with(setup, Latitude { retry_us: 3_000_000, ..REFERENCE })
    }),
    of_client("asks-the-new-state", "decides by an entity's new state whether it is a beam, as Q2PRO", |setup| {
        with(setup, Latitude { readings: Readings { beam_of_new_state: true }, ..REFERENCE })
    }),
    of_client("reads-nested", "reads zpackets in zpackets, as R1Q2", |setup| {
        with(setup, Latitude { nesting: 4, ..REFERENCE })
    })
    .takes(&ZPKT_07),
    of_client("splits-over-34", "takes upper bits off the command byte over protocol 34, too, as R1Q2", |setup| {
        with(setup, Latitude { splits_original: true, ..REFERENCE })
    }),
    of_client("one-disconnect", "sends one disconnect when it leaves", |setup| {
        with(setup, Latitude { disconnects: 1, ..REFERENCE })
    }),
    of_client("leaves-silently", "leaves without a disconnect", |setup| {
        with(setup, Latitude { disconnects: 0, ..REFERENCE })
    }),
    of_client(
        "answers-every-frame",
        "sends twice as often, and at once after each frame, and asks for one without a base with every seventh move",
        |setup| with(setup, Latitude { sends_per_tick: 2, answers_frames: true, nodelta_every: 7, ..REFERENCE }),
    ),
    of_client("keeps-16-frames", "keeps 16 frames, as engines", |setup| {
        with(setup, Latitude { history: UPDATE_BACKUP, ..REFERENCE })
    }),
    of_client("angles-from-0", "shows angles from 0 to 360 degrees, not from -180 to 180", super::shown::from_zero),
    of_client("signed-shorts", "shows shorts of entities with a sign, as Quake II", super::shown::signed_shorts),
    of_client("asks-for-full-frames", "asks for a frame without a base with every fifth move", |setup| {
        with(setup, Latitude { nodelta_every: 5, ..REFERENCE })
    }),
    of_client(
        "client-sends-twice",
        "sends every datagram that has a number of its own twice, against losses",
        |setup| Twice::around(with(setup, REFERENCE), netchan::numbering, Again::AtOnce),
    ),
];
