//! What a run asks of the allocator: allocations in its middle, and what it holds after a short and a long time.
//!
//! A test of this kind needs a process of its own, and to be the only test in it: the test runner itself allocates when
//! another test ends. Its binary has `#[global_allocator] static COUNTED: Counted = COUNTING;`.

use crate::session::{hosts, simulate};
use kit::{Command, Endpoint, HostId, Oracle, Probe, Protocol, Setup, Time, TraceEvent};
use sim::{Link, Network};
use stats_alloc::{INSTRUMENTED_SYSTEM, Stats, StatsAlloc};
use std::alloc::System;

/// The system's allocator with counters.
pub type Counted = &'static StatsAlloc<System>;
/// The one that is measured with.
pub const COUNTING: Counted = &INSTRUMENTED_SYSTEM;

/// What a run asked for up to a moment.
#[derive(Clone, Copy)]
struct Moment {
    stats: Stats,
    delivered: u64,
}

/// Measures at two moments of a run, and passes everything on to an oracle, if there is one.
struct Meter<'a> {
    oracle: Option<&'a mut dyn Oracle>,
    moments: [Time; 2],
    taken: [Option<Moment>; 2],
    delivered: u64,
}

impl Probe for Meter<'_> {
    fn on(&mut self, now: Time, event: &TraceEvent<'_>) {
        self.delivered += u64::from(matches!(event, TraceEvent::Delivered { .. }));
        for (moment, taken) in self.moments.iter().zip(&mut self.taken) {
            if now >= *moment && taken.is_none() {
                *taken = Some(Moment { stats: COUNTING.stats(), delivered: self.delivered });
            }
        }
        if let Some(oracle) = &mut self.oracle {
            oracle.on(now, event);
        }
    }

    fn settled(&mut self, now: Time, host: HostId, endpoint: &dyn Endpoint) {
        if let Some(oracle) = &mut self.oracle {
            oracle.settled(now, host, endpoint);
        }
    }
}

/// What was measured at two moments of a run.
#[derive(Clone, Copy, Debug)]
pub struct Measured {
    /// Allocations between the two, new and grown.
    pub allocations: usize,
    /// Datagrams delivered between the two.
    pub delivered: u64,
    /// Bytes held at each.
    pub held: [isize; 2],
}

/// Runs the reference over links like `link` with what `commands` says, and measures at `moments`. All clients connect.
///
/// # Panics
/// The run ends before the second moment.
pub fn measure(
    protocol: &Protocol,
    setup: &Setup,
    link: &Link,
    commands: impl Iterator<Item = (Time, HostId, Command)>,
    oracle: Option<&mut dyn Oracle>,
    moments: [Time; 2],
) -> Measured {
    let network = Network::uniform(1, setup.clients.into(), link);
    let connects = (1..=setup.clients).map(|host| (Time::ZERO, HostId(host), Command::Connect));
    let mut meter = Meter { oracle, moments, taken: [None; 2], delivered: 0 };
    let until = moments[1].after(100_000);
    simulate(hosts(protocol, setup, None), &network, connects.chain(commands), until, &mut meter);
    let [before, after] = meter.taken.map(|taken| taken.expect("the run went on to the second moment"));
    let count = |stats: &Stats| stats.allocations + stats.reallocations;
    // What grows in its place is counted among both already.
    let held = |stats: &Stats| stats.bytes_allocated as isize - stats.bytes_deallocated as isize;
    Measured {
        allocations: count(&after.stats) - count(&before.stats),
        delivered: after.delivered - before.delivered,
        held: [held(&before.stats), held(&after.stats)],
    }
}

/// A link that loses a little.
pub fn good_link() -> Link {
    Link { loss_ppm: 20_000, jitter_us: 5_000, ..Link::clean(25_000) }
}

/// Over a link that loses, duplicates and mixes up, the pair and its oracle hold no more at the second moment than at the
/// first, but for one part in `share`: places grow to what the fullest frame needs, each in its own time. The oracle
/// finds nothing.
pub fn check_held(
    protocol: &Protocol,
    setup: &Setup,
    commands: impl Iterator<Item = (Time, HostId, Command)>,
    moments_ms: [u64; 2],
    share: isize,
) -> Box<dyn Oracle> {
    let link = Link { loss_ppm: 50_000, duplicate_ppm: 20_000, jitter_us: 60_000, ..Link::clean(25_000) };
    let mut oracle = (protocol.oracle)(setup);
    let measured = measure(protocol, setup, &link, commands, Some(&mut *oracle), moments_ms.map(Time::from_ms));
    let [short, long] = measured.held;
    let name = setup.profile.name;
    assert!(short > 0 && long <= short + short / share, "{name}: {short} bytes, then {long}");
    assert!(oracle.findings().is_empty(), "{name}: {:?}", oracle.findings());
    oracle
}
