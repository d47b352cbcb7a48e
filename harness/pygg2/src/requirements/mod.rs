//! The catalogue: every obligation (MUST), recommendation (SHOULD) and permission (MAY) of the concept and of the profile
//! GG2-P1, in our own words.
//!
//! Ids are stable: `GG2-`, the group, a number. A constant is the id without its prefix. What the profile decides because
//! the concept is silent is marked so ([`Requirement::decided`]): its violation is one of the profile.

#![allow(missing_docs, reason = "a requirement's text is its documentation")]

use kit::Requirement;

mod acknowledgement;
mod complete;
mod delta;
mod event;
mod handshake;
mod robustness;
mod sequence;
mod snapshot;
mod wire;

pub use acknowledgement::*;
pub use complete::*;
pub use delta::*;
pub use event::*;
pub use handshake::*;
pub use robustness::*;
pub use sequence::*;
pub use snapshot::*;
pub use wire::*;

/// The profile that completes the concept.
pub const P1: &str = "GG2-P1";

/// Where a requirement comes from: parts of the concept, or the profile.
pub mod section {
    /// How it works, before the definitions.
    pub const IDEA: &str = "introduction";
    /// The types.
    pub const TYPES: &str = "types";
    /// What snapshots have of a player.
    pub const BASE: &str = "snapshot_player_base";
    /// What classes add to it.
    pub const EXTRAS: &str = "class extras";
    /// The complete update.
    pub const COMPLETE: &str = "send_complete_update";
    /// How a client is admitted.
    pub const HANDSHAKE: &str = "Handshake";
    /// Snapshots.
    pub const SNAPSHOT: &str = "Snapshot_update";
    /// The headers of packets.
    pub const HEADER: &str = "Packet pre- and suffixes";
    /// What the profile decides, where the concept is silent.
    pub const OURS: &str = "profile GG2-P1";
}

/// The catalogue, in document order.
pub static REQUIREMENTS: &[&Requirement] = &[
    &TYPE_01, &TYPE_02, &SNAP_01, &SNAP_02, &SNAP_03, &SNAP_04, &SNAP_05, &BASE_01, &BASE_02, &BASE_03, &BASE_04,
    &EVT_01, &EVT_02, &EVT_03, &EVT_04, &EVT_05, &EVT_06, &EVT_07, &EVT_08, &EVT_09, &EVT_10, &EVT_11, &EVT_12,
    &ACK_01, &ACK_02, &ACK_03, &ACK_04, &ACK_05, &ACK_06, &ACK_07, &ACK_08, &DLT_01, &DLT_02, &DLT_03, &DLT_04,
    &DLT_05, &DLT_06, &DLT_07, &DLT_08, &DLT_09, &DLT_10, &DLT_11, &SEQ_01, &SEQ_02, &SEQ_03, &SEQ_04, &SEQ_05, &HS_01,
    &HS_02, &HS_03, &HS_04, &HS_05, &HS_06, &HS_07, &HS_08, &HS_09, &HS_10, &HS_11, &HS_12, &HS_13, &FULL_01, &FULL_02,
    &FULL_03, &FULL_04, &FULL_05, &FULL_06, &ROB_01, &ROB_02, &ROB_03, &ROB_04, &ROB_05, &CLS_01, &CLS_02,
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_are_unique_and_in_the_protocols_name() {
        let mut ids: Vec<&str> = REQUIREMENTS.iter().map(|requirement| requirement.id).collect();
        assert!(ids.iter().all(|id| id.starts_with("GG2-")));
        ids.sort_unstable();
        ids.dedup();
        assert_eq!(ids.len(), REQUIREMENTS.len());
    }

    #[test]
    fn what_the_profile_decides_is_marked_wherever_it_stands_as_the_source() {
        let unmarked = REQUIREMENTS.iter().filter(|row| row.source == section::OURS && row.decided != Some(P1));
        assert_eq!(unmarked.map(|row| row.id).collect::<Vec<_>>(), [""; 0]);
    }
}
