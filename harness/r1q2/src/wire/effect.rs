//! `svc_temp_entity`: an effect of a moment, in as many shapes as there are kinds, those of the mission packs included.

use crate::wire::constants::NUMVERTEXNORMALS;
use kit::{DecodeError, ErrorKind, Reader, Writer};

/// One part of an effect.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Part {
    /// A count, a byte.
    Count,
    /// The next position: three coords.
    Position,
    /// A direction: the number of a normal, a byte.
    Direction,
    /// A colour, a byte.
    Colour,
    /// An entity, or the number of an effect that lasts; a short.
    Entity,
    /// The entity at the far end, a short.
    Entity2,
    /// How strong it is, a short.
    Magnitude,
    /// How long it lasts, in milliseconds, a long; left out where the entity is -1.
    Time,
}

use Part::{Colour, Count, Direction, Entity, Entity2, Magnitude, Position, Time};

const IMPACT: &[Part] = &[Position, Direction];
const SPLASH: &[Part] = &[Count, Position, Direction, Colour];
const TRAIL: &[Part] = &[Position, Position];
const EXPLOSION: &[Part] = &[Position];
const CABLE: &[Part] = &[Entity, Position, Position];

/// What an effect of this kind consists of, in wire order; `None` where there is no such kind, or it is never sent
/// and engines disagree (31 and 32).
pub fn shape(kind: u8) -> Option<&'static [Part]> {
    Some(match kind {
        0 | 1 | 2 | 4 | 9 | 12 | 13 | 14 | 26 | 30 | 42 | 43 | 44 | 46 | 55 => IMPACT,
        10 | 15 | 25 | 29 => SPLASH,
        3 | 11 | 23 | 27 | 34 | 41 => TRAIL,
        5..=8 | 17 | 18 | 20..=22 | 28 | 35 | 45 | 47..=49 | 51..=54 => EXPLOSION,
        16 | 19 | 38 | 39 => CABLE,
        24 => &[Entity, Position, Position, Position],
        33 => &[Entity, Entity2, Position, Position],
        36 => &[Position, Entity],
        37 => &[Position, Position, Colour],
        40 => &[Entity, Count, Position, Direction, Colour, Magnitude, Time],
        50 => &[Entity, Position],
        _ => return None,
    })
}

/// The kinds that there are end below this.
pub const EFFECT_KINDS: u8 = 56;

/// An effect. What its kind does not have is 0.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TempEntity {
    /// Which effect.
    pub kind: u8,
    /// How much of it.
    pub count: u8,
    /// Where it is, in eighths: up to three places.
    pub positions: [[i16; 3]; 3],
    /// Number of the normal that it goes along.
    pub direction: u8,
    /// Its colour in the palette.
    pub colour: u8,
    /// The entity that it belongs to.
    pub entity: i16,
    /// The entity at its far end.
    pub entity2: i16,
    /// How strong it is.
    pub magnitude: i16,
    /// How long it lasts, in milliseconds.
    pub time: i32,
}

/// The entity of an effect that happens once, and so has no time.
pub const ONCE: i16 = -1;

impl TempEntity {
    /// Writes kind and parts; nothing but the kind if there is no such kind.
    pub fn write(&self, w: &mut Writer<'_>) {
        w.u8("type", self.kind);
        let mut positions = self.positions.iter();
        for part in shape(self.kind).unwrap_or_default() {
            match part {
                Count => w.u8("count", self.count),
                Position => write_position(w, positions.next().unwrap_or(&[0; 3])),
                Direction => w.u8("direction", self.direction),
                Colour => w.u8("colour", self.colour),
                Entity => w.i16("entity", self.entity),
                Entity2 => w.i16("entity2", self.entity2),
                Magnitude => w.i16("magnitude", self.magnitude),
                Time if self.entity == ONCE => {}
                Time => w.i32("time", self.time),
            }
        }
    }

    /// Reads kind and parts.
    ///
    /// # Errors
    /// The first part that is cut off, a kind that there is not, or a direction that there is not.
    pub fn read(r: &mut Reader<'_>) -> Result<TempEntity, DecodeError> {
        let offset = r.at();
        let kind = r.u8("type")?;
        let Some(shape) = shape(kind) else {
            return r.error(offset, "type", ErrorKind::Unknown { value: kind.into() });
        };
        let mut effect = TempEntity { kind, ..TempEntity::default() };
        let mut positions = effect.positions.iter_mut();
        for part in shape {
            match part {
                Count => effect.count = r.u8("count")?,
                Position => {
                    let position = read_position(r)?;
                    if let Some(place) = positions.next() {
                        *place = position;
                    }
                }
                Direction => effect.direction = read_direction(r)?,
                Colour => effect.colour = r.u8("colour")?,
                Entity => effect.entity = r.i16("entity")?,
                Entity2 => effect.entity2 = r.i16("entity2")?,
                Magnitude => effect.magnitude = r.i16("magnitude")?,
                Time if effect.entity == ONCE => {}
                Time => effect.time = r.i32("time")?,
            }
        }
        Ok(effect)
    }
}

fn read_direction(r: &mut Reader<'_>) -> Result<u8, DecodeError> {
    let offset = r.at();
    match r.u8("direction")? {
        direction if direction < NUMVERTEXNORMALS => Ok(direction),
        direction => {
            let kind = ErrorKind::TooLarge { value: direction.into(), limit: usize::from(NUMVERTEXNORMALS) - 1 };
            r.error(offset, "direction", kind)
        }
    }
}

/// Reads three coords, in eighths.
pub(crate) fn read_position(r: &mut Reader<'_>) -> Result<[i16; 3], DecodeError> {
    Ok([r.fraction16("position[0]", 8)?, r.fraction16("position[1]", 8)?, r.fraction16("position[2]", 8)?])
}

/// Writes three coords, in eighths.
pub(crate) fn write_position(w: &mut Writer<'_>, position: &[i16; 3]) {
    for (name, coord) in ["position[0]", "position[1]", "position[2]"].into_iter().zip(position) {
        w.i16(name, *coord);
    }
}
