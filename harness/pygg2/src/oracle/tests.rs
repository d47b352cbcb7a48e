//! The reference pair and the variants over simulated networks.

use super::{Pygg2Oracle, watch};
use crate::PROTOCOL;
use crate::client::Client;
use crate::mutants::Rules;
use crate::options::{OPTIONS, PROFILES};
use crate::server::Server;
use crate::state::*;
use crate::verbs::*;
use kit::{Command, Endpoint, Finding, HostId, Oracle, Probe, Replacement, Role, Setup, Time, Watch};
use sim::{Link, Network, Simulation};
use std::collections::BTreeSet;

mod crowd;
mod random;
mod reference;
mod remote;
mod variants;

/// A run to be made.
struct Run {
    setup: Setup,
    server: Rules,
    client: Rules,
    commands: Vec<(u64, HostId, Command)>,
    network: Network,
    length_ms: u64,
    /// How late the server and the clients read what arrives, in microseconds.
    late_us: [u64; 2],
}

impl Run {
    /// Of so many clients, who connect at once; everybody has a life of some variety.
    fn new(clients: u16) -> Run {
        let mut setup = Setup::new(&PROTOCOL, &PROFILES[0]);
        setup.clients = clients;
        let commands = (1..=clients).map(|host| (0, HostId(host), Command::Connect)).collect();
        let network = Network::uniform(1, clients.into(), &Link::clean(25_000));
        Run {
            setup,
            server: Rules::REFERENCE,
            client: Rules::REFERENCE,
            commands,
            network,
            length_ms: 10_000,
            late_us: [0; 2],
        }
    }

    fn option(mut self, name: &str, value: i64) -> Run {
        let index = OPTIONS.iter().position(|option| option.name == name).expect("an option");
        self.setup.options[index] = value;
        self
    }

    fn links(mut self, change: impl Fn(&mut Link)) -> Run {
        self.network.links.iter_mut().flatten().for_each(change);
        self
    }

    fn way(mut self, client: usize, direction: kit::Direction, change: impl Fn(&mut Link)) -> Run {
        change(&mut self.network.links[client - 1][direction.index()]);
        self
    }

    fn seed(mut self, seed: u64) -> Run {
        self.network.seed = seed;
        self
    }

    fn at(mut self, ms: u64, host: u16, command: Command) -> Run {
        self.commands.push((ms, HostId(host), command));
        self
    }

    fn verb(self, ms: u64, host: u16, verb: usize, args: &[i32]) -> Run {
        let mut all = [0; 4];
        all[..args.len()].copy_from_slice(args);
        self.at(ms, host, Command::Verb { verb, args: all })
    }

    fn set(self, ms: u64, entity: u32, field: usize, value: i32) -> Run {
        self.at(ms, 0, Command::Set { entity, field, value })
    }

    /// Bots come, live, move, die and go; clients do what players do.
    fn busy(mut self) -> Run {
        let clients = u32::from(self.setup.clients);
        for bot in clients + 1..clients + 5 {
            self = self.at(0, 0, Command::Spawn { entity: bot }).set(0, bot, HSPEED, -35).set(0, bot, X, 2300);
            self = self.set(0, bot, HEALING, -7).set(0, bot, INPUTSTATE, 0x06);
        }
        for player in 1..=clients {
            self = self.set(1_000, player, ALIVE, 1).set(1_000, player, HP, 100);
            self = self.verb(1_500, player as u16, VERB_INPUT, &[0x02, 16384]);
            self = self.verb(2_000, player as u16, VERB_CHANGECLASS, &[(player % 10) as i32]);
            self = self.verb(2_500, player as u16, VERB_JUMP, &[]);
        }
        for step in 0..60 {
            let (ms, bot) = (500 + 100 * step, clients + 1 + (step % 4) as u32);
            self = self.set(ms, bot, X, 2300 + step as i32).set(ms + 7, bot, ALIVE, (step / 4 % 2) as i32);
            self = self.set(ms + 9, bot, CLASS, (step % 10) as i32);
        }
        self = self.at(4_321, 0, Command::Remove { entity: clients + 2 });
        self.set(5_000, clients + 1, SENTRY, 1).verb(5_100, 0, VERB_COMPLETE_UPDATE, &[0])
    }

    fn judge(self) -> Watch<Pygg2Oracle> {
        self.judge_with(None)
    }

    /// With all ends of one role replaced.
    fn judge_with(self, replacement: Option<Replacement>) -> Watch<Pygg2Oracle> {
        let mut oracle = watch(&self.setup);
        let vantage = self.setup.vantage;
        let end = Time::from_ms(self.length_ms);
        self.play(replacement, &mut remote::FarAway { oracle: &mut oracle, vantage, connected: BTreeSet::new() });
        oracle.finish(end);
        oracle
    }

    /// Makes the run, of which `probe` sees all.
    fn play(mut self, replacement: Option<Replacement>, probe: &mut dyn Probe) {
        self.commands.sort_by_key(|(ms, ..)| *ms);
        let build = |host: u16| -> Box<dyn Endpoint> {
            let (setup, role) = (self.setup.on(HostId(host)), if host == 0 { Role::Server } else { Role::Client });
            let end: Box<dyn Endpoint> = match replacement.filter(|replacement| replacement.role == role) {
                Some(replacement) => (replacement.build)(&setup),
                None if host == 0 => Box::new(Server::new(&setup, self.server.server, self.server.latitude)),
                None => Box::new(Client::new(&setup, self.client.client, self.client.latitude)),
            };
            match self.late_us[usize::from(host.min(1))] {
                0 => end,
                late_us => Box::new(remote::Late::new(end, late_us)),
            }
        };
        let mut hosts: Vec<Box<dyn Endpoint>> = (0..=self.setup.clients).map(build).collect();
        let commands = self.commands.into_iter();
        let outcome = Simulation {
            hosts: &mut hosts,
            network: &self.network,
            commands: &mut commands.map(|(ms, host, command)| (Time::from_ms(ms), host, command)),
            dissector: None,
            until: Time::from_ms(self.length_ms),
            hash: false,
        }
        .run(probe);
        assert_eq!(outcome.halted, None);
        assert_eq!(outcome.end, Time::from_ms(self.length_ms));
    }
}

fn show(findings: &[Finding]) -> String {
    let line =
        |finding: &Finding| format!("{} {} {}: {}", finding.at, finding.requirement().id, finding.host, finding.what);
    findings.iter().map(line).collect::<Vec<_>>().join("\n")
}

#[track_caller]
fn check_passes(run: Run, exercised: &[&str]) -> Watch<Pygg2Oracle> {
    let oracle = run.judge();
    assert_eq!(show(oracle.findings()), "");
    let shown: Vec<&str> = oracle.covered().iter().map(|row| row.id).collect();
    for id in exercised {
        assert!(shown.contains(id), "{id} is not among {shown:?}");
    }
    oracle
}
