//! Messages from client to server.

use crate::numbers::*;
use kit::table::{Absent, Kind, Layout, Row, Table};
use kit::{DecodeError, ErrorKind, Reader, Writer};
use netquake::Primitives;

/// Index of pitch in a [`Usercmd`]; yaw and roll follow. Degrees.
pub const CMD_ANGLES: usize = 0;
/// Index of the speed forward, in units per second.
pub const CMD_FORWARD: usize = 3;
/// Index of the speed to the right.
pub const CMD_SIDE: usize = 4;
/// Index of the speed upwards.
pub const CMD_UP: usize = 5;
/// Index of the buttons held: bit 0 attack, bit 1 jump.
pub const CMD_BUTTONS: usize = 6;
/// Index of the impulse; 0 for none.
pub const CMD_IMPULSE: usize = 7;
/// Index of the time that the input covers, in milliseconds.
pub const CMD_MSEC: usize = 8;
/// Number of fields.
pub const CMD_FIELDS: usize = 9;

/// The player's input over one frame: an `i32` per field; angles are the bits of `f32`s.
pub type Usercmd = [i32; CMD_FIELDS];

/// The layout of an input after its mask; milliseconds follow in any case.
pub static USERCMD: Table = Table::new(
    "delta usercmd",
    &[
        row("angle1", CMD_ANGLES, CM_ANGLE1, &[Layout::when(CM_ANGLE1, Kind::Angle16)]),
        row("angle2", CMD_ANGLES + 1, CM_ANGLE2, &[Layout::when(CM_ANGLE2, Kind::Angle16)]),
        row("angle3", CMD_ANGLES + 2, CM_ANGLE3, &[Layout::when(CM_ANGLE3, Kind::Angle16)]),
        row("forward", CMD_FORWARD, CM_FORWARD, &[Layout::when(CM_FORWARD, Kind::I16)]),
        row("side", CMD_SIDE, CM_SIDE, &[Layout::when(CM_SIDE, Kind::I16)]),
        row("up", CMD_UP, CM_UP, &[Layout::when(CM_UP, Kind::I16)]),
        row("buttons", CMD_BUTTONS, CM_BUTTONS, &[Layout::when(CM_BUTTONS, Kind::U8)]),
        row("impulse", CMD_IMPULSE, CM_IMPULSE, &[Layout::when(CM_IMPULSE, Kind::U8)]),
    ],
);

const fn row(name: &'static str, field: usize, raise: u64, forms: &'static [Layout]) -> Row {
    Row { name, field, raise, widens: 0, forms, absent: Absent::Keep }
}

/// Reads an input that was written as its difference from `from`.
///
/// # Errors
/// The data ends inside it.
pub fn read_usercmd(r: &mut Reader<'_>, from: &Usercmd) -> Result<Usercmd, DecodeError> {
    let mut command = *from;
    let bits = r.u8("usercmd bits")?;
    USERCMD.decode(bits.into(), &mut command, r)?;
    command[CMD_MSEC] = r.u8("msec")?.into();
    Ok(command)
}

/// A client's message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Command<'a> {
    /// [`CLC_NOP`].
    Nop,
    /// [`CLC_MOVE`].
    Move {
        /// Over the rest of the message and the packet's sequence; not verified.
        checksum: u8,
        /// Share of the server's packets that were lost, in percent.
        loss: u8,
        /// The last three inputs, oldest first: two of them once more in case their packets were lost.
        commands: [Usercmd; 3],
    },
    /// [`CLC_STRINGCMD`]: the command line.
    StringCmd(&'a [u8]),
    /// [`CLC_DELTA`].
    Delta {
        /// Low 8 bits of the packet's sequence.
        sequence: u8,
    },
    /// [`CLC_TMOVE`].
    TMove {
        /// Where to.
        origin: [i32; 3],
    },
    /// [`CLC_UPLOAD`].
    Upload {
        /// How much of the file is done with this part, in percent.
        percent: u8,
        /// The part.
        data: &'a [u8],
    },
}

/// Writes [`CLC_NOP`].
pub fn write_nop(w: &mut Writer<'_>) {
    w.u8("clc", CLC_NOP);
}

/// Writes [`CLC_STRINGCMD`] with a command line.
pub fn write_stringcmd(w: &mut Writer<'_>, text: &[u8]) {
    w.u8("clc", CLC_STRINGCMD);
    w.string("command", text);
}

/// Writes [`CLC_DELTA`] with the low 8 bits of the newest packet from which differences are welcome.
pub fn write_delta(w: &mut Writer<'_>, sequence: u8) {
    w.u8("clc", CLC_DELTA);
    w.u8("delta sequence", sequence);
}

/// Reads the rest of the message whose number, already read, was `clc`; `None` when it is not QuakeWorld's (nothing was
/// read then).
///
/// # Errors
/// The data ends inside it, or an upload has a negative size.
pub fn read_command<'a>(r: &mut Reader<'a>, clc: u8, p: &Primitives) -> Result<Option<Command<'a>>, DecodeError> {
    Ok(Some(match clc {
        CLC_NOP => Command::Nop,
        CLC_MOVE => {
            let checksum = r.u8("checksum")?;
            let loss = r.u8("loss")?;
            let oldest = read_usercmd(r, &[0; CMD_FIELDS])?;
            let middle = read_usercmd(r, &oldest)?;
            let newest = read_usercmd(r, &middle)?;
            Command::Move { checksum, loss, commands: [oldest, middle, newest] }
        }
        CLC_STRINGCMD => Command::StringCmd(r.string("command")?),
        CLC_DELTA => Command::Delta { sequence: r.u8("delta sequence")? },
        CLC_TMOVE => Command::TMove { origin: p.read_point(r, "origin")? },
        CLC_UPLOAD => {
            let offset = r.at();
            let size = r.i16("upload size")?;
            let percent = r.u8("percent")?;
            let Ok(length) = usize::try_from(size) else {
                let kind = ErrorKind::Forbidden { value: size as u16 as u32, why: "a size is not negative" };
                return r.error(offset, "upload size", kind);
            };
            Command::Upload { percent, data: r.bytes("upload", length)? }
        }
        _ => return Ok(None),
    }))
}
