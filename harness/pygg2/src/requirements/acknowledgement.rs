//! What each end says about what it received.

use super::section::{HEADER, IDEA, OURS};
use super::{P1, must, should};
use kit::Requirement;
use kit::Role::{Client, Server};

/// A client remembers the number of the newest packet that it received.
pub static ACK_01: Requirement = must(
    "GG2-ACK-01",
    Client,
    "A client remembers the number of the newest packet that it received.",
    IDEA,
    "ack_sequence",
);

/// Every input update has that number.
pub static ACK_02: Requirement =
    must("GG2-ACK-02", Client, "Every input update has that number.", IDEA, "ack_sequence of all input updates");

/// A late packet does not lower it.
pub static ACK_03: Requirement = must("GG2-ACK-03", Client, "A late packet does not lower it.", OURS, "overtaking")
    .decided_by(P1)
    .engines("The program that came of it acknowledges whatever came last; events are executed twice then.");

/// Only what was applied completely is acknowledged.
pub static ACK_04: Requirement =
    must("GG2-ACK-04", Client, "Only what was applied completely is acknowledged.", OURS, "a base that nobody has")
        .decided_by(P1);

/// The base follows the acknowledgements.
pub static ACK_05: Requirement =
    must("GG2-ACK-05", Server, "The base follows the acknowledgements.", IDEA, "a long session with deltas");

/// last_acked_sequence is the newest packet that was accepted from this client.
pub static ACK_06: Requirement = must(
    "GG2-ACK-06",
    Server,
    "last_acked_sequence is the newest packet that was accepted from this client.",
    HEADER,
    "last_acked_sequence",
)
.decided_by(P1)
.errata("The name could also mean the client's newest acknowledgement, which delta_sequence says already.");

/// An acknowledgement of a packet that was never sent, or older than the newest, is ignored.
pub static ACK_07: Requirement = must(
    "GG2-ACK-07",
    Server,
    "An acknowledgement of a packet that was never sent, or older than the newest, is ignored.",
    OURS,
    "wrong acknowledgements",
)
.decided_by(P1);

/// Inputs are sent by a clock of their own, and not as answers.
pub static ACK_08: Requirement = should(
    "GG2-ACK-08",
    Client,
    "Inputs are sent by a clock of their own, and not as answers.",
    IDEA,
    "an outage of the other direction",
);
