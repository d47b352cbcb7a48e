//! New entities and the RESET flag.

use super::section::{RESET_FLAG, SENDING};
use kit::Requirement;
use kit::Role::{Client, Server};
use kit::requirement::{may, must, must_not, should};

pub static RST_01: Requirement = must("FTE-RST-01", Client, RESET_FLAG, "state: set alpha, then RESET without alpha")
    .text("RESET: replace the whole entity by its baseline before reading fields.");

pub static RST_02: Requirement = must("FTE-RST-02", Server, RESET_FLAG, "wire")
    .text("First update of a newly visible entity carries RESET.")
    .engines("After a map restart FTEQW took old entities for known until eb3b670a4 and 1bb752b58.");

pub static RST_03: Requirement = should("FTE-RST-03", Server, RESET_FLAG, "wire count (E5)")
    .text("The second update containing the entity also carries RESET.")
    .errata(
        "The second RESET covers losses (E5, E23): without it lost ones have to be repaired all the same, so that a \
         single one is a warning.",
    )
    .engines(
        "FTEQW has lost the second since 9aed52168: none in 155 new entities recorded. QuakeSpasm-Spiked sends it, in \
         23 of 23.",
    );

pub static RST_04: Requirement = must("FTE-RST-04", Server, SENDING, "S == W")
    .text("RESET entries include every field that differs from the baseline.");

pub static RST_05: Requirement = must("FTE-RST-05", Server, SENDING, "T2 with missing/edited baseline")
    .text("Reset is judged against the same baseline that the client was given.")
    .engines(
        "FTEQW announces no baseline of an entity without a model or beyond the client's limits, and both ends have to \
         take the null state for it.",
    );

pub static RST_06: Requirement = must("FTE-RST-06", Client, SENDING, "state")
    .text("Unknown entity without RESET: start from its baseline (null accepted, E4) and keep it for later data.")
    .errata(
        "The specification starts from the baseline, engines from the null state (E4): fields that were not carried \
         since are not compared.",
    )
    .engines("FTEQW warns.");

pub static RST_07: Requirement = must("FTE-RST-07", Server, SENDING, "O3: lose 1,2,3 copies")
    .text("A lost RESET is repaired as a RESET (or complete cover), however many consecutive copies are lost.")
    .errata("That RESET is sent twice does not free its loss from repair (E23).")
    .engines(
        "QuakeSpasm-Spiked c48936385a44 and vkQuake 46e5e6dd5e47 never send a third RESET when two are lost (seen \
         live). FTEQW repairs one, two and three.",
    );

pub static RST_08: Requirement =
    must("FTE-RST-08", Server, SENDING, "wire").text("Entity that leaves and returns is RESET again.");

pub static RST_09: Requirement = must("FTE-RST-09", Server, SENDING, "C == W").text(
    "Slot reuse by a different entity in consecutive frames yields RESET, not a field diff, unless state tracking \
     makes it exact.",
);

pub static RST_10: Requirement = must_not("FTE-RST-10", Client, SENDING, "state")
    .text("Carry state of a removed occupant into a re-added entity.")
    .engines("Until 6ecae254 QuakeSpasm-Spiked interpolated from the old occupant of a number.");

pub static RST_11: Requirement =
    may("FTE-RST-11", Server, SENDING, "-").text("Send full state resets at any time.").engines(
        "FTEQW starts over for every QuakeWorld packet that has neither clc_delta nor an acknowledgement: in 215 of \
         215 recorded frames.",
    );

pub(super) const ALL: &[&Requirement] =
    &[&RST_01, &RST_02, &RST_03, &RST_04, &RST_05, &RST_06, &RST_07, &RST_08, &RST_09, &RST_10, &RST_11];
