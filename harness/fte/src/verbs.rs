//! What a scenario can ask of an endpoint beside what every protocol knows.

use kit::Verb;

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
