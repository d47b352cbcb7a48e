//! Where in the text a value or key stands. Of a value behind an alias that is where the anchor is, the text to edit.

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

/// The line of the byte `at` of `text`, from 1.
pub(super) fn line_of(text: &str, at: usize) -> usize {
    text[..at].matches('\n').count() + 1
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
