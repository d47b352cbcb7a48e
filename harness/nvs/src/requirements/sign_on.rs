//! What holds while a client signs on, and when the level changes.

use super::section::{KNOWN, OURS, SIGNON};
use kit::Requirement;
use kit::Role::{Client, Server};
use kit::requirement::{must, should};

pub static SIG_01: Requirement = must("NVS-SIG-01", Server, SIGNON, "stream up to signonnum 2").text(
    "The eight messages of sign-on stay unmodified: print, serverinfo, cdtrack, setview, signonnum, statics, ambient \
     sounds, baselines.",
);

pub static SIG_02: Requirement = must("NVS-SIG-02", Client, SIGNON, "an enhanced message before signonnum 2")
    .text("Below signon 2 a client reads the old forms, whatever CSVC is.");

pub static SIG_03: Requirement = must("NVS-SIG-03", Server, SIGNON, "sign-on buffer")
    .text("An enhanced message to MSG_INIT is written in its form of 0.00.")
    .engines("The first implementation crashes on a MSG_INIT that has no table; it has to write all of it.");

pub static SIG_04: Requirement = must("NVS-SIG-04", Server, OURS, "a MSG_ALL between the answer and signonnum 2")
    .text("Reliable enhanced messages before signonnum 2 have the form of 0.00.")
    .errata("The text has the sign-on messages alone in mind; a MSG_ALL of the game can come between (hazard W).")
    .engines("The first implementation writes the new form as soon as it was asked, and the client reads the old one.")
    .decided_by(OURS);

pub static SIG_05: Requirement = must("NVS-SIG-05", Server, SIGNON, "sign-on of two clients")
    .text("The sign-on buffer is one image: clients of any version get the same bytes, early or late.");

pub static REQ_01: Requirement = should("NVS-REQ-01", Server, KNOWN, "a MSG_ALL right after a change of level")
    .text("With a new level, versions begin at 0 and are negotiated again; nothing stale is used in between.")
    .errata("The text believes it to be without effect.")
    .engines("The first implementation keeps the old CSVC until the next nvs_request.");
