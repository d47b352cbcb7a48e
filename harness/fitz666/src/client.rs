//! The reference client.

use crate::rules::Rules;
use kit::{Command, Endpoint, Event, PeerId, Setup, Time, View};

/// A client.
pub struct Client;

impl Client {
    /// A client that follows `rules`.
    pub fn new(_: &Setup, _: Rules) -> Client {
        Client
    }
}

impl Endpoint for Client {
    fn handle_command(&mut self, _: Time, _: &Command) {}
    fn handle_datagram(&mut self, _: Time, _: PeerId, _: &[u8]) {}
    fn handle_timeout(&mut self, _: Time) {}
    fn poll_transmit(&mut self, _: Time, _: &mut Vec<u8>) -> Option<PeerId> {
        None
    }
    fn poll_event(&mut self) -> Option<Event> {
        None
    }
    fn poll_timeout(&self) -> Option<Time> {
        None
    }
    fn observe(&self, _: &mut View) {}
}
