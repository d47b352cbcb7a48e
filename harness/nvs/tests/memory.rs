//! What a pair and its oracle ask of the allocator. One test, in a process of its own: the counters are global.

use kit::{Command, HostId, Oracle, Probe, Setup, Time, TraceEvent};
use nvs::PROTOCOL;
use nvs::verbs::{VERB_DAMAGE, VERB_EXPLOSION, VERB_PARTICLE, VERB_PRINT, VERB_SET_ANGLE};
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
            (tick(number), SERVER, Command::Set { entity, field: netquake::update::ORIGIN, value })
        })
    });
    spawns.chain(sets)
}

/// In every tick a burst of particles, an explosion, and a view that is turned.
fn noisy() -> impl Iterator<Item = (Time, HostId, Command)> {
    let spawns = (1..=16).map(|entity| (tick(0), SERVER, Command::Spawn { entity }));
    let calls = (20..).flat_map(|number: u64| {
        let verbs = [
            (VERB_PARTICLE, [1, 20, 73, 100]),
            (VERB_EXPLOSION, [2, 0x0702_0408, 0, 0]),
            (VERB_SET_ANGLE, [1, (number % 9000) as i32, 0, 0]),
            (VERB_DAMAGE, [1, 3, 7, 0]),
        ];
        verbs.map(move |(verb, args)| (tick(number), SERVER, Command::Verb { verb, args }))
    });
    spawns.chain(calls)
}

/// An entity comes in every tick, each under a number of its own, and goes; reliable prints, and all of the above.
fn churning() -> impl Iterator<Item = (Time, HostId, Command)> {
    const ALIVE: u64 = 64;
    (1..).flat_map(|number: u64| {
        let born = 2 + (number % 4096) as u32;
        let gone = 2 + (number.saturating_sub(ALIVE) % 4096) as u32;
        let commands = [
            Command::Spawn { entity: born },
            Command::Set { entity: born, field: netquake::update::FRAME, value: (number % 200) as i32 },
            Command::Remove { entity: gone },
            Command::Verb { verb: VERB_PRINT, args: [(number % 3) as i32, 1, number as i32, 0] },
            Command::Verb { verb: VERB_EXPLOSION, args: [born as i32, 0x0702_0408, 0, 0] },
            Command::Verb { verb: VERB_PARTICLE, args: [born as i32, 20, 73, 100] },
        ];
        commands.map(move |command| (tick(number), SERVER, command))
    })
}

#[test]
fn the_hot_path_of_the_machines_allocates_nothing_and_a_long_run_holds_no_more_than_a_short_one() {
    let setup = Setup::new(&PROTOCOL, &PROTOCOL.profiles[0]);
    let link = sim::Link { loss_ppm: 20_000, jitter_us: 5_000, ..sim::Link::clean(25_000) };
    let moments = [Time::from_ms(300_000), Time::from_ms(360_000)];
    for (what, allocations) in [
        ("moving entities", measure(&setup, &link, moving(), None, moments).allocations()),
        ("calls", measure(&setup, &link, noisy(), None, moments).allocations()),
    ] {
        assert_eq!(allocations, 0, "{what}");
    }

    let link = sim::Link { loss_ppm: 50_000, duplicate_ppm: 20_000, jitter_us: 60_000, ..sim::Link::clean(25_000) };
    let moments = [Time::from_ms(150_000), Time::from_ms(300_000)];
    let mut oracle = (PROTOCOL.oracle)(&setup);
    let meter = measure(&setup, &link, churning(), Some(&mut *oracle), moments);
    let [short, long] = meter.held();
    assert!(long <= short + short / 16, "{short} bytes, then {long}");
    assert!(oracle.findings().is_empty(), "{:?}", oracle.findings());
}
