//! Bursts of loss: a two-state Gilbert-Elliott chain that advances with time, not with traffic.

use crate::link::Burst;
use crate::rng::{Domain, FateRng, PAGE_BYTES, threshold};

/// Draws in one page, one per slot.
const SLOTS_PER_PAGE: u32 = PAGE_BYTES as u32 / 4;

/// Slots after which the chain is drawn again from its long-run shares. Bounds the work of a jump in time.
const SLOTS_PER_EPOCH: u32 = 1 << 16;

/// The state of one link and direction, slot by slot.
///
/// A pure function of seed, stream and slot: the first slot of each epoch (about eleven minutes) is drawn from the
/// chain's long-run shares, every other from the slot before.
#[derive(Clone, Debug)]
pub(crate) struct Chain {
    rng: FateRng,
    stream: u64,
    page: Option<u32>,
    bytes: [u8; PAGE_BYTES],
    enter: u64,
    leave: u64,
    share_bad: u64,
    slot: Option<u32>,
    bad: bool,
}

impl Chain {
    pub(crate) fn new(seed: u64, stream: u64, burst: &Burst) -> Chain {
        Chain {
            rng: FateRng::new(seed, Domain::Burst),
            stream,
            page: None,
            bytes: [0; PAGE_BYTES],
            enter: threshold(burst.enter_ppm),
            leave: threshold(burst.leave_ppm),
            share_bad: threshold(burst.share_bad_ppm()),
            slot: None,
            bad: false,
        }
    }

    /// Whether `slot` is in the bad state.
    #[inline]
    pub(crate) fn bad(&mut self, slot: u32) -> bool {
        if self.slot != Some(slot) {
            self.advance(slot);
        }
        self.bad
    }

    fn advance(&mut self, slot: u32) {
        let epoch = slot - slot % SLOTS_PER_EPOCH;
        let from = match self.slot {
            Some(at) if at >= epoch && at < slot => at + 1,
            _ => epoch,
        };
        for step in from..=slot {
            let draw = u64::from(self.draw(step));
            self.bad = match (step == epoch, self.bad) {
                (true, _) => draw < self.share_bad,
                (false, true) => draw >= self.leave,
                (false, false) => draw < self.enter,
            };
        }
        self.slot = Some(slot);
    }

    fn draw(&mut self, slot: u32) -> u32 {
        let page = slot / SLOTS_PER_PAGE;
        if self.page != Some(page) {
            self.rng.page(self.stream, page.into(), &mut self.bytes);
            self.page = Some(page);
        }
        let at = (slot % SLOTS_PER_PAGE) as usize * 4;
        self.bytes[at..].first_chunk().map_or(0, |bytes| u32::from_le_bytes(*bytes))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const BURST: Burst = Burst { enter_ppm: 20_000, leave_ppm: 180_000, loss_ppm: 1_000_000 };

    #[test]
    fn the_state_of_a_slot_does_not_depend_on_what_was_asked_before() {
        let mut dense = Chain::new(5, 1 << 32, &BURST);
        let states: Vec<bool> = (0..70_000).map(|slot| dense.bad(slot)).collect();
        let mut sparse = Chain::new(5, 1 << 32, &BURST);
        for slot in (0..70_000).step_by(37).chain([69_999, 3, 65_536, 65_535]) {
            assert_eq!(sparse.bad(slot), states[slot as usize], "slot {slot}");
        }
    }

    #[test]
    fn shares_and_lengths_of_bursts_are_as_configured() {
        let mut chain = Chain::new(1, 0, &BURST);
        let states: Vec<bool> = (0..1_000_000).map(|slot| chain.bad(slot)).collect();
        let bad = states.iter().filter(|bad| **bad).count();
        let bursts = states.windows(2).filter(|pair| !pair[0] && pair[1]).count();
        // A tenth of the time, 1 / 0.18 = 5.6 slots each.
        assert_eq!((bad, bursts), (100_756, 18_017));
    }

    #[test]
    fn a_chain_that_never_enters_stays_good_and_one_that_never_leaves_stays_bad() {
        let never = Burst { enter_ppm: 0, leave_ppm: 0, loss_ppm: 1_000_000 };
        let always = Burst { enter_ppm: 1, leave_ppm: 0, loss_ppm: 1_000_000 };
        assert!((0..1000).all(|slot| !Chain::new(1, 0, &never).bad(slot)));
        assert!((0..1000).all(|slot| Chain::new(1, 0, &always).bad(slot)));
        assert!(Chain::new(1, 0, &always).bad(u32::MAX));
    }
}
