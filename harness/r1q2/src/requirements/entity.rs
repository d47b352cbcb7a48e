//! Entities.

use super::section::ENTITY;
use kit::Requirement;
use kit::Role::{Client, Server};
use kit::requirement::must;

pub static ENT_01: Requirement = must("R1Q2-ENT-01", Client, ENTITY, "state: the old origin of what moves").text(
    "Over protocol 35 an entity without U_OLDORIGIN has the base's origin as its old origin, if the base is no beam.",
);

pub static ENT_02: Requirement = must("R1Q2-ENT-02", Client, ENTITY, "state: the far end of a beam")
    .text("Over protocol 35 an entity without U_OLDORIGIN has the base's old origin, if the base is a beam.");

pub static ENT_03: Requirement = must("R1Q2-ENT-03", Client, ENTITY, "state: over protocol 34").text(
    "Over protocol 34 an entity without U_OLDORIGIN has the base's origin as its old origin, whatever the base is.",
);

pub static ENT_04: Requirement = must("R1Q2-ENT-04", Server, ENTITY, "wire: beams that move and beams that rest")
    .text(
        "U_OLDORIGIN of a beam is sent over protocol 35 when the far end differs from the base's, over protocol 34 in \
         every frame.",
    )
    .errata(
        "A server that sends it once too often is understood all the same: Q2PRO does for every new beam, so that \
         either reading of ENT-05 is right.",
    );

pub static ENT_05: Requirement = must("R1Q2-ENT-05", Client, ENTITY, "state: an entity that becomes a beam")
    .text("Whether an entity is a beam, its base decides, or its new state; nothing else.")
    .errata(
        "In the specification it is the base alone. To Q2PRO's client the new state decides, over protocol 34 as well \
         (erratum 11), and both pass. It matters only where a change \
         of the flag comes without U_OLDORIGIN, which Q2PRO's server never sends.",
    );
