//! What a server's messages put to the test, and whom they leave out.

use super::{ServerEar, UPDATE_BYTES};
use crate::oracle::coverage::Point;
use crate::oracle::server_signs::Heard;
use crate::oracle::truth::Codes;
use crate::oracle::wire::*;
use crate::requirements::*;
use crate::state::*;
use netquake::constants::*;
use netquake::fitzquake::{SVC_SPAWN_BASELINE2, SVC_SPAWN_STATIC_SOUND2, SVC_SPAWN_STATIC2};

impl ServerEar<'_> {
    /// What an update that agrees with the world has put to the test.
    pub(super) fn update_is_right(&mut self, raw: &Raw, entity: u32) {
        let Some(live) = self.truth.world.live.get(entity) else { return };
        let base = self.sent.bases.get(entity).copied().unwrap_or_default();
        let stage = self.stage(entity);
        let needless = stage.needless_hint(raw, entity);
        let set = self.truth.think_set.get(&entity).copied();
        // Only the first frame behind that shows what was decided then.
        let soon = set.is_some_and(|set| self.now.since(set) <= self.options.tick_us);
        let fresh = soon && self.sent.hinted.get(&entity).copied() != set;
        let left = self.sent.time.map_or(-1.0, |time| f64::from(live.float(NEXTTHINK)) - time);
        let alpha = live.float(ALPHA);
        let story = self.truth.alpha_story(entity);
        let extended = self.sent.extended();
        let client_tells = [
            (!extended, Point::PlainUpdate),
            (extended && live[MODEL] > 0xff, Point::WideModel),
            (extended && live[FRAME] > 0xff && raw.has(Part::Frame), Point::WideFrame),
            (raw.bits & U_EXTEND1 != 0, Point::ExtendedUpdate),
            (raw.has(Part::Alpha), Point::AlphaTold),
            (extended && alpha == 0.0 && story.before.is_none(), Point::NoAlpha),
            (raw.has(Part::Alpha) && alpha < 0.0, Point::NegativeAlpha),
            (raw.has(Part::Alpha) && story.before.is_some(), Point::AlphaChanged),
            (extended && !self.options.progs_alpha && alpha != 0.0, Point::AlphaOfTheMap),
            (extended && story.loaded && alpha != 0.0, Point::AlphaLoaded),
            (raw.get(Part::Alpha).is_some_and(|code| code ^ u32::from(base.alpha) == 255), Point::AlphaAlike),
            (raw.has(Part::Alpha) && raw.has(Part::Origin3), Point::AlphaBehindOrigin),
            (raw.has(Part::Alpha) && raw.has(Part::Frame2), Point::AlphaAndFrame2),
            (raw.has(Part::Frame2) && raw.has(Part::Model2), Point::Frame2AndModel2),
            (raw.has(Part::Model2) && raw.has(Part::LerpFinish), Point::Model2AndHint),
            (raw.has(Part::LerpFinish), Point::Hint),
            (extended && fresh && (left - 0.1).abs() < 0.002, Point::TenthSet),
            (extended && left > 1.0, Point::LongThink),
            (entity > 0xff, Point::LongEntity),
            (ORIGINS.iter().any(|&part| raw.has(part)), Point::OriginTold),
            (raw.bits & !(U_STEP | U_SIGNAL | U_LONGENTITY | U_MOREBITS) == 0, Point::AtBaseline),
        ];
        for (seen, situation) in client_tells {
            self.report.saw_if(seen, situation);
        }
        if let Some(set) = set {
            self.sent.hinted.insert(entity, set);
        }
        if fresh && needless {
            self.find(&LERP_02, || format!("entity {entity}: a tenth of a second is told"));
        }
    }

    /// Counts who is mentioned and who is not, where there was room.
    pub(super) fn count_mentions(&mut self, length: usize) {
        let sent = &mut *self.sent;
        if sent.stage < 3 || sent.between {
            return;
        }
        let full = length + UPDATE_BYTES > self.options.datagram_limit;
        let client = sent.host.0;
        let visible = self.truth.world.live.iter().filter(|(number, live)| {
            let hidden = self.truth.hidden.contains(&(client, *number));
            let modelled = (1..=if sent.extended() { 0xffff } else { 0xff }).contains(&live[MODEL]);
            let seen = live.float(ALPHA) >= 0.0 && Codes::of(live.float(ALPHA)).0 != 1;
            modelled && seen && !hidden && *number != sent.own && sent.bases.has(*number)
        });
        let mut seen = [[0; 2]; 2];
        if full {
            let mut visible = visible;
            let left_out = visible.any(|(number, _)| !sent.mentioned.has(number));
            return self.report.saw_if(left_out, Point::Full);
        }
        for (number, live) in visible {
            let Some(base) = self.truth.world.baselines.get(number) else { continue };
            // An entity that moves in steps, or thinks, may be told for that; one that is hardly off its baseline may not.
            let told = live[STEP] != 0 || live[NEXTTHINK] != 0;
            let moved = (ORIGIN_X..=ORIGIN_Z).any(|field| (live.float(field) - base.float(field)).abs() > 0.2);
            let differs = |field: usize| field != EFFECTS && live[field] != base[field];
            let same = !(0..=ALPHA).any(differs) && live[EFFECTS] == 0 && !told;
            let other = moved || [MODEL, FRAME, SKIN].into_iter().any(differs) || live[EFFECTS] != 0;
            if same || other {
                seen[usize::from(!same)][usize::from(!sent.mentioned.has(number))] += 1;
            }
        }
        let sums = sent.at_base.iter_mut().chain(&mut sent.off_base);
        for (sum, count) in sums.zip(seen.into_iter().flatten()) {
            *sum += count;
        }
    }

    /// What a clientdata that agrees with the world has put to the test.
    pub(super) fn player_is_right(&mut self, raw: &Raw) {
        let client = self.sent.host.0;
        let weapon = self.truth.whole_stat(client, STAT_ACTIVEWEAPON);
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
        for (seen, situation) in seen {
            self.report.saw_if(seen, situation);
        }
    }

    /// What a message of the sign-on has put to the test.
    pub(super) fn sign_heard(&mut self, heard: &Heard, svc: u8) {
        let baseline = svc == SVC_SPAWN_BASELINE2;
        let extended = self.sent.extended();
        let entity = heard.baseline.map_or(0, |(entity, _)| entity);
        let mapped = self.truth.world.baselines.get(entity).is_some_and(|base| base.float(ALPHA) != 0.0);
        let fixed = svc == SVC_SPAWN_STATIC2;
        let seen = [
            (svc == SVC_SPAWN_BASELINE && extended, Point::PlainBaseline),
            (baseline, Point::WideBaseline),
            ((baseline || fixed) && heard.bits & B_LARGEMODEL != 0, Point::LargeModelBaseline),
            ((baseline || fixed) && heard.bits & B_LARGEFRAME != 0, Point::LargeFrameBaseline),
            ((baseline || fixed) && heard.bits & B_ALPHA != 0, Point::AlphaBaseline),
            (fixed, Point::WideStatic),
            (svc == SVC_SPAWN_STATIC_SOUND2, Point::WideStaticSound),
            (baseline && mapped && !self.options.progs_alpha, Point::AlphaOfTheMap),
        ];
        for (seen, situation) in seen {
            self.report.saw_if(seen, situation);
        }
    }
}
