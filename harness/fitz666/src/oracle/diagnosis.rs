//! Which requirement a failure can mean. Pure functions of what was seen: that something is wrong is decided elsewhere.

pub mod misreadings;

use super::delivery::{Base, Shown};
use super::layout::{B_ALPHA, B_LARGEFRAME, B_LARGEMODEL, Kind, Part, Raw, SND_LARGE};
use super::truth::{AlphaStory, Codes};
use crate::requirements::*;
use crate::state::*;
use kit::{Requirement, Suspects};
use netquake::constants::*;
use netquake::fitzquake::SVC_FOG;

/// The number after the last one of protocol 666: where its messages end up that stand one too high.
const BEHIND_NEW_SERVICES: u8 = 45;
/// Bytes that an update may need.
const UPDATE_BYTES: usize = 24;

/// An update that cannot be read: it has `unknown` bits, or is cut off where the datagram has `room` for more.
pub fn unreadable_update(unknown: u32, room: usize) -> Suspects {
    if unknown != 0 {
        Suspects::from(&DEF_01).or(&ENT_01)
    } else if room > UPDATE_BYTES {
        Suspects::from(&ENT_01).or(&ENT_15)
    } else {
        Suspects::from(&ENT_15)
    }
}

/// An update with EXTEND1 that contradicts the world, and after which nothing can be read.
pub fn stray_update() -> Suspects {
    Suspects::from(&ENT_01).or(&DEF_01)
}

/// A clientdata with `bits` that cannot be read: it has `unknown` bits, or is cut off.
pub fn unreadable_clientdata(bits: u32, unknown: u32) -> Suspects {
    if unknown != 0 { Suspects::from(&DEF_02).or(bytes_of_bits(bits)) } else { stray_clientdata(bits).or(&CD_14) }
}

/// A clientdata with `bits` that contradicts the world, and after which nothing can be read.
pub fn stray_clientdata(bits: u32) -> Suspects {
    Suspects::from(bytes_of_bits(bits)).or_if(bits & SU_EXTEND1 != 0, &DEF_02)
}

fn bytes_of_bits(bits: u32) -> &'static Requirement {
    if bits & SU_EXTEND1 == 0 {
        &CD_14
    } else if bits & SU_EXTEND2 == 0 {
        &CD_01
    } else {
        &CD_02
    }
}

/// A sound that cannot be read: it has `unknown` bits, or is cut off.
pub fn unreadable_sound(unknown: u32, extended: bool) -> Suspects {
    match unknown {
        0 => Suspects::from(&SND_04),
        _ if extended => Suspects::from(&DEF_03),
        _ => Suspects::from(&VER_01),
    }
}

/// A message of the sign-on that is cut off, or has undefined flags.
pub fn unreadable_sign(kind: Kind) -> Suspects {
    match kind {
        Kind::Baseline2 => Suspects::from(&BASE_02).or(&DEF_04),
        Kind::Static2 => Suspects::from(&STAT_01).or(&DEF_04),
        Kind::StaticSound2 => Suspects::from(&STAT_02).or(&DEF_04),
        _ => Suspects::from(&VER_04),
    }
}

/// Whether a number is next to those of the new messages: what stands there may be one of them, one off.
pub fn is_beside_new(svc: u8) -> bool {
    (SVC_FOG..=BEHIND_NEW_SERVICES).contains(&svc) && Kind::of(svc).is_none()
}

/// A message has the number `svc`, which there is not, or cannot be read. The message before it, `last` with its bits, may
/// have been longer or shorter than it should be.
pub fn stray(svc: u8, last: Option<(u8, u32)>) -> Suspects {
    let (before, bits) = last.unwrap_or_default();
    if is_beside_new(svc) || is_beside_new(before) {
        return Suspects::from(&DEF_04);
    }
    let Some(kind) = Kind::of(before) else { return Suspects::from(&VER_04) };
    match kind {
        Kind::Update if bits & U_EXTEND1 != 0 => stray_update().or(&VER_04),
        Kind::Update => Suspects::from(&ENT_02).or(&ENT_01).or(&VER_04),
        Kind::ClientData if bits & SU_EXTEND1 == 0 => stray_clientdata(bits).or(&CD_01).or(&VER_04),
        Kind::ClientData => stray_clientdata(bits).or(&CD_02).or(&VER_04),
        Kind::Sound => Suspects::from(&SND_04).or(&DEF_03).or(&VER_04),
        Kind::Baseline2 => Suspects::from(&BASE_02).or(&BASE_03).or(&BASE_04).or(&DEF_04),
        Kind::Static2 => Suspects::from(&STAT_01).or(&BASE_03).or(&DEF_04),
        Kind::StaticSound2 => Suspects::from(&STAT_02).or(&DEF_04),
        Kind::Baseline | Kind::Static | Kind::StaticSound => Suspects::from(&VER_04),
    }
}

/// An update gives an entity of `alpha` the code `seen`: because of its byte (`sent`), or of its baseline.
pub fn alpha_sent(alpha: f32, seen: u8, sent: bool, story: AlphaStory, progs_alpha: bool) -> Suspects {
    let right = Codes::of(alpha).0;
    let stale = story.before.is_some_and(|before| Codes::of(before).has(seen));
    Suspects::from(if story.loaded {
        &ALPHA_04
    } else if !progs_alpha {
        &ALPHA_06
    } else if story.before.is_none() && alpha == 0.0 && seen == 255 {
        &ALPHA_07
    } else if right ^ seen == 255 && (right == 0 || seen == 0) {
        &ALPHA_10
    } else if alpha < 0.0 {
        &ALPHA_02
    } else if stale {
        &ALPHA_09
    } else if sent {
        &ALPHA_01
    } else {
        &ENT_04
    })
}

/// A baseline or static entity (`raw`) does not have the code of `alpha`; it should have that of none if `opaque`.
pub fn alpha_announced(kind: Kind, raw: &Raw, alpha: f32, opaque: bool, progs_alpha: bool) -> Suspects {
    let sent = raw.has(Part::Alpha);
    Suspects::from(if !progs_alpha && !sent {
        &ALPHA_06
    } else if opaque && raw.value(Part::Alpha) == 255 {
        &ALPHA_07
    } else if kind == Kind::Baseline {
        &BASE_01
    } else if kind == Kind::Static {
        &STAT_01
    } else if !sent {
        &BASE_05
    } else if alpha < 0.0 {
        &ALPHA_02
    } else {
        &ALPHA_01
    })
}

/// A fragment is sent though the one before is not acknowledged: the same bytes, after a wait (`again`); or after an ack of
/// another fragment (`misled`).
pub fn fragment_not_acknowledged(again: bool, misled: bool) -> Suspects {
    Suspects::from(if again {
        &NET_04
    } else if misled {
        &NET_07
    } else {
        &NET_05
    })
}

/// A view angle of so many half steps has another code than that of the next step away from zero.
pub fn miscoded_angle(half_steps: i32) -> Suspects {
    // Halves after an even step are where rounding to even differs; where it does not, more is wrong.
    Suspects::from(if half_steps.unsigned_abs() % 4 == 1 { &MOVE_04 } else { &MOVE_02 })
}

/// What was sent of an entity that is not shown as it should be.
#[derive(Clone, Copy, Debug)]
pub struct Evidence<'a> {
    /// The newest update, and what it makes of the entity.
    pub shown: &'a Shown,
    /// The baseline.
    pub base: &'a Base,
    /// The entity before the newest update.
    pub before: Option<&'a Shown>,
}

impl Evidence<'_> {
    fn base_has(&self, flag: u32) -> bool {
        self.base.flags.is_some_and(|flags| flags & flag != 0)
    }
}

/// A field that is a number is shown as `seen`.
pub fn number_shown(evidence: &Evidence<'_>, field: usize, seen: u32, right: u32) -> Suspects {
    let (raw, base) = (&evidence.shown.raw, &evidence.base.look);
    let (part, high, flag) = match field {
        MODEL => (Part::Model, Some(Part::Model2), B_LARGEMODEL),
        FRAME => (Part::Frame, Some(Part::Frame2), B_LARGEFRAME),
        COLORMAP => (Part::Colormap, None, 0),
        SKIN => (Part::Skin, None, 0),
        _ => (Part::Effects, None, 0),
    };
    let low = seen == right & 0xff;
    let held = evidence.before.is_some_and(|before| {
        let look = &before.look;
        [look.model, look.frame, look.colormap, look.skin, look.effects].get(field).is_some_and(|&held| held == seen)
    });
    let first = if high.is_some_and(|high| raw.has(high)) {
        if field == MODEL && low { &MODEL_02 } else { &DEF_05 }
    } else if raw.has(part) {
        if field == FRAME && base.frame > 0xff { &FRAME_02 } else { &VER_04 }
    } else if field == FRAME && right > 0xff && low {
        &FRAME_03
    } else if held {
        &ENT_10
    } else if evidence.base_has(flag) {
        if field == MODEL { &BASE_03 } else { &BASE_04 }
    } else if evidence.base_has(B_ALPHA) {
        &BASE_05
    } else {
        &VER_04
    };
    // A bit of the third byte that is taken for another may be why.
    Suspects::from(first).or_if(raw.has(Part::Bits2) && high.is_some(), &DEF_01)
}

/// A part of the place is not as it should be; it may be what was `held` before.
pub fn place_shown(evidence: &Evidence<'_>, part: Part, held: bool) -> Suspects {
    Suspects::from(if evidence.shown.raw.has(part) {
        &VER_04
    } else if held {
        &ENT_10
    } else if evidence.base_has(B_ALPHA) {
        &BASE_05
    } else {
        &VER_04
    })
}

/// Alpha is shown as that of other codes, those of which `shows` holds.
pub fn alpha_shown(evidence: &Evidence<'_>, shows: impl Fn(u8) -> bool) -> Suspects {
    let right = evidence.shown.look.alpha;
    let held = evidence.before.is_some_and(|before| before.look.alpha != right && shows(before.look.alpha));
    Suspects::from(if evidence.shown.raw.has(Part::Alpha) {
        let alike = (right == 255 && shows(0)) || (right == 0 && shows(255));
        if alike { &ALPHA_10 } else { &DEF_01 }
    } else if held {
        &ENT_09
    } else if evidence.base_has(B_ALPHA) {
        &BASE_05
    } else {
        &BASE_06
    })
}

/// A part of a static entity is not as announced.
pub fn static_shown(base: &Base, part: Part) -> Suspects {
    let has = |flag: u32| base.flags.is_some_and(|flags| flags & flag != 0);
    Suspects::from(match part {
        Part::Model if has(B_LARGEMODEL) => &BASE_03,
        Part::Frame if has(B_LARGEFRAME) => &BASE_04,
        _ if has(B_ALPHA) => &BASE_05,
        Part::Alpha => &BASE_06,
        _ => &VER_04,
    })
}

/// A statistic is shown as `seen`, which may be what was there before (`old`); clientdata may not have it (`absent`).
pub fn statistic_shown(stat: u8, seen: i64, right: i64, absent: bool, old: Option<i64>) -> Suspects {
    if absent {
        return Suspects::from(if stat == STAT_WEAPONALPHA && old != Some(seen) { &CD_16 } else { &CD_13 });
    }
    let narrow = (0..=0xff).contains(&right);
    if matches!(stat, STAT_HEALTH | STAT_ITEMS) || (narrow && (0..=0xff).contains(&seen)) {
        Suspects::from(&VER_04)
    } else if narrow {
        // The high byte of another statistic.
        Suspects::from(&DEF_02)
    } else if seen == (right & 0xff | right >> 8) {
        Suspects::from(&DEF_05).or(&CD_12)
    } else {
        Suspects::from(&CD_12).or(&DEF_02)
    }
}

/// A client plays a sound (entity, channel, number) otherwise than it was sent, or not at all (`played` is none).
pub fn sound_played(raw: &Raw, sent: (u32, u32, u32), played: Option<(u32, u32, u32)>) -> Suspects {
    let large = raw.bits & SND_LARGE != 0;
    let other_entity = played.is_some_and(|played| played.0 != sent.0 && (played.1, played.2) == (sent.1, sent.2));
    if sent.0 > 0x7fff && other_entity {
        Suspects::from(&SND_05)
    } else if large {
        Suspects::from(&SND_03).or(&DEF_03).or_if(played.is_some(), &SND_04)
    } else {
        Suspects::from(&SND_04)
    }
}

/// A client refuses a message that can be read, with forms of which these requirements are.
pub fn refused(features: impl Iterator<Item = &'static Requirement>) -> Suspects {
    let mut features = features.fuse();
    let Some(first) = features.next() else { return Suspects::from(&VER_04) };
    features.take(2).fold(Suspects::from(first), Suspects::or)
}
