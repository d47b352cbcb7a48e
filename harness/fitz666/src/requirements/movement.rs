//! The client's angles.

use super::must;
use super::section::MOVE;
use kit::Requirement;
use kit::Role::{Client, Server};

/// The angles of clc_move are shorts.
pub static MOVE_01: Requirement = must(
    "FITZ-MOVE-01",
    Client,
    "The three angles of clc_move are little-endian shorts: the message has 19 bytes.",
    MOVE,
    "wire: length of clc_move",
);

/// 65536 codes make a circle.
pub static MOVE_02: Requirement = must(
    "FITZ-MOVE-02",
    Client,
    "An angle's code is its part of a circle in 1/65536, rounded, of which the low 16 bits are sent.",
    MOVE,
    "wire: codes against the angles that the scenario set",
);

/// The server reads a signed part of a circle.
pub static MOVE_03: Requirement = must(
    "FITZ-MOVE-03",
    Server,
    "The server takes a code for a signed number of 360/65536 degrees.",
    MOVE,
    "state: the player's view angles at the server",
)
.errata("An unsigned reading differs by whole circles, which passes.");

/// Halves are rounded away from zero.
pub static MOVE_04: Requirement = must(
    "FITZ-MOVE-04",
    Client,
    "Rounding of angles takes exact halves away from zero.",
    MOVE,
    "wire: codes of exact halves",
);
