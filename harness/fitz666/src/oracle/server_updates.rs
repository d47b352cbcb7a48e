//! Updates of entities, as sent, against the world.

use super::grammar::Grammar;
use super::look::{Look, apart};
use super::readings::{Reading, UPDATES};
use super::truth::{Codes, Truth};
use super::wire::*;
use crate::requirements::*;
use crate::state::*;
use kit::Requirement;
use netquake::constants::*;

/// What contradicts the world in a message.
#[derive(Clone, Debug)]
pub struct Contradiction {
    /// The requirement that it violates.
    pub requirement: &'static Requirement,
    /// What was expected and what was seen.
    pub what: String,
}

/// Makes a contradiction.
pub fn contradiction(requirement: &'static Requirement, what: impl Into<String>) -> Option<Contradiction> {
    Some(Contradiction { requirement, what: what.into() })
}

/// An origin is so near to the truth where it was cut off rather than rounded, in units.
const COORD_ERROR: f64 = 0.126;
/// An angle is so near to the truth where it was cut off twice, in degrees.
const ANGLE_ERROR: f64 = 2.42;
/// The same, where it was rounded.
const NEAR_COORD: f64 = 0.0626;
/// The same, where it was rounded.
const NEAR_ANGLE: f64 = 0.704;
/// The origin of an entity that is told has moved by this, in units.
const ORIGIN_SLACK: f64 = 0.1;
/// Around that, either is right: the difference of two numbers in single precision.
const SLACK_ERROR: f64 = 0.001;
/// Coordinates beyond this are not judged: 16 bits do not hold them, in units.
pub const FARTHEST: f64 = 4095.0;
/// The hint of a tenth of a second, in 1/255 s, is one of these.
const TENTH: [u32; 2] = [25, 26];

/// What an update is compared with.
#[derive(Clone, Copy, Debug)]
pub struct Stage<'a> {
    /// What the scenario says.
    pub truth: &'a Truth,
    /// The baseline that the client was told; the null state if it was told none.
    pub base: Look,
    /// Whether it was told one.
    pub announced: bool,
    /// The svc_time of the datagram, in seconds, if it has had one.
    pub time: Option<f64>,
    /// Whether protocol 666 was announced.
    pub extended: bool,
    /// Whether the game's code can set alpha.
    pub progs_alpha: bool,
    /// Whether origins and angles have to be as near as rounding brings them: for readings that something else suggests.
    pub strict: bool,
}

impl Stage<'_> {
    /// The first part of an update, in the order of the wire, that contradicts what the world says of `entity`.
    pub fn contradicts(&self, raw: &Raw, entity: u32) -> Option<Contradiction> {
        let Some(live) = self.truth.world.live.get(entity) else {
            return contradiction(&VER_04, format!("mentions entity {entity}, which is not in the world"));
        };
        let look = self.base.updated(raw);
        self.plain(raw, entity, live, &look)
            .or_else(|| self.place(raw, entity, live, &look))
            .or_else(|| if self.extended { self.alpha(raw, entity, live, &look) } else { None })
            .or_else(|| if self.extended { self.high_bytes(raw, entity, live, &look) } else { None })
            .or_else(|| self.lerp(raw, entity, live))
    }

    fn plain(&self, raw: &Raw, entity: u32, live: &Entity, look: &Look) -> Option<Contradiction> {
        let step = raw.bits & U_STEP != 0;
        if step != (live[STEP] != 0) {
            return contradiction(&VER_04, format!("entity {entity}: STEP is {step}"));
        }
        let numbers = [
            ("model", MODEL, look.model, &MODEL_01),
            ("frame", FRAME, look.frame, &FRAME_01),
            ("colormap", COLORMAP, look.colormap, &VER_04),
            ("skin", SKIN, look.skin, &VER_04),
            ("effects", EFFECTS, look.effects, &VER_04),
        ];
        for (name, field, seen, wide) in numbers {
            let truth = live[field] as u32;
            if !self.extended && truth > 0xff {
                // Protocol 15 cannot say it.
                continue;
            }
            if seen & 0xff != truth & 0xff {
                let requirement = if truth > 0xff { wide } else { &VER_04 };
                return contradiction(requirement, format!("entity {entity}: {name} {seen}, should be {truth}"));
            }
        }
        None
    }

    fn place(&self, raw: &Raw, entity: u32, live: &Entity, look: &Look) -> Option<Contradiction> {
        let null = Entity::NULL;
        let base = self.truth.world.baselines.get(entity).filter(|_| self.announced).unwrap_or(&null);
        for axis in 0..3 {
            let field = ORIGIN_X + axis;
            let (truth, from) = (f64::from(live.float(field)), f64::from(base.float(field)));
            let moved = (truth - from).abs();
            let told = raw.has(ORIGINS[axis]);
            let seen = look.coord(axis);
            if truth.abs() <= FARTHEST && from.abs() <= FARTHEST {
                let name = FIELD_TABLE[field].name;
                if !told && moved > ORIGIN_SLACK + SLACK_ERROR {
                    let what = format!("entity {entity}: {name} is {truth}, {moved} off its baseline, and not told");
                    return contradiction(&ENT_14, what);
                }
                if told && moved < ORIGIN_SLACK - SLACK_ERROR {
                    let what = format!("entity {entity}: {name} is told, {moved} off its baseline");
                    return contradiction(&ENT_14, what);
                }
                if told && (seen - truth).abs() > if self.strict { NEAR_COORD } else { COORD_ERROR } {
                    return contradiction(&VER_04, format!("entity {entity}: {name} {seen}, should be {truth}"));
                }
            }
            let truth = f64::from(live.float(PITCH + axis));
            let seen = look.angle(axis);
            if apart(seen, truth) > if self.strict { NEAR_ANGLE } else { ANGLE_ERROR } {
                let name = FIELD_TABLE[PITCH + axis].name;
                return contradiction(&VER_04, format!("entity {entity}: {name} {seen}, should be {truth}"));
            }
        }
        None
    }

    fn alpha(&self, raw: &Raw, entity: u32, live: &Entity, look: &Look) -> Option<Contradiction> {
        let alpha = live.float(ALPHA);
        let codes = Codes::of(alpha);
        let (seen, base) = (look.alpha, self.base.alpha);
        let told = raw.has(Part::Alpha);
        if codes.has(seen) {
            let what = || format!("entity {entity}: ALPHA is set, though code {seen} is the baseline's");
            return if told && seen == base { contradiction(&ENT_04, what()) } else { None };
        }
        let story = self.truth.alpha_story(entity);
        let stale = story.before.is_some_and(|before| Codes::of(before).has(seen));
        let never = story.before.is_none() && alpha == 0.0;
        let alike = |one: u8| (one == 0 && seen == 255) || (one == 255 && seen == 0);
        let requirement = if story.loaded {
            &ALPHA_04
        } else if !self.progs_alpha {
            &ALPHA_06
        } else if never && seen == 255 {
            &ALPHA_07
        } else if alike(codes.0) {
            &ALPHA_10
        } else if alpha < 0.0 {
            &ALPHA_02
        } else if stale {
            &ALPHA_09
        } else if told {
            &ALPHA_01
        } else {
            &ENT_04
        };
        let told = if told { "told" } else { "its baseline's, as ALPHA is not set" };
        contradiction(requirement, format!("entity {entity}: alpha {alpha} has code {}, {told} is {seen}", codes.0))
    }

    fn high_bytes(&self, raw: &Raw, entity: u32, live: &Entity, look: &Look) -> Option<Contradiction> {
        let parts = [
            ("frame", FRAME, look.frame, Part::Frame2, &FRAME_01),
            ("model", MODEL, look.model, Part::Model2, &MODEL_01),
        ];
        for (name, field, seen, part, absent) in parts {
            let truth = live[field] as u32;
            if seen != truth {
                let requirement = if raw.has(part) { &DEF_05 } else { absent };
                return contradiction(requirement, format!("entity {entity}: {name} {seen}, should be {truth}"));
            }
        }
        None
    }

    fn lerp(&self, raw: &Raw, entity: u32, live: &Entity) -> Option<Contradiction> {
        let hint = raw.get(Part::LerpFinish)?;
        let (think, time) = (f64::from(live.float(NEXTTHINK)), self.time?);
        let left = think - time;
        let exact = left * 255.0;
        if think == 0.0 {
            return contradiction(&LERP_01, format!("entity {entity}: LERPFINISH {hint}, and no think is due"));
        }
        if left > 1.0 {
            // At the border both are right.
            let right = hint == 255;
            let what = || format!("entity {entity}: LERPFINISH {hint} for {left:.3} s");
            return if right { None } else { contradiction(&LERP_03, what()) };
        }
        if left < 0.0 {
            // The think is overdue; what an engine says then is not said anywhere.
            return None;
        }
        let right = (f64::from(hint) - exact).abs() <= 1.01;
        let what = || format!("entity {entity}: LERPFINISH {hint} for {left:.3} s, should be {exact:.1}");
        if right { None } else { contradiction(&LERP_01, what()) }
    }

    /// Whether a hint of a tenth of a second is sent in the first datagram behind the think's setting.
    pub fn needless_hint(&self, raw: &Raw, entity: u32) -> bool {
        let Some(live) = self.truth.world.live.get(entity) else { return false };
        let left = self.time.map_or(0.0, |time| f64::from(live.float(NEXTTHINK)) - time);
        (left - 0.1).abs() < 0.002 && raw.get(Part::LerpFinish).is_some_and(|hint| TENTH.contains(&hint))
    }
}

/// The reading of the update that begins at `at` in which it agrees with the world, and where it ends.
///
/// Another layout is taken for the sender's only if the protocol's own does not lead to the end of the message, or leads
/// equally far.
pub fn explain<'r>(
    bytes: &[u8],
    at: usize,
    stage: &dyn Fn(u32) -> Stage<'r>,
    free: &dyn Fn(u32) -> bool,
) -> Option<(&'static Requirement, String, usize)> {
    let agrees = |raw: &Raw, entity: u32| {
        let stage = Stage { strict: true, ..stage(entity) };
        stage.truth.world.live.get(entity).is_some() && stage.contradicts(raw, entity).is_none()
    };
    let extended = stage(0).extended;
    let normal = Raw::read(UPDATE, bytes, at);
    if let Some(raw) = normal.filter(|raw| raw.bits & U_LONGENTITY == 0) {
        let byte = raw.value(Part::Entity);
        let world = &stage(byte).truth.world;
        let mut cut = world.live.numbers().iter().copied().filter(|&number| number > 0xff && number & 0xff == byte);
        if let Some(entity) = cut.find(|&entity| free(entity) && agrees(&raw, entity)) {
            return Some((&ENT_13, format!("has entity {entity} in a byte"), raw.end));
        }
    }
    let plain = normal.map(|raw| raw.end).filter(|&end| Grammar::new(extended).reads(bytes, end));
    let silent = [true, false].map(|hint| Reading {
        requirement: &ENT_01,
        what: String::from("has EXTEND1 and no third byte of bits"),
        slots: normal.map_or(Vec::new(), |raw| untold_bytes(bytes, at, &raw, stage, hint)),
    });
    // Those that stand for one entity alone do not read the next one's update.
    let lone = silent.iter().map(|reading| (reading, true));
    UPDATES.iter().map(|reading| (reading, false)).chain(lone).find_map(|(reading, lone)| {
        let Reading { requirement, what, slots } = reading;
        let raw = Raw::read(slots, bytes, at).filter(|raw| plain.is_none_or(|end| end == raw.end))?;
        let entity = raw.value(Part::Entity);
        let grammar = Grammar { update: slots, ..Grammar::new(extended) };
        let follows = || if lone { begins_message(bytes, raw.end) } else { grammar.reads(bytes, raw.end) };
        let sound = free(entity) && agrees(&raw, entity) && (plain.is_some() || follows());
        sound.then(|| (*requirement, format!("the update of entity {entity} {what}"), raw.end))
    })
}

/// The layout of an update with the bytes that it has to have, and without the bits that announce them.
fn untold_bytes<'r>(bytes: &[u8], at: usize, normal: &Raw, stage: &dyn Fn(u32) -> Stage<'r>, hint: bool) -> Vec<Slot> {
    let header = UPDATE.iter().copied().filter(|slot| !matches!(slot.part, Part::Bits2 | Part::Bits3));
    let slots: Vec<Slot> = header.collect();
    let Some(raw) = Raw::read(&slots, bytes, at).filter(|_| normal.bits & U_EXTEND1 != 0) else { return Vec::new() };
    let stage = stage(raw.value(Part::Entity));
    let Some(live) = stage.truth.world.live.get(raw.value(Part::Entity)) else { return Vec::new() };
    let alpha = !Codes::of(live.float(ALPHA)).has(stage.base.alpha);
    let there = |slot: &Slot| match slot.part {
        Part::Alpha => alpha,
        Part::Frame2 => raw.has(Part::Frame) && live[FRAME] > 0xff,
        Part::Model2 => raw.has(Part::Model) && live[MODEL] > 0xff,
        Part::LerpFinish => hint,
        Part::Scale => false,
        _ => true,
    };
    let always = |slot: Slot| match slot.part {
        Part::Alpha | Part::Frame2 | Part::Model2 | Part::LerpFinish => Slot { set: 0, ..slot },
        _ => slot,
    };
    slots.into_iter().filter(there).map(always).collect()
}

/// Whether what stands at `at` may be the beginning of a message, or the end of all.
pub fn begins_message(bytes: &[u8], at: usize) -> bool {
    bytes.get(at).is_none_or(|&byte| byte & 0x80 != 0 || (1..=44).contains(&byte))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::PROTOCOL;
    use crate::options::Options;
    use kit::table::float_bits;
    use kit::{Command, Setup, Time};

    /// A world of one entity, 10, whose baseline has model 1 and frame 5: model 300, frame 517, alpha 0.5, a think in half
    /// a second from 2 s on, in steps.
    fn truth() -> Truth {
        let mut truth = Truth::new(&Options::new(&Setup::new(&PROTOCOL, &PROTOCOL.profiles[0])));
        let baseline = |field, value| Command::Baseline { entity: 10, field, value };
        let set = |field, value| Command::Set { entity: 10, field, value };
        let commands = [
            baseline(MODEL, 1),
            baseline(FRAME, 5),
            Command::Spawn { entity: 10 },
            set(MODEL, 300),
            set(FRAME, 517),
            set(ALPHA, float_bits(0.5)),
            set(NEXTTHINK, float_bits(2.5)),
            set(STEP, 1),
        ];
        commands.iter().for_each(|command| truth.command(Time::ZERO, command));
        truth
    }

    /// The update, at the end of a datagram, is found to violate this.
    fn check(bytes: &[u8], expected: Option<&str>) {
        let truth = truth();
        let base = Look { model: 1, frame: 5, ..Look::default() };
        let time = Some(2.0);
        let stage =
            Stage { truth: &truth, base, announced: true, time, extended: true, progs_alpha: true, strict: false };
        let raw = Raw::read(UPDATE, bytes, 0);
        let direct = raw.map(|raw| stage.contradicts(&raw, raw.value(Part::Entity)));
        let right = raw.is_some_and(|raw| raw.end == bytes.len()) && matches!(direct, Some(None));
        let explained = explain(bytes, 0, &|_| stage, &|_| true).map(|found| found.0.id);
        let direct = direct.flatten().map(|found| found.requirement.id);
        let found = if right { None } else { explained.or(direct).or(Some("cut off")) };
        assert_eq!(found, expected, "{bytes:x?}");
    }

    // STEP, FRAME, SIGNAL and MOREBITS; MODEL and EXTEND1; all four new bits. Then entity, low bytes of model and frame,
    // and alpha 128, high bytes 2 and 1, and 128 for half a second: derived by hand from the document.
    const RIGHT: [u8; 10] = [0xe1, 0x84, 0x0f, 10, 0x2c, 5, 128, 2, 1, 128];

    #[test]
    fn an_update_as_the_world_has_it_is_right() {
        check(&RIGHT, None);
        // Without the hint, which is the server's to leave out.
        check(&[0xe1, 0x84, 0x07, 10, 0x2c, 5, 128, 2, 1], None);
    }

    #[test]
    fn a_part_in_a_wrong_place_is_named() {
        check(&[0xe1, 0x84, 0x0f, 10, 128, 0x2c, 5, 2, 1, 128], Some("FITZ-ENT-05"));
        check(&[0xe1, 0x84, 0x0f, 10, 0x2c, 5, 128, 1, 2, 128], Some("FITZ-ENT-06"));
        check(&[0xe1, 0x84, 0x0f, 10, 0x2c, 5, 128, 2, 128, 1], Some("FITZ-ENT-07"));
    }

    #[test]
    fn a_byte_of_bits_that_is_not_announced_or_missing_is_named() {
        check(&[0xe1, 0x04, 0x0f, 10, 0x2c, 5, 128, 2, 1, 128], Some("FITZ-ENT-01"));
        check(&[0xe1, 0x84, 10, 0x2c, 5, 128, 2, 1, 128], Some("FITZ-ENT-01"));
        check(&[0xe0, 0x84, 0x0f, 10, 0x2c, 5, 128, 2, 1, 128], Some("FITZ-ENT-02"));
    }

    #[test]
    fn a_wrong_value_is_no_wrong_layout() {
        let with = |place: usize, value: u8| {
            let mut bytes = RIGHT;
            bytes[place] = value;
            bytes
        };
        check(&with(4, 0x2d), Some("FITZ-MODEL-01"));
        check(&with(5, 6), Some("FITZ-FRAME-01"));
        check(&with(6, 100), Some("FITZ-ALPHA-01"));
        check(&with(7, 0), Some("FITZ-DEF-05"));
        check(&with(8, 0), Some("FITZ-DEF-05"));
        check(&with(9, 50), Some("FITZ-LERP-01"));
        check(&RIGHT[..8], Some("cut off"));
    }
}
