//! Which protocol is spoken, what stays as it was, and limits.

use super::section::{BASE, HEAD, OVERVIEW};
use kit::Requirement;
use kit::Role::{Both, Client, Server};
use kit::requirement::{must, should};

pub static VER_01: Requirement =
    must("FITZ-VER-01", Server, HEAD, "wire: first long of svc_serverinfo against the encodings that follow")
        .text(
            "A server that uses any encoding of protocol 666 has announced 666, a little-endian long, in its \
             serverinfo.",
        )
        .engines("In protocol 15 Nehahra gives bit 15 of an update a meaning of its own (E11).");

pub static VER_02: Requirement = must("FITZ-VER-02", Client, BASE, "wire: 16 or 19 bytes of clc_move")
    .text(
        "The announced number decides every encoding: a client of protocol 15 sends clc_move with angles of one byte.",
    )
    .engines(
        "A client that agreed upon finer angles in the ProQuake way (bytes appended to CONNECT and ACCEPT) sends them \
         over protocol 15, too. QuakeSpasm-Spiked drops a client whose moves have the wrong length.",
    );

pub static VER_03: Requirement = must("FITZ-VER-03", Client, BASE, "wire: no prespawn after a strange serverinfo")
    .text("A protocol number that the client does not know ends the connection; the sign-on does not go on.");

pub static VER_04: Requirement = must(
    "FITZ-VER-04",
    Both,
    BASE,
    "wire: values of plain fields against the world; state: plain fields of the client",
)
.text("Every field that is not listed as changed keeps its place, width and meaning of protocol 15.")
.engines(
    "NetQuake cuts coords and angles off, FitzQuake rounds them: the same value may differ by one code, and both pass.",
);

pub static LIM_01: Requirement = should("FITZ-LIM-01", Server, OVERVIEW, "wire: number of names in svc_serverinfo")
    .text("Lists of models and sounds with more than 255 names are sent whole.")
    .engines("Engines stop at 2048 names (QuakeSpasm-Spiked and vkQuake), the specification names no limit.");
