//! What an endpoint reports of itself, beside what it shows.

kit::numbered_table! {
    /// The notes, by number.
    NOTES: [Note];
    SOUND_PLAYED = "sound" ["number", "entity", "channel"], "A client in the game plays a sound.";
    ANGLE_SET = "set angle" ["yaw"], "A client's view is turned: the yaw, as the bits of a 32-bit float in degrees.";
    DAMAGE_TAKEN = "damage" ["armor", "blood"], "A client's player is hurt.";
    PARTICLES = "particle" ["count"], "A client in the game shows a burst of particles.";
    STATIC_SOUND = "static sound" ["number"], "A client begins a sound that never stops.";
    VIEW_PITCH = "view pitch" ["client", "pitch"], "A server applies a move that changes the pitch: bits of a float in degrees.";
    VIEW_YAW = "view yaw" ["client", "yaw"], "A server applies a move that changes the yaw: bits of a float in degrees.";
    VIEW_ROLL = "view roll" ["client", "roll"], "A server applies a move that changes the roll: bits of a float in degrees.";
    IMPULSE = "impulse" ["client", "impulse"], "A server applies a move with an impulse.";
    STALE = "stale datagram" ["sequence"], "An endpoint discards a datagram, a fragment or an ack out of turn.";
    COMMAND_IGNORED = "command ignored" [], "An instruction makes no sense to an endpoint.";
    REPLY_NOT_SENT = "reply not sent" ["bytes"], "A client has too many bytes queued to answer.";
}
