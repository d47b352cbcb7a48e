//! Values that several commands take, read from their text.

use crate::place::Place;
use crate::scenario::short::Duration;
use clap::builder::{PossibleValuesParser, TypedValueParser};
use kit::{Direction, Knowledge, Time};

pub(super) fn knowledge() -> impl TypedValueParser<Value = Knowledge> {
    PossibleValuesParser::new(["world", "wire"]).map(|name| match name.as_str() {
        "wire" => Knowledge::Wire,
        _ => Knowledge::World,
    })
}

pub(super) fn place() -> impl TypedValueParser<Value = Place> {
    PossibleValuesParser::new(Place::ALL.map(Place::name)).try_map(|name| Place::named(&name).ok_or("no such role"))
}

pub(super) fn direction() -> impl TypedValueParser<Value = Direction> {
    PossibleValuesParser::new(["s2c", "c2s"]).map(|name| match name.as_str() {
        "c2s" => Direction::ClientToServer,
        _ => Direction::ServerToClient,
    })
}

/// A time of a run.
pub(super) fn moment(text: &str) -> Result<Time, String> {
    text.parse::<Duration>().map(|moment| Time(moment.0))
}

/// A seed: decimal, or hexadecimal after `0x`; underscores may group digits.
pub(super) fn seed(text: &str) -> Result<u64, String> {
    let digits = text.replace('_', "");
    let parsed = match digits.strip_prefix("0x") {
        Some(hex) => u64::from_str_radix(hex, 16),
        None => digits.parse(),
    };
    parsed.map_err(|error| format!("{error}; write a number such as 42 or 0xdead_beef"))
}

/// A range of seeds, both ends inclusive.
pub(super) fn seed_range(text: &str) -> Result<(u64, u64), String> {
    let (from, to) = text.split_once("..").ok_or("write a range such as 1..1000")?;
    let (from, to) = (seed(from)?, seed(to)?);
    if from <= to { Ok((from, to)) } else { Err(format!("the range is empty: {to} is below {from}")) }
}

/// A number of threads.
pub(super) fn jobs(text: &str) -> Result<usize, String> {
    match text.parse() {
        Ok(0) => Err("at least 1".to_string()),
        Ok(jobs) => Ok(jobs),
        Err(error) => Err(format!("{error}")),
    }
}

/// Whether a text can name one of several things that are compared.
pub(super) fn is_name(text: &str) -> bool {
    !text.is_empty() && text.chars().all(|letter| letter.is_ascii_alphanumeric() || "._-".contains(letter))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn seeds_are_decimal_or_hexadecimal() {
        assert_eq!(seed("1_000"), Ok(1000));
        assert_eq!(seed("0xdead_beef"), Ok(0xdead_beef));
        assert!(seed("-1").is_err());
        assert_eq!(seed_range("0x10..20"), Ok((16, 20)));
        assert_eq!(seed_range("3..3"), Ok((3, 3)));
        assert_eq!(seed_range("7"), Err("write a range such as 1..1000".to_string()));
    }
}
