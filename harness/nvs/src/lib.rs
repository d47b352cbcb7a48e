//! NVS, the Network Versioning System: NetQuake's protocol 15 whose messages have versions, so that one server serves
//! old and new clients at once.
//!
//! Reading order: [`constants`], [`version`] (what is negotiated), [`tables`] (which messages have versions, as data),
//! [`call`] (what a mod or the engine asks to be sent), [`preparation`] (who gets which writes of a message: the heart
//! of the protocol) and [`buffers`], [`session`] and [`server`], [`game`] and [`client`]. Around them: [`message`] (how
//! messages are read), [`dissector`] and [`oracle`] (reading along and judging).

pub mod buffers;
pub mod call;
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
pub mod preparation;
pub mod requirements;
pub mod server;
pub mod session;
pub mod state;
pub mod tables;
pub mod variants;
pub mod verbs;
pub mod version;

use kit::{Protocol, States};

/// NVS.
pub static PROTOCOL: Protocol = Protocol {
    name: "nvs",
    title: "Network Versioning System over NetQuake 15",
    profiles: &options::PROFILES,
    fields: &state::FIELD_TABLE,
    timed_fields: None,
    verbs: verbs::VERBS,
    options: &options::OPTIONS,
    texts: &tables::TEXTS,
    marks: &dissector::MARKS,
    requirements: requirements::REQUIREMENTS,
    checks: oracle::CHECKS,
    points: oracle::coverage::Point::NAMES,
    misbehaviour: &[],
    notes: notes::NOTES,
    mutants: mutants::MUTANTS,
    variants: variants::VARIANTS,
    port_change: Some(netquake::datagram::PORT_CHANGE),
    demo: |_| None,
    max_clients: 16,
    states: States {
        server: &["connected", "informed", "prespawned", "spawned", "active", "closed"],
        client: &["disconnected", "connecting", "connected", "prespawning", "spawning", "active"],
        left: &["closed"],
    },
    server: |setup| Box::new(server::Server::new(setup, session::rules::ServerRules::REFERENCE)),
    client: |setup| Box::new(client::Client::new(setup, game::rules::ClientRules::REFERENCE)),
    oracle: oracle::oracle,
    dissector: |setup| Box::new(dissector::NvsDissector::new(setup)),
};
