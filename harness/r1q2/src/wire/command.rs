//! The commands of a client.

use crate::wire::constants::*;
use crate::wire::dialect::Dialect;
use crate::wire::usercmd::Move;
use kit::{DecodeError, Reader, Writer};

/// A command.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Command<'a> {
    /// `clc_nop`.
    Nop,
    /// `clc_move`; at most one in a datagram.
    Move(Move),
    /// `clc_userinfo`: keys and values, each after a backslash.
    UserInfo {
        /// Keys and values.
        text: &'a [u8],
    },
    /// `clc_stringcmd`: a command as a player types it.
    StringCmd {
        /// The command.
        text: &'a [u8],
    },
    /// `clc_setting`: `CLSET_*`, from revision 1902 on.
    Setting {
        /// Which.
        index: i16,
        /// Its value.
        value: i16,
    },
}

impl<'a> Command<'a> {
    /// Writes it, command byte included.
    pub fn write(&self, w: &mut Writer<'_>, dialect: &Dialect) {
        match self {
            Command::Nop => w.u8("clc", CLC_NOP),
            Command::Move(movement) => {
                w.u8("clc", CLC_MOVE);
                movement.write(w, dialect);
            }
            Command::UserInfo { text } => {
                w.u8("clc", CLC_USERINFO);
                w.string("userinfo", text);
            }
            Command::StringCmd { text } => {
                w.u8("clc", CLC_STRINGCMD);
                w.string("text", text);
            }
            Command::Setting { index, value } => {
                w.u8("clc", CLC_SETTING);
                w.i16("index", *index);
                w.i16("value", *value);
            }
        }
    }

    /// Reads the command `number` after its byte; `None` if there is none in this dialect.
    ///
    /// # Errors
    /// The first field that is cut off.
    pub fn read(r: &mut Reader<'a>, number: u8, dialect: &Dialect) -> Result<Option<Command<'a>>, DecodeError> {
        Ok(Some(match number {
            CLC_NOP => Command::Nop,
            CLC_MOVE => Command::Move(Move::read(r, dialect)?),
            CLC_USERINFO => Command::UserInfo { text: r.string("userinfo")? },
            CLC_STRINGCMD => Command::StringCmd { text: r.string("text")? },
            CLC_SETTING if dialect.has_settings() => {
                Command::Setting { index: r.i16("index")?, value: r.i16("value")? }
            }
            _ => return Ok(None),
        }))
    }
}
