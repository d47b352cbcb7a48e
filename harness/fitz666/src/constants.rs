//! Numbers of the protocol that are not those of NetQuake, and limits of the machines.

pub use netquake::constants::{PROTOCOL_FITZQUAKE, PROTOCOL_NETQUAKE, PROTOCOL_RMQ};

/// Most names of models, or of sounds, that a server announces.
pub const MAX_PRECACHES: usize = 2048;
/// Largest number of an entity.
pub const MAX_ENTITY: u32 = 32_767;
/// Most clients.
pub const MAX_CLIENTS: u16 = 16;
/// Time without an ack after which engines send a fragment again, in microseconds.
pub const RESEND_US: u64 = 1_000_000;
/// Time after a connection's acceptance in which a repeated request is answered with it again, in microseconds.
pub const REPEAT_US: u64 = 2_000_000;
/// Time after which a client asks for its connection again, in microseconds.
pub const REQUEST_US: u64 = 2_500_000;
/// Time after an accept with nothing after it after which a client asks again, in microseconds: what came after it was
/// sent once, and is lost.
pub const SILENCE_US: u64 = 5_000_000;
/// Time between the nops of a client that is not yet in the game, in microseconds.
pub const NOP_US: u64 = 5_000_000;
/// The command with which a client gives a server its number back.
pub const CHALLENGE_CONNECT: &[u8] = b"challengeconnect";
/// How often a client asks for its connection: more often than engines do, which leave it to the player to try again.
pub const REQUESTS: u32 = 24;
