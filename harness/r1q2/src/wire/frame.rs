//! `svc_frame` up to its player state: which frame it is, and which one it builds on.
//!
//! Protocol 34 counts both frames in longs. Protocol 35 has one long for the number and the distance to the base, four
//! bits for the suppress count, and room for seven extra flags of the player state in what that saves: four beside the
//! suppress count, three in the command byte.

use crate::wire::constants::*;
use crate::wire::dialect::Dialect;
use crate::wire::player::expect;
use kit::{DecodeError, ErrorKind, Reader, Writer};

/// The largest suppress count that protocol 35 has room for.
pub const MAX_SUPPRESS: u8 = 0xf;
/// The largest distance to a base that protocol 35 has room for.
pub const MAX_OFFSET: u32 = NO_DELTA_OFFSET - 1;
/// The extra flags that are defined.
const EPS_DEFINED: u8 = (1 << EPS_NAMES.len()) - 1;

/// The beginning of a frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FrameStart<'a> {
    /// The frame's number; 27 bits over protocol 35.
    pub number: i32,
    /// The number of the frame that it builds on; 0 or less for none.
    pub delta: i32,
    /// How many frames the server has held back since the last one.
    pub suppress: u8,
    /// The extra flags of the player state: `EPS_*`. None over protocol 34.
    pub extra: u8,
    /// Which areas of the map can be seen.
    pub area_bits: &'a [u8],
}

/// The bits beside the service in a command byte that stand for extra flags.
pub fn high_bits(extra: u8) -> u8 {
    (extra & 0x70) << 1
}

/// The extra flags that a command byte and a suppress byte stand for.
pub fn extra_flags(command: u8, suppress: u8) -> u8 {
    // R1Q2-FRM-07
    (command & !SVC_MASK) >> 1 | suppress >> 4
}

impl<'a> FrameStart<'a> {
    /// The frame that it builds on.
    pub fn base(&self) -> Option<i32> {
        Some(self.delta).filter(|&delta| delta > 0)
    }

    /// The distance to the base as protocol 35 has it. A base that is out of its reach is as none.
    pub fn offset(&self) -> u32 {
        let distance = self.base().and_then(|base| self.number.checked_sub(base));
        let offset = distance.and_then(|distance| u32::try_from(distance).ok());
        offset.filter(|&offset| offset <= MAX_OFFSET).unwrap_or(NO_DELTA_OFFSET)
    }

    /// Writes all of it, the command byte included.
    pub fn write(&self, w: &mut Writer<'_>, dialect: &Dialect) {
        if dialect.is_r1q2() {
            // R1Q2-CMD-02, R1Q2-FRM-10: in this order
            w.u8("svc", SVC_FRAME | high_bits(self.extra));
            w.u32("serverframe+offset", self.number as u32 & FRAME_NUMBER | self.offset() << OFFSET_SHIFT);
            w.u8("suppress+extraflags", self.suppress.min(MAX_SUPPRESS) | self.extra << 4);
        } else {
            w.u8("svc", SVC_FRAME);
            w.i32("serverframe", self.number);
            w.i32("deltaframe", self.delta);
            w.u8("suppress", self.suppress);
        }
        let area_bits = &self.area_bits[..self.area_bits.len().min(MAX_AREA_BYTES)];
        w.u8("area bytes", area_bits.len() as u8);
        w.bytes("area bits", area_bits);
    }

    /// Reads all of it after the command byte, which was `command`.
    ///
    /// # Errors
    /// The data ends, there are more area bits than a map has areas, or an extra flag is set that is not defined.
    pub fn read(r: &mut Reader<'a>, command: u8, dialect: &Dialect) -> Result<FrameStart<'a>, DecodeError> {
        let (number, delta, suppress, extra);
        if dialect.is_r1q2() {
            // R1Q2-FRM-01
            let word = r.u32("serverframe+offset")?;
            number = (word & FRAME_NUMBER) as i32;
            delta = match word >> OFFSET_SHIFT {
                // R1Q2-FRM-02
                NO_DELTA_OFFSET => NO_DELTA,
                // R1Q2-FRM-03
                offset => number - offset as i32,
            };
            let offset = r.at();
            let byte = r.u8("suppress+extraflags")?;
            // R1Q2-FRM-05
            suppress = byte & MAX_SUPPRESS;
            extra = extra_flags(command, byte);
            if extra & !EPS_DEFINED != 0 {
                let why = "no revision defines this extra flag";
                return r.error(offset, "extraflags", ErrorKind::Forbidden { value: extra.into(), why });
            }
        } else {
            number = r.i32("serverframe")?;
            delta = r.i32("deltaframe")?;
            suppress = r.u8("suppress")?;
            extra = 0;
        }
        let offset = r.at();
        let count = usize::from(r.u8("area bytes")?);
        if count > MAX_AREA_BYTES {
            return r.error(offset, "area bytes", ErrorKind::TooLarge { value: count, limit: MAX_AREA_BYTES });
        }
        let area_bits = r.bytes("area bits", count)?;
        Ok(FrameStart { number, delta, suppress, extra, area_bits })
    }
}

/// Writes what stands between player state and entities: over protocol 34 the byte of `svc_packetentities`.
pub fn write_entities_start(w: &mut Writer<'_>, dialect: &Dialect) {
    // R1Q2-FRM-09
    if !dialect.is_r1q2() {
        w.u8("svc_packetentities", SVC_PACKETENTITIES);
    }
}

/// Reads what stands between player state and entities.
///
/// # Errors
/// Over protocol 34: another byte than that of `svc_packetentities`.
pub fn read_entities_start(r: &mut Reader<'_>, dialect: &Dialect) -> Result<(), DecodeError> {
    match dialect.is_r1q2() {
        true => Ok(()),
        false => expect(r, "svc_packetentities", SVC_PACKETENTITIES),
    }
}
