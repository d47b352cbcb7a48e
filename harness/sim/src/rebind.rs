//! What address translators in front of clients make of ports.

use kit::{Direction, HostId, Rebind, Time};

/// The translators of a run: where each client sends from, and where the server sees it.
#[derive(Clone, Debug)]
pub(crate) struct Translators<'n> {
    rebinds: &'n [Rebind],
    /// The ports that clients sent from last, as they see it themselves; by client from 1.
    own: Vec<u16>,
}

impl<'n> Translators<'n> {
    pub(crate) fn new(rebinds: &'n [Rebind], clients: usize) -> Translators<'n> {
        Translators { rebinds, own: vec![0; clients] }
    }

    /// The port that the server sees where `client` sends from port `own` at `now`.
    #[inline]
    pub(crate) fn outside(&self, now: Time, client: HostId, own: u16) -> u16 {
        if self.rebinds.is_empty() { own } else { Rebind::outside(self.rebinds, client, now, own) }
    }

    /// A datagram leaves: from the client's own `port`, or from the server to this `port`. Whether that is lost, as nobody has the port
    /// any more. Until its first rebind a client is reached at any port.
    #[inline]
    pub(crate) fn loses(&mut self, now: Time, client: HostId, direction: Direction, port: u16) -> bool {
        if self.rebinds.is_empty() {
            return false;
        }
        let Some(own) = usize::from(client.0).checked_sub(1).and_then(|index| self.own.get_mut(index)) else {
            return false;
        };
        if direction == Direction::ClientToServer {
            *own = port;
            return false;
        }
        let outside = Rebind::outside(self.rebinds, client, now, *own);
        outside != *own && port != outside
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const REBINDS: [Rebind; 2] =
        [Rebind { client: HostId(1), at: Time(10) }, Rebind { client: HostId(1), at: Time(20) }];

    #[test]
    fn what_is_sent_to_a_port_of_before_is_lost() {
        let mut translators = Translators::new(&REBINDS, 2);
        let mut lost = |at, client, port| translators.loses(Time(at), HostId(client), Direction::ServerToClient, port);
        assert_eq!([lost(9, 1, 0), lost(10, 1, 0), lost(10, 1, 1_000), lost(20, 1, 1_000)], [false, true, false, true]);
        assert_eq!([lost(9, 1, 5), lost(10, 1, 5), lost(10, 2, 5), lost(10, 3, 5)], [false, true, false, false]);
    }

    #[test]
    fn a_port_that_a_client_takes_of_itself_is_translated_too() {
        let mut translators = Translators::new(&REBINDS, 1);
        let (client, to_client) = (HostId(1), Direction::ServerToClient);
        assert!(!translators.loses(Time(12), client, Direction::ClientToServer, 3));
        assert_eq!(translators.outside(Time(12), client, 3), 1_003);
        assert!(!translators.loses(Time(13), client, to_client, 1_003));
        assert!(translators.loses(Time(13), client, to_client, 1_000));
    }
}
