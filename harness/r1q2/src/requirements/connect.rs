//! Lengths of datagrams, and the connect.

use super::section::{CONNECT, LENGTH};
use super::{must, should};
use kit::Requirement;
use kit::Role::{Client, Server};

/// A client over protocol 35 takes datagrams of 4096 bytes.
pub static LEN_01: Requirement = must(
    "R1Q2-LEN-01",
    Client,
    "A client over protocol 35 takes datagrams of 4096 bytes.",
    LENGTH,
    "state: what a datagram of that size says",
)
.engines("R1Q2 b5183 sent 3534 bytes to a client that asked for as much as can be.");

/// Over protocol 34 no datagram has more than 1400 bytes.
pub static LEN_02: Requirement = must(
    "R1Q2-LEN-02",
    Server,
    "Over protocol 34 no datagram has more than 1400 bytes.",
    LENGTH,
    "wire: datagrams of a large sign-on",
);

/// Over protocol 35 no datagram has more payload than the client has asked for.
pub static LEN_03: Requirement = must(
    "R1Q2-LEN-03",
    Server,
    "Over protocol 35 no datagram has more payload than the client has asked for.",
    LENGTH,
    "wire: datagrams of a large sign-on",
)
.errata(
    "Whether the eight bytes of the header count is open: R1Q2 counts them, Q2PRO does not (erratum 6). \
     Both pass.",
)
.engines("1 to 4086 are taken, b8012 refuses what is below 512, Q2PRO raises it to that.");

/// A client asks for 1390 unless it is told otherwise.
pub static LEN_04: Requirement =
    should("R1Q2-LEN-04", Client, "A client asks for 1390 unless it is told otherwise.", LENGTH, "wire: connect");

/// 0 asks for as much as can be.
pub static LEN_05: Requirement =
    must("R1Q2-LEN-05", Server, "0 asks for as much as can be.", LENGTH, "wire: datagrams of a large sign-on")
        .errata("A server may have a limit of its own: b8012 and Q2PRO stop at 1390 unless configured (erratum 6).");

/// A connect over protocol 35 has a length behind the userinfo.
pub static CON_01: Requirement = must(
    "R1Q2-CON-01",
    Client,
    "A connect over protocol 35 has, behind the quoted userinfo, the length that the client asks for: \
     decimal, not quoted.",
    CONNECT,
    "wire: connect",
)
.errata("Clients of revision 1904 and later add their revision.");

/// A connect over protocol 34 ends with the userinfo.
pub static CON_02: Requirement =
    must("R1Q2-CON-02", Client, "A connect over protocol 34 ends with the userinfo.", CONNECT, "wire: connect");

/// A connect over protocol 35 without a length is taken.
pub static CON_03: Requirement = should(
    "R1Q2-CON-03",
    Server,
    "A connect over protocol 35 without a length is taken.",
    CONNECT,
    "wire: the answer to such a connect",
)
.errata("What is meant by it is open: b5183 takes it for 0, b8012 and Q2PRO for 1390 (erratum 6).");
