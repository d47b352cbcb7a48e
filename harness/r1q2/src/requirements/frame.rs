//! Frames.

use super::section::FRAME;
use kit::Requirement;
use kit::Role::{Both, Client, Server};
use kit::requirement::must;

pub static FRM_01: Requirement = must(
    "R1Q2-FRM-01",
    Both,
    FRAME,
    "wire: frames that are sent; state: frames that are shown",
)
.text(
    "The first long of a frame has its number in bits 0 to 26 and the distance to its base in bits 27 to 31; there \
         is no second long.",
)
.errata("What comes after number 134217727 is open. Ours is 1, built on none; nothing is built across that.");

pub static FRM_02: Requirement =
    must("R1Q2-FRM-02", Both, FRAME, "wire: the first frame, and those after a request; state: what they show")
        .text("Distance 31 means that there is no base.");

pub static FRM_03: Requirement = must("R1Q2-FRM-03", Client, FRAME, "state: against what the server has")
    .text("Any other distance is subtracted from the frame's number to give the base's.");

pub static FRM_04: Requirement = must("R1Q2-FRM-04", Server, FRAME, "wire: distances")
    .text("A frame builds on one that is 1 to 30 frames older, or on none.")
    .errata("The specification has no limit; what does not fit the bits must go without a base.")
    .engines(
        "R1Q2 builds on frames up to 13 back, Q2PRO up to 15; clients keep 16 (erratum 18). R1Q2 does not check that an acknowledged frame was ever \
         sent, and then writes any distance (seen: 25).",
    );

pub static FRM_05: Requirement =
    must("R1Q2-FRM-05", Both, FRAME, "wire: counts of a client with a low rate; state: extra flags")
        .text("The suppress byte has the count in its lower four bits and extra flags 0 to 3 in its upper four.");

pub static FRM_06: Requirement = must("R1Q2-FRM-06", Server, FRAME, "wire: counts of a client with a low rate")
    .text("The suppress count is the number of frames held back since the last one, and fits its four bits.")
    .errata("The specification's \"at most 9\" holds at ten frames a second: a server may stop there, or go on to 15 (erratum 15).")
    .engines(
        "R1Q2 b5183 and its successor zero the count before they write it; b8012 writes it. R1Q2 does not limit it, \
         Q2PRO cuts it to four bits.",
    );

pub static FRM_07: Requirement = must("R1Q2-FRM-07", Client, FRAME, "state: roll and statistics")
    .text("Extra flags 4, 5 and 6 are bits 5, 6 and 7 of the command byte.");

pub static FRM_08: Requirement =
    must("R1Q2-FRM-08", Both, FRAME, "wire: frames that are sent; state: frames that are shown")
        .text("Before the player state there is a byte of svc_playerinfo over protocol 34, and none over protocol 35.");

pub static FRM_09: Requirement =
    must("R1Q2-FRM-09", Both, FRAME, "wire: frames that are sent; state: frames that are shown")
        .text("Before the entities there is a byte of svc_packetentities over protocol 34, and none over protocol 35.");

pub static FRM_10: Requirement =
    must("R1Q2-FRM-10", Both, FRAME, "wire: frames that are sent; state: frames that are shown").text(
        "A frame has the long, the suppress byte, the count of area bytes and these, the player state, the entities, \
         in this order.",
    );
