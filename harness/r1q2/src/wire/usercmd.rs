//! The wire of moves: the acknowledgement, and three user commands, each a delta of the one before.

use crate::wire::dialect::Dialect;
use kit::table::Absent::Keep;
use kit::table::{Kind, Layout, OwnKind, Row, Table};
use kit::{DecodeError, Reader, Writer};
use std::ops::{Index, IndexMut};

/// Number of fields of a user command.
pub const USERCMD_FIELDS: usize = 10;
/// Pitch, 65536 to the circle.
pub const CMD_ANGLE1: usize = 0;
/// Yaw, 65536 to the circle.
pub const CMD_ANGLE2: usize = 1;
/// Roll, 65536 to the circle.
pub const CMD_ANGLE3: usize = 2;
/// Speed forward.
pub const CMD_FORWARD: usize = 3;
/// Speed to the right.
pub const CMD_SIDE: usize = 4;
/// Speed upward.
pub const CMD_UP: usize = 5;
/// Buttons; where commands are compact, those of [`REAL_BUTTONS`].
pub const CMD_BUTTONS: usize = 6;
/// Impulse.
pub const CMD_IMPULSE: usize = 7;
/// How long it lasts, in milliseconds; in every command.
pub const CMD_MSEC: usize = 8;
/// Light at the player's place; in every command.
pub const CMD_LIGHTLEVEL: usize = 9;

/// Command bit: pitch.
pub const CM_ANGLE1: u64 = 1 << 0;
/// Command bit: yaw.
pub const CM_ANGLE2: u64 = 1 << 1;
/// Command bit: roll.
pub const CM_ANGLE3: u64 = 1 << 2;
/// Command bit: forward speed.
pub const CM_FORWARD: u64 = 1 << 3;
/// Command bit: side speed.
pub const CM_SIDE: u64 = 1 << 4;
/// Command bit: upward speed.
pub const CM_UP: u64 = 1 << 5;
/// Command bit: buttons.
pub const CM_BUTTONS: u64 = 1 << 6;
/// Command bit: impulse.
pub const CM_IMPULSE: u64 = 1 << 7;

/// The buttons that are buttons where commands are compact.
pub const REAL_BUTTONS: u8 = 1 | 2 | 128;
/// Button bit of a compact command: the forward speed is a char of fives.
pub const BUTTON_FORWARD: u8 = 4;
/// Button bit of a compact command: the side speed is a char of fives.
pub const BUTTON_SIDE: u8 = 8;
/// Button bit of a compact command: the upward speed is a char of fives.
pub const BUTTON_UP: u8 = 16;
/// Button bit of a compact command: pitch is a char of 64ths.
pub const BUTTON_ANGLE1: u8 = 32;
/// Button bit of a compact command: yaw is a char of 256ths.
pub const BUTTON_ANGLE2: u8 = 64;

/// Where the button byte of a compact command stands in a gate.
const BUTTON_SHIFT: u32 = 8;
/// Gate: present in every command.
const ALWAYS: u64 = 1 << 31;
/// Gate: commands are compact, so that buttons come first.
const GATE_COMPACT: u64 = 1 << 32;

const fn button(bit: u8) -> u64 {
    (bit as u64) << BUTTON_SHIFT
}

macro_rules! scaled_char {
    ($name:ident, $text:literal, $unit:literal) => {
        /// A char in a coarser unit; holds what is a whole number of them.
        const $name: OwnKind = OwnKind {
            name: $text,
            holds: |value| value % $unit == 0 && (-0x80..=0x7f).contains(&(value / $unit)),
            read: |r, name, fields, at, _| {
                fields[at] = i32::from(r.i8(name)?) * $unit;
                Ok(())
            },
            write: |w, name, fields, at, _| w.i8(name, (fields[at] / $unit) as i8),
        };
    };
}

scaled_char!(FIVES, "I8 of 5", 5);
scaled_char!(SIXTY_FOURS, "I8 of 64", 64);
scaled_char!(WHOLE_BYTES, "I8 of 256", 256);

const fn row(name: &'static str, field: usize, raise: u64, forms: &'static [Layout]) -> Row {
    Row { name, field, raise, widens: 0, forms, absent: Keep }
}

/// The rows of a user command after its bits (and, where it is compact, its buttons), in wire order.
pub const USERCMD_ROWS: [Row; USERCMD_FIELDS] = [
    row(
        "angles[0]",
        CMD_ANGLE1,
        CM_ANGLE1,
        &[Layout::when(CM_ANGLE1 | button(BUTTON_ANGLE1), Kind::Own(&SIXTY_FOURS)), Layout::when(CM_ANGLE1, Kind::I16)],
    ),
    row(
        "angles[1]",
        CMD_ANGLE2,
        CM_ANGLE2,
        &[Layout::when(CM_ANGLE2 | button(BUTTON_ANGLE2), Kind::Own(&WHOLE_BYTES)), Layout::when(CM_ANGLE2, Kind::I16)],
    ),
    row("angles[2]", CMD_ANGLE3, CM_ANGLE3, &[Layout::when(CM_ANGLE3, Kind::I16)]),
    row(
        "forwardmove",
        CMD_FORWARD,
        CM_FORWARD,
        &[Layout::when(CM_FORWARD | button(BUTTON_FORWARD), Kind::Own(&FIVES)), Layout::when(CM_FORWARD, Kind::I16)],
    ),
    row(
        "sidemove",
        CMD_SIDE,
        CM_SIDE,
        &[Layout::when(CM_SIDE | button(BUTTON_SIDE), Kind::Own(&FIVES)), Layout::when(CM_SIDE, Kind::I16)],
    ),
    row(
        "upmove",
        CMD_UP,
        CM_UP,
        &[Layout::when(CM_UP | button(BUTTON_UP), Kind::Own(&FIVES)), Layout::when(CM_UP, Kind::I16)],
    ),
    row("buttons", CMD_BUTTONS, CM_BUTTONS, &[Layout::without(CM_BUTTONS, GATE_COMPACT, Kind::U8)]),
    row("impulse", CMD_IMPULSE, CM_IMPULSE, &[Layout::when(CM_IMPULSE, Kind::U8)]),
    row("msec", CMD_MSEC, 0, &[Layout::when(ALWAYS, Kind::U8)]),
    row("lightlevel", CMD_LIGHTLEVEL, 0, &[Layout::when(ALWAYS, Kind::U8)]),
];

/// A user command.
pub static USERCMD: Table = Table::new("user command", &USERCMD_ROWS);

/// One user command: one `i32` per field.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct UserCmd(pub [i32; USERCMD_FIELDS]);

impl UserCmd {
    /// What the first command of a move is a delta of.
    pub const NULL: UserCmd = UserCmd([0; USERCMD_FIELDS]);
}

impl Index<usize> for UserCmd {
    type Output = i32;

    fn index(&self, field: usize) -> &i32 {
        &self.0[field]
    }
}

impl IndexMut<usize> for UserCmd {
    fn index_mut(&mut self, field: usize) -> &mut i32 {
        &mut self.0[field]
    }
}

/// How much of what a compact command can shorten a writer shortens; a reader takes everything.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Compaction {
    /// Nothing.
    None,
    /// Speeds.
    Speeds,
    /// Speeds, pitch and yaw.
    All,
}

/// The short form of a field: its command bit, its button bit, and how it is written.
const SHORT_FORMS: [(usize, u64, u8, &OwnKind); 5] = [
    (CMD_FORWARD, CM_FORWARD, BUTTON_FORWARD, &FIVES),
    (CMD_SIDE, CM_SIDE, BUTTON_SIDE, &FIVES),
    (CMD_UP, CM_UP, BUTTON_UP, &FIVES),
    (CMD_ANGLE1, CM_ANGLE1, BUTTON_ANGLE1, &SIXTY_FOURS),
    (CMD_ANGLE2, CM_ANGLE2, BUTTON_ANGLE2, &WHOLE_BYTES),
];

/// The bits to raise so that a reader of `old` comes to hold `new`.
pub fn diff(old: &UserCmd, new: &UserCmd) -> u8 {
    USERCMD.diff(&old.0, &new.0) as u8
}

/// The short forms that a command with these bits can take: bits of its button byte. Without buttons there are none.
pub fn short_forms(bits: u8, command: &UserCmd, compaction: Compaction) -> u8 {
    let count = match compaction {
        Compaction::None => 0,
        Compaction::Speeds => 3,
        Compaction::All => SHORT_FORMS.len(),
    };
    let fits = |(field, bit, _, kind): &(usize, u64, u8, &OwnKind)| {
        u64::from(bits) & bit != 0 && (kind.holds)(command[*field])
    };
    match u64::from(bits) & CM_BUTTONS {
        0 => 0,
        _ => SHORT_FORMS.iter().take(count).filter(|form| fits(form)).fold(0, |forms, form| forms | form.2),
    }
}

/// Writes a command with exactly the fields that `bits` names; where commands are compact, in the short forms `short`.
pub fn write_usercmd(w: &mut Writer<'_>, bits: u8, short: u8, command: &UserCmd, dialect: &Dialect) {
    w.u8("CM bits", bits);
    let mut gate = u64::from(bits) | ALWAYS;
    if dialect.has_compact_usercmds() {
        gate |= GATE_COMPACT;
        if u64::from(bits) & CM_BUTTONS != 0 {
            let short = short & !REAL_BUTTONS;
            w.u8("buttons", command[CMD_BUTTONS] as u8 & REAL_BUTTONS | short);
            gate |= button(short);
        }
    }
    USERCMD.encode(gate, &command.0, w);
}

/// Reads a command into `command`, which holds the one before: its bits, and its short forms.
///
/// # Errors
/// The first field that is cut off.
pub fn read_usercmd(r: &mut Reader<'_>, command: &mut UserCmd, dialect: &Dialect) -> Result<(u8, u8), DecodeError> {
    let bits = r.u8("CM bits")?;
    let (mut gate, mut short) = (u64::from(bits) | ALWAYS, 0);
    if dialect.has_compact_usercmds() {
        gate |= GATE_COMPACT;
        if u64::from(bits) & CM_BUTTONS != 0 {
            let buttons = r.u8("buttons")?;
            short = buttons & !REAL_BUTTONS;
            command[CMD_BUTTONS] = i32::from(buttons & REAL_BUTTONS);
            gate |= button(short);
        }
    }
    USERCMD.decode(gate, &mut command.0, r)?;
    Ok((bits, short))
}

/// A `clc_move`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Move {
    /// Protocol 34: a checksum that both ends skip unread. Its table is another's, so it is neither made nor checked.
    pub checksum: Option<u8>,
    /// The newest valid frame, or [`NO_DELTA`](crate::wire::constants::NO_DELTA) to ask for one without a base.
    pub last_frame: i32,
    /// The oldest command, the one before the newest, and the newest.
    pub commands: [UserCmd; 3],
    /// Which fields each command carries.
    pub bits: [u8; 3],
    /// Which of them in their short forms.
    pub short: [u8; 3],
}

impl Move {
    /// A move whose commands carry what differs, as short as `compaction` allows.
    pub fn new(last_frame: i32, commands: [UserCmd; 3], compaction: Compaction, dialect: &Dialect) -> Move {
        let [oldest, previous, newest] = &commands;
        let bits = [diff(&UserCmd::NULL, oldest), diff(oldest, previous), diff(previous, newest)];
        let mut short = [0; 3];
        if dialect.has_compact_usercmds() {
            for ((short, bits), command) in short.iter_mut().zip(bits).zip(&commands) {
                *short = short_forms(bits, command, compaction);
            }
        }
        Move { checksum: dialect.has_checksum().then_some(0), last_frame, commands, bits, short }
    }

    /// Writes the move after its command byte.
    pub fn write(&self, w: &mut Writer<'_>, dialect: &Dialect) {
        if let Some(checksum) = self.checksum {
            w.u8("checksum", checksum);
        }
        w.i32("lastframe", self.last_frame);
        for ((bits, short), command) in self.bits.into_iter().zip(self.short).zip(&self.commands) {
            write_usercmd(w, bits, short, command, dialect);
        }
    }

    /// Reads a move after its command byte.
    ///
    /// # Errors
    /// The first field that is cut off.
    pub fn read(r: &mut Reader<'_>, dialect: &Dialect) -> Result<Move, DecodeError> {
        let checksum = match dialect.has_checksum() {
            true => Some(r.u8("checksum")?),
            false => None,
        };
        let last_frame = r.i32("lastframe")?;
        let mut read = Move { checksum, last_frame, commands: [UserCmd::NULL; 3], bits: [0; 3], short: [0; 3] };
        let mut command = UserCmd::NULL;
        for index in 0..3 {
            let group = r.begin("usercmd");
            (read.bits[index], read.short[index]) = read_usercmd(r, &mut command, dialect)?;
            read.commands[index] = command;
            r.end(group);
        }
        Ok(read)
    }

    /// Whether it asks for a frame without a base.
    pub fn wants_no_delta(&self) -> bool {
        self.last_frame <= 0
    }
}
