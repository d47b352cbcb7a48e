//! Somebody's async server or client as an endpoint.
//!
//! The code runs in a small turmoil of its own, with a host for each of its peers. Between them there is no impairment: that is the
//! simulation's, outside. Its clock goes in milliseconds, and follows the run's: an instruction takes a tick, a datagram two, in
//! which the code gets it and its answer comes back, so that what it sends in answer is sent after the input.

use crate::seat::{Board, CLIENT_PORT, SERVER_PORT, Seat};
use kit::{Command, Endpoint, Event, HostId, PeerId, Setup, Time, View};
use std::cell::RefCell;
use std::collections::btree_map::Entry;
use std::collections::{BTreeMap, VecDeque};
use std::future::Future;
use std::net::SocketAddr;
use std::rc::Rc;
use std::time::Duration;
use turmoil::net::UdpSocket;

const TICK_US: u64 = 1_000;

/// So far may the code's clock be ahead of the run's, in microseconds, after many inputs at once. Beyond, inputs are not waited for.
pub const MAX_LEAD_US: u64 = 100_000;

/// The longest datagram that is read.
const MAX_WIRE_BYTES: usize = 1 << 16;

/// A time without the code: it is stopped with all its tasks and sockets, and started again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Outage {
    /// When the code is stopped.
    pub from: Time,
    /// When it is started again.
    pub until: Time,
}

/// What goes between the endpoint and the hosts of its peers.
#[derive(Debug, Default)]
struct Wire {
    /// For the code, by peer.
    inbound: BTreeMap<HostId, VecDeque<(u16, Vec<u8>)>>,
    /// From the code, in the order of arrival.
    outbound: VecDeque<(PeerId, Vec<u8>)>,
}

/// An async server or client, as an endpoint.
pub struct AsyncHost {
    name: String,
    sim: turmoil::Sim<'static>,
    wire: Rc<RefCell<Wire>>,
    board: Rc<Board>,
    outages: VecDeque<Outage>,
    down: bool,
    /// The code's clock.
    clock: Time,
    /// Why there is nothing more to expect of it.
    dead: bool,
}

impl std::fmt::Debug for AsyncHost {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("AsyncHost").field("name", &self.name).field("clock", &self.clock).finish_non_exhaustive()
    }
}

impl AsyncHost {
    /// Starts `code` in the place that `setup` names; it is started again after each of `outages`, which are in ascending order.
    ///
    /// An error or a panic of the code ends it: it is silent from then on, and says why as printed text.
    pub fn boxed<F, Fut>(setup: &Setup, outages: &[Outage], code: F) -> Box<dyn Endpoint>
    where
        F: Fn(Seat) -> Fut + 'static,
        Fut: Future<Output = turmoil::Result> + 'static,
    {
        let (wire, board) = (Rc::<RefCell<Wire>>::default(), Rc::<Board>::default());
        let mut sim = turmoil::Builder::new()
            .tick_duration(Duration::from_micros(TICK_US))
            .simulation_duration(Duration::MAX)
            .min_message_latency(Duration::ZERO)
            .max_message_latency(Duration::ZERO)
            .udp_capacity(1 << 16)
            .rng_seed(setup.seed)
            .build();
        let peers: Vec<HostId> = match setup.host {
            HostId::SERVER => (1..=setup.clients).map(HostId).collect(),
            _ => vec![HostId::SERVER],
        };
        let name = setup.host.to_string();
        let code_is_at = SocketAddr::new(sim.lookup(name.as_str()), SERVER_PORT);
        let (of_run, its_board) = (setup.clone(), Rc::clone(&board));
        sim.host(name.as_str(), move || {
            its_board.starts.set(its_board.starts.get() + 1);
            code(Seat::new(of_run.clone(), Rc::clone(&its_board)))
        });
        // After the code, so that what it sends in a tick is here when the tick is over.
        for peer in peers {
            sim.client(peer.to_string(), pass_on(peer, code_is_at, Rc::clone(&wire)));
        }
        let outages = outages.iter().copied().collect();
        let mut host = AsyncHost { name, sim, wire, board, outages, down: false, clock: Time::ZERO, dead: false };
        // Sockets are opened before the run begins.
        host.step();
        host.clock = Time::ZERO;
        Box::new(host)
    }

    /// One tick of the code's clock.
    fn step(&mut self) {
        if self.dead {
            return;
        }
        if let Some(outage) = self.outages.front().copied() {
            if !self.down && self.clock >= outage.from {
                self.sim.crash(self.name.as_str());
                self.down = true;
            }
            if self.down && self.clock >= outage.until {
                self.sim.bounce(self.name.as_str());
                self.down = false;
                self.outages.pop_front();
            }
        }
        if let Err(error) = self.sim.step() {
            self.dead = true;
            let text = format!("the async code has ended: {error}").into_bytes();
            self.board.events.borrow_mut().push_back(Event::Print { text });
        }
        self.clock = self.clock.after(TICK_US);
    }

    /// Lets the code take what it was just given, and its answer come back, in so many ticks.
    fn answer(&mut self, now: Time, ticks: u32) {
        for _ in 0..ticks {
            if self.clock.since(now) <= MAX_LEAD_US {
                self.step();
            }
        }
    }
}

/// A peer's host: what the simulation delivers goes to the code, what the code sends comes back.
async fn pass_on(peer: HostId, code: SocketAddr, wire: Rc<RefCell<Wire>>) -> turmoil::Result {
    let mut sockets = BTreeMap::new();
    let first = if peer == HostId::SERVER { SERVER_PORT } else { CLIENT_PORT };
    sockets.insert(0, UdpSocket::bind(("0.0.0.0", first)).await?);
    let mut code = if peer == HostId::SERVER { None } else { Some(code) };
    let mut buffer = vec![0; MAX_WIRE_BYTES];
    loop {
        for (port, socket) in &sockets {
            while let Ok((length, from)) = socket.try_recv_from(&mut buffer) {
                // Where a client is, it says itself.
                code = Some(from).filter(|_| peer == HostId::SERVER).or(code);
                let from = PeerId { host: peer, port: *port };
                wire.borrow_mut().outbound.push_back((from, buffer[..length].to_vec()));
            }
        }
        loop {
            let Some((port, bytes)) = wire.borrow_mut().inbound.get_mut(&peer).and_then(VecDeque::pop_front) else {
                break;
            };
            if let Entry::Vacant(vacant) = sockets.entry(port) {
                vacant.insert(UdpSocket::bind(("0.0.0.0", first.saturating_add(port))).await?);
            }
            if let (Some(code), Some(socket)) = (code, sockets.get(&port)) {
                socket.send_to(&bytes, code).await?;
            }
        }
        tokio::time::sleep(Duration::from_micros(TICK_US)).await;
    }
}

impl Endpoint for AsyncHost {
    fn handle_command(&mut self, now: Time, command: &Command) {
        self.board.commands.borrow_mut().push(*command);
        self.board.news.notify_waiters();
        self.answer(now, 1);
    }

    fn handle_datagram(&mut self, now: Time, from: PeerId, bytes: &[u8]) {
        self.wire.borrow_mut().inbound.entry(from.host).or_default().push_back((from.port, bytes.to_vec()));
        self.answer(now, 2);
    }

    // Only here does the clock catch up: what the code sends meanwhile belongs before an instruction or a datagram of the same moment.
    fn handle_timeout(&mut self, now: Time) {
        while self.clock.after(TICK_US) <= now && !self.dead {
            self.step();
        }
    }

    fn poll_transmit(&mut self, _: Time, out: &mut Vec<u8>) -> Option<PeerId> {
        let (to, bytes) = self.wire.borrow_mut().outbound.pop_front()?;
        out.extend(bytes);
        Some(to)
    }

    fn poll_event(&mut self) -> Option<Event> {
        self.board.events.borrow_mut().pop_front()
    }

    fn poll_timeout(&self) -> Option<Time> {
        (!self.dead).then(|| self.clock.after(TICK_US))
    }

    fn observe(&self, view: &mut View) {
        view.clone_from(&self.board.view.borrow());
    }
}
