//! What a pair and its oracle ask of the allocator. One test, in a process of its own: the counters are global.

use fte::PROTOCOL;
use kit::{Command, HostId, Setup, StatValue, Time};
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
            (tick(number), SERVER, Command::Set { entity, field: fte::state::ORIGIN_X, value })
        })
    });
    spawns.chain(sets)
}

/// An entity comes in every tick, each under a number of its own, and goes; some before they were ever sent. Statistics
/// change.
fn churning() -> impl Iterator<Item = (Time, HostId, Command)> {
    const ALIVE: u64 = 64;
    (1..).flat_map(|number: u64| {
        let born = number as u32;
        let gone = if number.is_multiple_of(4) { number } else { number.saturating_sub(ALIVE) };
        let commands = [
            Command::Spawn { entity: born },
            Command::Set { entity: born, field: fte::state::FRAME, value: (number % 200) as i32 },
            Command::Remove { entity: gone as u32 },
            Command::Stat { client: 1, stat: (number % 30) as u8, value: StatValue::Int(number as i32) },
        ];
        commands.map(move |command| (tick(number), SERVER, command))
    })
}

#[test]
fn the_hot_path_allocates_nothing_and_a_long_run_holds_no_more_than_a_short_one() {
    for profile in PROTOCOL.profiles {
        let setup = Setup::new(&PROTOCOL, profile);
        let moments = [300_000, 360_000].map(Time::from_ms);
        for watched in [false, true] {
            let mut oracle = (PROTOCOL.oracle)(&setup);
            let link = good_link();
            let measured = measure(&PROTOCOL, &setup, &link, moving(), watched.then_some(&mut *oracle), moments);
            assert_eq!(measured.allocations, 0, "{}, with oracle: {watched}", profile.name);
            assert!(oracle.findings().is_empty(), "{:?}", oracle.findings());
        }
        // What is pending and its log take some eight bytes for each number that was ever used; 12,000 are new here.
        check_held(&PROTOCOL, &setup, churning(), [200_000, 800_000], 16);
    }
}
