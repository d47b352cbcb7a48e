//! FTE replacement deltas with PREDINFO, over QuakeWorld and NetQuake.
//!
//! Reading order: [`constants`], [`state`] (what is delta-compressed), [`delta`] (the field table), [`sender`] (what a
//! server knows of a client: the heart of the protocol), [`session`] and [`server`], [`game`] and [`client`]. Around
//! them: [`extensions`] and [`dialect`] (what was negotiated), [`message`] (all other messages), [`tap`],
//! [`dissector`] and [`oracle`] (following a session and judging it). The messages of QuakeWorld itself are in the crate
//! [`quakeworld`], its connection in [`netchan`].

pub mod client;
pub mod constants;
pub mod delta;
pub mod dialect;
pub mod dissector;
pub mod effect;
pub mod extensions;
pub mod game;
pub mod latitude;
pub mod line;
pub mod message;
pub mod mutants;
pub mod notes;
pub mod options;
pub mod oracle;
pub mod pending;
pub mod requirements;
pub mod scene;
pub mod sender;
pub mod server;
mod service;
pub mod session;
pub mod state;
pub mod tap;
pub mod variants;
pub mod verbs;

pub use sender::rules;

use kit::{Protocol, States};
use rules::Rules;

/// FTE replacement deltas.
pub static PROTOCOL: Protocol = Protocol {
    name: "fte",
    title: "FTE replacement deltas with PREDINFO, over QuakeWorld and NetQuake",
    profiles: &options::PROFILES,
    fields: &state::FIELD_TABLE,
    timed_fields: None,
    verbs: verbs::VERBS,
    options: &options::OPTIONS,
    texts: &options::TEXTS,
    marks: &dissector::MARKS,
    requirements: requirements::REQUIREMENTS,
    checks: oracle::CHECKS,
    points: oracle::coverage::POINTS,
    misbehaviour: &[],
    notes: notes::NOTES,
    mutants: mutants::MUTANTS,
    variants: variants::VARIANTS,
    port_change: Some(netquake::datagram::PORT_CHANGE),
    demo: |profile| options::demo(profile, |setup| Box::new(scene::Scene::new(setup))),
    max_clients: 64,
    states: States {
        server: &["accepted", "informed", "prespawned", "spawned", "active", "closed"],
        client: &["disconnected", "challenging", "connecting", "connected", "active"],
        left: &["closed"],
    },
    server: |setup| Box::new(server::Server::new(setup, Rules::REFERENCE)),
    client: |setup| Box::new(client::Client::new(setup, Rules::REFERENCE)),
    oracle: oracle::oracle,
    dissector: |setup| Box::new(dissector::FteDissector::new(setup)),
};
