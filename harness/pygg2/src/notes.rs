//! What an endpoint says of itself in the trace, and how the value is put together.

/// Note of an endpoint: an instruction made no sense to it.
pub const COMMAND_IGNORED: &str = "command ignored";
/// Note of a client: an event was applied; `created << 8 | id of the record`.
pub const EVENT_APPLIED: &str = "event applied";
/// Note of a client: a snapshot was applied; the number of its packet.
pub const SNAPSHOT_APPLIED: &str = "snapshot applied";
/// Note of a client: a packet was dropped, as its base is missing; the base's number.
pub const BASE_MISSING: &str = "base missing";
/// Note of the server: a player jumps; `player << 32 | time`.
pub const JUMPED: &str = "jump";
/// Note of the server: a client asks for a class that there is not.
pub const NO_SUCH_CLASS: &str = "no such class";
