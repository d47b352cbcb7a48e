//! When a packet is full.

use super::section::SENDING;
use kit::Requirement;
use kit::Role::{Client, Server};
use kit::requirement::{must, should};

pub static OVF_01: Requirement =
    must("FTE-OVF-01", Server, SENDING, "T2 later frames").text("Entities that do not fit keep their pending flags.");

pub static OVF_02: Requirement = must("FTE-OVF-02", Server, SENDING, "wire size, O1")
    .text("Never exceed the datagram limit or write a truncated entity.")
    .engines(
        "FTEQW stops when fewer than 52 bytes are left, but an update can have twice as many; until cd97d1fff it wrote \
         the header without room for it.",
    );

pub static OVF_03: Requirement = should("FTE-OVF-03", Server, SENDING, "T5")
    .text("Continue mid-list in the next frame so all entities progress.")
    .engines("FTEQW began at the lowest entity again until 9aed52168, so that a changing crowd starved the others.");

pub static OVF_04: Requirement =
    must("FTE-OVF-04", Server, SENDING, "wire").text("End marker is always present, also in full frames.");

pub static OVF_05: Requirement = must("FTE-OVF-05", Server, SENDING, "T2/O3 at full packet")
    .text("Backing out an entity restores all its flags (incl. RESET).")
    .engines("Until c99fc25b QuakeSpasm-Spiked took back only what it had logged, and RESET was not in it.");

pub static OVF_06: Requirement = must("FTE-OVF-06", Server, SENDING, "T3")
    .text("Removes and remove-all also survive overflow.")
    .engines("FTEQW's QuakeWorld server considers removes in every frame, wherever it resumes.");

pub static OVF_07: Requirement = must("FTE-OVF-07", Server, SENDING, "T5 with changing set")
    .text("Resume point never skips an entity for ever and wraps.");

pub static OVF_08: Requirement = must("FTE-OVF-08", Client, SENDING, "state")
    .text("Accept one snapshot spread over several messages/datagrams with equal time.")
    .engines(
        "FTEQW and QuakeSpasm-Spiked send further datagrams in the same tick over NetQuake; QuakeSpasm-Spiked takes \
         equal times for one snapshot.",
    );

pub static OVF_09: Requirement = should("FTE-OVF-09", Server, SENDING, "resume after choke")
    .text("Under a rate limit, skip whole frames but keep bookkeeping.");

pub(super) const ALL: &[&Requirement] =
    &[&OVF_01, &OVF_02, &OVF_03, &OVF_04, &OVF_05, &OVF_06, &OVF_07, &OVF_08, &OVF_09];
