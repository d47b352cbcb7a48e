//! What the verbs of a scenario ask a server to say, part by part, and what a client notes of it: the one place that says
//! which volume a sound has and which colour an effect.

use super::Sound;
use crate::notes::{NOTE_EFFECT_SHOWN, NOTE_INVENTORY, NOTE_SOUND_PLAYED, note};
use crate::wire::constants::*;
use crate::wire::effect::{ONCE, TempEntity, shape};
use kit::{Event, Writer};

/// The sound of an entity at a place in eighths, with the parts that the `SND_` flags name.
pub fn sound(entity: i32, index: i32, flags: u8, place: [i16; 3]) -> Sound {
    let has = |flag: u8| flags & flag != 0;
    Sound {
        index: index as u8,
        volume: has(SND_VOLUME).then_some(200),
        attenuation: has(SND_ATTENUATION).then_some(32),
        offset: has(SND_OFFSET).then_some(7),
        entity: has(SND_ENT).then_some((entity as u16) << 3 | 1),
        position: has(SND_POS).then_some(place),
    }
}

/// The effect of this kind of an entity at a place in eighths; `None` where there is no such kind.
pub fn effect(kind: i32, entity: i32, place: [i16; 3]) -> Option<TempEntity> {
    let kind = u8::try_from(kind).ok().filter(|&kind| shape(kind).is_some())?;
    let positions = [place, [80, -80, 8], [1, 2, 3]];
    let entity = entity as i16;
    let (count, direction, colour, magnitude) = (9, 5, 0xd0, 300);
    // What happens once lasts no time.
    let time = if entity == ONCE { 0 } else { 500 };
    Some(TempEntity { kind, count, positions, direction, colour, entity, entity2: 1, magnitude, time })
}

/// The parts of an effect, as they are on the wire.
pub fn parts(effect: &TempEntity) -> Vec<u8> {
    let mut parts = Vec::new();
    effect.write(&mut Writer::new(&mut parts));
    parts
}

/// A checksum of the parts: a note has room for one number.
fn sum(parts: impl Iterator<Item = i64>) -> i64 {
    parts.fold(0, |sum, part| (sum * 31 + part).rem_euclid(1_000_003))
}

/// What a client notes of an effect.
pub fn effect_note(effect: &TempEntity) -> Event {
    let TempEntity { kind, count, positions, direction, colour, entity, entity2, magnitude, time } = *effect;
    let places = positions.into_iter().flatten().map(i64::from);
    let small = [count, direction, colour].map(i64::from).into_iter();
    let others = [entity, entity2, magnitude].map(i64::from).into_iter();
    note(NOTE_EFFECT_SHOWN, [kind.into(), sum(places.chain(small).chain(others).chain([time.into()]))])
}

/// What a client notes of a sound.
pub fn sound_note(sound: &Sound) -> Event {
    let source = i64::from(sound.entity.unwrap_or(0));
    let bytes = [sound.volume, sound.attenuation, sound.offset].map(|byte| byte.map_or(-1, i64::from));
    let place = sound.position.unwrap_or_default().map(i64::from);
    let rest = sum(bytes.into_iter().chain(place));
    note(NOTE_SOUND_PLAYED, [sound.index.into(), source >> 3, source & 7, rest])
}

/// What a client notes of an inventory.
pub fn inventory_note(counts: &[i16]) -> Event {
    let first = counts.iter().enumerate().find(|(_, count)| **count != 0);
    let [item, count] = first.map_or([-1, 0], |(item, count)| [item as i64, (*count).into()]);
    note(NOTE_INVENTORY, [item, count, sum(counts.iter().map(|count| i64::from(*count)))])
}
