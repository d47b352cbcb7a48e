//! What a scenario can ask of an endpoint beside what every protocol knows.

kit::numbered_table! {
    /// The protocol's own verbs, by number.
    VERBS: [Verb];
    VERB_SOUND = "sound" to Server ["entity", "channel", "sound", "level"],
        "play a sound to all clients; level is volume + 256 * attenuation in 1/64, usually 0x40ff";
    VERB_STATIC = "static" to Server ["entity"],
        "announce, in this map, a static entity that is like this entity's baseline";
    VERB_STATIC_SOUND = "static_sound" to Server ["entity", "sound", "volume", "attenuation"],
        "announce, in this map, a sound that never stops, where this entity's baseline is";
    VERB_PRINT = "print" to Server ["client", "number"],
        "print \"proof <number>\" reliably, to one client or (0) to all";
    VERB_HIDE = "hide" to Server ["client", "entity"],
        "an entity is out of a client's sight";
    VERB_SHOW = "show" to Server ["client", "entity"],
        "an entity is in a client's sight again";
    VERB_DAMAGE = "damage" to Server ["client", "armor", "blood"],
        "a client's player is hurt, which its next datagram says once";
    VERB_SET_ANGLE = "set_angle" to Server ["client", "pitch", "yaw"],
        "turn a client's view, in hundredths of a degree, which its next datagram says once";
    VERB_PARTICLE = "particle" to Server ["entity", "count", "color"],
        "a burst of particles where an entity is";
    VERB_RELOAD = "reload" to Server [],
        "save the game and load it, which starts its map again";
    VERB_LOOK = "look" to Client ["pitch", "yaw", "roll"],
        "look there, in 1/131072 of a circle, which is half a step of a 16-bit angle";
    VERB_PRESS = "press" to Client ["buttons", "impulse"],
        "hold these buttons, and send this impulse once";
    VERB_REQUEST_AGAIN = "request_again" to Client [],
        "ask for the connection once more";
    VERB_REPEAT_MOVE = "repeat_move" to Client [],
        "send the last unreliable datagram once more, byte for byte";
    VERB_HELLO = "hello" to Client ["game", "version"],
        "ask for a connection in another game (unless game is 0) or another version than 3";
    VERB_POKE_ACK = "poke_ack" to Client ["sequence"],
        "send an ack of this fragment, out of turn";
}
