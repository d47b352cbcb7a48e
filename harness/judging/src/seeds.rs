//! The seeds that a case is run with: those of its scenario, or a range of any length, which takes no memory.

use std::ops::RangeInclusive;

/// Seeds, in the order in which they are run.
#[derive(Clone, Debug)]
pub enum Seeds<'a> {
    /// These.
    Listed(&'a [u64]),
    /// All from one to another.
    Range(RangeInclusive<u64>),
}

impl<'a> Seeds<'a> {
    /// From the first to the last, both inclusive.
    pub const fn range(first: u64, last: u64) -> Seeds<'a> {
        Seeds::Range(first..=last)
    }

    /// How many there are: up to 2^64.
    pub fn count(&self) -> u128 {
        match self {
            Seeds::Listed(seeds) => seeds.len() as u128,
            Seeds::Range(range) if range.is_empty() => 0,
            Seeds::Range(range) => u128::from(range.end() - range.start()) + 1,
        }
    }

    /// The first; 0 where there is none.
    pub fn first(&self) -> u64 {
        match self {
            Seeds::Listed(seeds) => seeds.first().copied().unwrap_or_default(),
            Seeds::Range(range) => *range.start(),
        }
    }

    /// The last; 0 where there is none.
    pub fn last(&self) -> u64 {
        match self {
            Seeds::Listed(seeds) => seeds.last().copied().unwrap_or_default(),
            Seeds::Range(range) => *range.end(),
        }
    }

    /// Each of them.
    pub fn iter(&self) -> impl Iterator<Item = u64> + use<'a> {
        let (listed, range) = match self {
            Seeds::Listed(seeds) => (*seeds, None),
            Seeds::Range(range) => (&[][..], Some(range.clone())),
        };
        listed.iter().copied().chain(range.into_iter().flatten())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_range_of_all_seeds_is_counted_and_begun_without_being_held() {
        let all = Seeds::range(0, u64::MAX);
        assert_eq!((all.count(), all.first(), all.last()), (1 << 64, 0, u64::MAX));
        assert_eq!(Vec::from_iter(all.iter().take(3)), [0, 1, 2]);
        assert_eq!(Seeds::range(u64::MAX - 1, u64::MAX).iter().last(), Some(u64::MAX));
    }

    #[test]
    fn listed_seeds_keep_their_order() {
        let listed = Seeds::Listed(&[7, 3]);
        assert_eq!((listed.count(), listed.first(), listed.last()), (2, 7, 3));
        assert_eq!(Vec::from_iter(listed.iter()), [7, 3]);
        assert_eq!(Seeds::Listed(&[]).count(), 0);
    }
}
