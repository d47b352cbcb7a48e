//! What the wire alone shows of a server whose world nobody knows: layouts that lead nowhere, numbers of nothing, and values
//! that contradict each other.

use super::FromServer;
use crate::oracle::coverage::{Point, means};
use crate::oracle::diagnosis::misreadings;
use crate::oracle::grammar::Grammar;
use crate::oracle::layout::*;
use crate::requirements::*;
use kit::Suspects;

kit::checks! {
    from means;
    /// What follows a message can be read; if not, another layout of it that leads to the end says what is wrong.
    pub LAYOUTS_LEAD_TO_THE_END = "layouts-lead-to-the-end": ENT_01 ENT_02 ENT_05 ENT_06 ENT_07 ENT_08 ENT_13 DEF_01
        CD_01 CD_02 CD_03 CD_04 CD_05 CD_06 CD_07 CD_08 CD_09 CD_10 CD_11 CD_14 CD_15 DEF_02 SND_04 DEF_03 BASE_02
        BASE_03 BASE_04 BASE_05 STAT_01 STAT_02;
    /// Nobody mentions the world, or an entity twice in one datagram; and sounds have a number.
    pub NUMBERS_NAME_SOMETHING = "numbers-name-something": ENT_13 SND_02 SND_04 STAT_02;
    /// High bytes are there for what is not 0.
    pub HIGH_BYTES_ARE_HIGH = "high-bytes-are-high": DEF_05;
    /// Hints that count down do so in 255ths of a second.
    pub HINTS_COUNT_DOWN = "hints-count-down": LERP_01;
    /// The weapon's alpha is that of the player's entity, as one datagram has both.
    pub WEAPON_ALPHA_AGREES = "weapon-alpha-agrees": CD_11 CD_17 CD_18;
}

/// The parts of a clientdata that are always there and change seldom.
const STEADY: [Part; 7] =
    [Part::Items, Part::Health, Part::Ammo, Part::Shells, Part::Nails, Part::Rockets, Part::Cells];

impl FromServer<'_> {
    /// Whether all messages of `bytes` can be read, as far as that is asked: of a server whose world is not known.
    pub(super) fn is_whole(&self, bytes: &[u8]) -> bool {
        self.truth.is_some() || Grammar::new(self.sent.extended()).reads(bytes, 0)
    }

    /// The message that begins at `at`, in a layout that leads to the end where the protocol's own does not.
    pub(super) fn led_astray(&mut self, kind: Kind, bytes: &[u8], at: usize) -> Option<Raw> {
        let extended = self.sent.extended();
        let reads = |raw: &Raw| raw.bits & !kind.known(extended) == 0 && Grammar::new(extended).reads(bytes, raw.end);
        if self.whole || kind.read(bytes, at).as_ref().is_some_and(reads) {
            return None;
        }
        let explained = misreadings::explain(kind, bytes, at, extended, &|raw| self.is_plausible(kind, raw))?;
        let weaponless = kind == Kind::ClientData && !explained.raw.has(Part::ActiveWeapon);
        // The bits of a sound, one place off, make its parts others.
        let suspects = explained.suspects.or_if(weaponless, &CD_15).or_if(kind == Kind::Sound, &DEF_03);
        let what = || format!("nothing can be read after a message of kind {kind:?}, unless it {}", explained.what);
        self.fail(&LAYOUTS_LEAD_TO_THE_END, suspects, what);
        Some(explained.raw)
    }

    /// Whether a message read in another layout says nothing that is out of the question.
    fn is_plausible(&self, kind: Kind, raw: &Raw) -> bool {
        let entity = raw.value(Part::Entity);
        match kind {
            Kind::Update => entity != 0 && !self.sent.mentioned.has(entity),
            Kind::ClientData => self.sent.wire.player.is_none_or(|player| {
                let same = |part: &Part| !raw.has(*part) || raw.get(*part) == player.get(*part);
                STEADY.iter().all(same)
            }),
            Kind::Baseline | Kind::Baseline2 => raw.value(Part::Model) != 0 && !self.sent.bases.has(entity),
            Kind::Static | Kind::Static2 => raw.value(Part::Model) != 0,
            Kind::Sound | Kind::StaticSound | Kind::StaticSound2 => raw.value(Part::Sound) != 0,
        }
    }

    /// What an update that can be read shows of a server whose world is not known.
    pub(super) fn update_by_the_wire(&mut self, raw: &Raw, entity: u32) {
        if self.truth.is_some() {
            return;
        }
        let twice = self.sent.mentioned.has(entity);
        self.sent.wire.has_long_numbers |= entity > 0xff;
        let cut = |number: &u32| *number > 0xff && number & 0xff == entity;
        let is_cut = !self.sent.wire.has_long_numbers && self.sent.bases.numbers().iter().any(cut);
        if entity == 0 || twice && is_cut {
            let what = || match twice {
                true => format!("mentions entity {entity} twice in one datagram, and never one from 256 on"),
                false => String::from("mentions entity 0, which is the world"),
            };
            self.fail(&NUMBERS_NAME_SOMETHING, &ENT_13, what);
        } else if twice {
            self.report
                .remark("an entity is mentioned twice in one datagram: a game's code can write by itself (legal)");
        }
        self.report.saw_if(raw.has(Part::Frame2), Point::WideFrame);
        if entity == self.sent.own {
            let code = raw.get(Part::Alpha).unwrap_or(self.sent.alpha_of(entity).into());
            self.sent.wire.own_alpha = Some(code);
        }
        for (low, high) in [(Part::Frame, Part::Frame2), (Part::Model, Part::Model2)] {
            self.high_byte(raw, low, high);
        }
        let Some(time) = self.sent.time else { return };
        if self.sent.wire.counts_wrongly(entity, time, raw.get(Part::LerpFinish)) {
            let pace = self.sent.wire.pace;
            let what = || format!("hints count down by {pace:.0} in a second, should by 255");
            self.fail(&HINTS_COUNT_DOWN, &LERP_01, what);
        }
    }

    /// The same of a clientdata.
    pub(super) fn player_by_the_wire(&mut self, raw: &Raw) {
        if self.truth.is_some() {
            return;
        }
        self.sent.wire.player = Some(*raw);
        self.sent.wire.weapon_alpha = Some(raw.get(Part::WeaponAlpha).unwrap_or(0));
        let pairs = [
            (Part::Weapon, Part::Weapon2),
            (Part::Armor, Part::Armor2),
            (Part::Ammo, Part::Ammo2),
            (Part::Shells, Part::Shells2),
            (Part::Nails, Part::Nails2),
            (Part::Rockets, Part::Rockets2),
            (Part::Cells, Part::Cells2),
        ];
        pairs.into_iter().for_each(|(low, high)| self.high_byte(raw, low, high));
    }

    /// A datagram was read to its end. Where it has the player's entity beside the clientdata, both have one alpha.
    pub(super) fn weapon_by_the_wire(&mut self) {
        let wire = &mut self.sent.wire;
        let (own, weapon) = (wire.own_alpha.take(), wire.weapon_alpha.take());
        let (Some(own), Some(weapon)) = (own, weapon) else { return };
        // Who looks through another entity's eyes has its alpha beside the player's own weapon.
        if self.truth.is_some() || !self.sent.extended() || self.sent.wire.sees_by_another {
            return;
        }
        self.report.saw_if(own != 0 && self.options.weapon_alpha, Point::WeaponAlphaDue);
        let row = match weapon {
            _ if weapon == own => return,
            0 if self.options.weapon_alpha => &CD_18,
            0 => return,
            _ if own == 0 => &CD_11,
            _ => &CD_17,
        };
        let what = || format!("clientdata: weapon alpha {weapon}, and the player's entity has {own}");
        self.fail(&WEAPON_ALPHA_AGREES, row, what);
    }

    fn high_byte(&mut self, raw: &Raw, low: Part, high: Part) {
        let (low, Some(high)) = (raw.value(low), raw.get(high)) else { return };
        if self.sent.wire.is_never_high(low, high) {
            let what = || String::from("every high byte that is announced is 0");
            self.fail(&HIGH_BYTES_ARE_HIGH, &DEF_05, what);
        }
    }

    /// A sound that can be read; index 0 of the list is no sound.
    pub(super) fn sound_by_the_wire(&mut self, raw: &Raw) {
        if raw.value(Part::Sound) == 0 {
            // Where an entity's number stands before it, that may be what was read as the sound's.
            let suspects = Suspects::from(&SND_02).or_if(raw.has(Part::Entity), &SND_04);
            self.fail(&NUMBERS_NAME_SOMETHING, suspects, || String::from("plays sound 0, which does not exist"));
        }
    }

    /// A static sound that can be read. (Baselines without a model are nothing that engines do not send.)
    pub(super) fn sign_by_the_wire(&mut self, kind: Kind, raw: &Raw) {
        if kind == Kind::StaticSound && raw.value(Part::Sound) == 0 {
            let what = || String::from("a static sound has number 0, which does not exist");
            self.fail(&NUMBERS_NAME_SOMETHING, &STAT_02, what);
        }
    }
}
