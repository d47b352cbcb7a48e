//! Layouts that a sender with one thing wrong would have.
//!
//! A message that contradicts the world is read again in each of these ways: a part in another place, without its byte,
//! without the bit that announces it, of another width, high byte first, or with the bits of two parts exchanged or moved.
//! If it agrees with the world in one of them, that names the requirement; otherwise the first field that contradicts
//! does.

use crate::oracle::grammar::Grammar;
use crate::oracle::layout::*;
use crate::requirements::*;
use kit::{Requirement, Suspects};
use netquake::constants::*;
use std::sync::LazyLock;

/// A way to read a message.
#[derive(Debug)]
struct Misreading {
    /// The requirement that its sender violates.
    requirement: &'static Requirement,
    /// What is wrong, as a sentence without a subject.
    what: String,
    slots: Vec<Slot>,
}

/// A message that agrees with the world in another layout.
#[derive(Clone, Debug)]
pub struct Explained {
    /// What its sender violates.
    pub suspects: Suspects,
    /// What is wrong, as a sentence without a subject.
    pub what: String,
    /// The message, read so.
    pub raw: Raw,
}

/// The requirements that are violated if a part is not as the layout has it.
type Rows = &'static [(Part, &'static Requirement)];

const UPDATE_ROWS: Rows = &[
    (Part::Bits1, &ENT_02),
    (Part::Bits2, &ENT_01),
    (Part::Alpha, &ENT_05),
    (Part::Frame2, &ENT_06),
    (Part::Model2, &ENT_07),
    (Part::LerpFinish, &ENT_08),
    (Part::Entity, &ENT_13),
];
const CLIENTDATA_ROWS: Rows = &[
    (Part::Bits3, &CD_02),
    (Part::Bits2, &CD_01),
    (Part::Weapon2, &CD_03),
    (Part::Armor2, &CD_04),
    (Part::Ammo2, &CD_05),
    (Part::Shells2, &CD_06),
    (Part::Nails2, &CD_07),
    (Part::Rockets2, &CD_08),
    (Part::Cells2, &CD_09),
    (Part::WeaponFrame2, &CD_10),
    (Part::WeaponAlpha, &CD_11),
    (Part::ActiveWeapon, &CD_14),
    (Part::Items, &CD_14),
    (Part::Health, &CD_14),
    (Part::Ammo, &CD_14),
    (Part::Shells, &CD_14),
    (Part::Nails, &CD_14),
    (Part::Rockets, &CD_14),
    (Part::Cells, &CD_14),
];
const SOUND_ROWS: Rows = &[
    (Part::Volume, &SND_04),
    (Part::Attenuation, &SND_04),
    (Part::Sound, &SND_04),
    (Part::EntityAndChannel, &SND_04),
    (Part::Entity, &SND_04),
];
const BASELINE_ROWS: Rows =
    &[(Part::Bits0, &BASE_02), (Part::Model, &BASE_03), (Part::Frame, &BASE_04), (Part::Alpha, &BASE_05)];
const STATIC_SOUND_ROWS: Rows = &[(Part::Sound, &STAT_02), (Part::Volume, &STAT_02), (Part::Attenuation, &STAT_02)];

static UPDATES: LazyLock<Vec<Misreading>> = LazyLock::new(|| {
    let mut out = misreadings(UPDATE, UPDATE_ROWS);
    let bits = [U_ALPHA, U_FRAME2, U_MODEL2, U_LERPFINISH];
    renumbered(&mut out, UPDATE, &bits, &DEF_01);
    out
});
static CLIENTDATAS: LazyLock<Vec<Misreading>> = LazyLock::new(|| {
    let mut out = misreadings(CLIENTDATA, CLIENTDATA_ROWS);
    let bits = (16..=25).map(|bit| 1 << bit).filter(|&bit| bit != SU_EXTEND2).collect::<Vec<u32>>();
    renumbered(&mut out, CLIENTDATA, &bits, &DEF_02);
    out
});
static SOUNDS: LazyLock<Vec<Misreading>> = LazyLock::new(|| {
    let mut out = misreadings(SOUND, SOUND_ROWS);
    renumbered(&mut out, SOUND, &[SND_LARGEENTITY.into(), SND_LARGESOUND.into()], &DEF_03);
    out
});
static BASELINES: LazyLock<Vec<Misreading>> = LazyLock::new(|| misreadings(BASELINE2, BASELINE_ROWS));
static STATICS: LazyLock<Vec<Misreading>> = LazyLock::new(|| {
    let slots = Kind::Static2.slots();
    let mut out = Vec::new();
    for place in 0..=1 {
        let mut numbered = slots.to_vec();
        numbered.splice(place..place, BASELINE2.iter().copied().filter(|slot| slot.part == Part::Entity));
        out.push(misreading(&STAT_01, "has an entity's number", numbered));
    }
    out.extend(misreadings(slots, BASELINE_ROWS));
    out
});
static STATIC_SOUNDS: LazyLock<Vec<Misreading>> = LazyLock::new(|| misreadings(STATIC_SOUND2, STATIC_SOUND_ROWS));

fn of_kind(kind: Kind) -> &'static [Misreading] {
    match kind {
        Kind::Update => &UPDATES,
        Kind::ClientData => &CLIENTDATAS,
        Kind::Sound => &SOUNDS,
        Kind::Baseline2 => &BASELINES,
        Kind::Static2 => &STATICS,
        Kind::StaticSound2 => &STATIC_SOUNDS,
        Kind::Baseline | Kind::Static | Kind::StaticSound => &[],
    }
}

/// The layout in which the message that begins at `at` agrees with the world.
///
/// It is taken for the sender's only if the protocol's own does not lead to the end of all messages, or leads equally far.
pub fn explain(
    kind: Kind,
    bytes: &[u8],
    at: usize,
    extended: bool,
    agrees: &dyn Fn(&Raw) -> bool,
) -> Option<Explained> {
    let right = kind.read(bytes, at).map(|raw| raw.end).filter(|&end| Grammar::new(extended).reads(bytes, end));
    of_kind(kind).iter().find_map(|Misreading { requirement, what, slots }| {
        let raw = Raw::read(slots, bytes, kind.body(at)).filter(|raw| right.is_none_or(|end| end == raw.end))?;
        let other = Grammar { extended, other: Some((kind, slots)) };
        let explains = agrees(&raw) && (right.is_some() || other.reads(bytes, raw.end));
        explains.then(|| Explained { suspects: Suspects::from(*requirement), what: what.clone(), raw })
    })
}

fn misreading(requirement: &'static Requirement, what: impl Into<String>, slots: Vec<Slot>) -> Misreading {
    Misreading { requirement, what: what.into(), slots }
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

/// What a sender writes who has one part of `rows` wrong.
fn misreadings(slots: &[Slot], rows: Rows) -> Vec<Misreading> {
    let mut out = Vec::new();
    for &(part, requirement) in rows {
        let own: Vec<Slot> = slots.iter().copied().filter(|slot| slot.part == part).collect();
        let optional = own.iter().any(|slot| slot.set != 0);
        if optional {
            let unannounced = with(slots, part, |slot| slot.set &= !(slot.set & slot.set.wrapping_neg()));
            out.push(misreading(requirement, format!("has {part:?} and not its bit"), unannounced));
        }
        out.push(misreading(requirement, format!("does not have {part:?}"), without(slots, part)));
        for width in [1, 2].into_iter().filter(|_| own.iter().all(|slot| slot.mask.is_none())) {
            let what = format!("has {part:?} in {width} bytes");
            out.push(misreading(requirement, what, with(slots, part, |slot| slot.width = width)));
        }
        let big = with(slots, part, |slot| slot.swapped = true);
        out.push(misreading(requirement, format!("has {part:?} big-endian"), big));
        let rest = without(slots, part);
        for place in 0..=rest.len() {
            let mut order = rest.clone();
            order.splice(place..place, own.iter().copied());
            let before = order.get(place.wrapping_sub(1)).map(|slot| slot.part);
            let what =
                before.map_or(format!("begins with {part:?}"), |before| format!("has {part:?} after {before:?}"));
            out.push(misreading(requirement, what, order));
        }
    }
    out.retain(|other| other.slots != slots);
    out
}

/// What a sender writes who exchanges two of `bits`, or has all of them one place off.
fn renumbered(out: &mut Vec<Misreading>, slots: &[Slot], bits: &[u32], requirement: &'static Requirement) {
    let mut push = |what: String, place: &dyn Fn(u32) -> u32| {
        let move_all = |mask: u32| bits.iter().fold(mask, |moved, bit| moved & !bit) | moved_bits(mask, bits, place);
        let slots = slots.iter().map(|slot| Slot { set: move_all(slot.set), clear: move_all(slot.clear), ..*slot });
        out.push(misreading(requirement, what, slots.collect()));
    };
    for (index, &one) in bits.iter().enumerate() {
        for &other in bits.iter().skip(index + 1) {
            let what = format!("exchanges bits {} and {}", one.trailing_zeros(), other.trailing_zeros());
            push(what, &|bit| {
                if bit == one {
                    other
                } else if bit == other {
                    one
                } else {
                    bit
                }
            });
        }
    }
    push(String::from("has its new bits one higher"), &|bit| bit << 1);
    push(String::from("has its new bits one lower"), &|bit| bit >> 1);
}

/// Those of `bits` that are in `mask`, each at its other place.
fn moved_bits(mask: u32, bits: &[u32], place: &dyn Fn(u32) -> u32) -> u32 {
    bits.iter().filter(|&&bit| mask & bit != 0).fold(0, |moved, &bit| moved | place(bit))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Some misreading blames each of `rows`, and each differs from the right layout.
    fn check(kind: Kind, rows: Rows, other: Option<&Requirement>) {
        let list = of_kind(kind);
        assert!(list.iter().all(|other| other.slots != kind.slots()));
        for id in rows.iter().map(|row| row.1.id).chain(other.map(|other| other.id)) {
            assert!(list.iter().any(|misreading| misreading.requirement.id == id), "{id}");
        }
    }

    #[test]
    fn every_part_that_can_be_misplaced_has_a_misreading_that_says_so() {
        check(Kind::Update, UPDATE_ROWS, Some(&DEF_01));
        check(Kind::ClientData, CLIENTDATA_ROWS, Some(&DEF_02));
        check(Kind::Sound, SOUND_ROWS, Some(&DEF_03));
        check(Kind::Baseline2, BASELINE_ROWS, None);
        check(Kind::Static2, BASELINE_ROWS, Some(&STAT_01));
        check(Kind::StaticSound2, STATIC_SOUND_ROWS, None);
    }
}
