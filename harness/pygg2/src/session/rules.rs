//! What a server asks a rule for: the seams, and the right answers.

use super::{Occasion, Pending, Session};
use crate::constants::*;
use crate::rules::*;
use crate::serial;
use crate::snapshot::{self, Body, Declared};
use crate::state::*;

/// A base: the number of its packet, and its snapshot.
pub type NumberedSnapshot<'a> = (u16, &'a [u8]);

/// What a server asks for.
#[derive(Clone, Copy, Debug)]
pub struct ServerRules {
    /// The bodies that the player of this id is sent.
    pub bodies: fn(&Players, u8, Declared) -> Vec<Body>,
    /// Whether an event stays in the buffer.
    pub keeps: fn(&Pending, Occasion) -> bool,
    /// The base of the packet of this number, and its own.
    pub base: fn(&Session, u16) -> Option<NumberedSnapshot<'_>>,
    /// Makes the difference.
    pub combine: Combine,
    /// Makes of the events what is sent of them, where there is a base.
    pub combine_events: fn(&mut [u8], &[u8]),
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
    /// A client that leaves too much unacknowledged is dropped.
    pub kicks: bool,
    /// After so long a silence a client is taken for gone, in microseconds.
    pub silence_us: u64,
}

impl ServerRules {
    /// What the concept and its profile ask for.
    pub const REFERENCE: ServerRules = ServerRules {
        bodies,
        keeps: super::keeps,
        base: super::acknowledged_base,
        combine: snapshot::xor,
        combine_events: super::as_they_are,
        ack_counts: super::ack_counts,
        admission,
        greets_again: false,
        newer: serial::newer,
        event_newer: serial::newer,
        unreadable: Unreadable::Ignored,
        delay_ticks: 0,
        kicks: true,
        silence_us: SILENCE_US,
    };
}

/// What a server does with a hello.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Admission {
    /// Why it is refused, if it is.
    pub refused: Option<u8>,
    /// Whether the refusal is sent.
    pub answer: bool,
    /// Whether the client is admitted.
    pub let_in: bool,
}

/// The password is looked at before the number of players, of whom there are so many, and may be so many.
pub fn admission(wrong_password: bool, players: usize, most: usize) -> Admission {
    // GG2-HS-05
    let refused = if wrong_password {
        Some(REFUSE_PASSWORD)
    } else if players >= most {
        Some(REFUSE_FULL)
    } else {
        None
    };
    // GG2-HS-03, GG2-HS-04
    Admission { refused, answer: true, let_in: refused.is_none() }
}

/// The living, whoever is sent them.
pub fn bodies(players: &Players, _: u8, declared: Declared) -> Vec<Body> {
    // GG2-SNAP-04
    players.iter().filter(|(_, player)| player.is(ALIVE)).map(|(id, player)| body(id, player, declared)).collect()
}

/// A player, with what is declared to stand after it.
pub fn body(id: u32, player: &Player, declared: Declared) -> Body {
    // GG2-CLS-02
    let class = declared.class_fields.then(|| player.class_fields().of_class(player.0[CLASS]));
    Body { class, extras: vec![player.0[CLASS] as u8; declared.extras], ..player.body(id as u8) }
}
