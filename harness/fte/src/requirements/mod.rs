//! The catalogue: every obligation, recommendation and permission of the specification, in our own words.
//!
//! Ids are stable: `FTE-`, the group, a number. A constant is the id without its prefix.

#![allow(missing_docs, reason = "a requirement's text is its documentation")]

use kit::Requirement;
use kit::named::{count, joined};

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

/// The sections of the specification (`replacementdeltas.txt`).
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
    /// The transport of QuakeWorld, which the specification builds upon.
    pub const NETCHAN: &str = "QuakeWorld's transport (net_chan.c)";
    /// PREDINFO.
    pub const PREDINFO: &str = "PredInfo Extension";
}

/// What binds on NetQuake alone: the statement names that transport, or speaks of what only it has.
const NETQUAKE: &[&str] = &["fte-nq"];

/// What binds on QuakeWorld alone.
const QUAKEWORLD: &[&str] = &["fte-qw"];

/// The requirements by file, in the order of the specification.
const FILES: &[&[&Requirement]] = &[
    establishment::ALL,
    entity_index::ALL,
    entity_delta::ALL,
    reset::ALL,
    remove::ALL,
    acknowledgement::ALL,
    history::ALL,
    overflow::ALL,
    service::ALL,
    prediction::ALL,
    statistic::ALL,
];

/// The catalogue, in the order of the specification.
pub static REQUIREMENTS: &[&Requirement] = &const { joined::<&Requirement, { count(FILES) }>(FILES) };
