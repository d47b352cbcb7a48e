//! Unreliable datagrams of the server: what of a frame's broadcasts came, and whether the rest was rightly dropped.

use super::FromServer;
use crate::constants::{CLIENT_DATAGRAM_BYTES, DATAGRAM_BYTES, PACKET_BYTES};
use crate::oracle::coverage::{Point, meaning as m};
use crate::oracle::diagnosis;
use crate::oracle::expectation::{Form, Lines, bytes_of, writes_of};
use crate::oracle::session::Entry;
use crate::oracle::truth::{Call, Class, Origin, Truth};
use crate::requirements::*;
use crate::state::FIELD_TABLE;
use kit::{Check, Knows};
use netquake::constants::SVC_TIME;

/// A broadcast for which a client has room comes with its frame.
pub static BROADCASTS_WITH_ROOM_COME: Check = Check::new(
    "broadcasts-with-room-come",
    &[
        m::BUF_07,
        m::BUF_08,
        m::TAB_05,
        m::TAB_01,
        m::T2_01,
        m::T3_02,
        m::QC_01,
        m::QC_03,
        m::WR_03,
        m::WR_07,
        m::TAB_04,
    ],
)
.knows(&[Knows::World]);
/// A client's broadcasts of a frame come together or not at all.
pub static BROADCASTS_COME_TOGETHER: Check =
    Check::new("broadcasts-come-together", &[m::BUF_06]).knows(&[Knows::World]);
/// What is written right into a frame comes with it.
pub static FRAMES_HAVE_THEIR_CALLS: Check =
    Check::new("frames-have-their-calls", &[m::T1_03, m::TAB_01]).knows(&[Knows::World]);

/// Frames show the entities of the scenario's world, when it has not changed for a while.
pub static FRAMES_SHOW_THE_WORLD: Check = Check::new("frames-show-the-world", &[m::TAB_01]).knows(&[Knows::World]);
/// No datagram is longer than a packet.
pub static DATAGRAMS_FIT_PACKETS: Check = Check::new("datagrams-fit-packets", &[m::BUF_06]).knows(&[Knows::Limits]);

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

impl FromServer<'_> {
    /// An unreliable message.
    pub fn unreliable(&mut self, payload: &[u8]) {
        let is_frame = payload.first() == Some(&SVC_TIME);
        self.payload = payload.len();
        let steady = is_frame && self.begin_frame();
        if self.payload > PACKET_BYTES {
            let (host, bytes) = (self.session.host, self.payload);
            self.fail(&DATAGRAMS_FIT_PACKETS, &BUF_06, || format!("to {host}: {bytes} bytes in a datagram"));
        }
        let mut rest = payload;
        let (mut table, mut replaced) = (None, false);
        let (mut own, mut common, mut written) = (Vec::new(), Vec::new(), Vec::new());
        while !rest.is_empty() && self.session.is_judged() {
            let before = table;
            let Some(step) = self.step(rest, false, before.is_some()) else {
                return self.end_frame(&[own, common, written]);
            };
            self.saw_neighbours(before, &step);
            table = step.table;
            replaced |= step.call.is_none() && step.table.is_some();
            if let Some((id, class)) = step.call {
                let came = match class {
                    Class::Own => &mut own,
                    Class::Common => &mut common,
                    // Written right into the frame: its place says nothing of when it was asked for.
                    _ => &mut written,
                };
                let table = |id: u64| self.truth.call(id).and_then(|call| call.table);
                // With SSVC 0 a message that has a table may go the way of those that have none.
                let comparable = |last: u64| self.truth.ssvc != 0 || table(last).is_some() == table(id).is_some();
                let behind = came.last().copied().filter(|&last| last > id && comparable(last));
                self.report.saw_if(!came.is_empty(), Point::TwoOfClass);
                let twin = behind.and_then(|last| self.take_twin(last, class, &rest[..step.length.min(rest.len())]));
                came.push(twin.unwrap_or(id));
                if behind.is_some()
                    && twin.is_none()
                    && let Some(call) = self.truth.call(id).cloned()
                {
                    self.out_of_order(&call);
                }
            }
            rest = rest.get(step.length.max(1)..).unwrap_or_default();
        }
        if !is_frame {
            return;
        }
        if steady {
            self.judge_own(&own, payload.len(), replaced);
            self.judge_common(&common, payload.len());
            self.judge_frame(payload.len());
            self.judge_world(payload.len());
        }
        self.end_frame(&[own, common, written]);
    }

    /// Takes a call of this class out of the queue that was asked for after call `last`, and reads the same: of frames that nobody
    /// was sent it is not known what they brought, and what looks like an old call is this one.
    fn take_twin(&mut self, last: u64, class: Class, bytes: &[u8]) -> Option<u64> {
        let is_twin = |entry: &Entry| {
            let call = self.truth.call(entry.id).filter(|_| entry.id > last && entry.class == class);
            call.and_then(|call| self.best_form(call, bytes, false)).is_some_and(|(_, length)| length == bytes.len())
        };
        let place = self.session.queue.iter().position(is_twin)?;
        self.session.queue.remove(place).map(|entry| entry.id)
    }

    /// A frame begins for this client. Whether it follows the one before without a gap.
    fn begin_frame(&mut self) -> bool {
        let tick = self.options.tick_us;
        let now = self.now;
        let steady = self.session.framed.is_some_and(|framed| now.since(framed) <= tick * 3 / 2);
        self.session.framed = Some(now);
        self.session.scene.begin_frame();
        self.report.saw_if(!self.session.last_calls.is_empty(), Point::FrameAfterBroadcast);
        // What an earlier frame did not bring is gone.
        let truth = &*self.truth;
        self.session.queue.retain(|entry| {
            let unreliable = matches!(entry.class, Class::Own | Class::Common);
            !unreliable || is_of_frame(truth, entry, now, tick)
        });
        steady
    }

    fn end_frame(&mut self, came: &[Vec<u64>]) {
        let (now, tick) = (self.now, self.options.tick_us);
        let truth = &*self.truth;
        self.session.queue.retain(|entry| {
            let unreliable = matches!(entry.class, Class::Own | Class::Common);
            !unreliable || !is_of_frame(truth, entry, now, tick)
        });
        self.session.last_calls.clear();
        self.session.last_calls.extend(came.iter().flatten());
    }

    /// What a broadcast is for a client of this version; `None` if the client is left out.
    fn broadcast(&self, call: &Call, csvc: i32, demanded: bool) -> Option<Broadcast> {
        let particles = call.origin == Origin::Particles;
        let all: Vec<_> = call.writes.iter().collect();
        let Some(message) = self.truth.message(call) else {
            let bytes = bytes_of(&all);
            return Some(Broadcast { id: call.id, bytes, size: bytes, largest: bytes, particles, demanded });
        };
        let lines = Lines::of(message, self.truth.ssvc, csvc);
        if lines.leaves_out(message) {
            return None;
        }
        let bytes = bytes_of(&writes_of(Form::Exact, &call.writes, Some(message), lines));
        let size = bytes.max(message.lines.get(lines.client).map_or(0, |line| line.bytes));
        let largest = message.lines.iter().map(|line| line.bytes).max().unwrap_or(0).max(size);
        Some(Broadcast { id: call.id, bytes, size, largest, particles, demanded })
    }

    /// The converted broadcasts of this frame, those that came among them.
    fn own_broadcasts(&mut self, came: &[u64]) -> Vec<Broadcast> {
        let (now, tick, csvc) = (self.now, self.options.tick_us, self.session.csvc());
        let waiting = self.session.queue.iter().filter(|entry| entry.class == Class::Own);
        let waiting = waiting.filter(|entry| is_of_frame(self.truth, entry, now, tick));
        let mut ids: Vec<(u64, bool)> = waiting.map(|entry| (entry.id, entry.demanded)).collect();
        ids.extend(came.iter().map(|&id| (id, true)));
        ids.sort_unstable();
        let mut all = Vec::new();
        for (id, demanded) in ids {
            let Some(call) = self.truth.call(id).filter(|call| !call.writes.is_empty()) else { continue };
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
            let calls = self.truth.calls.iter().rev().take_while(of_frame);
            let own = calls.filter(|call| call.class() == Class::Own && call.is_for(host));
            let sizes = own.filter_map(|call| self.broadcast(call, csvc, true)).map(|broadcast| broadcast.size);
            sizes.sum::<usize>() > CLIENT_DATAGRAM_BYTES
        })
    }

    fn judge_own(&mut self, came: &[u64], payload: usize, replaced: bool) {
        let all = self.own_broadcasts(came);
        let total: usize = all.iter().map(|broadcast| broadcast.bytes).sum();
        self.report.saw_if(total > CLIENT_DATAGRAM_BYTES, Point::Flood);
        if self.truth.ssvc == 0 && total + OLD_MARGIN > DATAGRAM_BYTES {
            return;
        }
        let full = self.other_is_full();
        self.report.saw_if(full && !came.is_empty(), Point::OneFull);
        let by_size = |broadcast: &Broadcast| broadcast.size;
        let with_margin = |broadcast: &Broadcast| broadcast.size.max(if broadcast.particles { OLD_MARGIN } else { 0 });
        let accepted = accept(&all, by_size);
        let mut came_in_order = came.to_vec();
        came_in_order.sort_unstable();
        if came_in_order == accepted || came_in_order == accept(&all, with_margin) {
            return;
        }
        let is_missing =
            |broadcast: &&Broadcast| accepted.contains(&broadcast.id) && !came_in_order.contains(&broadcast.id);
        let missing: usize = all.iter().filter(is_missing).map(|broadcast| broadcast.bytes).sum();
        let host = self.session.host;
        if payload + missing >= PACKET_BYTES {
            self.report.saw(Point::DatagramFull);
            if !came.is_empty() && missing > 0 {
                let count = came.len();
                self.fail(&BROADCASTS_COME_TOGETHER, &BUF_06, || {
                    format!("to {host}: {count} broadcasts of a frame came, and {missing} bytes of it did not")
                });
            }
            return;
        }
        let Some(first) = all.iter().filter(is_missing).find(|broadcast| broadcast.demanded) else { return };
        let Some(call) = self.truth.call(first.id) else { return };
        let cramped = !accept(&all, |broadcast| broadcast.largest).contains(&first.id);
        let suspects = diagnosis::dropped(self.evidence(call, false), full, cramped, replaced);
        let (what, room) = (call.to_string(), PACKET_BYTES.saturating_sub(payload));
        self.fail(&BROADCASTS_WITH_ROOM_COME, suspects, || {
            format!("to {host}: {what} did not come; {room} bytes of the datagram were free")
        });
    }

    fn judge_common(&mut self, came: &[u64], payload: usize) {
        let (now, tick) = (self.now, self.options.tick_us);
        let waiting = self.session.queue.iter().filter(|entry| entry.class == Class::Common);
        let waiting: Vec<Entry> = waiting.filter(|entry| is_of_frame(self.truth, entry, now, tick)).copied().collect();
        let length = |id: u64| {
            self.truth.call(id).map_or(0, |call| call.writes.iter().map(|write| write.bytes.len()).sum::<usize>())
        };
        let missing: usize = waiting.iter().map(|entry| length(entry.id)).sum();
        let total = missing + came.iter().map(|&id| length(id)).sum::<usize>();
        self.report.saw_if(total > DATAGRAM_BYTES, Point::Flood);
        if missing == 0 || total > DATAGRAM_BYTES || payload + missing >= PACKET_BYTES {
            self.report.saw_if(missing > 0, Point::DatagramFull);
            return;
        }
        let first = waiting.iter().find(|entry| entry.demanded).and_then(|entry| self.truth.call(entry.id));
        let Some(call) = first else { return };
        let suspects = diagnosis::missing(self.evidence(call, false), false);
        let (host, what) = (self.session.host, call.to_string());
        self.fail(&BROADCASTS_WITH_ROOM_COME, suspects, || format!("to {host}: {what} did not come with its frame"));
    }

    /// The entities of the frame.
    fn judge_world(&mut self, payload: usize) {
        let Truth { world, world_changed, is_blind, .. } = &*self.truth;
        if *is_blind || self.now.since(*world_changed) <= 2 * self.options.tick_us {
            return;
        }
        // What a late `begin` of the level before brings comes ahead of this level's baselines.
        if self.session.behind > 0 || self.session.stage < 2 {
            return;
        }
        let full = payload + 32 >= PACKET_BYTES;
        if let Some((number, field)) = self.session.scene.difference(&world.live, full) {
            let host = self.session.host;
            let what = field.and_then(|field| FIELD_TABLE.get(field)).map_or("", |field| field.name);
            self.fail(&FRAMES_SHOW_THE_WORLD, &TAB_01, || {
                format!("to {host}: entity {number} is not there, or not as it is in the world: {what}")
            });
        }
    }

    /// What is written right into the frame.
    fn judge_frame(&mut self, payload: usize) {
        let (now, tick) = (self.now, self.options.tick_us);
        let executed = |call: &&Call| call.frame.is_some_and(|frame| now.since(frame) <= tick / 2);
        let spawned = self.session.spawned;
        let due = |call: &&Call| executed(call) && spawned.is_some_and(|spawned| spawned < call.at);
        let full = payload + 32 >= PACKET_BYTES;
        let host = self.session.host;
        let angles = self.session.angles.and_then(|id| self.truth.call(id)).filter(due).filter(|_| !full);
        if let Some(what) = angles.map(ToString::to_string) {
            self.session.angles = None;
            self.fail(&FRAMES_HAVE_THEIR_CALLS, &T1_03, || format!("to {host}: {what} did not come with its frame"));
        }
        let hurt = self.session.damages.iter().filter_map(|&id| self.truth.call(id)).find(due).filter(|_| !full);
        if let Some(what) = hurt.map(ToString::to_string) {
            self.session.damages.clear();
            self.fail(&FRAMES_HAVE_THEIR_CALLS, &TAB_01, || format!("to {host}: {what} did not come with its frame"));
        }
    }
}

/// Whether an entry's call was executed in the frame that begins at `now`.
fn is_of_frame(truth: &Truth, entry: &Entry, now: kit::Time, tick: u64) -> bool {
    let frame = truth.call(entry.id).and_then(|call| call.frame);
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
