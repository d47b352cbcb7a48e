//! Differences between snapshots.

use super::P1;
use super::section::{IDEA, OURS};
use kit::Requirement;
use kit::Role::{Both, Client, Server};
use kit::requirement::{must, should};

pub static DLT_01: Requirement = must("GG2-DLT-01", Server, IDEA, "snapshots against what the scenario says")
    .text("A snapshot's bytes are the new snapshot XOR its base.");

pub static DLT_02: Requirement =
    must("GG2-DLT-02", Server, IDEA, "which snapshot makes sense of the bytes").text("delta_sequence names the base.");

pub static DLT_03: Requirement = must("GG2-DLT-03", Server, IDEA, "losses of the newest packets")
    .text("The base is a snapshot whose packet this client has acknowledged.");

pub static DLT_04: Requirement = must("GG2-DLT-04", Client, IDEA, "a base that is some packets old")
    .text("A client keeps its last 32 snapshots.")
    .decided_by(P1)
    .errata(
        "That both sides buffer is the concept's, the number is the profile's. A server that keeps fewer sends \
         absolute snapshots instead, which it may.",
    );

pub static DLT_05: Requirement = must("GG2-DLT-05", Server, OURS, "acknowledgements that stay away")
    .text("A base is less than 32 packets old; where there is none, the snapshot is absolute.")
    .decided_by(P1);

pub static DLT_06: Requirement = must("GG2-DLT-06", Server, OURS, "the first packets")
    .text("A packet without a base has its own number as delta_sequence.")
    .decided_by(P1);

pub static DLT_07: Requirement = must("GG2-DLT-07", Client, OURS, "a base that the receiver lacks")
    .text("A packet whose base is missing has no effect at all.")
    .decided_by(P1);

pub static DLT_08: Requirement = must("GG2-DLT-08", Both, OURS, "a player who spawns or dies")
    .text("Where lengths differ, the base is cut or filled with zeros to the length of the new snapshot.")
    .decided_by(P1);

pub static DLT_09: Requirement = must("GG2-DLT-09", Server, OURS, "events beside a snapshot with a base")
    .text("Header and events are never XORed.")
    .decided_by(P1)
    .errata("Taken literally, the concept XORs whole packets; then an event could not be read without the base.");

pub static DLT_10: Requirement = must("GG2-DLT-10", Server, OURS, "acknowledgements of packets with events alone")
    .text("A packet without a snapshot is never a base.")
    .decided_by(P1);

pub static DLT_11: Requirement = should("GG2-DLT-11", Server, IDEA, "many acknowledged snapshots")
    .text("Where there is a base, the difference is sent.")
    .errata("The profile allows absolute snapshots at any time, so that this is a recommendation.");
