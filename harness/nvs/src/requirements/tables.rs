//! Lookup, version and conversion tables, and how lines are selected.

use super::section::{ACCESS, PRACTICE, TABLES};
use kit::Requirement;
use kit::Role::Server;
use kit::requirement::{may, must};

pub static TAB_01: Requirement = must("NVS-TAB-01", Server, TABLES, "svc_damage, svc_print, an effect without a table")
    .text("A message without a table goes to every client as it is.");

pub static TAB_02: Requirement = must("NVS-TAB-02", Server, TABLES, "TE_LIGHTNING2 unchanged beside TE_EXPLOSION")
    .text("A message with sub messages has a lookup table of its own, by the sub byte.");

pub static TAB_03: Requirement = must("NVS-TAB-03", Server, TABLES, "CSVC 0.49 and 0.75")
    .text("There is one line per change; a version between two lines takes the older.");

pub static TAB_04: Requirement = must("NVS-TAB-04", Server, TABLES, "last write of a message, first of the next")
    .text("A line's count of writes includes command and sub byte.");

pub static TAB_05: Requirement =
    must("NVS-TAB-05", Server, TABLES, "a broadcast at the edge of the buffer, at clients of two versions")
        .text("A line's size is that of the message in this version.");

pub static TAB_06: Requirement = must("NVS-TAB-06", Server, TABLES, "svc_setangle in both forms")
    .text("Flags decide write by write what a version gets.");

pub static TAB_07: Requirement = must("NVS-TAB-07", Server, ACCESS, "form for the lowest versions")
    .text("The last line of a message is 0.00, so that every version finds one.");

pub static TAB_08: Requirement = must("NVS-TAB-08", Server, PRACTICE, "end of a message at an old client")
    .text("A line has a flag for every write of any newer line.")
    .errata("The text asks for nothing of the kind, and arrays as long as their own line would be read past their end.")
    .decided_by(PRACTICE);

pub static TAB_09: Requirement = must("NVS-TAB-09", Server, PRACTICE, "a message that is new in a version")
    .text("A line without writes leaves its clients out.")
    .decided_by(PRACTICE);

pub static SEL_01: Requirement = may("NVS-SEL-01", Server, ACCESS, "any message at SSVC 0")
    .text("With SSVC 0 conversion may be skipped: what is written equals the form of 0.00.")
    .errata("Converting nevertheless gives the same bytes.");

pub static SEL_02: Requirement =
    must("NVS-SEL-02", Server, ACCESS, "an effect whose service has an entry in the general table, too")
        .text("Tables of sub messages come first; the general one is for everything else.");

pub static SEL_03: Requirement = must("NVS-SEL-03", Server, ACCESS, "a service and an effect of the same number")
    .text("Tables of sub messages are searched by sub byte, the general one by service.");

pub static SEL_04: Requirement = must("NVS-SEL-04", Server, ACCESS, "SSVC exactly at a line")
    .text("The server's line is the first whose version is at most SSVC.");

pub static SEL_05: Requirement = must("NVS-SEL-05", Server, ACCESS, "CSVC exactly at a line, SSVC above")
    .text("A client's line is searched from the server's line on, by at most CSVC.")
    .engines(
        "A CSVC above SSVC, left from an earlier level, thus never selects a form that the server does not write.",
    );
