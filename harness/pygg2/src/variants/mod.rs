//! Other ways to conform: each uses the latitude of the concept or its profile, and must pass every scenario.

use crate::latitude::*;
use crate::mutants::Rules;
use crate::mutants::{client_with, server_with};
use crate::oracle::coverage::Point;
use crate::requirements::DLT_11;
use kit::variant::{of_client, of_server};
use kit::{Endpoint, Forgone, Setup, Variant};

const NONE: Latitude = Latitude::NONE;

/// What a server never shows whose snapshots have no base.
const NO_BASES: Forgone = Forgone::new(
    "sends every snapshot without a base",
    &[Point::Delta, Point::DeltaAfterLoss, Point::OlderBase, Point::LengthsDiffer, Point::ManyAcked],
);

/// What a server never shows that has no packets with events alone.
const NO_EVENT_PACKETS: Forgone = Forgone::new("sends events with snapshots alone", &[Point::EventPacketAcked]);

/// The conforming variants, by file.
pub static VARIANTS: &[&[Variant]] = &[&[
    of_server(
        "events-with-snapshots",
        "sends events with the next snapshot, and not in packets of their own",
        |setup| server_by(setup, Latitude { event_packets: EventPackets::WithSnapshots, ..NONE }),
    )
    .forgoes(&[NO_EVENT_PACKETS]),
    of_server("oldest-base", "has the oldest base that is young enough: any acknowledged one will do", |setup| {
        server_by(setup, Latitude { base: BaseChoice::Oldest, ..NONE })
    }),
    of_server("always-absolute", "sends no differences", |setup| {
        server_by(setup, Latitude { base: BaseChoice::None, ..NONE })
    })
    .waives(&[&DLT_11])
    .forgoes(&[NO_BASES]),
    of_server("sometimes-absolute", "sends every seventh snapshot without a base", |setup| {
        server_by(setup, Latitude { absolute_every: 7, ..NONE })
    }),
    of_server("leaves-numbers-out", "leaves two numbers out after every packet", |setup| {
        server_by(setup, Latitude { gap: 2, ..NONE })
    }),
    of_server("leaves-forty-numbers-out", "leaves so many numbers out that no base is young", |setup| {
        server_by(setup, Latitude { gap: 40, ..NONE })
    })
    .forgoes(&[NO_BASES]),
    of_server("shortens-runs", "shortens runs of zeros (record 14)", |setup| {
        server_by(setup, Latitude { runs: true, ..NONE })
    }),
    of_server("counts-the-newcomer", "counts the new player in hi", |setup| {
        server_by(setup, Latitude { counts_newcomer: true, ..NONE })
    }),
    of_server("last-player-first", "lists players from the last to the first", |setup| {
        server_by(setup, Latitude { backwards: true, ..NONE })
    }),
    of_client("keeps-64", "keeps 64 snapshots", |setup| client_by(setup, Latitude { buffered: 64, ..NONE })),
    of_client("client-leaves-numbers-out", "leaves three numbers out after every packet", |setup| {
        client_by(setup, Latitude { gap: 3, ..NONE })
    }),
    of_client("client-leaves-a-hundred-out", "leaves a hundred numbers out after every packet", |setup| {
        client_by(setup, Latitude { gap: 100, ..NONE })
    }),
    of_client("impatient", "says hello four times a second", |setup| {
        client_by(setup, Latitude { hello_us: 250_000, ..NONE })
    }),
    of_client("acknowledges-at-once", "sends an input for every packet that it applies, too", |setup| {
        client_by(setup, Latitude { answers: true, ..NONE })
    }),
    of_client("twice-as-often", "sends inputs twice as often", |setup| client_by(setup, Latitude { hurry: 2, ..NONE })),
]];

fn server_by(setup: &Setup, latitude: Latitude) -> Box<dyn Endpoint> {
    server_with(setup, Rules { latitude, ..Rules::REFERENCE })
}

fn client_by(setup: &Setup, latitude: Latitude) -> Box<dyn Endpoint> {
    client_with(setup, Rules { latitude, ..Rules::REFERENCE })
}
