//! What a host's task says of one input, for the ledger.

use kit::{Command, Endpoint, Event, HostId, PacketId, PeerId, Time, View};
use std::rc::Rc;

/// What a host took.
#[derive(Debug)]
pub(crate) enum Input {
    /// An instruction.
    Command(Command),
    /// A copy of a datagram.
    Datagram { packet: PacketId, copy: u8, delay_us: u64, bytes: Rc<[u8]>, intact: bool },
    /// Its timer.
    Timeout,
}

/// A datagram that a host sent.
#[derive(Debug)]
pub(crate) struct Sent {
    /// To whom; nobody may be there.
    pub(crate) to: PeerId,
    /// Its number among all that this host has sent.
    pub(crate) serial: u64,
    pub(crate) bytes: Rc<[u8]>,
    /// The port that it comes from, as its sender sees it.
    pub(crate) port: u16,
}

/// One input of one host, and all that came of it.
#[derive(Debug)]
pub(crate) struct Record {
    pub(crate) at: Time,
    pub(crate) host: HostId,
    pub(crate) input: Input,
    pub(crate) sent: Vec<Sent>,
    pub(crate) said: Vec<Event>,
    /// What the host held then.
    pub(crate) view: View,
}

/// A host as it was when a record was made: it can be looked at, and does nothing.
#[derive(Debug)]
pub(crate) struct Still<'a>(pub(crate) Option<&'a View>);

impl Endpoint for Still<'_> {
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
        if let Some(held) = self.0 {
            view.clone_from(held);
        }
    }
}
