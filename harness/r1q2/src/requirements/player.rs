//! The player state.

use super::must;
use super::section::PLAYER;
use kit::Requirement;
use kit::Role::Both;

/// The extra flags have these values.
pub static PS_01: Requirement = must(
    "R1Q2-PS-01",
    Both,
    "The extra flags are: 1 offset of the weapon, 2 angles of the weapon, 4 velocity z, 8 origin z, 16 \
     roll of the view, 32 statistics.",
    PLAYER,
    "wire: states that are sent; state: each alone",
);

/// PS_M_ORIGIN stands for x and y; z follows if its extra flag is set, with or without them.
pub static PS_02: Requirement = must(
    "R1Q2-PS-02",
    Both,
    "PS_M_ORIGIN stands for x and y; z follows if its extra flag is set, with or without them.",
    PLAYER,
    "state: movement straight up",
);

/// PS_M_VELOCITY stands for x and y; z follows if its extra flag is set, with or without them.
pub static PS_03: Requirement = must(
    "R1Q2-PS-03",
    Both,
    "PS_M_VELOCITY stands for x and y; z follows if its extra flag is set, with or without them.",
    PLAYER,
    "state: a fall",
);

/// PS_VIEWANGLES stands for pitch and yaw; roll follows if its extra flag is set, with or without them.
pub static PS_04: Requirement = must(
    "R1Q2-PS-04",
    Both,
    "PS_VIEWANGLES stands for pitch and yaw; roll follows if its extra flag is set, with or without them.",
    PLAYER,
    "state: the view of the dead",
)
.errata(
    "From revision 1902 on a server leaves out the view angles of the living, who know their own, unless \
     they record (erratum 17).",
);

/// PS_WEAPONFRAME stands for the frame alone.
pub static PS_05: Requirement = must(
    "R1Q2-PS-05",
    Both,
    "PS_WEAPONFRAME stands for the weapon's frame alone; its offset and its angles follow if their extra \
     flags are set, each for itself.",
    PLAYER,
    "state: a weapon that sways",
)
.errata("A reader takes the three for independent (erratum 9).")
.engines(
    "R1Q2's server looks at offset and angles only when the frame changes; Q2PRO sends angles without a \
     frame.",
);

/// Statistics are there if their extra flag is set, and stay otherwise.
pub static PS_06: Requirement = must(
    "R1Q2-PS-06",
    Both,
    "The statistics' mask and values are there if their extra flag is set; otherwise they stay as they \
     were.",
    PLAYER,
    "wire: states that are sent; state: statistics",
);

/// Over protocol 34 each of the split parts comes whole.
pub static PS_07: Requirement = must(
    "R1Q2-PS-07",
    Both,
    "Over protocol 34 each of these comes whole: z with x and y, roll with pitch and yaw, the weapon's \
     offset and angles with its frame, the mask always.",
    PLAYER,
    "state: over protocol 34 against protocol 35",
);

/// Each part that protocol 35 splits off follows right behind the part that it was split from.
pub static PS_08: Requirement = must(
    "R1Q2-PS-08",
    Both,
    "Each part that protocol 35 splits off follows right behind the part that it was split from.",
    PLAYER,
    "wire: states that are sent; state: all parts at once",
);

/// A player state is a change of that of the frame's base, or of zeroes where there is no base.
pub static PS_09: Requirement = must(
    "R1Q2-PS-09",
    Both,
    "A player state is a change of that of the frame's base, or of zeroes where there is no base.",
    PLAYER,
    "state: frames without a base",
);
