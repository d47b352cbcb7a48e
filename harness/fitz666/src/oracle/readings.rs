//! Other ways to read a message: what it would say if its sender had one thing wrong.
//!
//! A message that contradicts the world is read again in each of these ways. If it agrees with the world in one of them,
//! that names the requirement; otherwise the first field that contradicts does.

use super::wire::*;
use crate::requirements::*;
use kit::Requirement;
use netquake::constants::*;
use std::sync::LazyLock;

/// A way to read a message.
#[derive(Debug)]
pub struct Reading {
    /// The requirement that its sender violates.
    pub requirement: &'static Requirement,
    /// What is wrong, as a sentence without a subject.
    pub what: String,
    /// The layout.
    pub slots: Vec<Slot>,
}

/// Ways to read an update.
pub static UPDATES: LazyLock<Vec<Reading>> = LazyLock::new(updates);
/// Ways to read a clientdata.
pub static CLIENTDATAS: LazyLock<Vec<Reading>> = LazyLock::new(clientdatas);
/// Ways to read a sound.
pub static SOUNDS: LazyLock<Vec<Reading>> = LazyLock::new(sounds);
/// Ways to read a baseline of protocol 666.
pub static BASELINES: LazyLock<Vec<Reading>> = LazyLock::new(|| baselines(BASELINE2));
/// Ways to read a static entity of protocol 666.
pub static STATICS: LazyLock<Vec<Reading>> = LazyLock::new(statics);
/// Ways to read a static sound of protocol 666.
pub static STATIC_SOUNDS: LazyLock<Vec<Reading>> = LazyLock::new(static_sounds);

/// The new bits of updates that may be mistaken for each other.
pub const UPDATE_BITS: [u32; 4] = [U_ALPHA, U_FRAME2, U_MODEL2, U_LERPFINISH];

fn reading(requirement: &'static Requirement, what: impl Into<String>, slots: Vec<Slot>) -> Reading {
    Reading { requirement, what: what.into(), slots }
}

/// The slots, each of `part` changed.
fn with(slots: &[Slot], part: Part, change: impl Fn(&mut Slot)) -> Vec<Slot> {
    let mut slots = slots.to_vec();
    slots.iter_mut().filter(|slot| slot.part == part).for_each(change);
    slots
}

/// The slots without `part`.
fn without(slots: &[Slot], part: Part) -> Vec<Slot> {
    slots.iter().copied().filter(|slot| slot.part != part).collect()
}

/// The slots with `part` in every other place from the first slot that is no part of the mask on.
fn moved(out: &mut Vec<Reading>, slots: &[Slot], part: Part, requirement: &'static Requirement) {
    let own: Vec<Slot> = slots.iter().copied().filter(|slot| slot.part == part).collect();
    let rest = without(slots, part);
    let first = rest.iter().rposition(|slot| slot.mask.is_some()).map_or(0, |index| index + 1);
    for place in first..=rest.len() {
        let behind = place.checked_sub(1).and_then(|index| rest.get(index)).map(|slot| slot.part);
        let mut order = rest.clone();
        order.splice(place..place, own.iter().copied());
        if order != slots {
            let what = match behind {
                Some(behind) => format!("has {part:?} behind {behind:?}"),
                None => format!("begins with {part:?}"),
            };
            out.push(reading(requirement, what, order));
        }
    }
}

/// The slots with the meaning of two bits exchanged.
pub fn swapped(slots: &[Slot], one: u32, other: u32) -> Vec<Slot> {
    let exchange = |bits: u32| match (bits & one != 0, bits & other != 0) {
        (true, false) => bits & !one | other,
        (false, true) => bits & !other | one,
        _ => bits,
    };
    let swap = |slot: &Slot| Slot { set: exchange(slot.set), clear: exchange(slot.clear), ..*slot };
    slots.iter().map(swap).collect()
}

fn swaps(out: &mut Vec<Reading>, slots: &[Slot], bits: &[u32], requirement: &'static Requirement) {
    for (index, &one) in bits.iter().enumerate() {
        for &other in bits.iter().skip(index + 1) {
            let what = format!("exchanges bits {} and {}", one.trailing_zeros(), other.trailing_zeros());
            out.push(reading(requirement, what, swapped(slots, one, other)));
        }
    }
}

fn updates() -> Vec<Reading> {
    let mut out = vec![
        reading(&ENT_02, "has a second byte of bits without MOREBITS", with(UPDATE, Part::Bits1, |slot| slot.set = 0)),
        reading(
            &ENT_01,
            "has a third byte of bits without EXTEND1",
            with(UPDATE, Part::Bits2, |slot| slot.set = U_MOREBITS),
        ),
        reading(&ENT_01, "has EXTEND1 and no third byte of bits", without(UPDATE, Part::Bits2)),
        reading(
            &ENT_02,
            "has a third byte of bits and no second one",
            with(&without(UPDATE, Part::Bits1), Part::Bits2, |slot| slot.set = 0),
        ),
    ];
    for (part, requirement) in
        [(Part::Alpha, &ENT_05), (Part::Frame2, &ENT_06), (Part::Model2, &ENT_07), (Part::LerpFinish, &ENT_08)]
    {
        moved(&mut out, UPDATE, part, requirement);
        out.push(reading(requirement, format!("has the bit of {part:?} and not its byte"), without(UPDATE, part)));
    }
    out.push(reading(
        &ENT_13,
        "has LONGENTITY and the number in a byte",
        with(UPDATE, Part::Entity, |slot| slot.width = 1),
    ));
    swaps(&mut out, UPDATE, &UPDATE_BITS, &DEF_01);
    let raised = |slot: &Slot| match slot.set {
        bits if UPDATE_BITS.contains(&bits) => Slot { set: bits << 1, ..*slot },
        _ => *slot,
    };
    let raised = without(UPDATE, Part::Scale).iter().map(raised).collect();
    out.push(reading(&DEF_01, "has its new bits one higher", raised));
    out
}

/// The second bytes of a clientdata, their bits and rows.
pub const SECOND_BYTES: [(Part, u32, &Requirement); 8] = [
    (Part::Weapon2, SU_WEAPON2, &CD_03),
    (Part::Armor2, SU_ARMOR2, &CD_04),
    (Part::Ammo2, SU_AMMO2, &CD_05),
    (Part::Shells2, SU_SHELLS2, &CD_06),
    (Part::Nails2, SU_SHELLS2 << 1, &CD_07),
    (Part::Rockets2, SU_SHELLS2 << 2, &CD_08),
    (Part::Cells2, SU_SHELLS2 << 3, &CD_09),
    (Part::WeaponFrame2, SU_WEAPONFRAME2, &CD_10),
];

fn clientdatas() -> Vec<Reading> {
    let third = with(CLIENTDATA, Part::Bits2, |slot| slot.set = 0);
    let fourth = with(CLIENTDATA, Part::Bits3, |slot| slot.set = SU_EXTEND1);
    let mut out = vec![
        // Only for the fourth byte's sake: what announces that is not announced itself.
        reading(
            &CD_02,
            "has a fourth byte of bits, for which nothing announces the third",
            third.iter().copied().filter(|slot| slot.mask.is_some() || slot.set & 0x7f_0000 == 0).collect(),
        ),
        reading(&CD_01, "has a third byte of bits without SU_EXTEND1", third),
        reading(&CD_01, "has SU_EXTEND1 and no third byte of bits", without(CLIENTDATA, Part::Bits2)),
        reading(&CD_02, "has a fourth byte of bits without SU_EXTEND2", fourth),
        reading(&CD_02, "has SU_EXTEND2 and no fourth byte of bits", without(CLIENTDATA, Part::Bits3)),
        reading(&CD_14, "has items only if SU_ITEMS is set", with(CLIENTDATA, Part::Items, |slot| slot.set = SU_ITEMS)),
        reading(&CD_15, "has no byte of active weapon", without(CLIENTDATA, Part::ActiveWeapon)),
    ];
    let parts = [Part::Items, Part::Health, Part::Ammo, Part::Shells, Part::Nails, Part::Rockets, Part::Cells];
    for part in parts {
        out.push(reading(&CD_14, format!("has no {part:?}"), without(CLIENTDATA, part)));
    }
    out.push(reading(&VER_04, "has items in a short", with(CLIENTDATA, Part::Items, |slot| slot.width = 2)));
    for (part, _, requirement) in SECOND_BYTES {
        moved(&mut out, CLIENTDATA, part, requirement);
        out.push(reading(requirement, format!("has the bit of {part:?} and not its byte"), without(CLIENTDATA, part)));
    }
    moved(&mut out, CLIENTDATA, Part::WeaponAlpha, &CD_11);
    out.push(reading(&CD_11, "has the bit of WeaponAlpha and not its byte", without(CLIENTDATA, Part::WeaponAlpha)));
    let mut bits: Vec<u32> = SECOND_BYTES.iter().map(|row| row.1).collect();
    bits.push(SU_WEAPONALPHA);
    swaps(&mut out, CLIENTDATA, &bits, &DEF_02);
    let early = with(&without(CLIENTDATA, Part::Bits3), Part::WeaponFrame2, |slot| slot.set = SU_EXTEND2);
    out.push(reading(&DEF_02, "has WEAPONFRAME2 in bit 23", early));
    let late = with(CLIENTDATA, Part::WeaponFrame2, |slot| slot.set = SU_WEAPONALPHA);
    let late = with(&late, Part::WeaponAlpha, |slot| slot.set = SU_WEAPONALPHA << 1);
    out.push(reading(&DEF_02, "has WEAPONFRAME2 in bit 25 and WEAPONALPHA in bit 26", late));
    out
}

fn sounds() -> Vec<Reading> {
    let (entity, sound) = (SND_LARGEENTITY as u32, SND_LARGESOUND as u32);
    let mut out = Vec::new();
    for part in [Part::Volume, Part::Attenuation, Part::Sound, Part::EntityAndChannel, Part::Entity] {
        moved(&mut out, SOUND, part, &SND_04);
    }
    swaps(&mut out, SOUND, &[entity, sound], &DEF_03);
    let shift = |slot: &Slot| match slot.part {
        Part::Volume | Part::Attenuation => *slot,
        _ => Slot { set: slot.set >> 1, clear: slot.clear >> 1, ..*slot },
    };
    out.push(reading(&DEF_03, "has its large forms under bits 2 and 3", SOUND.iter().map(shift).collect()));
    let shift = |slot: &Slot| match slot.part {
        Part::Volume | Part::Attenuation => *slot,
        _ => Slot { set: slot.set << 1, clear: slot.clear << 1, ..*slot },
    };
    out.push(reading(&DEF_03, "has its large forms under bits 4 and 5", SOUND.iter().map(shift).collect()));
    out.push(reading(
        &SND_02,
        "has LARGESOUND and the number in a byte",
        with(SOUND, Part::Sound, |slot| slot.width = 1),
    ));
    out.push(reading(&SND_01, "has LARGEENTITY and no channel", without(SOUND, Part::Channel)));
    out
}

fn baselines(slots: &[Slot]) -> Vec<Reading> {
    let mut out = Vec::new();
    let mut first = without(slots, Part::Bits0);
    let flags = slots.iter().copied().filter(|slot| slot.part == Part::Bits0);
    first.splice(0..0, flags.clone());
    if first != slots {
        out.push(reading(&BASE_02, "has its flags before the entity's number", first));
    }
    let mut behind = without(slots, Part::Bits0);
    let place = behind.iter().position(|slot| slot.part == Part::Model).map_or(0, |index| index + 1);
    behind.splice(place..place, flags);
    out.push(reading(&BASE_02, "has its flags behind the model", behind));
    for (part, requirement, other) in [(Part::Model, &BASE_03, B_LARGEFRAME), (Part::Frame, &BASE_04, B_LARGEMODEL)] {
        let big = with(slots, part, |slot| slot.swapped = true);
        out.push(reading(requirement, format!("has {part:?} big-endian"), big));
        let one = with(slots, part, |slot| slot.width = 1);
        out.push(reading(requirement, format!("has {part:?} in a byte, whatever its flag says"), one));
        let two = with(slots, part, |slot| slot.width = 2);
        out.push(reading(requirement, format!("has {part:?} in a short, whatever its flag says"), two));
        let by_other = with(slots, part, |slot| {
            (slot.set, slot.clear) = if slot.set != 0 { (other, 0) } else { (0, other) };
        });
        out.push(reading(requirement, format!("has the width of {part:?} under the other flag"), by_other));
    }
    moved(&mut out, slots, Part::Alpha, &BASE_05);
    out.push(reading(&BASE_05, "has B_ALPHA and no alpha", without(slots, Part::Alpha)));
    out.push(reading(&BASE_05, "has alpha without B_ALPHA", with(slots, Part::Alpha, |slot| slot.set = 0)));
    out
}

fn statics() -> Vec<Reading> {
    let slots = without(BASELINE2, Part::Entity);
    let mut out = vec![reading(&STAT_01, "has an entity's number", BASELINE2.to_vec())];
    let mut inside = slots.clone();
    inside.splice(1..1, BASELINE2.iter().copied().filter(|slot| slot.part == Part::Entity));
    out.push(reading(&STAT_01, "has an entity's number behind its flags", inside));
    out.extend(baselines(&slots));
    out
}

fn static_sounds() -> Vec<Reading> {
    let wide = |part: Part, width: u8| with(STATIC_SOUND2, part, |slot| slot.width = width);
    vec![
        reading(&STAT_02, "has the volume in a short", wide(Part::Volume, 2)),
        reading(&STAT_02, "has the attenuation in a short", wide(Part::Attenuation, 2)),
        reading(&STAT_02, "has the sound's number in a byte", wide(Part::Sound, 1)),
        reading(
            &STAT_02,
            "has the sound's number big-endian",
            with(STATIC_SOUND2, Part::Sound, |slot| slot.swapped = true),
        ),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Some reading of the list blames `requirement`, and each differs from the right one.
    fn check(list: &[Reading], right: &[Slot], requirements: &[&Requirement]) {
        assert!(list.iter().all(|reading| reading.slots != right));
        for wanted in requirements {
            assert!(list.iter().any(|reading| reading.requirement.id == wanted.id), "{}", wanted.id);
        }
    }

    #[test]
    fn every_part_that_can_be_misplaced_has_a_reading_that_says_so() {
        check(&UPDATES, UPDATE, &[&ENT_01, &ENT_02, &ENT_05, &ENT_06, &ENT_07, &ENT_08, &ENT_13, &DEF_01]);
        let rows = [&CD_01, &CD_02, &CD_03, &CD_04, &CD_05, &CD_06, &CD_07, &CD_08, &CD_09, &CD_10, &CD_11, &CD_14];
        check(&CLIENTDATAS, CLIENTDATA, &rows);
        check(&CLIENTDATAS, CLIENTDATA, &[&CD_15, &DEF_02]);
        check(&SOUNDS, SOUND, &[&SND_01, &SND_02, &SND_04, &DEF_03]);
        check(&BASELINES, BASELINE2, &[&BASE_02, &BASE_03, &BASE_04, &BASE_05]);
        check(&STATICS, &without(BASELINE2, Part::Entity), &[&STAT_01, &BASE_03, &BASE_04, &BASE_05]);
        check(&STATIC_SOUNDS, STATIC_SOUND2, &[&STAT_02]);
    }
}
