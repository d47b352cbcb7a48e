//! What a server, its clients and the oracle hold. One test, in a process of its own: the counters are global.

use kit::{Command, HostId, Setup, Time};
use r1q2::PROTOCOL;
use r1q2::verbs::*;
use r1q2::wire::state::{FRAME, MODEL};
use testkit::memory::{COUNTING, Counted, check_held};

#[global_allocator]
static COUNTED: Counted = COUNTING;

const TICK_US: u64 = 100_000;
/// Entities alive at once.
const ALIVE: u64 = 32;

/// In every tick an entity comes and one goes, and something of each kind is sent; now and then a file is fetched.
fn churning() -> impl Iterator<Item = (Time, HostId, Command)> {
    (1..).flat_map(|number: u64| {
        let entity = |number: u64| 2 + (number % 512) as u32;
        let (born, gone) = (entity(number), entity(number.saturating_sub(ALIVE)));
        let verb = |verb, args| Command::Verb { verb, args };
        let value = number as i32;
        let mut commands = vec![
            (0, Command::Remove { entity: gone }),
            (0, Command::Spawn { entity: born }),
            (0, Command::Set { entity: born, field: MODEL, value: 1 + value % 200 }),
            (0, Command::Set { entity: born, field: FRAME, value: value % 300 }),
            (0, verb(VERB_SOUND, [0, born as i32, 3, 31])),
            (0, verb(VERB_TEMP_ENTITY, [3, born as i32, 0, 0])),
            (0, verb(VERB_AREA, [1, value % 255, 0, 0])),
            (0, verb(VERB_PRINT, [0, value, 0, 0])),
            (0, verb(VERB_CONFIGSTRING, [1600 + value % 4, value, 0, 0])),
        ];
        if number.is_multiple_of(50) {
            commands.push((1, verb(VERB_DOWNLOAD, [20, 0, 0, 0])));
        }
        commands.into_iter().map(move |(host, command)| (Time(number * TICK_US + 1_000), HostId(host), command))
    })
}

#[test]
fn a_long_run_holds_no_more_than_a_short_one() {
    let setup = Setup { clients: 2, ..Setup::new(&PROTOCOL, &PROTOCOL.profiles[0]) };
    // After what is remembered of requests, and well after that.
    check_held(&PROTOCOL, &setup, churning(), [480_000, 900_000], 8);
}
