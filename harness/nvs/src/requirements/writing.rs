//! What is written to whom; QuakeC; what the design promises.

use super::section::{ENGINE, PRACTICE, QUAKEC, TABLES, VERSIONING};
use super::{must, should};
use kit::Requirement;
use kit::Role::Server;

/// Every enhanced message is prepared for all connected clients before its first write.
pub static WR_01: Requirement = must(
    "NVS-WR-01",
    Server,
    "Every enhanced message is prepared for all connected clients before its first write.",
    ENGINE,
    "two different messages in a row",
);

/// A write reaches exactly the clients whose flag is set and who are not left out.
pub static WR_02: Requirement = must(
    "NVS-WR-02",
    Server,
    "A write reaches exactly the clients whose flag is set and who are not left out.",
    ENGINE,
    "one MSG_ALL to clients of several versions",
);

/// New writes stand behind the old ones.
pub static WR_03: Requirement = must(
    "NVS-WR-03",
    Server,
    "New writes stand behind the old ones.",
    ENGINE,
    "the old form is a prefix of the new one",
);

/// A buffer of its own is for MSG_ONE alone.
pub static WR_04: Requirement = must(
    "NVS-WR-04",
    Server,
    "A buffer of its own is for MSG_ONE alone.",
    ENGINE,
    "svc_setangle in the frame's datagram, with several clients",
)
.engines("Written for several clients, such a buffer gets the message once for each.");

/// MSG_ONE reaches only the client named.
pub static WR_05: Requirement =
    must("NVS-WR-05", Server, "MSG_ONE reaches only the client named.", VERSIONING, "stream of another client")
        .engines("Without a name, the first implementation writes to everybody.");

/// Clients that are not connected get nothing, then or later.
pub static WR_06: Requirement = must(
    "NVS-WR-06",
    Server,
    "Clients that are not connected get nothing, then or later.",
    PRACTICE,
    "first messages of a late joiner",
);

/// A message is as many writes as the server's line says; the next one is whole.
pub static WR_07: Requirement = must(
    "NVS-WR-07",
    Server,
    "A message is as many writes as the server's line says; the next one is whole.",
    PRACTICE,
    "the message behind an enhanced one",
)
.engines("With too few writes, the counter that is left swallows the beginning of the next message.");

/// Versioning changes no byte of a message that has no table.
pub static DES_01: Requirement = should(
    "NVS-DES-01",
    Server,
    "Versioning changes no byte of a message that has no table.",
    TABLES,
    "unlisted messages at a plain client, SSVC 0.50",
);

/// A newer line changes no byte for older versions.
pub static DES_02: Requirement = should(
    "NVS-DES-02",
    Server,
    "A newer line changes no byte for older versions.",
    TABLES,
    "tables with one line more, at old clients",
);

/// The server, not the mod, holds back what a client does not know: one script serves all versions.
pub static DES_03: Requirement = must(
    "NVS-DES-03",
    Server,
    "The server, not the mod, holds back what a client does not know: one script serves all versions.",
    VERSIONING,
    "one script, clients of several versions",
);

/// Messages of QuakeC obey the same rules as those of the server.
pub static QC_01: Requirement = must(
    "NVS-QC-01",
    Server,
    "Messages of QuakeC obey the same rules as those of the server.",
    QUAKEC,
    "a scripted broadcast",
);

/// world.nvs_svc tells QuakeC the SSVC.
pub static QC_02: Requirement =
    must("NVS-QC-02", Server, "world.nvs_svc tells QuakeC the SSVC.", QUAKEC, "the server's world.nvs_svc").errata(
        "The text has no such field for players; the first implementation fills .nvs_svc of a player with CSVC.",
    );

/// Without preparation, writes of QuakeC are plain.
pub static QC_03: Requirement = must(
    "NVS-QC-03",
    Server,
    "Without preparation, writes of QuakeC are plain.",
    QUAKEC,
    "scripted writes without a preparation",
)
.errata("The builtin is number 79 in the text and 106 in the first implementation.");
