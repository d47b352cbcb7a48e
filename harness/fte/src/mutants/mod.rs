//! Mutants of the reference: one requirement's check must catch each.
//!
//! A mutant differs from the reference in its [`Rules`], or in what it sends or receives ([`kit::tamper`]); the reference
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

pub use server::history::{forget_oldest, log_flags, log_updates};
pub(crate) use wire::rows::with_forms;

use crate::client::Client;
use crate::dialect::Transport;
use crate::dissector::FteDissector;
use crate::options::Options;
use crate::rules::Rules;
use crate::server::Server;
use kit::mutant::{of_client, of_server};
use kit::tamper::Seal;
use kit::{Command, Endpoint, Event, Mutant, Packet, PeerId, Setup, Tampered, Time, View};
use std::cell::RefCell;
use std::rc::Rc;

/// The mutants, by file.
pub static MUTANTS: &[&[Mutant]] = &[
    establishment::MUTANTS,
    services::MUTANTS,
    wire::FIELDS,
    wire::WIDTHS,
    wire::PRED_BLOCKS,
    wire::TAGS,
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

/// An endpoint that the edits around it can reach.
struct Shared<E>(Rc<RefCell<E>>);

impl<E: Endpoint> Endpoint for Shared<E> {
    fn handle_command(&mut self, now: Time, command: &Command) {
        self.0.borrow_mut().handle_command(now, command);
    }

    fn handle_datagram(&mut self, now: Time, from: PeerId, bytes: &[u8]) {
        self.0.borrow_mut().handle_datagram(now, from, bytes);
    }

    fn handle_timeout(&mut self, now: Time) {
        self.0.borrow_mut().handle_timeout(now);
    }

    fn poll_transmit(&mut self, now: Time, out: &mut Vec<u8>) -> Option<PeerId> {
        self.0.borrow_mut().poll_transmit(now, out)
    }

    fn poll_event(&mut self) -> Option<Event> {
        self.0.borrow_mut().poll_event()
    }

    fn poll_timeout(&self) -> Option<Time> {
        self.0.borrow().poll_timeout()
    }

    fn observe(&self, view: &mut View) {
        self.0.borrow().observe(view);
    }
}

/// An endpoint whose datagrams are edited by what also reaches its state: those that it `says` when it has written
/// them, those that it `hears` before it reads them.
fn reachable<E: Endpoint + 'static>(
    setup: &Setup,
    endpoint: E,
    mut says: impl FnMut(&mut Packet<'_>, &mut E) + 'static,
    mut hears: impl FnMut(&mut Packet<'_>, &mut E) + 'static,
) -> Box<dyn Endpoint> {
    let outgoing = Rc::new(RefCell::new(endpoint));
    let incoming = Rc::clone(&outgoing);
    let tampered = behind(setup, Box::new(Shared(Rc::clone(&outgoing))));
    let tampered = tampered.outgoing(move |packet| says(packet, &mut outgoing.borrow_mut()));
    Box::new(tampered.incoming(move |packet| hears(packet, &mut incoming.borrow_mut())))
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
