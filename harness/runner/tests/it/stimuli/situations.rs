//! In which situation a run was when an end was told something, and when something was on its way, by what happened in it.

use super::Row;
use deltaproof::history::{Datagram, Fate, History, What};
use deltaproof::scenario::Case;
use kit::{Command, Direction, HostId, StatValue, Time, Unit};
use std::collections::{BTreeMap, BTreeSet};

/// What is sent so much later at most has what the sender was told, in microseconds.
const SOON_US: u64 = 150_000;
/// A second copy that comes so much later is late, in microseconds.
const LATE_US: u64 = 100_000;
/// Frames of 50 ms of the longest history that a protocol has, and that an outage has to outlast: how long they are, in microseconds.
fn history_us(protocol: &str) -> u64 {
    if protocol == "pygg2" { 32 * 50_000 } else { 64 * 50_000 }
}
/// A datagram of so many bytes is full, as far as a NetQuake server goes; others go a little farther.
const FULL_BYTES: usize = 900;
/// A long time, in microseconds: more than 65,535 milliseconds.
const LONG_US: u64 = 65_536_000;

/// One instruction, or one thing that a datagram carries, and how the run was then.
#[derive(Clone, Debug)]
pub struct Seen {
    /// What it was.
    pub row: Row,
    /// The value, of a field or a statistic.
    pub value: Option<f64>,
    at: Time,
    joining: usize,
    playing: usize,
    map_near: bool,
    maps: usize,
    returned: bool,
    server_restarted: bool,
    other_agreement: bool,
    full: bool,
    lost: bool,
    lost_twice: bool,
    late_copy: bool,
    in_outage: bool,
    again: bool,
    lower: bool,
    times: usize,
}

/// A situation, by name.
type IsSituation = fn(&Seen) -> bool;

/// The columns of situations.
pub const SITUATIONS: [(&str, IsSituation); 19] = [
    ("first", |seen| seen.playing == 0 && !seen.server_restarted),
    ("joining", |seen| seen.joining > 0 && seen.playing > 0),
    ("playing", |seen| seen.joining == 0 && seen.playing > 0),
    ("map", |seen| seen.map_near),
    ("after-map", |seen| seen.maps > 0 && seen.playing > 0),
    ("returned", |seen| seen.returned && seen.playing > 0),
    ("restarted", |seen| seen.server_restarted && seen.playing > 0),
    ("two", |seen| seen.playing > 1),
    ("agreements", |seen| seen.other_agreement && seen.playing > 1),
    ("full", |seen| seen.full),
    ("lost", |seen| seen.lost),
    ("twice-lost", |seen| seen.lost_twice),
    ("late-copy", |seen| seen.late_copy),
    ("outage", |seen| seen.in_outage),
    ("again", |seen| seen.again),
    ("lower", |seen| seen.lower),
    ("20", |seen| seen.times >= 20),
    ("200", |seen| seen.times >= 200),
    ("65s", |seen| seen.at.0 >= LONG_US && seen.playing > 0),
];

/// The value of an instruction, and what it is the value of.
fn value(case: &Case, host: HostId, command: &Command) -> (Option<f64>, (u8, u64)) {
    match *command {
        Command::Baseline { entity, field, value } | Command::Set { entity, field, value } => {
            let value = match case.protocol.fields[field].unit {
                Unit::Float => f64::from(f32::from_bits(value.cast_unsigned())),
                Unit::Int(least, _) if least < 0 => f64::from(value),
                Unit::Int(..) => f64::from(value.cast_unsigned()),
            };
            (Some(value), (0, u64::from(entity)))
        }
        Command::Stat { client, value, .. } => {
            let value = match value {
                StatValue::Int(value) => f64::from(value),
                StatValue::Float(value) => f64::from(value),
            };
            (Some(value), (1, u64::from(client)))
        }
        Command::Verb { .. } => (None, (2, u64::from(host.0))),
        Command::Spawn { entity } | Command::Remove { entity } => (None, (0, u64::from(entity))),
        Command::Connect | Command::Disconnect => (None, (2, u64::from(host.0))),
        Command::Map => (None, (3, 0)),
    }
}

/// Whether a verb is told again with an argument that is lower.
fn is_lower(command: &Command, before: &Command) -> bool {
    match (command, before) {
        (Command::Verb { args, .. }, Command::Verb { args: last, .. }) => {
            args.iter().zip(last).any(|(now, last)| now < last)
        }
        _ => false,
    }
}

/// Moments, in order.
#[derive(Clone, Default)]
struct Moments(Vec<Time>);

impl Moments {
    fn has_in(&self, from: Time, until: Time) -> bool {
        let first = self.0.partition_point(|at| *at < from);
        self.0.get(first).is_some_and(|at| *at <= until)
    }

    fn up_to(&self, until: Time) -> usize {
        self.0.partition_point(|at| *at <= until)
    }
}

/// What becomes of what a host sends.
#[derive(Default)]
struct Sender {
    full: Moments,
    lost: Moments,
    lost_twice: Moments,
    late_copy: Moments,
    /// When everything that a link carries was lost for so long: from, until.
    outages: Vec<(Time, Time)>,
}

impl Sender {
    fn is_out(&self, at: Time) -> bool {
        self.outages.iter().any(|(from, until)| *from <= at && at <= *until)
    }
}

/// Where a client is.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Place {
    Outside,
    Joining,
    Playing,
}

/// What happened in a run.
#[derive(Default)]
struct Happened {
    senders: BTreeMap<HostId, Sender>,
    /// Clients that are on their way into the game, and in it: from then on.
    presence: Vec<(Time, usize, usize)>,
    returned: Option<Time>,
    places: BTreeMap<HostId, Place>,
    /// How often a client was outside after it was in.
    left: BTreeMap<HostId, usize>,
    /// Whether the newest datagram of a link's direction was lost, and since when all were.
    before: BTreeMap<(HostId, Direction), (bool, Time)>,
}

impl Happened {
    fn in_run(case: &Case, history: &History) -> Happened {
        let mut happened = Happened::default();
        for entry in &history.entries {
            match &entry.what {
                What::State { host, to, .. } if *host != HostId::SERVER => happened.enters(case, entry.at, *host, to),
                What::Sent(datagram) => happened.sent(case, entry.at, datagram),
                _ => {}
            }
        }
        happened
    }

    fn enters(&mut self, case: &Case, at: Time, host: HostId, state: &str) {
        let place = match state {
            "active" | "inside" => Place::Playing,
            outside if outside == case.protocol.states.client[0] => Place::Outside,
            "refused" | "leaving" => Place::Outside,
            _ => Place::Joining,
        };
        if place == Place::Outside {
            *self.left.entry(host).or_insert(0) += 1;
        } else if place == Place::Playing && self.left.contains_key(&host) {
            self.returned = self.returned.or(Some(at));
        }
        self.places.insert(host, place);
        let count = |wanted| self.places.values().filter(|place| **place == wanted).count();
        self.presence.push((at, count(Place::Joining), count(Place::Playing)));
    }

    fn sent(&mut self, case: &Case, at: Time, datagram: &Datagram) {
        let packet = datagram.packet;
        let sender = self.senders.entry(packet.sender()).or_default();
        let lost = matches!(datagram.fate, Fate::Lost(_));
        let way = (packet.client, packet.direction);
        let (was_lost, since) = self.before.get(&way).copied().unwrap_or((false, at));
        if lost {
            sender.lost.0.push(at);
            if was_lost {
                sender.lost_twice.0.push(at);
            }
        }
        if was_lost && at.since(since) > history_us(case.protocol.name) {
            sender.outages.push((since, at));
        }
        self.before.insert(way, (lost, if lost && was_lost { since } else { at }));
        if datagram.bytes.len() >= FULL_BYTES {
            sender.full.0.push(at);
        }
        if is_late_copy(&datagram.fate) {
            sender.late_copy.0.push(at);
        }
    }

    fn present(&self, at: Time) -> (usize, usize) {
        let next = self.presence.partition_point(|(since, ..)| *since < at);
        next.checked_sub(1).map_or((0, 0), |last| (self.presence[last].1, self.presence[last].2))
    }
}

/// Whether a second copy comes late.
fn is_late_copy(fate: &Fate) -> bool {
    match fate {
        Fate::Arrives(arrivals) => match arrivals.as_slice() {
            [first, .., last] => last.at.since(first.at) >= LATE_US,
            _ => false,
        },
        Fate::Lost(_) => false,
    }
}

/// Whether options that have a value for each client give two clients different ones.
fn agreements_differ(case: &Case) -> bool {
    let of = |name: &str| {
        let number = case.protocol.options.iter().position(|option| option.name == name);
        number.map(|number| case.options[number])
    };
    let clients = usize::from(case.scenario.file.clients);
    ["protocol", "max"].iter().any(|what| {
        let values: Vec<i64> =
            (1..=clients.min(5)).filter_map(|client| of(&format!("client{client}_{what}"))).collect();
        values.windows(2).any(|pair| pair[0] != pair[1])
    })
}

/// What all rows of a run have in common.
struct Run<'a> {
    happened: Happened,
    maps: Moments,
    restarted: Option<Time>,
    other_agreement: bool,
    times: BTreeMap<Row, usize>,
    case: &'a Case,
}

impl Run<'_> {
    /// What was seen of `row` at a moment; what became of it, `told` or carried, the caller knows.
    fn seen(&mut self, row: Row, at: Time) -> Seen {
        let count = self.times.entry(row).or_insert(0);
        *count += 1;
        let (joining, playing) = self.happened.present(at);
        let (near, soon) = (Time(at.0.saturating_sub(SOON_US)), at.after(SOON_US));
        Seen {
            row,
            value: None,
            at,
            joining,
            playing,
            // A map is near another if there are two of them.
            map_near: self.maps.has_in(near, soon)
                && (row != Row::Common("map") || self.maps.up_to(soon) > self.maps.up_to(near) + 1),
            maps: self.maps.up_to(Time(at.0.saturating_sub(1))),
            returned: self.happened.returned.is_some_and(|since| since <= at),
            server_restarted: self.restarted.is_some_and(|since| since <= at),
            other_agreement: self.other_agreement,
            full: false,
            lost: false,
            lost_twice: false,
            late_copy: false,
            in_outage: false,
            again: false,
            lower: false,
            times: *count,
        }
    }

    /// Everything that ends are told.
    fn told(&mut self, commands: Vec<(Time, HostId, Command)>) -> Vec<Seen> {
        let mut latest: BTreeMap<(Row, (u8, u64)), (f64, Command)> = BTreeMap::new();
        let mut every = Vec::new();
        for (at, host, command) in commands {
            let row = Row::of(&command);
            let (value, whose) = value(self.case, host, &command);
            let before = latest.get(&(row, whose));
            let again = before.is_some_and(|(_, last)| *last == command);
            let lower =
                before.is_some_and(|(last, told)| is_lower(&command, told) || value.is_some_and(|value| value < *last));
            latest.insert((row, whose), (value.unwrap_or(0.0), command));
            let common = self.seen(row, at);
            let soon = at.after(SOON_US);
            let sender = self.happened.senders.get(&host);
            let has = |moments: fn(&Sender) -> &Moments| sender.is_some_and(|sender| moments(sender).has_in(at, soon));
            every.push(Seen {
                value: value.filter(|_| matches!(row, Row::Field(_) | Row::Stat(_))),
                full: has(|sender| &sender.full),
                lost: has(|sender| &sender.lost),
                lost_twice: has(|sender| &sender.lost_twice),
                late_copy: has(|sender| &sender.late_copy),
                in_outage: sender.is_some_and(|sender| sender.is_out(at)),
                again,
                lower,
                ..common
            });
        }
        every
    }

    /// Everything that datagrams carry.
    fn carried(&mut self, history: &History) -> Vec<Seen> {
        let marks = self.case.protocol.marks;
        // Per link and direction: what the datagram before carried. And per mark of each: whether the last that carried it was lost.
        let mut before: BTreeMap<(HostId, Direction), Vec<usize>> = BTreeMap::new();
        let mut lost_before: BTreeSet<(HostId, Direction, usize)> = BTreeSet::new();
        let mut every = Vec::new();
        for entry in &history.entries {
            let What::Sent(datagram) = &entry.what else { continue };
            let (client, direction) = (datagram.packet.client, datagram.packet.direction);
            let number = |kind: &str| marks.iter().position(|mark| *mark == kind);
            let carries: Vec<usize> = datagram.carries.iter().filter_map(|mark| number(&mark.kind)).collect();
            let lost = matches!(datagram.fate, Fate::Lost(_));
            let last = before.remove(&(client, direction)).unwrap_or_default();
            let sender = self.happened.senders.get(&datagram.packet.sender());
            let in_outage = lost && sender.is_some_and(|sender| sender.is_out(entry.at));
            for (place, &mark) in carries.iter().enumerate() {
                let common = self.seen(Row::Mark(mark), entry.at);
                every.push(Seen {
                    full: datagram.bytes.len() >= FULL_BYTES,
                    lost,
                    lost_twice: lost && lost_before.contains(&(client, direction, mark)),
                    late_copy: is_late_copy(&datagram.fate),
                    in_outage,
                    again: last.contains(&mark) || carries[..place].contains(&mark),
                    ..common
                });
            }
            for &mark in &carries {
                if lost {
                    lost_before.insert((client, direction, mark));
                } else {
                    lost_before.remove(&(client, direction, mark));
                }
            }
            before.insert((client, direction), carries);
        }
        every
    }
}

/// Everything that ends are told in a run, and everything that datagrams carry.
pub fn seen(case: &Case, seed: u64, history: &History) -> Vec<Seen> {
    let commands: Vec<(Time, HostId, Command)> =
        case.commands(seed).take_while(|(at, ..)| *at < case.duration()).collect();
    let maps = commands.iter().filter(|(.., command)| *command == Command::Map).map(|(at, ..)| *at).collect();
    let mut run = Run {
        happened: Happened::in_run(case, history),
        maps: Moments(maps),
        restarted: case.restarts(HostId::SERVER).next(),
        other_agreement: agreements_differ(case),
        times: BTreeMap::new(),
        case,
    };
    let mut every = run.told(commands);
    every.extend(run.carried(history));
    every
}
