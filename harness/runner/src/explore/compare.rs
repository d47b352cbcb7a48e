//! Which search kills mutants with the fewest datagrams.

use super::guided::{Ended, Search, Strategy};
use super::without_faults;
use crate::candidate::{BuiltIn, Candidate};
use crate::guarded;
use crate::judge::Judgement;
use crate::pool;
use crate::scenario::Case;
use kit::{HostId, Mutant, Protocol, Role};
use rayon::prelude::*;

/// What the draws of the search begin with by which mutants are chosen. Those that are compared begin with others: a search that
/// happened to take long is no measure of how long it takes.
const CHOOSING: u64 = 1 << 32;

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
    pub mutant: &'static Mutant,
    /// The name of the case.
    pub case: String,
    /// By strategy, in the order of [`Strategy::ALL`].
    pub costs: [Cost; 3],
}

/// All that was found out.
#[derive(Debug, Default)]
pub struct Table {
    /// The mutants that the random schedules by which they are chosen kill last, the last first.
    pub latest: Vec<Row>,
    /// Some of the mutants that none of these schedules killed.
    pub unkilled: Vec<Row>,
    /// Mutants that need no fault.
    pub without_faults: usize,
    /// Mutants that these random schedules kill.
    pub killed: usize,
    /// Mutants that they do not kill.
    pub alive: usize,
}

/// Gets how far it is.
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
        let ended = subject.search(comparison, Strategy::Random, CHOOSING);
        progress(subject.mutant.name);
        ended
    };
    let work = || subjects.par_iter().with_max_len(1).map(searched).collect::<Vec<Ended>>();
    let random = pool::install(comparison.jobs, subjects.len(), work);
    let mut table = Table::default();
    let (mut killed, mut alive) = (Vec::new(), Vec::new());
    for (subject, ended) in subjects.iter().zip(random) {
        match ended.faults {
            Some(faults) if faults.is_empty() => table.without_faults += 1,
            Some(_) => killed.push((ended.datagrams, subject)),
            None => alive.push((ended.datagrams, subject)),
        }
    }
    (table.killed, table.alive) = (killed.len(), alive.len());
    killed.sort_by_key(|(datagrams, _)| std::cmp::Reverse(*datagrams));
    killed.truncate(comparison.most);
    alive.truncate(comparison.most);
    let all: Vec<&Subject<'_>> = killed.iter().chain(&alive).map(|(_, subject)| *subject).collect();
    let measured = |subject: &&Subject<'_>| {
        let costs = Strategy::ALL.map(|(strategy, _)| subject.cost(comparison, strategy));
        progress(subject.mutant.name);
        costs
    };
    let work = || all.par_iter().with_max_len(1).map(measured).collect::<Vec<[Cost; 3]>>();
    let costs = pool::install(comparison.jobs, all.len(), work);
    let rows = all.iter().zip(costs);
    let rows = rows.map(|(subject, costs)| Row { mutant: subject.mutant, case: subject.case.name(), costs });
    table.latest = rows.collect();
    table.unkilled = table.latest.split_off(killed.len());
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
    /// Datagrams until the mutant is killed.
    fn cost(&self, comparison: Comparison, strategy: Strategy) -> Cost {
        let repeat = if strategy == Strategy::Exhaustive { 1 } else { comparison.repeat.max(1) };
        let mut costs = Vec::new();
        for draws in 0..repeat {
            let ended = self.search(comparison, strategy, draws);
            // Without an end it is worse than with any.
            costs.push(ended.faults.map_or(u64::MAX, |_| ended.datagrams));
        }
        costs.sort_unstable();
        costs.get(costs.len() / 2).copied().filter(|cost| *cost != u64::MAX)
    }

    fn search(&self, comparison: Comparison, strategy: Strategy, draws: u64) -> Ended {
        let seed = self.case.seeds().first().copied().unwrap_or_default();
        let server = self.mutant.replacement.role == Role::Server;
        let runs = |case: &Case, seed, keep| guarded::judge(Some(&self.candidate), case, seed, keep);
        let search =
            Search { case: self.case, seed, runs: &runs, datagrams: comparison.datagrams, stop: &|| false, draws };
        search.run(strategy, &|_, run: &Judgement| {
            let of_its_side = |host: HostId| (host == HostId::SERVER) == server;
            run.findings.iter().any(|it| it.suspects.contains(self.mutant.caught_by) && of_its_side(it.host))
        })
    }
}
