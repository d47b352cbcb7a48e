//! What a network is configured to do.

use crate::SLOT_US;
use crate::key::FateKey;
use crate::script::Rule;
use kit::{Fate, Pause, Rebind, Time};
use std::collections::BTreeMap;

/// The longest payload that a UDP datagram over IPv4 can have. Longer ones are lost on any link.
pub const MAX_DATAGRAM_BYTES: usize = 65_507;

/// One direction of one client's link. The default is a perfect link without latency.
///
/// A datagram meets, in this order: the script (the first rule that matches decides alone), the MTU, outages, chance
/// (loss, jitter, reordering, duplication, damage, spikes), and the bandwidth.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Link {
    /// Least time from sending to delivery, in microseconds.
    pub latency_us: u64,
    /// Greatest jitter, in microseconds, added to the latency; right-skewed, on average a fifth of this.
    pub jitter_us: u64,
    /// Chance of loss, in parts per million.
    pub loss_ppm: u32,
    /// Bursts of loss. While one lasts, its chance of loss replaces `loss_ppm`.
    pub burst: Option<Burst>,
    /// Chance that a second copy is delivered, in parts per million.
    pub duplicate_ppm: u32,
    /// The second copy comes up to this much after the first, in microseconds; every delay is equally likely.
    pub duplicate_us: u64,
    /// Chance that a datagram is held back, in parts per million.
    pub reorder_ppm: u32,
    /// How long it is held back, in microseconds, in addition to latency and jitter.
    pub reorder_us: u64,
    /// Chance that a copy has one bit flipped, in parts per million. Copies of one datagram are damaged independently,
    /// though at the same place; no copy is both corrupted and truncated.
    pub corrupt_ppm: u32,
    /// Chance that a copy is cut short, in parts per million. At least one byte stays, where there were two.
    pub truncate_ppm: u32,
    /// Times in which everything takes longer.
    pub spike: Option<Spike>,
    /// Longer datagrams are lost.
    pub mtu_bytes: Option<usize>,
    /// The bottleneck, behind everything else.
    pub bandwidth: Option<Bandwidth>,
    /// What is sent from (inclusive) until (exclusive) is lost.
    pub outages: Vec<(Time, Time)>,
    /// Scripted faults; the first rule that matches a datagram decides its fate.
    pub script: Vec<Rule>,
    /// What is sent from here on meets no chance: it leaves once and whole, with no delay but latency and bandwidth.
    /// `None` for no end.
    pub random_until: Option<Time>,
    /// Whether the seed draws which of these faults are on; the draw is [`Link::drawn`]'s.
    pub swarm: Swarm,
}

impl Link {
    /// A link that does nothing but delay each datagram by `latency_us`.
    pub fn clean(latency_us: u64) -> Link {
        Link { latency_us, ..Link::default() }
    }

    /// The chance of loss to expect in the long run, bursts included, in parts per million. Outages, script, MTU and
    /// bandwidth are not chance.
    pub fn expected_loss_ppm(&self) -> u32 {
        let good = self.loss_ppm.min(1_000_000);
        let Some(burst) = &self.burst else { return good };
        let bad = u64::from(burst.share_bad_ppm());
        let loss = bad * u64::from(burst.loss_ppm.min(1_000_000)) + (1_000_000 - bad) * u64::from(good);
        (loss / 1_000_000) as u32
    }

    /// The longest delay that chance alone can give a first copy, in microseconds: latency, jitter, reordering and spikes.
    pub fn longest_delay_us(&self) -> u64 {
        let held = if self.reorder_ppm > 0 { self.reorder_us } else { 0 };
        let spike_us = self.spike.map_or(0, |spike| spike.height_us);
        self.latency_us.saturating_add(self.jitter_us).saturating_add(held).saturating_add(spike_us)
    }
}

/// Bursts of loss after Gilbert and Elliott. The state changes by slots of [`SLOT_US`](crate::SLOT_US), whatever the
/// traffic; the run starts in the bad state as often as the chain is in it in the long run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Burst {
    /// Chance per slot that a burst begins, in parts per million.
    pub enter_ppm: u32,
    /// Chance per slot that it ends, in parts per million.
    pub leave_ppm: u32,
    /// Chance of loss while it lasts, in parts per million.
    pub loss_ppm: u32,
}

impl Burst {
    /// The share of slots in the bad state in the long run, in parts per million.
    pub fn share_bad_ppm(&self) -> u32 {
        let (enter, leave) = (u64::from(self.enter_ppm.min(1_000_000)), u64::from(self.leave_ppm.min(1_000_000)));
        (enter * 1_000_000).checked_div(enter + leave).unwrap_or(0) as u32
    }
}

/// Whether a seed draws which faults of a link are on.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Swarm {
    /// All of them are on.
    #[default]
    Off,
    /// [`Link::drawn`] has to draw.
    Wanted,
    /// It has drawn: of the link's faults some are left out, by their place in the list of faults.
    Drawn {
        /// Bits of those that are on.
        on: u16,
        /// Bits of those that were drawn off.
        off: u16,
    },
}

/// Delay spikes. One begins at its height and falls evenly to nothing; a spike no higher than it is long reorders nothing.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Spike {
    /// Chance per slot that a spike begins, in parts per million.
    pub enter_ppm: u32,
    /// What is added to the delay when it begins, in microseconds.
    pub height_us: u64,
    /// How long it takes to fall to nothing, in microseconds.
    pub length_us: u64,
}

impl Spike {
    /// The share of slots with a spike in the long run, in parts per million.
    pub fn share_ppm(&self) -> u32 {
        let none = 1_000_000 - u64::from(self.enter_ppm.min(1_000_000));
        // In parts per 2^32, or the roundings of a long spike add up.
        let (mut calm, none) = (1u128 << 32, u128::from(none << 32) / 1_000_000);
        for _ in 0..self.length_us.div_ceil(SLOT_US) {
            calm = (calm * none) >> 32;
            if calm == 0 {
                break;
            }
        }
        (1_000_000 - ((calm * 1_000_000) >> 32)) as u32
    }
}

/// A bottleneck and the queue before it. Sizes are payload bytes, without headers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Bandwidth {
    /// Bits per second; 0 lets nothing through.
    pub bits_per_second: u64,
    /// Bytes that may wait, the datagram in transmission included; what does not fit is lost.
    pub queue_bytes: usize,
}

/// The links of all clients, and the seed of their chance.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Network {
    /// The seed of every draw.
    pub seed: u64,
    /// `links[i]` belongs to client `i + 1`, indexed by [`Direction::index`](kit::Direction::index).
    pub links: Vec<[Link; 2]>,
    /// Fates that replace whatever the links would have decided, delays of the bandwidth included: for replay and
    /// shrinking. All other datagrams fare as if nothing had been replaced.
    pub fates: BTreeMap<FateKey, Fate>,
    /// Times in which hosts stand still.
    pub pauses: Vec<Pause>,
    /// When the server dies, and when another is in its place: what is on its way then, and what is sent meanwhile, is lost.
    pub restarts: Vec<(Time, Time)>,
    /// Whose port changes, and when.
    pub rebinds: Vec<Rebind>,
}

impl Network {
    /// A network in which every one of `clients` has the same `link` in both directions.
    pub fn uniform(seed: u64, clients: usize, link: &Link) -> Network {
        Network { seed, links: vec![[link.clone(), link.clone()]; clients], ..Network::default() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn expected_loss_weighs_the_states_of_the_burst_model() {
        let burst = Burst { enter_ppm: 10_000, leave_ppm: 90_000, loss_ppm: 500_000 };
        let link = Link { loss_ppm: 10_000, burst: Some(burst), ..Link::default() };
        assert_eq!(burst.share_bad_ppm(), 100_000);
        assert_eq!(link.expected_loss_ppm(), 50_000 + 9_000);
        assert_eq!(Link { loss_ppm: u32::MAX, ..Link::default() }.expected_loss_ppm(), 1_000_000);
    }

    #[test]
    fn the_share_of_spikes_is_the_chance_that_one_began_lately() {
        let spike = Spike { enter_ppm: 10_000, height_us: 1, length_us: 2 * SLOT_US };
        assert_eq!(spike.share_ppm(), 19_901);
        assert_eq!(Spike { enter_ppm: 0, ..spike }.share_ppm(), 0);
        assert_eq!(Spike { enter_ppm: u32::MAX, length_us: u64::MAX, ..spike }.share_ppm(), 1_000_000);
    }
}
