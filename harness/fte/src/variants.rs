//! Other ways to conform: each takes a liberty that the document or its readings leave, and must pass every scenario.

use crate::client::Client;
use crate::rules::{Overflow, Rules};
use crate::server::Server;
use kit::{Endpoint, Requirement, Role, Setup, StandIn, Variant};

/// The conforming variants.
pub static VARIANTS: &[Variant] = &[
    of_server("folds-when-full", "takes the oldest frame for lost when history is full (erratum E6)", &[], |setup| {
        server_with(setup, Rules { overflow: Overflow::Fold, ..Rules::REFERENCE })
    }),
    of_client("acks-before-move", "puts acknowledgements before its move, as QuakeSpasm-Spiked does", &[], |setup| {
        client_with(setup, Rules { acks_first: true, ..Rules::REFERENCE })
    }),
];

const fn of_server(
    name: &'static str,
    allows: &'static str,
    foregoes: &'static [&'static Requirement],
    build: fn(&Setup) -> Box<dyn Endpoint>,
) -> Variant {
    Variant { name, allows, foregoes, stand_in: StandIn { role: Role::Server, build } }
}

const fn of_client(
    name: &'static str,
    allows: &'static str,
    foregoes: &'static [&'static Requirement],
    build: fn(&Setup) -> Box<dyn Endpoint>,
) -> Variant {
    Variant { name, allows, foregoes, stand_in: StandIn { role: Role::Client, build } }
}

fn server_with(setup: &Setup, rules: Rules) -> Box<dyn Endpoint> {
    Box::new(Server::new(setup, rules))
}

fn client_with(setup: &Setup, rules: Rules) -> Box<dyn Endpoint> {
    Box::new(Client::new(setup, rules))
}
