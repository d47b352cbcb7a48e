//! What a scenario can ask of an endpoint beside what every protocol knows.

kit::numbered_table! {
    /// The protocol's own verbs, by number.
    VERBS: [Verb];
    VERB_SOUND = "sound" ["entity", "channel", "sound", "level"],
        "to the server: play a sound to all clients; level is volume + 256 * attenuation in 1/64, usually 0x40ff";
    VERB_STATIC = "static" ["entity"],
        "to the server: announce, in this map, a static entity that is like this entity's baseline";
    VERB_STATIC_SOUND = "static_sound" ["entity", "sound", "volume", "attenuation"],
        "to the server: announce, in this map, a sound that never stops, where this entity's baseline is";
    VERB_PRINT = "print" ["client", "number"],
        "to the server: print \"proof <number>\" reliably, to one client or (0) to all";
    VERB_HIDE = "hide" ["client", "entity"],
        "to the server: an entity is out of a client's sight";
    VERB_SHOW = "show" ["client", "entity"],
        "to the server: an entity is in a client's sight again";
    VERB_DAMAGE = "damage" ["client", "armor", "blood"],
        "to the server: a client's player is hurt, which its next datagram says once";
    VERB_SET_ANGLE = "set_angle" ["client", "pitch", "yaw"],
        "to the server: turn a client's view, in hundredths of a degree, which its next datagram says once";
    VERB_PARTICLE = "particle" ["entity", "count", "color"],
        "to the server: a burst of particles where an entity is";
    VERB_RELOAD = "reload" [],
        "to the server: save the game and load it, which starts its map anew";
    VERB_LOOK = "look" ["pitch", "yaw", "roll"],
        "to a client: look there, in 1/131072 of a circle, which is half a step of a 16-bit angle";
    VERB_PRESS = "press" ["buttons", "impulse"],
        "to a client: hold these buttons, and send this impulse once";
    VERB_REQUEST_AGAIN = "request_again" [],
        "to a client: ask for the connection once more";
    VERB_REPEAT_MOVE = "repeat_move" [],
        "to a client: send the last unreliable datagram once more, byte for byte";
    VERB_HELLO = "hello" ["game", "version"],
        "to a client: ask for a connection in another game (unless game is 0) or another version than 3";
    VERB_POKE_ACK = "poke_ack" ["sequence"],
        "to a client: send an ack of this fragment, out of turn";
}
