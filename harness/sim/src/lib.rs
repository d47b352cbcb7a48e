//! The seeded network and the only loop that moves virtual time, in reading order:
//!
//! 1. [`Link`]: what one direction of a client's link does to datagrams; [`Rule`]: scripted faults;
//! 2. [`Fates`]: the fate of each datagram, keyed by (link, direction, slot, ordinal) and the seed alone;
//! 3. [`Pause`], [`Clock`]: what happens to a host, whatever the network does;
//! 4. [`Simulation`]: hosts, network and commands, run to an [`Outcome`];
//! 5. [`Observed`]: what the network really did, against what was configured.
//!
//! Everything is integer arithmetic: time in microseconds, chances in parts per million. The same input gives the same
//! trace on every machine, in debug and release.
//!
//! Invariants of absence: this crate knows no clock, no socket, no file, no thread and no protocol, and shows no type
//! of the generator crate.

mod agenda;
mod burst;
mod clock;
mod event;
mod executor;
mod fate;
mod hash;
mod jitter;
mod key;
mod link;
mod observed;
mod pause;
mod queue;
mod rebind;
mod recording;
mod rng;
mod script;
mod spike;
mod swarm;

pub use clock::{Clock, Clocked};
pub use event::{LAST, MAX_HOSTS};
pub use executor::{
    Halt, MAX_DATAGRAMS_PER_INPUT, MAX_EVENTS_PER_INPUT, MAX_IN_FLIGHT, MAX_INPUTS_PER_INSTANT, Outcome, Simulation,
    Unwatched,
};
pub use fate::Fates;
pub use hash::TraceHash;
pub use key::FateKey;
pub use kit::Pause;
pub use link::{Bandwidth, Burst, Link, MAX_DATAGRAM_BYTES, Network, Spike, Swarm};
pub use observed::{Chance, Comparison, Measure, Observed};
pub use pause::awake_from;
pub use recording::Recording;
pub use rng::{Domain, FateRng, PAGE_BYTES};
pub use script::{Action, Carries, Rule, Select};

/// The version of everything that decides a fate: keys, draws, thresholds, tables, stages and their order.
///
/// A scenario names the model that its expectations were made under; a change that alters any fate raises it.
pub const FATE_MODEL: u32 = 1;

/// The slot of virtual time that keys draws, in microseconds.
pub const SLOT_US: u64 = 10_000;
