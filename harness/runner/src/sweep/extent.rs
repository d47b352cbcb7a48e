//! Which runs a sweep has, and in which order.

use super::schedules::{MOST_DATAGRAMS, MOST_FAULTS, Schedules};
use crate::scenario::{Alteration, Case, OneFault};
use serde::{Deserialize, Serialize};
use std::borrow::Cow;

/// How far a sweep goes. Each of its *steps* runs every case once.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub enum Extent {
    /// A step per seed.
    Seeds {
        /// The first seed.
        first: u64,
        /// The last seed.
        last: u64,
    },
    /// A step per schedule of faults, all with one seed.
    Faults { seed: u64, schedules: Schedules },
}

/// One run of a sweep.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Place {
    pub case: usize,
    pub seed: u64,
    /// The faults that its network has beside those of the scenario.
    pub faults: Vec<OneFault>,
}

impl Extent {
    /// The number of steps: up to 2^64.
    pub fn steps(&self) -> u128 {
        match self {
            Extent::Seeds { first, last } => u128::from(last - first) + 1,
            Extent::Faults { schedules, .. } => schedules.count(),
        }
    }

    /// Run `number` of a sweep of so many cases. After the last run it is some other one.
    pub fn at(&self, number: u128, cases: usize) -> Place {
        let cases = cases.max(1) as u128;
        let (step, case) = (number / cases, (number % cases) as usize);
        match self {
            Extent::Seeds { first, .. } => Place { case, seed: first.wrapping_add(step as u64), faults: Vec::new() },
            Extent::Faults { seed, schedules } => Place { case, seed: *seed, faults: schedules.at(step) },
        }
    }

    /// Why it is none, of a file that somebody may have edited.
    pub fn mistake(&self) -> Option<String> {
        match self {
            Extent::Seeds { first, last } if last < first => Some(format!("its last seed {last} is below its first")),
            Extent::Faults { schedules, .. }
                if schedules.faults > MOST_FAULTS || schedules.datagrams > MOST_DATAGRAMS =>
            {
                Some(format!("it has more than {MOST_FAULTS} faults or {MOST_DATAGRAMS} datagrams"))
            }
            _ => None,
        }
    }
}

impl Place {
    /// What its case is called, if `case` is the name of the case without faults.
    pub fn name(&self, case: &str) -> String {
        let faults = Alteration { faults: self.faults.clone(), ..Alteration::default() };
        format!("{case}{faults}")
    }

    /// Its case, made of the one without faults.
    pub fn case<'a>(&self, case: &'a Case) -> Cow<'a, Case> {
        if self.faults.is_empty() {
            return Cow::Borrowed(case);
        }
        let mut altered = case.clone();
        altered.alteration.faults.extend(&self.faults);
        Cow::Owned(altered)
    }
}
