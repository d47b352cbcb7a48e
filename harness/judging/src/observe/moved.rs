//! Clients of a recording whose port changes in mid-session: an address translator gave them another one.
//!
//! Who reads a capture knows clients by address and port. Where servers know them by a number that they put into their datagrams, a
//! port that nobody has asked to connect from, and whose datagrams have that number and count on, is the same client's.

use kit::{Direction, HostId, KnownBy, Profile, Rebind, Time};
use std::collections::BTreeMap;

/// The header of a datagram: its number, and what it acknowledges; a client's own number follows.
const HEADER_BYTES: usize = 8;
/// The bit of a number that says something else.
const RELIABLE: u32 = 1 << 31;
/// A client sends no more datagrams than these while nothing of it is seen.
const MAX_AHEAD: u32 = 4_096;

/// One client, from whichever ports.
#[derive(Debug)]
struct Client {
    /// Its number, as the first byte has it; in protocol 35 there is no second.
    qport: u8,
    /// The newest datagram.
    newest: u32,
    /// The port that it sends from, as the capture numbers it.
    at: HostId,
}

/// Follows clients from port to port.
#[derive(Debug, Default)]
pub struct Moved {
    by_number: bool,
    /// Whose a port is: the client as it was numbered first.
    ports: BTreeMap<HostId, HostId>,
    clients: BTreeMap<HostId, Client>,
    /// The ports that changed, in their order.
    pub rebinds: Vec<Rebind>,
}

impl Moved {
    /// For a recording of this profile.
    pub fn new(profile: &Profile) -> Moved {
        Moved { by_number: profile.known_by == KnownBy::Number, ..Moved::default() }
    }

    /// Which client a datagram is of that was recorded at `now` and that the capture says to be of the client `host`.
    pub fn client(&mut self, now: Time, direction: Direction, host: HostId, bytes: &[u8]) -> HostId {
        if !self.by_number {
            return host;
        }
        let numbers = bytes.first_chunk().zip(bytes.get(HEADER_BYTES));
        let numbers = numbers.map(|(number, qport)| (u32::from_le_bytes(*number), *qport));
        let Some((number, qport)) = numbers.filter(|(number, _)| *number != u32::MAX) else {
            // Who asks to connect has a session of its own.
            return *self.ports.entry(host).or_insert(host);
        };
        if direction == Direction::ServerToClient {
            return self.ports.get(&host).copied().unwrap_or(host);
        }
        let number = number & !RELIABLE;
        let known = self.ports.get(&host).copied();
        let client = known.or_else(|| self.whose(number, qport)).unwrap_or(host);
        self.ports.insert(host, client);
        let record = self.clients.entry(client).or_insert(Client { qport, newest: number, at: host });
        if number > record.newest && record.at != host {
            record.at = host;
            self.rebinds.push(Rebind { client, at: now });
        }
        (record.qport, record.newest) = (qport, record.newest.max(number));
        client
    }

    /// The one client that has this number and can have counted so far.
    fn whose(&self, number: u32, qport: u8) -> Option<HostId> {
        let counts_on = |client: &Client| number > client.newest && number - client.newest < MAX_AHEAD;
        let is_the_same = |client: &Client| qport != 0 && client.qport == qport && counts_on(client);
        let mut found = self.clients.iter().filter(|(_, client)| is_the_same(client)).map(|(host, _)| *host);
        found.next().filter(|_| found.next().is_none())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use Direction::{ClientToServer as C2s, ServerToClient as S2c};

    fn datagram(number: u32, qport: u8) -> Vec<u8> {
        [&number.to_le_bytes()[..], &[0; 4], &[qport, 0]].concat()
    }

    #[test]
    fn a_client_is_followed_by_its_number_from_port_to_port() {
        let profile = |known_by| Profile { name: "q", title: "", index: 0, udp_port: 1, known_by };
        let connect = b"\xff\xff\xff\xffconnect 34".to_vec();
        // The direction, the port, the datagram, and whose it is.
        let session = [
            (C2s, 1, connect.clone(), 1),
            (C2s, 1, datagram(1, 7), 1),
            (C2s, 2, connect.clone(), 2),
            (C2s, 2, datagram(1, 9), 2),
            (C2s, 3, datagram(2, 7), 1),
            (S2c, 3, datagram(2, 0), 1),
            (C2s, 1, datagram(2, 7), 1),
            // Back at its first port.
            (C2s, 1, datagram(5, 7), 1),
            // Another number, one that does not count on, and one that asks to connect.
            (C2s, 4, datagram(6, 8), 4),
            (C2s, 5, datagram(1, 7), 5),
            (C2s, 6, connect, 6),
            (C2s, 6, datagram(6, 9), 6),
        ];
        for known_by in [KnownBy::Number, KnownBy::Port] {
            let profile = profile(known_by);
            let mut moved = Moved::new(&profile);
            for (at, (direction, port, bytes, client)) in session.iter().enumerate() {
                let found = moved.client(Time(at as u64), *direction, HostId(*port), bytes);
                let whose = if known_by == KnownBy::Number { *client } else { *port };
                assert_eq!(found, HostId(whose), "{at}");
            }
            let rebinds: Vec<u64> = moved.rebinds.iter().map(|rebind| rebind.at.0).collect();
            assert_eq!(rebinds, if known_by == KnownBy::Number { vec![4, 7] } else { vec![] });
        }
    }
}
