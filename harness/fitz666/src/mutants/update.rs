//! What servers get wrong about entity updates: bits, their places, and what a value becomes.

use super::{bytes_of, netquake_services, of_server, server_sends, server_sends_otherwise, server_with};
use crate::alpha;
use crate::latitude::{HintHabit, Latitude};
use crate::message::Dialect;
use crate::options::Options;
use crate::requirements::*;
use crate::session::rules::ServerRules;
use kit::{Endpoint, Mutant, Setup, Span};
use netquake::Service;
use netquake::constants::*;
use netquake::update::{FRAME, FastUpdate, MODEL};

/// An update, in the parts that it is written in; those after the body are empty where they are absent.
struct Parts {
    flags: Vec<u8>,
    number: Vec<u8>,
    /// From the model to the last angle.
    body: Vec<u8>,
    alpha: Vec<u8>,
    scale: Vec<u8>,
    frame2: Vec<u8>,
    model2: Vec<u8>,
    lerpfinish: Vec<u8>,
}

impl Parts {
    /// Of an update whose `bits` are those that were read.
    fn of(update: &FastUpdate, bytes: &[u8]) -> Parts {
        let has = |bit: u32| usize::from(update.bits & bit != 0);
        let mut rest = bytes.to_vec();
        let mut take = |count: usize| {
            let left = rest.split_off(count.min(rest.len()));
            std::mem::replace(&mut rest, left)
        };
        let tail = [U_ALPHA, U_SCALE, U_FRAME2, U_MODEL2, U_LERPFINISH].map(has);
        let flags = take(1 + has(U_MOREBITS) + has(U_EXTEND1));
        let number = take(1 + has(U_LONGENTITY));
        let body = take(bytes.len().saturating_sub(flags.len() + number.len() + tail.iter().sum::<usize>()));
        let [alpha, scale, frame2, model2, lerpfinish] = tail.map(take);
        Parts { flags, number, body, alpha, scale, frame2, model2, lerpfinish }
    }

    /// The bytes, in the protocol's order.
    fn join(&self) -> Vec<u8> {
        let Parts { flags, number, body, alpha, scale, frame2, model2, lerpfinish } = self;
        [flags, number, body, alpha, scale, frame2, model2, lerpfinish].into_iter().flatten().copied().collect()
    }
}

/// A server whose updates with any of `bits` are what `write` makes of their parts.
fn rearranged(setup: &Setup, bits: u32, write: fn(Parts) -> Vec<u8>) -> Box<dyn Endpoint> {
    server_sends_otherwise(setup, move |service, bytes, _| match service {
        Service::FastUpdate(update) if update.bits & bits != 0 => Some(write(Parts::of(update, bytes))),
        _ => None,
    })
}

/// A server whose updates are those that `change` makes of them.
fn changed(setup: &Setup, change: fn(&mut FastUpdate)) -> Box<dyn Endpoint> {
    server_sends_otherwise(setup, move |service, _, dialect| match service {
        Service::FastUpdate(update) => {
            let mut other = *update;
            change(&mut other);
            (other != *update).then(|| written(&other, dialect))
        }
        _ => None,
    })
}

fn written(update: &FastUpdate, dialect: &Dialect) -> Vec<u8> {
    bytes_of(|w| update.write(w, &dialect.primitives))
}

/// Moves bits of the third byte to other places; `places` has the new one of each bit from 16 on.
fn moved_bits(mut parts: Parts, places: [u8; 4]) -> Vec<u8> {
    if let Some(third) = parts.flags.get_mut(2) {
        let old = *third;
        *third = old & 0xf0;
        for (bit, place) in places.into_iter().enumerate() {
            *third |= (old >> bit & 1) << place;
        }
    }
    parts.join()
}

pub(super) static MUTANTS: &[Mutant] = &[
    of_server("announces-15", &VER_01, "fitz666/encodings", "announces protocol 15 and speaks 666", |setup| {
        server_sends(setup, |packet| {
            for span in packet.fields("protocol version").collect::<Vec<&Span>>() {
                packet.set(span, PROTOCOL_NETQUAKE.into());
            }
        })
    }),
    of_server("model-clamped", &MODEL_01, "fitz666/encodings", "sends no model above 255", |setup| {
        changed(setup, |update| {
            if update.bits & U_MODEL2 != 0 {
                update.bits = without(update.bits, U_MODEL2);
                update.fields[MODEL] = 255;
            }
        })
    }),
    of_server("model-low-byte", &MODEL_01, "fitz666/encodings", "sends the low byte of a model alone", |setup| {
        changed(setup, |update| update.bits = without(update.bits, U_MODEL2))
    }),
    of_server("frame-clamped", &FRAME_01, "fitz666/encodings", "sends no frame above 255", |setup| {
        changed(setup, |update| {
            if update.bits & U_FRAME2 != 0 {
                update.bits = without(update.bits, U_FRAME2);
                update.fields[FRAME] = 255;
            }
        })
    }),
    of_server("frame-low-byte", &FRAME_01, "fitz666/encodings", "sends the low byte of a frame alone", |setup| {
        changed(setup, |update| update.bits = without(update.bits, U_FRAME2))
    }),
    of_server("third-byte-unannounced", &ENT_01, "fitz666/encodings", "writes a third byte of bits without EXTEND1", {
        |setup| {
            rearranged(setup, U_EXTEND1, |mut parts| {
                parts.flags[1] &= 0x7f;
                parts.join()
            })
        }
    }),
    of_server(
        "third-byte-missing",
        &ENT_01,
        "fitz666/encodings",
        "sets EXTEND1 and leaves the third byte out",
        |setup| {
            rearranged(setup, U_EXTEND1, |mut parts| {
                parts.flags.truncate(2);
                parts.join()
            })
        },
    ),
    of_server("morebits-missing", &ENT_02, "fitz666/encodings", "sets EXTEND1 without MOREBITS", |setup| {
        rearranged(setup, U_EXTEND1, |mut parts| {
            parts.flags[0] &= 0xfe;
            parts.join()
        })
    }),
    of_server("alpha-compared-as-float", &ENT_04, "fitz666/alpha", "sends alpha when it differs before it is coded", {
        |setup| {
            server_with(
                setup,
                ServerRules { alpha_differs: |baseline, entity| baseline.0 != entity.0, ..ServerRules::REFERENCE },
            )
        }
    }),
    of_server("alpha-of-baseline-forgotten", &ENT_04, "fitz666/alpha", "sends alpha when its code is not 0", |setup| {
        server_with(setup, ServerRules { alpha_differs: |_, entity| entity.1 != 0, ..ServerRules::REFERENCE })
    }),
    of_server(
        "alpha-first",
        &ENT_05,
        "fitz666/encodings",
        "writes alpha before everything else of an entity",
        |setup| {
            rearranged(setup, U_ALPHA, |mut parts| {
                let mut alpha = std::mem::take(&mut parts.alpha);
                alpha.append(&mut parts.body);
                parts.body = alpha;
                parts.join()
            })
        },
    ),
    of_server("alpha-before-last-axis", &ENT_05, "fitz666/encodings", "writes alpha before ORIGIN3", |setup| {
        server_sends_otherwise(setup, |service, bytes, _| {
            let Service::FastUpdate(update) = service else { return None };
            let mut parts = (update.bits & U_ALPHA != 0).then(|| Parts::of(update, bytes))?;
            let behind =
                [(U_ORIGIN3, 2), (U_ANGLE3, 1)].map(|(bit, size)| if update.bits & bit != 0 { size } else { 0 });
            let at = parts.body.len().checked_sub(behind.iter().sum())?;
            let alpha = std::mem::take(&mut parts.alpha);
            parts.body.splice(at..at, alpha);
            Some(parts.join())
        })
    }),
    of_server(
        "model2-before-frame2",
        &ENT_06,
        "fitz666/encodings",
        "writes the high byte of a model before a frame's",
        {
            |setup| {
                rearranged(setup, U_FRAME2, |mut parts| {
                    std::mem::swap(&mut parts.frame2, &mut parts.model2);
                    parts.join()
                })
            }
        },
    ),
    of_server(
        "model2-last",
        &ENT_07,
        "fitz666/encodings",
        "writes the high byte of a model after LERPFINISH",
        |setup| {
            rearranged(setup, U_MODEL2, |mut parts| {
                std::mem::swap(&mut parts.lerpfinish, &mut parts.model2);
                parts.join()
            })
        },
    ),
    of_server("lerpfinish-before-alpha", &ENT_08, "fitz666/encodings", "writes LERPFINISH before alpha", |setup| {
        rearranged(setup, U_LERPFINISH, |mut parts| {
            let mut early = std::mem::take(&mut parts.lerpfinish);
            early.append(&mut parts.alpha);
            parts.alpha = early;
            parts.join()
        })
    }),
    of_server(
        "unchanged-unmentioned",
        &ENT_12,
        "fitz666/baseline-and-back",
        "does not mention what equals its baseline",
        |setup| {
            const PLAIN: u32 = U_SIGNAL | U_STEP | U_MOREBITS | U_LONGENTITY;
            let dialect = Dialect::announced(Options::new(setup).protocol);
            server_sends(setup, move |packet| {
                for (span, service) in netquake_services(packet, &dialect) {
                    let Service::FastUpdate(update) = service else { continue };
                    if update.bits & !PLAIN == 0 && update.entity != packet.client.0 {
                        packet.cut(span);
                    }
                }
            })
        },
    ),
    of_server("long-numbers-from-257", &ENT_13, "fitz666/numbers", "writes entity 256 in one byte", |setup| {
        server_sends_otherwise(setup, |service, bytes, _| match service {
            Service::FastUpdate(update) if update.entity == 256 => Some(short_number(update, bytes)),
            _ => None,
        })
    }),
    of_server("numbers-in-a-byte", &ENT_13, "fitz666/numbers", "writes every number in one byte", |setup| {
        rearranged(setup, U_LONGENTITY, |mut parts| {
            parts.flags[1] &= 0xbf;
            parts.number.truncate(1);
            parts.join()
        })
    }),
    of_server("origin-slack-of-a-unit", &ENT_14, "fitz666/origins", "sends an origin when it is a unit off", |setup| {
        server_with(setup, ServerRules { origin_slack: 1.0, ..ServerRules::REFERENCE })
    }),
    of_server("origin-without-slack", &ENT_14, "fitz666/origins", "sends an origin when it is off at all", |setup| {
        server_with(setup, ServerRules { origin_slack: 0.0, ..ServerRules::REFERENCE })
    }),
    of_server(
        "last-update-cut",
        &ENT_15,
        "fitz666/full-datagrams",
        "cuts the last update off where a datagram ends",
        |setup| server_with(setup, ServerRules { fits: cut_off, ..ServerRules::REFERENCE }),
    ),
    of_server(
        "last-update-too-long",
        &ENT_15,
        "fitz666/full-datagrams",
        "sends the first update that goes beyond the datagram's limit",
        |setup| {
            server_with(
                setup,
                ServerRules { fits: |message, _, limit| message.len() <= limit, ..ServerRules::REFERENCE },
            )
        },
    ),
    of_server(
        "full-datagram-emptied",
        &NET_12,
        "fitz666/full-datagrams",
        "empties the whole datagram when an update does not fit, and sends what is left: nothing",
        |setup| {
            let fits = |message: &mut Vec<u8>, _, limit| {
                let fits = message.len() <= limit;
                message.truncate(if fits { usize::MAX } else { 0 });
                fits
            };
            server_with(setup, ServerRules { fits, ..ServerRules::REFERENCE })
        },
    ),
    of_server(
        "full-datagram-begun-again",
        &NET_12,
        "fitz666/full-datagrams",
        "empties the whole datagram when an update does not fit, and goes on with that update",
        |setup| {
            let fits = |message: &mut Vec<u8>, start: usize, limit| {
                if message.len() > limit {
                    message.drain(..start);
                }
                true
            };
            server_with(setup, ServerRules { fits, ..ServerRules::REFERENCE })
        },
    ),
    of_server("hundredths", &LERP_01, "fitz666/hints", "sends the time to the next think in hundredths", |setup| {
        let encode_finish = |seconds: f64| u8::try_from((seconds * 100.0).round() as i64).ok();
        server_with(setup, ServerRules { encode_finish, ..ServerRules::REFERENCE })
    }),
    of_server("hint-of-last-tick", &LERP_01, "fitz666/hints", "sends a time to the next think that is one tick old", {
        |setup| {
            let mut sent = std::collections::BTreeMap::new();
            server_sends_otherwise(setup, move |service, _, dialect| {
                let Service::FastUpdate(update) = service else { return None };
                let own = update.fields[netquake::update::LERPFINISH];
                if update.bits & U_LERPFINISH == 0 {
                    return None;
                }
                let mut other = *update;
                other.fields[netquake::update::LERPFINISH] = sent.insert(update.entity, own).unwrap_or(own);
                Some(written(&other, dialect))
            })
        }
    }),
    of_server("tenths-sent", &LERP_02, "fitz666/hints", "sends a tenth of a second, which clients assume", |setup| {
        server_with(setup, ServerRules::with(Latitude { hints: HintHabit::TenthToo, ..Latitude::REFERENCE }))
    }),
    of_server("hint-wraps", &LERP_03, "fitz666/hints", "sends the low byte of a time above a second", |setup| {
        let encode_finish = |seconds: f64| Some((seconds * 255.0).round() as i64 as u8);
        server_with(setup, ServerRules { encode_finish, ..ServerRules::REFERENCE })
    })
    .same_bug_as("QuakeSpasm-Spiked c4893638"),
    of_server(
        "alpha-and-frame2-swapped",
        &DEF_01,
        "fitz666/encodings",
        "takes bit 17 for alpha and 16 for FRAME2",
        |setup| rearranged(setup, U_EXTEND1, |parts| moved_bits(parts, [1, 0, 2, 3])),
    ),
    of_server(
        "model2-and-lerpfinish-swapped",
        &DEF_01,
        "fitz666/encodings",
        "takes bit 19 for MODEL2 and 18 for LERPFINISH",
        |setup| rearranged(setup, U_EXTEND1, |parts| moved_bits(parts, [0, 1, 3, 2])),
    ),
    of_server(
        "high-bytes-unshifted",
        &DEF_05,
        "fitz666/encodings",
        "writes the high byte of a word without a shift, so 0",
        {
            |setup| {
                rearranged(setup, U_FRAME2 | U_MODEL2, |mut parts| {
                    parts.frame2.fill(0);
                    parts.model2.fill(0);
                    parts.join()
                })
            }
        },
    ),
    of_server("alpha-of-255", &ALPHA_01, "fitz666/alpha", "codes alpha as 255 times itself", |setup| {
        coding(setup, |opacity| if opacity == 0.0 { 0 } else { (opacity * 255.0).clamp(1.0, 255.0).round() as u8 })
    }),
    of_server("alpha-cut-off", &ALPHA_01, "fitz666/alpha", "codes alpha without rounding", |setup| {
        coding(setup, |opacity| if opacity == 0.0 { 0 } else { (opacity * 254.0 + 1.0).clamp(1.0, 255.0) as u8 })
    }),
    of_server("negative-alpha-is-none", &ALPHA_02, "fitz666/alpha", "takes an alpha below 0 for none", |setup| {
        coding(setup, |opacity| if opacity < 0.0 { 0 } else { alpha::encode(opacity) })
    }),
    of_server("negative-alpha-is-opaque", &ALPHA_02, "fitz666/alpha", "takes an alpha below 0 for opaque", |setup| {
        coding(setup, |opacity| if opacity < 0.0 { 255 } else { alpha::encode(opacity) })
    }),
    of_server("no-alpha-is-opaque", &ALPHA_07, "fitz666/alpha", "codes what has no alpha as opaque", |setup| {
        coding(setup, |opacity| if opacity == 0.0 { 255 } else { alpha::encode(opacity) })
    }),
    of_server("alpha-compared-decoded", &ALPHA_10, "fitz666/alpha", "sends alpha when its opacity differs", |setup| {
        let alpha_differs =
            |baseline: (f32, u8), entity: (f32, u8)| alpha::decode(baseline.1) != alpha::decode(entity.1);
        server_with(setup, ServerRules { alpha_differs, ..ServerRules::REFERENCE })
    }),
];

/// Bits without one of the third byte; EXTEND1 goes with the last of them.
fn without(bits: u32, bit: u32) -> u32 {
    let left = bits & !bit;
    if left > 0xffff { left } else { left & !U_EXTEND1 }
}

/// The update with a number of one byte.
fn short_number(update: &FastUpdate, bytes: &[u8]) -> Vec<u8> {
    let mut parts = Parts::of(update, bytes);
    if let Some(second) = parts.flags.get_mut(1) {
        *second &= 0xbf;
    }
    parts.number.truncate(1);
    parts.join()
}

/// Cuts an update off at the limit.
fn cut_off(message: &mut Vec<u8>, _: usize, limit: usize) -> bool {
    let fits = message.len() <= limit;
    message.truncate(limit);
    fits
}

fn coding(setup: &Setup, encode_alpha: fn(f32) -> u8) -> Box<dyn Endpoint> {
    server_with(setup, ServerRules { encode_alpha, ..ServerRules::REFERENCE })
}
