//! Differences between snapshots.

use super::section::{IDEA, OURS};
use super::{P1, must};
use kit::Requirement;
use kit::Role::{Both, Client, Server};

/// A snapshot's bytes are the new snapshot XOR its base.
pub static DLT_01: Requirement = must(
    "GG2-DLT-01",
    Server,
    "A snapshot's bytes are the new snapshot XOR its base.",
    IDEA,
    "snapshots against what the scenario says",
);

/// delta_sequence names the base.
pub static DLT_02: Requirement =
    must("GG2-DLT-02", Server, "delta_sequence names the base.", IDEA, "which snapshot makes sense of the bytes");

/// The base is a snapshot whose packet this client has acknowledged.
pub static DLT_03: Requirement = must(
    "GG2-DLT-03",
    Server,
    "The base is a snapshot whose packet this client has acknowledged.",
    IDEA,
    "losses of the newest packets",
);

/// A client keeps its last 32 snapshots.
pub static DLT_04: Requirement = must(
    "GG2-DLT-04",
    Client,
    "A client keeps its last 32 snapshots.",
    IDEA,
    "a base that is some packets old",
)
.decided_by(P1)
.errata("That both sides buffer is the concept's, the number is the profile's. A server that keeps fewer sends absolute snapshots instead, which it may.");

/// A base is less than 32 packets old; where there is none, the snapshot is absolute.
pub static DLT_05: Requirement = must(
    "GG2-DLT-05",
    Server,
    "A base is less than 32 packets old; where there is none, the snapshot is absolute.",
    OURS,
    "acknowledgements that stay away",
)
.decided_by(P1);

/// A packet without a base has its own number as delta_sequence.
pub static DLT_06: Requirement = must(
    "GG2-DLT-06",
    Server,
    "A packet without a base has its own number as delta_sequence.",
    OURS,
    "the first packets",
)
.decided_by(P1);

/// A packet whose base is missing has no effect at all.
pub static DLT_07: Requirement =
    must("GG2-DLT-07", Client, "A packet whose base is missing has no effect at all.", OURS, "a base that nobody has")
        .decided_by(P1);

/// Where lengths differ, the base is cut or filled with zeros to the length of the new snapshot.
pub static DLT_08: Requirement = must(
    "GG2-DLT-08",
    Both,
    "Where lengths differ, the base is cut or filled with zeros to the length of the new snapshot.",
    OURS,
    "a player who spawns or dies",
)
.decided_by(P1);

/// Header and events are never XORed.
pub static DLT_09: Requirement =
    must("GG2-DLT-09", Server, "Header and events are never XORed.", OURS, "events beside a snapshot with a base")
        .decided_by(P1)
        .errata("Taken literally, the concept XORs whole packets; then an event could not be read without the base.");

/// A packet without a snapshot is never a base.
pub static DLT_10: Requirement = must(
    "GG2-DLT-10",
    Server,
    "A packet without a snapshot is never a base.",
    OURS,
    "acknowledgements of packets with events alone",
)
.decided_by(P1);
