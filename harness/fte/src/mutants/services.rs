//! Broken services and commands: what is said beside the entries of frames.

use super::{client_hears, client_says, of_client, of_server, server_says};
use crate::constants::*;
use crate::delta;
use crate::dialect::{Dialect, Transport};
use crate::message;
use crate::options::Options;
use crate::requirements::*;
use crate::state::*;
use kit::{Endpoint, Mutant, Packet, Reader, Setup, Span, Writer};
use netquake::constants::{SND_LARGESOUND, SVC_SET_VIEW, SVC_SOUND, SVC_TIME};
use quakeworld::{SVC_NAILS, SVC_PACKETENTITIES};

/// A client whose acknowledgements have another command's number.
fn by_command_51(setup: &Setup) -> Box<dyn Endpoint> {
    client_says(setup, |packet| {
        let acks = packet.fields("clc").filter(|clc| packet.value(clc) == u64::from(CLC_ACKFRAME));
        for ack in acks.collect::<Vec<&Span>>() {
            packet.set(ack, u64::from(CLC_ACKFRAME) + 1);
        }
    })
}

/// The broken services.
pub(super) static MUTANTS: &[Mutant] = &[
    of_server("old-and-new-entities", &SVC_01, "fte/delta-clean", "sends old updates beside its frames", |setup| {
        // An update of entity 1 without a field; a list without an entity.
        let old: &[u8] = match Options::new(setup).transport {
            Transport::NetQuake => &[0x80, 1],
            Transport::QuakeWorld => &[SVC_PACKETENTITIES, 0, 0],
        };
        server_says(setup, move |packet| append_to_frame(packet, old))
    }),
    of_server(
        "nails-apart",
        &SVC_01,
        "fte/handshake-quakeworld",
        "sends nails in the service of their own that frames replace",
        |setup| server_says(setup, |packet| append_to_frame(packet, &[SVC_NAILS, 0])),
    )
    .same_bug_as("FTEQW before d7cdc39cc"),
    of_server("time-apart", &SVC_02, "fte/handshake-netquake", "sends svc_time beside its frames", |setup| {
        server_says(setup, |packet| {
            // With the movement sequence that PREDINFO gives it.
            append_to_frame(packet, &[SVC_TIME, 0, 0, 0x80, 0x3f, 0, 0]);
        })
    }),
    of_client("time-in-minutes", &SVC_03, "fte/delta-clean", "reads server time in another unit", |setup| {
        client_hears(setup, |packet| edit_time(packet, |time| (time / 60.0).to_bits()))
    }),
    of_client(
        "clock-stands-still",
        &SVC_04,
        "fte/delta-clean",
        "takes server time from the first frame only",
        |setup| {
            let mut first = None;
            client_hears(setup, move |packet| edit_time(packet, |time| first.get_or_insert(time).to_bits()))
        },
    ),
    of_client("acks-by-another-number", &SVC_13, "fte/ack-batched", "acknowledges by command 51", by_command_51),
    of_client(
        "acks-by-another-number-quakeworld",
        &SVC_13,
        "fte/ack-bunched-quakeworld",
        "acknowledges by command 51",
        by_command_51,
    ),
    of_server("static-with-number", &SVC_05, "fte/announcements", "gives static entities a number", |setup| {
        server_says(setup, |packet| {
            for service in services(packet, SVC_SPAWNSTATIC2) {
                packet.replace(service.start + 1..service.start + 1, &[7, 0]);
            }
        })
    }),
    of_client("static-number-expected", &SVC_05, "fte/announcements", "expects static entities to have a number", {
        |setup| {
            client_hears(setup, |packet| {
                for service in services(packet, SVC_SPAWNSTATIC2) {
                    packet.replace(service.start + 1..service.start + 3, &[]);
                }
            })
        }
    }),
    of_server("baseline-alpha-biased", &SVC_06, "fte/announcements", "announces baselines with alpha one too low", {
        |setup| {
            let dialect = dialect(setup);
            server_says(setup, move |packet| {
                announce(packet, &dialect, |number, state| state[ALPHA] -= i32::from(number.is_some()));
            })
        }
    }),
    of_client("baseline-misfiled", &SVC_06, "fte/announcements", "takes a baseline for that of another entity", {
        |setup| {
            let dialect = dialect(setup);
            client_hears(setup, move |packet| {
                announce(packet, &dialect, |number, _| {
                    if let Some(number) = number {
                        *number += 1000;
                    }
                });
            })
        }
    }),
    of_client("baseline-of-last-map", &SVC_07, "fte/announcements", "keeps what a new baseline does not mention", {
        baselines_over_former
    }),
    of_client("baseline-of-six-fields", &SVC_08, "fte/announcements", "keeps of baselines what protocol 15 has", {
        |setup| baselines_as(setup, classic)
    }),
    of_server("csqc-index-short", &SVC_09, "fte/csqc-gone", "codes CSQC entities by a flag and 15 bits", |setup| {
        server_says(setup, |packet| {
            for service in services(packet, SVC_CSQCENTITIES) {
                let body = packet.raw(service);
                let Ok((number, true)) = delta::read_index(&mut Reader::new(&body[1..])) else { continue };
                let index = (number as u16 | INDEX_REMOVE).to_le_bytes();
                packet.replace(service.start + 1..service.end - 2, &index);
            }
        })
    }),
    of_client("csqc-index-misread", &SVC_09, "fte/csqc-gone", "reads the index of CSQC entities as 15 bits", |setup| {
        client_hears(setup, |packet| {
            for service in services(packet, SVC_CSQCENTITIES) {
                let body = packet.raw(service);
                let Ok((number, true)) = delta::read_index(&mut Reader::new(&body[1..])) else { continue };
                let low = number & u32::from(INDEX_NUMBER) | u32::from(INDEX_EXTEND);
                let mut misread = Vec::new();
                delta::write_index(&mut Writer::new(&mut misread), low, true);
                packet.replace(service.start + 1..service.end - 2, &misread);
            }
        })
    }),
    of_server(
        "static-as-quakeworld-delta",
        &SVC_10,
        "fte/spawnstatic2",
        "writes static entities as PEXT_SPAWNSTATIC2 alone has them",
        |setup| {
            let dialect = dialect(setup);
            server_says(setup, move |packet| {
                for service in services(packet, SVC_SPAWNSTATIC2) {
                    let mut r = Reader::new(&packet.raw(service)[1..]);
                    let Ok(state) = message::read_baseline(&mut r, &dialect) else { continue };
                    // A word of flags, of which the last announces another byte; in that the model's flag; the model.
                    packet.replace(service.start + 1..service.end, &[0, 0x80, 4, state[MODEL] as u8]);
                }
            })
        },
    ),
    of_client(
        "static-of-six-fields",
        &SVC_10,
        "fte/spawnstatic2",
        "takes from static entities what a QuakeWorld delta has",
        |setup| {
            let dialect = dialect(setup);
            client_hears(setup, move |packet| announce(packet, &dialect, |_, state| *state = classic(state)))
        },
    ),
    of_server(
        "scale-in-two-bytes",
        &SVC_11,
        "fte/obsolete-extensions",
        "writes scale wider under PEXT_SCALE",
        |setup| {
            server_says(setup, |packet| {
                for scale in packet.fields("scale").collect::<Vec<&Span>>() {
                    packet.replace(scale.end..scale.end, &[0]);
                }
            })
        },
    ),
    of_client("scale-read-in-two-bytes", &SVC_11, "fte/obsolete-extensions", "reads scale wider under PEXT_SCALE", {
        |setup| {
            client_hears(setup, |packet| {
                for scale in packet.fields("scale").collect::<Vec<&Span>>() {
                    packet.replace(scale.end..scale.end + 1, &[]);
                }
            })
        }
    }),
    of_client("from-byte-read", &SVC_12, "fte/delta-clean", "reads a byte that says from which frame a frame is", {
        |setup| {
            client_hears(setup, |packet| {
                for service in services(packet, SVC_UPDATEENTITIES) {
                    packet.replace(service.start + 1..service.start + 2, &[]);
                }
            })
        }
    }),
    of_server(
        "sound-in-two-bytes",
        &SVC_14,
        "fte/sounds-netquake",
        "plays sounds from 256 over protocol 15",
        |setup| {
            server_says(setup, |packet| {
                for service in services(packet, SVC_SOUND) {
                    let inside: Vec<&Span> = packet.inside(service).collect();
                    for field in inside {
                        match field.field {
                            "sound mask" => packet.set(field, packet.value(field) | u64::from(SND_LARGESOUND)),
                            "sound" => packet.replace(field.end..field.end, &[1]),
                            _ => {}
                        }
                    }
                }
            })
        },
    ),
    of_client("sound-read-in-two-bytes", &SVC_14, "fte/sounds-netquake", "reads a sound's number as two bytes", {
        |setup| {
            client_hears(setup, |packet| {
                for service in services(packet, SVC_SOUND) {
                    let inside: Vec<&Span> = packet.inside(service).collect();
                    for mask in inside.into_iter().filter(|field| field.field == "sound mask") {
                        packet.set(mask, packet.value(mask) | u64::from(SND_LARGESOUND));
                    }
                }
            })
        }
    }),
    of_server(
        "big-numbers-unasked",
        &ENT_04,
        "fte/numbers-plain",
        "writes three bytes without the extension",
        |setup| {
            server_says(setup, |packet| {
                for service in services(packet, SVC_SET_VIEW) {
                    let raw = packet.raw(service);
                    if let [_, low, high @ 0x80..=0xff] = *raw {
                        // The number's upper eight bits and the flag, then its lower eight.
                        packet.replace(service.start + 1..service.end, &[high, 0x80, low]);
                    }
                }
            })
        },
    ),
    of_client(
        "big-numbers-expected",
        &ENT_04,
        "fte/numbers-plain",
        "reads three bytes without the extension",
        |setup| {
            client_hears(setup, |packet| {
                for service in services(packet, SVC_SET_VIEW) {
                    let raw = packet.raw(service);
                    if let [_, low, high @ 0x80..=0xff] = *raw {
                        // What is read of it without its lowest eight bits, which are those of the next message or missing.
                        packet.replace(service.start + 1..service.end, &[low, high & 0x7f]);
                    }
                }
            })
        },
    )
    .same_bug_as("FTEQW before 4757bd34c"),
];

/// The services of a number, in order.
fn services<'a>(packet: &Packet<'a>, number: u8) -> Vec<&'a Span> {
    packet.fields("service").filter(|service| packet.raw(service).first() == Some(&number)).collect()
}

/// What the ends of a run agree upon in its first map.
fn dialect(setup: &Setup) -> Dialect {
    let options = Options::new(setup);
    let extensions = options.agreed(&options.client_extensions);
    let plain = Dialect::plain(options.transport);
    Dialect::negotiated(options.transport, extensions, plain.protocol, 0, options.readings)
}

/// Of an entity, what protocol 15 has.
fn classic(state: &Entity) -> Entity {
    with_classic(&Entity::NULL, state)
}

/// `state` with the fields from `baseline` that NetQuake's own baselines have.
pub(super) fn with_classic(state: &Entity, baseline: &Entity) -> Entity {
    let mut mixed = *state;
    for field in [FRAME, ORIGIN_X, ORIGIN_Y, ORIGIN_Z, PITCH, YAW, ROLL, MODEL, SKIN, COLORMAP] {
        mixed[field] = baseline[field];
    }
    mixed
}

/// A client that keeps of a baseline what `kept` makes of it.
pub(super) fn baselines_as(setup: &Setup, kept: fn(&Entity) -> Entity) -> Box<dyn Endpoint> {
    let dialect = dialect(setup);
    client_hears(setup, move |packet| {
        announce(packet, &dialect, |number, state| {
            if number.is_some() {
                *state = kept(state);
            }
        });
    })
}

/// A client that keeps what a new baseline leaves out as it was in the map before.
pub(super) fn baselines_over_former(setup: &Setup) -> Box<dyn Endpoint> {
    let dialect = dialect(setup);
    let mut known = EntityList::default();
    client_hears(setup, move |packet| {
        announce(packet, &dialect, |number, state| {
            let Some(number) = *number else { return };
            let kept = known.entry(number, &Entity::NULL);
            for field in (0..FIELDS).filter(|&field| state[field] != Entity::NULL[field]) {
                kept[field] = state[field];
            }
            *state = *kept;
        });
    })
}

/// Changes baselines, which have a number, and static entities, which have none.
fn announce(packet: &mut Packet<'_>, dialect: &Dialect, mut change: impl FnMut(&mut Option<u32>, &mut Entity)) {
    let both = [SVC_SPAWNBASELINE2, SVC_SPAWNSTATIC2].map(|number| services(packet, number));
    for service in both.into_iter().flatten() {
        let body = packet.raw(service);
        let mut r = Reader::new(&body[1..]);
        let mut number = match body[0] {
            SVC_SPAWNBASELINE2 => dialect.primitives.read_entity(&mut r, "entity number").ok(),
            _ => None,
        };
        let Ok(mut state) = message::read_baseline(&mut r, dialect) else { continue };
        change(&mut number, &mut state);
        let mut written = Vec::new();
        let mut w = Writer::new(&mut written);
        match number {
            Some(number) => message::write_baseline(&mut w, number, &state, dialect),
            None => message::write_static(&mut w, &state, dialect),
        }
        packet.replace(service.start..service.end, &written);
    }
}

/// Puts a service behind a datagram's entity frame.
fn append_to_frame(packet: &mut Packet<'_>, service: &[u8]) {
    if packet.fields("servertime").next().is_some() {
        let end = packet.bytes.len();
        packet.replace(end..end, service);
    }
}

/// Gives frames another server time: the new bits, from the old seconds.
fn edit_time(packet: &mut Packet<'_>, mut edit: impl FnMut(f32) -> u32) {
    for time in packet.fields("servertime").collect::<Vec<&Span>>() {
        let bits = edit(f32::from_bits(packet.value(time) as u32));
        packet.set(time, bits.into());
    }
}
