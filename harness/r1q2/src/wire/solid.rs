//! The size of an entity, as `solid` has it: for a client to predict what its player runs into.
//!
//! A box that stands on its place: as far to each side, so far below, so far above. Until revision 1904 in 16 bits and
//! units of 8, which is coarse; from 1905 on in 32 bits and units of 1.

/// What `solid` says of a brush model, whose size is that of the model.
pub const BRUSH_MODEL: i32 = 31;
/// What `solid` says of what cannot be run into.
pub const NOT_SOLID: i32 = 0;
/// Bits of a 16-bit solid per number.
const SHORT_BITS: u32 = 5;
/// Unit of a 16-bit solid.
const SHORT_UNIT: i32 = 8;
/// What the height above has added in a 16-bit solid, so that it may be below.
const SHORT_BIAS: i32 = 32;
/// What the height above has added in a 32-bit solid.
const LONG_BIAS: i32 = 0x8000;

/// A box, in quake units.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Size {
    /// To each side.
    pub side: i32,
    /// Below.
    pub down: i32,
    /// Above; less than 0 for a box that ends below its place.
    pub up: i32,
}

impl Size {
    /// As 16 bits; what does not fit is cut to what does, and what is no multiple of 8 is rounded toward zero.
    pub fn to_short(self) -> i32 {
        let most = (1 << SHORT_BITS) - 1;
        let side = (self.side / SHORT_UNIT).clamp(1, most);
        let down = (self.down / SHORT_UNIT).clamp(1, most);
        // The numbers share 16 bits: the last has six.
        let up = ((self.up + SHORT_BIAS) / SHORT_UNIT).clamp(1, 2 * most + 1);
        up << (2 * SHORT_BITS) | down << SHORT_BITS | side
    }

    /// What 16 bits say; `None` for what is not solid, or a brush model.
    pub fn from_short(solid: i32) -> Option<Size> {
        let number = |index: u32, bits: u32| solid >> (SHORT_BITS * index) & ((1 << bits) - 1);
        (solid != NOT_SOLID && solid != BRUSH_MODEL).then(|| Size {
            side: number(0, SHORT_BITS) * SHORT_UNIT,
            down: number(1, SHORT_BITS) * SHORT_UNIT,
            up: number(2, SHORT_BITS + 1) * SHORT_UNIT - SHORT_BIAS,
        })
    }

    /// As 32 bits; what does not fit is cut to what does.
    pub fn to_long(self) -> i32 {
        let (side, down) = (self.side.clamp(1, 0xff), self.down.clamp(0, 0xff));
        let up = self.up.clamp(-LONG_BIAS, LONG_BIAS - 1) + LONG_BIAS;
        up << 16 | down << 8 | side
    }

    /// What 32 bits say; `None` for what is not solid, or a brush model.
    pub fn from_long(solid: i32) -> Option<Size> {
        (solid != NOT_SOLID && solid != BRUSH_MODEL).then(|| Size {
            side: solid & 0xff,
            down: solid >> 8 & 0xff,
            up: (solid as u32 >> 16) as i32 - LONG_BIAS,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(short: i32, long: i32, side: i32, down: i32, up: i32) {
        let size = Size { side, down, up };
        assert_eq!((size.to_short(), size.to_long()), (short, long));
        assert_eq!((Size::from_short(short), Size::from_long(long)), (Some(size), Some(size)));
    }

    /// A grating that R1Q2 b5183 announced in 16 bits, and b8012 in 32; and a player on foot.
    #[test]
    fn both_codings_of_a_recorded_size_say_the_same() {
        check(0x0864, 0x7ff0_1820, 32, 24, -16);
        check(0x2062, 0x8020_1810_u32 as i32, 16, 24, 32);
    }

    #[test]
    fn brush_models_and_what_is_not_solid_have_no_size() {
        for solid in [NOT_SOLID, BRUSH_MODEL] {
            assert_eq!((Size::from_short(solid), Size::from_long(solid)), (None, None));
        }
    }

    #[test]
    fn what_does_not_fit_is_cut() {
        let check = |size: Size, short: Size, long: Size| {
            assert_eq!((Size::from_short(size.to_short()), Size::from_long(size.to_long())), (Some(short), Some(long)));
        };
        let huge = Size { side: 1000, down: 1000, up: 100_000 };
        check(huge, Size { side: 248, down: 248, up: 472 }, Size { side: 255, down: 255, up: 32_767 });
        let tiny = Size { side: 0, down: 0, up: -100_000 };
        check(tiny, Size { side: 8, down: 8, up: -24 }, Size { side: 1, down: 0, up: -32_768 });
        // Multiples of 8 alone survive the coarse coding.
        check(
            Size { side: 15, down: 23, up: 31 },
            Size { side: 8, down: 16, up: 24 },
            Size { side: 15, down: 23, up: 31 },
        );
    }
}
