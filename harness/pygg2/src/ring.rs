//! The snapshots that an end keeps, by the number of their packet.

use std::collections::VecDeque;

/// Snapshots, oldest first.
#[derive(Clone, Debug)]
pub struct Ring {
    numbers: VecDeque<u16>,
    /// In the same order.
    snapshots: VecDeque<Vec<u8>>,
    limit: usize,
}

impl Ring {
    /// Room for `limit` snapshots, at least one.
    pub fn new(limit: usize) -> Ring {
        Ring { numbers: VecDeque::new(), snapshots: VecDeque::new(), limit: limit.max(1) }
    }

    /// Keeps the snapshot of packet `sequence`; the oldest makes room.
    pub fn keep(&mut self, sequence: u16, snapshot: Vec<u8>) {
        let held = self.numbers.contains(&sequence).then(|| self.place(sequence)).flatten();
        if let Some(place) = held {
            self.numbers.remove(place);
            self.snapshots.remove(place);
        } else if self.numbers.len() >= self.limit {
            self.numbers.pop_front();
            self.snapshots.pop_front();
        }
        self.numbers.push_back(sequence);
        self.snapshots.push_back(snapshot);
    }

    /// The snapshot of packet `sequence`.
    pub fn get(&self, sequence: u16) -> Option<&[u8]> {
        self.snapshots.get(self.place(sequence)?).map(Vec::as_slice)
    }

    /// The newest snapshot.
    pub fn newest(&self) -> Option<(u16, &[u8])> {
        Some((*self.numbers.back()?, self.snapshots.back()?))
    }

    /// The oldest snapshot.
    pub fn oldest(&self) -> Option<(u16, &[u8])> {
        Some((*self.numbers.front()?, self.snapshots.front()?))
    }

    fn place(&self, sequence: u16) -> Option<usize> {
        self.numbers.iter().rposition(|held| *held == sequence)
    }
}
