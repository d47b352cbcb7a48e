//! The shape of jitter: right-skewed, as an integer table.

use crate::rng::below;

/// Quantiles of an exponential distribution cut off at five times its scale, at 64ths of probability, in units of
/// 2^-24 of the maximum. Half of all draws are below 14 %, nine tenths below 45 %; the mean is 19.4 %.
const QUANTILES: [u32; 65] = [
    0, 52484, 105802, 159980, 215048, 271035, 327972, 385892, 444829, 504819, 565902, 628118, 691509, 756120, 822000,
    889200, 957773, 1027777, 1099272, 1172324, 1247002, 1323379, 1401536, 1481557, 1563533, 1647561, 1733749, 1822208,
    1913063, 2006447, 2102504, 2201392, 2303283, 2408365, 2516845, 2628950, 2744930, 2865062, 2989656, 3119055,
    3253646, 3393861, 3540192, 3693196, 3853512, 4021874, 4199131, 4386278, 4584482, 4795133, 5019900, 5260810,
    5520364, 5801692, 6108784, 6446838, 6822805, 7246278, 7731020, 8297810, 8980196, 9837734, 10992582, 12767692,
    16777216,
];

/// The jitter that `draw` selects, in microseconds: from 0 to `max_us`.
pub(crate) fn jitter_us(draw: u32, max_us: u64) -> u64 {
    let step = (draw >> 26) as usize;
    let (low, high) = (QUANTILES[step], QUANTILES[step + 1]);
    let share = u64::from(low) + below(draw << 6, u64::from(high - low) + 1);
    ((u128::from(share) * u128::from(max_us)) >> 24) as u64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn jitter_is_right_skewed_and_within_its_maximum() {
        let draws: Vec<u64> = (0..=0xffff_u32).map(|n| jitter_us(n << 16 | n, 1_000_000)).collect();
        assert!(draws.is_sorted(), "a higher draw is a longer jitter");
        assert_eq!((draws[0], draws[0x8000], draws[0xffff]), (0, 137_289, 1_000_000));
        assert_eq!(draws.iter().sum::<u64>() / draws.len() as u64, 193_758);
    }

    #[test]
    fn extreme_maxima_do_not_overflow() {
        assert_eq!(jitter_us(u32::MAX, u64::MAX), u64::MAX);
        assert_eq!(jitter_us(u32::MAX, 0), 0);
        assert_eq!(jitter_us(u32::MAX, 1), 1);
    }
}
