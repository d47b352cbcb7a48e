//! When entities think next, and what a server sends of it: LERPFINISH.

use crate::latitude::HintHabit;
use crate::session::rules::ServerRules;
use crate::state::{Entity, FRAME, NEXTTHINK, STEP, World};

/// Codes of a tenth of a second, which clients assume where nothing is sent: 25.5, and singles lie to either side.
const TENTH: [u8; 2] = [25, 26];

/// What a server remembers of its entities' thinking.
///
/// As in engines: when an entity has thought, it is decided once whether the time until it thinks again is sent; the time
/// itself is counted down from update to update.
#[derive(Debug, Default)]
pub struct Thinking {
    /// In the order of the entities' numbers.
    thinkers: Vec<Thinker>,
}

/// What is remembered of one entity.
#[derive(Clone, Copy, Debug)]
struct Thinker {
    number: u32,
    /// When it thinks next, as decided upon: bits.
    nextthink: i32,
    /// Its frame then.
    frame: i32,
    /// Whether the time is sent.
    sent: bool,
}

impl Thinking {
    /// Looks at the world at `time`, before its entities are sent.
    pub fn look(&mut self, time: f32, world: &World, rules: &ServerRules) {
        self.thinkers.retain(|thinker| world.live.get(thinker.number).is_some());
        // Both are in the order of numbers.
        for (index, (number, state)) in world.live.iter().enumerate() {
            if self.thinkers.get(index).is_none_or(|thinker| thinker.number != number) {
                self.thinkers.insert(index, Thinker { number, nextthink: 0, frame: state[FRAME], sent: false });
            }
            let thinker = &mut self.thinkers[index];
            if thinker.nextthink != state[NEXTTHINK] {
                let moves = state[STEP] != 0 || thinker.frame != state[FRAME];
                thinker.sent = moves && is_sent(state.float(NEXTTHINK), time, rules);
                (thinker.nextthink, thinker.frame) = (state[NEXTTHINK], state[FRAME]);
            }
        }
    }

    /// The code of the time until `number` thinks next, if it is sent.
    pub fn hint(&self, number: u32, state: &Entity, time: f32, rules: &ServerRules) -> Option<u8> {
        let nextthink = state.float(NEXTTHINK);
        let seconds = until(nextthink, time)?;
        let code = (rules.encode_finish)(seconds);
        match rules.latitude.hints {
            HintHabit::Never => None,
            HintHabit::Clamped => code.or(Some(255)),
            HintHabit::TenthToo => code,
            HintHabit::AtThinking => {
                let thinker = self.thinkers.binary_search_by_key(&number, |thinker| thinker.number);
                let sent = thinker.is_ok_and(|index| self.thinkers[index].sent);
                code.filter(|_| sent)
            }
        }
    }
}

/// Whether the time until an entity thinks again is sent, now that it has thought.
fn is_sent(nextthink: f32, time: f32, rules: &ServerRules) -> bool {
    let code = until(nextthink, time).and_then(rules.encode_finish);
    code.is_some_and(|code| !TENTH.contains(&code)) // FITZ-LERP-02, FITZ-LERP-06
}

/// The seconds from `time` to `nextthink`; `None` if that is past, or never comes.
fn until(nextthink: f32, time: f32) -> Option<f64> {
    let seconds = f64::from(nextthink - time);
    (nextthink > 0.0 && seconds >= 0.0).then_some(seconds)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::latitude::Latitude;
    use kit::table::float_bits;
    use kit::{Command, Time};

    /// An entity that at time 1 thinks next at `nextthink` is sent as this at the times.
    fn check(rules: &ServerRules, step: i32, nextthink: f32, expected: &[(f32, Option<u8>)]) {
        let mut world = World::default();
        let mut thinking = Thinking::default();
        assert!(world.apply(Time::ZERO, &Command::Spawn { entity: 7 }));
        thinking.look(0.9, &world, rules);
        for (field, value) in [(STEP, step), (NEXTTHINK, float_bits(nextthink))] {
            assert!(world.apply(Time::ZERO, &Command::Set { entity: 7, field, value }));
        }
        for &(time, hint) in expected {
            thinking.look(time, &world, rules);
            let state = *world.live.get(7).unwrap();
            assert_eq!(thinking.hint(7, &state, time, rules), hint, "{nextthink} at {time}");
        }
    }

    #[test]
    fn the_time_to_the_next_thought_counts_down_and_ends() {
        let reference = ServerRules::REFERENCE;
        check(&reference, 1, 1.5, &[(1.0, Some(128)), (1.25, Some(64)), (1.5, Some(0)), (1.75, None)]);
        check(&reference, 1, 2.0, &[(1.0, Some(255)), (1.5, Some(128))]);
        // A decision holds: what was too far away then is not sent later, and what counts down passes through a tenth.
        check(&reference, 1, 2.25, &[(1.0, None), (1.5, None)]);
        check(&reference, 1, 1.1, &[(1.0, None), (1.05, None)]);
        check(&reference, 1, 1.2, &[(1.0, Some(51)), (1.1, Some(26))]);
        check(&reference, 0, 1.5, &[(1.0, None)]);
        check(&reference, 1, 0.0, &[(1.0, None)]);
    }

    #[test]
    fn other_habits_tell_less_or_more() {
        let with =
            |hints| ServerRules { latitude: Latitude { hints, ..Latitude::REFERENCE }, ..ServerRules::REFERENCE };
        check(&with(HintHabit::Never), 1, 1.5, &[(1.0, None)]);
        check(&with(HintHabit::Clamped), 0, 3.5, &[(1.0, Some(255)), (3.0, Some(128))]);
        check(&with(HintHabit::TenthToo), 0, 1.1, &[(1.0, Some(26))]);
    }
}
