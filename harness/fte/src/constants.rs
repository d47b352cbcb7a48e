//! Numbers of the FTE extensions, named as the source document names them.

pub use netquake::constants::{PROTOCOL_VERSION_FTE, PROTOCOL_VERSION_FTE2};
pub use quakeworld::PROTOCOL_VERSION_QW;

/// FTE1 mask: coords are IEEE singles, angles 16 bit.
pub const PEXT_FLOATCOORDS: u32 = 0x8000;
/// FTE1 mask: static entities and baselines as QuakeWorld deltas; replacement deltas take precedence.
pub const PEXT_SPAWNSTATIC2: u32 = 0x40_0000;
/// FTE1 mask: entities that the game's own code defines.
pub const PEXT_CSQC: u32 = 0x4000_0000;
/// FTE1 mask: what replacement deltas make obsolete. PEXT_SCALE, PEXT_TRANS, PEXT_ACCURATETIMINGS, PEXT_FATNESS,
/// PEXT_HULLSIZE, PEXT_MODELDBL, PEXT_ENTITYDBL, PEXT_ENTITYDBL2, PEXT_COLOURMOD, PEXT_SPAWNSTATIC2,
/// PEXT_256PACKETENTITIES, PEXT_SETATTACHMENT and PEXT_DPFLAGS.
pub const PEXT_OBSOLETE: u32 = 0x8948_794a;
/// FTE2 mask: replacement deltas.
pub const PEXT2_REPLACEMENTDELTAS: u32 = 0x8;
/// FTE2 mask: stats by the nack mechanism, movement sequence, view angles in the pred block.
pub const PEXT2_PREDINFO: u32 = 0x20;

/// Largest entity number: 22 bits.
pub const MAX_ENTITY: u32 = (1 << 22) - 1; // FTE-ENT-12
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
/// Statistic as a byte, on NetQuake only.
pub const SVC_UPDATESTATBYTE: u8 = 51;
/// A model or sound name, late; on NetQuake with any FTE2 extension.
pub const SVC_PRECACHE: u8 = 54;
/// Statistic as text.
pub const SVC_UPDATESTATSTRING: u8 = 78;
/// Statistic as a float.
pub const SVC_UPDATESTATFLOAT: u8 = 79;
/// `clcfte_ackframe`.
pub const CLC_ACKFRAME: u8 = 50;

/// Bit 15 of an entity index: the entity is removed.
pub const INDEX_REMOVE: u16 = 0x8000;
/// Bit 14 of an entity index: a byte with bits 14 to 21 of the number follows.
pub const INDEX_EXTEND: u16 = 0x4000;
/// The bits of the number in an entity index.
pub const INDEX_NUMBER: u16 = 0x3fff;

/// Updated frame.
pub const UF_FRAME: u64 = 1 << 0;
/// Updated x and y.
pub const UF_ORIGINXY: u64 = 1 << 1;
/// Updated z.
pub const UF_ORIGINZ: u64 = 1 << 2;
/// Updated pitch and roll.
pub const UF_ANGLESXZ: u64 = 1 << 3;
/// Updated yaw.
pub const UF_ANGLESY: u64 = 1 << 4;
/// Updated effects; see [`UF_EFFECTS2`].
pub const UF_EFFECTS: u64 = 1 << 5;
/// A pred block follows.
pub const UF_PREDINFO: u64 = 1 << 6;
/// A second flag byte follows.
pub const UF_EXTEND1: u64 = 1 << 7;
/// Start from the baseline.
pub const UF_RESET: u64 = 1 << 8;
/// Frame, model, skin and second model are 16 bit wide in this update.
pub const UF_16BIT: u64 = 1 << 9;
/// Updated model.
pub const UF_MODEL: u64 = 1 << 10;
/// Updated skin.
pub const UF_SKIN: u64 = 1 << 11;
/// Updated colormap.
pub const UF_COLORMAP: u64 = 1 << 12;
/// Updated size.
pub const UF_SOLID: u64 = 1 << 13;
/// Updated flags.
pub const UF_FLAGS: u64 = 1 << 14;
/// A third flag byte follows.
pub const UF_EXTEND2: u64 = 1 << 15;
/// Updated alpha.
pub const UF_ALPHA: u64 = 1 << 16;
/// Updated scale.
pub const UF_SCALE: u64 = 1 << 17;
/// Unused in the source document; bone data under an extension that we never negotiate.
pub const UF_UNUSED18: u64 = 1 << 18;
/// Updated drawflags.
pub const UF_DRAWFLAGS: u64 = 1 << 19;
/// Updated attachment.
pub const UF_TAGINFO: u64 = 1 << 20;
/// Updated dynamic light.
pub const UF_LIGHT: u64 = 1 << 21;
/// Updated trail (and emit) effect.
pub const UF_TRAILEFFECT: u64 = 1 << 22;
/// A fourth flag byte follows.
pub const UF_EXTEND3: u64 = 1 << 23;
/// Updated colour modulation.
pub const UF_COLORMOD: u64 = 1 << 24;
/// Updated glow.
pub const UF_GLOW: u64 = 1 << 25;
/// Updated fatness.
pub const UF_FATNESS: u64 = 1 << 26;
/// Updated second model.
pub const UF_MODELINDEX2: u64 = 1 << 27;
/// Updated direction of gravity.
pub const UF_GRAVITYDIR: u64 = 1 << 28;
/// With [`UF_EFFECTS`]: effects are 32 bit. Alone: 16 bit.
pub const UF_EFFECTS2: u64 = 1 << 29;
/// Unused; an error when received.
pub const UF_UNUSED30: u64 = 1 << 30;
/// Unused; an error when received.
pub const UF_EXTEND4: u64 = 1 << 31;

/// Names of the UF flags, by bit.
pub const UF_NAMES: [&str; 32] = [
    "UF_FRAME",
    "UF_ORIGINXY",
    "UF_ORIGINZ",
    "UF_ANGLESXZ",
    "UF_ANGLESY",
    "UF_EFFECTS",
    "UF_PREDINFO",
    "UF_EXTEND1",
    "UF_RESET",
    "UF_16BIT",
    "UF_MODEL",
    "UF_SKIN",
    "UF_COLORMAP",
    "UF_SOLID",
    "UF_FLAGS",
    "UF_EXTEND2",
    "UF_ALPHA",
    "UF_SCALE",
    "UF_UNUSED18",
    "UF_DRAWFLAGS",
    "UF_TAGINFO",
    "UF_LIGHT",
    "UF_TRAILEFFECT",
    "UF_EXTEND3",
    "UF_COLORMOD",
    "UF_GLOW",
    "UF_FATNESS",
    "UF_MODELINDEX2",
    "UF_GRAVITYDIR",
    "UF_EFFECTS2",
    "UF_UNUSED30",
    "UF_EXTEND4",
];

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

/// Acknowledgements that a client can owe; of more, the oldest are dropped.
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
