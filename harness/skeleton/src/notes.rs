//! What the two ends report of themselves.

kit::numbered_table! {
    /// The notes, by number.
    NOTES: [Note];
    NOTE_IGNORED = "command ignored" [], "an instruction made no sense";
    NOTE_APPLIED = "snapshot applied" ["number"], "a client applied a snapshot";
    NOTE_NOT_APPLIED = "snapshot not applied" ["number"], "a client received a snapshot that is old, or whose base it lacks";
}
