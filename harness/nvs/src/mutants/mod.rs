//! Broken twins of the reference: one requirement's check must catch each.
//!
//! A twin differs from the reference in its [`Rules`], in its tables, or in what it says or hears ([`kit::tamper`]); the
//! reference knows nothing of it.

use crate::client::Client;
use crate::rules::Rules;
use crate::server::Server;
use kit::{Endpoint, Mutant, Requirement, Role, Setup, StandIn};

/// The broken twins, by file.
pub static MUTANTS: &[&[Mutant]] = &[];

/// A mutant of the server.
#[expect(dead_code, reason = "used by the files of mutants")]
const fn of_server(
    name: &'static str,
    caught_by: &'static Requirement,
    scenario: &'static str,
    differs: &'static str,
    build: fn(&Setup) -> Box<dyn Endpoint>,
) -> Mutant {
    Mutant { name, caught_by, differs, scenario, twin: StandIn { role: Role::Server, build }, recalls: None }
}

/// A mutant of the client.
#[expect(dead_code, reason = "used by the files of mutants")]
const fn of_client(
    name: &'static str,
    caught_by: &'static Requirement,
    scenario: &'static str,
    differs: &'static str,
    build: fn(&Setup) -> Box<dyn Endpoint>,
) -> Mutant {
    Mutant { name, caught_by, differs, scenario, twin: StandIn { role: Role::Client, build }, recalls: None }
}

/// A server that follows `rules`.
pub fn server_with(setup: &Setup, rules: Rules) -> Box<dyn Endpoint> {
    Box::new(Server::new(setup, rules))
}

/// A client that follows `rules`.
pub fn client_with(setup: &Setup, rules: Rules) -> Box<dyn Endpoint> {
    Box::new(Client::new(setup, rules))
}
