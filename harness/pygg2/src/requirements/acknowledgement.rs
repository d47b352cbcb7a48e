//! What each end says about what it received.

use super::P1;
use super::section::{HEADER, IDEA, OURS};
use kit::Requirement;
use kit::Role::{Client, Server};
use kit::requirement::{must, should};

pub static ACK_01: Requirement = must("GG2-ACK-01", Client, IDEA, "ack_sequence")
    .text("A client remembers the number of the newest packet that it received.");

pub static ACK_02: Requirement =
    must("GG2-ACK-02", Client, IDEA, "ack_sequence of all input updates").text("Every input update has that number.");

pub static ACK_03: Requirement = must("GG2-ACK-03", Client, OURS, "overtaking")
    .text("A late packet does not lower it.")
    .decided_by(P1)
    .engines("The program that came of it acknowledges whatever came last; events are executed twice then.");

pub static ACK_04: Requirement = must("GG2-ACK-04", Client, OURS, "a base that the receiver lacks")
    .text("Only what was applied completely is acknowledged.")
    .decided_by(P1);

pub static ACK_05: Requirement =
    must("GG2-ACK-05", Server, IDEA, "a long session with deltas").text("The base follows the acknowledgements.");

pub static ACK_06: Requirement = must("GG2-ACK-06", Server, HEADER, "last_acked_sequence")
    .text("last_acked_sequence is the newest packet that was accepted from this client.")
    .decided_by(P1)
    .errata("The name could also mean the client's newest acknowledgement, which delta_sequence says already.");

pub static ACK_07: Requirement = must("GG2-ACK-07", Server, OURS, "wrong acknowledgements")
    .text("An acknowledgement of a packet that was never sent, or older than the newest, is ignored.")
    .decided_by(P1);

pub static ACK_08: Requirement = should("GG2-ACK-08", Client, IDEA, "an outage of the other direction")
    .text("Inputs are sent by a clock of their own, and not as answers.");
