//! A host whose clock is not that of the run: ahead of it, and faster or slower.

use kit::{Command, Endpoint, PeerId, Time};

/// Parts per million.
const MILLION: u128 = 1_000_000;

/// A clock. The default is right.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Clock {
    /// What it shows at the start of the run, in microseconds.
    pub ahead_us: u64,
    /// How much faster than time it goes, in parts per million; slower for negative numbers. At least -999,999.
    pub drift_ppm: i32,
    /// It began at zero: what comes at the start of the run, comes at its zero, and [`Clock::ahead_us`] is what it shows right after.
    /// So a server has its first map at zero, and has been up for long when the first client comes.
    pub from_zero: bool,
}

impl Clock {
    /// Microseconds that it counts in a second.
    fn rate(self) -> u128 {
        u128::from((1_000_000 + i64::from(self.drift_ppm)).max(1) as u64)
    }

    /// What it shows at a moment of the run. Never runs backwards.
    pub fn shows(self, at: Time) -> Time {
        if self.from_zero && at == Time::ZERO {
            return at;
        }
        let since = u128::from(at.us()) * self.rate() / MILLION;
        Time(u64::try_from(since + u128::from(self.ahead_us)).unwrap_or(u64::MAX))
    }

    /// The first moment of the run at which it shows as much.
    pub fn moment(self, shown: Time) -> Time {
        let since = u128::from(shown.us().saturating_sub(self.ahead_us));
        let moment = u64::try_from((since * MILLION).div_ceil(self.rate())).unwrap_or(u64::MAX);
        // What it never showed, it has passed right after the start.
        let passed = self.from_zero && shown > Time::ZERO;
        Time(moment.max(passed.into()))
    }
}

/// An endpoint that has such a clock. Who drives it sees the time of the run, whatever the endpoint believes.
pub struct Clocked {
    inner: Box<dyn Endpoint>,
    clock: Clock,
}

impl Clocked {
    /// `inner` with this clock; itself where the clock is right.
    pub fn around(inner: Box<dyn Endpoint>, clock: Clock) -> Box<dyn Endpoint> {
        if clock == Clock::default() { inner } else { Box::new(Clocked { inner, clock }) }
    }
}

impl Endpoint for Clocked {
    kit::pass_on!(inner: poll_event source_port forget wants_quiet observe);

    fn handle_command(&mut self, now: Time, command: &Command) {
        self.inner.handle_command(self.clock.shows(now), command);
    }

    fn handle_datagram(&mut self, now: Time, from: PeerId, bytes: &[u8]) {
        self.inner.handle_datagram(self.clock.shows(now), from, bytes);
    }

    fn handle_timeout(&mut self, now: Time) {
        self.inner.handle_timeout(self.clock.shows(now));
    }

    fn poll_transmit(&mut self, now: Time, out: &mut Vec<u8>) -> Option<PeerId> {
        self.inner.poll_transmit(self.clock.shows(now), out)
    }

    fn poll_timeout(&self) -> Option<Time> {
        self.inner.poll_timeout().map(|at| self.clock.moment(at))
    }

    fn quiet_until(&mut self, until: Time) {
        self.inner.quiet_until(self.clock.shows(until));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_it_shows_leads_back_to_the_first_moment_that_shows_it() {
        for drift_ppm in [-999_999, -500_000, -100, -1, 0, 1, 333, 100_000] {
            let clock = Clock { ahead_us: 77, drift_ppm, ..Clock::default() };
            for shown in (77..3_000).chain([1_000_000_007, 86_400_000_000]).map(Time) {
                let at = clock.moment(shown);
                assert!(clock.shows(at) >= shown, "{clock:?} {shown}");
                assert!(at == Time::ZERO || clock.shows(Time(at.us() - 1)) < shown, "{clock:?} {shown}");
            }
        }
    }

    #[test]
    fn a_fast_clock_gains_and_a_slow_one_loses() {
        let day = Time(86_400_000_000);
        let gained =
            |drift_ppm| Clock { ahead_us: 0, drift_ppm, ..Clock::default() }.shows(day).us() as i64 - day.us() as i64;
        assert_eq!([gained(100), gained(0), gained(-100)], [8_640_000, 0, -8_640_000]);
        let ahead = Clock { ahead_us: 5, drift_ppm: 0, ..Clock::default() };
        assert_eq!((ahead.shows(Time(3)), ahead.moment(Time(8)), ahead.moment(Time(2))), (Time(8), Time(3), Time(0)));
    }

    #[test]
    fn who_began_at_zero_has_been_up_for_long_right_after() {
        let up = Clock { ahead_us: 9_000, from_zero: true, ..Clock::default() };
        assert_eq!([0, 1, 50].map(|at| up.shows(Time(at)).us()), [0, 9_001, 9_050]);
        // What it waits for since its zero has passed at once, and not before it can see that.
        assert_eq!([0, 1, 9_000, 9_001, 9_050].map(|shown| up.moment(Time(shown)).us()), [0, 1, 1, 1, 50]);
    }

    #[test]
    fn no_time_is_out_of_range() {
        let fast = Clock { ahead_us: u64::MAX, drift_ppm: i32::MAX, ..Clock::default() };
        assert_eq!(fast.shows(Time(u64::MAX)), Time(u64::MAX));
        assert_eq!(Clock { drift_ppm: i32::MIN, ..Clock::default() }.moment(Time(u64::MAX)), Time(u64::MAX));
    }
}
