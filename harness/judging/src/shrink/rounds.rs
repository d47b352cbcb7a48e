//! Verbs that are done so many times: some of those times alone.

use crate::scenario::short::Duration;
use serde_yaml::{Mapping, Value};
use std::ops::Range;

/// A time, in microseconds.
pub(super) fn us(text: &str) -> Option<u64> {
    text.parse::<Duration>().ok().map(|duration| duration.0)
}

/// How often a step is done, if it says so.
pub(super) fn times(step: &Value) -> Option<u64> {
    step.get("times")?.as_u64()
}

/// The step of these of its times alone, from 0: it begins with the first of them. `None` if it cannot be said.
pub(super) fn part(step: &Value, rounds: Range<u64>) -> Option<Value> {
    let mut step = step.as_mapping()?.clone();
    let time = |key: &str| step.get(key).and_then(Value::as_str).and_then(us);
    let at = time("at")? + time("every").unwrap_or_default() * rounds.start;
    let once = rounds.end - rounds.start == 1;
    step.insert(Value::from("at"), Value::from(Duration(at).to_string()));
    if once {
        step.remove("times");
        step.remove("every");
    } else {
        step.insert(Value::from("times"), Value::from(rounds.end - rounds.start));
    }
    match step.get_mut("verbs") {
        Some(verbs) => verbs.as_sequence_mut()?.iter_mut().try_for_each(|verb| begin(verb, rounds.start, once))?,
        None => begin(step.get_mut("verb")?, rounds.start, once)?,
    }
    Some(Value::Mapping(step))
}

/// Gives a verb the arguments of a later time.
fn begin(verb: &mut Value, round: u64, once: bool) -> Option<()> {
    let verb = verb.as_mapping_mut()?;
    let added: Mapping = verb.get("step").and_then(Value::as_mapping).cloned().unwrap_or_default();
    for (name, step) in &added {
        let arg = verb.get_mut("args")?.get_mut(name)?;
        let later = step.as_i64()?.checked_mul(i64::try_from(round).ok()?)?.checked_add(arg.as_i64()?)?;
        *arg = Value::from(later);
    }
    if once {
        verb.remove("step");
    }
    Some(())
}

/// As many of its times as begin before `end`, in microseconds: at least one.
pub(super) fn cut(step: &mut Mapping, end: u64) {
    let time = |key: &str| step.get(key).and_then(Value::as_str).and_then(us).unwrap_or_default();
    let (at, every) = (time("at"), time("every"));
    if let Some(times) = step.get("times").and_then(Value::as_u64)
        && every > 0
    {
        let fit = end.saturating_sub(at).div_ceil(every).max(1);
        step.insert(Value::from("times"), Value::from(times.min(fit)));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn value(text: &str) -> Value {
        serde_yaml::from_str(text).expect("it parses")
    }

    #[test]
    fn a_part_begins_with_the_arguments_and_the_time_of_its_first() {
        let step = value("{ at: 1s, every: 40ms, times: 9, verb: { args: { a: 5, b: 1 }, step: { a: -2 } } }");
        assert_eq!(times(&step), Some(9));
        let right = value("{ at: 1120ms, every: 40ms, times: 4, verb: { args: { a: -1, b: 1 }, step: { a: -2 } } }");
        assert_eq!(part(&step, 3..7), Some(right));
        let once = value("{ at: 1s, times: 3, verbs: [ { args: { a: 5 }, step: { a: 1 } }, { args: {} } ] }");
        assert_eq!(part(&once, 2..3), Some(value("{ at: 1s, verbs: [ { args: { a: 7 } }, { args: {} } ] }")));
        assert_eq!(part(&value("{ at: 1s, map: {} }"), 0..1), None);
    }

    #[test]
    fn what_would_come_after_the_end_is_cut() {
        let cut_at = |text: &str, end| {
            let Value::Mapping(mut step) = value(text) else { panic!("{text}") };
            cut(&mut step, end);
            times(&Value::Mapping(step))
        };
        let step = "{ at: 1s, every: 500ms, times: 9 }";
        let expected =
            [(1, Some(1)), (1_000_001, Some(1)), (1_500_000, Some(1)), (1_500_001, Some(2)), (9_000_000, Some(9))];
        for (end, right) in expected {
            assert_eq!(cut_at(step, end), right, "{end}");
        }
        assert_eq!(cut_at("{ at: 1s, times: 9 }", 2_000_000), Some(9));
        assert_eq!(cut_at("{ at: 1s, every: 1s }", 2_000_000), None);
    }
}
