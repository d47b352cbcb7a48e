//! What a scenario chose: a run's options and texts, by their names.

use crate::setup::Setup;
use crate::words::{OptionInfo, TextInfo};
use std::ops::RangeInclusive;

/// A row of a protocol's options.
pub const fn option(name: &'static str, default: i64, range: RangeInclusive<i64>, help: &'static str) -> OptionInfo {
    OptionInfo { name, default, least: *range.start(), most: *range.end(), help, dialect: false }
}

/// The options of a protocol, a row each: `name: type => read = default, range, "what it decides";`.
///
/// It makes the table `OPTIONS`, a field for each row that has a type, and `Options::new`, which reads a setup; values out of range
/// are clamped. `read` makes the value of the number, where the type does not; `of_dialect` after the help says that both ends write
/// by it. What follows from several rows or from the setup is a field after `with setup, chosen`.
///
/// ```
/// kit::options! {
///     /// The options of a run, read.
///     #[derive(Clone, Copy, Debug)]
///     pub struct Options {
///         tick_us: u64 = 50_000, 1_000..=1_000_000, "time between frames, in microseconds";
///         loud: bool = 0, 0..=1, "1: it is loud";
///     }
///     with setup, chosen {
///         /// How many clients there are.
///         pub clients: u16 = setup.clients;
///     }
/// }
/// assert_eq!((OPTIONS[1].name, OPTIONS[1].most), ("loud", 1));
/// ```
#[macro_export]
macro_rules! options {
    (
        $(#[$about:meta])* pub struct $Options:ident {
            $($name:ident $(: $type:ty $(=> $read:path)?)? = $default:expr, $range:expr, $help:literal $(, $dialect:ident)?;)*
        }
        with $setup:ident, $chosen:ident {
            $($(#[$doc:meta])* $vis:vis $own:ident: $own_type:ty = $value:expr;)*
        }
    ) => {
        /// The options, by number.
        pub static OPTIONS: [$crate::OptionInfo; [$(stringify!($name)),*].len()] =
            [$($crate::options::option(stringify!($name), $default, $range, $help)$(.$dialect())?),*];

        $(#[$about])*
        pub struct $Options {
            $($(#[doc = $help] pub $name: $type,)?)*
            $($(#[$doc])* $vis $own: $own_type,)*
        }

        impl $Options {
            /// Reads a setup's options; values out of range are clamped.
            #[allow(unused_variables)]
            pub fn new($setup: &$crate::Setup) -> $Options {
                let $chosen = $crate::Chosen::new(&OPTIONS, $setup);
                $Options {
                    $($($name: $crate::options!(@read $type, $chosen.value(stringify!($name)) $(, $read)?),)?)*
                    $($own: $value,)*
                }
            }
        }
    };
    (@read $type:ty, $value:expr) => { <$type as $crate::options::Value>::of($value) };
    (@read $type:ty, $value:expr, $read:path) => { $read($value) };
}

/// What the number of an option, which is in its range, stands for.
pub trait Value {
    /// It.
    fn of(number: i64) -> Self;
}

/// 0 is no, all else yes.
impl Value for bool {
    fn of(number: i64) -> bool {
        number != 0
    }
}

macro_rules! numbers {
    ($($type:ty)*) => {$(
        /// A range that does not fit its type is cut off.
        impl Value for $type {
            fn of(number: i64) -> $type {
                number.clamp(<$type>::MIN as i64, i64::try_from(<$type>::MAX).unwrap_or(i64::MAX)) as $type
            }
        }
    )*};
}

numbers! { u8 u16 u32 u64 usize i32 i64 }

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

    /// The number that was chosen, or what is nearest to it in the option's range.
    pub fn value(&self, name: &str) -> i64 {
        let index = self.names.iter().position(|option| option.name == name);
        debug_assert!(index.is_some(), "no option is called {name}");
        let Some((index, option)) = index.and_then(|index| Some((index, self.names.get(index)?))) else { return 0 };
        self.setup.options.get(index).copied().unwrap_or_default().clamp(option.least, option.most)
    }

    /// The same as another type.
    pub fn get<T: Value>(&self, name: &str) -> T {
        T::of(self.value(name))
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
        assert_eq!((chosen.value("count"), chosen.get::<bool>("count")), (0, false));
        assert_eq!(chosen.get::<u64>("tick_us"), 10_000_000);
        assert_eq!((u8::of(-1), u8::of(300), u64::of(i64::MAX)), (0, 255, i64::MAX as u64));
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
