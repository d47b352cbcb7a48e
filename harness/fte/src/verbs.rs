//! What a scenario can ask of an endpoint beside what every protocol knows.

kit::numbered_table! {
    /// The protocol's own verbs, by number.
    VERBS: [Verb];
    VERB_NOP_DATAGRAMS = "nop_datagrams" to Server ["client", "count"],
        "send datagrams without an entity frame to a client, which use up numbers (NetQuake)";
    VERB_ACKNOWLEDGE = "acknowledge" to Client ["frame"],
        "acknowledge a frame out of turn, whether it was received or not; -1 asks for a reset";
    VERB_SUPPORT = "support" to Server ["fte1", "fte2"],
        "the extension masks that it supports from the next map on";
    VERB_STATIC = "static" to Server ["entity"],
        "announce, in this map, a static entity that is like this entity's baseline";
    VERB_VIEW = "view" to Server ["client", "entity"],
        "let a client look through an entity's eyes";
    VERB_SOUND = "sound" to Server ["client", "entity", "sound"],
        "play a sound to a client, if the protocol has room for its number (NetQuake)";
    VERB_CSQC_GONE = "csqc_gone" to Server ["client", "entity"],
        "remove an entity of the game's own code at a client with PEXT_CSQC";
    VERB_BEAM = "beam" to Server ["client", "entity"],
        "show a client a lightning bolt that begins at an entity";
    VERB_REPEAT_MOVE = "repeat_move" to Client ["behind"],
        "send a move once more, behind the next one; so far behind that in sequence (NetQuake)";
}
