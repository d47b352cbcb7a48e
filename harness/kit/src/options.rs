//! What a scenario chose: a run's options and texts, by their names.

use crate::setup::Setup;
use crate::words::{OptionInfo, TextInfo};
use std::ops::RangeInclusive;

/// A row of a protocol's options.
pub const fn option(name: &'static str, default: i64, range: RangeInclusive<i64>, help: &'static str) -> OptionInfo {
    OptionInfo { name, default, least: *range.start(), most: *range.end(), help, dialect: false }
}

/// The text with the name of the map that a server of Quake or Quake II announces, a protocol's row.
pub const MAP: TextInfo = TextInfo {
    name: "map",
    default: "proof",
    help: "the name of the map that the server announces, as in `maps/NAME.bsp`, at most 54 bytes",
    check: map_name,
    dialect: false,
};

/// What is left for a map's name of a path of 64 bytes with the zero at its end: that of the engines, MAX_QPATH.
const MAP_NAME_BYTES: usize = 64 - "maps/.bsp\0".len();

fn map_name(text: &str) -> Result<(), String> {
    let is_strange = |it: char| !it.is_ascii_graphic() || matches!(it, '"' | '\\' | ';' | '$');
    match text.find(is_strange) {
        _ if text.is_empty() => Err(String::from("a map has a name")),
        Some(place) => {
            let strange: String = text[place..].chars().take(1).collect();
            Err(format!("byte {place}: {strange:?} is in no map's name"))
        }
        None if text.len() > MAP_NAME_BYTES => Err(format!("{} bytes are more than {MAP_NAME_BYTES}", text.len())),
        None => Ok(()),
    }
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

    #[test]
    fn a_map_has_a_name_that_engines_take() {
        for right in ["proof", "e1m1", "a/b", &"m".repeat(54)] {
            assert_eq!((MAP.check)(right), Ok(()), "{right}");
        }
        assert_eq!((MAP.check)("").unwrap_err(), "a map has a name");
        assert_eq!((MAP.check)("e1 m1").unwrap_err(), "byte 2: \" \" is in no map's name");
        assert_eq!((MAP.check)("übung").unwrap_err(), "byte 0: \"ü\" is in no map's name");
        assert_eq!((MAP.check)(&"m".repeat(55)).unwrap_err(), "55 bytes are more than 54");
    }
}
