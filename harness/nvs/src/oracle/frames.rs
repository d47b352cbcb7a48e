//! Unreliable datagrams of the server: what of a frame's broadcasts came, and whether the rest was rightly dropped.

use super::blame;
use super::book::Entry;
use super::coverage::Point;
use super::expected::{Form, Lines, bytes_of, writes_of};
use super::script::{Call, Class, Script};
use super::sent::{Sent, named};
use crate::constants::{CLIENT_DATAGRAM_BYTES, DATAGRAM_BYTES, PACKET_BYTES};
use crate::requirements::*;
use kit::Requirement;
use netquake::constants::SVC_TIME;

/// The margin that the old check leaves for particles.
const OLD_MARGIN: usize = 16;

/// A broadcast of this frame, for one client.
struct Broadcast {
    id: u64,
    /// Its bytes for this client.
    bytes: usize,
    /// What the table says, or its bytes if they are more.
    size: usize,
    /// The same by the server's line, or by any that is longer.
    largest: usize,
    particles: bool,
    demanded: bool,
}

impl Sent<'_> {
    /// An unreliable message.
    pub fn unreliable(&mut self, payload: &[u8]) {
        let is_frame = payload.first() == Some(&SVC_TIME);
        self.payload = payload.len();
        let steady = is_frame && self.begin_frame();
        let mut rest = payload;
        let mut listed = None;
        let (mut own, mut common): (Vec<u64>, Vec<u64>) = (Vec::new(), Vec::new());
        while !rest.is_empty() && self.book.is_judged() {
            let before = listed;
            let Some(step) = self.step(rest, false, before.is_some()) else {
                return self.end_frame(&own, &common);
            };
            self.follow(before, &step);
            listed = if step.listed { step.call.map(|call| call.0) } else { None };
            if let Some((id, class)) = step.call {
                let came = if class == Class::Own { &mut own } else { &mut common };
                let table = |id: u64| self.script.call(id).and_then(|call| call.table);
                // With SSVC 0 a message that has a table may go the way of those that have none.
                let comparable = |last: u64| self.script.ssvc != 0 || table(last).is_some() == table(id).is_some();
                let behind = came.last().is_some_and(|&last| last > id && comparable(last));
                self.report.saw_if(!came.is_empty(), Point::TwoOfClass);
                came.push(id);
                if behind && let Some(call) = self.script.call(id) {
                    let (host, what) = (self.book.host, named(call));
                    self.find(&ORD_01, || format!("to {host}: {what} comes behind a later call of its class"));
                }
            }
            rest = rest.get(step.length.max(1)..).unwrap_or_default();
        }
        if !is_frame {
            return;
        }
        if steady {
            self.judge_own(&own, payload.len());
            self.judge_common(&common, payload.len());
            self.judge_frame(payload.len());
        }
        self.end_frame(&own, &common);
    }

    /// A frame begins for this client. Whether it follows the one before without a gap.
    fn begin_frame(&mut self) -> bool {
        let tick = self.options.tick_us;
        let now = self.now;
        let steady = self.book.framed.is_some_and(|framed| now.since(framed) <= tick * 3 / 2);
        self.book.framed = Some(now);
        self.report.saw_if(!self.book.last_calls.is_empty(), Point::FrameAfterBroadcast);
        // What an earlier frame did not bring is gone.
        let script = &*self.script;
        self.book.queue.retain(|entry| {
            let unreliable = matches!(entry.class, Class::Own | Class::Common);
            !unreliable || is_of_frame(script, entry, now, tick)
        });
        steady
    }

    fn end_frame(&mut self, own: &[u64], common: &[u64]) {
        let (now, tick) = (self.now, self.options.tick_us);
        let script = &*self.script;
        self.book.queue.retain(|entry| {
            let unreliable = matches!(entry.class, Class::Own | Class::Common);
            !unreliable || !is_of_frame(script, entry, now, tick)
        });
        self.book.last_calls.clear();
        self.book.last_calls.extend(own.iter().chain(common));
    }

    /// What a broadcast is for a client of this version; `None` if the client is left out.
    fn broadcast(&self, call: &Call, csvc: i32, demanded: bool) -> Option<Broadcast> {
        let particles = call.origin == super::script::Origin::Particles;
        let all: Vec<_> = call.writes.iter().collect();
        let Some(message) = self.script.message(call) else {
            let bytes = bytes_of(&all);
            return Some(Broadcast { id: call.id, bytes, size: bytes, largest: bytes, particles, demanded });
        };
        let lines = Lines::of(message, self.script.ssvc, csvc);
        if lines.leaves_out(message) {
            return None;
        }
        let bytes = bytes_of(&writes_of(Form::Exact, &call.writes, Some(message), lines, &[])?);
        let size = bytes.max(message.lines.get(lines.client).map_or(0, |line| line.bytes));
        let largest = message.lines.iter().map(|line| line.bytes).max().unwrap_or(0).max(size);
        Some(Broadcast { id: call.id, bytes, size, largest, particles, demanded })
    }

    /// The converted broadcasts of this frame, those that came among them.
    fn own_broadcasts(&mut self, came: &[u64]) -> Vec<Broadcast> {
        let (now, tick, csvc) = (self.now, self.options.tick_us, self.book.csvc());
        let waiting = self.book.queue.iter().filter(|entry| entry.class == Class::Own);
        let waiting = waiting.filter(|entry| is_of_frame(self.script, entry, now, tick));
        let mut ids: Vec<(u64, bool)> = waiting.map(|entry| (entry.id, entry.demanded)).collect();
        ids.extend(came.iter().map(|&id| (id, true)));
        ids.sort_unstable();
        let mut all = Vec::new();
        for (id, demanded) in ids {
            let Some(call) = self.script.call(id).filter(|call| !call.writes.is_empty()) else { continue };
            match self.broadcast(call, csvc, demanded) {
                Some(broadcast) => all.push(broadcast),
                None => self.report.saw(Point::LeftOut),
            }
        }
        all
    }

    /// Whether another client's own buffer was full in this frame.
    fn other_is_full(&self) -> bool {
        let (now, tick) = (self.now, self.options.tick_us);
        let of_frame = |call: &&Call| call.frame.is_some_and(|frame| now.since(frame) <= tick / 2);
        self.others.iter().any(|&(host, csvc)| {
            let calls = self.script.calls.iter().rev().take_while(of_frame);
            let own = calls.filter(|call| call.class() == Class::Own && call.is_for(host));
            let sizes = own.filter_map(|call| self.broadcast(call, csvc, true)).map(|broadcast| broadcast.size);
            sizes.sum::<usize>() > CLIENT_DATAGRAM_BYTES
        })
    }

    fn judge_own(&mut self, came: &[u64], payload: usize) {
        let all = self.own_broadcasts(came);
        let total: usize = all.iter().map(|broadcast| broadcast.bytes).sum();
        self.report.saw_if(total > CLIENT_DATAGRAM_BYTES, Point::Flood);
        if self.script.ssvc == 0 && total + OLD_MARGIN > DATAGRAM_BYTES {
            return;
        }
        let full = self.other_is_full();
        self.report.saw_if(full && !came.is_empty(), Point::OneFull);
        let by_size = |broadcast: &Broadcast| broadcast.size;
        let with_margin = |broadcast: &Broadcast| match broadcast.particles {
            true => broadcast.size.max(OLD_MARGIN),
            false => broadcast.size,
        };
        let accepted = accept(&all, by_size);
        let mut came_in_order = came.to_vec();
        came_in_order.sort_unstable();
        if came_in_order == accepted || came_in_order == accept(&all, with_margin) {
            return;
        }
        let is_missing =
            |broadcast: &&Broadcast| accepted.contains(&broadcast.id) && !came_in_order.contains(&broadcast.id);
        let missing: usize = all.iter().filter(is_missing).map(|broadcast| broadcast.bytes).sum();
        let host = self.book.host;
        if payload + missing >= PACKET_BYTES {
            self.report.saw(Point::DatagramFull);
            if !came.is_empty() && missing > 0 {
                let count = came.len();
                self.find(&BUF_06, || {
                    format!("to {host}: {count} broadcasts of a frame came, and {missing} bytes of it did not")
                });
            }
            return;
        }
        let Some(first) = all.iter().filter(is_missing).find(|broadcast| broadcast.demanded) else { return };
        let Some(call) = self.script.call(first.id) else { return };
        let cramped = !accept(&all, |broadcast| broadcast.largest).contains(&first.id);
        let requirement: &Requirement = match () {
            () if call.client == 0 && full => &BUF_07,
            () if cramped => &TAB_05,
            () => blame::missing(self.book, self.script, call),
        };
        let (what, room) = (named(call), PACKET_BYTES.saturating_sub(payload));
        self.find(requirement, || format!("to {host}: {what} did not come; {room} bytes of the datagram were free"));
    }

    fn judge_common(&mut self, came: &[u64], payload: usize) {
        let (now, tick) = (self.now, self.options.tick_us);
        let waiting = self.book.queue.iter().filter(|entry| entry.class == Class::Common);
        let waiting: Vec<Entry> = waiting.filter(|entry| is_of_frame(self.script, entry, now, tick)).copied().collect();
        let length = |id: u64| {
            self.script.call(id).map_or(0, |call| call.writes.iter().map(|write| write.bytes.len()).sum::<usize>())
        };
        let missing: usize = waiting.iter().map(|entry| length(entry.id)).sum();
        let total = missing + came.iter().map(|&id| length(id)).sum::<usize>();
        self.report.saw_if(total > DATAGRAM_BYTES, Point::Flood);
        if missing == 0 || total > DATAGRAM_BYTES || payload + missing >= PACKET_BYTES {
            self.report.saw_if(missing > 0, Point::DatagramFull);
            return;
        }
        let first = waiting.iter().find(|entry| entry.demanded).and_then(|entry| self.script.call(entry.id));
        let Some(call) = first else { return };
        let requirement = blame::missing(self.book, self.script, call);
        let (host, what) = (self.book.host, named(call));
        self.find(requirement, || format!("to {host}: {what} did not come with its frame"));
    }

    /// What is written right into the frame.
    fn judge_frame(&mut self, payload: usize) {
        let (now, tick) = (self.now, self.options.tick_us);
        let executed = |call: &&Call| call.frame.is_some_and(|frame| now.since(frame) <= tick / 2);
        let spawned = self.book.spawned;
        let due = |call: &&Call| executed(call) && spawned.is_some_and(|spawned| spawned < call.at);
        let full = payload + 32 >= PACKET_BYTES;
        let host = self.book.host;
        let angles = self.book.angles.and_then(|id| self.script.call(id)).filter(due).filter(|_| !full);
        if let Some(what) = angles.map(named) {
            self.book.angles = None;
            self.find(&T1_03, || format!("to {host}: {what} did not come with its frame"));
        }
        let hurt = self.book.damages.iter().filter_map(|&id| self.script.call(id)).find(due).filter(|_| !full);
        if let Some(what) = hurt.map(named) {
            self.book.damages.clear();
            self.find(&TAB_01, || format!("to {host}: {what} did not come with its frame"));
        }
    }
}

/// Whether an entry's call was executed in the frame that begins at `now`.
fn is_of_frame(script: &Script, entry: &Entry, now: kit::Time, tick: u64) -> bool {
    let frame = script.call(entry.id).and_then(|call| call.frame);
    frame.is_none_or(|frame| now.since(frame) <= tick / 2)
}

/// The broadcasts that a buffer takes, one after the other.
fn accept(all: &[Broadcast], size: impl Fn(&Broadcast) -> usize) -> Vec<u64> {
    let mut held = 0;
    let mut accepted = Vec::new();
    for broadcast in all {
        if held + size(broadcast) <= CLIENT_DATAGRAM_BYTES {
            held += broadcast.bytes;
            accepted.push(broadcast.id);
        }
    }
    accepted
}
