//! YAML of ours, scenarios and other files, read with the same care: plain, with each key once, and every mistake at its place.

use super::diagnostic::{Diagnostic, suggest};
use super::place::{Place, Seg, line_of};
use super::tree::{self, Node};
use super::values;
use serde::de::DeserializeOwned;
use std::path::Path;
use std::rc::Rc;

/// A file that was read, as far as it can be wrong in what its words mean.
#[derive(Clone, Debug)]
pub struct Text<'a> {
    path: &'a Path,
    text: &'a str,
    root: Rc<Node>,
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

impl<'a> Text<'a> {
    /// Reads `text`, which the file `path` holds; one that is empty or lacks a key is told what such a file `needs`.
    ///
    /// # Errors
    /// The first mistake in the YAML, its keys or the kinds of its values.
    pub fn read<T: DeserializeOwned>(path: &'a Path, text: &'a str, needs: &str) -> Result<(T, Text<'a>), Diagnostic> {
        let root = tree::read(path, text, needs)?;
        let read = values::read(&root).map_err(|mistake| {
            let (way, what) = (mistake.way(), mistake.what.as_str());
            let wrong = Diagnostic::of_type(path, text, mistake.at.unwrap_or(0), &way, what);
            if way.is_empty() && what.starts_with("missing field") { wrong.or_help(needs) } else { wrong }
        })?;
        Ok((read, Text { path, text, root }))
    }

    /// The line of `place`, from 1.
    pub(super) fn line(&self, place: &Place<'_>) -> usize {
        line_of(self.text, self.root.find(place))
    }

    /// A mistake at `place`.
    pub(super) fn fail(&self, place: &Place<'_>, label: &str, message: impl Into<String>) -> Diagnostic {
        Diagnostic::at(self.path, self.text, self.root.find(place), label, message)
    }

    /// A mistake at the end of a way.
    pub fn wrong(&self, way: &[To<'_>], message: impl Into<String>, help: Option<String>) -> Diagnostic {
        let steps = way.iter().map(|step| match *step {
            To::Value(key) => Seg::Key(key),
            To::Item(index) => Seg::Index(index),
            To::Key(key) => Seg::Name(key),
        });
        self.fail(&Place(steps.collect()), "here", message).help(help)
    }

    /// A name at the end of a way that is not among `known`: with the nearest one, or all of them behind `intro`.
    pub fn unknown(&self, way: &[To<'_>], what: &str, bad: &str, known: &[&str], intro: &str) -> Diagnostic {
        self.wrong(way, format!("unknown {what} `{bad}`"), suggest(bad, known, intro))
    }
}
