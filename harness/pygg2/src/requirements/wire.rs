//! How values are written.

use super::section::{BASE, EXTRAS, OURS, TYPES};
use super::{P1, may, must, should};
use kit::Requirement;
use kit::Role::Both;

/// Every field has the width and the sign that its type has.
pub static TYPE_01: Requirement = must(
    "GG2-TYPE-01",
    Both,
    "Every field has the width and the sign that its type has.",
    TYPES,
    "values with a sign below 0",
);

/// Numbers are big-endian, and nothing is padded.
pub static TYPE_02: Requirement =
    must("GG2-TYPE-02", Both, "Numbers are big-endian, and nothing is padded.", OURS, "values whose bytes differ")
        .decided_by(P1);

/// The base of a player is 16 bytes: input, aim, x, y, hspeed, vspeed, hp, in this order.
pub static BASE_01: Requirement = must(
    "GG2-BASE-01",
    Both,
    "The base of a player is 16 bytes: input, aim, x, y, hspeed, vspeed, hp, in this order.",
    BASE,
    "a body whose values all differ",
);

/// The keys left, right, up, mouseleft and mouseright are the bits of inputstate from the lowest on.
pub static BASE_02: Requirement = must(
    "GG2-BASE-02",
    Both,
    "The keys left, right, up, mouseleft and mouseright are the bits of inputstate from the lowest on.",
    BASE,
    "one key at a time",
)
.decided_by(P1);

/// The spare bits of inputstate are written as 0.
pub static BASE_03: Requirement =
    should("GG2-BASE-03", Both, "The spare bits of inputstate are written as 0.", OURS, "inputs and bodies")
        .decided_by(P1);

/// Speeds have a sign.
pub static BASE_04: Requirement =
    must("GG2-BASE-04", Both, "Speeds have a sign.", BASE, "a player that moves left or up");

/// Class fields, and bytes of one's own, may follow a body if both sides have declared them.
pub static CLS_01: Requirement = may(
    "GG2-CLS-01",
    Both,
    "Class fields, and bytes of one's own, may follow a body if both sides have declared them.",
    EXTRAS,
    "options class_fields and class_extras",
)
.errata("The concept's list is unfinished, and has no types: whether to have it at all is open.");

/// Behind a body stands what is declared, and nothing else: of the class fields those of the player's class; others are 0.
pub static CLS_02: Requirement = must(
    "GG2-CLS-02",
    Both,
    "Behind a body stands what is declared, and nothing else: of the class fields those of the player's class; others are 0.",
    EXTRAS,
    "bodies of all classes",
)
.decided_by(P1)
.errata("Which class has which field is the concept's; types, order and the zeros are the profile's. Bytes of one's own are nobody's obligation.");
