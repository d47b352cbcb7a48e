//! What a scenario can ask of an endpoint beside what every protocol knows.

kit::numbered_table! {
    /// The protocol's own verbs, by number.
    ///
    /// Calls of the server queue up, and are executed in order at the physics step of its next frame.
    VERBS: [Verb];
    VERB_QC_INIT = "qc_init" ["dest", "svc", "sub", "client"],
        "to the server, QuakeC: prepare a message; dest 0 BROADCAST, 1 ONE, 2 ALL, 3 INIT; client 0 for all";
    VERB_QC_WRITE = "qc_write" ["kind", "dest", "value", "client"],
        "to the server, QuakeC: write 0 byte, 1 char, 2 short, 3 long, 4 float (value/1000), 5 coord (value/8), \
         6 angle (value/100 degrees), 7 the string \"text <value>\", 8 entity";
    VERB_SET_ANGLE = "set_angle" ["client", "pitch", "yaw", "roll"],
        "to the server: turn a client's view, in hundredths of a degree; before its spawn, in the reply to that";
    VERB_PARTICLE = "particle" ["entity", "count", "color", "up"],
        "to the server, engine: broadcast particles from an entity, that go up by so many hundredths";
    VERB_EXPLOSION = "explosion" ["entity", "color", "client"],
        "to the server, QuakeC: broadcast an explosion at an entity; color is four bytes, red lowest, in eighths";
    VERB_PRINT = "print" ["dest", "client", "number"],
        "to the server, QuakeC: print \"line <number>\" to dest (0 BROADCAST, 1 ONE, 2 ALL, 3 INIT)";
    VERB_DAMAGE = "damage" ["client", "armor", "blood"], "to the server, engine: a client is hurt";
    VERB_BROADCAST_ONE = "broadcast_one" ["client", "number"],
        "to the server, engine: print \"line <number>\" to one client, unreliably";
    VERB_SET_VERSION = "set_version" ["hundredths"],
        "to the server, QuakeC: try to change the server's version in mid level, which must have no effect";
    VERB_REQUEST = "request" ["hundredths"], "to a client: send nvs_request now, with this maximum";
    VERB_REQUEST_BARE = "request_bare" [], "to a client: send nvs_request now, without its argument";
    VERB_LOOK = "look" ["pitch", "yaw", "roll"], "to a client: look there from now on, in hundredths of a degree";
    VERB_LIMIT = "limit" [], "to a client: send limit_request now";
}
