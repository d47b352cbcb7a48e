//! The wall clock, as time since the start of a session.

#![expect(
    clippy::disallowed_types,
    clippy::disallowed_methods,
    reason = "a session with a foreign program runs in real time; no verdict on our own reference depends on it"
)]

use kit::Time;
use std::time::{Duration, Instant};

/// Counts from the start of a session. Copies share the start.
#[derive(Clone, Copy, Debug)]
pub struct Clock(Instant);

impl Clock {
    /// Starts now.
    pub fn start() -> Clock {
        Clock(Instant::now())
    }

    /// The time since the start.
    pub fn now(self) -> Time {
        Time(u64::try_from(self.0.elapsed().as_micros()).unwrap_or(u64::MAX))
    }

    /// From now until `at`; nothing if that is past.
    pub fn until(self, at: Time) -> Duration {
        Duration::from_micros(at.us().saturating_sub(self.now().us()))
    }
}
