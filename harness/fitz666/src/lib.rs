//! FitzQuake protocol 666 over NetQuake.
//!
//! Reading order: [`constants`], [`state`] (what a server sends of an entity and of a player), [`alpha`] (opacity and its
//! code), [`message`] (what a datagram carries, read with the announced protocol), [`session`] and [`server`], [`game`] and
//! [`client`]. Around them: [`think`] (when entities think next), [`session::rules`] and [`game::rules`] (what a mutant can
//! replace), [`latitude`] (what may be chosen), [`tap`], [`dissector`] and [`oracle`] (reading along and judging).

pub mod alpha;
pub mod client;
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
pub mod scene;
pub mod server;
pub mod session;
pub mod state;
pub mod tap;
pub mod think;
pub mod variants;
pub mod verbs;

use game::rules::ClientRules;
use kit::{Protocol, States};
use session::rules::ServerRules;

/// FitzQuake protocol 666.
pub static PROTOCOL: Protocol = Protocol {
    name: "fitz666",
    title: "FitzQuake protocol 666 over NetQuake",
    profiles: &options::PROFILES,
    fields: &state::FIELD_TABLE,
    timed_fields: Some(state::DERIVED),
    verbs: verbs::VERBS,
    options: &options::OPTIONS,
    texts: &options::TEXTS,
    marks: &dissector::MARKS,
    requirements: requirements::REQUIREMENTS,
    checks: oracle::CHECKS,
    points: oracle::coverage::Point::NAMES,
    misbehaviour: &[],
    notes: notes::NOTES,
    mutants: mutants::MUTANTS,
    variants: variants::VARIANTS,
    port_change: Some(netquake::datagram::PORT_CHANGE),
    demo: |_| {
        let scene: fn(&kit::Setup) -> Box<dyn kit::Scene> = |_| Box::new(scene::Scene::default());
        Some(kit::Demo { client: kit::Container::Dem, server: None, scene })
    },
    max_clients: constants::MAX_CLIENTS,
    states: States {
        server: &["connected", "informed", "prespawned", "spawned", "active", "closed"],
        client: &["disconnected", "connecting", "connected", "prespawning", "spawning", "active"],
        left: &["closed"],
    },
    server: |setup| Box::new(server::Server::new(setup, ServerRules::REFERENCE)),
    client: |setup| Box::new(client::Client::new(setup, ClientRules::REFERENCE)),
    oracle: oracle::oracle,
    dissector: |setup| Box::new(dissector::Fitz666Dissector::new(setup)),
};
