//! What servers get wrong about clientdata.

use super::{bytes_of, of_server, server_sends_otherwise};
use crate::message::Dialect;
use crate::requirements::*;
use kit::{Endpoint, Mutant, Setup};
use netquake::Service;
use netquake::clientdata::ClientData;
use netquake::constants::*;

/// The high bytes and what follows them, in wire order: bit, and place among them.
const HIGH: [u32; 9] = [
    SU_WEAPON2,
    SU_ARMOR2,
    SU_AMMO2,
    SU_SHELLS2,
    SU_SHELLS2 << 1,
    SU_SHELLS2 << 2,
    SU_SHELLS2 << 3,
    SU_WEAPONFRAME2,
    SU_WEAPONALPHA,
];
const WEAPON2: usize = 0;
const ARMOR2: usize = 1;
const AMMO2: usize = 2;
const SHELLS2: usize = 3;
const NAILS2: usize = 4;
const ROCKETS2: usize = 5;
const CELLS2: usize = 6;
const WEAPONFRAME2: usize = 7;
const WEAPONALPHA: usize = 8;

/// Bytes from the items to the active weapon that are always there: items, health, ammo, stock, active weapon.
const FIXED_BYTES: usize = 4 + 2 + 1 + 4 + 1;

/// A clientdata, in the parts that it is written in.
struct Parts {
    /// The bits; their bytes are written from them, unless changed.
    bits: u32,
    bit_bytes: Vec<u8>,
    /// From the view height to the active weapon.
    body: Vec<u8>,
    /// What is after, by place; empty where absent.
    high: [Vec<u8>; 9],
}

impl Parts {
    fn of(bytes: &[u8]) -> Parts {
        let byte = |at: usize| u32::from(bytes.get(at).copied().unwrap_or(0));
        let mut bits = byte(1) | byte(2) << 8;
        let mut at = 3;
        for (announced, shift) in [(SU_EXTEND1, 16), (SU_EXTEND2, 24)] {
            if bits & announced != 0 {
                bits |= byte(at) << shift;
                at += 1;
            }
        }
        let count = HIGH.iter().filter(|&&bit| bits & bit != 0).count();
        let end = bytes.len().saturating_sub(count).max(at.min(bytes.len()));
        let mut tail = bytes[end..].iter();
        let high =
            HIGH.map(|bit| if bits & bit != 0 { tail.next().copied().into_iter().collect() } else { Vec::new() });
        let start = at.min(end);
        Parts { bits, bit_bytes: bytes[1.min(start)..start].to_vec(), body: bytes[start..end].to_vec(), high }
    }

    fn join(&self) -> Vec<u8> {
        let high = self.high.iter().flatten();
        [SVC_CLIENT_DATA].iter().chain(&self.bit_bytes).chain(&self.body).chain(high).copied().collect()
    }

    /// With other bits, in as many bytes as they ask for.
    fn with_bits(mut self, bits: u32) -> Parts {
        let bits = bits & !(SU_EXTEND1 | SU_EXTEND2);
        let bits = if bits > 0xff_ffff { bits | SU_EXTEND2 } else { bits };
        let bits = if bits > 0xffff { bits | SU_EXTEND1 } else { bits };
        self.bits = bits;
        self.bit_bytes = vec![bits as u8, (bits >> 8) as u8];
        if bits & SU_EXTEND1 != 0 {
            self.bit_bytes.push((bits >> 16) as u8);
        }
        if bits & SU_EXTEND2 != 0 {
            self.bit_bytes.push((bits >> 24) as u8);
        }
        self
    }

    /// Without one of the parts after the active weapon.
    fn without(mut self, place: usize) -> Parts {
        self.high[place].clear();
        let bits = self.bits & !HIGH[place];
        self.with_bits(bits)
    }
}

/// A server whose clientdata is what `write` makes of its parts, where it has all of `bits`.
fn rearranged(setup: &Setup, bits: u32, write: fn(Parts) -> Parts) -> Box<dyn Endpoint> {
    server_sends_otherwise(setup, move |service, bytes, _| match service {
        Service::ClientData(_) => {
            let parts = Parts::of(bytes);
            (parts.bits & bits == bits).then(|| write(parts).join())
        }
        _ => None,
    })
}

/// An edit of clientdata.
pub(super) fn changing(
    mut change: impl FnMut(&mut ClientData),
) -> impl FnMut(&Service<'_>, &[u8], &Dialect) -> Option<Vec<u8>> {
    move |service, _, dialect| {
        let Service::ClientData(data) = service else { return None };
        let mut other = *data;
        change(&mut other);
        (other != *data).then(|| bytes_of(|w| Service::ClientData(other).write(w, &dialect.primitives)))
    }
}

/// A server whose clientdata is another.
fn changed(setup: &Setup, change: fn(&mut ClientData)) -> Box<dyn Endpoint> {
    server_sends_otherwise(setup, changing(change))
}

/// Where the items stand in the body, counted from its end: before weapon frame, armour and weapon, if these are there.
fn items_at(parts: &Parts) -> usize {
    let optional = [SU_WEAPONFRAME, SU_ARMOR, SU_WEAPON].iter().filter(|&&bit| parts.bits & bit != 0).count();
    parts.body.len().saturating_sub(FIXED_BYTES + optional)
}

pub(super) static MUTANTS: &[Mutant] = &[
    of_server("items-in-a-short", &VER_04, "fitz666/player", "writes the items as a short", |setup| {
        rearranged(setup, 0, |mut parts| {
            let at = items_at(&parts);
            parts.body.drain(at + 2..at + 4);
            parts
        })
    }),
    of_server(
        "weapon-low-byte",
        &MODEL_03,
        "fitz666/player",
        "sends the low byte of the weapon's model alone",
        |setup| rearranged(setup, SU_WEAPON2, |parts| parts.without(WEAPON2)),
    ),
    of_server("weapon-clamped", &MODEL_03, "fitz666/player", "sends no model of a weapon above 255", |setup| {
        changed(setup, |data| data.weapon = data.weapon.min(255))
    }),
    of_server(
        "third-su-byte-unannounced",
        &CD_01,
        "fitz666/player",
        "writes a third byte of bits without SU_EXTEND1",
        {
            |setup| {
                rearranged(setup, SU_EXTEND1, |mut parts| {
                    parts.bit_bytes[1] &= 0x7f;
                    parts
                })
            }
        },
    ),
    of_server(
        "third-su-byte-missing",
        &CD_01,
        "fitz666/player",
        "sets SU_EXTEND1 and leaves the third byte out",
        |setup| {
            rearranged(setup, SU_EXTEND1, |mut parts| {
                // With a fourth byte after it, it is one in the wrong place.
                if parts.bits & SU_EXTEND2 == 0 {
                    parts.bit_bytes.truncate(2);
                }
                parts
            })
        },
    ),
    of_server(
        "fourth-su-byte-missing",
        &CD_02,
        "fitz666/player",
        "sets SU_EXTEND2 and leaves the fourth byte out",
        |setup| {
            rearranged(setup, SU_EXTEND2, |mut parts| {
                parts.bit_bytes.truncate(3);
                parts
            })
        },
    ),
    of_server(
        "fourth-su-byte-unannounced",
        &CD_02,
        "fitz666/player",
        "writes a fourth byte of bits without SU_EXTEND2",
        {
            |setup| {
                rearranged(setup, SU_EXTEND2, |mut parts| {
                    parts.bit_bytes[2] &= 0x7f;
                    parts
                })
            }
        },
    ),
    of_server("weapon2-after-cells2", &CD_03, "fitz666/player", "writes WEAPON2 after CELLS2", |setup| {
        rearranged(setup, SU_WEAPON2, |mut parts| {
            let weapon = std::mem::take(&mut parts.high[WEAPON2]);
            parts.high[CELLS2].extend(weapon);
            parts
        })
    }),
    of_server("armor-wraps", &CD_04, "fitz666/player", "sends the low byte of the armour alone", |setup| {
        rearranged(setup, SU_ARMOR2, |parts| parts.without(ARMOR2))
    }),
    of_server("ammo-capped", &CD_05, "fitz666/player", "sends no ammunition above 255", |setup| {
        changed(setup, |data| data.ammo = data.ammo.min(255))
    }),
    of_server("ammo-wraps", &CD_05, "fitz666/player", "sends the low byte of the ammunition alone", |setup| {
        rearranged(setup, SU_AMMO2, |parts| parts.without(AMMO2))
    }),
    of_server("shells2-and-nails2-swapped", &CD_06, "fitz666/player", "writes NAILS2 before SHELLS2", |setup| {
        rearranged(setup, SU_SHELLS2, |mut parts| {
            parts.high.swap(SHELLS2, NAILS2);
            parts
        })
    }),
    of_server("shells-wrap", &CD_06, "fitz666/player", "sends the low byte of the shells alone", |setup| {
        rearranged(setup, SU_SHELLS2, |parts| parts.without(SHELLS2))
    }),
    of_server("nails2-and-rockets2-swapped", &CD_07, "fitz666/player", "writes ROCKETS2 before NAILS2", |setup| {
        rearranged(setup, SU_SHELLS2 << 1, |mut parts| {
            parts.high.swap(NAILS2, ROCKETS2);
            parts
        })
    }),
    of_server("nails-wrap", &CD_07, "fitz666/player", "sends the low byte of the nails alone", |setup| {
        rearranged(setup, SU_SHELLS2 << 1, |parts| parts.without(NAILS2))
    }),
    of_server("rockets2-and-cells2-swapped", &CD_08, "fitz666/player", "writes CELLS2 before ROCKETS2", |setup| {
        rearranged(setup, SU_SHELLS2 << 2, |mut parts| {
            parts.high.swap(ROCKETS2, CELLS2);
            parts
        })
    }),
    of_server("rockets-wrap", &CD_08, "fitz666/player", "sends the low byte of the rockets alone", |setup| {
        rearranged(setup, SU_SHELLS2 << 2, |parts| parts.without(ROCKETS2))
    }),
    of_server("cells-wrap", &CD_09, "fitz666/player", "sends the low byte of the cells alone", |setup| {
        rearranged(setup, SU_SHELLS2 << 3, |parts| parts.without(CELLS2))
    }),
    of_server(
        "weaponframe2-beside-low-byte",
        &CD_10,
        "fitz666/player",
        "writes WEAPONFRAME2 after the low byte",
        |setup| {
            rearranged(setup, SU_WEAPONFRAME2, |mut parts| {
                let at = items_at(&parts) + 4 + 1;
                let high = std::mem::take(&mut parts.high[WEAPONFRAME2]);
                parts.body.splice(at..at, high);
                parts
            })
        },
    ),
    of_server(
        "weaponframe-wraps",
        &CD_10,
        "fitz666/player",
        "sends the low byte of the weapon's frame alone",
        |setup| rearranged(setup, SU_WEAPONFRAME2, |parts| parts.without(WEAPONFRAME2)),
    ),
    of_server(
        "weapon-opaque-by-default",
        &CD_11,
        "fitz666/player",
        "sends an opaque weapon where none is set",
        |setup| changed(setup, |data| data.weapon_alpha = if data.weapon_alpha == 0 { 255 } else { data.weapon_alpha }),
    ),
    of_server("weapon-alpha-first", &CD_11, "fitz666/player", "writes WEAPONALPHA before all high bytes", |setup| {
        rearranged(setup, SU_WEAPONALPHA, |mut parts| {
            let mut alpha = std::mem::take(&mut parts.high[WEAPONALPHA]);
            alpha.append(&mut parts.high[WEAPON2]);
            parts.high[WEAPON2] = alpha;
            parts
        })
    }),
    of_server(
        "weapon-alpha-before-frame",
        &CD_10,
        "fitz666/player",
        "writes WEAPONFRAME2 after WEAPONALPHA",
        |setup| {
            rearranged(setup, SU_WEAPONALPHA | SU_WEAPONFRAME2, |mut parts| {
                parts.high.swap(WEAPONFRAME2, WEAPONALPHA);
                parts
            })
        },
    ),
    of_server(
        "items-only-if-any",
        &CD_14,
        "fitz666/player",
        "leaves the items out of a player who has none",
        |setup| {
            rearranged(setup, SU_ITEMS, |mut parts| {
                let at = items_at(&parts);
                if parts.body.get(at..at + 4) == Some(&[0; 4]) {
                    parts.body.drain(at..at + 4);
                    let bits = parts.bits & !SU_ITEMS;
                    return parts.with_bits(bits);
                }
                parts
            })
        },
    ),
    of_server(
        "no-weapon-no-byte",
        &CD_15,
        "fitz666/mission-pack",
        "writes no active weapon where there is none",
        |setup| {
            // In a mission pack the number of the first bit is 0 as well; a player of the scenario never holds that weapon.
            rearranged(setup, 0, |mut parts| {
                if parts.body.last() == Some(&0) {
                    parts.body.pop();
                }
                parts
            })
        },
    )
    .same_bug_as("QuakeSpasm-Spiked c4893638"),
    of_server(
        "weaponframe2-in-bit-23",
        &DEF_02,
        "fitz666/player",
        "takes bit 23 for WEAPONFRAME2, and has no fourth byte",
        {
            |setup| {
                rearranged(setup, SU_WEAPONFRAME2, |mut parts| {
                    parts.bit_bytes.truncate(3);
                    if let Some(third) = parts.bit_bytes.get_mut(2) {
                        *third |= 0x80;
                    }
                    parts.high[WEAPONALPHA].clear();
                    parts
                })
            }
        },
    ),
    of_server("su-bits-one-off", &DEF_02, "fitz666/player", "takes bits 17 to 22 for WEAPON2 to ROCKETS2", |setup| {
        rearranged(setup, SU_WEAPON2, |mut parts| {
            if let Some(third) = parts.bit_bytes.get_mut(2) {
                *third = *third & 0x80 | (*third << 1 & 0x7f);
            }
            parts.high[CELLS2].clear();
            parts
        })
    }),
    of_server(
        "su-high-bytes-unshifted",
        &DEF_05,
        "fitz666/player",
        "writes high bytes without a shift, so 0",
        |setup| {
            rearranged(setup, SU_EXTEND1, |mut parts| {
                parts.high[..WEAPONALPHA].iter_mut().for_each(|high| high.fill(0));
                parts
            })
        },
    ),
];
