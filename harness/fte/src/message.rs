//! Every message of a session, walked in order: FTE's own services here, the base services by their crates.
//!
//! Source: "Modified/Added SVCs" and "Modified/Added CLCs" of the specification.

use crate::constants::field_names::*;
use crate::constants::*;
use crate::delta::{self, Coding, Entry};
use crate::dialect::{Dialect, Readings, Transport};
use crate::extensions::Extensions;
use crate::service;
use crate::state::{Entity, UF_RESET};
use kit::table::Kind;
use kit::{DecodeError, Direction, ErrorKind, Reader, StatValue, Writer};
use netquake::constants::CLC_MOVE;
use quakeworld::serverdata::EZ_FLOAT_ENTITIES;

/// Where messages came from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Carrier {
    /// The way they went.
    pub direction: Direction,
    /// Whether they were in the reliable stream (NetQuake), or in a packet with a reliable part (QuakeWorld).
    pub reliable: bool,
    /// The packet's sequence; on NetQuake that of the unreliable datagram, and 0 in the reliable stream.
    pub sequence: u32,
    /// QuakeWorld: the newest sequence that the sender has received.
    pub acknowledged: Option<u32>,
}

/// How an update message begins.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct UpdateStart {
    /// The newest applied movement sequence, where the dialect has it.
    pub movement_ack: Option<u16>,
    /// Server time, in seconds.
    pub server_time: f32,
}

/// Receives what a walk over messages finds. Everything is optional.
pub trait Listener {
    /// A serverdata or serverinfo: a map begins, and this is what was agreed upon for it.
    fn session(&mut self, _: &Dialect) {}
    /// A base service of NetQuake, serverinfo and statistics included.
    fn netquake(&mut self, _: &netquake::Service<'_>) {}
    /// A service that protocol 666 adds.
    fn fitz(&mut self, _: &netquake::fitzquake::Fitz<'_>) {}
    /// A base service of QuakeWorld, serverdata and statistics included.
    fn quakeworld(&mut self, _: &quakeworld::Service<'_>) {}
    /// A statistic, in any of its forms but text.
    fn stat(&mut self, _: &Carrier, _: u8, _: StatValue) {}
    /// The baseline of an entity.
    fn baseline(&mut self, _: u32, _: &Entity) {}
    /// A static entity.
    fn static_entity(&mut self, _: &Entity) {}
    /// An entity of the game's own code is gone.
    fn csqc_gone(&mut self, _: u32) {}
    /// A service begins; its number was read.
    fn service_begins(&mut self, _: u8) {}
    /// An update message begins.
    fn update(&mut self, _: &Carrier, _: &UpdateStart) {}
    /// The form of the entry to come.
    fn coded(&mut self, _: Coding) {}
    /// An entry of an update message. A listener that wants an update's fields reads them from `r` with
    /// [`delta::read_delta`] and returns true; otherwise they are skipped.
    ///
    /// # Errors
    /// Those of reading the fields.
    fn entry(
        &mut self,
        carrier: &Carrier,
        entry: Entry,
        r: &mut Reader<'_>,
        dialect: &Dialect,
    ) -> Result<bool, DecodeError> {
        let _ = (carrier, entry, r, dialect);
        Ok(false)
    }
    /// A text command of a client.
    fn text_command(&mut self, _: &[u8]) {}
    /// A client's command of NetQuake.
    fn netquake_command(&mut self, _: &netquake::ClientCommand<'_>) {}
    /// A move of a NetQuake client.
    fn moved(&mut self, _: &Carrier, _: &netquake::Move) {}
    /// A client's command of QuakeWorld.
    fn quakeworld_command(&mut self, _: &quakeworld::Command<'_>) {}
    /// A client acknowledges an entity frame, or asks for a reset with [`ACK_RESET`].
    fn acknowledge(&mut self, _: &Carrier, _: u32) {}
    /// A message ends; the walk goes on.
    fn message_ended(&mut self) {}
}

/// Walks the services of a payload, the rest of `r`. A serverdata or serverinfo changes `dialect` for what follows.
///
/// # Errors
/// The first field that cannot be read; what comes before it was passed on.
pub fn walk_services(
    r: &mut Reader<'_>,
    dialect: &mut Dialect,
    readings: Readings,
    carrier: &Carrier,
    listener: &mut impl Listener,
) -> Result<(), DecodeError> {
    while r.left() > 0 {
        let group = r.begin("service");
        let offset = r.at();
        let service = r.u8(SVC)?;
        listener.service_begins(service);
        let known = read_own_service(r, service, dialect, carrier, listener)?
            || match dialect.transport {
                Transport::NetQuake => read_netquake(r, service, dialect, readings, carrier, listener)?,
                Transport::QuakeWorld => read_quakeworld(r, service, dialect, readings, carrier, listener)?,
            }
            || service::skip_service(r, offset, service, dialect)?;
        if !known {
            return r.error(offset, SVC, ErrorKind::Unknown { value: service.into() });
        }
        listener.message_ended();
        r.end(group);
    }
    Ok(())
}

/// The services that the extension adds or redefines.
fn read_own_service(
    r: &mut Reader<'_>,
    service: u8,
    dialect: &mut Dialect,
    carrier: &Carrier,
    listener: &mut impl Listener,
) -> Result<bool, DecodeError> {
    match service {
        SVC_UPDATEENTITIES if dialect.deltas() => read_update(r, dialect, carrier, listener)?,
        SVC_SPAWNBASELINE2 if dialect.deltas() => {
            let number = dialect.primitives.read_entity(r, ENTITY_NUMBER)?;
            listener.baseline(number, &read_baseline(r, dialect)?);
        }
        SVC_SPAWNSTATIC2 if dialect.deltas() => listener.static_entity(&read_baseline(r, dialect)?),
        SVC_CSQCENTITIES if dialect.deltas() => read_csqc_entities(r, false, listener)?,
        SVC_CSQCENTITIES_NETQUAKE if dialect.deltas() && dialect.transport == Transport::NetQuake => {
            read_csqc_entities(r, false, listener)?;
        }
        SVC_CSQCENTITIES_SIZED if dialect.deltas() => read_csqc_entities(r, true, listener)?,
        SVC_CUSTOMTEMPENT if dialect.extensions.fte1 & PEXT_CUSTOMTEMPEFFECTS != 0 => {
            dialect.effects.read(r, &dialect.primitives)?;
        }
        // FTE-STAT-05
        SVC_UPDATESTATBYTE if dialect.transport == Transport::NetQuake => {
            let stat = r.u8("stat")?;
            listener.stat(carrier, stat, StatValue::Int(r.u8("value")?.into()));
        }
        SVC_UPDATESTATSTRING => {
            r.u8("stat")?;
            r.string("text")?;
        }
        SVC_UPDATESTATFLOAT => {
            let stat = r.u8("stat")?;
            listener.stat(carrier, stat, StatValue::Float(r.f32("value")?));
        }
        // The recorded sign-on of an engine has the sequence even with replacement deltas.
        netquake::constants::SVC_TIME if dialect.movement_sequence() => {
            let time = kit::table::float_bits(r.f32("time")?);
            r.u16(MOVEMENT_SEQUENCE)?;
            listener.netquake(&netquake::Service::Time { time });
        }
        quakeworld::SVC_DOWNLOAD
            if dialect.transport == Transport::QuakeWorld && dialect.extensions.fte1 & PEXT_CHUNKEDDOWNLOADS != 0 =>
        {
            service::skip_chunk(r)?;
        }
        SVC_PRECACHE if dialect.transport == Transport::NetQuake && dialect.extensions.fte2 != 0 => {
            r.u16("precache index")?;
            r.string("name")?;
        }
        _ => return Ok(false),
    }
    Ok(true)
}

fn read_update(
    r: &mut Reader<'_>,
    dialect: &Dialect,
    carrier: &Carrier,
    listener: &mut impl Listener,
) -> Result<(), DecodeError> {
    let movement_ack = match dialect.movement_sequence() {
        true => Some(r.u16(MOVEMENT_SEQUENCE)?),
        false => None,
    };
    let server_time = r.f32(SERVER_TIME)?; // FTE-SVC-03
    listener.update(carrier, &UpdateStart { movement_ack, server_time });
    let mut passed_over = Entity::NULL;
    loop {
        let group = r.begin("entry");
        let (entry, coding) = delta::read_coded_entry(r, dialect.gate)?;
        listener.coded(coding);
        let taken = listener.entry(carrier, entry, r, dialect)?;
        if let (Entry::Update(_, flags), false) = (entry, taken) {
            delta::read_delta(r, &delta::ENTITY, flags & !UF_RESET, &Entity::NULL, &mut passed_over, dialect.gate)?;
        }
        r.end(group);
        if entry == Entry::End {
            return Ok(());
        }
    }
}

/// A baseline: the difference from the null state. RESET may be set in it, and changes nothing.
pub(crate) fn read_baseline(r: &mut Reader<'_>, dialect: &Dialect) -> Result<Entity, DecodeError> {
    let mut state = Entity::NULL; // FTE-SVC-07
    let flags = delta::read_flags(r, dialect.gate)?;
    delta::read_delta(r, &delta::ENTITY, flags, &Entity::NULL, &mut state, dialect.gate)?;
    Ok(state)
}

/// Entities whose content the game's own code defines: it can be read past only where its length stands in front of it.
fn read_csqc_entities(r: &mut Reader<'_>, sized: bool, listener: &mut impl Listener) -> Result<(), DecodeError> {
    loop {
        let offset = r.at();
        match delta::read_index(r)? {
            (0, false) => return Ok(()),
            (number, true) => listener.csqc_gone(number),
            (_, false) if sized => {
                let length = r.u16("length of a CSQC entity")?;
                r.bytes("CSQC entity", length.into())?;
            }
            (number, false) => {
                let why = "the content of a CSQC entity is defined by the game's own code";
                return r.error(offset, ENTITY_INDEX, ErrorKind::Forbidden { value: number, why });
            }
        }
    }
}

fn read_netquake(
    r: &mut Reader<'_>,
    service: u8,
    dialect: &mut Dialect,
    readings: Readings,
    carrier: &Carrier,
    listener: &mut impl Listener,
) -> Result<bool, DecodeError> {
    let Some(service) = netquake::read_service(r, service, &dialect.primitives)? else {
        if !dialect.primitives.extended_updates {
            return Ok(false);
        }
        let service = netquake::fitzquake::read_service(r, service, &dialect.primitives)?;
        return Ok(service.inspect(|service| listener.fitz(service)).is_some());
    };
    listener.netquake(&service);
    match service {
        netquake::Service::ServerInfo(info) => {
            // FTE-HS-14
            let extensions = Extensions { fte1: info.fte1.unwrap_or_default(), fte2: info.fte2.unwrap_or_default() };
            let flags = info.protocol_flags;
            *dialect = Dialect::negotiated(dialect.transport, extensions, info.protocol, flags, readings);
            listener.session(dialect);
        }
        netquake::Service::UpdateStat { stat, value } => listener.stat(carrier, stat, StatValue::Int(value)),
        _ => {}
    }
    Ok(true)
}

fn read_quakeworld(
    r: &mut Reader<'_>,
    service: u8,
    dialect: &mut Dialect,
    readings: Readings,
    carrier: &Carrier,
    listener: &mut impl Listener,
) -> Result<bool, DecodeError> {
    let Some(service) = quakeworld::read_service(r, service, &dialect.primitives)? else { return Ok(false) };
    listener.quakeworld(&service);
    match service {
        quakeworld::Service::ServerData(data) => {
            let extensions = Extensions { fte1: data.fte1.unwrap_or_default(), fte2: data.fte2.unwrap_or_default() };
            *dialect = Dialect::negotiated(dialect.transport, extensions, data.protocol, 0, readings);
            dialect.primitives.float_entities = data.mvd1.is_some_and(|mask| mask & EZ_FLOAT_ENTITIES != 0);
            listener.session(dialect);
        }
        quakeworld::Service::UpdateStat { stat, value } => listener.stat(carrier, stat, StatValue::Int(value.into())),
        quakeworld::Service::UpdateStatLong { stat, value } => listener.stat(carrier, stat, StatValue::Int(value)),
        _ => {}
    }
    Ok(true)
}

/// Walks the commands of a client's payload, the rest of `r`.
///
/// # Errors
/// The first field that cannot be read; what comes before it was passed on.
pub fn walk_commands(
    r: &mut Reader<'_>,
    dialect: &Dialect,
    carrier: &Carrier,
    listener: &mut impl Listener,
) -> Result<(), DecodeError> {
    while r.left() > 0 {
        let group = r.begin("command");
        let offset = r.at();
        let command = r.u8(CLC)?;
        let known = match (command, dialect.transport) {
            (CLC_ACKFRAME, _) => {
                listener.acknowledge(carrier, r.i32(FRAME_NUMBER)? as u32);
                true
            }
            (CLC_MOVE, Transport::NetQuake) if dialect.extensions.fte2 & PEXT2_PRYDONCURSOR != 0 => {
                let movement = service::read_move_with_cursor(r, &move_form(dialect), dialect)?;
                listener.moved(carrier, &movement);
                listener.netquake_command(&netquake::ClientCommand::Move(movement));
                true
            }
            (CLC_FTE_MOVE, _) if dialect.extensions.fte2 & PEXT2_VRINPUTS != 0 => {
                let newest = service::inputs::read(r, dialect, &mut |frame| listener.acknowledge(carrier, frame))?;
                if let Some(movement) = newest.filter(|_| dialect.transport == Transport::NetQuake) {
                    listener.moved(carrier, &movement);
                    listener.netquake_command(&netquake::ClientCommand::Move(movement));
                }
                true
            }
            (_, Transport::NetQuake) => match netquake::read_command(r, command, &move_form(dialect))? {
                Some(command) => {
                    match &command {
                        netquake::ClientCommand::String { text } => listener.text_command(text),
                        netquake::ClientCommand::Move(movement) => listener.moved(carrier, movement),
                        _ => {}
                    }
                    listener.netquake_command(&command);
                    true
                }
                None => false,
            },
            (_, Transport::QuakeWorld) => match quakeworld::read_command(r, command, &dialect.primitives)? {
                Some(command) => {
                    if let quakeworld::Command::StringCmd(text) = command {
                        listener.text_command(text);
                    }
                    listener.quakeworld_command(&command);
                    true
                }
                None => false,
            },
        };
        if !known && !service::skip_command(r, offset, command, dialect)? {
            return r.error(offset, CLC, ErrorKind::Unknown { value: command.into() });
        }
        listener.message_ended();
        r.end(group);
    }
    Ok(())
}

/// The form of a NetQuake client's move. PREDINFO guarantees 16-bit angles (erratum E27), float coords make all angles so, and
/// other protocols than 15 have them anyway.
// FTE-PRED-15
pub fn move_form(dialect: &Dialect) -> netquake::MoveForm {
    let plain =
        dialect.protocol == netquake::constants::PROTOCOL_NETQUAKE && matches!(dialect.primitives.angle, Kind::Angle8);
    let short_angles = dialect.predinfo() || !plain;
    netquake::MoveForm {
        sequence: dialect.movement_sequence(),
        angle: if short_angles { Kind::Angle16 } else { Kind::Angle8 },
    }
}

/// Writes `svcfte_csqcentities` with removals alone.
pub fn write_csqc_removes(w: &mut Writer<'_>, numbers: &[u32]) {
    w.u8(SVC, SVC_CSQCENTITIES);
    for &number in numbers {
        delta::write_index(w, number, true); // FTE-SVC-09
    }
    delta::write_index(w, 0, false);
}

/// Writes `svcfte_spawnstatic2`: a static entity as the difference from the null state.
pub fn write_static(w: &mut Writer<'_>, state: &Entity, dialect: &Dialect) {
    w.u8(SVC, SVC_SPAWNSTATIC2); // FTE-SVC-05, FTE-SVC-10
    let flags = delta::diff(&delta::ENTITY, &Entity::NULL, state, dialect.gate);
    delta::write_delta(w, &delta::ENTITY, flags, state, dialect.gate);
}

/// Writes `svcfte_spawnbaseline2`: an entity's number and its baseline as the difference from the null state.
pub fn write_baseline(w: &mut Writer<'_>, number: u32, baseline: &Entity, dialect: &Dialect) {
    w.u8(SVC, SVC_SPAWNBASELINE2); // FTE-SVC-06
    dialect.primitives.write_entity(w, ENTITY_NUMBER, number);
    let flags = delta::diff(&delta::ENTITY, &Entity::NULL, baseline, dialect.gate);
    delta::write_delta(w, &delta::ENTITY, flags, baseline, dialect.gate);
}

/// Writes a statistic in the narrowest form that holds it, in at most 6 bytes.
pub fn write_stat(w: &mut Writer<'_>, stat: u8, value: StatValue, transport: Transport) {
    let (byte_form, long_form) = match transport {
        Transport::NetQuake => (SVC_UPDATESTATBYTE, netquake::constants::SVC_UPDATE_STAT),
        Transport::QuakeWorld => (quakeworld::SVC_UPDATESTAT, quakeworld::SVC_UPDATESTATLONG),
    };
    match value {
        StatValue::Int(byte @ 0..=255) => {
            w.u8(SVC, byte_form);
            w.u8("stat", stat);
            w.u8("value", byte as u8);
        }
        StatValue::Int(long) => {
            w.u8(SVC, long_form);
            w.u8("stat", stat);
            w.i32("value", long);
        }
        StatValue::Float(float) => {
            w.u8(SVC, SVC_UPDATESTATFLOAT);
            w.u8("stat", stat);
            w.f32("value", float);
        }
    }
}

/// In which form statistics travel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StatForm {
    /// Integers in the narrowest that holds them, others as float.
    Narrowest,
    /// All integers as longs.
    Long,
    /// Integers as floats where these hold them.
    Float,
    /// Floats that are whole as integers.
    WholeAsInteger,
}

/// Writes a statistic in another form, in at most 6 bytes.
pub fn write_stat_as(w: &mut Writer<'_>, form: StatForm, stat: u8, value: StatValue, transport: Transport) {
    /// Up to here all integers are floats.
    const EXACT: u32 = 1 << 24;
    match (form, value) {
        (StatForm::Long, StatValue::Int(long)) => {
            w.u8(
                "svc",
                match transport {
                    Transport::NetQuake => netquake::constants::SVC_UPDATE_STAT,
                    Transport::QuakeWorld => quakeworld::SVC_UPDATESTATLONG,
                },
            );
            w.u8("stat", stat);
            w.i32("value", long);
        }
        (StatForm::Float, StatValue::Int(value)) if value.unsigned_abs() <= EXACT => {
            write_stat(w, stat, StatValue::Float(value as f32), transport);
        }
        (StatForm::WholeAsInteger, StatValue::Float(value)) if value as i32 as f32 == value => {
            write_stat(w, stat, StatValue::Int(value as i32), transport);
        }
        _ => write_stat(w, stat, value, transport),
    }
}

/// Writes `clcfte_ackframe`.
pub fn write_acknowledge(w: &mut Writer<'_>, sequence: u32) {
    w.u8(CLC, CLC_ACKFRAME); // FTE-ACK-03, FTE-SVC-13
    w.u32(FRAME_NUMBER, sequence);
}
