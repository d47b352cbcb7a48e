//! What is said beside frames and texts: baselines, configstrings, sounds, effects, layouts, inventories. A server says
//! what the scenario asks for; a client notes what it was told.

use super::Judge;
use super::compare;
use super::session::Session;
use crate::notes::*;
use crate::requirements::*;
use crate::verbs::*;
use crate::wire::constants::*;
use crate::wire::dialect::Dialect;
use crate::wire::service::{Service, Sound};
use crate::wire::state::{Entity, ORIGIN};
use kit::table::float_value;
use kit::{HostId, Requirement, Time};

/// How the configstrings and layouts of scenarios begin.
const CONFIG: &[u8] = b"config ";
const LAYOUT: &[u8] = b"layout ";
/// Steps of an eighth that a place may be off, by rounding.
const ROUNDING: u16 = 1;
/// Payload that an inventory needs, its command byte and room for another message included.
const INVENTORY_BYTES: u32 = 600;

/// Something that is said beside frames and texts.
#[derive(Clone, Debug)]
pub enum Aside {
    /// An entity's state that updates build on.
    Baseline(u32, Box<Entity>),
    /// A configstring: its index, its text, and whether frames of this map came before it.
    ConfigString(u16, Vec<u8>, bool),
    /// What a client's screen shows.
    Layout(Vec<u8>),
    /// How many of each item a client has.
    Inventory(Vec<i16>),
    /// A sound.
    Sound(Sound),
    /// An effect: its kind, its first place, and the entity that it belongs to.
    Effect(u8, [i16; 3], i16),
    /// A shot: who, and with what.
    Flash(u16, u8),
}

impl Aside {
    /// What a service says, if it is one of these.
    pub fn of(service: &Service<'_>, playing: bool) -> Option<Aside> {
        Some(match service {
            Service::ConfigString { index, text } => Aside::ConfigString(*index, text.to_vec(), playing),
            Service::Layout { text } => Aside::Layout(text.to_vec()),
            Service::Inventory { counts } => {
                let counts = counts.chunks_exact(2).map(|count| i16::from_le_bytes([count[0], count[1]]));
                Aside::Inventory(counts.collect())
            }
            Service::Sound(sound) => Aside::Sound(*sound),
            Service::TempEntity(effect) => Aside::Effect(effect.kind, effect.positions[0], effect.entity),
            Service::MuzzleFlash { entity, weapon } => Aside::Flash(*entity, *weapon),
            _ => return None,
        })
    }

    /// What a client notes that was told it, and that is in the game.
    pub fn note(&self) -> Option<(&'static str, i64)> {
        Some(match self {
            Aside::Baseline(..) => return None,
            Aside::ConfigString(_, _, false) => return None,
            Aside::ConfigString(index, text, true) => {
                (NOTE_CONFIGSTRING, i64::from(*index) << 32 | i64::from(number(text, CONFIG)?) & 0xffff_ffff)
            }
            Aside::Layout(text) => (NOTE_LAYOUT_SHOWN, number(text, LAYOUT)?.into()),
            Aside::Inventory(counts) => match counts.iter().enumerate().find(|(_, count)| **count != 0) {
                Some((item, count)) => (NOTE_INVENTORY, (item as i64) << 16 | i64::from(*count as u16)),
                None => (NOTE_INVENTORY, -1),
            },
            Aside::Sound(sound) => {
                (NOTE_SOUND_PLAYED, i64::from(sound.index) << 16 | i64::from(sound.entity.unwrap_or(0)))
            }
            Aside::Effect(kind, ..) => (NOTE_EFFECT_SHOWN, (*kind).into()),
            Aside::Flash(entity, weapon) => (NOTE_MUZZLEFLASH, i64::from(*entity) << 8 | i64::from(*weapon)),
        })
    }
}

/// Whether a client's note is one of those that tell what it was told.
pub fn is_told(note: &str) -> bool {
    let told =
        [NOTE_CONFIGSTRING, NOTE_LAYOUT_SHOWN, NOTE_INVENTORY, NOTE_SOUND_PLAYED, NOTE_EFFECT_SHOWN, NOTE_MUZZLEFLASH];
    told.contains(&note)
}

/// The number at the end of a text that a scenario asked for.
fn number(text: &[u8], begins: &[u8]) -> Option<i32> {
    std::str::from_utf8(text.strip_prefix(begins)?).ok()?.trim_end().parse().ok()
}

/// Something that a scenario asks a server to say.
#[derive(Clone, Copy, Debug)]
pub struct Wish {
    /// When.
    pub at: Time,
    /// To whom; 0 for all.
    pub client: i32,
    /// What.
    pub what: Wanted,
    /// Where the entity was that it is about, in eighths, if it is known.
    place: Option<[i32; 3]>,
    /// The map, counted from the first.
    map: u32,
}

/// What a scenario asks to be said.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Wanted {
    /// A line with this number, reliably.
    Print(i32),
    /// A layout with this number, reliably.
    Layout(i32),
    /// So many of an item, reliably.
    Inventory(i32, i32),
    /// A configstring and the number in its text, reliably.
    ConfigString(i32, i32),
    /// A sound of an entity, with these parts.
    Sound(i32, i32, u8),
    /// An effect where an entity is.
    Effect(i32, i32),
    /// A shot.
    Flash(i32, i32),
}

impl Wish {
    /// What a verb asks for, if it is to be said.
    pub fn of(at: Time, verb: usize, args: [i32; 4], truth: &super::truth::Truth) -> Option<Wish> {
        let [first, second, third, flags] = args;
        let (client, what, entity) = match verb {
            VERB_PRINT => (first, Wanted::Print(second), None),
            VERB_LAYOUT => (first, Wanted::Layout(second), None),
            VERB_INVENTORY => (first, Wanted::Inventory(second, third), None),
            VERB_CONFIGSTRING => (0, Wanted::ConfigString(first, second), None),
            VERB_SOUND => (first, Wanted::Sound(second, third, flags as u8), Some(second)),
            VERB_TEMP_ENTITY => (0, Wanted::Effect(first, second), Some(second)),
            VERB_MUZZLEFLASH => (0, Wanted::Flash(first, second), None),
            _ => return None,
        };
        let place = entity.and_then(|entity| u32::try_from(entity).ok()).and_then(|entity| truth.place(entity));
        Some(Wish { at, client, what, place, map: truth.maps })
    }

    fn is_for(&self, host: HostId) -> bool {
        [0, i32::from(host.0)].contains(&self.client)
    }
}

/// Where an entity is, in whole eighths as far as they go.
pub fn eighths(state: &Entity) -> [i32; 3] {
    ORIGIN.map(|axis| (float_value(state[axis]) * 8.0) as i32)
}

fn is_near(told: [i16; 3], is: [i32; 3]) -> bool {
    told.iter().zip(is).all(|(told, is)| told.wrapping_sub(is as i16).unsigned_abs() <= ROUNDING)
}

impl Judge<'_> {
    /// A server says something beside frames and texts, for the first time unless `repeats`.
    pub(super) fn aside_is_sent(
        &mut self,
        session: &mut Session,
        now: Time,
        aside: &Aside,
        repeats: bool,
        dialect: &Dialect,
    ) {
        if !self.truth.is_known() {
            return;
        }
        if let Aside::Baseline(number, state) = aside {
            self.baseline_is_sent(session, now, *number, state, dialect);
            return;
        }
        if self.wishes.is_full() {
            return;
        }
        let host = session.host;
        // Where players are is the server's to say; so is the place of what moved since it was asked for.
        let players = i32::from(self.clients);
        let states = self.truth.since(now, 2 * self.options.tick_us);
        let at_place = |wish: &Wish, entity: i32, told: [i16; 3]| {
            let moved = |entity: u32| {
                states.iter().filter_map(|state| state.live.get(entity)).any(|it| is_near(told, eighths(&it.entity)))
            };
            entity <= players
                || wish.place.is_none_or(|place| is_near(told, place))
                || u32::try_from(entity).is_ok_and(moved)
        };
        let fits = |wish: &Wish| match (aside, wish.what) {
            (Aside::ConfigString(index, text, _), Wanted::ConfigString(at, number)) => {
                i32::from(*index) == at && self::number(text, CONFIG) == Some(number)
            }
            (Aside::Layout(text), Wanted::Layout(number)) => self::number(text, LAYOUT) == Some(number),
            (Aside::Inventory(counts), Wanted::Inventory(item, count)) => {
                counts.iter().enumerate().all(|(at, told)| {
                    let wanted = if i32::try_from(at) == Ok(item) { count as i16 } else { 0 };
                    *told == wanted
                })
            }
            (Aside::Sound(sound), Wanted::Sound(entity, index, flags)) => {
                sound.index == index as u8
                    && sound.entity.is_some() == (flags & SND_ENT != 0)
                    && sound.position.is_some() == (flags & SND_POS != 0)
                    && sound.entity.is_none_or(|told| i32::from(told >> 3) == entity)
                    && sound.position.is_none_or(|told| at_place(wish, entity, told))
            }
            (Aside::Effect(kind, place, _), Wanted::Effect(wanted, entity)) => {
                i32::from(*kind) == wanted && at_place(wish, entity, *place)
            }
            (Aside::Flash(entity, weapon), Wanted::Flash(who, kind)) => {
                i32::from(*entity) == who && *weapon == kind as u8
            }
            _ => false,
        };
        let known = match aside {
            // What a server says of its own has another form.
            Aside::ConfigString(_, text, _) => text.starts_with(CONFIG),
            Aside::Layout(text) => text.starts_with(LAYOUT),
            _ => true,
        };
        if !known {
            return;
        }
        let wishes = self.wishes.iter().enumerate();
        let mut wishes = wishes.filter(|(_, wish)| wish.is_for(host) && fits(wish));
        let once = !repeats && matches!(aside, Aside::Sound(_) | Aside::Effect(..) | Aside::Flash(..));
        let found = match once {
            true => wishes.find(|(index, _)| !session.granted.contains(index)).map(|(index, _)| index),
            false => wishes.next().map(|(index, _)| index),
        };
        match found {
            Some(index) if once => drop(session.granted.insert(index)),
            Some(_) => {}
            None => self.report.find(&GEN_02, now, HostId::SERVER, || {
                format!("says something to {host} that is not so, or not again: {aside:?}")
            }),
        }
    }

    fn baseline_is_sent(&mut self, session: &Session, now: Time, number: u32, told: &Entity, dialect: &Dialect) {
        let settled = !self.truth.is_unsettled(now, 2 * self.options.tick_us);
        if session.map != Some(self.truth.maps) || !settled {
            return;
        }
        let is = self.truth.baseline(number);
        for (name, is, told) in compare::baseline(told, &is, number <= self.clients.into(), dialect) {
            self.report
                .find(&GEN_02, now, HostId::SERVER, || format!("baseline {number}: {name} is {is}, told as {told}"));
        }
    }

    /// A client is told something beside frames and texts: what it has to note, unless it tells.
    pub(super) fn aside_is_heard(&mut self, session: &mut Session, aside: &Aside, requirement: &'static Requirement) {
        match aside {
            Aside::ConfigString(index, text, _) => {
                if let Some(number) = number(text, CONFIG) {
                    session.configstrings.insert(*index, number);
                }
            }
            Aside::Layout(text) => session.hears(number(text, LAYOUT).map(Wanted::Layout)),
            Aside::Inventory(counts) => {
                let told = counts.iter().enumerate().find(|(_, count)| **count != 0);
                session.hears(told.map(|(item, count)| Wanted::Inventory(item as i32, (*count).into())));
            }
            _ => {}
        }
        let in_game = session.begins || !matches!(aside, Aside::ConfigString(..));
        if let Some((what, value)) = aside.note().filter(|_| in_game) {
            session.expect(super::session::Tells::Note(what, value), requirement);
        }
    }
}

impl Wanted {
    /// Whether a server that says everything says this: in a form that can be told, to a client that takes so much.
    fn is_due(self, most: Option<u32>) -> bool {
        match self {
            Wanted::Print(_) | Wanted::Layout(_) => true,
            Wanted::Inventory(item, count) => {
                let room = most.is_none_or(|most| most == 0 || most >= INVENTORY_BYTES);
                room && count as i16 != 0 && usize::try_from(item).is_ok_and(|item| item < MAX_ITEMS)
            }
            _ => false,
        }
    }

    /// As a client hears it: counts have sixteen bits.
    fn as_heard(self) -> Wanted {
        match self {
            Wanted::Inventory(item, count) => Wanted::Inventory(item, i32::from(count as i16)),
            other => other,
        }
    }
}

impl Session {
    /// A reliable line was delivered.
    pub(super) fn hears(&mut self, line: Option<Wanted>) {
        if self.lines.len() < MAX_WISHES {
            self.lines.extend(line);
        }
    }

    /// What is wrong with the reliable things that were said: each comes once, in order, and those from within the game
    /// all come. `patience_us` is how old what is missed has to be.
    pub(super) fn said_reliably(&self, now: Time, wishes: &Wishes, map: u32, patience_us: u64) -> Option<String> {
        if wishes.is_full() || self.lines.len() >= MAX_WISHES {
            return None;
        }
        let host = self.host;
        let most = self.wanted.asked.max_length;
        let due = |wish: &&Wish| wish.is_for(host) && wish.what.is_due(most);
        let mine: Vec<&Wish> = wishes.iter().filter(due).collect();
        let mut ahead = mine.iter();
        for line in &self.lines {
            let known = matches!(line, Wanted::Print(_)) || line.is_due(most);
            if known && !ahead.any(|wish| wish.what.as_heard() == *line) {
                return Some(format!("{line:?} comes to {host} again or too late"));
            }
        }
        let since = now.since(self.begun?);
        let old = |wish: &Wish| now.since(wish.at) > patience_us && now.since(wish.at) < since;
        if let Some(missed) = mine.iter().find(|wish| old(wish) && !self.lines.contains(&wish.what.as_heard())) {
            return Some(format!("{:?} never came to {host}", missed.what));
        }
        self.configstring_missed(wishes, map, |wish| now.since(wish.at) > patience_us)
    }

    /// The configstring that the client has otherwise than it is.
    fn configstring_missed(&self, wishes: &Wishes, map: u32, old: impl Fn(&Wish) -> bool) -> Option<String> {
        let precached = self.precached.is_some() && self.begins && self.map == Some(map);
        let mut newest = std::collections::BTreeMap::new();
        for wish in wishes.iter().filter(|wish| wish.map == map && precached) {
            if let Wanted::ConfigString(index, number) = wish.what
                && let Ok(index) = u16::try_from(index)
                && usize::from(index) < MAX_CONFIGSTRINGS
            {
                newest.insert(index, (number, old(wish)));
            }
        }
        let wrong = newest.iter().find(|(index, (number, old))| *old && self.configstrings.get(index) != Some(number));
        wrong.map(|(index, (number, _))| {
            format!("configstring {index} is {number}, {} has {:?}", self.host, self.configstrings.get(index))
        })
    }
}

/// Wishes that are remembered.
const MAX_WISHES: usize = 4096;
/// Different configstrings that a scenario changes; a server may have no room for more.
const MAX_WISHED_CONFIGSTRINGS: usize = 200;

/// What the scenario asked to be said, in order.
#[derive(Debug, Default)]
pub struct Wishes {
    list: Vec<Wish>,
    /// More was asked for than is remembered.
    full: bool,
    configstrings: std::collections::BTreeSet<i32>,
}

impl Wishes {
    /// Remembers one.
    pub fn add(&mut self, wish: Wish) {
        if let Wanted::ConfigString(index, _) = wish.what {
            self.configstrings.insert(index);
        }
        self.full |= self.list.len() >= MAX_WISHES || self.configstrings.len() > MAX_WISHED_CONFIGSTRINGS;
        if !self.full {
            self.list.push(wish);
        }
    }

    /// Whether there were more than are remembered, so that nothing can be said of what is not among them.
    pub fn is_full(&self) -> bool {
        self.full
    }

    /// All of them.
    pub fn iter(&self) -> impl DoubleEndedIterator<Item = &Wish> {
        self.list.iter()
    }
}
