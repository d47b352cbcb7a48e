//! Delay spikes: for a while everything takes longer, as behind a path that was blocked and then drains.
//!
//! A spike is at its height when it begins, and falls by the same amount in each microsecond, to nothing at its end. One that
//! is no higher than it is long lets no datagram overtake another.

use crate::SLOT_US;
use crate::link::Spike;
use crate::rng::{Domain, FateRng, PAGE_BYTES, threshold};
use kit::Time;

/// Draws in one page, one per slot.
const SLOTS_PER_PAGE: u32 = PAGE_BYTES as u32 / 4;

/// The spikes of one link and direction: a pure function of seed, stream and time.
#[derive(Clone, Debug)]
pub(crate) struct Spikes {
    rng: FateRng,
    stream: u64,
    page: Option<u32>,
    bytes: [u8; PAGE_BYTES],
    enter: u64,
    height_us: u64,
    length_us: u64,
    /// The last slot that was asked for.
    slot: Option<u32>,
    /// The last slot up to there in which a spike began.
    began: Option<u32>,
}

impl Spikes {
    pub(crate) fn new(seed: u64, stream: u64, spike: &Spike) -> Spikes {
        Spikes {
            rng: FateRng::new(seed, Domain::Spike),
            stream,
            page: None,
            bytes: [0; PAGE_BYTES],
            enter: threshold(spike.enter_ppm),
            height_us: spike.height_us,
            length_us: spike.length_us,
            slot: None,
            began: None,
        }
    }

    /// How much longer a datagram sent at `now`, in `slot`, is under way. A spike that begins within another replaces it.
    #[inline]
    pub(crate) fn delay_us(&mut self, now: Time, slot: u32) -> u64 {
        if self.slot != Some(slot) {
            self.advance(slot);
        }
        let Some(began) = self.began else { return 0 };
        let since = now.since(Time(u64::from(began) * SLOT_US));
        let left = u128::from(self.length_us.saturating_sub(since));
        (left * u128::from(self.height_us)).checked_div(self.length_us.into()).unwrap_or(0) as u64
    }

    /// Looks at the slots since the last one, or at those in which a spike can have begun that has not ended.
    fn advance(&mut self, slot: u32) {
        let longest = u32::try_from(self.length_us.div_ceil(SLOT_US)).unwrap_or(u32::MAX);
        let earliest = slot.saturating_sub(longest);
        let from = match self.slot {
            Some(at) if at < slot => earliest.max(at + 1),
            _ => {
                self.began = None;
                earliest
            }
        };
        // The latest spike alone counts.
        if let Some(began) = (from..=slot).rev().find(|step| u64::from(self.draw(*step)) < self.enter) {
            self.began = Some(began);
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

    const SPIKE: Spike = Spike { enter_ppm: 10_000, height_us: 200_000, length_us: 400_000 };

    fn delays(spikes: &mut Spikes, slots: impl Iterator<Item = u32>) -> Vec<u64> {
        slots.map(|slot| spikes.delay_us(Time(u64::from(slot) * SLOT_US), slot)).collect()
    }

    #[test]
    fn the_delay_in_a_slot_does_not_depend_on_what_was_asked_before() {
        let dense = delays(&mut Spikes::new(5, 1 << 32, &SPIKE), 0..50_000);
        let mut sparse = Spikes::new(5, 1 << 32, &SPIKE);
        for slot in (0..50_000).step_by(37).chain([49_999, 3, 4, 20_000, 20_041]) {
            assert_eq!(sparse.delay_us(Time(u64::from(slot) * SLOT_US), slot), dense[slot as usize], "slot {slot}");
        }
    }

    #[test]
    fn a_spike_falls_from_its_height_to_nothing() {
        let all = delays(&mut Spikes::new(1, 0, &SPIKE), 0..10_000);
        let top = all.iter().position(|delay| *delay == 200_000).expect("a spike");
        assert_eq!(all[top + 1], 195_000);
        let quiet = all[top + 1..].windows(40).position(|part| part.is_sorted_by(|a, b| a > b || *b == 0));
        assert!(quiet.is_some());
        assert_eq!(all.iter().max(), Some(&200_000));
    }

    #[test]
    fn as_much_time_is_in_spikes_as_configured() {
        let slots = 1_000_000;
        let all = delays(&mut Spikes::new(1, 0, &SPIKE), 0..slots);
        let share = all.iter().filter(|delay| **delay > 0).count() as u64 * 1_000_000 / u64::from(slots);
        let expected = u64::from(SPIKE.share_ppm());
        assert!(share.abs_diff(expected) < 5_000, "{share} of a million, {expected} expected");
    }

    #[test]
    fn no_chance_is_no_spike_and_certainty_is_always_at_its_height() {
        let none = Spike { enter_ppm: 0, ..SPIKE };
        let always = Spike { enter_ppm: 1_000_000, ..SPIKE };
        assert!(delays(&mut Spikes::new(1, 0, &none), 0..1_000).iter().all(|delay| *delay == 0));
        assert!(delays(&mut Spikes::new(1, 0, &always), 0..1_000).iter().all(|delay| *delay == 200_000));
        assert_eq!((none.share_ppm(), always.share_ppm()), (0, 1_000_000));
        let empty = Spike { length_us: 0, ..always };
        assert_eq!((Spikes::new(1, 0, &empty).delay_us(Time(0), 0), empty.share_ppm()), (0, 0));
    }
}
