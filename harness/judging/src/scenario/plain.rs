//! YAML of ours, scenarios and other files, read with the same care: plain, with each key once, and every mistake at its place.

use super::diagnostic::{Diagnostic, suggest};
use super::locate::{Place, Seg};
use super::{once, syntax};
use serde::de::DeserializeOwned;
use std::path::Path;

/// Reads `text`, which the file `path` holds; one that is empty is told how such a file `begins`.
///
/// # Errors
/// The first mistake in the YAML, its keys or the kinds of its values.
pub fn read<T: DeserializeOwned>(path: &Path, text: &str, begins: &str) -> Result<T, Diagnostic> {
    syntax::check_layout(path, text, begins)?;
    let (file, doubt) = once::read::<T>(text);
    if doubt || file.is_err() {
        syntax::check_keys(path, text)?;
    }
    file.map_err(|error| Diagnostic::from_yaml(path, text, &error))
}

/// A file, as far as it can be wrong in what its words mean.
#[derive(Clone, Copy, Debug)]
pub struct Text<'a> {
    /// The file.
    pub path: &'a Path,
    /// What it holds.
    pub text: &'a str,
}

/// One step on the way from the top of a file to a word.
#[derive(Clone, Copy, Debug)]
pub enum To<'a> {
    /// The value of a key.
    Value(&'a str),
    /// An item of a list, from 0.
    Item(usize),
    /// A key itself.
    Key(&'a str),
}

impl Text<'_> {
    /// A mistake at the end of a way.
    pub fn wrong(&self, way: &[To<'_>], message: impl Into<String>, help: Option<String>) -> Diagnostic {
        let steps = way.iter().map(|step| match *step {
            To::Value(key) => Seg::Key(key),
            To::Item(index) => Seg::Index(index),
            To::Key(key) => Seg::Name(key),
        });
        let at = Place(steps.collect()).find(self.text);
        Diagnostic::at(self.path, self.text, at, "here", message).help(help)
    }

    /// A name at the end of a way that is not among `known`: with the nearest one, or all of them behind `intro`.
    pub fn unknown(&self, way: &[To<'_>], what: &str, bad: &str, known: &[&str], intro: &str) -> Diagnostic {
        self.wrong(way, format!("unknown {what} `{bad}`"), suggest(bad, known, intro))
    }
}
