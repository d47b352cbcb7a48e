//! What an endpoint reports of itself, beside what it shows.

use kit::Event;

kit::numbered_table! {
    /// The notes, by number.
    NOTES: [Note];
    VIEW_CHANGED = "view" ["entity"], "a client in the game looks through an entity's eyes";
    SOUND_PLAYED = "sound" ["sound"], "a client in the game plays a sound";
    CSQC_GONE = "csqc entity gone" ["entity"], "a client in the game drops an entity of the game's own code";
    EFFECT_OF = "effect" ["entity"], "a client in the game plays a sound or shows a beam, which begins at an entity";
    STALE = "stale datagram" ["sequence"], "an endpoint drops a datagram that is not newer than one before";
    REPLY_NOT_SENT = "reply not sent" ["bytes"], "a client has too many bytes queued to answer";
    ABSENT_CLIENT = "stat of absent client" ["client"], "a server is to set a statistic of a client that is not there";
    COMMAND_IGNORED = "command ignored" [], "an instruction makes no sense to an endpoint";
}

/// The name of a note.
pub fn name(note: usize) -> &'static str {
    NOTES.get(note).map_or("unknown note", |row| row.name)
}

/// A note with one argument, or with 0 for none.
pub fn note(note: usize, arg: i64) -> Event {
    Event::Note { note, args: [arg, 0, 0, 0] }
}
