//! Updates of entities, as sent, against the world.

use super::{FromServer, Next};
use crate::oracle::coverage::means;
use crate::oracle::diagnosis::{self, misreadings};
use crate::oracle::failure::{Failure, failure};
use crate::oracle::grammar::Grammar;
use crate::oracle::layout::*;
use crate::oracle::look::{Look, Rounding, apart};
use crate::oracle::repetition::{RightUpdate, UpdateBytes};
use crate::oracle::truth::{Codes, Truth};
use crate::requirements::*;
use crate::state::*;
use kit::Suspects;
use kit::table::float_step;
use netquake::constants::*;

kit::checks! {
    from means;
    /// Every update can be read to its end, and has no bit that the announced protocol does not define.
    pub UPDATES_CAN_BE_READ = "updates-can-be-read": ENT_15 ENT_01 DEF_01 VER_01;
    /// The parts of an update stand where the protocol has them: another layout would agree with the world.
    pub UPDATES_HAVE_THE_LAYOUT = "updates-have-the-layout" knows World: ENT_01 ENT_02 ENT_05 ENT_06 ENT_07 ENT_08
        ENT_13 DEF_01 VER_04;
    /// Whoever is mentioned is in the world.
    pub MENTIONED_ENTITIES_EXIST = "mentioned-entities-exist" knows World: VER_04 ENT_13;
    /// Model, frame, colormap, skin, effects and STEP are those of the entity, high bytes excepted.
    pub UPDATES_TELL_THE_ENTITY = "updates-tell-the-entity" knows World: VER_04 MODEL_01 FRAME_01;
    /// Origin and angles are those of the entity, as near as a code can be.
    pub UPDATES_TELL_THE_PLACE = "updates-tell-the-place" knows World: VER_04;
    /// An axis of the origin is sent exactly when it has moved.
    pub MOVED_AXES_ARE_SENT = "moved-axes-are-sent" knows World: ENT_14;
    /// Alpha is the code of the entity's.
    pub ALPHA_IS_CODED = "alpha-is-coded" knows World: ALPHA_01 ALPHA_02 ALPHA_04 ALPHA_06 ALPHA_07 ALPHA_09 ALPHA_10
        ENT_04;
    /// Alpha is not sent if the baseline has the same code.
    pub ALPHA_OF_THE_BASELINE_IS_NOT_SENT = "alpha-of-the-baseline-is-not-sent": ENT_04 ENT_08;
    /// Model and frame have their high bytes.
    pub HIGH_BYTES_ARE_SENT = "high-bytes-are-sent" knows World: FRAME_01 MODEL_01 DEF_05;
    /// A hint says when the entity thinks next.
    pub HINTS_TELL_THE_NEXT_THINK = "hints-tell-the-next-think" knows World: LERP_01 LERP_03;
}

/// The origin of an entity is sent if it has moved by this, in units.
const ORIGIN_SLACK: f64 = 0.1;
/// Around that, either is right: the difference of two numbers in single precision.
const SLACK_ERROR: f64 = 0.001;
/// Coordinates beyond this are not judged: 16 bits do not hold them, in units.
pub const FARTHEST: f64 = 4095.0;
/// The hint of a tenth of a second, in 1/255 s, is one of these.
const TENTH: [u32; 2] = [25, 26];
/// How far a hint may be off, in 1/255 s.
const HINT_ERROR: f64 = 1.01;

/// What an update is compared with.
#[derive(Clone, Copy, Debug)]
pub struct Stage<'a> {
    /// What the scenario says.
    pub truth: &'a Truth,
    /// The baseline that the client was sent; the null state if it was sent none.
    pub base: Look,
    /// Whether it was sent one.
    pub announced: bool,
    /// The svc_time of the datagram, in seconds, if it has had one.
    pub time: Option<f64>,
    /// Whether protocol 666 was announced.
    pub extended: bool,
    /// Whether the game's code can set alpha.
    pub progs_alpha: bool,
    /// How near origins and angles have to be.
    pub rounding: Rounding,
    /// So many entities, from 1 on, are players of somebody else's server, which moves them as it does.
    pub players: u32,
}

impl Stage<'_> {
    /// The first part of an update, in the order of the wire, that contradicts what the world says of `entity`.
    pub fn contradicts(&self, raw: &Raw, entity: u32) -> Option<Failure> {
        let Some(live) = self.truth.world.live.get(entity) else {
            let what = format!("mentions entity {entity}, which is not in the world");
            let cut = self.truth.world.live.numbers().iter().any(|&number| number > 0xff && number & 0xff == entity);
            return failure(&MENTIONED_ENTITIES_EXIST, if cut { &ENT_13 } else { &VER_04 }, what);
        };
        let look = self.base.updated(raw);
        self.plain(raw, entity, live, &look)
            .or_else(|| self.place(raw, entity, live, &look))
            .or_else(|| if self.extended { self.alpha(raw, entity, live, &look) } else { None })
            .or_else(|| if self.extended { self.high_bytes(raw, entity, live, &look) } else { None })
            .or_else(|| self.hint(raw, entity, live))
    }

    fn plain(&self, raw: &Raw, entity: u32, live: &Entity, look: &Look) -> Option<Failure> {
        let step = raw.bits & U_STEP != 0;
        if step != (live[STEP] != 0) && entity > self.players {
            return failure(&UPDATES_TELL_THE_ENTITY, &VER_04, format!("entity {entity}: STEP is {step}"));
        }
        let numbers = [
            (MODEL, look.model, &MODEL_01),
            (FRAME, look.frame, &FRAME_01),
            (COLORMAP, look.colormap, &VER_04),
            (SKIN, look.skin, &VER_04),
            (EFFECTS, look.effects, &VER_04),
        ];
        for (field, seen, wide) in numbers {
            let truth = live[field] as u32;
            // Protocol 15 cannot express what is above 255.
            if (self.extended || truth <= 0xff) && seen & 0xff != truth & 0xff {
                let what = format!("entity {entity}: {} {seen}, should be {truth}", FIELD_TABLE[field].name);
                return failure(&UPDATES_TELL_THE_ENTITY, if truth > 0xff { wide } else { &VER_04 }, what);
            }
        }
        None
    }

    fn place(&self, raw: &Raw, entity: u32, live: &Entity, look: &Look) -> Option<Failure> {
        let null = Entity::NULL;
        // An engine keeps nothing of a baseline without a model.
        let is_empty = |base: &Entity| self.players > 0 && self.base.model == 0 && base[MODEL] == 0;
        let base = self.truth.world.baselines.get(entity).filter(|base| self.announced && !is_empty(base));
        let base = base.unwrap_or(&null);
        for axis in 0..3 {
            let field = ORIGIN_X + axis;
            let (truth, from) = (f64::from(live.float(field)), f64::from(base.float(field)));
            let moved = (truth - from).abs();
            let sent = raw.has(ORIGINS[axis]);
            let seen = look.coord(axis);
            let name = FIELD_TABLE[field].name;
            if truth.abs() <= FARTHEST && from.abs() <= FARTHEST {
                let wrong = if sent { moved < ORIGIN_SLACK - SLACK_ERROR } else { moved > ORIGIN_SLACK + SLACK_ERROR };
                if wrong {
                    let sent = if sent { "sent" } else { "not sent" };
                    let what = format!("entity {entity}: {name} {truth}, {moved} off its baseline, is {sent}");
                    return failure(&MOVED_AXES_ARE_SENT, &ENT_14, what);
                }
                if sent && (seen - truth).abs() > self.rounding.coord() {
                    let what = format!("entity {entity}: {name} {seen}, should be {truth}");
                    return failure(&UPDATES_TELL_THE_PLACE, &VER_04, what);
                }
            }
            let truth = f64::from(live.float(PITCH + axis));
            let seen = look.angle(axis);
            if apart(seen, truth) > self.rounding.angle() {
                let what = format!("entity {entity}: {} {seen}, should be {truth}", FIELD_TABLE[PITCH + axis].name);
                return failure(&UPDATES_TELL_THE_PLACE, &VER_04, what);
            }
        }
        None
    }

    fn alpha(&self, raw: &Raw, entity: u32, live: &Entity, look: &Look) -> Option<Failure> {
        let alpha = live.float(ALPHA);
        let codes = Codes::of(alpha);
        let (seen, sent) = (look.alpha, raw.has(Part::Alpha));
        if codes.has(seen) {
            return None;
        }
        let story = self.truth.alpha_story(entity);
        let suspects = diagnosis::alpha_sent(alpha, seen, sent, story, self.progs_alpha);
        let sent = if sent { "sent" } else { "its baseline's, as ALPHA is not set," };
        let what = format!("entity {entity}: alpha {alpha} has code {}, {sent} is {seen}", codes.0);
        failure(&ALPHA_IS_CODED, suspects, what)
    }

    fn high_bytes(&self, raw: &Raw, entity: u32, live: &Entity, look: &Look) -> Option<Failure> {
        let parts = [(FRAME, look.frame, Part::Frame2, &FRAME_01), (MODEL, look.model, Part::Model2, &MODEL_01)];
        let (field, seen, part, absent) = parts.into_iter().find(|part| part.1 != live[part.0] as u32)?;
        let what = format!("entity {entity}: {} {seen}, should be {}", FIELD_TABLE[field].name, live[field]);
        failure(&HIGH_BYTES_ARE_SENT, if raw.has(part) { &DEF_05 } else { absent }, what)
    }

    fn hint(&self, raw: &Raw, entity: u32, live: &Entity) -> Option<Failure> {
        let hint = raw.get(Part::LerpFinish)?;
        let (think, time) = (f64::from(live.float(NEXTTHINK)), self.time?);
        let left = think - time;
        // The server may know the time finer than it can say it.
        let error = HINT_ERROR + 255.0 * float_step(time);
        let (wrong, requirement) = if think == 0.0 {
            (true, &LERP_01)
        } else if left > 1.0 + float_step(time) {
            // At the border both are right.
            (hint != 255, &LERP_03)
        } else {
            // If the think is overdue: what an engine says then is not said anywhere.
            (left >= 0.0 && (f64::from(hint) - left.min(1.0) * 255.0).abs() > error, &LERP_01)
        };
        let what = || format!("entity {entity}: LERPFINISH {hint}, and {left:.3} s are left to the next think");
        if wrong { failure(&HINTS_TELL_THE_NEXT_THINK, requirement, what()) } else { None }
    }

    /// Whether an update of an entity in the world is as right at any other time: nothing in it counts down.
    fn is_timeless(&self, raw: &Raw, entity: u32) -> bool {
        !raw.has(Part::LerpFinish) && self.truth.world.live.get(entity).is_some_and(|live| live[NEXTTHINK] == 0)
    }

    /// Whether a hint of a tenth of a second is sent in the first datagram after the think's setting.
    pub fn needless_hint(&self, raw: &Raw, entity: u32) -> bool {
        let Some(live) = self.truth.world.live.get(entity) else { return false };
        let left = self.time.map_or(0.0, |time| f64::from(live.float(NEXTTHINK)) - time);
        (left - 0.1).abs() < 0.002 && raw.get(Part::LerpFinish).is_some_and(|hint| TENTH.contains(&hint))
    }
}

impl<'a> FromServer<'a> {
    /// What an update of `entity` is compared with, if the world is known.
    pub(super) fn stage(&self, entity: u32) -> Option<Stage<'a>> {
        Some(Stage {
            truth: self.truth?,
            base: self.sent.bases.get(entity).copied().unwrap_or_default(),
            announced: self.sent.bases.has(entity),
            time: self.sent.time,
            extended: self.sent.extended(),
            progs_alpha: self.options.progs_alpha,
            rounding: Rounding::Any,
            players: if self.remote { self.seats() } else { 0 },
        })
    }

    /// Judges the update that begins at `at`.
    pub(super) fn update(&mut self, bytes: &[u8], at: usize) -> Next {
        let extended = self.sent.extended();
        let fifteenth = bytes.get(at..at + 2).is_some_and(|first| first[0] & 1 != 0 && first[1] & 0x80 != 0);
        if !extended && fifteenth {
            if self.options.protocol == PROTOCOL_FITZQUAKE && !self.remote {
                let what = || String::from("an update has bit 15, though protocol 15 was announced");
                self.fail(&UPDATES_CAN_BE_READ, &VER_01, what);
            } else {
                self.report.remark("bit 15 of an update in protocol 15: private to an engine (erratum E11; legal)");
            }
            return Next::Unknown;
        }
        let again = self.truth.and_then(|truth| self.sent.right.again(truth.version, bytes.get(at..)?));
        if let Some(RightUpdate { bytes, entity }) = again.filter(|_| !self.sent.between) {
            self.sent.mentioned.insert(entity, ());
            return Next::At(at + bytes.get().len());
        }
        if let Some(raw) = self.led_astray(Kind::Update, bytes, at) {
            self.sent.mentioned.insert(raw.value(Part::Entity), ());
            return Next::At(raw.end);
        }
        let raw = Kind::Update.read(bytes, at);
        if self.sent.between {
            return raw.map_or(Next::Unknown, |raw| Next::At(raw.end));
        }
        let unknown = raw.map_or(0, |raw| raw.bits & !Kind::Update.known(extended));
        let Some(raw) = raw.filter(|_| unknown == 0) else {
            if extended && let Some(end) = self.explained_update(bytes, at) {
                return Next::At(end);
            }
            let what = || match unknown {
                0 => format!("the update at byte {at} of {} is cut off", bytes.len()),
                _ => format!("an update has the undefined bits {unknown:#x}"),
            };
            let room = self.options.datagram_limit.saturating_sub(bytes.len());
            self.fail(&UPDATES_CAN_BE_READ, diagnosis::unreadable_update(unknown, room), what);
            return Next::Unknown;
        };
        let entity = raw.value(Part::Entity);
        self.update_by_the_wire(&raw, entity);
        let stage = self.stage(entity);
        let found = stage.and_then(|stage| {
            let own = entity == self.sent.own && stage.truth.world.live.get(entity).is_none();
            if own || self.is_anybodys(entity) { None } else { stage.contradicts(&raw, entity) }
        });
        if found.is_some()
            && let Some(end) = self.explained_update(bytes, at)
        {
            return Next::At(end);
        }
        let right = self.compared_update(bytes, at, &raw, stage, found);
        self.sent.right.judged(right);
        self.sent.mentioned.insert(entity, ());
        Next::At(raw.end)
    }

    /// An update that can be read was compared with the world, where that is known. What is to be remembered of one that is right.
    fn compared_update(
        &mut self,
        bytes: &[u8],
        at: usize,
        raw: &Raw,
        stage: Option<Stage<'_>>,
        found: Option<Failure>,
    ) -> Option<RightUpdate> {
        let (entity, extended) = (raw.value(Part::Entity), self.sent.extended());
        if let Some(found) = found {
            let reads = Grammar::new(extended).reads(bytes, raw.end);
            if reads || raw.bits & U_EXTEND1 == 0 {
                found.of_server(self.client, self.report, self.now);
            } else {
                let suspects = diagnosis::stray_update();
                self.fail(&UPDATES_HAVE_THE_LAYOUT, suspects, || {
                    format!("{}, and what follows makes no sense", found.what)
                });
            }
        } else if extended && raw.get(Part::Alpha).is_some_and(|code| code == self.sent.alpha_of(entity).into()) {
            let what = || format!("entity {entity}: ALPHA is set, though its code is the baseline's");
            // A hint that stands before it may be what was read as alpha.
            let suspects = Suspects::from(&ENT_04).or_if(raw.has(Part::LerpFinish), &ENT_08);
            self.fail(&ALPHA_OF_THE_BASELINE_IS_NOT_SENT, suspects, what);
        } else {
            self.update_is_right(raw, entity, stage.as_ref());
            let timeless = stage.is_some_and(|stage| stage.is_timeless(raw, entity));
            let update = bytes.get(at..raw.end).filter(|_| timeless).and_then(UpdateBytes::new);
            return update.map(|bytes| RightUpdate { bytes, entity });
        }
        None
    }

    /// Whether another layout explains an update that is not right; where it ends then.
    fn explained_update(&mut self, bytes: &[u8], at: usize) -> Option<usize> {
        // The order of mentions is free, but nobody is mentioned twice.
        let agrees = |raw: &Raw| {
            let entity = raw.value(Part::Entity);
            let stage = self.stage(entity).filter(|stage| stage.truth.world.live.get(entity).is_some());
            let stage = stage.map(|stage| Stage { rounding: Rounding::Nearest, ..stage });
            !self.sent.mentioned.has(entity) && stage.is_some_and(|stage| stage.contradicts(raw, entity).is_none())
        };
        self.truth?;
        let explained = misreadings::explain(Kind::Update, bytes, at, self.sent.extended(), &agrees)?;
        let what = || format!("the update of entity {} {}", explained.raw.value(Part::Entity), explained.what);
        self.fail(&UPDATES_HAVE_THE_LAYOUT, explained.suspects, what);
        Some(explained.raw.end)
    }
}
