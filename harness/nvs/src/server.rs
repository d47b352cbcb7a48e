//! The reference server.

use crate::options::Options;
use crate::rules::Rules;
use kit::{Command, Endpoint, Event, PeerId, Setup, Time, View};

/// A server.
#[derive(Debug)]
pub struct Server {
    options: Options,
}

impl Server {
    /// A server that follows `rules`.
    pub fn new(setup: &Setup, _rules: Rules) -> Server {
        Server { options: Options::new(setup) }
    }
}

impl Endpoint for Server {
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
    fn observe(&self, view: &mut View) {
        view.valid = self.options.compatibility;
    }
}
