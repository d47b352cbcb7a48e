//! The PyGG2 protocol concept (XOR deltas of snapshots, reliable events in the same packets), completed to the profile
//! GG2-P1.
//!
//! Reading order: [`constants`], [`serial`] (numbers that wrap), [`state`], [`snapshot`] and [`complete`] (what is
//! said), [`message`] (packets), [`session`] and [`server`] (what a server knows of a client: the heart of the protocol),
//! [`game`] and [`client`]. Around them: [`dissector`] and [`oracle`] (reading along and judging).

pub mod client;
pub mod complete;
pub mod constants;
pub mod dissector;
pub mod game;
pub mod liberties;
pub mod message;
pub mod mutants;
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

use kit::{Protocol, Verb};
use rules::Rules;

/// Verb of the server: what the next complete update says of the game mode.
pub const VERB_GAMEMODE: usize = 0;
/// Verb of the server: sends a complete update.
pub const VERB_COMPLETE_UPDATE: usize = 1;
/// Verb of the server: snapshots that name a base which nobody has.
pub const VERB_UNKNOWN_BASE: usize = 2;
/// Verb of the server: a packet that cannot be read.
pub const VERB_NONSENSE: usize = 3;
/// Verb of a client: other keys, another aim.
pub const VERB_INPUT: usize = 4;
/// Verb of a client: jumps.
pub const VERB_JUMP: usize = 5;
/// Verb of a client: changes class.
pub const VERB_CHANGECLASS: usize = 6;
/// Verb of a client: a packet with a wrong acknowledgement.
pub const VERB_ACKNOWLEDGE: usize = 7;
/// Verb of a client: an input without a hello before.
pub const VERB_STRAY: usize = 8;
/// Verb of a client: a packet that cannot be read.
pub const VERB_CLIENT_NONSENSE: usize = 9;

/// The protocol's own verbs, by number.
pub static VERBS: [Verb; 10] = [
    Verb { name: "gamemode", args: &["value"], help: "to the server: what complete updates say of the game mode" },
    Verb {
        name: "complete_update",
        args: &["client"],
        help: "to the server: send a complete update to a client, or to all (0)",
    },
    Verb {
        name: "unknown_base",
        args: &["client", "count"],
        help: "to the server: name a base that nobody has, in the next snapshots to a client",
    },
    Verb {
        name: "nonsense",
        args: &["client", "kind"],
        help: "to the server: send a client a packet with an unknown record (0), or one that is cut short (1)",
    },
    Verb {
        name: "input",
        args: &["inputstate", "aimdirection"],
        help: "to a client: keys and aim, from the next input update on",
    },
    Verb { name: "jump", args: &[], help: "to a client: jump" },
    Verb { name: "changeclass", args: &["class"], help: "to a client: ask for another class" },
    Verb {
        name: "acknowledge",
        args: &["ahead"],
        help: "to a client: send one input update at once that acknowledges so far ahead of what was received",
    },
    Verb { name: "stray", args: &[], help: "to a client that is not connected: send an input update all the same" },
    Verb {
        name: "client_nonsense",
        args: &["kind"],
        help: "to a client: send a packet with an unknown record (0), or one that is cut short (1)",
    },
];

/// State of a connection: there is none.
pub const OUTSIDE: &str = "outside";
/// State of a connection: the client's player is in the game.
pub const INSIDE: &str = "inside";

/// Note of an endpoint: an instruction made no sense to it.
pub const COMMAND_IGNORED: &str = "command ignored";
/// Note of a client: an event was applied; `created << 8 | id of the record`.
pub const EVENT_APPLIED: &str = "event applied";
/// Note of a client: a snapshot was applied; the number of its packet.
pub const SNAPSHOT_APPLIED: &str = "snapshot applied";
/// Note of a client: a packet was dropped, as its base is missing; the base's number.
pub const BASE_MISSING: &str = "base missing";
/// Note of the server: a player jumps; `player << 32 | time`.
pub const JUMPED: &str = "jump";
/// Note of the server: a client asks for a class that there is not.
pub const NO_SUCH_CLASS: &str = "no such class";

/// The PyGG2 concept.
pub static PROTOCOL: Protocol = Protocol {
    name: "pygg2",
    title: "PyGG2 protocol concept: XOR deltas and reliable events, completed to the profile GG2-P1",
    profiles: &options::PROFILES,
    fields: &state::FIELD_TABLE,
    verbs: &VERBS,
    options: &options::OPTIONS,
    texts: &options::TEXTS,
    marks: &dissector::MARKS,
    requirements: requirements::REQUIREMENTS,
    checks: oracle::checks::CHECKS,
    points: oracle::coverage::Point::NAMES,
    misbehaviour: &[VERB_UNKNOWN_BASE, VERB_NONSENSE, VERB_ACKNOWLEDGE, VERB_STRAY, VERB_CLIENT_NONSENSE],
    notes: &[],
    mutants: mutants::MUTANTS,
    variants: variants::VARIANTS,
    server: |setup| Box::new(server::Server::new(setup, Rules::REFERENCE)),
    client: |setup| Box::new(client::Client::new(setup, Rules::REFERENCE)),
    oracle: oracle::oracle,
    dissector: |setup| Box::new(dissector::Pygg2Dissector::new(setup)),
};
