//! Broken twins of the reference: one requirement's check must catch each.
//!
//! A twin differs from the reference in its [`Rules`], or in what it says or hears ([`kit::tamper`]); the reference
//! knows nothing of it. [`establishment`] has those of the handshake and the sign-on, [`services`] those of what is said
//! there, [`wire`] those of the coding (at both ends), [`server`] and [`client`] those of the machines, [`prediction`] and
//! [`statistic`] what PREDINFO adds.

mod client;
mod entry;
mod establishment;
mod prediction;
mod server;
mod services;
mod statistic;
mod wire;

use crate::client::Client;
use crate::dialect::Transport;
use crate::dissector::FteDissector;
use crate::options::Options;
use crate::rules::Rules;
use crate::server::Server;
use kit::mutant::{of_client, of_server};
use kit::tamper::Seal;
use kit::{Endpoint, Mutant, Packet, Setup, Tampered};

/// The broken twins, by file.
pub static MUTANTS: &[&[Mutant]] = &[
    establishment::MUTANTS,
    services::MUTANTS,
    wire::FIELDS,
    wire::WIDTHS,
    wire::PREDICTION,
    wire::INDEX,
    wire::FLAGS,
    wire::FRAMES,
    server::reset::MUTANTS,
    server::remove::MUTANTS,
    server::acknowledgement::MUTANTS,
    server::history::MUTANTS,
    server::overflow::MUTANTS,
    client::STATE,
    client::ACKNOWLEDGEMENT,
    prediction::MUTANTS,
    statistic::MUTANTS,
];

/// A server that follows `rules`.
pub(crate) fn server_with(setup: &Setup, rules: Rules) -> Box<dyn Endpoint> {
    Box::new(Server::new(setup, rules))
}

/// A client that follows `rules`.
pub(crate) fn client_with(setup: &Setup, rules: Rules) -> Box<dyn Endpoint> {
    Box::new(Client::new(setup, rules))
}

/// The reference server, with every datagram that it sends edited.
pub(crate) fn server_says(setup: &Setup, edit: impl FnMut(&mut Packet<'_>) + 'static) -> Box<dyn Endpoint> {
    Box::new(behind(setup, server_with(setup, Rules::REFERENCE)).outgoing(edit))
}

/// The reference server, with every datagram that it receives edited.
fn server_hears(setup: &Setup, edit: impl FnMut(&mut Packet<'_>) + 'static) -> Box<dyn Endpoint> {
    Box::new(behind(setup, server_with(setup, Rules::REFERENCE)).incoming(edit))
}

/// The reference client, with every datagram that it sends edited.
pub(crate) fn client_says(setup: &Setup, edit: impl FnMut(&mut Packet<'_>) + 'static) -> Box<dyn Endpoint> {
    Box::new(behind(setup, client_with(setup, Rules::REFERENCE)).outgoing(edit))
}

/// The reference client, with every datagram that it receives edited.
fn client_hears(setup: &Setup, edit: impl FnMut(&mut Packet<'_>) + 'static) -> Box<dyn Endpoint> {
    Box::new(behind(setup, client_with(setup, Rules::REFERENCE)).incoming(edit))
}

/// Whether a datagram belongs to a connection, and is more than a part of NetQuake's reliable stream.
fn is_unreliable(packet: &Packet<'_>) -> bool {
    const CONTROL: [u8; 2] = [0x80, 0];
    match packet.fields("flags and length").next() {
        _ if packet.bytes.starts_with(&[0xff; 4]) || packet.bytes.starts_with(&CONTROL) => false,
        Some(_) => packet.bytes.get(1).is_some_and(|&flags| flags & 0x10 != 0),
        None => true,
    }
}

/// An endpoint that can be tampered with.
fn behind(setup: &Setup, endpoint: Box<dyn Endpoint>) -> Tampered {
    let seal: Seal = match Options::new(setup).transport {
        Transport::NetQuake => netquake::datagram::seal,
        Transport::QuakeWorld => |_| {},
    };
    Tampered::new(endpoint, setup.host, Box::new(FteDissector::new(Some(setup))), seal)
}

/// The number of an unreliable datagram of the server.
fn unreliable_sequence(packet: &Packet<'_>) -> Option<u32> {
    let header = packet.fields("sequence").next()?;
    // NetQuake's unreliable datagrams have a count of their own.
    let flags = packet.fields("flags and length").next().map(|flags| packet.raw(flags));
    match (flags, packet.raw(header).first_chunk::<4>()) {
        (None, Some(&bytes)) => Some(u32::from_le_bytes(bytes) & 0x7fff_ffff),
        (Some(&[_, 0x10, ..]), Some(&bytes)) => Some(u32::from_be_bytes(bytes)),
        _ => None,
    }
}
