//! Clients that conform in another way than the reference.

use super::rules;
use crate::liberties::Liberties;
use crate::mutants::client_with;
use crate::rules::Rules;
use kit::Variant;
use kit::variant::of_client;
use netquake::channel::Conduct;

const NONE: Liberties = Liberties::NONE;

/// The conforming clients.
pub(super) static VARIANTS: &[Variant] = &[
    of_client("moves-seldom", "sends a move in every third tick", |setup| {
        client_with(setup, rules(Liberties { move_every: 3, ..NONE }))
    }),
    of_client("moves-at-once", "sends the first moves, too, which engines make and throw away", |setup| {
        client_with(setup, rules(Liberties { first_moves_dropped: 0, ..NONE }))
    }),
    of_client("silent-while-loading", "says nothing while its sign-on goes on", |setup| {
        client_with(setup, rules(Liberties { no_nops: true, ..NONE }))
    }),
    of_client("request-with-more", "appends bytes to its connection request, as ProQuake's kin do", |setup| {
        client_with(setup, rules(Liberties { request_extra: &[1, 30, 0], ..NONE }))
    }),
    of_client("client-repeats-early", "sends a fragment again after half a second", |setup| {
        client_with(setup, Rules { conduct: Conduct::resending_after(500_000), ..Rules::REFERENCE })
    }),
    of_client("client-repeats-late", "sends a fragment again after three seconds", |setup| {
        client_with(setup, Rules { conduct: Conduct::resending_after(3_000_000), ..Rules::REFERENCE })
    }),
];
