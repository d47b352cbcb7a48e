//! Acknowledging frames.

use super::section::CLCS;
use super::{NETQUAKE, QUAKEWORLD, may, must, must_not, should};
use kit::Requirement;
use kit::Role::{Both, Client, Server};

/// Entity updates travel in unreliable data only.
pub static ACK_01: Requirement =
    must("FTE-ACK-01", Both, "Entity updates travel in unreliable data only.", CLCS, "wire");

/// Ack the sequence number of the unreliable packet that contained the update.
pub static ACK_02: Requirement = must(
    "FTE-ACK-02",
    Client,
    "Ack the sequence number of the unreliable packet that contained the update.",
    CLCS,
    "wire value",
)
.engines(
    "FTEQW's NetQuake client acknowledged a count of its own until 5ace5c8d3, wrong as soon as a datagram \
     had no frame.",
);

/// NQ: ack via command 50 + 32-bit number.
pub static ACK_03: Requirement = must("FTE-ACK-03", Client, "NQ: ack via command 50 + 32-bit number.", CLCS, "wire");

/// Ack only frames actually received and parsed.
pub static ACK_04: Requirement =
    must("FTE-ACK-04", Client, "Ack only frames actually received and parsed.", CLCS, "wire vs delivery").engines(
        "FTEQW and QuakeSpasm-Spiked queue the acknowledgement before they parse; an error in parsing ends \
         the connection.",
    );

/// NQ: every received entity frame gets an ack (queue permitting).
pub static ACK_05: Requirement =
    must("FTE-ACK-05", Client, "NQ: every received entity frame gets an ack (queue permitting).", CLCS, "wire")
        .only(NETQUAKE)
        .engines("QuakeSpasm-Spiked queues 8 and drops the rest. FTEQW queues 64, and then replaces the newest.");

/// Acks arrive in ascending order.
pub static ACK_06: Requirement = must("FTE-ACK-06", Client, "Acks arrive in ascending order.", CLCS, "wire");

/// Send acks unreliably.
pub static ACK_07: Requirement = should("FTE-ACK-07", Client, "Send acks unreliably.", CLCS, "wire");

/// Accept several acks in one packet.
pub static ACK_08: Requirement =
    must("FTE-ACK-08", Server, "Accept several acks in one packet.", CLCS, "state: no resend of acked frames");

/// Frames skipped between acked numbers are considered lost.
pub static ACK_09: Requirement =
    must("FTE-ACK-09", Server, "Frames skipped between acked numbers are considered lost.", CLCS, "O2");

/// Treat frames newer than the highest ack as lost.
pub static ACK_10: Requirement =
    must_not("FTE-ACK-10", Server, "Treat frames newer than the highest ack as lost.", CLCS, "no resend storm");

/// QW: omit the ack already implied by the packet header.
pub static ACK_11: Requirement =
    should("FTE-ACK-11", Client, "QW: omit the ack already implied by the packet header.", CLCS, "wire")
        .only(QUAKEWORLD);

/// QW: when several frames arrived since the last send, explicitly ack all but the last.
pub static ACK_12: Requirement = should(
    "FTE-ACK-12",
    Client,
    "QW: when several frames arrived since the last send, explicitly ack all but the last.",
    CLCS,
    "wire",
)
.only(QUAKEWORLD)
.errata("FTEQW asks for clc_delta instead (E2).")
.engines("FTEQW's QuakeWorld client never acknowledges explicitly.");

/// QW: omit explicit acks completely.
pub static ACK_13: Requirement = may("FTE-ACK-13", Client, "QW: omit explicit acks completely.", CLCS, "-")
    .only(QUAKEWORLD)
    .engines("FTEQW's client does so.");

/// QW: treat the netchan ack as an entity ack.
pub static ACK_14: Requirement =
    must("FTE-ACK-14", Server, "QW: treat the netchan ack as an entity ack.", CLCS, "O2 with header-only client")
        .only(QUAKEWORLD)
        .errata(
            "By the document the header suffices. FTEQW starts over after every packet that has neither clc_delta \
             nor an explicit acknowledgement (E2), which is wasteful but legal.",
        );

/// QW: process explicit acks before the header ack so ascending order holds.
pub static ACK_15: Requirement = must(
    "FTE-ACK-15",
    Server,
    "QW: process explicit acks before the header ack so ascending order holds.",
    CLCS,
    "no false nack",
)
.only(QUAKEWORLD)
.engines("FTEQW reads explicit acknowledgements in their order, and the header's last.");

/// Ack of ~0 causes reset and resend of all entities.
pub static ACK_16: Requirement =
    must("FTE-ACK-16", Server, "Ack of ~0 causes reset and resend of all entities.", CLCS, "O5").engines(
        "FTEQW's QuakeWorld server ignored it until 5b7a426af, and its resend left out the entities of CSQC \
         until e8aa71576.",
    );

/// Ask ~0 when it has no usable base state.
pub static ACK_17: Requirement = should("FTE-ACK-17", Client, "Ask ~0 when it has no usable base state.", CLCS, "C4")
    .engines(
        "FTEQW's NetQuake client did not ask until 630af9dc7, and hung when the first remove-all was lost. \
         QuakeSpasm-Spiked asks at every serverinfo.",
    );

/// Stale or duplicate acks change nothing harmful.
pub static ACK_18: Requirement =
    must("FTE-ACK-18", Server, "Stale or duplicate acks change nothing harmful.", CLCS, "O2 after dup").engines(
        "Until 27a59a0cb every acknowledgement, late or -1, became FTEQW's newest; until 025aeff8a a repeated \
         one folded a frame twice.",
    );

/// Ack number 0 is an ordinary frame.
pub static ACK_19: Requirement =
    must("FTE-ACK-19", Server, "Ack number 0 is an ordinary frame.", CLCS, "no endless reset")
        .only(NETQUAKE)
        .engines("Until fb86222fc FTEQW took 0 for no acknowledgement, and reset until a higher one came.");

/// Survive acks for never-sent future frames.
pub static ACK_20: Requirement =
    should("FTE-ACK-20", Server, "Survive acks for never-sent future frames.", CLCS, "later losses still repaired");

/// Ack datagrams the netchan discarded as stale or duplicate.
pub static ACK_21: Requirement =
    must_not("FTE-ACK-21", Client, "Ack datagrams the netchan discarded as stale or duplicate.", CLCS, "wire");
