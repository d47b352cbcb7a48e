//! What an implementation has to fulfil, in the order of the README.

use kit::Requirement;
use kit::Role::{Both, Client, Server};
use kit::requirement::{may, must, must_not};

/// Datagrams are well-formed.
pub static FORM_01: Requirement = must("SKL-FORM-01", Both, "README, wire", "wire")
    .text("Send datagrams of the layouts in the table, and no others.");
/// Numbers grow.
pub static NUM_01: Requirement = must("SKL-NUM-01", Server, "README, server", "wire: the numbers of snapshots")
    .text("Give each snapshot a greater number than all those sent to the client before.");
/// Bases are acknowledged.
pub static BASE_01: Requirement = must("SKL-BASE-01", Server, "README, server", "wire: acknowledgements and bases")
    .text("Name as base 0, or a snapshot that the client has acknowledged and that is less than 32 numbers old.");
/// Everything may be sent again.
pub static BASE_02: Requirement = may("SKL-BASE-02", Server, "README, server", "wire: bases")
    .text("Name 0 as the base of any snapshot, and so send everything.");
/// A snapshot is the world.
pub static DELTA_01: Requirement = must("SKL-DELTA-01", Server, "README, server", "wire: base and changes")
    .text("Send the changes that make the base into the world as it is when the snapshot is sent.");
/// Snapshots are applied.
pub static SHOW_01: Requirement = must("SKL-SHOW-01", Client, "README, client", "what the client shows")
    .text("Show the newest snapshot received of which the base is held.");
/// Old snapshots are not applied.
pub static SHOW_02: Requirement = must_not("SKL-SHOW-02", Client, "README, client", "what the client shows")
    .text("Apply a snapshot that is older than the one shown.");
/// Acknowledgements are true.
pub static ACK_01: Requirement = must("SKL-ACK-01", Client, "README, client", "wire: acknowledgements")
    .text("Acknowledge the snapshot that is shown; 0 while there is none.");

/// The catalogue.
pub static REQUIREMENTS: &[&Requirement] =
    &[&FORM_01, &NUM_01, &BASE_01, &BASE_02, &DELTA_01, &SHOW_01, &SHOW_02, &ACK_01];
