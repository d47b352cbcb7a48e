//! What a client shows, against what a conforming receiver holds.

use super::coverage::{Point, Report};
use super::look::{Look, apart};
use super::mirror::{Base, Mirror, Shown, player_stats};
use super::readings::{UPDATE_BITS, swapped};
use super::truth::{opacity, saved};
use super::wire::*;
use crate::options::Options;
use crate::requirements::*;
use crate::state::*;
use kit::table::float_value;
use kit::{HostId, Requirement, StatValue, Time, View};
use netquake::constants::*;

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

/// The client that is looked at.
pub struct Beholder<'a> {
    /// Which.
    pub host: HostId,
    /// What it has to hold.
    pub mirror: &'a Mirror,
    /// What it shows.
    pub view: &'a View,
    /// What the scenario asks of both.
    pub options: &'a Options,
    /// The datagram that it was given last was stale, and has changed nothing.
    pub stale: bool,
    /// The entity that is the player's own.
    pub own: u32,
    /// Where findings go.
    pub report: &'a mut Report,
    /// The time.
    pub now: Time,
}

impl Beholder<'_> {
    fn find(&mut self, requirement: &'static Requirement, what: String) {
        // Whatever changed by a stale datagram, that is what is wrong.
        let requirement = if self.stale { &NET_02 } else { requirement };
        self.report.find(requirement, self.now, self.host, || what);
    }

    /// Compares. Whether all is as it must be.
    pub fn look(&mut self) -> bool {
        if !self.view.valid || !self.mirror.active || self.mirror.lost {
            return true;
        }
        let entities = self.mirror.unsure || self.entities();
        let fixed = self.mirror.unsure || self.fixed();
        let stats = self.mirror.player_unsure || self.stats();
        self.report.saw_if(!self.mirror.unsure, Point::Compared);
        self.report.saw_if(self.stale, Point::StaleCompared);
        entities && fixed && stats
    }

    fn entities(&mut self) -> bool {
        let (mirror, view) = (self.mirror, self.view);
        let visible = |look: &Look| look.alpha != 1 && look.model != 0;
        let misread = mirror.shown.iter().find(|(number, shown)| {
            shown.raw.bits & U_EXTEND1 != 0 && view.entity(*number).is_none() && visible(&shown.look)
        });
        if let Some((number, _)) = misread {
            self.find(&ENT_03, format!("entity {number}, of an update with a third byte of bits, is not shown"));
            return false;
        }
        if let Some(number) = view.numbers.iter().find(|number| !mirror.shown.has(**number)) {
            let known = mirror.before.has(*number);
            let when = if known { "was mentioned before" } else { "was not mentioned" };
            self.find(&ENT_11, format!("shows entity {number}, which {when}, and not in the newest datagram"));
            return false;
        }
        self.report.saw_if(mirror.before.iter().any(|(number, _)| !mirror.shown.has(number)), Point::Vanished);
        for (number, shown) in mirror.shown.iter() {
            let Some(fields) = view.entity(number) else {
                if !visible(&shown.look) {
                    continue;
                }
                self.find(&VER_04, format!("does not show entity {number}, which was mentioned"));
                return false;
            };
            let Ok(fields) = <&[i32; FIELDS]>::try_from(fields) else { continue };
            let entity = Entity(*fields);
            if let Some((requirement, what)) = self.entity(number, shown, &entity) {
                self.find(requirement, format!("entity {number}: {what}"));
                return false;
            }
            self.shown_right(number, shown);
        }
        true
    }

    /// What an entity that is shown as it must be has put to the test.
    fn shown_right(&mut self, number: u32, shown: &Shown) {
        let base = self.mirror.bases.get(number).copied().unwrap_or_default();
        let raw = &shown.raw;
        let before = self.mirror.before.get(number);
        let extended = self.mirror.extended();
        let gone = |part: Part| before.is_some_and(|before| before.raw.has(part)) && !raw.has(part);
        let reverted = [Part::Frame, Part::Skin, Part::Effects, Part::Model, Part::Origin1].into_iter().any(gone);
        let flags = base.flags.unwrap_or(0);
        let seen = [
            (raw.bits & U_EXTEND1 != 0, Point::ExtendedShown),
            (raw.has(Part::Model2), Point::WideModelShown),
            (raw.has(Part::Frame2), Point::WideFrameShown),
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
            (flags & B_LARGEMODEL != 0 && !raw.has(Part::Model), Point::LargeModelShown),
            (flags & B_LARGEFRAME != 0 && !raw.has(Part::Frame), Point::LargeFrameShown),
            (flags & B_ALPHA != 0 && !raw.has(Part::Alpha), Point::AlphaBaseShown),
            (shown.look.alpha == 255 && base.look.alpha == 0, Point::AlikeShown),
            (!extended, Point::PlainShown),
        ];
        for (seen, situation) in seen {
            self.report.saw_if(seen, situation);
        }
    }

    /// The first part, in the order of the wire, that is not shown as it must be.
    fn entity(&self, number: u32, shown: &Shown, entity: &Entity) -> Option<(&'static Requirement, String)> {
        let (look, raw) = (&shown.look, &shown.raw);
        let base = self.mirror.bases.get(number).copied().unwrap_or_default();
        let before = self.mirror.before.get(number);
        let (row, what) = self
            .numbers(look, raw, &base, before, entity)
            .or_else(|| place(look, raw, &base, before, entity))
            .or_else(|| self.alpha(look, raw, &base, before, entity))
            .or_else(|| self.lerp(shown, entity))?;
        if raw.bits & U_EXTEND1 != 0 && row.id != ALPHA_10.id && self.swaps_bits(number, raw, &base.look, entity) {
            return Some((&DEF_01, format!("{what}: as if bits of the third byte were exchanged")));
        }
        Some((row, what))
    }

    fn numbers(
        &self,
        look: &Look,
        raw: &Raw,
        base: &Base,
        before: Option<&Shown>,
        entity: &Entity,
    ) -> Option<(&'static Requirement, String)> {
        let flags = base.flags.unwrap_or(0);
        let parts = [
            (MODEL, look.model, Part::Model, before.map(|held| held.look.model)),
            (FRAME, look.frame, Part::Frame, before.map(|held| held.look.frame)),
            (COLORMAP, look.colormap, Part::Colormap, before.map(|held| held.look.colormap)),
            (SKIN, look.skin, Part::Skin, before.map(|held| held.look.skin)),
            (EFFECTS, look.effects, Part::Effects, before.map(|held| held.look.effects)),
        ];
        for (field, right, part, old) in parts {
            let seen = entity[field] as u32;
            if seen == right {
                continue;
            }
            let what = format!("{} {seen}, should be {right}", FIELD_TABLE[field].name);
            let row = match field {
                MODEL if raw.has(Part::Model2) && seen == right & 0xff => &MODEL_02,
                MODEL | FRAME if raw.has(if field == MODEL { Part::Model2 } else { Part::Frame2 }) => &DEF_05,
                FRAME if raw.has(part) && base.look.frame > 0xff => &FRAME_02,
                _ if raw.has(part) => &VER_04,
                FRAME if right > 0xff && seen == right & 0xff => &FRAME_03,
                _ if old == Some(seen) => &ENT_10,
                MODEL if flags & B_LARGEMODEL != 0 => &BASE_03,
                FRAME if flags & B_LARGEFRAME != 0 => &BASE_04,
                _ if flags & B_ALPHA != 0 => &BASE_05,
                _ => &VER_04,
            };
            return Some((row, what));
        }
        let step = raw.bits & U_STEP != 0;
        (step != (entity[STEP] != 0)).then(|| (&VER_04, format!("step {}, should be {step}", entity[STEP])))
    }

    fn alpha(
        &self,
        look: &Look,
        raw: &Raw,
        base: &Base,
        before: Option<&Shown>,
        entity: &Entity,
    ) -> Option<(&'static Requirement, String)> {
        if !self.mirror.extended() {
            return None;
        }
        let differs = |field: usize, right: f32| f64::from(entity.float(field) - right).abs() > NEAR;
        let right = saved(look.alpha);
        let seen = entity.float(ALPHA);
        if differs(ALPHA, right) {
            let shows = |code: u8| !differs(ALPHA, saved(code));
            let old = before.map(|held| held.look.alpha).filter(|&old| old != look.alpha && shows(old));
            let row = if raw.has(Part::Alpha) {
                let alike = (look.alpha == 255 && shows(0)) || (look.alpha == 0 && shows(255));
                if alike { &ALPHA_10 } else { &DEF_01 }
            } else if old.is_some() {
                &ENT_09
            } else if base.flags.is_none_or(|flags| flags & B_ALPHA == 0) {
                &BASE_06
            } else {
                &BASE_05
            };
            return Some((row, format!("alpha {seen}, should be {right} (code {})", look.alpha)));
        }
        if differs(OPACITY, opacity(look.alpha)) {
            let what = format!("opacity {}, should be {}", entity.float(OPACITY), opacity(look.alpha));
            return Some((&ALPHA_03, what));
        }
        let water = if look.alpha == 0 { self.options.water_alpha } else { opacity(look.alpha) };
        differs(WATER_OPACITY, water)
            .then(|| (&ALPHA_05, format!("water opacity {}, should be {water}", entity.float(WATER_OPACITY))))
    }

    fn lerp(&self, shown: &Shown, entity: &Entity) -> Option<(&'static Requirement, String)> {
        let seen = f64::from(entity.float(LERPFINISH));
        let near = |right: f64| (seen - right).abs() <= NEAR;
        if let Some(hint) = shown.hint {
            return (!near(hint)).then(|| (&LERP_04, format!("lerpfinish {seen}, should be {hint}")));
        }
        // Since when the frame stands may be counted in more than one way; that a frame has just changed, or that an
        // old hint still counts, is beyond doubt.
        let right = shown.changed + 0.1;
        let stale = shown.old_hint.is_some_and(near) && !near(right);
        let wrong = shown.turned && !near(right);
        let what = || format!("lerpfinish {seen} without a hint, should be {right}");
        (stale || wrong).then(|| (&LERP_05, what()))
    }

    /// Whether an entity is shown as somebody would who takes two of the new bits for each other.
    fn swaps_bits(&self, number: u32, raw: &Raw, base: &Look, entity: &Entity) -> bool {
        // The update's bytes are known by their parts: write them down in order, and read them in the other way.
        let mut bytes = Vec::new();
        let parts = UPDATE.iter().filter(|slot| raw.bits & slot.set == slot.set && raw.bits & slot.clear == 0);
        for slot in parts {
            let value = raw.value(slot.part).to_le_bytes();
            bytes.extend_from_slice(&value[..usize::from(slot.width).min(4)]);
        }
        let pairs = UPDATE_BITS.iter().enumerate();
        let mut pairs =
            pairs.flat_map(|(index, one)| UPDATE_BITS.iter().skip(index + 1).map(move |other| (*one, *other)));
        pairs.any(|(one, other)| {
            let Some(misread) = Raw::read(&swapped(UPDATE, one, other), &bytes, 0) else { return false };
            let look = base.updated(&misread);
            look != base.updated(raw)
                && misread.value(Part::Entity) == number
                && look.model == entity[MODEL] as u32
                && look.frame == entity[FRAME] as u32
                && f64::from(saved(look.alpha) - entity.float(ALPHA)).abs() <= NEAR
        })
    }

    /// Static entities, in the order of their announcement.
    fn fixed(&mut self) -> bool {
        let (mirror, view) = (self.mirror, self.view);
        if view.statics.len() != mirror.statics.len() * FIELDS {
            // What cannot be seen need not be kept.
            let invisible = mirror.statics.iter().any(|base| base.look.alpha == 1);
            if !invisible {
                let (seen, right) = (view.statics.len() / FIELDS, mirror.statics.len());
                self.find(&DEF_04, format!("shows {seen} static entities of {right}"));
            }
            return invisible;
        }
        for (base, fields) in mirror.statics.iter().zip(view.statics.chunks_exact(FIELDS)) {
            let Ok(fields) = <&[i32; FIELDS]>::try_from(fields) else { continue };
            let entity = Entity(*fields);
            let flags = base.flags.unwrap_or(0);
            let look = &base.look;
            let narrow = if base.flags.is_some() && flags & B_ALPHA != 0 { &BASE_05 } else { &VER_04 };
            let alpha = f64::from(entity.float(ALPHA) - saved(look.alpha)).abs() <= NEAR;
            let placed = (0..3).all(|axis| {
                let origin = f64::from(entity.float(ORIGIN_X + axis)) - look.coord(axis);
                origin.abs() <= NEAR && apart(f64::from(entity.float(PITCH + axis)), look.angle(axis)) <= NEAR
            });
            let plain = placed && entity[SKIN] as u32 == look.skin && entity[COLORMAP] as u32 == look.colormap;
            let row = if entity[MODEL] as u32 != look.model {
                if flags & B_LARGEMODEL != 0 { &BASE_03 } else { narrow }
            } else if entity[FRAME] as u32 != look.frame {
                if flags & B_LARGEFRAME != 0 { &BASE_04 } else { narrow }
            } else if !plain {
                narrow
            } else if !alpha && mirror.extended() {
                if flags & B_ALPHA != 0 { &BASE_05 } else { &BASE_06 }
            } else {
                continue;
            };
            self.find(row, format!("a static entity of model {} is not as announced", look.model));
            return false;
        }
        true
    }

    fn stats(&mut self) -> bool {
        let Some(raw) = self.mirror.player else { return true };
        let shown = |stat: u8| {
            let held = self.view.stats.iter().find(|held| held.0 == stat).map(|held| held.1);
            match held {
                Some(StatValue::Int(value)) => i64::from(value),
                Some(StatValue::Float(value)) => value as i64,
                None => 0,
            }
        };
        let mut wrong = None;
        for (stat, right) in player_stats(&raw) {
            let seen = shown(stat);
            let weapon = stat == STAT_ACTIVEWEAPON && self.options.mission_pack;
            if seen == right || (weapon && seen == 1i64.checked_shl(right as u32).unwrap_or(0)) {
                continue;
            }
            wrong = Some((stat, seen, right));
            break;
        }
        let plain = (STAT_TOTALSECRETS..=STAT_MONSTERS).find_map(|stat| {
            let right = self.mirror.stats.get(usize::from(stat)).copied()??;
            (shown(stat) != right).then_some((stat, shown(stat), right))
        });
        let Some((stat, seen, right)) = wrong.or(plain) else {
            self.stats_right(&raw);
            return true;
        };
        let absent = OPTIONAL.iter().any(|&(other, bit)| other == stat && raw.bits & bit == 0);
        let low_and_high = right & 0xff | right >> 8;
        let old = self.mirror.stats_before.get(usize::from(stat)).copied().flatten();
        let row = match stat {
            _ if self.mirror.extended() && self.misreads_player(&raw) => &DEF_02,
            STAT_WEAPONALPHA if absent && old != Some(seen) => &CD_16,
            _ if absent => &CD_13,
            _ if right > 0xff && seen == low_and_high => &DEF_05,
            STAT_HEALTH | STAT_ITEMS => &VER_04,
            _ if right > 0xff => &CD_12,
            _ => &VER_04,
        };
        self.find(row, format!("statistic {stat} is {seen}, should be {right}"));
        false
    }

    /// Whether the statistics are those of somebody who takes bits of the third or fourth byte for each other.
    fn misreads_player(&self, raw: &Raw) -> bool {
        let mut bytes = Vec::new();
        for slot in CLIENTDATA.iter().filter(|slot| raw.bits & slot.set == slot.set) {
            let value = raw.value(slot.part).to_le_bytes();
            bytes.extend_from_slice(&value[..usize::from(slot.width).min(4)]);
        }
        let swaps = super::readings::CLIENTDATAS.iter().filter(|reading| reading.requirement.id == DEF_02.id);
        let mut swaps = swaps.filter_map(|reading| Raw::read(&reading.slots, &bytes, 0));
        swaps.any(|misread| {
            let mut stats = player_stats(&misread).into_iter();
            stats.all(|(stat, value)| {
                let held = self.view.stats.iter().find(|held| held.0 == stat).map(|held| held.1);
                held.unwrap_or(StatValue::Int(0)) == StatValue::Int(value as i32)
            })
        })
    }

    fn stats_right(&mut self, raw: &Raw) {
        let mirror = self.mirror;
        let wide = [Part::Weapon2, Part::Armor2, Part::Ammo2, Part::Shells2, Part::WeaponFrame2];
        let absent = OPTIONAL.iter().any(|&(stat, bit)| {
            let old = mirror.stats_before.get(usize::from(stat)).copied().flatten().unwrap_or(0);
            let default = if stat == STAT_VIEWHEIGHT { i64::from(DEFAULT_VIEWHEIGHT) } else { 0 };
            raw.bits & bit == 0 && old != default
        });
        let own = mirror.shown.get(self.own).map_or(0, |shown| shown.look.alpha);
        let seen = [
            (wide.iter().any(|&part| raw.has(part)), Point::WideStatShown),
            (absent, Point::DefaultsShown),
            (own > 1 && !raw.has(Part::WeaponAlpha), Point::OpaqueWeaponShown),
            (raw.bits & SU_EXTEND2 != 0, Point::FourthByteShown),
        ];
        for (seen, situation) in seen {
            self.report.saw_if(seen, situation);
        }
    }
}

/// The place of an entity.
fn place(
    look: &Look,
    raw: &Raw,
    base: &Base,
    before: Option<&Shown>,
    entity: &Entity,
) -> Option<(&'static Requirement, String)> {
    for axis in 0..3 {
        let (seen, right) = (f64::from(float_value(entity[ORIGIN_X + axis])), look.coord(axis));
        let turned = f64::from(float_value(entity[PITCH + axis]));
        let (origin, angle) = ((seen - right).abs() > NEAR, apart(turned, look.angle(axis)) > NEAR);
        if !origin && !angle {
            continue;
        }
        let part = if origin { ORIGINS[axis] } else { ANGLES[axis] };
        let held = before.is_some_and(|held| match origin {
            true => (seen - held.look.coord(axis)).abs() <= NEAR,
            false => apart(turned, held.look.angle(axis)) <= NEAR,
        });
        let row = match raw.has(part) {
            true => &VER_04,
            false if held => &ENT_10,
            false if base.flags.is_some_and(|flags| flags & B_ALPHA != 0) => &BASE_05,
            false => &VER_04,
        };
        let what = match origin {
            true => format!("origin {seen} on axis {axis}, should be {right}"),
            false => format!("angle {turned} on axis {axis}, should be {}", look.angle(axis)),
        };
        return Some((row, what));
    }
    None
}
