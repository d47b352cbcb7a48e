//! The base messages of QuakeWorld's protocol 28, and its handshake. The connection is the crate [`netchan`].
//!
//! Reading order: [`numbers`] (services, commands, bits), then here the messages of a server, [`serverdata`] (how a map
//! begins), [`entities`] (players and entities without replacement deltas), [`command`] (those of a client), [`scene`] (what a
//! client holds of it all). Points
//! and angles are floats as bits, in units and degrees, as in the netquake crate.
//!
//! Replacement deltas change the coding of entity numbers in views, muzzle flashes and beams; a sound's number shares
//! a short with its flags and stays as it is.

pub mod command;
pub mod entities;
pub mod handshake;
pub mod numbers;
pub mod scene;
pub mod serverdata;

pub use command::{Command, Usercmd, read_command, write_delta, write_nop, write_stringcmd};
pub use entities::{EntityDelta, Nail, PlayerInfo, RecordedPlayer};
pub use numbers::*;
pub use serverdata::{PLAYER_SPECTATOR, ServerData, read_list, write_list};

use entities::{read_entity_deltas, read_spawned};
use kit::table::float_bits;
use kit::{DecodeError, ErrorKind, Reader, Writer};
use netquake::Primitives;
use netquake::constants::{DEFAULT_SOUND_ATTENUATION, DEFAULT_SOUND_VOLUME};
use netquake::effect::{Sound, SoundExtras};
use netquake::update::{Record, read_record};

/// Writes [`SVC_STUFFTEXT`], its number included: commands for the client, with their newlines.
pub fn write_stufftext(w: &mut Writer<'_>, text: &[u8]) {
    w.u8("svc", SVC_STUFFTEXT);
    w.string("text", text);
}

/// [`SVC_TEMP_ENTITY`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TempEntity {
    /// An effect at a point: every kind but those below.
    Point {
        /// `TE_*`.
        kind: u8,
        /// Where.
        origin: [i32; 3],
    },
    /// Several at a point: [`TE_GUNSHOT`], [`TE_BLOOD`].
    Counted {
        /// `TE_*`.
        kind: u8,
        /// How many.
        count: u8,
        /// Where.
        origin: [i32; 3],
    },
    /// A lightning bolt: [`TE_LIGHTNING1`], [`TE_LIGHTNING2`], [`TE_LIGHTNING3`].
    Beam {
        /// `TE_*`.
        kind: u8,
        /// The entity that holds its start.
        entity: u32,
        /// Start.
        start: [i32; 3],
        /// End.
        end: [i32; 3],
    },
}

impl TempEntity {
    /// Reads the message after its service number.
    ///
    /// # Errors
    /// The data ends inside it, or the kind is unknown.
    pub fn read(r: &mut Reader<'_>, p: &Primitives) -> Result<TempEntity, DecodeError> {
        let offset = r.at();
        Ok(match r.u8("temp entity")? {
            kind @ (TE_GUNSHOT | TE_BLOOD) => {
                TempEntity::Counted { kind, count: r.u8("count")?, origin: p.read_point(r, "origin")? }
            }
            kind @ (TE_LIGHTNING1 | TE_LIGHTNING2 | TE_LIGHTNING3) => TempEntity::Beam {
                kind,
                entity: p.read_entity(r, "entity")?,
                start: p.read_point(r, "start")?,
                end: p.read_point(r, "end")?,
            },
            kind if temp_entity_name(kind).is_some() => TempEntity::Point { kind, origin: p.read_point(r, "origin")? },
            kind => return r.error(offset, "temp entity", ErrorKind::Unknown { value: kind.into() }),
        })
    }
}

/// A server's message.
#[derive(Clone, Debug, PartialEq)]
pub enum Service<'a> {
    /// [`SVC_NOP`].
    Nop,
    /// [`SVC_DISCONNECT`].
    Disconnect,
    /// [`SVC_UPDATESTAT`].
    UpdateStat {
        /// The statistic's number.
        stat: u8,
        /// Its value.
        value: u8,
    },
    /// [`SVC_SETVIEW`].
    SetView {
        /// The entity.
        entity: u32,
    },
    /// [`SVC_SOUND`].
    Sound(Sound),
    /// [`SVC_PRINT`].
    Print {
        /// 0 pickups, 1 deaths, 2 important, 3 chat.
        level: u8,
        /// The text.
        text: &'a [u8],
    },
    /// [`SVC_STUFFTEXT`].
    StuffText {
        /// The commands, with their newlines.
        text: &'a [u8],
    },
    /// [`SVC_SETANGLE`].
    SetAngle {
        /// Pitch, yaw, roll.
        angles: [i32; 3],
    },
    /// [`SVC_SERVERDATA`].
    ServerData(ServerData<'a>),
    /// [`SVC_LIGHTSTYLE`].
    LightStyle {
        /// The style's number.
        style: u8,
        /// One letter per tenth of a second, `a` the darkest.
        pattern: &'a [u8],
    },
    /// [`SVC_UPDATEFRAGS`].
    UpdateFrags {
        /// The player's slot.
        slot: u8,
        /// Frags.
        frags: i16,
    },
    /// [`SVC_STOPSOUND`].
    StopSound {
        /// The entity, 13 bits.
        entity: u16,
        /// Its channel, 3 bits.
        channel: u8,
    },
    /// [`SVC_DAMAGE`].
    Damage {
        /// Points that the armour took.
        armor: u8,
        /// Points that the body took.
        blood: u8,
        /// Where it came from.
        from: [i32; 3],
    },
    /// [`SVC_SPAWNSTATIC`].
    SpawnStatic {
        /// The entity.
        fields: Record,
    },
    /// [`SVC_SPAWNBASELINE`].
    SpawnBaseline {
        /// The entity's number.
        entity: u16,
        /// What its updates differ from.
        fields: Record,
    },
    /// [`SVC_SPAWNSTATIC2`].
    SpawnStaticDelta {
        /// The entity, as its difference from nothing.
        delta: EntityDelta,
    },
    /// [`SVC_SPAWNBASELINE2`].
    SpawnBaselineDelta {
        /// The baseline, as its difference from nothing.
        delta: EntityDelta,
    },
    /// [`SVC_TEMP_ENTITY`].
    TempEntity(TempEntity),
    /// [`SVC_SETPAUSE`].
    SetPause {
        /// Whether the game stands still.
        paused: bool,
    },
    /// [`SVC_CENTERPRINT`].
    CenterPrint {
        /// The text.
        text: &'a [u8],
    },
    /// [`SVC_KILLEDMONSTER`].
    KilledMonster,
    /// [`SVC_FOUNDSECRET`].
    FoundSecret,
    /// [`SVC_SPAWNSTATICSOUND`].
    SpawnStaticSound {
        /// Where.
        origin: [i32; 3],
        /// The sound's number.
        sound: u8,
        /// Volume, 255 the loudest.
        volume: u8,
        /// Attenuation, in 1/64.
        attenuation: u8,
    },
    /// [`SVC_INTERMISSION`].
    Intermission {
        /// Where to look from.
        origin: [i32; 3],
        /// Pitch, yaw, roll.
        angles: [i32; 3],
    },
    /// [`SVC_FINALE`].
    Finale {
        /// The text.
        text: &'a [u8],
    },
    /// [`SVC_CDTRACK`].
    CdTrack {
        /// The track.
        track: u8,
    },
    /// [`SVC_SELLSCREEN`].
    SellScreen,
    /// [`SVC_SMALLKICK`].
    SmallKick,
    /// [`SVC_BIGKICK`].
    BigKick,
    /// [`SVC_UPDATEPING`].
    UpdatePing {
        /// The player's slot.
        slot: u8,
        /// The round trip, in milliseconds.
        ping: i16,
    },
    /// [`SVC_UPDATEENTERTIME`].
    UpdateEnterTime {
        /// The player's slot.
        slot: u8,
        /// How long ago the player came, in seconds: a float as bits.
        seconds: i32,
    },
    /// [`SVC_UPDATESTATLONG`].
    UpdateStatLong {
        /// The statistic's number.
        stat: u8,
        /// Its value.
        value: i32,
    },
    /// [`SVC_MUZZLEFLASH`].
    MuzzleFlash {
        /// The entity.
        entity: u32,
    },
    /// [`SVC_UPDATEUSERINFO`].
    UpdateUserInfo {
        /// The player's slot.
        slot: u8,
        /// The player's number, unique on the server.
        user: u32,
        /// Keys and values with backslashes between them; empty for a free slot.
        info: &'a [u8],
    },
    /// [`SVC_DOWNLOAD`].
    Download {
        /// How much of the file is done with this part, in percent.
        percent: u8,
        /// The part; `None` when there is no such file.
        data: Option<&'a [u8]>,
    },
    /// [`SVC_PLAYERINFO`].
    PlayerInfo(PlayerInfo),
    /// [`SVC_PLAYERINFO`] of an `.mvd`.
    RecordedPlayer(RecordedPlayer),
    /// [`SVC_SETANGLE`] of an `.mvd`.
    RecordedAngle {
        /// The player's slot, from 0.
        player: u8,
        /// Where he looks.
        angles: [i32; 3],
    },
    /// [`SVC_NAILS`].
    Nails {
        /// All nails that are visible.
        nails: Vec<Nail>,
    },
    /// [`SVC_CHOKECOUNT`].
    ChokeCount {
        /// The packets held back.
        count: u8,
    },
    /// [`SVC_MODELLIST`] and [`SVC_MODELLISTSHORT`].
    ModelList {
        /// The number after which the names begin.
        start: u16,
        /// Names, from number `start + 1` on.
        names: Vec<&'a [u8]>,
        /// Low byte of the number after which to ask on; 0 when the list is complete.
        next: u8,
    },
    /// [`SVC_SOUNDLIST`] and [`SVC_SOUNDLISTSHORT`].
    SoundList {
        /// The number after which the names begin.
        start: u16,
        /// Names, from number `start + 1` on.
        names: Vec<&'a [u8]>,
        /// Low byte of the number after which to ask on; 0 when the list is complete.
        next: u8,
    },
    /// [`SVC_PACKETENTITIES`] and [`SVC_DELTAPACKETENTITIES`].
    PacketEntities {
        /// Low 8 bits of the packet that they differ from; `None` where they differ from their baselines.
        from: Option<u8>,
        /// The entities, in ascending order.
        entities: Vec<EntityDelta>,
    },
    /// [`SVC_MAXSPEED`].
    MaxSpeed {
        /// The speed, in units per second: a float as bits.
        speed: i32,
    },
    /// [`SVC_ENTGRAVITY`].
    EntGravity {
        /// The share, 1 is the usual: a float as bits.
        gravity: i32,
    },
    /// [`SVC_SETINFO`].
    SetInfo {
        /// The player's slot.
        slot: u8,
        /// The key.
        key: &'a [u8],
        /// Its value.
        value: &'a [u8],
    },
    /// [`SVC_SERVERINFO`].
    ServerInfo {
        /// The key.
        key: &'a [u8],
        /// Its value.
        value: &'a [u8],
    },
    /// [`SVC_UPDATEPL`].
    UpdatePl {
        /// The player's slot.
        slot: u8,
        /// Packets lost, in percent.
        loss: u8,
    },
}

/// Reads what a server writes otherwise for an `.mvd`.
fn read_recorded<'a>(r: &mut Reader<'a>, service: u8, p: &Primitives) -> Result<Option<Service<'a>>, DecodeError> {
    Ok(Some(match service {
        SVC_DISCONNECT => {
            if r.left() > 0 {
                // A server that ends its recording says so.
                r.string("text")?;
            }
            Service::Disconnect
        }
        SVC_SETANGLE => Service::RecordedAngle { player: r.u8("player")?, angles: read_angles(r, p)? },
        SVC_PLAYERINFO => Service::RecordedPlayer(RecordedPlayer::read(r, p)?),
        _ => return Ok(None),
    }))
}

/// Reads the rest of the message whose number, already read, was `service`; `None` when it is not QuakeWorld's (nothing
/// was read then).
///
/// # Errors
/// The data ends inside it, or a value in it is unknown.
pub fn read_service<'a>(r: &mut Reader<'a>, service: u8, p: &Primitives) -> Result<Option<Service<'a>>, DecodeError> {
    if p.multi_view
        && let Some(recorded) = read_recorded(r, service, p)?
    {
        return Ok(Some(recorded));
    }
    Ok(Some(match service {
        SVC_NOP => Service::Nop,
        SVC_DISCONNECT => Service::Disconnect,
        SVC_UPDATESTAT => Service::UpdateStat { stat: r.u8("stat")?, value: r.u8("value")? },
        SVC_SETVIEW => Service::SetView { entity: p.read_entity(r, "entity")? },
        SVC_SOUND => Service::Sound(read_sound(r, p)?),
        SVC_PRINT => Service::Print { level: r.u8("level")?, text: r.string("text")? },
        SVC_STUFFTEXT => Service::StuffText { text: r.string("text")? },
        SVC_SETANGLE => Service::SetAngle { angles: read_angles(r, p)? },
        SVC_SERVERDATA => Service::ServerData(ServerData::read(r, p.multi_view)?),
        SVC_LIGHTSTYLE => Service::LightStyle { style: r.u8("style")?, pattern: r.string("pattern")? },
        SVC_UPDATEFRAGS => Service::UpdateFrags { slot: r.u8("slot")?, frags: r.i16("frags")? },
        SVC_STOPSOUND => {
            let both = r.u16("entity and channel")?;
            Service::StopSound { entity: both >> 3, channel: (both & 7) as u8 }
        }
        SVC_DAMAGE => Service::Damage { armor: r.u8("armor")?, blood: r.u8("blood")?, from: p.read_point(r, "from")? },
        SVC_TEMP_ENTITY => Service::TempEntity(TempEntity::read(r, p)?),
        SVC_SETPAUSE => Service::SetPause { paused: r.u8("paused")? != 0 },
        SVC_CENTERPRINT => Service::CenterPrint { text: r.string("text")? },
        SVC_KILLEDMONSTER => Service::KilledMonster,
        SVC_FOUNDSECRET => Service::FoundSecret,
        SVC_SPAWNSTATICSOUND => Service::SpawnStaticSound {
            origin: p.read_point(r, "origin")?,
            sound: r.u8("sound")?,
            volume: r.u8("volume")?,
            attenuation: r.u8("attenuation")?,
        },
        SVC_INTERMISSION => Service::Intermission { origin: p.read_point(r, "origin")?, angles: read_angles(r, p)? },
        SVC_FINALE => Service::Finale { text: r.string("text")? },
        SVC_CDTRACK => Service::CdTrack { track: r.u8("track")? },
        SVC_SELLSCREEN => Service::SellScreen,
        SVC_SMALLKICK => Service::SmallKick,
        SVC_BIGKICK => Service::BigKick,
        SVC_UPDATEPING => Service::UpdatePing { slot: r.u8("slot")?, ping: r.i16("ping")? },
        SVC_UPDATEENTERTIME => Service::UpdateEnterTime { slot: r.u8("slot")?, seconds: float_bits(r.f32("seconds")?) },
        SVC_UPDATESTATLONG => Service::UpdateStatLong { stat: r.u8("stat")?, value: r.i32("value")? },
        SVC_MUZZLEFLASH => Service::MuzzleFlash { entity: p.read_entity(r, "entity")? },
        SVC_UPDATEUSERINFO => {
            Service::UpdateUserInfo { slot: r.u8("slot")?, user: r.u32("user")?, info: r.string("info")? }
        }
        SVC_DOWNLOAD => read_download(r)?,
        SVC_PLAYERINFO => Service::PlayerInfo(PlayerInfo::read(r, p)?),
        SVC_NAILS => {
            let count = r.u8("nail count")?;
            Service::Nails { nails: (0..count).map(|_| Nail::read(r)).collect::<Result<_, _>>()? }
        }
        SVC_CHOKECOUNT => Service::ChokeCount { count: r.u8("count")? },
        SVC_MODELLIST | SVC_MODELLISTSHORT | SVC_SOUNDLIST | SVC_SOUNDLISTSHORT => read_names(r, service)?,
        SVC_MAXSPEED => Service::MaxSpeed { speed: float_bits(r.f32("speed")?) },
        SVC_ENTGRAVITY => Service::EntGravity { gravity: float_bits(r.f32("gravity")?) },
        SVC_SETINFO => Service::SetInfo { slot: r.u8("slot")?, key: r.string("key")?, value: r.string("value")? },
        SVC_SERVERINFO => Service::ServerInfo { key: r.string("key")?, value: r.string("value")? },
        SVC_UPDATEPL => Service::UpdatePl { slot: r.u8("slot")?, loss: r.u8("loss")? },
        _ => return read_entities(r, service, p),
    }))
}

/// The same for services with entities.
fn read_entities<'a>(r: &mut Reader<'a>, service: u8, p: &Primitives) -> Result<Option<Service<'a>>, DecodeError> {
    Ok(Some(match service {
        SVC_SPAWNSTATIC => Service::SpawnStatic { fields: read_record(r, p, 0)? },
        SVC_SPAWNBASELINE => Service::SpawnBaseline { entity: r.u16("entity")?, fields: read_record(r, p, 0)? },
        SVC_SPAWNSTATIC2 if p.entity_mask & PEXT_SPAWNSTATIC2 != 0 => {
            Service::SpawnStaticDelta { delta: read_spawned(r, p)? }
        }
        SVC_SPAWNBASELINE2 if p.entity_mask & PEXT_SPAWNSTATIC2 != 0 => {
            Service::SpawnBaselineDelta { delta: read_spawned(r, p)? }
        }
        SVC_PACKETENTITIES => Service::PacketEntities { from: None, entities: read_entity_deltas(r, p)? },
        SVC_DELTAPACKETENTITIES => {
            Service::PacketEntities { from: Some(r.u8("from")?), entities: read_entity_deltas(r, p)? }
        }
        _ => return Ok(None),
    }))
}

/// Reads three angles.
fn read_angles(r: &mut Reader<'_>, p: &Primitives) -> Result<[i32; 3], DecodeError> {
    Ok([p.read_angle(r, "angle")?, p.read_angle(r, "angle")?, p.read_angle(r, "angle")?])
}

fn read_names<'a>(r: &mut Reader<'a>, service: u8) -> Result<Service<'a>, DecodeError> {
    let start = read_start(r, matches!(service, SVC_MODELLISTSHORT | SVC_SOUNDLISTSHORT))?;
    let (names, next) = read_list(r)?;
    Ok(if matches!(service, SVC_MODELLIST | SVC_MODELLISTSHORT) {
        Service::ModelList { start, names, next }
    } else {
        Service::SoundList { start, names, next }
    })
}

/// Reads the number that a list's names stand after.
fn read_start(r: &mut Reader<'_>, short: bool) -> Result<u16, DecodeError> {
    if short { r.u16("start") } else { Ok(r.u8("start")?.into()) }
}

/// Reads a sound: the flags, ten bits of entity number and three of channel share one short.
fn read_sound(r: &mut Reader<'_>, p: &Primitives) -> Result<Sound, DecodeError> {
    let packed = r.u16("entity and channel")?;
    let volume = if packed & SND_VOLUME != 0 { r.u8("volume")? } else { DEFAULT_SOUND_VOLUME };
    let attenuation = if packed & SND_ATTENUATION != 0 { r.u8("attenuation")? } else { DEFAULT_SOUND_ATTENUATION };
    Ok(Sound {
        volume,
        attenuation,
        entity: (packed >> 3 & 0x3ff).into(),
        channel: (packed & 7) as u8,
        sound: r.u8("sound")?.into(),
        origin: p.read_point(r, "origin")?,
        extras: SoundExtras::default(),
        forced: 0,
    })
}

/// Reads a part of a file; size -1 means that there is no such file.
fn read_download<'a>(r: &mut Reader<'a>) -> Result<Service<'a>, DecodeError> {
    let offset = r.at();
    let size = r.i16("download size")?;
    let percent = r.u8("percent")?;
    let data = match usize::try_from(size) {
        Ok(length) => Some(r.bytes("download", length)?),
        Err(_) if size == -1 => None,
        Err(_) => {
            let kind = ErrorKind::Forbidden { value: size as u16 as u32, why: "the only negative size is -1" };
            return r.error(offset, "download size", kind);
        }
    };
    Ok(Service::Download { percent, data })
}

#[cfg(test)]
mod tests;
