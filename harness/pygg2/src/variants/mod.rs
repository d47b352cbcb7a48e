//! Other ways to conform: each takes a liberty that the concept or its profile leaves, and must pass every scenario.

use crate::liberties::*;
use crate::mutants::{client_with, server_with};
use crate::rules::Rules;
use kit::variant::{of_client, of_server};
use kit::{Endpoint, Setup, Variant};

const NONE: Liberties = Liberties::NONE;

/// The conforming variants, by file.
pub static VARIANTS: &[&[Variant]] = &[&[
    of_server(
        "events-with-snapshots",
        "sends events with the next snapshot, and not in packets of their own",
        |setup| server_by(setup, Liberties { event_packets: EventPackets::WithSnapshots, ..NONE }),
    ),
    of_server("oldest-base", "has the oldest base that is young enough: any acknowledged one will do", |setup| {
        server_by(setup, Liberties { base: BaseChoice::Oldest, ..NONE })
    }),
    of_server("always-absolute", "sends no differences", |setup| {
        server_by(setup, Liberties { base: BaseChoice::None, ..NONE })
    }),
    of_server("sometimes-absolute", "sends every seventh snapshot without a base", |setup| {
        server_by(setup, Liberties { absolute_every: 7, ..NONE })
    }),
    of_server("leaves-numbers-out", "leaves two numbers out behind every packet", |setup| {
        server_by(setup, Liberties { gap: 2, ..NONE })
    }),
    of_server("shortens-runs", "shortens runs of zeros (record 14)", |setup| {
        server_by(setup, Liberties { runs: true, ..NONE })
    }),
    of_server("counts-the-newcomer", "counts the new player in hi", |setup| {
        server_by(setup, Liberties { counts_newcomer: true, ..NONE })
    }),
    of_server("last-player-first", "lists players from the last to the first", |setup| {
        server_by(setup, Liberties { backwards: true, ..NONE })
    }),
    of_client("keeps-64", "keeps 64 snapshots", |setup| client_by(setup, Liberties { buffered: 64, ..NONE })),
    of_client("client-leaves-numbers-out", "leaves three numbers out behind every packet", |setup| {
        client_by(setup, Liberties { gap: 3, ..NONE })
    }),
    of_client("impatient", "says hello four times a second", |setup| {
        client_by(setup, Liberties { hello_us: 250_000, ..NONE })
    }),
    of_client("twice-as-often", "sends inputs twice as often", |setup| {
        client_by(setup, Liberties { hurry: 2, ..NONE })
    }),
]];

fn server_by(setup: &Setup, liberties: Liberties) -> Box<dyn Endpoint> {
    server_with(setup, Rules::with(liberties))
}

fn client_by(setup: &Setup, liberties: Liberties) -> Box<dyn Endpoint> {
    client_with(setup, Rules::with(liberties))
}
