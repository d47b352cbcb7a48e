//! NetQuake's datagrams, and how a connection is made.

use super::section::BASE;
use kit::Requirement;
use kit::Role::{Both, Client, Server};
use kit::requirement::must;

pub static NET_01: Requirement = must("FITZ-NET-01", Both, BASE, "wire: header").text(
    "A datagram begins with flags and length, then its sequence, both big-endian; the length counts these 8 bytes.",
);

pub static NET_02: Requirement = must("FITZ-NET-02", Both, BASE, "state: after late and repeated datagrams")
    .text("An unreliable datagram that is not newer than the newest received is discarded.");

pub static NET_03: Requirement = must("FITZ-NET-03", Both, BASE, "wire: acks after fragments delivered")
    .text("Every fragment received is acknowledged with its own sequence, also when it is received again.");

pub static NET_04: Requirement = must("FITZ-NET-04", Both, BASE, "wire: repetitions after losses")
    .text("A fragment that is not acknowledged is sent again, about once a second, with the same sequence and bytes.")
    .engines("Engines wait one second. Between half a second and three passes.");

pub static NET_05: Requirement = must("FITZ-NET-05", Both, BASE, "wire: fragments sent and acks delivered")
    .text("The next fragment is sent only after the acknowledgement of the one before.");

pub static NET_06: Requirement =
    must("FITZ-NET-06", Both, BASE, "state: prints of the client; wire: answers of the server")
        .text("A reliable message is taken once, whole, when its last fragment is there.");

pub static NET_07: Requirement = must("FITZ-NET-07", Both, BASE, "wire: fragments sent after old acks")
    .text("An acknowledgement of any fragment but the one under way is ignored.");

pub static NET_08: Requirement = must("FITZ-NET-08", Server, BASE, "wire: answers to requests")
    .text(
        "A request with the name QUAKE and version 3 is accepted; repeated within two seconds, with the same bytes, \
         and the connection goes on.",
    )
    .engines(
        "Another name is not answered; another version is refused in words. Requests and answers may have bytes \
         appended.",
    );

pub static NET_09: Requirement = must("FITZ-NET-09", Client, BASE, "wire: destination of datagrams after the ACCEPT")
    .text("The client goes on with the port that the ACCEPT names; 0 is the port that it asked.");

pub static NET_10: Requirement = must("FITZ-NET-10", Client, BASE, "wire: requests of a client that is to connect")
    .text("A client that wants a connection asks for it, with the name QUAKE and version 3.");

pub static NET_11: Requirement = must("FITZ-NET-11", Client, BASE, "wire: commands after the steps of a sign-on")
    .text("A client answers the steps of the sign-on with prespawn, spawn and begin, and is in the game then.");

pub static NET_12: Requirement = must("FITZ-NET-12", Server, BASE, "wire: datagrams to clients in the game")
    .text("A client that has said begin is sent datagram after datagram, until its map or its connection ends.");
