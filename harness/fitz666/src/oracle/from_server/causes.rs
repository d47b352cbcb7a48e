//! What a command to the server has to cause in what it sends, and what has caused what it sends.
//!
//! An event travels in one unreliable datagram; that it is lost is nobody's fault, that it is never sent is the server's.
//! Prints and statistics are sent reliably.

use super::FromServer;
use crate::oracle::coverage::{Report, means};
use crate::oracle::events::{Due, Event, Events, RELIABLE_US};
use crate::oracle::truth::Truth;
use crate::requirements::*;
use crate::state::*;
use kit::table::float_value;
use kit::{HostId, Time};
use netquake::Service;

kit::checks! {
    from means;
    /// What happens to a player in the game is sent to its client as it happened: damage, a turn of the view, particles, sounds.
    pub EVENTS_ARE_SENT = "events-are-sent" knows World: VER_04 SND_04;
    /// What is sent of these has happened, and is sent once.
    pub EVENTS_HAVE_A_CAUSE = "events-have-a-cause" knows World: VER_04 SND_04;
    /// Prints and statistics that change in the game are sent, and a statistic has its value.
    pub RELIABLE_EVENTS_ARE_SENT = "reliable-events-are-sent" knows World: NET_06 VER_04;
    /// The scoreboard has the name and the colours that the client gave.
    pub PLAYERS_ARE_NAMED = "players-are-named" knows World: VER_04;
}

/// Datagrams with a time in which an event has to be sent; a server may spread what it has over several.
const FRAMES: u32 = 4;
/// Room that a datagram needs so that an event fits into it, in bytes.
const EVENT_BYTES: usize = 64;

/// Time has passed: which reliable event is not sent, though nothing else is under way (`busy`), or what happened later was sent?
pub fn overdue(client: HostId, events: &mut Events, busy: bool, report: &mut Report, now: Time) {
    for due in events.due.iter_mut().filter(|due| busy && due.event.is_reliable()) {
        due.since = now;
    }
    let late =
        |due: &Due| due.event.is_reliable() && !due.excused && (due.overtaken || now.since(due.since) > RELIABLE_US);
    if let Some(place) = events.due.iter().position(late) {
        let Due { event, .. } = events.due.remove(place);
        let what = || format!("to {client}: {event:?} is not sent");
        report.fail(&RELIABLE_EVENTS_ARE_SENT, now, HostId::SERVER, event.row(), what);
    }
}

impl FromServer<'_> {
    /// The server says something that happens once.
    pub(super) fn event(&mut self, service: &Service<'_>) {
        let Some(truth) = self.truth.filter(|_| self.is_certain_who_plays) else { return };
        let degrees = |bits: i32| f64::from(float_value(bits));
        let event = match *service {
            Service::Damage { armor, blood, .. } => Event::Damage([armor, blood]),
            Service::SetAngle { angles } if self.sent.stage >= 3 => {
                Event::Turn([degrees(angles[0]), degrees(angles[1])])
            }
            Service::Particle { origin, count, color, .. } => Event::Particles(count, color, Some(origin.map(degrees))),
            Service::UpdateStat { stat, value } => return self.statistic(truth, stat, value),
            Service::UpdateName { slot, name } => return self.named(slot, name),
            Service::UpdateColors { slot, colors } => return self.colored(slot, colors),
            _ => return,
        };
        if self.sent.between {
            return;
        }
        let events = &mut self.sent.events;
        if let Some(place) = events.place(|due| due.is(&event)) {
            events.due.remove(place);
            return;
        }
        match events.place(|due| std::mem::discriminant(due) == std::mem::discriminant(&event)) {
            // Of several wounds, somebody else's server may have taken those alone that came when the player was there.
            Some(place) if events.due[place].excused && matches!(event, Event::Damage(_)) => {
                events.due.remove(place);
            }
            Some(place) => {
                let right = events.due.remove(place).event;
                self.fail(&EVENTS_ARE_SENT, event.row(), || format!("{event:?}, should be {right:?}"));
            }
            None => self.fail(&EVENTS_HAVE_A_CAUSE, event.row(), || format!("{event:?}, which did not happen")),
        }
    }

    fn statistic(&mut self, truth: &Truth, stat: u8, value: i32) {
        if !(STAT_TOTALSECRETS..=STAT_MONSTERS).contains(&stat) {
            return;
        }
        self.sent.events.stats.insert(stat, value);
        let right = truth.whole_stat(self.client.0, stat);
        if right == Some(value) {
            return self.sent.events.was_sent(&Event::Stat(stat));
        }
        // It may have waited behind others, and changed meanwhile: what it is now comes later.
        self.sent.events.is_told(stat, self.now);
        if let Some(right) = right.filter(|_| self.current) {
            let what = || format!("statistic {stat} is {value}, should be {right}");
            self.fail(&RELIABLE_EVENTS_ARE_SENT, &VER_04, what);
        }
    }

    fn is_own(&self, slot: u8) -> bool {
        u32::from(slot) + 1 == self.sent.own
    }

    fn named(&mut self, slot: u8, name: &[u8]) {
        if !self.is_own(slot) {
            return;
        }
        self.sent.events.named = true;
        if let Some(right) = self.sent.events.name.clone().filter(|right| right != name) {
            let [name, right] = [name, &right].map(String::from_utf8_lossy);
            self.fail(&PLAYERS_ARE_NAMED, &VER_04, || format!("the player's name is {name:?}, should be {right:?}"));
        }
    }

    fn colored(&mut self, slot: u8, colors: u8) {
        if let Some(right) = self.sent.events.colors.filter(|&right| self.is_own(slot) && right != colors) {
            let what = || format!("the player's colours are {colors:#x}, should be {right:#x}");
            self.fail(&PLAYERS_ARE_NAMED, &VER_04, what);
        }
    }

    /// The sign-on has reached its last step: the client knows its name.
    pub(super) fn is_named(&mut self) {
        let knows = self.truth.is_some() && self.is_certain_who_plays;
        if knows && !std::mem::replace(&mut self.sent.events.named, true) {
            self.fail(&PLAYERS_ARE_NAMED, &VER_04, || String::from("the sign-on does not have the player's name"));
        }
        let Some(truth) = self.truth.filter(|_| knows && self.current) else { return };
        let missing = |stat: &u8| {
            truth.whole_stat(self.client.0, *stat).is_some_and(|value| value != 0)
                && !self.sent.events.stats.contains_key(stat)
        };
        if let Some(stat) = (STAT_TOTALSECRETS..=STAT_MONSTERS).find(missing) {
            self.fail(&RELIABLE_EVENTS_ARE_SENT, &VER_04, || format!("the sign-on does not have statistic {stat}"));
        }
    }

    /// A datagram with a time was sent: which event is not, though there was room?
    pub(super) fn events_wait(&mut self, length: usize) {
        let room = length + EVENT_BYTES <= self.options.datagram_limit;
        let due = &mut self.sent.events.due;
        if !self.is_certain_who_plays {
            due.clear();
        }
        for due in due.iter_mut().filter(|due| !due.event.is_reliable()) {
            due.excused |= !room && matches!(due.event, Event::Particles(..) | Event::Sound(_));
            due.frames += 1;
        }
        due.retain(|due| !due.excused || due.frames <= FRAMES);
        if let Some(place) = due.iter().position(|due| due.frames > FRAMES) {
            let Due { event, .. } = due.remove(place);
            self.fail(&EVENTS_ARE_SENT, event.row(), || format!("{event:?} is not sent"));
        }
    }
}
