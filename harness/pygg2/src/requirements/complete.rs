//! The complete update.

use super::section::{COMPLETE, OURS};
use super::{P1, must};
use kit::Requirement;
use kit::Role::Server;

/// The complete update has name, class and team of every player.
pub static FULL_01: Requirement = must(
    "GG2-FULL-01",
    Server,
    "The complete update has name, class and team of every player.",
    COMPLETE,
    "the first events",
);

/// It has the statistics of every player.
pub static FULL_02: Requirement =
    must("GG2-FULL-02", Server, "It has the statistics of every player.", COMPLETE, "the complete update");

/// For a living player it has input, aim, position, speed, health, ammunition, cloak and readiness.
pub static FULL_03: Requirement = must(
    "GG2-FULL-03",
    Server,
    "For a living player it has input, aim, position, speed, health, ammunition, cloak and readiness.",
    COMPLETE,
    "the complete update",
);

/// For a sentry it has direction, position, whether it is built, and health.
pub static FULL_04: Requirement = must(
    "GG2-FULL-04",
    Server,
    "For a sentry it has direction, position, whether it is built, and health.",
    COMPLETE,
    "the complete update",
);

/// It has information on the game mode.
pub static FULL_05: Requirement =
    must("GG2-FULL-05", Server, "It has information on the game mode.", COMPLETE, "the complete update");

/// Ids are written out, and stay a player's own when another leaves.
pub static FULL_06: Requirement = must(
    "GG2-FULL-06",
    Server,
    "Ids are written out, and stay a player's own when another leaves.",
    OURS,
    "a client that joins after another left",
)
.decided_by(P1)
.engines("The program that came of it takes places in a list for ids.");
