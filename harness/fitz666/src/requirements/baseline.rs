//! Baselines, static entities and static sounds.

use super::must;
use super::section::{BASE, BASELINE, STATIC, STATIC_SOUND};
use kit::Requirement;
use kit::Role::{Both, Client, Server};

/// spawnbaseline2 is used where alpha, a wide model or a wide frame needs it.
pub static BASE_01: Requirement = must(
    "FITZ-BASE-01",
    Server,
    "A baseline with alpha, a model above 255 or a frame above 255 is sent with svc_spawnbaseline2.",
    BASELINE,
    "wire: baselines against the world",
)
.errata("A svc_spawnbaseline2 without a flag passes: every client reads it.");

/// The flags follow the entity's number; a static entity begins with them.
pub static BASE_02: Requirement = must(
    "FITZ-BASE-02",
    Server,
    "The byte of flags follows the entity's number in svc_spawnbaseline2, and begins svc_spawnstatic2.",
    BASELINE,
    "wire: baselines against the world",
)
.errata("The document says \"at the beginning\"; every engine has it behind the number (E1).");

/// Flag 0: the model is a short.
pub static BASE_03: Requirement = must(
    "FITZ-BASE-03",
    Both,
    "With B_LARGEMODEL the model is a little-endian short, without it a byte.",
    BASELINE,
    "wire: baselines against the world; state: entities at their baseline",
);

/// Flag 1: the frame is a short.
pub static BASE_04: Requirement = must(
    "FITZ-BASE-04",
    Both,
    "With B_LARGEFRAME the frame is a little-endian short, without it a byte.",
    BASELINE,
    "wire: baselines against the world; state: entities at their baseline",
);

/// Flag 2: alpha at the end.
pub static BASE_05: Requirement = must(
    "FITZ-BASE-05",
    Both,
    "With B_ALPHA the code of alpha is the last byte of the message.",
    BASELINE,
    "wire: baselines against the world; state: entities at their baseline",
);

/// Without flag 2 alpha is the default.
pub static BASE_06: Requirement = must(
    "FITZ-BASE-06",
    Client,
    "A baseline without B_ALPHA has alpha code 0.",
    BASE,
    "state: alpha of entities at such a baseline",
)
.errata("The document leaves it open; the baselines of players have code 0 whatever their entity has (E15).");

/// spawnstatic2 is used under the same rule, without a number.
pub static STAT_01: Requirement = must(
    "FITZ-STAT-01",
    Server,
    "svc_spawnstatic2 is used under the same rule as svc_spawnbaseline2, and has no entity number.",
    STATIC,
    "wire: static entities against the world",
)
.engines("QuakeSpasm-Spiked and vkQuake leave static entities of alpha code 1 out.");

/// spawnstaticsound2 widens the index alone.
pub static STAT_02: Requirement = must(
    "FITZ-STAT-02",
    Server,
    "svc_spawnstaticsound2 is used for sounds above 255; their number is a short, all else as in svc_spawnstaticsound.",
    STATIC_SOUND,
    "wire: static sounds against the world",
);
