//! Acknowledging frames.

use super::section::CLCS;
use super::{NETQUAKE, QUAKEWORLD};
use kit::Requirement;
use kit::Role::{Both, Client, Server};
use kit::requirement::{may, must, must_not, should};

pub static ACK_01: Requirement =
    must("FTE-ACK-01", Both, CLCS, "wire").text("Entity updates travel in unreliable data only.");

pub static ACK_02: Requirement = must("FTE-ACK-02", Client, CLCS, "wire value")
    .text("Ack the sequence number of the unreliable packet that contained the update.")
    .engines(
        "FTEQW's NetQuake client acknowledged a count of its own until 5ace5c8d3, wrong as soon as a datagram had no \
         frame.",
    );

pub static ACK_03: Requirement =
    must("FTE-ACK-03", Client, CLCS, "wire").text("NQ: ack via command 50 + 32-bit number.");

pub static ACK_04: Requirement =
    must("FTE-ACK-04", Client, CLCS, "wire vs delivery").text("Ack only frames actually received and parsed.").engines(
        "FTEQW and QuakeSpasm-Spiked queue the acknowledgement before they parse; an error in parsing ends the \
         connection.",
    );

pub static ACK_05: Requirement = must("FTE-ACK-05", Client, CLCS, "wire")
    .text("NQ: every received entity frame gets an ack (queue permitting).")
    .only(NETQUAKE)
    .engines("QuakeSpasm-Spiked queues 8 and drops the rest. FTEQW queues 64, and then replaces the newest.");

pub static ACK_06: Requirement = must("FTE-ACK-06", Client, CLCS, "wire").text("Acks arrive in ascending order.");

pub static ACK_07: Requirement = should("FTE-ACK-07", Client, CLCS, "wire").text("Send acks unreliably.");

pub static ACK_08: Requirement =
    must("FTE-ACK-08", Server, CLCS, "state: no resend of acked frames").text("Accept several acks in one packet.");

pub static ACK_09: Requirement =
    must("FTE-ACK-09", Server, CLCS, "O2").text("Frames skipped between acked numbers are considered lost.");

pub static ACK_10: Requirement =
    must_not("FTE-ACK-10", Server, CLCS, "no resend storm").text("Treat frames newer than the highest ack as lost.");

pub static ACK_11: Requirement = should("FTE-ACK-11", Client, CLCS, "wire")
    .text("QW: omit the ack already implied by the packet header.")
    .only(QUAKEWORLD);

pub static ACK_12: Requirement = should("FTE-ACK-12", Client, CLCS, "wire")
    .text("QW: when several frames arrived since the last send, explicitly ack all but the last.")
    .only(QUAKEWORLD)
    .errata("FTEQW asks for clc_delta instead (E2).")
    .engines("FTEQW's QuakeWorld client never acknowledges explicitly.");

pub static ACK_13: Requirement = may("FTE-ACK-13", Client, CLCS, "-")
    .text("QW: omit explicit acks completely.")
    .only(QUAKEWORLD)
    .engines("FTEQW's client does so.");

pub static ACK_14: Requirement = must("FTE-ACK-14", Server, CLCS, "O2 with header-only client")
    .text("QW: treat the netchan ack as an entity ack.")
    .only(QUAKEWORLD)
    .errata(
        "By the specification the header suffices. FTEQW starts over after every packet that has neither clc_delta nor \
         an explicit acknowledgement (E2), which is wasteful but legal.",
    );

pub static ACK_15: Requirement = must("FTE-ACK-15", Server, CLCS, "no false nack")
    .text("QW: process explicit acks before the header ack so ascending order holds.")
    .only(QUAKEWORLD)
    .engines("FTEQW reads explicit acknowledgements in their order, and the header's last.");

pub static ACK_16: Requirement =
    must("FTE-ACK-16", Server, CLCS, "O5").text("Ack of ~0 causes reset and resend of all entities.").engines(
        "FTEQW's QuakeWorld server ignored it until 5b7a426af, and its resend left out the entities of CSQC until \
         e8aa71576.",
    );

pub static ACK_17: Requirement =
    should("FTE-ACK-17", Client, CLCS, "C4").text("Ask ~0 when it has no usable base state.").engines(
        "FTEQW's NetQuake client did not ask until 630af9dc7, and hung when the first remove-all was lost. \
         QuakeSpasm-Spiked asks at every serverinfo.",
    );

pub static ACK_18: Requirement =
    must("FTE-ACK-18", Server, CLCS, "O2 after dup").text("Stale or duplicate acks change nothing harmful.").engines(
        "Until 27a59a0cb every acknowledgement, late or -1, became FTEQW's newest; until 025aeff8a a repeated one \
         folded a frame twice.",
    );

pub static ACK_19: Requirement = must("FTE-ACK-19", Server, CLCS, "no endless reset")
    .text("Ack number 0 is an ordinary frame.")
    .only(NETQUAKE)
    .engines("Until fb86222fc FTEQW took 0 for no acknowledgement, and reset until a higher one came.");

pub static ACK_20: Requirement = should("FTE-ACK-20", Server, CLCS, "later losses still repaired")
    .text("Survive acks for never-sent future frames.");

pub static ACK_21: Requirement =
    must_not("FTE-ACK-21", Client, CLCS, "wire").text("Ack datagrams the netchan discarded as stale or duplicate.");

pub(super) const ALL: &[&Requirement] = &[
    &ACK_01, &ACK_02, &ACK_03, &ACK_04, &ACK_05, &ACK_06, &ACK_07, &ACK_08, &ACK_09, &ACK_10, &ACK_11, &ACK_12,
    &ACK_13, &ACK_14, &ACK_15, &ACK_16, &ACK_17, &ACK_18, &ACK_19, &ACK_20, &ACK_21,
];
