//! From `network` and `faults` to the links of the simulated network.

use super::check::{Checker, MAX_DURATION_US};
use super::diagnostic::Diagnostic;
use super::fault::{At, FAULTS, Fault, MAX_DELAY_US, Mistake, Outage, Select, UNSELECTIVE};
use super::file::{Link, Preset};
use super::host::Hosts;
use super::place::Place;
use super::short::{Duration, Percent, Way};
use kit::{Direction, Time};

/// The second copy of a duplicated datagram comes up to so much later, unless the file says otherwise.
const DUPLICATE_DELAY_US: u64 = 10_000;

/// A reordered datagram is held back so long, unless the file says otherwise.
const REORDER_DELAY_US: u64 = 40_000;

/// The size of a queue before a link of limited rate, unless the file says otherwise.
const QUEUE_BYTES: usize = 16_384;

/// Resolves the links: one pair per client, server to client first.
pub(super) fn resolve(checker: &Checker<'_>, hosts: &Hosts) -> Result<Vec<[sim::Link; 2]>, Diagnostic> {
    let network = &checker.file.network;
    let at = Place::default().key("network");
    let [down, up] = network.preset.map(Preset::links).unwrap_or_default();
    let given = |key, own| Given { at: &at, key, both: &network.both, own };
    let pair = [link(checker, &given("s2c", &network.s2c), &down)?, link(checker, &given("c2s", &network.c2s), &up)?];
    let mut links = vec![pair; usize::from(checker.file.clients)];
    for (index, item) in checker.file.faults.iter().enumerate() {
        fault(checker, &Place::default().key("faults").index(index), item, &mut links)?;
    }
    // Nothing gets through to a client that is not there, nor from it.
    for (host, from, until) in &hosts.restarts {
        let pair = links.get_mut(usize::from(host.0).wrapping_sub(1)).into_iter().flatten();
        pair.for_each(|link| link.outages.push((*from, *until)));
    }
    Ok(links)
}

/// Whether a link has a key.
type IsGiven = fn(&Link) -> bool;

/// The value of a key that is a number of bytes.
type Size = fn(&Link) -> Option<u32>;

/// The value of a key that is a delay.
type Delay = fn(&Link) -> Option<Duration>;

/// What a file says of one direction.
struct Given<'a> {
    at: &'a Place<'a>,
    key: &'static str,
    both: &'a Link,
    own: &'a Link,
}

impl Given<'_> {
    /// Where a key was given: for this direction, or for both.
    fn fail(
        &self,
        checker: &Checker<'_>,
        name: &'static str,
        is_given: IsGiven,
        label: &str,
        message: String,
    ) -> Diagnostic {
        let key = if is_given(self.own) { self.key } else { "both" };
        checker.fail(&self.at.key(key).key(name), label, message)
    }
}

/// One direction; a key of its own replaces that of both directions, and that the preset's.
fn link(checker: &Checker<'_>, given: &Given<'_>, preset: &Link) -> Result<sim::Link, Diagnostic> {
    let chosen = given.own.or(given.both).or(preset);
    check_link(checker, given, &chosen)?;
    let us = |duration: Option<Duration>| duration.map(|duration| duration.0);
    let ppm = |percent: Option<Percent>| percent.map_or(0, |percent| percent.0);
    Ok(sim::Link {
        latency_us: us(chosen.latency).unwrap_or(0),
        jitter_us: us(chosen.jitter).unwrap_or(0),
        loss_ppm: ppm(chosen.loss),
        burst: chosen.burst.map(|burst| sim::Burst {
            enter_ppm: burst.enter.0,
            leave_ppm: burst.leave.0,
            loss_ppm: burst.loss.0,
        }),
        duplicate_ppm: ppm(chosen.duplicate),
        duplicate_us: us(chosen.duplicate_delay).unwrap_or(DUPLICATE_DELAY_US),
        reorder_ppm: ppm(chosen.reorder),
        reorder_us: us(chosen.reorder_delay).unwrap_or(REORDER_DELAY_US),
        corrupt_ppm: ppm(chosen.corrupt),
        truncate_ppm: ppm(chosen.truncate),
        spike: chosen.spike.filter(|spike| spike.enter.0 > 0).map(|spike| sim::Spike {
            enter_ppm: spike.enter.0,
            height_us: spike.by.0,
            length_us: spike.r#for.0,
        }),
        mtu_bytes: chosen.mtu.map(|bytes| bytes as usize),
        bandwidth: chosen.bandwidth.map(|rate| sim::Bandwidth {
            bits_per_second: rate.0,
            queue_bytes: chosen.queue.map_or(QUEUE_BYTES, |bytes| bytes as usize),
        }),
        random_until: match (chosen.until, checker.file.settle.0) {
            (None, 0) => None,
            (until, _) => Some(until.map_or(checker.still(), Duration::time)),
        },
        outages: Vec::new(),
        script: Vec::new(),
        swarm: if chosen.swarm == Some(true) { sim::Swarm::Wanted } else { sim::Swarm::Off },
    })
}

impl Link {
    /// With the keys of `other` where this one has none.
    fn or(&self, other: &Link) -> Link {
        Link {
            latency: self.latency.or(other.latency),
            jitter: self.jitter.or(other.jitter),
            loss: self.loss.or(other.loss),
            burst: self.burst.or(other.burst),
            duplicate: self.duplicate.or(other.duplicate),
            duplicate_delay: self.duplicate_delay.or(other.duplicate_delay),
            reorder: self.reorder.or(other.reorder),
            reorder_delay: self.reorder_delay.or(other.reorder_delay),
            corrupt: self.corrupt.or(other.corrupt),
            truncate: self.truncate.or(other.truncate),
            mtu: self.mtu.or(other.mtu),
            bandwidth: self.bandwidth.or(other.bandwidth),
            queue: self.queue.or(other.queue),
            spike: self.spike.or(other.spike),
            until: self.until.or(other.until),
            swarm: self.swarm.or(other.swarm),
        }
    }

    /// Whether it has a fault that [`sim::Swarm`] can draw.
    fn has_faults(&self) -> bool {
        let chances = [self.loss, self.duplicate, self.reorder, self.corrupt, self.truncate];
        chances.iter().flatten().any(|percent| percent.0 > 0)
            || self.jitter.is_some_and(|jitter| jitter.0 > 0)
            || self.burst.is_some()
            || self.spike.is_some()
            || self.mtu.is_some()
            || self.bandwidth.is_some()
    }
}

/// Refuses numbers out of range, and keys without effect.
fn check_link(checker: &Checker<'_>, given: &Given<'_>, chosen: &Link) -> Result<(), Diagnostic> {
    let happens = |percent: Option<Percent>| percent.is_some_and(|percent| percent.0 > 0);
    let (duplicate, reorder) = (happens(chosen.duplicate), happens(chosen.reorder));
    // A key that decides how something happens is a mistake where it never happens.
    let needed: [(_, IsGiven, _, _); 4] = [
        ("duplicate_delay", |link| link.duplicate_delay.is_some(), "duplicate", duplicate),
        ("reorder_delay", |link| link.reorder_delay.is_some(), "reorder", reorder),
        ("queue", |link| link.queue.is_some(), "bandwidth", chosen.bandwidth.is_some()),
        ("swarm", |link| link.swarm == Some(true), "a fault that can be drawn", chosen.has_faults()),
    ];
    for (name, is_given, what, there) in needed {
        if is_given(chosen) && !there {
            let what = if name == "swarm" { String::from(what) } else { format!("`{what}`") };
            let message = format!("`{name}` has no effect without {what}");
            return Err(given.fail(checker, name, is_given, "here", message));
        }
    }
    let sizes: [(_, Size, IsGiven); 2] = [
        ("mtu", |link| link.mtu, |link| link.mtu.is_some()),
        ("queue", |link| link.queue, |link| link.queue.is_some()),
    ];
    for (name, size, is_given) in sizes {
        if size(chosen) == Some(0) {
            let message = format!("`{name}` must be at least 1");
            return Err(given.fail(checker, name, is_given, "out of range", message));
        }
    }
    if let Some(until) = chosen.until.map(Duration::time).filter(|until| *until > checker.still()) {
        let message = format!(
            "random faults until {}, but the run settles from {}",
            Duration::from(until),
            Duration::from(checker.still())
        );
        return Err(given
            .fail(checker, "until", |link| link.until.is_some(), "too late", message)
            .help(String::from("leave `until` out: it is the beginning of `settle` then")));
    }
    check_delays(checker, given, chosen)
}

fn check_delays(checker: &Checker<'_>, given: &Given<'_>, chosen: &Link) -> Result<(), Diagnostic> {
    let delays: [(_, Delay, IsGiven); 4] = [
        ("latency", |link| link.latency, |link| link.latency.is_some()),
        ("jitter", |link| link.jitter, |link| link.jitter.is_some()),
        ("duplicate_delay", |link| link.duplicate_delay, |link| link.duplicate_delay.is_some()),
        ("reorder_delay", |link| link.reorder_delay, |link| link.reorder_delay.is_some()),
    ];
    for (name, delay, is_given) in delays {
        if let Some(delay) = delay(chosen).filter(|delay| delay.0 > MAX_DELAY_US) {
            let message = format!("`{name}` is {delay}; the limit is {}", Duration(MAX_DELAY_US));
            return Err(given.fail(checker, name, is_given, "too long", message));
        }
    }
    let Some(spike) = chosen.spike else { return Ok(()) };
    let at = given.at.key(if given.own.spike.is_some() { given.key } else { "both" }).key("spike");
    for (name, delay) in [("by", spike.by), ("for", spike.r#for)] {
        if delay.0 == 0 || delay.0 > MAX_DELAY_US {
            let message = format!("`{name}` is {delay}; it is more than 0s and at most {}", Duration(MAX_DELAY_US));
            return Err(checker.fail(&at.key(name), "out of range", message));
        }
    }
    Ok(())
}

fn fault(checker: &Checker<'_>, at: &Place<'_>, fault: &Fault, links: &mut [[sim::Link; 2]]) -> Result<(), Diagnostic> {
    let given: Vec<(&'static str, bool)> = FAULTS
        .iter()
        .map(|known| (known.name, (known.select)(fault).is_some()))
        .chain(UNSELECTIVE.map(|(name, is_given)| (name, is_given(fault))))
        .collect();
    let at = at.key(checker.single(at, "fault", &given)?);
    if let Some(item) = &fault.outage {
        return outage(checker, &at, item, links);
    }
    for known in FAULTS {
        if let Some(select) = (known.select)(fault) {
            let chosen = selection(checker, &at, select)?;
            let action = known.action(select).map_err(|mistake| diagnostic(checker, &at, mistake))?;
            let rule = sim::Rule { select: chosen, action };
            each(checker, &at, select.direction, select.client, links, |link| link.script.push(rule))?;
        }
    }
    Ok(())
}

/// A mistake of the fault at `at`, with its place in the file.
fn diagnostic(checker: &Checker<'_>, at: &Place<'_>, mistake: Mistake) -> Diagnostic {
    let failed = match mistake.at {
        At::Fault => checker.fail(at, mistake.label, mistake.message),
        At::Name(key) => checker.fail(&at.name(key), mistake.label, mistake.message),
        At::Value(key) => checker.fail(&at.key(key), mistake.label, mistake.message),
    };
    match mistake.help {
        Some(help) => failed.help(String::from(help)),
        None => failed,
    }
}

/// Does something to the links that a direction and a client mean.
fn each(
    checker: &Checker<'_>,
    at: &Place<'_>,
    way: Way,
    client: Option<u16>,
    links: &mut [[sim::Link; 2]],
    mut change: impl FnMut(&mut sim::Link),
) -> Result<(), Diagnostic> {
    let only = client.map(|client| checker.client(&at.key("client"), client)).transpose()?;
    for (index, pair) in links.iter_mut().enumerate() {
        if only.is_none_or(|host| usize::from(host.0) == index + 1) {
            way.directions()
                .iter()
                .map(|direction: &Direction| direction.index())
                .for_each(|way| change(&mut pair[way]));
        }
    }
    Ok(())
}

fn outage(
    checker: &Checker<'_>,
    at: &Place<'_>,
    outage: &Outage,
    links: &mut [[sim::Link; 2]],
) -> Result<(), Diagnostic> {
    let (from, until) = checker.while_lasting(at, "outage", (outage.from, outage.r#for, outage.until))?;
    each(checker, at, outage.direction, outage.client, links, |link| link.outages.push((from, until)))
}

fn selection(checker: &Checker<'_>, at: &Place<'_>, select: &Select) -> Result<sim::Select, Diagnostic> {
    let carries = checker.carries(at, select.carries.as_deref(), select.entity, select.number)?;
    let time = match (select.from, select.until) {
        (None, None) => None,
        (from, until) => {
            let from = from.map_or(Time::ZERO, Duration::time);
            let key = if until.is_some() { "until" } else { "from" };
            let until = until.map_or(Time(MAX_DURATION_US), Duration::time);
            checker.interval(at, from, until, key)?;
            Some((from, until))
        }
    };
    if let Some(nth) = select.nth.filter(|nth| nth.first == 0) {
        let message = format!("`nth` is counted from 1; {nth} begins before that");
        return Err(checker.fail(&at.key("nth"), "out of range", message));
    }
    if carries.is_none() && time.is_none() && select.index.is_none() && select.nth.is_none() {
        return Err(checker
            .fail(at, "here", "this selects every datagram")
            .help(String::from("add `index`, `nth`, `carries`, or `from` and `until`; `outage` blocks everything")));
    }
    let pair = |range: super::short::Range| (range.first, range.last);
    Ok(sim::Select { index: select.index.map(pair), time, carries, nth: select.nth.map(pair) })
}
