//! Entity updates: wide models and frames, and the rules of deltas against a baseline.

use super::section::{BASE, OVERVIEW, UPDATE};
use kit::Requirement;
use kit::Role::{Client, Server};
use kit::requirement::{must, should};

pub static MODEL_01: Requirement = must("FITZ-MODEL-01", Server, UPDATE, "wire: model against the world")
    .text("The number of an entity's model above 255 travels as its low byte in MODEL and its high byte in MODEL2.");

pub static MODEL_02: Requirement = must("FITZ-MODEL-02", Client, UPDATE, "state: model of the entity")
    .text("Both bytes of a model's number are joined before the model is looked up.");

pub static MODEL_03: Requirement = must("FITZ-MODEL-03", Server, OVERVIEW, "wire: weapon model against the world")
    .text("The number of the weapon's model above 255 has its high byte in WEAPON2.")
    .errata("The specification asks for WEAPON2 above 255; engines need the bit of the low byte beside it (E4).");

pub static FRAME_01: Requirement = must("FITZ-FRAME-01", Server, UPDATE, "wire: frame against the world")
    .text("A frame above 255 that is sent has its high byte in FRAME2.")
    .errata("A frame above 255 that equals the baseline's is not sent at all (E3).");

pub static FRAME_02: Requirement = must("FITZ-FRAME-02", Client, UPDATE, "state: frame 44 over a baseline of 300")
    .text("A frame sent without FRAME2 has a high byte of 0, even if the baseline's frame is above 255.");

pub static FRAME_03: Requirement =
    must("FITZ-FRAME-03", Client, BASE, "state: a baseline of 300 and an update without FRAME")
        .text("A frame that is not sent is the baseline's, all 16 bits of it.");

pub static ENT_01: Requirement = must("FITZ-ENT-01", Server, UPDATE, "wire: grammar")
    .text("EXTEND1, bit 15, is set exactly when a third byte of bits follows.")
    .errata("EXTEND1 with a third byte of zero passes: it announces what follows.");

pub static ENT_02: Requirement = must("FITZ-ENT-02", Server, BASE, "wire: grammar")
    .text("EXTEND1 stands in the second byte of bits, so MOREBITS is set with it.");

pub static ENT_03: Requirement = must("FITZ-ENT-03", Client, UPDATE, "state: entities of updates with EXTEND1")
    .text("The third byte of bits is read before the entity's number.");

pub static ENT_04: Requirement = must("FITZ-ENT-04", Server, UPDATE, "wire: ALPHA against baseline and world")
    .text("ALPHA is set exactly when the entity's alpha, coded, differs from the code in its baseline.")
    .engines("Alpha at the border of two codes may take either.");

pub static ENT_05: Requirement = must("FITZ-ENT-05", Server, UPDATE, "wire: grammar and values")
    .text("The alpha byte follows ANGLE3, or the place where that would be.");

pub static ENT_06: Requirement = must("FITZ-ENT-06", Server, UPDATE, "wire: grammar and values")
    .text("The byte of FRAME2 follows the alpha byte, or the place where that would be.")
    .engines("vkQuake may put a byte of scale (bit 20) between the two, which passes.");

pub static ENT_07: Requirement = must("FITZ-ENT-07", Server, UPDATE, "wire: grammar and values")
    .text("The byte of MODEL2 follows that of FRAME2, or the place where that would be.");

pub static ENT_08: Requirement =
    must("FITZ-ENT-08", Server, UPDATE, "wire: grammar and values").text("The byte of LERPFINISH comes last.");

pub static ENT_09: Requirement = must("FITZ-ENT-09", Client, UPDATE, "state: two updates, the second without ALPHA")
    .text("Without ALPHA an entity has its baseline's alpha, not the one that it had before.");

pub static ENT_10: Requirement =
    must("FITZ-ENT-10", Client, BASE, "state: after a loss, and after a field went back to the baseline")
        .text("Every field that an update does not carry is as in the baseline, whatever earlier updates carried.");

pub static ENT_11: Requirement = must("FITZ-ENT-11", Client, BASE, "state: entities shown")
    .text("An entity that the newest datagram with svc_time does not mention is not visible.");

pub static ENT_12: Requirement =
    must("FITZ-ENT-12", Server, BASE, "wire: mentions of entities at and off their baseline, over the whole run")
        .text("An entity that is visible and equals its baseline is mentioned nevertheless.")
        .errata(
            "Which entities a server shows is its own choice; what fails is that it shows each while it differs from \
             its baseline, and none while it does not.",
        );

pub static ENT_13: Requirement = must("FITZ-ENT-13", Server, BASE, "wire: numbers mentioned against the world")
    .text("An entity's number from 256 on is sent as a short, with LONGENTITY.");

pub static ENT_14: Requirement = must("FITZ-ENT-14", Server, BASE, "wire: axes sent against baseline and world")
    .text("An axis of the origin is sent exactly when it is more than a tenth of a unit off the baseline.");

pub static ENT_15: Requirement = must("FITZ-ENT-15", Server, BASE, "wire: grammar at the end of full datagrams")
    .text("An update is never cut: it fits into the datagram as a whole, or is left out.")
    .engines("NetQuake leaves room for 16 bytes where an update can take 18: an error of its own.");

pub static ENT_16: Requirement = should("FITZ-ENT-16", Client, BASE, "wire: clc_move begins")
    .text("The first update after the third step completes the sign-on; the client begins to send moves.")
    .engines(
        "An entity of alpha code 1 is not sent, the player's own included: without any other the client waits (E8).",
    );
