//! Datagrams that were sent before, to the last byte: a server may send each twice against losses, some clients do, and whoever
//! records between two networks sees what one of them has doubled.
//!
//! To a receiver it is one datagram that arrives several times; so it is to an oracle. The copy never takes the place of the record.

use crate::trace::PacketId;
use std::collections::VecDeque;

/// What the number of a datagram says of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Numbering {
    /// Its sender gives this number to no other: the same bytes once more are a copy.
    Own,
    /// It has none, or is sent again until it is acknowledged.
    Unsaid,
    /// It is of no connection: after it numbers may begin anew.
    Outside,
}

/// Datagrams of one end to the other among which a copy is looked for.
const WINDOW: usize = 32;

/// Copies that are remembered, as they may be on their way.
const COPIES: usize = 1024;

/// What one client and its server have sent each other last.
#[derive(Debug, Default)]
pub struct Copies([Sent; 2]);

/// What one end has sent the other last.
#[derive(Debug, Default)]
struct Sent {
    /// Where the newest datagrams begin, which has their numbers; and, at the same places, all of them.
    beginnings: VecDeque<u64>,
    /// The newest datagrams, and their places on the link, oldest first.
    newest: VecDeque<(Vec<u8>, u32)>,
    /// Copies, and what they are copies of, oldest first.
    copies: VecDeque<(u32, u32)>,
}

/// The first eight bytes, as a number; missing ones are 0.
fn beginning(bytes: &[u8]) -> u64 {
    let mut first = [0; 8];
    let length = bytes.len().min(first.len());
    first[..length].copy_from_slice(&bytes[..length]);
    u64::from_le_bytes(first)
}

impl Copies {
    /// A datagram is sent: that of which it is a copy, if it is one.
    pub fn sent(&mut self, packet: PacketId, bytes: &[u8], numbering: Numbering) -> Option<PacketId> {
        let Sent { beginnings, newest, copies } = &mut self.0[packet.direction.index()];
        match numbering {
            Numbering::Own => {}
            Numbering::Unsaid => return None,
            Numbering::Outside => {
                beginnings.clear();
                newest.clear();
                return None;
            }
        }
        let beginning = beginning(bytes);
        let alike = beginnings.iter().enumerate().filter(|(_, other)| **other == beginning);
        let same = alike.filter_map(|(place, _)| newest.get(place)).rfind(|sent| sent.0 == bytes);
        if let Some(&(_, first)) = same {
            if copies.len() == COPIES {
                copies.pop_front();
            }
            copies.push_back((packet.index, first));
            return Some(PacketId { index: first, ..packet });
        }
        if beginnings.len() == WINDOW {
            beginnings.pop_front();
        }
        beginnings.push_back(beginning);
        let oldest = if newest.len() == WINDOW { newest.pop_front() } else { None };
        let (mut memory, _) = oldest.unwrap_or_default();
        memory.clear();
        memory.extend_from_slice(bytes);
        newest.push_back((memory, packet.index));
        None
    }

    /// What this datagram is a copy of; itself, if it is none.
    pub fn original(&self, packet: PacketId) -> PacketId {
        let copies = &self.0[packet.direction.index()].copies;
        let place = copies.binary_search_by_key(&packet.index, |copy| copy.0);
        let first = place.ok().and_then(|place| copies.get(place)).map_or(packet.index, |copy| copy.1);
        PacketId { index: first, ..packet }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::endpoint::{Direction, HostId};

    fn packet(index: u32) -> PacketId {
        PacketId { client: HostId(1), direction: Direction::ServerToClient, slot: 0, ordinal: 0, index }
    }

    #[test]
    fn a_copy_is_known_by_its_bytes_until_numbers_begin_anew() {
        let mut copies = Copies::default();
        let mut sent = |index, bytes: &[u8], numbering| copies.sent(packet(index), bytes, numbering).map(|of| of.index);
        assert_eq!(sent(0, b"number 1 and more", Numbering::Own), None);
        assert_eq!(sent(1, b"number 2 and more", Numbering::Own), None);
        assert_eq!(sent(2, b"number 1 and more", Numbering::Own), Some(0));
        assert_eq!(sent(3, b"number 1 and less", Numbering::Own), None);
        assert_eq!(sent(4, b"number 1 and more", Numbering::Unsaid), None);
        assert_eq!(sent(5, b"connect", Numbering::Outside), None);
        assert_eq!(sent(6, b"number 1 and more", Numbering::Own), None);
        assert_eq!([0, 1, 2, 3, 6].map(|index| copies.original(packet(index)).index), [0, 1, 0, 3, 6]);
        let other_way = PacketId { direction: Direction::ClientToServer, ..packet(2) };
        assert_eq!(copies.original(other_way), other_way);
    }
}
