//! What a scenario can ask of an endpoint beside what every protocol knows.

use kit::Verb;

/// Verb: the server plays a sound to all clients.
pub const VERB_SOUND: usize = 0;
/// Verb: the server announces a static entity.
pub const VERB_STATIC: usize = 1;
/// Verb: the server announces a static sound.
pub const VERB_STATIC_SOUND: usize = 2;
/// Verb: the server prints a numbered line, reliably.
pub const VERB_PRINT: usize = 3;
/// Verb: an entity is out of a client's sight.
pub const VERB_HIDE: usize = 4;
/// Verb: an entity is in a client's sight again.
pub const VERB_SHOW: usize = 5;
/// Verb: a client's player is hurt.
pub const VERB_DAMAGE: usize = 6;
/// Verb: a client's view is turned.
pub const VERB_SET_ANGLE: usize = 7;
/// Verb: a burst of particles.
pub const VERB_PARTICLE: usize = 8;
/// Verb: the server saves and loads its game.
pub const VERB_RELOAD: usize = 9;
/// Verb: the player looks somewhere.
pub const VERB_LOOK: usize = 10;
/// Verb: the player presses buttons.
pub const VERB_PRESS: usize = 11;
/// Verb: the client asks for its connection once more.
pub const VERB_REQUEST_AGAIN: usize = 12;
/// Verb: the client's last unreliable datagram is sent once more.
pub const VERB_REPEAT_MOVE: usize = 13;
/// Verb: a connection request of another game, or another version.
pub const VERB_HELLO: usize = 14;
/// Verb: the client sends an ack that nobody waits for.
pub const VERB_POKE_ACK: usize = 15;

/// The protocol's own verbs, by number.
pub static VERBS: [Verb; 16] = [
    Verb {
        name: "sound",
        args: &["entity", "channel", "sound", "level"],
        help: "to the server: play a sound to all clients; level is volume + 256 * attenuation in 1/64, usually 0x40ff",
    },
    Verb {
        name: "static",
        args: &["entity"],
        help: "to the server: announce, in this map, a static entity that is like this entity's baseline",
    },
    Verb {
        name: "static_sound",
        args: &["entity", "sound", "volume", "attenuation"],
        help: "to the server: announce, in this map, a sound that never stops, where this entity's baseline is",
    },
    Verb {
        name: "print",
        args: &["client", "number"],
        help: "to the server: print \"proof <number>\" reliably, to one client or (0) to all",
    },
    Verb { name: "hide", args: &["client", "entity"], help: "to the server: an entity is out of a client's sight" },
    Verb { name: "show", args: &["client", "entity"], help: "to the server: an entity is in a client's sight again" },
    Verb {
        name: "damage",
        args: &["client", "armor", "blood"],
        help: "to the server: a client's player is hurt, which its next datagram says once",
    },
    Verb {
        name: "set_angle",
        args: &["client", "pitch", "yaw"],
        help: "to the server: turn a client's view, in hundredths of a degree, which its next datagram says once",
    },
    Verb {
        name: "particle",
        args: &["entity", "count", "color"],
        help: "to the server: a burst of particles where an entity is",
    },
    Verb { name: "reload", args: &[], help: "to the server: save the game and load it, which starts its map anew" },
    Verb {
        name: "look",
        args: &["pitch", "yaw", "roll"],
        help: "to a client: look there, in 1/131072 of a circle, which is half a step of a 16-bit angle",
    },
    Verb {
        name: "press",
        args: &["buttons", "impulse"],
        help: "to a client: hold these buttons, and send this impulse once",
    },
    Verb { name: "request_again", args: &[], help: "to a client: ask for the connection once more" },
    Verb {
        name: "repeat_move",
        args: &[],
        help: "to a client: send the last unreliable datagram once more, byte for byte",
    },
    Verb {
        name: "hello",
        args: &["game", "version"],
        help: "to a client: ask for a connection in another game (unless game is 0) or another version than 3",
    },
    Verb { name: "poke_ack", args: &["sequence"], help: "to a client: send an ack of this fragment, out of turn" },
];
