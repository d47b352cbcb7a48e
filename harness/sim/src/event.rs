//! What is to come, and in which order.

use crate::SLOT_US;
use kit::{Direction, HostId, PacketId, Time};
use std::cmp::Ordering;

/// The last moment that a run can reach: the end of the last slot that a [`PacketId`] can name (about 16 months).
pub const LAST: Time = Time((1 << 32) * SLOT_US - 1);

/// At most this many hosts in a run, the server included.
pub const MAX_HOSTS: usize = 1 << HOST_BITS;

const HOST_BITS: u32 = 13;
const CLASS_BITS: u32 = 2;
/// Slot, ordinal and copy of a datagram, or the number of a command.
const PLACE_BITS: u32 = 32 + 16 + 1;

/// The kinds of input, in the order in which one host takes them at one instant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Class {
    Command,
    Datagram,
    Timeout,
}

/// The total order of inputs: time, host, class, client, slot, ordinal, copy, packed from the highest bit down.
///
/// It says nothing of when an input was scheduled, so that another executor can arrive at the same order. The
/// direction needs no bits: a datagram for the server comes from a client, and the other way round.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Key(u128);

impl Key {
    fn new(at: Time, host: HostId, class: Class, client: HostId, place: u64) -> Key {
        let mut bits = u128::from(at.us());
        bits = bits << HOST_BITS | u128::from(host.0);
        bits = bits << CLASS_BITS | class as u128;
        bits = bits << HOST_BITS | u128::from(client.0);
        Key(bits << PLACE_BITS | u128::from(place))
    }

    /// The `number`th command of the run.
    pub(crate) fn command(at: Time, host: HostId, number: u64) -> Key {
        Key::new(at, host, Class::Command, HostId(0), number & ((1 << PLACE_BITS) - 1))
    }

    /// A copy of a datagram.
    #[inline]
    pub(crate) fn datagram(at: Time, packet: &PacketId, copy: u8) -> Key {
        let host = match packet.direction {
            Direction::ServerToClient => packet.client,
            Direction::ClientToServer => HostId::SERVER,
        };
        let place = u64::from(packet.slot) << 17 | u64::from(packet.ordinal) << 1 | u64::from(copy & 1);
        Key::new(at, host, Class::Datagram, packet.client, place)
    }

    /// A host's timer.
    #[inline]
    pub(crate) fn timeout(at: Time, host: HostId) -> Key {
        Key::new(at, host, Class::Timeout, HostId(0), 0)
    }

    /// The same input at another time.
    pub(crate) fn put_off(self, at: Time) -> Key {
        let rest = HOST_BITS + CLASS_BITS + HOST_BITS + PLACE_BITS;
        Key(u128::from(at.us()) << rest | self.0 & ((1 << rest) - 1))
    }

    #[inline]
    pub(crate) fn time(self) -> Time {
        Time((self.0 >> (HOST_BITS + CLASS_BITS + HOST_BITS + PLACE_BITS)) as u64)
    }

    #[inline]
    pub(crate) fn host(self) -> HostId {
        HostId((self.0 >> (CLASS_BITS + HOST_BITS + PLACE_BITS)) as u16 & (MAX_HOSTS as u16 - 1))
    }

    #[inline]
    pub(crate) fn class(self) -> Class {
        match (self.0 >> (HOST_BITS + PLACE_BITS)) as u8 & 3 {
            0 => Class::Command,
            1 => Class::Datagram,
            _ => Class::Timeout,
        }
    }

    #[inline]
    pub(crate) fn copy(self) -> u8 {
        self.0 as u8 & 1
    }
}

/// An input to come. Earlier ones are greater, as a `BinaryHeap` wants it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Entry {
    pub(crate) key: Key,
    /// Which waiting command, or which buffer.
    pub(crate) at: u32,
}

impl PartialEq for Entry {
    fn eq(&self, other: &Entry) -> bool {
        self.key == other.key
    }
}

impl Eq for Entry {}

impl PartialOrd for Entry {
    #[inline]
    fn partial_cmp(&self, other: &Entry) -> Option<Ordering> {
        Some(self.cmp(other))
    }

    #[inline]
    fn lt(&self, other: &Entry) -> bool {
        other.key < self.key
    }

    #[inline]
    fn le(&self, other: &Entry) -> bool {
        other.key <= self.key
    }
}

impl Ord for Entry {
    #[inline]
    fn cmp(&self, other: &Entry) -> Ordering {
        other.key.cmp(&self.key)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn packet(client: u16, direction: Direction, slot: u32, ordinal: u16) -> PacketId {
        PacketId { client: HostId(client), direction, slot, ordinal, index: 0 }
    }

    #[test]
    fn inputs_are_ordered_by_time_host_class_client_slot_ordinal_and_copy() {
        let (c2s, s2c) = (Direction::ClientToServer, Direction::ServerToClient);
        let ordered = [
            Key::command(Time(5), HostId(0), 0),
            Key::command(Time(5), HostId(0), 1),
            Key::datagram(Time(5), &packet(1, c2s, 0, 0), 0),
            Key::datagram(Time(5), &packet(1, c2s, 0, 0), 1),
            Key::datagram(Time(5), &packet(1, c2s, 0, 1), 0),
            Key::datagram(Time(5), &packet(1, c2s, 1, 0), 0),
            Key::datagram(Time(5), &packet(2, c2s, 0, 0), 0),
            Key::timeout(Time(5), HostId(0)),
            Key::command(Time(5), HostId(1), 0),
            Key::datagram(Time(5), &packet(1, s2c, u32::MAX, u16::MAX), 1),
            Key::timeout(Time(5), HostId(1)),
            Key::command(Time(6), HostId(0), 0),
            Key::timeout(LAST, HostId(MAX_HOSTS as u16 - 1)),
        ];
        assert!(ordered.is_sorted_by(|a, b| a < b));
    }

    #[test]
    fn keys_give_back_what_they_were_made_of() {
        let key = Key::datagram(LAST, &packet(8191, Direction::ServerToClient, u32::MAX, u16::MAX), 1);
        assert_eq!((key.time(), key.host(), key.class(), key.copy()), (LAST, HostId(8191), Class::Datagram, 1));
        let key = Key::timeout(Time(3), HostId(7));
        assert_eq!((key.time(), key.host(), key.class()), (Time(3), HostId(7), Class::Timeout));
        assert_eq!(Key::command(Time(3), HostId(7), 1 << 40).class(), Class::Command);
        assert_eq!(Key::command(Time(3), HostId(7), 4).put_off(LAST), Key::command(LAST, HostId(7), 4));
    }
}
