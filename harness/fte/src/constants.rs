//! Numbers of the FTE extensions, named as the specification names them.

pub use netquake::constants::{PROTOCOL_VERSION_FTE, PROTOCOL_VERSION_FTE2};
pub use quakeworld::PROTOCOL_VERSION_QW;
pub use quakeworld::serverdata::{PEXT_SPLITSCREEN, PEXT2_MAXPLAYERS};

/// FTE1 mask: coords are IEEE singles, angles 16 bit.
pub const PEXT_FLOATCOORDS: u32 = 0x8000;
/// FTE1 mask: static entities and baselines as QuakeWorld deltas; replacement deltas take precedence.
pub const PEXT_SPAWNSTATIC2: u32 = 0x40_0000;
/// FTE1 mask: downloads in numbered chunks.
pub const PEXT_CHUNKEDDOWNLOADS: u32 = 0x2000_0000;
/// FTE1 mask: entities that the game's own code defines.
pub const PEXT_CSQC: u32 = 0x4000_0000;
/// FTE1 mask: what replacement deltas make obsolete. PEXT_SCALE, PEXT_TRANS, PEXT_ACCURATETIMINGS, PEXT_FATNESS,
/// PEXT_HULLSIZE, PEXT_MODELDBL, PEXT_ENTITYDBL, PEXT_ENTITYDBL2, PEXT_COLOURMOD, PEXT_SPAWNSTATIC2,
/// PEXT_256PACKETENTITIES, PEXT_SETATTACHMENT and PEXT_DPFLAGS.
pub const PEXT_OBSOLETE: u32 = 0x8948_794a;
/// FTE1 mask: light styles with a colour.
pub const PEXT_LIGHTSTYLECOL: u32 = 0x4;
/// FTE1 mask: effects of the server's own kinds.
pub const PEXT_CUSTOMTEMPEFFECTS: u32 = 0x80_0000;
/// FTE2 mask: moves have 32 buttons and a cursor.
pub const PEXT2_PRYDONCURSOR: u32 = 0x1;
/// FTE2 mask: voices.
pub const PEXT2_VOICECHAT: u32 = 0x2;
/// FTE2 mask: view angles can be turned by a difference.
pub const PEXT2_SETANGLEDELTA: u32 = 0x4;
/// FTE2 mask: sizes with an encoding in front of them, and bones.
pub const PEXT2_NEWSIZEENCODING: u32 = 0x40;
/// FTE2 mask: infos in parts.
pub const PEXT2_INFOBLOBS: u32 = 0x80;
/// FTE2 mask: the numbers of QuakeWorld's headers are big-endian and biased.
pub const PEXT2_STUNAWARE: u32 = 0x100;
/// FTE2 mask: another move.
pub const PEXT2_VRINPUTS: u32 = 0x200;
/// FTE2 mask: numbers as long as they need to be, and the end of interpolations.
pub const PEXT2_LERPTIME: u32 = 0x400;
/// FTE2 mask: replacement deltas.
pub const PEXT2_REPLACEMENTDELTAS: u32 = 0x8;
/// FTE2 mask: stats by the nack mechanism, movement sequence, view angles in the pred block.
pub const PEXT2_PREDINFO: u32 = 0x20;

/// Largest entity number: 22 bits.
pub const MAX_ENTITY: u32 = (1 << 22) - 1; // FTE-ENT-12
/// Players that a NetQuake session has room for. QuakeWorld's says nothing of it.
pub const PLAYER_SLOTS: u8 = 8;
/// Frames of history that a server logs ("64 or so").
pub const LOG_FRAMES: usize = 64;
/// The acknowledgement that asks for a reset of everything.
pub const ACK_RESET: u32 = u32::MAX;

/// `svcfte_updateentities`.
pub const SVC_UPDATEENTITIES: u8 = 86;
/// `svcfte_spawnbaseline2`.
pub const SVC_SPAWNBASELINE2: u8 = 66;
/// `svcfte_spawnstatic2`.
pub const SVC_SPAWNSTATIC2: u8 = 21;
/// `svcfte_csqcentities`.
pub const SVC_CSQCENTITIES: u8 = 76;
/// The same, as FTEQW numbers it on NetQuake.
pub const SVC_CSQCENTITIES_NETQUAKE: u8 = 58;
/// Statistic as a byte, on NetQuake only.
pub const SVC_UPDATESTATBYTE: u8 = 51;
/// A model or sound name, late; on NetQuake with any FTE2 extension.
pub const SVC_PRECACHE: u8 = 54;
/// Statistic as text.
pub const SVC_UPDATESTATSTRING: u8 = 78;
/// Statistic as a float.
pub const SVC_UPDATESTATFLOAT: u8 = 79;
/// Effects of the server's own kinds.
pub const SVC_CUSTOMTEMPENT: u8 = 67;
/// [`SVC_CSQCENTITIES`] with the length of each entity's content in front of it.
pub const SVC_CSQCENTITIES_SIZED: u8 = 92;
/// `clcfte_ackframe`.
pub const CLC_ACKFRAME: u8 = 50;
/// The moves of `PEXT2_VRINPUTS`, with acknowledgements.
pub const CLC_FTE_MOVE: u8 = 85;

/// Bit 15 of an entity index: the entity is removed.
pub const INDEX_REMOVE: u16 = 0x8000;
/// Bit 14 of an entity index: a byte with bits 14 to 21 of the number follows.
pub const INDEX_EXTEND: u16 = 0x4000;
/// The bits of the number in an entity index.
pub const INDEX_NUMBER: u16 = 0x3fff;

/// Pred block: forward speed follows.
pub const UFP_FORWARD: u64 = 1 << 0;
/// Pred block: side speed follows.
pub const UFP_SIDE: u64 = 1 << 1;
/// Pred block: up speed follows.
pub const UFP_UP: u64 = 1 << 2;
/// Pred block: movetype follows.
pub const UFP_MOVETYPE: u64 = 1 << 3;
/// Pred block: velocity x and y follow.
pub const UFP_VELOCITYXY: u64 = 1 << 4;
/// Pred block: velocity z follows.
pub const UFP_VELOCITYZ: u64 = 1 << 5;
/// Pred block: age of the input follows.
pub const UFP_MSEC: u64 = 1 << 6;
/// Pred block: weaponframe, or with PREDINFO negotiated the view angles, follow.
pub const UFP_WEAPONFRAME: u64 = 1 << 7;

/// Statistic that carries the weaponframe when PREDINFO is negotiated.
pub const STAT_WEAPONFRAME: u8 = 5;
/// Health, weapon, ammunition and armour, the ammunition of each kind, the weapon held, and items: what `svc_clientdata` has.
pub const CLIENTDATA_STATS: [u8; 10] = [0, 2, 3, 4, 6, 7, 8, 9, 10, 15];

/// Acknowledgements that a client can have pending; of more, the oldest are dropped.
pub const MAX_ACKS: usize = 64;

/// Names of fields, as errors about them say.
pub mod field_names {
    /// The number of a service.
    pub const SVC: &str = "svc";
    /// The number of a client's command.
    pub const CLC: &str = "clc";
    /// The protocol, or the key of a mask, that a session announces.
    pub const PROTOCOL_VERSION: &str = "protocol version";
    /// A mask that a session announces.
    pub const EXTENSION_MASK: &str = "extension mask";
    /// A regular entity number.
    pub const ENTITY_NUMBER: &str = "entity number";
    /// The index that begins an entry.
    pub const ENTITY_INDEX: &str = "entity index";
    /// The flags of an update.
    pub const UPDATE_FLAGS: &str = "UF flags";
    /// The movement sequence of an update message, and of a move.
    pub const MOVEMENT_SEQUENCE: &str = "movement sequence";
    /// The server time of an update message.
    pub const SERVER_TIME: &str = "servertime";
    /// The number that an acknowledgement names.
    pub const FRAME_NUMBER: &str = "frame";
    /// The flags of a pred block.
    pub const PREDBITS: &str = "predbits";
}
