//! Faults as a scenario says them, where a failure needs many datagrams to be lost one after another: an outage is one fault.

use super::minimise::{lower, minimise};
use super::schedule::Said;
use kit::Time;
use sim::Action;

/// Whether a run with such rows still fails, and when.
type Fails<'a> = &'a mut dyn FnMut(&Rows) -> Option<Option<Time>>;

/// Faults in the order of their places, those of a link and direction together.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Rows {
    said: Vec<Said>,
}

impl Rows {
    /// Faults of single datagrams; equal ones that follow each other become a row.
    pub fn joined(single: &[Said]) -> Rows {
        let mut rows = Rows::default();
        for one in single {
            match rows.said.last_mut() {
                Some(last) if last.is_like(one) && last.index.1 + 1 == one.index.0 => last.index.1 = one.index.1,
                _ => rows.said.push(*one),
            }
        }
        rows
    }

    /// The faults.
    pub fn said(&self) -> &[Said] {
        &self.said
    }

    /// The faults of single datagrams.
    pub fn single(&self) -> Vec<Said> {
        let each = |said: &Said| {
            let said = *said;
            (said.index.0..=said.index.1).map(move |place| Said { index: (place, place), ..said })
        };
        self.said.iter().flat_map(each).collect()
    }

    /// The number of faults.
    pub fn len(&self) -> usize {
        self.said.len()
    }

    /// The number of datagrams that meet one.
    pub fn datagrams(&self) -> usize {
        self.said.iter().map(|said| (said.index.1 - said.index.0) as usize + 1).sum()
    }

    /// Leaves out every fault that can be left out, makes one row of two that are near each other, and each as short as it can be.
    pub fn minimise(&mut self, fails: Fails<'_>, at: &mut Option<Time>) {
        self.leave_out(fails, at);
        self.close_gaps(fails, at);
        for index in 0..self.said.len() {
            self.shorten(index, fails, at);
            self.lower(index, fails, at);
        }
        self.leave_out(fails, at);
    }

    /// Leaves out every fault that can be left out: without any single one of the others it does not fail.
    fn leave_out(&mut self, fails: Fails<'_>, at: &mut Option<Time>) {
        self.said = minimise(self.said.clone(), &mut |rest| {
            let found = fails(&Rows { said: rest.to_vec() });
            *at = found.unwrap_or(*at);
            found.is_some()
        });
    }

    /// Two rows of losses become one where the gap is no longer than either of them.
    fn close_gaps(&mut self, fails: Fails<'_>, at: &mut Option<Time>) {
        let mut index = 1;
        while index < self.said.len() {
            let (before, here) = (self.said[index - 1], self.said[index]);
            let gap = here.index.0.saturating_sub(before.index.1 + 1);
            let is_short = [before, here].iter().all(|row| gap <= row.index.1 - row.index.0 + 1);
            if before.is_like(&here) && before.action == Action::Drop && is_short {
                let mut other = self.clone();
                other.said[index - 1].index.1 = here.index.1;
                other.said.remove(index);
                if self.attempt(other, fails, at) {
                    continue;
                }
            }
            index += 1;
        }
    }

    /// Takes away from both ends of a row what is not needed.
    fn shorten(&mut self, index: usize, fails: Fails<'_>, at: &mut Option<Time>) {
        for from_front in [false, true] {
            let (first, last) = self.said[index].index;
            let mut step = (last - first).div_ceil(2);
            while step > 0 {
                let (first, last) = self.said[index].index;
                let shorter = if from_front {
                    (first.saturating_add(step), last)
                } else {
                    (first, last.saturating_sub(step).max(first))
                };
                let taken = shorter.0 <= shorter.1 && shorter != (first, last) && {
                    let mut other = self.clone();
                    other.said[index].index = shorter;
                    self.attempt(other, fails, at)
                };
                // Of single ones, again and again: what was needed before may not be any more.
                step = if taken { step.min(shorter.1 - shorter.0) } else { step / 2 };
            }
        }
    }

    /// Makes a delay as short as it can be.
    fn lower(&mut self, index: usize, fails: Fails<'_>, at: &mut Option<Time>) {
        let (delay_us, action): (u64, fn(u64) -> Action) = match self.said[index].action {
            Action::Delay { by_us } => (by_us, |by_us| Action::Delay { by_us }),
            Action::Duplicate { after_us } => (after_us, |after_us| Action::Duplicate { after_us }),
            _ => return,
        };
        lower(0, delay_us, &mut |shorter_us| {
            let mut other = self.clone();
            other.said[index].action = action(shorter_us);
            self.attempt(other, fails, at)
        });
    }

    fn attempt(&mut self, other: Rows, fails: Fails<'_>, at: &mut Option<Time>) -> bool {
        let Some(found) = fails(&other) else { return false };
        (*self, *at) = (other, found);
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use kit::Direction;

    fn lost(first: u32, last: u32) -> Said {
        Said { client: 1, direction: Direction::ClientToServer, index: (first, last), action: Action::Drop }
    }

    /// What is left of such losses if it fails whenever all of `needed` are lost.
    fn left(rows: &[Said], needed: &[(u32, u32)]) -> Vec<(u32, u32)> {
        let mut rows = Rows { said: rows.to_vec() };
        let mut fails = |rows: &Rows| {
            let is_lost = |place: u32| rows.said.iter().any(|row| (row.index.0..=row.index.1).contains(&place));
            needed.iter().all(|(first, last)| (*first..=*last).all(is_lost)).then_some(None)
        };
        rows.minimise(&mut fails, &mut None);
        rows.said.iter().map(|row| row.index).collect()
    }

    #[test]
    fn equal_faults_that_follow_each_other_are_a_row_and_one_fault() {
        let single = [lost(3, 3), lost(4, 4), lost(6, 6), Said { client: 2, ..lost(7, 7) }];
        let rows = Rows::joined(&single);
        assert_eq!(rows.said, [lost(3, 4), lost(6, 6), Said { client: 2, ..lost(7, 7) }]);
        assert_eq!((rows.len(), rows.datagrams()), (3, 4));
        assert_eq!(rows.single(), single);
    }

    #[test]
    fn rows_that_are_not_needed_go_and_the_others_end_where_they_are_needed() {
        assert_eq!(left(&[lost(1, 5), lost(10, 700), lost(800, 900)], &[(123, 456)]), [(123, 456)]);
        assert_eq!(left(&[lost(0, 0)], &[(0, 0)]), [(0, 0)]);
        assert_eq!(left(&[lost(5, 60)], &[(5, 60)]), [(5, 60)]);
        assert_eq!(left(&[lost(5, 60)], &[]), []);
    }

    #[test]
    fn two_rows_with_a_short_gap_are_one_and_those_with_a_long_one_are_not() {
        assert_eq!(left(&[lost(10, 30), lost(32, 50)], &[(12, 30), (32, 48)]), [(12, 48)]);
        assert_eq!(left(&[lost(10, 12), lost(32, 50)], &[(12, 12), (32, 48)]), [(12, 12), (32, 48)]);
    }
}
