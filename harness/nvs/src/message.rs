//! How a server's messages are read: those that a table lists by the table, all others as protocol 15 has them.

use crate::constants::*;
use crate::tables::{Kind, MAX_WRITES, Tables};
use crate::version::{Version, Versions};
use kit::table::{Kind as Width, float_bits};
use kit::{DecodeError, ErrorKind, Reader, Writer};
use netquake::constants::*;
use netquake::{MoveForm, Primitives, Service};

/// How a reader understands what comes.
#[derive(Clone, Copy, Debug)]
pub struct Reading<'t> {
    /// Which messages have versions.
    pub tables: &'t Tables,
    /// The version that the reader goes by: 0 until it has the sign-on data.
    pub version: Version,
}

/// The value of one write of a listed message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WireValue<'a> {
    /// A whole number.
    Number(i32),
    /// The bits of an `f32`: floats; coords in units; angles in degrees.
    Float(i32),
    /// A text without its NUL.
    Text(&'a [u8]),
}

impl WireValue<'_> {
    /// As one number: the length of a text.
    pub fn number(&self) -> i64 {
        match self {
            WireValue::Number(number) => i64::from(*number),
            WireValue::Float(bits) => i64::from(*bits),
            WireValue::Text(text) => text.len() as i64,
        }
    }
}

/// A message that a table lists, as its reader got it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Listed<'a> {
    /// Its service.
    pub svc: u8,
    /// The byte after that, if this service has sub messages.
    pub sub: Option<u8>,
    /// By number of the write, what came; the command and sub bytes included.
    pub writes: [Option<WireValue<'a>>; MAX_WRITES],
}

impl<'a> Listed<'a> {
    /// What came, without the command and sub bytes.
    pub fn values(&self) -> impl Iterator<Item = WireValue<'a>> {
        self.writes.into_iter().skip(1 + usize::from(self.sub.is_some())).flatten()
    }

    /// The bits of write number `write`, if it came as a float.
    pub fn float(&self, write: usize) -> Option<i32> {
        match self.writes.get(write) {
            Some(Some(WireValue::Float(bits))) => Some(*bits),
            _ => None,
        }
    }

    /// Write number `write`, if it came as a whole number.
    pub fn number(&self, write: usize) -> Option<i32> {
        match self.writes.get(write) {
            Some(Some(WireValue::Number(number))) => Some(*number),
            _ => None,
        }
    }
}

/// A server's message.
#[derive(Clone, Debug, PartialEq)]
#[expect(
    clippy::large_enum_variant,
    reason = "it lives on the stack for one turn of a loop, and a box would be an allocation"
)]
pub enum Message<'a> {
    /// One that no table lists, as protocol 15 has it.
    Plain(Service<'a>),
    /// The three versions.
    Versions(Versions),
    /// The server's limits, if no table lists them: edicts, statics, temporaries.
    Limits([i16; 3]),
    /// One that a table lists.
    Listed(Listed<'a>),
}

/// The name of a service as the field writes it.
pub fn service_name(svc: u8) -> &'static str {
    match svc {
        SVC_LIMIT => "svc_limit",
        SVC_EXTRA_VERSION => "svc_extra_version",
        _ => netquake::constants::service_name(svc).unwrap_or("service"),
    }
}

/// Reads the next message; the caller made sure that something is left. Its fields stand in a group of its name.
///
/// # Errors
/// The data ends inside it, or it is unknown.
pub fn read_message<'a>(r: &mut Reader<'a>, reading: &Reading<'_>) -> Result<Message<'a>, DecodeError> {
    let name = |svc| if svc >= 0x80 { "fast update" } else { service_name(svc) };
    let group = r.begin(r.peek().filter(|_| r.records_fields()).map_or("service", name));
    let message = read(r, reading);
    r.end(group);
    message
}

fn read<'a>(r: &mut Reader<'a>, reading: &Reading<'_>) -> Result<Message<'a>, DecodeError> {
    let offset = r.at();
    let svc = r.u8("svc")?;
    // The sub byte decides which table it is, and is read again as the first field after.
    let sub = r.peek().unwrap_or_default();
    if let Some(message) = reading.tables.find(svc, sub) {
        let line = message.line(reading.version).filter(|line| line.writes > 0);
        let Some(line) = line else { return r.error(offset, "svc", ErrorKind::Unknown { value: svc.into() }) };
        let mut listed = Listed { svc, sub: message.sub, writes: [None; MAX_WRITES] };
        listed.writes[0] = Some(WireValue::Number(svc.into()));
        let places = message.kinds.iter().zip(&mut listed.writes).enumerate().skip(1);
        for (index, (kind, place)) in places.filter(|(index, _)| line.converts(*index)) {
            *place = Some(read_write(r, *kind, field_name(svc, message.sub, index, *kind))?);
        }
        return Ok(Message::Listed(listed));
    }
    match svc {
        SVC_EXTRA_VERSION => {
            let offset = r.at();
            match r.u8("extra version")? {
                VERSION_NVS => Versions::read(r).map(Message::Versions),
                value => r.error(offset, "extra version", ErrorKind::Unknown { value: value.into() }),
            }
        }
        SVC_LIMIT => {
            let offset = r.at();
            match r.u8("limit")? {
                LIMIT_NVS => Ok(Message::Limits([r.i16("edicts")?, r.i16("statics")?, r.i16("temporaries")?])),
                value => r.error(offset, "limit", ErrorKind::Unknown { value: value.into() }),
            }
        }
        // A service is large: it is moved once.
        _ => match netquake::read_service(r, svc, &Primitives::PLAIN) {
            Ok(Some(service)) => Ok(Message::Plain(service)),
            Ok(None) => r.error(offset, "svc", ErrorKind::Unknown { value: svc.into() }),
            Err(error) => Err(error),
        },
    }
}

fn read_write<'a>(r: &mut Reader<'a>, kind: Kind, field: &'static str) -> Result<WireValue<'a>, DecodeError> {
    Ok(match kind {
        Kind::Byte => WireValue::Number(r.u8(field)?.into()),
        Kind::Char => WireValue::Number(r.i8(field)?.into()),
        Kind::Short => WireValue::Number(r.i16(field)?.into()),
        Kind::Long => WireValue::Number(r.i32(field)?),
        Kind::Float => WireValue::Float(float_bits(r.f32(field)?)),
        Kind::String => WireValue::Text(r.string(field)?),
        Kind::Coord => WireValue::Float(Primitives::PLAIN.read_coord(r, field)?),
        Kind::Angle => WireValue::Float(Primitives::PLAIN.read_angle(r, field)?),
        Kind::Entity => WireValue::Number(r.u16(field)?.into()),
    })
}

/// What a write of a message is called, so that it can be found among the fields of a datagram.
pub fn field_name(svc: u8, sub: Option<u8>, write: usize, kind: Kind) -> &'static str {
    match (svc, sub, write) {
        (_, Some(_), 1) if svc == SVC_TEMP_ENTITY => "temp entity",
        (_, Some(_), 1) => "sub",
        (SVC_SET_ANGLE, _, 1..=3) if kind == Kind::Angle => "angle",
        (SVC_SET_ANGLE, _, _) if kind == Kind::Float => "fine angle",
        (SVC_PARTICLE, _, 1..=3) | (SVC_TEMP_ENTITY, Some(TE_EXPLOSION), 2..=4) => "origin",
        (SVC_PARTICLE, _, 4..=6) => "direction",
        (SVC_PARTICLE, _, 7) => "count",
        (SVC_PARTICLE, _, 8) => "color",
        (SVC_TEMP_ENTITY, Some(TE_EXPLOSION), 5..=8) => "explosion color",
        (SVC_LIMIT, _, 2) => "edicts",
        (SVC_LIMIT, _, 3) => "statics",
        (SVC_LIMIT, _, 4) => "temporaries",
        _ => kind.name(),
    }
}

/// Appends the answer to a request for versions.
pub fn write_versions(w: &mut Writer<'_>, versions: &Versions) {
    w.u8("svc", SVC_EXTRA_VERSION);
    w.u8("extra version", VERSION_NVS);
    versions.write(w);
}

/// How a client of this version of commands writes its moves.
pub fn move_form(cclc: Version) -> MoveForm {
    let angle = if cclc >= Version::ENHANCED { Width::F32 } else { Width::Angle8 };
    MoveForm { sequence: false, angle }
}

#[cfg(test)]
mod tests {
    use super::*;
    use netquake::command::Move;
    use netquake::{ClientCommand, read_command};

    fn read_one(bytes: &[u8], version: i32) -> (Result<Message<'_>, DecodeError>, usize) {
        let tables = Tables::released();
        let mut r = Reader::new(bytes);
        let message = read_message(&mut r, &Reading { tables: &tables, version: Version(version) });
        (message, r.left())
    }

    /// What a reader of `version` makes of the bytes: the values as numbers, and the bytes left.
    fn check(bytes: &[u8], version: i32, values: &[f32], left: usize) {
        let (message, rest) = read_one(bytes, version);
        let Ok(Message::Listed(listed)) = message else { panic!("{message:?}") };
        let number = |value| match value {
            WireValue::Number(number) => number as f32,
            WireValue::Float(bits) => kit::table::float_value(bits),
            WireValue::Text(text) => text.len() as f32,
        };
        assert_eq!((listed.values().map(number).collect::<Vec<f32>>(), rest), (values.to_vec(), left));
    }

    // The document's bytes; see the tests of the preparation for how they come about.
    #[test]
    fn a_view_is_turned_by_bytes_or_by_floats() {
        check(&[0x0a, 0x08, 0xc0, 0x00], 49, &[11.25, -90.0, 0.0], 0);
        let fine = [0x0a, 0, 0, 0x48, 0x41, 0, 0, 0xb4, 0xc2, 0, 0, 0, 0];
        check(&fine, 50, &[12.5, -90.0, 0.0], 0);
        check(&fine, 99, &[12.5, -90.0, 0.0], 0);
    }

    #[test]
    fn an_explosion_has_a_colour_from_version_050_on() {
        let plain = [0x17, 3, 0x20, 3, 0x6c, 0xfe, 0xc2, 0];
        let colored = [&plain[..], &[8, 0, 4, 0, 2, 0, 7, 0]].concat();
        check(&plain, 0, &[100.0, -50.5, 24.25], 0);
        check(&colored, 50, &[100.0, -50.5, 24.25, 1.0, 0.5, 0.25, 0.875], 0);
        check(&colored, 49, &[100.0, -50.5, 24.25], 8);
        assert!(read_one(&plain, 50).0.is_err(), "the colour is missing");
    }

    #[test]
    fn particles_are_the_same_in_every_version() {
        let bytes = [0x12, 0x20, 3, 0x6c, 0xfe, 0xc2, 0, 0, 0, 0x10, 0x14, 0x49];
        for version in [0, 49, 50, 99] {
            check(&bytes, version, &[100.0, -50.5, 24.25, 0.0, 0.0, 16.0, 20.0, 73.0], 0);
        }
    }

    #[test]
    fn versions_and_limits_have_the_bytes_of_the_document() {
        let bytes = [0x7f, 1, 0, 0, 0, 0x3f, 0, 0, 0, 0x3f, 0xa4, 0x70, 0x7d, 0x3f];
        let versions = Versions { ssvc: Version(50), csvc: Version(50), cclc: Version(99) };
        assert_eq!(read_one(&bytes, 0), (Ok(Message::Versions(versions)), 0));
        let mut written = Vec::new();
        write_versions(&mut Writer::new(&mut written), &versions);
        assert_eq!(written, bytes);
        check(&[0x7e, 1, 0x58, 2, 0x80, 0, 0x40, 0], 0, &[600.0, 128.0, 64.0], 0);
        assert!(read_one(&[0x7f, 2], 0).0.is_err() && read_one(&[0x7e, 2], 0).0.is_err());
    }

    #[test]
    fn what_no_table_lists_is_read_as_protocol_15_has_it() {
        let (message, left) = read_one(&[0x17, 0, 8, 0, 16, 0, 24, 0, 1], 99);
        assert!(matches!(message, Ok(Message::Plain(Service::TempEntity(_)))) && left == 1, "{message:?}");
        assert!(read_one(&[40], 99).0.is_err());
    }

    // The document's move: time 2.5, angles 12.5, -90 and 0, forward 400, attack.
    #[test]
    fn moves_have_fine_angles_from_version_050_on() {
        let bytes = [0x03, 0, 0, 0x20, 0x40, 0, 0, 0x48, 0x41, 0, 0, 0xb4, 0xc2, 0, 0, 0, 0, 0x90, 1, 0, 0, 0, 0, 1, 0];
        let input = Move {
            sequence: 0,
            time: float_bits(2.5),
            angles: [12.5, -90.0, 0.0].map(float_bits),
            forward: 400,
            side: 0,
            up: 0,
            buttons: 1,
            impulse: 0,
        };
        let mut written = Vec::new();
        ClientCommand::Move(input).write(&mut Writer::new(&mut written), &move_form(Version(50)));
        assert_eq!(written, bytes);
        let mut r = Reader::new(&bytes[1..]);
        let read = read_command(&mut r, CLC_MOVE, &move_form(Version(99)));
        assert_eq!((read, r.left()), (Ok(Some(ClientCommand::Move(input))), 0));
        let mut plain = Vec::new();
        ClientCommand::Move(input).write(&mut Writer::new(&mut plain), &move_form(Version(49)));
        assert_eq!(plain.len(), 16);
    }
}
