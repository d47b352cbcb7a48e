//! The catalogue: every obligation (MUST), recommendation (SHOULD) and permission (MAY) of the source documents, in our own
//! words.
//!
//! Ids are stable: `NVS-`, the group, a number. A constant is the id without its prefix.

#![allow(missing_docs, reason = "a requirement's text is its documentation")]

use kit::Requirement;

mod buffers;
mod examples;
mod sign_on;
mod tables;
mod version;
mod writing;

pub use buffers::*;
pub use examples::*;
pub use sign_on::*;
pub use tables::*;
pub use version::*;
pub use writing::*;

/// Where a requirement comes from: sections of the source documents, or what was built from them.
pub mod section {
    /// The three versions, and how they are agreed upon.
    pub const HANDSHAKE: &str = "Part I, handshake";
    /// Part III, before its concept: kinds of messages, and what a solution should do.
    pub const VERSIONING: &str = "Part III, SVC Versioning";
    /// The tables.
    pub const TABLES: &str = "Part III, The Concept, A";
    /// How the tables are used.
    pub const ACCESS: &str = "Part III, The Concept, B";
    /// The server's side.
    pub const ENGINE: &str = "Part III, The Concept, C";
    /// Sign-on.
    pub const SIGNON: &str = "Part III, The Concept, D";
    /// QuakeC.
    pub const QUAKEC: &str = "Part III, The Concept, E";
    /// The client's side.
    pub const CLIENT: &str = "Part III, The Concept, F";
    /// First test: angles.
    pub const ANGLES: &str = "Part III, Tests, 1";
    /// Second test: sizes.
    pub const PARTICLE: &str = "Part III, Tests, 2";
    /// Third test: coloured explosions.
    pub const EXPLOSION: &str = "Part III, Tests, 3";
    /// What the author left open.
    pub const KNOWN: &str = "Part III, Known Problems";
    /// What was changed in the engine's files.
    pub const CHANGES: &str = "Part III, File Changes";
    /// What the first implementation does, where the texts are silent.
    pub const PRACTICE: &str = "first implementation";
    /// What this catalogue decides, where nothing else does.
    pub const OURS: &str = "decision of this catalogue";
}

/// The catalogue, in document order.
pub static REQUIREMENTS: &[&Requirement] = &[
    &VER_01, &VER_02, &VER_03, &VER_04, &VER_05, &HS_01, &HS_02, &HS_03, &HS_04, &HS_05, &HS_06, &HS_07, &HS_08,
    &HS_09, &CLC_01, &CLC_02, &TAB_01, &TAB_02, &TAB_03, &TAB_04, &TAB_05, &TAB_06, &TAB_07, &TAB_08, &TAB_09, &SEL_01,
    &SEL_02, &SEL_03, &SEL_04, &SEL_05, &WR_01, &WR_02, &WR_03, &WR_04, &WR_05, &WR_06, &WR_07, &DES_01, &DES_02,
    &DES_03, &QC_01, &QC_02, &QC_03, &BUF_01, &BUF_02, &BUF_03, &BUF_04, &BUF_05, &BUF_06, &BUF_07, &BUF_08, &BUF_09,
    &BUF_10, &BUF_11, &BUF_12, &ORD_01, &ORD_02, &SIG_01, &SIG_02, &SIG_03, &SIG_04, &SIG_05, &REQ_01, &CL_01, &T1_01,
    &T1_02, &T1_03, &T2_01, &T3_01, &T3_02, &T3_03,
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_the_texts_do_not_say_is_counted_apart() {
        for row in REQUIREMENTS {
            let ours = [section::PRACTICE, section::OURS].contains(&row.source);
            assert_eq!(row.decided, ours.then_some(row.source), "{}", row.id);
        }
    }

    #[test]
    fn ids_are_unique_and_in_the_protocols_name() {
        let mut ids: Vec<&str> = REQUIREMENTS.iter().map(|requirement| requirement.id).collect();
        assert!(ids.iter().all(|id| id.starts_with("NVS-")));
        ids.sort_unstable();
        ids.dedup();
        assert_eq!(ids.len(), REQUIREMENTS.len());
    }
}
