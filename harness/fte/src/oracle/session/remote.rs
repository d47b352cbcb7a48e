//! What a remote server has shown of itself: which datagrams it has read, and whether all of its own were seen.
//!
//! [`Vantage`](kit::Vantage) says what an oracle sees of a remote end. A datagram that was delivered to it may be read later or
//! never; its own may be lost before anybody sees them.

use kit::Time;
use std::collections::VecDeque;

/// Datagrams to the server that are remembered until it shows whether it has read them.
const REMEMBERED: usize = 256;

/// A datagram of the client that was delivered to a remote server.
#[derive(Clone, Debug, Default)]
pub struct ToServer {
    /// QuakeWorld: its number.
    pub number: u32,
    /// NetQuake: the movement sequences in it.
    pub moves: Vec<u16>,
    /// The explicit acknowledgements.
    pub acks: Vec<u32>,
    /// QuakeWorld: the acknowledgement in its header.
    pub header: Option<u32>,
    /// How many entity frames the server had sent when it was delivered.
    pub frames_sent: u32,
}

/// What was delivered to a remote server that has not shown yet whether it has read it, oldest first.
#[derive(Debug, Default)]
pub struct Unread(VecDeque<ToServer>);

impl Unread {
    /// A datagram was delivered.
    pub fn push(&mut self, datagram: ToServer) {
        if self.0.len() == REMEMBERED {
            self.0.pop_front();
        }
        self.0.push_back(datagram);
    }

    /// Takes the datagrams up to the newest that fits, in their order: that one was read, those before it perhaps.
    pub fn up_to(&mut self, fits: impl Fn(&ToServer) -> bool) -> impl Iterator<Item = ToServer> {
        let count = self.0.iter().rposition(fits).map_or(0, |newest| newest + 1);
        self.0.drain(..count)
    }

    /// Whether a datagram with one of these numbers was delivered.
    pub fn has(&self, numbers: std::ops::Range<u32>) -> bool {
        self.0.iter().any(|datagram| numbers.contains(&datagram.number))
    }
}

/// Datagrams of an end, one after the other, that show nothing new of what it received.
#[derive(Clone, Copy, Debug, Default)]
pub struct Silence {
    /// How many.
    pub datagrams: u32,
    since: Option<Time>,
}

impl Silence {
    /// Another one.
    pub fn go_on(&mut self, now: Time) {
        self.datagrams += 1;
        self.since.get_or_insert(now);
    }

    /// Whether it is longer than any outage after the point of observation: than what can have been lost there.
    pub fn outlasts_outages(&self, now: Time, untimed: bool) -> bool {
        /// Datagrams, and microseconds.
        const OUTAGE: (u32, u64) = (128, 30_000_000);
        /// Where there is no time, datagrams alone.
        const UNTIMED: u32 = 4_096;
        if untimed {
            return self.datagrams > UNTIMED;
        }
        self.datagrams > OUTAGE.0 && self.since.is_some_and(|since| now.since(since) > OUTAGE.1)
    }
}

/// Datagrams of a remote server that nobody saw: its numbers have a gap.
#[derive(Clone, Copy, Debug)]
pub struct Unseen {
    /// The newest number in the gap.
    pub newest: u32,
    /// The server frames, and those with room, after which it knew that they are lost.
    pub known: Option<(u32, u32)>,
}
