//! What a scenario makes the ends of one connection do wrongly. What an end was instructed to do is not its failure.

use crate::machine::malformed::Malformed;
use kit::Time;

/// Malformed datagrams under way that are remembered.
const MAX_UNDER_WAY: usize = 16;
/// Moves that a scenario can have acknowledge what was not received.
const MAX_AHEAD: i32 = 64;

/// What a scenario provokes in one connection.
#[derive(Clone, Debug, Default)]
pub struct Provoked {
    /// What the server is to send malformed, until it does.
    due: Option<Malformed>,
    /// The datagrams in which it did.
    under_way: Vec<(u32, Malformed)>,
    /// What the client is dealing with.
    pub faced: Option<Faced>,
    /// When the client had to give up.
    pub gives_up: Option<Time>,
    /// The server is not to send a frame, and to build on it: the newest frame before that.
    unsent_after: Option<i32>,
    /// That frame, as those say that build on it.
    unsent: Option<i32>,
    /// Moves of the client that may acknowledge what it has not received.
    pub ahead: u32,
}

/// What a client does about something malformed.
#[derive(Clone, Copy, Debug)]
pub struct Faced {
    /// What it is.
    pub kind: Malformed,
    /// It refused it, or left.
    pub refused: bool,
    /// It printed what was in it.
    pub printed: bool,
}

impl Provoked {
    /// The server is to send something malformed.
    pub fn malformed(&mut self, kind: i32, protocol: u32) {
        self.due = Malformed::named(kind, protocol).or(self.due);
    }

    /// The server is to build on a frame that it does not send, above this one.
    pub fn unsent(&mut self, newest: Option<i32>) {
        self.unsent_after = Some(newest.unwrap_or(0));
    }

    /// A map begins: what was to happen in the one before does not.
    pub fn map_begins(&mut self) {
        (self.due, self.unsent_after, self.unsent) = (None, None, None);
    }

    /// The client is to acknowledge what it has not, with so many moves; if it takes that now.
    pub fn ahead(&mut self, moves: i32) {
        self.ahead = self.ahead.max(moves.clamp(0, MAX_AHEAD) as u32);
    }

    /// Whether the next frame over protocol 34 may have a stray bit.
    pub fn may_stray(&self) -> bool {
        self.due == Some(Malformed::StrayBit)
    }

    /// The server sends a datagram: whether it is unreadable because it was to be.
    pub fn is_sent(&mut self, sequence: u32, unreadable: bool, strays: bool) -> bool {
        let Some(kind) = self.due else { return false };
        let is_it = if kind == Malformed::StrayBit { strays } else { unreadable };
        if is_it {
            self.due = None;
            self.is_seen(sequence, kind);
        }
        is_it && unreadable
    }

    /// The server sends something malformed that nobody is known to have asked for.
    pub fn is_seen(&mut self, sequence: u32, kind: Malformed) {
        if self.under_way.len() >= MAX_UNDER_WAY {
            self.under_way.remove(0);
        }
        self.under_way.push((sequence, kind));
    }

    /// The client takes a datagram: what is malformed in it.
    pub fn arrives(&mut self, sequence: u32) -> Option<Malformed> {
        if self.gives_up.is_some() {
            return None;
        }
        let kind = self.under_way.iter().find(|(sent, _)| *sent == sequence).map(|(_, kind)| *kind)?;
        self.faced = Some(Faced { kind, refused: false, printed: false });
        Some(kind)
    }

    /// Whether the client deals with something malformed: what stood after that is not known.
    pub fn is_dealt_with(&self) -> bool {
        self.faced.is_some()
    }

    /// The server builds on a frame that it never sent, although nobody is known to have asked for that.
    pub fn builds_on_unsent(&mut self, base: i32) {
        self.unsent = Some(base);
    }

    /// Whether a frame builds on the one that the server is not to send.
    pub fn is_unsent(&mut self, base: i32, never_sent: bool) -> bool {
        if never_sent && self.unsent_after.take_if(|after| base > *after).is_some() {
            self.unsent = Some(base);
        }
        self.unsent == Some(base)
    }
}
