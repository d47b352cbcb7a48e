//! What an endpoint says of itself in the trace, and how the value is put together.

/// Note of a client in the game: the entity through whose eyes it looks.
pub const VIEW_CHANGED: &str = "view";
/// Note of a client in the game: the number of a sound that it plays.
pub const SOUND_PLAYED: &str = "sound";
/// Note of a client in the game: the number of an entity of the game's own code that is gone.
pub const CSQC_GONE: &str = "csqc entity gone";
/// Note of an endpoint: an instruction made no sense to it.
pub const COMMAND_IGNORED: &str = "command ignored";
