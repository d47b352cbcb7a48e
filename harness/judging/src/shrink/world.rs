//! Less of a scenario: steps, entities, fields, options and clients that its failure does not need.

use super::document::{Document, Step, Way};
use super::faults::Faults;
use super::minimise::minimise;
use super::rounds;
use super::trial::Trial;
use crate::scenario::short::Range;
use kit::Time;
use serde_yaml::Value;

/// The lists whose elements can be left out.
const LISTS: [&[&str]; 6] =
    [&["faults"], &["clocks"], &["timeline"], &["world", "churn"], &["world", "crowds"], &["world", "entities"]];
/// Below these, every key and every element can be left out that the scenario need not have.
const FIELDS: [&str; 4] = ["timeline", "world", "options", "texts"];

/// Leaves out of the document what its failure does not need. Returns whether there was something.
pub(super) fn reduce(trial: &mut Trial<'_>, document: &mut Document, faults: &Faults, at: &mut Option<Time>) -> bool {
    let before = document.clone();
    for list in LISTS {
        let way: Way = list.iter().map(|key| Step::Key(String::from(*key))).collect();
        let items = match document.get(&way) {
            Some(Value::Sequence(items)) => items.len(),
            _ => continue,
        };
        let ways = (0..items).map(|item| way.iter().cloned().chain([Step::Item(item)]).collect()).collect();
        leave_out(trial, document, faults, at, ways);
    }
    let mut ways = Vec::new();
    for key in FIELDS {
        let way = vec![Step::Key(String::from(key))];
        if let Some(value) = document.get(&way) {
            inner(&way, value, &mut ways);
        }
    }
    leave_out(trial, document, faults, at, ways);
    // Of what is empty by now, not even the key.
    let empty = FIELDS.iter().map(|key| vec![Step::Key(String::from(*key))]);
    let empty = empty.filter(|way| document.get(way).is_some_and(is_empty)).collect();
    leave_out(trial, document, faults, at, empty);
    ranges(trial, document, faults, at);
    repeated(trial, document, faults, at);
    clients(trial, document, faults, at);
    *document != before
}

/// Leaves out as many of these as it can.
fn leave_out(trial: &mut Trial<'_>, document: &mut Document, faults: &Faults, at: &mut Option<Time>, ways: Vec<Way>) {
    let whole = document.clone();
    let all: Vec<usize> = (0..ways.len()).collect();
    let without = |kept: &[usize]| {
        let gone = ways.iter().enumerate().filter(|(index, _)| kept.binary_search(index).is_err());
        whole.without(&gone.map(|(_, way)| way.clone()).collect::<Vec<_>>())
    };
    minimise(all, &mut |kept| attempt(trial, document, faults, at, without(kept)));
}

/// Takes `smaller` for the document, if it fails. What is no scenario does not.
fn attempt(
    trial: &mut Trial<'_>,
    document: &mut Document,
    faults: &Faults,
    at: &mut Option<Time>,
    smaller: Document,
) -> bool {
    let Ok(Some(found)) = trial.fails(&smaller, faults) else { return false };
    (*document, *at) = (smaller, found);
    true
}

fn is_empty(value: &Value) -> bool {
    value.as_mapping().is_some_and(|map| map.is_empty()) || value.as_sequence().is_some_and(|list| list.is_empty())
}

/// The ways to all keys and elements below a value, in the order of the text, those around others first.
fn inner(way: &Way, value: &Value, ways: &mut Vec<Way>) {
    let below = |step| way.iter().cloned().chain([step]).collect::<Way>();
    match value {
        Value::Mapping(map) => {
            for (key, value) in map {
                let Some(key) = key.as_str() else { continue };
                ways.push(below(Step::Key(String::from(key))));
                inner(&below(Step::Key(String::from(key))), value, ways);
            }
        }
        Value::Sequence(list) => {
            for (index, value) in list.iter().enumerate() {
                // Elements of the lists above were tried; those of other lists are names, or verbs.
                let is_verb = matches!(way.last(), Some(Step::Key(key)) if key == "verbs");
                if is_verb || !value.is_mapping() {
                    ways.push(below(Step::Item(index)));
                }
                inner(&below(Step::Item(index)), value, ways);
            }
        }
        _ => {}
    }
}

/// Makes ranges of entities narrower, from either end.
fn ranges(trial: &mut Trial<'_>, document: &mut Document, faults: &Faults, at: &mut Option<Time>) {
    let mut ways = Vec::new();
    for key in ["world", "timeline"] {
        let way = vec![Step::Key(String::from(key))];
        if let Some(value) = document.get(&way) {
            inner(&way, value, &mut ways);
        }
    }
    ways.retain(|way| matches!(way.last(), Some(Step::Key(key)) if key == "entities"));
    for way in ways {
        while let Some(range) = document.get(&way).and_then(range) {
            let middle = range.first + (range.last - range.first) / 2;
            let halves = [Range { first: range.first, last: middle }, Range { first: middle + 1, last: range.last }];
            let ends = [
                Range { first: range.first, last: range.last - 1 },
                Range { first: range.first + 1, last: range.last },
            ];
            let narrower = halves.into_iter().chain(ends).any(|narrower| {
                let smaller = document.with(&way, Value::from(narrower.to_string()));
                attempt(trial, document, faults, at, smaller)
            });
            if !narrower {
                break;
            }
        }
    }
}

/// A range of more than one number.
fn range(value: &Value) -> Option<Range> {
    let (first, last) = value.as_str()?.split_once("..")?;
    let range = Range { first: first.trim().parse().ok()?, last: last.trim().parse().ok()? };
    (range.first < range.last).then_some(range)
}

/// Leaves out times of repeated verbs, from either end.
fn repeated(trial: &mut Trial<'_>, document: &mut Document, faults: &Faults, at: &mut Option<Time>) {
    let list = [Step::Key(String::from("timeline"))];
    let steps = document.get(&list).and_then(Value::as_sequence).map_or(0, Vec::len);
    for way in (0..steps).map(|item| [list[0].clone(), Step::Item(item)]) {
        while let Some(step) = document.get(&way).cloned()
            && let Some(times) = rounds::times(&step).filter(|times| *times > 1)
        {
            let parts = [0..times.div_ceil(2), times / 2..times, 0..times - 1, 1..times];
            let fewer = parts.into_iter().filter_map(|part| rounds::part(&step, part)).any(|smaller| {
                let smaller = document.with(&way, smaller);
                attempt(trial, document, faults, at, smaller)
            });
            if !fewer {
                break;
            }
        }
    }
}

/// Leaves out the last clients.
fn clients(trial: &mut Trial<'_>, document: &mut Document, faults: &Faults, at: &mut Option<Time>) {
    let way = [Step::Key(String::from("clients"))];
    while let Some(clients) = document.get(&way).and_then(Value::as_u64).filter(|clients| *clients > 1) {
        let smaller = document.with(&way, Value::from(clients - 1));
        if !attempt(trial, document, faults, at, smaller) {
            return;
        }
    }
}
