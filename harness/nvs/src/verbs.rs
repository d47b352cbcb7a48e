//! What a scenario can ask of an endpoint beside what every protocol knows.

kit::numbered_table! {
    /// The protocol's own verbs, by number.
    ///
    /// Calls of the server queue up, and are executed in order at the physics step of its next frame.
    VERBS: [Verb];
    VERB_QC_INIT = "qc_init" to Server ["dest", "svc", "sub", "client"],
        "QuakeC: prepare a message; dest 0 BROADCAST, 1 ONE, 2 ALL, 3 INIT; client 0 for all";
    VERB_QC_WRITE = "qc_write" to Server ["kind", "dest", "value", "client"],
        "QuakeC: write 0 byte, 1 char, 2 short, 3 long, 4 float (value/1000), 5 coord (value/8), \
         6 angle (value/100 degrees), 7 the string \"text <value>\", 8 entity";
    VERB_SET_ANGLE = "set_angle" to Server ["client", "pitch", "yaw", "roll"],
        "turn a client's view, in hundredths of a degree; before its spawn, in the reply to that";
    VERB_PARTICLE = "particle" to Server ["entity", "count", "color", "up"],
        "engine: broadcast particles from an entity, that go up by so many hundredths";
    VERB_EXPLOSION = "explosion" to Server ["entity", "color", "client"],
        "QuakeC: broadcast an explosion at an entity; color is four bytes, red lowest, in eighths";
    VERB_PRINT = "print" to Server ["dest", "client", "number"],
        "QuakeC: print \"line <number>\" to dest (0 BROADCAST, 1 ONE, 2 ALL, 3 INIT)";
    VERB_DAMAGE = "damage" to Server ["client", "armor", "blood"], "engine: a client is hurt";
    VERB_BROADCAST_ONE = "broadcast_one" to Server ["client", "number"],
        "engine: print \"line <number>\" to one client, unreliably";
    VERB_SET_VERSION = "set_version" to Server ["hundredths"],
        "QuakeC: try to change the server's version in mid level, which must have no effect";
    VERB_REQUEST = "request" to Client ["hundredths"], "send nvs_request now, with this maximum";
    VERB_REQUEST_BARE = "request_bare" to Client [], "send nvs_request now, without its argument";
    VERB_LOOK = "look" to Client ["pitch", "yaw", "roll"], "look there from now on, in hundredths of a degree";
    VERB_LIMIT = "limit" to Client [], "send limit_request now";
}
