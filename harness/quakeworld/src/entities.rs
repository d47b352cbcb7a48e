//! Players, nails and other entities in sessions without replacement deltas.

use crate::command::{CMD_FIELDS, Usercmd, read_usercmd};
use crate::numbers::*;
use kit::table::{Absent, Kind, Layout, Row, Table, WIRE, float_bits};
use kit::{DecodeError, ErrorKind, Reader};
use netquake::Primitives;
use netquake::primitives::{GATE_ANGLE_FLOAT, GATE_ANGLE16, GATE_COORD_FLOAT, GATE_COORD24, GATE_COORD32};
use netquake::update::{ALPHA, ANGLES, COLORMAP, EFFECTS, FIELDS, FRAME, MODEL, ORIGIN, Record, SCALE, SKIN};

/// The layout of an entity delta after its bits. The record is that of NetQuake's fast updates.
pub static ENTITY_DELTA: Table = Table::new(
    "packet entity",
    &[
        row(
            "model",
            MODEL,
            U_MODEL,
            &[Layout::when(U_MODEL as u64, Kind::U8), Layout::when(U_MODELDBL as u64, Kind::U16)],
        ),
        row("frame", FRAME, U_FRAME, &[Layout::when(U_FRAME as u64, Kind::U8)]),
        row("colormap", COLORMAP, U_COLORMAP, &[Layout::when(U_COLORMAP as u64, Kind::U8)]),
        row("skin", SKIN, U_SKIN, &[Layout::when(U_SKIN as u64, Kind::U8)]),
        row("effects", EFFECTS, U_EFFECTS, &[Layout::when(U_EFFECTS as u64, Kind::U8)]),
        row("origin x", ORIGIN, U_ORIGIN1, &coord(U_ORIGIN1)),
        row("pitch", ANGLES, U_ANGLE1, &angle(U_ANGLE1)),
        row("origin y", ORIGIN + 1, U_ORIGIN2, &coord(U_ORIGIN2)),
        row("yaw", ANGLES + 1, U_ANGLE2, &angle(U_ANGLE2)),
        row("origin z", ORIGIN + 2, U_ORIGIN3, &coord(U_ORIGIN3)),
        row("roll", ANGLES + 2, U_ANGLE3, &angle(U_ANGLE3)),
        row("scale", SCALE, U_SCALE, &[Layout::when(U_SCALE as u64, Kind::U8)]),
        row("opacity", ALPHA, U_TRANS, &[Layout::when(U_TRANS as u64, Kind::U8)]),
    ],
);

const fn row(name: &'static str, field: usize, raise: u32, forms: &'static [Layout]) -> Row {
    Row { name, field, raise: raise as u64, widens: 0, forms, absent: Absent::Keep }
}

const fn coord(bit: u32) -> [Layout; 4] {
    let bit = bit as u64;
    [
        Layout::when(bit | GATE_COORD_FLOAT, Kind::F32),
        Layout::when(bit | GATE_COORD24, Kind::Coord24),
        Layout::when(bit | GATE_COORD32, Kind::Coord32),
        Layout::when(bit, Kind::Coord16),
    ]
}

const fn angle(bit: u32) -> [Layout; 3] {
    let bit = bit as u64;
    [
        Layout::when(bit | GATE_ANGLE_FLOAT, Kind::F32),
        Layout::when(bit | GATE_ANGLE16, Kind::Angle16),
        Layout::when(bit, Kind::Angle8),
    ]
}

/// What a packet has of one entity.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct EntityDelta {
    /// The entity's number, 9 bits; 11 under FTE's masks.
    pub entity: u16,
    /// The `U_*` bits, those of the bytes behind the first word included.
    pub bits: u32,
    /// The fields that `bits` name; the others count for nothing.
    pub fields: Record,
    /// Red, green and blue; nothing without [`U_COLOURMOD`].
    pub colour: [u8; 3],
}

impl EntityDelta {
    /// Whether the entity is gone.
    pub fn removed(&self) -> bool {
        self.bits & U_REMOVE != 0
    }
}

/// Reads the entities of a packet up to the zero that ends them.
///
/// # Errors
/// The data ends inside them, there are more than their numbers allow, or one has bits that were not agreed upon.
pub fn read_entity_deltas(r: &mut Reader<'_>, p: &Primitives) -> Result<Vec<EntityDelta>, DecodeError> {
    let mut entities = Vec::new();
    let p = &p.of_entities();
    let limit = match p.entity_mask & (PEXT_ENTITYDBL | PEXT_ENTITYDBL2) {
        0 => MAX_PACKET_ENTITIES,
        _ => MAX_PACKET_ENTITIES_DBL,
    };
    loop {
        let offset = r.at();
        let group = r.begin("entity");
        let word = r.u16("entity bits")?;
        if word == 0 {
            r.end(group);
            return Ok(entities);
        }
        if entities.len() == limit {
            let kind = ErrorKind::TooLarge { value: entities.len() + 1, limit };
            return r.error(offset, "entity bits", kind);
        }
        entities.push(read_entity_delta(r, word, p)?);
        r.end(group);
    }
}

/// Reads what [`SVC_SPAWNBASELINE2`] and [`SVC_SPAWNSTATIC2`] have: an entity as its difference from nothing.
///
/// # Errors
/// The data ends inside it, or it has bits that were not agreed upon.
pub fn read_spawned(r: &mut Reader<'_>, p: &Primitives) -> Result<EntityDelta, DecodeError> {
    let word = r.u16("entity bits")?;
    read_entity_delta(r, word, &p.of_entities())
}

/// Reads one entity after its first word.
fn read_entity_delta(r: &mut Reader<'_>, word: u16, p: &Primitives) -> Result<EntityDelta, DecodeError> {
    let (entity, bits) = (word & U_NUMBER, u32::from(word & !U_NUMBER));
    let mut delta = EntityDelta { entity, bits, fields: [0; FIELDS], colour: [0; 3] };
    // Without FTE's masks nothing follows a removal.
    let is_short = delta.removed() && p.entity_mask & PEXT_EVENMORE == 0;
    if delta.bits & U_MOREBITS != 0 && !is_short {
        read_more_bits(r, &mut delta, p)?;
    }
    if delta.removed() {
        return Ok(delta);
    }
    ENTITY_DELTA.decode(u64::from(delta.bits) & WIRE | p.gate(), &mut delta.fields, r)?;
    let has = |bits| delta.bits & bits == bits;
    if has(U_MODEL | U_MODELDBL) {
        delta.fields[MODEL] += 0x100;
    }
    for (bit, name, length) in [(U_FATNESS, "fatness", 1), (U_DRAWFLAGS, "drawflags", 1), (U_ABSLIGHT, "abslight", 1)] {
        if has(bit) {
            r.bytes(name, length)?;
        }
    }
    if has(U_COLOURMOD) {
        delta.colour = [r.u8("red")?, r.u8("green")?, r.u8("blue")?];
    }
    for (bit, name, length) in [(U_DPFLAGS, "flags of DarkPlaces", 1), (U_TAGINFO, "tag", 4), (U_LIGHT, "light", 10)] {
        if has(bit) {
            r.bytes(name, length)?;
        }
    }
    if has(U_EFFECTS16) {
        delta.fields[EFFECTS] |= i32::from(r.u8("upper effects")?) << 8;
    }
    Ok(delta)
}

/// Reads the bytes of bits behind the first word.
fn read_more_bits(r: &mut Reader<'_>, delta: &mut EntityDelta, p: &Primitives) -> Result<(), DecodeError> {
    let offset = r.at();
    delta.bits |= u32::from(r.u8("more bits")?);
    if delta.bits & U_EVENMORE == 0 {
        return Ok(());
    }
    if p.entity_mask & PEXT_EVENMORE == 0 {
        return r.error(offset, "more bits", ErrorKind::Unknown { value: U_EVENMORE });
    }
    let offset = r.at();
    delta.bits |= u32::from(r.u8("even more bits")?) << 16;
    if delta.bits & U_YETMORE != 0 && !delta.removed() {
        delta.bits |= u32::from(r.u8("yet more bits")?) << 24;
    }
    if delta.bits & U_UNKNOWN != 0 {
        return r.error(offset, "even more bits", ErrorKind::Unknown { value: delta.bits & U_UNKNOWN });
    }
    delta.entity += if delta.bits & U_ENTITYDBL != 0 { 0x200 } else { 0 };
    delta.entity += if delta.bits & U_ENTITYDBL2 != 0 { 0x400 } else { 0 };
    Ok(())
}

/// `svc_playerinfo`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PlayerInfo {
    /// The player's slot, from 0.
    pub player: u8,
    /// The `PF_*` bits.
    pub flags: u16,
    /// Where he is.
    pub origin: [i32; 3],
    /// Animation frame.
    pub frame: u8,
    /// Age of his input, in milliseconds; `None` when absent.
    pub msec: Option<u8>,
    /// His input; `None` when absent.
    pub command: Option<Usercmd>,
    /// Velocity, in units per second; 0 when absent.
    pub velocity: [i16; 3],
    /// His model; `None` for the usual one.
    pub model: Option<u8>,
    /// Skin; 0 when absent.
    pub skin: u8,
    /// Effects; 0 when absent.
    pub effects: u8,
    /// Frame of his weapon; 0 when absent.
    pub weaponframe: u8,
    /// Scale; 0 when absent.
    pub scale: u8,
    /// Opacity; 0 when absent.
    pub alpha: u8,
    /// Red, green and blue; 0 when absent.
    pub colour: [u8; 3],
}

impl PlayerInfo {
    /// Reads the message after its service number.
    ///
    /// # Errors
    /// The data ends inside it.
    pub fn read(r: &mut Reader<'_>, p: &Primitives) -> Result<PlayerInfo, DecodeError> {
        let player = r.u8("player")?;
        let flags = r.u16("flags")?;
        let has = |bit| flags & bit != 0;
        let is_long = has(PF_EXTRA_PFS) && p.entity_mask & PEXT_MORE_PLAYER != 0;
        let more = if is_long { r.u8("more flags")? } else { 0 };
        let origin = p.of_entities().read_point(r, "origin")?;
        let frame = r.u8("frame")?;
        let msec = if has(PF_MSEC) { Some(r.u8("msec")?) } else { None };
        let command = if has(PF_COMMAND) { Some(read_usercmd(r, &[0; CMD_FIELDS])?) } else { None };
        let mut velocity = [0; 3];
        for (part, bit) in velocity.iter_mut().zip([PF_VELOCITY1, PF_VELOCITY2, PF_VELOCITY3]) {
            *part = if has(bit) { r.i16("velocity")? } else { 0 };
        }
        let model = if has(PF_MODEL) { Some(r.u8("model")?) } else { None };
        let skin = if has(PF_SKINNUM) { r.u8("skin")? } else { 0 };
        let effects = if has(PF_EFFECTS) { r.u8("effects")? } else { 0 };
        let weaponframe = if has(PF_WEAPONFRAME) { r.u8("weaponframe")? } else { 0 };
        let own = PlayerInfo { player, flags, origin, frame, msec, command, velocity, model, ..PlayerInfo::default() };
        let mut info = PlayerInfo { skin, effects, weaponframe, ..own };
        info.read_more(r, more, p.entity_mask)?;
        Ok(info)
    }

    /// Reads what FTE's `mask` adds, by the byte of more flags.
    fn read_more(&mut self, r: &mut Reader<'_>, more: u8, mask: u32) -> Result<(), DecodeError> {
        let has = |bit, extension| more & bit != 0 && mask & extension != 0;
        if has(PF_SCALE, PEXT_SCALE) {
            self.scale = r.u8("scale")?;
        }
        if has(PF_TRANS, PEXT_TRANS) {
            self.alpha = r.u8("opacity")?;
        }
        if has(PF_FATNESS, PEXT_FATNESS) {
            r.i8("fatness")?;
        }
        if self.flags & PF_HULLSIZE_Z != 0 && mask & PEXT_HULLSIZE != 0 {
            r.u8("size")?;
        }
        if has(PF_COLOURMOD, PEXT_COLOURMOD) {
            self.colour = [r.u8("red")?, r.u8("green")?, r.u8("blue")?];
        }
        Ok(())
    }
}

/// [`SVC_PLAYERINFO`] of an `.mvd`, in which a server tells of every player what changed since it last did.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RecordedPlayer {
    /// The player's slot, from 0.
    pub player: u8,
    /// The `DF_*` bits.
    pub flags: u16,
    /// Animation frame.
    pub frame: u8,
    /// Where he is; axes that did not change are `None`.
    pub origin: [Option<i32>; 3],
    /// Where he looks, likewise.
    pub angles: [Option<i32>; 3],
    /// His model.
    pub model: Option<u8>,
    /// His skin.
    pub skin: Option<u8>,
    /// His effects.
    pub effects: Option<u8>,
    /// The frame of his weapon.
    pub weaponframe: Option<u8>,
}

impl RecordedPlayer {
    /// Reads the message after its service number.
    ///
    /// # Errors
    /// The data ends inside it.
    pub fn read(r: &mut Reader<'_>, p: &Primitives) -> Result<RecordedPlayer, DecodeError> {
        let p = &p.of_entities();
        let mut player = RecordedPlayer {
            player: r.u8("player")?,
            flags: r.u16("flags")?,
            frame: r.u8("frame")?,
            ..RecordedPlayer::default()
        };
        let has = |bit| player.flags & bit != 0;
        for ((axis, bit), name) in player.origin.iter_mut().zip([DF_ORIGINX, DF_ORIGINY, DF_ORIGINZ]).zip(ORIGIN_NAMES)
        {
            *axis = if has(bit) { Some(p.read_coord(r, name)?) } else { None };
        }
        for ((axis, bit), name) in player.angles.iter_mut().zip([DF_ANGLEX, DF_ANGLEY, DF_ANGLEZ]).zip(ANGLE_NAMES) {
            *axis = if has(bit) { Some(p.read_angle16(r, name)?) } else { None };
        }
        let byte = |r: &mut Reader<'_>, bit, name| if has(bit) { r.u8(name).map(Some) } else { Ok(None) };
        player.model = byte(r, DF_MODEL, "model")?;
        player.skin = byte(r, DF_SKINNUM, "skin")?;
        player.effects = byte(r, DF_EFFECTS, "effects")?;
        player.weaponframe = byte(r, DF_WEAPONFRAME, "weapon frame")?;
        Ok(player)
    }
}

const ORIGIN_NAMES: [&str; 3] = ["origin x", "origin y", "origin z"];
const ANGLE_NAMES: [&str; 3] = ["pitch", "yaw", "roll"];

/// A nail in flight.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Nail {
    /// Where it is: floats as bits. Even whole units from -4096 to 4094.
    pub origin: [i32; 3],
    /// Pitch in degrees, in steps of 22.5: a float as bits.
    pub pitch: i32,
    /// Yaw in degrees, 256 steps to the circle: a float as bits.
    pub yaw: i32,
}

impl Nail {
    /// Reads one nail: 48 bits, from the lowest up three coords of 12, pitch in 4 and yaw in 8.
    ///
    /// # Errors
    /// The data ends inside it.
    pub fn read(r: &mut Reader<'_>) -> Result<Nail, DecodeError> {
        let packed = r.bytes("nail", 6)?.iter().rev().fold(0u64, |bits, &byte| bits << 8 | u64::from(byte));
        let coord = |shift: u32| float_bits((packed >> shift & 0xfff) as f32 * 2.0 - 4096.0);
        Ok(Nail {
            origin: [coord(0), coord(12), coord(24)],
            pitch: float_bits((packed >> 36 & 0xf) as f32 * 22.5),
            yaw: float_bits((packed >> 40) as f32 * 360.0 / 256.0),
        })
    }
}
