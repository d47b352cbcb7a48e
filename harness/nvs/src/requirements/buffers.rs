//! Which buffer a message goes to, what happens when it is full, and in which order things arrive.

use super::section::{ENGINE, KNOWN, PRACTICE, TABLES, VERSIONING};
use super::{may, must};
use kit::Requirement;
use kit::Role::Server;

/// MSG_INIT, MSG_ONE and MSG_ALL are reliable.
pub static BUF_01: Requirement = must(
    "NVS-BUF-01",
    Server,
    "MSG_INIT, MSG_ONE and MSG_ALL are reliable.",
    VERSIONING,
    "a message whose datagram is lost",
)
.errata("The text calls everything that is sent reliable; it then has datagrams dropped.");

/// MSG_BROADCAST is unreliable: it arrives once at most.
pub static BUF_02: Requirement = must(
    "NVS-BUF-02",
    Server,
    "MSG_BROADCAST is unreliable: it arrives once at most.",
    VERSIONING,
    "a broadcast whose datagram is lost or doubled",
)
.errata("By the text it is appended to the buffer of MSG_ONE; it has an unreliable buffer per client.");

/// A broadcast that does not fit is dropped, and the game goes on.
pub static BUF_03: Requirement = must("NVS-BUF-03", Server, "A broadcast that does not fit is dropped, and the game goes on.", VERSIONING, "a flood of broadcasts")
.engines("Where the text has the server stop, the first implementation drops the client whose reliable buffer is full, and stops for the shared reliable one.");

/// Broadcasts of the server and of prepared QuakeC are checked against each client's buffer.
pub static BUF_04: Requirement = must(
    "NVS-BUF-04",
    Server,
    "Broadcasts of the server and of prepared QuakeC are checked against each client's buffer.",
    ENGINE,
    "particles up to 1024 bytes",
);

/// A broadcast is dropped exactly when it does not fit: a size of 1024 after it is allowed.
pub static BUF_05: Requirement = must(
    "NVS-BUF-05",
    Server,
    "A broadcast is dropped exactly when it does not fit: a size of 1024 after it is allowed.",
    TABLES,
    "broadcasts that fill the buffer exactly",
);

/// A client's unreliable buffer is copied into its datagram whole or not at all.
pub static BUF_06: Requirement = must(
    "NVS-BUF-06",
    Server,
    "A client's unreliable buffer is copied into its datagram whole or not at all.",
    ENGINE,
    "datagrams close to 1024 bytes",
)
.errata("Whether a datagram of exactly 1024 bytes travels is open: the first implementation demands less.");

/// A full buffer of one client changes nothing for another.
pub static BUF_07: Requirement = must(
    "NVS-BUF-07",
    Server,
    "A full buffer of one client changes nothing for another.",
    PRACTICE,
    "broadcasts while one client's buffer is full",
);

/// MSG_BROADCAST with a client named is an unreliable message to that one.
pub static BUF_08: Requirement = must(
    "NVS-BUF-08",
    Server,
    "MSG_BROADCAST with a client named is an unreliable message to that one.",
    ENGINE,
    "streams of the others",
);

/// Unreliable buffers of clients are empty at each frame's beginning.
pub static BUF_09: Requirement = must(
    "NVS-BUF-09",
    Server,
    "Unreliable buffers of clients are empty at each frame's beginning.",
    PRACTICE,
    "the frame after a broadcast",
);

/// By the frame's end MSG_ALL is in every client's reliable buffer.
pub static BUF_10: Requirement = must(
    "NVS-BUF-10",
    Server,
    "By the frame's end MSG_ALL is in every client's reliable buffer.",
    VERSIONING,
    "a MSG_ALL with nothing beside it",
);

/// A message without a table can be broadcast to one client by the server; from QuakeC it stays a broadcast to all.
pub static BUF_11: Requirement = may(
    "NVS-BUF-11",
    Server,
    "A message without a table can be broadcast to one client by the server; from QuakeC it stays a broadcast to all.",
    ENGINE,
    "an unlisted broadcast with a client named",
);

/// Within one class of messages the order of calls is kept.
pub static ORD_01: Requirement = must("NVS-ORD-01", Server, "Within one class of messages the order of calls is kept.", KNOWN, "numbered prints")
.errata("Classes are: MSG_ONE with converted MSG_ALL; plain MSG_ALL; converted MSG_BROADCAST; plain MSG_BROADCAST. Across classes, order is by buffer.");

/// One list per client of buffer, size and type keeps the order of MSG_ONE and MSG_ALL, too.
pub static ORD_02: Requirement = may(
    "NVS-ORD-02",
    Server,
    "One list per client of buffer, size and type keeps the order of MSG_ONE and MSG_ALL, too.",
    KNOWN,
    "numbered prints of both kinds",
)
.engines("Nobody built it. A server that claims it (option ordered) is held to it at NVS-ORD-01.");
