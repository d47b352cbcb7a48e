//! R1Q2 protocol 35, in the revisions 1901 to 1905, and the protocol 34 that it grew from.
//!
//! Reading order: [`constants`], [`state`] (what is delta-compressed), [`delta`] and [`player`] (the field tables),
//! [`solid`], [`entities`], [`frame`], [`usercmd`] (what answers frames), [`message`] (everything that is said, in
//! order) with [`service`], [`effect`], [`command`] and [`deflate`]. Around them: [`handshake`] and [`dialect`] (what
//! was agreed upon), [`netchan`] (the transport), [`tap`] and [`dissector`] (reading along), [`requirements`] (what
//! there is to prove), [`options`]. The machines: [`world`] (what a scenario says that there is), [`address`],
//! [`server`] with [`session`] and [`sender`], [`client`] with [`game`], [`movement`] and [`download`]; the choices
//! that they make are in [`rules`] and [`liberties`], what scenarios make them say wrongly in [`malformed`]. [`oracle`]
//! judges.

pub mod address;
pub mod client;
pub mod command;
pub mod constants;
pub mod deflate;
pub mod delta;
pub mod dialect;
pub mod dissector;
pub mod download;
pub mod effect;
pub mod entities;
pub mod frame;
pub mod game;
pub mod handshake;
pub mod liberties;
pub mod malformed;
pub mod message;
pub mod movement;
pub mod mutants;
pub mod netchan;
pub mod notes;
pub mod options;
pub mod oracle;
pub mod player;
pub mod requirements;
pub mod rules;
pub mod sender;
pub mod server;
pub mod service;
pub mod session;
pub mod solid;
pub mod state;
pub mod tap;
pub mod usercmd;
pub mod variants;
pub mod verbs;
pub mod world;

use kit::Protocol;
use rules::Rules;

/// R1Q2 protocol 35.
pub static PROTOCOL: Protocol = Protocol {
    name: "r1q2",
    title: "R1Q2 protocol 35, with Quake II's protocol 34 beside it",
    profiles: &options::PROFILES,
    fields: &world::WORLD_TABLE,
    verbs: &verbs::VERBS,
    options: &options::OPTIONS,
    texts: &[],
    marks: &dissector::MARKS,
    requirements: requirements::REQUIREMENTS,
    checks: oracle::checks::CHECKS,
    points: oracle::coverage::Point::NAMES,
    misbehaviour: &[],
    notes: &[],
    mutants: mutants::MUTANTS,
    variants: variants::VARIANTS,
    server: |setup| Box::new(server::Server::new(setup, Rules::REFERENCE)),
    client: |setup| Box::new(client::Client::new(setup, Rules::REFERENCE)),
    oracle: oracle::oracle,
    dissector: |setup| Box::new(dissector::R1q2Dissector::new(setup)),
};
