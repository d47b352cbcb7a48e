//! Where things are: whole numbers alone, so that every machine draws the same.
//!
//! Time is not to scale where nothing happens: a gap is at least as high as a label and at most [`MOST_GAP`]. Order is kept, and
//! what happens at the same moment on the same host is one below the other.

use super::window::Shown;
use crate::history::{Datagram, Fate, History, Packet, What};
use kit::{Damage, Direction, HostId, Time};
use std::collections::{BTreeMap, BTreeSet};

/// Between the lines of two hosts.
const COLUMN: i64 = 300;
/// From the left edge to the first line: the times, and what is written beside the line.
const LEFT: i64 = 140;
/// From the last line to the right edge.
const RIGHT: i64 = 104;
/// Where the lines begin.
pub(super) const TOP: i64 = 34;
/// Height of what happens at one moment on one host.
const ROW: i64 = 13;
/// Height of a longer gap.
const MOST_GAP: i64 = 46;
/// Microseconds that are as high as one unit.
const US_PER_UNIT: u64 = 1_000;

/// What becomes of an arrow.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum End {
    Arrives,
    Lost,
    /// It arrives later than what is shown.
    Later,
}

/// One delivery of a datagram, or its loss.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Arrow {
    /// The entry of its sending.
    pub entry: usize,
    /// From where; a datagram that was sent before what is shown comes from nowhere.
    pub from: (i64, i64),
    /// To where.
    pub to: (i64, i64),
    /// What becomes of it.
    pub end: End,
    /// Whether it is the second arrival of a datagram.
    pub second: bool,
    /// Whether a datagram sent later arrived before.
    pub late: bool,
    /// Whether its bytes are damaged.
    pub damaged: bool,
    /// Whether it begins before what is shown.
    pub from_before: bool,
}

/// Something that happens on a host: entries of one kind and moment.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Event {
    pub entries: Vec<usize>,
    pub host: HostId,
    /// How high.
    pub y: i64,
}

/// A drawing, without its looks.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Layout {
    pub size: (i64, i64),
    /// The hosts with the places of their lines, from the left.
    pub hosts: Vec<(HostId, i64)>,
    /// The moments at which something happens, and how high.
    pub times: Vec<(Time, i64)>,
    /// Gaps that are cut short: how high, and how long they are in microseconds.
    pub cuts: Vec<(i64, u64)>,
    /// The arrows, in the order of sending.
    pub arrows: Vec<Arrow>,
    /// What happens on hosts.
    pub events: Vec<Event>,
    /// The findings: entries, and how high.
    pub findings: Vec<(usize, i64)>,
}

/// The hosts from the left: one client is right of the server, others are on both sides of it.
fn columns(clients: &[HostId]) -> Vec<(HostId, i64)> {
    let left = clients.len() / 2;
    let mut hosts: Vec<HostId> = clients.to_vec();
    hosts.insert(left, HostId::SERVER);
    hosts.into_iter().zip(0_i64..).map(|(host, place)| (host, LEFT + place * COLUMN)).collect()
}

/// The host on whose line an entry is; `None` for a finding, which concerns all.
fn host_of(what: &What) -> Option<HostId> {
    match what {
        What::Command { host, .. }
        | What::State { host, .. }
        | What::Rejected { host, .. }
        | What::Print { host, .. }
        | What::Note { host, .. } => Some(*host),
        What::Sent(datagram) => Some(datagram.packet.sender()),
        What::Delivered { packet, .. } => Some(packet.receiver()),
        What::Finding(_) => None,
    }
}

/// The client of whose link an entry is, if it is of one.
fn client_of(what: &What) -> Option<HostId> {
    match what {
        What::Sent(datagram) => Some(datagram.packet.client),
        What::Delivered { packet, .. } => Some(packet.client),
        _ => None,
    }
}

/// Heights are given out from above.
struct Heights {
    now: Option<Time>,
    base: i64,
    rows: BTreeMap<HostId, i64>,
    lowest: i64,
}

impl Heights {
    fn moment(&mut self, at: Time, layout: &mut Layout) {
        if self.now == Some(at) {
            return;
        }
        if let Some(before) = self.now {
            let units = (at.since(before) / US_PER_UNIT).min(1 << 32) as i64;
            if units > MOST_GAP {
                layout.cuts.push((self.lowest + MOST_GAP / 2, at.since(before)));
            }
            self.base = (self.base + units.min(MOST_GAP)).max(self.lowest + ROW);
            if units > MOST_GAP {
                self.base = self.base.max(self.lowest + MOST_GAP);
            }
        }
        self.now = Some(at);
        self.rows.clear();
        self.lowest = self.base;
        layout.times.push((at, self.base));
    }

    /// The next row of a host, or of all.
    fn row(&mut self, host: Option<HostId>) -> i64 {
        let next = |rows: Option<&i64>| rows.map_or(self.base, |last| last + ROW);
        let y = match host {
            Some(host) => next(self.rows.get(&host)),
            None => next(self.rows.values().max()),
        };
        match host {
            Some(host) => drop(self.rows.insert(host, y)),
            None => self.rows.values_mut().for_each(|row| *row = y),
        }
        if host.is_none() {
            self.rows.insert(HostId::SERVER, y);
        }
        self.lowest = self.lowest.max(y);
        y
    }
}

/// Lays out what is shown of a history.
pub(super) fn layout(history: &History, shown: &Shown) -> Layout {
    let mut layout = Layout { hosts: columns(&shown.clients), ..Layout::default() };
    let visible = |host: HostId| host == HostId::SERVER || shown.clients.contains(&host);
    let mut heights = Heights { now: None, base: TOP + 16, rows: BTreeMap::new(), lowest: TOP + 16 };
    let mut sendings: Vec<(usize, &Datagram, i64)> = Vec::new();
    let mut arrivals: BTreeMap<(Packet, u8), (usize, i64)> = BTreeMap::new();
    for place in shown.entries.clone() {
        let Some(entry) = history.entries.get(place) else { break };
        if !host_of(&entry.what).is_none_or(visible) || !client_of(&entry.what).is_none_or(visible) {
            continue;
        }
        heights.moment(entry.at, &mut layout);
        match &entry.what {
            What::Sent(datagram) => sendings.push((place, datagram, heights.row(Some(datagram.packet.sender())))),
            What::Delivered { packet, copy, .. } => {
                arrivals.insert((*packet, *copy), (place, heights.row(Some(packet.receiver()))));
            }
            What::Finding(_) => layout.findings.push((place, heights.row(None))),
            what => {
                let host = host_of(what).unwrap_or(HostId::SERVER);
                match layout.events.last_mut().filter(|last| joins(history, last, entry.at, host, what)) {
                    Some(last) => last.entries.push(place),
                    None => layout.events.push(Event { entries: vec![place], host, y: heights.row(Some(host)) }),
                }
            }
        }
    }
    layout.arrows = arrows(history, &layout, &sendings, &arrivals);
    let width = LEFT + COLUMN * shown.clients.len() as i64 + RIGHT;
    layout.size = (width, heights.lowest + 34);
    layout
}

/// Whether commands, or notes, of one moment and host are shown as one.
fn joins(history: &History, last: &Event, at: Time, host: HostId, what: &What) -> bool {
    let Some(before) = last.entries.last().and_then(|place| history.entries.get(*place)) else { return false };
    let same = matches!(
        (&before.what, what),
        (What::Command { .. }, What::Command { .. }) | (What::Note { .. }, What::Note { .. })
    );
    same && before.at == at && last.host == host
}

/// The arrivals of datagrams that others, sent later, overtook.
fn late(history: &History) -> BTreeSet<(Packet, u8)> {
    let mut newest: BTreeMap<(HostId, Direction), u32> = BTreeMap::new();
    let mut late = BTreeSet::new();
    for entry in &history.entries {
        let What::Delivered { packet, copy, .. } = entry.what else { continue };
        let newest = newest.entry((packet.client, packet.direction)).or_default();
        if packet.index < *newest {
            late.insert((packet, copy));
        }
        *newest = packet.index.max(*newest);
    }
    late
}

fn arrows(
    history: &History,
    layout: &Layout,
    sendings: &[(usize, &Datagram, i64)],
    arrivals: &BTreeMap<(Packet, u8), (usize, i64)>,
) -> Vec<Arrow> {
    let x = |host: HostId| layout.hosts.iter().find(|(known, _)| *known == host).map_or(0, |(_, x)| *x);
    let late = late(history);
    let mut arrows = Vec::new();
    let mut drawn = BTreeSet::new();
    for &(entry, datagram, y) in sendings {
        let packet = datagram.packet;
        let (from, to) = (x(packet.sender()), x(packet.receiver()));
        let arrow = Arrow {
            entry,
            from: (from, y),
            // As far as to the middle, and as steep as a usual one.
            to: (from + (to - from).signum() * COLUMN * 2 / 5, y + ROW),
            end: End::Lost,
            second: false,
            late: false,
            damaged: false,
            from_before: false,
        };
        let Fate::Arrives(deliveries) = &datagram.fate else {
            arrows.push(arrow);
            continue;
        };
        for (copy, delivery) in (0_u8..).zip(deliveries) {
            let (damaged, second) = (delivery.damage != Damage::None, copy > 0);
            let late = late.contains(&(packet, copy));
            let arrow = Arrow { damaged, second, late, ..arrow.clone() };
            arrows.push(match arrivals.get(&(packet, copy)) {
                Some((_, y)) => Arrow { to: (to, *y), end: End::Arrives, ..arrow },
                None => Arrow { end: End::Later, ..arrow },
            });
            drawn.insert((packet, copy));
        }
    }
    for (&(packet, copy), &(_, y)) in arrivals.iter().filter(|(key, _)| !drawn.contains(key)) {
        let Some((entry, datagram)) = history.datagram(packet) else { continue };
        let (from, to) = (x(packet.sender()), x(packet.receiver()));
        let Fate::Arrives(deliveries) = &datagram.fate else { continue };
        arrows.push(Arrow {
            entry,
            from: (to + (from - to).signum() * COLUMN * 2 / 5, y - ROW),
            to: (to, y),
            end: End::Arrives,
            second: copy > 0,
            late: late.contains(&(packet, copy)),
            damaged: deliveries.get(usize::from(copy)).is_some_and(|delivery| delivery.damage != Damage::None),
            from_before: true,
        });
    }
    arrows
}
