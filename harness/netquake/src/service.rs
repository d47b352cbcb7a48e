//! Messages from server to client: protocol 15.

use crate::clientdata::ClientData;
use crate::constants::*;
use crate::effect::{Sound, TempEntity};
use crate::primitives::Primitives;
use crate::serverinfo::ServerInfo;
use crate::update::{FastUpdate, Record, read_record, write_record};
use kit::table::{float_bits, float_value};
use kit::{DecodeError, Reader, Writer};

/// A server's message. Points and angles are floats as bits (`f32`), in units and degrees.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Service<'a> {
    /// [`SVC_NOP`].
    Nop,
    /// [`SVC_DISCONNECT`].
    Disconnect,
    /// [`SVC_UPDATE_STAT`].
    UpdateStat {
        /// The statistic's number.
        stat: u8,
        /// Its value.
        value: i32,
    },
    /// [`SVC_VERSION`].
    Version {
        /// The protocol's number.
        protocol: u32,
    },
    /// [`SVC_SET_VIEW`].
    SetView {
        /// The entity.
        entity: u32,
    },
    /// [`SVC_SOUND`].
    Sound(Sound),
    /// [`SVC_TIME`].
    Time {
        /// Server time in seconds, as bits.
        time: i32,
    },
    /// [`SVC_PRINT`].
    Print {
        /// The text.
        text: &'a [u8],
    },
    /// [`SVC_STUFF_TEXT`].
    StuffText {
        /// The commands, with their newlines.
        text: &'a [u8],
    },
    /// [`SVC_SET_ANGLE`].
    SetAngle {
        /// Pitch, yaw, roll.
        angles: [i32; 3],
    },
    /// [`SVC_SERVER_INFO`].
    ServerInfo(ServerInfo<'a>),
    /// [`SVC_LIGHT_STYLE`].
    LightStyle {
        /// The style's number.
        style: u8,
        /// One letter per tenth of a second, `a` the darkest.
        pattern: &'a [u8],
    },
    /// [`SVC_UPDATE_NAME`].
    UpdateName {
        /// The player's slot, from 0.
        slot: u8,
        /// The name; empty for a free slot.
        name: &'a [u8],
    },
    /// [`SVC_UPDATE_FRAGS`].
    UpdateFrags {
        /// The player's slot.
        slot: u8,
        /// Frags.
        frags: i16,
    },
    /// [`SVC_CLIENT_DATA`].
    ClientData(ClientData),
    /// [`SVC_STOP_SOUND`].
    StopSound {
        /// The entity, 13 bits.
        entity: u16,
        /// Its channel, 3 bits.
        channel: u8,
    },
    /// [`SVC_UPDATE_COLORS`].
    UpdateColors {
        /// The player's slot.
        slot: u8,
        /// Shirt times 16 plus trousers.
        colors: u8,
    },
    /// [`SVC_PARTICLE`].
    Particle {
        /// Where.
        origin: [i32; 3],
        /// Where to, in 1/16.
        direction: [i8; 3],
        /// How many; 255 is an explosion.
        count: u8,
        /// Colour in the palette.
        color: u8,
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
    /// [`SVC_SPAWN_STATIC`].
    SpawnStatic {
        /// The entity.
        fields: Record,
    },
    /// [`SVC_SPAWN_BASELINE`].
    SpawnBaseline {
        /// The entity's number.
        entity: u16,
        /// What its updates differ from.
        fields: Record,
    },
    /// [`SVC_TEMP_ENTITY`].
    TempEntity(TempEntity),
    /// [`SVC_SET_PAUSE`].
    SetPause {
        /// Whether the game stands still.
        paused: bool,
    },
    /// [`SVC_SIGN_ON_NUM`].
    SignOnNum {
        /// The step reached, 1 to 3.
        stage: u8,
    },
    /// [`SVC_CENTER_PRINT`].
    CenterPrint {
        /// The text.
        text: &'a [u8],
    },
    /// [`SVC_KILLED_MONSTER`].
    KilledMonster,
    /// [`SVC_FOUND_SECRET`].
    FoundSecret,
    /// [`SVC_SPAWN_STATIC_SOUND`].
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
    Intermission,
    /// [`SVC_FINALE`].
    Finale {
        /// The text.
        text: &'a [u8],
    },
    /// [`SVC_CD_TRACK`].
    CdTrack {
        /// The track.
        track: u8,
        /// The track to go on with.
        looped: u8,
    },
    /// [`SVC_SELL_SCREEN`].
    SellScreen,
    /// [`SVC_CUTSCENE`].
    Cutscene {
        /// The text.
        text: &'a [u8],
    },
    /// A byte with bit 7 set: an entity's state.
    FastUpdate(FastUpdate),
}

impl Service<'_> {
    /// The service's number; `None` for a fast update, whose first byte is part of its mask.
    pub fn number(&self) -> Option<u8> {
        Some(match self {
            Service::Nop => SVC_NOP,
            Service::Disconnect => SVC_DISCONNECT,
            Service::UpdateStat { .. } => SVC_UPDATE_STAT,
            Service::Version { .. } => SVC_VERSION,
            Service::SetView { .. } => SVC_SET_VIEW,
            Service::Sound(_) => SVC_SOUND,
            Service::Time { .. } => SVC_TIME,
            Service::Print { .. } => SVC_PRINT,
            Service::StuffText { .. } => SVC_STUFF_TEXT,
            Service::SetAngle { .. } => SVC_SET_ANGLE,
            Service::ServerInfo(_) => SVC_SERVER_INFO,
            Service::LightStyle { .. } => SVC_LIGHT_STYLE,
            Service::UpdateName { .. } => SVC_UPDATE_NAME,
            Service::UpdateFrags { .. } => SVC_UPDATE_FRAGS,
            Service::ClientData(_) => SVC_CLIENT_DATA,
            Service::StopSound { .. } => SVC_STOP_SOUND,
            Service::UpdateColors { .. } => SVC_UPDATE_COLORS,
            Service::Particle { .. } => SVC_PARTICLE,
            Service::Damage { .. } => SVC_DAMAGE,
            Service::SpawnStatic { .. } => SVC_SPAWN_STATIC,
            Service::SpawnBaseline { .. } => SVC_SPAWN_BASELINE,
            Service::TempEntity(_) => SVC_TEMP_ENTITY,
            Service::SetPause { .. } => SVC_SET_PAUSE,
            Service::SignOnNum { .. } => SVC_SIGN_ON_NUM,
            Service::CenterPrint { .. } => SVC_CENTER_PRINT,
            Service::KilledMonster => SVC_KILLED_MONSTER,
            Service::FoundSecret => SVC_FOUND_SECRET,
            Service::SpawnStaticSound { .. } => SVC_SPAWN_STATIC_SOUND,
            Service::Intermission => SVC_INTERMISSION,
            Service::Finale { .. } => SVC_FINALE,
            Service::CdTrack { .. } => SVC_CD_TRACK,
            Service::SellScreen => SVC_SELL_SCREEN,
            Service::Cutscene { .. } => SVC_CUTSCENE,
            Service::FastUpdate(_) => return None,
        })
    }

    /// Appends the message, its number included.
    pub fn write(&self, w: &mut Writer<'_>, p: &Primitives) {
        if let Some(number) = self.number() {
            w.u8(service_name(number).unwrap_or("service"), number);
        }
        match self {
            Service::Nop
            | Service::Disconnect
            | Service::KilledMonster
            | Service::FoundSecret
            | Service::Intermission
            | Service::SellScreen => {}
            Service::UpdateStat { stat, value } => {
                w.u8("stat", *stat);
                w.i32("value", *value);
            }
            Service::Version { protocol } => w.u32("protocol", *protocol),
            Service::SetView { entity } => p.write_entity(w, "entity", *entity),
            Service::Sound(sound) => sound.write(w, p),
            Service::Time { time } => w.f32("time", float_value(*time)),
            Service::Print { text }
            | Service::StuffText { text }
            | Service::CenterPrint { text }
            | Service::Finale { text }
            | Service::Cutscene { text } => w.string("text", text),
            Service::SetAngle { angles } => angles.iter().for_each(|angle| p.write_angle(w, "angle", *angle)),
            Service::ServerInfo(info) => info.write(w),
            Service::LightStyle { style, pattern } => {
                w.u8("style", *style);
                w.string("pattern", pattern);
            }
            Service::UpdateName { slot, name } => {
                w.u8("slot", *slot);
                w.string("name", name);
            }
            Service::UpdateFrags { slot, frags } => {
                w.u8("slot", *slot);
                w.i16("frags", *frags);
            }
            Service::ClientData(data) => data.write(w, p),
            Service::StopSound { entity, channel } => w.u16("entity and channel", entity << 3 | u16::from(channel & 7)),
            Service::UpdateColors { slot, colors } => write_bytes(w, &[("slot", *slot), ("colors", *colors)]),
            Service::Particle { origin, direction, count, color } => {
                p.write_point(w, "origin", *origin);
                direction.iter().for_each(|part| w.i8("direction", *part));
                write_bytes(w, &[("count", *count), ("color", *color)]);
            }
            Service::Damage { armor, blood, from } => {
                write_bytes(w, &[("armor", *armor), ("blood", *blood)]);
                p.write_point(w, "from", *from);
            }
            Service::SpawnStatic { fields } => write_record(w, p, 0, fields),
            Service::SpawnBaseline { entity, fields } => {
                w.u16("entity", *entity);
                write_record(w, p, 0, fields);
            }
            Service::TempEntity(effect) => effect.write(w, p),
            Service::SetPause { paused } => w.u8("paused", (*paused).into()),
            Service::SignOnNum { stage } => w.u8("stage", *stage),
            Service::SpawnStaticSound { origin, sound, volume, attenuation } => {
                p.write_point(w, "origin", *origin);
                write_bytes(w, &[("sound", *sound), ("volume", *volume), ("attenuation", *attenuation)]);
            }
            Service::CdTrack { track, looped } => write_bytes(w, &[("track", *track), ("looped track", *looped)]),
            Service::FastUpdate(update) => update.write(w, p),
        }
    }
}

fn write_bytes(w: &mut Writer<'_>, fields: &[(&'static str, u8)]) {
    fields.iter().for_each(|(name, value)| w.u8(name, *value));
}

/// Whether text for a client's console has it sign on again. Some engines name the map after the word.
pub fn has_reconnect(text: &[u8]) -> bool {
    let words = |line: &[u8]| line.split(u8::is_ascii_whitespace).find(|word| !word.is_empty()) == Some(b"reconnect");
    text.split(|&byte| byte == b'\n').any(words)
}

/// Reads the rest of the message whose number, already read, was `svc`; `None` when it is not NetQuake's (nothing was
/// read then).
///
/// Extensions that append to a NetQuake service (a movement ack after [`SVC_TIME`], say) are the caller's.
///
/// # Errors
/// The data ends inside it, or a value in it is unknown.
pub fn read_service<'a>(r: &mut Reader<'a>, svc: u8, p: &Primitives) -> Result<Option<Service<'a>>, DecodeError> {
    // Most services by far.
    if u32::from(svc) & U_SIGNAL != 0 {
        return FastUpdate::read(r, svc, p).map(|update| Some(Service::FastUpdate(update)));
    }
    Ok(Some(match svc {
        SVC_NOP => Service::Nop,
        SVC_DISCONNECT => Service::Disconnect,
        SVC_UPDATE_STAT => Service::UpdateStat { stat: r.u8("stat")?, value: r.i32("value")? },
        SVC_VERSION => Service::Version { protocol: r.u32("protocol")? },
        SVC_SET_VIEW => Service::SetView { entity: p.read_entity(r, "entity")? },
        SVC_SOUND => Service::Sound(Sound::read(r, p)?),
        SVC_TIME => Service::Time { time: float_bits(r.f32("time")?) },
        SVC_PRINT => Service::Print { text: r.string("text")? },
        SVC_STUFF_TEXT => Service::StuffText { text: r.string("text")? },
        SVC_SET_ANGLE => Service::SetAngle {
            angles: [p.read_angle(r, "angle")?, p.read_angle(r, "angle")?, p.read_angle(r, "angle")?],
        },
        SVC_SERVER_INFO => Service::ServerInfo(ServerInfo::read(r)?),
        SVC_LIGHT_STYLE => Service::LightStyle { style: r.u8("style")?, pattern: r.string("pattern")? },
        SVC_UPDATE_NAME => Service::UpdateName { slot: r.u8("slot")?, name: r.string("name")? },
        SVC_UPDATE_FRAGS => Service::UpdateFrags { slot: r.u8("slot")?, frags: r.i16("frags")? },
        SVC_CLIENT_DATA => Service::ClientData(ClientData::read(r, p)?),
        SVC_STOP_SOUND => {
            let both = r.u16("entity and channel")?;
            Service::StopSound { entity: both >> 3, channel: (both & 7) as u8 }
        }
        SVC_UPDATE_COLORS => Service::UpdateColors { slot: r.u8("slot")?, colors: r.u8("colors")? },
        SVC_PARTICLE => Service::Particle {
            origin: p.read_point(r, "origin")?,
            direction: [r.i8("direction")?, r.i8("direction")?, r.i8("direction")?],
            count: r.u8("count")?,
            color: r.u8("color")?,
        },
        SVC_DAMAGE => Service::Damage { armor: r.u8("armor")?, blood: r.u8("blood")?, from: p.read_point(r, "from")? },
        SVC_SPAWN_STATIC => Service::SpawnStatic { fields: read_record(r, p, 0)? },
        SVC_SPAWN_BASELINE => Service::SpawnBaseline { entity: r.u16("entity")?, fields: read_record(r, p, 0)? },
        SVC_TEMP_ENTITY => Service::TempEntity(TempEntity::read(r, p)?),
        SVC_SET_PAUSE => Service::SetPause { paused: r.u8("paused")? != 0 },
        SVC_SIGN_ON_NUM => Service::SignOnNum { stage: r.u8("stage")? },
        SVC_CENTER_PRINT => Service::CenterPrint { text: r.string("text")? },
        SVC_KILLED_MONSTER => Service::KilledMonster,
        SVC_FOUND_SECRET => Service::FoundSecret,
        SVC_SPAWN_STATIC_SOUND => Service::SpawnStaticSound {
            origin: p.read_point(r, "origin")?,
            sound: r.u8("sound")?,
            volume: r.u8("volume")?,
            attenuation: r.u8("attenuation")?,
        },
        SVC_INTERMISSION => Service::Intermission,
        SVC_FINALE => Service::Finale { text: r.string("text")? },
        SVC_CD_TRACK => Service::CdTrack { track: r.u8("track")?, looped: r.u8("looped track")? },
        SVC_SELL_SCREEN => Service::SellScreen,
        SVC_CUTSCENE => Service::Cutscene { text: r.string("text")? },
        _ => return Ok(None),
    }))
}

#[cfg(test)]
mod tests;
