//! Sounds and effects that happen once.

use crate::constants::*;
use crate::primitives::Primitives;
use kit::{DecodeError, ErrorKind, Reader, Writer};

/// First entity number that does not fit beside a channel in one short.
const LARGE_ENTITY: u32 = 1 << 13;
/// The bits of a mask that are known.
const SND_KNOWN: u8 = SND_VOLUME | SND_ATTENUATION | SND_LARGEENTITY | SND_LARGESOUND;
/// First channel that does not fit beside an entity number in one short.
const LARGE_CHANNEL: u8 = 1 << 3;

/// `svc_sound`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sound {
    /// Volume, 255 the loudest.
    pub volume: u8,
    /// Attenuation with distance, in 1/64.
    pub attenuation: u8,
    /// The entity that it comes from.
    pub entity: u32,
    /// The entity's channel; a new sound replaces the old one there.
    pub channel: u8,
    /// The sound's number.
    pub sound: u16,
    /// Where it starts.
    pub origin: [i32; 3],
    /// `SND_*` bits that are set although the values do not ask for them.
    pub forced: u8,
}

impl Sound {
    /// The `SND_*` bits that the values ask for.
    fn needed(&self) -> u8 {
        let mut mask = 0;
        for (condition, bit) in [
            (self.volume != DEFAULT_SOUND_VOLUME, SND_VOLUME),
            (self.attenuation != DEFAULT_SOUND_ATTENUATION, SND_ATTENUATION),
            (self.entity >= LARGE_ENTITY || self.channel >= LARGE_CHANNEL, SND_LARGEENTITY), // FITZ-SND-01
            (self.sound > 0xff, SND_LARGESOUND),                                             // FITZ-SND-02
        ] {
            mask |= if condition { bit } else { 0 };
        }
        mask
    }

    /// Appends the message after its service number.
    pub fn write(&self, w: &mut Writer<'_>, p: &Primitives) {
        let mask = self.needed() | self.forced & SND_KNOWN;
        w.u8("sound mask", mask); // FITZ-SND-04: the order from here on
        if mask & SND_VOLUME != 0 {
            w.u8("volume", self.volume);
        }
        if mask & SND_ATTENUATION != 0 {
            w.u8("attenuation", self.attenuation);
        }
        if mask & SND_LARGEENTITY != 0 {
            p.write_entity(w, "entity", self.entity);
            w.u8("channel", self.channel);
        } else {
            w.u16("entity and channel", (self.entity << 3) as u16 | u16::from(self.channel));
        }
        if mask & SND_LARGESOUND != 0 {
            w.u16("sound", self.sound);
        } else {
            w.u8("sound", self.sound as u8);
        }
        p.write_point(w, "origin", self.origin);
    }

    /// Reads the message after its service number.
    ///
    /// # Errors
    /// The data ends inside it, or the mask has bits of other protocols.
    pub fn read(r: &mut Reader<'_>, p: &Primitives) -> Result<Sound, DecodeError> {
        let offset = r.at();
        let mask = r.u8("sound mask")?;
        let unknown = mask & !SND_KNOWN;
        if unknown != 0 {
            return r.error(offset, "sound mask", ErrorKind::Unknown { value: unknown.into() });
        }
        let volume = if mask & SND_VOLUME != 0 { r.u8("volume")? } else { DEFAULT_SOUND_VOLUME };
        let attenuation = if mask & SND_ATTENUATION != 0 { r.u8("attenuation")? } else { DEFAULT_SOUND_ATTENUATION };
        // FITZ-SND-03
        let (entity, channel) = if mask & SND_LARGEENTITY != 0 {
            (p.read_entity(r, "entity")?, r.u8("channel")?) // FITZ-SND-05
        } else {
            let both = r.u16("entity and channel")?;
            (u32::from(both >> 3), both as u8 % LARGE_CHANNEL)
        };
        let sound = if mask & SND_LARGESOUND != 0 { r.u16("sound")? } else { r.u8("sound")?.into() };
        let origin = p.read_point(r, "origin")?;
        let mut read = Sound { volume, attenuation, entity, channel, sound, origin, forced: 0 };
        read.forced = mask & !read.needed();
        Ok(read)
    }
}

/// `svc_temp_entity`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TempEntity {
    /// An effect at a point: every kind but those below.
    Point {
        /// `TE_*`.
        kind: u8,
        /// Where.
        origin: [i32; 3],
    },
    /// [`TE_EXPLOSION2`].
    ColoredExplosion {
        /// Where.
        origin: [i32; 3],
        /// First colour of the palette.
        first_color: u8,
        /// Number of colours.
        colors: u8,
    },
    /// A lightning bolt or a rope: [`TE_LIGHTNING1`], [`TE_LIGHTNING2`], [`TE_LIGHTNING3`], [`TE_BEAM`].
    Beam {
        /// `TE_*`.
        kind: u8,
        /// The entity that holds its start.
        entity: u32,
        /// Start.
        start: [i32; 3],
        /// End.
        end: [i32; 3],
    },
}

impl TempEntity {
    /// Appends the message after its service number.
    pub fn write(&self, w: &mut Writer<'_>, p: &Primitives) {
        match *self {
            TempEntity::Point { kind, origin } => {
                w.u8("temp entity", kind);
                p.write_point(w, "origin", origin);
            }
            TempEntity::ColoredExplosion { origin, first_color, colors } => {
                w.u8("temp entity", TE_EXPLOSION2);
                p.write_point(w, "origin", origin);
                w.u8("first color", first_color);
                w.u8("colors", colors);
            }
            TempEntity::Beam { kind, entity, start, end } => {
                w.u8("temp entity", kind);
                p.write_entity(w, "entity", entity);
                p.write_point(w, "start", start);
                p.write_point(w, "end", end);
            }
        }
    }

    /// Reads the message after its service number.
    ///
    /// # Errors
    /// The data ends inside it, or the kind is unknown.
    pub fn read(r: &mut Reader<'_>, p: &Primitives) -> Result<TempEntity, DecodeError> {
        let offset = r.at();
        Ok(match r.u8("temp entity")? {
            kind @ (TE_LIGHTNING1 | TE_LIGHTNING2 | TE_LIGHTNING3 | TE_BEAM) => TempEntity::Beam {
                kind,
                entity: p.read_entity(r, "entity")?,
                start: p.read_point(r, "start")?,
                end: p.read_point(r, "end")?,
            },
            TE_EXPLOSION2 => TempEntity::ColoredExplosion {
                origin: p.read_point(r, "origin")?,
                first_color: r.u8("first color")?,
                colors: r.u8("colors")?,
            },
            kind if temp_entity_name(kind).is_some() => TempEntity::Point { kind, origin: p.read_point(r, "origin")? },
            kind => return r.error(offset, "temp entity", ErrorKind::Unknown { value: kind.into() }),
        })
    }
}
