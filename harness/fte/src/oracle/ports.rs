//! QuakeWorld: whether a server goes on with a client whose port has changed.
//!
//! Late datagrams of the port before may lead a server back there: what counts is the time in which it receives from the newest alone.

use super::coverage::{Point, Report, checks};
use crate::requirements::HS_28;
use kit::{Fate, HostId, LossCause, PacketId, Time};

checks! {
    NEW_PORTS_ARE_TAKEN = "new-ports-are-taken" knows Time: HS_28 [NewPort];
}

/// A server may go on for so long, in microseconds, as if it had received nothing from a new port.
const PATIENCE_US: u64 = 1_000_000;

/// The port of one client, as its server sees it.
#[derive(Clone, Copy, Debug, Default)]
pub struct Ports {
    /// The first datagrams after the last change of its port, once there was one: by [`kit::Direction::index`].
    first: Option<[u32; 2]>,
    /// Since when the server has received datagrams of the session from there alone.
    received: Option<Time>,
    /// The server has sent something there.
    taken: bool,
    /// It has changed in this session.
    moved: bool,
}

impl Ports {
    /// From now on the client has another port. `next` are the next datagrams.
    pub fn rebound(&mut self, next: [u32; 2]) {
        *self = Ports { first: Some(next), moved: true, ..Ports::default() };
    }

    /// Whether the client has another port than when the session began: to the server, a copy of its connect comes from nobody
    /// that it knows.
    pub fn has_moved(&self) -> bool {
        self.moved
    }

    /// Another session begins: nothing is known of what its server has received.
    pub fn begin(&mut self) {
        *self = Ports { first: self.first, ..Ports::default() };
    }

    /// Whether a datagram was sent before the last change of the port.
    pub fn is_of_before(&self, packet: &PacketId) -> bool {
        self.first.is_some_and(|first| packet.index < first[packet.direction.index()])
    }

    /// The server receives a datagram of the session, which is `read` if it comes neither late nor twice.
    pub fn received(&mut self, now: Time, packet: &PacketId, read: bool) {
        if self.is_of_before(packet) {
            self.received = None;
        } else if read && self.first.is_some() {
            self.received.get_or_insert(now);
        }
    }

    /// The server sends a datagram of the session.
    pub fn sent(&mut self, host: HostId, fate: Fate, report: &mut Report, now: Time) {
        let lost = fate == Fate::Lost(LossCause::Port);
        self.taken |= self.first.is_some() && !lost;
        let Some(received) = self.received.filter(|received| now.since(*received) > PATIENCE_US) else { return };
        report.saw(Point::NewPort);
        if lost {
            report.fail(&NEW_PORTS_ARE_TAKEN, now, HostId::SERVER, &HS_28, || {
                format!("sends to a port of {host} from which nothing has come since {received}")
            });
        }
    }

    /// The server has stopped in the session: whether that began with the other port, so that it is no other stop.
    pub fn explain(&self, host: HostId, report: &mut Report, now: Time) -> bool {
        let Some(received) = self.received.filter(|_| !self.taken) else { return false };
        report.saw(Point::NewPort);
        report.fail(&NEW_PORTS_ARE_TAKEN, now, HostId::SERVER, &HS_28, || {
            format!("has sent nothing to the port from which {host} has sent since {received}")
        });
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use kit::{Delivery, Direction, Knowledge, Vantage};

    /// What is found of a server that sends with this fate two seconds after the last of what it receives: datagrams with their
    /// numbers, of which those from 10 on come from another port.
    fn check(received: &[(u32, bool)], fate: Fate, found: usize) {
        let mut report = Report::new(CHECKS, Knowledge::World, Vantage::default());
        let mut ports = Ports::default();
        ports.rebound([5, 10]);
        for (index, read) in received {
            let direction = Direction::ClientToServer;
            let packet = PacketId { client: HostId(1), direction, slot: 0, ordinal: 0, index: *index };
            ports.received(Time(0), &packet, *read);
        }
        ports.sent(HostId(1), fate, &mut report, Time(2 * PATIENCE_US));
        assert_eq!(report.findings.len(), found, "{received:?} {fate:?}");
    }

    #[test]
    fn a_server_that_hears_of_a_new_port_alone_sends_nothing_to_the_one_before() {
        let (old, new) = (Fate::Lost(LossCause::Port), Fate::Once(Delivery::whole(0)));
        check(&[(10, true)], old, 1);
        check(&[(10, true)], new, 0);
        check(&[(10, true)], Fate::Lost(LossCause::Random), 0);
        check(&[(9, true)], old, 0);
        check(&[(10, true), (9, true)], old, 0);
        check(&[(10, false)], old, 0);
        check(&[], old, 0);
    }
}
