//! The client's number in its datagrams.

use super::section::QPORT;
use kit::Requirement;
use kit::Role::{Client, Server};
use kit::requirement::{must, should};

pub static QPORT_01: Requirement = must("R1Q2-QPORT-01", Client, QPORT, "wire: the client's headers").text(
    "Over protocol 35 a client whose number is not 0 puts it into every datagram as one byte, after the two \
     sequences.",
);

pub static QPORT_02: Requirement =
    must("R1Q2-QPORT-02", Server, QPORT, "wire: the server answers what follows the header")
        .text("A server skips one byte for the client's number over protocol 35, and two over protocol 34.");

pub static QPORT_03: Requirement = must("R1Q2-QPORT-03", Client, QPORT, "wire: the client's headers")
    .text("A client that announced number 0 in its connect has no number in its datagrams.");

pub static QPORT_04: Requirement =
    must("R1Q2-QPORT-04", Server, QPORT, "wire: the server answers what follows the header")
        .text("A server remembers that a client announced number 0, and skips nothing.");

pub static QPORT_05: Requirement = must("R1Q2-QPORT-05", Server, QPORT, "wire: the session goes on from another port")
    .text(
        "A client with a number is known by its address without the port and by that number: its datagrams may come \
         from another port, and the answers go there.",
    );

pub static QPORT_06: Requirement = must(
    "R1Q2-QPORT-06",
    Server,
    QPORT,
    "state: two clients of one address, both without a number, see their own frames",
)
.text("Clients without a number are distinguished by their ports.")
.errata("The specification does not say so, but nothing else distinguishes them (erratum 5).")
.engines("R1Q2 b5183 compares the address alone, and mixes up two such clients; b8012 and Q2PRO compare the port.");

pub static QPORT_07: Requirement = should("R1Q2-QPORT-07", Client, QPORT, "-")
    .text("The number can be set to a fixed value.")
    .untestable("What a user can set does not show in a session.");

pub static QPORT_08: Requirement =
    must("R1Q2-QPORT-08", Client, QPORT, "wire: the connect against the client's headers")
        .text("The number in the connect is that of the datagrams, and fits a byte.")
        .engines(
            "R1Q2 b8012 takes a larger number for 0. Q2PRO's server keeps it, and then never knows the client again.",
        );
