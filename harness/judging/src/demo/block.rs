//! One block of a demo, from its bytes: what each container puts in front of what the server said.
//!
//! Every function takes what is left of a file, or a window on it, and says what stands first there. None keeps anything.
//! Sources: Uwe Girlich's descriptions of the DEM and the DM2 format, and for QuakeWorld what its open servers write;
//! little-endian throughout.

use kit::Container;
use std::fmt;
use std::ops::Range;

/// Longest message that is read, in bytes: what fits behind the header that a datagram of it gets.
pub const MAX_MESSAGE_BYTES: usize = 0xffff - 8;
/// Longest head of a block, in bytes.
const MAX_HEAD_BYTES: usize = 64;
/// So much of a file shows its next block whole, in bytes.
pub const WINDOW_BYTES: usize = MAX_MESSAGE_BYTES + MAX_HEAD_BYTES;
/// Longest line that names the track of a `.dem`, in bytes.
const MAX_TRACK_BYTES: usize = 13;
/// A command of a `.qwd`: what the client sent, padded to 24 bytes, and where it looked.
const QWD_COMMAND_BYTES: usize = 24 + 12;
/// The last message of a `.qwd`: no server said it.
const QWD_END: &[u8] = b"\xff\xff\xff\xff\x02EndOfDemo\0";
/// Two sequence numbers.
const SET_BYTES: usize = 8;
/// NetQuake's angles of view, which stand in front of each message.
const ANGLES_BYTES: usize = 12;

/// To whom a message of an `.mvd` is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Audience {
    /// To everybody; in other demos to the one who recorded.
    All,
    /// To the players whose bits are set.
    Players(u32),
}

/// `to 3 7`; nothing for all.
impl fmt::Display for Audience {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Audience::Players(mask) = self else { return Ok(()) };
        let players: Vec<u32> = (0..32).filter(|bit| mask & 1 << bit != 0).collect();
        write!(f, "to {}", kit::summary::ranges(&players))
    }
}

/// When a block was recorded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Clock {
    /// At this time, in microseconds.
    At(u64),
    /// So long after the block before, in microseconds.
    After(u64),
    /// The container does not say; perhaps the message does.
    Unsaid,
}

/// What stands first in some bytes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Step {
    /// What the server said.
    Message {
        /// When.
        clock: Clock,
        /// To whom.
        to: Audience,
        /// Where it stands; the block ends with it.
        body: Range<usize>,
    },
    /// So many bytes that the server did not say.
    Other(Clock, usize),
    /// The demo ends, and says so.
    End,
    /// The bytes end within the block.
    Cut,
    /// This is no block, and why.
    Bad(String),
}

/// The first block of `bytes`, which begin where a block does.
pub fn next(container: Container, bytes: &[u8]) -> Step {
    match container {
        Container::Dem => message(bytes, 4 + ANGLES_BYTES, 0, Clock::Unsaid, Audience::All),
        Container::Qwd => qwd(bytes),
        Container::Mvd => mvd(bytes),
        Container::Dm2 if bytes.first_chunk() == Some(&[0xff; 4]) => Step::End,
        Container::Dm2 => message(bytes, 4, 0, Clock::Unsaid, Audience::All),
    }
}

/// How long the line of a `.dem` is that names the track, if `bytes` begin with one.
pub fn track_line(bytes: &[u8]) -> Option<usize> {
    let line = bytes.iter().take(MAX_TRACK_BYTES).position(|byte| *byte == b'\n')?;
    let text = bytes.get(..line)?.trim_ascii();
    let digits = text.strip_prefix(b"-").unwrap_or(text);
    (!digits.is_empty() && digits.iter().all(u8::is_ascii_digit)).then_some(line + 1)
}

fn qwd(bytes: &[u8]) -> Step {
    let (Some(time), Some(kind)) = (bytes.first_chunk(), bytes.get(4)) else { return Step::Cut };
    let seconds = f32::from_le_bytes(*time);
    if !(0.0..1e9).contains(&seconds) {
        return Step::Bad(format!("{seconds} is no time"));
    }
    let clock = Clock::At((f64::from(seconds) * 1e6) as u64);
    match kind {
        0 => other(bytes, 5 + QWD_COMMAND_BYTES, clock),
        1 => match message(bytes, 9, 5, clock, Audience::All) {
            // The client wrote it when it stopped recording.
            Step::Message { body, .. } if bytes.get(body.clone()) == Some(QWD_END) => Step::Other(clock, body.end),
            step => step,
        },
        2 => other(bytes, 5 + SET_BYTES, clock),
        kind => Step::Bad(format!("{kind} is no kind of block")),
    }
}

fn mvd(bytes: &[u8]) -> Step {
    let (Some(millis), Some(kind)) = (bytes.first(), bytes.get(1)) else { return Step::Cut };
    let clock = Clock::After(u64::from(*millis) * 1_000);
    let one = Audience::Players(1 << (kind >> 3));
    match kind & 7 {
        1 | 6 => message(bytes, 6, 2, clock, Audience::All),
        2 => other(bytes, 2 + SET_BYTES, clock),
        3 => {
            let Some(mask) = bytes.get(2..).and_then(|rest| rest.first_chunk()) else { return Step::Cut };
            match (u32::from_le_bytes(*mask), message(bytes, 10, 6, clock, Audience::All)) {
                // Nobody is told: what a server writes for programs that read the file, in a form of its own.
                (0, Step::Message { body, .. }) => Step::Other(clock, body.end),
                (mask, Step::Message { body, .. }) => Step::Message { clock, to: Audience::Players(mask), body },
                (_, step) => step,
            }
        }
        4 | 5 => message(bytes, 6, 2, clock, one),
        kind => Step::Bad(format!("{kind} is no kind of block")),
    }
}

fn other(bytes: &[u8], length: usize, clock: Clock) -> Step {
    if bytes.len() < length { Step::Cut } else { Step::Other(clock, length) }
}

/// A message whose length stands at `length_at`, behind a head of `head` bytes.
fn message(bytes: &[u8], head: usize, length_at: usize, clock: Clock, to: Audience) -> Step {
    let Some(length) = bytes.get(length_at..).and_then(|rest| rest.first_chunk()) else { return Step::Cut };
    let length = u32::from_le_bytes(*length) as usize;
    if length > MAX_MESSAGE_BYTES {
        return Step::Bad(format!("a message of {length} bytes is longer than {MAX_MESSAGE_BYTES}"));
    }
    let body = head..head + length;
    if bytes.len() < body.end { Step::Cut } else { Step::Message { clock, to, body } }
}
