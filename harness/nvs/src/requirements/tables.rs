//! Lookup, version and conversion tables, and how lines are selected.

use super::section::{ACCESS, PRACTICE, TABLES};
use super::{may, must};
use kit::Requirement;
use kit::Role::Server;

/// A message without a table goes to every client as it is.
pub static TAB_01: Requirement = must(
    "NVS-TAB-01",
    Server,
    "A message without a table goes to every client as it is.",
    TABLES,
    "svc_damage, svc_print, an effect without a table",
);

/// A message with sub messages has a lookup table of its own, by the sub byte.
pub static TAB_02: Requirement = must(
    "NVS-TAB-02",
    Server,
    "A message with sub messages has a lookup table of its own, by the sub byte.",
    TABLES,
    "TE_LIGHTNING2 unchanged beside TE_EXPLOSION",
);

/// There is one line per change; a version between two lines takes the older.
pub static TAB_03: Requirement = must(
    "NVS-TAB-03",
    Server,
    "There is one line per change; a version between two lines takes the older.",
    TABLES,
    "CSVC 0.49 and 0.75",
);

/// A line's count of writes includes command and sub byte.
pub static TAB_04: Requirement = must(
    "NVS-TAB-04",
    Server,
    "A line's count of writes includes command and sub byte.",
    TABLES,
    "last write of a message, first of the next",
);

/// A line's size is that of the message in this version.
pub static TAB_05: Requirement = must(
    "NVS-TAB-05",
    Server,
    "A line's size is that of the message in this version.",
    TABLES,
    "a broadcast at the edge of the buffer, at clients of two versions",
);

/// Flags decide write by write what a version gets.
pub static TAB_06: Requirement = must(
    "NVS-TAB-06",
    Server,
    "Flags decide write by write what a version gets.",
    TABLES,
    "svc_setangle in both forms",
);

/// The last line of a message is 0.00, so that every version finds one.
pub static TAB_07: Requirement = must(
    "NVS-TAB-07",
    Server,
    "The last line of a message is 0.00, so that every version finds one.",
    ACCESS,
    "form for the lowest versions",
);

/// A line has a flag for every write of any newer line.
pub static TAB_08: Requirement = must(
    "NVS-TAB-08",
    Server,
    "A line has a flag for every write of any newer line.",
    PRACTICE,
    "end of a message at an old client",
)
.errata("The text asks for nothing of the kind, and arrays as long as their own line would be read past their end.");

/// A line without writes leaves its clients out.
pub static TAB_09: Requirement = must(
    "NVS-TAB-09",
    Server,
    "A line without writes leaves its clients out.",
    PRACTICE,
    "a message that is new in a version",
);

/// With SSVC 0 conversion may be skipped: what is written equals the form of 0.00.
pub static SEL_01: Requirement = may(
    "NVS-SEL-01",
    Server,
    "With SSVC 0 conversion may be skipped: what is written equals the form of 0.00.",
    ACCESS,
    "any message at SSVC 0",
)
.errata("Converting all the same gives the same bytes.");

/// Tables of sub messages come first; the general one is for everything else.
pub static SEL_02: Requirement = must(
    "NVS-SEL-02",
    Server,
    "Tables of sub messages come first; the general one is for everything else.",
    ACCESS,
    "an effect whose service has an entry in the general table, too",
);

/// Tables of sub messages are searched by sub byte, the general one by service.
pub static SEL_03: Requirement = must(
    "NVS-SEL-03",
    Server,
    "Tables of sub messages are searched by sub byte, the general one by service.",
    ACCESS,
    "a service and an effect of the same number",
);

/// The server's line is the first whose version is at most SSVC.
pub static SEL_04: Requirement = must(
    "NVS-SEL-04",
    Server,
    "The server's line is the first whose version is at most SSVC.",
    ACCESS,
    "SSVC exactly at a line",
);

/// A client's line is searched from the server's line on, by at most CSVC.
pub static SEL_05: Requirement = must(
    "NVS-SEL-05",
    Server,
    "A client's line is searched from the server's line on, by at most CSVC.",
    ACCESS,
    "CSVC exactly at a line, SSVC above",
)
.engines("A CSVC above SSVC, left from an earlier level, thus never selects a form that the server does not write.");
