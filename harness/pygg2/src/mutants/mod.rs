//! Mutants of the reference: one requirement's check must catch each.
//!
//! A mutant differs from the reference in its [`Rules`], or in what it sends or receives ([`kit::tamper`]); the reference
//! knows nothing of it. [`server`] and [`client`] have those of the machines, [`wire`] those of the coding, [`greeting`]
//! those of the handshake and the complete update, [`silences`] servers that leave an event out.

mod client;
mod greeting;
mod server;
mod silences;
mod wire;

use crate::client::Client;
use crate::client::rules::ClientRules;
use crate::dissector::Pygg2Dissector;
use crate::latitude::Latitude;
use crate::rules::Newer;
use crate::server::Server;
use crate::session::rules::ServerRules;
use kit::mutant::{of_client, of_server};
use kit::{Endpoint, Mutant, Packet, Setup, Span, Tampered};

/// The mutants, by file.
pub static MUTANTS: &[&[Mutant]] =
    &[wire::MUTANTS, server::MUTANTS, client::MUTANTS, greeting::MUTANTS, silences::MUTANTS];

/// The rules of both ends.
#[derive(Clone, Copy, Debug)]
pub struct Rules {
    /// The server's.
    pub server: ServerRules,
    /// The client's.
    pub client: ClientRules,
    /// What may be chosen freely.
    pub latitude: Latitude,
}

impl Rules {
    /// What the concept and its profile ask for.
    pub const REFERENCE: Rules =
        Rules { server: ServerRules::REFERENCE, client: ClientRules::REFERENCE, latitude: Latitude::NONE };
}

/// A server that follows `rules`.
pub(crate) fn server_with(setup: &Setup, rules: Rules) -> Box<dyn Endpoint> {
    Box::new(Server::new(setup, rules.server, rules.latitude))
}

/// A client that follows `rules`.
pub(crate) fn client_with(setup: &Setup, rules: Rules) -> Box<dyn Endpoint> {
    Box::new(Client::new(setup, rules.client, rules.latitude))
}

/// The reference server but for some of its rules.
fn server_by(setup: &Setup, change: impl Fn(&mut ServerRules)) -> Box<dyn Endpoint> {
    let mut rules = Rules::REFERENCE;
    change(&mut rules.server);
    server_with(setup, rules)
}

/// The reference client but for some of its rules.
fn client_by(setup: &Setup, change: impl Fn(&mut ClientRules)) -> Box<dyn Endpoint> {
    let mut rules = Rules::REFERENCE;
    change(&mut rules.client);
    client_with(setup, rules)
}

/// Any number is newer than any other.
const ANY: Newer = |_, _| true;

/// The reference server, with every packet that it sends edited.
fn server_sends(setup: &Setup, edit: impl FnMut(&mut Packet<'_>) + 'static) -> Box<dyn Endpoint> {
    Box::new(behind(setup, server_with(setup, Rules::REFERENCE)).outgoing(edit))
}

/// The reference client, with every packet that it sends edited.
fn client_sends(setup: &Setup, edit: impl FnMut(&mut Packet<'_>) + 'static) -> Box<dyn Endpoint> {
    Box::new(behind(setup, client_with(setup, Rules::REFERENCE)).outgoing(edit))
}

/// The reference client, with every packet that it receives edited.
fn client_receives(setup: &Setup, edit: impl FnMut(&mut Packet<'_>) + 'static) -> Box<dyn Endpoint> {
    Box::new(behind(setup, client_with(setup, Rules::REFERENCE)).incoming(edit))
}

/// The reference server, with every packet that it receives edited.
fn server_receives(setup: &Setup, edit: impl FnMut(&mut Packet<'_>) + 'static) -> Box<dyn Endpoint> {
    Box::new(behind(setup, server_with(setup, Rules::REFERENCE)).incoming(edit))
}

/// An endpoint that can be tampered with. Packets have no lengths or sums over all.
fn behind(setup: &Setup, endpoint: Box<dyn Endpoint>) -> Tampered {
    Tampered::new(endpoint, setup.host, Box::new(Pygg2Dissector::new(Some(setup))), |_| {})
}

/// Turns the bytes of all fields of these names round. XOR does not mind.
fn turn_round(packet: &mut Packet<'_>, names: &[&'static str]) {
    for name in names {
        for span in packet.fields(name).collect::<Vec<_>>() {
            let bytes: Vec<u8> = packet.raw(span).iter().rev().copied().collect();
            packet.replace(span.start..span.end, &bytes);
        }
    }
}

/// A number of at most four bytes, big-endian.
fn number(packet: &Packet<'_>, span: &Span) -> u32 {
    packet.raw(span).iter().take(4).fold(0, |value, &byte| value << 8 | u32::from(byte))
}

/// Gives a field of one or two bytes another value, big-endian.
fn set(packet: &mut Packet<'_>, span: &Span, value: u16) {
    let bytes = value.to_be_bytes();
    let wide = span.end - span.start > 1;
    packet.replace(span.start..span.end, if wide { &bytes[..] } else { &bytes[1..] });
}

/// The records of a packet, and the name of the first field after each record's id.
fn records<'a>(packet: &Packet<'a>) -> Vec<(&'a Span, &'static str)> {
    let named = |record: &&'a Span| {
        let field = packet.inside(record).nth(2).map_or("", |span| span.field);
        (*record, field)
    };
    packet.fields("record").collect::<Vec<_>>().iter().map(named).collect()
}

/// Gives the field of this name another value, if the packet has it.
fn set_field(packet: &mut Packet<'_>, name: &'static str, value: u16) {
    if let Some(span) = packet.fields(name).next() {
        set(packet, span, value);
    }
}

/// The value of the first field of this name; 0 if there is none.
fn field(packet: &Packet<'_>, name: &'static str) -> u16 {
    packet.fields(name).next().map_or(0, |span| number(packet, span) as u16)
}

/// Whether a packet, or a part of it, has a field.
fn has(packet: &Packet<'_>, name: &'static str) -> bool {
    packet.fields(name).next().is_some()
}
