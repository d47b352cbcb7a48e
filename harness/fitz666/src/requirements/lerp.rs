//! The time to the next frame.

use super::section::{HINTS, UPDATE};
use kit::Requirement;
use kit::Role::{Client, Server};
use kit::requirement::{must, should};

pub static LERP_01: Requirement = must("FITZ-LERP-01", Server, UPDATE, "wire: the byte against the world")
    .text(
        "LERPFINISH is the time from the datagram's svc_time to the next think, up to one second, in 1/255 s, rounded.",
    )
    .errata(
        "The specification has the difference the wrong way round once (E16). When to send the hint is LERP-02 \
         and LERP-06.",
    );

pub static LERP_02: Requirement = should("FITZ-LERP-02", Server, HINTS, "wire: no code 25 or 26 when the think is set")
    .text("A time to the next think of a tenth of a second is what clients assume, and is not sent.")
    .errata("A tenth is 25.5 codes, so that both 25 and 26 stand for it (E2). A longer time counts down through them.")
    .engines("vkQuake sends it when there is room.");

pub static LERP_03: Requirement = must("FITZ-LERP-03", Server, UPDATE, "wire: the byte for 1.2 s")
    .text("A time to the next think of more than a second is 255 or not sent, never what is left of a larger number.")
    .errata("The specification clamps, engines do not send it (E2); both pass.")
    .engines("QuakeSpasm-Spiked writes the byte without a clamp.");

pub static LERP_04: Requirement = must("FITZ-LERP-04", Client, UPDATE, "state: the entity's lerpfinish")
    .text("The moment at which the interpolation ends is the svc_time of the same datagram plus the hint.");

pub static LERP_05: Requirement = must("FITZ-LERP-05", Client, HINTS, "state: the entity's lerpfinish")
    .text("Without a hint the interpolation takes a tenth of a second; an earlier hint is forgotten.");

pub static LERP_06: Requirement =
    should("FITZ-LERP-06", Server, UPDATE, "wire: the first update after a think of an entity that moves in steps")
        .text("A time to the next think of less than a second that is not a tenth is sent.")
        .errata(
            "Engines send it of entities that move in steps or have changed their frame; only the former are judged.",
        );
