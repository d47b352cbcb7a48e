//! Which end of a recorded conversation is the server, and which client is which.

use kit::{Direction, HostId};
use std::collections::{BTreeMap, BTreeSet};
use std::net::{IpAddr, SocketAddr};
use std::ops::RangeInclusive;

/// Ports on which servers of the Quake family listen: NetQuake, QuakeWorld, Quake II, and the next ones up for further
/// servers on the same machine. Their clients' usual ports (27001, 27901) are not among them.
const WELL_KNOWN: [RangeInclusive<u16>; 3] = [26000..=26009, 27500..=27509, 27910..=27919];

/// Most clients distinguished in one capture.
const MAX_CLIENTS: usize = 1024;

/// Whether servers usually listen on `port`.
pub(super) fn is_well_known(port: u16) -> bool {
    WELL_KNOWN.iter().any(|range| range.contains(&port))
}

/// Tells the sides of each datagram apart. Clients are numbered by address in order of appearance.
#[derive(Debug)]
pub(super) struct Sides {
    port: u16,
    clients: BTreeMap<SocketAddr, HostId>,
    servers: BTreeSet<IpAddr>,
}

impl Sides {
    /// For a server on `port`.
    pub(super) fn new(port: u16) -> Sides {
        Sides { port, clients: BTreeMap::new(), servers: BTreeSet::new() }
    }

    /// The direction and the client of a datagram; otherwise why it is left out (in the plural, for counting).
    pub(super) fn of(&mut self, from: SocketAddr, to: SocketAddr) -> Result<(Direction, HostId), &'static str> {
        let known = |address: &SocketAddr| self.clients.contains_key(address);
        // A NetQuake server may answer a connect with another port, where the session then goes on: hence the
        // last two arms, which know the client by its address.
        let (direction, client, server) = match (from.port() == self.port, to.port() == self.port) {
            (true, true) if known(&to) && !known(&from) => (Direction::ServerToClient, to, from),
            (_, true) => (Direction::ClientToServer, from, to),
            (true, false) => (Direction::ServerToClient, to, from),
            (false, false) if known(&from) && self.servers.contains(&to.ip()) => (Direction::ClientToServer, from, to),
            (false, false) if known(&to) && self.servers.contains(&from.ip()) => (Direction::ServerToClient, to, from),
            (false, false) => return Err("of other ports"),
        };
        self.servers.insert(server.ip());
        if let Some(&host) = self.clients.get(&client) {
            return Ok((direction, host));
        }
        if self.clients.len() >= MAX_CLIENTS {
            return Err("of further clients");
        }
        let host = HostId(self.clients.len() as u16 + 1);
        self.clients.insert(client, host);
        Ok((direction, host))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use Direction::{ClientToServer as C2s, ServerToClient as S2c};

    /// The last byte of 10.0.0.x, and a port.
    type Address = (u8, u16);
    /// From where to where, and what it must be.
    type Case = (Address, Address, Result<(Direction, u16), &'static str>);

    #[track_caller]
    fn check(port: u16, cases: &[Case]) {
        let mut sides = Sides::new(port);
        for &(from, to, expected) in cases {
            let address = |(host, port)| SocketAddr::from(([10, 0, 0, host], port));
            let actual = sides.of(address(from), address(to)).map(|(direction, host)| (direction, host.0));
            assert_eq!(actual, expected, "{from:?} to {to:?}");
        }
    }

    #[test]
    fn clients_are_numbered_in_order_of_appearance() {
        check(
            27500,
            &[
                ((7, 27001), (1, 27500), Ok((C2s, 1))),
                ((1, 27500), (8, 27001), Ok((S2c, 2))),
                ((1, 27500), (7, 27001), Ok((S2c, 1))),
                ((7, 27001), (9, 53), Err("of other ports")),
            ],
        );
    }

    #[test]
    fn a_session_that_moves_to_another_server_port_is_followed() {
        check(
            26000,
            &[
                ((7, 4000), (1, 26000), Ok((C2s, 1))),
                ((1, 26000), (7, 4000), Ok((S2c, 1))),
                ((7, 4000), (1, 31000), Ok((C2s, 1))),
                ((1, 31000), (7, 4000), Ok((S2c, 1))),
            ],
        );
    }

    #[test]
    fn equal_ports_on_both_sides_are_distinguished_by_who_sent_first() {
        check(27910, &[((7, 27910), (1, 27910), Ok((C2s, 1))), ((1, 27910), (7, 27910), Ok((S2c, 1)))]);
    }
}
