//! The catalogue: every obligation, recommendation and liberty of the source document, in our own words.
//!
//! Ids are stable: `FTE-`, the group, a number. A constant is the id without its prefix.

#![allow(missing_docs, reason = "a requirement's text is its documentation")]

use kit::Requirement;

mod acknowledgement;
mod entity_delta;
mod entity_index;
mod establishment;
mod history;
mod overflow;
mod prediction;
mod remove;
mod reset;
mod service;
mod statistic;

pub use acknowledgement::*;
pub use entity_delta::*;
pub use entity_index::*;
pub use establishment::*;
pub use history::*;
pub use overflow::*;
pub use prediction::*;
pub use remove::*;
pub use reset::*;
pub use service::*;
pub use statistic::*;

/// The sections of the source document (`replacementdeltas.txt`).
pub mod section {
    /// Establishment over QuakeWorld.
    pub const QW: &str = "Establishment, QW";
    /// Establishment over NetQuake.
    pub const NQ: &str = "Establishment, NQ";
    /// Establishment, what is common.
    pub const BOTH: &str = "Establishment, Both";
    /// Entity numbers outside of deltas.
    pub const NUMBERS: &str = "Updated network primitives, Entity numbers";
    /// The coding of deltas.
    pub const DELTAS: &str = "Entity deltas";
    /// The RESET flag.
    pub const RESET_FLAG: &str = "Entity deltas, UF_RESET";
    /// How a server tracks what a client has.
    pub const SENDING: &str = "Entity deltas, from \"The information is sent in the unreliable channel\"";
    /// Services.
    pub const SVCS: &str = "Modified/Added SVCs";
    /// Commands.
    pub const CLCS: &str = "Modified/Added CLCs";
    /// Player prediction.
    pub const INFORMATION: &str = "Information";
    /// Conflicts with other extensions.
    pub const CONFLICTS: &str = "Conflicts";
    /// What stays as it was.
    pub const NOT_UPDATED: &str = "Things not updated";
    /// Sign-on without waiting.
    pub const HACK_ZONE: &str = "Hack Zone";
    /// PREDINFO.
    pub const PREDINFO: &str = "PredInfo Extension";
}

/// What binds on NetQuake alone: the statement names that transport, or speaks of what only it has.
const NETQUAKE: &[&str] = &["fte-nq"];

/// What binds on QuakeWorld alone.
const QUAKEWORLD: &[&str] = &["fte-qw"];

/// The catalogue, in document order.
pub static REQUIREMENTS: &[&Requirement] = &[
    &HS_01, &HS_02, &HS_03, &HS_04, &HS_05, &HS_06, &HS_07, &HS_08, &HS_09, &HS_10, &HS_11, &HS_12, &HS_13, &HS_14,
    &HS_15, &HS_16, &HS_17, &HS_18, &HS_19, &HS_20, &HS_21, &HS_22, &HS_23, &HS_24, &HS_25, &ENT_01, &ENT_02, &ENT_03,
    &ENT_04, &ENT_05, &ENT_06, &ENT_07, &ENT_08, &ENT_09, &ENT_10, &ENT_11, &ENT_12, &ENT_13, &ENT_14, &ENT_15,
    &DLT_01, &DLT_02, &DLT_03, &DLT_04, &DLT_05, &DLT_06, &DLT_07, &DLT_08, &DLT_09, &DLT_10, &DLT_11, &DLT_12,
    &DLT_13, &DLT_14, &DLT_15, &DLT_16, &DLT_17, &DLT_18, &DLT_19, &DLT_20, &DLT_21, &DLT_22, &DLT_23, &DLT_24,
    &DLT_25, &DLT_26, &DLT_27, &DLT_28, &DLT_29, &DLT_30, &DLT_31, &DLT_32, &DLT_33, &DLT_34, &DLT_35, &DLT_36,
    &DLT_37, &DLT_38, &DLT_39, &DLT_40, &DLT_41, &RST_01, &RST_02, &RST_03, &RST_04, &RST_05, &RST_06, &RST_07,
    &RST_08, &RST_09, &RST_10, &RST_11, &RMV_01, &RMV_02, &RMV_03, &RMV_04, &RMV_05, &RMV_06, &RMV_07, &RMV_08,
    &RMV_09, &RMV_10, &RMV_11, &RMV_12, &RMV_13, &ACK_01, &ACK_02, &ACK_03, &ACK_04, &ACK_05, &ACK_06, &ACK_07,
    &ACK_08, &ACK_09, &ACK_10, &ACK_11, &ACK_12, &ACK_13, &ACK_14, &ACK_15, &ACK_16, &ACK_17, &ACK_18, &ACK_19,
    &ACK_20, &ACK_21, &HIST_01, &HIST_02, &HIST_03, &HIST_04, &HIST_05, &HIST_06, &HIST_07, &HIST_08, &HIST_09,
    &HIST_10, &HIST_11, &HIST_12, &HIST_13, &HIST_14, &OVF_01, &OVF_02, &OVF_03, &OVF_04, &OVF_05, &OVF_06, &OVF_07,
    &OVF_08, &OVF_09, &SVC_01, &SVC_02, &SVC_03, &SVC_04, &SVC_05, &SVC_06, &SVC_07, &SVC_08, &SVC_09, &SVC_10,
    &SVC_11, &SVC_12, &SVC_13, &SVC_14, &PRED_01, &PRED_02, &PRED_03, &PRED_04, &PRED_05, &PRED_06, &PRED_07, &PRED_08,
    &PRED_09, &PRED_10, &PRED_11, &PRED_12, &PRED_13, &PRED_14, &PRED_15, &PRED_16, &PRED_17, &PRED_18, &STAT_01,
    &STAT_02, &STAT_03, &STAT_04, &STAT_05, &STAT_06, &STAT_07,
];
