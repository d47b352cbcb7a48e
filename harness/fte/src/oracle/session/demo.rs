//! What a demo shows of losses. It has no numbers of datagrams, so that one which the client missed leaves no gap but in the
//! server's time.

/// A step of the server's time that is so much longer than the shortest, in percent, has room for a frame that was lost.
const LONGEST_STEP_PERCENT: f32 = 140.0;
/// Steps of at most so many seconds are the same moment, written twice.
const SAME_MOMENT_S: f32 = 0.000_5;

/// The steps between the frames of a map.
#[derive(Clone, Copy, Debug, Default)]
pub struct Steps {
    newest: Option<f32>,
    shortest: Option<f32>,
    /// Frames since the last that may have been lost, the present one included.
    pub unbroken: u32,
}

impl Steps {
    /// A frame of this server time: whether another may have been lost before it. Before the first one any may have been.
    pub fn has_gap(&mut self, time: f32) -> bool {
        let step = self.newest.map(|newest| time - newest);
        if step.is_some_and(|step| (0.0..SAME_MOMENT_S).contains(&step)) {
            return false;
        }
        self.newest = Some(time);
        let fits =
            |step: f32| step > 0.0 && self.shortest.is_none_or(|least| step * 100.0 <= least * LONGEST_STEP_PERCENT);
        let gap = !step.is_some_and(fits);
        if let Some(step) = step.filter(|step| *step > 0.0) {
            self.shortest = Some(self.shortest.map_or(step, |least| least.min(step)));
        }
        self.unbroken = if gap { 0 } else { self.unbroken + 1 };
        gap
    }
}

/// Whether the second updates of new entities have a RESET. A single one can be the third, as the first was lost; that this is so of
/// one new entity after the other, and never otherwise, is no chance.
#[derive(Clone, Copy, Debug, Default)]
pub struct SecondUpdates {
    has_any: bool,
    /// How much speaks for it that none has.
    weight: u32,
    /// The frame that counted last: what comes together is lost together.
    frame: Option<u32>,
}

impl SecondUpdates {
    /// So much is enough.
    const ENOUGH: u32 = 9;

    /// A second update was received in this frame: whether it can be said by now that the server never repeats a RESET.
    pub fn never_reset(&mut self, reset: bool, frame: u32, steps: &Steps) -> bool {
        self.has_any |= reset;
        if !reset && self.frame.replace(frame) != Some(frame) {
            // Where no frame was missing between them, the first was the one before.
            self.weight += if steps.unbroken > 1 { 3 } else { 1 };
        }
        !self.has_any && self.weight >= SecondUpdates::ENOUGH
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_step_has_room_for_a_lost_frame() {
        let mut steps = Steps::default();
        // The first of all, a step, the same moment again, a step that takes 1.3 times as long, and one that takes twice as long.
        let gaps = [1.0, 1.1, 1.1, 1.23, 1.45, 1.55].map(|time| steps.has_gap(time));
        assert_eq!(gaps, [true, false, false, false, true, false]);
        assert_eq!(steps.unbroken, 1);
        assert!(steps.has_gap(f32::NAN));
    }

    #[test]
    fn a_server_that_never_repeats_a_reset_is_told_from_losses() {
        let (mut steps, mut seconds) = (Steps::default(), SecondUpdates::default());
        for time in [1.0, 1.1, 1.2, 1.3] {
            steps.has_gap(time);
        }
        // Of one frame, all count once.
        let said = [5, 5, 5, 6, 6, 7].map(|frame| seconds.never_reset(false, frame, &steps));
        assert_eq!(said, [false, false, false, false, false, true]);
        assert!(!seconds.never_reset(true, 8, &steps));
        assert!(!seconds.never_reset(false, 9, &steps));
        let mut seconds = SecondUpdates::default();
        let broken = Steps::default();
        assert_eq!((0..9).filter(|frame| seconds.never_reset(false, *frame, &broken)).collect::<Vec<_>>(), [8]);
    }
}
