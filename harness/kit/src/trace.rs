//! What a run looks like from outside: every input, every datagram, every fate.

use crate::dissect::Dissection;
use crate::endpoint::{Command, Direction, Endpoint, Event, HostId};
use crate::fate::Fate;
use crate::time::Time;
use std::fmt;

/// The identity of a sent datagram. Its fate is drawn from this and the seed alone, so that changing the fate of
/// one datagram changes no other.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct PacketId {
    /// The client at the link's far end (1 and up).
    pub client: HostId,
    /// The direction.
    pub direction: Direction,
    /// The slot of virtual time in which it was sent.
    pub slot: u32,
    /// Its place among the datagrams of this link, direction and slot.
    pub ordinal: u16,
    /// Its place among all datagrams of this link and direction, from 0. For people and scripts; no draw uses it.
    pub index: u32,
}

/// `c1 s2c #12`: the client, the direction, and the index.
impl fmt::Display for PacketId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&format!("c{} {} #{}", self.client.0, self.direction, self.index))
    }
}

/// One line of a run's history.
#[derive(Clone, Copy, Debug)]
pub enum TraceEvent<'a> {
    /// The scenario instructs a host. Comes before the host acts on it.
    Command {
        /// The host.
        host: HostId,
        /// The instruction.
        command: &'a Command,
    },
    /// A datagram arrives. Comes before the host acts on it.
    Delivered {
        /// Which one.
        packet: PacketId,
        /// Which of its copies, from 0.
        copy: u8,
        /// The bytes, as received.
        bytes: &'a [u8],
        /// Whether they are the bytes sent.
        intact: bool,
    },
    /// A host's timer fires. Comes before the host acts on it.
    Timeout {
        /// The host.
        host: HostId,
    },
    /// A host sends a datagram.
    Sent {
        /// Which one.
        packet: PacketId,
        /// The bytes, as sent.
        bytes: &'a [u8],
        /// What the network will do with it.
        fate: Fate,
        /// What it carries, where the run has a dissector.
        dissection: Option<&'a Dissection>,
    },
    /// Something happened inside a host.
    Event {
        /// The host.
        host: HostId,
        /// What happened.
        event: &'a Event,
    },
}

/// Watches a run.
pub trait Probe {
    /// One line of history, in the order in which things happen.
    fn on(&mut self, now: Time, event: &TraceEvent<'_>);

    /// A host has acted on an input and all its outputs were taken: the moment to observe it.
    fn settled(&mut self, now: Time, host: HostId, endpoint: &dyn Endpoint) {
        let _ = (now, host, endpoint);
    }

    /// Whether it needs the content of datagrams that are sent from now on. Once it does not, it never does again.
    fn wants_content(&self) -> bool {
        true
    }
}
