//! Clients that conform in another way than the reference.

use super::rules;
use crate::liberties::*;
use crate::mutants::client_with;
use crate::rules::Rules;
use kit::Variant;
use kit::variant::of_client;
use netquake::channel::Conduct;

const NONE: Liberties = Liberties::NONE;

/// The conforming clients.
pub(super) static VARIANTS: &[Variant] = &[
    of_client("request-without-newline", "ends its request without a newline", |setup| {
        client_with(setup, rules(Liberties { request_form: RequestForm::Bare, ..NONE }))
    }),
    of_client("asks-no-limits", "does not ask for the server's limits", |setup| {
        client_with(setup, rules(Liberties { asks_limits: false, ..NONE }))
    }),
    of_client("commands-one-by-one", "sends every command in a message of its own", |setup| {
        client_with(setup, rules(Liberties { one_by_one: true, ..NONE }))
    }),
    of_client("names-itself", "says its name and colours before it asks to be spawned", |setup| {
        client_with(setup, rules(Liberties { names_itself: true, ..NONE }))
    }),
    of_client("client-resends-soon", "sends what was not acknowledged again after 250 ms", |setup| {
        let transport = Conduct { resend_us: 250_000, ..Rules::REFERENCE.transport };
        client_with(setup, Rules { transport, ..Rules::REFERENCE })
    }),
];
