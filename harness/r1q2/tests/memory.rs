//! What a server, its clients and the oracle hold: no more after a long run than after a short one. A binary of its own,
//! as it counts what the whole process allocates.

use kit::{Command, Endpoint, HostId, Oracle, Probe, Setup, Time, TraceEvent};
use peak_alloc::PeakAlloc;
use r1q2::PROTOCOL;
use r1q2::verbs::*;
use r1q2::wire::state::{FRAME, MODEL};

#[global_allocator]
static MEMORY: PeakAlloc = PeakAlloc;

const TICK_US: u64 = 100_000;
/// Entities alive at once.
const ALIVE: u64 = 32;

/// Notes what is held when two moments come, and passes on to the oracle.
struct Meter<'a> {
    oracle: &'a mut dyn Oracle,
    moments: [Time; 2],
    held: [usize; 2],
}

impl Probe for Meter<'_> {
    fn on(&mut self, now: Time, event: &TraceEvent<'_>) {
        for (moment, held) in self.moments.iter().zip(&mut self.held) {
            if now >= *moment && *held == 0 {
                *held = MEMORY.current_usage();
            }
        }
        self.oracle.on(now, event);
    }

    fn settled(&mut self, now: Time, host: HostId, endpoint: &dyn Endpoint) {
        self.oracle.settled(now, host, endpoint);
    }
}

/// In every tick an entity comes and one goes, and something of each kind is said; now and then a file is fetched.
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
    let link = sim::Link { loss_ppm: 50_000, duplicate_ppm: 20_000, jitter_us: 60_000, ..sim::Link::clean(25_000) };
    let mut hosts = vec![(PROTOCOL.server)(&setup)];
    hosts.extend((1..=2).map(|host| (PROTOCOL.client)(&setup.on(HostId(host)))));
    let connects = (1..=2).map(|host| (Time::ZERO, HostId(host), Command::Connect));
    let mut commands = connects.chain(churning());
    let mut oracle = (PROTOCOL.oracle)(&setup);
    // Behind what is remembered of things that were asked for, and well behind that.
    let moments = [Time::from_ms(480_000), Time::from_ms(900_000)];
    let mut meter = Meter { oracle: &mut *oracle, moments, held: [0; 2] };
    let until = moments[1].after(TICK_US);
    let network = sim::Network::uniform(1, 2, &link);
    sim::Simulation {
        hosts: &mut hosts,
        network: &network,
        commands: &mut commands,
        dissector: None,
        until,
        hash: false,
    }
    .run(&mut meter);
    let [short, long] = meter.held;
    assert!(short > 0 && long <= short + short / 8, "{short} bytes, then {long}");
    assert!(oracle.findings().is_empty(), "{:?}", oracle.findings());
}
