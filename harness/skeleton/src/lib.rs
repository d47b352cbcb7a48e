//! The smallest complete protocol, to read first and to copy for a new one (`harness/NEW_PROTOCOL.md` says how). No game
//! uses it, and it is not registered: `run` does not know it.
//!
//! A server sends numbered snapshots of a few entities, as changes of the newest one that the client acknowledged.
//!
//! Reading order: [`constants`], [`state`], [`message`], [`rules`], [`server`], [`client`], [`oracle`],
//! [`mutants`], [`variants`].

pub mod client;
pub mod constants;
pub mod dissector;
pub mod message;
pub mod mutants;
pub mod notes;
pub mod options;
pub mod oracle;
pub mod rules;
pub mod server;
pub mod state;
pub mod variants;
pub mod verbs;

use kit::{Protocol, States};
use rules::Rules;

/// The smallest complete protocol.
pub static PROTOCOL: Protocol = Protocol {
    name: "skeleton",
    title: "The smallest complete protocol, to copy",
    profiles: &options::PROFILES,
    fields: &state::FIELD_TABLE,
    timed_fields: None,
    verbs: verbs::VERBS,
    misbehaviour: &[verbs::VERB_ACKNOWLEDGE],
    notes: notes::NOTES,
    options: &options::OPTIONS,
    texts: &[],
    marks: &dissector::MARKS,
    requirements: oracle::laws::REQUIREMENTS,
    checks: oracle::laws::CHECKS,
    points: oracle::laws::POINTS,
    mutants: mutants::MUTANTS,
    variants: variants::VARIANTS,
    port_change: None,
    demo: |_| None,
    max_clients: constants::MAX_CLIENTS,
    states: States { server: &["free", "active"], client: &["idle", "connecting", "active"], left: &["free"] },
    server: |setup| Box::new(server::Server::new(setup, Rules::REFERENCE)),
    client: |setup| Box::new(client::Client::new(setup, Rules::REFERENCE)),
    oracle: oracle::oracle,
    dissector: |_| Box::new(dissector::SkeletonDissector),
};
