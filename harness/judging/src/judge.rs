//! One run of one case, judged.

use crate::executor::{Executor, Records};
use crate::finding::standing;
use crate::history::{self, Detail, History, Recorder, Run};
use crate::restart::{Renewed, Restarting};
use crate::scenario::Case;
use crate::witness::{Missing, Witness};
use kit::{
    Direction, Dissection, Dissector, Endpoint, Event, Fate, Fault, Finding, Hiding, HostId, Knowledge, Oracle, Points,
    Probe, Replacement, Requirement, Role, Setup, Time, TraceEvent, View, WithCodec,
};
use sim::{FateKey, Recording};
use std::collections::{BTreeMap, BTreeSet};

/// A move of a state machine: role, state left, state entered, cause.
pub type Transition = (Role, &'static str, &'static str, &'static str);

/// Checks whose findings do not count: by name, and whether they are findings against the server.
pub type Disregarded = BTreeSet<(&'static str, bool)>;

/// Whether a finding is one of these checks.
pub fn is_disregarded(disregarded: &Disregarded, finding: &Finding) -> bool {
    disregarded.contains(&(finding.check.name, finding.host == HostId::SERVER))
}

/// What one run has shown.
#[derive(Debug, Default)]
pub struct Judgement {
    /// Violations, in the order of finding.
    pub findings: Vec<Finding>,
    /// Requirements covered.
    pub covered: Vec<&'static Requirement>,
    /// What had to happen and did not; the run proves nothing then.
    pub missing: Vec<Missing>,
    /// In what the clients differ from the control client once the world rests, as sentences; there may be none.
    pub differences: Vec<String>,
    /// What the scenario promises and its server's own world did not make possible.
    pub impossible: Vec<Missing>,
    /// What a process in the place of an end did wrong: what happened after that says nothing.
    pub fault: Option<Fault>,
    /// Why the executor gave up, if it did: the harness or an endpoint is at fault.
    pub halted: Option<String>,
    /// Remarks that are no violations.
    pub remarks: Vec<String>,
    /// Hash of all that happened.
    pub trace_hash: u64,
    /// Datagrams sent.
    pub datagrams: u64,
    /// What became of them, on all links together.
    pub traffic: sim::Observed,
    /// Configured against observed impairment, a line per direction of a link.
    pub impairment: Vec<String>,
    /// What happened, where it was asked for.
    pub history: History,
    /// The moves of all state machines.
    pub transitions: BTreeSet<Transition>,
    /// How often each end made a note, by the note's number.
    pub notes: BTreeMap<(Role, usize), u32>,
    /// The coverage points that the oracle saw.
    pub points: Points,
    /// What became of each datagram, where that was asked for.
    pub fates: BTreeMap<FateKey, Fate>,
    /// What each host showed when the first violation was seen, where that was asked for.
    pub views: BTreeMap<HostId, View>,
}

impl Judgement {
    /// Forgets what is found against those who have `refused` what their peers wrote wrongly, from then on. Who does not know what
    /// the scenario demands of a peer does not know either whether that did wrong.
    fn excuse(&mut self, refused: &BTreeMap<HostId, Time>, case: &Case) {
        if !refused.is_empty() && case.knowledge == Knowledge::World {
            self.keep_findings(|finding| refused.get(&finding.host).is_none_or(|since| finding.at < *since));
        }
    }

    /// Forgets what is found against the reference beside an end that has violated a MUST. `ours` says which hosts are the reference's, by
    /// their numbers.
    fn excuse_ours(&mut self, ours: &[bool]) {
        let is_ours = |host: HostId| ours.get(usize::from(host.0)) == Some(&true);
        let stand: Vec<bool> = standing(&self.findings, is_ours).collect();
        let mut next = stand.into_iter();
        self.keep_findings(|_| next.next().unwrap_or(true));
    }

    /// Forgets the findings that are not to be kept.
    pub fn keep_findings(&mut self, keep: impl FnMut(&Finding) -> bool) {
        let kept: Vec<bool> = self.findings.iter().map(keep).collect();
        let mut next = kept.iter();
        self.findings.retain(|_| next.next().copied().unwrap_or(true));
        self.history.keep_findings(&kept);
    }
}

/// What to keep of a run beside its verdict.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Keep {
    /// Nothing.
    Verdict,
    /// What became of each datagram.
    Fates,
    /// What the hosts showed when the first violation was seen.
    Views,
    /// What happened, without the fields of datagrams.
    Events,
    /// What happened, with every field of every datagram.
    Fields,
}

/// Runs `case` with `seed` against the reference, or with the endpoints of one role replaced.
pub fn judge(case: &Case, seed: u64, replacement: Option<Replacement>, keep: Keep) -> Judgement {
    let replaced = |role: Role| replacement.filter(|replacement| replacement.role == role);
    judge_with(case, seed, &|role, setup| Some((replaced(role)?.build)(setup)), keep)
}

/// Builds what takes an end's place, where something does.
pub type Other<'a> = &'a dyn Fn(Role, &Setup) -> Option<Box<dyn Endpoint>>;

/// The server and the clients of a case: those of `other`, or of the reference where it has none; and which are the reference's.
pub(crate) fn hosts(case: &Case, setup: &Setup, other: Other<'_>) -> (Vec<Box<dyn Endpoint>>, Vec<bool>) {
    let protocol = case.protocol;
    let mut ours = vec![false; usize::from(setup.clients) + 1];
    let mut build = |role: Role, host: HostId| -> Box<dyn Endpoint> {
        let setup = setup.on(host);
        let reference = if role == Role::Server { protocol.server } else { protocol.client };
        let end = match other(role, &setup) {
            Some(codec) if role == Role::Client && case.codec => WithCodec::around(reference(&setup), codec),
            Some(end) => end,
            None => {
                ours[usize::from(host.0)] = true;
                reference(&setup)
            }
        };
        let end = sim::Clocked::around(end, case.clock(host));
        if role == Role::Client { Hiding::around(end, case.hidden, protocol.fields.len()) } else { end }
    };
    let restarting = |host: HostId| {
        let role = if host == HostId::SERVER { Role::Server } else { Role::Client };
        // In this order: a process gives the first the host's place.
        let first = build(role, host);
        Restarting::around(role, first, case.restarts(host).map(|from| (from, build(role, host))).collect())
    };
    let ends = (0..=setup.clients).map(HostId).map(restarting).collect();
    (ends, ours)
}

/// Runs `case` with `seed` with those endpoints of the reference for which `other` has none.
pub fn judge_with(case: &Case, seed: u64, other: Other<'_>, keep: Keep) -> Judgement {
    let mut first: Option<Records> = None;
    let mut judgement = Judgement::default();
    for executor in case.executor.turns() {
        let compared = (executor != case.executor).then(Records::default);
        let (latest, seen) = execute(case, seed, other, keep, executor, compared);
        judgement = latest;
        if let (Some(first), Some(second)) = (&first, &seen) {
            let difference = first.difference(second);
            judgement.halted = judgement.halted.or(difference.map(|what| format!("the executors differ: {what}")));
        }
        first = seen;
    }
    judgement
}

/// One run with one executor; `records` takes down what is to be compared.
fn execute(
    case: &Case,
    seed: u64,
    other: Other<'_>,
    keep: Keep,
    executor: Executor,
    records: Option<Records>,
) -> (Judgement, Option<Records>) {
    let setup = case.setup(seed);
    let protocol = case.protocol;
    let (mut hosts, ours) = hosts(case, &setup, other);

    let network = case.network(seed);
    let mut watch = Watch { records, ..Watch::new(case, seed, &setup, keep) };
    let rules = network.links.iter().flatten().flat_map(|link| &link.script);
    let by_content = rules.into_iter().any(|rule| rule.select.carries.is_some());
    let mut dissector = (watch.recorder.is_some() || by_content || watch.witness.counts_content())
        .then(|| Spelled { inner: (protocol.dissector)(Some(&setup)), keep });
    let simulation = sim::Simulation {
        hosts: &mut hosts,
        network: &network,
        commands: &mut case.commands(seed),
        dissector: dissector.as_mut().map(|dissector| dissector as &mut dyn Dissector),
        until: case.duration(),
        hash: true,
    };
    let outcome = match executor.run(simulation, &mut watch) {
        Ok(outcome) => outcome,
        Err(why) => return (Judgement { halted: Some(why), ..Judgement::default() }, None),
    };
    watch.oracle.finish(outcome.end);
    let history = watch.recorder.take().map_or_else(History::default, |mut recorder| {
        recorder.finish(outcome.end, watch.oracle.findings());
        recorder.into_history(outcome.end)
    });

    let (covered, points) = (watch.oracle.covered(), watch.oracle.points());
    // What a scenario promises of its network does not hold of the control client's.
    let clients = usize::from(case.scenario.file.clients).min(outcome.observed.len());
    let mut missing = watch.witness.missing(&outcome.observed[..clients]);
    missing.extend(watch.not_in_the_game(case));
    let mut impairment = impairment(&network, &outcome);
    impairment.extend(case.host_faults());
    let mut traffic = sim::Observed::default();
    outcome.observed.iter().flatten().for_each(|link| traffic.add(link));
    let refused = std::mem::take(&mut watch.refused);
    let mut judgement = Judgement {
        findings: watch.oracle.findings().to_vec(),
        covered,
        missing,
        differences: Vec::new(),
        impossible: Vec::new(),
        fault: None,
        halted: outcome.halted.as_ref().map(|halt| halt.to_string()),
        remarks: watch.oracle.remarks(),
        trace_hash: outcome.trace_hash,
        datagrams: outcome.datagrams,
        traffic,
        impairment,
        history,
        transitions: watch.transitions,
        notes: watch.notes,
        points,
        fates: watch.recording.unwrap_or_default().fates,
        views: watch.views.unwrap_or_default(),
    };
    judgement.excuse(&refused, case);
    judgement.excuse_ours(&ours);
    (judgement, watch.records)
}

impl Keep {
    fn detail(self) -> Option<Detail> {
        match self {
            Keep::Verdict | Keep::Fates | Keep::Views => None,
            Keep::Events => Some(Detail::Events),
            Keep::Fields => Some(Detail::Fields),
        }
    }
}

/// Which run it is; whoever runs a candidate adds it.
fn run_of(case: &Case, seed: u64) -> Run {
    Run {
        case: case.name(),
        protocol: String::from(case.protocol.name),
        profile: String::from(case.profile.name),
        clients: case.scenario.file.clients,
        seed: Some(seed),
        server_port: case.profile.udp_port,
        options: history::options(case.protocol, &case.options),
        candidate: String::new(),
    }
}

fn impairment(network: &sim::Network, outcome: &sim::Outcome) -> Vec<String> {
    let mut lines = Vec::new();
    for (index, (links, observed)) in network.links.iter().zip(&outcome.observed).enumerate() {
        for (direction, (link, observed)) in ["s2c", "c2s"].iter().zip(links.iter().zip(observed)) {
            let found = observed.lines(link).into_iter();
            lines.extend(found.map(|line| format!("client{} {direction} {line}", index + 1)));
        }
    }
    lines
}

/// A dissector that is given how much to say.
struct Spelled {
    inner: Box<dyn Dissector>,
    keep: Keep,
}

impl Dissector for Spelled {
    fn datagram(&mut self, client: HostId, direction: Direction, bytes: &[u8], out: &mut Dissection) {
        out.want_spans = self.keep == Keep::Fields;
        out.marks_only = !matches!(self.keep, Keep::Events | Keep::Fields);
        self.inner.datagram(client, direction, bytes, out);
    }

    fn extensions(&self) -> Vec<String> {
        self.inner.extensions()
    }

    fn assume(&mut self, extensions: &str) -> Result<(), String> {
        self.inner.assume(extensions)
    }
}

/// Everybody who watches a run.
struct Watch<'a> {
    oracle: Box<dyn Oracle + 'a>,
    witness: Witness<'a>,
    recorder: Option<Recorder>,
    transitions: BTreeSet<Transition>,
    notes: BTreeMap<(Role, usize), u32>,
    recording: Option<Recording>,
    views: Option<BTreeMap<HostId, View>>,
    records: Option<Records>,
    /// Whether the first violation was seen.
    seen: bool,
    /// The server shows nothing of itself.
    remote_server: bool,
    /// Who has refused what its peer wrote wrongly, and since when: from then on it knows nothing of what was in it.
    refused: BTreeMap<HostId, Time>,
    /// The clients that have not shown a world yet, where the case claims nothing else, or the server shows nothing.
    outside: BTreeSet<HostId>,
    view: View,
}

impl<'a> Watch<'a> {
    fn new(case: &'a Case, seed: u64, setup: &'a Setup, keep: Keep) -> Watch<'a> {
        let protocol = case.protocol;
        Watch {
            oracle: Renewed::around(
                || (protocol.oracle)(setup),
                case.restarts(HostId::SERVER).collect(),
                protocol.requirements,
            ),
            witness: Witness::new(case.reach(), protocol.notes, case.hidden),
            recorder: keep.detail().map(|detail| Recorder::new(protocol, run_of(case, seed), detail)),
            transitions: BTreeSet::new(),
            notes: BTreeMap::new(),
            recording: (keep == Keep::Fates).then(Recording::default),
            views: (keep == Keep::Views).then(BTreeMap::new),
            records: None,
            seen: false,
            remote_server: setup.vantage.remote_server,
            refused: BTreeMap::new(),
            outside: (1..=setup.clients)
                .map(HostId)
                .filter(|_| case.requirements().is_empty() || setup.vantage.remote_server)
                .collect(),
            view: View::default(),
        }
    }
}

impl Watch<'_> {
    /// An end refuses a datagram of its peer. Where there is a finding against that, it is right, and not judged from then on: engines
    /// leave, fall silent or go on with what they have.
    fn refuses(&mut self, now: Time, host: HostId, peer: HostId) {
        if self.oracle.findings().iter().any(|finding| finding.host == peer) {
            self.refused.entry(host).or_insert(now);
        }
    }

    /// Who has not got into the game, as sentences: every client, where the case claims nothing else; where it does, all of them
    /// together, since a server of which only the datagrams are known would otherwise pass by answering nobody.
    fn not_in_the_game(&self, case: &Case) -> Vec<Missing> {
        let missing = |who: String, seen: &str| Missing {
            promise: format!("{who} gets into the game"),
            seen: String::from(seen),
        };
        match case.requirements().is_empty() {
            true => self.outside.iter().map(|client| missing(client.to_string(), "it never did")).collect(),
            false if !self.outside.is_empty() && self.outside.len() == usize::from(case.scenario.file.clients) => {
                vec![missing(String::from("a client"), "none did")]
            }
            false => Vec::new(),
        }
    }
}

/// Whether an event is none of the wire, but one of the server itself.
const fn is_inside_the_server(event: &TraceEvent<'_>) -> bool {
    matches!(event, TraceEvent::Event { host: HostId::SERVER, .. } | TraceEvent::Timeout { host: HostId::SERVER })
}

impl Probe for Watch<'_> {
    fn on(&mut self, now: Time, event: &TraceEvent<'_>) {
        if !(self.remote_server && is_inside_the_server(event)) {
            self.oracle.on(now, event);
        }
        self.witness.on(now, event);
        if let Some(recorder) = &mut self.recorder {
            recorder.on(now, event);
            recorder.find(now, self.oracle.findings(), Some(event));
        }
        if let Some(recording) = &mut self.recording {
            recording.on(now, event);
        }
        if let Some(records) = &mut self.records {
            records.on(now, event);
        }
        if let TraceEvent::Event { host, event } = event {
            let role = if *host == HostId::SERVER { Role::Server } else { Role::Client };
            match event {
                Event::State { from, to, cause, .. } => drop(self.transitions.insert((role, from, to, cause))),
                Event::Rejected { peer, .. } => self.refuses(now, *host, peer.host),
                Event::Note { note, .. } => *self.notes.entry((role, *note)).or_default() += 1,
                _ => {}
            }
        }
    }

    fn settled(&mut self, now: Time, host: HostId, endpoint: &dyn Endpoint) {
        let shows = !(self.remote_server && host == HostId::SERVER);
        if shows {
            self.oracle.settled(now, host, endpoint);
        }
        if let Some(recorder) = &mut self.recorder {
            recorder.find(now, self.oracle.findings(), None);
        }
        if let Some(records) = &mut self.records {
            records.settled(now, host, endpoint);
        }
        if self.outside.contains(&host) {
            self.view.clear();
            endpoint.observe(&mut self.view);
            self.outside.retain(|client| *client != host || !self.view.valid);
        }
        if let Some(views) = self.views.as_mut().filter(|_| !self.seen && shows) {
            let view = views.entry(host).or_default();
            view.clear();
            endpoint.observe(view);
            self.seen = !self.oracle.findings().is_empty();
        }
    }

    fn wants_content(&self) -> bool {
        self.recorder.is_some() || self.witness.wants_content()
    }
}
