//! Numbers and bits of QuakeWorld's protocol 28, under their usual names.

pub use netquake::constants::{
    TE_EXPLOSION, TE_GUNSHOT, TE_KNIGHTSPIKE, TE_LAVASPLASH, TE_LIGHTNING1, TE_LIGHTNING2, TE_LIGHTNING3, TE_SPIKE,
    TE_SUPERSPIKE, TE_TAREXPLOSION, TE_TELEPORT, TE_WIZSPIKE,
};

kit::numbered! {
    /// The name of a server-to-client message of QuakeWorld as the field writes it, for reports.
    service_name;
    /// Nothing.
    SVC_NOP = 1, "svc_nop";
    /// The server closes the connection.
    SVC_DISCONNECT = 2, "svc_disconnect";
    /// A statistic: byte, byte.
    SVC_UPDATESTAT = 3, "svc_updatestat";
    /// The entity that the player sees through.
    SVC_SETVIEW = 5, "svc_setview";
    /// A sound starts.
    SVC_SOUND = 6, "svc_sound";
    /// Text for the console, with its importance.
    SVC_PRINT = 8, "svc_print";
    /// Text for the client's command interpreter.
    SVC_STUFFTEXT = 9, "svc_stufftext";
    /// Turns the player's view.
    SVC_SETANGLE = 10, "svc_setangle";
    /// A new map: protocol, player slot, rules of movement.
    SVC_SERVERDATA = 11, "svc_serverdata";
    /// The flicker pattern of a light style.
    SVC_LIGHTSTYLE = 12, "svc_lightstyle";
    /// A player's frags.
    SVC_UPDATEFRAGS = 14, "svc_updatefrags";
    /// A sound stops.
    SVC_STOPSOUND = 16, "svc_stopsound";
    /// The player was hurt.
    SVC_DAMAGE = 19, "svc_damage";
    /// An entity without a number, for ever.
    SVC_SPAWNSTATIC = 20, "svc_spawnstatic";
    /// The state that an entity's updates differ from.
    SVC_SPAWNBASELINE = 22, "svc_spawnbaseline";
    /// A short-lived effect.
    SVC_TEMP_ENTITY = 23, "svc_temp_entity";
    /// Pause on or off.
    SVC_SETPAUSE = 24, "svc_setpause";
    /// Text for the middle of the screen.
    SVC_CENTERPRINT = 26, "svc_centerprint";
    /// One monster less.
    SVC_KILLEDMONSTER = 27, "svc_killedmonster";
    /// One secret found.
    SVC_FOUNDSECRET = 28, "svc_foundsecret";
    /// A sound that never stops.
    SVC_SPAWNSTATICSOUND = 29, "svc_spawnstaticsound";
    /// The map is over: where to look from.
    SVC_INTERMISSION = 30, "svc_intermission";
    /// The episode is over: text.
    SVC_FINALE = 31, "svc_finale";
    /// Music.
    SVC_CDTRACK = 32, "svc_cdtrack";
    /// The ordering screen of the shareware.
    SVC_SELLSCREEN = 33, "svc_sellscreen";
    /// The view jerks a little.
    SVC_SMALLKICK = 34, "svc_smallkick";
    /// The view jerks.
    SVC_BIGKICK = 35, "svc_bigkick";
    /// A player's ping.
    SVC_UPDATEPING = 36, "svc_updateping";
    /// How long a player has been here.
    SVC_UPDATEENTERTIME = 37, "svc_updateentertime";
    /// A statistic: byte, long.
    SVC_UPDATESTATLONG = 38, "svc_updatestatlong";
    /// An entity fires.
    SVC_MUZZLEFLASH = 39, "svc_muzzleflash";
    /// All of a player's userinfo.
    SVC_UPDATEUSERINFO = 40, "svc_updateuserinfo";
    /// A part of a file.
    SVC_DOWNLOAD = 41, "svc_download";
    /// A player's state.
    SVC_PLAYERINFO = 42, "svc_playerinfo";
    /// Nails in flight.
    SVC_NAILS = 43, "svc_nails";
    /// How many packets the server held back.
    SVC_CHOKECOUNT = 44, "svc_chokecount";
    /// Names of models.
    SVC_MODELLIST = 45, "svc_modellist";
    /// Names of sounds.
    SVC_SOUNDLIST = 46, "svc_soundlist";
    /// All entities, as differences from their baselines.
    SVC_PACKETENTITIES = 47, "svc_packetentities";
    /// The entities that changed since an earlier packet.
    SVC_DELTAPACKETENTITIES = 48, "svc_deltapacketentities";
    /// The player's greatest speed.
    SVC_MAXSPEED = 49, "svc_maxspeed";
    /// The player's share of gravity.
    SVC_ENTGRAVITY = 50, "svc_entgravity";
    /// One key of a player's userinfo.
    SVC_SETINFO = 51, "svc_setinfo";
    /// One key of the server's serverinfo.
    SVC_SERVERINFO = 52, "svc_serverinfo";
    /// A player's packet loss.
    SVC_UPDATEPL = 53, "svc_updatepl";
    /// Names of models from a number above 255 on; FTE.
    SVC_MODELLISTSHORT = 56, "svcfte_modellistshort";
    /// Names of sounds from a number above 255 on; FTE.
    SVC_SOUNDLISTSHORT = 60, "svcfte_soundlistshort";
}

kit::numbered! {
    /// The name of a client-to-server message of QuakeWorld as the field writes it, for reports.
    command_name;
    /// Nothing.
    CLC_NOP = 1, "clc_nop";
    /// The player's inputs.
    CLC_MOVE = 3, "clc_move";
    /// A console command for the server.
    CLC_STRINGCMD = 4, "clc_stringcmd";
    /// The packet from which the server may send differences.
    CLC_DELTA = 5, "clc_delta";
    /// A spectator moves to a place.
    CLC_TMOVE = 6, "clc_tmove";
    /// A part of a file.
    CLC_UPLOAD = 7, "clc_upload";
}

kit::numbered! {
    /// The name of a temporary entity that QuakeWorld has in place of NetQuake's.
    own_temp_entity_name;
    /// Blood; with its amount.
    TE_BLOOD = 12, "TE_BLOOD";
    /// Blood of somebody hit by lightning.
    TE_LIGHTNINGBLOOD = 13, "TE_LIGHTNINGBLOOD";
}

/// The name of a temporary entity as the field writes it, for reports.
pub fn temp_entity_name(number: u8) -> Option<&'static str> {
    own_temp_entity_name(number).or_else(|| netquake::constants::temp_entity_name(number))
}

/// Base protocol of QuakeWorld.
pub const PROTOCOL_VERSION_QW: u32 = 28;

/// Sound: a volume byte follows; 255 without it.
pub const SND_VOLUME: u16 = 1 << 15;
/// Sound: an attenuation byte follows, in 1/64; 64 without it.
pub const SND_ATTENUATION: u16 = 1 << 14;

/// Entity delta: the bits of its first word that hold the number.
pub const U_NUMBER: u16 = 511;
/// Entity delta: origin x.
pub const U_ORIGIN1: u32 = 1 << 9;
/// Entity delta: origin y.
pub const U_ORIGIN2: u32 = 1 << 10;
/// Entity delta: origin z.
pub const U_ORIGIN3: u32 = 1 << 11;
/// Entity delta: yaw.
pub const U_ANGLE2: u32 = 1 << 12;
/// Entity delta: frame.
pub const U_FRAME: u32 = 1 << 13;
/// Entity delta: the entity is gone; nothing follows.
pub const U_REMOVE: u32 = 1 << 14;
/// Entity delta: a byte with bits 0 to 7 follows.
pub const U_MOREBITS: u32 = 1 << 15;
/// Entity delta: pitch.
pub const U_ANGLE1: u32 = 1 << 0;
/// Entity delta: roll.
pub const U_ANGLE3: u32 = 1 << 1;
/// Entity delta: model.
pub const U_MODEL: u32 = 1 << 2;
/// Entity delta: colour map.
pub const U_COLORMAP: u32 = 1 << 3;
/// Entity delta: skin.
pub const U_SKIN: u32 = 1 << 4;
/// Entity delta: effects.
pub const U_EFFECTS: u32 = 1 << 5;
/// Entity delta: the entity is in the way; a state without data.
pub const U_SOLID: u32 = 1 << 6;
/// Entity delta: a byte with bits 16 to 23 follows, under one of [`PEXT_EVENMORE`].
pub const U_EVENMORE: u32 = 1 << 7;
/// Entity delta: scale.
pub const U_SCALE: u32 = 1 << 16;
/// Entity delta: opacity.
pub const U_TRANS: u32 = 1 << 17;
/// Entity delta: fatness.
pub const U_FATNESS: u32 = 1 << 18;
/// Entity delta: the model's number is 256 higher, or a short where [`U_MODEL`] is not set.
pub const U_MODELDBL: u32 = 1 << 19;
/// Entity delta: the entity's number is 512 higher.
pub const U_ENTITYDBL: u32 = 1 << 21;
/// Entity delta: the entity's number is 1024 higher.
pub const U_ENTITYDBL2: u32 = 1 << 22;
/// Entity delta: a byte with bits 24 to 31 follows.
pub const U_YETMORE: u32 = 1 << 23;
/// Entity delta: flags of Hexen II.
pub const U_DRAWFLAGS: u32 = 1 << 24;
/// Entity delta: a light of its own.
pub const U_ABSLIGHT: u32 = 1 << 25;
/// Entity delta: red, green and blue.
pub const U_COLOURMOD: u32 = 1 << 26;
/// Entity delta: flags of DarkPlaces.
pub const U_DPFLAGS: u32 = 1 << 27;
/// Entity delta: what it is fastened to.
pub const U_TAGINFO: u32 = 1 << 28;
/// Entity delta: the light that it gives.
pub const U_LIGHT: u32 = 1 << 29;
/// Entity delta: the upper byte of the effects.
pub const U_EFFECTS16: u32 = 1 << 30;
/// Entity delta: bits that nobody has a meaning for.
pub const U_UNKNOWN: u32 = 1 << 20 | 1 << 31;

/// FTE1 mask: entities and players may have a scale.
pub const PEXT_SCALE: u32 = 0x2;
/// FTE1 mask: they may have an opacity.
pub const PEXT_TRANS: u32 = 0x8;
/// FTE1 mask: they may have a fatness.
pub const PEXT_FATNESS: u32 = 0x100;
/// FTE1 mask: players may have a size.
pub const PEXT_HULLSIZE: u32 = 0x800;
/// FTE1 mask: models may have numbers above 255.
pub const PEXT_MODELDBL: u32 = 0x1000;
/// FTE1 mask: entities may have numbers above 511.
pub const PEXT_ENTITYDBL: u32 = 0x2000;
/// FTE1 mask: entities may have numbers above 1023.
pub const PEXT_ENTITYDBL2: u32 = 0x4000;
/// FTE1 mask: entities and players may be coloured.
pub const PEXT_COLOURMOD: u32 = 0x8_0000;
/// FTE1 mask: entities may have flags of Hexen II.
pub const PEXT_HEXEN2: u32 = 0x20_0000;
/// FTE1 mask: baselines and statics are differences, as entities are.
pub const PEXT_SPAWNSTATIC2: u32 = 0x40_0000;
/// FTE1 mask: entities may have flags of DarkPlaces.
pub const PEXT_DPFLAGS: u32 = 0x8000_0000;
/// FTE1 mask: any of these allows [`U_EVENMORE`].
pub const PEXT_EVENMORE: u32 = PEXT_SCALE
    | PEXT_TRANS
    | PEXT_FATNESS
    | PEXT_MODELDBL
    | PEXT_ENTITYDBL
    | PEXT_ENTITYDBL2
    | PEXT_COLOURMOD
    | PEXT_HEXEN2
    | PEXT_DPFLAGS;
/// FTE1 mask: any of these makes bit 15 of a player's flags announce another byte of them.
pub const PEXT_MORE_PLAYER: u32 = PEXT_SCALE | PEXT_TRANS | PEXT_FATNESS | PEXT_HULLSIZE;
/// FTE1 mask: what of it changes entities and players.
pub const PEXT_OF_ENTITIES: u32 = PEXT_EVENMORE | PEXT_MORE_PLAYER | PEXT_SPAWNSTATIC2;

/// Statics as differences, under [`PEXT_SPAWNSTATIC2`].
pub const SVC_SPAWNSTATIC2: u8 = 21;
/// Baselines as differences, under [`PEXT_SPAWNSTATIC2`].
pub const SVC_SPAWNBASELINE2: u8 = 66;

/// Player: the age of the input follows.
pub const PF_MSEC: u16 = 1 << 0;
/// Player: the input follows.
pub const PF_COMMAND: u16 = 1 << 1;
/// Player: velocity along x.
pub const PF_VELOCITY1: u16 = 1 << 2;
/// Player: velocity along y.
pub const PF_VELOCITY2: u16 = 1 << 3;
/// Player: velocity along z.
pub const PF_VELOCITY3: u16 = 1 << 4;
/// Player: a model other than the usual one.
pub const PF_MODEL: u16 = 1 << 5;
/// Player: skin.
pub const PF_SKINNUM: u16 = 1 << 6;
/// Player: effects.
pub const PF_EFFECTS: u16 = 1 << 7;
/// Player: frame of the weapon, of the receiver alone.
pub const PF_WEAPONFRAME: u16 = 1 << 8;
/// Player: dead; a state without data, as are all bits from here on.
pub const PF_DEAD: u16 = 1 << 9;
/// Player: in pieces.
pub const PF_GIB: u16 = 1 << 10;
/// Player: does not fall.
pub const PF_NOGRAV: u16 = 1 << 11;
/// Player: a size, under [`PEXT_HULLSIZE`] alone.
pub const PF_HULLSIZE_Z: u16 = 1 << 14;
/// Player: a byte with more bits, under one of [`PEXT_MORE_PLAYER`]: scale, opacity, fatness, colour.
pub const PF_EXTRA_PFS: u16 = 1 << 15;
/// Player, the byte of more bits: scale.
pub const PF_SCALE: u8 = 1 << 0;
/// Player, the byte of more bits: opacity.
pub const PF_TRANS: u8 = 1 << 1;
/// Player, the byte of more bits: fatness.
pub const PF_FATNESS: u8 = 1 << 2;
/// Player, the byte of more bits: red, green and blue.
pub const PF_COLOURMOD: u8 = 1 << 3;

/// Input: pitch.
pub const CM_ANGLE1: u64 = 1 << 0;
/// Input: roll.
pub const CM_ANGLE3: u64 = 1 << 1;
/// Input: speed forward.
pub const CM_FORWARD: u64 = 1 << 2;
/// Input: speed to the right.
pub const CM_SIDE: u64 = 1 << 3;
/// Input: speed upwards.
pub const CM_UP: u64 = 1 << 4;
/// Input: buttons.
pub const CM_BUTTONS: u64 = 1 << 5;
/// Input: impulse.
pub const CM_IMPULSE: u64 = 1 << 6;
/// Input: yaw.
pub const CM_ANGLE2: u64 = 1 << 7;

/// Most entities in one packet entities message: one per number.
pub const MAX_PACKET_ENTITIES: usize = U_NUMBER as usize + 1;
/// Most of them under [`PEXT_ENTITYDBL`] and [`PEXT_ENTITYDBL2`].
pub const MAX_PACKET_ENTITIES_DBL: usize = 4 * MAX_PACKET_ENTITIES;

/// `.mvd`: x of the origin follows.
pub const DF_ORIGINX: u16 = 1;
/// `.mvd`: y of the origin follows.
pub const DF_ORIGINY: u16 = 1 << 1;
/// `.mvd`: z of the origin follows.
pub const DF_ORIGINZ: u16 = 1 << 2;
/// `.mvd`: the pitch follows.
pub const DF_ANGLEX: u16 = 1 << 3;
/// `.mvd`: the yaw follows.
pub const DF_ANGLEY: u16 = 1 << 4;
/// `.mvd`: the roll follows.
pub const DF_ANGLEZ: u16 = 1 << 5;
/// `.mvd`: the effects follow.
pub const DF_EFFECTS: u16 = 1 << 6;
/// `.mvd`: the skin follows.
pub const DF_SKINNUM: u16 = 1 << 7;
/// `.mvd`: the frame of the weapon follows.
pub const DF_WEAPONFRAME: u16 = 1 << 10;
/// `.mvd`: the model follows.
pub const DF_MODEL: u16 = 1 << 11;
