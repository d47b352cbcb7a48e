//! The numbers of packets.

use super::section::{HEADER, OURS, TYPES};
use super::{P1, must};
use kit::Requirement;
use kit::Role::{Both, Server};

/// Every packet has a new number; numbers may be left out.
pub static SEQ_01: Requirement = must(
    "GG2-SEQ-01",
    Both,
    "Every packet has a new number; numbers may be left out.",
    HEADER,
    "sequence of all packets",
);

/// Nothing breaks when numbers wrap from 65535 to 0: packets, acknowledgements, bases, events.
pub static SEQ_02: Requirement = must(
    "GG2-SEQ-02",
    Both,
    "Nothing breaks when numbers wrap from 65535 to 0: packets, acknowledgements, bases, events.",
    TYPES,
    "sessions that begin shortly before",
)
.decided_by(P1)
.errata("The range of the numbers is the concept's; how they are compared then is the profile's decision.")
.engines("The program that came of it compares them as plain numbers, and stands still after the wrap.");

/// A packet that is not newer than the last accepted one is dropped.
pub static SEQ_03: Requirement = must(
    "GG2-SEQ-03",
    Both,
    "A packet that is not newer than the last accepted one is dropped.",
    OURS,
    "duplicates and overtaking",
)
.decided_by(P1);

/// The header's fields and their order: sequence, delta_sequence, last_acked_sequence; sequence, ack_sequence.
pub static SEQ_04: Requirement = must(
    "GG2-SEQ-04",
    Both,
    "The header's fields and their order: sequence, delta_sequence, last_acked_sequence; sequence, ack_sequence.",
    HEADER,
    "all packets",
);

/// Every player's packets are numbered from 1 on their own.
pub static SEQ_05: Requirement =
    must("GG2-SEQ-05", Server, "Every player's packets are numbered from 1 on their own.", OURS, "a second client")
        .decided_by(P1);
