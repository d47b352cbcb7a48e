//! Bandwidth: a bottleneck with a bounded queue that drops at its tail.
//!
//! The one stage whose result depends on other datagrams, so it stands after the draws and takes none itself.

use crate::link::Bandwidth;
use kit::Time;

/// Bits of a byte times microseconds of a second: multiplied by this, bytes are in the unit of [`Bottleneck::free_at`].
const BIT_US_PER_BYTE: u128 = 8 * 1_000_000;

/// The bottleneck of one link and direction.
#[derive(Clone, Debug)]
pub(crate) struct Bottleneck {
    bits_per_second: u128,
    queue_bytes: u128,
    /// When the queue will be empty, in microseconds times bits per second: exact at any rate.
    free_at: u128,
}

impl Bottleneck {
    pub(crate) fn new(bandwidth: &Bandwidth) -> Bottleneck {
        Bottleneck {
            bits_per_second: bandwidth.bits_per_second.into(),
            queue_bytes: bandwidth.queue_bytes as u128,
            free_at: 0,
        }
    }

    /// Passes a datagram of `bytes` through, at `now`: microseconds until its last bit is out, rounded up; `None` when
    /// the queue has no room. A bottleneck with nothing queued takes a datagram of any length.
    pub(crate) fn pass(&mut self, now: Time, bytes: usize) -> Option<u64> {
        if self.bits_per_second == 0 {
            return None;
        }
        let now = u128::from(now.us()) * self.bits_per_second;
        let backlog = self.free_at.saturating_sub(now);
        let size = bytes as u128 * BIT_US_PER_BYTE;
        if backlog > 0 && backlog + size > self.queue_bytes * BIT_US_PER_BYTE {
            return None;
        }
        self.free_at = now + backlog + size;
        Some(u64::try_from((backlog + size).div_ceil(self.bits_per_second)).unwrap_or(u64::MAX))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(bits_per_second: u64, queue_bytes: usize, sends: &[(u64, usize)], expected: &[Option<u64>]) {
        let mut bottleneck = Bottleneck::new(&Bandwidth { bits_per_second, queue_bytes });
        let delays: Vec<_> = sends.iter().map(|(at, bytes)| bottleneck.pass(Time(*at), *bytes)).collect();
        assert_eq!(delays, expected);
    }

    #[test]
    fn datagrams_queue_behind_each_other() {
        // 8,000 bits per second: a millisecond per byte.
        check(8_000, 1000, &[(0, 10), (0, 10), (15_000, 10), (100_000, 1)], &[10_000, 20_000, 15_000, 1_000].map(Some));
    }

    #[test]
    fn a_full_queue_drops_at_its_tail_and_takes_again_when_drained() {
        check(
            8_000,
            20,
            &[(0, 10), (0, 10), (0, 1), (1_000, 1), (1_000, 1)],
            &[Some(10_000), Some(20_000), None, Some(20_000), None],
        );
    }

    #[test]
    fn an_idle_bottleneck_takes_a_datagram_longer_than_its_queue() {
        check(8_000, 20, &[(0, 30), (0, 0), (0, 1)], &[Some(30_000), None, None]);
    }

    #[test]
    fn fractions_of_a_microsecond_add_up() {
        // 24 Mbit/s: a third of a microsecond per byte.
        check(24_000_000, 100, &[(0, 1), (0, 1), (0, 1), (0, 1)], &[1, 1, 1, 2].map(Some));
    }

    #[test]
    fn a_bottleneck_without_bandwidth_drops_everything() {
        check(0, 1000, &[(0, 1), (5, 0)], &[None, None]);
    }
}
