//! What a pair and its oracle ask of the allocator. One test, in a process of its own: the counters are global.

use fitz666::PROTOCOL;
use kit::{Command, HostId, Oracle, Probe, Setup, StatValue, Time, TraceEvent};
use stats_alloc::{INSTRUMENTED_SYSTEM, Stats, StatsAlloc};
use std::alloc::System;

#[global_allocator]
static COUNTED: &StatsAlloc<System> = &INSTRUMENTED_SYSTEM;

const TICK_US: u64 = 50_000;
const SERVER: HostId = HostId::SERVER;
const CLIENT: HostId = HostId(1);

/// Notes what was allocated up to some moments of a run, and passes on to an oracle, if there is one.
struct Meter<'a> {
    oracle: Option<&'a mut dyn Oracle>,
    moments: [Time; 2],
    taken: [Option<Stats>; 2],
}

impl Meter<'_> {
    /// Allocations between the two moments, new and grown.
    fn allocations(&self) -> usize {
        let count = |taken: &Option<Stats>| taken.as_ref().map_or(0, |stats| stats.allocations + stats.reallocations);
        count(&self.taken[1]) - count(&self.taken[0])
    }

    /// Bytes held at each of the two moments.
    fn held(&self) -> [isize; 2] {
        // What grows in its place is counted among both already.
        let held = |stats: &Stats| stats.bytes_allocated as isize - stats.bytes_deallocated as isize;
        [0, 1].map(|index| self.taken[index].as_ref().map_or(0, held))
    }
}

impl Probe for Meter<'_> {
    fn on(&mut self, now: Time, event: &TraceEvent<'_>) {
        for (moment, taken) in self.moments.iter().zip(&mut self.taken) {
            if now >= *moment && taken.is_none() {
                *taken = Some(COUNTED.stats());
            }
        }
        if let Some(oracle) = &mut self.oracle {
            oracle.on(now, event);
        }
    }

    fn settled(&mut self, now: Time, host: HostId, endpoint: &dyn kit::Endpoint) {
        if let Some(oracle) = &mut self.oracle {
            oracle.settled(now, host, endpoint);
        }
    }
}

/// Runs the pair with what `commands` says, and measures between `moments`.
fn measure<'a>(
    setup: &Setup,
    link: &sim::Link,
    commands: impl Iterator<Item = (Time, HostId, Command)>,
    oracle: Option<&'a mut dyn Oracle>,
    moments: [Time; 2],
) -> Meter<'a> {
    let network = sim::Network::uniform(1, 1, link);
    let mut hosts = vec![(PROTOCOL.server)(setup), (PROTOCOL.client)(&setup.on(CLIENT))];
    let mut commands = [(Time::ZERO, CLIENT, Command::Connect)].into_iter().chain(commands);
    let mut meter = Meter { oracle, moments, taken: [None, None] };
    let until = moments[1].after(TICK_US);
    let commands: &mut dyn Iterator<Item = (Time, HostId, Command)> = &mut commands;
    sim::Simulation { hosts: &mut hosts, network: &network, commands, dissector: None, until, hash: false }
        .run(&mut meter);
    assert!(meter.taken[1].is_some(), "the run went on to the second moment");
    meter
}

fn tick(number: u64) -> Time {
    Time(number * TICK_US + 1_000)
}

/// Sixteen entities change in every tick.
fn moving() -> impl Iterator<Item = (Time, HostId, Command)> {
    let spawns = (1..=16).map(|entity| (tick(0), SERVER, Command::Spawn { entity }));
    let sets = (20..).flat_map(|number: u64| {
        (1..=16).map(move |entity| {
            let value = kit::table::float_bits((number % 512) as f32 + entity as f32);
            (tick(number), SERVER, Command::Set { entity, field: fitz666::state::ORIGIN_X, value })
        })
    });
    let models = (1..=16).map(|entity| {
        let field = fitz666::state::MODEL;
        (tick(0), SERVER, Command::Set { entity, field, value: 300 })
    });
    spawns.chain(models).chain(sets)
}

/// An entity comes in every tick, under a number that others had before, and goes; some before they were ever sent.
/// Statistics change.
fn churning() -> impl Iterator<Item = (Time, HostId, Command)> {
    const ALIVE: u64 = 24;
    const NUMBERS: u64 = 200;
    (1..).flat_map(|number: u64| {
        let named = |number: u64| (2 + number % NUMBERS) as u32;
        let born = named(number);
        let gone = if number.is_multiple_of(4) { born } else { named(number + NUMBERS - ALIVE) };
        let commands = [
            Command::Spawn { entity: born },
            Command::Set { entity: born, field: fitz666::state::MODEL, value: 3 },
            Command::Set { entity: born, field: fitz666::state::FRAME, value: (number % 400) as i32 },
            Command::Remove { entity: gone },
            Command::Stat { client: 1, stat: (number % 17) as u8, value: StatValue::Int(number as i32) },
        ];
        commands.map(move |command| (tick(number), SERVER, command))
    })
}

#[test]
fn the_hot_path_allocates_nothing_and_a_long_run_holds_no_more_than_a_short_one() {
    for profile in PROTOCOL.profiles {
        let setup = Setup::new(&PROTOCOL, profile);
        let link = sim::Link { loss_ppm: 20_000, jitter_us: 5_000, ..sim::Link::clean(25_000) };
        let moments = [Time::from_ms(300_000), Time::from_ms(360_000)];
        for watched in [false, true] {
            let mut oracle = (PROTOCOL.oracle)(&setup);
            let meter = measure(&setup, &link, moving(), watched.then_some(&mut *oracle), moments);
            assert_eq!(meter.allocations(), 0, "{}, with oracle: {watched}", profile.name);
            assert!(oracle.findings().is_empty(), "{:?}", oracle.findings());
        }

        let link = sim::Link { loss_ppm: 50_000, duplicate_ppm: 20_000, jitter_us: 60_000, ..sim::Link::clean(25_000) };
        let moments = [Time::from_ms(200_000), Time::from_ms(800_000)];
        let mut oracle = (PROTOCOL.oracle)(&setup);
        let meter = measure(&setup, &link, churning(), Some(&mut *oracle), moments);
        let [short, long] = meter.held();
        // Places in rings grow to what the fullest frame needs, each in its own time.
        assert!(long <= short + short / 32, "{}: {short} bytes, then {long}", profile.name);
        assert!(oracle.findings().is_empty(), "{:?}", oracle.findings());
    }
}
