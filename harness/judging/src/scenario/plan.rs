//! What runs: the cases of a scenario, one for each profile and variant.

use super::Scenario;
use super::alteration::Alteration;
use super::reach::Reach;
use super::replayed::Replayed;
use super::told::Told;
use super::world::Commands;
use crate::executor::Executor;
use kit::{Command, Direction, Hidden, HostId, Knowledge, Profile, Protocol, Requirement, Setup, Time, Vantage};
use std::sync::Arc;

/// One way to run a scenario.
#[derive(Clone, Debug)]
pub struct Case {
    pub scenario: Arc<Scenario>,
    pub protocol: &'static Protocol,
    pub profile: &'static Profile,
    /// The values that the matrix gives, such as `client_fte2=0x28`; empty without a matrix.
    pub variant: String,
    /// One value per option of the protocol.
    pub options: Vec<i64>,
    /// Texts in place of the scenario's, by their number.
    pub texts: Vec<(usize, Arc<str>)>,
    /// What the oracle knows.
    pub knowledge: Knowledge,
    /// What its network does otherwise than the scenario says.
    pub alteration: Alteration,
    /// What its clients do not show, so that it is not judged.
    pub hidden: Hidden,
    /// Whether what takes its clients' place only reads, and the reference's clients talk.
    pub codec: bool,
    /// From where its oracle sees a run.
    pub vantage: Vantage,
    /// Whether nobody can tell its server what the world is, so that it is judged as a remote one, by the wire alone.
    pub worldless: bool,
    /// What such a server can be told all the same: its game code is ours, and does what scenarios say.
    pub told: Option<Told>,
    /// Whether a clean client runs beside those of the scenario, as the last.
    pub control: bool,
    /// What executes its runs.
    pub executor: Executor,
}

/// The cases of a scenario: its profiles in the file's order, and for each the variants of the matrix.
pub fn cases(scenario: &Arc<Scenario>) -> Vec<Case> {
    let profiles = scenario.profiles.iter();
    profiles
        .flat_map(|profile| scenario.variants.iter().map(move |variant| (*profile, variant)))
        .map(|(profile, (variant, options))| Case {
            scenario: Arc::clone(scenario),
            protocol: scenario.protocol,
            profile,
            variant: variant.clone(),
            options: options.clone(),
            texts: Vec::new(),
            knowledge: Knowledge::World,
            alteration: Alteration::default(),
            hidden: Hidden::default(),
            codec: false,
            vantage: Vantage::default(),
            worldless: false,
            told: None,
            control: false,
            executor: Executor::Direct,
        })
        .collect()
}

/// The cases of each scenario in each profile: the variants of its matrix.
pub fn by_profile(cases: &[Case]) -> impl Iterator<Item = &[Case]> {
    cases.chunk_by(|one, next| one.scenario.id == next.scenario.id && one.profile == next.profile)
}

impl Case {
    /// `fte/reset-lost@fte-nq`, with a variant `fte/reset-lost@fte-nq[client_fte2=0x28]`, and with `+drop-s2c-7` after it where
    /// that fault is added.
    pub fn name(&self) -> String {
        let (id, profile) = (&self.scenario.id, self.profile.name);
        let alteration = &self.alteration;
        match self.variant.as_str() {
            "" => format!("{id}@{profile}{alteration}"),
            variant => format!("{id}@{profile}[{variant}]{alteration}"),
        }
    }

    /// How to build the server; [`Setup::on`] makes a client's of it.
    pub fn setup(&self, seed: u64) -> Setup {
        let mut texts = self.scenario.texts.clone();
        for (place, other) in &self.texts {
            texts.get_mut(*place).into_iter().for_each(|text| text.clone_from(other));
        }
        let vantage = if self.worldless { Vantage::OF_WORLDLESS } else { self.vantage };
        Setup {
            profile: self.profile,
            host: HostId::SERVER,
            clients: self.scenario.file.clients + u16::from(self.control),
            seed,
            options: self.options.clone(),
            texts,
            knowledge: if self.is_untold() { Knowledge::Wire } else { self.knowledge },
            vantage: Vantage { clients_only_read: self.codec, ..vantage },
            pauses: self.pauses().to_vec(),
            rebinds: self.rebinds().to_vec(),
        }
    }

    /// Whether nobody can tell its server what the world is.
    const fn is_untold(&self) -> bool {
        self.worldless && self.told.is_none()
    }

    /// Whether the case is left out because of what its oracle knows: a blind oracle rightly finds what the scenario
    /// makes an end do.
    pub fn is_left_out(&self) -> bool {
        self.why_left_out().is_some()
    }

    /// Why a run leaves it out, if it does. A server that nobody can tell what the world is judged beside a client that misbehaves;
    /// itself it would have to obey.
    pub fn why_left_out(&self) -> Option<String> {
        if self.worldless {
            let verb = self.misbehaviours().find(|(host, _)| *host == HostId::SERVER)?.1;
            return Some(format!("`{verb}` makes the server misbehave"));
        }
        let verb = self.misbehaviour().filter(|_| self.knowledge == Knowledge::Wire)?;
        Some(format!("`{verb}` makes an end misbehave"))
    }

    /// The verb by which the scenario makes an end misbehave, if it does.
    pub fn misbehaviour(&self) -> Option<&'static str> {
        self.misbehaviours().next().map(|(_, name)| name)
    }

    /// Whether the scenario makes the server misbehave, or else a client.
    pub fn misbehaves(&self, server: bool) -> bool {
        self.misbehaviours().any(|(host, _)| (host == HostId::SERVER) == server)
    }

    /// What the scenario makes the ends do wrongly: who, and the verb.
    fn misbehaviours(&self) -> impl Iterator<Item = (HostId, &'static str)> {
        let protocol = self.protocol;
        self.commands(0).filter_map(|(_, host, command)| match command {
            Command::Verb { verb, .. } if protocol.misbehaviour.contains(&verb) => {
                protocol.verbs.get(verb).map(|verb| (host, verb.name))
            }
            _ => None,
        })
    }

    /// All instructions of a run, in the order of time: first baselines, then what is in the world, then connections,
    /// then the timeline with crowds and churn. Ends; its length is bounded when the scenario is loaded.
    pub fn commands(&self, seed: u64) -> Box<dyn Iterator<Item = (Time, HostId, Command)> + Send> {
        let commands = Commands::new(Arc::clone(&self.scenario.script), seed);
        let (untold, told, protocol) = (self.is_untold(), self.told.clone(), self.protocol);
        let is_taken = move |host: HostId, command: &Command| match &told {
            Some(told) => told.takes(protocol, command),
            None => !untold || host != HostId::SERVER || !command.is_of_world(),
        };
        let commands = commands.filter(move |(_, host, command)| is_taken(*host, command));
        let control = HostId(self.scenario.file.clients + 1);
        let control = self.control.then_some((Time::ZERO, control, Command::Connect));
        // What the world begins with comes first.
        let mut connects = control.into_iter();
        let mut commands = commands.peekable();
        let commands = std::iter::from_fn(move || match commands.peek() {
            Some((Time::ZERO, ..)) => commands.next(),
            _ => connects.next().or_else(|| commands.next()),
        });
        match self.server_restarts().as_slice() {
            [] => Box::new(commands),
            restarts => Box::new(Replayed::new(commands, restarts)),
        }
    }

    /// The network of a run: with swarm mode, as its seed draws it.
    pub fn network(&self, seed: u64) -> sim::Network {
        let mut links = self.alteration.links(&self.scenario.links);
        for (pair, client) in links.iter_mut().zip(1..) {
            for direction in [Direction::ServerToClient, Direction::ClientToServer] {
                let link = &mut pair[direction.index()];
                *link = link.drawn(seed, HostId(client), direction);
            }
        }
        links.extend(self.control.then(|| [sim::Link::default(), sim::Link::default()]));
        let (pauses, rebinds) = (self.pauses().to_vec(), self.rebinds().to_vec());
        sim::Network { seed, links, pauses, rebinds, restarts: self.server_restarts(), fates: self.alteration.fates() }
    }

    /// The clock of a host.
    pub fn clock(&self, host: HostId) -> sim::Clock {
        if self.alteration.faultless { sim::Clock::default() } else { self.scenario.hosts.clock(host) }
    }

    /// Who stands still, and when.
    fn pauses(&self) -> &[kit::Pause] {
        if self.alteration.faultless { &[] } else { &self.scenario.hosts.pauses }
    }

    /// When the server dies, and when another is in its place, in the order of time.
    fn server_restarts(&self) -> Vec<(Time, Time)> {
        self.all_restarts().filter(|(host, ..)| *host == HostId::SERVER).map(|(_, from, until)| (from, until)).collect()
    }

    /// Whose port changes, and when.
    fn rebinds(&self) -> &[kit::Rebind] {
        if self.alteration.faultless { &[] } else { &self.scenario.rebinds }
    }

    /// When a host is restarted, without what it knew, in the order of time.
    pub fn restarts(&self, host: HostId) -> impl Iterator<Item = Time> {
        self.all_restarts().filter(move |(other, ..)| *other == host).map(|(_, _, until)| until)
    }

    fn all_restarts(&self) -> impl Iterator<Item = (HostId, Time, Time)> {
        let restarts = if self.alteration.faultless { &[][..] } else { &self.scenario.hosts.restarts };
        restarts.iter().copied()
    }

    /// What is wrong with its hosts themselves, a line each.
    pub fn host_faults(&self) -> Vec<String> {
        let rebinds =
            self.rebinds().iter().map(|rebind| format!("{} has another port from {}", rebind.client, rebind.at));
        let lines = if self.alteration.faultless { Vec::new() } else { self.scenario.hosts.lines() };
        lines.into_iter().chain(rebinds).collect()
    }

    /// The end of a run.
    pub fn duration(&self) -> Time {
        self.scenario.file.duration.time()
    }

    /// From here on the world stands still and no random fault happens; the end of the run without `settle`.
    pub fn settle(&self) -> Time {
        Time(self.scenario.file.duration.0.saturating_sub(self.scenario.file.settle.0))
    }

    /// The seeds to run with.
    pub fn seeds(&self) -> &[u64] {
        &self.scenario.file.seeds.0
    }

    /// What has to happen in a run for it to prove anything: nothing on another network than the scenario's, for which alone its
    /// author has promised something.
    pub fn reach(&self) -> &[Reach] {
        if self.alteration == Alteration::default() { &self.scenario.reach } else { &[] }
    }

    /// The requirements that the scenario names, in the file's order.
    pub fn requirements(&self) -> &[&'static Requirement] {
        &self.scenario.requirements
    }

    /// The requirement that a run must find violated; none where it must pass.
    pub fn finding(&self) -> Option<&'static Requirement> {
        self.scenario.finding
    }

    /// Whether its trace is kept for review: of a scenario that asks for it, the first case's.
    pub fn keeps_trace(&self) -> bool {
        let first = self.scenario.profiles.first() == Some(&self.profile)
            && self.scenario.variants.first().is_some_and(|(variant, _)| *variant == self.variant);
        self.scenario.file.golden.is_some() && first
    }
}
