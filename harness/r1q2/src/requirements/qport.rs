//! The client's number in its datagrams.

use super::section::QPORT;
use super::{must, should};
use kit::Requirement;
use kit::Role::{Client, Server};

/// A number that is not 0 is one byte of every datagram.
pub static QPORT_01: Requirement = must(
    "R1Q2-QPORT-01",
    Client,
    "Over protocol 35 a client whose number is not 0 puts it into every datagram as one byte, behind the \
     two sequences.",
    QPORT,
    "wire: the client's headers",
);

/// A server skips one byte for the client's number over protocol 35, and two over protocol 34.
pub static QPORT_02: Requirement = must(
    "R1Q2-QPORT-02",
    Server,
    "A server skips one byte for the client's number over protocol 35, and two over protocol 34.",
    QPORT,
    "wire: the server answers what follows the header",
);

/// A client that said number 0 in its connect has no number in its datagrams.
pub static QPORT_03: Requirement = must(
    "R1Q2-QPORT-03",
    Client,
    "A client that said number 0 in its connect has no number in its datagrams.",
    QPORT,
    "wire: the client's headers",
);

/// A server remembers that a client said number 0, and skips nothing.
pub static QPORT_04: Requirement = must(
    "R1Q2-QPORT-04",
    Server,
    "A server remembers that a client said number 0, and skips nothing.",
    QPORT,
    "wire: the server answers what follows the header",
);

/// A client with a number may change its port.
pub static QPORT_05: Requirement = must(
    "R1Q2-QPORT-05",
    Server,
    "A client with a number is known by its address without the port and by that number: its datagrams \
     may come from another port, and the answers go there.",
    QPORT,
    "wire: the session goes on from another port",
);

/// Clients without a number are told apart by their ports.
pub static QPORT_06: Requirement = must(
    "R1Q2-QPORT-06",
    Server,
    "Clients without a number are told apart by their ports.",
    QPORT,
    "state: two clients of one address, both without a number, see their own frames",
)
.errata("The document does not say so, but nothing else could tell them apart (erratum 5).")
.engines(
    "R1Q2 b5183 compares the address alone, and mixes up two such clients; b8012 and Q2PRO compare the \
     port.",
);

/// The number can be set to a fixed value.
pub static QPORT_07: Requirement =
    should("R1Q2-QPORT-07", Client, "The number can be set to a fixed value.", QPORT, "-")
        .untestable("What a user can set does not show in a session.");

/// The number in the connect is that of the datagrams, and fits a byte.
pub static QPORT_08: Requirement = must(
    "R1Q2-QPORT-08",
    Client,
    "The number in the connect is that of the datagrams, and fits a byte.",
    QPORT,
    "wire: the connect against the client's headers",
)
.engines(
    "R1Q2 b8012 takes a larger number for 0. Q2PRO's server keeps it, and then never knows the client \
     again.",
);
