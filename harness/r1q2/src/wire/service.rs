//! The services of a server but for frames, baselines and zpackets, which [`crate::wire::message`] walks.

pub mod verb;

use crate::wire::constants::*;
use crate::wire::dialect::Dialect;
use crate::wire::effect::{TempEntity, read_position, write_position};
use kit::{DecodeError, ErrorKind, Reader, Writer};

/// `svc_serverdata`: a map begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ServerData<'a> {
    /// 34 or 35.
    pub protocol: u32,
    /// A number of the map, which `begin` has to repeat.
    pub spawncount: i32,
    /// Whether this is a demo that the server plays.
    pub attractloop: u8,
    /// The folder of the game; empty for the base game.
    pub gamedir: &'a [u8],
    /// The client's number; its entity is the next. -1 for a film.
    pub playernum: i16,
    /// The name of the map.
    pub levelname: &'a [u8],
    /// What protocol 35 adds.
    pub r1q2: Option<R1q2Data>,
}

/// What protocol 35 adds to a serverdata.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct R1q2Data {
    /// Whether the server has an enhanced game; has no consequence.
    pub enhanced: u8,
    /// The revision that the server announces.
    pub minor: u16,
    /// What revision 1903 adds.
    pub tail: Option<[u8; 2]>,
}

impl<'a> ServerData<'a> {
    /// Writes it after its command byte.
    fn write(&self, w: &mut Writer<'_>) {
        w.u32("protocol", self.protocol);
        w.i32("spawncount", self.spawncount);
        w.u8("attractloop", self.attractloop);
        w.string("gamedir", self.gamedir);
        w.i16("playernum", self.playernum);
        w.string("levelname", self.levelname);
        // R1Q2-SD-01, R1Q2-SD-05
        if let Some(data) = self.r1q2 {
            w.u8("enhanced", data.enhanced);
            w.u16("minor", data.minor);
            if let Some([advanced, strafejump]) = data.tail {
                w.u8("advanced deltas", advanced);
                w.u8("strafejump hack", strafejump);
            }
        }
    }

    /// Reads it after its command byte.
    ///
    /// # Errors
    /// It is cut off, its protocol is neither 34 nor 35, or it announces the bit-packed deltas that were given up.
    fn read(r: &mut Reader<'a>) -> Result<ServerData<'a>, DecodeError> {
        let offset = r.at();
        let protocol = r.u32("protocol")?;
        if protocol != PROTOCOL_ORIGINAL && protocol != PROTOCOL_R1Q2 {
            return r.error(offset, "protocol", ErrorKind::Unknown { value: protocol });
        }
        let mut data = ServerData {
            protocol,
            spawncount: r.i32("spawncount")?,
            attractloop: r.u8("attractloop")?,
            gamedir: r.string("gamedir")?,
            playernum: r.i16("playernum")?,
            levelname: r.string("levelname")?,
            r1q2: None,
        };
        if protocol == PROTOCOL_R1Q2 {
            // R1Q2-SD-02: read, and nothing comes of it
            let enhanced = r.u8("enhanced")?;
            let minor = r.u16("minor")?;
            let mut tail = None;
            if minor >= MINOR_STRAFE {
                let offset = r.at();
                let advanced = r.u8("advanced deltas")?;
                if advanced != 0 {
                    let why = "bit-packed deltas were never finished";
                    return r.error(offset, "advanced deltas", ErrorKind::Forbidden { value: advanced.into(), why });
                }
                tail = Some([advanced, r.u8("strafejump hack")?]);
            }
            data.r1q2 = Some(R1q2Data { enhanced, minor, tail });
        }
        Ok(data)
    }
}

/// `svc_sound`. What is absent has a default.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Sound {
    /// Which sound.
    pub index: u8,
    /// Volume, in 1/255.
    pub volume: Option<u8>,
    /// Attenuation, in 1/64.
    pub attenuation: Option<u8>,
    /// Delay, in milliseconds.
    pub offset: Option<u8>,
    /// Entity and channel: 13 bits and 3.
    pub entity: Option<u16>,
    /// Place, in eighths.
    pub position: Option<[i16; 3]>,
}

impl Sound {
    /// Writes it after its command byte.
    fn write(&self, w: &mut Writer<'_>) {
        let flag = |present: bool, flag: u8| if present { flag } else { 0 };
        let flags = flag(self.volume.is_some(), SND_VOLUME)
            | flag(self.attenuation.is_some(), SND_ATTENUATION)
            | flag(self.position.is_some(), SND_POS)
            | flag(self.entity.is_some(), SND_ENT)
            | flag(self.offset.is_some(), SND_OFFSET);
        w.u8("flags", flags);
        w.u8("sound", self.index);
        for (name, byte) in [("volume", self.volume), ("attenuation", self.attenuation), ("offset", self.offset)] {
            if let Some(byte) = byte {
                w.u8(name, byte);
            }
        }
        if let Some(entity) = self.entity {
            w.u16("entity and channel", entity);
        }
        if let Some(position) = &self.position {
            write_position(w, position);
        }
    }

    /// Reads it after its command byte.
    ///
    /// # Errors
    /// It is cut off, or has a flag that neither protocol defines.
    fn read(r: &mut Reader<'_>) -> Result<Sound, DecodeError> {
        let start = r.at();
        let flags = r.u8("flags")?;
        let defined = SND_VOLUME | SND_ATTENUATION | SND_POS | SND_ENT | SND_OFFSET;
        if flags & !defined != 0 {
            let why = "neither protocol defines this flag";
            return r.error(start, "flags", ErrorKind::Forbidden { value: (flags & !defined).into(), why });
        }
        let mut sound = Sound { index: r.u8("sound")?, ..Sound::default() };
        if flags & SND_VOLUME != 0 {
            sound.volume = Some(r.u8("volume")?);
        }
        if flags & SND_ATTENUATION != 0 {
            sound.attenuation = Some(r.u8("attenuation")?);
        }
        if flags & SND_OFFSET != 0 {
            sound.offset = Some(r.u8("offset")?);
        }
        if flags & SND_ENT != 0 {
            sound.entity = Some(r.u16("entity and channel")?);
        }
        if flags & SND_POS != 0 {
            sound.position = Some(read_position(r)?);
        }
        Ok(sound)
    }
}

/// A block of a file, or the word that there is none.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Download<'a> {
    /// How much of the file has been sent, in percent; 100 with the last block.
    pub percent: u8,
    /// The block as it is on the wire; `None`: the file is refused.
    pub data: Option<&'a [u8]>,
    /// In an `svc_zdownload`: how long the block is once inflated.
    pub length: Option<u16>,
}

/// The size that stands for a refusal.
const REFUSED: i16 = -1;

impl<'a> Download<'a> {
    /// Writes it after its command byte. Data beyond what a short can count is left out.
    fn write(&self, w: &mut Writer<'_>) {
        match self.data {
            None => {
                w.i16("size", REFUSED);
                w.u8("percent", self.percent);
            }
            Some(data) => {
                let data = &data[..data.len().min(i16::MAX as usize)];
                w.i16("size", data.len() as i16);
                w.u8("percent", self.percent);
                // R1Q2-ZDL-01
                if let Some(length) = self.length {
                    w.u16("uncompressed length", length);
                }
                w.bytes("data", data);
            }
        }
    }

    /// Reads it after its command byte; `compressed` for that of `svc_zdownload`.
    ///
    /// # Errors
    /// It is cut off, or its size is negative and no refusal.
    fn read(r: &mut Reader<'a>, compressed: bool) -> Result<Download<'a>, DecodeError> {
        let offset = r.at();
        let size = r.i16("size")?;
        let percent = r.u8("percent")?;
        // R1Q2-ZDL-05
        if size == REFUSED {
            return Ok(Download { percent, data: None, length: None });
        }
        let Ok(size) = usize::try_from(size) else {
            let why = "a size is positive, or -1 for a refusal";
            return r.error(offset, "size", ErrorKind::Forbidden { value: size as u16 as u32, why });
        };
        let length = match compressed {
            true => Some(r.u16("uncompressed length")?),
            false => None,
        };
        Ok(Download { percent, data: Some(r.bytes("data", size)?), length })
    }
}

/// A service.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Service<'a> {
    /// `svc_muzzleflash`: a player fires.
    MuzzleFlash {
        /// The entity.
        entity: u16,
        /// Which weapon.
        weapon: u8,
    },
    /// `svc_muzzleflash2`: a monster fires.
    MuzzleFlash2 {
        /// The entity.
        entity: u16,
        /// Which place of it.
        weapon: u8,
    },
    /// `svc_temp_entity`.
    TempEntity(TempEntity),
    /// `svc_layout`: what stands on the screen.
    Layout {
        /// A program.
        text: &'a [u8],
    },
    /// `svc_inventory`: how many there are of each item, little-endian shorts.
    Inventory {
        /// 512 bytes.
        counts: &'a [u8],
    },
    /// `svc_nop`.
    Nop,
    /// `svc_disconnect`.
    Disconnect,
    /// `svc_reconnect`.
    Reconnect,
    /// `svc_sound`.
    Sound(Sound),
    /// `svc_print`.
    Print {
        /// What sort of text: 0 pickup, 1 death, 2 important, 3 chat.
        level: u8,
        /// The text.
        text: &'a [u8],
    },
    /// `svc_stufftext`: commands for the client's console.
    StuffText {
        /// The commands.
        text: &'a [u8],
    },
    /// `svc_serverdata`.
    ServerData(ServerData<'a>),
    /// `svc_configstring`.
    ConfigString {
        /// Which.
        index: u16,
        /// Its value.
        text: &'a [u8],
    },
    /// `svc_centerprint`.
    CenterPrint {
        /// The text.
        text: &'a [u8],
    },
    /// `svc_download`.
    Download(Download<'a>),
    /// `svc_zdownload`.
    ZDownload(Download<'a>),
    /// `svc_playerupdate`: where other players are between two frames.
    PlayerUpdate {
        /// The frame whose players are meant.
        frame: i32,
        /// A position (three coords) for each player of that frame but the client's own, in the order of numbers. How
        /// many is not on the wire: the rest of the message.
        positions: &'a [u8],
    },
    /// `svc_setting`.
    Setting {
        /// Which.
        index: i32,
        /// Its value.
        value: i32,
    },
}

const POSITION_BYTES: usize = 6;

impl<'a> Service<'a> {
    /// The number of the service.
    pub fn number(&self) -> u8 {
        match self {
            Service::MuzzleFlash { .. } => SVC_MUZZLEFLASH,
            Service::MuzzleFlash2 { .. } => SVC_MUZZLEFLASH2,
            Service::TempEntity(_) => SVC_TEMP_ENTITY,
            Service::Layout { .. } => SVC_LAYOUT,
            Service::Inventory { .. } => SVC_INVENTORY,
            Service::Nop => SVC_NOP,
            Service::Disconnect => SVC_DISCONNECT,
            Service::Reconnect => SVC_RECONNECT,
            Service::Sound(_) => SVC_SOUND,
            Service::Print { .. } => SVC_PRINT,
            Service::StuffText { .. } => SVC_STUFFTEXT,
            Service::ServerData(_) => SVC_SERVERDATA,
            Service::ConfigString { .. } => SVC_CONFIGSTRING,
            Service::CenterPrint { .. } => SVC_CENTERPRINT,
            Service::Download(_) => SVC_DOWNLOAD,
            Service::ZDownload(_) => SVC_ZDOWNLOAD,
            Service::PlayerUpdate { .. } => SVC_PLAYERUPDATE,
            Service::Setting { .. } => SVC_SETTING,
        }
    }

    /// Writes it, command byte included.
    pub fn write(&self, w: &mut Writer<'_>) {
        w.u8("svc", self.number());
        match *self {
            Service::MuzzleFlash { entity, weapon } | Service::MuzzleFlash2 { entity, weapon } => {
                w.u16("entity", entity);
                w.u8("weapon", weapon);
            }
            Service::TempEntity(effect) => effect.write(w),
            Service::Layout { text } | Service::StuffText { text } | Service::CenterPrint { text } => {
                w.string("text", text);
            }
            Service::Inventory { counts } => w.bytes("counts", counts),
            Service::Nop | Service::Disconnect | Service::Reconnect => {}
            Service::Sound(sound) => sound.write(w),
            Service::Print { level, text } => {
                w.u8("level", level);
                w.string("text", text);
            }
            Service::ServerData(data) => data.write(w),
            Service::ConfigString { index, text } => {
                w.u16("index", index);
                w.string("text", text);
            }
            Service::Download(download) | Service::ZDownload(download) => download.write(w),
            Service::PlayerUpdate { frame, positions } => {
                w.i32("frame", frame);
                w.bytes("positions", positions);
            }
            Service::Setting { index, value } => {
                w.i32("index", index);
                w.i32("value", value);
            }
        }
    }

    /// Reads the service `number` after its command byte; `None` if it is none of these in this dialect.
    ///
    /// # Errors
    /// The first field that is cut off, or has a value that no engine can take.
    pub fn read(r: &mut Reader<'a>, number: u8, dialect: &Dialect) -> Result<Option<Service<'a>>, DecodeError> {
        Ok(Some(match number {
            SVC_MUZZLEFLASH => Service::MuzzleFlash { entity: r.u16("entity")?, weapon: r.u8("weapon")? },
            SVC_MUZZLEFLASH2 => Service::MuzzleFlash2 { entity: r.u16("entity")?, weapon: r.u8("weapon")? },
            SVC_TEMP_ENTITY => Service::TempEntity(TempEntity::read(r)?),
            SVC_LAYOUT => Service::Layout { text: r.string("text")? },
            SVC_INVENTORY => Service::Inventory { counts: r.bytes("counts", 2 * MAX_ITEMS)? },
            SVC_NOP => Service::Nop,
            SVC_DISCONNECT => Service::Disconnect,
            SVC_RECONNECT => Service::Reconnect,
            SVC_SOUND => Service::Sound(Sound::read(r)?),
            SVC_PRINT => Service::Print { level: r.u8("level")?, text: r.string("text")? },
            SVC_STUFFTEXT => Service::StuffText { text: r.string("text")? },
            SVC_SERVERDATA => Service::ServerData(ServerData::read(r)?),
            SVC_CONFIGSTRING => {
                let offset = r.at();
                let index = r.u16("index")?;
                if usize::from(index) >= MAX_CONFIGSTRINGS {
                    let kind = ErrorKind::TooLarge { value: index.into(), limit: MAX_CONFIGSTRINGS - 1 };
                    return r.error(offset, "index", kind);
                }
                Service::ConfigString { index, text: r.string("text")? }
            }
            SVC_CENTERPRINT => Service::CenterPrint { text: r.string("text")? },
            SVC_DOWNLOAD => Service::Download(Download::read(r, false)?),
            SVC_ZDOWNLOAD if dialect.is_r1q2() => Service::ZDownload(Download::read(r, true)?),
            SVC_PLAYERUPDATE if dialect.is_r1q2() => {
                let frame = r.i32("frame")?;
                let offset = r.at();
                let positions = r.rest("positions");
                match positions.len() % POSITION_BYTES {
                    0 => Service::PlayerUpdate { frame, positions },
                    left => return r.error(offset, "positions", ErrorKind::Trailing { left }),
                }
            }
            SVC_SETTING if dialect.is_r1q2() => Service::Setting { index: r.i32("index")?, value: r.i32("value")? },
            _ => return Ok(None),
        }))
    }
}
