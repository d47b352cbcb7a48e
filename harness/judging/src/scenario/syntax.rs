//! What is checked before a file is read as a scenario: that it is small, shallow, plain YAML, in which every key
//! stands once.

use super::diagnostic::Diagnostic;
use super::locate::{Place, Seg};
use serde::de::{self, DeserializeSeed, Deserializer, Error as _, MapAccess, SeqAccess, Visitor};
use std::collections::BTreeSet;
use std::fmt;
use std::path::Path;

/// Brackets and braces nest at most so deep. The parser's time grows with the square of this.
const MAX_DEPTH: usize = 64;

/// A line is indented by at most so many columns.
const MAX_INDENT: usize = 128;

/// Checks what `text` looks like, before anything reads it as YAML.
/// An empty one is told how such a file `begins`.
pub(super) fn check_layout(path: &Path, text: &str, begins: &str) -> Result<(), Diagnostic> {
    let blank = |line: &str| {
        let line = line.trim();
        line.is_empty() || line.starts_with('#') || line == "---"
    };
    if text.lines().all(blank) {
        return Err(Diagnostic::whole(path, "the file is empty", help(begins)));
    }
    indents(path, text)?;
    nesting(path, text)
}

/// Checks all keys in `text`, and that they have values.
pub(super) fn check_keys(path: &Path, text: &str) -> Result<(), Diagnostic> {
    let mut scan = Scan::default();
    match Node(&mut scan).deserialize(serde_yaml::Deserializer::from_str(text)) {
        Ok(()) => Ok(()),
        Err(error) => Err(scan.explain(path, text, &error)),
    }
}

fn help(text: &str) -> Option<String> {
    Some(String::from(text))
}

fn indents(path: &Path, text: &str) -> Result<(), Diagnostic> {
    let mut start = 0;
    for line in text.split_inclusive('\n') {
        let indent = line.len() - line.trim_start_matches([' ', '\t']).len();
        if let Some(tab) = line[..indent].find('\t').filter(|_| !line.trim().is_empty()) {
            return Err(Diagnostic::at(path, text, start + tab, "a tab", "a tab in the indentation")
                .help(help("YAML indents with spaces alone: use two for each level")));
        }
        if indent > MAX_INDENT {
            let message = format!("a line is indented by {indent} columns; the limit is {MAX_INDENT}");
            return Err(Diagnostic::at(path, text, start + indent, "here", message)
                .help(help("a scenario needs no nesting of this depth")));
        }
        start += line.len();
    }
    Ok(())
}

/// Finds brackets that nest too deep, passing over quoted text and comments.
fn nesting(path: &Path, text: &str) -> Result<(), Diagnostic> {
    let (mut depth, mut quote, mut comment, mut before) = (0usize, None, false, '\n');
    let mut chars = text.char_indices();
    while let Some((at, c)) = chars.next() {
        // Quotes and comments begin only where a word may begin.
        let fresh = before.is_whitespace() || matches!(before, '[' | '{' | ',' | ':');
        match (quote, c) {
            (_, '\n') if comment => comment = false,
            _ if comment => {}
            (Some('"'), '\\') => {
                chars.next();
            }
            (Some(open), _) if open == c => quote = None,
            (Some(_), _) => {}
            (None, '"' | '\'') if fresh => quote = Some(c),
            (None, '#') if before.is_whitespace() => comment = true,
            (None, '[' | '{') => depth += 1,
            (None, ']' | '}') => depth = depth.saturating_sub(1),
            _ => {}
        }
        if depth > MAX_DEPTH {
            let message = format!("brackets nest more than {MAX_DEPTH} deep");
            return Err(
                Diagnostic::at(path, text, at, "here", message).help(help("a scenario needs no nesting of this depth"))
            );
        }
        before = c;
    }
    Ok(())
}

/// What a scan of all keys found wrong.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
enum Problem {
    /// Nothing of ours.
    #[default]
    None,
    /// The key stands twice in a mapping.
    Twice(String),
    /// A merge key.
    Merge,
    /// The key has no value.
    Nothing,
}

/// Reads a whole file for its keys alone.
#[derive(Default)]
struct Scan {
    /// The way to the current value: a key, or a place in a list.
    way: Vec<Step>,
    problem: Problem,
}

enum Step {
    Key(String),
    Index(usize),
}

impl Scan {
    fn explain(&self, path: &Path, text: &str, error: &serde_yaml::Error) -> Diagnostic {
        let at = error.location().map_or(0, |location| location.index());
        let place = Place(
            self.way
                .iter()
                .map(|step| match step {
                    Step::Key(key) => Seg::Key(key),
                    Step::Index(index) => Seg::Index(*index),
                })
                .collect(),
        );
        let of = if self.way.is_empty() { String::new() } else { format!(" in {place}") };
        match &self.problem {
            Problem::None => Diagnostic::from_yaml(path, text, error),
            Problem::Twice(key) => {
                let first = place.name(key).find(text);
                let line = text[..first].matches('\n').count() + 1;
                let message = format!("duplicate key `{key}`{of}; the first is on line {line}");
                Diagnostic::at(path, text, at, "the second", message)
                    .also(text, first, "the first")
                    .help(help("keep one of the two"))
            }
            Problem::Merge => Diagnostic::at(path, text, at, "here", format!("a merge key `<<`{of} is not allowed"))
                .help(help("write the keys out, or name the whole value with `&name` and use it again as `*name`")),
            Problem::Nothing => Diagnostic::at(path, text, at, "here", format!("{place} has no value"))
                .help(help("give it a value (`{}` for an empty mapping), or remove the key")),
        }
    }
}

/// Reads one value.
struct Node<'s>(&'s mut Scan);

impl<'de> DeserializeSeed<'de> for Node<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Node<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a value")
    }

    fn visit_bool<E: de::Error>(self, _: bool) -> Result<(), E> {
        Ok(())
    }

    fn visit_i64<E: de::Error>(self, _: i64) -> Result<(), E> {
        Ok(())
    }

    fn visit_u64<E: de::Error>(self, _: u64) -> Result<(), E> {
        Ok(())
    }

    fn visit_i128<E: de::Error>(self, _: i128) -> Result<(), E> {
        Ok(())
    }

    fn visit_u128<E: de::Error>(self, _: u128) -> Result<(), E> {
        Ok(())
    }

    fn visit_f64<E: de::Error>(self, _: f64) -> Result<(), E> {
        Ok(())
    }

    fn visit_str<E: de::Error>(self, _: &str) -> Result<(), E> {
        Ok(())
    }

    fn visit_unit<E: de::Error>(self) -> Result<(), E> {
        self.0.problem = Problem::Nothing;
        Err(E::custom("no value"))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<(), A::Error> {
        let mut seen = BTreeSet::new();
        while let Some(key) = map.next_key_seed(Key { scan: self.0, seen: &mut seen })? {
            self.0.way.push(Step::Key(key));
            map.next_value_seed(Node(self.0))?;
            self.0.way.pop();
        }
        Ok(())
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<(), A::Error> {
        let mut index = 0;
        loop {
            self.0.way.push(Step::Index(index));
            let more = list.next_element_seed(Node(self.0))?;
            self.0.way.pop();
            if more.is_none() {
                return Ok(());
            }
            index += 1;
        }
    }

    fn visit_enum<A: de::EnumAccess<'de>>(self, _: A) -> Result<(), A::Error> {
        Err(A::Error::custom("tags such as `!name` are not allowed"))
    }
}

/// Reads one key.
struct Key<'s> {
    scan: &'s mut Scan,
    seen: &'s mut BTreeSet<String>,
}

impl<'de> DeserializeSeed<'de> for Key<'_> {
    type Value = String;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<String, D::Error> {
        deserializer.deserialize_str(self)
    }
}

impl Visitor<'_> for Key<'_> {
    type Value = String;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a word as the key")
    }

    fn visit_str<E: de::Error>(self, key: &str) -> Result<String, E> {
        if key == "<<" {
            self.scan.problem = Problem::Merge;
            return Err(E::custom("merge key"));
        }
        if !self.seen.insert(String::from(key)) {
            self.scan.problem = Problem::Twice(String::from(key));
            return Err(E::custom("duplicate key"));
        }
        Ok(String::from(key))
    }
}
