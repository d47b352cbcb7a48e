//! What a server's messages show, and whom they leave out.

use super::updates::Stage;
use super::{FromServer, RESERVED_BYTES, UPDATE_BYTES};
use crate::oracle::coverage::{Point, means};
use crate::oracle::layout::*;
use crate::oracle::truth::Codes;
use crate::requirements::*;
use crate::state::*;
use kit::Suspects;
use kit::table::float_step;
use netquake::constants::*;

kit::checks! {
    from means;
    /// A tenth of a second, which clients assume anyway, is not sent as a hint.
    pub TENTHS_ARE_NOT_SENT = "tenths-are-not-sent" knows World: LERP_02;
    /// Who can be seen is mentioned, if not in every datagram.
    pub ENTITIES_IN_SIGHT_ARE_MENTIONED = "entities-in-sight-are-mentioned" knows World: VER_04 ENT_12;
    /// What goes beyond the limit of a datagram is left out.
    pub DATAGRAMS_FIT = "datagrams-fit" knows Limits: ENT_15;
    /// Another time below a second is, when an entity that moves in steps has thought.
    pub HINTS_ARE_SENT = "hints-are-sent" knows World: LERP_06;
}

/// So many datagrams in a row do not mention an entity that is in sight: a server may leave it out of some.
const MISSED: u32 = 50;

impl FromServer<'_> {
    /// What an update in which nothing is wrong shows.
    pub(super) fn update_is_right(&mut self, raw: &Raw, entity: u32, stage: Option<&Stage<'_>>) {
        let extended = self.sent.extended();
        let base = self.sent.alpha_of(entity);
        let seen = [
            (!extended, Point::PlainUpdate),
            (raw.bits & U_EXTEND1 != 0, Point::ExtendedUpdate),
            (raw.has(Part::Alpha), Point::AlphaSent),
            (raw.get(Part::Alpha).is_some_and(|code| code ^ u32::from(base) == 255), Point::AlphaAlike),
            (raw.has(Part::Alpha) && raw.has(Part::Origin3), Point::AlphaBehindOrigin),
            (raw.has(Part::Alpha) && raw.has(Part::Frame2), Point::AlphaAndFrame2),
            (raw.has(Part::Frame2) && raw.has(Part::Model2), Point::Frame2AndModel2),
            (raw.has(Part::Model2) && raw.has(Part::LerpFinish), Point::Model2AndHint),
            (raw.has(Part::LerpFinish), Point::Hint),
            (entity > 0xff, Point::LongEntity),
            (ORIGINS.iter().any(|&part| raw.has(part)), Point::OriginSent),
        ];
        if self.truth.is_none_or(|truth| truth.world.live.get(entity).is_some()) {
            seen.into_iter().for_each(|(seen, point)| self.report.saw_if(seen, point));
        }
        if let Some(stage) = stage {
            self.update_of_the_world_is_right(raw, entity, stage);
        }
    }

    fn update_of_the_world_is_right(&mut self, raw: &Raw, entity: u32, stage: &Stage<'_>) {
        let truth = stage.truth;
        let Some(live) = truth.world.live.get(entity) else { return };
        let needless = stage.needless_hint(raw, entity);
        let set = truth.think_set.get(&entity).copied();
        // Only the first frame after that shows what was decided then.
        let soon = set.is_some_and(|set| self.now.since(set) <= self.options.tick_us);
        let fresh = soon && self.sent.hinted.get(&entity).copied() != set;
        let left = self.sent.time.map_or(-1.0, |time| f64::from(live.float(NEXTTHINK)) - time);
        let alpha = live.float(ALPHA);
        let story = truth.alpha_story(entity);
        let extended = self.sent.extended();
        let seen = [
            (extended && live[MODEL] > 0xff, Point::WideModel),
            (extended && live[FRAME] > 0xff && raw.has(Part::Frame), Point::WideFrame),
            (extended && alpha == 0.0 && story.before.is_none(), Point::NoAlpha),
            (raw.has(Part::Alpha) && alpha < 0.0, Point::NegativeAlpha),
            (raw.has(Part::Alpha) && story.before.is_some(), Point::AlphaChanged),
            (extended && !self.options.progs_alpha && alpha != 0.0, Point::AlphaOfTheMap),
            (extended && story.loaded && alpha != 0.0, Point::AlphaLoaded),
            (extended && fresh && (left - 0.1).abs() < 0.002, Point::TenthSet),
            (extended && left > 1.0, Point::LongThink),
        ];
        seen.into_iter().for_each(|(seen, point)| self.report.saw_if(seen, point));
        // A hundredth to either side of a tenth is one, in codes.
        let step = self.sent.time.map_or(0.0, float_step);
        let sure = (step..0.99 - step).contains(&left) && (left - 0.1).abs() > 0.01 + step;
        let wanted = extended && fresh && live[STEP] != 0 && sure;
        self.report.saw_if(wanted, Point::HintDue);
        if wanted && !raw.has(Part::LerpFinish) {
            let what = || format!("entity {entity}: {left:.3} s are left to the next think, which is not sent");
            self.fail(&HINTS_ARE_SENT, &LERP_06, what);
        }
        if let Some(set) = set {
            self.sent.hinted.insert(entity, set);
        }
        if fresh && needless {
            self.fail(&TENTHS_ARE_NOT_SENT, &LERP_02, || format!("entity {entity}: a tenth of a second is sent"));
        }
    }

    /// A datagram has `length` bytes of messages.
    pub(super) fn check_length(&mut self, length: usize) {
        let limit = self.options.datagram_limit;
        if length > limit {
            self.fail(&DATAGRAMS_FIT, &ENT_15, || format!("a datagram has {length} bytes of messages; {limit} fit"));
        }
    }

    /// Counts who is mentioned and who is not, where there was room.
    pub(super) fn count_mentions(&mut self, length: usize) {
        let Some(truth) = self.truth else { return };
        let anybodys = if self.seats_differ { self.seats() } else { 0 };
        let sent = &mut *self.sent;
        if sent.stage < 3 || sent.between {
            return;
        }
        sent.unmentioned.retain(|(number, _)| !sent.mentioned.has(*number));
        let full = length + UPDATE_BYTES > self.options.datagram_limit;
        let client = self.client.0;
        let visible = truth.world.live.iter().filter(|(number, live)| {
            let hidden = truth.hidden.contains(&(client, *number));
            let modelled = (1..=if sent.extended() { 0xffff } else { 0xff }).contains(&live[MODEL]);
            let seen = live.float(ALPHA) >= 0.0 && Codes::of(live.float(ALPHA)).0 != 1;
            modelled && seen && !hidden && *number > anybodys && *number != sent.own && sent.bases.has(*number)
        });
        let mut seen = [[0; 2]; 2];
        let mut missing = Vec::new();
        if full {
            let mut visible = visible;
            let left_out = visible.any(|(number, _)| !sent.mentioned.has(number));
            return self.report.saw_if(left_out, Point::Full);
        }
        if length + UPDATE_BYTES + RESERVED_BYTES > self.options.datagram_limit {
            // Who is missing may not have fitted.
            return;
        }
        for (number, live) in visible {
            let Some(base) = truth.world.baselines.get(number) else { continue };
            // An entity that moves in steps, or thinks, may be mentioned for that; one that is hardly off its baseline may not.
            let thinks = live[STEP] != 0 || live[NEXTTHINK] != 0;
            let moved = (ORIGIN_X..=ORIGIN_Z).any(|field| (live.float(field) - base.float(field)).abs() > 0.2);
            let differs = |field: usize| field != EFFECTS && live[field] != base[field];
            let same = !(0..=ALPHA).any(differs) && live[EFFECTS] == 0 && !thinks;
            let other = moved || [MODEL, FRAME, SKIN].into_iter().any(differs) || live[EFFECTS] != 0;
            if !sent.mentioned.has(number) {
                missing.push((number, same));
            }
            if same || other {
                seen[usize::from(!same)][usize::from(!sent.mentioned.has(number))] += 1;
            }
        }
        let sums = sent.at_base.iter_mut().chain(&mut sent.off_base);
        for (sum, count) in sums.zip(seen.into_iter().flatten()) {
            *sum += count;
        }
        self.count_missing(&missing);
    }

    /// Counts how long these, which are in sight, have been missing, and forgets all others.
    fn count_missing(&mut self, missing: &[(u32, bool)]) {
        let unmentioned = &mut self.sent.unmentioned;
        unmentioned.retain(|(number, _)| missing.iter().any(|missing| missing.0 == *number));
        let mut forgotten = None;
        for &(number, same) in missing {
            match unmentioned.iter_mut().find(|known| known.0 == number) {
                Some((_, times)) => {
                    *times += 1;
                    forgotten = Some((number, same)).filter(|_| *times == MISSED).or(forgotten);
                }
                None => unmentioned.push((number, 1)),
            }
        }
        if let Some((number, same)) = forgotten {
            let what =
                || format!("entity {number}, which is in sight, is in none of {MISSED} datagrams with room for it");
            let suspects = if same { Suspects::from(&ENT_12).or(&VER_04) } else { Suspects::from(&VER_04) };
            self.fail(&ENTITIES_IN_SIGHT_ARE_MENTIONED, suspects, what);
        }
    }

    /// What a clientdata that agrees with the world shows.
    pub(super) fn clientdata_is_right(&mut self, raw: &Raw) {
        let client = self.client.0;
        let weapon = self.truth.and_then(|truth| truth.whole_stat(client, STAT_ACTIVEWEAPON));
        let seen = [
            (true, Point::Clientdata),
            (raw.bits & SU_EXTEND1 != 0, Point::ThirdByte),
            (raw.bits & SU_EXTEND2 != 0, Point::FourthByte),
            (raw.has(Part::Weapon2), Point::Weapon2),
            (raw.has(Part::Armor2), Point::Armor2),
            (raw.has(Part::Ammo2), Point::Ammo2),
            (raw.has(Part::Shells2), Point::Shells2),
            (raw.has(Part::Nails2), Point::Nails2),
            (raw.has(Part::Rockets2), Point::Rockets2),
            (raw.has(Part::Cells2), Point::Cells2),
            (raw.has(Part::WeaponFrame2), Point::WeaponFrame2),
            (raw.has(Part::WeaponAlpha), Point::WeaponAlpha),
            (self.options.mission_pack && weapon == Some(0), Point::MissionPackNoWeapon),
        ];
        seen.into_iter().for_each(|(seen, point)| self.report.saw_if(seen, point));
    }
}
