//! What a scenario can ask of an endpoint beside what every protocol knows.

kit::numbered_table! {
    /// The protocol's own verbs, by number.
    VERBS: [Verb];
    VERB_NOP_DATAGRAMS = "nop_datagrams" ["client", "count"],
        "to the server: send datagrams without an entity frame to a client, which use up numbers (NetQuake)";
    VERB_ACKNOWLEDGE = "acknowledge" ["frame"],
        "to a client: acknowledge a frame out of turn, whether it was received or not; -1 asks for a reset";
    VERB_SUPPORT = "support" ["fte1", "fte2"],
        "to the server: the extension masks that it supports from the next map on";
    VERB_STATIC = "static" ["entity"],
        "to the server: announce, in this map, a static entity that is like this entity's baseline";
    VERB_VIEW = "view" ["client", "entity"],
        "to the server: let a client look through an entity's eyes";
    VERB_SOUND = "sound" ["client", "entity", "sound"],
        "to the server: play a sound to a client, if the protocol has room for its number (NetQuake)";
    VERB_CSQC_GONE = "csqc_gone" ["client", "entity"],
        "to the server: remove an entity of the game's own code at a client with PEXT_CSQC";
    VERB_REPEAT_MOVE = "repeat_move" ["behind"],
        "to a client: send a move once more, behind the next one; so far behind that in sequence (NetQuake)";
}
