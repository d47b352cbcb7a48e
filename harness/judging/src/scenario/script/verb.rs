//! Steps with verbs, which can be repeated with other arguments each time.

use super::{MAX_STEPS, Script, push, repeat};
use crate::scenario::check::Checker;
use crate::scenario::diagnostic::Diagnostic;
use crate::scenario::file::{Step, Verb};
use crate::scenario::place::Place;
use crate::scenario::short::Duration;
use kit::{Command, HostId, Role, Time};

/// Resolves a step whose `action` is `verb` or `verbs`; `at` is its place.
pub(super) fn steps(
    checker: &Checker<'_>,
    at: &Place<'_>,
    action: &'static str,
    step: &Step,
    script: &mut Script,
    changes: &mut u64,
) -> Result<(), Diagnostic> {
    let place = at.key(action);
    let verbs = step.verbs().enumerate();
    let verbs: Vec<(Place<'_>, &Verb)> = verbs
        .map(|(index, verb)| (if step.verbs.is_some() { place.index(index) } else { place.clone() }, verb))
        .collect();
    if verbs.is_empty() {
        return Err(checker.fail(&place, "empty", "a step without a verb"));
    }
    let Some(times) = step.times.or(step.every.is_none().then_some(1)) else {
        for (place, verb) in &verbs {
            let (host, command) = resolve(checker, place, verb, 0)?;
            needs_times(checker, place, verb)?;
            repeat(
                checker,
                at,
                script,
                (step.every.unwrap_or_default(), step.at.time(), host),
                vec![command],
                changes,
            )?;
        }
        return Ok(());
    };
    if times == 0 || times as usize > MAX_STEPS {
        return Err(checker.fail(&at.key("times"), "out of range", format!("`times` is 1 to {MAX_STEPS}")));
    }
    let last = step.round(times - 1);
    if last >= checker.end() {
        let (last, end) = (Duration::from(last), checker.file.duration);
        let message = format!("the last of {times} times is at {last}, but the run ends at {end}");
        return Err(checker.fail(&at.key("times"), "too late", message));
    }
    for round in 0..times {
        for (place, verb) in &verbs {
            let (host, command) = resolve(checker, place, verb, round)?;
            if step.times.is_none() {
                needs_times(checker, place, verb)?;
            }
            push(checker, at, script, step.round(round), host, std::iter::once(command))?;
        }
    }
    Ok(())
}

/// Refuses to step in what is done once, or for an unknown time.
fn needs_times(checker: &Checker<'_>, at: &Place<'_>, verb: &Verb) -> Result<(), Diagnostic> {
    let Some(name) = verb.step.keys().next() else { return Ok(()) };
    Err(checker
        .fail(&at.key("step").name(name), "here", "a `step` without `times`")
        .help(String::from("say beside `at` how often it is done, such as `times: 10`")))
}

/// Who is told what in this round, from 0; `at` is the place of the verb.
fn resolve(checker: &Checker<'_>, at: &Place<'_>, verb: &Verb, round: u32) -> Result<(HostId, Command), Diagnostic> {
    let host = checker.host(&at.key("host"), verb.host.0)?;
    let names: Vec<&str> = checker.protocol.verbs.iter().map(|verb| verb.name).collect();
    let index = checker.index(&at.key("name"), &verb.name, &names, "verb")?;
    let kit::Verb { args: known, to, .. } = checker.protocol.verbs[index];
    if (to == Role::Server) != (host == HostId::SERVER) {
        let (whose, write) = if to == Role::Server { ("the server", "server") } else { ("clients", "client1") };
        let message = format!("`{}` is a verb of {whose}, not of {host}", verb.name);
        return Err(checker.fail(&at.key("host"), "the wrong host", message).help(format!("write `host: {write}`")));
    }
    let mut args = [0; 4];
    for (name, int) in &verb.args {
        let place = checker.index(&at.key("args").name(name), name, known, "argument")?;
        let step = verb.step.get(name).map_or(0, |step| step.value);
        let value = step.checked_mul(round.into()).and_then(|added| int.value.checked_add(added));
        let value = value.and_then(|value| i32::try_from(value).ok()).ok_or_else(|| {
            let (key, what) = if round == 0 { ("args", int) } else { ("step", &verb.step[name]) };
            let message = format!("an argument is a 32-bit integer; {what} is too large");
            checker.fail(&at.key(key).key(name), "out of range", message)
        })?;
        if *name == "client" && value != 0 && !checker.is_live {
            let client = u16::try_from(value).unwrap_or(u16::MAX);
            checker.client(&at.key(if round == 0 { "args" } else { "step" }).key(name), client)?;
        }
        if let Some(arg) = args.get_mut(place) {
            *arg = value;
        }
    }
    if let Some(missing) = known.iter().find(|name| !verb.args.contains_key(**name)) {
        let message = format!("the verb `{}` needs its argument `{missing}`", verb.name);
        return Err(checker
            .fail(&at.key("args"), "here", message)
            .help(format!("its arguments are `{}`", known.join("`, `"))));
    }
    for name in verb.step.keys() {
        checker.index(&at.key("step").name(name), name, known, "argument")?;
    }
    Ok((host, Command::Verb { verb: index, args }))
}

impl Step {
    /// Its verbs, in order.
    pub(in crate::scenario) fn verbs(&self) -> impl Iterator<Item = &Verb> {
        self.verb.iter().chain(self.verbs.iter().flatten())
    }

    /// When it is done for this time, from 0.
    pub(in crate::scenario) fn round(&self, round: u32) -> Time {
        self.at.time().after(self.every.map_or(0, |every| every.0).saturating_mul(round.into()))
    }

    /// Whether it is done from `first` until before `until`; one without `times` counts as once.
    pub(in crate::scenario) fn is_within(&self, first: Time, until: Time) -> bool {
        (0..self.times.unwrap_or(1)).any(|round| (first..until).contains(&self.round(round)))
    }
}
