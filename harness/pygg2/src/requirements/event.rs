//! Reliable events, in both directions.

use super::section::{HANDSHAKE, IDEA, OURS};
use super::{P1, must, should};
use kit::Requirement;
use kit::Role::{Both, Client, Server};

/// An event leaves at once, or with the next snapshot at the latest.
pub static EVT_01: Requirement = should(
    "GG2-EVT-01",
    Server,
    "An event leaves at once, or with the next snapshot at the latest.",
    IDEA,
    "the time from cause to packet",
);

/// Every player has an event buffer of their own.
pub static EVT_02: Requirement = must(
    "GG2-EVT-02",
    Server,
    "Every player has an event buffer of their own.",
    IDEA,
    "another player's acknowledgements",
);

/// Every packet has all events that are not acknowledged.
pub static EVT_03: Requirement = must(
    "GG2-EVT-03",
    Server,
    "Every packet has all events that are not acknowledged.",
    IDEA,
    "several events, and acknowledgements that stay away",
);

/// Events stand before the snapshot.
pub static EVT_04: Requirement =
    must("GG2-EVT-04", Server, "Events stand before the snapshot.", IDEA, "packets with both")
        .engines("The program that came of it writes the snapshot first.");

/// An acknowledgement deletes the events that its packet had, and no others.
pub static EVT_05: Requirement = must(
    "GG2-EVT-05",
    Server,
    "An acknowledgement deletes the events that its packet had, and no others.",
    IDEA,
    "events made while an acknowledgement was on its way",
);

/// Nothing is deleted without an acknowledgement.
pub static EVT_06: Requirement = must(
    "GG2-EVT-06",
    Server,
    "Nothing is deleted without an acknowledgement.",
    IDEA,
    "acknowledgements that stay away",
);

/// Every event is applied once, in the order of creation.
pub static EVT_07: Requirement =
    must("GG2-EVT-07", Client, "Every event is applied once, in the order of creation.", OURS, "repeated events")
        .decided_by(P1);

/// The events of a packet are applied before its snapshot.
pub static EVT_08: Requirement =
    must("GG2-EVT-08", Client, "The events of a packet are applied before its snapshot.", OURS, "packets with both")
        .decided_by(P1);

/// A client repeats its events until they are acknowledged, and the server applies each once.
pub static EVT_09: Requirement = must(
    "GG2-EVT-09",
    Both,
    "A client repeats its events until they are acknowledged, and the server applies each once.",
    HANDSHAKE,
    "changes of class on a bad link",
)
.decided_by(P1)
.errata("The concept calls its handshake acknowledged in both directions; that this goes for all events of a client is what the program made of it.");

/// An event goes to every player who is in the game.
pub static EVT_10: Requirement =
    must("GG2-EVT-10", Server, "An event goes to every player who is in the game.", IDEA, "three clients");
