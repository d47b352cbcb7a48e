//! What is written to whom; QuakeC; what the design promises.

use super::section::{CHANGES, ENGINE, PRACTICE, QUAKEC, TABLES, VERSIONING};
use kit::Requirement;
use kit::Role::Server;
use kit::requirement::{must, should};

pub static WR_01: Requirement = must("NVS-WR-01", Server, ENGINE, "two different messages in a row")
    .text("Every enhanced message is prepared for all connected clients before its first write.");

pub static WR_02: Requirement = must("NVS-WR-02", Server, ENGINE, "one MSG_ALL to clients of several versions")
    .text("A write reaches exactly the clients whose flag is set and who are not left out.");

pub static WR_03: Requirement = must("NVS-WR-03", Server, ENGINE, "the old form is a prefix of the new one")
    .text("New writes stand after the old ones.");

pub static WR_04: Requirement =
    must("NVS-WR-04", Server, ENGINE, "svc_setangle in the frame's datagram, with several clients")
        .text("A buffer of its own is for MSG_ONE alone.")
        .engines("Written for several clients, such a buffer gets the message once for each.");

pub static WR_05: Requirement = must("NVS-WR-05", Server, VERSIONING, "stream of another client")
    .text("MSG_ONE reaches only the client named.")
    .engines("Without a name, the first implementation writes to everybody.");

pub static WR_06: Requirement = must("NVS-WR-06", Server, CHANGES, "first messages of a late joiner")
    .text("Clients that are not connected get nothing, then or later.");

pub static WR_07: Requirement = must("NVS-WR-07", Server, PRACTICE, "the message after an enhanced one")
    .text("A message is as many writes as the server's line says; the next one is whole.")
    .engines("With too few writes, the counter that is left swallows the beginning of the next message.")
    .decided_by(PRACTICE);

pub static DES_01: Requirement = should("NVS-DES-01", Server, TABLES, "unlisted messages at a plain client, SSVC 0.50")
    .text("Versioning changes no byte of a message that has no table.");

pub static DES_02: Requirement = should("NVS-DES-02", Server, TABLES, "tables with one line more, at old clients")
    .text("A newer line changes no byte for older versions.");

pub static DES_03: Requirement = must("NVS-DES-03", Server, VERSIONING, "one script, clients of several versions")
    .text("The server, not the mod, holds back what a client does not know: one script serves all versions.");

pub static QC_01: Requirement = must("NVS-QC-01", Server, QUAKEC, "a scripted broadcast")
    .text("Messages of QuakeC obey the same rules as those of the server.");

pub static QC_02: Requirement = must("NVS-QC-02", Server, QUAKEC, "the server's world.nvs_svc")
    .text("QuakeC reads the SSVC from world.nvs_svc.")
    .errata("The text has no such field for players; the first implementation fills .nvs_svc of a player with CSVC.");

pub static QC_03: Requirement = must("NVS-QC-03", Server, QUAKEC, "scripted writes without a preparation")
    .text("Without preparation, writes of QuakeC are plain.")
    .errata("The builtin is number 79 in the text and 106 in the first implementation.");
