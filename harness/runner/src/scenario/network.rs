//! From `network` and `faults` to the links of the simulated network.

use super::check::{Checker, MAX_DURATION_US};
use super::diagnostic::Diagnostic;
use super::file::{Fault, Link, Outage, Select, Way};
use super::locate::Place;
use super::short::{Duration, Percent};
use kit::{Direction, Time};

/// Latencies and delays are at most a minute.
const MAX_DELAY_US: u64 = 60_000_000;

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
    // The place of a key is where it was given.
    let place = |name: &'static str, own: bool| at.key(if own { key } else { "both" }).key(name);
    let delay = |name, own: Option<Duration>, both: Option<Duration>| match own.or(both) {
        Some(Duration(us)) if us > MAX_DELAY_US => {
            let message = format!("`{name}` is {}; the limit is {}", Duration(us), Duration(MAX_DELAY_US));
            Err(checker.fail(&place(name, own.is_some()), "too long", message))
        }
        found => Ok(found.map(|duration| duration.0)),
    };
    let ppm = |own: Option<Percent>, both: Option<Percent>| own.or(both).map_or(0, |percent| percent.0);
    // A key that decides how something happens is a mistake where it never happens.
    let needs = |name: &'static str, own: bool, both: bool, what: &str, there: bool| match (own || both) && !there {
        true => Err(checker.fail(&place(name, own), "here", format!("`{name}` has no effect without `{what}`"))),
        false => Ok(()),
    };
    let duplicate_ppm = ppm(own.duplicate, both.duplicate);
    let reorder_ppm = ppm(own.reorder, both.reorder);
    let rate = own.bandwidth.or(both.bandwidth);
    let queue = own.queue.or(both.queue);
    needs(
        "duplicate_delay",
        own.duplicate_delay.is_some(),
        both.duplicate_delay.is_some(),
        "duplicate",
        duplicate_ppm > 0,
    )?;
    needs("reorder_delay", own.reorder_delay.is_some(), both.reorder_delay.is_some(), "reorder", reorder_ppm > 0)?;
    needs("queue", own.queue.is_some(), both.queue.is_some(), "bandwidth", rate.is_some())?;
    for (name, own, both) in [("mtu", own.mtu, both.mtu), ("queue", own.queue, both.queue)] {
        if own.or(both) == Some(0) {
            return Err(checker.fail(
                &place(name, own.is_some()),
                "out of range",
                format!("`{name}` must be at least 1"),
            ));
        }
    }
    let until = own.until.or(both.until).map(Duration::time);
    if let Some(until) = until.filter(|until| *until > checker.still()) {
        let message = format!(
            "random faults until {}, but the run settles from {}",
            Duration::from(until),
            Duration::from(checker.still())
        );
        return Err(checker
            .fail(&place("until", own.until.is_some()), "too late", message)
            .help(String::from("leave `until` out: it is the beginning of `settle` then")));
    }
    Ok(sim::Link {
        latency_us: delay("latency", own.latency, both.latency)?.unwrap_or(0),
        jitter_us: delay("jitter", own.jitter, both.jitter)?.unwrap_or(0),
        loss_ppm: ppm(own.loss, both.loss),
        burst: own.burst.or(both.burst).map(|burst| sim::Burst {
            enter_ppm: burst.enter.0,
            leave_ppm: burst.leave.0,
            loss_ppm: burst.loss.0,
        }),
        duplicate_ppm,
        duplicate_us: delay("duplicate_delay", own.duplicate_delay, both.duplicate_delay)?
            .unwrap_or(DUPLICATE_DELAY_US),
        reorder_ppm,
        reorder_us: delay("reorder_delay", own.reorder_delay, both.reorder_delay)?.unwrap_or(REORDER_DELAY_US),
        corrupt_ppm: ppm(own.corrupt, both.corrupt),
        truncate_ppm: ppm(own.truncate, both.truncate),
        mtu_bytes: own.mtu.or(both.mtu).map(|bytes| bytes as usize),
        bandwidth: rate.map(|rate| sim::Bandwidth {
            bits_per_second: rate.0,
            queue_bytes: queue.map_or(QUEUE_BYTES, |bytes| bytes as usize),
        }),
        random_until: match (until, checker.file.settle.0) {
            (None, 0) => None,
            (until, _) => Some(until.unwrap_or(checker.still())),
        },
        outages: Vec::new(),
        script: Vec::new(),
    })
}

fn fault(checker: &Checker<'_>, at: &Place<'_>, fault: &Fault, links: &mut [[sim::Link; 2]]) -> Result<(), Diagnostic> {
    let selects = [
        ("drop", &fault.drop),
        ("deliver", &fault.deliver),
        ("delay", &fault.delay),
        ("duplicate", &fault.duplicate),
        ("truncate", &fault.truncate),
        ("flip", &fault.flip),
    ];
    let mut given: Vec<(&'static str, bool)> = selects.iter().map(|(name, select)| (*name, select.is_some())).collect();
    given.push(("outage", fault.outage.is_some()));
    let name = checker.single(at, "fault", &given)?;
    let at = at.key(name);
    if let Some(item) = &fault.outage {
        return outage(checker, &at, item, links);
    }
    for (_, select) in selects {
        if let Some(select) = select {
            let rule =
                sim::Rule { select: selection(checker, &at, select)?, action: action(checker, &at, name, select)? };
            each(checker, &at, select.direction, select.client, links, |link| link.script.push(rule))?;
        }
    }
    Ok(())
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

/// What happens to the datagrams selected: each fault has its own key for it, and no other's.
fn action(
    checker: &Checker<'_>,
    at: &Place<'_>,
    name: &'static str,
    select: &Select,
) -> Result<sim::Action, Diagnostic> {
    let keys = [
        ("delay", "by", select.by.is_some()),
        ("duplicate", "after", select.after.is_some()),
        ("truncate", "keep", select.keep.is_some()),
        ("flip", "bit", select.bit.is_some()),
    ];
    for (fault, key, given) in keys {
        if given && fault != name {
            return Err(checker.fail(&at.name(key), "here", format!("`{key}` belongs to `{fault}`, not to `{name}`")));
        }
        if !given && fault == name {
            return Err(checker.fail(at, "here", format!("`{name}` needs `{key}`")).help(String::from(match key {
                "by" => "say how much later, such as `by: 80ms`",
                "after" => "say how much later the second copy comes, such as `after: 20ms`",
                "keep" => "say how many bytes are delivered, such as `keep: 20`",
                _ => "say which bit, counted from the lowest of the first byte, such as `bit: 13`",
            })));
        }
    }
    for (key, duration) in [("by", select.by), ("after", select.after)] {
        if let Some(duration) = duration.filter(|duration| duration.0 > MAX_DELAY_US) {
            let message = format!("`{key}` is {duration}; the limit is {}", Duration(MAX_DELAY_US));
            return Err(checker.fail(&at.key(key), "too long", message));
        }
    }
    if let Some(keep) = select.keep.filter(|keep| *keep >= u32::from(u16::MAX)) {
        let message = format!("`keep` is {keep} bytes, more than any datagram has");
        return Err(checker.fail(&at.key("keep"), "out of range", message));
    }
    if select.bit == Some(u32::MAX) {
        return Err(checker.fail(&at.key("bit"), "out of range", "`bit` is beyond any datagram"));
    }
    Ok(match (select.by, select.after, select.keep, select.bit) {
        (Some(by), ..) => sim::Action::Delay { by_us: by.0 },
        (_, Some(after), ..) => sim::Action::Duplicate { after_us: after.0 },
        (_, _, Some(keep), _) => sim::Action::Damage(kit::Damage::Truncated { keep_bytes: keep as u16 }),
        (.., Some(bit)) => sim::Action::Damage(kit::Damage::Flipped { bit }),
        _ if name == "drop" => sim::Action::Drop,
        _ => sim::Action::Deliver,
    })
}
