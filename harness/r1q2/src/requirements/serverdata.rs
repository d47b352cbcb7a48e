//! What a server announces.

use super::FALLBACK;
use super::section::SERVERDATA;
use kit::Requirement;
use kit::Role::{Client, Server};
use kit::requirement::{must, should};

pub static SD_01: Requirement = must("R1Q2-SD-01", Server, SERVERDATA, "wire: serverdata")
    .text(
        "Over protocol 35 a serverdata has after the name of the map a byte, whether the game is enhanced, and a \
         ushort, the revision.",
    )
    .errata(
        "From revision 1903 on two more bytes follow: 0, and whether strafejumping is allowed. R1Q2 b8012 announces \
         its own highest revision and speaks the client's.",
    );

pub static SD_02: Requirement = must("R1Q2-SD-02", Client, SERVERDATA, "state: a session of an enhanced game")
    .text("Whether the game is enhanced has no consequence.")
    .engines(
        "Q2PRO gives up when it is. The client of b5183 does not read the byte in a demo, although the server writes \
         it (erratum 3).",
    );

pub static SD_03: Requirement =
    should("R1Q2-SD-03", Client, SERVERDATA, "wire: connects after a serverdata of another revision")
        .text("A client to which another revision than its own is announced leaves, and comes back over protocol 34.")
        .errata("Clients of revision 1904 and later speak the lesser of both revisions instead (erratum 2).")
        .only(FALLBACK);

pub static SD_04: Requirement = must("R1Q2-SD-04", Client, SERVERDATA, "wire: the second session")
    .text("A client that came back over protocol 34 speaks it in everything.")
    .only(FALLBACK);

pub static SD_05: Requirement = must("R1Q2-SD-05", Server, SERVERDATA, "wire: serverdata")
    .text("Over protocol 34 a serverdata ends with the name of the map.");

pub static SD_06: Requirement = must("R1Q2-SD-06", Client, SERVERDATA, "-")
    .text("A client of a revision before 1901 fails at the revision, and goes back to protocol 34.")
    .untestable("Such clients precede the specification, and read what is described nowhere.");
