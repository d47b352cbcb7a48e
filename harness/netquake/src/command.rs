//! Messages from client to server.

use crate::constants::*;
use kit::table::{Kind, float_bits, float_value};
use kit::{DecodeError, Reader, Writer};

/// What the session agreed upon about [`CLC_MOVE`].
#[derive(Clone, Copy, Debug)]
pub struct MoveForm {
    /// Whether the message begins with a movement sequence (PREDINFO).
    pub sequence: bool,
    /// How the view angles are written.
    pub angle: Kind,
}

impl MoveForm {
    /// Protocol 15.
    pub const PLAIN: MoveForm = MoveForm { sequence: false, angle: Kind::Angle8 };
    /// Protocol 666, or 15 after the handshake about finer angles.
    pub const SHORT_ANGLES: MoveForm = MoveForm { sequence: false, angle: Kind::Angle16 }; // FITZ-MOVE-01
    /// With PREDINFO.
    pub const PREDINFO: MoveForm = MoveForm { sequence: true, angle: Kind::Angle16 };
}

/// The player's input over one frame.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Move {
    /// Low 16 bits of the movement sequence; written and read with PREDINFO only.
    pub sequence: u16,
    /// The server time that the client has reached, in seconds: the bits of an `f32`.
    pub time: i32,
    /// View angles in degrees, pitch, yaw, roll: the bits of `f32`s.
    pub angles: [i32; 3],
    /// Speed forward, in units per second.
    pub forward: i16,
    /// Speed to the right.
    pub side: i16,
    /// Speed upwards.
    pub up: i16,
    /// Buttons held: bit 0 attack, bit 1 jump.
    pub buttons: u8,
    /// An impulse; 0 for none.
    pub impulse: u8,
}

/// A client's message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ClientCommand<'a> {
    /// [`CLC_NOP`].
    Nop,
    /// [`CLC_DISCONNECT`].
    Disconnect,
    /// [`CLC_MOVE`].
    Move(Move),
    /// [`CLC_STRING_CMD`].
    String {
        /// The command line.
        text: &'a [u8],
    },
}

impl ClientCommand<'_> {
    /// Appends the message, its number included.
    pub fn write(&self, w: &mut Writer<'_>, form: &MoveForm) {
        match self {
            ClientCommand::Nop => w.u8("clc_nop", CLC_NOP),
            ClientCommand::Disconnect => w.u8("clc_disconnect", CLC_DISCONNECT),
            ClientCommand::Move(input) => {
                w.u8("clc_move", CLC_MOVE);
                input.write(w, form);
            }
            ClientCommand::String { text } => {
                w.u8("clc_stringcmd", CLC_STRING_CMD);
                w.string("command", text);
            }
        }
    }
}

/// Reads the rest of the message whose number, already read, was `clc`; `None` when it is not NetQuake's.
///
/// # Errors
/// The data ends inside it.
pub fn read_command<'a>(
    r: &mut Reader<'a>,
    clc: u8,
    form: &MoveForm,
) -> Result<Option<ClientCommand<'a>>, DecodeError> {
    Ok(Some(match clc {
        CLC_NOP => ClientCommand::Nop,
        CLC_DISCONNECT => ClientCommand::Disconnect,
        CLC_MOVE => ClientCommand::Move(Move::read(r, form)?),
        CLC_STRING_CMD => ClientCommand::String { text: r.string("command")? },
        _ => return Ok(None),
    }))
}

impl Move {
    /// Appends the message after its number.
    pub fn write(&self, w: &mut Writer<'_>, form: &MoveForm) {
        if form.sequence {
            w.u16("movement sequence", self.sequence);
        }
        w.f32("time", float_value(self.time));
        for angle in self.angles {
            form.angle.write(w, "view angle", &[angle], 0, 0); // FITZ-MOVE-02, FITZ-MOVE-04: in `Kind::Angle16`
        }
        w.i16("forward", self.forward);
        w.i16("side", self.side);
        w.i16("up", self.up);
        w.u8("buttons", self.buttons);
        w.u8("impulse", self.impulse);
    }

    /// Reads the message after its number.
    ///
    /// # Errors
    /// The data ends inside it.
    pub fn read(r: &mut Reader<'_>, form: &MoveForm) -> Result<Move, DecodeError> {
        let sequence = if form.sequence { r.u16("movement sequence")? } else { 0 };
        let time = float_bits(r.f32("time")?);
        let mut angles = [0; 3];
        for at in 0..3 {
            form.angle.read(r, "view angle", &mut angles, at, 0)?; // FITZ-MOVE-03
        }
        Ok(Move {
            sequence,
            time,
            angles,
            forward: r.i16("forward")?,
            side: r.i16("side")?,
            up: r.i16("up")?,
            buttons: r.u8("buttons")?,
            impulse: r.u8("impulse")?,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The command has these bytes in this form, the bytes are read back, and no shorter ones are.
    fn check(form: &MoveForm, command: ClientCommand<'_>, bytes: &[u8]) {
        let mut out = Vec::new();
        command.write(&mut Writer::new(&mut out), form);
        assert_eq!(out, bytes);
        let mut r = Reader::new(&bytes[1..]);
        let back = read_command(&mut r, bytes[0], form).unwrap().unwrap();
        assert_eq!(r.left(), 0);
        let mut again = Vec::new();
        back.write(&mut Writer::new(&mut again), form);
        assert_eq!(again, bytes);
        for length in 1..bytes.len() {
            let error = read_command(&mut Reader::new(&bytes[1..length]), bytes[0], form).unwrap_err();
            assert!(!error.field.is_empty());
        }
    }

    fn input() -> Move {
        let angles = [12.5, -90.0, 0.0].map(float_bits);
        Move { time: float_bits(2.5), angles, forward: 400, buttons: 1, ..Move::default() }
    }

    #[test]
    fn moves_have_the_form_that_was_agreed_upon() {
        let tail = [0x90, 1, 0, 0, 0, 0, 1, 0];
        let head = [3, 0, 0, 0x20, 0x40];
        let bytes = [&head[..], &[9, 0xc0, 0], &tail].concat();
        check(&MoveForm::PLAIN, ClientCommand::Move(input()), &bytes);
        let bytes = [&head[..], &[0xe4, 8, 0, 0xc0, 0, 0], &tail].concat();
        check(&MoveForm::SHORT_ANGLES, ClientCommand::Move(input()), &bytes);
        // qss_nq_deltas_predinfo.txt, with this input instead of none
        let bytes = [&[3, 5, 0][..], &head[1..], &[0xe4, 8, 0, 0xc0, 0, 0], &tail].concat();
        check(&MoveForm::PREDINFO, ClientCommand::Move(Move { sequence: 5, ..input() }), &bytes);
    }

    #[test]
    fn a_recorded_move_is_read() {
        // qss_nq_deltas_predinfo.txt: u6 of the client
        let bytes = [3, 5, 0, 0x18, 4, 0x82, 0x40, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0];
        let input = Move { sequence: 5, time: 0x4082_0418, ..Move::default() };
        check(&MoveForm::PREDINFO, ClientCommand::Move(input), &bytes);
    }

    #[test]
    fn the_other_messages_are_short() {
        check(&MoveForm::PLAIN, ClientCommand::Nop, &[1]);
        check(&MoveForm::PLAIN, ClientCommand::Disconnect, &[2]);
        check(&MoveForm::PLAIN, ClientCommand::String { text: b"begin" }, b"\x04begin\0");
    }

    #[test]
    fn foreign_messages_are_left_alone() {
        let mut r = Reader::new(&[1, 2]);
        assert_eq!(read_command(&mut r, 50, &MoveForm::PLAIN), Ok(None));
        assert_eq!(r.at(), 0);
    }
}
