//! Mutants of the reference: one requirement's check must catch each.
//!
//! A mutant differs from the reference in its [`Rules`], or in what it sends or receives ([`kit::tamper`]); the reference
//! knows nothing of it. [`establishment`] has those of the handshake and the sign-on, [`liveness`] silent ends,
//! [`services`] those of the messages there, [`wire`] those of the coding (at both ends), [`server`] and [`client`] those of the machines, [`prediction`] and
//! [`statistic`] what PREDINFO adds.

/// Declares mutants: the end, name, requirement and scenario; how it differs, and what that comes to; then the engine that
/// has or had the same bug. It differs in
/// - `rules`, a function that changes those of the reference,
/// - `rows`, those of an update,
/// - what it `sends` or `receives`, an edit of the datagrams of the reference,
/// - or all of it: an endpoint `by` a function.
macro_rules! mutants {
    ($(
        $role:ident $name:literal $row:ident $scenario:literal: $how:ident $what:expr, $differs:literal $(, $bug:literal)?;
    )*) => {
        &[$(mutants!(@ $role $how $what, $name, &crate::requirements::$row, $scenario, $differs)$(.same_bug_as($bug))?),*]
    };
    (@ server $($rest:tt)*) => { mutants!(@@ of_server server_with $($rest)*) };
    (@ client $($rest:tt)*) => { mutants!(@@ of_client client_with $($rest)*) };
    (@@ $of:ident $with:ident by $what:expr, $($rest:expr),*) => { crate::mutants::$of($($rest),*, $what) };
    (@@ $of:ident $with:ident sends $what:expr, $($rest:expr),*) => {
        crate::mutants::$of($($rest),*, |setup| crate::mutants::sends(crate::mutants::$with, setup, $what))
    };
    (@@ $of:ident $with:ident receives $what:expr, $($rest:expr),*) => {
        crate::mutants::$of($($rest),*, |setup| crate::mutants::receives(crate::mutants::$with, setup, $what))
    };
    (@@ $of:ident $with:ident rules $what:expr, $($rest:expr),*) => {
        crate::mutants::$of($($rest),*, |setup| crate::mutants::ruled(crate::mutants::$with, setup, $what))
    };
    (@@ $of:ident $with:ident rows $what:expr, $($rest:expr),*) => {
        crate::mutants::$of($($rest),*, |setup| {
            const ROWS: crate::mutants::wire::rows::Rows = $what;
            static TABLE: kit::table::Table = kit::table::Table::new("entity update", &ROWS);
            crate::mutants::ruled(crate::mutants::$with, setup, |rules| rules.table = &TABLE)
        })
    };
}

mod client;
mod entry;
mod establishment;
mod liveness;
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
    liveness::MUTANTS,
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

/// How an end is made that follows rules.
type With = fn(&Setup, Rules) -> Box<dyn Endpoint>;

/// The reference with other rules.
fn ruled(with: With, setup: &Setup, change: impl FnOnce(&mut Rules)) -> Box<dyn Endpoint> {
    let mut rules = Rules::REFERENCE;
    change(&mut rules);
    with(setup, rules)
}

/// The reference, with every datagram that it sends edited.
pub(crate) fn sends(with: With, setup: &Setup, edit: impl FnMut(&mut Packet<'_>) + 'static) -> Box<dyn Endpoint> {
    Box::new(behind(setup, with(setup, Rules::REFERENCE)).outgoing(edit))
}

/// The reference, with every datagram that it receives edited.
fn receives(with: With, setup: &Setup, edit: impl FnMut(&mut Packet<'_>) + 'static) -> Box<dyn Endpoint> {
    Box::new(behind(setup, with(setup, Rules::REFERENCE)).incoming(edit))
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

    fn source_port(&self) -> u16 {
        self.0.borrow().source_port()
    }

    fn observe(&self, view: &mut View) {
        self.0.borrow().observe(view);
    }
}

/// An endpoint whose datagrams are edited by what also reaches its state: those that it `sends` when it has written
/// them, those that it `receives` before it reads them.
fn reachable<E: Endpoint + 'static>(
    setup: &Setup,
    endpoint: E,
    mut sends: impl FnMut(&mut Packet<'_>, &mut E) + 'static,
    mut receives: impl FnMut(&mut Packet<'_>, &mut E) + 'static,
) -> Box<dyn Endpoint> {
    let outgoing = Rc::new(RefCell::new(endpoint));
    let incoming = Rc::clone(&outgoing);
    let tampered = behind(setup, Box::new(Shared(Rc::clone(&outgoing))));
    let tampered = tampered.outgoing(move |packet| sends(packet, &mut outgoing.borrow_mut()));
    Box::new(tampered.incoming(move |packet| receives(packet, &mut incoming.borrow_mut())))
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
