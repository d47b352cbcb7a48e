//! mutants of the reference: one requirement's check must catch each.
//!
//! A mutant differs from the reference in its [`Rules`], in its tables, or in what it says or hears ([`kit::tamper`]); the
//! reference knows nothing of it.

mod agreement;
mod buffers;
mod reading;
mod sign_on;
mod stream;
mod tables;
mod writing;

use crate::client::Client;
use crate::dissector::NvsDissector;
use crate::rules::Rules;
use crate::server::Server;
use kit::mutant::{of_client, of_server};
use kit::{Endpoint, Mutant, Packet, Setup, Tampered};

/// The mutants, by file.
pub static MUTANTS: &[&[Mutant]] = &[
    agreement::MUTANTS,
    tables::MUTANTS,
    writing::MUTANTS,
    buffers::MUTANTS,
    sign_on::MUTANTS,
    reading::MUTANTS,
    stream::MUTANTS,
];

/// A server that follows `rules`.
pub fn server_with(setup: &Setup, rules: Rules) -> Box<dyn Endpoint> {
    Box::new(Server::new(setup, rules))
}

/// A client that follows `rules`.
pub fn client_with(setup: &Setup, rules: Rules) -> Box<dyn Endpoint> {
    Box::new(Client::new(setup, rules))
}

/// The reference server, with every datagram that it sends edited.
pub fn server_says(setup: &Setup, edit: impl FnMut(&mut Packet<'_>) + 'static) -> Box<dyn Endpoint> {
    Box::new(behind(setup, server_with(setup, Rules::REFERENCE)).outgoing(edit))
}

/// The reference client, with every datagram that it sends edited.
pub fn client_says(setup: &Setup, edit: impl FnMut(&mut Packet<'_>) + 'static) -> Box<dyn Endpoint> {
    Box::new(behind(setup, client_with(setup, Rules::REFERENCE)).outgoing(edit))
}

/// An endpoint that can be tampered with.
fn behind(setup: &Setup, endpoint: Box<dyn Endpoint>) -> Tampered {
    Tampered::new(endpoint, setup.host, Box::new(NvsDissector::new(Some(setup))), netquake::datagram::seal)
}
