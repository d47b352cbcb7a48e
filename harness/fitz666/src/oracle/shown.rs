//! What a client shows, against what a conforming receiver holds.

pub mod reading;
pub mod sounds;

use super::coverage::{Point, Report, means};
use super::delivery::{Delivered, Shown, player_stats};
use super::diagnosis::{self, Evidence};
use super::failure::{Failure, failure};
use super::layout::*;
use super::look::{Look, apart};
use super::right_view::RightView;
use super::truth::{opacity, saved};
use crate::options::Options;
use crate::requirements::*;
use crate::state::*;
use kit::table::float_step;
use kit::{Hidden, HostId, StatValue, Suspects, Time, View};
use netquake::constants::*;

kit::checks! {
    from means;
    /// Who is mentioned in the newest datagram, and can be seen, is shown.
    pub MENTIONED_ENTITIES_ARE_SHOWN = "mentioned-entities-are-shown" knows ClientShows: ENT_03 VER_04;
    /// Who is not mentioned in the newest datagram is not shown.
    pub UNMENTIONED_ENTITIES_ARE_NOT_SHOWN = "unmentioned-entities-are-not-shown" knows ClientShows: ENT_11;
    /// Fields are those of the baseline, overwritten by those of the newest update.
    pub ENTITIES_ARE_SHOWN_AS_SENT = "entities-are-shown-as-sent" knows ClientShows: VER_04 MODEL_02 FRAME_02 FRAME_03 ENT_10 BASE_03
        BASE_04 BASE_05 DEF_01 DEF_05;
    /// So is the code of alpha.
    pub ALPHA_IS_SHOWN_AS_SENT = "alpha-is-shown-as-sent" knows ClientShows: ALPHA_10 DEF_01 ENT_09 BASE_05 BASE_06;
    /// Opacity follows from the code, and from the client's setting for water.
    pub OPACITY_FOLLOWS_ALPHA = "opacity-follows-alpha" knows ClientShows: ALPHA_03 ALPHA_05;
    /// An entity has moved when its hint says, and after a tenth of a second without one.
    pub HINTS_ARE_HEEDED = "hints-are-heeded" knows ClientShows: LERP_04 LERP_05;
    /// Static entities are shown as announced.
    pub STATICS_ARE_SHOWN_AS_SENT = "statics-are-shown-as-sent" knows ClientShows: DEF_04 BASE_03 BASE_04 BASE_05 BASE_06 VER_04;
    /// Statistics are those of the newest clientdata, and defaults where it has none.
    pub STATISTICS_ARE_SHOWN_AS_SENT = "statistics-are-shown-as-sent" knows ClientShows: VER_04 CD_12 CD_13 CD_16 DEF_02 DEF_05;
    /// A client that has got an update after the last step of its sign-on shows the game.
    pub THE_GAME_IS_SHOWN = "the-game-is-shown" knows ClientShows: VER_04;
    /// Nothing changes by a stale datagram.
    pub STALE_DATAGRAMS_CHANGE_NOTHING = "stale-datagrams-change-nothing" knows ClientShows: NET_02;
}

/// Floats shown are as near to what they should be, in units, degrees or seconds.
const NEAR: f64 = 1e-3;

/// The bits of what a clientdata may leave out, by statistic.
const OPTIONAL: [(u8, u32); 12] = [
    (STAT_VIEWHEIGHT, SU_VIEWHEIGHT),
    (STAT_IDEALPITCH, SU_IDEALPITCH),
    (STAT_PUNCH, SU_PUNCH1),
    (STAT_PUNCH + 1, SU_PUNCH1 << 1),
    (STAT_PUNCH + 2, SU_PUNCH1 << 2),
    (STAT_VELOCITY, SU_VELOCITY1),
    (STAT_VELOCITY + 1, SU_VELOCITY1 << 1),
    (STAT_VELOCITY + 2, SU_VELOCITY1 << 2),
    (STAT_WEAPONFRAME, SU_WEAPONFRAME),
    (STAT_ARMOR, SU_ARMOR),
    (STAT_WEAPON, SU_WEAPON),
    (STAT_WEAPONALPHA, SU_WEAPONALPHA),
];

/// A client whose view is compared.
pub struct Comparison<'a> {
    /// Which.
    pub host: HostId,
    /// What it has to hold.
    pub delivered: &'a Delivered,
    /// What it shows.
    pub view: &'a View,
    /// What it has shown right.
    pub right: &'a mut RightView,
    /// What the scenario asks of both.
    pub options: &'a Options,
    /// The datagram that it was given last was stale, and has changed nothing.
    pub stale: bool,
    /// The connection began once more after a challenge: how far the client has got is not certain.
    pub restarted: bool,
    /// The entity that is the player's own.
    pub own: u32,
    /// Where findings go.
    pub report: &'a mut Report,
    /// The time.
    pub now: Time,
}

impl Comparison<'_> {
    fn report(&mut self, found: Failure) {
        let Failure { check, suspects, what } = found;
        // Whatever changed by a stale datagram, that is what is wrong.
        let (check, suspects) =
            if self.stale { (&STALE_DATAGRAMS_CHANGE_NOTHING, Suspects::from(&NET_02)) } else { (check, suspects) };
        self.report.fail(check, self.now, self.host, suspects, || what);
    }

    /// Compares. Whether all is as it must be.
    pub fn look(&mut self) -> bool {
        if !self.delivered.active || self.delivered.indeterminate.is_some() {
            return true;
        }
        if !self.view.valid && self.restarted {
            return true;
        }
        if !self.view.valid {
            let what = || String::from("is in the game, and shows no entities");
            self.report.fail(&THE_GAME_IS_SHOWN, self.now, self.host, &VER_04, what);
            return false;
        }
        let sure = !self.delivered.unsure;
        let moment = if sure { self.moment() } else { None };
        let entities = if sure { self.entities() } else { None };
        let fixed = if sure { self.fixed() } else { None };
        let stats = if self.delivered.player_unsure { None } else { self.stats() };
        let found = [moment, entities, fixed, stats];
        let right = found.iter().all(Option::is_none);
        found.into_iter().flatten().for_each(|found| self.report(found));
        right
    }

    /// The time, and through whose eyes the client sees.
    fn moment(&self) -> Option<Failure> {
        let (time, own) = (self.view.server_time, self.view.own_entity);
        if let Some((_, right)) = self.delivered.time.filter(|right| right.0 != time) {
            let what = format!("shows the time {}, and {right} came last", f32::from_bits(time));
            return failure(&THE_GAME_IS_SHOWN, &VER_04, what);
        }
        let right = self.delivered.own.filter(|&right| right != own)?;
        failure(&THE_GAME_IS_SHOWN, &VER_04, format!("sees from entity {own}, should from {right}"))
    }

    /// Who is shown who should not be, and the other way round.
    fn present(&self) -> Option<Failure> {
        let (delivered, view) = (self.delivered, self.view);
        if delivered.shown.numbers() == view.numbers {
            return None;
        }
        let visible = |look: &Look| look.alpha != 1 && look.model != 0;
        let absent = |(number, shown): &(u32, &Shown)| view.entity(*number).is_none() && visible(&shown.look);
        let extended = |(_, shown): &(u32, &Shown)| shown.raw.bits & U_EXTEND1 != 0;
        if let Some((number, _)) = delivered.shown.iter().find(|entry| absent(entry) && extended(entry)) {
            let what = format!("entity {number}, of an update with a third byte of bits, is not shown");
            return failure(&MENTIONED_ENTITIES_ARE_SHOWN, &ENT_03, what);
        }
        let stays = |number: &&u32| delivered.shown.has(**number) || delivered.lingering.has(**number);
        if let Some(number) = view.numbers.iter().find(|number| !stays(number)) {
            let known = delivered.before.has(*number);
            let when = if known { "was mentioned before" } else { "was not mentioned" };
            let what = format!("shows entity {number}, which {when}, and not in the newest datagram");
            return failure(&UNMENTIONED_ENTITIES_ARE_NOT_SHOWN, &ENT_11, what);
        }
        if let Some((number, _)) = delivered.shown.iter().find(absent) {
            let what = format!("does not show entity {number}, which was mentioned");
            return failure(&MENTIONED_ENTITIES_ARE_SHOWN, &VER_04, what);
        }
        None
    }

    fn entities(&mut self) -> Option<Failure> {
        let (delivered, view) = (self.delivered, self.view);
        if let Some(found) = self.present() {
            return Some(found);
        }
        if delivered.before.numbers() != delivered.shown.numbers() {
            let vanished = delivered.before.iter().any(|(number, _)| !delivered.shown.has(number));
            self.report.saw_if(vanished, Point::Vanished);
        }
        self.right.begin(delivered.bases_version);
        for (place, (number, shown)) in delivered.shown.iter().enumerate() {
            let fields = view.entity(number).and_then(|fields| <&[i32; FIELDS]>::try_from(fields).ok());
            let Some(fields) = fields.filter(|fields| !self.right.has(place, shown, fields)) else { continue };
            if let Some(found) = self.entity(number, shown, &Entity(*fields)) {
                let what = format!("entity {number}: {}", found.what);
                return Some(Failure { what, ..found });
            }
            self.shown_right(number, shown);
            self.right.insert(place, shown, fields);
        }
        None
    }

    /// What an entity that is shown as it must be shows.
    fn shown_right(&mut self, number: u32, shown: &Shown) {
        let base = self.delivered.bases.get(number).copied().unwrap_or_default();
        let raw = &shown.raw;
        let before = self.delivered.before.get(number);
        let extended = self.delivered.extended();
        let gone = |part: Part| before.is_some_and(|before| before.raw.has(part)) && !raw.has(part);
        let reverted = [Part::Frame, Part::Skin, Part::Effects, Part::Model, Part::Origin1].into_iter().any(gone);
        let seen = [
            (raw.bits & U_EXTEND1 != 0, Point::ExtendedShown),
            (raw.has(Part::Model2), Point::WideModelShown),
            (raw.has(Part::Frame) && !raw.has(Part::Frame2) && base.look.frame > 0xff, Point::NarrowOverWide),
            (!raw.has(Part::Frame) && base.look.frame > 0xff, Point::WideFrameOfBase),
            (gone(Part::Alpha), Point::AlphaReverted),
            (reverted, Point::Reverted),
            (raw.has(Part::LerpFinish), Point::HintShown),
            (!raw.has(Part::LerpFinish) && shown.old_hint.is_some(), Point::HintForgotten),
            (extended && shown.look.alpha > 1, Point::OpacityShown),
            (extended && self.options.water_alpha < 1.0 && shown.look.alpha == 0, Point::DefaultWater),
            (extended && self.options.water_alpha < 1.0 && shown.look.alpha == 255, Point::OpaqueWater),
            (extended && base.flags.is_none_or(|flags| flags & B_ALPHA == 0), Point::PlainBaseShown),
        ];
        seen.into_iter().for_each(|(seen, point)| self.report.saw_if(seen, point));
    }

    /// The first part, in the order of the wire, that is not shown as it must be.
    fn entity(&self, number: u32, shown: &Shown, entity: &Entity) -> Option<Failure> {
        let base = self.delivered.bases.get(number).copied().unwrap_or_default();
        let evidence = Evidence { shown, base: &base, before: self.delivered.before.get(number) };
        let hidden = self.view.hidden;
        numbers(&evidence, entity, hidden)
            .or_else(|| place(&evidence, entity, hidden))
            .or_else(|| if self.delivered.extended() { self.alpha(&evidence, entity) } else { None })
            .or_else(|| if hidden.has(LERPFINISH) { None } else { hint(shown, entity) })
    }

    fn alpha(&self, evidence: &Evidence<'_>, entity: &Entity) -> Option<Failure> {
        let hidden = self.view.hidden;
        let differs =
            |field: usize, right: f32| !hidden.has(field) && f64::from(entity.float(field) - right).abs() > NEAR;
        let code = evidence.shown.look.alpha;
        let (right, seen) = (saved(code), entity.float(ALPHA));
        if differs(ALPHA, right) {
            let suspects = diagnosis::alpha_shown(evidence, |code| !differs(ALPHA, saved(code)));
            return failure(
                &ALPHA_IS_SHOWN_AS_SENT,
                suspects,
                format!("alpha {seen}, should be {right} (code {code})"),
            );
        }
        if differs(OPACITY, opacity(code)) {
            let what = format!("opacity {}, should be {}", entity.float(OPACITY), opacity(code));
            return failure(&OPACITY_FOLLOWS_ALPHA, &ALPHA_03, what);
        }
        let water = if code == 0 { self.options.water_alpha } else { opacity(code) };
        let what = || format!("water opacity {}, should be {water}", entity.float(WATER_OPACITY));
        if differs(WATER_OPACITY, water) { failure(&OPACITY_FOLLOWS_ALPHA, &ALPHA_05, what()) } else { None }
    }

    /// Static entities, in the order of their announcement.
    fn fixed(&self) -> Option<Failure> {
        let (delivered, view, hidden) = (self.delivered, self.view, self.view.hidden);
        let (seen, right) = (view.statics.len() / FIELDS, delivered.statics.len());
        if hidden.statics {
            return None;
        }
        if seen != right {
            // What cannot be seen need not be kept.
            let visible = delivered.statics.iter().filter(|base| base.look.alpha != 1).count();
            let invisible = (visible..right).contains(&seen);
            let what = || format!("shows {seen} static entities of {right}");
            return if invisible { None } else { failure(&STATICS_ARE_SHOWN_AS_SENT, &DEF_04, what()) };
        }
        delivered.statics.iter().zip(view.statics.chunks_exact(FIELDS)).find_map(|(base, fields)| {
            let entity = Entity(*<&[i32; FIELDS]>::try_from(fields).ok()?);
            let look = &base.look;
            let near =
                |field: usize, right: f64| hidden.has(field) || (f64::from(entity.float(field)) - right).abs() <= NEAR;
            let turned =
                |field: usize, right: f64| hidden.has(field) || apart(entity.float(field).into(), right) <= NEAR;
            let same = |field: usize, right: u32| hidden.has(field) || entity[field] as u32 == right;
            let placed =
                (0..3).all(|axis| near(ORIGIN_X + axis, look.coord(axis)) && turned(PITCH + axis, look.angle(axis)));
            let part = if !same(MODEL, look.model) {
                Part::Model
            } else if !same(FRAME, look.frame) {
                Part::Frame
            } else if !placed || !same(SKIN, look.skin) || !same(COLORMAP, look.colormap) {
                Part::Origin1
            } else if !near(ALPHA, saved(look.alpha).into()) && delivered.extended() {
                Part::Alpha
            } else {
                return None;
            };
            let what = format!("a static entity of model {} is not as announced ({part:?})", look.model);
            failure(&STATICS_ARE_SHOWN_AS_SENT, diagnosis::static_shown(base, part), what)
        })
    }

    fn stats(&mut self) -> Option<Failure> {
        let raw = self.delivered.player.filter(|_| !self.view.hidden.stats)?;
        let shown = |stat: u8| {
            let held = self.view.stats.iter().find(|held| held.0 == stat).map(|held| held.1);
            match held {
                Some(StatValue::Int(value)) => i64::from(value),
                Some(StatValue::Float(value)) => value as i64,
                None => 0,
            }
        };
        // A statistic that clientdata carries can come by itself, too: the newest counts.
        let newest = |(stat, of): (u8, i64)| {
            (stat, self.delivered.stats.get(usize::from(stat)).copied().flatten().unwrap_or(of))
        };
        let wrong = player_stats(&raw).map(newest).into_iter().find(|&(stat, right)| {
            let number = stat == STAT_ACTIVEWEAPON && self.options.mission_pack;
            shown(stat) != right && !(number && shown(stat) == 1i64.checked_shl(right as u32).unwrap_or(0))
        });
        let other = || {
            (STAT_TOTALSECRETS..=STAT_MONSTERS).find_map(|stat| {
                let right = self.delivered.stats.get(usize::from(stat)).copied()??;
                (shown(stat) != right).then_some((stat, right))
            })
        };
        let Some((stat, right)) = wrong.or_else(other) else {
            self.stats_right(&raw);
            return None;
        };
        let seen = shown(stat);
        let absent = OPTIONAL.iter().any(|&(other, bit)| other == stat && raw.bits & bit == 0);
        let old = self.delivered.stats_before.get(usize::from(stat)).copied().flatten();
        let suspects = diagnosis::statistic_shown(stat, seen, right, absent, old);
        failure(&STATISTICS_ARE_SHOWN_AS_SENT, suspects, format!("statistic {stat} is {seen}, should be {right}"))
    }

    fn stats_right(&mut self, raw: &Raw) {
        let delivered = self.delivered;
        let wide = [Part::Weapon2, Part::Armor2, Part::Ammo2, Part::Shells2, Part::WeaponFrame2];
        let absent = OPTIONAL.iter().any(|&(stat, bit)| {
            let old = delivered.stats_before.get(usize::from(stat)).copied().flatten().unwrap_or(0);
            let default = if stat == STAT_VIEWHEIGHT { i64::from(DEFAULT_VIEWHEIGHT) } else { 0 };
            raw.bits & bit == 0 && old != default
        });
        let own = delivered.shown.get(self.own).map_or(0, |shown| shown.look.alpha);
        let seen = [
            (wide.iter().any(|&part| raw.has(part)), Point::WideStatShown),
            (absent, Point::DefaultsShown),
            (own > 1 && !raw.has(Part::WeaponAlpha), Point::OpaqueWeaponShown),
        ];
        seen.into_iter().for_each(|(seen, point)| self.report.saw_if(seen, point));
    }
}

/// Model, frame, colormap, skin, effects and STEP.
fn numbers(evidence: &Evidence<'_>, entity: &Entity, hidden: Hidden) -> Option<Failure> {
    let look = &evidence.shown.look;
    let parts = [
        (MODEL, look.model),
        (FRAME, look.frame),
        (COLORMAP, look.colormap),
        (SKIN, look.skin),
        (EFFECTS, look.effects),
    ];
    if let Some((field, right)) =
        parts.into_iter().find(|&(field, right)| !hidden.has(field) && entity[field] as u32 != right)
    {
        let seen = entity[field] as u32;
        let what = format!("{} {seen}, should be {right}", FIELD_TABLE[field].name);
        return failure(&ENTITIES_ARE_SHOWN_AS_SENT, diagnosis::number_shown(evidence, field, seen, right), what);
    }
    let step = evidence.shown.raw.bits & U_STEP != 0;
    let what = || format!("step {}, should be {step}", entity[STEP]);
    if hidden.has(STEP) || step == (entity[STEP] != 0) {
        None
    } else {
        failure(&ENTITIES_ARE_SHOWN_AS_SENT, &VER_04, what())
    }
}

/// The place of an entity.
fn place(evidence: &Evidence<'_>, entity: &Entity, hidden: Hidden) -> Option<Failure> {
    let look = &evidence.shown.look;
    for axis in 0..3 {
        let (origin, angle) = (f64::from(entity.float(ORIGIN_X + axis)), f64::from(entity.float(PITCH + axis)));
        let old = evidence.before.map(|before| before.look);
        let (shows_place, shows_angle) = (!hidden.has(ORIGIN_X + axis), !hidden.has(PITCH + axis));
        let (part, held, what) = if shows_place && (origin - look.coord(axis)).abs() > NEAR {
            let held = old.is_some_and(|old| (origin - old.coord(axis)).abs() <= NEAR);
            (ORIGINS[axis], held, format!("origin {origin} on axis {axis}, should be {}", look.coord(axis)))
        } else if shows_angle && apart(angle, look.angle(axis)) > NEAR {
            let held = old.is_some_and(|old| apart(angle, old.angle(axis)) <= NEAR);
            (ANGLES[axis], held, format!("angle {angle} on axis {axis}, should be {}", look.angle(axis)))
        } else {
            continue;
        };
        return failure(&ENTITIES_ARE_SHOWN_AS_SENT, diagnosis::place_shown(evidence, part, held), what);
    }
    None
}

/// When an entity has moved to its state.
fn hint(shown: &Shown, entity: &Entity) -> Option<Failure> {
    let seen = f64::from(entity.float(LERPFINISH));
    // A sum of two times is rounded twice.
    let near = |right: f64| (seen - right).abs() <= NEAR + 2.0 * float_step(right);
    if let Some(hint) = shown.hint {
        let what = || format!("lerpfinish {seen}, should be {hint}");
        return if near(hint) { None } else { failure(&HINTS_ARE_HEEDED, &LERP_04, what()) };
    }
    // Since when the frame stands may be counted in more than one way; that a frame has just changed, or that an
    // old hint still counts, is beyond doubt.
    let right = shown.changed + 0.1;
    let stale = shown.old_hint.is_some_and(near) && !near(right);
    let wrong = shown.turned && !near(right);
    let what = || format!("lerpfinish {seen} without a hint, should be {right}");
    if stale || wrong { failure(&HINTS_ARE_HEEDED, &LERP_05, what()) } else { None }
}
