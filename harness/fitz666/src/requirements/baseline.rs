//! Baselines, static entities and static sounds.

use super::section::{BASE, BASELINE, STATIC, STATIC_SOUND};
use kit::Requirement;
use kit::Role::{Both, Client, Server};
use kit::requirement::must;

pub static BASE_01: Requirement = must("FITZ-BASE-01", Server, BASELINE, "wire: baselines against the world")
    .text("A baseline with alpha, a model above 255 or a frame above 255 is sent with svc_spawnbaseline2.")
    .errata("A svc_spawnbaseline2 without a flag passes: every client reads it.");

pub static BASE_02: Requirement = must("FITZ-BASE-02", Server, BASELINE, "wire: baselines against the world")
    .text("The byte of flags follows the entity's number in svc_spawnbaseline2, and begins svc_spawnstatic2.")
    .errata("The specification has \"at the beginning\"; every engine has it after the number (E1).");

pub static BASE_03: Requirement =
    must("FITZ-BASE-03", Both, BASELINE, "wire: baselines against the world; state: entities at their baseline")
        .text("With B_LARGEMODEL the model is a little-endian short, without it a byte.");

pub static BASE_04: Requirement =
    must("FITZ-BASE-04", Both, BASELINE, "wire: baselines against the world; state: entities at their baseline")
        .text("With B_LARGEFRAME the frame is a little-endian short, without it a byte.");

pub static BASE_05: Requirement =
    must("FITZ-BASE-05", Both, BASELINE, "wire: baselines against the world; state: entities at their baseline")
        .text("With B_ALPHA the code of alpha is the last byte of the message.");

pub static BASE_06: Requirement = must("FITZ-BASE-06", Client, BASE, "state: alpha of entities at such a baseline")
    .text("A baseline without B_ALPHA has alpha code 0.")
    .errata("The specification leaves it open; the baselines of players have code 0 whatever their entity has (E15).");

pub static STAT_01: Requirement = must("FITZ-STAT-01", Server, STATIC, "wire: static entities against the world")
    .text("svc_spawnstatic2 is used under the same rule as svc_spawnbaseline2, and has no entity number.")
    .engines("QuakeSpasm-Spiked and vkQuake leave static entities of alpha code 1 out.");

pub static STAT_02: Requirement = must("FITZ-STAT-02", Server, STATIC_SOUND, "wire: static sounds against the world")
    .text(
        "svc_spawnstaticsound2 is used for sounds above 255; their number is a short, all else as in \
         svc_spawnstaticsound.",
    );
