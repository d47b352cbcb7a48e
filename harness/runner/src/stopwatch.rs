//! How long something took: for JUnit's times, which decide nothing.
#![expect(
    clippy::disallowed_types,
    clippy::disallowed_methods,
    reason = "nothing but a number in a report comes of it"
)]

use std::time::Instant;

/// Started when it is made.
pub(crate) struct Stopwatch(Instant);

impl Stopwatch {
    pub(crate) fn start() -> Stopwatch {
        Stopwatch(Instant::now())
    }

    /// Microseconds of wall time since.
    pub(crate) fn us(&self) -> u64 {
        self.0.elapsed().as_micros() as u64
    }
}
