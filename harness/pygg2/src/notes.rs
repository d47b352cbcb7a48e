//! What an endpoint reports of itself in the trace.

kit::numbered_table! {
    /// The notes, by number.
    NOTES: [Note];
    COMMAND_IGNORED = "command ignored" [], "an end: an instruction made no sense to it";
    EVENT_APPLIED = "event applied" ["created", "record"], "a client: it applied an event";
    SNAPSHOT_APPLIED = "snapshot applied" ["sequence"], "a client: it applied the snapshot of a packet";
    BASE_MISSING = "base missing" ["base"], "a client: it dropped a packet whose base it lacks";
    JUMPED = "jump" ["player", "time"], "the server: a player jumps";
    NO_SUCH_CLASS = "no such class" ["class"], "the server: a client asks for a class that there is not";
}
