//! Clients that conform in another way than the reference.

use crate::latitude::*;
use crate::mutants::client_with;
use kit::variant::of_client;
use kit::{Again, Twice, Variant};

/// The conforming clients.
pub(super) static VARIANTS: &[Variant] = &[
    of_client("request-without-newline", "ends its request without a newline", |setup| {
        client_with(setup, |rules| rules.latitude.request_form = RequestForm::Bare)
    }),
    of_client("asks-no-limits", "does not ask for the server's limits", |setup| {
        client_with(setup, |rules| rules.latitude.asks_limits = false)
    }),
    of_client("commands-one-by-one", "sends every command in a message of its own", |setup| {
        client_with(setup, |rules| rules.latitude.one_by_one = true)
    }),
    of_client("names-itself", "says its name and colours before it asks to be spawned", |setup| {
        client_with(setup, |rules| rules.latitude.names_itself = true)
    }),
    of_client("client-resends-soon", "sends what was not acknowledged again after 250 ms", |setup| {
        client_with(setup, |rules| rules.transport.resend_us = 250_000)
    }),
    of_client("client-sends-twice", "sends what has a number of its own again, beside its next datagram", |setup| {
        Twice::around(client_with(setup, |_| {}), netquake::datagram::numbering, Again::WithTheNext)
    }),
];
