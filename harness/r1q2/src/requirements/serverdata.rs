//! What a server says of itself.

use super::FALLBACK;
use super::section::SERVERDATA;
use super::{must, should};
use kit::Requirement;
use kit::Role::{Client, Server};

/// Over protocol 35 a serverdata has a byte and the revision behind the map's name.
pub static SD_01: Requirement = must(
    "R1Q2-SD-01",
    Server,
    "Over protocol 35 a serverdata has behind the name of the map a byte, whether the game is enhanced, \
     and a ushort, the revision.",
    SERVERDATA,
    "wire: serverdata",
)
.errata(
    "From revision 1903 on two more bytes follow: 0, and whether strafejumping is allowed. R1Q2 b8012 \
     announces its own highest revision and speaks the client's.",
);

/// Whether the game is enhanced has no consequence.
pub static SD_02: Requirement = must(
    "R1Q2-SD-02",
    Client,
    "Whether the game is enhanced has no consequence.",
    SERVERDATA,
    "state: a session of an enhanced game",
)
.engines(
    "Q2PRO gives up when it is. The client of b5183 does not read the byte in a demo, although the server \
     writes it (erratum 3).",
);

/// A client to which another revision is announced comes back over protocol 34.
pub static SD_03: Requirement = should(
    "R1Q2-SD-03",
    Client,
    "A client to which another revision than its own is announced leaves, and comes back over protocol \
     34.",
    SERVERDATA,
    "wire: connects after a serverdata of another revision",
)
.errata("Clients of revision 1904 and later speak the lesser of both revisions instead (erratum 2).")
.only(FALLBACK);

/// A client that came back over protocol 34 speaks it in everything.
pub static SD_04: Requirement = must(
    "R1Q2-SD-04",
    Client,
    "A client that came back over protocol 34 speaks it in everything.",
    SERVERDATA,
    "wire: the second session",
)
.only(FALLBACK);

/// Over protocol 34 a serverdata ends with the name of the map.
pub static SD_05: Requirement = must(
    "R1Q2-SD-05",
    Server,
    "Over protocol 34 a serverdata ends with the name of the map.",
    SERVERDATA,
    "wire: serverdata",
);

/// A client of a revision before 1901 fails at the revision.
pub static SD_06: Requirement =
    must("R1Q2-SD-06", Client, "A client of a revision before 1901 fails at the revision.", SERVERDATA, "-")
        .untestable("Such clients precede the document, which says nothing about them but that they fail.");
