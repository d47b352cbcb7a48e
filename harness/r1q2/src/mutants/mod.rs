//! Mutants of the reference: a check must find each, at the requirement that it violates.
//!
//! A mutant differs from the reference in its [`ServerRules`] or [`ClientRules`], or in what it sends or receives
//! ([`kit::tamper`]); the reference knows nothing of it. [`server`] has those of the server's own choices, [`wire`] those of what a server writes,
//! [`player`] those of player states, [`connection`] those of either end's connection, [`client`] those of a client's
//! reading, [`reading`] those of its reading of player states, [`silence`] those of ends that say too little.

mod borders;
mod client;
mod connection;
mod player;
mod reading;
pub(crate) mod server;
mod silence;
mod silences;
mod wire;

use crate::dissector::R1q2Dissector;
use crate::machine::client::Client;
use crate::machine::game::ClientRules;
use crate::machine::sender::ServerRules;
use crate::machine::server::Server;
use kit::mutant::{of_client, of_server};
use kit::{Endpoint, Mutant, Packet, Setup, Span, Tampered};

/// The mutants, by file.
pub static MUTANTS: &[&[Mutant]] = &[
    server::MUTANTS,
    wire::MUTANTS,
    player::MUTANTS,
    connection::MUTANTS,
    client::MUTANTS,
    reading::MUTANTS,
    silence::MUTANTS,
    silences::MUTANTS,
    borders::MUTANTS,
];

/// A server that follows `rules`.
pub(crate) fn server_with(setup: &Setup, rules: ServerRules) -> Box<dyn Endpoint> {
    Box::new(Server::new(setup, rules))
}

/// A client that follows `rules`.
pub(crate) fn client_with(setup: &Setup, rules: ClientRules) -> Box<dyn Endpoint> {
    Box::new(Client::new(setup, rules))
}

/// The reference server, with every datagram that it sends edited.
pub(crate) fn server_sends(setup: &Setup, edit: impl FnMut(&mut Packet<'_>) + 'static) -> Box<dyn Endpoint> {
    Box::new(behind(setup, server_with(setup, ServerRules::REFERENCE)).outgoing(edit))
}

/// The reference client, with every datagram that it sends edited.
pub(crate) fn client_sends(setup: &Setup, edit: impl FnMut(&mut Packet<'_>) + 'static) -> Box<dyn Endpoint> {
    Box::new(behind(setup, client_with(setup, ClientRules::REFERENCE)).outgoing(edit))
}

/// The reference client, with every datagram that it receives edited: what it is given is what a broken one would take
/// the original for.
pub(crate) fn client_receives(setup: &Setup, edit: impl FnMut(&mut Packet<'_>) + 'static) -> Box<dyn Endpoint> {
    Box::new(behind(setup, client_with(setup, ClientRules::REFERENCE)).incoming(edit))
}

/// An endpoint that can be tampered with. Nothing in a header depends on what follows it.
pub(crate) fn behind(setup: &Setup, endpoint: Box<dyn Endpoint>) -> Tampered {
    Tampered::new(endpoint, setup.host, Box::new(R1q2Dissector::new(Some(setup))), |_| {})
}

/// The first field called `name` after each field called `after`, both in one message.
pub(crate) fn pairs<'a>(packet: &Packet<'a>, after: &'static str, name: &'static str) -> Vec<[&'a Span; 2]> {
    let mut pairs = Vec::new();
    for first in packet.fields(after) {
        if let Some(second) = packet.fields(name).find(|span| span.start >= first.end) {
            pairs.push([first, second]);
        }
    }
    pairs
}

/// Exchanges two fields that stand one after the other.
pub(crate) fn exchange(packet: &mut Packet<'_>, [first, second]: [&Span; 2]) {
    let between = packet.bytes.get(first.end..second.start).unwrap_or_default();
    let exchanged = [packet.raw(second), between, packet.raw(first)].concat();
    packet.replace(first.start..second.end, &exchanged);
}
