//! A run in which every host is a tokio task with a socket of turmoil.

use crate::ledger::Ledger;
use crate::record::Still;
use crate::task::{Early, Shared, TICK, Task};
use kit::{Command, Direction, Endpoint, HostId, PacketId, Probe, Time};
use sim::{Halt, LAST, MAX_HOSTS, Network, Outcome, Simulation, awake_from};
use std::cell::RefCell;
use std::collections::VecDeque;
use std::net::IpAddr;
use std::rc::Rc;
use std::time::Duration;

/// The tick where the latencies allow it: longer ones save little.
const USUAL_TICK_US: u64 = 10_000;

/// Datagrams that may wait in a socket; above [`sim::MAX_DATAGRAMS_PER_INPUT`] times what a tick has of inputs.
const SOCKET_DATAGRAMS: usize = 1 << 17;

/// Why a run cannot be executed in turmoil.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Refusal {
    /// A link is faster than the tick: a datagram would be due before its receiver's task could have it.
    #[error(
        "{client} {direction}: its latency of {latency_us} us is below turmoil's tick of {tick_us} us, so that datagrams would come \
         late; take a tick of at most the latency, or the direct executor"
    )]
    Latency {
        /// The client at the link's far end.
        client: HostId,
        /// The direction.
        direction: Direction,
        /// Its latency, in microseconds.
        latency_us: u64,
        /// The tick, in microseconds.
        tick_us: u64,
    },
    /// A tick in which no time passes.
    #[error("a tick of 0 us: a run would not end; take at least 1 us")]
    Tick,
    /// A recorded fate makes a datagram arrive sooner than its link's latency, and than the tick allows.
    #[error(
        "{packet} is due at {due}, when turmoil's tasks are at {done} already; take a shorter tick, or the direct executor"
    )]
    Early {
        /// The datagram.
        packet: PacketId,
        /// When it is due.
        due: Time,
        /// How far the hosts are.
        done: Time,
    },
    /// turmoil lost what it was not instructed to lose, or a task did not run. A fault of this crate.
    #[error("turmoil did not do its part at {at}: {what}")]
    Broken {
        /// What happened.
        what: String,
        /// When.
        at: Time,
    },
}

/// The tick for `network`, in microseconds: `wanted`, or else the longest useful one that its latencies allow.
///
/// # Errors
/// [`Refusal::Tick`]; [`Refusal::Latency`] for the first of the fastest links, if the tick is above its latency.
pub fn tick_us(network: &Network, wanted: Option<u64>) -> Result<u64, Refusal> {
    let links = network.links.iter().zip(1..).flat_map(|(links, client)| {
        [Direction::ServerToClient, Direction::ClientToServer]
            .map(|direction| (links[direction.index()].latency_us, HostId(client), direction))
    });
    let fastest = links.min_by_key(|(latency_us, ..)| *latency_us);
    let longest = fastest.map_or(USUAL_TICK_US, |(latency_us, ..)| latency_us.min(USUAL_TICK_US));
    let tick_us = wanted.unwrap_or(longest.max(1));
    match fastest {
        _ if tick_us == 0 => Err(Refusal::Tick),
        Some((latency_us, client, direction)) if latency_us < tick_us => {
            Err(Refusal::Latency { client, direction, latency_us, tick_us })
        }
        _ => Ok(tick_us),
    }
}

/// Runs `simulation` to its end with every host a task in turmoil, telling `probe` what the direct executor would tell it.
///
/// Each host has a tokio runtime and a socket of its own, on a network of turmoil's that neither delays nor loses. What our network
/// does with a datagram is decided when the tick is over in which it was sent; its receiver finds that by a number in front of the
/// datagram, and takes it when it is due. So times are exact to the microsecond, whatever the tick.
///
/// # Errors
/// The network is too fast for the tick ([`tick_us`]), or a task did not do its part.
pub fn run<P: Probe + ?Sized>(
    simulation: Simulation<'_>,
    wanted_tick_us: Option<u64>,
    probe: &mut P,
) -> Result<Outcome, Refusal> {
    let Simulation { hosts, network, commands, dissector, until, hash } = simulation;
    let until = until.min(LAST);
    let tick_us = tick_us(network, wanted_tick_us)?;
    let mut ledger = Ledger::new(hosts.len(), network, dissector, until, hash);
    if hosts.len() > MAX_HOSTS {
        return Ok(ledger.outcome(Some(Halt::TooManyHosts { hosts: hosts.len() })));
    }
    // Tasks own what they run; here is nothing meanwhile.
    let still = || -> Box<dyn Endpoint> { Box::new(Still(None)) };
    let shared = Rc::new(Shared {
        hosts: hosts.iter_mut().map(|host| RefCell::new(std::mem::replace(host, still()))).collect(),
        until,
        pauses: network.pauses.clone(),
        commands: RefCell::new(vec![VecDeque::new(); hosts.len()]),
        ..Shared::default()
    });
    let mut timeline = Timeline { commands, next: None, from: Time::ZERO };
    timeline.next = timeline.commands.next();
    let halted = ticks(&shared, &mut timeline, &mut ledger, tick_us, probe);
    for (host, lent) in hosts.iter_mut().zip(&shared.hosts) {
        *host = lent.replace(still());
    }
    Ok(ledger.outcome(halted?))
}

/// The hosts' tasks, in turmoil.
fn tasks(shared: &Rc<Shared>, tick_us: u64) -> turmoil::Sim<'static> {
    // Of three more ticks than the run has, one opens the sockets and one is the beginning's.
    let ticks = u32::try_from(shared.until.us().div_ceil(tick_us).saturating_add(3)).unwrap_or(u32::MAX);
    let mut sim = turmoil::Builder::new()
        .tick_duration(TICK)
        .simulation_duration(TICK.saturating_mul(ticks))
        .min_message_latency(Duration::ZERO)
        .max_message_latency(Duration::ZERO)
        .udp_capacity(SOCKET_DATAGRAMS)
        .rng_seed(0)
        .build();
    let names = (0..shared.hosts.len() as u16).map(|host| HostId(host).to_string());
    let addresses: Rc<[IpAddr]> = names.map(|name| sim.lookup(name)).collect();
    for host in (0..shared.hosts.len() as u16).map(HostId) {
        sim.client(host.to_string(), Task::new(host, Rc::clone(shared)).live(Rc::clone(&addresses)));
    }
    sim
}

/// All ticks of a run: first the hosts' turns, then the ledger's. Gives why the run halted, if it did.
fn ticks<P: Probe + ?Sized>(
    shared: &Rc<Shared>,
    timeline: &mut Timeline<'_>,
    ledger: &mut Ledger<'_>,
    tick_us: u64,
    probe: &mut P,
) -> Result<Option<Halt>, Refusal> {
    let mut sim = tasks(shared, tick_us);
    // Only sockets are opened: what is sent to a host without one would be lost.
    sim.step().map_err(|error| Refusal::Broken { what: error.to_string(), at: Time::ZERO })?;
    // The first tick has the inputs of the beginning alone: what is sent then can come due after one tick.
    let mut horizon = Time::ZERO;
    loop {
        let broken = |what: String| Refusal::Broken { what, at: horizon };
        let stop = timeline.hand_out(horizon, shared);
        shared.horizon.set(Some(horizon));
        shared.arrived.set(0);
        sim.step().map_err(|error| broken(error.to_string()))?;
        if let Some(Early { packet, at, done }) = shared.early.get() {
            return Err(Refusal::Early { packet, due: at, done });
        }
        if shared.arrived.get() != shared.hosts.len() {
            return Err(broken(format!("{} of {} hosts had a turn", shared.arrived.get(), shared.hosts.len())));
        }
        let mut fates = shared.decided.borrow_mut();
        if let Some((_, lost)) = fates.first_key_value() {
            return Err(broken(format!("{} did not arrive", lost.packet)));
        }
        if let Err(halt) = ledger.enter(shared.records.take(), stop, probe) {
            return Ok(Some(halt));
        }
        fates.extend(ledger.decided.drain(..));
        if horizon >= shared.until {
            return Ok(None);
        }
        horizon = horizon.after(tick_us).min(shared.until);
    }
}

/// The instructions of a run, in order.
struct Timeline<'a> {
    commands: &'a mut dyn Iterator<Item = (Time, HostId, Command)>,
    next: Option<(Time, HostId, Command)>,
    /// The time of the last one taken: what comes out of order is carried out with the one before it.
    from: Time,
}

impl Timeline<'_> {
    /// Gives the hosts what is for them up to `horizon`. When one is for a host that is not there, the run stops then.
    fn hand_out(&mut self, horizon: Time, shared: &Shared) -> Option<(Time, Halt)> {
        let mut inboxes = shared.commands.borrow_mut();
        while let Some((time, host, command)) = self.next {
            let at = time.max(self.from);
            if at > horizon {
                break;
            }
            let Some(inbox) = inboxes.get_mut(usize::from(host.0)) else {
                return Some((at, Halt::UnknownHost { host, at }));
            };
            inbox.push_back((awake_from(&shared.pauses, host, at), command));
            self.from = at;
            self.next = self.commands.next();
        }
        None
    }
}
