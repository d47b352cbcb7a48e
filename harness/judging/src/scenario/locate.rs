//! Where in the text a value or key stands.
//!
//! serde_yaml attaches a place to every error, but not to values. So the way to a value's place is to read the text
//! again, walk down to it, and fail there on purpose. After an alias that is the anchor's definition, which is the text
//! to edit.

use serde::de::{self, DeserializeSeed, Deserializer, Error as _, IgnoredAny, MapAccess, SeqAccess, Visitor};
use std::fmt;

/// One step of the way down.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Seg<'a> {
    /// To the value of a key.
    Key(&'a str),
    /// To an element of a list, from 0.
    Index(usize),
    /// To a key itself. The way ends there.
    Name(&'a str),
}

/// The way from the top of a file to a value or a key.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Place<'a>(pub Vec<Seg<'a>>);

impl<'a> Place<'a> {
    pub fn key(&self, key: &'a str) -> Place<'a> {
        self.then(Seg::Key(key))
    }

    pub fn index(&self, index: usize) -> Place<'a> {
        self.then(Seg::Index(index))
    }

    pub fn name(&self, key: &'a str) -> Place<'a> {
        self.then(Seg::Name(key))
    }

    fn then(&self, seg: Seg<'a>) -> Place<'a> {
        let mut way = self.0.clone();
        way.push(seg);
        Place(way)
    }

    /// The byte of `text` at which it begins; where there is no such thing, what comes nearest on the way.
    pub fn find(&self, text: &str) -> usize {
        for depth in (0..=self.0.len()).rev() {
            let walk = Walk(&self.0[..depth]).deserialize(serde_yaml::Deserializer::from_str(text));
            if let Err(error) = walk {
                return error.location().map_or(0, |location| location.index());
            }
        }
        0
    }
}

/// `timeline[0].set.entity`
impl fmt::Display for Place<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (depth, seg) in self.0.iter().enumerate() {
            match seg {
                Seg::Index(index) => write!(f, "[{index}]")?,
                Seg::Key(key) | Seg::Name(key) if depth == 0 => f.write_str(key)?,
                Seg::Key(key) | Seg::Name(key) => write!(f, ".{key}")?,
            }
        }
        Ok(())
    }
}

/// The length of the word or quoted text that begins at byte `at`; at least 1 except at the end of the text.
pub(super) fn token_bytes(text: &str, at: usize) -> usize {
    let rest = text.get(at..).unwrap_or("");
    let line = rest.split(['\n', '\r']).next().unwrap_or(rest);
    let length = match line.chars().next() {
        None => usize::from(!rest.is_empty()),
        Some(quote @ ('"' | '\'')) => line[1..].find(quote).map_or(line.len(), |end| end + 2),
        Some('[' | '{' | '-') => 1,
        Some(first) => {
            let end = line.find([',', ']', '}']).unwrap_or(line.len());
            let end = line.find(": ").map_or(end, |colon| colon.min(end));
            let end = line.find(" #").map_or(end, |comment| comment.min(end));
            line[..end].trim_end().trim_end_matches(':').len().max(first.len_utf8())
        }
    };
    if line.starts_with("-") && line[1..].starts_with(|c: char| c.is_ascii_digit()) {
        1 + token_bytes(text, at + 1)
    } else {
        length
    }
}

/// Walks down and fails at the end of the way.
struct Walk<'w>(&'w [Seg<'w>]);

impl<'de> DeserializeSeed<'de> for Walk<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl Walk<'_> {
    /// A scalar: the end of the way, or a way that leads nowhere.
    fn leaf<E: de::Error>(self) -> Result<(), E> {
        match self.0 {
            [] => Err(E::custom("here")),
            _ => Ok(()),
        }
    }
}

impl<'de> Visitor<'de> for Walk<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a value")
    }

    fn visit_bool<E: de::Error>(self, _: bool) -> Result<(), E> {
        self.leaf()
    }

    fn visit_i64<E: de::Error>(self, _: i64) -> Result<(), E> {
        self.leaf()
    }

    fn visit_u64<E: de::Error>(self, _: u64) -> Result<(), E> {
        self.leaf()
    }

    fn visit_i128<E: de::Error>(self, _: i128) -> Result<(), E> {
        self.leaf()
    }

    fn visit_u128<E: de::Error>(self, _: u128) -> Result<(), E> {
        self.leaf()
    }

    fn visit_f64<E: de::Error>(self, _: f64) -> Result<(), E> {
        self.leaf()
    }

    fn visit_str<E: de::Error>(self, _: &str) -> Result<(), E> {
        self.leaf()
    }

    fn visit_unit<E: de::Error>(self) -> Result<(), E> {
        self.leaf()
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<(), A::Error> {
        let (wanted, rest, stop) = match self.0 {
            [] => return Err(A::Error::custom("here")),
            [Seg::Key(key), rest @ ..] => (*key, rest, false),
            [Seg::Name(key), ..] => (*key, &[][..], true),
            [Seg::Index(_), ..] => ("", &[][..], false),
        };
        while let Some(found) = map.next_key_seed(Key { wanted, stop })? {
            if found {
                map.next_value_seed(Walk(rest))?
            } else {
                map.next_value::<IgnoredAny>()?;
            }
        }
        Ok(())
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<(), A::Error> {
        let (wanted, rest) = match self.0 {
            [] => return Err(A::Error::custom("here")),
            [Seg::Index(index), rest @ ..] => (*index, rest),
            _ => (usize::MAX, &[][..]),
        };
        let mut index = 0;
        loop {
            let more = if index == wanted {
                list.next_element_seed(Walk(rest))?.is_some()
            } else {
                list.next_element::<IgnoredAny>()?.is_some()
            };
            if !more {
                return Ok(());
            }
            index += 1;
        }
    }
}

/// Compares a key, and fails at the wanted one if the way ends there.
struct Key<'w> {
    wanted: &'w str,
    stop: bool,
}

impl<'de> DeserializeSeed<'de> for Key<'_> {
    type Value = bool;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<bool, D::Error> {
        deserializer.deserialize_str(self)
    }
}

impl Visitor<'_> for Key<'_> {
    type Value = bool;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a key")
    }

    fn visit_str<E: de::Error>(self, key: &str) -> Result<bool, E> {
        let found = key == self.wanted;
        if found && self.stop { Err(E::custom("here")) } else { Ok(found) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "# é\ntitle: x\nlist:\n  - é: 1\n    b: { c: two, d: [3, 4.5] }\nalias: &a { k: v }\nuse: *a\n";

    fn check(place: Place<'_>, expected: &str) {
        let at = place.find(TEXT);
        assert_eq!(&TEXT[at..at + token_bytes(TEXT, at)], expected, "{place}");
    }

    #[test]
    fn keys_and_values_are_found_where_they_stand() {
        let top = Place::default();
        check(top.key("title"), "x");
        check(top.name("list"), "list");
        let b = top.key("list").index(0).key("b");
        check(b.key("c"), "two");
        check(b.name("d"), "d");
        check(b.key("d").index(1), "4.5");
        assert_eq!(b.key("d").index(1).to_string(), "list[0].b.d[1]");
    }

    #[test]
    fn a_way_that_leads_nowhere_ends_at_what_comes_nearest() {
        let top = Place::default();
        check(top.key("list").index(0).key("b").key("missing"), "{");
        check(top.key("title").key("deeper"), "x");
        check(top.key("none"), "title");
    }

    #[test]
    fn a_value_behind_an_alias_is_found_at_its_anchor() {
        check(Place::default().key("use").key("k"), "v");
    }
}
