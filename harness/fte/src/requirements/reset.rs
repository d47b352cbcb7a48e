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
    must("FTE-RST-02", Server, "First update of a newly visible entity carries RESET.", RESET_FLAG, "wire");

/// The second update containing the entity also carries RESET.
pub static RST_03: Requirement = should(
    "FTE-RST-03",
    Server,
    "The second update containing the entity also carries RESET.",
    RESET_FLAG,
    "wire count (E5)",
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
);

/// Unknown entity without RESET: start from its baseline (null accepted, E4) and keep it for later data.
pub static RST_06: Requirement = must(
    "FTE-RST-06",
    Client,
    "Unknown entity without RESET: start from its baseline (null accepted, E4) and keep it for later data.",
    SENDING,
    "state",
);

/// A lost RESET is repaired as a RESET (or complete cover), however many consecutive copies are lost.
pub static RST_07: Requirement = must(
    "FTE-RST-07",
    Server,
    "A lost RESET is repaired as a RESET (or complete cover), however many consecutive copies are lost.",
    SENDING,
    "O3: lose 1,2,3 copies",
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
    must_not("FTE-RST-10", Client, "Carry state of a removed occupant into a re-added entity.", SENDING, "state");

/// Send full state resets at any time.
pub static RST_11: Requirement = may("FTE-RST-11", Server, "Send full state resets at any time.", SENDING, "-");
