//! Entities.

use super::must;
use super::section::ENTITY;
use kit::Requirement;
use kit::Role::{Client, Server};

/// Over protocol 35 the old origin of what is no beam is the base's origin.
pub static ENT_01: Requirement = must(
    "R1Q2-ENT-01",
    Client,
    "Over protocol 35 an entity without U_OLDORIGIN has the base's origin as its old origin, if the base \
     is no beam.",
    ENTITY,
    "state: the old origin of what moves",
);

/// Over protocol 35 a beam keeps its old origin.
pub static ENT_02: Requirement = must(
    "R1Q2-ENT-02",
    Client,
    "Over protocol 35 an entity without U_OLDORIGIN has the base's old origin, if the base is a beam.",
    ENTITY,
    "state: the far end of a beam",
);

/// Over protocol 34 the old origin is the base's origin, of beams too.
pub static ENT_03: Requirement = must(
    "R1Q2-ENT-03",
    Client,
    "Over protocol 34 an entity without U_OLDORIGIN has the base's origin as its old origin, whatever the \
     base is.",
    ENTITY,
    "state: over protocol 34",
);

/// Over protocol 35 a beam's old origin is sent when it differs, over protocol 34 always.
pub static ENT_04: Requirement = must(
    "R1Q2-ENT-04",
    Server,
    "U_OLDORIGIN of a beam is sent over protocol 35 when the far end differs from the base's, over \
     protocol 34 in every frame.",
    ENTITY,
    "wire: beams that move and beams that rest",
)
.errata(
    "A server that sends it once too often is understood all the same: Q2PRO does for every new beam, so \
     that either reading of ENT-05 is right.",
);

/// Whether it is a beam is asked of the base.
pub static ENT_05: Requirement = must(
    "R1Q2-ENT-05",
    Client,
    "Whether it is a beam is asked of the base.",
    ENTITY,
    "state: an entity that becomes a beam",
)
.errata(
    "Q2PRO's client asks the new state, over protocol 34 as well (erratum 11). It matters only where a \
     change of the flag comes without U_OLDORIGIN, which Q2PRO's server never sends.",
);
