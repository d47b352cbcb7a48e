//! Numbers of 16 bits that wrap: which of two is the newer one.

/// Whether `a` was given after `b`: it is at most 32767 numbers ahead.
///
/// Half the circle (32768) is neither ahead nor after; nothing is newer there.
pub const fn newer(a: u16, b: u16) -> bool {
    // GG2-SEQ-02
    matches!(a.wrapping_sub(b), 1..=0x7fff)
}

/// As [`newer`], for those who take the numbers for plain ones; wrong once they wrap.
pub const fn greater(a: u16, b: u16) -> bool {
    a > b
}

/// How many numbers `a` is ahead of `b`.
pub const fn age(a: u16, b: u16) -> u16 {
    a.wrapping_sub(b)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(a: u16, b: u16, expected: bool) {
        assert_eq!(newer(a, b), expected, "{a} after {b}");
    }

    #[test]
    fn the_next_number_is_newer_also_over_the_wrap() {
        check(2, 1, true);
        check(0, 65535, true);
        check(65535, 0, false);
        check(5, 65500, true);
        check(7, 7, false);
    }

    #[test]
    fn half_the_circle_is_newer_in_neither_direction() {
        check(32767, 0, true);
        check(32768, 0, false);
        check(0, 32768, false);
        check(32769, 0, false);
        check(0, 32769, true);
    }

    #[test]
    fn of_two_different_numbers_at_most_one_is_newer() {
        for b in (0..=u16::MAX).step_by(97) {
            for a in (0..=u16::MAX).step_by(89) {
                assert!(!(newer(a, b) && newer(b, a)), "{a} {b}");
                assert_eq!(newer(a, b), (1..32768).contains(&(i32::from(a) - i32::from(b)).rem_euclid(65536)));
            }
        }
    }
}
