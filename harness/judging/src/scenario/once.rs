//! Reads a file in one pass, and says whether all its keys have to be looked at.
//!
//! Types see neither a key that stands twice in a mapping nor a value that is missing where they can do without. To look for those
//! first would take as long as to read the file. So what reads it looks on: only where something can be wrong, `syntax` reads the
//! file once more and tells what.

use serde::de::{DeserializeOwned, DeserializeSeed, Deserializer, EnumAccess, Error, MapAccess, SeqAccess, Visitor};
use serde::forward_to_deserialize_any;
use std::cell::Cell;
use std::collections::BTreeSet;
use std::fmt;

/// What is read of `text`, and whether there can be a key that stands twice, a merge key, a value that is missing, or a tag.
pub(super) fn read<T: DeserializeOwned>(text: &str) -> (Result<T, serde_yaml::Error>, bool) {
    // Tags pass by unseen where a type asks for a word.
    let doubt = Cell::new(text.contains('!'));
    let read = T::deserialize(Watched { inner: serde_yaml::Deserializer::from_str(text), doubt: &doubt });
    (read, doubt.get())
}

/// A deserializer, visitor or seed whose values are watched.
struct Watched<'c, T> {
    inner: T,
    doubt: &'c Cell<bool>,
}

macro_rules! deserialize {
    ($($method:ident($($argument:ident: $type:ty),*);)*) => {$(
        fn $method<V: Visitor<'de>>(self, $($argument: $type,)* visitor: V) -> Result<V::Value, D::Error> {
            self.inner.$method($($argument,)* Watched { inner: visitor, doubt: self.doubt })
        }
    )*};
}

impl<'de, D: Deserializer<'de>> Deserializer<'de> for Watched<'_, D> {
    type Error = D::Error;

    deserialize! {
        deserialize_any();
        deserialize_bool();
        deserialize_i8();
        deserialize_i16();
        deserialize_i32();
        deserialize_i64();
        deserialize_i128();
        deserialize_u8();
        deserialize_u16();
        deserialize_u32();
        deserialize_u64();
        deserialize_u128();
        deserialize_f32();
        deserialize_f64();
        deserialize_char();
        deserialize_str();
        deserialize_string();
        deserialize_bytes();
        deserialize_byte_buf();
        deserialize_option();
        deserialize_unit();
        deserialize_unit_struct(name: &'static str);
        deserialize_newtype_struct(name: &'static str);
        deserialize_seq();
        deserialize_tuple(len: usize);
        deserialize_tuple_struct(name: &'static str, len: usize);
        deserialize_map();
        deserialize_struct(name: &'static str, fields: &'static [&'static str]);
        deserialize_enum(name: &'static str, variants: &'static [&'static str]);
        deserialize_identifier();
        deserialize_ignored_any();
    }
}

macro_rules! visit {
    ($($method:ident: $type:ty;)*) => {$(
        fn $method<E: Error>(self, value: $type) -> Result<V::Value, E> {
            self.inner.$method(value)
        }
    )*};
}

impl<'de, V: Visitor<'de>> Visitor<'de> for Watched<'_, V> {
    type Value = V::Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.inner.expecting(f)
    }

    visit! {
        visit_bool: bool;
        visit_i64: i64;
        visit_u64: u64;
        visit_i128: i128;
        visit_u128: u128;
        visit_f64: f64;
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<V::Value, E> {
        // A type that asks for text gets what stands for no value as text.
        if matches!(text, "" | "~" | "null" | "Null" | "NULL") {
            self.doubt.set(true);
        }
        self.inner.visit_str(text)
    }

    fn visit_none<E: Error>(self) -> Result<V::Value, E> {
        self.doubt.set(true);
        self.inner.visit_none()
    }

    fn visit_unit<E: Error>(self) -> Result<V::Value, E> {
        self.doubt.set(true);
        self.inner.visit_unit()
    }

    fn visit_some<D: Deserializer<'de>>(self, inner: D) -> Result<V::Value, D::Error> {
        self.inner.visit_some(Watched { inner, doubt: self.doubt })
    }

    fn visit_newtype_struct<D: Deserializer<'de>>(self, inner: D) -> Result<V::Value, D::Error> {
        self.inner.visit_newtype_struct(Watched { inner, doubt: self.doubt })
    }

    fn visit_seq<A: SeqAccess<'de>>(self, inner: A) -> Result<V::Value, A::Error> {
        self.inner.visit_seq(Items { inner, doubt: self.doubt, seen: BTreeSet::new(), empty: true })
    }

    fn visit_map<A: MapAccess<'de>>(self, inner: A) -> Result<V::Value, A::Error> {
        self.inner.visit_map(Items { inner, doubt: self.doubt, seen: BTreeSet::new(), empty: true })
    }

    fn visit_enum<A: EnumAccess<'de>>(self, words: A) -> Result<V::Value, A::Error> {
        self.inner.visit_enum(words)
    }
}

impl<'de, S: DeserializeSeed<'de>> DeserializeSeed<'de> for Watched<'_, S> {
    type Value = S::Value;

    fn deserialize<D: Deserializer<'de>>(self, inner: D) -> Result<S::Value, D::Error> {
        self.inner.deserialize(Watched { inner, doubt: self.doubt })
    }
}

/// The items of a list, or the keys and values of a mapping. One that is empty can be a value that is missing.
struct Items<'c, A> {
    inner: A,
    doubt: &'c Cell<bool>,
    seen: BTreeSet<String>,
    empty: bool,
}

impl<A> Items<'_, A> {
    fn next<T>(&mut self, item: Option<T>) -> Option<T> {
        if item.is_none() && self.empty {
            self.doubt.set(true);
        }
        self.empty = false;
        item
    }
}

impl<'de, A: SeqAccess<'de>> SeqAccess<'de> for Items<'_, A> {
    type Error = A::Error;

    fn next_element_seed<T: DeserializeSeed<'de>>(&mut self, inner: T) -> Result<Option<T::Value>, A::Error> {
        let item = self.inner.next_element_seed(Watched { inner, doubt: self.doubt })?;
        Ok(self.next(item))
    }

    fn size_hint(&self) -> Option<usize> {
        self.inner.size_hint()
    }
}

impl<'de, A: MapAccess<'de>> MapAccess<'de> for Items<'_, A> {
    type Error = A::Error;

    fn next_key_seed<K: DeserializeSeed<'de>>(&mut self, inner: K) -> Result<Option<K::Value>, A::Error> {
        let key = Key { inner, doubt: self.doubt, seen: &mut self.seen };
        let key = self.inner.next_key_seed(key)?;
        Ok(self.next(key))
    }

    fn next_value_seed<T: DeserializeSeed<'de>>(&mut self, inner: T) -> Result<T::Value, A::Error> {
        self.inner.next_value_seed(Watched { inner, doubt: self.doubt })
    }

    fn size_hint(&self) -> Option<usize> {
        self.inner.size_hint()
    }
}

/// The seed, deserializer or visitor of a key.
struct Key<'c, T> {
    inner: T,
    doubt: &'c Cell<bool>,
    seen: &'c mut BTreeSet<String>,
}

impl<'de, S: DeserializeSeed<'de>> DeserializeSeed<'de> for Key<'_, S> {
    type Value = S::Value;

    fn deserialize<D: Deserializer<'de>>(self, inner: D) -> Result<S::Value, D::Error> {
        self.inner.deserialize(Key { inner, doubt: self.doubt, seen: self.seen })
    }
}

/// Keys are words, whatever they look like.
impl<'de, D: Deserializer<'de>> Deserializer<'de> for Key<'_, D> {
    type Error = D::Error;

    fn deserialize_any<V: Visitor<'de>>(self, inner: V) -> Result<V::Value, D::Error> {
        self.inner.deserialize_str(Key { inner, doubt: self.doubt, seen: self.seen })
    }

    forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf option unit unit_struct
        newtype_struct seq tuple tuple_struct map struct enum identifier ignored_any
    }
}

impl<'de, V: Visitor<'de>> Visitor<'de> for Key<'_, V> {
    type Value = V::Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.inner.expecting(f)
    }

    fn visit_str<E: Error>(self, key: &str) -> Result<V::Value, E> {
        if key == "<<" || !self.seen.insert(String::from(key)) {
            self.doubt.set(true);
        }
        self.inner.visit_str(key)
    }
}
