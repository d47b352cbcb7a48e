//! R1Q2 protocol 35, in the revisions 1901 to 1905, and the protocol 34 that it grew from.
//!
//! Reading order: [`wire`] (what stands in datagrams), [`machine`] (the reference server and client), [`requirements`]
//! (what there is to prove), [`tap`] and [`dissector`] (reading along), [`oracle`] (judging), then [`mutants`] and
//! [`variants`].

pub mod dissector;
pub mod machine;
pub mod mutants;
pub mod notes;
pub mod oracle;
pub mod requirements;
pub mod scene;
pub mod tap;
pub mod variants;
pub mod verbs;
pub mod wire;

use kit::{Protocol, States};
use machine::game::ClientRules;
use machine::sender::ServerRules;

/// R1Q2 protocol 35.
pub static PROTOCOL: Protocol = Protocol {
    name: "r1q2",
    title: "R1Q2 protocol 35, with Quake II's protocol 34 beside it",
    profiles: &machine::options::PROFILES,
    fields: &machine::world::WORLD_TABLE,
    timed_fields: None,
    verbs: verbs::VERBS,
    options: &machine::options::OPTIONS,
    texts: &machine::options::TEXTS,
    marks: &dissector::MARKS,
    requirements: requirements::REQUIREMENTS,
    checks: oracle::CHECKS,
    points: oracle::coverage::Point::NAMES,
    misbehaviour: verbs::MISBEHAVIOUR,
    notes: notes::NOTES,
    mutants: mutants::MUTANTS,
    variants: variants::VARIANTS,
    port_change: None,
    demo: |_| {
        let scene: fn(&kit::Setup) -> Box<dyn kit::Scene> = |setup| Box::new(scene::Scene::new(setup));
        Some(kit::Demo { client: kit::Container::Dm2, server: None, scene })
    },
    max_clients: 64,
    states: States {
        server: &["free", "challenged", "connected", "spawned", "active", "zombie"],
        client: &["disconnected", "challenging", "connecting", "connected", "loading", "active"],
        left: &["zombie"],
    },
    server: |setup| Box::new(machine::server::Server::new(setup, ServerRules::REFERENCE)),
    client: |setup| Box::new(machine::client::Client::new(setup, ClientRules::REFERENCE)),
    oracle: oracle::oracle,
    dissector: |setup| Box::new(dissector::R1q2Dissector::new(setup)),
};
