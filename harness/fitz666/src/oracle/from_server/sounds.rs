//! Sounds, as sent, against those that the scenario had played.

use super::causes::EVENTS_HAVE_A_CAUSE;
use super::updates::FARTHEST;
use super::{FromServer, Next};
use crate::oracle::coverage::{Point, means};
use crate::oracle::diagnosis::{self, misreadings};
use crate::oracle::failure::{Failure, failure};
use crate::oracle::layout::*;
use crate::oracle::truth::{SOUND_US, Truth, WantedSound};
use crate::requirements::*;
use crate::state::*;
use kit::{HostId, Requirement};
use netquake::constants::*;

kit::checks! {
    from means;
    /// Every sound can be read to its end, and has no bit that the announced protocol does not define.
    pub SOUNDS_CAN_BE_READ = "sounds-can-be-read": SND_04 DEF_03 VER_01;
    /// A sound that resembles one that was to be played is that one, in the protocol's layout.
    pub SOUNDS_ARE_SENT_AS_PLAYED = "sounds-are-sent-as-played" knows World: VER_04 SND_01 SND_02 SND_04 DEF_03;
}

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

fn wrong(requirement: &'static Requirement, what: String) -> Option<Failure> {
    failure(&SOUNDS_ARE_SENT_AS_PLAYED, requirement, what)
}

/// The first part of a sound, in the order of the wire, that is not as commanded.
fn contradicts(raw: &Raw, wanted: &WantedSound, truth: &Truth, extended: bool) -> Option<Failure> {
    let (entity, channel) = raw.source();
    if volume(raw) != wanted.volume & 0xff {
        return wrong(&VER_04, format!("sound: volume {}, should be {}", volume(raw), wanted.volume));
    }
    if attenuation(raw) != wanted.attenuation & 0xff {
        let (seen, right) = (attenuation(raw), wanted.attenuation);
        return wrong(&VER_04, format!("sound: attenuation {seen}, should be {right}"));
    }
    if (entity, channel) != (wanted.entity, wanted.channel) {
        let large = wanted.entity > 8191 || wanted.channel > 7;
        if large && !extended {
            // Protocol 15 cannot express it.
            return None;
        }
        let row = if large { &SND_01 } else { &VER_04 };
        let (right, on) = (wanted.entity, wanted.channel);
        let what = format!("sound: entity {entity} on channel {channel}, should be {right} on {on}");
        return wrong(row, what);
    }
    let sound = raw.value(Part::Sound);
    if sound != wanted.sound {
        if wanted.sound > 0xff && !extended {
            return None;
        }
        let row = if wanted.sound > 0xff { &SND_02 } else { &VER_04 };
        return wrong(row, format!("sound: number {sound}, should be {}", wanted.sound));
    }
    let live = truth.world.live.get(wanted.entity)?;
    for (axis, part) in ORIGINS.into_iter().enumerate() {
        let (seen, right) = (f64::from(raw.coord(part)) / 8.0, f64::from(live.float(ORIGIN_X + axis)));
        let far = |place: f64| (seen - place).abs() > PLACE_ERROR;
        // It may have moved since, or not have lived then.
        let elsewhere = wanted.origin.is_some_and(|then| far(f64::from(then[axis])));
        if right.abs() < FARTHEST - PLACE_ERROR && far(right) && elsewhere {
            return wrong(&SND_04, format!("sound: {part:?} {seen}, its entity is at {right}"));
        }
    }
    None
}

impl FromServer<'_> {
    /// Judges the sound that begins at `at`.
    pub(super) fn sound(&mut self, bytes: &[u8], at: usize) -> Next {
        if let Some(raw) = self.led_astray(Kind::Sound, bytes, at) {
            return Next::At(raw.end);
        }
        let extended = self.sent.extended();
        let raw = Kind::Sound.read(bytes, at);
        let unknown = raw.map_or(0, |raw| raw.bits & !Kind::Sound.known(extended));
        let readable = raw.filter(|_| unknown == 0);
        let Some(truth) = self.truth else { return self.sound_of_unknown_world(raw, unknown) };
        // While its server stands still, a sound waits.
        let waits = |wanted: &WantedSound| self.report.stood_still(HostId::SERVER, wanted.at, self.now);
        let due = truth.sounds.iter().filter(|wanted| self.now.since(wanted.at) <= SOUND_US || waits(wanted));
        let open: Vec<WantedSound> = due.filter(|wanted| !self.sent.sounds.contains(&wanted.number)).copied().collect();
        let events = &self.sent.events;
        let agreeing = |raw: &Raw, extended: bool| {
            let numbers = open.iter().filter(|wanted| contradicts(raw, wanted, truth, extended).is_none());
            // The oldest of those that are waited for most.
            let numbers = numbers.map(|wanted| wanted.number);
            numbers.min_by_key(|&number| (std::cmp::Reverse(events.urgency(number)), number))
        };
        if let Some((raw, number)) = readable.and_then(|raw| Some((raw, agreeing(&raw, extended)?))) {
            self.took_sound(number, truth);
            self.sound_is_right(&raw);
            return Next::At(raw.end);
        }
        let agrees = |raw: &Raw| agreeing(raw, true).is_some();
        if let Some(explained) = misreadings::explain(Kind::Sound, bytes, at, extended, &agrees) {
            self.took_sound(agreeing(&explained.raw, true).unwrap_or_default(), truth);
            let what = || format!("the sound {}", explained.what);
            self.fail(&SOUNDS_ARE_SENT_AS_PLAYED, explained.suspects, what);
            return Next::At(explained.raw.end);
        }
        let Some(raw) = readable else { return self.sound_of_unknown_world(raw, unknown) };
        let resembles = |wanted: &&WantedSound| {
            let number = raw.value(Part::Sound);
            raw.source().0 == wanted.entity || number == wanted.sound || number == wanted.sound & 0xff
        };
        let found = open.iter().find(resembles).and_then(|wanted| {
            self.took_sound(wanted.number, truth);
            contradicts(&raw, wanted, truth, extended)
        });
        let nothing = !open.iter().any(|wanted| resembles(&wanted)) && !self.sent.between && self.is_certain_who_plays;
        match found {
            Some(found) => found.of_server(self.client, self.report, self.now),
            None if nothing => {
                let what =
                    || format!("sound {} of entity {}, which nothing plays", raw.value(Part::Sound), raw.source().0);
                self.fail(&EVENTS_HAVE_A_CAUSE, &SND_04, what);
            }
            None => self.sound_is_right(&raw),
        }
        Next::At(raw.end)
    }

    fn sound_of_unknown_world(&mut self, raw: Option<Raw>, unknown: u32) -> Next {
        let Some(raw) = raw.filter(|_| unknown == 0) else {
            let suspects = diagnosis::unreadable_sound(unknown, self.sent.extended());
            let what = || match unknown {
                0 => String::from("a sound ends early"),
                _ => format!("a sound has the undefined bits {unknown:#x}"),
            };
            self.fail(&SOUNDS_CAN_BE_READ, suspects, what);
            return raw.map_or(Next::Unknown, |raw| Next::At(raw.end));
        };
        self.sound_is_right(&raw);
        Next::At(raw.end)
    }

    fn sound_is_right(&mut self, raw: &Raw) {
        self.sound_by_the_wire(raw);
        self.report.saw(Point::SoundSent);
        self.report.saw_if(raw.has(Part::Entity), Point::LargeEntitySound);
        self.report.saw_if(raw.value(Part::Sound) > 0xff, Point::LargeSound);
    }

    fn took_sound(&mut self, number: u64, truth: &Truth) {
        let oldest = truth.sounds.front().map_or(0, |wanted| wanted.number);
        self.sent.sounds.retain(|&sent| sent >= oldest);
        self.sent.sounds.push(number);
        self.sent.events.sounded(number);
    }
}
