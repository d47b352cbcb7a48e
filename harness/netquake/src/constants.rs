//! Numbers of NetQuake's datagram layer and of protocol 15, under their usual names.

/// Header: bits of the first long that hold the length of the whole datagram, header included.
pub const NETFLAG_LENGTH_MASK: u32 = 0x0000_ffff;
/// Header: a fragment of the reliable message.
pub const NETFLAG_DATA: u32 = 0x0001_0000;
/// Header: acknowledges one fragment; the datagram is the header alone.
pub const NETFLAG_ACK: u32 = 0x0002_0000;
/// Header: reserved; never sent.
pub const NETFLAG_NAK: u32 = 0x0004_0000;
/// Header: with [`NETFLAG_DATA`], the last fragment of the message.
pub const NETFLAG_EOM: u32 = 0x0008_0000;
/// Header: one complete unreliable message.
pub const NETFLAG_UNRELIABLE: u32 = 0x0010_0000;
/// Header: a control packet, which has no sequence.
pub const NETFLAG_CTL: u32 = 0x8000_0000;

/// The version of the datagram layer, sent in control packets; not the number of the game protocol.
pub const NET_PROTOCOL_VERSION: u8 = 3;
/// The game's name, sent in control packets.
pub const GAME_NAME: &[u8] = b"QUAKE";

/// Control: please let me in.
pub const CCREQ_CONNECT: u8 = 0x01;
/// Control: who are you?
pub const CCREQ_SERVER_INFO: u8 = 0x02;
/// Control: who plays in this slot?
pub const CCREQ_PLAYER_INFO: u8 = 0x03;
/// Control: which rule follows this one?
pub const CCREQ_RULE_INFO: u8 = 0x04;
/// Control: the connection is open.
pub const CCREP_ACCEPT: u8 = 0x81;
/// Control: the connection is refused, with a reason.
pub const CCREP_REJECT: u8 = 0x82;
/// Control: answer to [`CCREQ_SERVER_INFO`].
pub const CCREP_SERVER_INFO: u8 = 0x83;
/// Control: answer to [`CCREQ_PLAYER_INFO`].
pub const CCREP_PLAYER_INFO: u8 = 0x84;
/// Control: answer to [`CCREQ_RULE_INFO`].
pub const CCREP_RULE_INFO: u8 = 0x85;

/// Protocol number of NetQuake.
pub const PROTOCOL_NETQUAKE: u32 = 15;
/// Protocol number of FitzQuake.
pub const PROTOCOL_FITZQUAKE: u32 = 666;
/// Protocol number of RMQ: FitzQuake with `PRFL_*` flags in its serverinfo.
pub const PROTOCOL_RMQ: u32 = 999;

/// Serverinfo pair key `FTEX`: mask of the first set of FTE extensions.
pub const PROTOCOL_VERSION_FTE: u32 = u32::from_le_bytes(*b"FTEX");
/// Serverinfo pair key `FTE2`: mask of the second set of FTE extensions.
pub const PROTOCOL_VERSION_FTE2: u32 = u32::from_le_bytes(*b"FTE2");
/// Serverinfo pair key `MVD1`: mask of the ezQuake extensions.
pub const PROTOCOL_VERSION_EZQUAKE1: u32 = u32::from_le_bytes(*b"MVD1");
/// The bit of the `FTE2` mask that puts the game directory into the serverinfo.
pub const PEXT2_PREDINFO: u32 = 0x20;

/// Protocol 999: angles are shorts.
pub const PRFL_SHORTANGLE: u32 = 1 << 1;
/// Protocol 999: angles are floats, 16-bit ones included.
pub const PRFL_FLOATANGLE: u32 = 1 << 2;
/// Protocol 999: coords have 24 bits.
pub const PRFL_24BITCOORD: u32 = 1 << 3;
/// Protocol 999: coords are floats.
pub const PRFL_FLOATCOORD: u32 = 1 << 4;
/// Protocol 999: entities have a scale.
pub const PRFL_EDICTSCALE: u32 = 1 << 5;
/// Protocol 999: alpha is cleaned up.
pub const PRFL_ALPHASANITY: u32 = 1 << 6;
/// Protocol 999: coords are longs in sixteenths.
pub const PRFL_INT32COORD: u32 = 1 << 7;

kit::numbered! {
    /// The name of a server-to-client message as the field writes it, for reports; fast updates included.
    service_name;
    /// Nothing.
    SVC_NOP = 1, "svc_nop";
    /// The server closes the connection.
    SVC_DISCONNECT = 2, "svc_disconnect";
    /// A statistic: byte, long.
    SVC_UPDATE_STAT = 3, "svc_updatestat";
    /// The protocol number: long. Found in recordings only.
    SVC_VERSION = 4, "svc_version";
    /// The entity that the player sees through.
    SVC_SET_VIEW = 5, "svc_setview";
    /// A sound starts.
    SVC_SOUND = 6, "svc_sound";
    /// Server time: float.
    SVC_TIME = 7, "svc_time";
    /// Text for the console.
    SVC_PRINT = 8, "svc_print";
    /// Text for the client's command interpreter.
    SVC_STUFF_TEXT = 9, "svc_stufftext";
    /// Turns the player's view.
    SVC_SET_ANGLE = 10, "svc_setangle";
    /// A new map: protocol, limits, model and sound names.
    SVC_SERVER_INFO = 11, "svc_serverinfo";
    /// The flicker pattern of a light style.
    SVC_LIGHT_STYLE = 12, "svc_lightstyle";
    /// A player's name.
    SVC_UPDATE_NAME = 13, "svc_updatename";
    /// A player's frags.
    SVC_UPDATE_FRAGS = 14, "svc_updatefrags";
    /// The player's own state.
    SVC_CLIENT_DATA = 15, "svc_clientdata";
    /// A sound stops.
    SVC_STOP_SOUND = 16, "svc_stopsound";
    /// A player's colours.
    SVC_UPDATE_COLORS = 17, "svc_updatecolors";
    /// A burst of particles.
    SVC_PARTICLE = 18, "svc_particle";
    /// The player was hurt.
    SVC_DAMAGE = 19, "svc_damage";
    /// An entity without a number, for ever.
    SVC_SPAWN_STATIC = 20, "svc_spawnstatic";
    /// The state that an entity's updates differ from.
    SVC_SPAWN_BASELINE = 22, "svc_spawnbaseline";
    /// A short-lived effect.
    SVC_TEMP_ENTITY = 23, "svc_temp_entity";
    /// Pause on or off.
    SVC_SET_PAUSE = 24, "svc_setpause";
    /// A step of the sign-on.
    SVC_SIGN_ON_NUM = 25, "svc_signonnum";
    /// Text for the middle of the screen.
    SVC_CENTER_PRINT = 26, "svc_centerprint";
    /// One monster less.
    SVC_KILLED_MONSTER = 27, "svc_killedmonster";
    /// One secret found.
    SVC_FOUND_SECRET = 28, "svc_foundsecret";
    /// A sound that never stops.
    SVC_SPAWN_STATIC_SOUND = 29, "svc_spawnstaticsound";
    /// The map is over.
    SVC_INTERMISSION = 30, "svc_intermission";
    /// The episode is over: text.
    SVC_FINALE = 31, "svc_finale";
    /// Music.
    SVC_CD_TRACK = 32, "svc_cdtrack";
    /// The ordering screen of the shareware.
    SVC_SELL_SCREEN = 33, "svc_sellscreen";
    /// A text between maps.
    SVC_CUTSCENE = 34, "svc_cutscene";
}

kit::numbered! {
    /// The name of a client-to-server message as the field writes it, for reports.
    command_name;
    /// Nothing.
    CLC_NOP = 1, "clc_nop";
    /// The client leaves.
    CLC_DISCONNECT = 2, "clc_disconnect";
    /// The player's input.
    CLC_MOVE = 3, "clc_move";
    /// A console command for the server.
    CLC_STRING_CMD = 4, "clc_stringcmd";
}

kit::numbered! {
    /// The name of a temporary entity as the field writes it, for reports.
    temp_entity_name;
    /// A nail hits a wall.
    TE_SPIKE = 0, "TE_SPIKE";
    /// A super nail hits a wall.
    TE_SUPERSPIKE = 1, "TE_SUPERSPIKE";
    /// A bullet hits a wall.
    TE_GUNSHOT = 2, "TE_GUNSHOT";
    /// A rocket explodes.
    TE_EXPLOSION = 3, "TE_EXPLOSION";
    /// A tar baby explodes.
    TE_TAREXPLOSION = 4, "TE_TAREXPLOSION";
    /// Lightning of a shambler.
    TE_LIGHTNING1 = 5, "TE_LIGHTNING1";
    /// Lightning of a player.
    TE_LIGHTNING2 = 6, "TE_LIGHTNING2";
    /// A wizard's spike hits a wall.
    TE_WIZSPIKE = 7, "TE_WIZSPIKE";
    /// A knight's spike hits a wall.
    TE_KNIGHTSPIKE = 8, "TE_KNIGHTSPIKE";
    /// Lightning of the boss.
    TE_LIGHTNING3 = 9, "TE_LIGHTNING3";
    /// The boss rises from the lava.
    TE_LAVASPLASH = 10, "TE_LAVASPLASH";
    /// Somebody teleports.
    TE_TELEPORT = 11, "TE_TELEPORT";
    /// An explosion with colours.
    TE_EXPLOSION2 = 12, "TE_EXPLOSION2";
    /// A grappling hook's rope.
    TE_BEAM = 13, "TE_BEAM";
}

/// Sound: a volume byte follows; 255 without it.
pub const SND_VOLUME: u8 = 1 << 0;
/// Sound: an attenuation byte follows, in 1/64; 64 without it.
pub const SND_ATTENUATION: u8 = 1 << 1;
/// Sound, of peers with replacement deltas: more flags follow, as a number of one to nine bytes.
pub const SND_MOREFLAGS: u8 = 1 << 2;
// FITZ-DEF-03: this bit and the next.
/// Sound: entity and channel apart. Protocol 666 and peers with FTE extensions.
pub const SND_LARGEENTITY: u8 = 1 << 3;
/// Sound: the sound's number is a short. Protocol 666 and peers with FTE extensions.
pub const SND_LARGESOUND: u8 = 1 << 4;
/// Sound, of peers with replacement deltas: a short follows, 4,000 times the speed.
pub const SND_SPEED: u8 = 1 << 5;
/// Sound, of peers with replacement deltas: a short follows, the time to begin at in milliseconds.
pub const SND_TIMEOFS: u8 = 1 << 6;
/// Sound, of peers with replacement deltas: a byte follows, the speed in percent.
pub const SND_PITCHADJ: u8 = 1 << 7;
/// Of the flags behind [`SND_MOREFLAGS`]: three shorts follow, the velocity in 1/8 units a second.
pub const SND_MORE_VELOCITY: u64 = 1;
/// Volume of a sound without a volume.
pub const DEFAULT_SOUND_VOLUME: u8 = 255;
/// Attenuation of a sound without one, in 1/64.
pub const DEFAULT_SOUND_ATTENUATION: u8 = 64;

/// Fast update: a second byte of bits follows.
pub const U_MOREBITS: u32 = 1 << 0;
/// Fast update: origin x.
pub const U_ORIGIN1: u32 = 1 << 1;
/// Fast update: origin y.
pub const U_ORIGIN2: u32 = 1 << 2;
/// Fast update: origin z.
pub const U_ORIGIN3: u32 = 1 << 3;
/// Fast update: yaw.
pub const U_ANGLE2: u32 = 1 << 4;
/// Fast update: the entity moves in steps; a state without data.
pub const U_STEP: u32 = 1 << 5;
/// Fast update: frame.
pub const U_FRAME: u32 = 1 << 6;
/// Fast update: set in every one; distinguishes it from the other services.
pub const U_SIGNAL: u32 = 1 << 7;
/// Fast update: pitch.
pub const U_ANGLE1: u32 = 1 << 8;
/// Fast update: roll.
pub const U_ANGLE3: u32 = 1 << 9;
/// Fast update: model.
pub const U_MODEL: u32 = 1 << 10;
/// Fast update: colour map.
pub const U_COLORMAP: u32 = 1 << 11;
/// Fast update: skin.
pub const U_SKIN: u32 = 1 << 12;
/// Fast update: effects.
pub const U_EFFECTS: u32 = 1 << 13;
/// Fast update: the entity's number is a short.
pub const U_LONGENTITY: u32 = 1 << 14;
// FITZ-DEF-01: this bit, and those of protocol 666 below.
/// Fast update: a third byte of bits in protocol 666, something private in protocol 15; not read here.
pub const U_EXTEND1: u32 = 1 << 15;
/// Protocol 666: alpha follows.
pub const U_ALPHA: u32 = 1 << 16;
/// Protocol 666: the frame's high byte follows.
pub const U_FRAME2: u32 = 1 << 17;
/// Protocol 666: the model's high byte follows.
pub const U_MODEL2: u32 = 1 << 18;
/// Protocol 666: the time to the next frame follows.
pub const U_LERPFINISH: u32 = 1 << 19;
/// A scale follows, after alpha: no part of protocol 666, but one engine sends it there.
pub const U_SCALE: u32 = 1 << 20;
/// A fourth byte of bits; reserved.
pub const U_EXTEND2: u32 = 1 << 23;
/// Protocol 666: the bits of fast updates that are known.
pub const U_KNOWN: u32 = (1 << 21) - 1;

/// Clientdata: view height.
pub const SU_VIEWHEIGHT: u32 = 1 << 0;
/// Clientdata: ideal pitch.
pub const SU_IDEALPITCH: u32 = 1 << 1;
/// Clientdata: first punch angle; the other two are the next bits.
pub const SU_PUNCH1: u32 = 1 << 2;
/// Clientdata: first velocity axis; the other two are the next bits.
pub const SU_VELOCITY1: u32 = 1 << 5;
/// Clientdata: the bits that are known.
pub const SU_KNOWN: u32 = (1 << 26) - 1;
/// Clientdata: items, which follow in any case.
pub const SU_ITEMS: u32 = 1 << 9;
/// Clientdata: on the ground; no data.
pub const SU_ONGROUND: u32 = 1 << 10;
/// Clientdata: in water; no data.
pub const SU_INWATER: u32 = 1 << 11;
/// Clientdata: weapon frame.
pub const SU_WEAPONFRAME: u32 = 1 << 12;
/// Clientdata: armour.
pub const SU_ARMOR: u32 = 1 << 13;
/// Clientdata: weapon model.
pub const SU_WEAPON: u32 = 1 << 14;
// FITZ-DEF-02: this bit and those below.
/// Clientdata, protocol 666: bits 16 to 23 follow.
pub const SU_EXTEND1: u32 = 1 << 15;
/// Clientdata, protocol 666: high byte of the weapon model.
pub const SU_WEAPON2: u32 = 1 << 16;
/// Clientdata, protocol 666: high byte of the armour.
pub const SU_ARMOR2: u32 = 1 << 17;
/// Clientdata, protocol 666: high byte of the ammunition of the weapon in hand.
pub const SU_AMMO2: u32 = 1 << 18;
/// Clientdata, protocol 666: high byte of the first ammunition; the other three are the next bits.
pub const SU_SHELLS2: u32 = 1 << 19;
/// Clientdata, protocol 666: bits 24 to 31 follow.
pub const SU_EXTEND2: u32 = 1 << 23;
/// Clientdata, protocol 666: high byte of the weapon frame.
pub const SU_WEAPONFRAME2: u32 = 1 << 24;
/// Clientdata, protocol 666: transparency of the weapon.
pub const SU_WEAPONALPHA: u32 = 1 << 25;
/// View height of a player whose clientdata has none.
pub const DEFAULT_VIEWHEIGHT: i8 = 22;

/// Size of the header of data, acks and unreliable datagrams, in bytes.
pub const HEADER_BYTES: usize = 8;
/// Size of the header of a control packet, in bytes.
pub const CONTROL_HEADER_BYTES: usize = 4;
/// Largest datagram that the header can describe, in bytes.
pub const MAX_DATAGRAM_BYTES: usize = NETFLAG_LENGTH_MASK as usize;
/// Largest payload after the header, in bytes.
pub const MAX_PAYLOAD_BYTES: usize = MAX_DATAGRAM_BYTES - HEADER_BYTES;
/// Largest fragment that every engine takes, in bytes.
pub const MAX_FRAGMENT_BYTES: usize = 1024;
/// Largest reliable message put together from fragments, in bytes.
pub const MAX_MESSAGE_BYTES: usize = 65_536;
/// Most pending acks; a fragment beyond is not acknowledged, and so sent again.
pub const MAX_PENDING_ACKS: usize = 64;
/// Time without an ack after which a fragment is sent again, in microseconds, by default: a third of
/// what engines wait.
pub const RESEND_US: u64 = 300_000;
/// Most model names, and most sound names, in a serverinfo: what a 14-bit index can name.
pub const MAX_PRECACHES: usize = 0x4000;
/// Most extension pairs in front of a serverinfo's protocol number.
pub const MAX_EXTENSION_PAIRS: usize = 8;
