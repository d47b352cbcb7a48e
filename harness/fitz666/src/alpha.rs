//! Opacity and its code, of one byte.

/// The code of an entity of which nothing is set.
pub const ENTALPHA_DEFAULT: u8 = 0;
/// The code of what cannot be seen.
pub const ENTALPHA_ZERO: u8 = 1;
/// The code of what is opaque, and was set so.
pub const ENTALPHA_ONE: u8 = 255;

/// The code of what a game says: nothing (0), or an opacity; what is below 0 cannot be seen.
pub fn encode(alpha: f32) -> u8 {
    // FITZ-ALPHA-01, and FITZ-ALPHA-02 by the lower bound.
    if alpha == 0.0 { ENTALPHA_DEFAULT } else { (alpha * 254.0 + 1.0).clamp(1.0, 255.0).round() as u8 }
}

/// The opacity of a code, from 0 to 1.
pub fn decode(code: u8) -> f32 {
    if code == ENTALPHA_DEFAULT { 1.0 } else { (f32::from(code) - 1.0) / 254.0 } // FITZ-ALPHA-03
}

/// What a saved game has of a code: its own [`encode`] gives the same code back.
pub fn to_save(code: u8) -> f32 {
    // FITZ-ALPHA-04
    match code {
        ENTALPHA_DEFAULT => 0.0,
        ENTALPHA_ZERO => -1.0,
        _ => (f32::from(code) - 1.0) / 254.0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(alpha: f32, code: u8) {
        assert_eq!(encode(alpha), code, "{alpha}");
    }

    #[test]
    fn opacities_have_the_codes_of_the_document() {
        // Worked by hand: a * 254 + 1 between 1 and 255, to the nearest.
        for (alpha, code) in [(-1.0, 1), (-0.001, 1), (0.0, 0), (-0.0, 0), (0.0001, 1), (0.0019, 1), (0.002, 2)] {
            check(alpha, code);
        }
        for (alpha, code) in [(0.25, 65), (0.5, 128), (0.75, 192), (0.999, 255), (1.0, 255), (1.5, 255), (1e30, 255)] {
            check(alpha, code);
        }
        check(f32::NAN, 0);
    }

    #[test]
    fn a_saved_code_comes_back() {
        for code in 0..=255 {
            check(to_save(code), code);
        }
    }

    #[test]
    fn a_rendered_code_does_not_come_back_where_it_says_nothing_or_zero() {
        let lost: Vec<u8> = (0..=255).filter(|&code| encode(decode(code)) != code).collect();
        assert_eq!(lost, [0, 1]);
        assert_eq!((decode(0), decode(1), decode(255)), (1.0, 0.0, 1.0));
    }
}
