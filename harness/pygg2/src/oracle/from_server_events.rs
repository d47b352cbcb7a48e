//! The events in a packet of the server: none is missing, none is repeated too long, and each is what happened.

use super::coverage::Point;
use super::diagnosis::{self, MissingEvent};
use super::from_server::ServerPacket;
use super::session::held::Cause;
use super::session::server::{Expected, SentEvent, UncausedChange};
use super::session::{MAX_EARLY, remember, remember_of};
use crate::complete::{CompleteUpdate, Stats};
use crate::constants::VERSION;
use crate::message::{Hi, ServerEvent, Stamped};
use crate::requirements::*;
use crate::serial::{greater, newer};

kit::checks! {
    REPEATED = "unacknowledged-events-are-repeated": EVT_02 [OtherAcked], EVT_03 [SeveralRepeated],
        EVT_05 [AckBetweenEvents], EVT_06 [RepeatedLong], ACK_07 [BogusAck], HS_08 [HiRepeated],
        SEQ_02 [Wrapped] [ClientWrapped];
    DELETED = "acknowledged-events-are-deleted": EVT_05 [AckBetweenEvents], SEQ_02 [Wrapped] [ClientWrapped];
    FROM_CREATION = "events-are-in-every-packet-since-their-creation": EVT_03 [SeveralRepeated];
    PROMPT = "events-leave-at-once" knows Limits Time: EVT_01 [GameEvent];
    COMPLETE = "expected-events-are-sent-in-order": EVT_10 [ThreeClients], HS_06 [HiSent],
        HS_07 [HiSent CompleteSent], FULL_01 [CompleteSent];
    CAUSED = "events-are-what-happened" knows World: TYPE_01 [NegativeStat], TYPE_02 [LargeNumber],
        EVT_09 [ClientEvent ClientRepeatDelivered], ROB_01 [UnreadableDelivered] [UnreadableClientDelivered];
    EXTRA = "extra-events-are-true" knows World: EVT_12 [GameEvent];
    GOOD_HELLOS = "good-hellos-are-not-refused" knows World: HS_06 [HiSent];
    ONE_HI = "hi-is-sent-once": HS_09 [HelloRepeated];
    IDS = "ids-are-the-players-own": FULL_02 [CompleteSent], FULL_06 [CompleteAfterLeft];
    HI = "hi-is-right" knows Limits: HS_06 [HiSent];
    HI_HAS_THE_VERSION = "hi-has-the-version": HS_06 [HiSent];
    HI_HAS_THE_PLAYERS = "hi-has-the-number-of-players" knows World: HS_06 [HiSent];
    OWN_ID = "hi-has-the-players-id" knows Limits: HS_11 [HiSent];
    STATISTICS = "complete-updates-are-right" knows World: TYPE_01 [NegativeStat], TYPE_02 [LargeNumber],
        FULL_02 [CompleteSent], FULL_03 [CompleteWithLiving], FULL_04 [CompleteWithSentry], FULL_05 [CompleteSent];
}

/// After so many ticks an event that is expected and does not come is missing.
const MISSING_TICKS: u64 = 10;

impl ServerPacket<'_> {
    /// Judges the events of the packet.
    pub(super) fn judge_events(&mut self, events: &[Stamped<ServerEvent>], has_snapshot: bool) {
        let has_new = events.iter().any(|event| self.is_new(event.created));
        self.missing(events, has_new);
        let mut kept = 0;
        // The same may happen twice at one moment: each event of the packet stands for one that was sent.
        self.server.unacknowledged.iter_mut().for_each(|sent| sent.is_here = false);
        for (place, event) in events.iter().enumerate() {
            kept += usize::from(self.event(event, place, has_snapshot));
        }
        self.report.saw_if(kept > 1, Point::SeveralRepeated);
        self.report.saw_if(has_snapshot && !events.is_empty(), Point::EventsAndSnapshot);
        if has_snapshot {
            self.overdue();
        }
    }

    fn is_new(&self, created: u16) -> bool {
        self.server.last_sent.is_none_or(|last| newer(created, last))
    }

    /// Looks for events that the packet must have, and has not.
    fn missing(&mut self, events: &[Stamped<ServerEvent>], has_new: bool) {
        // Mostly an event stands where it stood among those sent.
        let has = |(place, sent): &(usize, &SentEvent)| {
            events.get(*place).is_some_and(|event| sent.is(event)) || events.iter().any(|event| sent.is(event))
        };
        let sent = self.server.unacknowledged.iter().enumerate();
        let missing: Vec<SentEvent> = sent.filter(|sent| !has(sent)).map(|(_, sent)| sent.clone()).collect();
        for sent in missing {
            if sent.may_be_acknowledged {
                self.server.unacknowledged.retain(|other| other.bytes != sent.bytes);
                continue;
            }
            let SentEvent { created, event, seen, bytes, .. } = &sent;
            let evidence = MissingEvent {
                created: *created,
                greets: matches!(event, ServerEvent::Hi(_) | ServerEvent::Complete(_)),
                acked: self.server.acked,
                bogus_ack: self.server.bogus.iter().any(|&ack| !newer(*created, ack)),
                has_new,
                acked_since: self.server.acked_at > *seen,
                other_acked_since: self.elsewhere.other_acked.is_some_and(|at| at > *seen),
            };
            self.fail(&REPEATED, diagnosis::missing_event(&evidence), || {
                format!(
                    "lacks the event of {created} (record {}), sent last at {seen} and not acknowledged",
                    event.id()
                )
            });
            self.server.unacknowledged.retain(|other| other.bytes != *bytes);
        }
    }

    /// Judges one event, at this place of the packet. Whether the client has not acknowledged it.
    fn event(&mut self, event: &Stamped<ServerEvent>, place: usize, has_snapshot: bool) -> bool {
        let Stamped { created, what } = event;
        let now = self.now;
        if let Some(known) = self.server.sent_before(event, place) {
            known.is_here = true;
            known.seen = now;
            known.times += 1;
            let (times, acked_at) = (known.times, self.server.acked_at);
            let long = now.since(acked_at) > 10 * self.truth.options.tick_us;
            self.report.saw_if(times > 10 && long, Point::RepeatedLong);
            self.report.saw_if(matches!(what, ServerEvent::Hi(_)), Point::HiRepeated);
            self.report.saw_if(self.elsewhere.other_acked.is_some_and(|at| at > acked_at), Point::OtherAcked);
            return true;
        }
        if let Some(acked) = self.server.acked.filter(|&acked| !newer(*created, acked)) {
            if has_snapshot {
                let suspect = if greater(*created, acked) { &SEQ_02 } else { &EVT_05 };
                self.fail(&DELETED, suspect, || format!("has the event of {created}, though {acked} is acknowledged"));
            }
            return false;
        }
        if !self.is_new(*created) || newer(*created, self.header.sequence) {
            self.fail(&FROM_CREATION, &EVT_03, || format!("has an event of {created} that other packets lack"));
        }
        self.new_event(what);
        self.server.remember_event(now, *created, what);
        true
    }

    /// Finds the cause of a new event.
    fn new_event(&mut self, event: &ServerEvent) {
        let same = |expected: &Expected| match (&expected.event, event) {
            (ServerEvent::Hi(_), ServerEvent::Hi(_)) => true,
            (ServerEvent::Complete(_), ServerEvent::Complete(_)) => true,
            (expected, event) => expected == event,
        };
        // What need not come and would come late is not meant where the same is due.
        let (now, tick_us) = (self.now, self.truth.options.tick_us);
        let is_past = |expected: &Expected| expected.cause == Cause::Perhaps && now.since(expected.at) > tick_us;
        let meant = |expected: &Expected| same(expected) && !is_past(expected);
        let expected = &self.server.expected;
        let Some(index) = expected.iter().position(meant).or_else(|| expected.iter().position(same)) else {
            self.unexpected(event);
            return;
        };
        let Some(found) = self.server.expected.remove(index) else { return };
        self.skipped(index, &found);
        // A snapshot that came after the event went without it.
        let passed = matches!(found.cause, Cause::Game | Cause::Client)
            && self.server.snapshots > 0
            && self.server.snapshot_at > found.at;
        let late = passed || self.now.since(found.at) > self.truth.options.tick_us;
        if late && !matches!(found.cause, Cause::Hi | Cause::Perhaps) {
            let at = found.at;
            self.fail(&PROMPT, &EVT_01, || format!("is the first with an event (record {}) of {at}", event.id()));
        }
        match (&found.event, event) {
            (ServerEvent::Hi(wanted), ServerEvent::Hi(hi)) => self.hi(wanted, hi),
            (ServerEvent::Complete(wanted), ServerEvent::Complete(update)) => self.complete(wanted, update),
            _ => {
                let game = matches!(found.cause, Cause::Game | Cause::Client | Cause::Departure);
                self.report.saw_if(game, Point::GameEvent);
            }
        }
        if found.cause == Cause::Client {
            let event = event.clone();
            remember(&mut self.server.uncaused, UncausedChange { event, unreadable: false });
        }
    }

    /// Judges what stood before the event that came, and did not come.
    fn skipped(&mut self, index: usize, found: &Expected) {
        if matches!(found.cause, Cause::Departure | Cause::Perhaps) {
            return;
        }
        let ends_update = matches!(found.event, ServerEvent::Complete(_));
        let mut place = 0;
        let mut before = 0;
        // Of those that stay, how many stand before it.
        let mut kept = 0;
        while let Some(expected) = self.server.expected.get(place) {
            let earlier = before < index;
            before += 1;
            let same_update = expected.cause == found.cause && matches!(found.cause, Cause::Complete(_));
            let gone = if same_update { ends_update } else { earlier };
            // In which order a remote server had the causes, what other clients were sent does not say.
            let unordered = match expected.cause {
                Cause::Departure | Cause::Perhaps => true,
                Cause::Game | Cause::Client => self.truth.vantage.remote_server,
                Cause::Hi | Cause::Complete(_) => false,
            };
            if !gone || unordered {
                place += 1;
                kept += usize::from(earlier);
                continue;
            }
            if expected.cause == Cause::Hi {
                self.fail(&COMPLETE, &HS_07, || format!("has an event (record {}) before hi", found.event.id()));
                return;
            }
            let Some(expected) = self.server.expected.remove(place) else { return };
            self.never_sent(&expected);
        }
        if ends_update {
            // Another update of the same moment may have them as well.
            let mut place = 0;
            self.server.expected.retain(|expected| {
                place += 1;
                place > kept || expected.cause != Cause::Perhaps || expected.at != found.at
            });
        }
    }

    fn never_sent(&mut self, expected: &Expected) {
        let Expected { event, at, cause, .. } = expected;
        if *cause == Cause::Perhaps {
            return;
        }
        let suspect = diagnosis::never_sent(*cause, matches!(event, ServerEvent::Complete(_)));
        self.fail(&COMPLETE, suspect, || format!("lacks the event of {at}: {event:?}"));
    }

    /// Judges events that should be here by now.
    fn overdue(&mut self) {
        let limit = MISSING_TICKS * self.truth.options.tick_us;
        let now = self.now;
        // How long a remote server's tick is, only its snapshots show.
        let (remote, snapshots) = (self.truth.vantage.remote_server, self.server.snapshots);
        let slow = |first: &Expected| remote && u64::from(snapshots - first.snapshots) <= MISSING_TICKS;
        let late = |first: &&Expected| now.since(first.at) > limit && !slow(first);
        while let Some(expected) = self.server.expected.front().filter(late).cloned() {
            self.server.expected.pop_front();
            self.never_sent(&expected);
        }
    }

    /// An event that is not expected.
    fn unexpected(&mut self, event: &ServerEvent) {
        if matches!(event, ServerEvent::Hi(_)) {
            self.fail(&ONE_HI, &HS_09, || String::from("has hi for a client that is in already"));
            return;
        }
        if let ServerEvent::Refuse { reason } = *event {
            self.fail(&GOOD_HELLOS, &HS_06, || format!("refuses a good hello, for {reason}"));
            return;
        }
        let renamed = |expected: &Expected| match (&expected.event, event) {
            (ServerEvent::Join { name, .. }, ServerEvent::Join { name: other, .. }) => {
                name == other && expected.cause != Cause::Perhaps
            }
            _ => false,
        };
        // Two players may have the same name.
        let (known, remote) = (&self.truth.world.live, self.truth.vantage.remote_server);
        let another = matches!(event, ServerEvent::Join { id, .. } if !remote && known.get((*id).into()).is_none());
        let renamed = self.server.expected.iter().position(renamed).filter(|_| another);
        if let Some(index) = renamed {
            let expected = self.server.expected.remove(index);
            self.fail(&IDS, &FULL_06, || format!("gives a player another id than {expected:?}: {event:?}"));
            return;
        }
        self.report.saw_if(!self.truth.known, Point::GameEvent);
        if self.truth.vantage.remote_server {
            remember_of(MAX_EARLY, &mut self.server.early, (self.now, event.clone()));
        }
        let subject = |event: &ServerEvent| match *event {
            ServerEvent::Join { id, .. } => Some((event.id(), id)),
            ServerEvent::ChangeClass { id, .. } | ServerEvent::ChangeTeam { id, .. } => Some((event.id(), id)),
            ServerEvent::Spawn { id, .. } => Some((event.id(), id.into())),
            _ => None,
        };
        let about = |expected: &Expected| {
            expected.cause != Cause::Perhaps && subject(event).is_some() && subject(&expected.event) == subject(event)
        };
        if let Some(change) = self.server.uncaused.iter().rfind(|change| change.event == *event) {
            let suspect = if change.unreadable { &ROB_01 } else { &EVT_09 };
            self.fail(&CAUSED, suspect, || format!("has an event without a cause, now: {event:?}"));
        } else if !self.truth.known {
            // Anything may have happened.
        } else if let Some(index) = self.server.expected.iter().position(about) {
            let expected = self.server.expected.remove(index);
            let suspects = diagnosis::wrong_event(event);
            self.fail(&CAUSED, suspects, || format!("has {event:?}, expected {expected:?}"));
        } else if self.truth.is_so(event) || self.server.doubtful > 0 {
            self.report.remark("the server sent events that nothing in the scenario explains (legal)");
        } else {
            self.fail(&EXTRA, &EVT_12, || format!("has an event with wrong contents: {event:?}"));
        }
    }

    fn hi(&mut self, wanted: &Hi, hi: &Hi) {
        self.report.saw(Point::HiSent);
        if (&hi.server, &hi.map) != (&wanted.server, &wanted.map) {
            self.fail(&HI, &HS_06, || format!("has {hi:?}, expected {wanted:?}"));
        }
        if hi.version != VERSION {
            self.fail(&HI_HAS_THE_VERSION, &HS_06, || format!("has hi with the version {}, not {VERSION}", hi.version));
        }
        if hi.your_id != wanted.your_id {
            let (found, right) = (hi.your_id, wanted.your_id);
            self.fail(&OWN_ID, &HS_11, || format!("has hi for player {found}, expected {right}"));
        }
        let (sent, before) = (usize::from(hi.num_players), usize::from(wanted.num_players));
        let most = self.truth.options.max_players;
        let least = before.saturating_sub(self.server.doubtful);
        if !(least..=before + 1).contains(&sent) && sent != most {
            let what = || format!("has hi with {sent} players; there were {before}, and the maximum is {most}");
            self.fail(&HI_HAS_THE_PLAYERS, &HS_06, what);
        } else if self.truth.known && sent != before {
            self.report.remark("hi has another number of players than there were before (legal: now, or at most)");
        }
    }

    fn complete(&mut self, wanted: &CompleteUpdate, update: &CompleteUpdate) {
        self.report.saw(Point::CompleteSent);
        self.report.saw_if(self.truth.anybody_left, Point::CompleteAfterLeft);
        self.time(update.time);
        for stats in &wanted.players {
            let report = &mut *self.report;
            report.saw_if(stats.living.is_some(), Point::CompleteWithLiving);
            report.saw_if(stats.sentry.is_some(), Point::CompleteWithSentry);
            report.saw_if([stats.kills, stats.deaths, stats.healing].iter().any(|stat| *stat < 0), Point::NegativeStat);
        }
        // What has changed since may be in it or not.
        let present = self.truth.complete_update();
        let joined = |id: u8| self.server.players.contains_key(&id);
        let there = |id: u8| joined(id) || wanted.players.iter().chain(&present.players).any(|stats| stats.id == id);
        if let Some(stats) = update.players.iter().find(|stats| !there(stats.id)) {
            let id = stats.id;
            self.fail(&IDS, &FULL_06, || format!("has statistics of player {id}, who does not exist"));
            return;
        }
        for right in &wanted.players {
            match update.players.iter().find(|stats| stats.id == right.id) {
                None => self.fail(&IDS, &FULL_02, || format!("lacks the statistics of player {}", right.id)),
                Some(stats) if present.players.contains(stats) => {}
                Some(stats) => self.stats(right, stats),
            }
        }
        if update.gamemode != wanted.gamemode {
            let (found, right) = (&update.gamemode, &wanted.gamemode);
            self.fail(&STATISTICS, &FULL_05, || format!("has {found:?} as game mode, expected {right:?}"));
        }
    }

    fn stats(&mut self, right: &Stats, stats: &Stats) {
        let id = right.id;
        let pairs = [(right.kills, stats.kills), (right.deaths, stats.deaths), (right.healing, stats.healing)];
        for (right, found) in pairs.into_iter().filter(|(right, found)| right != found) {
            let suspect = if right < 0 { &TYPE_01 } else { &FULL_02 };
            self.fail(&STATISTICS, suspect, || format!("has a statistic {found} of player {id}, expected {right}"));
        }
        if right.living != stats.living {
            let bodies = right.living.zip(stats.living);
            let suspects = diagnosis::wrong_living(bodies.map(|(right, found)| (right.base, found.base)));
            let (right, found) = (right.living, stats.living);
            self.fail(&STATISTICS, suspects, || format!("has {found:?} of player {id}, expected {right:?}"));
        }
        if right.sentry != stats.sentry {
            let (right, found) = (right.sentry, stats.sentry);
            self.fail(&STATISTICS, &FULL_04, || format!("has {found:?} of player {id}, expected {right:?}"));
        }
    }
}
