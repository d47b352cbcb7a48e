//! The layouts of the messages that the oracle judges field by field, as lists of slots: the oracle's own, so that an
//! error of the codec is not the judge's error, too.
//!
//! A slot says under which bits of the mask a part is there, and how wide it is. The mask itself stands in slots. So a
//! *different* reading of a message (a part in another place, under another bit, of another width) is a different list:
//! see [`super::diagnosis::misreadings`].

use netquake::constants::*;
use netquake::fitzquake::{SVC_SPAWN_BASELINE2, SVC_SPAWN_STATIC_SOUND2, SVC_SPAWN_STATIC2};

/// A part of a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
#[allow(missing_docs, reason = "the names are the specifications' own")]
pub enum Part {
    Bits0,
    Bits1,
    Bits2,
    Bits3,
    Entity,
    Model,
    Frame,
    Colormap,
    Skin,
    Effects,
    Origin1,
    Angle1,
    Origin2,
    Angle2,
    Origin3,
    Angle3,
    Alpha,
    Scale,
    Frame2,
    Model2,
    LerpFinish,
    ViewHeight,
    IdealPitch,
    Punch1,
    Velocity1,
    Punch2,
    Velocity2,
    Punch3,
    Velocity3,
    Items,
    WeaponFrame,
    Armor,
    Weapon,
    Health,
    Ammo,
    Shells,
    Nails,
    Rockets,
    Cells,
    ActiveWeapon,
    Weapon2,
    Armor2,
    Ammo2,
    Shells2,
    Nails2,
    Rockets2,
    Cells2,
    WeaponFrame2,
    WeaponAlpha,
    Volume,
    Attenuation,
    EntityAndChannel,
    Channel,
    Sound,
}

/// Number of parts: a bit of a `u64` each.
const PARTS: usize = Part::Sound as usize + 1;

/// The origin's axes.
pub const ORIGINS: [Part; 3] = [Part::Origin1, Part::Origin2, Part::Origin3];
/// The angles.
pub const ANGLES: [Part; 3] = [Part::Angle1, Part::Angle2, Part::Angle3];

/// Flag of the baselines of protocol 666: the model is a short.
pub const B_LARGEMODEL: u32 = 1;
/// Flag of the baselines of protocol 666: the frame is a short.
pub const B_LARGEFRAME: u32 = 2;
/// Flag of the baselines of protocol 666: alpha follows.
pub const B_ALPHA: u32 = 4;
/// Bit 23 of an update: a fourth byte of bits, which nobody sends.
pub const U_EXTEND2: u32 = 1 << 23;
/// The bits of a clientdata that protocol 666 defines.
const SU_KNOWN: u32 = 2 * SU_WEAPONALPHA - 1;
/// The bits of a sound that protocol 15 defines.
const SND_PLAIN: u32 = (SND_VOLUME | SND_ATTENUATION) as u32;
/// The bits of a sound's large forms.
pub const SND_LARGE: u32 = (SND_LARGEENTITY | SND_LARGESOUND) as u32;

/// One part's place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Slot {
    /// What stands there.
    pub part: Part,
    /// It is there if all these bits are set.
    pub set: u32,
    /// And none of these.
    pub clear: u32,
    /// Width in bytes.
    pub width: u8,
    /// How far its bits are shifted, if it is a part of the mask.
    pub mask: Option<u8>,
    /// Whether it is big-endian; nothing in a message should be.
    pub swapped: bool,
}

impl Slot {
    /// The part that stands in these bytes.
    #[inline]
    fn value(&self, place: &[u8]) -> u32 {
        let join = |value: u32, byte: &u8| value << 8 | u32::from(*byte);
        match *place {
            [byte] => byte.into(),
            [low, high] if !self.swapped => u16::from_le_bytes([low, high]).into(),
            _ if self.swapped => place.iter().fold(0, join),
            _ => place.iter().rev().fold(0, join),
        }
    }
}

const fn slot(part: Part, set: u32, width: u8) -> Slot {
    Slot { part, set, clear: 0, width, mask: None, swapped: false }
}

const fn unless(part: Part, clear: u32, width: u8) -> Slot {
    Slot { part, set: 0, clear, width, mask: None, swapped: false }
}

const fn mask(part: Part, set: u32, width: u8, shift: u8) -> Slot {
    Slot { part, set, clear: 0, width, mask: Some(shift), swapped: false }
}

/// An update, its first byte included.
pub static UPDATE: &[Slot] = &[
    mask(Part::Bits0, 0, 1, 0),
    mask(Part::Bits1, U_MOREBITS, 1, 8),
    mask(Part::Bits2, U_EXTEND1, 1, 16),
    mask(Part::Bits3, U_EXTEND2, 1, 24),
    unless(Part::Entity, U_LONGENTITY, 1),
    slot(Part::Entity, U_LONGENTITY, 2),
    slot(Part::Model, U_MODEL, 1),
    slot(Part::Frame, U_FRAME, 1),
    slot(Part::Colormap, U_COLORMAP, 1),
    slot(Part::Skin, U_SKIN, 1),
    slot(Part::Effects, U_EFFECTS, 1),
    slot(Part::Origin1, U_ORIGIN1, 2),
    slot(Part::Angle1, U_ANGLE1, 1),
    slot(Part::Origin2, U_ORIGIN2, 2),
    slot(Part::Angle2, U_ANGLE2, 1),
    slot(Part::Origin3, U_ORIGIN3, 2),
    slot(Part::Angle3, U_ANGLE3, 1),
    slot(Part::Alpha, U_ALPHA, 1),
    slot(Part::Scale, U_SCALE, 1),
    slot(Part::Frame2, U_FRAME2, 1),
    slot(Part::Model2, U_MODEL2, 1),
    slot(Part::LerpFinish, U_LERPFINISH, 1),
];

/// A clientdata after its number.
pub static CLIENTDATA: &[Slot] = &[
    mask(Part::Bits0, 0, 2, 0),
    mask(Part::Bits2, SU_EXTEND1, 1, 16),
    mask(Part::Bits3, SU_EXTEND2, 1, 24),
    slot(Part::ViewHeight, SU_VIEWHEIGHT, 1),
    slot(Part::IdealPitch, SU_IDEALPITCH, 1),
    slot(Part::Punch1, SU_PUNCH1, 1),
    slot(Part::Velocity1, SU_VELOCITY1, 1),
    slot(Part::Punch2, SU_PUNCH1 << 1, 1),
    slot(Part::Velocity2, SU_VELOCITY1 << 1, 1),
    slot(Part::Punch3, SU_PUNCH1 << 2, 1),
    slot(Part::Velocity3, SU_VELOCITY1 << 2, 1),
    slot(Part::Items, 0, 4),
    slot(Part::WeaponFrame, SU_WEAPONFRAME, 1),
    slot(Part::Armor, SU_ARMOR, 1),
    slot(Part::Weapon, SU_WEAPON, 1),
    slot(Part::Health, 0, 2),
    slot(Part::Ammo, 0, 1),
    slot(Part::Shells, 0, 1),
    slot(Part::Nails, 0, 1),
    slot(Part::Rockets, 0, 1),
    slot(Part::Cells, 0, 1),
    slot(Part::ActiveWeapon, 0, 1),
    slot(Part::Weapon2, SU_WEAPON2, 1),
    slot(Part::Armor2, SU_ARMOR2, 1),
    slot(Part::Ammo2, SU_AMMO2, 1),
    slot(Part::Shells2, SU_SHELLS2, 1),
    slot(Part::Nails2, SU_SHELLS2 << 1, 1),
    slot(Part::Rockets2, SU_SHELLS2 << 2, 1),
    slot(Part::Cells2, SU_SHELLS2 << 3, 1),
    slot(Part::WeaponFrame2, SU_WEAPONFRAME2, 1),
    slot(Part::WeaponAlpha, SU_WEAPONALPHA, 1),
];

/// A sound after its number.
pub static SOUND: &[Slot] = &[
    mask(Part::Bits0, 0, 1, 0),
    slot(Part::Volume, SND_VOLUME as u32, 1),
    slot(Part::Attenuation, SND_ATTENUATION as u32, 1),
    unless(Part::EntityAndChannel, SND_LARGEENTITY as u32, 2),
    slot(Part::Entity, SND_LARGEENTITY as u32, 2),
    slot(Part::Channel, SND_LARGEENTITY as u32, 1),
    unless(Part::Sound, SND_LARGESOUND as u32, 1),
    slot(Part::Sound, SND_LARGESOUND as u32, 2),
    slot(Part::Origin1, 0, 2),
    slot(Part::Origin2, 0, 2),
    slot(Part::Origin3, 0, 2),
];

/// A baseline of protocol 15 after its number.
pub static BASELINE: &[Slot] = &[
    slot(Part::Entity, 0, 2),
    slot(Part::Model, 0, 1),
    slot(Part::Frame, 0, 1),
    slot(Part::Colormap, 0, 1),
    slot(Part::Skin, 0, 1),
    slot(Part::Origin1, 0, 2),
    slot(Part::Angle1, 0, 1),
    slot(Part::Origin2, 0, 2),
    slot(Part::Angle2, 0, 1),
    slot(Part::Origin3, 0, 2),
    slot(Part::Angle3, 0, 1),
];

/// A baseline of protocol 666 after its number.
pub static BASELINE2: &[Slot] = &[
    slot(Part::Entity, 0, 2),
    mask(Part::Bits0, 0, 1, 0),
    unless(Part::Model, B_LARGEMODEL, 1),
    slot(Part::Model, B_LARGEMODEL, 2),
    unless(Part::Frame, B_LARGEFRAME, 1),
    slot(Part::Frame, B_LARGEFRAME, 2),
    slot(Part::Colormap, 0, 1),
    slot(Part::Skin, 0, 1),
    slot(Part::Origin1, 0, 2),
    slot(Part::Angle1, 0, 1),
    slot(Part::Origin2, 0, 2),
    slot(Part::Angle2, 0, 1),
    slot(Part::Origin3, 0, 2),
    slot(Part::Angle3, 0, 1),
    slot(Part::Alpha, B_ALPHA, 1),
];

/// A static sound of protocol 15 after its number.
pub static STATIC_SOUND: &[Slot] = &[
    slot(Part::Origin1, 0, 2),
    slot(Part::Origin2, 0, 2),
    slot(Part::Origin3, 0, 2),
    slot(Part::Sound, 0, 1),
    slot(Part::Volume, 0, 1),
    slot(Part::Attenuation, 0, 1),
];

/// A static sound of protocol 666 after its number.
pub static STATIC_SOUND2: &[Slot] = &[
    slot(Part::Origin1, 0, 2),
    slot(Part::Origin2, 0, 2),
    slot(Part::Origin3, 0, 2),
    slot(Part::Sound, 0, 2),
    slot(Part::Volume, 0, 1),
    slot(Part::Attenuation, 0, 1),
];

/// The messages whose fields the oracle reads by itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs, reason = "the names are those of the messages; those with a 2 are protocol 666's own")]
pub enum Kind {
    Update,
    ClientData,
    Sound,
    Baseline,
    Static,
    StaticSound,
    Baseline2,
    Static2,
    StaticSound2,
}

impl Kind {
    /// Of a message that begins with `svc`.
    pub fn of(svc: u8) -> Option<Kind> {
        Some(match svc {
            _ if u32::from(svc) & U_SIGNAL != 0 => Kind::Update,
            SVC_CLIENT_DATA => Kind::ClientData,
            SVC_SOUND => Kind::Sound,
            SVC_SPAWN_BASELINE => Kind::Baseline,
            SVC_SPAWN_STATIC => Kind::Static,
            SVC_SPAWN_STATIC_SOUND => Kind::StaticSound,
            SVC_SPAWN_BASELINE2 => Kind::Baseline2,
            SVC_SPAWN_STATIC2 => Kind::Static2,
            SVC_SPAWN_STATIC_SOUND2 => Kind::StaticSound2,
            _ => return None,
        })
    }

    /// Its layout.
    pub fn slots(self) -> &'static [Slot] {
        match self {
            Kind::Update => UPDATE,
            Kind::ClientData => CLIENTDATA,
            Kind::Sound => SOUND,
            Kind::Baseline => BASELINE,
            Kind::Static => &BASELINE[1..],
            Kind::StaticSound => STATIC_SOUND,
            Kind::Baseline2 => BASELINE2,
            Kind::Static2 => &BASELINE2[1..],
            Kind::StaticSound2 => STATIC_SOUND2,
        }
    }

    /// The bits that it may have, in protocol 666 (`extended`) or 15.
    pub fn known(self, extended: bool) -> u32 {
        match (self, extended) {
            (Kind::Update, true) => U_KNOWN | U_SCALE,
            (Kind::Update, false) => U_EXTEND1 - 1,
            (Kind::ClientData, true) => SU_KNOWN,
            (Kind::ClientData, false) => SU_EXTEND1 - 1,
            (Kind::Sound, true) => SND_PLAIN | SND_LARGE,
            (Kind::Sound, false) => SND_PLAIN,
            _ => B_LARGEMODEL | B_LARGEFRAME | B_ALPHA,
        }
    }

    /// Whether protocol 15 does not have it.
    pub fn is_new(self) -> bool {
        matches!(self, Kind::Baseline2 | Kind::Static2 | Kind::StaticSound2)
    }

    /// Where its layout begins, if the message begins at `at`: the first byte of an update is a part of it.
    pub fn body(self, at: usize) -> usize {
        if self == Kind::Update { at } else { at + 1 }
    }

    /// The bits of the message that begins at `at`; 0 if it has none, or the data ends before them.
    pub fn bits(self, bytes: &[u8], at: usize) -> u32 {
        let slots = self.slots();
        let masked = slots.iter().rposition(|slot| slot.mask.is_some()).map_or(0, |last| last + 1);
        Raw::read(&slots[..masked], bytes, self.body(at)).map_or(0, |raw| raw.bits)
    }

    /// Reads the message that begins at `at`; `None` if the data ends inside it.
    pub fn read(self, bytes: &[u8], at: usize) -> Option<Raw> {
        Raw::read(self.slots(), bytes, self.body(at))
    }

    /// Same, of a conforming sender: `None` too if it has bits that the protocol does not define.
    pub fn read_known(self, bytes: &[u8], at: usize, extended: bool) -> Option<Raw> {
        self.read(bytes, at).filter(|raw| raw.bits & !self.known(extended) == 0 && (extended || !self.is_new()))
    }
}

/// A message, read.
#[derive(Clone, Copy, Debug)]
pub struct Raw {
    /// Its mask; 0 where it has none.
    pub bits: u32,
    /// Offset after it.
    pub end: usize,
    /// A bit per part that is there.
    present: u64,
    /// The parts; 0 where one is not there.
    values: [u32; PARTS],
}

impl Raw {
    /// Reads the message that begins at `at`; `None` if the data ends inside it.
    pub fn read(slots: &[Slot], bytes: &[u8], at: usize) -> Option<Raw> {
        let mut raw = Raw { bits: 0, end: at, present: 0, values: [0; PARTS] };
        for slot in slots {
            if raw.bits & (slot.set | slot.clear) != slot.set {
                continue;
            }
            let end = raw.end + usize::from(slot.width);
            let value = slot.value(bytes.get(raw.end..end)?);
            raw.end = end;
            raw.present |= 1 << slot.part as usize;
            raw.values[slot.part as usize] = value;
            if let Some(shift) = slot.mask {
                raw.bits |= value << shift;
            }
        }
        Some(raw)
    }

    /// A part that is there.
    #[inline]
    pub fn get(&self, part: Part) -> Option<u32> {
        self.has(part).then_some(self.values[part as usize])
    }

    /// A part; 0 if it is not there.
    #[inline]
    pub fn value(&self, part: Part) -> u32 {
        self.values[part as usize]
    }

    /// Whether a part is there.
    #[inline]
    pub fn has(&self, part: Part) -> bool {
        self.present >> part as usize & 1 != 0
    }

    /// Entity and channel of a sound.
    pub fn source(&self) -> (u32, u32) {
        match self.get(Part::EntityAndChannel) {
            Some(both) => (both >> 3, both & 7),
            None => (self.value(Part::Entity), self.value(Part::Channel)),
        }
    }

    /// A coordinate, in eighths.
    pub fn coord(&self, part: Part) -> i32 {
        i32::from(self.value(part) as u16 as i16)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The bytes have these parts, to their end and not before it.
    fn check(slots: &[Slot], bytes: &[u8], parts: &[(Part, u32)]) {
        let raw = Raw::read(slots, bytes, 0).expect("a whole message");
        assert_eq!(raw.end, bytes.len());
        for &(part, value) in parts {
            assert_eq!((part, raw.get(part)), (part, Some(value)));
        }
        for length in 0..bytes.len() {
            assert!(Raw::read(slots, &bytes[..length], 0).is_none());
        }
    }

    // The bytes are derived by hand from the specification: mask bits in their order, then the parts in theirs.

    #[test]
    fn an_update_has_its_parts_in_the_order_of_the_document() {
        // Entity 300 over a baseline of model 1, frame 5: model 300, frame 261, x 100.25 (802 eighths), yaw 90, in steps,
        // alpha code 128, the next think in half a second. ORIGIN1, ANGLE2, STEP, FRAME, MODEL, LONGENTITY, and all
        // four new bits with EXTEND1 and MOREBITS: 0x0fc473 with SIGNAL.
        let bytes = [0xf3, 0xc4, 0x0f, 0x2c, 0x01, 0x2c, 0x05, 0x22, 0x03, 0x40, 0x80, 0x01, 0x01, 0x80];
        let parts = [
            (Part::Entity, 300),
            (Part::Model, 0x2c),
            (Part::Frame, 5),
            (Part::Origin1, 802),
            (Part::Angle2, 64),
            (Part::Alpha, 128),
            (Part::Frame2, 1),
            (Part::Model2, 1),
            (Part::LerpFinish, 128),
        ];
        check(UPDATE, &bytes, &parts);
        check(UPDATE, &[0x80, 1], &[(Part::Entity, 1)]);
        check(UPDATE, &[0x81, 0x40, 0, 1], &[(Part::Entity, 256)]);
    }

    #[test]
    fn a_clientdata_has_its_second_bytes_behind_the_active_weapon() {
        // On ground, velocity x 320, armour 300, weapon model 500, ammunition 400, shells 400, transparency code 128.
        let bytes =
            [0x20, 0xe6, 0x8f, 0x02, 0x14, 1, 0x12, 0, 0, 0x2c, 0xf4, 100, 0, 0x90, 0x90, 0, 0, 0, 1, 1, 1, 1, 1, 0x80];
        let parts = [
            (Part::Velocity1, 20),
            (Part::Items, 0x1201),
            (Part::Armor, 44),
            (Part::Weapon, 0xf4),
            (Part::Health, 100),
            (Part::ActiveWeapon, 1),
            (Part::Weapon2, 1),
            (Part::Shells2, 1),
            (Part::WeaponAlpha, 128),
        ];
        check(CLIENTDATA, &bytes, &parts);
    }

    #[test]
    fn a_sound_has_its_entity_and_channel_in_one_or_two_parts() {
        let origin = [0x80, 0, 0, 0, 0xc0, 0xff];
        let small = [&[0, 0xff, 0xff, 0xff][..], &origin].concat();
        check(SOUND, &small, &[(Part::EntityAndChannel, 8191 << 3 | 7), (Part::Sound, 255), (Part::Origin3, 0xffc0)]);
        let large = [&[0x1b, 0x80, 0x20, 0, 0x20, 1, 0, 1][..], &origin].concat();
        let parts = [(Part::Volume, 128), (Part::Attenuation, 32), (Part::Entity, 8192), (Part::Channel, 1)];
        check(SOUND, &large, &parts);
    }

    #[test]
    fn baselines_and_static_sounds_widen_what_their_flags_say() {
        let place = [8, 0, 0, 0x10, 0, 0x40, 0x18, 0, 0];
        let plain = [&[5, 0, 10, 0, 0, 0][..], &place].concat();
        check(BASELINE, &plain, &[(Part::Entity, 5), (Part::Model, 10), (Part::Angle2, 64)]);
        let wide = [&[5, 0, 7, 0x2c, 1, 5, 1, 0, 2][..], &place, &[128]].concat();
        let parts = [(Part::Model, 300), (Part::Frame, 261), (Part::Skin, 2), (Part::Alpha, 128)];
        check(BASELINE2, &wide, &parts);
        check(STATIC_SOUND, &[8, 0, 16, 0, 24, 0, 7, 255, 64], &[(Part::Sound, 7), (Part::Volume, 255)]);
        check(STATIC_SOUND2, &[8, 0, 16, 0, 24, 0, 0, 1, 255, 64], &[(Part::Sound, 256), (Part::Attenuation, 64)]);
    }
}
