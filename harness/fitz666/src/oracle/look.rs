//! What an entity looks like, in the codes of the wire.

use super::layout::{ANGLES, ORIGINS, Part, Raw};

/// The state of an entity, as a receiver of baselines and updates has it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Look {
    /// Model.
    pub model: u32,
    /// Frame.
    pub frame: u32,
    /// Colormap.
    pub colormap: u32,
    /// Skin.
    pub skin: u32,
    /// Effects.
    pub effects: u32,
    /// Origin, in eighths.
    pub origin: [i32; 3],
    /// Pitch, yaw, roll, in 1/256 of a circle.
    pub angles: [u8; 3],
    /// The code of its alpha.
    pub alpha: u8,
}

impl Look {
    /// What a baseline or a static entity has.
    pub fn of(raw: &Raw) -> Look {
        Look {
            model: raw.value(Part::Model),
            frame: raw.value(Part::Frame),
            colormap: raw.value(Part::Colormap),
            skin: raw.value(Part::Skin),
            effects: 0,
            origin: ORIGINS.map(|part| raw.coord(part)),
            angles: ANGLES.map(|part| raw.value(part) as u8),
            alpha: raw.value(Part::Alpha) as u8,
        }
    }

    /// What an update makes of this baseline.
    pub fn updated(&self, raw: &Raw) -> Look {
        let byte = |part: Part, held: u32| raw.get(part).unwrap_or(held);
        // A low byte that is sent clears the high one; a high byte that is sent joins the low one.
        let wide = |low: Part, high: Part, held: u32| {
            let base = byte(low, held);
            raw.get(high).map_or(base, |high| base & 0xff | high << 8)
        };
        let mut look = Look {
            model: wide(Part::Model, Part::Model2, self.model),
            frame: wide(Part::Frame, Part::Frame2, self.frame),
            colormap: byte(Part::Colormap, self.colormap),
            skin: byte(Part::Skin, self.skin),
            effects: byte(Part::Effects, self.effects),
            alpha: byte(Part::Alpha, self.alpha.into()) as u8,
            ..*self
        };
        for axis in 0..3 {
            if raw.has(ORIGINS[axis]) {
                look.origin[axis] = raw.coord(ORIGINS[axis]);
            }
            if let Some(angle) = raw.get(ANGLES[axis]) {
                look.angles[axis] = angle as u8;
            }
        }
        look
    }

    /// An axis of the origin, in units.
    pub fn coord(&self, axis: usize) -> f64 {
        f64::from(self.origin[axis]) / 8.0
    }

    /// An angle, in degrees.
    pub fn angle(&self, axis: usize) -> f64 {
        f64::from(self.angles[axis] as i8) * 360.0 / 256.0
    }
}

/// How near a coded place has to be to the true one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rounding {
    /// As engines round or cut off, which is legal.
    Any,
    /// As rounding brings it: to decide whether a layout fits.
    Nearest,
}

impl Rounding {
    /// How far a coordinate may be off, in units: an eighth is cut off, or half of one rounded.
    pub fn coord(self) -> f64 {
        if self == Rounding::Any { 0.126 } else { 0.0626 }
    }

    /// How far an angle may be off, in degrees: cut off to whole degrees and then to 1/256 of a circle, or rounded.
    pub fn angle(self) -> f64 {
        if self == Rounding::Any { 2.42 } else { 0.704 }
    }
}

/// How far two angles are apart, in degrees: at most half a circle.
pub fn apart(one: f64, other: f64) -> f64 {
    let turn = (one - other).abs();
    if turn <= 180.0 {
        return turn;
    }
    let turn = turn.rem_euclid(360.0);
    turn.min(360.0 - turn)
}

#[cfg(test)]
mod tests {
    use super::super::layout::Kind;
    use super::*;

    /// The update, over a baseline of model 1 and frame 300, gives this frame.
    fn check(bytes: &[u8], frame: u32) {
        let base = Look { model: 1, frame: 300, alpha: 128, ..Look::default() };
        let raw = Kind::Update.read(bytes, 0).expect("a whole update");
        let look = base.updated(&raw);
        assert_eq!((look.frame, look.model, look.alpha), (frame, 1, 128));
    }

    #[test]
    fn a_low_byte_alone_clears_the_high_byte_of_the_baseline() {
        check(&[0x80, 7], 300);
        check(&[0xc0, 7, 44], 44);
        // FRAME with FRAME2: 261.
        check(&[0xc1, 0x80, 2, 7, 5, 1], 261);
        // FRAME2 alone, which nobody sends: the baseline's low byte, 44, with the high byte 2.
        check(&[0x81, 0x80, 2, 7, 2], 0x22c);
    }

    #[test]
    fn angles_are_apart_by_the_shorter_way() {
        assert_eq!(apart(-180.0, 180.0), 0.0);
        assert_eq!(apart(-90.0, 270.0), 0.0);
        assert_eq!(apart(350.0, 5.0), 15.0);
    }
}
