//! What a datagram carries: NetQuake's messages and those of protocol 666, read with the protocol that the server announced.

use crate::constants::*;
use kit::{DecodeError, ErrorKind, Reader, Writer};
use netquake::fitzquake::{self, Fitz};
use netquake::{BigEntities, ClientCommand, MoveForm, Primitives, Service};

/// How the messages of a session are written.
#[derive(Clone, Copy, Debug)]
pub struct Dialect {
    /// The protocol that the server announced; 15 before that.
    pub protocol: u32,
    /// Its `PRFL_*` flags: protocol 999, which is 666 with other coords and angles, has them.
    pub flags: u32,
    /// What follows from it.
    pub primitives: Primitives,
}

impl Dialect {
    /// Before a server has announced its protocol.
    pub const PLAIN: Dialect = Dialect { protocol: PROTOCOL_NETQUAKE, flags: 0, primitives: Primitives::PLAIN };

    /// What a server that announces `protocol` speaks; what is not 15 is spoken as 666.
    pub fn announced(protocol: u32) -> Dialect {
        let spoken = if protocol == PROTOCOL_NETQUAKE { PROTOCOL_NETQUAKE } else { PROTOCOL_FITZQUAKE };
        Dialect { protocol, flags: 0, primitives: Primitives::negotiated(spoken, 0, false, BigEntities::Plain) }
    }

    /// Same, with the flags that stand beside the number of protocol 999.
    pub fn with_flags(protocol: u32, flags: u32) -> Dialect {
        if protocol != PROTOCOL_RMQ {
            return Dialect::announced(protocol);
        }
        Dialect { protocol, flags, primitives: Primitives::negotiated(protocol, flags, false, BigEntities::Plain) }
    }

    /// Whether what protocol 666 adds may be sent.
    pub fn extended(&self) -> bool {
        self.primitives.extended_updates
    }

    /// How a client's moves are written: with angles of two bytes in protocol 666, and with floats where protocol 999 says so.
    pub fn move_form(&self) -> MoveForm {
        if self.extended() { MoveForm { sequence: false, angle: self.primitives.angle16 } } else { MoveForm::PLAIN }
    }

    /// Its name, such as `protocol 999 flags 0x12`.
    pub fn name(&self) -> String {
        match self.protocol {
            PROTOCOL_RMQ => format!("protocol {PROTOCOL_RMQ} flags {:#x}", self.flags),
            protocol => format!("protocol {protocol}"),
        }
    }

    /// The dialect of that name; `None` if there is none of it.
    pub fn named(name: &str) -> Option<Dialect> {
        let mut words = name.split_whitespace().filter(|word| !matches!(*word, "protocol" | "flags"));
        let protocol = words.next()?.parse().ok()?;
        let flags = match words.next() {
            None => 0,
            Some(flags) => u32::from_str_radix(flags.trim_start_matches("0x"), 16).ok()?,
        };
        let known = matches!(protocol, PROTOCOL_NETQUAKE | PROTOCOL_FITZQUAKE | PROTOCOL_RMQ);
        (known && words.next().is_none()).then(|| Dialect::with_flags(protocol, flags))
    }
}

/// A message of a server.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Said<'a> {
    /// One of NetQuake's.
    NetQuake(Service<'a>),
    /// One that protocol 666 adds.
    Fitz(Fitz<'a>),
}

impl Said<'_> {
    /// Appends the message, its number included.
    pub fn write(&self, w: &mut Writer<'_>, dialect: &Dialect) {
        match self {
            Said::NetQuake(service) => service.write(w, &dialect.primitives),
            Said::Fitz(service) => service.write(w, &dialect.primitives),
        }
    }
}

/// Reads the next message of a server, and leaves a span `service` around its fields. A serverinfo changes `dialect` for
/// what follows.
///
/// # Errors
/// The first field that cannot be read, a message that the protocol does not have, or an announced protocol that is
/// none of 15, 666 and 999.
pub fn read_service<'a>(r: &mut Reader<'a>, dialect: &mut Dialect) -> Result<Said<'a>, DecodeError> {
    let group = r.begin("service");
    let offset = r.at();
    let number = r.u8("svc")?;
    let said = if let Some(service) = netquake::read_service(r, number, &dialect.primitives)? {
        if let Service::ServerInfo(info) = &service {
            let foreign = info.fte1.is_some() || info.fte2.is_some() || info.mvd1.is_some();
            let known = matches!(info.protocol, PROTOCOL_NETQUAKE | PROTOCOL_FITZQUAKE | PROTOCOL_RMQ);
            // FITZ-VER-03
            if foreign || !known {
                let kind = ErrorKind::Unknown { value: info.protocol };
                return r.error(offset + 1, "protocol version", kind);
            }
            *dialect = Dialect::with_flags(info.protocol, info.protocol_flags); // FITZ-VER-02
        }
        Said::NetQuake(service)
    } else {
        let service = match dialect.extended() {
            true => fitzquake::read_service(r, number, &dialect.primitives)?,
            false => None,
        };
        match service {
            Some(service) => Said::Fitz(service),
            None => return r.error(offset, "svc", ErrorKind::Unknown { value: number.into() }),
        }
    };
    r.end(group);
    Ok(said)
}

/// Reads the rest of `r` as messages of a server, and passes each on. A serverinfo changes `dialect` for what follows.
///
/// # Errors
/// As [`read_service`]; what came before was passed on.
pub fn walk_services<'a>(
    r: &mut Reader<'a>,
    dialect: &mut Dialect,
    visit: &mut dyn FnMut(Said<'a>, &Dialect),
) -> Result<(), DecodeError> {
    while r.left() > 0 {
        let said = read_service(r, dialect)?;
        visit(said, dialect);
    }
    Ok(())
}

/// Reads the next message of a client, and leaves a span `command` around its fields.
///
/// # Errors
/// The first field that cannot be read, or a message that there is not.
pub fn read_command<'a>(r: &mut Reader<'a>, form: &MoveForm) -> Result<ClientCommand<'a>, DecodeError> {
    let group = r.begin("command");
    let offset = r.at();
    let number = r.u8("clc")?;
    let Some(command) = netquake::read_command(r, number, form)? else {
        return r.error(offset, "clc", ErrorKind::Unknown { value: number.into() });
    };
    r.end(group);
    Ok(command)
}

/// Reads the rest of `r` as messages of a client, and passes each on.
///
/// # Errors
/// As [`read_command`]; what came before was passed on.
pub fn walk_commands<'a>(
    r: &mut Reader<'a>,
    form: &MoveForm,
    visit: &mut dyn FnMut(ClientCommand<'a>),
) -> Result<(), DecodeError> {
    while r.left() > 0 {
        visit(read_command(r, form)?);
    }
    Ok(())
}

/// A message with an undefined bit: a reader cannot know what stands after it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reserved {
    /// An update with bit 21.
    Update,
    /// A clientdata with bit 26.
    ClientData,
    /// A sound with bit 5.
    Sound,
}

impl Reserved {
    /// The message.
    pub const fn bytes(self) -> &'static [u8] {
        match self {
            // MOREBITS; EXTEND1; bit 21; entity 1.
            Reserved::Update => &[0x81, 0x80, 0x20, 1],
            // ITEMS, WEAPON and EXTEND1; EXTEND2; bit 26; and what is always there.
            Reserved::ClientData => &[15, 0, 0xc2, 0x80, 4, 0, 0, 0, 0, 0, 100, 0, 0, 0, 0, 0, 0, 0],
            // Bit 5; entity 1, channel 0; sound 1; the middle of the world.
            Reserved::Sound => &[6, 0x20, 8, 0, 1, 0, 0, 0, 0, 0, 0],
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What a server of `protocol` sends reads as `expected`: the number of messages, or the error.
    fn check(protocol: u32, message: &[u8], expected: Result<usize, &str>) {
        let mut count = 0;
        let mut dialect = Dialect::announced(protocol);
        let walked = walk_services(&mut Reader::new(message), &mut dialect, &mut |_, _| count += 1);
        match expected {
            Ok(messages) => assert_eq!((walked, count), (Ok(()), messages)),
            Err(text) => assert_eq!(walked.expect_err("an error").to_string(), text),
        }
    }

    #[test]
    fn protocol_15_does_not_have_the_messages_of_666() {
        let invisible = [0x2b, 4, 10, 0, 0, 0, 8, 0, 0, 16, 0, 0x40, 24, 0, 0, 1];
        check(666, &invisible, Ok(1));
        check(15, &invisible, Err("svc at byte 0: unknown value 0x2b"));
        check(666, &[0x81, 0x80, 1, 7, 1, 1], Ok(2));
        check(15, &[0x81, 0x80, 1, 7, 1, 1], Err("more bits at byte 1: unknown value 0x8000"));
    }

    #[test]
    fn a_serverinfo_decides_about_what_follows_it() {
        let info =
            |protocol: u8, high: u8| [&[11, protocol, high, 0, 0, 1, 0, 0, 0, 0][..], &[0x81, 0x80, 1, 7, 1]].concat();
        check(15, &info(0x9a, 2), Ok(2));
        check(666, &info(15, 0), Err("more bits at byte 11: unknown value 0x8000"));
    }

    #[test]
    fn protocols_that_nobody_here_speaks_are_errors() {
        check(666, &[11, 0x9b, 2, 0, 0, 1, 0, 0, 0, 0], Err("protocol version at byte 1: unknown value 0x29b"));
        let keyed = b"\x0bFTE2\x08\0\0\0\x9a\x02\0\0\x01\0\0\0\0";
        check(666, keyed, Err("protocol version at byte 1: unknown value 0x29a"));
    }

    #[test]
    fn protocol_999_is_666_with_coords_and_angles_as_its_flags_say() {
        // The serverinfo, and an update of entity 7 with an x of three or four bytes and a yaw of two.
        let said = |flags: u8, x: &[u8]| {
            [&[11, 0xe7, 3, 0, 0, flags, 0, 0, 0, 1, 0, 0, 0, 0, 0x92, 7][..], x, &[0, 0x40]].concat()
        };
        check(15, &said(0x0a, &[100, 0, 0x4c]), Ok(2));
        check(15, &said(0x12, &[0, 0, 0xc8, 0x42]), Ok(2));
        check(15, &said(0x12, &[100, 0, 0x4c]), Err("yaw at byte 20: needs 2 bytes, 1 left"));
        for name in ["protocol 15", "protocol 666", "protocol 999 flags 0x12"] {
            assert_eq!(Dialect::named(name).map(|dialect| dialect.name()).as_deref(), Some(name));
        }
        assert!(Dialect::named("protocol 667").is_none() && Dialect::named("").is_none());
    }

    #[test]
    fn bits_that_nobody_defines_are_errors() {
        check(666, Reserved::Update.bytes(), Err("extended bits at byte 2: unknown value 0x200000"));
        check(666, Reserved::ClientData.bytes(), Err("bits at byte 1: unknown value 0x4000000"));
        check(666, Reserved::Sound.bytes(), Err("sound mask at byte 1: unknown value 0x20"));
    }

    #[test]
    fn moves_of_protocol_666_are_three_bytes_longer() {
        let long = [3, 0, 0, 0x20, 0x40, 0xe4, 8, 0, 0xc0, 0, 0, 0x90, 1, 0, 0, 0, 0, 1, 0];
        let read = |form: &MoveForm, bytes: &[u8]| walk_commands(&mut Reader::new(bytes), form, &mut |_| {});
        assert_eq!(read(&Dialect::announced(666).move_form(), &long), Ok(()));
        assert!(read(&Dialect::announced(15).move_form(), &long).is_err());
        let short = [3, 0, 0, 0x20, 0x40, 8, 0xc0, 0, 0x90, 1, 0, 0, 0, 0, 1, 0];
        assert_eq!(read(&Dialect::announced(15).move_form(), &short), Ok(()));
    }
}
