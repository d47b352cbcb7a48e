//! Runs of the machines with each other over simulated networks, which the oracle judges.

use kit::{Command, Endpoint, Finding, HostId, Oracle, Probe, Rebind, Replacement, Setup, Time, TraceEvent};
use r1q2::PROTOCOL;
use sim::{Link, Network, Pause};
use testkit::session::{hosts, simulate};

/// A run in the making.
pub struct Run {
    pub setup: Setup,
    pub link: Link,
    /// Who stands still, and when.
    pub pauses: Vec<Pause>,
    pub commands: Vec<(Time, HostId, Command)>,
    pub seconds: u64,
    /// Who takes the place of the reference.
    pub replacement: Option<Replacement>,
}

impl Run {
    /// Clients that connect, over a clean network.
    pub fn new(profile: usize, clients: u16, options: &[(&str, i64)]) -> Run {
        let setup = Setup { clients, seed: 7, ..testkit::setup(&PROTOCOL, profile, options) };
        let connects = (1..=clients).map(|client| (Time::ZERO, HostId(client), Command::Connect));
        let (link, commands) = (Link::clean(20_000), connects.collect());
        Run { setup, link, pauses: Vec::new(), commands, seconds: 6, replacement: None }
    }

    pub fn at(&mut self, milliseconds: u64, host: u16, command: Command) -> &mut Run {
        self.commands.push((Time(milliseconds * 1000), HostId(host), command));
        self
    }

    pub fn verb(&mut self, milliseconds: u64, host: u16, verb: usize, args: [i32; 4]) -> &mut Run {
        self.at(milliseconds, host, Command::Verb { verb, args })
    }

    /// A client's datagrams come from another port from then on.
    pub fn rebind(&mut self, milliseconds: u64, client: u16) -> &mut Run {
        self.setup.rebinds.push(Rebind { client: HostId(client), at: Time(milliseconds * 1000) });
        self
    }

    pub fn set(&mut self, milliseconds: u64, entity: u32, field: usize, value: i32) -> &mut Run {
        self.at(milliseconds, 0, Command::Set { entity, field, value })
    }

    /// Runs it to its end. A watcher sees what the oracle sees.
    #[track_caller]
    pub fn judge(&mut self, seed: u64, watcher: &mut dyn Probe) -> Box<dyn Oracle> {
        self.commands.sort_by_key(|(time, host, _)| (*time, *host));
        let network = Network::uniform(seed, self.setup.clients.into(), &self.link);
        let network = Network { pauses: self.pauses.clone(), rebinds: self.setup.rebinds.clone(), ..network };
        let mut both = Both { watcher, oracle: (PROTOCOL.oracle)(&self.setup) };
        let (hosts, until) = (hosts(&PROTOCOL, &self.setup, self.replacement), Time(self.seconds * 1_000_000));
        let outcome = simulate(hosts, &network, self.commands.iter().copied(), until, &mut both);
        assert_eq!(outcome.halted, None);
        both.oracle.finish(outcome.end);
        both.oracle
    }
}

/// A finding as a line.
pub fn line(finding: &Finding) -> String {
    format!("{} {} {}: {}", finding.requirement().id, finding.at, finding.host, finding.what)
}

/// A watcher and the oracle, side by side.
struct Both<'a> {
    watcher: &'a mut dyn Probe,
    oracle: Box<dyn Oracle>,
}

impl Probe for Both<'_> {
    fn on(&mut self, now: Time, event: &TraceEvent<'_>) {
        self.watcher.on(now, event);
        self.oracle.on(now, event);
    }

    fn settled(&mut self, now: Time, host: HostId, endpoint: &dyn Endpoint) {
        self.watcher.settled(now, host, endpoint);
        self.oracle.settled(now, host, endpoint);
    }
}
