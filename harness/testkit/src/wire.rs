//! Datagrams under way between two ends.

use std::collections::VecDeque;

/// Most datagrams under way on one wire; of more, the oldest are lost.
const MAX_UNDER_WAY: usize = 64;

/// Where a datagram goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum End {
    /// To the server.
    Server,
    /// To the client.
    Client,
}

/// Datagrams under way to one end, the oldest first. `nth` counts from 0 and goes around.
#[derive(Clone, Debug)]
pub struct Wire<T = Vec<u8>>(VecDeque<T>);

impl<T> Default for Wire<T> {
    fn default() -> Wire<T> {
        Wire(VecDeque::new())
    }
}

impl<T: Clone> Wire<T> {
    /// A datagram sets out.
    pub fn send(&mut self, datagram: T) {
        self.0.push_back(datagram);
        if self.0.len() > MAX_UNDER_WAY {
            self.0.pop_front();
        }
    }

    /// A datagram arrives: the first, or one after it, which overtakes. With `keep` it stays under way, too.
    pub fn take(&mut self, nth: usize, keep: bool) -> Option<T> {
        let nth = nth.checked_rem(self.0.len())?;
        if keep { self.0.get(nth).cloned() } else { self.0.remove(nth) }
    }

    /// What is under way but not of this kind is lost.
    pub fn retain(&mut self, kept: impl FnMut(&T) -> bool) {
        self.0.retain(kept);
    }

    /// Everything is lost.
    pub fn clear(&mut self) {
        self.0.clear();
    }

    /// How many datagrams are under way.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Whether nothing is under way.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}
