//! How values are written.

use super::P1;
use super::section::{BASE, EXTRAS, OURS, TYPES};
use kit::Requirement;
use kit::Role::Both;
use kit::requirement::{may, must, should};

pub static TYPE_01: Requirement = must("GG2-TYPE-01", Both, TYPES, "values with a sign below 0")
    .text("Every field has the width and the sign that its type has.")
    .errata(
        "The concept's fields have but bin[1], ubyte, short, ushort and uint of its types. It gives none to statistics, ids, \
         times and the rest; theirs are the profile's.",
    );

pub static TYPE_02: Requirement = must("GG2-TYPE-02", Both, OURS, "values whose bytes differ")
    .text("Numbers are big-endian, and nothing is padded.")
    .decided_by(P1);

pub static BASE_01: Requirement = must("GG2-BASE-01", Both, BASE, "a body whose values all differ")
    .text("The base of a player is 16 bytes: input, aim, x, y, hspeed, vspeed, hp, in this order.");

pub static BASE_02: Requirement = must("GG2-BASE-02", Both, BASE, "one key at a time")
    .text("The keys left, right, up, mouseleft and mouseright are the bits of inputstate from the lowest on.")
    .decided_by(P1);

pub static BASE_03: Requirement = should("GG2-BASE-03", Both, OURS, "inputs and bodies")
    .text("The spare bits of inputstate are written as 0.")
    .decided_by(P1);

pub static BASE_04: Requirement =
    must("GG2-BASE-04", Both, BASE, "a player that moves left or up").text("Speeds have a sign.");

pub static CLS_01: Requirement = may("GG2-CLS-01", Both, EXTRAS, "options class_fields and class_extras")
    .text("Class fields, and bytes of one's own, may follow a body if both sides have declared them.")
    .errata("The concept's list is unfinished, and has no types: whether to have it at all is open.");

pub static CLS_02: Requirement = must("GG2-CLS-02", Both, EXTRAS, "bodies of all classes")
    .text(
        "After a body stands what is declared, and nothing else: of the class fields those of the player's class; \
         others are 0.",
    )
    .decided_by(P1)
    .errata(
        "Which class has which field is the concept's; types, order and the zeros are the profile's. Extra \
         bytes of a sender's own are not required.",
    );
