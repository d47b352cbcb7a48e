//! Numbers of protocols 34 and 35, named as the specification and the engines' headers name them.

/// Quake II 3.20.
pub const PROTOCOL_ORIGINAL: u32 = 34;
/// R1Q2.
pub const PROTOCOL_R1Q2: u32 = 35;
/// Q2PRO; known here only as a form of `connect`.
pub const PROTOCOL_Q2PRO: u32 = 36;

/// The revision that the specification describes.
pub const MINOR_SOURCE: u16 = 1901;
/// The first revision with `clc_setting`, and without view angles of the living.
pub const MINOR_SETTINGS: u16 = 1902;
/// The first revision whose serverdata ends with two more bytes; also what a client speaks that states none.
pub const MINOR_STRAFE: u16 = 1903;
/// The first revision with compact user commands.
pub const MINOR_USERCMD: u16 = 1904;
/// The first revision with a 32-bit solid, and the last there is.
pub const MINOR_SOLID: u16 = 1905;

/// Largest datagram over protocol 34, in bytes.
pub const MAX_MSGLEN_ORIGINAL: usize = 1400;
/// Largest datagram over protocol 35, in bytes.
pub const MAX_MSGLEN: usize = 4096;
/// What a client asks for unless configured otherwise, in bytes of payload.
pub const DEFAULT_MSGLEN: u32 = 1390;
/// The most that a client can ask for, in bytes of payload (erratum 6).
pub const MAX_PAYLOAD: u32 = 4086;

/// Entity numbers are below this.
pub const MAX_EDICTS: u32 = 1024;
/// Frames of history that engines keep: of a base that is older, a client may have nothing left (erratum 18).
pub const UPDATE_BACKUP: usize = 16;
/// Frames of history that our ends keep: no distance over protocol 35 names an older one.
pub const HISTORY: usize = 32;
/// Numbers of configstrings are below this.
pub const MAX_CONFIGSTRINGS: usize = 2080;
/// Counts of an inventory.
pub const MAX_ITEMS: usize = 256;
/// Statistics of a player.
pub const MAX_STATS: usize = 32;
/// Most bytes of area bits in a frame.
pub const MAX_AREA_BYTES: usize = 32;
/// Directions are numbered below this.
pub const NUMVERTEXNORMALS: u8 = 162;

/// The bits of a command byte that say which service it is.
pub const SVC_MASK: u8 = 0x1f;

/// `svc_muzzleflash`.
pub const SVC_MUZZLEFLASH: u8 = 1;
/// `svc_muzzleflash2`.
pub const SVC_MUZZLEFLASH2: u8 = 2;
/// `svc_temp_entity`.
pub const SVC_TEMP_ENTITY: u8 = 3;
/// `svc_layout`.
pub const SVC_LAYOUT: u8 = 4;
/// `svc_inventory`.
pub const SVC_INVENTORY: u8 = 5;
/// `svc_nop`.
pub const SVC_NOP: u8 = 6;
/// `svc_disconnect`.
pub const SVC_DISCONNECT: u8 = 7;
/// `svc_reconnect`.
pub const SVC_RECONNECT: u8 = 8;
/// `svc_sound`.
pub const SVC_SOUND: u8 = 9;
/// `svc_print`.
pub const SVC_PRINT: u8 = 10;
/// `svc_stufftext`.
pub const SVC_STUFFTEXT: u8 = 11;
/// `svc_serverdata`.
pub const SVC_SERVERDATA: u8 = 12;
/// `svc_configstring`.
pub const SVC_CONFIGSTRING: u8 = 13;
/// `svc_spawnbaseline`.
pub const SVC_SPAWNBASELINE: u8 = 14;
/// `svc_centerprint`.
pub const SVC_CENTERPRINT: u8 = 15;
/// `svc_download`.
pub const SVC_DOWNLOAD: u8 = 16;
/// `svc_playerinfo`: inside a frame of protocol 34 alone.
pub const SVC_PLAYERINFO: u8 = 17;
/// `svc_packetentities`: inside a frame of protocol 34 alone.
pub const SVC_PACKETENTITIES: u8 = 18;
/// `svc_deltapacketentities`: never sent.
pub const SVC_DELTAPACKETENTITIES: u8 = 19;
/// `svc_frame`.
pub const SVC_FRAME: u8 = 20;
/// `svc_zpacket`: from protocol 35 on.
pub const SVC_ZPACKET: u8 = 21;
/// `svc_zdownload`: from protocol 35 on.
pub const SVC_ZDOWNLOAD: u8 = 22;
/// `svc_playerupdate`: R1Q2 from 2007 on.
pub const SVC_PLAYERUPDATE: u8 = 23;
/// `svc_setting`: R1Q2 from 2007 on.
pub const SVC_SETTING: u8 = 24;

/// `clc_nop`.
pub const CLC_NOP: u8 = 1;
/// `clc_move`.
pub const CLC_MOVE: u8 = 2;
/// `clc_userinfo`.
pub const CLC_USERINFO: u8 = 3;
/// `clc_stringcmd`.
pub const CLC_STRINGCMD: u8 = 4;
/// `clc_setting`: from revision 1902 on.
pub const CLC_SETTING: u8 = 5;

/// The frame word of protocol 35: the bits of the frame's number.
pub const FRAME_NUMBER: u32 = (1 << OFFSET_SHIFT) - 1;
/// The specification: a count of frames held back is never more than this. It does not say what a server does that holds back more.
pub const MOST_SPECIFIED: u8 = 9;
/// What is newer by so much was sent before numbers ran out: half of what there are.
const HALF_OF_NUMBERS: i64 = 1 << (OFFSET_SHIFT - 1);

/// The number that is `more` frames after `number`: after the last of them, 134,217,727, comes 1 again, since 0 stands for no frame.
pub fn number_after(number: i32, more: i32) -> i32 {
    ((i64::from(number) - 1 + i64::from(more)).rem_euclid(FRAME_NUMBER.into()) + 1) as i32
}

/// Whether numbers have run out between frame `before` and frame `number`, and begun anew: nothing is subtracted across that.
pub fn has_begun_anew(before: i32, number: i32) -> bool {
    i64::from(before) - i64::from(number) > HALF_OF_NUMBERS
}
/// The frame word of protocol 35: where the offset of the base begins.
pub const OFFSET_SHIFT: u32 = 27;
/// The offset that stands for no base.
pub const NO_DELTA_OFFSET: u32 = 31;
/// What stands for no base where frames are counted: in a frame of protocol 34, and in every acknowledgement.
pub const NO_DELTA: i32 = -1;

/// Entity bit: x.
pub const U_ORIGIN1: u64 = 1 << 0;
/// Entity bit: y.
pub const U_ORIGIN2: u64 = 1 << 1;
/// Entity bit: yaw.
pub const U_ANGLE2: u64 = 1 << 2;
/// Entity bit: roll.
pub const U_ANGLE3: u64 = 1 << 3;
/// Entity bit: frame, a byte.
pub const U_FRAME8: u64 = 1 << 4;
/// Entity bit: event.
pub const U_EVENT: u64 = 1 << 5;
/// Entity bit: the entity is gone, and nothing follows.
pub const U_REMOVE: u64 = 1 << 6;
/// Entity bit: a second byte of bits follows.
pub const U_MOREBITS1: u64 = 1 << 7;
/// Entity bit: the number is a short.
pub const U_NUMBER16: u64 = 1 << 8;
/// Entity bit: z.
pub const U_ORIGIN3: u64 = 1 << 9;
/// Entity bit: pitch.
pub const U_ANGLE1: u64 = 1 << 10;
/// Entity bit: model.
pub const U_MODEL: u64 = 1 << 11;
/// Entity bit: renderfx, a byte; a long together with [`U_RENDERFX16`].
pub const U_RENDERFX8: u64 = 1 << 12;
/// Entity bit: effects, a byte; a long together with [`U_EFFECTS16`].
pub const U_EFFECTS8: u64 = 1 << 14;
/// Entity bit: a third byte of bits follows.
pub const U_MOREBITS2: u64 = 1 << 15;
/// Entity bit: skin, a byte; a long together with [`U_SKIN16`].
pub const U_SKIN8: u64 = 1 << 16;
/// Entity bit: frame, a short.
pub const U_FRAME16: u64 = 1 << 17;
/// Entity bit: renderfx, a short.
pub const U_RENDERFX16: u64 = 1 << 18;
/// Entity bit: effects, a short.
pub const U_EFFECTS16: u64 = 1 << 19;
/// Entity bit: second model.
pub const U_MODEL2: u64 = 1 << 20;
/// Entity bit: third model.
pub const U_MODEL3: u64 = 1 << 21;
/// Entity bit: fourth model.
pub const U_MODEL4: u64 = 1 << 22;
/// Entity bit: a fourth byte of bits follows.
pub const U_MOREBITS3: u64 = 1 << 23;
/// Entity bit: the position to interpolate from, or the far end of a beam.
pub const U_OLDORIGIN: u64 = 1 << 24;
/// Entity bit: skin, a short.
pub const U_SKIN16: u64 = 1 << 25;
/// Entity bit: looping sound.
pub const U_SOUND: u64 = 1 << 26;
/// Entity bit: size for prediction.
pub const U_SOLID: u64 = 1 << 27;

/// Names of the entity bits; empty where there is none.
pub const U_NAMES: [&str; 32] = [
    "U_ORIGIN1",
    "U_ORIGIN2",
    "U_ANGLE2",
    "U_ANGLE3",
    "U_FRAME8",
    "U_EVENT",
    "U_REMOVE",
    "U_MOREBITS1",
    "U_NUMBER16",
    "U_ORIGIN3",
    "U_ANGLE1",
    "U_MODEL",
    "U_RENDERFX8",
    "",
    "U_EFFECTS8",
    "U_MOREBITS2",
    "U_SKIN8",
    "U_FRAME16",
    "U_RENDERFX16",
    "U_EFFECTS16",
    "U_MODEL2",
    "U_MODEL3",
    "U_MODEL4",
    "U_MOREBITS3",
    "U_OLDORIGIN",
    "U_SKIN16",
    "U_SOUND",
    "U_SOLID",
    "",
    "",
    "",
    "",
];

/// Bit of renderfx: the entity is a line from its origin to its old origin.
pub const RF_BEAM: i32 = 128;
/// Bit of renderfx: the entity is interpolated from its old origin.
pub const RF_FRAMELERP: i32 = 64;

/// Player bit: kind of movement.
pub const PS_M_TYPE: u64 = 1 << 0;
/// Player bit: position; over protocol 35 x and y alone.
pub const PS_M_ORIGIN: u64 = 1 << 1;
/// Player bit: velocity; over protocol 35 x and y alone.
pub const PS_M_VELOCITY: u64 = 1 << 2;
/// Player bit: time of the state that the flags name.
pub const PS_M_TIME: u64 = 1 << 3;
/// Player bit: movement flags.
pub const PS_M_FLAGS: u64 = 1 << 4;
/// Player bit: gravity.
pub const PS_M_GRAVITY: u64 = 1 << 5;
/// Player bit: what is added to the angles of user commands.
pub const PS_M_DELTA_ANGLES: u64 = 1 << 6;
/// Player bit: height of the eye.
pub const PS_VIEWOFFSET: u64 = 1 << 7;
/// Player bit: angles of the view; over protocol 35 pitch and yaw alone.
pub const PS_VIEWANGLES: u64 = 1 << 8;
/// Player bit: what the view is kicked by.
pub const PS_KICKANGLES: u64 = 1 << 9;
/// Player bit: colour over the view.
pub const PS_BLEND: u64 = 1 << 10;
/// Player bit: field of view.
pub const PS_FOV: u64 = 1 << 11;
/// Player bit: model of the weapon.
pub const PS_WEAPONINDEX: u64 = 1 << 12;
/// Player bit: frame of the weapon; over protocol 34 with its offset and angles.
pub const PS_WEAPONFRAME: u64 = 1 << 13;
/// Player bit: rendering flags.
pub const PS_RDFLAGS: u64 = 1 << 14;

/// Names of the player bits, by number.
pub const PS_NAMES: [&str; 15] = [
    "PS_M_TYPE",
    "PS_M_ORIGIN",
    "PS_M_VELOCITY",
    "PS_M_TIME",
    "PS_M_FLAGS",
    "PS_M_GRAVITY",
    "PS_M_DELTA_ANGLES",
    "PS_VIEWOFFSET",
    "PS_VIEWANGLES",
    "PS_KICKANGLES",
    "PS_BLEND",
    "PS_FOV",
    "PS_WEAPONINDEX",
    "PS_WEAPONFRAME",
    "PS_RDFLAGS",
];

/// Extra flag of protocol 35: offset of the weapon.
pub const EPS_GUNOFFSET: u8 = 1 << 0;
/// Extra flag of protocol 35: angles of the weapon.
pub const EPS_GUNANGLES: u8 = 1 << 1;
/// Extra flag of protocol 35: z of the velocity.
pub const EPS_PMOVE_VELOCITY2: u8 = 1 << 2;
/// Extra flag of protocol 35: z of the position.
pub const EPS_PMOVE_ORIGIN2: u8 = 1 << 3;
/// Extra flag of protocol 35: roll of the view.
pub const EPS_VIEWANGLE2: u8 = 1 << 4;
/// Extra flag of protocol 35: statistics.
pub const EPS_STATS: u8 = 1 << 5;

/// Names of the extra flags, by number.
// R1Q2-PS-01
pub const EPS_NAMES: [&str; 6] =
    ["EPS_GUNOFFSET", "EPS_GUNANGLES", "EPS_PMOVE_VELOCITY2", "EPS_PMOVE_ORIGIN2", "EPS_VIEWANGLE2", "EPS_STATS"];

/// Movement: on foot.
pub const PM_NORMAL: i32 = 0;
/// Movement: flies through walls, over protocol 35 twice as fast.
pub const PM_SPECTATOR: i32 = 1;
/// Movement: dead.
pub const PM_DEAD: i32 = 2;

/// Sound flag: volume follows, in 1/255.
pub const SND_VOLUME: u8 = 1 << 0;
/// Sound flag: attenuation follows, in 1/64.
pub const SND_ATTENUATION: u8 = 1 << 1;
/// Sound flag: a position follows.
pub const SND_POS: u8 = 1 << 2;
/// Sound flag: entity and channel follow.
pub const SND_ENT: u8 = 1 << 3;
/// Sound flag: a delay follows, in milliseconds.
pub const SND_OFFSET: u8 = 1 << 4;

/// `svc_setting`: frames per second.
pub const SVSET_FPS: i32 = 1;

/// `clc_setting`: the client shows no weapon.
pub const CLSET_NOGUN: i16 = 0;
/// `clc_setting`: the client shows no blend.
pub const CLSET_NOBLEND: i16 = 1;
/// `clc_setting`: the client records, and so needs its view angles.
pub const CLSET_RECORDING: i16 = 2;
/// `clc_setting`: frames per second that the client wants.
pub const CLSET_FPS: i16 = 4;
