//! A search for a schedule of faults that fails: by chance, by all schedules in turn, or led by what earlier runs have reached.
//!
//! Led as a fuzzer is: a schedule whose run shows something that no run before did is kept, and others are made of it. Something is
//! a coverage point, a move of a state machine, or that an end remarks a thing twice as often. Nothing replays from the draws: what
//! fails is written as faults, which say all.

use super::features::Features;
use crate::judge::{Judgement, Keep};
use crate::scenario::{Alteration, Case, FaultKind, OneFault};
use crate::sweep::schedules::{MOST_DATAGRAMS, Schedules};
use kit::Direction;
use rand::rngs::StdRng;
use rand::{RngExt, SeedableRng};

/// A schedule by chance has at most so many faults.
const MOST_FAULTS: usize = 8;
/// A schedule that is led to has at most so many.
const MOST_GROWN: usize = 64;
/// A run of losses that is added is at most so long.
const MOST_ROW: u32 = 24;

/// How schedules are chosen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Strategy {
    /// Some faults anywhere, each time again.
    Random,
    /// Made of schedules that reached something new.
    Guided,
    /// Every schedule of at most two faults over the first forty datagrams of each direction, fewer faults first.
    Exhaustive,
}

impl Strategy {
    /// All of them, with their names.
    pub const ALL: [(Strategy, &'static str); 3] =
        [(Strategy::Random, "random"), (Strategy::Guided, "guided"), (Strategy::Exhaustive, "exhaustive")];
}

/// How a case is run with a seed. `None`: an end panicked, and the run shows nothing.
pub type Runs<'a> = &'a dyn Fn(&Case, u64, Keep) -> Option<Judgement>;

#[derive(Clone, Copy)]
pub struct Search<'a> {
    /// The case, which is without faults.
    pub case: &'a Case,
    /// The seed of its world.
    pub seed: u64,
    /// Does a run.
    pub runs: Runs<'a>,
    /// Ends when so many datagrams were sent.
    pub datagrams: u64,
    /// Ends when this is true.
    pub stop: &'a dyn Fn() -> bool,
    /// What the draws begin with.
    pub draws: u64,
}

/// How a search ended.
#[derive(Clone, Debug, Default)]
pub struct Ended {
    /// The schedule that fails.
    pub faults: Option<Vec<OneFault>>,
    /// Runs that were done.
    pub runs: u64,
    /// Datagrams that were sent.
    pub datagrams: u64,
    /// Schedules that reached something new.
    pub kept: usize,
}

impl Search<'_> {
    /// Searches until `fails` is true of a run.
    pub fn run(&self, strategy: Strategy, fails: &dyn Fn(&Case, &Judgement) -> bool) -> Ended {
        let mut ended = Ended::default();
        let Some(first) = self.judge(Vec::new(), &mut ended) else { return ended };
        let sent = self.sent();
        if fails(self.case, &first) {
            ended.faults = Some(Vec::new());
            return ended;
        }
        let mut source = Source {
            strategy,
            draws: StdRng::seed_from_u64(self.draws),
            sent,
            kept: vec![Vec::new()],
            seen: Features::default(),
            number: 0,
        };
        source.seen.add(&first);
        while let Some(faults) = source.next() {
            let Some(judgement) = self.judge(faults.clone(), &mut ended) else { break };
            if fails(self.case, &judgement) {
                ended.faults = Some(faults);
                break;
            }
            if source.seen.add(&judgement) {
                source.kept.push(faults);
            }
        }
        ended.kept = source.kept.len();
        ended
    }

    fn judge(&self, faults: Vec<OneFault>, ended: &mut Ended) -> Option<Judgement> {
        if ended.datagrams >= self.datagrams || (self.stop)() {
            return None;
        }
        let case = Case { alteration: Alteration { faults, ..self.case.alteration.clone() }, ..self.case.clone() };
        let judgement = (self.runs)(&case, self.seed, Keep::Verdict).unwrap_or_default();
        ended.runs += 1;
        ended.datagrams += judgement.datagrams.max(1);
        Some(judgement)
    }

    /// How many datagrams of the first client go each way without a fault.
    fn sent(&self) -> [u32; 2] {
        let fates = (self.runs)(self.case, self.seed, Keep::Fates).unwrap_or_default().fates;
        let mut sent = [0; 2];
        for key in fates.keys().filter(|key| key.client.0 == 1) {
            sent[key.direction.index()] += 1;
        }
        sent.map(|count| u32::clamp(count, 1, MOST_DATAGRAMS))
    }
}

/// Where the next schedule comes from.
struct Source {
    strategy: Strategy,
    draws: StdRng,
    sent: [u32; 2],
    kept: Vec<Vec<OneFault>>,
    seen: Features,
    number: u128,
}

impl Source {
    fn next(&mut self) -> Option<Vec<OneFault>> {
        match self.strategy {
            Strategy::Exhaustive => {
                self.number += 1;
                let all = Schedules { faults: 2, from: [0, 0], datagrams: 40 };
                (self.number < all.count()).then(|| all.at(self.number))
            }
            Strategy::Random => Some(self.some()),
            Strategy::Guided if self.draws.random_range(0..4) == 0 => Some(self.some()),
            Strategy::Guided => {
                // What was kept last is tried most.
                let count = self.kept.len();
                let which = count - 1 - self.draws.random_range(0..count).min(self.draws.random_range(0..count));
                let mut faults = self.kept.get(which).cloned().unwrap_or_default();
                for _ in 0..self.draws.random_range(1..=3) {
                    self.change(&mut faults);
                }
                faults.truncate(MOST_GROWN);
                Some(faults)
            }
        }
    }

    /// A few faults anywhere.
    fn some(&mut self) -> Vec<OneFault> {
        (0..self.draws.random_range(1..=MOST_FAULTS)).map(|_| self.fault()).collect()
    }

    fn fault(&mut self) -> OneFault {
        let direction = [Direction::ServerToClient, Direction::ClientToServer][self.draws.random_range(0..2)];
        let (kind, _) = FaultKind::ALL[self.draws.random_range(0..FaultKind::ALL.len())];
        OneFault { kind, direction, index: self.draws.random_range(0..self.sent[direction.index()]) }
    }

    /// A fault more or less, another kind, another place, or several losses in a row.
    fn change(&mut self, faults: &mut Vec<OneFault>) {
        let fresh = self.fault();
        if faults.is_empty() {
            return faults.push(fresh);
        }
        let which = self.draws.random_range(0..faults.len());
        match self.draws.random_range(0..6) {
            0 => drop(faults.swap_remove(which)),
            1 => faults[which].kind = fresh.kind,
            2 => {
                let by = self.draws.random_range(1..=8);
                let index = faults[which].index;
                faults[which].index =
                    if self.draws.random() { index.saturating_add(by) } else { index.saturating_sub(by) };
            }
            3 => {
                // Beside what was found to matter.
                let near = faults[which].index.saturating_add(self.draws.random_range(0..=4));
                faults.push(OneFault { index: near, ..fresh });
            }
            4 => {
                let OneFault { direction, index, .. } = fresh;
                let row = self.draws.random_range(2..=MOST_ROW);
                faults.extend((0..row).map(|next| OneFault { kind: FaultKind::Drop, direction, index: index + next }));
            }
            _ => faults.push(fresh),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_strategy_makes_schedules_of_datagrams_that_there_are() {
        for (strategy, name) in Strategy::ALL {
            let mut source = Source {
                strategy,
                draws: StdRng::seed_from_u64(5),
                sent: [50, 60],
                kept: vec![Vec::new()],
                seen: Features::default(),
                number: 0,
            };
            let mut kinds = [0; 3];
            for _ in 0..500 {
                let faults = source.next().expect(name);
                assert!(!faults.is_empty() || strategy == Strategy::Guided, "{name}");
                assert!(faults.len() <= MOST_GROWN, "{name}");
                assert!(faults.iter().all(|fault| fault.index < 60 + 3 * (MOST_ROW + 12)), "{name}");
                faults.iter().for_each(|fault| kinds[fault.kind as usize] += 1);
                source.kept.push(faults);
            }
            assert!(kinds.iter().all(|count| *count > 100), "{name} {kinds:?}");
        }
    }
}
