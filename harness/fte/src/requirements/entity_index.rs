//! How entities are numbered on the wire.

use super::section::{DELTAS, NUMBERS};
use super::{must, must_not, should, should_not};
use kit::Requirement;
use kit::Role::{Both, Client, Server};

/// Regular entity numbers below 32768 are one plain 15-bit short.
pub static ENT_01: Requirement =
    must("FTE-ENT-01", Both, "Regular entity numbers below 32768 are one plain 15-bit short.", NUMBERS, "wire");

/// Regular numbers from 32768 use the extend bit and one extra byte (bit placement: dialect seed/built, E1).
pub static ENT_02: Requirement = must(
    "FTE-ENT-02",
    Both,
    "Regular numbers from 32768 use the extend bit and one extra byte (bit placement: dialect seed/built, E1).",
    NUMBERS,
    "wire: 32768, 40000, 4194303",
);

/// All regular entity-number users (sounds, beams, view, tag, baseline2) switch to that coding once the extension is on.
pub static ENT_03: Requirement = must(
    "FTE-ENT-03",
    Both,
    "All regular entity-number users (sounds, beams, view, tag, baseline2) switch to that coding once the extension is on.",
    NUMBERS,
    "wire: each svc with big number",
);

/// Switch that coding on without the extension.
pub static ENT_04: Requirement = must_not(
    "FTE-ENT-04",
    Both,
    "Switch that coding on without the extension.",
    NUMBERS,
    "wire: no-ext client, number >= 32768",
);

/// Delta index: bit15 remove, bit14 extended, low 14 bits number.
pub static ENT_05: Requirement =
    must("FTE-ENT-05", Both, "Delta index: bit15 remove, bit14 extended, low 14 bits number.", DELTAS, "wire");

/// Extended index byte holds number bits 14-21.
pub static ENT_06: Requirement =
    must("FTE-ENT-06", Both, "Extended index byte holds number bits 14-21.", DELTAS, "wire: 16384, 20000, 4194303");

/// Use the extended form for numbers >= 16384.
pub static ENT_07: Requirement =
    must("FTE-ENT-07", Server, "Use the extended form for numbers >= 16384.", DELTAS, "wire");

/// Accept the extended form for any number, including small ones.
pub static ENT_08: Requirement = must(
    "FTE-ENT-08",
    Client,
    "Accept the extended form for any number, including small ones.",
    DELTAS,
    "state: extended 5 updates 5",
);

/// A removed entity is index only: no flag bytes.
pub static ENT_09: Requirement =
    must("FTE-ENT-09", Both, "A removed entity is index only: no flag bytes.", DELTAS, "wire: length");

/// Index 0 without remove ends the list with no flags.
pub static ENT_10: Requirement =
    must("FTE-ENT-10", Both, "Index 0 without remove ends the list with no flags.", DELTAS, "wire");

/// Index 0 with remove means discard every known entity, and the list continues.
pub static ENT_11: Requirement = must(
    "FTE-ENT-11",
    Both,
    "Index 0 with remove means discard every known entity, and the list continues.",
    DELTAS,
    "state",
);

/// Support numbers up to 2^22-1 (about 4 million).
pub static ENT_12: Requirement =
    must("FTE-ENT-12", Both, "Support numbers up to 2^22-1 (about 4 million).", DELTAS, "state: 65536, 4194303");

/// Confuse delta index coding with the regular coding.
pub static ENT_13: Requirement = must_not(
    "FTE-ENT-13",
    Both,
    "Confuse delta index coding with the regular coding.",
    DELTAS,
    "wire: entity 20000 vs tag 20000",
);

/// Encode negative/special meanings in entity numbers.
pub static ENT_14: Requirement =
    should_not("FTE-ENT-14", Server, "Encode negative/special meanings in entity numbers.", NUMBERS, "wire");

/// List entities in ascending order in a message (built readers need it).
pub static ENT_15: Requirement = should(
    "FTE-ENT-15",
    Server,
    "List entities in ascending order in a message (built readers need it).",
    DELTAS,
    "wire",
);
