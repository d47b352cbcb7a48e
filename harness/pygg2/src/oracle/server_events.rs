//! The events in a packet of the server: none is missing, none is left too long, and each is what happened.

use super::coverage::{Point, Report};
use super::link::{Cause, Expected, Known, Link, bytes_of};
use super::mirror::remember;
use super::truth::Truth;
use crate::complete::{CompleteUpdate, Stats};
use crate::message::{ServerEvent, Stamped};
use crate::requirements::*;
use crate::serial::{greater, newer};
use crate::snapshot::Base;
use kit::{HostId, Requirement, Time};

/// After so many ticks an event that is expected and does not come is missing.
const MISSING_TICKS: u64 = 10;

/// A packet's events, looked at.
pub struct Events<'a> {
    /// The client and all that is known of it.
    pub link: &'a mut Link,
    /// Where findings go.
    pub report: &'a mut Report,
    /// What is, and what both ends were told.
    pub truth: &'a Truth,
    /// When the packet was sent.
    pub now: Time,
    /// Its number.
    pub sequence: u16,
    /// Whether it has a snapshot.
    pub snapshot: bool,
    /// When another client's acknowledgement came last.
    pub other_acked: Option<Time>,
}

impl Events<'_> {
    fn find(&mut self, requirement: &'static Requirement, what: impl FnOnce() -> String) {
        let (sequence, host) = (self.sequence, self.link.host);
        let what = || format!("packet {sequence} to {host}: {}", what());
        self.report.find(requirement, self.now, HostId::SERVER, what);
    }

    /// Judges the events of the packet.
    pub fn judge(&mut self, events: &[Stamped<ServerEvent>]) {
        let new = events.iter().any(|event| self.is_new(event.created));
        self.missing(events, new);
        let mut kept = 0;
        // The same may happen twice at one moment: each event of the packet stands for one that is known.
        let mut unseen: Vec<usize> = (0..self.link.ledger.len()).collect();
        for event in events {
            kept += usize::from(self.event(event, &mut unseen));
        }
        self.report.saw_if(kept > 1, Point::SeveralRepeated);
        self.report.saw_if(self.snapshot && !events.is_empty(), Point::EventsAndSnapshot);
        if self.snapshot {
            self.overdue();
        }
    }

    fn is_new(&self, created: u16) -> bool {
        self.link.last_sent.is_none_or(|last| newer(created, last))
    }

    /// Looks for events that the packet must have, and has not.
    fn missing(&mut self, events: &[Stamped<ServerEvent>], new: bool) {
        let has =
            |known: &Known| events.iter().any(|event| event.created == known.created && event.what == known.event);
        let lost: Vec<Known> = self.link.ledger.iter().filter(|known| !has(known)).cloned().collect();
        for known in lost {
            let requirement = self.why_missing(&known, new);
            let Known { created, event, seen, .. } = &known;
            self.find(requirement, || {
                format!(
                    "lacks the event of {created} (record {}), sent last at {seen} and not acknowledged",
                    event.id()
                )
            });
            self.link.ledger.retain(|other| other.bytes != known.bytes);
        }
    }

    fn why_missing(&self, known: &Known, new: bool) -> &'static Requirement {
        let created = known.created;
        if self.link.bogus.iter().any(|&ack| !newer(created, ack)) {
            return &ACK_07;
        }
        if self.link.acked.is_some_and(|acked| newer(created, acked) && !greater(created, acked)) {
            return &SEQ_02;
        }
        if new {
            return &EVT_03;
        }
        if self.link.acked_at > known.seen {
            return &EVT_05;
        }
        if self.other_acked.is_some_and(|at| at > known.seen) {
            return &EVT_02;
        }
        if matches!(known.event, ServerEvent::Hi(_) | ServerEvent::Complete(_)) {
            return &HS_08;
        }
        &EVT_06
    }

    /// Judges one event. Whether the client has not acknowledged it.
    fn event(&mut self, event: &Stamped<ServerEvent>, unseen: &mut Vec<usize>) -> bool {
        let Stamped { created, what } = event;
        let now = self.now;
        let ledger = &mut self.link.ledger;
        let same = |known: &Known| known.created == *created && known.event == *what;
        let place = unseen.iter().position(|&index| ledger.get(index).is_some_and(same));
        let known = place.map(|place| unseen.remove(place)).and_then(|index| ledger.get_mut(index));
        if let Some(known) = known {
            known.seen = now;
            known.times += 1;
            let (times, first) = (known.times, self.link.acked_at);
            self.report.saw_if(times > 10 && now.since(first) > 10 * self.truth.options.tick_us, Point::RepeatedLong);
            let greets = matches!(what, ServerEvent::Hi(_));
            self.report.saw_if(greets, Point::HiRepeated);
            self.report.saw_if(self.other_acked.is_some_and(|at| at > first), Point::OtherAcked);
            return true;
        }
        if let Some(acked) = self.link.acked.filter(|&acked| !newer(*created, acked)) {
            if self.snapshot {
                let wraps = greater(*created, acked);
                let requirement = if wraps { &SEQ_02 } else { &EVT_05 };
                self.find(requirement, || format!("still has the event of {created}, though {acked} is acknowledged"));
            }
            return false;
        }
        if !self.is_new(*created) || newer(*created, self.sequence) {
            self.find(&EVT_03, || format!("has an event of {created} that the packets before it lack"));
        }
        self.expected(what);
        let bytes = bytes_of(what, *created);
        self.link.ledger.push(Known { created: *created, event: what.clone(), bytes, seen: now, times: 1 });
        true
    }

    /// Finds the cause of a new event.
    fn expected(&mut self, event: &ServerEvent) {
        let same = |expected: &Expected| match (&expected.event, event) {
            (ServerEvent::Hi(_), ServerEvent::Hi(_)) => true,
            (ServerEvent::Complete(_), ServerEvent::Complete(_)) => true,
            (expected, event) => expected == event,
        };
        let Some(index) = self.link.expected.iter().position(same) else {
            self.unexplained(event);
            return;
        };
        let Some(found) = self.link.expected.remove(index) else { return };
        self.skipped(index, &found);
        let late = self.now.since(found.at) > self.truth.options.tick_us;
        if late && found.cause != Cause::Hi {
            let at = found.at;
            self.find(&EVT_01, || format!("is the first with an event (record {}) of {at}", event.id()));
        }
        match (&found.event, event) {
            (ServerEvent::Hi(wanted), ServerEvent::Hi(hi)) => {
                self.report.saw(Point::HiSent);
                self.hi(wanted, hi);
            }
            (ServerEvent::Complete(wanted), ServerEvent::Complete(update)) => {
                self.report.saw(Point::CompleteSent);
                self.report.saw_if(self.truth.anybody_left, Point::CompleteAfterLeft);
                self.complete(wanted, update);
            }
            _ => self
                .report
                .saw_if(matches!(found.cause, Cause::Game | Cause::Client(_) | Cause::Departure), Point::GameEvent),
        }
        if let Cause::Client(_) = found.cause {
            remember(&mut self.link.class_changes, event.clone());
        }
    }

    /// Judges what stood before the event that came, and did not come.
    fn skipped(&mut self, index: usize, found: &Expected) {
        if found.cause == Cause::Departure {
            return;
        }
        let ends_update = matches!(found.event, ServerEvent::Complete(_));
        let mut place = 0;
        let mut before = 0;
        while let Some(expected) = self.link.expected.get(place) {
            let earlier = before < index;
            before += 1;
            let same_update = expected.cause == found.cause && matches!(found.cause, Cause::Complete(_));
            let gone = if same_update { ends_update } else { earlier };
            if !gone || expected.cause == Cause::Departure {
                place += 1;
                continue;
            }
            if expected.cause == Cause::Hi {
                self.find(&HS_07, || format!("has an event (record {}) before hi", found.event.id()));
                return;
            }
            let Some(expected) = self.link.expected.remove(place) else { return };
            self.never_came(&expected);
        }
    }

    fn never_came(&mut self, expected: &Expected) {
        let requirement = match (expected.cause, &expected.event) {
            (Cause::Hi, _) => &HS_06,
            (Cause::Complete(_), ServerEvent::Complete(_)) => &HS_07,
            (Cause::Complete(_), _) => &FULL_01,
            (Cause::Game | Cause::Client(_) | Cause::Departure, _) => &EVT_10,
        };
        let (at, event) = (expected.at, &expected.event);
        self.find(requirement, || format!("lacks the event of {at}: {event:?}"));
    }

    /// Judges events that should be here by now.
    fn overdue(&mut self) {
        let limit = MISSING_TICKS * self.truth.options.tick_us;
        while let Some(expected) = self.link.expected.front().filter(|first| self.now.since(first.at) > limit).cloned()
        {
            self.link.expected.pop_front();
            self.never_came(&expected);
        }
    }

    /// An event that nothing explains.
    fn unexplained(&mut self, event: &ServerEvent) {
        let near = |expected: &Expected| swapped(&expected.event) == *event;
        if let Some(index) = self.link.expected.iter().position(near) {
            self.link.expected.remove(index);
            self.find(&TYPE_02, || format!("has an event with its bytes the wrong way round: {event:?}"));
            return;
        }
        let renamed = |expected: &Expected| match (&expected.event, event) {
            (ServerEvent::Join { name, .. }, ServerEvent::Join { name: other, .. }) => name == other,
            _ => false,
        };
        if let Some(index) = self.link.expected.iter().position(renamed) {
            let expected = self.link.expected.remove(index);
            self.find(&FULL_06, || format!("gives a player another id than {expected:?}: {event:?}"));
            return;
        }
        let about = |expected: &Expected| match (&expected.event, event) {
            (ServerEvent::Join { id, .. }, ServerEvent::Join { id: other, .. }) => id == other,
            (ServerEvent::Spawn { id, .. }, ServerEvent::Spawn { id: other, .. }) => id == other,
            (ServerEvent::ChangeClass { id, .. }, ServerEvent::ChangeClass { id: other, .. }) => id == other,
            (ServerEvent::ChangeTeam { id, .. }, ServerEvent::ChangeTeam { id: other, .. }) => id == other,
            _ => false,
        };
        if self.link.unreadable_changes.contains(event) {
            self.find(&ROB_01, || format!("has an event that comes of an unreadable packet: {event:?}"));
        } else if self.link.class_changes.contains(event) {
            self.find(&EVT_09, || format!("has an event that was applied before: {event:?}"));
        } else if let Some(index) = self.link.expected.iter().position(about) {
            let expected = self.link.expected.remove(index);
            self.find(&TYPE_01, || format!("has {event:?}, where {expected:?} is right"));
        } else if matches!(event, ServerEvent::Hi(_)) {
            self.find(&HS_09, || String::from("has hi for a client that is in already"));
        } else {
            self.report.remark("the server sent events that nothing in the scenario explains (legal)");
        }
    }

    fn hi(&mut self, wanted: &crate::message::Hi, hi: &crate::message::Hi) {
        if (&hi.server, &hi.map, hi.your_id) != (&wanted.server, &wanted.map, wanted.your_id) {
            self.find(&HS_06, || format!("has {hi:?}, where {wanted:?} is right"));
        }
        if hi.num_players != wanted.num_players {
            self.report.remark("hi tells another number of players than there were before (legal: now, or at most)");
        }
    }

    fn complete(&mut self, wanted: &CompleteUpdate, update: &CompleteUpdate) {
        let see = &mut *self.report;
        for stats in &wanted.players {
            see.saw_if(stats.living.is_some(), Point::CompleteWithLiving);
            see.saw_if(stats.sentry.is_some(), Point::CompleteWithSentry);
            see.saw_if([stats.kills, stats.deaths, stats.healing].iter().any(|stat| *stat < 0), Point::NegativeStat);
        }
        // What has changed since may be in it or not.
        let present = self.truth.complete_update();
        let all = || wanted.players.iter().chain(&present.players);
        let strange = update.players.iter().find(|stats| all().all(|other| other.id != stats.id));
        if let Some(stats) = strange {
            let id = stats.id;
            self.find(&FULL_06, || format!("has statistics of a player {id}, whom there is not"));
            return;
        }
        for right in &wanted.players {
            match update.players.iter().find(|stats| stats.id == right.id) {
                None => self.find(&FULL_02, || format!("lacks the statistics of player {}", right.id)),
                Some(stats) if present.players.contains(stats) => {}
                Some(stats) => self.stats(right, stats),
            }
        }
        if update.gamemode != wanted.gamemode {
            let (found, right) = (&update.gamemode, &wanted.gamemode);
            self.find(&FULL_05, || format!("says {found:?} of the game mode, where {right:?} is right"));
        }
    }

    fn stats(&mut self, right: &Stats, stats: &Stats) {
        let id = right.id;
        let pairs = [(right.kills, stats.kills), (right.deaths, stats.deaths), (right.healing, stats.healing)];
        for (right, found) in pairs.into_iter().filter(|(right, found)| right != found) {
            let requirement = if right < 0 { &TYPE_01 } else { &FULL_02 };
            self.find(requirement, || format!("has a statistic {found} of player {id}, where {right} is right"));
        }
        if right.living != stats.living {
            let requirement = match (&right.living, &stats.living) {
                (Some(right), Some(found)) if right.base.swapped() == found.base => &TYPE_02,
                _ => &FULL_03,
            };
            let (right, found) = (right.living, stats.living);
            self.find(requirement, || format!("has the body {found:?} of player {id}, where {right:?} is right"));
        }
        if right.sentry != stats.sentry {
            let (right, found) = (right.sentry, stats.sentry);
            self.find(&FULL_04, || format!("has the sentry {found:?} of player {id}, where {right:?} is right"));
        }
    }
}

impl Base {
    /// With the bytes of its numbers the wrong way round.
    pub(super) fn swapped(self) -> Base {
        Base {
            inputstate: self.inputstate,
            aimdirection: self.aimdirection.swap_bytes(),
            x: self.x.swap_bytes(),
            y: self.y.swap_bytes(),
            hspeed: self.hspeed.swap_bytes(),
            vspeed: self.vspeed.swap_bytes(),
            hp: self.hp,
        }
    }
}

/// An event with the bytes of its numbers the wrong way round.
fn swapped(event: &ServerEvent) -> ServerEvent {
    match event {
        ServerEvent::Join { id, name } => ServerEvent::Join { id: id.swap_bytes(), name: name.clone() },
        ServerEvent::ChangeTeam { id, team } => ServerEvent::ChangeTeam { id: id.swap_bytes(), team: *team },
        ServerEvent::ChangeClass { id, class } => ServerEvent::ChangeClass { id: id.swap_bytes(), class: *class },
        ServerEvent::Spawn { id, x, y } => ServerEvent::Spawn { id: *id, x: x.swap_bytes(), y: y.swap_bytes() },
        other => other.clone(),
    }
}
