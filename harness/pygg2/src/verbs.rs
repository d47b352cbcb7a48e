//! What a scenario can ask of an endpoint beside what every protocol knows.

kit::numbered_table! {
    /// The protocol's own verbs, by number.
    VERBS: [Verb];
    VERB_GAMEMODE = "gamemode" to Server ["value"], "what complete updates say of the game mode";
    VERB_COMPLETE_UPDATE = "complete_update" to Server ["client"], "send a complete update to a client, or to all (0)";
    VERB_UNKNOWN_BASE = "unknown_base" to Server ["client", "count"],
        "name a base that does not exist, in the next snapshots to a client";
    VERB_NONSENSE = "nonsense" to Server ["client", "kind"],
        "send a client a packet with an unknown record (0), or one that is cut short (1)";
    VERB_INPUT = "input" to Client ["inputstate", "aimdirection"], "keys and aim, from the next input update on";
    VERB_JUMP = "jump" to Client [], "jump";
    VERB_CHANGECLASS = "changeclass" to Client ["class"], "ask for another class";
    VERB_ACKNOWLEDGE = "acknowledge" to Client ["ahead"],
        "send one input update at once that acknowledges so far ahead of what was received";
    VERB_STRAY = "stray" to Client [], "send an input update although it is not connected";
    VERB_CLIENT_NONSENSE = "client_nonsense" to Client ["kind"],
        "send a packet with an unknown record (0), or one that is cut short (1)";
}
