//! What snapshots are.

use super::must;
use super::section::{IDEA, SNAPSHOT};
use kit::Requirement;
use kit::Role::Server;

/// Every player gets snapshots at a constant rate.
pub static SNAP_01: Requirement = must(
    "GG2-SNAP-01",
    Server,
    "Every player gets snapshots at a constant rate.",
    IDEA,
    "the time between two snapshots",
);

/// A snapshot is sent once; what is lost is made good by a newer one.
pub static SNAP_02: Requirement = must(
    "GG2-SNAP-02",
    Server,
    "A snapshot is sent once; what is lost is made good by a newer one.",
    SNAPSHOT,
    "a packet that was sent before",
);

/// A snapshot has every living player: input, aim, position, speed, health, ammunition, cloak.
pub static SNAP_03: Requirement = must(
    "GG2-SNAP-03",
    Server,
    "A snapshot has every living player: input, aim, position, speed, health, ammunition, cloak.",
    SNAPSHOT,
    "snapshots against what the scenario says",
);

/// A snapshot has no body of a player who does not live.
pub static SNAP_04: Requirement = must(
    "GG2-SNAP-04",
    Server,
    "A snapshot has no body of a player who does not live.",
    SNAPSHOT,
    "snapshots after a death",
);
