//! What servers get wrong about sounds and the numbers of messages.

use super::{of_server, server_sends, server_sends_otherwise, services};
use crate::requirements::*;
use kit::{Endpoint, Mutant, Setup};
use netquake::Service;
use netquake::constants::*;
use netquake::effect::Sound;
use netquake::fitzquake::{SVC_SPAWN_BASELINE2, SVC_SPAWN_STATIC_SOUND2};

/// A server whose sounds are written by `write`, after their number; `None` for as they are.
fn sounds(setup: &Setup, write: fn(&Sound, &[u8]) -> Option<Vec<u8>>) -> Box<dyn Endpoint> {
    server_sends_otherwise(setup, move |service, bytes, _| match service {
        Service::Sound(sound) => write(sound, bytes),
        _ => None,
    })
}

/// The parts of a sound: its mask, volume and attenuation, entity and channel, number, and place.
fn parts(bytes: &[u8]) -> Option<[&[u8]; 5]> {
    let mask = *bytes.get(1)?;
    let size = |bit: u8| usize::from(mask & bit != 0);
    let levels = 2 + size(SND_VOLUME) + size(SND_ATTENUATION);
    let entity = levels + 2 + size(SND_LARGEENTITY);
    let number = entity + 1 + size(SND_LARGESOUND);
    Some([
        bytes.get(1..2)?,
        bytes.get(2..levels)?,
        bytes.get(levels..entity)?,
        bytes.get(entity..number)?,
        bytes.get(number..)?,
    ])
}

fn joined(parts: &[&[u8]]) -> Vec<u8> {
    [&[SVC_SOUND][..]].iter().chain(parts).flat_map(|part| part.iter().copied()).collect()
}

/// A server whose messages of protocol 666 have other numbers.
fn renumbered(setup: &Setup, number: fn(u8) -> u8) -> Box<dyn Endpoint> {
    server_sends(setup, move |packet| {
        for span in services(packet) {
            if let Some(svc @ SVC_SPAWN_BASELINE2..=SVC_SPAWN_STATIC_SOUND2) = packet.raw(span).first().copied() {
                packet.replace(span.start..span.start + 1, &[number(svc)]);
            }
        }
    })
}

pub(super) static MUTANTS: &[Mutant] = &[
    of_server("sound-entity-overflows", &SND_01, "fitz666/sounds", "writes every entity in 13 bits", |setup| {
        sounds(setup, |sound, bytes| {
            let [mask, levels, _, number, place] = parts(bytes)?;
            let large = mask[0] & SND_LARGEENTITY != 0;
            let both = ((sound.entity << 3) as u16 | u16::from(sound.channel & 7)).to_le_bytes();
            large.then(|| joined(&[&[mask[0] & !SND_LARGEENTITY], levels, &both, number, place]))
        })
    }),
    of_server("large-entities-from-8193", &SND_01, "fitz666/sounds", "writes entity 8192 in 13 bits", |setup| {
        sounds(setup, |sound, bytes| {
            let [mask, levels, _, number, place] = parts(bytes)?;
            let both = ((sound.entity << 3) as u16 | u16::from(sound.channel & 7)).to_le_bytes();
            let first = sound.entity == 8192;
            first.then(|| joined(&[&[mask[0] & !SND_LARGEENTITY], levels, &both, number, place]))
        })
    }),
    of_server("sound-low-byte", &SND_02, "fitz666/sounds", "writes the low byte of a sound's number alone", |setup| {
        sounds(setup, |_, bytes| {
            let [mask, levels, entity, number, place] = parts(bytes)?;
            let large = mask[0] & SND_LARGESOUND != 0;
            large.then(|| joined(&[&[mask[0] & !SND_LARGESOUND], levels, entity, &number[..1], place]))
        })
    }),
    of_server("large-sounds-from-257", &SND_02, "fitz666/sounds", "writes sound 256 in a byte", |setup| {
        sounds(setup, |sound, bytes| {
            let [mask, levels, entity, number, place] = parts(bytes)?;
            let first = sound.sound == 256;
            first.then(|| joined(&[&[mask[0] & !SND_LARGESOUND], levels, entity, &number[..1], place]))
        })
    }),
    of_server("sound-before-entity", &SND_04, "fitz666/sounds", "writes a sound's number before its entity", |setup| {
        sounds(setup, |_, bytes| {
            let [mask, levels, entity, number, place] = parts(bytes)?;
            Some(joined(&[mask, levels, number, entity, place]))
        })
    }),
    of_server(
        "attenuation-before-volume",
        &SND_04,
        "fitz666/sounds",
        "writes a sound's attenuation before its volume",
        {
            |setup| {
                sounds(setup, |_, bytes| {
                    let [mask, levels, entity, number, place] = parts(bytes)?;
                    let swapped: Vec<u8> = levels.iter().rev().copied().collect();
                    Some(joined(&[mask, &swapped, entity, number, place]))
                })
            }
        },
    ),
    of_server(
        "sound-bits-one-lower",
        &DEF_03,
        "fitz666/sounds",
        "takes bits 2 and 3 for LARGEENTITY and LARGESOUND",
        {
            |setup| {
                sounds(setup, |_, bytes| {
                    let [mask, levels, entity, number, place] = parts(bytes)?;
                    let low = mask[0] & 3 | (mask[0] & (SND_LARGEENTITY | SND_LARGESOUND)) >> 1;
                    Some(joined(&[&[low], levels, entity, number, place]))
                })
            }
        },
    ),
    of_server(
        "sound-bits-swapped",
        &DEF_03,
        "fitz666/sounds",
        "takes bit 4 for LARGEENTITY and 3 for LARGESOUND",
        |setup| {
            sounds(setup, |_, bytes| {
                let [mask, levels, entity, number, place] = parts(bytes)?;
                let bit = |from: u8, to: u8| if mask[0] & from != 0 { to } else { 0 };
                let swapped = bit(SND_LARGEENTITY, SND_LARGESOUND) | bit(SND_LARGESOUND, SND_LARGEENTITY);
                Some(joined(&[&[mask[0] & 3 | swapped], levels, entity, number, place]))
            })
        },
    ),
    of_server(
        "messages-one-lower",
        &DEF_04,
        "fitz666/baselines",
        "takes 41, 42 and 43 for the new messages",
        |setup| renumbered(setup, |svc| svc - 1),
    ),
    of_server(
        "messages-one-higher",
        &DEF_04,
        "fitz666/baselines",
        "takes 43, 44 and 45 for the new messages",
        |setup| renumbered(setup, |svc| svc + 1),
    ),
];
