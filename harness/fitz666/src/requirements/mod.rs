//! The catalogue: every obligation, recommendation and permission of protocol 666 and of the NetQuake that it stands on, in
//! our own words.
//!
//! Ids are stable: `FITZ-`, the group, a number. A constant is the id without its prefix. What the specification takes for
//! granted (its base is "the NetQuake protocol") was taken from what engines do; such a row names [`section::BASE`].

#![allow(missing_docs, reason = "a requirement's text is its documentation")]

use kit::Requirement;

mod alpha;
mod baseline;
mod clientdata;
mod definition;
mod entity;
mod lerp;
mod movement;
mod sound;
mod transport;
mod version;

pub use alpha::*;
pub use baseline::*;
pub use clientdata::*;
pub use definition::*;
pub use entity::*;
pub use lerp::*;
pub use movement::*;
pub use sound::*;
pub use transport::*;
pub use version::*;

/// The sections of the source document ("Fitzquake Protocol"), and its base.
pub mod section {
    /// The box at the head of the specification.
    pub const HEAD: &str = "Fitzquake Protocol, head";
    /// What the protocol is for.
    pub const OVERVIEW: &str = "Overview of Features";
    /// How transparency is meant.
    pub const ALPHA: &str = "Overview of Features, Entity alpha";
    /// How transparency of the weapon is meant.
    pub const WEAPON_ALPHA: &str = "Overview of Features, Weapon model alpha";
    /// How the times to the next frame are meant.
    pub const HINTS: &str = "Overview of Features, Interpolation timing hints";
    /// The client's input.
    pub const MOVE: &str = "Client Messages, clc_move";
    /// Entity updates.
    pub const UPDATE: &str = "Server Messages, entity update";
    /// The player's own state.
    pub const CLIENTDATA: &str = "Server Messages, svc_clientdata";
    /// Sounds.
    pub const SOUND: &str = "Server Messages, svc_sound";
    /// Baselines.
    pub const BASELINE: &str = "Server Messages, svc_spawnbaseline2";
    /// Static entities.
    pub const STATIC: &str = "Server Messages, svc_spawnstatic2";
    /// Static sounds.
    pub const STATIC_SOUND: &str = "Server Messages, svc_spawnstaticsound2";
    /// The numbers.
    pub const DEFINITIONS: &str = "Definitions";
    /// NetQuake, as engines have it: the specification builds on it and does not repeat it.
    pub const BASE: &str = "base: NetQuake";
}

/// The catalogue, in document order.
pub static REQUIREMENTS: &[&Requirement] = &[
    &VER_01, &VER_02, &VER_03, &VER_04, &MODEL_01, &MODEL_02, &MODEL_03, &FRAME_01, &FRAME_02, &FRAME_03, &ENT_01,
    &ENT_02, &ENT_03, &ENT_04, &ENT_05, &ENT_06, &ENT_07, &ENT_08, &ENT_09, &ENT_10, &ENT_11, &ENT_12, &ENT_13,
    &ENT_14, &ENT_15, &ENT_16, &LERP_01, &LERP_02, &LERP_03, &LERP_04, &LERP_05, &LERP_06, &CD_01, &CD_02, &CD_03,
    &CD_04, &CD_05, &CD_06, &CD_07, &CD_08, &CD_09, &CD_10, &CD_11, &CD_12, &CD_13, &CD_14, &CD_15, &CD_16, &CD_17,
    &CD_18, &SND_01, &SND_02, &SND_03, &SND_04, &SND_05, &BASE_01, &BASE_02, &BASE_03, &BASE_04, &BASE_05, &BASE_06,
    &STAT_01, &STAT_02, &ALPHA_01, &ALPHA_02, &ALPHA_03, &ALPHA_04, &ALPHA_05, &ALPHA_06, &ALPHA_07, &ALPHA_08,
    &ALPHA_09, &ALPHA_10, &MOVE_01, &MOVE_02, &MOVE_03, &MOVE_04, &NET_01, &NET_02, &NET_03, &NET_04, &NET_05, &NET_06,
    &NET_07, &NET_08, &NET_09, &NET_10, &NET_11, &NET_12, &LIM_01, &DEF_01, &DEF_02, &DEF_03, &DEF_04, &DEF_05,
    &DEF_06,
];
