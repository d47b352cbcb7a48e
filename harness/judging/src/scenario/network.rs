//! From `network` and `faults` to the links of the simulated network.

use super::check::{Checker, MAX_DURATION_US};
use super::diagnostic::Diagnostic;
use super::fault::{At, FAULTS, Fault, MAX_DELAY_US, Mistake, Outage, Select};
use super::file::Link;
use super::locate::Place;
use super::short::{Duration, Percent, Way};
use kit::{Direction, Time};

/// The second copy of a duplicated datagram comes up to so much later, unless the file says otherwise.
const DUPLICATE_DELAY_US: u64 = 10_000;

/// A reordered datagram is held back so long, unless the file says otherwise.
const REORDER_DELAY_US: u64 = 40_000;

/// The size of a queue before a link of limited rate, unless the file says otherwise.
const QUEUE_BYTES: usize = 16_384;

/// Resolves the links: one pair per client, server to client first.
pub(super) fn resolve(checker: &Checker<'_>) -> Result<Vec<[sim::Link; 2]>, Diagnostic> {
    let network = &checker.file.network;
    let at = Place::default().key("network");
    let pair = [
        link(checker, &at, "s2c", &network.both, &network.s2c)?,
        link(checker, &at, "c2s", &network.both, &network.c2s)?,
    ];
    let mut links = vec![pair; usize::from(checker.file.clients)];
    for (index, item) in checker.file.faults.iter().enumerate() {
        fault(checker, &Place::default().key("faults").index(index), item, &mut links)?;
    }
    Ok(links)
}

/// One direction; `own` replaces `both` key by key.
fn link(
    checker: &Checker<'_>,
    at: &Place<'_>,
    key: &'static str,
    both: &Link,
    own: &Link,
) -> Result<sim::Link, Diagnostic> {
    check_link(checker, at, key, both, own)?;
    let us = |own: Option<Duration>, both: Option<Duration>| own.or(both).map(|duration| duration.0);
    let ppm = |own: Option<Percent>, both: Option<Percent>| own.or(both).map_or(0, |percent| percent.0);
    Ok(sim::Link {
        latency_us: us(own.latency, both.latency).unwrap_or(0),
        jitter_us: us(own.jitter, both.jitter).unwrap_or(0),
        loss_ppm: ppm(own.loss, both.loss),
        burst: own.burst.or(both.burst).map(|burst| sim::Burst {
            enter_ppm: burst.enter.0,
            leave_ppm: burst.leave.0,
            loss_ppm: burst.loss.0,
        }),
        duplicate_ppm: ppm(own.duplicate, both.duplicate),
        duplicate_us: us(own.duplicate_delay, both.duplicate_delay).unwrap_or(DUPLICATE_DELAY_US),
        reorder_ppm: ppm(own.reorder, both.reorder),
        reorder_us: us(own.reorder_delay, both.reorder_delay).unwrap_or(REORDER_DELAY_US),
        corrupt_ppm: ppm(own.corrupt, both.corrupt),
        truncate_ppm: ppm(own.truncate, both.truncate),
        mtu_bytes: own.mtu.or(both.mtu).map(|bytes| bytes as usize),
        bandwidth: own.bandwidth.or(both.bandwidth).map(|rate| sim::Bandwidth {
            bits_per_second: rate.0,
            queue_bytes: own.queue.or(both.queue).map_or(QUEUE_BYTES, |bytes| bytes as usize),
        }),
        random_until: match (own.until.or(both.until), checker.file.settle.0) {
            (None, 0) => None,
            (until, _) => Some(until.map_or(checker.still(), Duration::time)),
        },
        outages: Vec::new(),
        script: Vec::new(),
    })
}

/// Refuses numbers out of range, and keys without effect.
fn check_link(
    checker: &Checker<'_>,
    at: &Place<'_>,
    key: &'static str,
    both: &Link,
    own: &Link,
) -> Result<(), Diagnostic> {
    // The place of a key is where it was given.
    let place = |name: &'static str, own: bool| at.key(if own { key } else { "both" }).key(name);
    let chance = |own: Option<Percent>, both: Option<Percent>| own.or(both).is_some_and(|percent| percent.0 > 0);
    let duplicate = chance(own.duplicate, both.duplicate);
    let reorder = chance(own.reorder, both.reorder);
    let bandwidth = own.bandwidth.or(both.bandwidth).is_some();
    // A key that decides how something happens is a mistake where it never happens.
    for (name, own, both, what, there) in [
        ("duplicate_delay", own.duplicate_delay.is_some(), both.duplicate_delay.is_some(), "duplicate", duplicate),
        ("reorder_delay", own.reorder_delay.is_some(), both.reorder_delay.is_some(), "reorder", reorder),
        ("queue", own.queue.is_some(), both.queue.is_some(), "bandwidth", bandwidth),
    ] {
        if (own || both) && !there {
            return Err(checker.fail(&place(name, own), "here", format!("`{name}` has no effect without `{what}`")));
        }
    }
    for (name, own, both) in [("mtu", own.mtu, both.mtu), ("queue", own.queue, both.queue)] {
        if own.or(both) == Some(0) {
            let message = format!("`{name}` must be at least 1");
            return Err(checker.fail(&place(name, own.is_some()), "out of range", message));
        }
    }
    if let Some(until) = own.until.or(both.until).map(Duration::time).filter(|until| *until > checker.still()) {
        let message = format!(
            "random faults until {}, but the run settles from {}",
            Duration::from(until),
            Duration::from(checker.still())
        );
        return Err(checker
            .fail(&place("until", own.until.is_some()), "too late", message)
            .help(String::from("leave `until` out: it is the beginning of `settle` then")));
    }
    for (name, own, both) in [
        ("latency", own.latency, both.latency),
        ("jitter", own.jitter, both.jitter),
        ("duplicate_delay", own.duplicate_delay, both.duplicate_delay),
        ("reorder_delay", own.reorder_delay, both.reorder_delay),
    ] {
        if let Some(delay) = own.or(both).filter(|delay| delay.0 > MAX_DELAY_US) {
            let message = format!("`{name}` is {delay}; the limit is {}", Duration(MAX_DELAY_US));
            return Err(checker.fail(&place(name, own.is_some()), "too long", message));
        }
    }
    Ok(())
}

fn fault(checker: &Checker<'_>, at: &Place<'_>, fault: &Fault, links: &mut [[sim::Link; 2]]) -> Result<(), Diagnostic> {
    let given: Vec<(&'static str, bool)> = FAULTS
        .iter()
        .map(|known| (known.name, (known.select)(fault).is_some()))
        .chain([("outage", fault.outage.is_some())])
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
    let from = outage.from.time();
    let (key, until) = match (outage.r#for, outage.until) {
        (Some(length), None) => ("for", from.after(length.0)),
        (None, Some(until)) => ("until", until.time()),
        (Some(_), Some(_)) => {
            return Err(checker
                .fail(&at.name("until"), "one too many", "both `for` and `until` are given")
                .help(String::from("keep one of the two")));
        }
        (None, None) => {
            return Err(checker
                .fail(at, "here", "the outage has no end")
                .help(String::from("say `for: 3s`, or `until: 5s`")));
        }
    };
    checker.interval(at, from, until, key)?;
    if checker.file.settle.0 > 0 && until > checker.still() {
        let message = format!(
            "the outage lasts until {}, but the run settles from {}",
            Duration::from(until),
            Duration::from(checker.still())
        );
        return Err(checker
            .fail(&at.key(key), "too long", message)
            .help(String::from("nothing settles while nothing gets through")));
    }
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
