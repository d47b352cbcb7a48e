//! What the executor itself costs: two hosts that do next to nothing, and fates drawn for every datagram.

#![allow(missing_docs, reason = "criterion's macros make public functions")]

use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use kit::{Command, Endpoint, Event, HostId, PeerId, Time, View};
use sim::{Link, Network, Simulation, Unwatched};
use std::hint::black_box;

/// Time from one datagram to the next.
const EVERY_US: u64 = 10_000;
const DATAGRAM_BYTES: usize = 64;
const RUN: Time = Time::from_ms(600_000);

/// Sends a datagram at each tick, and counts what it receives.
struct Ticker {
    to: PeerId,
    due: Time,
    owed: bool,
    number: u64,
    received: u64,
}

impl Ticker {
    fn new(to: PeerId) -> Ticker {
        Ticker { to, due: Time::ZERO, owed: false, number: 0, received: 0 }
    }
}

impl Endpoint for Ticker {
    fn handle_command(&mut self, _: Time, _: &Command) {}

    fn handle_datagram(&mut self, _: Time, _: PeerId, bytes: &[u8]) {
        self.received += bytes.len() as u64;
    }

    fn handle_timeout(&mut self, now: Time) {
        self.owed = true;
        self.due = now.after(EVERY_US);
    }

    fn poll_transmit(&mut self, _: Time, out: &mut Vec<u8>) -> Option<PeerId> {
        if !self.owed {
            return None;
        }
        self.owed = false;
        self.number += 1;
        out.extend_from_slice(&self.number.to_le_bytes());
        out.resize(DATAGRAM_BYTES, 0);
        Some(self.to)
    }

    fn poll_event(&mut self) -> Option<Event> {
        None
    }

    fn poll_timeout(&self) -> Option<Time> {
        Some(self.due)
    }

    fn observe(&self, _: &mut View) {}
}

fn run(network: &Network, hash: bool) -> u64 {
    let mut hosts: Vec<Box<dyn Endpoint>> =
        vec![Box::new(Ticker::new(PeerId::client(1))), Box::new(Ticker::new(PeerId::SERVER))];
    let commands = &mut std::iter::empty::<(Time, HostId, Command)>();
    let simulation = Simulation { hosts: &mut hosts, network, commands, dissector: None, until: RUN, hash };
    simulation.run(&mut Unwatched).datagrams
}

fn executor(criterion: &mut Criterion) {
    let lossy = Link {
        latency_us: 20_000,
        jitter_us: 30_000,
        loss_ppm: 20_000,
        duplicate_ppm: 10_000,
        duplicate_us: 10_000,
        ..Link::default()
    };
    let mut group = criterion.benchmark_group("executor");
    for (links, link) in [("clean", Link::clean(20_000)), ("lossy", lossy)] {
        let network = Network::uniform(1, 1, &link);
        group.throughput(Throughput::Elements(run(&network, false)));
        for (name, hash) in [("bare", false), ("bare+hash", true)] {
            group.bench_function(BenchmarkId::new(name, links), |bencher| {
                bencher.iter(|| black_box(run(&network, hash)))
            });
        }
    }
    group.finish();
}

criterion_group!(benches, executor);
criterion_main!(benches);
