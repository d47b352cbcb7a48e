//! Numbers of the concept and of its profile [`crate::requirements::P1`], by the names that they have there.

/// Server to client: the answer to a good hello.
pub const S2C_HI: u8 = 0;
/// Server to client: a player joins.
pub const S2C_JOIN: u8 = 1;
/// Server to client: the complete update.
pub const S2C_COMPLETE_UPDATE: u8 = 3;
/// Server to client: a snapshot, XORed over its base.
pub const S2C_SNAPSHOT: u8 = 4;
/// Server to client: the hello was refused.
pub const S2C_REFUSE: u8 = 6;
/// Server to client: a player changes team.
pub const S2C_CHANGETEAM: u8 = 8;
/// Server to client: a player changes class.
pub const S2C_CHANGECLASS: u8 = 9;
/// Server to client: a player spawns.
pub const S2C_SPAWN: u8 = 11;
/// Server to client: a player dies.
pub const S2C_DIE: u8 = 12;
/// Server to client: a player has left.
pub const S2C_LEFT: u8 = 13;
/// Server to client: a snapshot, XORed over its base, with runs of zeros shortened.
pub const S2C_SNAPSHOT_RUNS: u8 = 14;

/// Client to server: asks to be admitted.
pub const C2S_HELLO: u8 = 0;
/// Client to server: what the player does.
pub const C2S_INPUT: u8 = 5;
/// Client to server: the player changes class.
pub const C2S_CHANGECLASS: u8 = 9;
/// Client to server: the player jumps.
pub const C2S_JUMP: u8 = 10;
/// Client to server: the player leaves.
pub const C2S_DISCONNECT: u8 = 13;

/// A hello is refused for its password.
pub const REFUSE_PASSWORD: u8 = 1;
/// A hello is refused because there is no room.
pub const REFUSE_FULL: u8 = 2;

/// Bit of inputstate.
// GG2-BASE-02
pub const LEFT: u8 = 0x01;
/// Bit of inputstate.
pub const RIGHT: u8 = 0x02;
/// Bit of inputstate.
pub const UP: u8 = 0x04;
/// Bit of inputstate.
pub const MOUSELEFT: u8 = 0x08;
/// Bit of inputstate.
pub const MOUSERIGHT: u8 = 0x10;
/// The bits of inputstate that mean something; the others are written as 0, and ignored.
pub const INPUTSTATE_BITS: u8 = LEFT | RIGHT | UP | MOUSELEFT | MOUSERIGHT;

/// Bytes of a player's name, or a server's, with its length.
pub const NAME_BYTES: usize = 32;
/// Bytes of a map's name, with its length.
pub const MAP_BYTES: usize = 64;
/// Bytes of snapshot_player_base.
pub const BASE_BYTES: usize = 16;
/// Bytes of an input.
pub const INPUT_BYTES: u16 = 3;

/// Longest packet, in bytes.
pub const MAX_PACKET_BYTES: usize = 2048;
/// Most events that a player may leave unacknowledged.
pub const MAX_EVENTS: usize = 256;
/// Snapshots that both sides keep; a base is younger than this, counted in packets.
pub const BUFFERED: u16 = 32;
/// The version that hi tells.
pub const VERSION: u16 = 1;
/// Time between hellos, in microseconds.
pub const HELLO_US: u64 = 1_000_000;
/// After so long a silence the other side is taken for gone, in microseconds.
pub const SILENCE_US: u64 = 10_000_000;
/// A client that leaves says so for so long, in microseconds.
pub const LEAVING_US: u64 = 500_000;
/// Number of classes.
pub const CLASSES: i32 = 10;
/// Class.
pub const SCOUT: i32 = 0;
/// Class.
pub const PYRO: i32 = 1;
/// Class.
pub const SOLDIER: i32 = 2;
/// Class.
pub const HEAVY: i32 = 3;
/// Class.
pub const DEMOMAN: i32 = 4;
/// Class.
pub const MEDIC: i32 = 5;
/// Class.
pub const ENGINEER: i32 = 6;
/// Class.
pub const SPY: i32 = 7;
/// Class.
pub const SNIPER: i32 = 8;
/// Class.
pub const QUOTE: i32 = 9;
/// Server to client, before any snapshot: sequence, delta_sequence, last_acked_sequence, in bytes.
pub const SERVER_HEADER_BYTES: usize = 6;
/// Before the payload of a record: when it was created, and its id, in bytes.
pub const RECORD_BYTES: usize = 3;

/// State of a connection: there is none.
pub const OUTSIDE: &str = "outside";
/// State of a connection: the client's player is in the game.
pub const INSIDE: &str = "inside";
