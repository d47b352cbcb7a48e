//! When a packet is full.

use super::section::SENDING;
use super::{must, should};
use kit::Requirement;
use kit::Role::{Client, Server};

/// Entities that do not fit keep their pending flags.
pub static OVF_01: Requirement =
    must("FTE-OVF-01", Server, "Entities that do not fit keep their pending flags.", SENDING, "T2 later frames");

/// Never exceed the datagram limit or write a truncated entity.
pub static OVF_02: Requirement = must(
    "FTE-OVF-02",
    Server,
    "Never exceed the datagram limit or write a truncated entity.",
    SENDING,
    "wire size, O1",
)
.engines(
    "FTEQW stops when fewer than 52 bytes are left, but an update can have twice as many; until cd97d1fff \
     it wrote the header without room for it.",
);

/// Continue mid-list in the next frame so all entities progress.
pub static OVF_03: Requirement =
    should("FTE-OVF-03", Server, "Continue mid-list in the next frame so all entities progress.", SENDING, "T5")
        .engines(
            "FTEQW began at the lowest entity again until 9aed52168, so that a changing crowd starved the others.",
        );

/// End marker is always present, also in full frames.
pub static OVF_04: Requirement =
    must("FTE-OVF-04", Server, "End marker is always present, also in full frames.", SENDING, "wire");

/// Backing out an entity restores all its flags (incl. RESET).
pub static OVF_05: Requirement = must(
    "FTE-OVF-05",
    Server,
    "Backing out an entity restores all its flags (incl. RESET).",
    SENDING,
    "T2/O3 at full packet",
)
.engines("Until c99fc25b QuakeSpasm-Spiked took back only what it had logged, and RESET was not in it.");

/// Removes and remove-all also survive overflow.
pub static OVF_06: Requirement =
    must("FTE-OVF-06", Server, "Removes and remove-all also survive overflow.", SENDING, "T3")
        .engines("FTEQW's QuakeWorld server considers removes in every frame, wherever it resumes.");

/// Resume point never skips an entity for ever and wraps.
pub static OVF_07: Requirement = must(
    "FTE-OVF-07",
    Server,
    "Resume point never skips an entity for ever and wraps.",
    SENDING,
    "T5 with changing set",
);

/// Accept one snapshot spread over several messages/datagrams with equal time.
pub static OVF_08: Requirement = must(
    "FTE-OVF-08",
    Client,
    "Accept one snapshot spread over several messages/datagrams with equal time.",
    SENDING,
    "state",
)
.engines(
    "FTEQW and QuakeSpasm-Spiked send further datagrams in the same tick over NetQuake; QuakeSpasm-Spiked \
     takes equal times for one snapshot.",
);

/// Under a rate limit, skip whole frames but keep bookkeeping.
pub static OVF_09: Requirement = should(
    "FTE-OVF-09",
    Server,
    "Under a rate limit, skip whole frames but keep bookkeeping.",
    SENDING,
    "resume after choke",
);
