//! What a server announces of a map before the game: baselines, static entities and static sounds, against the world.

use super::grammar::Grammar;
use super::look::{Look, apart};
use super::readings::{BASELINES, Reading, STATIC_SOUNDS, STATICS};
use super::server_updates::{Contradiction, FARTHEST, begins_message, contradiction};
use super::truth::{Codes, StaticSoundTold, Truth};
use super::wire::*;
use crate::requirements::*;
use crate::state::*;
use kit::Requirement;
use netquake::constants::{SVC_SPAWN_BASELINE, SVC_SPAWN_STATIC, SVC_SPAWN_STATIC_SOUND};
use netquake::fitzquake::{SVC_SPAWN_BASELINE2, SVC_SPAWN_STATIC_SOUND2, SVC_SPAWN_STATIC2};

/// A coordinate or an angle is so near to the truth where it was cut off rather than rounded.
const COORD_ERROR: f64 = 0.126;
/// In degrees.
const ANGLE_ERROR: f64 = 2.42;

/// The same, where they were rounded.
const NEAR_COORD: f64 = 0.0626;
/// In degrees.
const NEAR_ANGLE: f64 = 0.704;

/// What a sign-on is compared with.
#[derive(Clone, Copy, Debug)]
pub struct Signs<'a> {
    /// What the scenario says.
    pub truth: &'a Truth,
    /// Number of player slots: the first entities.
    pub slots: u32,
    /// Whether protocol 666 was announced.
    pub extended: bool,
    /// Whether the game's code can set alpha.
    pub progs_alpha: bool,
    /// Whether origins and angles have to be as near as rounding brings them: for readings that something else suggests.
    pub strict: bool,
}

/// What has been announced to one client of the present map.
#[derive(Clone, Debug, Default)]
pub struct Announced {
    /// Static entities of the world that were, by their place.
    statics: Vec<usize>,
    /// Static sounds of the world that were, by their place.
    sounds: Vec<usize>,
}

/// Where a message ends, and what is wrong with it.
pub struct Heard {
    /// Offset behind it; `None` if it cannot be read to its end.
    pub end: Option<usize>,
    /// What is wrong.
    pub wrong: Option<(&'static Requirement, String)>,
    /// The baseline that it tells, with its entity.
    pub baseline: Option<(u32, Look)>,
    /// Its mask.
    pub bits: u32,
}

impl Heard {
    fn right(raw: &Raw) -> Heard {
        Heard { end: Some(raw.end), wrong: None, baseline: None, bits: raw.bits }
    }

    fn wrong(end: Option<usize>, requirement: &'static Requirement, what: String) -> Heard {
        Heard { end, wrong: Some((requirement, what)), baseline: None, bits: 0 }
    }
}

/// Whether a message has a mask, that is, is one of protocol 666; and whether it is a static entity.
#[derive(Clone, Copy, Debug)]
struct Form {
    wide: bool,
    fixed: bool,
}

impl Signs<'_> {
    /// The first part, in the order of the wire, in which a baseline or static entity is not as `truth` has it.
    fn contradicts(&self, raw: &Raw, truth: &Entity, form: Form, player: bool) -> Option<Contradiction> {
        let look = Look::of(raw);
        let misused = if form.fixed { &STAT_01 } else { &BASE_01 };
        let name = if form.fixed { "static entity" } else { "baseline" };
        let codes = Codes::of(truth.float(ALPHA));
        let opaque = codes.has(0) || player;
        for (field, seen, row) in [(MODEL, look.model, &BASE_03), (FRAME, look.frame, &BASE_04)] {
            let right = truth[field] as u32;
            // Which model players have is the server's to say; and protocol 15 has a byte for a number.
            let unknown = player && field == MODEL || !self.extended && right > 0xff;
            if seen != right && !unknown {
                let row = match form.wide {
                    true => row,
                    false if right > 0xff => misused,
                    false => &VER_04,
                };
                let field = FIELD_TABLE[field].name;
                return contradiction(row, format!("{name}: {field} {seen}, should be {right}"));
            }
        }
        let slot = player && raw.has(Part::Entity) && look.colormap == raw.value(Part::Entity);
        for (field, seen, right) in [(COLORMAP, look.colormap, slot), (SKIN, look.skin, false)] {
            if seen != truth[field] as u32 & 0xff && !right {
                let field = FIELD_TABLE[field].name;
                return contradiction(&VER_04, format!("{name}: {field} {seen}"));
            }
        }
        for axis in 0..3 {
            let right = f64::from(truth.float(ORIGIN_X + axis));
            if right.abs() <= FARTHEST
                && (look.coord(axis) - right).abs() > if self.strict { NEAR_COORD } else { COORD_ERROR }
            {
                let what = format!("{name}: origin {} on axis {axis}, should be {right}", look.coord(axis));
                return contradiction(&VER_04, what);
            }
            let right = f64::from(truth.float(PITCH + axis));
            if apart(look.angle(axis), right) > if self.strict { NEAR_ANGLE } else { ANGLE_ERROR } {
                let what = format!("{name}: angle {} on axis {axis}, should be {right}", look.angle(axis));
                return contradiction(&VER_04, what);
            }
        }
        if !self.extended || codes.has(look.alpha) || (player && look.alpha == 0) {
            return None;
        }
        let told = raw.has(Part::Alpha);
        let row = if !self.progs_alpha && !told {
            &ALPHA_06
        } else if opaque && look.alpha == 255 {
            &ALPHA_07
        } else if !form.wide {
            misused
        } else if !told {
            &BASE_05
        } else if truth.float(ALPHA) < 0.0 {
            &ALPHA_02
        } else {
            &ALPHA_01
        };
        contradiction(row, format!("{name}: alpha has code {}, should have {}", look.alpha, codes.0))
    }

    /// A baseline behind its number `svc`.
    pub fn baseline(&self, bytes: &[u8], at: usize, svc: u8) -> Heard {
        let form = Form { wide: svc == SVC_SPAWN_BASELINE2, fixed: false };
        let slots = if form.wide { BASELINE2 } else { BASELINE };
        let compared = |signs: &Signs<'_>, raw: &Raw| {
            let entity = raw.value(Part::Entity);
            let truth = signs.truth.world.baselines.get(entity)?;
            Some(signs.contradicts(raw, truth, form, entity <= signs.slots))
        };
        let normal = Raw::read(slots, bytes, at);
        let found = normal.as_ref().and_then(|raw| compared(self, raw));
        let (plain, strict) = (self.plain_end(bytes, normal), Signs { strict: true, ..*self });
        if let (Some(raw), Some(None)) = (&normal, &found) {
            let entity = raw.value(Part::Entity);
            return Heard { baseline: Some((entity, Look::of(raw))), ..Heard::right(raw) };
        }
        let readings: &[Reading] = if form.wide { &BASELINES } else { &[] };
        for Reading { requirement, what, slots } in readings {
            let Some(raw) = Raw::read(slots, bytes, at) else { continue };
            let grammar = Grammar { baseline: slots, ..Grammar::new(self.extended) };
            let sound = plain.map_or_else(|| grammar.reads(bytes, raw.end), |end| end == raw.end);
            if sound && matches!(compared(&strict, &raw), Some(None)) {
                let baseline = Some((raw.value(Part::Entity), Look::of(&raw)));
                let wrong = Some((*requirement, format!("a baseline {what}")));
                return Heard { end: Some(raw.end), wrong, baseline, bits: raw.bits };
            }
        }
        let Some(raw) = normal else {
            return Heard::wrong(None, &BASE_02, String::from("a baseline ends early"));
        };
        let (entity, look) = (raw.value(Part::Entity), Look::of(&raw));
        let wrong = found.flatten().map(|found| (found.requirement, format!("entity {entity}: {}", found.what)));
        Heard { end: Some(raw.end), wrong, baseline: Some((entity, look)), bits: raw.bits }
    }

    /// A static entity behind its number `svc`.
    pub fn fixed(&self, bytes: &[u8], at: usize, svc: u8, announced: &mut Announced) -> Heard {
        let form = Form { wide: svc == SVC_SPAWN_STATIC2, fixed: true };
        let slots = if form.wide { &BASELINE2[1..] } else { &BASELINE[1..] };
        let open = |announced: &Announced| -> Vec<usize> {
            let all = 0..self.truth.world.statics.len();
            all.filter(|place| !announced.statics.contains(place)).collect()
        };
        let open = open(announced);
        let agrees = |signs: &Signs<'_>, raw: &Raw| {
            let truths = open.iter().filter_map(|&place| Some((place, signs.truth.world.statics.get(place)?)));
            let mut right = truths.filter(|(_, truth)| signs.contradicts(raw, truth, form, false).is_none());
            right.next().map(|(place, _)| place)
        };
        let normal = Raw::read(slots, bytes, at);
        let (plain, strict) = (self.plain_end(bytes, normal), Signs { strict: true, ..*self });
        if let Some((raw, place)) = normal.and_then(|raw| Some((raw, agrees(self, &raw)?))) {
            announced.statics.push(place);
            return Heard::right(&raw);
        }
        let readings: &[Reading] = if form.wide { &STATICS } else { &[] };
        for Reading { requirement, what, slots } in readings {
            let Some(raw) = Raw::read(slots, bytes, at) else { continue };
            let grammar = Grammar { fixed: slots, ..Grammar::new(self.extended) };
            let sound = plain.map_or_else(|| grammar.reads(bytes, raw.end), |end| end == raw.end);
            let Some(place) = agrees(&strict, &raw).filter(|_| sound) else { continue };
            announced.statics.push(place);
            return Heard::wrong(Some(raw.end), requirement, format!("a static entity {what}"));
        }
        let Some(raw) = normal else {
            return Heard::wrong(None, &STAT_01, String::from("a static entity ends early"));
        };
        // Beyond what the scenario asked for, static entities are the server's own business.
        let Some(&place) = open.first() else { return Heard::right(&raw) };
        announced.statics.push(place);
        let truth = self.truth.world.statics.get(place);
        let found = truth.and_then(|truth| self.contradicts(&raw, truth, form, false));
        Heard { wrong: found.map(|found| (found.requirement, found.what)), ..Heard::right(&raw) }
    }

    /// Where a message ends, if what follows can be read to the end from there.
    fn plain_end(&self, bytes: &[u8], normal: Option<Raw>) -> Option<usize> {
        normal.map(|raw| raw.end).filter(|&end| Grammar::new(self.extended).reads(bytes, end))
    }

    fn sound_contradicts(&self, raw: &Raw, told: &StaticSoundTold, wide: bool) -> Option<Contradiction> {
        for (axis, part) in ORIGINS.into_iter().enumerate() {
            let (seen, right) = (f64::from(raw.coord(part)) / 8.0, f64::from(told.origin[axis]));
            if right.abs() <= FARTHEST && (seen - right).abs() > COORD_ERROR {
                return contradiction(&VER_04, format!("static sound: {part:?} {seen}, should be {right}"));
            }
        }
        let (sound, right) = (raw.value(Part::Sound), told.sound);
        if sound != right && (self.extended || right <= 0xff) {
            let row = if wide || right > 0xff { &STAT_02 } else { &VER_04 };
            return contradiction(row, format!("static sound: number {sound}, should be {right}"));
        }
        let row = if wide { &STAT_02 } else { &VER_04 };
        for (part, right) in [(Part::Volume, told.volume), (Part::Attenuation, told.attenuation)] {
            let seen = raw.value(part);
            if seen != right & 0xff {
                return contradiction(row, format!("static sound: {part:?} {seen}, should be {right}"));
            }
        }
        None
    }

    /// A static sound behind its number `svc`.
    pub fn sound(&self, bytes: &[u8], at: usize, svc: u8, announced: &mut Announced) -> Heard {
        let wide = svc == SVC_SPAWN_STATIC_SOUND2;
        let slots = if wide { STATIC_SOUND2 } else { STATIC_SOUND };
        let all = self.truth.static_sounds.iter().enumerate();
        let open: Vec<(usize, &StaticSoundTold)> = all.filter(|(place, _)| !announced.sounds.contains(place)).collect();
        let agrees = |raw: &Raw| {
            let right = open.iter().find(|(_, told)| self.sound_contradicts(raw, told, wide).is_none());
            right.map(|(place, _)| *place)
        };
        let normal = Raw::read(slots, bytes, at);
        let plain = self.plain_end(bytes, normal);
        if let Some((raw, place)) = normal.and_then(|raw| Some((raw, agrees(&raw)?))) {
            announced.sounds.push(place);
            return Heard::right(&raw);
        }
        let readings: &[Reading] = if wide { &STATIC_SOUNDS } else { &[] };
        for Reading { requirement, what, slots } in readings {
            let Some(raw) = Raw::read(slots, bytes, at) else { continue };
            let sound = plain.map_or_else(|| begins_message(bytes, raw.end), |end| end == raw.end);
            let Some(place) = agrees(&raw).filter(|_| sound) else { continue };
            announced.sounds.push(place);
            return Heard::wrong(Some(raw.end), requirement, format!("a static sound {what}"));
        }
        let Some(raw) = normal else {
            return Heard::wrong(None, &STAT_02, String::from("a static sound ends early"));
        };
        let Some(&(place, told)) = open.first() else { return Heard::right(&raw) };
        announced.sounds.push(place);
        let found = self.sound_contradicts(&raw, told, wide);
        Heard { wrong: found.map(|found| (found.requirement, found.what)), ..Heard::right(&raw) }
    }

    /// What the message behind `at` is, if it stands under a number (`svc`) that is not its own.
    pub fn misnumbered(&self, bytes: &[u8], at: usize, svc: u8, announced: &mut Announced) -> Option<Heard> {
        // What follows may stand under a wrong number, too.
        let begins = |end: usize| bytes.get(end).is_none_or(|&svc| svc != 0);
        let rest = |heard: &Heard| heard.wrong.is_none() && heard.end.is_some_and(begins);
        let blame = |heard: Heard, right: u8| {
            let wrong = Some((&DEF_04, format!("message {right} stands under the number {svc}")));
            Some(Heard { wrong, ..heard })
        };
        for right in [SVC_SPAWN_BASELINE2, SVC_SPAWN_BASELINE] {
            let heard = self.baseline(bytes, at, right);
            let known = heard.baseline.is_some_and(|(entity, _)| self.truth.world.baselines.get(entity).is_some());
            if right != svc && known && rest(&heard) {
                return blame(heard, right);
            }
        }
        let statics = self.truth.world.statics.len() > announced.statics.len();
        let sounds = self.truth.static_sounds.len() > announced.sounds.len();
        for right in [SVC_SPAWN_STATIC2, SVC_SPAWN_STATIC] {
            let mut trial = announced.clone();
            let heard = self.fixed(bytes, at, right, &mut trial);
            if right != svc && statics && rest(&heard) {
                *announced = trial;
                return blame(heard, right);
            }
        }
        for right in [SVC_SPAWN_STATIC_SOUND2, SVC_SPAWN_STATIC_SOUND] {
            let mut trial = announced.clone();
            let heard = self.sound(bytes, at, right, &mut trial);
            if right != svc && sounds && rest(&heard) {
                *announced = trial;
                return blame(heard, right);
            }
        }
        None
    }
}
