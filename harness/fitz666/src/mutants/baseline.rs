//! What both ends get wrong about baselines, static entities and static sounds.

use super::{bytes_of, client_receives, client_with, of_client, of_server, server_sends, services};
use crate::game::rules::ClientRules;
use crate::requirements::*;
use kit::{Endpoint, Mutant, Packet, Reader, Setup};
use netquake::fitzquake::{self, Fitz, SVC_SPAWN_BASELINE2, SVC_SPAWN_STATIC2};
use netquake::update::{ALPHA, B_ALPHA, B_LARGEFRAME, B_LARGEMODEL, FastUpdate, Record};
use netquake::{Primitives, Service};

/// Protocol 666.
const P: Primitives = Primitives { extended_updates: true, ..Primitives::PLAIN };

/// Where the parts of a record are: model, frame, colormap and skin, place, alpha.
struct Parts {
    /// Number of the message, and the entity's number, if it has one.
    head: Vec<u8>,
    bits: u8,
    model: Vec<u8>,
    frame: Vec<u8>,
    /// Colormap and skin.
    look: Vec<u8>,
    place: Vec<u8>,
    alpha: Vec<u8>,
}

impl Parts {
    /// Of a baseline or a static entity in the new form.
    fn of(bytes: &[u8]) -> Option<Parts> {
        let head = match *bytes.first()? {
            SVC_SPAWN_BASELINE2 => 3,
            SVC_SPAWN_STATIC2 => 1,
            _ => return None,
        };
        let bits = *bytes.get(head)?;
        let size = |bit: u8| usize::from(bits & bit != 0);
        let mut rest = bytes.get(head + 1..)?.to_vec();
        let mut take = |count: usize| {
            let left = rest.split_off(count.min(rest.len()));
            std::mem::replace(&mut rest, left)
        };
        let (model, frame, look) = (take(1 + size(B_LARGEMODEL)), take(1 + size(B_LARGEFRAME)), take(2));
        let (place, alpha) = (take(3 * (2 + 1)), take(size(B_ALPHA)));
        Some(Parts { head: bytes.get(..head)?.to_vec(), bits, model, frame, look, place, alpha })
    }

    fn join(&self) -> Vec<u8> {
        let Parts { head, bits, model, frame, look, place, alpha } = self;
        [head, &vec![*bits], model, frame, look, place, alpha].into_iter().flatten().copied().collect()
    }
}

/// Puts what `write` makes of them in the place of baselines and static entities in the new form.
fn rearrange(packet: &mut Packet<'_>, write: fn(Parts) -> Option<Vec<u8>>) {
    for span in services(packet) {
        if let Some(other) = Parts::of(packet.raw(span)).and_then(write) {
            packet.replace(span.start..span.end, &other);
        }
    }
}

/// A server that writes them so.
fn sends(setup: &Setup, write: fn(Parts) -> Option<Vec<u8>>) -> Box<dyn Endpoint> {
    server_sends(setup, move |packet| rearrange(packet, write))
}

/// A client that takes what is written for this.
fn receives(setup: &Setup, write: fn(Parts) -> Option<Vec<u8>>) -> Box<dyn Endpoint> {
    client_receives(setup, move |packet| rearrange(packet, write))
}

/// A server that writes some of the new messages otherwise.
fn sends_instead(setup: &Setup, write: fn(&Fitz<'_>) -> Option<Vec<u8>>) -> Box<dyn Endpoint> {
    server_sends(setup, move |packet| {
        for span in services(packet) {
            let mut r = Reader::new(packet.raw(span));
            let Ok(number) = r.u8("svc") else { continue };
            let Ok(Some(service)) = fitzquake::read_service(&mut r, number, &P) else { continue };
            if let Some(other) = write(&service) {
                packet.replace(span.start..span.end, &other);
            }
        }
    })
}

fn baseline(entity: u16, fields: &Record) -> Vec<u8> {
    bytes_of(|w| Service::SpawnBaseline { entity, fields: *fields }.write(w, &P))
}

/// What an update makes of a baseline without alpha, if that is taken for opaque.
fn over_opaque(update: &FastUpdate, baseline: &Record, _: &Record) -> Record {
    let mut baseline = *baseline;
    baseline[ALPHA] = if baseline[ALPHA] == 0 { 255 } else { baseline[ALPHA] };
    update.over(&baseline)
}

pub(super) static MUTANTS: &[Mutant] = &[
    of_server("baselines-of-15", &BASE_01, "fitz666/baselines", "sends every baseline in the old form", |setup| {
        sends_instead(setup, |service| match service {
            Fitz::SpawnBaseline { entity, fields, .. } => Some(baseline(*entity, fields)),
            _ => None,
        })
    }),
    of_server(
        "old-form-for-alpha",
        &BASE_01,
        "fitz666/baselines",
        "takes the new form for large numbers alone",
        |setup| {
            sends_instead(setup, |service| match service {
                Fitz::SpawnBaseline { entity, bits: B_ALPHA, fields } => Some(baseline(*entity, fields)),
                _ => None,
            })
        },
    ),
    of_server(
        "flags-before-entity",
        &BASE_02,
        "fitz666/baselines",
        "writes a baseline's flags before its entity",
        |setup| {
            sends(setup, |mut parts| {
                (parts.head.len() == 3).then(|| {
                    parts.head.insert(1, parts.bits);
                    let bytes = parts.join();
                    [&bytes[..4], &bytes[5..]].concat()
                })
            })
        },
    ),
    of_server(
        "model-of-baseline-swapped",
        &BASE_03,
        "fitz666/baselines",
        "writes a large model's high byte first",
        |setup| {
            sends(setup, |mut parts| {
                parts.model.reverse();
                Some(parts.join())
            })
        },
    ),
    of_client(
        "model-of-baseline-misread",
        &BASE_03,
        "fitz666/baselines",
        "reads a large model's high byte first",
        |setup| {
            receives(setup, |mut parts| {
                parts.model.reverse();
                Some(parts.join())
            })
        },
    ),
    of_server("one-flag-for-both", &BASE_04, "fitz666/baselines", "sets LARGEMODEL for a large frame", |setup| {
        sends(setup, |mut parts| {
            let frame = parts.bits & B_LARGEFRAME != 0;
            parts.bits = if frame { parts.bits & !B_LARGEFRAME | B_LARGEMODEL } else { parts.bits };
            Some(parts.join())
        })
    }),
    of_client(
        "frame-of-baseline-low-byte",
        &BASE_04,
        "fitz666/baselines",
        "takes the low byte of a large frame alone",
        |setup| {
            receives(setup, |mut parts| {
                parts.frame.iter_mut().skip(1).for_each(|high| *high = 0);
                Some(parts.join())
            })
        },
    ),
    of_server(
        "alpha-of-baseline-early",
        &BASE_05,
        "fitz666/baselines",
        "writes a baseline's alpha after its skin",
        |setup| {
            sends(setup, |mut parts| {
                let alpha = std::mem::take(&mut parts.alpha);
                parts.look.extend(alpha);
                Some(parts.join())
            })
        },
    ),
    of_client(
        "alpha-of-baseline-skipped",
        &BASE_05,
        "fitz666/baselines",
        "takes a baseline's alpha for none",
        |setup| {
            receives(setup, |mut parts| {
                parts.alpha.fill(0);
                Some(parts.join())
            })
        },
    ),
    of_client(
        "plain-baselines-opaque",
        &BASE_06,
        "fitz666/baselines",
        "takes a baseline without alpha for opaque",
        |setup| client_with(setup, ClientRules { over: over_opaque, ..ClientRules::REFERENCE }),
    ),
    of_server("static-has-a-number", &STAT_01, "fitz666/baselines", "gives a static entity a number", |setup| {
        sends(setup, |mut parts| {
            (parts.head.len() == 1).then(|| {
                parts.head.extend([7, 0]);
                parts.join()
            })
        })
    }),
    of_server("statics-of-15", &STAT_01, "fitz666/baselines", "sends every static entity in the old form", |setup| {
        sends_instead(setup, |service| match service {
            Fitz::SpawnStatic { fields, .. } => {
                Some(bytes_of(|w| Service::SpawnStatic { fields: *fields }.write(w, &P)))
            }
            _ => None,
        })
    }),
    of_server(
        "volume-widened",
        &STAT_02,
        "fitz666/baselines",
        "writes the volume of svc_spawnstaticsound2 as a short",
        {
            |setup| {
                sends_instead(setup, |service| match service {
                    Fitz::SpawnStaticSound { .. } => {
                        let mut bytes = bytes_of(|w| service.write(w, &P));
                        let at = bytes.len().saturating_sub(1);
                        bytes.insert(at, 0);
                        Some(bytes)
                    }
                    _ => None,
                })
            }
        },
    ),
    of_server(
        "static-sound-low-byte",
        &STAT_02,
        "fitz666/baselines",
        "sends every static sound in the old form",
        |setup| {
            sends_instead(setup, |service| match service {
                &Fitz::SpawnStaticSound { origin, sound, volume, attenuation } => {
                    let sound = sound as u8;
                    Some(bytes_of(|w| Service::SpawnStaticSound { origin, sound, volume, attenuation }.write(w, &P)))
                }
                _ => None,
            })
        },
    ),
    of_server(
        "wide-flag-unset",
        &BASE_03,
        "fitz666/baselines",
        "writes a large model as a short without the flag",
        |setup| {
            sends(setup, |mut parts| {
                (parts.bits & B_LARGEMODEL != 0).then(|| {
                    parts.bits &= !B_LARGEMODEL;
                    parts.join()
                })
            })
        },
    ),
];

#[cfg(test)]
mod tests {
    use super::*;
    use netquake::update::write_record;

    #[test]
    fn the_parts_of_a_baseline_are_those_that_were_written() {
        let mut fields = [0; netquake::update::FIELDS];
        (fields[0], fields[1], fields[ALPHA]) = (300, 261, 9);
        let message = Fitz::SpawnBaseline { entity: 5, bits: B_LARGEMODEL | B_LARGEFRAME | B_ALPHA, fields };
        let bytes = bytes_of(|w| message.write(w, &P));
        let parts = Parts::of(&bytes).expect("a baseline");
        assert_eq!((&parts.model[..], &parts.frame[..], &parts.alpha[..]), (&[0x2c, 1][..], &[5, 1][..], &[9][..]));
        assert_eq!(parts.join(), bytes);
        assert_eq!(parts.place, bytes_of(|w| write_record(w, &P, 0, &fields))[4..]);
    }
}
