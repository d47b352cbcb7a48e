//! What a pair and its oracle ask of the allocator. One test, in a process of its own: the counters are global.

use kit::{Command, HostId, Oracle, Probe, Setup, Time, TraceEvent};
use pygg2::PROTOCOL;
use pygg2::state::*;
use pygg2::verbs::{VERB_CHANGECLASS, VERB_COMPLETE_UPDATE, VERB_INPUT, VERB_JUMP};
use stats_alloc::{INSTRUMENTED_SYSTEM, Stats, StatsAlloc};
use std::alloc::System;

#[global_allocator]
static COUNTED: &StatsAlloc<System> = &INSTRUMENTED_SYSTEM;

/// Most allocations that a datagram costs from the one machine to the other, in the middle: its records, its snapshot with
/// and without XOR, and what of that is kept for bases.
const PER_DATAGRAM: u64 = 8;

const TICK_US: u64 = 50_000;
const SERVER: HostId = HostId::SERVER;
const CLIENT: HostId = HostId(1);

/// Notes what was allocated up to some moments of a run, and passes on to an oracle, if there is one.
struct Meter<'a> {
    oracle: Option<&'a mut dyn Oracle>,
    moments: [Time; 2],
    taken: [Option<(Stats, u64)>; 2],
    delivered: u64,
}

impl Meter<'_> {
    /// Allocations between the two moments, new and grown, and datagrams delivered.
    fn allocations(&self) -> [u64; 2] {
        let count = |taken: &Option<(Stats, u64)>| {
            let (stats, delivered) = taken.expect("the run went on to the second moment");
            [(stats.allocations + stats.reallocations) as u64, delivered]
        };
        let [before, after] = [count(&self.taken[0]), count(&self.taken[1])];
        [after[0] - before[0], after[1] - before[1]]
    }

    /// Bytes held at each of the two moments.
    fn held(&self) -> [isize; 2] {
        // What grows in its place is counted among both already.
        let held = |(stats, _): (Stats, u64)| stats.bytes_allocated as isize - stats.bytes_deallocated as isize;
        [0, 1].map(|index| self.taken[index].map_or(0, held))
    }
}

impl Probe for Meter<'_> {
    fn on(&mut self, now: Time, event: &TraceEvent<'_>) {
        self.delivered += u64::from(matches!(event, TraceEvent::Delivered { .. }));
        for (moment, taken) in self.moments.iter().zip(&mut self.taken) {
            if now >= *moment && taken.is_none() {
                *taken = Some((COUNTED.stats(), self.delivered));
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
    let mut meter = Meter { oracle, moments, taken: [None, None], delivered: 0 };
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

/// Sixteen players move in every tick.
fn moving() -> impl Iterator<Item = (Time, HostId, Command)> {
    let spawns = (2..=17).flat_map(|entity| {
        [Command::Spawn { entity }, Command::Set { entity, field: ALIVE, value: 1 }]
            .map(|command| (tick(0), SERVER, command))
    });
    let sets = (20..).flat_map(|number: u64| {
        (2..=17).map(move |entity| {
            (tick(number), SERVER, Command::Set { entity, field: X, value: (number % 4000) as i32 + entity as i32 })
        })
    });
    spawns.chain(sets)
}

/// A player comes in every tick, each under another id, lives, changes and goes; the client does what players do, and
/// there are complete updates.
fn churning() -> impl Iterator<Item = (Time, HostId, Command)> {
    const ALIVE_TICKS: u64 = 8;
    const IDS: u64 = 40;
    (1..).flat_map(|number: u64| {
        let entity = |number: u64| 2 + (number % IDS) as u32;
        let verb = |verb: usize, args: [i32; 4]| Command::Verb { verb, args };
        let commands = [
            (SERVER, Command::Spawn { entity: entity(number) }),
            (SERVER, Command::Set { entity: entity(number), field: ALIVE, value: 1 }),
            (SERVER, Command::Set { entity: entity(number), field: CLASS, value: (number % 10) as i32 }),
            (SERVER, Command::Set { entity: entity(number), field: TEAM, value: (number % 3) as i32 }),
            (SERVER, Command::Remove { entity: entity(number + IDS - ALIVE_TICKS) }),
            (CLIENT, verb(VERB_INPUT, [(number % 32) as i32, (number % 65_536) as i32, 0, 0])),
            (CLIENT, verb(if number.is_multiple_of(2) { VERB_JUMP } else { VERB_CHANGECLASS }, [3, 0, 0, 0])),
            (SERVER, verb(VERB_COMPLETE_UPDATE, [if number.is_multiple_of(50) { 0 } else { 99 }, 0, 0, 0])),
        ];
        commands.map(move |(host, command)| (tick(number), host, command))
    })
}

#[test]
fn a_datagram_costs_a_few_allocations_and_a_long_run_holds_no_more_than_a_short_one() {
    let mut setup = Setup::new(&PROTOCOL, &PROTOCOL.profiles[0]);
    let room = PROTOCOL.options.iter().position(|option| option.name == "max_players").expect("an option");
    setup.options[room] = 40;
    let link = sim::Link { loss_ppm: 20_000, jitter_us: 5_000, ..sim::Link::clean(25_000) };
    let moments = [Time::from_ms(100_000), Time::from_ms(160_000)];
    let [allocations, delivered] = measure(&setup, &link, moving(), None, moments).allocations();
    // Two per tick, less what is lost: the client's and the server's.
    assert!(delivered > 2_500, "{delivered} datagrams");
    assert!(allocations <= PER_DATAGRAM * delivered, "{allocations} allocations for {delivered} datagrams");

    let link = sim::Link { loss_ppm: 50_000, duplicate_ppm: 20_000, jitter_us: 60_000, ..sim::Link::clean(25_000) };
    let moments = [Time::from_ms(150_000), Time::from_ms(300_000)];
    let mut oracle = (PROTOCOL.oracle)(&setup);
    let meter = measure(&setup, &link, churning(), Some(&mut *oracle), moments);
    let [short, long] = meter.held();
    assert!(long <= short + short / 16, "{short} bytes, then {long}");
    assert!(oracle.findings().is_empty(), "{:?}", oracle.findings());
    assert!(oracle.covered().iter().any(|row| row.id == "GG2-EVT-09"), "the session lasted");
}
