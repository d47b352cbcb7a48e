//! New entities and the RESET flag.

use super::section::{RESET_FLAG, SENDING};
use super::{may, must, must_not, should};
use kit::Requirement;
use kit::Role::{Client, Server};

/// RESET: replace the whole entity by its baseline before reading fields.
pub static RST_01: Requirement = must(
    "FTE-RST-01",
    Client,
    "RESET: replace the whole entity by its baseline before reading fields.",
    RESET_FLAG,
    "state: set alpha, then RESET without alpha",
);

/// First update of a newly visible entity carries RESET.
pub static RST_02: Requirement =
    must("FTE-RST-02", Server, "First update of a newly visible entity carries RESET.", RESET_FLAG, "wire")
        .engines("After a map restart FTEQW took old entities for known until eb3b670a4 and 1bb752b58.");

/// The second update containing the entity also carries RESET.
pub static RST_03: Requirement = should(
    "FTE-RST-03",
    Server,
    "The second update containing the entity also carries RESET.",
    RESET_FLAG,
    "wire count (E5)",
)
.errata(
    "The second RESET covers losses (E5, E23): without it lost ones have to be repaired all the same, so \
     that a single one is a warning.",
)
.engines(
    "FTEQW has lost the second since 9aed52168: none in 155 new entities recorded. QuakeSpasm-Spiked \
     sends it, in 23 of 23.",
);

/// RESET entries include every field that differs from the baseline.
pub static RST_04: Requirement =
    must("FTE-RST-04", Server, "RESET entries include every field that differs from the baseline.", SENDING, "S == W");

/// Reset is judged against the same baseline that the client was given.
pub static RST_05: Requirement = must(
    "FTE-RST-05",
    Server,
    "Reset is judged against the same baseline that the client was given.",
    SENDING,
    "T2 with missing/edited baseline",
)
.engines(
    "FTEQW announces no baseline of an entity without a model or beyond the client's limits, and both \
     ends have to take the null state for it.",
);

/// Unknown entity without RESET: start from its baseline (null accepted, E4) and keep it for later data.
pub static RST_06: Requirement = must(
    "FTE-RST-06",
    Client,
    "Unknown entity without RESET: start from its baseline (null accepted, E4) and keep it for later data.",
    SENDING,
    "state",
)
.errata(
    "The document starts from the baseline, engines from the null state (E4): fields that were not \
     carried since are not compared.",
)
.engines("FTEQW warns.");

/// A lost RESET is repaired as a RESET (or complete cover), however many consecutive copies are lost.
pub static RST_07: Requirement = must(
    "FTE-RST-07",
    Server,
    "A lost RESET is repaired as a RESET (or complete cover), however many consecutive copies are lost.",
    SENDING,
    "O3: lose 1,2,3 copies",
)
.errata("That RESET is sent twice does not free its loss from repair (E23).")
.engines(
    "QuakeSpasm-Spiked c48936385a44 and vkQuake 46e5e6dd5e47 never send a third RESET when two are lost \
     (seen live). FTEQW repairs one, two and three.",
);

/// Entity that leaves and returns is RESET again.
pub static RST_08: Requirement =
    must("FTE-RST-08", Server, "Entity that leaves and returns is RESET again.", SENDING, "wire");

/// Slot reuse by a different entity in consecutive frames yields RESET, not a field diff, unless state tracking makes it exact.
pub static RST_09: Requirement = must(
    "FTE-RST-09",
    Server,
    "Slot reuse by a different entity in consecutive frames yields RESET, not a field diff, unless state tracking makes it exact.",
    SENDING,
    "C == W",
);

/// Carry state of a removed occupant into a re-added entity.
pub static RST_10: Requirement =
    must_not("FTE-RST-10", Client, "Carry state of a removed occupant into a re-added entity.", SENDING, "state")
        .engines("Until 6ecae254 QuakeSpasm-Spiked interpolated from the old occupant of a number.");

/// Send full state resets at any time.
pub static RST_11: Requirement = may("FTE-RST-11", Server, "Send full state resets at any time.", SENDING, "-")
    .engines(
        "FTEQW starts over for every QuakeWorld packet that has neither clc_delta nor an acknowledgement: in \
         215 of 215 recorded frames.",
    );
