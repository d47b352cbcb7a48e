//! FTE replacement deltas with PREDINFO, over QuakeWorld and NetQuake.
//!
//! Reading order: [`constants`], [`state`] (what is delta-compressed), [`delta`] (the field table), [`sender`] (what a
//! server knows of a client: the heart of the protocol), [`session`] and [`server`], [`game`] and [`client`]. Around
//! them: [`handshake`] and [`dialect`] (what was agreed upon), [`channel`] (the QuakeWorld transport), [`message`] and
//! [`quakeworld`] (everything else that is said), [`tap`], [`dissector`] and [`oracle`] (reading along and judging).

pub mod channel;
pub mod client;
pub mod constants;
pub mod delta;
pub mod dialect;
pub mod dissector;
pub mod game;
pub mod handshake;
pub mod liberties;
pub mod line;
pub mod message;
pub mod mutants;
pub mod options;
pub mod oracle;
pub mod pending;
pub mod quakeworld;
pub mod requirements;
pub mod rules;
pub mod sender;
pub mod server;
pub mod session;
pub mod state;
pub mod tap;
pub mod variants;

use kit::{Protocol, Verb};
use rules::Rules;

/// Verb: the server sends datagrams without an entity frame to a client (NetQuake).
pub const VERB_NOP_DATAGRAMS: usize = 0;
/// Verb: the client acknowledges a frame out of turn; -1 asks for a reset.
pub const VERB_ACKNOWLEDGE: usize = 1;
/// Verb: what the server supports from the next map on.
pub const VERB_SUPPORT: usize = 2;
/// Verb: the server announces a static entity.
pub const VERB_STATIC: usize = 3;
/// Verb: the server lets a client look through an entity's eyes.
pub const VERB_VIEW: usize = 4;
/// Verb: the server plays a sound to a client (NetQuake).
pub const VERB_SOUND: usize = 5;
/// Verb: the server tells a client that an entity of the game's own code is gone.
pub const VERB_CSQC_GONE: usize = 6;
/// Verb: the client sends an old move once more (NetQuake).
pub const VERB_REPEAT_MOVE: usize = 7;

/// Note of a client in the game: the entity through whose eyes it looks.
pub const VIEW_CHANGED: &str = "view";
/// Note of a client in the game: the number of a sound that it plays.
pub const SOUND_PLAYED: &str = "sound";
/// Note of a client in the game: the number of an entity of the game's own code that is gone.
pub const CSQC_GONE: &str = "csqc entity gone";

/// Note of an endpoint: an instruction made no sense to it.
pub const COMMAND_IGNORED: &str = "command ignored";

/// The protocol's own verbs, by number.
pub static VERBS: [Verb; 8] = [
    Verb {
        name: "nop_datagrams",
        args: &["client", "count"],
        help: "to the server: send datagrams without an entity frame to a client, which use up numbers (NetQuake)",
    },
    Verb {
        name: "acknowledge",
        args: &["frame"],
        help: "to a client: acknowledge a frame out of turn, whether it was received or not; -1 asks for a reset",
    },
    Verb {
        name: "support",
        args: &["fte1", "fte2"],
        help: "to the server: the extension masks that it supports from the next map on",
    },
    Verb {
        name: "static",
        args: &["entity"],
        help: "to the server: announce, in this map, a static entity that is like this entity's baseline",
    },
    Verb {
        name: "view",
        args: &["client", "entity"],
        help: "to the server: let a client look through an entity's eyes",
    },
    Verb {
        name: "sound",
        args: &["client", "entity", "sound"],
        help: "to the server: play a sound to a client, if the protocol has room for its number (NetQuake)",
    },
    Verb {
        name: "csqc_gone",
        args: &["client", "entity"],
        help: "to the server: tell a client with PEXT_CSQC that an entity of the game's own code is gone",
    },
    Verb {
        name: "repeat_move",
        args: &["behind"],
        help: "to a client: send a move once more, behind the next one; so far behind that in sequence (NetQuake)",
    },
];

/// FTE replacement deltas.
pub static PROTOCOL: Protocol = Protocol {
    name: "fte",
    title: "FTE replacement deltas with PREDINFO, over QuakeWorld and NetQuake",
    profiles: &options::PROFILES,
    fields: &state::FIELD_TABLE,
    verbs: &VERBS,
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
    dissector: |setup| Box::new(dissector::FteDissector::new(setup)),
};
