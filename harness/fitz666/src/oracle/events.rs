//! What happens once to the player of one client, and has to be sent to it. Plain state: the checks are in
//! [`super::from_server::causes`].

use super::look::{Rounding, apart};
use super::truth::Truth;
use crate::requirements::*;
use crate::state::*;
use crate::verbs::*;
use kit::{Command, Requirement, Time};
use std::collections::BTreeMap;

/// Events that wait at a time; of more, none is expected.
const MAX_DUE: usize = 64;
/// From where in an entity particles come is the server's choice, in units.
const PLACE_ERROR: f64 = 256.0;
/// Where 16 bits end, in units, with room for that.
const FARTHEST: f64 = 4095.0 - PLACE_ERROR;

/// An event.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Event {
    /// Points that armour and body took.
    Damage([u8; 2]),
    /// The view turns to pitch and yaw, in degrees.
    Turn([f64; 2]),
    /// Particles: count, colour, and where, if that is known.
    Particles(u8, u8, Option<[f64; 3]>),
    /// The scenario's sound of this number.
    Sound(u64),
    /// A print of this number.
    Print(i32),
    /// A statistic changes.
    Stat(u8),
}

impl Event {
    /// Whether it is sent reliably.
    pub fn is_reliable(&self) -> bool {
        matches!(self, Event::Print(_) | Event::Stat(_))
    }

    /// What it means if it is not sent.
    pub fn row(&self) -> &'static Requirement {
        match self {
            Event::Sound(_) => &SND_04,
            Event::Print(_) => &NET_06,
            _ => &VER_04,
        }
    }

    /// Whether what is sent says this.
    pub fn is(&self, sent: &Event) -> bool {
        match (self, sent) {
            (Event::Turn(angles), Event::Turn(sent)) => {
                (0..2).all(|axis| apart(sent[axis], angles[axis]) <= Rounding::Any.angle())
            }
            (Event::Particles(count, color, place), Event::Particles(sent_count, sent_color, sent_place)) => {
                let near = |axis: usize| match (place, sent_place) {
                    (Some(place), Some(sent)) => {
                        place[axis].abs() > FARTHEST || (place[axis] - sent[axis]).abs() <= PLACE_ERROR
                    }
                    _ => true,
                };
                (count, color) == (sent_count, sent_color) && (0..3).all(near)
            }
            _ => self == sent,
        }
    }
}

/// An event that has to be sent.
#[derive(Clone, Copy, Debug)]
pub struct Due {
    /// Which.
    pub event: Event,
    /// When it happened; of a statistic, since when the server has not sent what it was told.
    pub at: Time,
    /// Of a reliable one, since when nothing else was under way.
    pub since: Time,
    /// Something reliable that happened much later was sent before it.
    pub overtaken: bool,
    /// Datagrams with a time that were sent since.
    pub frames: u32,
    /// A datagram had no room for it: it may have been left out, or comes later.
    pub excused: bool,
    /// The newest command to the server causes it.
    is_of_newest: bool,
}

/// A message of the reliable stream is sent within this when nothing else is under way, and before what happens so much later, in
/// microseconds.
pub const RELIABLE_US: u64 = 3_000_000;

/// The events that have to be sent to one client, and how it wants to be called.
#[derive(Debug, Default)]
pub struct Events {
    /// They.
    pub due: Vec<Due>,
    /// The name that the client gave, once it has.
    pub name: Option<Vec<u8>>,
    /// Its colours, likewise.
    pub colors: Option<u8>,
    /// It was named to itself in this map.
    pub named: bool,
    /// The statistics beside clientdata that it was sent in this map, and their newest values.
    pub stats: BTreeMap<u8, i32>,
}

impl Events {
    fn happens(&mut self, event: Event, now: Time) {
        if self.due.len() == MAX_DUE {
            self.due.clear();
            return;
        }
        let (at, since) = (now, now);
        self.due.push(Due { event, at, since, overtaken: false, frames: 0, excused: false, is_of_newest: true });
    }

    /// The server is given a command.
    pub fn next_command(&mut self) {
        self.due.iter_mut().for_each(|due| due.is_of_newest = false);
    }

    /// The server was given a command, and `truth` has it: what it causes for this client, which is in the game.
    /// If that is not sure (`plays`), none of it has to be sent.
    pub fn command(&mut self, client: i32, truth: &Truth, command: &Command, now: Time, plays: bool) {
        self.caused(client, truth, command, now);
        self.due.iter_mut().filter(|due| due.is_of_newest).for_each(|due| due.excused |= !plays);
    }

    fn caused(&mut self, client: i32, truth: &Truth, command: &Command, now: Time) {
        match *command {
            Command::Stat { client: of, stat: stat @ STAT_TOTALSECRETS..=STAT_MONSTERS, .. }
                if i32::from(of) == client =>
            {
                match self.due.iter_mut().find(|due| due.event == Event::Stat(stat)) {
                    Some(waits) => waits.is_of_newest = true,
                    None => self.happens(Event::Stat(stat), now),
                }
            }
            Command::Verb { verb: VERB_PRINT, args } if args[0] == 0 || args[0] == client => {
                self.happens(Event::Print(args[1]), now);
            }
            Command::Verb { verb: VERB_SOUND, .. } => {
                truth.sounds.back().into_iter().for_each(|sound| self.happens(Event::Sound(sound.number), now));
            }
            Command::Verb { verb: VERB_PARTICLE, args } => {
                let byte = |value: i32| value.clamp(0, 255) as u8;
                let place = truth.world.live.get(args[0] as u32);
                let place = place.map(|live| [0, 1, 2].map(|axis| f64::from(live.float(ORIGIN_X + axis))));
                self.happens(Event::Particles(byte(args[1]), byte(args[2]), place), now);
            }
            Command::Verb { verb: VERB_DAMAGE, args } if args[0] == client => {
                // What has happened until the next datagram is one.
                let held = self.due.iter().position(|due| matches!(due.event, Event::Damage(_)));
                let (before, excused) = match held.map(|place| self.due.remove(place)) {
                    Some(Due { event: Event::Damage(before), excused, .. }) => (before, excused),
                    _ => ([0; 2], false),
                };
                let sum = |before: u8, more: i32| before.saturating_add(more.clamp(0, 255) as u8);
                self.happens(Event::Damage([sum(before[0], args[1]), sum(before[1], args[2])]), now);
                self.due.last_mut().into_iter().for_each(|due| due.excused = excused);
            }
            Command::Verb { verb: VERB_SET_ANGLE, args } if args[0] == client => {
                self.due.retain(|due| !matches!(due.event, Event::Turn(_)));
                self.happens(Event::Turn([args[1], args[2]].map(|hundredths| f64::from(hundredths) / 100.0)), now);
            }
            _ => {}
        }
    }

    /// The server says that it ignored the newest command: it may, if that cannot be sent.
    pub fn ignored(&mut self, truth: &Truth, extended: bool) {
        let unsendable = |number: u64| {
            let sound = truth.sounds.back().filter(|sound| sound.number == number);
            sound.is_none_or(|sound| !sound.can_be_sent(extended))
        };
        self.due.retain(|due| !due.is_of_newest || !matches!(due.event, Event::Sound(number) if unsendable(number)));
    }

    /// A map begins: what happened in the one before is not sent any more.
    pub fn map_ends(&mut self) {
        self.due.clear();
        self.named = false;
        self.stats.clear();
    }

    /// How much a sound of the scenario is waited for: of equal ones, that which has to come was sent rather than one that need not.
    pub fn urgency(&self, number: u64) -> u8 {
        match self.due.iter().find(|due| due.event == Event::Sound(number)) {
            Some(Due { excused: false, .. }) => 2,
            Some(_) => 1,
            None => 0,
        }
    }

    /// The place of what is waited for, of that which has to come rather than of what need not.
    pub fn place(&self, fits: impl Fn(&Event) -> bool) -> Option<usize> {
        let of = |excused: bool| self.due.iter().position(|due| due.excused == excused && fits(&due.event));
        of(false).or_else(|| of(true))
    }

    /// A sound of the scenario was sent.
    pub fn sounded(&mut self, number: u64) {
        self.due.retain(|due| due.event != Event::Sound(number));
    }

    /// A print was sent.
    pub fn printed(&mut self, number: i32) {
        self.was_sent(&Event::Print(number));
    }

    /// A statistic was sent that has another value by now.
    pub fn is_told(&mut self, stat: u8, now: Time) {
        for due in self.due.iter_mut().filter(|due| due.event == Event::Stat(stat)) {
            (due.at, due.since) = (now, now);
        }
    }

    /// A reliable event was sent: what happened long before it has been overtaken.
    pub fn was_sent(&mut self, event: &Event) {
        let Some(place) = self.due.iter().position(|due| due.event == *event) else { return };
        let at = self.due.remove(place).at;
        for due in self.due.iter_mut().filter(|due| due.event.is_reliable()) {
            due.overtaken |= at.since(due.at) > RELIABLE_US;
        }
    }

    /// The client enters the game: it is to be sent the statistics that were set while it signed on.
    pub fn begins(&mut self, client: u16, truth: &Truth, now: Time) {
        for stat in STAT_TOTALSECRETS..=STAT_MONSTERS {
            let sent = self.stats.get(&stat).copied().unwrap_or(0);
            if truth.whole_stat(client, stat).is_some_and(|value| value != sent) {
                self.happens(Event::Stat(stat), now);
            }
        }
    }

    /// The client gives its name, or its colours.
    pub fn client_says(&mut self, text: &[u8]) {
        let text = text.trim_ascii();
        if let Some(name) = text.strip_prefix(b"name ") {
            let name = name.strip_prefix(b"\"").and_then(|name| name.strip_suffix(b"\"")).unwrap_or(name);
            self.name = Some(name.to_vec());
        } else if let Some(colors) = text.strip_prefix(b"color ").and_then(|colors| str::from_utf8(colors).ok()) {
            let colors: Vec<u8> = colors.split_whitespace().filter_map(|color| color.parse().ok()).collect();
            self.colors = match colors[..] {
                [shirt, trousers] if shirt < 14 && trousers < 14 => Some(16 * shirt + trousers),
                _ => None,
            };
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &[u8], name: Option<&[u8]>, colors: Option<u8>) {
        let mut events = Events::default();
        events.client_says(text);
        assert_eq!((events.name.as_deref(), events.colors), (name, colors), "{text:?}");
    }

    #[test]
    fn a_client_says_how_it_is_called() {
        check(b"name \"player\"\n", Some(b"player"), None);
        check(b"name one two", Some(b"one two"), None);
        check(b"color 3 12\n", None, Some(0x3c));
        check(b"color 3", None, None);
        check(b"color 14 0", None, None);
        check(b"spawn ", None, None);
    }

    #[test]
    fn a_turn_and_particles_are_as_near_as_their_codes() {
        assert!(Event::Turn([45.0, -90.0]).is(&Event::Turn([45.0, 270.0])));
        assert!(!Event::Turn([45.0, -90.0]).is(&Event::Turn([45.0, 90.0])));
        let particles = |count: u8, x: f64| Event::Particles(count, 73, Some([x, 0.0, 0.0]));
        assert!(particles(20, 100.0).is(&particles(20, 130.0)));
        assert!(!particles(20, 100.0).is(&particles(20, 400.0)));
        assert!(!particles(20, 100.0).is(&particles(21, 100.0)));
    }
}
