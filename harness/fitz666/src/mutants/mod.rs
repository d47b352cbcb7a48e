//! Mutants of the reference: one requirement's check must catch each.
//!
//! A mutant has another function at a seam of the machines, or its datagrams are edited ([`kit::tamper`]); the reference
//! knows nothing of it. [`update`] has those of entity updates, [`player`] those of clientdata, [`sound`] those of sounds,
//! [`baseline`] those of baselines and what has no number, [`transport`] those of the connection, [`client`] and
//! [`misread`] those of clients, [`server`] those of the server's own choices, and [`events`] those of what happens once and
//! of ends that do not go on, and [`inert`] those of ends that do nothing.

mod baseline;
mod borders;
mod client;
mod events;
mod inert;
mod misread;
mod player;
mod server;
mod silences;
mod sound;
mod transport;
mod update;

use crate::client::Client;
use crate::dissector::Fitz666Dissector;
use crate::game::rules::ClientRules;
use crate::message::Dialect;
use crate::options::Options;
use crate::server::Server;
use crate::session::rules::ServerRules;
use kit::mutant::{of_client, of_server};
use kit::{Endpoint, Mutant, Packet, Reader, Setup, Span, Tampered, Writer};
use netquake::Service;

/// The mutants, by file.
pub static MUTANTS: &[&[Mutant]] = &[
    update::MUTANTS,
    player::MUTANTS,
    sound::MUTANTS,
    baseline::MUTANTS,
    transport::MUTANTS,
    client::MUTANTS,
    misread::MUTANTS,
    server::MUTANTS,
    events::MUTANTS,
    inert::MUTANTS,
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

/// The reference server, with every datagram that it receives edited.
pub(crate) fn server_receives(setup: &Setup, edit: impl FnMut(&mut Packet<'_>) + 'static) -> Box<dyn Endpoint> {
    Box::new(behind(setup, server_with(setup, ServerRules::REFERENCE)).incoming(edit))
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

/// An endpoint that can be tampered with.
pub(crate) fn behind(setup: &Setup, endpoint: Box<dyn Endpoint>) -> Tampered {
    let dissector = Box::new(Fitz666Dissector::new(Some(setup)));
    Tampered::new(endpoint, setup.host, dissector, netquake::datagram::seal)
}

/// The messages of a server in a datagram, in order.
pub(crate) fn services<'a>(packet: &Packet<'a>) -> Vec<&'a Span> {
    packet.fields("service").collect()
}

/// The NetQuake messages of a server in a datagram, in order.
fn netquake_services<'a>(packet: &Packet<'a>, dialect: &Dialect) -> Vec<(&'a Span, Service<'a>)> {
    let read = |span: &'a Span| {
        let mut r = Reader::new(packet.raw(span));
        let number = r.u8("svc").ok()?;
        Some((span, netquake::read_service(&mut r, number, &dialect.primitives).ok()??))
    };
    services(packet).into_iter().filter_map(read).collect()
}

/// Rewrites a server's messages: `edit` gets each NetQuake message and its bytes, and returns other bytes for those that
/// it changes.
fn rewriting(
    setup: &Setup,
    mut edit: impl FnMut(&Service<'_>, &[u8], &Dialect) -> Option<Vec<u8>> + 'static,
) -> impl FnMut(&mut Packet<'_>) + 'static {
    let dialect = Dialect::announced(Options::new(setup).protocol);
    move |packet| {
        for (span, service) in netquake_services(packet, &dialect) {
            if let Some(other) = edit(&service, packet.raw(span), &dialect) {
                packet.replace(span.start..span.end, &other);
            }
        }
    }
}

/// The reference server, with messages rewritten that it sends.
pub(crate) fn server_sends_otherwise(
    setup: &Setup,
    edit: impl FnMut(&Service<'_>, &[u8], &Dialect) -> Option<Vec<u8>> + 'static,
) -> Box<dyn Endpoint> {
    server_sends(setup, rewriting(setup, edit))
}

/// The reference client, with messages rewritten that it receives.
pub(crate) fn client_receives_otherwise(
    setup: &Setup,
    edit: impl FnMut(&Service<'_>, &[u8], &Dialect) -> Option<Vec<u8>> + 'static,
) -> Box<dyn Endpoint> {
    client_receives(setup, rewriting(setup, edit))
}

/// The bytes that `write` writes.
fn bytes_of(write: impl FnOnce(&mut Writer<'_>)) -> Vec<u8> {
    let mut bytes = Vec::new();
    write(&mut Writer::new(&mut bytes));
    bytes
}
