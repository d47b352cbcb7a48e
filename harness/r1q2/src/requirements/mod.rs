//! The catalogue: every obligation, recommendation and option of the specification, in our own words.
//!
//! Ids are stable: `R1Q2-`, the group, a number. A constant is the id without its prefix. Errata are numbered as in the
//! README.

#![allow(missing_docs, reason = "a requirement's text is its documentation")]

use kit::Requirement;

mod command;
mod connect;
mod entity;
mod frame;
mod movement;
mod player;
mod qport;
mod serverdata;
mod zpacket;

pub use command::*;
pub use connect::*;
pub use entity::*;
pub use frame::*;
pub use movement::*;
pub use player::*;
pub use qport::*;
pub use serverdata::*;
pub use zpacket::*;

/// The subjects of the specification (R1Q2's own description of protocol 35, of 2005-04-01), which has no headings.
pub mod section {
    /// What the protocol is for, and advice.
    pub const ABOUT: &str = "About";
    /// Recorded sessions.
    pub const DEMOS: &str = "About, demos";
    /// The client's number.
    pub const QPORT: &str = "Quake Port";
    /// Compressed services.
    pub const ZPACKET: &str = "svc_zpacket";
    /// Compressed files.
    pub const ZDOWNLOAD: &str = "svc_zdownload";
    /// The command byte.
    pub const COMMAND: &str = "The command byte";
    /// Frames.
    pub const FRAME: &str = "svc_frame";
    /// The player state.
    pub const PLAYER: &str = "The player state";
    /// Entity deltas.
    pub const ENTITY: &str = "CL_ParseDelta";
    /// Serverdata.
    pub const SERVERDATA: &str = "svc_serverdata";
    /// Lengths of datagrams.
    pub const LENGTH: &str = "The maximum packet size";
    /// The connect.
    pub const CONNECT: &str = "The connect message";
    /// Movement of spectators.
    pub const MOVEMENT: &str = "Observer movement";
}

/// Where clients of another revision go back to protocol 34: the revisions whose clients do not settle for the lesser
/// one.
const FALLBACK: &[&str] = &["r1q2-35", "r1q2-1903"];

/// The catalogue, in the order of the specification.
pub static REQUIREMENTS: &[&Requirement] = &[
    &QPORT_01, &QPORT_02, &QPORT_03, &QPORT_04, &QPORT_05, &QPORT_06, &QPORT_07, &QPORT_08, &ZPKT_01, &ZPKT_02,
    &ZPKT_03, &ZPKT_04, &ZPKT_05, &ZPKT_06, &ZPKT_07, &ZPKT_08, &ZPKT_09, &ZDL_01, &ZDL_02, &ZDL_03, &ZDL_04, &ZDL_05,
    &CMD_01, &CMD_02, &CMD_03, &CMD_04, &FRM_01, &FRM_02, &FRM_03, &FRM_04, &FRM_05, &FRM_06, &FRM_07, &FRM_08,
    &FRM_09, &FRM_10, &PS_01, &PS_02, &PS_03, &PS_04, &PS_05, &PS_06, &PS_07, &PS_08, &PS_09, &ENT_01, &ENT_02,
    &ENT_03, &ENT_04, &ENT_05, &SD_01, &SD_02, &SD_03, &SD_04, &SD_05, &SD_06, &LEN_01, &LEN_02, &LEN_03, &LEN_04,
    &LEN_05, &CON_01, &CON_02, &CON_03, &MOV_01, &MOV_02, &MOV_03, &DEMO_01, &GEN_01, &GEN_02,
];

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn ids_are_unique_and_every_group_counts_from_one() {
        let ids: BTreeSet<&str> = REQUIREMENTS.iter().map(|requirement| requirement.id).collect();
        assert_eq!((ids.len(), REQUIREMENTS.len()), (70, 70));
        for pair in REQUIREMENTS.windows(2) {
            let [(before, _), (group, number)] = [pair[0], pair[1]].map(|it| it.id.rsplit_once('-').expect("a number"));
            assert!(before == group || number == "01", "{}", pair[1].id);
        }
    }

    #[test]
    fn only_profiles_that_there_are_are_named() {
        let known = |name: &str| crate::machine::options::PROFILES.iter().any(|profile| profile.name == name);
        for requirement in REQUIREMENTS {
            assert!(requirement.profiles.unwrap_or_default().iter().all(|name| known(name)), "{}", requirement.id);
        }
    }
}
