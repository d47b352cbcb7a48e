//! How much is allocated at once: no more than a fixed multiple of what arrives.
//!
//! A test of this kind needs a process of its own, as it counts what the whole process allocates: a binary whose
//! `#[global_allocator]` is [`PeakAlloc`], and tests that begin with [`alone`].

use crate::DIRECTIONS;
use crate::mutate::{Dice, mutated};
use crate::session::{Exchange, drain};
use kit::{
    Delivery, Direction, Dissection, Endpoint, Fate, HostId, PacketId, PeerId, Protocol, Reader, Setup, Span, Time,
    TraceEvent,
};
pub use peak_alloc::PeakAlloc;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// As long as this is held, no other test runs: they would count each other's memory.
pub fn alone() -> MutexGuard<'static, ()> {
    static ALONE: Mutex<()> = Mutex::new(());
    ALONE.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The most that was allocated at once while `act` ran, beyond what was allocated before, in bytes.
pub fn peak(act: impl FnOnce()) -> usize {
    let before = PeakAlloc.current_usage();
    PeakAlloc.reset_peak_usage();
    act();
    PeakAlloc.peak_usage().saturating_sub(before)
}

/// The bytes that something holds: those that are free again once it is gone.
pub fn held<T>(value: T) -> usize {
    let before = PeakAlloc.current_usage();
    drop(value);
    before.saturating_sub(PeakAlloc.current_usage())
}

/// `count` of these datagrams, damaged, and datagrams of `length` bytes that make many small things.
pub fn inputs(seeds: &[Vec<u8>], count: usize, length: usize) -> Vec<Vec<u8>> {
    let mut dice = Dice::new(3);
    let mut inputs: Vec<Vec<u8>> = (0..count).map(|_| mutated(seeds, &mut dice)).collect();
    inputs.extend((0..=255u8).map(|byte| vec![byte; length]));
    inputs.extend((0..=255u8).map(|byte| [&[byte][..], &[1, 0].repeat(length / 2)].concat()));
    inputs
}

/// What may be allocated, in bytes.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// Most that a decoder allocates per byte of input.
    pub decoded_per_byte: usize,
    /// Most that a machine keeps per byte that it received.
    pub kept_per_byte: usize,
    /// What the test itself may allocate meanwhile, and what is allocated but once.
    pub slack: usize,
}

impl Limits {
    /// A decoder reads this input, with spans and without them; refusing is as good as reading.
    #[track_caller]
    pub fn check_decoder(&self, input: &[u8], read: impl Fn(&mut Reader<'_>)) {
        let used = peak(|| read(&mut Reader::new(input)));
        let allowed = self.decoded_per_byte * input.len() + self.slack;
        assert!(used <= allowed, "{used} bytes for {}", input.len());
        // Three spans to a byte, in a vector that doubles.
        let allowed = allowed + 3 * 3 * size_of::<Span>() * input.len();
        let used = peak(|| read(&mut Reader::with_spans(input, &mut Vec::new())));
        assert!(used <= allowed, "{used} bytes with spans for {}", input.len());
    }

    /// A dissector that knows of nothing, and an oracle, see these datagrams sent and delivered one way. The dissector may
    /// keep `dissector` bytes; without a number, as much as a machine.
    #[track_caller]
    pub fn check_watchers(
        &self,
        protocol: &Protocol,
        setup: &Setup,
        direction: Direction,
        inputs: &[Vec<u8>],
        dissector: Option<usize>,
    ) {
        let total: usize = inputs.iter().map(Vec::len).sum();
        let used = peak(|| {
            let mut dissector = (protocol.dissector)(None);
            for input in inputs {
                dissector.datagram(HostId(1), direction, input, &mut Dissection::default());
            }
        });
        let allowed = dissector.unwrap_or(self.kept_per_byte * total) + self.slack;
        assert!(used <= allowed, "{used} bytes of a dissector for {total}");
        let used = peak(|| {
            let mut oracle = (protocol.oracle)(setup);
            for (index, bytes) in (0..).zip(inputs) {
                let packet = PacketId { client: HostId(1), direction, slot: index, ordinal: 0, index };
                let fate = Fate::Once(Delivery::whole(0));
                oracle.on(Time(1), &TraceEvent::Sent { packet, bytes, fate, dissection: None });
                oracle.on(Time(1), &TraceEvent::Delivered { packet, copy: 0, bytes, intact: true });
            }
            oracle.finish(Time(2));
        });
        // Findings are sentences: a datagram is good for several.
        let allowed = 4 * self.kept_per_byte * total + self.slack + (inputs.len() << 14);
        assert!(used <= allowed, "{used} bytes of an oracle for {total}");
    }

    /// The ends of a session receive these datagrams, by direction; the queues of the client and of the server may hold
    /// so many bytes.
    #[track_caller]
    pub fn check_machines(&self, pair: Exchange, inputs: impl Fn(Direction) -> Vec<Vec<u8>>, queues: [usize; 2]) {
        let Exchange { mut server, mut client, now, .. } = pair;
        for (direction, queue) in DIRECTIONS.into_iter().zip(queues) {
            let (machine, from): (&mut dyn Endpoint, _) = match direction {
                Direction::ServerToClient => (&mut *client, PeerId::SERVER),
                Direction::ClientToServer => (&mut *server, PeerId::client(1)),
            };
            let inputs = inputs(direction);
            let total: usize = inputs.iter().map(Vec::len).sum();
            let used = peak(|| {
                for input in &inputs {
                    machine.handle_datagram(now, from, input);
                    drain(now, machine);
                }
            });
            let allowed = self.kept_per_byte * total + 2 * queue + self.slack;
            assert!(used <= allowed, "{used} bytes of a machine for {total}");
        }
    }
}
