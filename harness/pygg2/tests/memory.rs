//! What a pair and its oracle ask of the allocator. One test, in a process of its own: the counters are global.

use kit::{Command, HostId, Time};
use pygg2::PROTOCOL;
use pygg2::state::*;
use pygg2::verbs::{VERB_CHANGECLASS, VERB_COMPLETE_UPDATE, VERB_INPUT, VERB_JUMP};
use testkit::memory::{COUNTING, Counted, Measured, check_held, good_link, measure};

#[global_allocator]
static COUNTED: Counted = COUNTING;

/// Most allocations that a datagram costs from the one machine to the other, in the middle: its records, its snapshot with
/// and without XOR, and what of that is kept for bases.
const PER_DATAGRAM: u64 = 8;

const TICK_US: u64 = 50_000;
const SERVER: HostId = HostId::SERVER;
const CLIENT: HostId = HostId(1);

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
    let setup = testkit::setup(&PROTOCOL, 0, &[("max_players", 40)]);
    let moments = [100_000, 160_000].map(Time::from_ms);
    let Measured { allocations, delivered, .. } = measure(&PROTOCOL, &setup, &good_link(), moving(), None, moments);
    // Two per tick, less what is lost: the client's and the server's.
    assert!(delivered > 2_500, "{delivered} datagrams");
    assert!(allocations as u64 <= PER_DATAGRAM * delivered, "{allocations} allocations for {delivered} datagrams");

    let oracle = check_held(&PROTOCOL, &setup, churning(), [150_000, 300_000], 16);
    assert!(oracle.covered().iter().any(|row| row.id == "GG2-EVT-09"), "the session lasted");
}
