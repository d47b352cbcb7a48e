//! From `clocks`, and the pauses and restarts among `faults`, to what happens to the hosts themselves.

use super::check::Checker;
use super::diagnostic::Diagnostic;
use super::fault::HostFault;
use super::file::HostClock;
use super::place::Place;
use super::short::{Duration, Percent};
use kit::{Command, HostId, Time};
use sim::{Clock, Pause};

/// Clocks are at most so much too fast or too slow, in parts per million: ten times what a bad
/// quartz is. Faster, what protocols say of pace and time would not hold.
const MAX_DRIFT_PPM: u32 = 1_000;

/// What happens to the hosts of a run.
#[derive(Clone, Debug, Default)]
pub(super) struct Hosts {
    pub pauses: Vec<Pause>,
    /// Hosts that die, when, and from when on another is in their place: in the order of the last.
    pub restarts: Vec<(HostId, Time, Time)>,
    clocks: Vec<(HostId, Clock)>,
}

impl Hosts {
    /// The clock of a host.
    pub fn clock(&self, host: HostId) -> Clock {
        self.clocks.iter().find(|(other, _)| *other == host).map_or(Clock::default(), |(_, clock)| *clock)
    }

    /// The commands to clients that are restarted. One that dies is one that leaves: what it says of that is lost, so that nobody
    /// can tell the two apart.
    pub fn instructions(&self, checker: &Checker<'_>) -> Result<Vec<(Time, HostId, Command)>, Diagnostic> {
        let mut commands = Vec::new();
        for (host, from, until) in &self.restarts {
            instructed_in_vain(checker, *host, (*from, *until))?;
            if *host != HostId::SERVER {
                commands.extend([(*from, *host, Command::Disconnect), (*until, *host, Command::Connect)]);
            }
        }
        Ok(commands)
    }

    /// What is wrong with the hosts, a line each.
    pub fn lines(&self) -> Vec<String> {
        let pauses =
            self.pauses.iter().map(|pause| format!("{} stood still {}..{}", pause.host, pause.from, pause.until));
        let clocks = self.clocks.iter().map(|(host, clock)| {
            let ahead = Duration(clock.ahead_us);
            let (drift, way) =
                (Percent(clock.drift_ppm.unsigned_abs()), if clock.drift_ppm < 0 { "slow" } else { "fast" });
            format!("{host} clock {ahead} ahead, {drift} {way}")
        });
        let restarts =
            self.restarts.iter().map(|(host, from, until)| format!("{host} died at {from}, again at {until}"));
        pauses.chain(restarts).chain(clocks).collect()
    }
}

/// Resolves them.
pub(super) fn resolve(checker: &Checker<'_>) -> Result<Hosts, Diagnostic> {
    let (mut hosts, mut all) = (Hosts::default(), Vec::new());
    for (index, fault) in checker.file.faults.iter().enumerate() {
        let at = Place::default().key("faults").index(index);
        if let Some(pause) = &fault.pause {
            let at = at.key("pause");
            refuse_live(checker, &at, "stand still")?;
            let (host, from, until) = of_host(checker, &at, "pause", pause)?;
            hosts.pauses.push(Pause { host, from, until });
            all.push(Happening { at, host, from, until, is_death: false });
        }
        if let Some(item) = &fault.restart {
            let at = at.key("restart");
            refuse_live(checker, &at, "start again")?;
            let (host, from, until) = of_host(checker, &at, "restart", item)?;
            hosts.restarts.push((host, from, until));
            all.push(Happening { at, host, from, until, is_death: true });
        }
    }
    hosts.restarts.sort_by_key(|(_, _, until)| *until);
    alone_in_death(checker, &all)?;
    for (index, fault) in checker.file.faults.iter().enumerate() {
        let Some(restart) = &fault.restart else { continue };
        let host = restart.host.0;
        if host != HostId::SERVER && hosts.pauses.iter().any(|pause| pause.host == host) {
            let at = Place::default().key("faults").index(index).key("restart").key("host");
            let message = format!("{host} stands still in this run, too");
            return Err(checker
                .fail(&at, "one of the two", message)
                .help(String::from("let another client stand still")));
        }
    }
    for (index, item) in checker.file.clocks.iter().enumerate() {
        let at = Place::default().key("clocks").index(index);
        refuse_live(checker, &at, "have a wrong clock")?;
        let host = checker.host(&at.key("host"), item.host.0)?;
        if hosts.clocks.iter().any(|(other, _)| *other == host) {
            return Err(checker.fail(&at.key("host"), "again", format!("{host} has two clocks")));
        }
        hosts.clocks.push((host, clock(checker, &at, item)?));
    }
    Ok(hosts)
}

/// What a host's clock may show at the start: it has been up for twenty years.
const MAX_AHEAD_US: u64 = 7_300 * 24 * 3600 * 1_000_000;

/// The host that something happens to, from when and until when; `thing` is what that is called.
fn of_host(
    checker: &Checker<'_>,
    at: &Place<'_>,
    thing: &str,
    item: &HostFault,
) -> Result<(HostId, Time, Time), Diagnostic> {
    let host = checker.host(&at.key("host"), item.host.0)?;
    let (from, until) = checker.while_lasting(at, thing, (item.from, item.r#for, item.until))?;
    Ok((host, from, until))
}

/// What happens to a host, and where the file says so.
struct Happening<'a> {
    at: Place<'a>,
    host: HostId,
    from: Time,
    until: Time,
    is_death: bool,
}

/// Refuses whatever else happens to a host while the server is dead: nobody could tell.
fn alone_in_death(checker: &Checker<'_>, all: &[Happening<'_>]) -> Result<(), Diagnostic> {
    let deaths = all.iter().enumerate().filter(|(_, it)| it.is_death && it.host == HostId::SERVER);
    for (own, death) in deaths {
        let meets = |it: &Happening<'_>| it.from <= death.until && death.from <= it.until;
        if let Some((_, it)) = all.iter().enumerate().find(|(other, it)| *other != own && meets(it)) {
            let (from, until) = (Duration::from(death.from), Duration::from(death.until));
            let message =
                format!("the server is dead from {from} to {until}, and something happens to {} then", it.host);
            return Err(checker
                .fail(&it.at.key("from"), "while the server is dead", message)
                .help(String::from("let it be over before that, or begin after it")));
        }
    }
    Ok(())
}

/// Refuses commands to a client before it is restarted: it would not know of it, and be judged as if it did. So is a connect
/// or disconnect while it is dead.
fn instructed_in_vain(checker: &Checker<'_>, host: HostId, (from, until): (Time, Time)) -> Result<(), Diagnostic> {
    let of_server = host == HostId::SERVER;
    for (index, step) in checker.file.timeline.iter().enumerate() {
        for (key, targets) in [("connect", &step.connect), ("disconnect", &step.disconnect)] {
            let meant = targets.as_ref().is_some_and(|targets| of_server || targets.client == host.0);
            if meant && (from..=until).contains(&step.at.time()) {
                let (from, until) = (Duration::from(from), Duration::from(until));
                let who = if of_server { "its clients connect" } else { "connects" };
                let message = format!("{host} is dead from {from} to {until}, and {who} when that is over");
                return Err(checker
                    .fail(&Place::default().key("timeline").index(index).key(key), "in vain", message)
                    .help(String::from("tell it before or after that")));
            }
        }
        // A server takes its commands before it dies; its client would be judged as if it knew of it.
        let first = if of_server { from } else { Time::ZERO };
        let verb = step.verbs().any(|verb| verb.host.0 == host);
        if verb && step.is_within(first, until) {
            let message = format!("{host} is restarted at {} and knows nothing of this then", Duration::from(until));
            let key = if step.verb.is_some() { "verb" } else { "verbs" };
            return Err(checker
                .fail(&Place::default().key("timeline").index(index).key(key), "in vain", message)
                .help(String::from("tell it after that")));
        }
    }
    Ok(())
}

/// A live session has the time of the machine, and its hosts run by themselves.
pub(super) fn refuse_live(checker: &Checker<'_>, at: &Place<'_>, what: &str) -> Result<(), Diagnostic> {
    match checker.is_live {
        true => Err(checker
            .fail(at, "here", format!("in a live session no host can be made to {what}"))
            .help(String::from("take it out, or write a scenario for `run`"))),
        false => Ok(()),
    }
}

fn clock(checker: &Checker<'_>, at: &Place<'_>, item: &HostClock) -> Result<Clock, Diagnostic> {
    let ahead_us = item.ahead.map_or(0, |ahead| ahead.0);
    if ahead_us > MAX_AHEAD_US {
        let message = format!("`ahead` is {}; the limit is 7300d", Duration(ahead_us));
        return Err(checker.fail(&at.key("ahead"), "too long", message));
    }
    let (key, drift) = match (item.fast, item.slow) {
        (Some(_), Some(_)) => {
            return Err(checker
                .fail(&at.name("slow"), "one too many", "both `fast` and `slow` are given")
                .help(String::from("keep one of the two")));
        }
        (None, Some(slow)) => ("slow", slow.0),
        (fast, None) => ("fast", fast.map_or(0, |fast| fast.0)),
    };
    if drift > MAX_DRIFT_PPM {
        let message = format!("`{key}` is {}; the limit is {}", Percent(drift), Percent(MAX_DRIFT_PPM));
        return Err(checker.fail(&at.key(key), "out of range", message));
    }
    if ahead_us == 0 && drift == 0 {
        return Err(checker
            .fail(at, "here", "nothing is wrong with this clock")
            .help(String::from("give `ahead`, `fast` or `slow`")));
    }
    let drift_ppm = drift as i32;
    let from_zero = ahead_us > 0 && item.host.0 == HostId::SERVER;
    Ok(Clock { ahead_us, drift_ppm: if key == "slow" { -drift_ppm } else { drift_ppm }, from_zero })
}
