//! Reliable events, in both directions.

use super::P1;
use super::section::{HANDSHAKE, IDEA, OURS};
use kit::Requirement;
use kit::Role::{Both, Client, Server};
use kit::requirement::{must, should};

pub static EVT_01: Requirement = should("GG2-EVT-01", Server, IDEA, "the time from cause to packet")
    .text("An event leaves at once, or with the next snapshot at the latest.");

pub static EVT_02: Requirement = must("GG2-EVT-02", Server, IDEA, "another player's acknowledgements")
    .text("Every player has an event buffer of their own.");

pub static EVT_03: Requirement =
    must("GG2-EVT-03", Server, IDEA, "several events, and acknowledgements that stay away")
        .text("Every packet has all events that are not acknowledged.");

pub static EVT_04: Requirement = must("GG2-EVT-04", Server, IDEA, "packets with both")
    .text("Events stand before the snapshot.")
    .engines("The program that came of it writes the snapshot first.");

pub static EVT_05: Requirement =
    must("GG2-EVT-05", Server, IDEA, "events made while an acknowledgement was on its way")
        .text("An acknowledgement deletes the events that its packet had, and no others.");

pub static EVT_06: Requirement = must("GG2-EVT-06", Server, IDEA, "acknowledgements that stay away")
    .text("Nothing is deleted without an acknowledgement.");

pub static EVT_07: Requirement = must("GG2-EVT-07", Client, OURS, "repeated events")
    .text("Every event is applied once, in the order of creation.")
    .decided_by(P1);

pub static EVT_08: Requirement = must("GG2-EVT-08", Client, OURS, "packets with both")
    .text("The events of a packet are applied before its snapshot.")
    .decided_by(P1);

pub static EVT_09: Requirement = must("GG2-EVT-09", Both, HANDSHAKE, "changes of class on a bad link")
    .text("A client repeats its events until they are acknowledged, and the server applies each once.")
    .decided_by(P1)
    .errata(
        "The concept calls its handshake acknowledged in both directions; that this goes for all events of a client is \
         what the program made of it.",
    );

pub static EVT_10: Requirement =
    must("GG2-EVT-10", Server, IDEA, "three clients").text("An event goes to every player who is in the game.");

pub static EVT_11: Requirement = must("GG2-EVT-11", Client, OURS, "events of clients")
    .text("A client says what its player does, each once, and nothing else.")
    .decided_by(P1);

pub static EVT_12: Requirement = must("GG2-EVT-12", Server, OURS, "events that nothing in the scenario explains")
    .text("An event that is sent without a cause says what is so.")
    .decided_by(P1)
    .errata("Extra events are allowed, so that a server may repeat what there is.");
