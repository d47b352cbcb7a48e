//! A history as lines of JSON: first which run it was, then one object for each thing that happened, last its end.

use super::{Entry, History, Run};
use kit::Time;
use serde::{Deserialize, Serialize};
use std::fmt;

/// The first line.
#[derive(Serialize, Deserialize)]
struct Head {
    run: Run,
}

/// The line after the entries.
#[derive(Serialize, Deserialize)]
struct Tail {
    #[serde(rename = "end_us", with = "time")]
    end: Time,
}

/// Why a text is no history: the line, and what is wrong with it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HistoryError {
    /// The line, from 1.
    pub line: usize,
    /// What is wrong.
    pub what: String,
}

impl fmt::Display for HistoryError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {}: {}; write it with `deltaproof replay CASE --seed N --format json`", self.line, self.what)
    }
}

impl std::error::Error for HistoryError {}

/// The lines, each without its line break.
///
/// # Errors
/// Something cannot be written as JSON, which no history has in it.
pub fn write(history: &History) -> serde_json::Result<Vec<String>> {
    let head = serde_json::to_string(&Head { run: history.run.clone() });
    let entries = history.entries.iter().map(serde_json::to_string);
    let tail = serde_json::to_string(&Tail { end: history.end });
    std::iter::once(head).chain(entries).chain(std::iter::once(tail)).collect()
}

/// Reads what [`write()`] wrote; what follows the last line, such as a verdict, is left to others.
///
/// # Errors
/// The first line that is none of a history, or a history that does not end.
pub fn parse(text: &str) -> Result<History, HistoryError> {
    let fault = |line: usize, what: String| HistoryError { line: line + 1, what };
    let mut lines = text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty());
    let (number, first) = lines.next().ok_or_else(|| fault(0, String::from("is empty")))?;
    let head: Head = serde_json::from_str(first).map_err(|error| fault(number, format!("names no run: {error}")))?;
    let mut history = History { run: head.run, ..History::default() };
    let mut last = number;
    for (number, line) in lines {
        if let Ok(Tail { end }) = serde_json::from_str(line) {
            return Ok(History { end, ..history });
        }
        let entry: Entry = serde_json::from_str(line).map_err(|error| fault(number, error.to_string()))?;
        history.entries.push(entry);
        last = number;
    }
    Err(fault(last, String::from("is the last, and the end of the run is not there")))
}

/// Times as microseconds.
pub(super) mod time {
    use kit::Time;
    use serde::{Deserialize, Deserializer, Serializer};

    pub fn serialize<S: Serializer>(time: &Time, to: S) -> Result<S::Ok, S::Error> {
        to.serialize_u64(time.us())
    }

    pub fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<Time, D::Error> {
        u64::deserialize(from).map(Time)
    }
}

/// Hosts as `server`, `client1`, `client2`, …
pub(super) mod host {
    use kit::HostId;
    use serde::de::Error;
    use serde::{Deserialize, Deserializer, Serializer};

    pub fn serialize<S: Serializer>(host: &HostId, to: S) -> Result<S::Ok, S::Error> {
        to.collect_str(host)
    }

    pub fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<HostId, D::Error> {
        let name = String::deserialize(from)?;
        let number = if name == "server" { Some(0) } else { name.strip_prefix("client").and_then(|n| n.parse().ok()) };
        number.map(HostId).ok_or_else(|| D::Error::custom(format!("no host `{name}`; write server or client1")))
    }
}

/// Directions as `s2c` and `c2s`.
pub(super) mod direction {
    use kit::Direction;
    use serde::de::Error;
    use serde::{Deserialize, Deserializer, Serializer};

    pub fn serialize<S: Serializer>(direction: &Direction, to: S) -> Result<S::Ok, S::Error> {
        to.collect_str(direction)
    }

    pub fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<Direction, D::Error> {
        match String::deserialize(from)?.as_str() {
            "s2c" => Ok(Direction::ServerToClient),
            "c2s" => Ok(Direction::ClientToServer),
            other => Err(D::Error::custom(format!("no direction `{other}`; write s2c or c2s"))),
        }
    }
}

pub(super) mod bytes_as_hex {
    use serde::de::Error;
    use serde::{Deserialize, Deserializer, Serializer};

    pub fn serialize<S: Serializer>(bytes: &[u8], to: S) -> Result<S::Ok, S::Error> {
        to.serialize_str(&bytes.iter().map(|byte| format!("{byte:02x}")).collect::<String>())
    }

    pub fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<Vec<u8>, D::Error> {
        let text = String::deserialize(from)?;
        let pair = |pair: &[u8]| u8::from_str_radix(std::str::from_utf8(pair).ok()?, 16).ok();
        let bytes: Option<Vec<u8>> = text.as_bytes().chunks(2).map(pair).collect();
        bytes.filter(|_| text.len() % 2 == 0).ok_or_else(|| D::Error::custom("no bytes in hex; two digits for each"))
    }
}

/// Hashes as 16 digits of hex, since not every reader of JSON keeps 64 bits.
pub(super) mod hash_as_hex {
    use serde::de::Error;
    use serde::{Deserialize, Deserializer, Serializer};

    pub fn serialize<S: Serializer>(hash: &u64, to: S) -> Result<S::Ok, S::Error> {
        to.collect_str(&format_args!("{hash:016x}"))
    }

    pub fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<u64, D::Error> {
        u64::from_str_radix(&String::deserialize(from)?, 16).map_err(D::Error::custom)
    }
}

/// What happens to the bytes of a delivery.
pub(super) mod damage {
    use kit::Damage;
    use serde::de::Error;
    use serde::{Deserialize, Deserializer, Serialize, Serializer};
    use std::collections::BTreeMap;

    /// A name, or a name with its number.
    #[derive(Serialize, Deserialize)]
    #[serde(untagged, expecting = "a damage is \"none\", or one thing with its number, such as {\"flipped\":13}")]
    enum Written {
        Name(String),
        Numbered(BTreeMap<String, u32>),
    }

    pub fn serialize<S: Serializer>(damage: &Damage, to: S) -> Result<S::Ok, S::Error> {
        let (name, number) = damage.parts();
        match number {
            None => Written::Name(name.into()),
            Some(number) => Written::Numbered([(name.into(), number)].into()),
        }
        .serialize(to)
    }

    pub fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<Damage, D::Error> {
        let (name, number) = match Written::deserialize(from)? {
            Written::Name(name) => (name, None),
            Written::Numbered(entries) => {
                let mut entries = entries.into_iter();
                match (entries.next(), entries.next()) {
                    (Some((name, number)), None) => (name, Some(number)),
                    _ => return Err(D::Error::custom("a damage is one thing, such as {\"flipped\":13}")),
                }
            }
        };
        Damage::from_parts(&name, number).ok_or_else(|| {
            let number = number.map_or_else(String::new, |number| format!(": {number}"));
            D::Error::custom(format!("this program knows no damage `{name}{number}`"))
        })
    }
}
