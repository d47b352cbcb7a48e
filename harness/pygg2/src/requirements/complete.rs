//! The complete update.

use super::P1;
use super::section::{COMPLETE, OURS};
use kit::Requirement;
use kit::Role::Server;
use kit::requirement::must;

pub static FULL_01: Requirement = must("GG2-FULL-01", Server, COMPLETE, "the first events")
    .text("The complete update has name, class and team of every player.");

pub static FULL_02: Requirement =
    must("GG2-FULL-02", Server, COMPLETE, "the complete update").text("It has the statistics of every player.");

pub static FULL_03: Requirement = must("GG2-FULL-03", Server, COMPLETE, "the complete update")
    .text("For a living player it has input, aim, position, speed, health, ammunition, cloak and readiness.");

pub static FULL_04: Requirement = must("GG2-FULL-04", Server, COMPLETE, "the complete update")
    .text("For a sentry it has direction, position, whether it is built, and health.");

pub static FULL_05: Requirement =
    must("GG2-FULL-05", Server, COMPLETE, "the complete update").text("It has information on the game mode.");

pub static FULL_06: Requirement = must("GG2-FULL-06", Server, OURS, "a client that joins after another left")
    .text("Ids are written out, and stay a player's own when another leaves.")
    .decided_by(P1)
    .engines("The program that came of it takes places in a list for ids.");
