//! Numbers of NVS, under the names that its documents use.

/// The last service number there can be: bit 7 marks fast updates. What follows says which extra version it is.
pub const SVC_EXTRA_VERSION: u8 = 127;
/// [`SVC_EXTRA_VERSION`]: the three versions of NVS follow.
pub const VERSION_NVS: u8 = 1;
/// The server's limits, if a client asks.
pub const SVC_LIMIT: u8 = 126;
/// [`SVC_LIMIT`]: edicts, statics and temporaries follow.
pub const LIMIT_NVS: u8 = 1;

/// Bytes of an answer with the three versions.
pub const EXTRA_VERSION_BYTES: usize = 14;

/// The command that asks for versions.
pub const NVS_REQUEST: &[u8] = b"nvs_request";
/// What a server prints to a client that asks for none.
pub const NVS_REQUEST_USAGE: &[&[u8]] =
    &[b"nvs_request VERSION:\n", b"tells the server the newest version of a client\n"];
/// The command that asks for the server's limits.
pub const LIMIT_REQUEST: &[u8] = b"limit_request";

/// Destination: unreliable, to all.
pub const MSG_BROADCAST: u8 = 0;
/// Destination: reliable, to one.
pub const MSG_ONE: u8 = 1;
/// Destination: reliable, to all.
pub const MSG_ALL: u8 = 2;
/// Destination: the sign-on data of the level.
pub const MSG_INIT: u8 = 3;

/// Bytes of the sign-on data of a level.
pub const SIGNON_BYTES: usize = 8192;
/// Bytes of a client's reliable buffer.
pub const MESSAGE_BYTES: usize = 8000;
/// Bytes of the common reliable buffer of a frame.
pub const RELIABLE_DATAGRAM_BYTES: usize = 1024;
/// Bytes of the common unreliable buffer of a frame.
pub const DATAGRAM_BYTES: usize = 1024;
/// Bytes of a client's own unreliable buffer of a frame.
pub const CLIENT_DATAGRAM_BYTES: usize = 1024;
/// Bytes of messages in one unreliable datagram.
pub const PACKET_BYTES: usize = 1024;

/// Size of a string that a table assumes, its NUL included.
pub const STRING_BYTES: usize = 17;

/// Bytes of svc_limit.
pub const LIMIT_BYTES: usize = 8;
/// What this server sends to who asks for its limits: edicts, statics, temporaries.
pub const LIMITS: [i16; 3] = [600, 128, 64];

/// Statistic of a view: the server's version, in hundredths; at the server, what QuakeC's world entity shows.
pub const STAT_SSVC: u8 = 200;
/// Statistic of a client's view: its version of services, in hundredths.
pub const STAT_CSVC: u8 = 201;
/// Statistic of a client's view: its version of commands, in hundredths.
pub const STAT_CCLC: u8 = 202;
/// Statistic of a client's view: pitch; yaw and roll follow. Floats, in degrees.
pub const STAT_ANGLES: u8 = 203;
