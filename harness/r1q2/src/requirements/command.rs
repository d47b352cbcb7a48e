//! The command byte.

use super::section::COMMAND;
use kit::Requirement;
use kit::Role::{Client, Server};
use kit::requirement::must;

pub static CMD_01: Requirement =
    must("R1Q2-CMD-01", Client, COMMAND, "state: frames whose command bytes have upper bits")
        .text("The lower five bits of a command byte are the service, the upper three belong to the service.");

pub static CMD_02: Requirement =
    must("R1Q2-CMD-02", Server, COMMAND, "wire: command bytes").text("Only svc_frame has upper bits set.");

pub static CMD_03: Requirement = must("R1Q2-CMD-03", Client, COMMAND, "state: a message that ends with a service")
    .text("The end of a message is seen before the byte is split.");

pub static CMD_04: Requirement =
    must("R1Q2-CMD-04", Client, COMMAND, "events: the client gives up at a byte with upper bits")
        .text("Over protocol 34 the byte is not split.")
        .errata(
            "R1Q2's client splits it over protocol 34, too; Q2PRO refuses stray bits over either (erratum 16). Both \
             pass.",
        );
