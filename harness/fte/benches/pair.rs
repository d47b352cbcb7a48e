//! The reference server and a client, 16 entities changing in every frame: datagrams per second, with and without oracle.

use criterion::{Criterion, Throughput};
use fte::PROTOCOL;
use kit::{Command, HostId, Oracle, Probe, Setup, Time};
use std::hint::black_box;

const ENTITIES: u32 = 16;
const TICK_US: u64 = 50_000;
const RUN: Time = Time(600_000_000);

/// Spawns at the start, then a change of every entity before every tick. Made before the clock starts: it is the
/// scenario's work, not the pair's.
fn commands() -> Vec<(Time, HostId, Command)> {
    let mut commands: Vec<(Time, HostId, Command)> =
        (1..=ENTITIES).map(|entity| (Time::ZERO, HostId::SERVER, Command::Spawn { entity })).collect();
    commands.push((Time::ZERO, HostId(1), Command::Connect));
    for tick in 20..RUN.us() / TICK_US {
        for entity in 1..=ENTITIES {
            let x = (tick % 512) as f32 + entity as f32;
            let value = kit::table::float_bits(x);
            let set = Command::Set { entity, field: fte::state::ORIGIN_X, value };
            commands.push((Time(tick * TICK_US - 1_000), HostId::SERVER, set));
        }
    }
    commands
}

fn run<P: Probe + ?Sized>(
    setup: &Setup,
    network: &sim::Network,
    commands: &[(Time, HostId, Command)],
    probe: &mut P,
) -> u64 {
    let mut hosts = vec![(PROTOCOL.server)(setup), (PROTOCOL.client)(&setup.on(HostId(1)))];
    let mut commands = commands.iter().copied();
    let outcome = sim::Simulation {
        hosts: &mut hosts,
        network,
        commands: &mut commands,
        dissector: None,
        until: RUN,
        hash: false,
    }
    .run(probe);
    outcome.datagrams
}

fn pair(criterion: &mut Criterion) {
    let link = sim::Link { loss_ppm: 20_000, jitter_us: 5_000, ..sim::Link::clean(25_000) };
    let network = sim::Network::uniform(1, 1, &link);
    let commands = commands();
    let mut group = criterion.benchmark_group("pair");
    group.sample_size(10);
    for profile in PROTOCOL.profiles {
        let setup = Setup::new(&PROTOCOL, profile);
        let datagrams = run(&setup, &network, &commands, &mut sim::Unwatched);
        group.throughput(Throughput::Elements(datagrams));
        group.bench_function(format!("{}, unwatched", profile.name), |bencher| {
            bencher.iter(|| black_box(run(&setup, &network, &commands, &mut sim::Unwatched)));
        });
        group.bench_function(format!("{}, oracle", profile.name), |bencher| {
            bencher.iter(|| {
                let mut oracle: Box<dyn Oracle> = (PROTOCOL.oracle)(&setup);
                let datagrams = run(&setup, &network, &commands, &mut *oracle);
                oracle.finish(RUN);
                assert!(oracle.findings().is_empty(), "{:?}", oracle.findings());
                black_box(datagrams)
            });
        });
    }
    group.finish();
}

fn main() {
    let mut criterion = Criterion::default().configure_from_args();
    pair(&mut criterion);
    criterion.final_summary();
}
