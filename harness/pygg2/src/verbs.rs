//! What a scenario can ask of an endpoint beside what every protocol knows.

kit::numbered_table! {
    /// The protocol's own verbs, by number.
    VERBS: [Verb];
    VERB_GAMEMODE = "gamemode" ["value"], "to the server: what complete updates say of the game mode";
    VERB_COMPLETE_UPDATE = "complete_update" ["client"], "to the server: send a complete update to a client, or to all (0)";
    VERB_UNKNOWN_BASE = "unknown_base" ["client", "count"],
        "to the server: name a base that nobody has, in the next snapshots to a client";
    VERB_NONSENSE = "nonsense" ["client", "kind"],
        "to the server: send a client a packet with an unknown record (0), or one that is cut short (1)";
    VERB_INPUT = "input" ["inputstate", "aimdirection"], "to a client: keys and aim, from the next input update on";
    VERB_JUMP = "jump" [], "to a client: jump";
    VERB_CHANGECLASS = "changeclass" ["class"], "to a client: ask for another class";
    VERB_ACKNOWLEDGE = "acknowledge" ["ahead"],
        "to a client: send one input update at once that acknowledges so far ahead of what was received";
    VERB_STRAY = "stray" [], "to a client that is not connected: send an input update all the same";
    VERB_CLIENT_NONSENSE = "client_nonsense" ["kind"],
        "to a client: send a packet with an unknown record (0), or one that is cut short (1)";
}
