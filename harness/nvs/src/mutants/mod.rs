//! Mutants of the reference: one requirement's check must catch each.
//!
//! A mutant has another function at a seam of the machines, other tables, or its datagrams are edited
//! ([`kit::tamper`]); the reference knows nothing of it.

mod agreement;
mod borders;
mod buffers;
mod liveness;
mod reading;
mod scene;
mod sign_on;
mod silences;
mod stream;
mod tables;
mod writing;

use crate::client::Client;
use crate::dissector::NvsDissector;
use crate::game::rules::ClientRules;
use crate::preparation::rules::{Into, converts, into, prepare};
use crate::server::Server;
use crate::session::rules::{ServerRules, asked, versions};
use kit::mutant::{of_client, of_server};
use kit::{Endpoint, HostId, Mutant, Packet, Setup, Span, Tampered};
use std::collections::{BTreeMap, BTreeSet};

/// The mutants, by file.
pub static MUTANTS: &[&[Mutant]] = &[
    agreement::MUTANTS,
    tables::MUTANTS,
    writing::MUTANTS,
    buffers::MUTANTS,
    sign_on::MUTANTS,
    reading::MUTANTS,
    stream::MUTANTS,
    liveness::MUTANTS,
    scene::MUTANTS,
    silences::MUTANTS,
    borders::MUTANTS,
];

/// The reference server with other rules.
pub fn server_with(setup: &Setup, change: impl FnOnce(&mut ServerRules)) -> Box<dyn Endpoint> {
    let mut rules = ServerRules::REFERENCE;
    change(&mut rules);
    Box::new(Server::new(setup, rules))
}

/// The reference client with other rules.
pub fn client_with(setup: &Setup, change: impl FnOnce(&mut ClientRules)) -> Box<dyn Endpoint> {
    let mut rules = ClientRules::REFERENCE;
    change(&mut rules);
    Box::new(Client::new(setup, rules))
}

/// The reference server, with every datagram that it sends edited.
pub fn server_says(setup: &Setup, edit: impl FnMut(&mut Packet<'_>) + 'static) -> Box<dyn Endpoint> {
    Box::new(behind(setup, server_with(setup, |_| {})).outgoing(edit))
}

/// The reference client, with every datagram that it sends edited.
pub fn client_says(setup: &Setup, edit: impl FnMut(&mut Packet<'_>) + 'static) -> Box<dyn Endpoint> {
    Box::new(behind(setup, client_with(setup, |_| {})).outgoing(edit))
}

/// The reference client, with every datagram that it receives edited.
fn client_receives(setup: &Setup, edit: impl FnMut(&mut Packet<'_>) + 'static) -> Box<dyn Endpoint> {
    Box::new(behind(setup, client_with(setup, |_| {})).incoming(edit))
}

/// An endpoint that can be tampered with.
fn behind(setup: &Setup, endpoint: Box<dyn Endpoint>) -> Tampered {
    Tampered::new(endpoint, setup.host, Box::new(NvsDissector::new(Some(setup))), netquake::datagram::seal)
}

/// Takes all groups of this name out.
fn cut_all(packet: &mut Packet<'_>, name: &'static str) {
    packet.fields(name).for_each(|group| packet.cut(group));
}

/// Whether a packet is a frame of the game, and not the answer to spawn.
fn is_frame(packet: &Packet<'_>) -> bool {
    packet.fields("svc_time").next().is_some() && packet.fields("svc_signonnum").next().is_none()
}

/// The message that ends a stage of the sign-on.
fn end_of_stage<'a>(packet: &Packet<'a>, stage: u8) -> Option<&'a Span> {
    packet.fields("svc_signonnum").find(|group| packet.raw(group).get(1) == Some(&stage))
}

/// The numbered prints of a scenario.
fn numbered_prints<'a>(packet: &Packet<'a>) -> Vec<&'a Span> {
    packet
        .fields("svc_print")
        .filter(|group| packet.raw(group).get(1..).is_some_and(|text| text.starts_with(b"line ")))
        .collect()
}
