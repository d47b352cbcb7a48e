//! Progress: on standard error alone. A bar only where that is a terminal.

use super::output::{DIM, complain};
use crate::live::clock::Clock;
use crate::suite::Ended;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use std::io::IsTerminal;
use std::ops::ControlFlow;
use std::time::Duration;

/// A bar that is gone when it is dropped.
pub(super) struct Bar(ProgressBar);

impl Bar {
    /// An empty bar; invisible unless standard error is a terminal.
    pub(super) fn new() -> Bar {
        let target =
            if std::io::stderr().is_terminal() { ProgressDrawTarget::stderr() } else { ProgressDrawTarget::hidden() };
        let bar = ProgressBar::with_draw_target(Some(0), target);
        if let Ok(style) = ProgressStyle::with_template("{bar:30} {pos}/{len} {msg}") {
            bar.set_style(style);
        }
        Bar(bar)
    }

    /// A case has ended, and others are to begin.
    pub(super) fn follow(&self, ended: &Ended<'_>) -> ControlFlow<()> {
        self.set(ended.done, ended.total, &ended.report.case);
        ControlFlow::Continue(())
    }

    /// Prints something while the bar is out of the way.
    pub(super) fn aside<R>(&self, print: impl FnOnce() -> R) -> R {
        self.0.suspend(print)
    }

    /// `done` of `total` are done; `what` was the last of them.
    pub(super) fn set(&self, done: u64, total: u64, what: &str) {
        self.0.set_length(total);
        self.0.set_position(done);
        self.0.set_message(what.to_string());
    }
}

impl Drop for Bar {
    fn drop(&mut self) {
        self.0.finish_and_clear();
    }
}

/// Where standard error is no terminal, a line says how far it is, so often.
const LINE_EVERY: Duration = Duration::from_secs(30);
/// A terminal shows something new so often.
const DRAW_EVERY: Duration = Duration::from_millis(200);

/// How far a long command is, with its rate and the time that is left: a bar on a terminal, a line from time to time elsewhere.
pub(super) struct Meter {
    bar: Option<ProgressBar>,
    clock: Clock,
    said: Duration,
    runs: u128,
    limit: Option<Duration>,
}

impl Meter {
    /// At the start of so many runs, which end after `limit` anyway.
    pub(super) fn new(runs: u128, limit: Option<Duration>) -> Meter {
        let bar = std::io::stderr().is_terminal().then(|| {
            let bar = ProgressBar::with_draw_target(Some(1_000), ProgressDrawTarget::stderr());
            if let Ok(style) = ProgressStyle::with_template("{bar:30} {msg}") {
                bar.set_style(style);
            }
            bar
        });
        Meter { bar, clock: Clock::start(), said: Duration::ZERO, runs, limit }
    }

    /// The time since the start.
    pub(super) fn elapsed(&self) -> Duration {
        Duration::from_micros(self.clock.now().us())
    }

    /// So many runs are done; `more` is said after that. Does nothing most of the time.
    pub(super) fn set(&mut self, done: u64, more: &str) {
        let elapsed = self.elapsed();
        let every = if self.bar.is_some() { DRAW_EVERY } else { LINE_EVERY };
        if elapsed < self.said + every {
            return;
        }
        self.said = elapsed;
        let (share, text) = status(done, self.runs, elapsed, self.limit);
        match &self.bar {
            Some(bar) => {
                bar.set_position((share * 1_000.0) as u64);
                bar.set_message(format!("{text}, {more}"));
            }
            None => complain(DIM, "progress", format!("{text}, {more}")),
        }
    }

    /// Prints something while the bar is out of the way.
    pub(super) fn aside<R>(&self, print: impl FnOnce() -> R) -> R {
        match &self.bar {
            Some(bar) => bar.suspend(print),
            None => print(),
        }
    }
}

impl Drop for Meter {
    fn drop(&mut self) {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
    }
}

/// Which share is done, and a text for it.
fn status(done: u64, runs: u128, elapsed: Duration, limit: Option<Duration>) -> (f64, String) {
    let seconds = elapsed.as_secs_f64().max(0.001);
    let rate = done as f64 / seconds;
    let by_runs = done as f64 / (runs.max(1) as f64);
    let left_by_runs = (runs as f64 - done as f64) / rate.max(f64::MIN_POSITIVE);
    let by_time = limit.map(|limit| (seconds / limit.as_secs_f64(), limit.as_secs_f64() - seconds));
    let (share, left) = match by_time {
        Some((share, left)) if left < left_by_runs => (share, left),
        _ => (by_runs, left_by_runs),
    };
    let share = share.clamp(0.0, 1.0);
    let text = format!("{done} runs, {rate:.0}/s, {:.0} %, {} left", share * 100.0, span(left));
    (share, text)
}

/// A length of time, roughly.
fn span(seconds: f64) -> String {
    const YEAR: f64 = 365.25 * 86_400.0;
    match seconds {
        s if s < 60.0 => format!("{:.0} s", s.max(0.0)),
        s if s < 3_600.0 => format!("{:.0} min", s / 60.0),
        s if s < 2.0 * 86_400.0 => format!("{:.1} h", s / 3_600.0),
        s if s < YEAR => format!("{:.0} days", s / 86_400.0),
        s if s < 1e6 * YEAR => format!("{:.0} years", s / YEAR),
        _ => String::from("ages"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(done: u64, runs: u128, seconds: u64, limit: Option<u64>) -> String {
        status(done, runs, Duration::from_secs(seconds), limit.map(Duration::from_secs)).1
    }

    #[test]
    fn the_time_left_follows_from_the_rate_or_the_limit_whichever_is_sooner() {
        assert_eq!(text(500, 1_000, 10, None), "500 runs, 50/s, 50 %, 10 s left");
        assert_eq!(text(500, 1_000, 10, Some(15)), "500 runs, 50/s, 67 %, 5 s left");
        assert_eq!(text(500, 1_000, 10, Some(3_600)), "500 runs, 50/s, 50 %, 10 s left");
        assert_eq!(text(100, 1_000_000, 100, None), "100 runs, 1/s, 0 %, 12 days left");
        assert_eq!(text(0, 1 << 70, 1, None), "0 runs, 0/s, 0 %, ages left");
    }
}
