//! Where a server sees its clients.
//!
//! In the simulated network every client is a host of its own, and sends from port 0 unless a scenario moves it. Scenarios may
//! have an address translator that gives all clients one address, with a port for each.

use kit::PeerId;

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

/// The addresses of a run.
#[derive(Clone, Copy, Debug)]
pub struct Addresses {
    clients: u16,
    shared: bool,
}

impl Addresses {
    /// For so many clients, with one address for all if they are `shared`.
    pub fn new(clients: u16, shared: bool) -> Addresses {
        Addresses { clients, shared }
    }

    /// How the server sees a peer; `None` for one that is not in the run.
    pub fn of(&self, peer: PeerId) -> Option<Address> {
        let host = Some(peer.host.0).filter(|host| (1..=self.clients).contains(host))?;
        let (base, first) = if self.shared { (SHARED, USUAL_PORT.wrapping_add(host)) } else { (host, USUAL_PORT) };
        Some(Address { base, port: first.wrapping_add(peer.port) })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use kit::HostId;

    #[test]
    fn no_two_ports_and_no_two_clients_have_one_address() {
        for shared in [false, true] {
            let addresses = Addresses::new(2, shared);
            let of = |host, port| addresses.of(PeerId { host: HostId(host), port }).expect("a client");
            let [one, two, moved] = [of(1, 0), of(2, 0), of(2, 1_000)];
            assert_eq!((one != two, two != moved, one.base == two.base), (true, true, shared));
            assert_eq!((two.base, two.port + 1_000), (moved.base, moved.port));
        }
    }

    #[test]
    fn there_is_no_address_of_who_is_not_there() {
        let addresses = Addresses::new(2, true);
        assert_eq!([0, 3].map(|host| addresses.of(PeerId::client(host))), [None, None]);
    }
}
