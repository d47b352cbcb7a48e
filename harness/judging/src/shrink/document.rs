//! A scenario's text as a tree that can be cut: whatever is done to it, it is read again as any scenario is.

use super::rounds::{self, us};
use super::schedule::Said;
use crate::scenario::fault;
use crate::scenario::short::{Duration, Range};
use crate::scenario::{self, Case, Diagnostic, Scenario};
use kit::{Direction, Requirement, Time};
use serde_yaml::{Mapping, Value};
use std::path::Path;
use std::sync::Arc;

/// What a smaller scenario is called.
pub const NAME: &str = "minimal";
pub const FILE: &str = "minimal.yaml";

/// The keys of a scenario in the order in which they are written.
const ORDER: [&str; 17] = [
    "title",
    "why",
    "profiles",
    "requirements",
    "fate_model",
    "options",
    "texts",
    "clients",
    "world",
    "network",
    "faults",
    "clocks",
    "timeline",
    "duration",
    "settle",
    "expect",
    "seeds",
];

/// A way down the tree.
pub(super) type Way = Vec<Step>;

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Step {
    /// To the value of a key.
    Key(String),
    /// To an element of a list.
    Item(usize),
}

/// A scenario with one profile, one value for each option, one seed, and no faults of its own.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Document {
    root: Mapping,
    remark: String,
}

/// What happens to a host, where that is the fault.
fn of_host(fault: &mut Mapping) -> Option<&mut Mapping> {
    let key = ["restart", "rebind", "pause"].into_iter().find(|key| fault.contains_key(*key))?;
    fault.get_mut(key)?.as_mapping_mut()
}

impl Document {
    /// What remains of a case's scenario if it is there for this run alone: it claims no requirement but `requirement`, and has no
    /// control.
    ///
    /// # Errors
    /// The text is none that can be changed.
    pub fn of(case: &Case, seed: u64, requirement: Option<&Requirement>) -> Result<Document, Diagnostic> {
        let path = &case.scenario.path;
        let text = case.scenario.text.strip_prefix('\u{feff}').unwrap_or(&case.scenario.text);
        let mut root: Mapping = serde_yaml::from_str(text)
            .map_err(|error| Diagnostic::whole(path, format!("cannot be read again: {error}"), None))?;
        let faults = root.remove("faults");
        for key in ["control", "matrix", "must_reach", "golden", "anchor"] {
            root.remove(key);
        }
        let mut document = Document { root, remark: String::new() };
        match case.alteration.faultless {
            true => drop(document.root.remove("clocks")),
            false => document.of_hosts(faults),
        }
        let title = document.text_of("title");
        document.set("title", Value::from(format!("Made smaller: {title}")));
        document.set("profiles", Value::Sequence(vec![Value::from(case.profile.name)]));
        // A scenario has to name one, whatever it is that fails.
        let any = || case.protocol.requirements.iter().copied().find(|row| row.applies_to(case.profile.name));
        let named = requirement.or_else(|| any().filter(|_| case.requirements().is_empty()));
        if let Some(requirement) = named {
            document.set("requirements", Value::Sequence(vec![Value::from(requirement.id)]));
        }
        document.set("seeds", Value::from(seed));
        document.options(case);
        document.network(case, seed);
        document.remark = format!("# Made of {} seed {seed}.", case.name());
        Ok(document)
    }

    /// Hosts that stand still, are restarted or have another port, of all faults: what they miss is in the fates, but not what they do not do or
    /// know.
    fn of_hosts(&mut self, faults: Option<Value>) {
        let Some(Value::Sequence(mut faults)) = faults else { return };
        faults.retain_mut(|fault| fault.as_mapping_mut().and_then(of_host).is_some());
        for pause in faults.iter_mut().filter_map(Value::as_mapping_mut).filter_map(of_host) {
            let time = |key: &str| pause.get(key).and_then(Value::as_str).and_then(us);
            if let (Some(from), Some(length)) = (time("from"), time("for")) {
                pause.remove("for");
                pause.insert(Value::from("until"), Value::from(Duration(from + length).to_string()));
            }
        }
        if !faults.is_empty() {
            self.set("faults", Value::Sequence(faults));
        }
    }

    /// How often a host stands still, is restarted or gets another port.
    pub fn standstills(&self) -> usize {
        self.root.get("faults").and_then(Value::as_sequence).map_or(0, Vec::len)
    }

    /// The options as the matrix has them.
    fn options(&mut self, case: &Case) {
        let mut options = self.root.get("options").and_then(Value::as_mapping).cloned().unwrap_or_default();
        for chosen in case.variant.split(',').filter_map(|chosen| chosen.split_once('=')) {
            let (name, value) = chosen;
            options.insert(Value::from(name), serde_yaml::from_str(value).unwrap_or(Value::from(value)));
        }
        if !options.is_empty() {
            self.set("options", Value::Mapping(options));
        }
    }

    /// The links' latencies, and nothing else of them.
    fn network(&mut self, case: &Case, seed: u64) {
        let links = case.network(seed).links;
        let mut network = Mapping::new();
        if let Some([s2c, c2s]) = links.first() {
            let latency = |us: u64| map([("latency", Value::from(Duration(us).to_string()))]);
            match s2c.latency_us == c2s.latency_us {
                true => drop(network.insert(Value::from("both"), latency(s2c.latency_us))),
                false => {
                    network.insert(Value::from("s2c"), latency(s2c.latency_us));
                    network.insert(Value::from("c2s"), latency(c2s.latency_us));
                }
            }
        }
        self.set("network", Value::Mapping(network));
    }

    fn set(&mut self, key: &str, value: Value) {
        self.root.insert(Value::from(key), value);
    }

    fn text_of(&self, key: &str) -> String {
        self.root.get(key).and_then(Value::as_str).map_or(String::new(), String::from)
    }

    /// The text of its file.
    pub fn text(&self) -> String {
        let mut sorted = Mapping::new();
        let known = ORDER.iter().filter_map(|key| Some((Value::from(*key), self.root.get(*key)?.clone())));
        sorted.extend(known);
        for (key, value) in &self.root {
            if !sorted.contains_key(key) {
                sorted.insert(key.clone(), value.clone());
            }
        }
        let yaml = serde_yaml::to_string(&sorted).unwrap_or_default();
        format!("{}\n{yaml}", self.remark)
    }

    /// Its case, with what `original` knows and shows.
    ///
    /// # Errors
    /// It is no scenario.
    pub fn case(&self, original: &Case) -> Result<Case, Diagnostic> {
        let scenario: Scenario = scenario::parse(NAME, Path::new(FILE), &self.text())?;
        let case = scenario::cases(&Arc::new(scenario)).into_iter().next();
        let case = case.ok_or_else(|| Diagnostic::whole(Path::new(FILE), "it has no case", None))?;
        Ok(Case {
            texts: original.texts.clone(),
            knowledge: original.knowledge,
            hidden: original.hidden,
            codec: original.codec,
            worldless: original.worldless,
            told: original.told.clone(),
            control: original.control,
            ..case
        })
    }

    fn time(&self, key: &str) -> u64 {
        self.root.get(key).and_then(Value::as_str).and_then(us).unwrap_or_default()
    }

    /// The end of its run.
    pub fn end(&self) -> Time {
        Time(self.time("duration"))
    }

    /// A run that ends soon after `last`, and is the same until then.
    pub fn cut(&self, last: Time) -> Document {
        let still = self.time("duration").saturating_sub(self.time("settle"));
        let end = (last.us() + 1).next_multiple_of(1_000);
        self.ending(end, end.saturating_sub(still))
    }

    /// A run that ends at `end`, and rests before as long as this one, or half of its time.
    pub fn shortened(&self, end: Time) -> Document {
        self.ending(end.us(), self.time("settle").min(end.us() / 2 / 1_000 * 1_000))
    }

    fn ending(&self, end: u64, settle: u64) -> Document {
        let still = end - settle.min(end);
        let mut document = self.clone();
        document.set("duration", Value::from(Duration(end).to_string()));
        match settle {
            0 => drop(document.root.remove("settle")),
            _ => document.set("settle", Value::from(Duration(settle).to_string())),
        }
        document.retain("timeline", None, |step| {
            let at = step.get("at").and_then(Value::as_str).and_then(us).unwrap_or_default();
            let verbs = step.contains_key("verb") || step.contains_key("verbs");
            rounds::cut(step, end);
            at < end && (at < still || verbs || at == still && !step.contains_key("every"))
        });
        document.retain("faults", None, |fault| {
            let Some(pause) = of_host(fault) else { return true };
            let time = |key: &str| pause.get(key).and_then(Value::as_str).and_then(us).unwrap_or_default();
            let (from, until) = (time("from").max(time("at")), time("until"));
            // Nothing is disturbed while a run settles.
            let end = if settle > 0 { still } else { end };
            if until > end {
                pause.insert(Value::from("until"), Value::from(Duration(end).to_string()));
            }
            from < end
        });
        for rules in ["crowds", "churn"] {
            document.retain("world", Some(rules), |rule| {
                let time = |key: &str| rule.get(key).and_then(Value::as_str).and_then(us);
                let (from, until) = (time("from").unwrap_or_default(), time("until"));
                if until.is_some_and(|until| until > still) {
                    rule.remove("until");
                }
                from < still
            });
        }
        document
    }

    /// Keeps those of a list that `wanted` wants, and takes the list away where none is left.
    fn retain(&mut self, key: &str, below: Option<&str>, mut wanted: impl FnMut(&mut Mapping) -> bool) {
        let mut holder = &mut self.root;
        let mut key = key;
        if let Some(below) = below {
            let Some(Value::Mapping(inner)) = holder.get_mut(key) else { return };
            (holder, key) = (inner, below);
        }
        let Some(Value::Sequence(list)) = holder.get_mut(key) else { return };
        list.retain_mut(|item| item.as_mapping_mut().is_none_or(&mut wanted));
        if list.is_empty() {
            holder.remove(key);
        }
    }

    /// The same with these faults, after the hosts that stand still.
    pub fn with_faults(&self, said: &[Said]) -> Document {
        let mut document = self.clone();
        let alone = self.root.get("clients").and_then(Value::as_u64).is_none_or(|clients| clients == 1);
        let mut faults = self.root.get("faults").and_then(Value::as_sequence).cloned().unwrap_or_default();
        faults.extend(said.iter().map(|said| fault_entry(said, alone)));
        if !faults.is_empty() {
            document.set("faults", Value::Sequence(faults));
        }
        document
    }

    /// The same with a sentence more in its first line.
    pub fn remarked(&self, what: &str) -> Document {
        Document { remark: format!("{} {what}", self.remark), ..self.clone() }
    }

    /// What stands there.
    pub fn get(&self, way: &[Step]) -> Option<&Value> {
        let mut value: Option<&Value> = None;
        for step in way {
            value = match (value, step) {
                (None, Step::Key(key)) => self.root.get(key.as_str()),
                (Some(Value::Mapping(map)), Step::Key(key)) => map.get(key.as_str()),
                (Some(Value::Sequence(list)), Step::Item(index)) => list.get(*index),
                _ => None,
            };
            value?;
        }
        value
    }

    fn holder(&mut self, way: &[Step]) -> Option<&mut Value> {
        let mut steps = way.iter();
        let Some(Step::Key(first)) = steps.next() else { return None };
        let mut value = self.root.get_mut(first.as_str())?;
        for step in steps {
            value = match (value, step) {
                (Value::Mapping(map), Step::Key(key)) => map.get_mut(key.as_str())?,
                (Value::Sequence(list), Step::Item(index)) => list.get_mut(*index)?,
                _ => return None,
            };
        }
        Some(value)
    }

    /// The same without what stands at these ways, which are in the order of the text.
    pub fn without(&self, ways: &[Way]) -> Document {
        let mut document = self.clone();
        // Back to front, so that the places of those before stay what they are.
        for way in ways.iter().rev() {
            let Some((last, before)) = way.split_last() else { continue };
            match (before, last) {
                ([], Step::Key(key)) => drop(document.root.remove(key.as_str())),
                (_, Step::Key(key)) => {
                    if let Some(Value::Mapping(map)) = document.holder(before) {
                        map.remove(key.as_str());
                    }
                }
                (_, Step::Item(index)) => {
                    if let Some(Value::Sequence(list)) = document.holder(before)
                        && *index < list.len()
                    {
                        list.remove(*index);
                    }
                }
            }
        }
        document
    }

    /// The same with another value there.
    pub fn with(&self, way: &[Step], value: Value) -> Document {
        let mut document = self.clone();
        match way {
            [Step::Key(key)] => document.set(key, value),
            _ => {
                if let Some(there) = document.holder(way) {
                    *there = value;
                }
            }
        }
        document
    }
}

fn map<'a>(entries: impl IntoIterator<Item = (&'a str, Value)>) -> Value {
    Value::Mapping(entries.into_iter().map(|(key, value)| (Value::from(key), value)).collect())
}

/// An entry of `faults`.
fn fault_entry(said: &Said, alone: bool) -> Value {
    let (name, own) = fault::written(&said.action);
    let direction = match said.direction {
        Direction::ServerToClient => "s2c",
        Direction::ClientToServer => "c2s",
    };
    let places = Range { first: said.index.0, last: said.index.1 };
    if own.is_none() && alone {
        return map([(name, Value::from(format!("{direction} {places}")))]);
    }
    let index = if places.first == places.last { Value::from(places.first) } else { Value::from(places.to_string()) };
    let mut entries = vec![("direction", Value::from(direction))];
    if !alone {
        entries.push(("client", Value::from(said.client)));
    }
    entries.push(("index", index));
    entries.extend(own);
    map([(name, map(entries))])
}
