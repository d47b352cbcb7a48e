//! The player state.

use super::section::PLAYER;
use kit::Requirement;
use kit::Role::Both;
use kit::requirement::must;

pub static PS_01: Requirement = must("R1Q2-PS-01", Both, PLAYER, "wire: states that are sent; state: each alone").text(
    "The extra flags are: 1 offset of the weapon, 2 angles of the weapon, 4 velocity z, 8 origin z, 16 roll of the \
     view, 32 statistics.",
);

pub static PS_02: Requirement = must("R1Q2-PS-02", Both, PLAYER, "state: movement straight up")
    .text("PS_M_ORIGIN stands for x and y; z follows if its extra flag is set, with or without them.");

pub static PS_03: Requirement = must("R1Q2-PS-03", Both, PLAYER, "state: a fall")
    .text("PS_M_VELOCITY stands for x and y; z follows if its extra flag is set, with or without them.");

pub static PS_04: Requirement = must("R1Q2-PS-04", Both, PLAYER, "state: the view of the dead")
    .text("PS_VIEWANGLES stands for pitch and yaw; roll follows if its extra flag is set, with or without them.")
    .errata(
        "From revision 1902 on a server leaves out the view angles of the living, who know their own, unless they \
         record (erratum 17).",
    );

pub static PS_05: Requirement = must("R1Q2-PS-05", Both, PLAYER, "state: a weapon that sways")
    .text(
        "PS_WEAPONFRAME stands for the weapon's frame alone; its offset and its angles follow if their extra flags are \
         set, each for itself.",
    )
    .errata("A reader takes the three for independent (erratum 9).")
    .engines(
        "R1Q2's server looks at offset and angles only when the frame changes; Q2PRO sends angles without a frame.",
    );

pub static PS_06: Requirement = must("R1Q2-PS-06", Both, PLAYER, "wire: states that are sent; state: statistics")
    .text("The statistics' mask and values are there if their extra flag is set; otherwise they stay as they were.");

pub static PS_07: Requirement = must("R1Q2-PS-07", Both, PLAYER, "state: over protocol 34 against protocol 35").text(
    "Over protocol 34 each of these comes whole: z with x and y, roll with pitch and yaw, the weapon's offset and \
     angles with its frame, the mask always.",
);

pub static PS_08: Requirement =
    must("R1Q2-PS-08", Both, PLAYER, "wire: states that are sent; state: all parts at once")
        .text("Each part that protocol 35 splits off follows right after the part that it was split from.");

pub static PS_09: Requirement = must("R1Q2-PS-09", Both, PLAYER, "state: frames without a base")
    .text("A player state is a change of that of the frame's base, or of zeroes where there is no base.");
