//! Which buffer a message goes to, what happens when it is full, and in which order things arrive.

use super::section::{CHANGES, ENGINE, KNOWN, PRACTICE, TABLES, VERSIONING};
use kit::Requirement;
use kit::Role::Server;
use kit::requirement::{may, must};

pub static BUF_01: Requirement = must("NVS-BUF-01", Server, VERSIONING, "a message whose datagram is lost")
    .text("MSG_INIT, MSG_ONE and MSG_ALL are reliable.")
    .errata("The text calls everything that is sent reliable; it then has datagrams dropped.");

pub static BUF_02: Requirement =
    must("NVS-BUF-02", Server, VERSIONING, "a broadcast whose datagram is lost or doubled")
        .text("MSG_BROADCAST is unreliable: it arrives once at most.")
        .errata("By the text it is appended to the buffer of MSG_ONE; it has an unreliable buffer per client.");

pub static BUF_03: Requirement = must("NVS-BUF-03", Server, VERSIONING, "a flood of broadcasts")
    .text("A broadcast that does not fit is dropped, and the game goes on.")
    .engines(
        "Where the text has the server stop, the first implementation drops the client whose reliable buffer is full, \
         and stops for the shared reliable one.",
    );

pub static BUF_04: Requirement = must("NVS-BUF-04", Server, ENGINE, "particles up to 1024 bytes")
    .text("Broadcasts of the server and of prepared QuakeC are checked against each client's buffer.");

pub static BUF_05: Requirement = must("NVS-BUF-05", Server, TABLES, "broadcasts that fill the buffer exactly")
    .text("A broadcast is dropped exactly when it does not fit: a size of 1024 after it is allowed.");

pub static BUF_06: Requirement = must("NVS-BUF-06", Server, ENGINE, "datagrams close to 1024 bytes")
    .text("A client's unreliable buffer is copied into its datagram whole or not at all.")
    .errata("Whether a datagram of exactly 1024 bytes travels is open: the first implementation demands less.");

pub static BUF_07: Requirement = must("NVS-BUF-07", Server, PRACTICE, "broadcasts while one client's buffer is full")
    .text("A full buffer of one client changes nothing for another.")
    .decided_by(PRACTICE);

pub static BUF_08: Requirement = must("NVS-BUF-08", Server, ENGINE, "streams of the others")
    .text("MSG_BROADCAST with a client named is an unreliable message to that one.");

pub static BUF_09: Requirement = must("NVS-BUF-09", Server, CHANGES, "the frame after a broadcast")
    .text("Unreliable buffers of clients are empty at each frame's beginning.");

pub static BUF_10: Requirement = must("NVS-BUF-10", Server, VERSIONING, "a MSG_ALL with nothing beside it")
    .text("By the frame's end MSG_ALL is in every client's reliable buffer.");

pub static BUF_11: Requirement = may("NVS-BUF-11", Server, ENGINE, "an unlisted broadcast with a client named").text(
    "A message without a table can be broadcast to one client by the server; from QuakeC it stays a broadcast to all.",
);

pub static BUF_12: Requirement = may("NVS-BUF-12", Server, VERSIONING, "reliable messages beyond a buffer")
    .text("A server without room for a reliable message may stop.")
    .errata("Ours disconnects the client; a server may do either.")
    .untestable("a server that has stopped says nothing: nothing is demanded of one that was asked for so much");

pub static ORD_01: Requirement = must("NVS-ORD-01", Server, KNOWN, "numbered prints")
    .text("Within one class of messages the order of calls is kept.")
    .errata(
        "Classes are: MSG_ONE with converted MSG_ALL; plain MSG_ALL; converted MSG_BROADCAST; plain MSG_BROADCAST. \
         Across classes, order is by buffer.",
    );

pub static ORD_02: Requirement = may("NVS-ORD-02", Server, KNOWN, "numbered prints of both kinds")
    .text("One list per client of buffer, size and type keeps the order of MSG_ONE and MSG_ALL, too.")
    .engines("No engine implements it. A server that claims it (option ordered) is judged by it at NVS-ORD-01.");
