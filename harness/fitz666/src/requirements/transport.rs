//! NetQuake's datagrams, and how a connection is made.

use super::must;
use super::section::BASE;
use kit::Requirement;
use kit::Role::{Both, Client, Server};

/// The header is big-endian, its length counts it.
pub static NET_01: Requirement = must(
    "FITZ-NET-01",
    Both,
    "A datagram begins with flags and length, then its sequence, both big-endian; the length counts these 8 bytes.",
    BASE,
    "wire: header",
);

/// Stale unreliable datagrams are discarded.
pub static NET_02: Requirement = must(
    "FITZ-NET-02",
    Both,
    "An unreliable datagram that is not newer than the newest received is discarded.",
    BASE,
    "state: after late and repeated datagrams",
);

/// Every fragment is acknowledged, each time.
pub static NET_03: Requirement = must(
    "FITZ-NET-03",
    Both,
    "Every fragment received is acknowledged with its own sequence, also when it is received again.",
    BASE,
    "wire: acks after fragments delivered",
);

/// A fragment is repeated unchanged until it is acknowledged.
pub static NET_04: Requirement = must(
    "FITZ-NET-04",
    Both,
    "A fragment that is not acknowledged is sent again, about once a second, with the same sequence and bytes.",
    BASE,
    "wire: repetitions after losses",
)
.engines("Engines wait one second. Between half a second and three passes.");

/// One fragment at a time.
pub static NET_05: Requirement = must(
    "FITZ-NET-05",
    Both,
    "The next fragment is sent only after the acknowledgement of the one before.",
    BASE,
    "wire: fragments sent and acks delivered",
);

/// A reliable message arrives once and whole.
pub static NET_06: Requirement = must(
    "FITZ-NET-06",
    Both,
    "A reliable message is taken once, whole, when its last fragment is there.",
    BASE,
    "state: prints of the client; wire: answers of the server",
);

/// Acks of other fragments are ignored.
pub static NET_07: Requirement = must(
    "FITZ-NET-07",
    Both,
    "An acknowledgement of any fragment but the one under way is ignored.",
    BASE,
    "wire: fragments sent after old acks",
);

/// A good request is accepted, a repeated one in the same way.
pub static NET_08: Requirement = must(
    "FITZ-NET-08",
    Server,
    "A request with the name QUAKE and version 3 is accepted; repeated within two seconds, with the same bytes, and \
     the connection goes on.",
    BASE,
    "wire: answers to requests",
)
.engines(
    "Another name is not answered; another version is refused in words. Requests and answers may have bytes appended.",
);

/// The client goes on with the port of the ACCEPT.
pub static NET_09: Requirement = must(
    "FITZ-NET-09",
    Client,
    "The client goes on with the port that the ACCEPT names; 0 is the port that it asked.",
    BASE,
    "wire: destination of datagrams after the ACCEPT",
);
