//! The history of sent frames.

use super::section::SENDING;
use super::{NETQUAKE, may, must, should};
use kit::Requirement;
use kit::Role::Server;

/// Log, per outgoing frame, the entities and flags it contained.
pub static HIST_01: Requirement =
    must("FTE-HIST-01", Server, "Log, per outgoing frame, the entities and flags it contained.", SENDING, "O2");

/// On presumed loss, merge that frame's log into the pending flags.
pub static HIST_02: Requirement = must(
    "FTE-HIST-02",
    Server,
    "On presumed loss, merge that frame's log into the pending flags.",
    SENDING,
    "O2 per field",
)
.engines("FTEQW's first version (ee72d0ca0) was off by one in the flags that it folded.");

/// Merging a frame happens at most with the frame it belongs to (sequence checked).
pub static HIST_03: Requirement = must(
    "FTE-HIST-03",
    Server,
    "Merging a frame happens at most with the frame it belongs to (sequence checked).",
    SENDING,
    "no garbage, O2",
)
.engines("Until 025aeff8a FTEQW did not empty a frame that it had folded, and folded it again.");

/// Sent flags are cleared from pending and logged in the same frame.
pub static HIST_04: Requirement =
    must("FTE-HIST-04", Server, "Sent flags are cleared from pending and logged in the same frame.", SENDING, "O8/O2");

/// Log what was sent, including RESET and REMOVE.
pub static HIST_05: Requirement =
    must("FTE-HIST-05", Server, "Log what was sent, including RESET and REMOVE.", SENDING, "O3,O4")
        .engines("QuakeSpasm-Spiked c48936385a44 leaves RESET out of the log of its second copy.");

/// If too many frames are unacknowledged to track, recover completely (start over, or fold before overwrite).
pub static HIST_06: Requirement = must(
    "FTE-HIST-06",
    Server,
    "If too many frames are unacknowledged to track, recover completely (start over, or fold before overwrite).",
    SENDING,
    "8.6 outages 63..300",
)
.errata(
    "The document drops all and starts over; engines fold the frame whose place is needed (E6). Both \
     pass. History is \"64 or so\" (E31), so that outages are tested, not its size.",
)
.engines(
    "FTEQW started over until 27a59a0cb. FTEQW 93257c1ac5cd leaves 30 of 31 entities wrong after 120 \
     silent NetQuake frames, QuakeSpasm-Spiked c48936385a44 all 31 after 424 without PREDINFO; both seen \
     live.",
);

/// Keep roughly 64 frames of history.
pub static HIST_07: Requirement =
    should("FTE-HIST-07", Server, "Keep roughly 64 frames of history.", SENDING, "redundant resends at <64 in flight")
        .errata("\"64 or so\" in the document, exactly 64 in FTEQW and QuakeSpasm-Spiked (E31).");

/// Log under the number the client will ack.
pub static HIST_08: Requirement =
    must("FTE-HIST-08", Server, "Log under the number the client will ack.", SENDING, "NQ with non-entity datagrams")
        .engines(
            "FTEQW's NetQuake server logged under the wrong counter until a339c727d, and decides what to fold \
             before overwriting by the wrong one still.",
        );

/// Several datagrams in one tick each have their own log.
pub static HIST_09: Requirement =
    must("FTE-HIST-09", Server, "Several datagrams in one tick each have their own log.", SENDING, "lose 2nd of 3")
        .only(NETQUAKE)
        .engines(
            "QuakeSpasm-Spiked c48936385a44 does not fold before it overwrites the log of a second datagram in a \
             tick.",
        );

/// Discarded/oversized messages are not logged as sent.
pub static HIST_10: Requirement =
    must("FTE-HIST-10", Server, "Discarded/oversized messages are not logged as sent.", SENDING, "overflow test")
        .engines("FTEQW 93257c1ac5cd clears a message that overflowed, but leaves its log as if it were sent.");

/// A frame that is repaired and lost again is repaired again.
pub static HIST_11: Requirement =
    must("FTE-HIST-11", Server, "A frame that is repaired and lost again is repaired again.", SENDING, "lose n copies")
        .engines("QuakeSpasm-Spiked c48936385a44 repairs a RESET once only.");

/// Skip repair where newer data supersedes it.
pub static HIST_12: Requirement =
    may("FTE-HIST-12", Server, "Skip repair where newer data supersedes it.", SENDING, "-");

/// Log capacity covers every entity in a packet.
pub static HIST_13: Requirement =
    must("FTE-HIST-13", Server, "Log capacity covers every entity in a packet.", SENDING, "many tiny updates").engines(
        "FTEQW's log had a fixed size until 71319a885; when it had learned to grow, it moved under its writer \
         or ended the frame (fa0c73d33, 3250de585).",
    );

/// History and pending state are renewed on map change/reconnect.
pub static HIST_14: Requirement = must(
    "FTE-HIST-14",
    Server,
    "History and pending state are renewed on map change/reconnect.",
    SENDING,
    "old acks after change",
)
.engines(
    "After a map restart FTEQW took old entities for known until eb3b670a4 and 1bb752b58. It rebuilds the \
     history when extensions change.",
);
