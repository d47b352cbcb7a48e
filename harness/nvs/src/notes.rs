//! What an endpoint says of itself in the trace, and how the value is put together.

/// Note of an endpoint: an instruction made no sense to it.
pub const COMMAND_IGNORED: &str = "command ignored";
/// Note of the server: the version that QuakeC's world entity shows, in hundredths, when it changes.
pub const WORLD_SVC: &str = "world nvs_svc";
/// Note of the server: the version that QuakeC's entity of a player shows, when it changes: `client << 32 | hundredths`.
pub const PLAYER_SVC: &str = "player nvs_svc";
/// Notes of the server: a view angle that a client's move changed: `client << 32 | the bits of an f32`.
pub const VIEW_ANGLES: [&str; 3] = ["view pitch", "view yaw", "view roll"];
/// Note of the server: bytes did not fit into a buffer; the number of the buffer's client, 0 for a common one.
pub const OVERFLOW: &str = "overflow";
/// Note of the server: a BROADCAST that a table lists had room in a client's unreliable buffer:
/// `client << 32 | the bytes in it before`.
pub const BROADCAST_FITS: &str = "broadcast fits";
/// Note of the server: such a BROADCAST had no room, and that client does without; the number is as for
/// [`BROADCAST_FITS`].
pub const BROADCAST_DROPPED: &str = "broadcast dropped";
/// Note of a client: the server's version, in hundredths, when it is told.
pub const TOLD_SSVC: &str = "ssvc";
/// Note of a client: its version of services, in hundredths, when it is told.
pub const TOLD_CSVC: &str = "csvc";
/// Note of a client: its version of commands, in hundredths, when it is told.
pub const TOLD_CCLC: &str = "cclc";
/// Note of a client: the limits that it was told: `edicts | statics << 16 | temporaries << 32`.
pub const TOLD_LIMITS: &str = "limit";
/// Notes of a client: its view was turned; the bits of an `f32` each.
pub const SET_ANGLES: [&str; 3] = ["set angle pitch", "set angle yaw", "set angle roll"];
/// Note of a client: how many explosions it has seen in this connection.
pub const EXPLOSION: &str = "explosion";
/// Note of a client: where the explosion was: `x | y << 16 | z << 32`, each the low 16 bits of eighths of a unit.
pub const EXPLOSION_ORIGIN: &str = "explosion origin";
/// Note of a client: the explosion's colour, if it came: red, green, blue, alpha, 16 bits each, red lowest, in eighths.
pub const EXPLOSION_COLOR: &str = "explosion color";
/// Note of a client: how many bursts of particles it has seen in this connection.
pub const PARTICLES: &str = "particles";
/// Note of a client: where the burst was, as [`EXPLOSION_ORIGIN`].
pub const PARTICLES_ORIGIN: &str = "particles origin";
/// Note of a client: what the burst looks like: direction x, y, z, count, colour, 8 bits each, x lowest.
pub const PARTICLES_LOOK: &str = "particles look";
/// Note of a client: another temporary entity than an explosion; its number.
pub const TEMP_ENTITY: &str = "temp entity";
/// Note of a client: it was hurt: `armor | blood << 8`.
pub const DAMAGE: &str = "damage";
/// Note of a client: a message that a table lists and that has no note of its own: `service << 8 | sub`.
pub const LISTED: &str = "listed message";
/// Note of a client: a value of such a message, in the order of the message: the bits of an `f32` for floats, coords and
/// angles, a number otherwise, the length of a string.
pub const LISTED_VALUE: &str = "listed value";
/// Note of a client: another message of the game's than those above, and no part of the sign-on; its service number.
pub const SERVICE: &str = "service";
