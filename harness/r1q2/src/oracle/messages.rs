//! Messages beside frames and texts, against what the scenario asked for.

use super::announcement::{CONFIG, LAYOUT, MAX_REQUESTS, NonDelta, Request, Requested, number};
use super::compare;
use super::context::Context;
use super::coverage::can_break;
use super::model::Frame;
use super::session::{Owed, Session};
use super::truth::eighths;
use crate::requirements::*;
use crate::wire::constants::*;
use crate::wire::dialect::Dialect;
use crate::wire::service::verb;
use crate::wire::state::{EVENT, Entity};
use kit::{Check, HostId, Knows, Suspects};
use std::collections::BTreeMap;

/// With the first frame after its moment, or the second, something that is sent once has to be there.
const FRAMES_UNTIL_SENT: u32 = 2;
/// Steps of an eighth that a place may be off, by rounding.
const ROUNDING: u16 = 1;

/// A server sends what the scenario asks for: sounds, effects, shots, texts and inventories.
pub static MESSAGES_WERE_ASKED_FOR: Check =
    Check::new("messages-were-asked-for", &[can_break::GEN_02]).knows(&[Knows::World]);
/// A baseline is that of the scenario.
pub static BASELINES_ARE_AS_SET: Check =
    Check::new("baselines-are-as-set", &[can_break::GEN_02]).knows(&[Knows::World]);
/// What is sent reliably comes to each client once and in order.
pub static RELIABLE_MESSAGES_COME: Check =
    Check::new("reliable-messages-come", &[can_break::GEN_02]).knows(&[Knows::World]);

/// What is sent once, unreliably, comes with the frames after its moment: sounds, effects, shots, lines, and what happens
/// to entities.
pub static WHAT_HAPPENS_IS_SENT: Check =
    Check::new("what-happens-is-sent", &[can_break::GEN_02]).knows(&[Knows::World]);

fn is_near(sent: [i16; 3], is: [i32; 3]) -> bool {
    sent.iter().zip(is).all(|(sent, is)| sent.wrapping_sub(is as i16).unsigned_abs() <= ROUNDING)
}

impl Context<'_> {
    /// A server sends a message beside frames and texts, with a reliable block if `reliable`.
    pub(super) fn non_delta_is_sent(
        &mut self,
        session: &mut Session,
        message: &NonDelta,
        reliable: bool,
        dialect: &Dialect,
    ) {
        let foreign = match message {
            // It was judged when its block was sent first; another map may have begun since, with the same block.
            NonDelta::ConfigString(..) if reliable && session.server.repeats => return,
            NonDelta::Baseline(number, state) => return self.baseline_is_sent(session, *number, state, dialect),
            // What a server sends of its own has another form.
            NonDelta::ConfigString(_, text, _) => !text.starts_with(CONFIG),
            NonDelta::Layout(text) => !text.starts_with(LAYOUT),
            _ => false,
        };
        let Some(requests) = self.requests.all().filter(|_| self.truth.is_known() && !foreign) else { return };
        let host = session.host;
        let requests = requests.iter().enumerate();
        let fitting = requests.filter(|(_, request)| request.is_for(host) && self.meets(session, message, request));
        // A reliable block may be repeated.
        let momentary =
            matches!(message, NonDelta::Sound(_) | NonDelta::Effect(..) | NonDelta::Flash(..) | NonDelta::Aside(_));
        let once = !reliable && momentary;
        let fitting: Vec<usize> = fitting.map(|(index, _)| index).collect();
        let fresh = |index: &&usize| !once || !session.matched.contains(index);
        let due = fitting.iter().find(|index| session.due.iter().any(|due| due.what == Owed::Request(**index)));
        match due.or_else(|| fitting.iter().find(fresh)).copied() {
            Some(index) => {
                session.due.retain(|due| due.what != Owed::Request(index));
                if once {
                    session.matched.insert(index);
                }
            }
            None => {
                let what =
                    || format!("sends {host} a message that the scenario does not request, or repeats it: {message:?}");
                self.server_fails(&MESSAGES_WERE_ASKED_FOR, &GEN_02, what);
            }
        }
    }

    /// A frame is sent after frame `last`: what was asked for before has to be with it, or with the next.
    pub(super) fn once_is_due(&mut self, session: &mut Session, frame: &Frame, last: Option<i32>) {
        // Nobody knows what there was room for.
        if session.tight || session.shortened && session.server.is_remote() {
            return session.due.clear();
        }
        let host = session.host;
        let given = self.given_by(session).to_vec();
        let number_of = |entity: u32| {
            let given = given.iter().find(|it| u32::from(it.host.0) == entity);
            given.and_then(|it| u32::try_from(i32::from(it.playernum) + 1).ok()).unwrap_or(entity)
        };
        // What happens at a tick is in its frame, and lost without it; so is what is unreliable, if a long reliable message
        // took its place.
        let follows = frame.valid && last.is_some_and(|last| frame.number == last.saturating_add(1));
        session.due.retain_mut(|due| {
            due.frames += 1;
            let happens = match due.what {
                _ if !follows => true,
                Owed::Event(entity, event) => {
                    frame.entities.get(number_of(entity)).is_some_and(|state| state[EVENT] == event)
                }
                Owed::Request(_) => false,
            };
            if !happens && due.frames >= FRAMES_UNTIL_SENT {
                let what = match due.what {
                    Owed::Event(entity, event) => format!("event {event} of entity {entity}"),
                    Owed::Request(index) => self
                        .requests
                        .all()
                        .and_then(|all| all.get(index))
                        .map_or(String::new(), |it| format!("{:?}", it.what)),
                };
                self.report.fail(&WHAT_HAPPENS_IS_SENT, self.now, HostId::SERVER, &GEN_02, || {
                    format!("frame {} is the second for {host} without what was asked for: {what}", frame.number)
                });
                return false;
            }
            !happens
        });
    }

    /// Whether a message is what the scenario asked for.
    fn meets(&self, session: &Session, message: &NonDelta, request: &Request) -> bool {
        match (message, request.what) {
            (NonDelta::ConfigString(index, text, _), Requested::ConfigString(at, value)) => {
                // Those of the map before are gone.
                let here = session.map.is_none_or(|map| request.map >= map);
                here && i32::from(*index) == at && number(text, CONFIG) == Some(value)
            }
            (NonDelta::Layout(text), Requested::Layout(value)) => number(text, LAYOUT) == Some(value),
            (NonDelta::Inventory(counts), Requested::Inventory(item, count)) => {
                let wanted = |at: usize| if i32::try_from(at) == Ok(item) { count as i16 } else { 0 };
                counts.iter().enumerate().all(|(at, sent)| *sent == wanted(at))
            }
            (NonDelta::Sound(sound), Requested::Sound(entity, index, flags)) => {
                *sound == verb::sound(entity, index, flags, sound.position.unwrap_or_default())
                    && sound.position.is_none_or(|sent| self.is_place(request, entity, sent))
            }
            (NonDelta::Effect(sent), Requested::Effect(kind, entity)) => {
                let [place, ..] = sent.positions;
                let wanted = verb::effect(kind, entity, place);
                wanted.is_some_and(|wanted| verb::parts(&wanted) == verb::parts(sent))
                    && self.is_place(request, entity, place)
            }
            (NonDelta::Aside(sent), Requested::Aside(wanted)) => *sent == wanted,
            (NonDelta::Flash(entity, weapon, false), Requested::Flash(who, kind)) => {
                i32::from(*entity) == who && *weapon == kind as u8
            }
            _ => false,
        }
    }

    /// Whether an entity is at a place, or was when something of it was asked for.
    fn is_place(&self, request: &Request, entity: i32, sent: [i16; 3]) -> bool {
        let is_there = |entity: u32| {
            let mut lived = self.states().filter_map(|state| state.live.get(entity));
            lived.any(|live| is_near(sent, eighths(&live.entity)))
        };
        // Where players are is the server's choice.
        entity <= i32::from(self.clients)
            || request.place.is_none_or(|place| is_near(sent, place))
            || u32::try_from(entity).is_ok_and(is_there)
    }

    fn baseline_is_sent(&mut self, session: &Session, number: u32, sent: &Entity, dialect: &Dialect) {
        if !self.truth.is_known() || !self.is_settled(session) {
            return;
        }
        let (entity, remote) = (compare::host_of(self.given_by(session), number), session.server.is_remote());
        let is = self.truth.baseline(entity);
        let has_been = |field: usize, fits: &dyn Fn(i32) -> bool| remote && self.truth.had(entity, field, fits);
        if let Some(wrong) = compare::baseline(sent, &is, number <= self.clients.into(), dialect, has_been) {
            self.server_fails(&BASELINES_ARE_AS_SET, &GEN_02, || format!("baseline {number}: {wrong}"));
        }
    }

    /// What is wrong with the reliable messages that were delivered: each comes once, in order, and those from within the
    /// game all come, unless they were asked for within `patience_us`.
    pub(super) fn reliable_messages(&mut self, session: &Session, patience_us: u64) {
        if let Some(wrong) = self.reliable_breach(session, patience_us) {
            self.server_fails(&RELIABLE_MESSAGES_COME, &GEN_02, || wrong);
        }
    }

    fn reliable_breach(&self, session: &Session, patience_us: u64) -> Option<String> {
        let requests = self.requests.all().filter(|_| session.reliable.len() < MAX_REQUESTS)?;
        let (host, most, now) = (session.host, session.connect.asked.max_length, self.now);
        // What was asked for in the connection before is over with it.
        let mine =
            |request: &&Request| request.is_for(host) && request.at.after(self.settling_us()) >= session.connect.at;
        let certain = |request: &&Request| mine(request) && request.what.is_certain(most);
        let mine: Vec<&Request> = requests.iter().filter(certain).collect();
        let mut ahead = mine.iter();
        for line in &session.reliable {
            let known = matches!(line, Requested::Print(_)) || line.is_certain(most);
            if known && !ahead.any(|request| request.what.as_received() == *line) {
                return Some(format!("{line:?} comes to {host} again or too late"));
            }
        }
        let since = now.since(session.begun?);
        let is_due = |request: &Request| now.since(request.at) > patience_us;
        let missed = mine.iter().find(|request| {
            let received = session.reliable.contains(&request.what.as_received());
            is_due(request) && now.since(request.at) < since && !received
        });
        if let Some(missed) = missed {
            return Some(format!("{:?} never came to {host}", missed.what));
        }
        if session.precached.is_none() || !session.begins || session.map != Some(self.truth.maps) {
            return None;
        }
        let mut newest = BTreeMap::new();
        for request in requests.iter().filter(|request| request.map == self.truth.maps) {
            if let Requested::ConfigString(index, number) = request.what
                && let Ok(index) = u16::try_from(index)
                && usize::from(index) < MAX_CONFIGSTRINGS
            {
                newest.insert(index, (number, is_due(request)));
            }
        }
        let held = |index: &u16| session.configstrings.get(index);
        let wrong = newest.iter().find(|(index, (number, due))| *due && held(index) != Some(number));
        wrong.map(|(index, (number, _))| format!("configstring {index} is {number}, {host} has {:?}", held(index)))
    }

    /// A client receives a message beside frames and texts: what it has to note, or violates one of `suspects`.
    pub(super) fn non_delta_is_delivered(&mut self, session: &mut Session, message: &NonDelta, suspects: Suspects) {
        let reliable = match message {
            NonDelta::ConfigString(index, text, _) => {
                session.configstrings.extend(number(text, CONFIG).map(|number| (*index, number)));
                None
            }
            NonDelta::Layout(text) => number(text, LAYOUT).map(Requested::Layout),
            NonDelta::Inventory(counts) => {
                let sent = counts.iter().enumerate().find(|(_, count)| **count != 0);
                sent.map(|(item, count)| Requested::Inventory(item as i32, (*count).into()))
            }
            _ => None,
        };
        if session.reliable.len() < MAX_REQUESTS {
            session.reliable.extend(reliable);
        }
        let in_game = session.begins || !matches!(message, NonDelta::ConfigString(..));
        if let Some(note) = message.note().filter(|_| in_game) {
            session.expect(note, suspects);
        }
    }
}
