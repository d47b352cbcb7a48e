//! The inputs to come, the earliest first.

use crate::event::{Class, Entry};
use kit::{HostId, Time};
use std::cmp::Ordering;
use std::collections::{BinaryHeap, VecDeque};

/// A heap of inputs; beside it commands, which mostly come in their order and need no heap then.
#[derive(Debug, Default)]
pub(crate) struct Agenda {
    heap: BinaryHeap<Entry>,
    /// Ascending.
    commands: VecDeque<Entry>,
}

impl Agenda {
    /// Adds an input.
    #[inline]
    pub(crate) fn push(&mut self, entry: Entry) {
        self.heap.push(entry);
    }

    /// Adds a command.
    #[inline]
    pub(crate) fn push_command(&mut self, entry: Entry) {
        match self.commands.back() {
            Some(last) if entry.key < last.key => self.heap.push(entry),
            _ => self.commands.push_back(entry),
        }
    }

    /// The earliest input.
    #[inline]
    pub(crate) fn peek(&self) -> Option<&Entry> {
        match (self.commands.front(), self.heap.peek()) {
            (Some(command), Some(other)) => Some(if command.key < other.key { command } else { other }),
            (command, other) => command.or(other),
        }
    }

    /// When the earliest input is due that is no timeout of `host`.
    pub(crate) fn first_beside_timer(&self, host: HostId) -> Option<Time> {
        let is_own = |entry: &&Entry| entry.key.class() == Class::Timeout && entry.key.host() == host;
        let in_heap = self.heap.iter().filter(|entry| !is_own(entry));
        in_heap.chain(self.commands.front()).map(|entry| entry.key.time()).min()
    }

    /// Takes the earliest input.
    #[inline]
    pub(crate) fn pop(&mut self) -> Option<Entry> {
        let order = match (self.commands.front(), self.heap.peek()) {
            (Some(command), Some(other)) => command.key.cmp(&other.key),
            (Some(_), None) => Ordering::Less,
            (None, _) => Ordering::Greater,
        };
        if order == Ordering::Less { self.commands.pop_front() } else { self.heap.pop() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::event::Key;
    use kit::{HostId, Time};

    #[test]
    fn inputs_come_in_the_order_of_their_keys_wherever_they_wait() {
        let command = |at, host, number| Entry { key: Key::command(Time(at), HostId(host), number), at: 0 };
        let mut agenda = Agenda::default();
        for (at, host, number) in [(5, 0, 0), (5, 2, 1), (5, 1, 2), (7, 0, 3)] {
            agenda.push_command(command(at, host, number));
        }
        for at in [6, 4, 5] {
            agenda.push(Entry { key: Key::timeout(Time(at), HostId(1)), at: 0 });
        }
        let mut order = Vec::new();
        while let Some(next) = agenda.peek().copied() {
            assert_eq!(agenda.pop().map(|entry| entry.key), Some(next.key));
            order.push((next.key.time().us(), next.key.host().0));
        }
        assert_eq!(order, [(4, 1), (5, 0), (5, 1), (5, 1), (5, 2), (6, 1), (7, 0)]);
    }
}
