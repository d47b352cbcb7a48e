//! The PyGG2 protocol concept (XOR deltas of snapshots, reliable events in the same packets), completed to the profile
//! [`requirements::P1`].
//!
//! Reading order: [`constants`], [`serial`] (numbers that wrap), [`state`], [`snapshot`] and [`complete`] (what is
//! said), [`message`] (packets), [`session`] and [`server`] (what a server knows of a client: the heart of the protocol),
//! [`game`] and [`client`]. Around them: [`dissector`] and [`oracle`] (reading along and judging).

pub mod client;
pub mod complete;
pub mod constants;
pub mod dissector;
pub mod game;
pub mod latitude;
pub mod message;
pub mod mutants;
pub mod notes;
pub mod options;
pub mod oracle;
pub mod requirements;
pub mod ring;
pub mod rules;
pub mod serial;
pub mod server;
pub mod session;
pub mod snapshot;
pub mod state;
pub mod variants;
pub mod verbs;

use kit::{Protocol, States};
use latitude::Latitude;

/// The PyGG2 concept.
pub static PROTOCOL: Protocol = Protocol {
    name: "pygg2",
    title: "PyGG2 protocol concept: XOR deltas and reliable events, completed to the profile GG2-P1",
    profiles: &options::PROFILES,
    fields: &state::FIELD_TABLE,
    timed_fields: None,
    verbs: verbs::VERBS,
    options: &options::OPTIONS,
    texts: &options::TEXTS,
    marks: &dissector::MARKS,
    requirements: requirements::REQUIREMENTS,
    checks: oracle::CHECKS,
    points: oracle::coverage::Point::NAMES,
    misbehaviour: &[
        verbs::VERB_UNKNOWN_BASE,
        verbs::VERB_NONSENSE,
        verbs::VERB_ACKNOWLEDGE,
        verbs::VERB_STRAY,
        verbs::VERB_CLIENT_NONSENSE,
    ],
    notes: notes::NOTES,
    mutants: mutants::MUTANTS,
    variants: variants::VARIANTS,
    port_change: None,
    demo: |_| None,
    max_clients: 64,
    states: States {
        server: &["outside", "inside"],
        client: &["outside", "asking", "inside", "leaving", "refused"],
        left: &["outside"],
    },
    server: |setup| Box::new(server::Server::new(setup, session::rules::ServerRules::REFERENCE, Latitude::NONE)),
    client: |setup| Box::new(client::Client::new(setup, client::rules::ClientRules::REFERENCE, Latitude::NONE)),
    oracle: oracle::oracle,
    dissector: |setup| Box::new(dissector::Pygg2Dissector::new(setup)),
};
