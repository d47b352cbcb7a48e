//! How clients read, and the three test cases of the document.

use super::section::{ANGLES, CLIENT, EXPLOSION, PARTICLE};
use kit::Requirement;
use kit::Role::{Client, Server};
use kit::requirement::must;

pub static CL_01: Requirement = must("NVS-CL-01", Client, CLIENT, "what it decodes")
    .text("A client reads each enhanced message by its CSVC and its signon.");

pub static T1_01: Requirement = must("NVS-T1-01", Server, ANGLES, "bytes")
    .text("svc_setangle from 0.50 on: three floats take the place of three bytes, 13 bytes in all.");

pub static T1_02: Requirement =
    must("NVS-T1-02", Client, ANGLES, "view angles of the client").text("Float angles are taken as they are.");

pub static T1_03: Requirement = must("NVS-T1-03", Server, ANGLES, "both places")
    .text("That holds for svc_setangle in the answer to spawn and in a frame's datagram.");

pub static T2_01: Requirement = must("NVS-T2-01", Server, PARTICLE, "particles up to the edge of the buffer")
    .text("svc_particle is 12 bytes in every version.")
    .errata("The old check leaves a margin of 16 bytes, for particles of 12 and sounds of 13: both budgets pass.");

pub static T3_01: Requirement = must("NVS-T3-01", Server, EXPLOSION, "SSVC 0, client 0.99")
    .text("With a PROGS.DAT without NVS support, no client receives the explosion's colour.");

pub static T3_02: Requirement = must("NVS-T3-02", Server, EXPLOSION, "clients of several versions")
    .text("With one that does, the colour goes to clients from CSVC 0.50 on, and to no others.")
    .errata(
        "The text speaks of colour bytes; there are four coords, the fourth for alpha. Tables are data, so that an \
         implementation can declare others.",
    );

pub static T3_03: Requirement = must("NVS-T3-03", Client, EXPLOSION, "what it decodes")
    .text("A client expects the colour exactly from CSVC 0.50 on.");
