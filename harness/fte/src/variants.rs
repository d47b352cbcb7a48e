//! Other ways to conform: each takes a liberty that the document or its readings leave, and must pass every scenario.

use crate::client::Client;
use crate::delta::Forms;
use crate::rules::{Mentions, Overflow, ResetFields, Rules};
use crate::server::Server;
use kit::{Endpoint, Requirement, Role, Setup, StandIn, Variant};

/// The conforming variants.
pub static VARIANTS: &[Variant] = &[
    of_server("folds-when-full", "takes the oldest frame for lost when history is full (erratum E6)", &[], |setup| {
        server_with(setup, Rules { overflow: Overflow::Fold, ..Rules::REFERENCE })
    }),
    of_server("long-indices", "gives small entity numbers a high byte, too, which readers take", &[], |setup| {
        server_with(setup, Rules { forms: Forms { long_index: true, ..Forms::SHORTEST }, ..Rules::REFERENCE })
    }),
    of_server("all-flag-bytes", "writes four flag bytes always: one of zero is legal", &[], |setup| {
        server_with(setup, Rules { forms: Forms { all_flag_bytes: true, ..Forms::SHORTEST }, ..Rules::REFERENCE })
    }),
    of_server("widest-forms", "gives small values their wide forms, which flags announce", &[], |setup| {
        server_with(setup, Rules { forms: Forms { widest: true, ..Forms::SHORTEST }, ..Rules::REFERENCE })
    }),
    of_server("explicit-resets", "writes every field beside a RESET, also those of the baseline", &[], |setup| {
        server_with(setup, Rules { reset_fields: ResetFields::All, ..Rules::REFERENCE })
    }),
    of_server("idle-entries", "mentions entities of which nothing changed, without a flag", &[], |setup| {
        server_with(setup, Rules { mentions: Mentions::OneMore, ..Rules::REFERENCE })
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
