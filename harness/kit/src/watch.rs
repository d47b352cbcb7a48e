//! What all oracles share: the stream of a run's events, sorted by who sends and who receives; and one record per client.

use crate::check::{Knowledge, Points};
use crate::copies::{Copies, Numbering};
use crate::endpoint::Direction;
use crate::endpoint::{Command, Endpoint, Event, HostId, View};
use crate::fate::Fate;
use crate::oracle::{Finding, Oracle};
use crate::rebind::Rebind;
use crate::report::Report;
use crate::requirement::Requirement;
use crate::setup::Setup;
use crate::time::Time;
use crate::trace::{PacketId, Probe, TraceEvent};

/// A delivery of a datagram.
#[derive(Clone, Copy, Debug)]
pub struct Arrival<'a> {
    /// Which datagram.
    pub packet: PacketId,
    /// Which of its copies, from 0.
    pub copy: u8,
    /// The bytes, as received.
    pub bytes: &'a [u8],
    /// Whether they are the bytes sent.
    pub intact: bool,
}

/// What an oracle does with the events of a run. Only what is wrong with them is its own; [`Watch`] does the rest.
pub trait Judge {
    /// Where findings go.
    fn report(&self) -> &Report;
    /// An input of any kind comes: time is now `now`. Called before the input itself.
    fn input(&mut self, now: Time) {
        let _ = now;
    }
    /// What the number of a datagram says of it that is about to be sent. The bytes of one that has its own are a copy when they are
    /// sent again, and no datagram to judge: it counts as another arrival of the first.
    fn numbering(&self, direction: Direction, bytes: &[u8]) -> Numbering {
        let _ = (direction, bytes);
        Numbering::Unsaid
    }
    /// A copy of a datagram is sent.
    fn copied(&mut self, now: Time, packet: PacketId, fate: Fate) {
        let _ = (now, packet, fate);
    }
    /// From now on the datagrams of a client come from another port.
    fn rebound(&mut self, now: Time, client: HostId) {
        let _ = (now, client);
    }
    /// The scenario instructs the server. Never called with [`Knowledge::Wire`].
    fn server_command(&mut self, now: Time, command: &Command);
    /// The scenario instructs a client.
    fn client_command(&mut self, now: Time, client: HostId, command: &Command);
    /// The server sends a datagram.
    fn server_sent(&mut self, now: Time, packet: PacketId, bytes: &[u8], fate: Fate);
    /// A client sends a datagram.
    fn client_sent(&mut self, now: Time, packet: PacketId, bytes: &[u8], fate: Fate);
    /// A client is about to receive a datagram.
    fn client_received(&mut self, now: Time, arrival: Arrival<'_>);
    /// The server is about to receive a datagram.
    fn server_received(&mut self, now: Time, arrival: Arrival<'_>);
    /// Something happened inside of a host.
    fn event(&mut self, now: Time, host: HostId, event: &Event);
    /// A host has acted on an input. Whether it is to be observed now.
    fn settled(&mut self, now: Time, host: HostId) -> bool;
    /// What a host shows.
    fn shown(&mut self, now: Time, host: HostId, view: &View);
    /// The run is over: the moment for checks that need its end.
    fn finish(&mut self, now: Time);
}

/// The oracle that a [`Judge`] makes.
#[derive(Debug)]
pub struct Watch<J> {
    /// The judge.
    pub judge: J,
    requirements: &'static [&'static Requirement],
    knowledge: Knowledge,
    /// Those to come, the last first.
    rebinds: Vec<Rebind>,
    copies: Clients<Copies>,
    view: View,
}

impl<J: Judge> Watch<J> {
    /// For the run of `setup`, with the catalogue of its protocol.
    pub fn new(judge: J, setup: &Setup, requirements: &'static [&'static Requirement]) -> Watch<J> {
        let mut rebinds = setup.rebinds.clone();
        rebinds.sort_by_key(|rebind| std::cmp::Reverse(rebind.at));
        let copies = Clients::new(setup, |_| Copies::default());
        Watch { judge, requirements, knowledge: setup.knowledge, rebinds, copies, view: View::default() }
    }

    /// A datagram is sent.
    fn sent(&mut self, now: Time, packet: PacketId, bytes: &[u8], fate: Fate) {
        let numbering = self.judge.numbering(packet.direction, bytes);
        let copies = self.copies.get_mut(packet.client);
        if let Some(first) = copies.and_then(|copies| copies.sent(packet, bytes, numbering)) {
            return self.judge.copied(now, first, fate);
        }
        match packet.direction {
            Direction::ServerToClient => self.judge.server_sent(now, packet, bytes, fate),
            Direction::ClientToServer => self.judge.client_sent(now, packet, bytes, fate),
        }
    }
}

impl<J: Judge> Probe for Watch<J> {
    fn on(&mut self, now: Time, event: &TraceEvent<'_>) {
        if let TraceEvent::Event { host, event } = *event {
            return self.judge.event(now, host, event);
        }
        self.judge.input(now);
        while let Some(rebind) = self.rebinds.pop_if(|rebind| rebind.at <= now) {
            self.judge.rebound(now, rebind.client);
        }
        match *event {
            TraceEvent::Command { host: HostId::SERVER, command } => {
                if self.knowledge == Knowledge::World {
                    self.judge.server_command(now, command);
                }
            }
            TraceEvent::Command { host, command } => self.judge.client_command(now, host, command),
            TraceEvent::Sent { packet, bytes, fate, .. } => self.sent(now, packet, bytes, fate),
            TraceEvent::Delivered { packet, copy, bytes, intact } => {
                let packet = self.copies.get(packet.client).map_or(packet, |copies| copies.original(packet));
                let arrival = Arrival { packet, copy, bytes, intact };
                match packet.direction {
                    Direction::ServerToClient => self.judge.client_received(now, arrival),
                    Direction::ClientToServer => self.judge.server_received(now, arrival),
                }
            }
            TraceEvent::Timeout { .. } | TraceEvent::Event { .. } => {}
        }
    }

    fn settled(&mut self, now: Time, host: HostId, endpoint: &dyn Endpoint) {
        if self.judge.settled(now, host) {
            self.view.clear();
            endpoint.observe(&mut self.view);
            self.judge.shown(now, host, &self.view);
        }
    }
}

impl<J: Judge> Oracle for Watch<J> {
    fn finish(&mut self, now: Time) {
        self.judge.finish(now);
    }

    fn findings(&self) -> &[Finding] {
        &self.judge.report().findings
    }

    fn covered(&self) -> Vec<&'static Requirement> {
        self.judge.report().covered(self.requirements)
    }

    fn points(&self) -> Points {
        self.judge.report().points()
    }

    fn remarks(&self) -> Vec<String> {
        self.judge.report().remarks()
    }
}

/// One value per client of a run, found by its host.
#[derive(Clone, Debug)]
pub struct Clients<T>(Vec<T>);

impl<T> Clients<T> {
    /// One for each client of the run.
    pub fn new(setup: &Setup, make: impl FnMut(HostId) -> T) -> Clients<T> {
        Clients((1..=setup.clients).map(HostId).map(make).collect())
    }

    /// The one of `host`; none for the server.
    #[inline]
    pub fn get(&self, host: HostId) -> Option<&T> {
        self.0.get(usize::from(host.0).checked_sub(1)?)
    }

    /// The one of `host`; none for the server.
    #[inline]
    pub fn get_mut(&mut self, host: HostId) -> Option<&mut T> {
        self.0.get_mut(usize::from(host.0).checked_sub(1)?)
    }
}

impl<T> std::ops::Deref for Clients<T> {
    type Target = [T];

    fn deref(&self) -> &[T] {
        &self.0
    }
}

impl<T> std::ops::DerefMut for Clients<T> {
    fn deref_mut(&mut self) -> &mut [T] {
        &mut self.0
    }
}
