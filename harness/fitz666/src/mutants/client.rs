//! What clients get wrong: about what they receive, and about their moves.

use super::player::changing;
use super::{
    bytes_of, client_receives, client_receives_otherwise, client_sends, client_with, netquake_services, of_client,
    services,
};
use crate::game::rules::ClientRules;
use crate::message::Dialect;
use crate::options::Options;
use crate::requirements::*;
use kit::{Endpoint, Mutant, Packet, Setup, Span};
use netquake::Service;
use netquake::clientdata::ClientData;
use netquake::constants::*;
use netquake::update::{ALPHA, FRAME, FastUpdate, MODEL, Record};

/// A client that makes this of an update, a baseline, and what the entity was before.
fn making(setup: &Setup, over: fn(&FastUpdate, &Record, &Record) -> Record) -> Box<dyn Endpoint> {
    client_with(setup, ClientRules { over, ..ClientRules::REFERENCE })
}

/// A client that reads clientdata so.
fn taking(setup: &Setup, change: impl FnMut(&mut ClientData) + 'static) -> Box<dyn Endpoint> {
    client_receives_otherwise(setup, changing(change))
}

/// A client that writes the code of a view angle so.
fn writing_angles(setup: &Setup, write: fn(u64) -> Vec<u8>) -> Box<dyn Endpoint> {
    client_sends(setup, move |packet| {
        for span in packet.fields("view angle").collect::<Vec<&Span>>() {
            packet.replace(span.start..span.end, &write(packet.value(span)));
        }
    })
}

/// Gives a player's weapon the alpha that its entity has in the same datagram; the baseline of a player has none.
fn weapon_like_owner(packet: &mut Packet<'_>, dialect: &Dialect) {
    let messages = netquake_services(packet, dialect);
    let own = messages.iter().find_map(|(_, service)| match service {
        Service::FastUpdate(update) if update.entity == packet.client.0 => Some(update),
        _ => None,
    });
    let Some(own) = own else { return };
    let weapon_alpha = if own.bits & U_ALPHA != 0 { own.fields[ALPHA] as u8 } else { 0 };
    for (span, service) in &messages {
        if let Service::ClientData(data) = service {
            let other = Service::ClientData(ClientData { weapon_alpha, ..*data });
            packet.replace(span.start..span.end, &bytes_of(|w| other.write(w, &dialect.primitives)));
        }
    }
}

/// The first fields of this name in the messages of this number.
fn fields_of<'a>(packet: &Packet<'a>, number: u8, name: &'static str) -> Vec<&'a Span> {
    let of_number = services(packet).into_iter().filter(|span| packet.raw(span).first() == Some(&number));
    of_number.filter_map(|span| packet.inside(span).find(|field| field.field == name)).collect()
}

/// A client that knows nothing of one of the bits of a sound.
fn refusing(setup: &Setup, bit: u8) -> Box<dyn Endpoint> {
    /// A bit of other protocols, which every client of this one refuses.
    const FOREIGN: u64 = 0x80;
    client_receives(setup, move |packet| {
        for mask in fields_of(packet, SVC_SOUND, "sound mask") {
            if packet.value(mask) & u64::from(bit) != 0 {
                packet.set(mask, FOREIGN);
            }
        }
    })
}

/// The view angle cut off to a step of 1/65536 of a circle.
fn cut_off(angle: f32) -> f32 {
    ((f64::from(angle) * 65_536.0 / 360.0).trunc() * 360.0 / 65_536.0) as f32
}

/// The view angle on the nearest step; halves to the even one.
fn to_even(angle: f32) -> f32 {
    let steps = f64::from(angle) * 65_536.0 / 360.0;
    (steps.round_ties_even() * 360.0 / 65_536.0) as f32
}

pub(super) static MUTANTS: &[Mutant] = &[
    of_client(
        "short-angles-always",
        &VER_02,
        "fitz666/moves-protocol-15",
        "writes angles of two bytes in protocol 15",
        |setup| writing_angles(setup, |angle| vec![0, angle as u8]),
    ),
    of_client("byte-angles-always", &MOVE_01, "fitz666/moves", "writes angles of one byte in protocol 666", |setup| {
        writing_angles(setup, |angle| vec![(angle >> 8) as u8])
    }),
    of_client("angles-cut-off", &MOVE_02, "fitz666/moves", "writes angles without rounding", |setup| {
        client_with(setup, ClientRules { view_angle: cut_off, ..ClientRules::REFERENCE })
    }),
    of_client("angles-half-to-even", &MOVE_04, "fitz666/moves", "rounds half a step to the even one", |setup| {
        client_with(setup, ClientRules { view_angle: to_even, ..ClientRules::REFERENCE })
    }),
    of_client("strange-protocol-as-666", &VER_03, "fitz666/protocol-unknown", "takes any protocol for 666", |setup| {
        client_receives(setup, |packet| {
            for span in packet.fields("svc").filter(|span| packet.value(span) == 11).collect::<Vec<&Span>>() {
                if packet.bytes.len() >= span.end + 4 {
                    packet.replace(span.end..span.end + 4, &PROTOCOL_FITZQUAKE.to_le_bytes());
                }
            }
        })
    }),
    of_client("model-looked-up-early", &MODEL_02, "fitz666/encodings", "looks a model up by its low byte", |setup| {
        making(setup, |update, baseline, _| {
            let mut record = update.over(baseline);
            record[MODEL] = if update.bits & U_MODEL != 0 { record[MODEL] & 0xff } else { record[MODEL] };
            record
        })
    }),
    of_client(
        "frame-keeps-high-byte",
        &FRAME_02,
        "fitz666/encodings",
        "keeps the high byte of a baseline's frame",
        |setup| {
            making(setup, |update, baseline, _| {
                let mut record = update.over(baseline);
                if update.bits & (U_FRAME | U_FRAME2) == U_FRAME {
                    record[FRAME] |= baseline[FRAME] & 0xff00;
                }
                record
            })
        },
    ),
    of_client(
        "frame-of-baseline-cut",
        &FRAME_03,
        "fitz666/encodings",
        "takes the low byte of a baseline's frame",
        |setup| {
            making(setup, |update, baseline, _| {
                let mut record = update.over(baseline);
                record[FRAME] = if update.bits & U_FRAME == 0 { record[FRAME] & 0xff } else { record[FRAME] };
                record
            })
        },
    ),
    of_client(
        "third-byte-after-number",
        &ENT_03,
        "fitz666/encodings",
        "reads the third byte of bits after the entity",
        {
            |setup| {
                client_receives(setup, |packet| {
                    for span in packet.fields("extended bits").collect::<Vec<&Span>>() {
                        // What it takes for the bits is the number's first byte, and the other way round.
                        if let Some(&[bits, number]) = packet.bytes.get(span.start..span.start + 2) {
                            packet.replace(span.start..span.start + 2, &[number, bits]);
                        }
                    }
                })
            }
        },
    ),
    of_client("alpha-stays", &ENT_09, "fitz666/alpha", "keeps an alpha that is no longer sent", |setup| {
        making(setup, |update, baseline, before| {
            let mut record = update.over(baseline);
            // What was never sent is the baseline's.
            let had_value = before.iter().any(|&value| value != 0);
            if update.bits & U_ALPHA == 0 && had_value {
                record[ALPHA] = before[ALPHA];
            }
            record
        })
    }),
    of_client(
        "builds-on-the-last-update",
        &ENT_10,
        "fitz666/origins",
        "takes fields that are not sent from the update before",
        {
            |setup| {
                making(setup, |update, baseline, before| {
                    let known = before.iter().any(|&value| value != 0);
                    let mut record = update.over(if known { before } else { baseline });
                    record[ALPHA] = update.over(baseline)[ALPHA];
                    record
                })
            }
        },
    ),
    of_client("ghosts-stay", &ENT_11, "fitz666/full-datagrams", "shows what is no longer mentioned", |setup| {
        client_with(setup, ClientRules { shows: |_, _| true, ..ClientRules::REFERENCE })
    }),
    of_client(
        "waits-for-a-fourth-step",
        &ENT_16,
        "fitz666/transport-clean",
        "waits for a fourth step of the sign-on",
        |setup| {
            let is_update = |service: &Service<'_>| matches!(service, Service::FastUpdate(_));
            client_receives_otherwise(setup, move |service, _, _| is_update(service).then(Vec::new))
        },
    ),
    of_client("hint-from-clock", &LERP_04, "fitz666/hints", "counts a received time from its own clock", |setup| {
        let finish = |hint: Option<f32>, _, now, _| hint.map(|hint| now + hint);
        client_with(setup, ClientRules { finish, ..ClientRules::REFERENCE })
    }),
    of_client("hint-stays", &LERP_05, "fitz666/hints", "keeps an earlier time after an update without one", |setup| {
        let finish = |hint: Option<f32>, time, _, held| hint.map(|hint| time + hint).or(held);
        client_with(setup, ClientRules { finish, ..ClientRules::REFERENCE })
    }),
    of_client("stats-by-low-byte", &CD_12, "fitz666/player", "takes the low bytes of statistics alone", |setup| {
        taking(setup, |data| {
            let low = |value: u16| value & 0xff;
            (data.armor, data.ammo, data.stock) = (low(data.armor), low(data.ammo), data.stock.map(low));
            (data.weapon, data.weapon_frame) = (low(data.weapon), low(data.weapon_frame));
        })
    }),
    of_client(
        "high-bytes-added",
        &CD_12,
        "fitz666/player",
        "adds the high byte of a statistic to the low one",
        |setup| {
            taking(setup, |data| {
                let sum = |value: u16| (value >> 8) + (value & 0xff);
                (data.armor, data.ammo, data.stock) = (sum(data.armor), sum(data.ammo), data.stock.map(sum));
            })
        },
    ),
    of_client("reserved-bits-passed-over", &DEF_06, "fitz666/reserved-bits", "skips what it does not know", |setup| {
        let reserved = Options::new(setup).reserved_bits;
        client_receives(setup, move |packet| {
            let payload = packet.bytes.get(HEADER_BYTES..);
            if reserved.is_some_and(|reserved| payload == Some(reserved.bytes())) {
                // Nothing is left of it.
                packet.replace(HEADER_BYTES..packet.bytes.len(), &[]);
            }
        })
    }),
    of_client("armor-stays", &CD_13, "fitz666/player", "keeps an armour that is no longer sent", |setup| {
        let mut before = 0;
        taking(setup, move |data| {
            data.armor = if data.armor == 0 { before } else { data.armor };
            before = data.armor;
        })
    }),
    of_client("viewheight-of-zero", &CD_13, "fitz666/player", "takes an absent view height for 0", |setup| {
        taking(setup, |data| {
            data.view_height = if data.view_height == DEFAULT_VIEWHEIGHT { 0 } else { data.view_height };
        })
    }),
    of_client(
        "weapon-like-its-owner",
        &CD_16,
        "fitz666/weapon-of-an-invisible-player",
        "shows a weapon as its player",
        |setup| {
            let dialect = Dialect::announced(Options::new(setup).protocol);
            client_receives(setup, move |packet| weapon_like_owner(packet, &dialect))
        },
    ),
    of_client("large-entities-refused", &SND_03, "fitz666/sounds", "refuses sounds with LARGEENTITY", |setup| {
        refusing(setup, SND_LARGEENTITY)
    }),
    of_client(
        "channel-before-entity",
        &SND_04,
        "fitz666/sounds",
        "reads the channel of a large entity before it",
        |setup| {
            client_receives(setup, |packet| {
                for entity in fields_of(packet, SVC_SOUND, "entity") {
                    if let Some(&[channel, low, high]) = packet.bytes.get(entity.start..entity.start + 3) {
                        // It takes the first byte for the channel, and the other two for the entity.
                        packet.replace(entity.start..entity.start + 3, &[low, high, channel]);
                    }
                }
            })
        },
    ),
    of_client(
        "large-entities-signed",
        &SND_05,
        "fitz666/sounds",
        "loses the highest bit of a sound's entity",
        |setup| {
            client_receives(setup, |packet| {
                for entity in fields_of(packet, SVC_SOUND, "entity") {
                    packet.set(entity, packet.value(entity) & 0x7fff);
                }
            })
        },
    ),
    of_client("alpha-in-255ths", &ALPHA_03, "fitz666/alpha", "takes a code for 255ths", |setup| {
        client_with(setup, ClientRules { decode_alpha: |code| f32::from(code) / 255.0, ..ClientRules::REFERENCE })
    }),
    of_client("nothing-said-is-invisible", &ALPHA_03, "fitz666/alpha", "takes code 0 for an opacity of 0", |setup| {
        client_with(
            setup,
            ClientRules { decode_alpha: |code| (f32::from(code.max(1)) - 1.0) / 254.0, ..ClientRules::REFERENCE },
        )
    }),
    of_client("opaque-water-as-default", &ALPHA_05, "fitz666/alpha", "takes opaque water for water without alpha", {
        |setup| {
            let water_alpha =
                |code: u8, own: f32| if matches!(code, 0 | 255) { own } else { crate::alpha::decode(code) };
            client_with(setup, ClientRules { water_alpha, ..ClientRules::REFERENCE })
        }
    }),
    of_client("water-ignores-the-player", &ALPHA_05, "fitz666/alpha", "does not ask its player about water", |setup| {
        client_with(setup, ClientRules { water_alpha: |code, _| crate::alpha::decode(code), ..ClientRules::REFERENCE })
    }),
    of_client("time-not-echoed", &VER_04, "fitz666/moves", "sends another time with its moves", |setup| {
        client_sends(setup, |packet| {
            for span in packet.fields("time").collect::<Vec<&Span>>() {
                packet.set(span, u64::from(1.5f32.to_bits()));
            }
        })
    }),
];
