//! Movement, demos, and everything else.

use super::section::{ABOUT, DEMOS, MOVEMENT};
use kit::Requirement;
use kit::Role::{Both, Client, Server};
use kit::requirement::{must, should};

pub static MOV_01: Requirement =
    must("R1Q2-MOV-01", Both, MOVEMENT, "state: the way of a spectator against protocol 34")
        .text("Over protocol 35 a spectator moves for twice the time of a command.");

pub static MOV_02: Requirement =
    should("R1Q2-MOV-02", Server, MOVEMENT, "state: spectators of both protocols on one server")
        .text("Whether time counts twice depends on each client's own protocol.");

pub static MOV_03: Requirement = must("R1Q2-MOV-03", Client, MOVEMENT, "state: predicted against received places")
    .text("A client predicts with the same time as its server.");

pub static DEMO_01: Requirement = should("R1Q2-DEMO-01", Client, DEMOS, "-")
    .text("What is recorded of a session over protocol 35 is written as protocol 34.")
    .engines("R1Q2 b8012 does so. Others dump what they receive.")
    .untestable("A recording is a file of the client's own; no run sees one.");

pub static GEN_01: Requirement = should("R1Q2-GEN-01", Both, ABOUT, "-")
    .text("A change of the protocol takes another number of protocol.")
    .engines("What really happened was another revision each time, 1902 to 1905.")
    .untestable("It is advice to those who change the protocol.");

pub static GEN_02: Requirement = must("R1Q2-GEN-02", Both, ABOUT, "state: over protocol 34 against protocol 35")
    .text("Everything else is as in protocol 34.")
    .errata(
        "Not in the specification: over protocol 35 a clc_move has no checksum (erratum 1). A server of revision 1902 \
         or later also leaves out view angles (erratum 17).",
    );
