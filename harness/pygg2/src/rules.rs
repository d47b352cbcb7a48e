//! The seams of the machines: what they ask a rule for. The right answers stand beside the machines, the wrong ones
//! beside the mutants that are made of them. What may be chosen freely is in [`Latitude`].

use crate::client;
use crate::latitude::Latitude;
use crate::serial;
use crate::server::{self, Admission};
use crate::session::{self, Occasion, Pending, Session};
use crate::snapshot::{self, Body, Declared};
use crate::state::Players;

/// Which of two numbers is the newer one.
pub type Newer = fn(u16, u16) -> bool;

/// Makes a difference of bytes and their base, or the bytes of a difference and the base.
pub type Combine = fn(&[u8], &[u8]) -> Vec<u8>;

/// What happens to what cannot be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unreadable {
    /// Nothing.
    Ignored,
    /// What stands before the mistake is taken.
    TakenInPart,
    /// The end stops for good.
    Fatal,
}

/// What a server asks for.
#[derive(Clone, Copy, Debug)]
pub struct ServerRules {
    /// The bodies that the player of this id is sent.
    pub bodies: fn(&Players, u8, Declared) -> Vec<Body>,
    /// Whether an event stays in the buffer.
    pub keeps: fn(&Pending, Occasion) -> bool,
    /// The base of the packet of this number, and its own.
    pub base: fn(&Session, u16) -> Option<(u16, Vec<u8>)>,
    /// Makes the difference.
    pub combine: Combine,
    /// Makes what is sent of the events, where there is a base.
    pub combine_events: Combine,
    /// Whether an acknowledgement, the newest packet sent and the acknowledgement before go together.
    pub ack_counts: fn(u16, u16, u16) -> bool,
    /// What happens to a hello: whether its password is wrong, how many players there are, and may be.
    pub admission: fn(bool, usize, usize) -> Admission,
    /// A hello of a client that is in makes a new player.
    pub greets_again: bool,
    /// Compares the numbers of a client's packets.
    pub newer: Newer,
    /// Compares the number of a client's event with that of the packet before.
    pub event_newer: Newer,
    /// What happens to what cannot be read.
    pub unreadable: Unreadable,
    /// Ticks that an event waits.
    pub delay_ticks: u64,
    /// A client that leaves too much unacknowledged is thrown out.
    pub kicks: bool,
}

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
    pub without_base: client::Taken,
    /// What of a late packet is taken.
    pub late: client::Taken,
    /// What happens to what cannot be read.
    pub unreadable: Unreadable,
    /// Events are applied before the snapshot.
    pub events_first: bool,
    /// Inputs are sent by its own clock, and not in answer to packets.
    pub own_clock: bool,
}

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
    pub const REFERENCE: Rules = Rules {
        server: ServerRules {
            bodies: server::bodies,
            keeps: session::keeps,
            base: session::acknowledged_base,
            combine: snapshot::xor,
            combine_events: session::as_they_are,
            ack_counts: session::ack_counts,
            admission: server::admission,
            greets_again: false,
            newer: serial::newer,
            event_newer: serial::newer,
            unreadable: Unreadable::Ignored,
            delay_ticks: 0,
            kicks: true,
        },
        client: ClientRules {
            newer: serial::newer,
            event_newer: serial::newer,
            combine: snapshot::xor,
            without_base: client::Taken::Nothing,
            late: client::Taken::Nothing,
            unreadable: Unreadable::Ignored,
            events_first: true,
            own_clock: true,
        },
        latitude: Latitude::NONE,
    };
}
