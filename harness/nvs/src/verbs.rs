//! What a scenario can ask of an endpoint beside what every protocol knows.

use kit::Verb;

/// Verb of the server, QuakeC: prepares a message (the builtin that NVS adds).
pub const VERB_QC_INIT: usize = 0;
/// Verb of the server, QuakeC: one of the ordinary Write builtins.
pub const VERB_QC_WRITE: usize = 1;
/// Verb of the server, engine: turns a client's view.
pub const VERB_SET_ANGLE: usize = 2;
/// Verb of the server, engine: a burst of particles.
pub const VERB_PARTICLE: usize = 3;
/// Verb of the server, QuakeC: an explosion.
pub const VERB_EXPLOSION: usize = 4;
/// Verb of the server: a numbered print, which no table lists.
pub const VERB_PRINT: usize = 5;
/// Verb of the server, engine: a client is hurt.
pub const VERB_DAMAGE: usize = 6;
/// Verb of the server, engine: an unlisted message, unreliable, to one client.
pub const VERB_BROADCAST_ONE: usize = 7;
/// Verb of the server: QuakeC tries to change the server's version in mid level.
pub const VERB_SET_VERSION: usize = 8;
/// Verb of a client: asks for versions.
pub const VERB_REQUEST: usize = 9;
/// Verb of a client: asks for versions, and leaves the argument out.
pub const VERB_REQUEST_BARE: usize = 10;
/// Verb of a client: looks elsewhere.
pub const VERB_LOOK: usize = 11;
/// Verb of a client: asks for the server's limits.
pub const VERB_LIMIT: usize = 12;

/// The protocol's own verbs, by number.
///
/// Calls of the server queue up, and are executed in order at the physics step of its next frame.
pub static VERBS: [Verb; 13] = [
    Verb {
        name: "qc_init",
        args: &["dest", "svc", "sub", "client"],
        help: "to the server, QuakeC: prepare a message; dest 0 BROADCAST, 1 ONE, 2 ALL, 3 INIT; client 0 for all",
    },
    Verb {
        name: "qc_write",
        args: &["kind", "dest", "value", "client"],
        help: "to the server, QuakeC: write 0 byte, 1 char, 2 short, 3 long, 4 float (value/1000), 5 coord (value/8), \
               6 angle (value/100 degrees), 7 the string \"text <value>\", 8 entity",
    },
    Verb {
        name: "set_angle",
        args: &["client", "pitch", "yaw", "roll"],
        help: "to the server: turn a client's view, in hundredths of a degree; before its spawn, in the reply to that",
    },
    Verb {
        name: "particle",
        args: &["entity", "count", "color", "up"],
        help: "to the server, engine: broadcast particles from an entity, that go up by so many hundredths",
    },
    Verb {
        name: "explosion",
        args: &["entity", "color", "client"],
        help: "to the server, QuakeC: broadcast an explosion at an entity; color is four bytes, red lowest, in eighths",
    },
    Verb {
        name: "print",
        args: &["dest", "client", "number"],
        help: "to the server, QuakeC: print \"line <number>\" to dest (0 BROADCAST, 1 ONE, 2 ALL, 3 INIT)",
    },
    Verb { name: "damage", args: &["client", "armor", "blood"], help: "to the server, engine: a client is hurt" },
    Verb {
        name: "broadcast_one",
        args: &["client", "number"],
        help: "to the server, engine: print \"line <number>\" to one client, unreliably",
    },
    Verb {
        name: "set_version",
        args: &["hundredths"],
        help: "to the server, QuakeC: try to change the server's version in mid level, which must have no effect",
    },
    Verb { name: "request", args: &["hundredths"], help: "to a client: send nvs_request now, with this maximum" },
    Verb { name: "request_bare", args: &[], help: "to a client: send nvs_request now, without its argument" },
    Verb {
        name: "look",
        args: &["pitch", "yaw", "roll"],
        help: "to a client: look there from now on, in hundredths of a degree",
    },
    Verb { name: "limit", args: &[], help: "to a client: send limit_request now" },
];
