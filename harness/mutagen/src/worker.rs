//! The process that runs mutants: their numbers come in lines, what became of them goes out in lines.
//!
//! A run is done only where the reference reached the mutant's place: elsewhere it cannot differ.

use crate::outcome::{Fate, Kill, Outcome};
use crate::pool::Request;
use crate::targets::Side;
use deltaproof::explore::guided::{Search, Strategy};
use deltaproof::explore::without_faults;
use deltaproof::judge::{Judgement, Keep, judge};
use deltaproof::scenario::{Alteration, Case};
use deltaproof::suite;
use deltaproof::witness;
use kit::{Command, Endpoint, Event, Finding, HostId, PeerId, Protocol, Replacement, Role, Setup, Time, View};
use std::any::Any;
use std::cell::{Cell, RefCell};
use std::collections::{BTreeMap, BTreeSet};
use std::io::{BufRead, Write};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::process::ExitCode;
use std::sync::OnceLock;

/// Of a scenario's own seeds, so many are run, as for the mutants made by hand.
const OWN_SEEDS: usize = deltaproof::kill::MOST_SEEDS;
/// The seeds that come after the scenarios' own begin here.
const MORE_SEEDS_FROM: u64 = 1_001;
/// A run may ask so many times as often as the reference's, and so often beside.
const PATIENCE: (u64, u64) = (10, 1_000_000);
/// An end that acts more often than this at one moment makes no progress.
const MOST_ACTS: usize = 2_000;
/// Cases of the first pass that are looked for.
const ENOUGH: usize = 2;

/// The mutated copy.
pub struct Mutated {
    /// `mutagen_rt::begin` of the copy.
    pub begin: fn(u32, u64, bool),
    /// `mutagen_rt::end` of the copy.
    pub end: fn() -> (u64, Vec<u64>),
    /// Whether a panic stopped a run without end.
    pub is_endless: fn(&(dyn Any + Send)) -> bool,
    /// Its server and client.
    pub protocol: &'static Protocol,
}

static MUTATED: OnceLock<Mutated> = OnceLock::new();

thread_local! {
    /// When datagrams passed the mutated end.
    static PASSED: RefCell<Vec<Time>> = const { RefCell::new(Vec::new()) };
    /// What the last panic said, and where.
    static PANIC: RefCell<String> = const { RefCell::new(String::new()) };
    /// What the first mutated end of a run died of.
    static DEATH: RefCell<Option<(Outcome, String)>> = const { RefCell::new(None) };
}

/// An endpoint whose datagrams are counted. If it panics, or does not come to an end, it is dead, as a process would be:
/// from then on it is silent, and the judge goes on.
struct Counted {
    end: Box<dyn Endpoint>,
    side: Side,
    dead: Cell<bool>,
    /// The present moment, and how often it has acted at it.
    acted: (Time, usize),
}

impl Counted {
    fn of(end: Box<dyn Endpoint>, side: Side) -> Box<dyn Endpoint> {
        Box::new(Counted { end, side, dead: Cell::new(false), acted: (Time::ZERO, 0) })
    }

    /// It acts. Who does so without end at one moment does nothing else any more.
    fn acts(&mut self, now: Time) {
        let before = if self.acted.0 == now { self.acted.1 } else { 0 };
        self.acted = (now, before + 1);
        if self.acted.1 > MOST_ACTS && !self.dead.replace(true) {
            DEATH.with_borrow_mut(|first| _ = first.get_or_insert((Outcome::Hang, String::from("no progress"))));
        }
    }

    /// What the end does, unless it is dead, or dies of it.
    fn alive<T>(&mut self, act: impl FnOnce(&mut dyn Endpoint) -> T) -> Option<T> {
        let Counted { end, dead, .. } = self;
        guarded(dead, || act(&mut **end))
    }
}

/// What `act` gives, unless it panics.
fn guarded<T>(dead: &Cell<bool>, act: impl FnOnce() -> T) -> Option<T> {
    if dead.get() {
        return None;
    }
    match catch_unwind(AssertUnwindSafe(act)) {
        Ok(done) => Some(done),
        Err(panic) => {
            dead.set(true);
            let endless = MUTATED.get().is_some_and(|mutated| (mutated.is_endless)(&*panic));
            let death = if endless { (Outcome::Hang, String::from("no end")) } else { (Outcome::Crash, PANIC.take()) };
            DEATH.with_borrow_mut(|first| _ = first.get_or_insert(death));
            None
        }
    }
}

impl Endpoint for Counted {
    fn handle_command(&mut self, now: Time, command: &Command) {
        self.alive(|end| end.handle_command(now, command));
    }
    fn handle_datagram(&mut self, now: Time, from: PeerId, bytes: &[u8]) {
        PASSED.with_borrow_mut(|passed| passed.push(now));
        self.alive(|end| end.handle_datagram(now, from, bytes));
    }
    fn handle_timeout(&mut self, now: Time) {
        self.acts(now);
        self.alive(|end| end.handle_timeout(now));
    }
    fn poll_transmit(&mut self, now: Time, out: &mut Vec<u8>) -> Option<PeerId> {
        let to = loop {
            let to = self.alive(|end| end.poll_transmit(now, out)).flatten();
            if to.is_some() {
                self.acts(now);
            }
            // What goes nowhere is lost.
            let server = self.side == Side::Server;
            match to {
                Some(to) if (to.host == HostId::SERVER) == server => out.clear(),
                to => break to,
            }
        };
        if to.is_some() {
            PASSED.with_borrow_mut(|passed| passed.push(now));
        }
        to
    }
    fn poll_event(&mut self) -> Option<Event> {
        self.alive(|end| end.poll_event()).flatten()
    }
    fn poll_timeout(&self) -> Option<Time> {
        guarded(&self.dead, || self.end.poll_timeout()).flatten()
    }
    fn source_port(&self) -> u16 {
        guarded(&self.dead, || self.end.source_port()).unwrap_or_default()
    }
    fn observe(&self, view: &mut View) {
        guarded(&self.dead, || self.end.observe(view));
    }
}

fn replacement(side: Side) -> Replacement {
    fn server(setup: &Setup) -> Box<dyn Endpoint> {
        let protocol = MUTATED.get().map_or(deltaproof::registry::PROTOCOLS[0], |mutated| mutated.protocol);
        Counted::of((protocol.server)(setup), Side::Server)
    }
    fn client(setup: &Setup) -> Box<dyn Endpoint> {
        let protocol = MUTATED.get().map_or(deltaproof::registry::PROTOCOLS[0], |mutated| mutated.protocol);
        Counted::of((protocol.client)(setup), Side::Client)
    }
    match side {
        Side::Server => Replacement { role: Role::Server, build: server },
        Side::Client => Replacement { role: Role::Client, build: client },
    }
}

/// What the copy does without a mutant.
struct Baseline {
    hash: u64,
    asked: u64,
    reached: Vec<u64>,
    /// Requirements found violated, and whether by the server: a scenario can expect that.
    found: BTreeSet<(&'static str, bool)>,
    vacuous: bool,
    /// Requirements that the scenario promises and this run covered.
    covered: BTreeSet<&'static str>,
    /// No seed before it gave the same trace: where chance decides nothing, one seed shows what all show.
    fresh: bool,
}

impl Baseline {
    fn reaches(&self, number: u32) -> bool {
        self.reached.get(number as usize / 64).is_some_and(|word| word & 1 << (number % 64) != 0)
    }
}

struct Worker {
    mutated: &'static Mutated,
    cases: Vec<Case>,
    more_seeds: u64,
    baselines: BTreeMap<(Side, usize, u64), Baseline>,
    /// The traces of each case.
    traces: BTreeSet<(Side, usize, u64)>,
}

/// The program: `RUNNER SCENARIOS MORE_SEEDS`.
pub fn main(mutated: Mutated) -> ExitCode {
    let mutated = MUTATED.get_or_init(|| mutated);
    let mut arguments = std::env::args().skip(1);
    let (Some(root), Some(Ok(more_seeds))) = (arguments.next(), arguments.next().map(|seeds| seeds.parse())) else {
        eprintln!("usage: RUNNER SCENARIOS MORE_SEEDS");
        return ExitCode::from(2);
    };
    let all = match suite::all_cases(Path::new(&root)) {
        Ok(all) => all,
        Err(diagnostic) => {
            eprintln!("{}", diagnostic.one_line());
            return ExitCode::from(2);
        }
    };
    std::panic::set_hook(Box::new(|panic| PANIC.set(panic.to_string())));
    let cases = all.into_iter().filter(|case| case.protocol.name == mutated.protocol.name).collect();
    let mut worker = Worker { mutated, cases, more_seeds, baselines: BTreeMap::new(), traces: BTreeSet::new() };
    if let Err(why) = worker.check_copy() {
        eprintln!("{why}");
        return ExitCode::from(2);
    }
    for line in std::io::stdin().lock().lines() {
        let Some(request) = line.ok().and_then(|line| serde_json::from_str::<Request>(&line).ok()) else { break };
        let fate = worker.run(request);
        let Ok(line) = serde_json::to_string(&fate) else { break };
        let mut out = std::io::stdout().lock();
        if writeln!(out, "{line}").and_then(|()| out.flush()).is_err() {
            break;
        }
    }
    ExitCode::SUCCESS
}

impl Worker {
    fn own_seeds(&self, case: usize) -> Vec<u64> {
        self.cases[case].seeds().iter().copied().take(OWN_SEEDS).collect()
    }

    /// Runs the copy without a mutant in every case: it must do what the reference does.
    fn check_copy(&mut self) -> Result<(), String> {
        for case in 0..self.cases.len() {
            let seeds = self.own_seeds(case);
            let Some(&first) = seeds.first() else { continue };
            let expected = judge(&self.cases[case], first, None, Keep::Verdict).trace_hash;
            for side in [Side::Server, Side::Client] {
                if self.baseline(side, case, first).hash != expected {
                    let name = self.cases[case].name();
                    return Err(format!("{name}: the copy without a mutant differs from the reference ({side:?})"));
                }
                for &seed in &seeds {
                    self.baseline(side, case, seed);
                }
            }
        }
        Ok(())
    }

    fn baseline(&mut self, side: Side, case: usize, seed: u64) -> &Baseline {
        let (mutated, cases, traces) = (self.mutated, &self.cases, &mut self.traces);
        self.baselines.entry((side, case, seed)).or_insert_with(|| {
            let number = case;
            let case = &cases[case];
            (mutated.begin)(0, u64::MAX, true);
            let judgement = judge(case, seed, Some(replacement(side)), Keep::Verdict);
            let (left, reached) = (mutated.end)();
            PASSED.with_borrow_mut(Vec::clear);
            Baseline {
                hash: judgement.trace_hash,
                asked: u64::MAX - left,
                reached,
                found: judgement.findings.iter().map(name_of).collect(),
                vacuous: !judgement.missing.is_empty(),
                covered: promised(case, &judgement),
                fresh: traces.insert((side, number, judgement.trace_hash)),
            }
        })
    }

    fn run(&mut self, request: Request) -> Fate {
        match (request.before, request.guided) {
            (None, _) => self.first_pass(request.number, request.side),
            (Some(before), None) => self.second_pass(request.number, request.side, before),
            (Some(before), Some(datagrams)) => self.guided_pass(request.number, request.side, before, datagrams),
        }
    }

    /// The scenarios without their faults, with schedules of faults that a guided search makes, until one has killed it.
    fn guided_pass(&mut self, number: u32, side: Side, mut fate: Fate, datagrams: u64) -> Fate {
        fate.guided = datagrams;
        let mut cases = Vec::new();
        for case in 0..self.cases.len() {
            let Some(&seed) = self.cases[case].seeds().first() else { continue };
            if self.baseline(side, case, seed).reaches(number) {
                cases.push((case, seed));
            }
        }
        let each = datagrams / cases.len().max(1) as u64;
        for (case, seed) in cases {
            let case = &without_faults(&self.cases[case]);
            let runs = |case: &Case, seed, keep| self.run_of(number, side, case, seed, keep);
            let own = |finding: &Finding| (finding.host == HostId::SERVER) == (side == Side::Server);
            // What the copy without a mutant is found to do as well is its scenario's.
            let kills = |case: &Case, judgement: &Judgement| {
                judgement.findings.iter().any(own) && {
                    let found = self.run_of(0, side, case, seed, Keep::Verdict).unwrap_or_default().findings;
                    let found: BTreeSet<(&str, bool)> = found.iter().map(name_of).collect();
                    judgement.findings.iter().any(|finding| own(finding) && !found.contains(&name_of(finding)))
                }
            };
            let ended = Search { case, seed, runs: &runs, datagrams: each, stop: &|| false, draws: 1 }
                .run(Strategy::Guided, &kills);
            fate.runs += usize::try_from(ended.runs).unwrap_or(usize::MAX);
            if let Some(faults) = ended.faults {
                let alteration = Alteration { faults, ..case.alteration.clone() };
                fate.take(Outcome::Killed, &(Case { alteration, ..case.clone() }.name(), seed), "");
                return fate;
            }
        }
        fate
    }

    /// A run with a mutant, or with the copy as it is for number 0. `None`: it panicked, or came to no end.
    fn run_of(&self, number: u32, side: Side, case: &Case, seed: u64, keep: Keep) -> Option<Judgement> {
        PASSED.with_borrow_mut(Vec::clear);
        DEATH.take();
        (self.mutated.begin)(number, PATIENCE.1.saturating_mul(PATIENCE.0), false);
        let judged = catch_unwind(AssertUnwindSafe(|| judge(case, seed, Some(replacement(side)), keep)));
        (self.mutated.end)();
        // What the judge makes of the silence of an end that died is no schedule's doing.
        judged.ok().filter(|_| DEATH.take().is_none())
    }

    /// The scenarios with their own seeds, until two cases have killed it.
    fn first_pass(&mut self, number: u32, side: Side) -> Fate {
        let mut fate = Fate::new();
        for case in 0..self.cases.len() {
            let seeds = self.own_seeds(case);
            if seeds.into_iter().any(|seed| self.run_once((number, side), case, seed, &mut fate)) {
                fate.killing_cases += 1;
            }
            if fate.killing_cases >= ENOUGH {
                break;
            }
        }
        fate
    }

    /// The scenarios with other seeds, until one has killed it.
    fn second_pass(&mut self, number: u32, side: Side, mut fate: Fate) -> Fate {
        fate.more_seeds = self.more_seeds;
        for seed in MORE_SEEDS_FROM..MORE_SEEDS_FROM + self.more_seeds {
            for case in 0..self.cases.len() {
                if self.run_once((number, side), case, seed, &mut fate) {
                    return fate;
                }
            }
        }
        fate
    }

    /// One run; whether it kills the mutant.
    fn run_once(&mut self, (number, side): (u32, Side), case: usize, seed: u64, fate: &mut Fate) -> bool {
        let mutated = self.mutated;
        let baseline = self.baseline(side, case, seed);
        if !baseline.fresh || !baseline.reaches(number) {
            return false;
        }
        let budget = baseline.asked.saturating_mul(PATIENCE.0).saturating_add(PATIENCE.1);
        PASSED.with_borrow_mut(Vec::clear);
        let shown_by = (self.cases[case].name(), seed);
        fate.runs += 1;
        DEATH.take();
        (mutated.begin)(number, budget, false);
        let judged =
            catch_unwind(AssertUnwindSafe(|| judge(&self.cases[case], seed, Some(replacement(side)), Keep::Verdict)));
        (mutated.end)();
        let judgement = match judged {
            Ok(judgement) => judgement,
            Err(panic) => {
                fate.differing += 1;
                let endless = (mutated.is_endless)(&*panic);
                let outcome = if endless { Outcome::Hang } else { Outcome::Crash };
                let message = if endless { String::from("no end") } else { PANIC.take() };
                fate.take(outcome, &shown_by, &message);
                return false;
            }
        };
        let Some(baseline) = self.baselines.get(&(side, case, seed)) else { return false };
        self.classify(side, (&self.cases[case], baseline), &judgement, shown_by, fate)
    }

    fn classify(
        &self,
        side: Side,
        (case, baseline): (&Case, &Baseline),
        judgement: &Judgement,
        shown_by: (String, u64),
        fate: &mut Fate,
    ) -> bool {
        if judgement.trace_hash != baseline.hash {
            fate.differing += 1;
        }
        let new = || judgement.findings.iter().filter(|finding| !baseline.found.contains(&name_of(finding)));
        let own = |finding: &&Finding| (finding.host == HostId::SERVER) == (side == Side::Server);
        let worst = new().filter(own).min_by_key(|finding| (!finding.requirement().level.is_must(), finding.at));
        if let Some(finding) = worst {
            if fate.kill.is_none() {
                fate.kill = Some(kill(finding));
            }
            fate.take(Outcome::Killed, &shown_by, "");
            return true;
        }
        if let Some(finding) = new().next() {
            let what = format!("{} {}", finding.requirement().id, finding.what);
            fate.take(Outcome::Innocent, &shown_by, &what);
        } else if let Some((outcome, why)) = DEATH.take() {
            fate.take(outcome, &shown_by, &why);
        } else if let Some(why) = &judgement.halted {
            fate.take(Outcome::Hang, &shown_by, why);
        } else if !judgement.missing.is_empty() && !baseline.vacuous {
            fate.take(Outcome::Vacuous, &shown_by, &witness::together(&judgement.missing));
        } else if let Some(id) = baseline.covered.difference(&promised(case, judgement)).next() {
            fate.take(Outcome::Vacuous, &shown_by, &format!("does not cover {id}"));
        } else if judgement.trace_hash != baseline.hash {
            fate.take(Outcome::Golden, &shown_by, "");
        } else {
            fate.take(Outcome::Alive, &shown_by, "");
        }
        false
    }
}

fn kill(finding: &Finding) -> Kill {
    Kill {
        requirement: finding.requirement().id.to_string(),
        check: finding.check.name.to_string(),
        must: finding.requirement().level.is_must(),
        datagrams: PASSED.with_borrow(|passed| passed.iter().filter(|at| **at <= finding.at).count()),
        what: finding.what.clone(),
    }
}

fn name_of(finding: &Finding) -> (&'static str, bool) {
    (finding.requirement().id, finding.host == HostId::SERVER)
}

/// The requirements that the scenario names, as far as the run covered them.
fn promised(case: &Case, judgement: &Judgement) -> BTreeSet<&'static str> {
    let named = case.requirements();
    let covered = judgement.covered.iter().filter(|requirement| named.iter().any(|name| name.id == requirement.id));
    covered.map(|requirement| requirement.id).collect()
}
