//! A demo, judged while it is read: nothing of it is kept but what an oracle keeps.

use super::{Observation, Observer};
use crate::capture::CaptureDatagram;
use crate::demo::unsaid::Unsaid;
use kit::{
    Container, Delivery, Direction, Fate, HostId, Knowledge, PacketId, Probe, Profile, Protocol, Setup, Time,
    TraceEvent, Vantage,
};

/// One part of a demo: a session of its own.
pub struct Played {
    container: Container,
    observer: Observer,
    unsaid: Unsaid,
    next: [[u32; 2]; 2],
    now: Time,
}

impl Played {
    /// A part of such a demo, which begins; `options` are values that the wire does not show.
    pub fn new(
        protocol: &'static Protocol,
        profile: &'static Profile,
        options: &[(usize, i64)],
        container: Container,
    ) -> Played {
        let mut setup = Setup { clients: 1, ..Setup::new(protocol, profile) };
        setup.give(options);
        (setup.knowledge, setup.vantage) = (Knowledge::Wire, Vantage::of_demo(container.of()));
        let observer = Observer::new(protocol, &setup);
        Played { container, observer, unsaid: Unsaid::default(), next: [[0; 2]; 2], now: Time::ZERO }
    }

    /// The next message, as the datagram that may have brought it.
    pub fn message(&mut self, datagram: &CaptureDatagram) {
        // Parts are told apart by numbers of clients; to its oracle each is the first.
        const CLIENT: HostId = HostId(1);
        self.now = datagram.time.unwrap_or_default().max(self.now);
        for (direction, bytes) in self.unsaid.before(self.container, &datagram.bytes) {
            self.observer.precedes(self.now, name(direction, CLIENT, &mut self.next), &bytes);
        }
        let packet: PacketId = name(Direction::ServerToClient, CLIENT, &mut self.next);
        let (bytes, fate) = (&datagram.bytes[..], Fate::Once(Delivery::whole(0)));
        self.observer.on(self.now, &TraceEvent::Sent { packet, bytes, fate, dissection: None });
        self.observer.on(self.now, &TraceEvent::Delivered { packet, copy: 0, bytes, intact: true });
    }

    /// What was found so far.
    pub fn findings(&self) -> &[kit::Finding] {
        self.observer.findings()
    }

    /// The part ends: all that was found.
    pub fn into_findings(self) -> Vec<kit::Finding> {
        self.observer.into_findings(self.now)
    }

    /// The part ends: what it has shown.
    pub fn finish(self) -> Observation {
        self.observer.finish(self.now)
    }
}

/// The name of the next datagram of `client` in this direction, by the numbers of the next.
pub(super) fn name(direction: Direction, client: HostId, next: &mut [[u32; 2]]) -> PacketId {
    let mut index = 0;
    if let Some(next) = next.get_mut(usize::from(client.0)) {
        index = next[direction.index()];
        next[direction.index()] += 1;
    }
    PacketId { client, direction, slot: index, ordinal: 0, index }
}
