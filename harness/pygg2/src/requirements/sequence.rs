//! The numbers of packets.

use super::P1;
use super::section::{HEADER, OURS, TYPES};
use kit::Requirement;
use kit::Role::Both;
use kit::requirement::must;

pub static SEQ_01: Requirement = must("GG2-SEQ-01", Both, HEADER, "sequence of all packets")
    .text("Every packet has a new number; numbers may be left out.");

pub static SEQ_02: Requirement = must("GG2-SEQ-02", Both, TYPES, "sessions that begin shortly before")
    .text("Nothing breaks when numbers wrap from 65535 to 0: packets, acknowledgements, bases, events.")
    .decided_by(P1)
    .errata("The range of the numbers is the concept's; how they are compared then is the profile's decision.")
    .engines("The program that came of it compares them as plain numbers, and stands still after the wrap.");

pub static SEQ_03: Requirement = must("GG2-SEQ-03", Both, OURS, "duplicates and overtaking")
    .text("A packet that is not newer than the last accepted one is dropped.")
    .decided_by(P1);

pub static SEQ_04: Requirement = must("GG2-SEQ-04", Both, HEADER, "all packets").text(
    "The header's fields and their order: sequence, delta_sequence, last_acked_sequence; sequence, ack_sequence.",
);

pub static SEQ_05: Requirement = must("GG2-SEQ-05", Both, OURS, "a second client")
    .text("Every player's packets are numbered from 1 on their own, in both directions.")
    .decided_by(P1);
