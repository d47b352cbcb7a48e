//! The numbers.

use super::section::{BASE, DEFINITIONS};
use kit::Requirement;
use kit::Role::{Both, Client};
use kit::requirement::{must, should};

pub static DEF_01: Requirement =
    must("FITZ-DEF-01", Both, DEFINITIONS, "wire: values against the world; state: entities of updates with EXTEND1")
        .text("Bits of updates: EXTEND1 is 15, ALPHA 16, FRAME2 17, MODEL2 18, LERPFINISH 19.");

pub static DEF_02: Requirement =
    must("FITZ-DEF-02", Both, DEFINITIONS, "wire: values against the world; state: statistics").text(
        "Bits of clientdata: EXTEND1 is 15, WEAPON2 to CELLS2 16 to 22, EXTEND2 23, WEAPONFRAME2 24, WEAPONALPHA 25.",
    );

pub static DEF_03: Requirement =
    must("FITZ-DEF-03", Both, DEFINITIONS, "wire: values against the world; state: sounds played")
        .text("Bits of sounds: LARGEENTITY is 3, LARGESOUND is 4.");

pub static DEF_04: Requirement =
    must("FITZ-DEF-04", Both, DEFINITIONS, "wire: sign-on against the world; state: the client signs on")
        .text("svc_spawnbaseline2 is 42, svc_spawnstatic2 43, svc_spawnstaticsound2 44.");

pub static DEF_05: Requirement =
    must("FITZ-DEF-05", Both, DEFINITIONS, "wire: values against the world; state: values above 255")
        .text("A second byte holds bits 8 to 15 of its value, moved down by 8.");

pub static DEF_06: Requirement = should("FITZ-DEF-06", Client, BASE, "state: a datagram with such a bit is refused")
    .text(
        "Bits without a meaning are an error or an extension that was declared; data after them is never passed over.",
    )
    .engines("vkQuake sends scale with bit 20 of updates over protocol 666; reading that byte passes.");
