//! Transparency.

use super::section::{ALPHA, BASE, DEFINITIONS, UPDATE};
use super::{may, must};
use kit::Requirement;
use kit::Role::{Both, Client, Server};

/// 0 is code 0; anything else one of 1 to 255.
pub static ALPHA_01: Requirement = must(
    "FITZ-ALPHA-01",
    Both,
    "Alpha 0 has code 0; any other has 254 times itself plus 1, between 1 and 255, rounded half away from zero.",
    DEFINITIONS,
    "wire: codes against the world",
)
.errata("A positive alpha below 1/508 has code 1 and is invisible (E9).");

/// Negative alpha is code 1.
pub static ALPHA_02: Requirement =
    must("FITZ-ALPHA-02", Server, "Any negative alpha has code 1: invisible.", ALPHA, "wire: codes against the world");

/// Code 0 is opaque, code c is (c - 1) / 254.
pub static ALPHA_03: Requirement = must(
    "FITZ-ALPHA-03",
    Client,
    "Code 0 is drawn opaque, any other code c with an opacity of (c - 1) / 254.",
    DEFINITIONS,
    "state: opacity of entities",
);

/// A saved game gives every code back.
pub static ALPHA_04: Requirement = must(
    "FITZ-ALPHA-04",
    Server,
    "A saved game holds 0 for code 0, -1 for code 1 and (c - 1) / 254 for any other; loading it gives every code back.",
    DEFINITIONS,
    "wire: codes before and after a game is saved and loaded",
)
.errata("What a client draws with does not do: it gives codes 0 and 1 back as 255 and 0 (E9).");

/// Water of default alpha obeys the client's setting, other water does not.
pub static ALPHA_05: Requirement = must(
    "FITZ-ALPHA-05",
    Client,
    "Water surfaces of an entity with code 0 obey the client's setting, those of any other code do not.",
    ALPHA,
    "state: water opacity of entities",
);

/// Alpha in the map works without the game code's help.
pub static ALPHA_06: Requirement = must(
    "FITZ-ALPHA-06",
    Server,
    "Alpha given in the map is sent, also if the game code has no such field.",
    ALPHA,
    "wire: baselines against the world, without a field in the game code",
);

/// No alpha in the map is code 0.
pub static ALPHA_07: Requirement = must(
    "FITZ-ALPHA-07",
    Server,
    "An entity for which the map gives no alpha has code 0.",
    ALPHA,
    "wire: codes against the world",
);

/// Invisible entities may be left out.
pub static ALPHA_08: Requirement =
    may("FITZ-ALPHA-08", Server, "An entity of code 1 without effects is not mentioned.", BASE, "-")
        .engines("QuakeSpasm-Spiked and vkQuake leave such entities out, the player's own included (E8).");

/// A change of alpha shows at once.
pub static ALPHA_09: Requirement = must(
    "FITZ-ALPHA-09",
    Server,
    "A change of alpha by the game code shows in the next update of the entity.",
    ALPHA,
    "wire: codes after a change",
);

/// Codes 0 and 255 are two states.
pub static ALPHA_10: Requirement = must(
    "FITZ-ALPHA-10",
    Both,
    "Codes 0 and 255 are different states, however alike they look: a change from one to the other is sent and kept.",
    UPDATE,
    "wire: ALPHA between 0 and 255; state: alpha of the entity",
);
