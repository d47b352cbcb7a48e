//! Virtual time.

use std::fmt;

/// A moment of virtual time, in microseconds since the start of the run.
///
/// Lengths of time are plain `u64` microseconds, named with the suffix `_us`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Time(pub u64);

impl Time {
    /// The start of the run.
    pub const ZERO: Time = Time(0);

    /// The moment `ms` milliseconds after the start.
    pub const fn from_ms(ms: u64) -> Time {
        Time(ms * 1000)
    }

    /// Microseconds since the start.
    pub const fn us(self) -> u64 {
        self.0
    }

    /// When the next tick is due after this one, which is handled at `now`, in microseconds from one to the next: a host that
    /// stood still makes up for nothing.
    pub fn next_tick(self, interval_us: u64, now: Time) -> Time {
        let interval_us = interval_us.max(1);
        self.after((now.since(self) / interval_us + 1) * interval_us)
    }

    /// The moment `us` microseconds later.
    pub const fn after(self, us: u64) -> Time {
        Time(self.0.saturating_add(us))
    }

    /// Microseconds from `earlier` to `self`; zero when `earlier` is later.
    pub const fn since(self, earlier: Time) -> u64 {
        self.0.saturating_sub(earlier.0)
    }

    /// Seconds as the 32-bit float that the Quake family sends. One division, so the same bits everywhere.
    pub fn as_seconds(self) -> f32 {
        (self.0 as f64 / 1_000_000.0) as f32
    }
}

/// `12.345678s`: always six digits, so that columns of times line up.
impl fmt::Display for Time {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let text = format!("{}.{:06}s", self.0 / 1_000_000, self.0 % 1_000_000);
        f.pad(&text)
    }
}
