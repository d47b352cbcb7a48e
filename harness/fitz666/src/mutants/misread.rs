//! Clients that take bits, numbers and high bytes for others.

use super::{client_receives, client_with, of_client, services};
use crate::game::rules::ClientRules;
use crate::requirements::*;
use kit::{Endpoint, Mutant, Setup};
use netquake::constants::*;
use netquake::fitzquake::{SVC_SPAWN_BASELINE2, SVC_SPAWN_STATIC2};
use netquake::update::{ALPHA, FRAME, FastUpdate, MODEL, Record};

/// A client that takes two bits of a field for each other, in messages for which `wanted` holds of the first byte.
fn exchanging(setup: &Setup, field: &'static str, bits: [u64; 2], wanted: fn(u8) -> bool) -> Box<dyn Endpoint> {
    client_receives(setup, move |packet| {
        for service in services(packet) {
            let found = packet.inside(service).find(|span| span.field == field);
            let Some(span) = found.filter(|_| packet.raw(service).first().copied().is_some_and(wanted)) else {
                continue;
            };
            let value = packet.value(span);
            let [one, other] = bits.map(|bit| value & bit != 0);
            if one != other {
                packet.set(span, value ^ bits[0] ^ bits[1]);
            }
        }
    })
}

/// What an update makes of a baseline if a high byte is not moved up.
fn unshifted(update: &FastUpdate, baseline: &Record, _: &Record) -> Record {
    let mut record = update.over(baseline);
    for (field, bit) in [(FRAME, U_FRAME2), (MODEL, U_MODEL2)] {
        if update.bits & bit != 0 {
            record[field] = record[field] & 0xff | record[field] >> 8;
        }
    }
    record
}

pub(super) static MUTANTS: &[Mutant] = &[
    of_client(
        "takes-frame2-for-alpha",
        &DEF_01,
        "fitz666/encodings",
        "takes the bits of ALPHA and FRAME2 for each other",
        |setup| exchanging(setup, "extended bits", [1, 2], |first| first & 0x80 != 0),
    ),
    of_client(
        "takes-armor2-for-ammo2",
        &DEF_02,
        "fitz666/player",
        "takes the bits of ARMOR2 and AMMO2 for each other",
        |setup| exchanging(setup, "bits 16-23", [2, 4], |first| first == SVC_CLIENT_DATA),
    ),
    of_client(
        "takes-large-sounds-for-large-entities",
        &DEF_03,
        "fitz666/sounds",
        "takes LARGESOUND and LARGEENTITY for each other",
        |setup| {
            let bits = [SND_LARGESOUND, SND_LARGEENTITY].map(u64::from);
            exchanging(setup, "sound mask", bits, |first| first == SVC_SOUND)
        },
    ),
    of_client(
        "takes-baselines-for-statics",
        &DEF_04,
        "fitz666/baselines",
        "takes the numbers of svc_spawnbaseline2 and svc_spawnstatic2 for each other",
        |setup| {
            client_receives(setup, |packet| {
                for span in services(packet) {
                    let other = match packet.raw(span).first() {
                        Some(&SVC_SPAWN_BASELINE2) => SVC_SPAWN_STATIC2,
                        Some(&SVC_SPAWN_STATIC2) => SVC_SPAWN_BASELINE2,
                        _ => continue,
                    };
                    packet.replace(span.start..span.start + 1, &[other]);
                }
            })
        },
    ),
    of_client(
        "high-bytes-not-moved",
        &DEF_05,
        "fitz666/encodings",
        "joins a second byte without moving it up",
        |setup| client_with(setup, ClientRules { over: unshifted, ..ClientRules::REFERENCE }),
    ),
    of_client("opaque-is-none", &ALPHA_10, "fitz666/alpha", "keeps code 255 as 0, as both look alike", |setup| {
        let over = |update: &FastUpdate, baseline: &Record, _: &Record| {
            let mut record = update.over(baseline);
            record[ALPHA] %= 255;
            record
        };
        client_with(setup, ClientRules { over, ..ClientRules::REFERENCE })
    }),
];
