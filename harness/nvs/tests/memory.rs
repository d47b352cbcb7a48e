//! What a pair and its oracle ask of the allocator. One test, in a process of its own: the counters are global.

use kit::{Command, HostId, Time};
use nvs::PROTOCOL;
use nvs::verbs::{VERB_DAMAGE, VERB_EXPLOSION, VERB_PARTICLE, VERB_PRINT, VERB_SET_ANGLE};
use testkit::memory::{COUNTING, Counted, check_held, good_link, measure};

#[global_allocator]
static COUNTED: Counted = COUNTING;

const TICK_US: u64 = 50_000;
const SERVER: HostId = HostId::SERVER;

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
    let setup = testkit::setup(&PROTOCOL, 0, &[]);
    let moments = [300_000, 360_000].map(Time::from_ms);
    let entities = measure(&PROTOCOL, &setup, &good_link(), moving(), None, moments);
    let calls = measure(&PROTOCOL, &setup, &good_link(), noisy(), None, moments);
    assert_eq!((entities.allocations, calls.allocations), (0, 0), "moving entities, and calls");
    check_held(&PROTOCOL, &setup, churning(), [150_000, 300_000], 16);
}
