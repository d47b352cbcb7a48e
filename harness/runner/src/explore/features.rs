//! What runs have shown so far.

use crate::judge::{Judgement, Transition};
use kit::{Points, Role};
use std::collections::BTreeSet;

/// Everything that some run has shown.
#[derive(Debug, Default)]
pub struct Features {
    points: Points,
    transitions: BTreeSet<Transition>,
    /// A note of a role, and the power of two below the number of times that it was made in one run.
    notes: BTreeSet<(Role, usize, u32)>,
    requirements: BTreeSet<&'static str>,
}

impl Features {
    /// Adds what a run shows. Returns whether there was anything new.
    pub fn add(&mut self, run: &Judgement) -> bool {
        let mut new = false;
        for (seen, shown) in self.points.iter_mut().zip(run.points) {
            new |= shown & !*seen != 0;
            *seen |= shown;
        }
        for transition in &run.transitions {
            new |= self.transitions.insert(*transition);
        }
        for ((role, note), count) in &run.notes {
            new |= self.notes.insert((*role, *note, count.ilog2()));
        }
        for requirement in &run.covered {
            new |= self.requirements.insert(requirement.id);
        }
        new
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeMap;

    #[test]
    fn a_run_is_new_once_and_a_note_again_when_it_is_made_twice_as_often() {
        let mut seen = Features::default();
        let run = |points, count| Judgement {
            points: [points, 0, 0, 0],
            notes: BTreeMap::from([((Role::Server, 3), count)]),
            ..Judgement::default()
        };
        let news = [run(1, 1), run(1, 1), run(3, 1), run(1, 2), run(2, 3), run(0, 4)].map(|run| seen.add(&run));
        assert_eq!(news, [true, false, true, true, false, true]);
    }
}
