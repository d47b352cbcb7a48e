//! The numbers.

use super::section::{BASE, DEFINITIONS};
use super::{must, should};
use kit::Requirement;
use kit::Role::{Both, Client};

/// Bits of entity updates.
pub static DEF_01: Requirement = must(
    "FITZ-DEF-01",
    Both,
    "Bits of updates: EXTEND1 is 15, ALPHA 16, FRAME2 17, MODEL2 18, LERPFINISH 19.",
    DEFINITIONS,
    "wire: values against the world; state: entities of updates with EXTEND1",
);

/// Bits of clientdata.
pub static DEF_02: Requirement = must(
    "FITZ-DEF-02",
    Both,
    "Bits of clientdata: EXTEND1 is 15, WEAPON2 to CELLS2 16 to 22, EXTEND2 23, WEAPONFRAME2 24, WEAPONALPHA 25.",
    DEFINITIONS,
    "wire: values against the world; state: statistics",
);

/// Bits of sounds.
pub static DEF_03: Requirement = must(
    "FITZ-DEF-03",
    Both,
    "Bits of sounds: LARGEENTITY is 3, LARGESOUND is 4.",
    DEFINITIONS,
    "wire: values against the world; state: sounds played",
);

/// Numbers of the three messages.
pub static DEF_04: Requirement = must(
    "FITZ-DEF-04",
    Both,
    "svc_spawnbaseline2 is 42, svc_spawnstatic2 43, svc_spawnstaticsound2 44.",
    DEFINITIONS,
    "wire: sign-on against the world; state: the client signs on",
);

/// A second byte holds bits 8 to 15.
pub static DEF_05: Requirement = must(
    "FITZ-DEF-05",
    Both,
    "A second byte holds bits 8 to 15 of its value, moved down by 8.",
    DEFINITIONS,
    "wire: values against the world; state: values above 255",
);

/// Unknown bits are no silence.
pub static DEF_06: Requirement = should(
    "FITZ-DEF-06",
    Client,
    "Bits without a meaning are an error or an extension that was declared; data behind them is never passed over.",
    BASE,
    "state: a datagram with such a bit is refused",
)
.engines("vkQuake sends scale with bit 20 of updates over protocol 666; reading that byte passes.");
