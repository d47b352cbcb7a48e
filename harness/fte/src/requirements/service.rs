//! Services and commands.

use super::NETQUAKE;
use super::section::{CLCS, CONFLICTS, NOT_UPDATED, SVCS};
use kit::Requirement;
use kit::Role::{Both, Client, Server};
use kit::requirement::{must, must_not};

pub static SVC_01: Requirement = must_not("FTE-SVC-01", Server, SVCS, "wire")
    .text("Send old entity services (fast updates, packetentities, deltapacketentities, playerinfo) to such a client.")
    .engines(
        "FTEQW took nails out of the entity list, for a message of their own, until d7cdc39cc. A QuakeSpasm-Spiked \
         client let foreign updates overwrite its state until 96553e4a.",
    );

pub static SVC_02: Requirement = must_not("FTE-SVC-02", Server, SVCS, "wire")
    .text("NQ: send svc_time; time comes with service 86.")
    .only(NETQUAKE)
    .errata(
        "PREDINFO alone keeps the service, with a movement sequence after the time; such a session is not offered \
         here. The list of services that are no longer sent has it without an exception for the sign-on.",
    )
    .engines(
        "QuakeSpasm-Spiked breaks this: it sends one in its reliable answer to `spawn`, before the first frame, with a \
         movement sequence where PREDINFO is on.",
    );

pub static SVC_03: Requirement = must("FTE-SVC-03", Both, SVCS, "wire")
    .text("Service 86 begins with servertime float32 (after the PREDINFO short on NQ).")
    .errata("The short before the time is NetQuake's only (E3).");

pub static SVC_04: Requirement =
    must("FTE-SVC-04", Client, SVCS, "state").text("Take the server clock from service 86.");

pub static SVC_05: Requirement = must("FTE-SVC-05", Both, SVCS, "wire")
    .text("Service 21: delta from the null state, no entity number.")
    .engines("FTEQW sets RESET in it, QuakeSpasm-Spiked does not; readers start from the null state either way.");

pub static SVC_06: Requirement = must("FTE-SVC-06", Both, SVCS, "wire")
    .text("Service 66: entity number then delta from the null state.")
    .errata("The number is in the regular coding (E26).")
    .engines(
        "FTEQW sets RESET in it, QuakeSpasm-Spiked does not; readers start from the null state either way. \
         QuakeSpasm-Spiked writes the number as a plain short.",
    );

pub static SVC_07: Requirement = must("FTE-SVC-07", Client, SVCS, "state via RESET")
    .text("Baseline fields absent from 66 take null-state defaults.");

pub static SVC_08: Requirement = must("FTE-SVC-08", Client, SVCS, "state")
    .text("Baselines keep all fields (alpha, scale, ...), used by later RESETs.");

pub static SVC_09: Requirement = must("FTE-SVC-09", Both, CONFLICTS, "wire")
    .text("Service 76 uses the delta index coding when the extension is on.")
    .engines("QuakeSpasm-Spiked put its flags into those of entities when it ran out of room, until 820d7440.");

pub static SVC_10: Requirement = must("FTE-SVC-10", Both, CONFLICTS, "wire with FTE1 bit 0x400000 also on")
    .text("With both spawnstatic2 and replacement deltas negotiated, services 21/66 use the replacement format.");

pub static SVC_11: Requirement = must("FTE-SVC-11", Both, CONFLICTS, "wire matrix")
    .text("Obsoleted FTE1 extensions (scale, trans, ...) may be on or off without changing the delta format.");

pub static SVC_12: Requirement = must("FTE-SVC-12", Client, SVCS, "wire")
    .text("Previous state for 86 is always the last received one; no from-frame byte is read.");

pub static SVC_13: Requirement =
    must("FTE-SVC-13", Both, CLCS, "wire").text("Command 50 number is shared with the DP ack; same data.");

pub static SVC_14: Requirement = must_not("FTE-SVC-14", Both, NOT_UPDATED, "wire")
    .text("Assume wider NQ sound indices or stat values because of this extension.")
    .only(NETQUAKE);

pub static SVC_15: Requirement = must("FTE-SVC-15", Client, SVCS, "state")
    .text("Hold every entity that a delivered service 86 describes, from the first frame of a map on.");

pub(super) const ALL: &[&Requirement] = &[
    &SVC_01, &SVC_02, &SVC_03, &SVC_04, &SVC_05, &SVC_06, &SVC_07, &SVC_08, &SVC_09, &SVC_10, &SVC_11, &SVC_12,
    &SVC_13, &SVC_14, &SVC_15,
];
