//! What a scenario chose: a run's options and texts, by their names.

use crate::setup::Setup;
use crate::words::OptionInfo;
use std::ops::RangeInclusive;

/// A row of a protocol's options.
pub const fn option(name: &'static str, default: i64, range: RangeInclusive<i64>, help: &'static str) -> OptionInfo {
    OptionInfo { name, default, least: *range.start(), most: *range.end(), help, dialect: false }
}

/// The options of a run, by name. What no option is called, or a setup does not have, is 0.
#[derive(Clone, Copy, Debug)]
pub struct Chosen<'a> {
    names: &'static [OptionInfo],
    setup: &'a Setup,
}

impl<'a> Chosen<'a> {
    /// Those of `setup`, which has a value for each of `names`.
    pub fn new(names: &'static [OptionInfo], setup: &'a Setup) -> Chosen<'a> {
        Chosen { names, setup }
    }

    /// As it is.
    pub fn value(&self, name: &str) -> i64 {
        let index = self.names.iter().position(|option| option.name == name);
        debug_assert!(index.is_some(), "no option is called {name}");
        index.and_then(|index| self.setup.options.get(index)).copied().unwrap_or_default()
    }

    /// The lowest 32 bits.
    pub fn mask(&self, name: &str) -> u32 {
        self.value(name) as u32
    }

    /// Whether it is not 0.
    pub fn is_on(&self, name: &str) -> bool {
        self.value(name) != 0
    }

    /// Clamped to `least..=most`, neither of them negative.
    pub fn size(&self, name: &str, least: usize, most: usize) -> usize {
        (self.value(name).max(0) as usize).clamp(least, most)
    }

    /// A time between frames or packets in microseconds, from a millisecond to `most_us`.
    pub fn tick_us(&self, name: &str, most_us: u64) -> u64 {
        (self.value(name).max(0) as u64).clamp(1_000, most_us)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{HostId, KnownBy, Profile};

    #[test]
    fn what_is_out_of_range_is_clamped() {
        static PROFILE: Profile = Profile { name: "p", title: "", index: 0, udp_port: 1, known_by: KnownBy::Port };
        static NAMES: [OptionInfo; 2] = [option("count", 0, 0..=8, ""), option("tick_us", 0, 0..=10_000_000, "")];
        let options = vec![-1, 20_000_000];
        let setup = Setup {
            profile: &PROFILE,
            host: HostId::SERVER,
            clients: 1,
            seed: 0,
            options,
            texts: Vec::new(),
            knowledge: crate::Knowledge::World,
            vantage: crate::Vantage::default(),
            pauses: Vec::new(),
            rebinds: Vec::new(),
        };
        let chosen = Chosen::new(&NAMES, &setup);
        assert_eq!((chosen.size("count", 1, 8), chosen.mask("count"), chosen.is_on("count")), (1, u32::MAX, true));
        assert_eq!(chosen.tick_us("tick_us", 10_000_000), 10_000_000);
    }
}
