//! Which search kills mutants with the fewest datagrams.

use super::guided::{Ended, Search, Strategy};
use super::without_faults;
use crate::candidate::{BuiltIn, Candidate};
use crate::judge::Judgement;
use crate::pool;
use crate::scenario::Case;
use kit::{HostId, Mutant, Protocol, Role};
use rayon::prelude::*;

/// What is compared.
#[derive(Clone, Copy, Debug)]
pub struct Comparison {
    /// A search ends after so many datagrams.
    pub datagrams: u64,
    /// Searches by chance are done so often; the one in the middle counts.
    pub repeat: u64,
    /// So many mutants are compared: those that random schedules kill last.
    pub most: usize,
    /// Searches at the same time.
    pub jobs: Option<usize>,
}

/// What a strategy came to with a mutant: the datagrams until it was killed, or none.
pub type Cost = Option<u64>;

/// A mutant, and what each strategy came to.
#[derive(Debug)]
pub struct Row {
    /// The mutant.
    pub mutant: &'static Mutant,
    /// The name of the case.
    pub case: String,
    /// By strategy, in the order of [`Strategy::ALL`].
    pub costs: [Cost; 3],
}

/// All that was found out.
#[derive(Debug, Default)]
pub struct Table {
    /// The mutants that random schedules kill last, the last first.
    pub latest: Vec<Row>,
    /// Some of the mutants that no random schedule killed.
    pub unkilled: Vec<Row>,
    /// Mutants that need no fault.
    pub without_faults: usize,
    /// Mutants that random schedules kill.
    pub killed: usize,
    /// Mutants that they do not kill.
    pub alive: usize,
}

/// Hears how far it is.
pub type Progress<'a> = &'a (dyn Fn(&str) + Sync);

struct Subject<'a> {
    mutant: &'static Mutant,
    case: &'a Case,
    candidate: Candidate,
}

/// Compares the strategies over the mutants of `protocols` that are `wanted`, each in its own scenario without the faults of it.
pub fn compare(
    comparison: Comparison,
    protocols: &[&'static Protocol],
    cases: &[Case],
    wanted: &(dyn Fn(&Mutant) -> bool + Sync),
    progress: Progress<'_>,
) -> Table {
    let clean: Vec<Case> = cases.iter().map(without_faults).collect();
    let subjects: Vec<Subject<'_>> = protocols.iter().flat_map(|protocol| subjects(protocol, &clean, wanted)).collect();
    let searched = |subject: &Subject<'_>| {
        let cost = subject.cost(comparison, Strategy::Random);
        progress(subject.mutant.name);
        cost
    };
    let work = || subjects.par_iter().with_max_len(1).map(searched).collect::<Vec<(Cost, bool)>>();
    let random = pool::install(comparison.jobs, subjects.len(), work);
    let mut table = Table::default();
    let (mut killed, mut alive) = (Vec::new(), Vec::new());
    for (subject, (cost, free)) in subjects.iter().zip(random) {
        match cost {
            _ if free => table.without_faults += 1,
            Some(datagrams) => killed.push((datagrams, subject)),
            None => alive.push((comparison.datagrams, subject)),
        }
    }
    (table.killed, table.alive) = (killed.len(), alive.len());
    killed.sort_by_key(|(datagrams, _)| std::cmp::Reverse(*datagrams));
    killed.truncate(comparison.most);
    alive.truncate(comparison.most);
    let others = |(_, subject): &(u64, &Subject<'_>)| {
        let [guided, exhaustive] = [Strategy::Guided, Strategy::Exhaustive].map(|it| subject.cost(comparison, it).0);
        progress(subject.mutant.name);
        [guided, exhaustive]
    };
    let all: Vec<(u64, &Subject<'_>)> = killed.iter().chain(&alive).copied().collect();
    let work = || all.par_iter().with_max_len(1).map(others).collect::<Vec<[Cost; 2]>>();
    let costs = pool::install(comparison.jobs, all.len(), work);
    for (index, ((datagrams, subject), [guided, exhaustive])) in all.iter().zip(costs).enumerate() {
        let random = (index < killed.len()).then_some(*datagrams);
        let (mutant, case) = (subject.mutant, subject.case.name());
        let rows = if random.is_some() { &mut table.latest } else { &mut table.unkilled };
        rows.push(Row { mutant, case, costs: [random, guided, exhaustive] });
    }
    table
}

fn subjects<'a>(protocol: &'static Protocol, cases: &'a [Case], wanted: &dyn Fn(&Mutant) -> bool) -> Vec<Subject<'a>> {
    let candidates: Vec<BuiltIn> = BuiltIn::all(&[protocol]).collect();
    let mutants = protocol.mutants().filter(|mutant| wanted(mutant));
    let subjects = mutants.filter_map(|mutant| {
        let case = cases.iter().find(|case| case.scenario.id == mutant.scenario)?;
        let candidate = candidates.iter().find(|it| it.variant.name == mutant.name)?;
        Some(Subject { mutant, case, candidate: Candidate::BuiltIn(*candidate) })
    });
    subjects.collect()
}

impl Subject<'_> {
    /// Datagrams until the mutant is killed, and whether it is without any fault.
    fn cost(&self, comparison: Comparison, strategy: Strategy) -> (Cost, bool) {
        let repeat = if strategy == Strategy::Exhaustive { 1 } else { comparison.repeat.max(1) };
        let mut costs = Vec::new();
        for draws in 0..repeat {
            let ended = self.search(comparison, strategy, draws);
            if ended.faults.as_ref().is_some_and(Vec::is_empty) {
                return (Some(ended.datagrams), true);
            }
            // Without an end it is worse than with any.
            costs.push(ended.faults.map_or(u64::MAX, |_| ended.datagrams));
        }
        costs.sort_unstable();
        (costs.get(costs.len() / 2).copied().filter(|cost| *cost != u64::MAX), false)
    }

    fn search(&self, comparison: Comparison, strategy: Strategy, draws: u64) -> Ended {
        let seed = self.case.seeds().first().copied().unwrap_or_default();
        let server = self.mutant.replacement.role == Role::Server;
        let search =
            Search { case: self.case, seed, candidate: Some(&self.candidate), datagrams: comparison.datagrams, draws };
        search.run(strategy, &|_, run: &Judgement| {
            let of_its_side = |host: HostId| (host == HostId::SERVER) == server;
            run.findings.iter().any(|it| it.suspects.contains(self.mutant.caught_by) && of_its_side(it.host))
        })
    }
}
