//! What a scenario can ask of an endpoint beside what every protocol knows.

use kit::Verb;

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
