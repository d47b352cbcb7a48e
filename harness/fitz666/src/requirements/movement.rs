//! The client's angles.

use super::section::MOVE;
use kit::Requirement;
use kit::Role::{Client, Server};
use kit::requirement::must;

pub static MOVE_01: Requirement = must("FITZ-MOVE-01", Client, MOVE, "wire: length of clc_move")
    .text("The three angles of clc_move are little-endian shorts: the message has 19 bytes.");

pub static MOVE_02: Requirement =
    must("FITZ-MOVE-02", Client, MOVE, "wire: codes against the angles that the scenario set")
        .text("An angle's code is its part of a circle in 1/65536, rounded, of which the low 16 bits are sent.");

pub static MOVE_03: Requirement = must("FITZ-MOVE-03", Server, MOVE, "state: the player's view angles at the server")
    .text("The server takes a code for a signed number of 360/65536 degrees.")
    .errata("An unsigned reading differs by whole circles, which passes.");

pub static MOVE_04: Requirement = must("FITZ-MOVE-04", Client, MOVE, "wire: codes of exact halves")
    .text("Rounding of angles takes exact halves away from zero.");
