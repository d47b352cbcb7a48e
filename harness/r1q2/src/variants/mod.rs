//! Other ways to conform: each takes a liberty that the protocol leaves, and must pass every scenario.
//!
//! A variant is the reference with other [`Liberties`]. [`server`] has those of the server, [`client`] those of the client.

mod client;
mod server;

use crate::liberties::Liberties;
use crate::rules::Rules;
use kit::{Endpoint, Requirement, Role, Setup, StandIn, Variant};

/// The conforming variants, by file.
pub static VARIANTS: &[&[Variant]] = &[server::VARIANTS, client::VARIANTS];

const fn of_server(
    name: &'static str,
    allows: &'static str,
    foregoes: &'static [&'static Requirement],
    build: fn(&Setup) -> Box<dyn Endpoint>,
) -> Variant {
    Variant { name, allows, foregoes, stand_in: StandIn { role: Role::Server, build }, takes: None }
}

const fn of_client(
    name: &'static str,
    allows: &'static str,
    foregoes: &'static [&'static Requirement],
    build: fn(&Setup) -> Box<dyn Endpoint>,
) -> Variant {
    Variant { name, allows, foregoes, stand_in: StandIn { role: Role::Client, build }, takes: None }
}

/// The reference but for its liberties.
const fn rules(liberties: Liberties) -> Rules {
    Rules { liberties, ..Rules::REFERENCE }
}
