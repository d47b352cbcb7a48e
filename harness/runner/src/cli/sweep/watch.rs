//! What ends a sweep, and what it shows of itself meanwhile.

use super::super::interrupt;
use super::super::output::Stop;
use super::super::progress::Meter;
use super::tell::Teller;
use crate::sweep::engine::{Listener, Work};
use crate::sweep::extent::Extent;
use crate::sweep::row::Row;
use std::ops::ControlFlow;
use std::time::Duration;

/// What ends a sweep before its last run.
#[derive(Clone, Copy, Debug, Default)]
pub(in super::super) struct Limits {
    /// Wall time.
    pub time: Option<Duration>,
    pub failures: Option<u64>,
}

/// Passes rows on, and looks after the limits.
pub(super) struct Watch<'a> {
    teller: Teller<'a>,
    meter: Meter,
    cases: u64,
    /// What its steps are called.
    steps: &'static str,
    limits: Limits,
    stop: Option<Stop>,
    end: Option<&'static str>,
}

impl<'a> Watch<'a> {
    pub(super) fn new(teller: Teller<'a>, work: Work<'_>, limits: Limits) -> Watch<'a> {
        let steps = if matches!(work.extent, Extent::Seeds { .. }) { "seeds" } else { "schedules" };
        let meter = Meter::new(work.runs(), limits.time);
        Watch { teller, meter, cases: work.cases.len() as u64, steps, limits, stop: None, end: None }
    }

    /// When all is over: who tells, and why it ended early, if it did.
    ///
    /// # Errors
    /// What could not be written.
    pub(super) fn finish(self) -> Result<(Teller<'a>, Option<&'static str>), Stop> {
        match self.stop {
            Some(stop) => Err(stop),
            None => Ok((self.teller, self.end)),
        }
    }
}

impl Listener for Watch<'_> {
    fn row(&mut self, row: &Row) -> ControlFlow<()> {
        let tells = self.teller.tells(row);
        let mut take = || -> Result<(), Stop> { self.teller.row(row, &row.line()?) };
        let taken = if tells { self.meter.aside(&mut take) } else { take() };
        if let Err(stop) = taken {
            self.stop = Some(stop);
            return ControlFlow::Break(());
        }
        if self.limits.failures.is_some_and(|most| row.is_failure() && self.teller.failures() >= most) {
            self.end = Some("as many failures as --max-fail says");
            return ControlFlow::Break(());
        }
        ControlFlow::Continue(())
    }

    fn time_passes(&mut self) -> ControlFlow<()> {
        let (runs, failures) = (self.teller.runs(), self.teller.failures());
        self.meter.set(runs, &format!("{} {}, {failures} failures", runs / self.cases.max(1), self.steps));
        if interrupt::came() {
            self.end = Some("interrupted; what was begun is in the result");
            return ControlFlow::Break(());
        }
        if self.limits.time.is_some_and(|limit| self.meter.elapsed() >= limit) {
            self.end = Some("the time is up");
            return ControlFlow::Break(());
        }
        ControlFlow::Continue(())
    }
}
