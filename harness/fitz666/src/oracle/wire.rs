//! Values that a server sent and that have to agree with each other, whatever its world is. Plain state: the checks are in
//! [`super::from_server::wire`].

use super::layout::Raw;
use kit::table::float_step;
use std::collections::{BTreeMap, BTreeSet};

/// So many numbers with a high byte of 0, and none with another, are no accident.
const ENOUGH_NUMBERS: usize = 4;
/// So many steps of hints, all as fast as each other and none as fast as time, are no accident.
const ENOUGH_STEPS: u32 = 8;
/// Entities whose hints are followed.
const MAX_FOLLOWED: usize = 256;
/// Steps of hints over more than this are not counted, in seconds.
const LONG_STEP: f64 = 0.5;

/// What was seen of values that have to agree with each other.
#[derive(Debug, Default)]
pub struct Wire {
    /// The newest clientdata.
    pub player: Option<Raw>,
    /// Entities with numbers from 256 on were mentioned.
    pub has_long_numbers: bool,
    /// In the datagram that is read: the code of alpha of the client's own entity.
    pub own_alpha: Option<u32>,
    /// Likewise, of its weapon.
    pub weapon_alpha: Option<u32>,
    /// The client was given another entity to see by in the game.
    pub sees_by_another: bool,
    /// Low bytes beside which there was a high byte of 0; none any more once one was another.
    zeroes: BTreeSet<u32>,
    high_is_high: bool,
    /// Of entities: the time of the newest hint, and the hint.
    hints: BTreeMap<u32, (f64, u32)>,
    /// How fast hints counted down that were not as fast as time, per second; how often, and whether any was right.
    pub pace: f64,
    steps: u32,
    in_time: bool,
}

impl Wire {
    /// A number of two bytes was sent. Whether too many had a high byte of 0 by now, which needs not be there.
    pub fn is_never_high(&mut self, low: u32, high: u32) -> bool {
        self.high_is_high |= high != 0;
        if self.high_is_high || self.zeroes.len() >= ENOUGH_NUMBERS {
            return false;
        }
        self.zeroes.insert(low);
        self.zeroes.len() == ENOUGH_NUMBERS
    }

    /// An entity has this hint at this time. Whether hints count down at another pace by now.
    pub fn counts_wrongly(&mut self, entity: u32, time: f64, hint: Option<u32>) -> bool {
        let before = self.hints.remove(&entity);
        let Some(hint) = hint else { return false };
        if self.hints.len() < MAX_FOLLOWED {
            self.hints.insert(entity, (time, hint));
        }
        let Some((since, old)) = before.filter(|before| hint < before.1 && time > before.0) else { return false };
        let (passed, fell) = (time - since, f64::from(old - hint));
        if passed > LONG_STEP {
            return false;
        }
        // Each of the two codes is rounded.
        let error = 1.1 + 2.0 * 255.0 * float_step(time);
        let agrees = |pace: f64| (fell - pace * passed).abs() <= error;
        if agrees(255.0) {
            self.in_time = true;
        } else if self.steps == 0 || !agrees(self.pace) {
            (self.pace, self.steps) = (fell / passed, 1);
        } else {
            self.steps += 1;
        }
        !self.in_time && self.steps == ENOUGH_STEPS
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Hints that begin at 200 and fall by `fall` in each twentieth of a second are found wrong, or not.
    fn check(fall: impl Fn(u32) -> u32, expected: bool) {
        let mut wire = Wire::default();
        let found = (0..12).any(|step| wire.counts_wrongly(7, f64::from(step) * 0.05, Some(200 - fall(step))));
        assert_eq!(found, expected);
    }

    #[test]
    fn hints_count_down_in_255ths() {
        check(|step| (f64::from(step) * 12.75).round() as u32, false);
        check(|step| step * 5, true);
        // An entity that thinks at odd times, each further off than time goes.
        check(|step| [0, 3, 4, 11, 12, 20, 21, 29, 30, 41, 43, 52][step as usize], false);
    }

    #[test]
    fn high_bytes_of_0_are_no_accident_if_there_are_no_others() {
        let found = |numbers: &[(u32, u32)]| {
            let mut wire = Wire::default();
            numbers.iter().any(|&(low, high)| wire.is_never_high(low, high))
        };
        assert!(found(&[(1, 0), (2, 0), (5, 0), (5, 0), (44, 0)]));
        assert!(!found(&[(1, 0), (2, 0), (5, 0), (5, 0), (5, 0)]));
        assert!(!found(&[(44, 1), (1, 0), (2, 0), (5, 0), (6, 0)]));
    }
}
