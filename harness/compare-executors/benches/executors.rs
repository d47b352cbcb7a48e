//! Two hosts that answer each other, in a bare heap loop, in our two executors, and in turmoil, madsim and bach.
//!
//! `WINDOW` datagrams of `BYTES` are always under way, each for 25 ms. `cargo bench` in this folder prints nanoseconds of real time per
//! datagram, the median of several runs, and each as a multiple of the bare loop.

use kit::{Command, Endpoint, Event, HostId, PeerId, Time, View};
use sim::{Link, Network, Simulation, Unwatched};
use std::cmp::Reverse;
use std::collections::{BinaryHeap, VecDeque};
use std::net::SocketAddr;
use std::time::{Duration, Instant};

const WINDOW: u64 = 8;
const BYTES: usize = 100;
const LATENCY: Duration = Duration::from_millis(25);
const PORT: u16 = 27_500;
const ROUNDS: usize = 5;

/// A subject: its name, the datagrams to send, and what sends so many at least and says how many it were.
type Subject = (&'static str, u64, fn(u64) -> u64);

const SUBJECTS: [Subject; 9] = [
    ("bare heap loop", 2_000_000, bare),
    ("direct executor", 2_000_000, |datagrams| direct(datagrams, false)),
    ("direct executor, trace hash", 2_000_000, |datagrams| direct(datagrams, true)),
    ("our executor in turmoil, tick 10 ms", 100_000, in_turmoil),
    ("turmoil 0.7, tick 1 ms", 20_000, |datagrams| turmoil_alone(datagrams, 1)),
    ("turmoil 0.7, tick 5 ms", 40_000, |datagrams| turmoil_alone(datagrams, 5)),
    ("turmoil 0.7, tick 25 ms", 100_000, |datagrams| turmoil_alone(datagrams, 25)),
    ("madsim 0.2", 200_000, in_madsim),
    ("bach 0.2", 200_000, in_bach),
];

fn main() {
    let filter = std::env::args().skip(1).find(|argument| !argument.starts_with('-')).unwrap_or_default();
    let mut base = None;
    println!("{:<38}{:>14}{:>16}{:>12}", "", "ns/datagram", "datagrams/s", "ratio");
    for (name, datagrams, run) in SUBJECTS {
        if !name.contains(&filter) {
            continue;
        }
        let mut each: Vec<f64> = (0..ROUNDS)
            .map(|_| {
                let start = Instant::now();
                let sent = run(datagrams);
                assert!(sent >= datagrams, "{name}: {sent} of {datagrams} datagrams");
                start.elapsed().as_nanos() as f64 / sent as f64
            })
            .collect();
        each.sort_by(f64::total_cmp);
        let median = each[ROUNDS / 2];
        let base = *base.get_or_insert(median);
        println!("{name:<38}{median:>14.1}{:>16.0}{:>12.1}", 1e9 / median, median / base);
    }
}

/// The least that any simulator does: a heap of times, and the bytes of a datagram.
fn bare(datagrams: u64) -> u64 {
    let mut heap = BinaryHeap::new();
    let mut waiting: Vec<[u8; BYTES]> = vec![[0; BYTES]; WINDOW as usize];
    for slot in 0..WINDOW {
        heap.push(Reverse((LATENCY.as_micros() as u64, 1_u8, slot)));
    }
    let mut sent = WINDOW;
    let mut received = [0_u8; BYTES];
    while sent < datagrams
        && let Some(Reverse((at, host, slot))) = heap.pop()
    {
        received.copy_from_slice(&waiting[slot as usize]);
        received[usize::from(host)] = received[usize::from(host)].wrapping_add(1);
        waiting[slot as usize].copy_from_slice(std::hint::black_box(&received));
        heap.push(Reverse((at + LATENCY.as_micros() as u64, 1 - host, slot)));
        sent += 1;
    }
    sent
}

/// Answers every datagram with as many bytes; the first one begins.
#[derive(Default)]
struct Answering {
    begins: bool,
    answers: VecDeque<PeerId>,
}

impl Endpoint for Answering {
    fn handle_command(&mut self, _: Time, _: &Command) {}

    fn handle_datagram(&mut self, _: Time, from: PeerId, _: &[u8]) {
        self.answers.push_back(from);
    }

    fn handle_timeout(&mut self, _: Time) {
        self.begins = false;
        self.answers.extend((0..WINDOW).map(|_| PeerId::client(1)));
    }

    fn poll_transmit(&mut self, _: Time, out: &mut Vec<u8>) -> Option<PeerId> {
        let to = self.answers.pop_front()?;
        out.resize(BYTES, 0);
        Some(to)
    }

    fn poll_event(&mut self) -> Option<Event> {
        None
    }

    fn poll_timeout(&self) -> Option<Time> {
        self.begins.then_some(Time::ZERO)
    }

    fn observe(&self, _: &mut View) {}
}

/// Our two hosts, run by `run` for so long that they send `datagrams`.
fn simulate(datagrams: u64, hash: bool, run: impl FnOnce(Simulation<'_>) -> u64) -> u64 {
    let mut hosts: Vec<Box<dyn Endpoint>> =
        vec![Box::new(Answering { begins: true, ..Answering::default() }), Box::new(Answering::default())];
    let network = Network::uniform(1, 1, &Link::clean(LATENCY.as_micros() as u64));
    let until = Time(datagrams.div_ceil(WINDOW) * LATENCY.as_micros() as u64);
    let commands: &mut dyn Iterator<Item = (Time, HostId, Command)> = &mut std::iter::empty();
    run(Simulation { hosts: &mut hosts, network: &network, commands, dissector: None, until, hash })
}

fn direct(datagrams: u64, hash: bool) -> u64 {
    simulate(datagrams, hash, |simulation| simulation.run(&mut Unwatched).datagrams)
}

fn in_turmoil(datagrams: u64) -> u64 {
    let run =
        |simulation: Simulation<'_>| deltaproof_turmoil::run(simulation, None, &mut Unwatched).map(|it| it.datagrams);
    simulate(datagrams, false, |simulation| run(simulation).expect("it runs"))
}

fn turmoil_alone(datagrams: u64, tick_ms: u64) -> u64 {
    let mut sim = turmoil::Builder::new()
        .tick_duration(Duration::from_millis(tick_ms))
        .simulation_duration(Duration::from_secs(1 << 30))
        .min_message_latency(LATENCY)
        .max_message_latency(LATENCY)
        .build();
    sim.host("answering", || async {
        let socket = turmoil::net::UdpSocket::bind(("0.0.0.0", PORT)).await?;
        let mut buffer = [0; BYTES];
        loop {
            let (length, from) = socket.recv_from(&mut buffer).await?;
            socket.send_to(&buffer[..length], from).await?;
        }
    });
    sim.client("beginning", async move {
        let socket = turmoil::net::UdpSocket::bind(("0.0.0.0", PORT)).await?;
        let mut buffer = [0; BYTES];
        for _ in 0..WINDOW {
            socket.send_to(&buffer, ("answering", PORT)).await?;
        }
        for _ in 0..datagrams / 2 {
            let (length, from) = socket.recv_from(&mut buffer).await?;
            socket.send_to(&buffer[..length], from).await?;
        }
        Ok(())
    });
    sim.run().expect("it runs");
    datagrams
}

fn in_madsim(datagrams: u64) -> u64 {
    let mut config = madsim::Config::default();
    config.net.send_latency = LATENCY..LATENCY + Duration::from_nanos(1);
    let runtime = madsim::runtime::Runtime::with_seed_and_config(1, config);
    let [beginning, answering] = [[10, 0, 0, 1], [10, 0, 0, 2]].map(|address| SocketAddr::from((address, PORT)));
    let here = runtime.create_node().ip(beginning.ip()).build();
    let there = runtime.create_node().ip(answering.ip()).build();
    there.spawn(async move {
        let socket = madsim::net::UdpSocket::bind(answering).await.expect("a socket");
        let mut buffer = [0; BYTES];
        loop {
            let (length, from) = socket.recv_from(&mut buffer).await.expect("a datagram");
            socket.send_to(from, &buffer[..length]).await.expect("it is sent");
        }
    });
    let task = here.spawn(async move {
        let socket = madsim::net::UdpSocket::bind(beginning).await.expect("a socket");
        madsim::time::sleep(Duration::from_millis(1)).await;
        let mut buffer = [0; BYTES];
        for _ in 0..WINDOW {
            socket.send_to(answering, &buffer).await.expect("it is sent");
        }
        for _ in 0..datagrams / 2 {
            let (length, from) = socket.recv_from(&mut buffer).await.expect("a datagram");
            socket.send_to(from, &buffer[..length]).await.expect("it is sent");
        }
    });
    runtime.block_on(task).expect("it runs");
    datagrams
}

fn in_bach(datagrams: u64) -> u64 {
    use bach::ext::*;
    use bach::net::UdpSocket;
    bach::sim(|| {
        async move {
            let socket = UdpSocket::bind("0.0.0.0:0").await.expect("a socket");
            let mut buffer = [0; BYTES];
            for _ in 0..WINDOW {
                socket.send_to(&buffer, "answering:27500").await.expect("it is sent");
            }
            for _ in 0..datagrams / 2 {
                let (length, from) = socket.recv_from(&mut buffer).await.expect("a datagram");
                socket.send_to(&buffer[..length], from).await.expect("it is sent");
            }
        }
        .group("beginning")
        .primary()
        .spawn();
        async {
            let socket = UdpSocket::bind("answering:27500").await.expect("a socket");
            let mut buffer = [0; BYTES];
            loop {
                let (length, from) = socket.recv_from(&mut buffer).await.expect("a datagram");
                socket.send_to(&buffer[..length], from).await.expect("it is sent");
            }
        }
        .group("answering")
        .spawn();
    });
    datagrams
}
