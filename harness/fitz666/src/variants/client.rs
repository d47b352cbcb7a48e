//! Clients that conform in another way than the reference.

use crate::game::rules::ClientRules;
use crate::latitude::Latitude;
use crate::mutants::client_with;
use kit::variant::of_client;
use kit::{Again, Twice, Variant};
use netquake::channel::Conduct;

const REFERENCE: Latitude = Latitude::REFERENCE;

/// The conforming clients.
pub(super) static VARIANTS: &[Variant] = &[
    of_client("moves-seldom", "sends a move in every third tick", |setup| {
        client_with(setup, ClientRules::with(Latitude { move_every: 3, ..REFERENCE }))
    }),
    of_client("moves-at-once", "sends the first moves, too, which engines make and throw away", |setup| {
        client_with(setup, ClientRules::with(Latitude { first_moves_dropped: 0, ..REFERENCE }))
    }),
    of_client("silent-while-loading", "sends nothing while its sign-on goes on", |setup| {
        client_with(setup, ClientRules::with(Latitude { no_nops: true, ..REFERENCE }))
    }),
    of_client(
        "request-with-more",
        "appends bytes to its connection request, as ProQuake and its relatives do",
        |setup| client_with(setup, ClientRules::with(Latitude { request_extra: &[1, 30, 0], ..REFERENCE })),
    ),
    of_client("client-repeats-early", "sends a fragment again after half a second", |setup| {
        client_with(setup, ClientRules { conduct: Conduct::resending_after(500_000), ..ClientRules::REFERENCE })
    }),
    of_client("client-repeats-late", "sends a fragment again after three seconds", |setup| {
        client_with(setup, ClientRules { conduct: Conduct::resending_after(3_000_000), ..ClientRules::REFERENCE })
    }),
    of_client("client-sends-twice", "sends what has a number of its own again, beside its next datagram", |setup| {
        Twice::around(client_with(setup, ClientRules::REFERENCE), netquake::datagram::numbering, Again::WithTheNext)
    }),
];
