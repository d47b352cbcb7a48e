//! Removing entities.

use super::section::SENDING;
use super::{must, must_not, should};
use kit::Requirement;
use kit::Role::{Client, Server};

/// Entity no longer visible to the client is removed explicitly.
pub static RMV_01: Requirement =
    must("FTE-RMV-01", Server, "Entity no longer visible to the client is removed explicitly.", SENDING, "T3");

/// Drop entities merely because a new frame does not mention them.
pub static RMV_02: Requirement =
    must_not("FTE-RMV-02", Client, "Drop entities merely because a new frame does not mention them.", SENDING, "state");

/// Remove deletes the entity; later plain deltas count as unknown.
pub static RMV_03: Requirement =
    must("FTE-RMV-03", Client, "Remove deletes the entity; later plain deltas count as unknown.", SENDING, "state");

/// Remove of an unknown entity is harmless.
pub static RMV_04: Requirement =
    must("FTE-RMV-04", Client, "Remove of an unknown entity is harmless.", SENDING, "state");

/// A lost remove is repeated until it is acked or overridden.
pub static RMV_05: Requirement =
    must("FTE-RMV-05", Server, "A lost remove is repeated until it is acked or overridden.", SENDING, "O4");

/// Apply a folded-back remove to an entity that has become visible again.
pub static RMV_06: Requirement = must_not(
    "FTE-RMV-06",
    Server,
    "Apply a folded-back remove to an entity that has become visible again.",
    SENDING,
    "T4",
);

/// When folding flags of an entity already removed, do not resurrect it.
pub static RMV_07: Requirement = must(
    "FTE-RMV-07",
    Server,
    "When folding flags of an entity already removed, do not resurrect it.",
    SENDING,
    "S existence",
);

/// Remove-all discards all entities incl. their known flag.
pub static RMV_08: Requirement = must(
    "FTE-RMV-08",
    Client,
    "Remove-all discards all entities incl. their known flag.",
    SENDING,
    "state then plain delta",
);

/// After remove-all every visible entity is re-sent as new.
pub static RMV_09: Requirement =
    must("FTE-RMV-09", Server, "After remove-all every visible entity is re-sent as new.", SENDING, "wire");

/// A lost remove-all is repeated or every stale entity individually removed.
pub static RMV_10: Requirement = must(
    "FTE-RMV-10",
    Server,
    "A lost remove-all is repeated or every stale entity individually removed.",
    SENDING,
    "O4",
);

/// Remove-all precedes the entity entries of its message.
pub static RMV_11: Requirement =
    must("FTE-RMV-11", Server, "Remove-all precedes the entity entries of its message.", SENDING, "wire");

/// Remove clears pending field flags of that entity (nothing else sent for it).
pub static RMV_12: Requirement = must(
    "FTE-RMV-12",
    Server,
    "Remove clears pending field flags of that entity (nothing else sent for it).",
    SENDING,
    "wire",
);

/// First frame after connect/map change starts with remove-all.
pub static RMV_13: Requirement = should(
    "FTE-RMV-13",
    Server,
    "First frame after connect/map change starts with remove-all.",
    SENDING,
    "wire (QSS needs it)",
);
