//! From `world` and `timeline` to instructions: those known in advance, and the rules that make the others.

mod verb;

use super::check::Checker;
use super::diagnostic::Diagnostic;
use super::file::{Assign, Change, Churn, Crowd, Entity, Stat, Step};
use super::host::Hosts;
use super::place::Place;
use super::short::{Duration, Number, Range};
use kit::{Command, HostId, StatValue, Time, Unit};
use std::collections::BTreeMap;

/// The world has at most this many entities at the start, and a range of entities this many numbers.
pub const MAX_WORLD: u64 = 65_536;

/// The world and the timeline make at most this many instructions.
pub const MAX_STEPS: usize = 1_000_000;

/// Crowds, churn and repeated steps make at most this many changes together, counted as if every chance came true.
pub const MAX_CHANGES: u64 = 20_000_000;

/// Changes happen at most this often, so that a run has an end.
const MIN_EVERY_US: u64 = 1000;

/// Steps, wraps and spreads are at most so large; what they add up to is exact in an `f64`.
const MAX_CHANGE: f64 = 268_435_456.0;

/// What a scenario instructs the hosts to do.
#[derive(Clone, Debug, Default)]
pub(super) struct Script {
    /// Instructions known in advance, in the order in which they are given.
    pub fixed: Vec<(Time, HostId, Command)>,
    pub repeats: Vec<RepeatRule>,
    pub crowds: Vec<CrowdRule>,
    pub churns: Vec<ChurnRule>,
}

/// A step that is repeated, resolved.
#[derive(Clone, Debug)]
pub(super) struct RepeatRule {
    pub host: HostId,
    pub every_us: u64,
    pub from: Time,
    pub until: Time,
    pub commands: Vec<Command>,
}

/// A crowd, resolved.
#[derive(Clone, Debug)]
pub(super) struct CrowdRule {
    pub entities: Range,
    pub every_us: u64,
    pub from: Time,
    pub until: Time,
    pub changes: Vec<ChangeRule>,
}

/// How one field of a crowd changes.
#[derive(Clone, Debug)]
pub(super) struct ChangeRule {
    pub field: usize,
    pub unit: Unit,
    /// The values at the start, by place in the crowd.
    pub start: Vec<f64>,
    pub step: f64,
    pub wrap: Option<f64>,
    pub spread: f64,
}

/// A churn, resolved.
#[derive(Clone, Debug)]
pub(super) struct ChurnRule {
    pub entities: Range,
    pub every_us: u64,
    pub from: Time,
    pub until: Time,
    pub spawn_ppm: u32,
    pub remove_ppm: u32,
    pub set_ppm: u32,
    pub fields: Vec<(usize, Unit)>,
}

impl ChangeRule {
    /// The value of the crowd's entity at `place` after `count` changes. Exact for integers: all stay below 2^53.
    pub fn value(&self, place: usize, count: u64) -> f64 {
        let start = self.start.get(place).copied().unwrap_or(0.0);
        let value = start + self.spread * place as f64 + self.step * count as f64;
        match self.wrap {
            Some(wrap) => value.rem_euclid(wrap),
            None => value,
        }
    }
}

/// How many changes there are from `from` to before `until`.
fn rounds(from: Time, until: Time, every_us: u64) -> u64 {
    until.since(from).div_ceil(every_us)
}

/// Resolves the world and the timeline.
pub(super) fn resolve(checker: &Checker<'_>, hosts: &Hosts) -> Result<Script, Diagnostic> {
    let mut script = Script::default();
    let world = entities(checker, &mut script)?;
    let start = script.fixed.clone();
    connects(checker, &mut script);
    script.fixed.extend(hosts.instructions(checker)?);
    let appearing = appearing(checker)?;
    let mut changes = 0;
    steps(checker, &mut script, &world.respawn(&start), &appearing, &mut changes)?;
    for (index, crowd) in checker.file.world.crowds.iter().enumerate() {
        let at = Place::default().key("world").key("crowds").index(index);
        script.crowds.push(resolve_crowd(checker, &at, crowd, &world, &appearing, &mut changes)?);
    }
    for (index, churn) in checker.file.world.churn.iter().enumerate() {
        let at = Place::default().key("world").key("churn").index(index);
        script.churns.push(resolve_churn(checker, &at, churn, &mut changes)?);
    }
    Ok(script)
}

/// The entities at the start.
struct Start {
    /// For each entity its entry in the file.
    entries: BTreeMap<u32, usize>,
    /// How many of the first instructions are baselines.
    baselines: usize,
}

impl Start {
    /// The instructions that put the world's entities into a new map.
    fn respawn(&self, start: &[(Time, HostId, Command)]) -> Vec<Command> {
        start.iter().skip(self.baselines).map(|(_, _, command)| *command).collect()
    }
}

fn entities(checker: &Checker<'_>, script: &mut Script) -> Result<Start, Diagnostic> {
    let list = &checker.file.world.entities;
    let place = |index| Place::default().key("world").key("entities").index(index);
    let mut start = Start { entries: BTreeMap::new(), baselines: 0 };
    let mut sets: Vec<Vec<(usize, i32)>> = Vec::new();
    for (index, entry) in list.iter().enumerate() {
        let at = place(index);
        let range = checker.entities(&at, entry.entity, entry.entities)?;
        few(checker, &at, range, start.entries.len() as u64)?;
        let baseline = values(checker, &at.key("baseline"), &entry.baseline, &[])?;
        if !entry.live && !entry.fields.is_empty() {
            return Err(checker
                .fail(&at.name("fields"), "here", "an entity that is not live has no fields but its baseline")
                .help(String::from("move them to `baseline`, or to the `spawn` step that lets it appear")));
        }
        sets.push(values(checker, &at.key("fields"), &entry.fields, &[])?);
        for entity in range.numbers() {
            if let Some(first) = start.entries.insert(entity, index) {
                let key = if entry.entity.is_some() { "entity" } else { "entities" };
                let message = format!("entity {entity} is described twice, first by {}", place(first));
                return Err(checker.fail(&at.key(key), "again", message));
            }
            let commands =
                baseline.iter().map(|(field, value)| Command::Baseline { entity, field: *field, value: *value });
            push(checker, &at, script, Time::ZERO, HostId::SERVER, commands)?;
        }
    }
    start.baselines = script.fixed.len();
    for (entity, index) in &start.entries {
        let Some(Entity { live: true, .. }) = list.get(*index) else { continue };
        let commands = spawn(*entity, &sets[*index]);
        push(checker, &place(*index), script, Time::ZERO, HostId::SERVER, commands)?;
    }
    Ok(start)
}

/// An entity appears, and gets its first values.
fn spawn(entity: u32, sets: &[(usize, i32)]) -> impl Iterator<Item = Command> {
    std::iter::once(Command::Spawn { entity }).chain(set(entity, sets))
}

fn set(entity: u32, sets: &[(usize, i32)]) -> impl Iterator<Item = Command> {
    sets.iter().map(move |(field, value)| Command::Set { entity, field: *field, value: *value })
}

fn push(
    checker: &Checker<'_>,
    at: &Place<'_>,
    script: &mut Script,
    time: Time,
    host: HostId,
    commands: impl Iterator<Item = Command>,
) -> Result<(), Diagnostic> {
    for command in commands {
        if script.fixed.len() == MAX_STEPS {
            let message = format!("world and timeline make more than {MAX_STEPS} instructions, the limit");
            return Err(checker.fail(at, "here", message));
        }
        script.fixed.push((time, host, command));
    }
    Ok(())
}

/// Refuses ranges beyond what a world can hold.
fn few(checker: &Checker<'_>, at: &Place<'_>, range: Range, others: u64) -> Result<(), Diagnostic> {
    if range.count() + others > MAX_WORLD {
        Err(checker.fail(&at.key("entities"), "too many", format!("more than {MAX_WORLD} entities, the limit")))
    } else {
        Ok(())
    }
}

/// Fields and their values as commands carry them. The keys `also` may have been meant as well.
fn values(
    checker: &Checker<'_>,
    at: &Place<'_>,
    fields: &BTreeMap<String, Number>,
    also: &[&str],
) -> Result<Vec<(usize, i32)>, Diagnostic> {
    fields
        .iter()
        .map(|(name, number)| {
            let (index, field) = checker.field(&at.name(name), name, also)?;
            Ok((index, checker.value(&at.key(name), field, *number)?))
        })
        .collect()
}

/// Clients connect by themselves, but for those whose first step is to connect.
fn connects(checker: &Checker<'_>, script: &mut Script) {
    for client in 1..=checker.file.clients {
        let own = |step: &&Step| {
            let named =
                |named: &Option<super::file::Client>| named.as_ref().is_some_and(|named| named.client == client);
            named(&step.connect) || named(&step.disconnect)
        };
        // The first of equals, as the steps are given.
        let first = checker.file.timeline.iter().filter(own).min_by_key(|step| step.at);
        if first.is_none_or(|step| step.connect.is_none()) {
            script.fixed.push((Time::ZERO, HostId(client), Command::Connect));
        }
    }
}

/// The entities that are in the world at some time, sorted by their first.
fn appearing(checker: &Checker<'_>) -> Result<Vec<Range>, Diagnostic> {
    let (top, file) = (Place::default(), checker.file);
    let mut ranges = Vec::new();
    for (index, entry) in file.world.entities.iter().enumerate().filter(|(_, entry)| entry.live) {
        ranges.push(checker.entities(&top.key("world").key("entities").index(index), entry.entity, entry.entities)?);
    }
    for (index, step) in file.timeline.iter().enumerate() {
        if let Some(spawn) = &step.spawn {
            let at = top.key("timeline").index(index).key("spawn");
            ranges.push(checker.entities(&at, spawn.entity, spawn.entities)?);
        }
    }
    ranges.extend(file.world.churn.iter().map(|churn| churn.entities));
    ranges.sort_by_key(|range| range.first);
    Ok(ranges)
}

/// Refuses entities that are never in the world: nothing could happen to them.
fn must_appear(checker: &Checker<'_>, at: &Place<'_>, range: Range, appearing: &[Range]) -> Result<(), Diagnostic> {
    let mut next = u64::from(range.first);
    for known in appearing {
        if u64::from(known.first) > next {
            break;
        }
        next = next.max(u64::from(known.last) + 1);
    }
    if next > u64::from(range.last) {
        return Ok(());
    }
    let key = if range.first == range.last { "entity" } else { "entities" };
    Err(checker
        .fail(&at.key(key), "never there", format!("entity {next} is never in the world"))
        .help(String::from("list it under `world: entities:`, or let it appear with a `spawn` step")))
}

fn steps(
    checker: &Checker<'_>,
    script: &mut Script,
    respawn: &[Command],
    appearing: &[Range],
    changes: &mut u64,
) -> Result<(), Diagnostic> {
    for (index, step) in checker.file.timeline.iter().enumerate() {
        let at = Place::default().key("timeline").index(index);
        let action = checker.single(
            &at,
            "action",
            &[
                ("set", step.set.is_some()),
                ("spawn", step.spawn.is_some()),
                ("remove", step.remove.is_some()),
                ("baseline", step.baseline.is_some()),
                ("stat", step.stat.is_some()),
                ("map", step.map.is_some()),
                ("connect", step.connect.is_some()),
                ("disconnect", step.disconnect.is_some()),
                ("verb", step.verb.is_some()),
                ("verbs", step.verbs.is_some()),
            ],
        )?;
        let time = step.at.time();
        if time >= checker.end() {
            let message = format!("a step at {}, but the run ends at {}", step.at, checker.file.duration);
            return Err(checker.fail(&at.key("at"), "too late", message));
        }
        if action == "verb" || action == "verbs" {
            verb::steps(checker, &at, action, step, script, changes)?;
            continue;
        }
        if step.times.is_some() {
            return Err(checker
                .fail(&at.name("times"), "here", format!("`times` repeats verbs, and not `{action}`"))
                .help(String::from("`every` alone repeats a step until `settle` begins")));
        }
        if time > checker.still() {
            let message =
                format!("a `{action}` at {}, but the run settles from {}", step.at, Duration::from(checker.still()));
            return Err(checker
                .fail(&at.key("at"), "too late", message)
                .help(String::from("move the step forward, or make `settle` shorter or `duration` longer")));
        }
        let (host, commands) = commands(checker, &at.key(action), step, respawn, appearing)?;
        if let Some(every) = step.every {
            repeat(checker, &at, script, (every, time, host), commands, changes)?;
        } else {
            push(checker, &at, script, time, host, commands.into_iter())?;
        }
    }
    // Stable: equal times keep the file's order, after what happens at the start.
    script.fixed.sort_by_key(|(time, _, _)| *time);
    Ok(())
}

/// What a step tells whom; `at` is the place of its action.
fn commands(
    checker: &Checker<'_>,
    at: &Place<'_>,
    step: &Step,
    respawn: &[Command],
    appearing: &[Range],
) -> Result<(HostId, Vec<Command>), Diagnostic> {
    let mut commands = Vec::new();
    let mut host = HostId::SERVER;
    if let Some(change) = step.set.as_ref().or(step.spawn.as_ref()).or(step.baseline.as_ref()) {
        commands = assign(checker, at, step, change, appearing)?;
    }
    if let Some(which) = &step.remove {
        let range = checker.entities(at, which.entity, which.entities)?;
        few(checker, at, range, 0)?;
        must_appear(checker, at, range, appearing)?;
        commands.extend(range.numbers().map(|entity| Command::Remove { entity }));
    }
    if let Some(item) = &step.stat {
        commands.push(stat(checker, at, item)?);
    }
    if let Some(map) = &step.map {
        commands.push(Command::Map);
        if map.respawn {
            commands.extend_from_slice(respawn);
        }
    }
    for (named, command) in [(&step.connect, Command::Connect), (&step.disconnect, Command::Disconnect)] {
        if let Some(named) = named {
            host = checker.client(&at.key("client"), named.client)?;
            commands.push(command);
        }
    }
    Ok((host, commands))
}

/// A step that gives entities values: `set`, `spawn` or `baseline`.
fn assign(
    checker: &Checker<'_>,
    at: &Place<'_>,
    step: &Step,
    assign: &Assign,
    appearing: &[Range],
) -> Result<Vec<Command>, Diagnostic> {
    // Fields first: a misspelt `entity` is taken for one.
    let fields = values(checker, at, &assign.fields, &["entity", "entities"])?;
    let range = checker.entities(at, assign.entity, assign.entities)?;
    few(checker, at, range, 0)?;
    if fields.is_empty() && step.spawn.is_none() {
        return Err(checker
            .fail(at, "here", format!("{at} changes no field"))
            .help(String::from("name at least one field and its value, such as `frame: 2`")));
    }
    if step.set.is_some() {
        must_appear(checker, at, range, appearing)?;
    }
    let mut commands = Vec::new();
    for entity in range.numbers() {
        if step.set.is_some() {
            commands.extend(set(entity, &fields));
        } else if step.spawn.is_some() {
            commands.extend(spawn(entity, &fields));
        } else {
            commands.extend(fields.iter().map(|&(field, value)| Command::Baseline { entity, field, value }));
        }
        if commands.len() > MAX_STEPS {
            return Err(checker.fail(at, "here", format!("more than {MAX_STEPS} instructions, the limit")));
        }
    }
    Ok(commands)
}

fn stat(checker: &Checker<'_>, at: &Place<'_>, stat: &Stat) -> Result<Command, Diagnostic> {
    let client = checker.client(&at.key("client"), stat.client)?.0;
    let value = match stat.value {
        Number::Int(value) => StatValue::Int(i32::try_from(value).map_err(|_| {
            let message = format!("a statistic has no room for {value}: it is a 32-bit integer or a float");
            checker.fail(&at.key("value"), "out of range", message)
        })?),
        Number::Float(value) => StatValue::Float(value as f32),
    };
    Ok(Command::Stat { client, stat: stat.stat, value })
}

/// Repeats a step until the world stands still.
fn repeat(
    checker: &Checker<'_>,
    at: &Place<'_>,
    script: &mut Script,
    (every, from, host): (Duration, Time, HostId),
    commands: Vec<Command>,
    changes: &mut u64,
) -> Result<(), Diagnostic> {
    let until = period(checker, at, "at", (every.0, from, None), commands.len() as u64, changes)?;
    script.repeats.push(RepeatRule { host, every_us: every.0, from, until, commands });
    Ok(())
}

/// The interval and period of a rule, and its share of the allowed changes; `start` is the key of its beginning.
fn period(
    checker: &Checker<'_>,
    at: &Place<'_>,
    start: &'static str,
    (every_us, from, until): (u64, Time, Option<Time>),
    each: u64,
    changes: &mut u64,
) -> Result<Time, Diagnostic> {
    if every_us < MIN_EVERY_US {
        return Err(checker.fail(&at.key("every"), "too often", "changes happen at most once in a millisecond"));
    }
    let still = checker.still();
    if let Some(until) = until.filter(|until| *until > still) {
        let message =
            format!("it ends at {}, but the run settles from {}", Duration::from(until), Duration::from(still));
        return Err(checker
            .fail(&at.key("until"), "too late", message)
            .help(String::from("leave `until` out: it is the beginning of `settle` then")));
    }
    let key = if until.is_some() { "until" } else { start };
    let until = until.unwrap_or(still);
    checker.interval(at, from, until, key)?;
    *changes = changes.saturating_add(rounds(from, until, every_us).saturating_mul(each));
    if *changes > MAX_CHANGES {
        Err(checker
            .fail(
                at,
                "here",
                format!("crowds, churn and repeated steps make more than {MAX_CHANGES} changes, the limit"),
            )
            .help(String::from("take fewer entities or fields, a longer `every`, or a shorter run")))
    } else {
        Ok(until)
    }
}

fn resolve_crowd(
    checker: &Checker<'_>,
    at: &Place<'_>,
    crowd: &Crowd,
    world: &Start,
    appearing: &[Range],
    changes: &mut u64,
) -> Result<CrowdRule, Diagnostic> {
    let range = checker.range(&at.key("entities"), crowd.entities)?;
    few(checker, at, range, 0)?;
    must_appear(checker, at, range, appearing)?;
    if crowd.change.is_empty() {
        return Err(checker.fail(at, "here", format!("{at} changes no field")));
    }
    let from = crowd.from.time();
    let times = (crowd.every.0, from, crowd.until.map(|until| until.time()));
    let until = period(checker, at, "from", times, range.count() * crowd.change.len() as u64, changes)?;
    let rounds = rounds(from, until, crowd.every.0);
    let mut rules = Vec::new();
    for (name, change) in &crowd.change {
        let (field, info) = checker.field(&at.key("change").name(name), name, &[])?;
        let start = |entity: u32| {
            let entry = world.entries.get(&entity).and_then(|index| checker.file.world.entities.get(*index));
            entry.and_then(|entry| entry.fields.get(name).or(entry.baseline.get(name))).map_or(0.0, |n| n.as_f64())
        };
        let at = at.key("change").key(name);
        let [step, wrap, spread] = numbers(checker, &at, change, info.unit)?;
        if change.wrap.is_some() && wrap <= 0.0 {
            return Err(checker.fail(&at.key("wrap"), "out of range", "`wrap` must be greater than 0"));
        }
        let wrap = change.wrap.map(|_| wrap);
        let rule =
            ChangeRule { field, unit: info.unit, start: range.numbers().map(start).collect(), step, wrap, spread };
        if let Unit::Int(low, high) = info.unit {
            // Without a wrap the first and the last change are the extremes.
            let last = (0..rule.start.len()).flat_map(|place| [rule.value(place, 1), rule.value(place, rounds)]);
            let outside = |value: &f64| !(low as f64..=high as f64).contains(value);
            let worst = match wrap {
                Some(wrap) => Some(wrap - 1.0).filter(outside).or(Some(0.0).filter(outside)),
                None => last.into_iter().find(outside),
            };
            if let Some(value) = worst {
                let message = format!("`{name}` would become {value}, out of its range, {low} to {high}");
                return Err(checker
                    .fail(&at, "here", message)
                    .help(format!("`wrap` keeps the values from 0 to below it: `wrap: {}` at most", high.max(0) + 1)));
            }
        }
        rules.push(rule);
    }
    Ok(CrowdRule { entities: range, every_us: crowd.every.0, from, until, changes: rules })
}

/// Step, wrap and spread of a change, whole numbers for an integer field.
fn numbers(checker: &Checker<'_>, at: &Place<'_>, change: &Change, unit: Unit) -> Result<[f64; 3], Diagnostic> {
    let mut out = [0.0; 3];
    let given = [("step", Some(change.step)), ("wrap", change.wrap), ("spread", change.spread)];
    for (slot, (key, number)) in out.iter_mut().zip(given) {
        let Some(number) = number else { continue };
        if matches!((unit, number), (Unit::Int(..), Number::Float(_))) {
            let message = format!("the field is an integer, `{key}` a fraction");
            return Err(checker.fail(&at.key(key), "not an integer", message));
        }
        *slot = number.as_f64();
        if slot.abs() > MAX_CHANGE {
            return Err(checker.fail(&at.key(key), "out of range", format!("`{key}` is at most {MAX_CHANGE}")));
        }
    }
    Ok(out)
}

fn resolve_churn(
    checker: &Checker<'_>,
    at: &Place<'_>,
    churn: &Churn,
    changes: &mut u64,
) -> Result<ChurnRule, Diagnostic> {
    let range = checker.range(&at.key("entities"), churn.entities)?;
    few(checker, at, range, 0)?;
    let from = churn.from.time();
    let times = (churn.every.0, from, churn.until.map(|until| until.time()));
    let until = period(checker, at, "from", times, range.count(), changes)?;
    let mut fields = Vec::new();
    for (index, name) in churn.fields.iter().enumerate() {
        let (field, info) = checker.field(&at.key("fields").index(index), name, &[])?;
        if fields.iter().any(|(other, _)| *other == field) {
            return Err(checker.fail(&at.key("fields").index(index), "again", format!("duplicate `{name}`")));
        }
        fields.push((field, info.unit));
    }
    if fields.is_empty() && churn.set.0 > 0 {
        return Err(checker.fail(&at.key("fields"), "empty", "there is no field to set"));
    }
    if churn.spawn.0 == 0 && churn.remove.0 == 0 && churn.set.0 == 0 {
        return Err(checker.fail(at, "here", format!("{at} does nothing: all its chances are 0%")));
    }
    Ok(ChurnRule {
        entities: range,
        every_us: churn.every.0,
        from,
        until,
        spawn_ppm: churn.spawn.0,
        remove_ppm: churn.remove.0,
        set_ppm: churn.set.0,
        fields,
    })
}
