//! Entity updates: wide models and frames, and the rules of deltas against a baseline.

use super::section::{BASE, OVERVIEW, UPDATE};
use super::{must, should};
use kit::Requirement;
use kit::Role::{Client, Server};

/// A model's number above 255 travels as low byte and, with MODEL2, high byte.
pub static MODEL_01: Requirement = must(
    "FITZ-MODEL-01",
    Server,
    "The number of an entity's model above 255 travels as its low byte in MODEL and its high byte in MODEL2.",
    UPDATE,
    "wire: model against the world",
);

/// The client joins both bytes before it looks the model up.
pub static MODEL_02: Requirement = must(
    "FITZ-MODEL-02",
    Client,
    "Both bytes of a model's number are joined before the model is looked up.",
    UPDATE,
    "state: model of the entity",
);

/// The weapon model's number above 255 has its high byte in WEAPON2.
pub static MODEL_03: Requirement = must(
    "FITZ-MODEL-03",
    Server,
    "The number of the weapon's model above 255 has its high byte in WEAPON2.",
    OVERVIEW,
    "wire: weapon model against the world",
)
.errata("The document asks for WEAPON2 above 255; engines need the bit of the low byte beside it (E4).");

/// A frame above 255 has its high byte in FRAME2.
pub static FRAME_01: Requirement = must(
    "FITZ-FRAME-01",
    Server,
    "A frame above 255 that is told has its high byte in FRAME2.",
    UPDATE,
    "wire: frame against the world",
)
.errata("A frame above 255 that equals the baseline's is not told at all (E3).");

/// A frame without FRAME2 is below 256, whatever the baseline has.
pub static FRAME_02: Requirement = must(
    "FITZ-FRAME-02",
    Client,
    "A frame told without FRAME2 has a high byte of 0, even if the baseline's frame is above 255.",
    UPDATE,
    "state: frame 44 over a baseline of 300",
);

/// A frame that is not told is the baseline's, all 16 bits of it.
pub static FRAME_03: Requirement = must(
    "FITZ-FRAME-03",
    Client,
    "A frame that is not told is the baseline's, all 16 bits of it.",
    BASE,
    "state: a baseline of 300 and an update without FRAME",
);

/// EXTEND1 is set exactly when a third byte of bits follows.
pub static ENT_01: Requirement = must(
    "FITZ-ENT-01",
    Server,
    "EXTEND1, bit 15, is set exactly when a third byte of bits follows.",
    UPDATE,
    "wire: grammar",
)
.errata("EXTEND1 with a third byte of zero passes: it announces what follows.");

/// EXTEND1 never comes without MOREBITS.
pub static ENT_02: Requirement = must(
    "FITZ-ENT-02",
    Server,
    "EXTEND1 stands in the second byte of bits, so MOREBITS is set with it.",
    BASE,
    "wire: grammar",
);

/// The third byte of bits is read before the entity's number.
pub static ENT_03: Requirement = must(
    "FITZ-ENT-03",
    Client,
    "The third byte of bits is read before the entity's number.",
    UPDATE,
    "state: entities of updates with EXTEND1",
);

/// ALPHA is set exactly when the coded alpha differs from the baseline's code.
pub static ENT_04: Requirement = must(
    "FITZ-ENT-04",
    Server,
    "ALPHA is set exactly when the entity's alpha, coded, differs from the code in its baseline.",
    UPDATE,
    "wire: ALPHA against baseline and world",
)
.engines("Alpha at the border of two codes may take either.");

/// The alpha byte follows the place of ANGLE3.
pub static ENT_05: Requirement = must(
    "FITZ-ENT-05",
    Server,
    "The alpha byte follows ANGLE3, or the place where that would be.",
    UPDATE,
    "wire: grammar and values",
);

/// FRAME2 follows the place of alpha.
pub static ENT_06: Requirement = must(
    "FITZ-ENT-06",
    Server,
    "The byte of FRAME2 follows the alpha byte, or the place where that would be.",
    UPDATE,
    "wire: grammar and values",
)
.engines("vkQuake may put a byte of scale (bit 20) between the two, which passes.");

/// MODEL2 follows the place of FRAME2.
pub static ENT_07: Requirement = must(
    "FITZ-ENT-07",
    Server,
    "The byte of MODEL2 follows that of FRAME2, or the place where that would be.",
    UPDATE,
    "wire: grammar and values",
);

/// LERPFINISH comes last.
pub static ENT_08: Requirement =
    must("FITZ-ENT-08", Server, "The byte of LERPFINISH comes last.", UPDATE, "wire: grammar and values");

/// Without ALPHA, alpha is the baseline's.
pub static ENT_09: Requirement = must(
    "FITZ-ENT-09",
    Client,
    "Without ALPHA an entity has its baseline's alpha, not the one that it had before.",
    UPDATE,
    "state: two updates, the second without ALPHA",
);

/// Whatever is not told is as in the baseline.
pub static ENT_10: Requirement = must(
    "FITZ-ENT-10",
    Client,
    "Every field that an update does not tell is as in the baseline, whatever earlier updates told.",
    BASE,
    "state: after a loss, and after a field went back to the baseline",
);

/// An entity that the newest complete state does not mention is not visible.
pub static ENT_11: Requirement = must(
    "FITZ-ENT-11",
    Client,
    "An entity that the newest datagram with svc_time does not mention is not visible.",
    BASE,
    "state: entities shown",
);

/// An entity that equals its baseline is mentioned all the same.
pub static ENT_12: Requirement = must(
    "FITZ-ENT-12",
    Server,
    "An entity that is visible and equals its baseline is mentioned all the same.",
    BASE,
    "wire: mentions of entities at and off their baseline, over the whole run",
)
.errata(
    "Which entities a server shows is its own choice; what fails is that it shows each while it differs from its \
     baseline, and none while it does not.",
);

/// Numbers from 256 need LONGENTITY.
pub static ENT_13: Requirement = must(
    "FITZ-ENT-13",
    Server,
    "An entity's number from 256 on is sent as a short, with LONGENTITY.",
    BASE,
    "wire: numbers mentioned against the world",
);

/// An axis of the origin is sent exactly when it is more than 0.1 off the baseline.
pub static ENT_14: Requirement = must(
    "FITZ-ENT-14",
    Server,
    "An axis of the origin is sent exactly when it is more than a tenth of a unit off the baseline.",
    BASE,
    "wire: axes told against baseline and world",
);

/// An update is whole or absent.
pub static ENT_15: Requirement = must(
    "FITZ-ENT-15",
    Server,
    "An update is never cut: it fits into the datagram as a whole, or is left out.",
    BASE,
    "wire: grammar at the end of full datagrams",
)
.engines("NetQuake leaves room for 16 bytes where an update can take 18: an error of its own.");

/// The first update completes the sign-on.
pub static ENT_16: Requirement = should(
    "FITZ-ENT-16",
    Client,
    "The first update behind the third step completes the sign-on; the client begins to send moves.",
    BASE,
    "wire: clc_move begins",
)
.engines("An entity of alpha code 1 is not sent, the player's own included: without any other the client waits (E8).");
