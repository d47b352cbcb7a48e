//! From the tree to the types of a file, by serde: words are numbers where they look like some, and every mistake has its place.

use super::tree::{Entry, Kind, Node};
use serde::de::value::StrDeserializer;
use serde::de::{self, DeserializeOwned, DeserializeSeed, Deserializer, Error as _, MapAccess, SeqAccess, Visitor};
use serde::forward_to_deserialize_any;
use std::fmt;
use std::rc::Rc;
use std::slice::Iter;

/// Reads `root` as a `T`.
///
/// # Errors
/// The first value or key that is none of the type's.
pub(super) fn read<T: DeserializeOwned>(root: &Node) -> Result<T, Mistake> {
    T::deserialize(Value(root))
}

/// A value or key that is none of the type's.
#[derive(Debug, Default)]
pub(super) struct Mistake {
    /// The byte of the text at which it stands.
    pub at: Option<usize>,
    /// The way to it, such as `timeline[0].set`, from its end.
    way: Vec<String>,
    /// What is wrong, in serde's words.
    pub what: String,
}

impl Mistake {
    pub fn way(&self) -> String {
        let way: String = self.way.iter().rev().map(String::as_str).collect();
        String::from(way.strip_prefix('.').unwrap_or(&way))
    }

    fn at(mut self, at: usize) -> Mistake {
        self.at = self.at.or(Some(at));
        self
    }

    fn within(mut self, step: String) -> Mistake {
        self.way.push(step);
        self
    }
}

impl fmt::Display for Mistake {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.what)
    }
}

impl std::error::Error for Mistake {}

impl de::Error for Mistake {
    fn custom<T: fmt::Display>(what: T) -> Mistake {
        Mistake { what: what.to_string(), ..Mistake::default() }
    }
}

/// A value to be read.
#[derive(Clone, Copy)]
struct Value<'t>(&'t Node);

impl<'de> Deserializer<'de> for Value<'_> {
    type Error = Mistake;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Mistake> {
        let read = match &self.0.kind {
            Kind::Word { text, plain: true } => plain(text, visitor),
            Kind::Word { text, plain: false } => visitor.visit_str(text),
            Kind::List(items) => visitor.visit_seq(Items(items.iter().enumerate())),
            Kind::Map(entries) => visitor.visit_map(Entries { rest: entries.iter(), now: None }),
        };
        read.map_err(|mistake| mistake.at(self.0.at))
    }

    fn deserialize_str<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Mistake> {
        match &self.0.kind {
            Kind::Word { text, .. } => visitor.visit_str(text).map_err(|mistake: Mistake| mistake.at(self.0.at)),
            _ => self.deserialize_any(visitor),
        }
    }

    fn deserialize_string<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Mistake> {
        self.deserialize_str(visitor)
    }

    fn deserialize_identifier<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Mistake> {
        self.deserialize_str(visitor)
    }

    fn deserialize_map<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Mistake> {
        match &self.0.kind {
            // Types of ours would take a list for their keys in order.
            Kind::List(_) => Err(Mistake::invalid_type(de::Unexpected::Seq, &visitor).at(self.0.at)),
            _ => self.deserialize_any(visitor),
        }
    }

    fn deserialize_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        _: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Mistake> {
        self.deserialize_map(visitor)
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Mistake> {
        visitor.visit_some(self)
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(self, _: &'static str, visitor: V) -> Result<V::Value, Mistake> {
        visitor.visit_newtype_struct(self)
    }

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        _: &'static str,
        _: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Mistake> {
        match &self.0.kind {
            Kind::Word { text, .. } => visitor.visit_enum(StrDeserializer::new(text)),
            Kind::List(_) => Err(Mistake::invalid_type(de::Unexpected::Seq, &visitor)),
            Kind::Map(_) => Err(Mistake::invalid_type(de::Unexpected::Map, &visitor)),
        }
        .map_err(|mistake: Mistake| mistake.at(self.0.at))
    }

    forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char bytes byte_buf unit unit_struct seq tuple tuple_struct
        ignored_any
    }
}

/// What a word without quotes stands for: `true`, a number, or itself.
fn plain<'de, V: Visitor<'de>>(text: &str, visitor: V) -> Result<V::Value, Mistake> {
    if let Ok(word) = text.parse() {
        return visitor.visit_bool(word);
    }
    if let Some(number) = integer(text) {
        return match (u64::try_from(number), i64::try_from(number)) {
            (Ok(number), _) => visitor.visit_u64(number),
            (_, Ok(number)) => visitor.visit_i64(number),
            _ => visitor.visit_i128(number),
        };
    }
    // Keeps out the words that f64 also reads (`inf`, `nan`).
    let is_number = text.bytes().all(|b| b.is_ascii_digit() || b"+-.eE".contains(&b));
    match text.parse::<f64>() {
        Ok(number) if is_number && !has_leading_zero(text.trim_start_matches(['+', '-'])) => visitor.visit_f64(number),
        _ => visitor.visit_str(text),
    }
}

/// An integer: decimal, or with `0x`, `0o` or `0b`.
fn integer(text: &str) -> Option<i128> {
    let (sign, digits) = match text.strip_prefix('-') {
        Some(digits) => (-1, digits),
        None => (1, text.strip_prefix('+').unwrap_or(text)),
    };
    let bases = [("0x", 16), ("0o", 8), ("0b", 2)];
    let base = bases.iter().find_map(|(prefix, base)| Some((digits.strip_prefix(prefix)?, *base)));
    let (digits, base) = base.unwrap_or((digits, 10));
    // `from_str_radix` would take a second sign.
    if !digits.starts_with(|c: char| c.is_ascii_alphanumeric()) || base == 10 && has_leading_zero(digits) {
        return None;
    }
    Some(sign * i128::from_str_radix(digits, base).ok()?)
}

/// `007` is a name and no number.
fn has_leading_zero(digits: &str) -> bool {
    digits.len() > 1 && digits.starts_with('0') && digits.bytes().all(|b| b.is_ascii_digit())
}

/// The items of a list that are left.
struct Items<'t>(std::iter::Enumerate<Iter<'t, Rc<Node>>>);

impl<'de> SeqAccess<'de> for Items<'_> {
    type Error = Mistake;

    fn next_element_seed<S: DeserializeSeed<'de>>(&mut self, seed: S) -> Result<Option<S::Value>, Mistake> {
        let Some((index, item)) = self.0.next() else { return Ok(None) };
        seed.deserialize(Value(item)).map(Some).map_err(|mistake| mistake.within(format!("[{index}]")))
    }
}

/// The entries of a mapping that are left, and the one whose value comes next.
struct Entries<'t> {
    rest: Iter<'t, Entry>,
    now: Option<&'t Entry>,
}

impl<'de> MapAccess<'de> for Entries<'_> {
    type Error = Mistake;

    fn next_key_seed<S: DeserializeSeed<'de>>(&mut self, seed: S) -> Result<Option<S::Value>, Mistake> {
        self.now = self.rest.next();
        let Some(entry) = self.now else { return Ok(None) };
        let key = StrDeserializer::<Mistake>::new(&entry.key);
        seed.deserialize(key).map(Some).map_err(|mistake| mistake.at(entry.at))
    }

    fn next_value_seed<S: DeserializeSeed<'de>>(&mut self, seed: S) -> Result<S::Value, Mistake> {
        let Some(entry) = self.now else { return Err(Mistake::custom("a value without a key")) };
        seed.deserialize(Value(&entry.value)).map_err(|mistake| mistake.within(format!(".{}", entry.key)))
    }
}
