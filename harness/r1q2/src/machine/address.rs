//! Where a server sees its clients: the network before it gives them addresses and ports.
//!
//! In the simulated network every client is a host of its own, whose port never changes. Here an address translator stands
//! between it and the server, as scenarios want it: it may give all clients one address, and a client another port.

use kit::{HostId, PeerId};

/// The port of a client that no scenario has moved.
const USUAL_PORT: u16 = 27_901;
/// The address that all clients have who have one.
const SHARED: u16 = 1;

/// An address as a server sees it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Address {
    /// Without the port.
    pub base: u16,
    /// The port.
    pub port: u16,
}

/// The translator.
#[derive(Debug)]
pub struct Addresses {
    shared: bool,
    /// The ports of clients 1 and up.
    ports: Vec<u16>,
}

impl Addresses {
    /// For so many clients, with one address for all if they are `shared`.
    pub fn new(clients: u16, shared: bool) -> Addresses {
        let port = |client: u16| if shared { USUAL_PORT.wrapping_add(client) } else { USUAL_PORT };
        Addresses { shared, ports: (1..=clients).map(port).collect() }
    }

    /// How the server sees a peer; `None` for one that is not in the run.
    pub fn of(&self, peer: PeerId) -> Option<Address> {
        let port = *self.ports.get(usize::from(peer.host.0).checked_sub(1)?)?;
        Some(Address { base: if self.shared { SHARED } else { peer.host.0 }, port })
    }

    /// Whom a datagram to this address reaches; `None`: it is lost.
    pub fn reached(&self, address: Address) -> Option<PeerId> {
        let mut clients = (1..=self.ports.len() as u16).map(PeerId::client);
        clients.find(|&peer| self.of(peer) == Some(address))
    }

    /// Gives a client another port, which no other client of its address has. Whether that is possible.
    pub fn rebind(&mut self, client: HostId, port: u16) -> bool {
        let Some(index) = usize::from(client.0).checked_sub(1) else { return false };
        if self.shared && self.ports.contains(&port) {
            return false;
        }
        self.ports.get_mut(index).map(|held| *held = port).is_some()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_goes_to_an_address_reaches_who_has_it_now() {
        for shared in [false, true] {
            let mut addresses = Addresses::new(2, shared);
            let [one, two] = [1, 2].map(|client| addresses.of(PeerId::client(client)).expect("a client"));
            assert_eq!((one != two, one.base == two.base), (true, shared));
            assert_eq!(addresses.reached(two), Some(PeerId::client(2)));
            assert!(addresses.rebind(HostId(2), 4));
            assert_eq!((addresses.reached(two), addresses.reached(one)), (None, Some(PeerId::client(1))));
            assert_eq!(addresses.reached(Address { port: 4, ..two }), Some(PeerId::client(2)));
        }
    }

    #[test]
    fn there_is_no_address_of_who_is_not_there() {
        let mut addresses = Addresses::new(2, true);
        assert_eq!([0, 3].map(|host| addresses.of(PeerId::client(host))), [None, None]);
        assert_eq!([0, 3].map(|host| addresses.rebind(HostId(host), 4)), [false, false]);
        let taken = addresses.of(PeerId::client(1)).expect("a client").port;
        assert!(!addresses.rebind(HostId(2), taken));
    }
}
