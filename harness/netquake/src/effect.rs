//! Sounds and effects that happen once.

use crate::constants::*;
use crate::primitives::{BigEntities, Primitives};
use kit::{DecodeError, ErrorKind, Reader, Writer};

/// First entity number that does not fit beside a channel in one short.
const LARGE_ENTITY: u32 = 1 << 13;
/// The bits of a mask that are known.
const SND_KNOWN: u8 = SND_VOLUME | SND_ATTENUATION | SND_LARGEENTITY | SND_LARGESOUND;
/// Those that replacement deltas bring.
const SND_EXTRAS: u8 = SND_MOREFLAGS | SND_SPEED | SND_TIMEOFS | SND_PITCHADJ;
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
    /// What FTE's extensions add.
    pub extras: SoundExtras,
    /// `SND_*` bits that are set although the values do not ask for them.
    pub forced: u8,
}

/// What peers with replacement deltas may say of a sound beside that. No requirement is about it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SoundExtras {
    /// The flags behind [`SND_MOREFLAGS`].
    pub flags: Option<u64>,
    /// The speed that it is played at, in percent.
    pub pitch: Option<u8>,
    /// Where in the sound to begin, in milliseconds.
    pub offset: Option<i16>,
    /// How fast it moves, in 1/8 units a second.
    pub velocity: Option<[i16; 3]>,
    /// The speed that it is played at, times 4,000.
    pub speed: Option<u16>,
}

impl SoundExtras {
    /// The `SND_*` bits that say what is there.
    fn mask(&self) -> u8 {
        [
            (self.flags.is_some(), SND_MOREFLAGS),
            (self.pitch.is_some(), SND_PITCHADJ),
            (self.offset.is_some(), SND_TIMEOFS),
            (self.speed.is_some(), SND_SPEED),
        ]
        .into_iter()
        .fold(0, |mask, (is_there, bit)| if is_there { mask | bit } else { mask })
    }

    fn write(&self, w: &mut Writer<'_>) {
        if let Some(pitch) = self.pitch {
            w.u8("pitch", pitch);
        }
        if let Some(offset) = self.offset {
            w.i16("time offset", offset);
        }
        for axis in self.velocity.into_iter().flatten() {
            w.i16("velocity", axis);
        }
        if let Some(speed) = self.speed {
            w.u16("speed", speed);
        }
    }

    /// What stands behind volume and attenuation.
    fn read(r: &mut Reader<'_>, mask: u8, flags: Option<u64>) -> Result<SoundExtras, DecodeError> {
        let pitch = if mask & SND_PITCHADJ != 0 { Some(r.u8("pitch")?) } else { None };
        let offset = if mask & SND_TIMEOFS != 0 { Some(r.i16("time offset")?) } else { None };
        let velocity = match flags {
            Some(flags) if flags & SND_MORE_VELOCITY != 0 => {
                Some([r.i16("velocity")?, r.i16("velocity")?, r.i16("velocity")?])
            }
            _ => None,
        };
        let speed = if mask & SND_SPEED != 0 { Some(r.u16("speed")?) } else { None };
        Ok(SoundExtras { flags, pitch, offset, velocity, speed })
    }
}

/// Appends a number as FTE does: as many leading ones in the first byte as bytes follow, then the number, highest byte first.
fn write_number(w: &mut Writer<'_>, number: u64) {
    let follow = (0..8).find(|follow| number >> (7 * (follow + 1)) == 0).unwrap_or(8);
    let ones = (0xff00_u16 >> follow) as u8;
    w.u8("sound flags", ones | number.checked_shr(8 * follow).unwrap_or(0) as u8);
    for byte in (0..follow).rev() {
        w.u8("sound flags", (number >> (8 * byte)) as u8);
    }
}

/// Reads what [`write_number`] writes.
fn read_number(r: &mut Reader<'_>) -> Result<u64, DecodeError> {
    let first = r.u8("sound flags")?;
    let follow = first.leading_ones();
    let mut number = u64::from(first) & (0x7f >> follow);
    for _ in 0..follow {
        number = number << 8 | u64::from(r.u8("sound flags")?);
    }
    Ok(number)
}

impl Sound {
    /// The `SND_*` bits that the values ask for.
    fn needed(&self) -> u8 {
        let mut mask = self.extras.mask();
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
        if let Some(flags) = self.extras.flags {
            write_number(w, flags);
        }
        if mask & SND_VOLUME != 0 {
            w.u8("volume", self.volume);
        }
        if mask & SND_ATTENUATION != 0 {
            w.u8("attenuation", self.attenuation);
        }
        self.extras.write(w);
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
        let known = if p.big_entities == BigEntities::Plain { SND_KNOWN } else { SND_KNOWN | SND_EXTRAS };
        let unknown = mask & !known;
        if unknown != 0 {
            return r.error(offset, "sound mask", ErrorKind::Unknown { value: unknown.into() });
        }
        let flags = if mask & SND_MOREFLAGS != 0 { Some(read_number(r)?) } else { None };
        let volume = if mask & SND_VOLUME != 0 { r.u8("volume")? } else { DEFAULT_SOUND_VOLUME };
        let attenuation = if mask & SND_ATTENUATION != 0 { r.u8("attenuation")? } else { DEFAULT_SOUND_ATTENUATION };
        let extras = SoundExtras::read(r, mask, flags)?;
        // FITZ-SND-03
        let (entity, channel) = if mask & SND_LARGEENTITY != 0 {
            (p.read_entity(r, "entity")?, r.u8("channel")?) // FITZ-SND-05
        } else {
            let both = r.u16("entity and channel")?;
            (u32::from(both >> 3), both as u8 % LARGE_CHANNEL)
        };
        let sound = if mask & SND_LARGESOUND != 0 { r.u16("sound")? } else { r.u8("sound")?.into() };
        let origin = p.read_point(r, "origin")?;
        let mut read = Sound { volume, attenuation, entity, channel, sound, origin, extras, forced: 0 };
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
