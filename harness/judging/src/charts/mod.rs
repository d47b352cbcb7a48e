//! Which protocol for my game? The same world through several of them, measured: what it costs on the wire, and how soon every
//! client is right again after an outage.
//!
//! [`world`] says what is run, [`measure`] runs it, [`draw`] makes charts and a table of the numbers. There is no clock in any of
//! it: the same program gives the same bytes.

mod draw;
mod measure;
mod world;

pub use draw::{csv, svg};
pub use measure::{Measured, measure};
pub use world::{PROTOCOLS, World};

/// The points that are measured: chance of loss in percent at [`LATENCY_MS`], and latency in milliseconds at [`LOSS_PERCENT`].
pub const LOSSES_PERCENT: [u32; 6] = [0, 1, 2, 5, 10, 20];
/// See [`LOSSES_PERCENT`].
pub const LATENCIES_MS: [u32; 6] = [5, 15, 30, 60, 120, 240];
/// The latency while loss is varied.
pub const LATENCY_MS: u32 = 30;
/// The loss while latency is varied.
pub const LOSS_PERCENT: u32 = 2;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Varied {
    /// The chance that a datagram is lost.
    Loss,
    /// The time that it takes.
    Latency,
}

impl Varied {
    /// `loss` or `latency`.
    pub const fn name(self) -> &'static str {
        match self {
            Varied::Loss => "loss",
            Varied::Latency => "latency",
        }
    }
}

/// What is compared, and what is not: stands with every chart.
pub const WHAT: &str = "Two clients watch the same entities move: both coordinates of each change in every server frame of 50 ms. Bytes are UDP \
    payload from the server to one client per server frame, acknowledgements and headers included, UDP and IP headers not. Nothing \
    is lost while clients sign on, for twelve seconds. After sixteen nothing gets through in either direction for one second; the \
    world stops moving at its end, and recovery is the time from there until both clients show every entity where it is. Entities \
    at rest, sound, events, prediction, compression and the cost on the processor are not compared, and the references of this \
    project are measured, not engines.";
