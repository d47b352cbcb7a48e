//! What must not hurt.

use super::P1;
use super::section::OURS;
use kit::Requirement;
use kit::Role::{Both, Client, Server};
use kit::requirement::must;

pub static ROB_01: Requirement = must("GG2-ROB-01", Both, OURS, "packets that cannot be read")
    .text("A packet that is cut short or has an unknown record is ignored as a whole; the receiver goes on.")
    .decided_by(P1)
    .engines("The program that came of it stops.");

pub static ROB_02: Requirement = must("GG2-ROB-02", Server, OURS, "an input without a hello")
    .text("A packet of a stranger that is no hello is ignored.")
    .decided_by(P1);

pub static ROB_03: Requirement = must("GG2-ROB-03", Client, OURS, "none: a unit test of the client shows it")
    .text("Packets from another address than the server's are ignored.")
    .decided_by(P1)
    .untestable("in the simulated network only the server can send to a client");

pub static ROB_04: Requirement = must("GG2-ROB-04", Server, OURS, "an outage with many events")
    .text(
        "No packet is longer than 2048 bytes; a client that leaves more than that, or more than 256 events, is thrown \
         out.",
    )
    .decided_by(P1);

pub static ROB_05: Requirement = must("GG2-ROB-05", Both, OURS, "a network that is dead for longer")
    .text("An end that has accepted no packet for ten seconds takes the other for gone, and sends it nothing more.")
    .decided_by(P1);
