//! Sounds, as sent, against those that the scenario had played.

use super::grammar::Grammar;
use super::readings::{Reading, SOUNDS};
use super::server_updates::{Contradiction, FARTHEST, contradiction};
use super::truth::{SOUND_US, SoundTold, Truth};
use super::wire::*;
use crate::requirements::*;
use crate::state::*;
use kit::{Requirement, Time};
use netquake::constants::*;

/// Where a sound starts is judged no finer, in units: from where in an entity it comes is the server's choice.
const PLACE_ERROR: f64 = 256.0;

/// Volume of a sound, as read.
fn volume(raw: &Raw) -> u32 {
    raw.get(Part::Volume).unwrap_or(DEFAULT_SOUND_VOLUME.into())
}

/// Attenuation of a sound, as read.
fn attenuation(raw: &Raw) -> u32 {
    raw.get(Part::Attenuation).unwrap_or(DEFAULT_SOUND_ATTENUATION.into())
}

/// Entity and channel of a sound, as read.
pub fn source(raw: &Raw) -> (u32, u32) {
    match raw.get(Part::EntityAndChannel) {
        Some(both) => (both >> 3, both & 7),
        None => (raw.value(Part::Entity), raw.value(Part::Channel)),
    }
}

/// The first part of a sound, in the order of the wire, that is not as told.
pub fn contradicts(raw: &Raw, told: &SoundTold, truth: &Truth, extended: bool) -> Option<Contradiction> {
    let (entity, channel) = source(raw);
    if volume(raw) != told.volume & 0xff {
        return contradiction(&VER_04, format!("sound: volume {}, should be {}", volume(raw), told.volume));
    }
    if attenuation(raw) != told.attenuation & 0xff {
        let (seen, right) = (attenuation(raw), told.attenuation);
        return contradiction(&VER_04, format!("sound: attenuation {seen}, should be {right}"));
    }
    if (entity, channel) != (told.entity, told.channel) {
        let large = told.entity > 8191 || told.channel > 7;
        if large && !extended {
            // Protocol 15 cannot say it.
            return None;
        }
        let row = if large { &SND_01 } else { &VER_04 };
        let (right, on) = (told.entity, told.channel);
        let what = format!("sound: entity {entity} on channel {channel}, should be {right} on {on}");
        return contradiction(row, what);
    }
    let sound = raw.value(Part::Sound);
    if sound != told.sound {
        if told.sound > 0xff && !extended {
            return None;
        }
        let row = if told.sound > 0xff { &SND_02 } else { &VER_04 };
        return contradiction(row, format!("sound: number {sound}, should be {}", told.sound));
    }
    let live = truth.world.live.get(told.entity)?;
    for (axis, part) in ORIGINS.into_iter().enumerate() {
        let (seen, right) = (f64::from(raw.coord(part)) / 8.0, f64::from(live.float(ORIGIN_X + axis)));
        if right.abs() < FARTHEST - PLACE_ERROR && (seen - right).abs() > PLACE_ERROR {
            return contradiction(&SND_04, format!("sound: {part:?} {seen}, its entity is at {right}"));
        }
    }
    None
}

/// Sounds of a client's stream, as sent.
#[derive(Clone, Debug, Default)]
pub struct SoundsSent {
    /// Numbers of the told sounds that were sent; those of the newest, which are remembered.
    sent: Vec<u64>,
}

/// What was found about a sound.
pub enum Verdict {
    /// It is as told, or nobody can tell.
    Right,
    /// It is not; and where it ends, if it was read in another way.
    Wrong(&'static Requirement, String, Option<usize>),
}

impl SoundsSent {
    /// Judges the sound behind `at`.
    pub fn judge(&mut self, bytes: &[u8], at: usize, truth: &Truth, extended: bool, now: Time) -> Verdict {
        let due = truth.sounds.iter().filter(|told| now.since(told.at) <= SOUND_US);
        let open: Vec<SoundTold> = due.filter(|told| !self.sent.contains(&told.number)).copied().collect();
        let normal = Raw::read(SOUND, bytes, at).filter(|raw| extended || raw.bits & 0x18 == 0);
        let plain = open.iter().find(|told| {
            normal.is_some_and(|raw| raw.bits & !0x1b == 0 && contradicts(&raw, told, truth, extended).is_none())
        });
        if let Some(told) = plain {
            self.took(told.number, truth);
            return Verdict::Right;
        }
        let plain = normal.map(|raw| raw.end).filter(|&end| Grammar::new(extended).reads(bytes, end));
        for told in &open {
            for Reading { requirement, what, slots } in SOUNDS.iter() {
                let Some(raw) = Raw::read(slots, bytes, at) else { continue };
                let grammar = Grammar { sound: slots, ..Grammar::new(extended) };
                let sound = plain.map_or_else(|| grammar.reads(bytes, raw.end), |end| end == raw.end);
                if sound && contradicts(&raw, told, truth, true).is_none() {
                    self.took(told.number, truth);
                    return Verdict::Wrong(requirement, format!("the sound {what}"), Some(raw.end));
                }
            }
        }
        let Some(raw) = normal else {
            let (row, what) = if extended { (&SND_04, "ends early") } else { (&VER_01, "has a form of protocol 666") };
            return Verdict::Wrong(row, format!("a sound {what}"), None);
        };
        if raw.bits & !0x1b != 0 {
            let what = format!("a sound has the undefined bits {:#x}", raw.bits & !0x1b);
            return Verdict::Wrong(&DEF_03, what, None);
        }
        // Sounds that nobody told the server to play are its own business.
        let resembles = |told: &&SoundTold| {
            let entity = source(&raw).0;
            entity == told.entity || raw.value(Part::Sound) == told.sound || raw.value(Part::Sound) == told.sound & 0xff
        };
        let Some(told) = open.iter().find(resembles) else { return Verdict::Right };
        self.took(told.number, truth);
        match contradicts(&raw, told, truth, extended) {
            Some(found) => Verdict::Wrong(found.requirement, found.what, None),
            None => Verdict::Right,
        }
    }

    fn took(&mut self, number: u64, truth: &Truth) {
        let oldest = truth.sounds.front().map_or(0, |told| told.number);
        self.sent.retain(|&sent| sent >= oldest);
        self.sent.push(number);
    }
}
