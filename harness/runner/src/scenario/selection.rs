//! Which datagrams a scripted fault concerns.

use super::file::Way;
use super::schema::or_short_selection;
use super::short::{Duration, Range};
use schemars::JsonSchema;
use serde::Deserialize;
use serde::de::{self, Deserializer, MapAccess, Visitor};
use std::fmt;

/// Which datagrams: all conditions given must hold. In short: `s2c 12..15`.
#[derive(Clone, Debug, JsonSchema)]
#[schemars(transform = or_short_selection)]
pub struct Select {
    /// The way they go.
    pub direction: Way,
    /// The client at the link's end; when left out, each link on its own.
    pub client: Option<u16>,
    /// Their places among all datagrams of the link and direction, counted from 0.
    pub index: Option<Range>,
    /// What they carry: a name of the protocol's.
    pub carries: Option<String>,
    /// The entity that it concerns.
    pub entity: Option<u32>,
    /// The frame, sequence or other number that it concerns.
    pub number: Option<u32>,
    /// Which of the datagrams that fulfil the other conditions, counted from 1.
    pub nth: Option<Range>,
    /// Sent at this time or later.
    pub from: Option<Duration>,
    /// Sent before this time.
    pub until: Option<Duration>,
    /// For `delay`: how much later.
    pub by: Option<Duration>,
    /// For `duplicate`: how much later the second copy comes.
    pub after: Option<Duration>,
    /// For `truncate`: how many bytes are delivered.
    pub keep: Option<u32>,
    /// For `flip`: which bit, counted from the lowest of the first byte.
    pub bit: Option<u32>,
}

/// The keys of a [`Select`], as serde reads them.
#[derive(Deserialize)]
#[serde(deny_unknown_fields, expecting = "a mapping that selects datagrams, or the short form `s2c 12..15`")]
struct SelectKeys {
    direction: Way,
    client: Option<u16>,
    index: Option<Range>,
    carries: Option<String>,
    entity: Option<u32>,
    number: Option<u32>,
    nth: Option<Range>,
    from: Option<Duration>,
    until: Option<Duration>,
    by: Option<Duration>,
    after: Option<Duration>,
    keep: Option<u32>,
    bit: Option<u32>,
}

struct SelectVisitor;

impl<'de> Visitor<'de> for SelectVisitor {
    type Value = Select;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a mapping that selects datagrams, or the short form `s2c 12..15`")
    }

    fn visit_str<E: de::Error>(self, text: &str) -> Result<Select, E> {
        let short = || {
            let (way, range) = text.split_once(' ')?;
            let direction = match way {
                "s2c" => Way::S2c,
                "c2s" => Way::C2s,
                "both" => Way::Both,
                _ => return None,
            };
            let range = range.trim();
            let index = Range::deserialize(de::value::StrDeserializer::<de::value::Error>::new(range)).ok()?;
            Some(Select { index: Some(index), ..Select::all(direction) })
        };
        short().ok_or_else(|| {
            E::custom(format!("`{text}` selects no datagrams; write a direction and their places, such as s2c 12..15"))
        })
    }

    fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<Select, A::Error> {
        let keys = SelectKeys::deserialize(de::value::MapAccessDeserializer::new(map))?;
        let SelectKeys { direction, client, index, carries, entity, number, nth, from, until, by, after, keep, bit } =
            keys;
        Ok(Select { direction, client, index, carries, entity, number, nth, from, until, by, after, keep, bit })
    }
}

impl<'de> Deserialize<'de> for Select {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Select, D::Error> {
        deserializer.deserialize_any(SelectVisitor)
    }
}

impl Select {
    /// Every datagram that goes that way.
    fn all(direction: Way) -> Select {
        Select {
            direction,
            client: None,
            index: None,
            carries: None,
            entity: None,
            number: None,
            nth: None,
            from: None,
            until: None,
            by: None,
            after: None,
            keep: None,
            bit: None,
        }
    }
}
