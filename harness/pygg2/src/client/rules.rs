//! What a client asks a rule for: the seams, and the right answers.

use crate::constants::SILENCE_US;
use crate::message::{ServerEvent, Stamped};
use crate::rules::*;
use crate::serial;
use crate::snapshot;

/// What a client asks for.
#[derive(Clone, Copy, Debug)]
pub struct ClientRules {
    /// Compares the numbers of packets.
    pub newer: Newer,
    /// Compares the number of an event with that of the packet before.
    pub event_newer: Newer,
    /// Makes a snapshot of the difference.
    pub combine: Combine,
    /// What of a packet without its base is taken.
    pub without_base: Taken,
    /// What of a late packet is taken.
    pub late: Taken,
    /// What happens to what cannot be read.
    pub unreadable: Unreadable,
    /// Events are applied before the snapshot.
    pub events_first: bool,
    /// Inputs are sent by its own clock, and not in answer to packets.
    pub own_clock: bool,
    /// Whether an event answers a hello.
    pub answers: fn(&ServerEvent) -> bool,
    /// Whether an acknowledgement counts, by it, the one before and the number of the newest packet sent: [`counts`].
    pub counts: fn(u16, u16, u16) -> bool,
    /// After so long a silence the server is taken for gone, in microseconds.
    pub silence_us: u64,
}

impl ClientRules {
    /// What the concept and its profile ask for.
    pub const REFERENCE: ClientRules = ClientRules {
        newer: serial::newer,
        event_newer: serial::newer,
        combine: snapshot::xor,
        without_base: Taken::Nothing,
        late: Taken::Nothing,
        unreadable: Unreadable::Ignored,
        events_first: true,
        own_clock: true,
        answers: |event| matches!(event, ServerEvent::Hi(_) | ServerEvent::Refuse { .. }),
        counts,
        silence_us: SILENCE_US,
    };

    /// Whether events of a packet answer a hello.
    pub fn answers(&self, events: &[Stamped<ServerEvent>]) -> bool {
        // GG2-HS-12
        events.iter().any(|event| (self.answers)(&event.what))
    }
}

/// Its packet was sent, and it is not older than the one before.
pub fn counts(ack: u16, before: u16, sent: u16) -> bool {
    !serial::newer(before, ack) && !serial::newer(ack, sent)
}

/// What a client takes of a packet that it has to drop.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Taken {
    /// Nothing.
    Nothing,
    /// Its events are applied.
    Events,
    /// It is acknowledged.
    Number,
}
