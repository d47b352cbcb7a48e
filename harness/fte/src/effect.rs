//! `svcfte_customtempent` of `PEXT_CUSTOMTEMPEFFECTS`: effects whose layout depends on what a server announced of them.

use kit::{DecodeError, ErrorKind, Reader};
use netquake::primitives::Primitives;

const NAME: &str = "customtempent of CUSTOMTEMPEFFECTS";

/// In place of a kind's number: a kind is announced.
const ANNOUNCE: u8 = 255;

/// Bits of a kind: what an effect has, or its announcement.
const COUNT: u8 = 1 << 0;
const DIRECTION: u8 = 1 << 1;
const STAINS: u8 = 1 << 2;
const GLOWS: u8 = 1 << 3;
const FADES: u8 = 1 << 4;
const VELOCITY: u8 = 1 << 5;
const PERSISTENT: u8 = 1 << 6;
const BEAM: u8 = 1 << 7;

/// The kinds of effects that a server has announced, by number.
#[derive(Clone, Copy, Debug)]
pub struct Kinds([Option<u8>; ANNOUNCE as usize]);

impl Kinds {
    /// None yet.
    pub const NONE: Kinds = Kinds([None; ANNOUNCE as usize]);

    /// Reads past the rest of a message: an effect, or a new kind, which is noted.
    ///
    /// # Errors
    /// The data ends inside it, or the kind was not announced.
    pub fn read(&mut self, r: &mut Reader<'_>, primitives: &Primitives) -> Result<(), DecodeError> {
        let mut offset = r.at();
        let mut number = r.u8(NAME)?;
        let announces = number == ANNOUNCE;
        if announces {
            offset = r.at();
            number = r.u8(NAME)?;
        }
        let forbidden = |why| ErrorKind::Forbidden { value: number.into(), why };
        let Some(kind) = self.0.get_mut(usize::from(number)) else {
            return r.error(offset, NAME, forbidden("255 is no kind"));
        };
        if announces {
            let bits = r.u8(NAME)?;
            *kind = Some(bits);
            r.string(NAME)?;
            // A colour and a radius; a colour, a radius and a time; how the colour fades.
            let parts = [(STAINS, 4), (GLOWS, 5), (GLOWS | FADES, 3)];
            let lengths = parts.iter().filter(|(needed, _)| bits & needed == *needed).map(|(_, length)| length);
            return r.bytes(NAME, lengths.sum()).map(drop);
        }
        let Some(bits) = *kind else {
            return r.error(offset, NAME, forbidden("what such an effect has was not announced"));
        };
        if bits & PERSISTENT != 0 {
            r.u16(NAME)?;
        }
        primitives.read_point(r, NAME)?;
        if bits & BEAM != 0 {
            primitives.read_point(r, NAME)?;
        }
        if bits & COUNT != 0 {
            r.u8(NAME)?;
        }
        if bits & VELOCITY != 0 {
            primitives.read_point(r, NAME)?;
        } else if bits & DIRECTION != 0 {
            r.u8(NAME)?;
        }
        Ok(())
    }
}
