//! The faults of a run that is tried: fates of single datagrams, or what a scenario says.

use super::rows::Rows;
use super::schedule::Schedule;
use kit::Time;

/// Whether a run with such faults still fails, and when.
pub(super) type Fails<'a> = &'a mut dyn FnMut(&Faults) -> Option<Option<Time>>;

/// What happens to datagrams.
#[derive(Clone, Debug)]
pub(super) enum Faults {
    /// By the datagrams' keys: to take one away changes no other.
    Single(Schedule),
    /// By their places, in rows.
    Rows(Rows),
}

impl Faults {
    /// Those of datagrams sent until a moment, as far as that is known.
    pub fn until(&self, end: Time) -> Faults {
        match self {
            Faults::Single(schedule) => Faults::Single(schedule.until(end)),
            Faults::Rows(rows) => Faults::Rows(rows.clone()),
        }
    }

    /// Leaves out what can be left out, and makes the others less.
    pub fn minimise(&mut self, fails: Fails<'_>, at: &mut Option<Time>) {
        match self {
            Faults::Single(schedule) => {
                schedule.minimise(&mut |schedule| fails(&Faults::Single(schedule.clone())), at);
            }
            Faults::Rows(rows) => rows.minimise(&mut |rows| fails(&Faults::Rows(rows.clone())), at),
        }
    }
}
