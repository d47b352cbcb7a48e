//! The loop: one input, all outputs, next event, by the wall clock.

mod anew;
mod disconnect;

use super::addresses::{Addresses, Arrival};
use super::clock::Clock;
use super::port::{named_port, with_port};
use super::socket::{Received, SocketId, Sockets};
use kit::{
    Command, Delivery, Direction, Dissection, Dissector, Endpoint, Event, Fate, HostId, PacketId, PeerId, PortChange,
    Probe, Time, TraceEvent, View,
};
use std::collections::BTreeMap;
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

/// Datagrams under way at one time; further ones are lost.
const MAX_IN_FLIGHT: usize = 1 << 16;
/// Outputs of one kind taken after one input: an endpoint with more is stuck.
const MAX_OUTPUTS: usize = 65_536;
/// How long the loop waits at most before it looks whether it is to end.
const PATIENCE: Duration = Duration::from_millis(100);

/// A server that has sent nothing for so long at the end of a session, in microseconds, has let go of its client.
const LET_GO_US: u64 = 3_000_000;

/// A client whom the server has dropped before the game began is waited for so long, in microseconds: last words may follow.
const LAST_WORDS_US: u64 = 500_000;

/// A loop that comes around after so long, in microseconds, stood still with this machine, and our ends with it.
const STOOD_STILL_US: u64 = 1_000_000;

/// A server that sends nothing for so long, in microseconds, has stalled, if so many datagrams of its client were delivered to it.
const STALL: (u64, u32) = (3_000_000, 20);

/// Who is at one end.
pub enum Seat {
    /// An endpoint of ours.
    Here(Box<dyn Endpoint>),
    /// Somebody else's program, behind sockets.
    Remote,
}

/// From when on the network's configuration and the timeline count.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Anchor {
    /// From the start, or behind a proxy from the first client's first datagram: faults meet the sign-on, too.
    Start,
    /// From when every client of ours shows a complete state; until then the network is perfect.
    Active,
}

/// Instructions to our ends, in the order of time. A world that moves for a day has millions: they are made one by one.
pub type Commands<'a> = Box<dyn Iterator<Item = (Time, HostId, Command)> + 'a>;

/// What a session is made of.
pub struct Plan<'a> {
    /// The ends, by host: the server first.
    pub seats: Vec<Seat>,
    /// What lies between them; a link for every client.
    pub network: &'a sim::Network,
    /// The timeline, in the order of time, counted from the anchor; what is due at 0 comes at the start.
    pub commands: Commands<'a>,
    /// Looks into datagrams, for scripted faults.
    pub dissector: Option<Box<dyn Dissector>>,
    /// Where time begins to count.
    pub anchor: Anchor,
    /// How long the session lasts from the anchor on, and from when our clients are in the game, in microseconds.
    pub length_us: u64,
    /// How long our clients may take to get into the game, in microseconds.
    pub sign_on_us: u64,
    /// Most datagrams per second that one client of ours sends; more are held back.
    pub rate_limit: u32,
    /// How the session moves to another port of the server.
    pub port_change: Option<PortChange>,
    /// The states of our server's sessions in which their clients have left.
    pub left_states: &'static [&'static str],
    /// The states of our clients in which they have no session and do not look for one.
    pub outside_states: &'static [&'static str],
    /// The remote server's address.
    pub server: Option<SocketAddr>,
    /// The seats of remote clients, and the socket at which they call.
    pub listen: Option<(SocketId, Addresses)>,
    /// Where the sockets of clients are bound, in the order of clients.
    pub client_ips: Vec<IpAddr>,
    /// Set from outside to end the session early.
    pub stop: &'a AtomicBool,
}

/// How a session went, beside what its probes say.
#[derive(Clone, Debug, Default)]
pub struct Outcome {
    /// When every client of ours showed a complete state.
    pub active: Option<Time>,
    pub end: Time,
    /// Datagrams sent, per direction.
    pub sent: [u64; 2],
    /// What the network did, per link, indexed by [`Direction::index`]; from the anchor on.
    pub observed: Vec<[sim::Observed; 2]>,
    /// Datagrams of ours that the rate limit held back.
    pub held_back: u64,
    /// Datagrams of clients that had no seat.
    pub refused: u64,
    /// What clients of ours were instructed to, newest last.
    pub prints: Vec<String>,
    /// What the last datagram of the server said before the game began, in a line.
    pub last_answer: String,
    /// The last moves of our clients' state machines: host, state left, state entered, cause.
    pub moves: Vec<(HostId, &'static str, &'static str, &'static str)>,
    /// How the game ended for clients of ours before the session did, for a person.
    pub ended: Vec<String>,
    /// How long the server sent nothing to clients of ours in the game, at most, though datagrams of theirs were delivered, in
    /// microseconds; 0 if it never stalled.
    pub stalled_us: u64,
    /// When this machine, and our ends with it, stood still first.
    pub stood_still: Option<Time>,
    /// The greatest lateness of a delivery or timer, in microseconds.
    pub lateness_us: u64,
}

/// A copy of a datagram on its way.
struct Flight {
    packet: PacketId,
    copy: u8,
    bytes: Vec<u8>,
    intact: bool,
    delay_us: u64,
}

/// Runs a session to its end.
///
/// # Errors
/// A socket that a client needs cannot be opened.
pub fn run(mut plan: Plan<'_>, sockets: Sockets, clock: Clock, probe: &mut dyn Probe) -> std::io::Result<Outcome> {
    let clients = plan.seats.len().saturating_sub(1);
    let clean = sim::Network::uniform(plan.network.seed, clients, &sim::Link::default());
    let commands = std::mem::replace(&mut plan.commands, Box::new(std::iter::empty()));
    let mut session = Session {
        fates: sim::Fates::new(if plan.anchor == Anchor::Start { plan.network } else { &clean }),
        network: plan.network,
        base: (plan.anchor == Anchor::Start).then_some(Time::ZERO),
        called: None,
        clock,
        sockets,
        flights: BTreeMap::new(),
        flown: 0,
        index: vec![[0; 2]; clients],
        budget: vec![(Time::ZERO, 0); clients],
        ends: vec![(None, plan.server); clients],
        ports: vec![0; clients],
        last_received: vec![Time::ZERO; clients],
        unanswered: vec![0; clients],
        dropped: None,
        outcome: Outcome::default(),
        view: View::default(),
        dissection: Dissection::default(),
        disconnects: None,
        plan,
    };
    session.all(commands, probe)?;
    Ok(session.outcome)
}

struct Session<'a> {
    plan: Plan<'a>,
    clock: Clock,
    sockets: Sockets,
    fates: sim::Fates<'a>,
    network: &'a sim::Network,
    /// What time the anchor is at, once it is known.
    base: Option<Time>,
    /// When the first remote client sent something.
    called: Option<Time>,
    /// Copies under way, by when they arrive and the order in which they were sent.
    flights: BTreeMap<(Time, u64), Flight>,
    flown: u64,
    /// Datagrams so far, per client and direction.
    index: Vec<[u32; 2]>,
    /// Per client, the second that is counted and the datagrams in it.
    budget: Vec<(Time, u32)>,
    /// Per client, the socket by which it reaches the remote server, and the server's address for it.
    ends: Vec<(Option<SocketId>, Option<SocketAddr>)>,
    /// Per client, the source port that it wants.
    ports: Vec<u16>,
    /// Per client, when the server sent something last.
    last_received: Vec<Time>,
    /// Per client, how many of its datagrams were delivered since.
    unanswered: Vec<u32>,
    /// When a client of ours was dropped before the game began.
    dropped: Option<Time>,
    outcome: Outcome,
    view: View,
    dissection: Dissection,
    /// What our clients send while they leave; `None` before.
    disconnects: Option<Vec<(PacketId, Vec<u8>)>>,
}

impl Session<'_> {
    fn all(&mut self, commands: Commands<'_>, probe: &mut dyn Probe) -> std::io::Result<()> {
        for client in 1..self.plan.seats.len() {
            // A remote client gets its socket when it comes.
            if matches!(self.plan.seats.get(client), Some(Seat::Here(_))) {
                self.open(client)?;
            }
        }
        let mut commands = commands.peekable();
        let mut before = self.clock.now();
        loop {
            let now = self.clock.now();
            if now.since(before) > STOOD_STILL_US {
                self.outcome.stood_still.get_or_insert(before);
            }
            before = now;
            let mut moment = (Time::ZERO, Time::ZERO);
            while commands.peek().is_some_and(|(at, ..)| self.comes(*at).is_some_and(|at| at <= now)) {
                if let Some((at, host, command)) = commands.next() {
                    // What is instructed at one moment, such as the writes of one message, has one time, as in a simulation.
                    // What the world begins with, such as baselines, is known by its time.
                    if at != moment.0 {
                        moment = (at, self.clock.now());
                    }
                    self.command(moment.1, host, &command, probe)?;
                }
            }
            self.fire(probe)?;
            self.deliver_due(probe)?;
            self.forget_idle(probe)?;
            self.begin_anew(probe)?;
            let now = self.clock.now();
            if self.is_over(now) || self.plan.stop.load(Ordering::Relaxed) {
                break;
            }
            let command = commands.peek().and_then(|(at, ..)| self.comes(*at));
            if let Some(received) = self.sockets.receive(self.patience(command)) {
                self.received(&received, probe)?;
            }
        }
        self.leave()
    }

    /// When something on the timeline is due; `None` while the anchor is not known.
    fn comes(&self, at: Time) -> Option<Time> {
        if at == Time::ZERO { Some(Time::ZERO) } else { Some(self.base?.after(at.us())) }
    }

    fn is_over(&self, now: Time) -> bool {
        let waits_for_us = self.plan.seats.iter().skip(1).any(|seat| matches!(seat, Seat::Here(_)));
        match (self.outcome.active, self.base) {
            (Some(active), base) => now.since(active.max(base.unwrap_or(active))) >= self.plan.length_us,
            (None, Some(base)) if !waits_for_us => now.since(base) >= self.plan.length_us,
            (None, _) if self.dropped.is_some_and(|at| now.since(at) > LAST_WORDS_US) => true,
            (None, _) => now.us() >= self.plan.sign_on_us,
        }
    }

    /// How long nothing of our own is due.
    fn patience(&self, command: Option<Time>) -> Duration {
        let timers = self.plan.seats.iter().filter_map(|seat| match seat {
            Seat::Here(endpoint) => endpoint.poll_timeout(),
            Seat::Remote => None,
        });
        let flight = self.flights.keys().next().map(|(at, _)| *at);
        let first = timers.chain(flight).chain(command).min();
        first.map_or(PATIENCE, |at| self.clock.until(at).min(PATIENCE))
    }

    fn command(&mut self, now: Time, host: HostId, command: &Command, probe: &mut dyn Probe) -> std::io::Result<()> {
        probe.on(now, &TraceEvent::Command { host, command });
        if let Some(Seat::Here(endpoint)) = self.plan.seats.get_mut(usize::from(host.0)) {
            endpoint.handle_command(now, command);
            self.drain(now, host, probe)?;
        }
        Ok(())
    }

    fn fire(&mut self, probe: &mut dyn Probe) -> std::io::Result<()> {
        for index in 0..self.plan.seats.len() {
            let now = self.clock.now();
            let Some(Seat::Here(endpoint)) = self.plan.seats.get_mut(index) else { continue };
            let Some(at) = endpoint.poll_timeout().filter(|at| *at <= now) else { continue };
            self.outcome.lateness_us = self.outcome.lateness_us.max(now.since(at));
            let host = HostId(index as u16);
            probe.on(now, &TraceEvent::Timeout { host });
            endpoint.handle_timeout(now);
            self.drain(now, host, probe)?;
        }
        Ok(())
    }

    fn deliver_due(&mut self, probe: &mut dyn Probe) -> std::io::Result<()> {
        while let Some(first) = self.flights.first_entry() {
            let ((at, _), now) = (*first.key(), self.clock.now());
            if at > now {
                break;
            }
            let flight = first.remove();
            self.outcome.lateness_us = self.outcome.lateness_us.max(now.since(at));
            self.deliver(&flight, probe)?;
        }
        Ok(())
    }

    /// Gives a copy to its receiver. The probes get it first.
    fn deliver(&mut self, flight: &Flight, probe: &mut dyn Probe) -> std::io::Result<()> {
        let Flight { packet, copy, ref bytes, intact, delay_us } = *flight;
        let now = self.clock.now();
        self.fates.delivered(&packet, delay_us, copy == 0);
        probe.on(now, &TraceEvent::Delivered { packet, copy, bytes, intact });
        let to = if packet.direction == Direction::ServerToClient { packet.client } else { HostId::SERVER };
        match self.plan.seats.get_mut(usize::from(to.0)) {
            Some(Seat::Here(endpoint)) => {
                let port = self.ports.get(usize::from(packet.client.0).wrapping_sub(1)).copied().unwrap_or(0);
                let from = match packet.direction {
                    Direction::ServerToClient => PeerId::SERVER,
                    Direction::ClientToServer => PeerId { host: packet.client, port },
                };
                endpoint.handle_datagram(now, from, bytes);
                self.drain(now, to, probe)
            }
            Some(Seat::Remote) => {
                self.put_on_the_wire(packet, bytes);
                Ok(())
            }
            None => Ok(()),
        }
    }

    /// Sends a datagram to a remote end.
    fn put_on_the_wire(&mut self, packet: PacketId, bytes: &[u8]) {
        let Some(index) = usize::from(packet.client.0).checked_sub(1) else { return };
        match packet.direction {
            Direction::ClientToServer => {
                self.unanswered[index] = self.unanswered[index].saturating_add(1);
                if let Some((Some(socket), Some(server))) = self.ends.get(index).copied() {
                    let is_outside = self.plan.port_change.is_some_and(|change| (change.is_outside)(bytes));
                    let first = self.plan.server.filter(|_| is_outside);
                    self.sockets.send(socket, first.unwrap_or(server), bytes);
                }
            }
            Direction::ServerToClient => {
                let Some((socket, addresses)) = &self.plan.listen else { return };
                let Some(address) = addresses.of(packet.client) else { return };
                let own = self.sockets.address(*socket).map_or(0, |address| address.port());
                let ours = matches!(self.plan.seats.first(), Some(Seat::Here(_)));
                self.sockets.send(*socket, address, &with_port(bytes, self.plan.port_change, own, ours));
            }
        }
    }

    /// A remote end sent a datagram.
    fn received(&mut self, received: &Received, probe: &mut dyn Probe) -> std::io::Result<()> {
        let Received { socket, from, ref bytes, .. } = *received;
        if let Some((listening, addresses)) = &mut self.plan.listen
            && *listening == socket
        {
            let client = match addresses.arrival(from, self.clock.now()) {
                Arrival::Known(client) => client,
                Arrival::New(client) => {
                    self.called.get_or_insert(self.clock.now());
                    self.open(usize::from(client.0))?;
                    // Whoever had the seat before is gone.
                    let now = self.clock.now();
                    probe.on(now, &TraceEvent::Command { host: client, command: &Command::Disconnect });
                    self.forget(client);
                    client
                }
                Arrival::Refused => return Ok(()),
            };
            return self.send(self.clock.now(), client, Direction::ClientToServer, bytes, probe);
        }
        let index = self.ends.iter().position(|(end, _)| *end == Some(socket));
        let Some(index) = index else { return Ok(()) };
        let Some(server) = self.ends[index].1.filter(|server| server.ip() == from.ip()) else { return Ok(()) };
        if let Some(port) = named_port(bytes, self.plan.port_change) {
            self.ends[index].1 = Some(SocketAddr::new(server.ip(), port));
        }
        self.send(self.clock.now(), HostId(index as u16 + 1), Direction::ServerToClient, bytes, probe)
    }

    fn forget_idle(&mut self, probe: &mut dyn Probe) -> std::io::Result<()> {
        let now = self.clock.now();
        while let Some(client) = self.plan.listen.as_mut().and_then(|(_, addresses)| addresses.idle(now)) {
            probe.on(now, &TraceEvent::Command { host: client, command: &Command::Disconnect });
            self.forget(client);
        }
        Ok(())
    }

    fn forget(&mut self, client: HostId) {
        if let Some(Seat::Here(server)) = self.plan.seats.first_mut() {
            server.forget(client);
        }
    }

    /// Takes everything that an end of ours puts out after an input, at the input's time: what belongs together has one time,
    /// as in a simulation.
    fn drain(&mut self, now: Time, host: HostId, probe: &mut dyn Probe) -> std::io::Result<()> {
        let index = usize::from(host.0);
        let mut bytes = Vec::new();
        for _ in 0..MAX_OUTPUTS {
            let Some(Seat::Here(endpoint)) = self.plan.seats.get_mut(index) else { return Ok(()) };
            bytes.clear();
            let Some(to) = endpoint.poll_transmit(now, &mut bytes) else { break };
            let port = endpoint.source_port();
            if host == HostId::SERVER {
                self.send(now, to.host, Direction::ServerToClient, &bytes, probe)?;
                continue;
            }
            if self.ports[index - 1] != port {
                self.ports[index - 1] = port;
                self.open(index)?;
            }
            if self.has_budget(index - 1, now) {
                self.send(now, host, Direction::ClientToServer, &bytes, probe)?;
            } else {
                self.outcome.held_back += 1;
            }
        }
        for _ in 0..MAX_OUTPUTS {
            let Some(Seat::Here(endpoint)) = self.plan.seats.get_mut(index) else { break };
            let Some(event) = endpoint.poll_event() else { break };
            probe.on(now, &TraceEvent::Event { host, event: &event });
            self.note(host, event);
        }
        if let Some(Seat::Here(endpoint)) = self.plan.seats.get(index) {
            probe.settled(now, host, endpoint.as_ref());
        }
        self.look_for_the_anchor(now);
        Ok(())
    }

    fn note(&mut self, host: HostId, event: Event) {
        if host == HostId::SERVER {
            return self.note_client(&event);
        }
        match event {
            Event::Print { text } => {
                self.outcome.prints.push(String::from_utf8_lossy(&text).trim_end().to_string());
            }
            Event::State { from, to, cause, .. } => {
                self.outcome.moves.push((host, from, to, cause));
                if self.plan.outside_states.contains(&to) {
                    self.dropped.get_or_insert(self.clock.now());
                } else {
                    self.dropped = None;
                }
            }
            Event::Rejected { .. } | Event::Note { .. } => {}
        }
    }

    /// A server of ours says how it stands with a client.
    fn note_client(&mut self, event: &Event) {
        let Event::State { peer, to, .. } = event else { return };
        if let Some((_, addresses)) = &mut self.plan.listen {
            addresses.set_left(peer.host, self.plan.left_states.contains(to));
        }
    }

    /// Whether a client may send one more datagram in this second.
    fn has_budget(&mut self, index: usize, now: Time) -> bool {
        let (second, sent) = &mut self.budget[index];
        if now.since(*second) >= 1_000_000 {
            (*second, *sent) = (now, 0);
        }
        *sent += 1;
        *sent <= self.plan.rate_limit
    }

    fn look_for_the_anchor(&mut self, now: Time) {
        if self.outcome.active.is_some() {
            return;
        }
        let mut ours = 0;
        for seat in self.plan.seats.iter().skip(1) {
            let Seat::Here(endpoint) = seat else { continue };
            self.view.clear();
            endpoint.observe(&mut self.view);
            if !self.view.valid {
                return;
            }
            ours += 1;
        }
        if ours == 0 && self.base.is_some() {
            return;
        }
        self.outcome.active = Some(now);
        if self.base.is_none() {
            self.base = Some(now);
            self.fates = sim::Fates::new(self.network);
        }
    }

    /// The server has sent a client something, or the session is over.
    fn answered(&mut self, number: usize, now: Time) {
        let (silent, unanswered) =
            (now.since(self.last_received[number]), std::mem::take(&mut self.unanswered[number]));
        self.last_received[number] = now;
        if self.outcome.active.is_some() && silent > STALL.0 && unanswered >= STALL.1 {
            self.outcome.stalled_us = self.outcome.stalled_us.max(silent);
        }
    }

    /// Names a datagram, decides its fate, and sets its copies on their way.
    fn send(
        &mut self,
        now: Time,
        client: HostId,
        direction: Direction,
        bytes: &[u8],
        probe: &mut dyn Probe,
    ) -> std::io::Result<()> {
        let number = usize::from(client.0).wrapping_sub(1);
        if direction == Direction::ServerToClient && number < self.last_received.len() {
            self.answered(number, now);
        }
        let mut dissection = None;
        if let Some(dissector) = &mut self.plan.dissector {
            self.dissection.clear();
            dissector.datagram(client, direction, bytes, &mut self.dissection);
            dissection = Some(&self.dissection);
            if direction == Direction::ServerToClient && self.outcome.active.is_none() {
                self.outcome.last_answer.clone_from(&self.dissection.summary);
            }
        }
        let since_anchor = Time(now.since(self.called.or(self.base).unwrap_or(Time::ZERO)));
        // In a live session no client is given another port.
        let decided = self.fates.decide(since_anchor, client, direction, 0, bytes.len(), dissection);
        let Some((packet, fate)) = decided else { return Ok(()) };
        let Some(index) = self.index.get_mut(number) else { return Ok(()) };
        // Before the anchor another network counts; the place among all datagrams goes on.
        let packet = PacketId { index: index[direction.index()], ..packet };
        index[direction.index()] += 1;
        self.outcome.sent[direction.index()] += 1;
        probe.on(now, &TraceEvent::Sent { packet, bytes, fate, dissection });
        if direction == Direction::ClientToServer
            && let Some(disconnects) = &mut self.disconnects
        {
            disconnects.push((packet, bytes.to_vec()));
        }
        match fate {
            Fate::Lost(_) => {}
            Fate::Once(one) => self.launch(now, packet, 0, one, bytes),
            Fate::Twice(one, other) => {
                self.launch(now, packet, 0, one, bytes);
                self.launch(now, packet, 1, other, bytes);
            }
        }
        Ok(())
    }

    fn launch(&mut self, now: Time, packet: PacketId, copy: u8, delivery: Delivery, bytes: &[u8]) {
        if self.flights.len() >= MAX_IN_FLIGHT {
            return;
        }
        let mut bytes = bytes.to_vec();
        let intact = !delivery.damage.apply(&mut bytes);
        self.flown += 1;
        let delay_us = delivery.delay_us;
        self.flights.insert((now.after(delay_us), self.flown), Flight { packet, copy, bytes, intact, delay_us });
    }

    /// Opens a new socket for a client's way to the remote server.
    fn open(&mut self, client: usize) -> std::io::Result<()> {
        if self.plan.server.is_none() {
            return Ok(());
        }
        let ip = self.plan.client_ips.get(client - 1).copied().unwrap_or(IpAddr::V4(Ipv4Addr::UNSPECIFIED));
        let socket = self.sockets.open(SocketAddr::new(ip, 0))?;
        if let Some(end) = self.ends.get_mut(client - 1)
            && let (Some(old), _) = std::mem::replace(end, (Some(socket), self.plan.server))
        {
            self.sockets.retire(old);
        }
        Ok(())
    }

    /// Notes which clients of ours the server let go of before the session ended.
    fn note_early_ends(&mut self) {
        let end = self.outcome.end;
        for (host, last) in (1..).map(HostId).zip(&self.last_received) {
            let Some(Seat::Here(endpoint)) = self.plan.seats.get(usize::from(host.0)) else { continue };
            self.view.clear();
            endpoint.observe(&mut self.view);
            let moved = self.outcome.moves.iter().rev().find(|(moved, ..)| *moved == host);
            if let Some((_, _, state, cause)) = moved.filter(|_| !self.view.valid) {
                self.outcome.ended.push(format!("{host} is in {state} ({cause})"));
            } else if end.since(*last) > LET_GO_US {
                self.outcome.ended.push(format!("the server has sent {host} nothing since {last}"));
            }
        }
    }
}
