//! QuakeWorld: for which port a client has its challenge.
//!
//! A challenge is good for the port that asked for it. A client that is restarted, or that has connected in vain and asks for a
//! challenge again, may do so from another port than before; which port a datagram comes from is not to be seen.

use super::header::{asks_to_connect, gives_challenge};
use crate::dialect::Transport;
use kit::{Direction, PacketId};

const GETCHALLENGE: &[u8] = b"\xff\xff\xff\xffgetchallenge";

/// What a client asks before it connects.
#[derive(Clone, Debug, Default)]
pub struct Asking {
    /// The last that it said was more than a request for a challenge: the next request begins another round.
    went_on: bool,
    /// Per direction, the first datagram of the present round.
    first: [u32; 2],
    /// The server has received a request of a round before, and answers it next.
    answers_before: bool,
    /// The challenges that were such answers, by the number of their datagram.
    of_before: Vec<u32>,
}

impl Asking {
    /// The client is instructed to connect: it may have another port than before.
    pub fn begins(&mut self) {
        self.went_on = true;
    }

    /// A datagram of either side is sent; `next` has the number of each side's next one.
    pub fn sent(&mut self, packet: &PacketId, bytes: &[u8], next: [u32; 2]) {
        if packet.direction == Direction::ServerToClient {
            if gives_challenge(bytes) && std::mem::take(&mut self.answers_before) {
                self.of_before.push(packet.index);
            }
        } else if !bytes.starts_with(GETCHALLENGE) {
            self.went_on |= asks_to_connect(Transport::QuakeWorld, bytes);
        } else if std::mem::take(&mut self.went_on) {
            self.first = next;
            self.of_before.clear();
        }
    }

    /// The server receives a datagram of the client.
    pub fn received(&mut self, packet: &PacketId, bytes: &[u8]) {
        if bytes.starts_with(GETCHALLENGE) {
            self.answers_before = packet.index < self.first[packet.direction.index()];
        }
    }

    /// Whether a request for a connection, by the number of its datagram, may have come from another port than the client's.
    pub fn is_request_of_before(&self, index: u32) -> bool {
        index < self.first[Direction::ClientToServer.index()]
    }

    /// Whether a challenge may be good for another port than the client's.
    pub fn is_of_before(&self, packet: &PacketId) -> bool {
        packet.index < self.first[packet.direction.index()] || self.of_before.contains(&packet.index)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use kit::HostId;

    const CONNECT: &[u8] = b"\xff\xff\xff\xffconnect";
    const CHALLENGE: &[u8] = b"\xff\xff\xff\xffc";

    fn packet(direction: Direction, index: u32) -> PacketId {
        PacketId { client: HostId(1), direction, slot: 0, ordinal: 0, index }
    }

    #[test]
    fn the_answer_to_a_request_of_a_round_before_may_be_for_another_port() {
        let (up, down) = (Direction::ClientToServer, Direction::ServerToClient);
        let mut asking = Asking::default();
        asking.sent(&packet(up, 0), GETCHALLENGE, [0, 0]);
        asking.sent(&packet(up, 1), GETCHALLENGE, [0, 1]);
        asking.received(&packet(up, 0), GETCHALLENGE);
        asking.sent(&packet(down, 0), CHALLENGE, [0, 2]);
        assert!(!asking.is_of_before(&packet(down, 0)));
        asking.sent(&packet(up, 2), CONNECT, [1, 2]);
        asking.sent(&packet(up, 3), GETCHALLENGE, [1, 3]);
        assert!(asking.is_of_before(&packet(down, 0)));
        asking.received(&packet(up, 1), GETCHALLENGE);
        asking.sent(&packet(down, 1), CHALLENGE, [1, 4]);
        asking.received(&packet(up, 3), GETCHALLENGE);
        asking.sent(&packet(down, 2), CHALLENGE, [2, 4]);
        assert_eq!([1, 2].map(|index| asking.is_of_before(&packet(down, index))), [true, false]);
        assert_eq!([2, 4].map(|index| asking.is_request_of_before(index)), [true, false]);
    }
}
