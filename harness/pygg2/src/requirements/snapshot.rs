//! What snapshots are.

use super::P1;
use super::section::{IDEA, OURS, SNAPSHOT};
use kit::Requirement;
use kit::Role::{Both, Server};
use kit::requirement::must;

pub static SNAP_01: Requirement = must("GG2-SNAP-01", Server, IDEA, "the time between two snapshots")
    .text("Every player gets snapshots at a constant rate.");

pub static SNAP_02: Requirement = must("GG2-SNAP-02", Server, SNAPSHOT, "a packet that was sent before")
    .text("A snapshot is sent once; what is lost is made good by a newer one.");

pub static SNAP_03: Requirement = must("GG2-SNAP-03", Server, SNAPSHOT, "snapshots against what the scenario says")
    .text("A snapshot has every living player: input, aim, position, speed, health, ammunition, cloak.");

pub static SNAP_04: Requirement = must("GG2-SNAP-04", Server, SNAPSHOT, "snapshots after a death")
    .text("A snapshot has no body of a player who does not live.");

pub static SNAP_05: Requirement = must("GG2-SNAP-05", Both, OURS, "the times in a session")
    .text(
        "Times are in milliseconds: in snapshots and complete updates the server's, in jumps the client's. A client shows \
         that of the newest that it has applied.",
    )
    .decided_by(P1);
