//! The snapshots that an end keeps, by the number of their packet.

use std::collections::VecDeque;

/// Snapshots, oldest first.
#[derive(Clone, Debug)]
pub struct Ring {
    kept: VecDeque<(u16, Vec<u8>)>,
    limit: usize,
}

impl Ring {
    /// Room for `limit` snapshots, at least one.
    pub fn new(limit: usize) -> Ring {
        Ring { kept: VecDeque::new(), limit: limit.max(1) }
    }

    /// Keeps the snapshot of packet `sequence`; the oldest makes room.
    pub fn keep(&mut self, sequence: u16, snapshot: Vec<u8>) {
        self.kept.retain(|(held, _)| *held != sequence);
        if self.kept.len() >= self.limit {
            self.kept.pop_front();
        }
        self.kept.push_back((sequence, snapshot));
    }

    /// The snapshot of packet `sequence`.
    pub fn get(&self, sequence: u16) -> Option<&[u8]> {
        self.kept.iter().find(|(held, _)| *held == sequence).map(|(_, snapshot)| snapshot.as_slice())
    }

    /// The newest snapshot.
    pub fn newest(&self) -> Option<(u16, &[u8])> {
        self.kept.back().map(|(sequence, snapshot)| (*sequence, snapshot.as_slice()))
    }

    /// The oldest snapshot.
    pub fn oldest(&self) -> Option<(u16, &[u8])> {
        self.kept.front().map(|(sequence, snapshot)| (*sequence, snapshot.as_slice()))
    }
}
