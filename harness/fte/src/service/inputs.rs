//! The moves of `PEXT2_VRINPUTS`: several at once, each as the difference from the one before, with the acknowledgements
//! that stand alone otherwise.

use crate::constants::field_names::{FRAME_NUMBER, MOVEMENT_SEQUENCE};
use crate::dialect::{Dialect, Transport};
use kit::table::float_bits;
use kit::{DecodeError, ErrorKind, Reader};
use netquake::Move;

const NAME: &str = "move of VRINPUTS";

/// Bits of a message: a byte about loss; a byte about delay; how many seats, in place of 1; how many moves, in place of 3; how
/// many acknowledgements, and these.
const LOSS: u64 = 1 << 0;
const DELAY: u64 = 1 << 1;
const SEATS: u64 = 1 << 2;
const MOVES: u64 = 1 << 3;
const ACKS: u64 = 1 << 4;

/// Seats and moves of one message, at most: far more than any engine has.
const MOST: u64 = 256;

/// Bits of a move, beside 0 to 2 for its angles.
const FORWARD: u64 = 1 << 3;
const SIDE: u64 = 1 << 4;
const BUTTONS: u64 = 1 << 5;
const IMPULSE: u64 = 1 << 6;
const UP: u64 = 1 << 7;
/// Angles are shorts, not differences in a byte.
const WHOLE_ANGLES: u64 = 1 << 8;
/// Speeds are numbers, not fifths in a byte.
const WHOLE_SPEEDS: u64 = 1 << 9;
const WEAPON: u64 = 1 << 10;
const CURSOR: u64 = 1 << 11;
const LIGHT: u64 = 1 << 12;
/// The first of three devices: head, right hand, left hand.
const DEVICE: u64 = 1 << 13;
const DURATION: u64 = 1 << 18;
const KNOWN: u64 = 0xffff | DURATION;

/// Bits of a device: a number, four vectors with so many bytes, and a number.
const VECTORS: [(u64, usize); 4] = [(1 << 1, 6), (1 << 2, 6), (1 << 3, 12), (1 << 4, 12)];
const STATUS: u64 = 1 << 0;
const HELD: u64 = 1 << 5;

/// Reads the rest of a client's message, and passes on each acknowledgement. The newest move of the first seat, of which angles
/// and speeds are left out; `None` where there is none.
///
/// # Errors
/// The data ends inside it, or it has bits that nobody defines, or far too many moves.
pub fn read(
    r: &mut Reader<'_>,
    dialect: &Dialect,
    acknowledge: &mut dyn FnMut(u32),
) -> Result<Option<Move>, DecodeError> {
    let sequence = if dialect.transport == Transport::NetQuake { r.u16(MOVEMENT_SEQUENCE)? } else { 0 };
    let flags = number(r)?;
    let seats = count(r, flags & SEATS != 0, 1)?;
    let moves = count(r, flags & MOVES != 0, 3)?;
    for _ in 0..(flags & (LOSS | DELAY)).count_ones() {
        r.u8(NAME)?;
    }
    for _ in 0..if flags & ACKS != 0 { number(r)? } else { 0 } {
        acknowledge(r.u32(FRAME_NUMBER)?);
    }
    let mut first = None;
    for _ in 0..seats {
        let mut milliseconds = 0_u64;
        let mut newest = None;
        for _ in 0..moves {
            let movement = read_move(r, dialect, &mut milliseconds)?;
            newest = Some(Move { sequence, ..movement });
        }
        first = first.or(newest);
    }
    Ok(first)
}

fn read_move(r: &mut Reader<'_>, dialect: &Dialect, milliseconds: &mut u64) -> Result<Move, DecodeError> {
    let offset = r.at();
    let bits = number(r)?;
    if bits & !KNOWN != 0 {
        let why = "such a bit of a move is undefined";
        return r.error(offset, NAME, ErrorKind::Forbidden { value: bits as u32, why });
    }
    let mut movement = Move::default();
    *milliseconds = milliseconds.wrapping_add(number(r)?);
    movement.time = float_bits((*milliseconds as f64 / 1000.0) as f32);
    if bits & DURATION != 0 {
        number(r)?;
    }
    for _ in 0..(bits & 7).count_ones() {
        r.bytes(NAME, if bits & WHOLE_ANGLES != 0 { 2 } else { 1 })?;
    }
    for _ in 0..(bits & (FORWARD | SIDE | UP)).count_ones() {
        if bits & WHOLE_SPEEDS != 0 { number(r).map(drop)? } else { r.u8(NAME).map(drop)? }
    }
    if bits & BUTTONS != 0 {
        movement.buttons = number(r)? as u8;
    }
    if bits & IMPULSE != 0 {
        movement.impulse = number(r)? as u8;
    }
    if bits & WEAPON != 0 {
        number(r)?;
    }
    if bits & CURSOR != 0 {
        // Where on the screen, and from where to where in the world.
        r.bytes(NAME, 2 * 2 + 6 * 4)?;
        dialect.primitives.read_entity(r, NAME)?;
    }
    if bits & LIGHT != 0 {
        number(r)?;
    }
    for device in 0..3 {
        if bits & (DEVICE << device) != 0 {
            skip_device(r)?;
        }
    }
    Ok(movement)
}

fn skip_device(r: &mut Reader<'_>) -> Result<(), DecodeError> {
    let bits = number(r)?;
    if bits & STATUS != 0 {
        number(r)?;
    }
    for (bit, bytes) in VECTORS {
        if bits & bit != 0 {
            r.bytes(NAME, bytes)?;
        }
    }
    if bits & HELD != 0 {
        number(r)?;
    }
    Ok(())
}

/// How many there are: as the message says, or `usual`.
fn count(r: &mut Reader<'_>, is_there: bool, usual: u64) -> Result<u64, DecodeError> {
    let offset = r.at();
    let count = if is_there { number(r)? } else { usual };
    if count > MOST {
        let kind = ErrorKind::TooLarge { value: usize::try_from(count).unwrap_or(usize::MAX), limit: MOST as usize };
        return r.error(offset, NAME, kind);
    }
    Ok(count)
}

/// A number of up to 64 bits: so many ones as the first byte begins with, so many bytes follow, the most significant first.
fn number(r: &mut Reader<'_>) -> Result<u64, DecodeError> {
    let first = r.u8(NAME)?;
    let more = first.leading_ones();
    let mut value = u64::from(first) & (0xff_u64 >> more);
    for _ in 0..more {
        value = value << 8 | u64::from(r.u8(NAME)?);
    }
    Ok(value)
}
