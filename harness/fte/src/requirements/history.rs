//! The history of sent frames.

use super::NETQUAKE;
use super::section::SENDING;
use kit::Requirement;
use kit::Role::Server;
use kit::requirement::{may, must, should};

pub static HIST_01: Requirement =
    must("FTE-HIST-01", Server, SENDING, "O2").text("Log, per outgoing frame, the entities and flags it contained.");

pub static HIST_02: Requirement = must("FTE-HIST-02", Server, SENDING, "O2 per field")
    .text("On presumed loss, merge that frame's log into the pending flags.")
    .engines("FTEQW's first version (ee72d0ca0) was off by one in the flags that it folded.");

pub static HIST_03: Requirement = must("FTE-HIST-03", Server, SENDING, "no garbage, O2")
    .text("Merging a frame happens at most with the frame it belongs to (sequence checked).")
    .engines("Until 025aeff8a FTEQW did not empty a frame that it had folded, and folded it again.");

pub static HIST_04: Requirement = must("FTE-HIST-04", Server, SENDING, "O8/O2")
    .text("Sent flags are cleared from pending and logged in the same frame.");

pub static HIST_05: Requirement = must("FTE-HIST-05", Server, SENDING, "O3,O4")
    .text("Log what was sent, including RESET and REMOVE.")
    .engines("QuakeSpasm-Spiked c48936385a44 leaves RESET out of the log of its second copy.");

pub static HIST_06: Requirement = must("FTE-HIST-06", Server, SENDING, "8.6 outages 63..300")
    .text("If too many frames are unacknowledged to track, recover completely (start over, or fold before overwrite).")
    .errata(
        "The specification drops all and starts over; engines fold the frame whose place is needed (E6). Both pass. \
         History is \"64 or so\" (E31), so that outages are tested, not its size.",
    )
    .engines(
        "FTEQW started over until 27a59a0cb. FTEQW 93257c1ac5cd leaves 30 of 31 entities wrong after 120 silent \
         NetQuake frames, QuakeSpasm-Spiked c48936385a44 all 31 after 424 without PREDINFO; both seen live.",
    );

pub static HIST_07: Requirement = should("FTE-HIST-07", Server, SENDING, "redundant resends at <64 in flight")
    .text("Keep roughly 64 frames of history.")
    .errata("\"64 or so\" in the specification, exactly 64 in FTEQW and QuakeSpasm-Spiked (E31).");

pub static HIST_08: Requirement = must("FTE-HIST-08", Server, SENDING, "NQ with non-entity datagrams")
    .text("Log under the number the client will ack.")
    .engines(
        "FTEQW's NetQuake server logged under the wrong counter until a339c727d, and decides what to fold before \
         overwriting by the wrong one still.",
    );

pub static HIST_09: Requirement = must("FTE-HIST-09", Server, SENDING, "lose 2nd of 3")
    .text("Several datagrams in one tick each have their own log.")
    .only(NETQUAKE)
    .engines(
        "QuakeSpasm-Spiked c48936385a44 does not fold before it overwrites the log of a second datagram in a tick.",
    );

pub static HIST_10: Requirement = must("FTE-HIST-10", Server, SENDING, "overflow test")
    .text("Discarded/oversized messages are not logged as sent.")
    .engines("FTEQW 93257c1ac5cd clears a message that overflowed, but leaves its log as if it were sent.");

pub static HIST_11: Requirement = must("FTE-HIST-11", Server, SENDING, "lose n copies")
    .text("A frame that is repaired and lost again is repaired again.")
    .engines("QuakeSpasm-Spiked c48936385a44 repairs a RESET once only.");

pub static HIST_12: Requirement =
    may("FTE-HIST-12", Server, SENDING, "-").text("Skip repair where newer data supersedes it.");

pub static HIST_13: Requirement = must("FTE-HIST-13", Server, SENDING, "many tiny updates")
    .text("Log capacity covers every entity in a packet.")
    .engines(
        "FTEQW's log had a fixed size until 71319a885; when it had learned to grow, it moved under its writer or ended \
         the frame (fa0c73d33, 3250de585).",
    );

pub static HIST_14: Requirement = must("FTE-HIST-14", Server, SENDING, "old acks after change")
    .text("History and pending state are renewed on map change/reconnect.")
    .engines(
        "After a map restart FTEQW took old entities for known until eb3b670a4 and 1bb752b58. It rebuilds the history \
         when extensions change.",
    );

pub(super) const ALL: &[&Requirement] = &[
    &HIST_01, &HIST_02, &HIST_03, &HIST_04, &HIST_05, &HIST_06, &HIST_07, &HIST_08, &HIST_09, &HIST_10, &HIST_11,
    &HIST_12, &HIST_13, &HIST_14,
];
