//! Lengths of datagrams, and the connect.

use super::section::{CONNECT, LENGTH};
use kit::Requirement;
use kit::Role::{Client, Server};
use kit::requirement::{must, should};

pub static LEN_01: Requirement = must("R1Q2-LEN-01", Client, LENGTH, "state: what a datagram of that size contains")
    .text("A client over protocol 35 takes datagrams of 4096 bytes.")
    .engines("R1Q2 b5183 sent 3534 bytes to a client that asked for the maximum.");

pub static LEN_02: Requirement = must("R1Q2-LEN-02", Server, LENGTH, "wire: datagrams of a large sign-on")
    .text("Over protocol 34 no datagram has more than 1400 bytes.");

pub static LEN_03: Requirement = must("R1Q2-LEN-03", Server, LENGTH, "wire: datagrams of a large sign-on")
    .text("Over protocol 35 no datagram has more payload than the client has asked for.")
    .errata(
        "Whether the eight bytes of the header count is open: R1Q2 counts them, Q2PRO does not (erratum 6). Both pass.",
    )
    .engines("1 to 4086 are taken, b8012 refuses what is below 512, Q2PRO raises it to that.");

pub static LEN_04: Requirement =
    should("R1Q2-LEN-04", Client, LENGTH, "wire: connect").text("A client asks for 1390 unless configured otherwise.");

pub static LEN_05: Requirement = must("R1Q2-LEN-05", Server, LENGTH, "wire: datagrams of a large sign-on")
    .text("0 asks for the maximum.")
    .errata("A server may have a limit of its own: b8012 and Q2PRO stop at 1390 unless configured (erratum 6).");

pub static CON_01: Requirement = must("R1Q2-CON-01", Client, CONNECT, "wire: connect")
    .text(
        "A connect over protocol 35 has, after the quoted userinfo, the length that the client asks for: decimal, not \
         quoted.",
    )
    .errata("Clients of revision 1904 and later add their revision.");

pub static CON_02: Requirement =
    must("R1Q2-CON-02", Client, CONNECT, "wire: connect").text("A connect over protocol 34 ends with the userinfo.");

pub static CON_03: Requirement = should("R1Q2-CON-03", Server, CONNECT, "wire: the answer to such a connect")
    .text("A connect over protocol 35 without a length is taken.")
    .errata("What is meant by it is open: b5183 takes it for 0, b8012 and Q2PRO for 1390 (erratum 6).");
