//! Every schedule of at most so many faults over a window of datagrams, by number.

use crate::scenario::{FaultKind, OneFault};
use kit::Direction;
use serde::{Deserialize, Serialize};

/// Most faults of one schedule.
pub const MOST_FAULTS: u32 = 4;
/// Most datagrams of a direction in a window.
pub const MOST_DATAGRAMS: u32 = 10_000;
/// Kinds of fault that can befall a datagram.
const KINDS: u128 = FaultKind::ALL.len() as u128;

/// Schedules of at most `faults` faults, each of another datagram. Those with fewer faults have the smaller numbers; the first has
/// none.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Schedules {
    /// Most faults at a time, up to [`MOST_FAULTS`].
    pub faults: u32,
    /// The first datagram of the window, from 0: of those from the server, and of those to it.
    pub from: [u32; 2],
    /// How many datagrams of each direction the window has, up to [`MOST_DATAGRAMS`].
    pub datagrams: u32,
}

impl Schedules {
    pub fn count(&self) -> u128 {
        (0..=self.faults).map(|faults| self.of(faults)).sum()
    }

    /// The faults of schedule `number`, in the order of the datagrams. Empty after the last schedule, too.
    pub fn at(&self, mut number: u128) -> Vec<OneFault> {
        let Some(faults) = (0..=self.faults).find(|faults| {
            let here = number < self.of(*faults);
            number -= if here { 0 } else { self.of(*faults) };
            here
        }) else {
            return Vec::new();
        };
        let (mut which, mut kinds) = (number / KINDS.pow(faults), number % KINDS.pow(faults));
        let mut schedule = Vec::new();
        let mut slot = 0;
        for left in (0..faults).rev() {
            // So many choices of the others stand after each datagram that this fault could befall.
            while which >= choose(self.slots() - slot - 1, left) {
                which -= choose(self.slots() - slot - 1, left);
                slot += 1;
            }
            schedule.push(self.fault(slot, kinds % KINDS));
            kinds /= KINDS;
            slot += 1;
        }
        schedule
    }

    /// Datagrams of both directions, alternating.
    fn slots(&self) -> u128 {
        2 * u128::from(self.datagrams)
    }

    /// How many schedules have exactly so many faults: the sets of so many of 2 times `datagrams`, each fault of one of three kinds.
    pub fn of(&self, faults: u32) -> u128 {
        choose(self.slots(), faults) * KINDS.pow(faults)
    }

    fn fault(&self, slot: u128, kind: u128) -> OneFault {
        let direction = if slot.is_multiple_of(2) { Direction::ServerToClient } else { Direction::ClientToServer };
        let (kind, _) = FaultKind::ALL[(kind % KINDS) as usize];
        OneFault { kind, direction, index: self.from[direction.index()].saturating_add((slot / 2) as u32) }
    }
}

/// How many sets of `some` there are among so many: exact for all numbers within the limits above.
fn choose(among: u128, some: u32) -> u128 {
    if u128::from(some) > among {
        return 0;
    }
    (0..u128::from(some)).fold(1, |sets, taken| sets * (among - taken) / (taken + 1))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    fn text(schedules: &Schedules, number: u128) -> String {
        schedules.at(number).iter().map(|fault| format!("+{fault}")).collect()
    }

    #[test]
    fn every_schedule_of_at_most_two_faults_is_there_once() {
        let schedules = Schedules { faults: 2, from: [5, 7], datagrams: 4 };
        let all: BTreeSet<String> = (0..schedules.count()).map(|number| text(&schedules, number)).collect();
        // None; one of 8 datagrams in 3 ways; two of 8 datagrams in 9 ways.
        assert_eq!((schedules.count(), all.len()), (1 + 24 + 28 * 9, 1 + 24 + 28 * 9));
        let datagrams = |text: &String| {
            let of = |fault: &str| fault.split_once('-').map(|(_, datagram)| datagram.to_string());
            text.split('+').filter_map(of).collect::<Vec<_>>()
        };
        for schedule in &all {
            let befallen = datagrams(schedule);
            assert_eq!(befallen.iter().collect::<BTreeSet<_>>().len(), befallen.len(), "{schedule}");
        }
        assert!(all.contains("+delay-s2c-5+drop-c2s-10"), "{all:?}");
        assert!(all.contains("+drop-s2c-8+duplicate-c2s-10"));
    }

    #[test]
    fn the_numbers_are_those_of_the_formula() {
        let count = |faults, datagrams| Schedules { faults, from: [0, 0], datagrams }.count();
        assert_eq!(count(0, 40), 1);
        assert_eq!(count(1, 40), 241);
        assert_eq!(count(2, 40), 28_681);
        assert_eq!(count(3, 40), 2_247_001);
        // The largest that the limits allow is counted without an overflow.
        assert!(count(MOST_FAULTS, MOST_DATAGRAMS) > 1 << 50);
    }

    #[test]
    fn fewer_faults_come_first_and_behind_the_last_there_are_none() {
        let schedules = Schedules { faults: 3, from: [0, 0], datagrams: 2 };
        let faults: Vec<usize> = (0..schedules.count()).map(|number| schedules.at(number).len()).collect();
        assert!(faults.is_sorted(), "{faults:?}");
        assert_eq!(text(&schedules, 1), "+drop-s2c-0");
        assert_eq!(text(&schedules, schedules.count()), "");
    }
}
