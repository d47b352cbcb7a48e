//! What is sent beside frames and texts, and what the scenario asks the server to send: plain data.

use super::truth::Truth;
use crate::notes::*;
use crate::verbs::*;
use crate::wire::constants;
use crate::wire::effect::TempEntity;
use crate::wire::service::{Service, Sound, verb};
use crate::wire::state::Entity;
use kit::{Event, HostId, Time};
use std::collections::BTreeSet;

/// How the texts of scenarios begin.
pub const CONFIG: &[u8] = b"config ";
/// See [`CONFIG`].
pub const LAYOUT: &[u8] = b"layout ";
/// See [`CONFIG`].
pub const PROOF: &[u8] = b"proof ";
/// See [`CONFIG`].
pub const ASIDE: &[u8] = b"aside ";
/// Payload that an inventory needs, its command byte and some space for another message included.
const INVENTORY_BYTES: u32 = 600;
/// Requests that are remembered.
pub const MAX_REQUESTS: usize = 4096;
/// Different configstrings that a scenario changes; a server may not take more.
const MAX_CONFIGSTRINGS_ASKED: usize = 200;

/// A message beside frames and texts.
#[derive(Clone, Debug)]
pub enum NonDelta {
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
    /// An effect.
    Effect(TempEntity),
    /// A line that is not reliable, with this number.
    Aside(i32),
    /// A shot: who, with what, and whether it is a monster's.
    Flash(u16, u8, bool),
}

impl NonDelta {
    /// What a service is, if it is one of these.
    pub fn of(service: &Service<'_>, playing: bool) -> Option<NonDelta> {
        Some(match service {
            Service::ConfigString { index, text } => NonDelta::ConfigString(*index, text.to_vec(), playing),
            Service::Layout { text } => NonDelta::Layout(text.to_vec()),
            Service::Inventory { counts } => {
                let counts = counts.as_chunks().0.iter().map(|count| i16::from_le_bytes(*count));
                NonDelta::Inventory(counts.collect())
            }
            Service::Sound(sound) => NonDelta::Sound(*sound),
            Service::TempEntity(effect) => NonDelta::Effect(*effect),
            Service::MuzzleFlash { entity, weapon } => NonDelta::Flash(*entity, *weapon, false),
            Service::MuzzleFlash2 { entity, weapon } => NonDelta::Flash(*entity, *weapon, true),
            _ => return None,
        })
    }

    /// The note of a client that is in the game and receives it.
    pub fn note(&self) -> Option<Event> {
        Some(match self {
            NonDelta::Baseline(..) | NonDelta::ConfigString(_, _, false) | NonDelta::Aside(_) => return None,
            NonDelta::ConfigString(index, text, true) => note(NOTE_CONFIGSTRING, [(*index).into(), last_number(text)]),
            NonDelta::Layout(text) => note(NOTE_LAYOUT_SHOWN, [last_number(text)]),
            NonDelta::Inventory(counts) => verb::inventory_note(counts),
            NonDelta::Sound(sound) => verb::sound_note(sound),
            NonDelta::Effect(effect) => verb::effect_note(effect),
            NonDelta::Flash(entity, weapon, _) => note(NOTE_MUZZLEFLASH, [(*entity).into(), (*weapon).into()]),
        })
    }
}

/// Whether a client's note is one of those of [`NonDelta::note`].
pub fn is_noted(note: usize) -> bool {
    let noted =
        [NOTE_CONFIGSTRING, NOTE_LAYOUT_SHOWN, NOTE_INVENTORY, NOTE_SOUND_PLAYED, NOTE_EFFECT_SHOWN, NOTE_MUZZLEFLASH];
    noted.contains(&note)
}

/// The number at the end of any text, which clients note; 0 where there is none.
fn last_number(text: &[u8]) -> i64 {
    let word = text.trim_ascii_end().rsplit(|byte| *byte == b' ').next().unwrap_or_default();
    std::str::from_utf8(word).ok().and_then(|word| word.parse::<i32>().ok()).unwrap_or(0).into()
}

/// The number at the end of a text that a scenario asked for.
pub fn number(text: &[u8], begins: &[u8]) -> Option<i32> {
    std::str::from_utf8(text.strip_prefix(begins)?).ok()?.trim().parse().ok()
}

/// What a scenario asks to be sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Requested {
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
    /// A line with this number, unreliably.
    Aside(i32),
}

impl Requested {
    /// Whether it is sent once and unreliably, with the next frame of a client that is in the game then, if there is
    /// such a sound, effect or entity.
    pub fn is_once(self) -> bool {
        let known = |entity: i32| u32::try_from(entity).is_ok_and(|entity| entity < constants::MAX_EDICTS);
        match self {
            Requested::Sound(entity, ..) | Requested::Flash(entity, _) => known(entity),
            Requested::Effect(kind, entity) => verb::effect(kind, entity, [0; 3]).is_some(),
            Requested::Aside(_) => true,
            _ => false,
        }
    }

    /// Whether every server sends it to a client that takes payloads of at most so many bytes.
    pub fn is_certain(self, most: Option<u32>) -> bool {
        match self {
            Requested::Print(_) | Requested::Layout(_) => true,
            Requested::Inventory(item, count) => {
                let fits = most.is_none_or(|most| most == 0 || most >= INVENTORY_BYTES);
                fits && count as i16 != 0 && usize::try_from(item).is_ok_and(|item| item < constants::MAX_ITEMS)
            }
            _ => false,
        }
    }

    /// As a client receives it: counts have sixteen bits.
    pub fn as_received(self) -> Requested {
        match self {
            Requested::Inventory(item, count) => Requested::Inventory(item, i32::from(count as i16)),
            other => other,
        }
    }
}

/// Something that a scenario asks a server to send.
#[derive(Clone, Copy, Debug)]
pub struct Request {
    /// When.
    pub at: Time,
    /// To whom; 0 for all.
    pub client: i32,
    /// What.
    pub what: Requested,
    /// Where the entity was that it is about, in eighths, if that is known.
    pub place: Option<[i32; 3]>,
    /// The map, counted from the first.
    pub map: u32,
}

impl Request {
    /// What a verb asks for, if it is to be sent.
    pub fn of(at: Time, verb: usize, args: [i32; 4], truth: &Truth) -> Option<Request> {
        let [first, second, third, flags] = args;
        let (client, what, entity) = match verb {
            VERB_PRINT => (first, Requested::Print(second), None),
            VERB_LAYOUT => (first, Requested::Layout(second), None),
            VERB_INVENTORY => (first, Requested::Inventory(second, third), None),
            VERB_CONFIGSTRING => (0, Requested::ConfigString(first, second), None),
            VERB_SOUND => (first, Requested::Sound(second, third, flags as u8), Some(second)),
            VERB_TEMP_ENTITY => (0, Requested::Effect(first, second), Some(second)),
            VERB_MUZZLEFLASH => (0, Requested::Flash(first, second), None),
            VERB_UNICAST => (first, Requested::Aside(second), None),
            _ => return None,
        };
        let place = entity.and_then(|entity| u32::try_from(entity).ok()).and_then(|entity| truth.place(entity));
        Some(Request { at, client, what, place, map: truth.maps })
    }

    /// Whether it is for this client.
    pub fn is_for(&self, host: HostId) -> bool {
        [0, i32::from(host.0)].contains(&self.client)
    }
}

/// What the scenario asked to be sent, in order.
#[derive(Debug, Default)]
pub struct Requests {
    list: Vec<Request>,
    overflown: bool,
    configstrings: BTreeSet<i32>,
}

impl Requests {
    /// Remembers one: under this number, unless there were too many.
    pub fn add(&mut self, request: Request) -> Option<usize> {
        if let Requested::ConfigString(index, _) = request.what {
            self.configstrings.insert(index);
        }
        self.overflown |= self.list.len() >= MAX_REQUESTS || self.configstrings.len() > MAX_CONFIGSTRINGS_ASKED;
        if self.overflown {
            return None;
        }
        self.list.push(request);
        Some(self.list.len() - 1)
    }

    /// All of them; `None` if there were more than are remembered.
    pub fn all(&self) -> Option<&[Request]> {
        (!self.overflown).then_some(&self.list)
    }
}
