//! Numbers of the wire, and limits.

/// First byte of a snapshot.
pub const SNAPSHOT: u8 = 1;
/// First byte of an acknowledgement.
pub const ACK: u8 = 2;
/// The mask of an entity that is gone. Otherwise bit `n` says that field `n` follows.
pub const REMOVED: u8 = 0x80;
/// A snapshot is remembered, as a base for others, until this many newer ones were sent.
pub const HISTORY: u32 = 32;
/// A server forgets a client that says nothing for so long, in microseconds.
pub const SILENCE_US: u64 = 2_000_000;
/// Most clients of a server.
pub const MAX_CLIENTS: u16 = 64;
