//! What an endpoint says of itself in the trace, and how the value is put together.

/// Note of a client: a sound that it plays: its number times 65536, and entity and channel as they were told, or 0.
pub const NOTE_SOUND_PLAYED: &str = "sound";
/// Note of a client: an effect that it shows; its kind.
pub const NOTE_EFFECT_SHOWN: &str = "temp entity";
/// Note of a client: somebody fires: the entity times 256, and the kind.
pub const NOTE_MUZZLEFLASH: &str = "muzzleflash";
/// Note of a client: a layout that it shows: the number at the end of its text.
pub const NOTE_LAYOUT_SHOWN: &str = "layout";
/// Note of a client: an inventory that it was told: the number of its first item that there is, times 65536, and its count; -1 for none.
pub const NOTE_INVENTORY: &str = "inventory";
/// Note of a client in the game: a configstring that changed: its index times 2^32, and the number at the end of its text.
pub const NOTE_CONFIGSTRING: &str = "configstring";
/// Note of a client: a file is complete; its length.
pub const NOTE_DOWNLOADED: &str = "download bytes";
/// Note of a client, behind the length of a file: [`crate::machine::download::file_sum`] of its bytes.
pub const NOTE_DOWNLOAD_SUM: &str = "download sum";
/// Note of a client: there is no such file.
pub const NOTE_DOWNLOAD_REFUSED: &str = "download refused";
/// Note of a client: the number of a valid frame that it took.
pub const NOTE_FRAME: &str = "frame";
/// Note of a client: the number of a frame whose base it does not have.
pub const NOTE_INVALID_FRAME: &str = "invalid frame";
/// Note of a client: how far, on the axis that is farthest, its prediction of the place that a valid frame says was off, in eighths; of each frame for which it had one.
pub const NOTE_PREDICTION_ERROR: &str = "prediction error";
/// Note of a client: it leaves to come back over protocol 34; the revision that it was told.
pub const NOTE_FALLBACK: &str = "fall back";
/// Note of a server that takes a move: the client times 2^32, and the frame that it acknowledges as 32 bits.
pub const NOTE_MOVE: &str = "move";
/// Note of a server that takes a setting: the client times 2^32, and the index times 65536, and the value.
pub const NOTE_SETTING: &str = "setting";
/// Note of a server that finds a client at another port: the client times 2^32, and the port.
pub const NOTE_REBOUND: &str = "rebound";
/// Note of a server: a frame is held back for a client's rate: the client times 2^32, and the frame.
pub const NOTE_HELD_BACK: &str = "held back";
/// Note of an endpoint: a datagram older than one before; its number.
pub const NOTE_STALE: &str = "stale datagram";
/// Note of an endpoint: an instruction made no sense to it.
pub const NOTE_COMMAND_IGNORED: &str = "command ignored";
