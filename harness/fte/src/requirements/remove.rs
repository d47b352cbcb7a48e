//! Removing entities.

use super::section::SENDING;
use kit::Requirement;
use kit::Role::{Client, Server};
use kit::requirement::{must, must_not, should};

pub static RMV_01: Requirement = must("FTE-RMV-01", Server, SENDING, "T3")
    .text("Entity no longer visible to the client is removed explicitly.")
    .engines("FTEQW keeps an entity at the client where the game's code asks for it.");

pub static RMV_02: Requirement = must_not("FTE-RMV-02", Client, SENDING, "state")
    .text("Drop entities merely because a new frame does not mention them.");

pub static RMV_03: Requirement = must("FTE-RMV-03", Client, SENDING, "state")
    .text("Remove deletes the entity; later plain deltas count as unknown.");

pub static RMV_04: Requirement =
    must("FTE-RMV-04", Client, SENDING, "state").text("Remove of an unknown entity is harmless.");

pub static RMV_05: Requirement =
    must("FTE-RMV-05", Server, SENDING, "O4").text("A lost remove is repeated until it is acked or overridden.");

pub static RMV_06: Requirement = must_not("FTE-RMV-06", Server, SENDING, "T4")
    .text("Apply a folded-back remove to an entity that has become visible again.")
    .engines("FTEQW removed entities that had come back, by a folded remove, until a339c727d.");

pub static RMV_07: Requirement = must("FTE-RMV-07", Server, SENDING, "S existence")
    .text("When folding flags of an entity already removed, do not resurrect it.")
    .engines(
        "FTEQW 93257c1ac5cd logs an entry with old contents for an entity that is gone, which makes for needless \
         repairs only.",
    );

pub static RMV_08: Requirement = must("FTE-RMV-08", Client, SENDING, "state then plain delta")
    .text("Remove-all discards all entities incl. their known flag.")
    .engines(
        "QuakeSpasm-Spiked c48936385a44 clears the model but keeps the entity known, so that it comes back; vkQuake \
         mended that in a65d9fe7.",
    );

pub static RMV_09: Requirement =
    must("FTE-RMV-09", Server, SENDING, "wire").text("After remove-all every visible entity is re-sent as new.");

pub static RMV_10: Requirement = must("FTE-RMV-10", Server, SENDING, "O4")
    .text("A lost remove-all is repeated or every stale entity individually removed.")
    .engines(
        "FTEQW's NetQuake server repeats it in every frame until an acknowledgement that is no further request; \
         QuakeSpasm-Spiked sends one per request.",
    );

pub static RMV_11: Requirement = must("FTE-RMV-11", Server, SENDING, "wire")
    .text("Remove-all precedes the entity entries of its message.")
    .errata("The specification allows it as an optional first entry; what stands before it is lost (E22).");

pub static RMV_12: Requirement = must("FTE-RMV-12", Server, SENDING, "wire")
    .text("Remove clears pending field flags of that entity (nothing else sent for it).")
    .engines("Engines replace what is pending by the remove.");

pub static RMV_13: Requirement = should("FTE-RMV-13", Server, SENDING, "wire (QSS needs it)")
    .text("First frame after connect/map change starts with remove-all.")
    .errata("Optional in the specification, and needed by an engine in use (E22).")
    .engines("A QuakeSpasm-Spiked client does not finish its sign-on before it has seen one.");

pub(super) const ALL: &[&Requirement] = &[
    &RMV_01, &RMV_02, &RMV_03, &RMV_04, &RMV_05, &RMV_06, &RMV_07, &RMV_08, &RMV_09, &RMV_10, &RMV_11, &RMV_12, &RMV_13,
];
