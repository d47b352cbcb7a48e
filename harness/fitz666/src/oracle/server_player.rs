//! The player's own state, as sent, against the world.

use super::grammar::Grammar;
use super::readings::{CLIENTDATAS, Reading, SECOND_BYTES};
use super::server_updates::{Contradiction, contradiction};
use super::truth::Truth;
use super::wire::*;
use crate::requirements::*;
use crate::state::*;
use kit::Requirement;
use netquake::constants::*;

/// What a clientdata is compared with.
#[derive(Clone, Copy, Debug)]
pub struct Player<'a> {
    /// What the scenario says.
    pub truth: &'a Truth,
    /// The client.
    pub client: u16,
    /// The entity that it is.
    pub entity: u32,
    /// Whether protocol 666 was announced.
    pub extended: bool,
    /// Whether the weapon in hand is told as the number of its bit.
    pub mission_pack: bool,
}

/// A value of which the high byte stands apart: its parts, its statistic, the row of its low byte, and of its high one.
type Wide = (Part, Part, u8, &'static Requirement);

const WIDE: [Wide; 8] = [
    (Part::WeaponFrame, Part::WeaponFrame2, STAT_WEAPONFRAME, &CD_10),
    (Part::Armor, Part::Armor2, STAT_ARMOR, &CD_04),
    (Part::Weapon, Part::Weapon2, STAT_WEAPON, &MODEL_03),
    (Part::Ammo, Part::Ammo2, STAT_AMMO, &CD_05),
    (Part::Shells, Part::Shells2, STAT_SHELLS, &CD_06),
    (Part::Nails, Part::Nails2, STAT_SHELLS + 1, &CD_07),
    (Part::Rockets, Part::Rockets2, STAT_SHELLS + 2, &CD_08),
    (Part::Cells, Part::Cells2, STAT_SHELLS + 3, &CD_09),
];

impl Player<'_> {
    /// The first part, in the order of the wire, that contradicts what the world says.
    pub fn contradicts(&self, raw: &Raw) -> Option<Contradiction> {
        self.small(raw)
            .or_else(|| self.low_bytes(raw))
            .or_else(|| self.active_weapon(raw))
            .or_else(|| if self.extended { self.high_bytes(raw) } else { None })
    }

    fn whole(&self, stat: u8) -> Option<i32> {
        self.truth.whole_stat(self.client, stat)
    }

    fn small(&self, raw: &Raw) -> Option<Contradiction> {
        for (name, bit, stat) in [("ONGROUND", SU_ONGROUND, STAT_ONGROUND), ("INWATER", SU_INWATER, STAT_INWATER)] {
            let seen = raw.bits & bit != 0;
            if self.whole(stat).is_some_and(|truth| seen != (truth != 0)) {
                return contradiction(&VER_04, format!("clientdata: {name} is {seen}"));
            }
        }
        let char = |part: Part| raw.get(part).map(|value| i32::from(value as u8 as i8));
        // Sixteenths, cut off.
        let speed = |axis: u8| self.truth.stat(self.client, STAT_VELOCITY + axis).map(|units| (units / 16.0) as i32);
        let chars = [
            (Part::ViewHeight, self.whole(STAT_VIEWHEIGHT), i32::from(DEFAULT_VIEWHEIGHT)),
            (Part::IdealPitch, self.whole(STAT_IDEALPITCH), 0),
            (Part::Punch1, self.whole(STAT_PUNCH), 0),
            (Part::Velocity1, speed(0), 0),
            (Part::Punch2, self.whole(STAT_PUNCH + 1), 0),
            (Part::Velocity2, speed(1), 0),
            (Part::Punch3, self.whole(STAT_PUNCH + 2), 0),
            (Part::Velocity3, speed(2), 0),
        ];
        for (part, truth, absent) in chars {
            let seen = char(part).unwrap_or(absent);
            let truth = truth.filter(|truth| (-128..128).contains(truth));
            if let Some(truth) = truth.filter(|&truth| truth != seen) {
                return contradiction(&VER_04, format!("clientdata: {part:?} {seen}, should be {truth}"));
            }
        }
        let items = raw.value(Part::Items);
        match self.whole(STAT_ITEMS).filter(|&truth| truth as u32 != items) {
            Some(truth) => contradiction(&VER_04, format!("clientdata: items {items:#x}, should be {truth:#x}")),
            None => None,
        }
    }

    fn low_bytes(&self, raw: &Raw) -> Option<Contradiction> {
        for (index, (part, _, stat, row)) in WIDE.into_iter().enumerate() {
            if index == 3
                && let Some(health) = self.whole(STAT_HEALTH)
                && raw.value(Part::Health) as u16 != health as u16
            {
                let seen = raw.value(Part::Health) as u16 as i16;
                return contradiction(&VER_04, format!("clientdata: health {seen}, should be {health}"));
            }
            let (Some(truth), seen) = (self.whole(stat), raw.value(part)) else { continue };
            if !self.extended && truth as u32 > 0xff {
                // Protocol 15 cannot say it.
                continue;
            }
            if truth as u32 & 0xff != seen & 0xff {
                let row = if self.extended && truth as u32 & 0xff00 != 0 { row } else { &VER_04 };
                return contradiction(row, format!("clientdata: {part:?} {seen}, should be {}", truth as u32 & 0xff));
            }
        }
        None
    }

    fn active_weapon(&self, raw: &Raw) -> Option<Contradiction> {
        let truth = self.whole(STAT_ACTIVEWEAPON)? as u32;
        let seen = raw.value(Part::ActiveWeapon);
        let right = match (self.mission_pack, truth) {
            // One byte, whichever.
            (true, 0) => return None,
            (true, _) => truth.trailing_zeros(),
            (false, _) => truth & 0xff,
        };
        if seen == right {
            return None;
        }
        contradiction(&VER_04, format!("clientdata: active weapon {seen}, should be {right}"))
    }

    fn high_bytes(&self, raw: &Raw) -> Option<Contradiction> {
        for (high, _, _) in SECOND_BYTES {
            let Some(&(_, _, stat, row)) = WIDE.iter().find(|row| row.1 == high) else { continue };
            let Some(truth) = self.whole(stat) else { continue };
            let (seen, truth) = (raw.get(high), truth as u32 >> 8 & 0xff);
            match seen {
                None if truth != 0 => return contradiction(row, format!("clientdata: {high:?} is missing")),
                Some(seen) if seen != truth => {
                    return contradiction(&DEF_05, format!("clientdata: {high:?} {seen}, should be {truth}"));
                }
                _ => {}
            }
        }
        let code = raw.get(Part::WeaponAlpha)?;
        let opaque = self.truth.world.live.get(self.entity).is_some_and(|player| player.float(ALPHA) == 0.0);
        let base = self.truth.world.baselines.get(self.entity).is_none_or(|base| base.float(ALPHA) == 0.0);
        let story = self.truth.alpha_story(self.entity);
        let never = opaque && base && story.before.is_none() && !story.loaded;
        if code == 0 || never {
            return contradiction(&CD_11, format!("clientdata: weapon alpha {code}, though nothing gives it any"));
        }
        None
    }

    /// Whether the player has no weapon in hand, in a mission pack.
    pub fn no_weapon(&self) -> bool {
        self.mission_pack && self.whole(STAT_ACTIVEWEAPON) == Some(0)
    }
}

/// The reading of the clientdata behind `at` in which it agrees with the world, and where it ends.
///
/// As with updates, another layout needs more than that.
pub fn explain(bytes: &[u8], at: usize, player: &Player<'_>) -> Option<(&'static Requirement, String, usize)> {
    let normal = Raw::read(CLIENTDATA, bytes, at);
    let plain = normal.map(|raw| raw.end).filter(|&end| Grammar::new(player.extended).reads(bytes, end));
    let absent = |requirement: &'static Requirement, which: &str, part: Part, alpha: bool| Reading {
        requirement,
        what: format!("announces its {which} byte of bits and has none"),
        slots: untold_bytes(player, part, alpha),
    };
    let absent = [
        absent(&CD_01, "third", Part::Bits2, false),
        absent(&CD_01, "third", Part::Bits2, true),
        absent(&CD_02, "fourth", Part::Bits3, false),
        absent(&CD_02, "fourth", Part::Bits3, true),
    ];
    CLIENTDATAS.iter().chain(&absent).find_map(|Reading { requirement, what, slots }| {
        let raw = Raw::read(slots, bytes, at).filter(|raw| plain.is_none_or(|end| end == raw.end))?;
        let missing = requirement.id == CD_15.id;
        let wanted = if missing && !player.no_weapon() { &CD_14 } else { *requirement };
        let agrees = match missing {
            // The weapon is what is not there: what would be read for it counts for nothing.
            true => player.small(&raw).or_else(|| player.low_bytes(&raw)).is_none(),
            false => player.contradicts(&raw).is_none(),
        };
        let grammar = Grammar { player: slots, ..Grammar::new(player.extended) };
        let sound = agrees && (plain.is_some() || grammar.reads(bytes, raw.end));
        sound.then(|| (wanted, format!("the clientdata {what}"), raw.end))
    })
}

/// The layout of a clientdata without a byte of its bits (`part`), and with the bytes that it has to have under those.
fn untold_bytes(player: &Player<'_>, part: Part, alpha: bool) -> Vec<Slot> {
    let first = if part == Part::Bits2 { SU_WEAPON2 } else { SU_WEAPONFRAME2 };
    let mut slots = Vec::new();
    for slot in CLIENTDATA.iter().filter(|slot| player.extended && slot.part != part && slot.part != Part::Bits3) {
        let told = slot.set < first;
        let wide = WIDE.iter().find(|row| row.1 == slot.part);
        let wide = wide.and_then(|row| player.whole(row.2)).is_some_and(|truth| truth as u32 & 0xff00 != 0);
        let there = wide || slot.part == Part::WeaponAlpha && alpha;
        match told {
            true => slots.push(*slot),
            false => slots.extend(there.then_some(Slot { set: 0, ..*slot })),
        }
    }
    slots
}
