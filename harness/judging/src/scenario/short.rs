//! The short forms of scenario values: `50ms`, `2%`, `1..4`, `64kbit`, `0x28`, `client1`.
//!
//! Each is a type of its own that reads its text, so that a mistake is reported at its exact place, with the accepted
//! forms.

use kit::{Direction, HostId, Time};
#[cfg(feature = "schemas")]
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::Deserialize;
use serde::de::{self, Deserializer, SeqAccess, Visitor};
#[cfg(feature = "schemas")]
use std::borrow::Cow;
use std::fmt;
use std::marker::PhantomData;

/// At most this many entries in a list of seeds, and seeds in a range.
pub const MAX_SEEDS: u64 = 65_536;

/// A value with a short form.
trait Short: Sized {
    /// What it is.
    const WHAT: &'static str;

    /// How to write it.
    const FORMS: &'static str;

    /// Reads the form.
    fn read(text: &str) -> Option<Self>;
}

/// Reads any scalar as its text, then as a short form.
struct ShortVisitor<T>(PhantomData<T>);

impl<T: Short> Visitor<'_> for ShortVisitor<T> {
    type Value = T;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(T::WHAT)
    }

    fn visit_str<E: de::Error>(self, text: &str) -> Result<T, E> {
        T::read(text).ok_or_else(|| E::custom(format!("`{text}` is not {}; write {}", T::WHAT, T::FORMS)))
    }
}

fn short<'de, T: Short, D: Deserializer<'de>>(deserializer: D) -> Result<T, D::Error> {
    deserializer.deserialize_str(ShortVisitor(PhantomData))
}

/// A length of time, or a moment counted from the start of the run: `1500us`, `50ms`, `2s`, `2min`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Duration(pub u64);

impl Duration {
    /// As a moment of virtual time.
    pub const fn time(self) -> Time {
        Time(self.0)
    }
}

impl From<Time> for Duration {
    fn from(time: Time) -> Duration {
        Duration(time.0)
    }
}

/// With the largest unit that divides it: `50ms`, not `50000us`.
impl fmt::Display for Duration {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            us if us % 1_000_000 == 0 => write!(f, "{}s", us / 1_000_000),
            us if us % 1000 == 0 => write!(f, "{}ms", us / 1000),
            us => write!(f, "{us}us"),
        }
    }
}

impl std::str::FromStr for Duration {
    type Err = String;

    fn from_str(text: &str) -> Result<Duration, String> {
        Duration::read(text).ok_or_else(|| format!("write {}", Duration::FORMS))
    }
}

impl Short for Duration {
    const WHAT: &'static str = "a length of time";
    const FORMS: &'static str = "a number and its unit, such as 1500us, 50ms, 2s, 2min, 18h or 400d";

    fn read(text: &str) -> Option<Duration> {
        // The order matters: `s` ends two of the others.
        let units = [
            ("us", 1),
            ("ms", 1000),
            ("min", 60_000_000),
            ("s", 1_000_000),
            ("h", 3_600_000_000),
            ("d", 86_400_000_000),
        ];
        let (number, scale) = units.iter().find_map(|(unit, us)| Some((text.strip_suffix(unit)?, *us)))?;
        fixed(number.trim_end(), scale).map(Duration)
    }
}

/// A probability: `2%`, `0.05%`. Held in parts per million.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Percent(pub u32);

impl Short for Percent {
    const WHAT: &'static str = "a percentage";
    const FORMS: &'static str =
        "a number from 0 to 100 with at most four decimals and a percent sign, such as 2% or 0.05%";

    fn read(text: &str) -> Option<Percent> {
        let ppm = fixed(text.strip_suffix('%')?.trim_end(), 10_000)?;
        u32::try_from(ppm).ok().filter(|ppm| *ppm <= 1_000_000).map(Percent)
    }
}

impl fmt::Display for Percent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (whole, rest) = (self.0 / 10_000, self.0 % 10_000);
        match rest {
            0 => write!(f, "{whole}%"),
            _ => write!(f, "{whole}.{}%", format!("{rest:04}").trim_end_matches('0')),
        }
    }
}

/// A rate: `64kbit`, `1mbit`, `1200bit`. Held in bits per second; a kilobit is 1,000 bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rate(pub u64);

impl Short for Rate {
    const WHAT: &'static str = "a rate per second";
    const FORMS: &'static str = "a number and its unit, such as 1200bit, 64kbit or 1mbit";

    fn read(text: &str) -> Option<Rate> {
        let units = [("kbit", 1000), ("mbit", 1_000_000), ("bit", 1)];
        let (number, scale) = units.iter().find_map(|(unit, bits)| Some((text.strip_suffix(unit)?, *bits)))?;
        fixed(number.trim_end(), scale).filter(|bits| *bits > 0).map(Rate)
    }
}

/// An inclusive range of numbers: `1..4`; a single number stands for itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Range {
    /// The first.
    pub first: u32,
    /// The last; never less than the first.
    pub last: u32,
}

impl Range {
    /// How many numbers there are.
    pub const fn count(self) -> u64 {
        self.last as u64 - self.first as u64 + 1
    }

    /// The numbers, ascending.
    pub fn numbers(self) -> std::ops::RangeInclusive<u32> {
        self.first..=self.last
    }
}

impl Short for Range {
    const WHAT: &'static str = "a number or an inclusive range";
    const FORMS: &'static str = "the smaller end first, such as 1..4, or one number";

    fn read(text: &str) -> Option<Range> {
        let (first, last) = text.split_once("..").unwrap_or((text, text));
        let range = Range { first: whole(first.trim())?, last: whole(last.trim())? };
        (range.first <= range.last).then_some(range)
    }
}

impl fmt::Display for Range {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.first == self.last { write!(f, "{}", self.first) } else { write!(f, "{}..{}", self.first, self.last) }
    }
}

/// An integer, decimal or hexadecimal; remembers which, so that the names of variants look like the file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Int {
    /// Its value.
    pub value: i64,
    /// Whether it was written in hexadecimal.
    pub hex: bool,
}

impl Short for Int {
    const WHAT: &'static str = "an integer";
    const FORMS: &'static str = "it in decimal or hexadecimal, such as 40, -1 or 0x28";

    fn read(text: &str) -> Option<Int> {
        let (negative, digits) = match text.strip_prefix('-') {
            Some(digits) => (true, digits),
            None => (false, text.strip_prefix('+').unwrap_or(text)),
        };
        let (hex, digits) = match digits.strip_prefix("0x").or_else(|| digits.strip_prefix("0X")) {
            Some(digits) => (true, digits),
            None => (false, digits),
        };
        // from_str_radix would take a second sign.
        if !digits.starts_with(|c: char| c.is_ascii_hexdigit()) {
            return None;
        }
        let value = i64::from_str_radix(digits, if hex { 16 } else { 10 }).ok()?;
        Some(Int { value: if negative { -value } else { value }, hex })
    }
}

impl fmt::Display for Int {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.hex, self.value < 0) {
            (true, false) => write!(f, "{:#x}", self.value),
            (true, true) => write!(f, "-{:#x}", self.value.unsigned_abs()),
            (false, _) => write!(f, "{}", self.value),
        }
    }
}

/// A number: an integer or a decimal fraction.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Number {
    /// An integer.
    Int(i64),
    /// A decimal fraction; always finite.
    Float(f64),
}

impl Number {
    /// Its value as a float.
    pub fn as_f64(self) -> f64 {
        match self {
            Number::Int(value) => value as f64,
            Number::Float(value) => value,
        }
    }
}

impl Short for Number {
    const WHAT: &'static str = "a number";
    const FORMS: &'static str = "an integer or a fraction, such as 3, -1, 0x28 or 10.5";

    fn read(text: &str) -> Option<Number> {
        if let Some(int) = Int::read(text) {
            return Some(Number::Int(int.value));
        }
        // Keeps out the words that f64 also reads (`inf`, `nan`).
        let plain = text.bytes().all(|b| b.is_ascii_digit() || b"+-.eE".contains(&b));
        let value: f64 = text.parse().ok().filter(|_| plain)?;
        value.is_finite().then_some(Number::Float(value))
    }
}

impl fmt::Display for Number {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Number::Int(value) => write!(f, "{value}"),
            Number::Float(value) => write!(f, "{value}"),
        }
    }
}

/// A host: `server`, `client1`, `client2`, …
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct HostName(pub HostId);

impl Short for HostName {
    const WHAT: &'static str = "a host";
    const FORMS: &'static str = "`server`, or `client` and its number, such as client1";

    fn read(text: &str) -> Option<HostName> {
        if text == "server" {
            return Some(HostName(HostId::SERVER));
        }
        let number = text.strip_prefix("client").filter(|n| n.bytes().all(|b| b.is_ascii_digit()))?;
        number.parse().ok().filter(|n| *n > 0).map(|n| HostName(HostId(n)))
    }
}

/// Which seeds a scenario runs with: `1`, `1..64` or `[1, 5]`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Seeds(pub Vec<u64>);

impl Default for Seeds {
    fn default() -> Seeds {
        Seeds(vec![1])
    }
}

struct SeedsVisitor;

impl<'de> Visitor<'de> for SeedsVisitor {
    type Value = Seeds;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("one seed, an inclusive range or a list, such as 1, 1..64 or [1, 5]")
    }

    fn visit_str<E: de::Error>(self, text: &str) -> Result<Seeds, E> {
        let wrong =
            || E::custom(format!("`{text}` is not one seed, an inclusive range or a list; write 1, 1..64 or [1, 5]"));
        let (first, last) = text.split_once("..").unwrap_or((text, text));
        let seed = |text: &str| text.trim().parse::<u64>().ok();
        let (first, last) = seed(first).zip(seed(last)).filter(|(first, last)| first <= last).ok_or_else(wrong)?;
        if last - first >= MAX_SEEDS {
            return Err(E::custom(format!("`{text}` is more than {MAX_SEEDS} seeds, the limit for a scenario")));
        }
        Ok(Seeds((first..=last).collect()))
    }

    fn visit_u64<E: de::Error>(self, seed: u64) -> Result<Seeds, E> {
        Ok(Seeds(vec![seed]))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Seeds, A::Error> {
        let mut seeds = Vec::new();
        while let Some(seed) = list.next_element()? {
            if seeds.len() as u64 == MAX_SEEDS {
                return Err(de::Error::custom(format!("more than {MAX_SEEDS} seeds, the limit for a scenario")));
            }
            if seeds.contains(&seed) {
                return Err(de::Error::custom(format!("seed {seed} stands twice: the same run tells nothing more")));
            }
            seeds.push(seed);
        }
        if seeds.is_empty() { Err(de::Error::custom("a scenario needs at least one seed")) } else { Ok(Seeds(seeds)) }
    }
}

impl<'de> Deserialize<'de> for Seeds {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Seeds, D::Error> {
        deserializer.deserialize_any(SeedsVisitor)
    }
}

#[cfg(feature = "schemas")]
impl JsonSchema for Seeds {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> Cow<'static, str> {
        "Seeds".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({
            "anyOf": [
                { "type": "integer", "minimum": 0 },
                { "type": "string", "pattern": r"^\d+(\.\.\d+)?$" },
                { "type": "array", "items": { "type": "integer", "minimum": 0 }, "minItems": 1 }
            ]
        })
    }
}

/// A whole number of at least 0, decimal or hexadecimal.
fn whole(text: &str) -> Option<u32> {
    match text.strip_prefix("0x") {
        Some(digits) if digits.bytes().all(|b| b.is_ascii_hexdigit()) => u32::from_str_radix(digits, 16).ok(),
        None if text.bytes().all(|b| b.is_ascii_digit()) => text.parse().ok(),
        _ => None,
    }
}

/// A decimal number times `scale` (a power of ten, or 60 million), in integers; `None` where that is no whole number.
fn fixed(text: &str, scale: u64) -> Option<u64> {
    let (whole, fraction) = text.split_once('.').unwrap_or((text, "0"));
    let digits = |text: &str| !text.is_empty() && text.len() <= 18 && text.bytes().all(|b| b.is_ascii_digit());
    if !digits(whole) || !digits(fraction) {
        return None;
    }
    let parts = u128::from(fraction.parse::<u64>().ok()?) * u128::from(scale);
    let divisor = 10u128.pow(fraction.len() as u32);
    if parts % divisor != 0 {
        return None;
    }
    let total = u128::from(whole.parse::<u64>().ok()?) * u128::from(scale) + parts / divisor;
    u64::try_from(total).ok()
}

/// Gives a [`Short`] its place among serde's and schemars' types.
macro_rules! short_form {
    ($type:ident, $schema:tt) => {
        impl<'de> Deserialize<'de> for $type {
            fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<$type, D::Error> {
                short(deserializer)
            }
        }

        #[cfg(feature = "schemas")]
        impl JsonSchema for $type {
            fn inline_schema() -> bool {
                true
            }

            fn schema_name() -> Cow<'static, str> {
                stringify!($type).into()
            }

            fn json_schema(_: &mut SchemaGenerator) -> Schema {
                json_schema!($schema)
            }
        }
    };
}

short_form!(Duration, { "type": "string", "pattern": r"^\d+(\.\d+)? *(us|ms|s|min|h|d)$" });
short_form!(Percent, { "type": "string", "pattern": r"^\d+(\.\d{1,4})? *%$" });
short_form!(Rate, { "type": "string", "pattern": r"^\d+(\.\d+)? *[km]?bit$" });
short_form!(Range, {
    "anyOf": [{ "type": "integer", "minimum": 0 }, { "type": "string", "pattern": r"^(0x[0-9a-fA-F]+|\d+) *\.\. *(0x[0-9a-fA-F]+|\d+)$" }]
});
short_form!(Int, { "type": "integer" });
short_form!(Number, { "type": "number" });
short_form!(HostName, { "type": "string", "pattern": "^(server|client[1-8])$" });

/// A way through the network.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[cfg_attr(feature = "schemas", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Way {
    /// From the server to a client.
    S2c,
    /// From a client to the server.
    C2s,
    /// Both.
    #[default]
    Both,
}

impl Way {
    /// The directions that it means.
    pub(super) fn directions(self) -> &'static [Direction] {
        match self {
            Way::S2c => &[Direction::ServerToClient],
            Way::C2s => &[Direction::ClientToServer],
            Way::Both => &[Direction::ServerToClient, Direction::ClientToServer],
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check<T: Short + PartialEq + fmt::Debug>(text: &str, expected: Option<T>) {
        assert_eq!(T::read(text), expected, "{text:?}");
    }

    #[test]
    fn durations_need_a_unit_and_whole_microseconds() {
        check("50ms", Some(Duration(50_000)));
        check("1500us", Some(Duration(1500)));
        check("1.5s", Some(Duration(1_500_000)));
        check("2 min", Some(Duration(120_000_000)));
        check("0.0005ms", None::<Duration>);
        for text in
            ["50", "", "s", "-1s", "5x", "5 0ms", "1e3s", "999999999999999999999s", "99999999999999999min", "1.s"]
        {
            check(text, None::<Duration>);
        }
    }

    #[test]
    fn percentages_become_parts_per_million() {
        check("2%", Some(Percent(20_000)));
        check("0.05%", Some(Percent(500)));
        check("100%", Some(Percent(1_000_000)));
        for text in ["100.0001%", "0.00001%", "2", "%", "-1%", "nan%"] {
            check(text, None::<Percent>);
        }
        assert_eq!(Percent(500).to_string(), "0.05%");
        assert_eq!(Percent(20_000).to_string(), "2%");
    }

    #[test]
    fn ranges_are_inclusive_and_ascending() {
        check("3", Some(Range { first: 3, last: 3 }));
        check("1..4", Some(Range { first: 1, last: 4 }));
        check("0x10 .. 0x1f", Some(Range { first: 16, last: 31 }));
        for text in ["4..1", "1..", "..4", "1...4", "-1..4", "4294967296", "1.5"] {
            check(text, None::<Range>);
        }
        assert_eq!(Range { first: 0, last: u32::MAX }.count(), 1 << 32);
    }

    #[test]
    fn numbers_keep_integers_apart_from_floats() {
        check("0x28", Some(Number::Int(40)));
        check("-7", Some(Number::Int(-7)));
        check("10.5", Some(Number::Float(10.5)));
        check("1e3", Some(Number::Float(1000.0)));
        for text in ["inf", ".nan", "NaN", "1e999", "", "-", "0x", "--1", "-+1", "ten"] {
            check(text, None::<Number>);
        }
        assert_eq!(Int::read("0x28").map(|int| int.to_string()).as_deref(), Some("0x28"));
        assert_eq!(Int::read("40").map(|int| int.to_string()).as_deref(), Some("40"));
    }

    #[test]
    fn rates_and_hosts_are_read() {
        check("64kbit", Some(Rate(64_000)));
        check("1.5mbit", Some(Rate(1_500_000)));
        check("9bit", Some(Rate(9)));
        check("0kbit", None::<Rate>);
        check("64", None::<Rate>);
        check("server", Some(HostName(HostId::SERVER)));
        check("client2", Some(HostName(HostId(2))));
        for text in ["client0", "client", "client+1", "client99999", "Server"] {
            check(text, None::<HostName>);
        }
    }
}
