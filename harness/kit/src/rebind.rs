//! An address translator in front of a client that gives it another port in mid-session.

use crate::endpoint::HostId;
use crate::time::Time;

/// By what a server knows whose datagrams it receives.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum KnownBy {
    /// The address and the port that they come from: a client with another port is a stranger.
    Port,
    /// The address, and a number that the client puts into them: another port does no harm.
    Number,
}

/// From one moment (inclusive) on a client's datagrams come from another port, and what is sent to the port before is lost.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rebind {
    /// The client.
    pub client: HostId,
    /// When.
    pub at: Time,
}

impl Rebind {
    /// How far a client's new port is from the one before.
    const STEP: u16 = 1_000;

    /// The port that the server sees where a client sends from port `own` at a moment.
    pub fn outside(rebinds: &[Rebind], client: HostId, at: Time, own: u16) -> u16 {
        let before = rebinds.iter().filter(|rebind| rebind.client == client && rebind.at <= at);
        before.fold(own, |port, _| port.wrapping_add(Rebind::STEP))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_rebind_gives_its_client_another_port() {
        let rebind = |client, at| Rebind { client: HostId(client), at: Time(at) };
        let rebinds = [rebind(1, 30), rebind(2, 10), rebind(1, 20)];
        let port = |client, at, own| Rebind::outside(&rebinds, HostId(client), Time(at), own);
        assert_eq!([19, 20, 29, 30].map(|at| port(1, at, 7)), [7, 1_007, 1_007, 2_007]);
        assert_eq!((port(2, 9, 0), port(2, 99, 0), port(3, 99, 0)), (0, 1_000, 0));
        assert_eq!(port(2, 10, u16::MAX), 999);
    }
}
