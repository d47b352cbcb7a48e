//! What an endpoint says of itself in the trace, and how the value is put together.

/// Note of a client in the game: the number of a sound that it plays.
pub const SOUND_PLAYED: &str = "sound";
/// Note of a client in the game, behind that of a sound's number: where it comes from, 256 times the entity plus the
/// channel.
pub const SOUND_SOURCE: &str = "sound source";
/// Note of a client in the game: the yaw that its view is turned to, as bits of an `f32`.
pub const ANGLE_SET: &str = "set angle";
/// Note of a client in the game: its player is hurt; armour times 256 plus blood.
pub const DAMAGE_TAKEN: &str = "damage";
/// Note of a client in the game: a burst of so many particles.
pub const PARTICLES: &str = "particle";
/// Note of a client: the number of a sound that never stops.
pub const STATIC_SOUND: &str = "static sound";
/// Note of a server that applies a move which changes it: the client times 2^32, and the bits of the view's pitch in
/// degrees. A view begins at 0.
pub const VIEW_PITCH: &str = "view pitch";
/// Note of a server that applies a move which changes it: the client times 2^32, and the bits of the view's yaw.
pub const VIEW_YAW: &str = "view yaw";
/// Note of a server that applies a move which changes it: the client times 2^32, and the bits of the view's roll.
pub const VIEW_ROLL: &str = "view roll";
/// Note of a server that applies a move with an impulse: the client times 2^32, and the impulse.
pub const IMPULSE: &str = "impulse";
/// Note of an endpoint: a datagram older than one before, or a fragment or an ack out of turn; its sequence.
pub const STALE: &str = "stale datagram";
/// Note of an endpoint: an instruction made no sense to it.
pub const COMMAND_IGNORED: &str = "command ignored";
