//! The FTE extensions, as offered, asked for and agreed upon, and NetQuake's `pext` command.

use crate::constants::*;
use crate::delta::{EXT_LERPTIME, EXT_NEWSIZE, EXT_PREDINFO};
use quakeworld::handshake::{Entries, Octal, Tokens, number};
use std::fmt;
use std::str::FromStr;

/// What a NetQuake server stuffs to ask for extensions.
pub const CMD_PEXT: &[u8] = b"cmd pext\n";

/// The command that a NetQuake client repeats to show that its address is its own.
pub const CHALLENGE_CONNECT: &[u8] = b"challengeconnect";

/// The two masks of FTE extensions, as offered, asked for, or agreed upon.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Extensions {
    /// The `FTEX` mask: `PEXT_*`.
    pub fte1: u32,
    /// The `FTE2` mask: `PEXT2_*`.
    pub fte2: u32,
}

/// An extension: one bit of a mask.
#[derive(Clone, Copy, Debug)]
pub struct Extension {
    /// Its bit.
    pub bit: u32,
    /// Its name.
    pub name: &'static str,
    /// What it changes on the wire.
    pub changes: &'static str,
    /// What it adds to the gate of entity updates; 0 where it changes nothing in them.
    pub gate: u64,
}

const fn row(bit: u32, name: &'static str, changes: &'static str) -> Extension {
    Extension { bit, name, changes, gate: 0 }
}

const fn gated(gate: u64, extension: Extension) -> Extension {
    Extension { gate, ..extension }
}

/// The bits of the `FTEX` mask that have a part here or in engines' offers.
pub const FTE1: [Extension; 9] = [
    row(PEXT_LIGHTSTYLECOL, "PEXT_LIGHTSTYLECOL", "adds svcfte_lightstylecol"),
    row(PEXT_FLOATCOORDS, "PEXT_FLOATCOORDS", "coords are floats, angles shorts"),
    row(PEXT_SPLITSCREEN, "PEXT_SPLITSCREEN", "several seats in serverdata, and a choice among them"),
    row(PEXT_SPAWNSTATIC2, "PEXT_SPAWNSTATIC2", "nothing beside replacement deltas"),
    row(PEXT_CUSTOMTEMPEFFECTS, "PEXT_CUSTOMTEMPEFFECTS", "adds svcfte_customtempent"),
    row(0x0100_0000, "PEXT_256PACKETENTITIES", "nothing beside replacement deltas"),
    row(PEXT_CHUNKEDDOWNLOADS, "PEXT_CHUNKEDDOWNLOADS", "svc_download carries a numbered chunk"),
    row(PEXT_CSQC, "PEXT_CSQC", "entities and events of the game's own code"),
    row(0x8000_0000, "PEXT_DPFLAGS", "nothing beside replacement deltas"),
];

/// The bits of the `FTE2` mask.
pub const FTE2: [Extension; 11] = [
    row(PEXT2_PRYDONCURSOR, "PEXT2_PRYDONCURSOR", "NetQuake moves have 32 buttons, and a cursor after them"),
    row(PEXT2_VOICECHAT, "PEXT2_VOICECHAT", "adds svcfte_voicechat and clcfte_voicechat"),
    row(PEXT2_SETANGLEDELTA, "PEXT2_SETANGLEDELTA", "adds svcfte_setangledelta"),
    row(PEXT2_REPLACEMENTDELTAS, "PEXT2_REPLACEMENTDELTAS", "entity updates, baselines and acknowledgements"),
    row(PEXT2_MAXPLAYERS, "PEXT2_MAXPLAYERS", "slots and seats in QuakeWorld's serverdata"),
    gated(EXT_PREDINFO, row(PEXT2_PREDINFO, "PEXT2_PREDINFO", "the pred block, statistics, and numbers of moves")),
    gated(EXT_NEWSIZE, row(PEXT2_NEWSIZEENCODING, "PEXT2_NEWSIZEENCODING", "sizes of entities, and UF flag 18: bones")),
    row(PEXT2_INFOBLOBS, "PEXT2_INFOBLOBS", "adds svcfte_setinfoblob"),
    row(PEXT2_STUNAWARE, "PEXT2_STUNAWARE", "the numbers of QuakeWorld's headers are big-endian and biased"),
    row(PEXT2_VRINPUTS, "PEXT2_VRINPUTS", "several moves in one, with acknowledgements; adds svcfte_setanglebase"),
    gated(EXT_LERPTIME, row(PEXT2_LERPTIME, "PEXT2_LERPTIME", "numbers of updates, and UF flag 9: a time")),
];

/// The bits of the `FTE2` mask that our client can go along with: it has replacement deltas and PREDINFO, and the others only add
/// services of the server's, which it reads. Those of [`FTE2`] beside them change what a client sends, or the updates that it decodes.
pub const FTE2_OF_CLIENT: u32 =
    PEXT2_REPLACEMENTDELTAS | PEXT2_PREDINFO | PEXT2_VOICECHAT | PEXT2_SETANGLEDELTA | PEXT2_INFOBLOBS;

/// The bits of the `FTE2` mask that have a meaning, and that our client cannot go along with.
pub const FTE2_BEYOND_CLIENT: u32 = {
    let (mut beyond, mut at) = (0, 0);
    while at < FTE2.len() {
        beyond |= FTE2[at].bit;
        at += 1;
    }
    beyond & !FTE2_OF_CLIENT
};

/// The names of [`FTE1`], by their bits.
pub const FTE1_NAMES: &[(u32, &str)] = &names(&FTE1);
/// The names of [`FTE2`], by their bits.
pub const FTE2_NAMES: &[(u32, &str)] = &names(&FTE2);

const fn names<const N: usize>(table: &[Extension; N]) -> [(u32, &'static str); N] {
    let (mut names, mut at) = ([(0, ""); N], 0);
    while at < N {
        names[at] = (table[at].bit, table[at].name);
        at += 1;
    }
    names
}

impl Extensions {
    /// Those that a challenge or a connect mentions.
    pub fn of(entries: &Entries<'_>) -> Extensions {
        Extensions { fte1: entries.fte1.unwrap_or(0), fte2: entries.fte2.unwrap_or(0) }
    }

    /// Entries with exactly these extensions; a mask of 0 is not mentioned.
    pub fn entries(&self) -> Entries<'static> {
        let mask = |mask: u32| (mask != 0).then_some(mask);
        Entries { fte1: mask(self.fte1), fte2: mask(self.fte2), ..Entries::default() }
    }

    /// What both have.
    pub fn mask(&self, other: Extensions) -> Extensions {
        Extensions { fte1: self.fte1 & other.fte1, fte2: self.fte2 & other.fte2 }
    }

    /// What it has, and the other has not.
    pub fn without(&self, other: Extensions) -> Extensions {
        Extensions { fte1: self.fte1 & !other.fte1, fte2: self.fte2 & !other.fte2 }
    }

    /// What they add to the gate of entity updates.
    pub fn gate(&self) -> u64 {
        let of = |table: &[Extension], mask: u32| {
            table.iter().filter(|row| mask & row.bit != 0).fold(0, |gate, row| gate | row.gate)
        };
        of(&FTE1, self.fte1) | of(&FTE2, self.fte2)
    }

    /// Whether replacement deltas are among them.
    pub fn replacement_deltas(&self) -> bool {
        self.fte2 & PEXT2_REPLACEMENTDELTAS != 0
    }

    /// Whether PREDINFO is among them.
    pub fn predinfo(&self) -> bool {
        self.fte2 & PEXT2_PREDINFO != 0
    }

    /// Whether float coords are among them.
    pub fn float_coords(&self) -> bool {
        self.fte1 & PEXT_FLOATCOORDS != 0
    }

    /// The extensions' names; bits without a name together as `FTEX:0x…` and `FTE2:0x…`.
    pub fn names(&self) -> Vec<String> {
        let mut names = Vec::new();
        for (mask, known, key) in [(self.fte1, FTE1_NAMES, "FTEX"), (self.fte2, FTE2_NAMES, "FTE2")] {
            let mut rest = mask;
            for (bit, name) in known {
                if mask & bit != 0 {
                    names.push(String::from(*name));
                    rest &= !bit;
                }
            }
            if rest != 0 {
                names.push(format!("{key}:{rest:#x}"));
            }
        }
        names
    }

    /// Appends the client's `pext` command with both masks, without a NUL; a mask of 0 is not mentioned.
    pub fn write_pext(&self, out: &mut Vec<u8>) {
        out.extend_from_slice(b"pext");
        for (key, mask) in [(PROTOCOL_VERSION_FTE, self.fte1), (PROTOCOL_VERSION_FTE2, self.fte2)] {
            // FTE-HS-09
            if mask != 0 {
                out.extend_from_slice(format!(" {key:#x} {mask:#x}").as_bytes()); // FTE-HS-10
            }
        }
    }

    /// Reads a `pext` command; `None` when `text` is another one.
    ///
    /// Keys and values are numbers in any base; an unknown key is skipped with its value, whatever that is; of a repeated
    /// key the last value counts. A client that does not know the command sends it back bare: no extensions.
    pub fn read_pext(text: &[u8]) -> Option<Extensions> {
        let mut tokens = Tokens::new(text);
        if tokens.next()? != b"pext" {
            return None;
        }
        let mut extensions = Extensions::default();
        while let (Some(key), Some(value)) = (tokens.next(), tokens.next()) {
            match number(key, Octal::Yes) {
                PROTOCOL_VERSION_FTE => extensions.fte1 = number(value, Octal::Yes),
                PROTOCOL_VERSION_FTE2 => extensions.fte2 = number(value, Octal::Yes),
                // FTE-HS-11
                _ => {}
            }
        }
        Some(extensions)
    }
}

/// The names with a blank between them, or `none`.
impl fmt::Display for Extensions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.names() {
            names if names.is_empty() => f.pad("none"),
            names => f.pad(&names.join(" ")),
        }
    }
}

/// Reads what [`Extensions`] displays; blanks and commas separate, upper and lower case are equal.
impl FromStr for Extensions {
    type Err = String;

    fn from_str(text: &str) -> Result<Extensions, String> {
        let mut extensions = Extensions::default();
        for word in text.split([' ', ',']).filter(|word| !word.is_empty() && !word.eq_ignore_ascii_case("none")) {
            let bit_of = |names: &[(u32, &str)]| {
                names.iter().find(|(_, name)| name.eq_ignore_ascii_case(word)).map_or(0, |(bit, _)| *bit)
            };
            let bits_of = |key: &str| {
                let digits = word.strip_prefix(key).and_then(|rest| rest.strip_prefix(":0x"));
                digits.and_then(|digits| u32::from_str_radix(digits, 16).ok()).unwrap_or(0)
            };
            let (fte1, fte2) = (bit_of(FTE1_NAMES) | bits_of("FTEX"), bit_of(FTE2_NAMES) | bits_of("FTE2"));
            if fte1 | fte2 == 0 {
                let known: Vec<&str> = FTE1_NAMES.iter().chain(FTE2_NAMES).map(|(_, name)| *name).collect();
                return Err(format!("unknown extension {word:?}; known are {}, FTEX:0x…, FTE2:0x…", known.join(", ")));
            }
            extensions.fte1 |= fte1;
            extensions.fte2 |= fte2;
        }
        Ok(extensions)
    }
}

#[cfg(test)]
mod tests;
