//! What must not hurt.

use super::section::OURS;
use super::{P1, must};
use kit::Requirement;
use kit::Role::{Both, Client, Server};

/// A packet that is cut short or has an unknown record is ignored as a whole; the receiver goes on.
pub static ROB_01: Requirement = must(
    "GG2-ROB-01",
    Both,
    "A packet that is cut short or has an unknown record is ignored as a whole; the receiver goes on.",
    OURS,
    "packets that cannot be read",
)
.decided_by(P1)
.engines("The program that came of it stops.");

/// A packet of a stranger that is no hello is ignored.
pub static ROB_02: Requirement =
    must("GG2-ROB-02", Server, "A packet of a stranger that is no hello is ignored.", OURS, "an input without a hello")
        .decided_by(P1);

/// Packets from another address than the server's are ignored.
pub static ROB_03: Requirement = must(
    "GG2-ROB-03",
    Client,
    "Packets from another address than the server's are ignored.",
    OURS,
    "none: a unit test of the client shows it",
)
.decided_by(P1)
.untestable("in the simulated network nobody but the server can send to a client");

/// No packet is longer than 2048 bytes; a client that leaves more than that, or more than 256 events, is thrown out.
pub static ROB_04: Requirement = must(
    "GG2-ROB-04",
    Server,
    "No packet is longer than 2048 bytes; a client that leaves more than that, or more than 256 events, is thrown out.",
    OURS,
    "an outage with many events",
)
.decided_by(P1);
