//! A YAML text as a tree of values, each with its place: plain YAML, in which every key stands once and has a value.

use super::diagnostic::Diagnostic;
use super::place::{Place, Seg, line_of};
use saphyr_parser::{Event, Parser, ScalarStyle, ScanError, Tag};
use std::borrow::Cow;
use std::collections::BTreeMap;
use std::path::Path;
use std::rc::Rc;

/// Lists and mappings nest at most so deep.
const MAX_DEPTH: usize = 64;

/// A text has at most so many values, those behind aliases counted each time.
const MAX_VALUES: usize = 500_000;

/// A value, and the byte of the text at which it stands.
#[derive(Debug)]
pub(super) struct Node {
    pub at: usize,
    pub kind: Kind,
    /// How many values it is, with those in it.
    values: usize,
}

impl Node {
    /// The byte of the text at which `place` begins; where there is no such thing, what comes nearest on the way.
    pub fn find(&self, place: &Place<'_>) -> usize {
        let mut node = self;
        for seg in &place.0 {
            let next = match (seg, &node.kind) {
                (Seg::Index(index), Kind::List(items)) => items.get(*index),
                (Seg::Name(key), Kind::Map(entries)) => {
                    return entries.iter().find(|entry| entry.key == *key).map_or(node.at, |entry| entry.at);
                }
                (Seg::Key(key), Kind::Map(entries)) => {
                    entries.iter().find(|entry| entry.key == *key).map(|entry| &entry.value)
                }
                _ => None,
            };
            match next {
                Some(next) => node = next,
                None => return node.at,
            }
        }
        node.at
    }
}

#[derive(Debug)]
pub(super) enum Kind {
    /// Text without quotes is `plain`: it can be a number or `true`.
    Word {
        text: String,
        plain: bool,
    },
    List(Vec<Rc<Node>>),
    Map(Vec<Entry>),
}

/// A key of a mapping, the byte at which it stands, and its value.
#[derive(Debug)]
pub(super) struct Entry {
    pub at: usize,
    pub key: String,
    pub value: Rc<Node>,
}

/// Reads `text`, which the file `path` holds; one that is empty is told what such a file `needs`.
///
/// # Errors
/// The first mistake in the YAML or its keys.
pub(super) fn read(path: &Path, text: &str, needs: &str) -> Result<Rc<Node>, Diagnostic> {
    check_tabs(path, text)?;
    let bytes = text.char_indices().map(|(at, _)| at).chain([text.len()]).collect();
    let mut tree = Tree { path, text, bytes, open: Vec::new(), anchors: BTreeMap::new(), values: 0, root: None };
    for event in Parser::new_from_str(text) {
        let (event, span) = event.map_err(|error| tree.unreadable(&error))?;
        tree.take(event, tree.bytes[span.start.index()])?;
    }
    let empty = || Diagnostic::whole(path, "the file is empty", help(needs));
    tree.root.ok_or_else(empty)
}

fn help(text: &str) -> Option<String> {
    Some(String::from(text))
}

fn check_tabs(path: &Path, text: &str) -> Result<(), Diagnostic> {
    let mut start = 0;
    for line in text.split_inclusive('\n') {
        let indent = line.len() - line.trim_start_matches([' ', '\t']).len();
        if let Some(tab) = line[..indent].find('\t').filter(|_| !line.trim().is_empty()) {
            return Err(Diagnostic::at(path, text, start + tab, "a tab", "a tab in the indentation")
                .help(help("YAML indents with spaces alone: use two for each level")));
        }
        start += line.len();
    }
    Ok(())
}

/// What is read of a text so far.
struct Tree<'t> {
    path: &'t Path,
    text: &'t str,
    /// The byte of each character; the parser counts characters.
    bytes: Vec<usize>,
    /// The lists and mappings that have begun, the innermost last.
    open: Vec<Open>,
    anchors: BTreeMap<usize, Rc<Node>>,
    values: usize,
    root: Option<Rc<Node>>,
}

/// A list or mapping that has begun.
struct Open {
    at: usize,
    anchor: usize,
    before: usize,
    part: Part,
}

enum Part {
    List(Vec<Rc<Node>>),
    Map(Mapping),
}

/// A mapping that has begun.
#[derive(Default)]
struct Mapping {
    entries: Vec<Entry>,
    /// Where each key stands.
    keys: BTreeMap<String, usize>,
    /// The key whose value comes next.
    key: Option<(usize, String)>,
}

impl Tree<'_> {
    fn take(&mut self, event: Event<'_>, at: usize) -> Result<(), Diagnostic> {
        match event {
            Event::DocumentStart(_) if self.root.is_some() => {
                Err(self.wrong(at, "a second document").help(help("one file is one document: remove the `---` lines")))
            }
            Event::Scalar(text, style, anchor, tag) => {
                self.check_tag(at, tag.as_deref())?;
                self.word(at, text, style == ScalarStyle::Plain, anchor)
            }
            Event::Alias(anchor) => self.alias(at, anchor),
            Event::SequenceStart(anchor, tag) => self.begin(at, anchor, tag.as_deref(), Part::List(Vec::new())),
            Event::MappingStart(anchor, tag) => self.begin(at, anchor, tag.as_deref(), Part::Map(Mapping::default())),
            Event::SequenceEnd | Event::MappingEnd => match self.open.pop() {
                Some(Open { at, anchor, before, part }) => {
                    let kind = match part {
                        Part::List(items) => Kind::List(items),
                        Part::Map(mapping) => Kind::Map(mapping.entries),
                    };
                    self.put(Node { at, kind, values: self.values - before + 1 }, anchor);
                    Ok(())
                }
                None => Ok(()),
            },
            Event::Nothing | Event::StreamStart | Event::StreamEnd | Event::DocumentStart(_) | Event::DocumentEnd => {
                Ok(())
            }
        }
    }

    fn begin(&mut self, at: usize, anchor: usize, tag: Option<&Tag>, part: Part) -> Result<(), Diagnostic> {
        self.check_tag(at, tag)?;
        if self.wants_key() {
            let what = if matches!(part, Part::List(_)) { "a list" } else { "a mapping" };
            return Err(self.wrong(at, format!("wrong type: {what}, expected a word as the key")));
        }
        if self.open.len() == MAX_DEPTH {
            return Err(self.too_deep(at));
        }
        self.open.push(Open { at, anchor, before: self.values, part });
        Ok(())
    }

    fn word(&mut self, at: usize, text: Cow<'_, str>, plain: bool, anchor: usize) -> Result<(), Diagnostic> {
        if self.wants_key() {
            return self.key(at, text.into_owned(), plain);
        }
        if plain && matches!(&*text, "" | "~" | "null" | "Null" | "NULL") {
            // Comments and `---` alone are no document, and a document of nothing is no file of ours.
            if self.open.is_empty() {
                return Ok(());
            }
            let at = match self.open.last() {
                Some(Open { part: Part::Map(Mapping { key: Some((key, _)), .. }), .. }) => *key,
                _ => at,
            };
            return Err(self
                .wrong(at, format!("{} has no value", self.place()))
                .help(help("give it a value (`{}` for an empty mapping), or remove the key")));
        }
        self.put(Node { at, kind: Kind::Word { text: text.into_owned(), plain }, values: 1 }, anchor);
        Ok(())
    }

    /// Puts a value where one is due.
    fn put(&mut self, node: Node, anchor: usize) {
        self.values += 1;
        let node = Rc::new(node);
        if anchor > 0 {
            self.anchors.insert(anchor, Rc::clone(&node));
        }
        self.hang(node);
    }

    fn hang(&mut self, node: Rc<Node>) {
        match self.open.last_mut().map(|open| &mut open.part) {
            None => self.root = Some(node),
            Some(Part::List(items)) => items.push(node),
            Some(Part::Map(Mapping { entries, key, .. })) => {
                if let Some((at, key)) = key.take() {
                    entries.push(Entry { at, key, value: node });
                }
            }
        }
    }

    fn alias(&mut self, at: usize, anchor: usize) -> Result<(), Diagnostic> {
        let Some(node) = self.anchors.get(&anchor).map(Rc::clone) else {
            return Err(self.wrong(at, "an alias within the value that it stands for"));
        };
        if self.wants_key() {
            return match &node.kind {
                Kind::Word { text, plain } => self.key(at, text.clone(), *plain),
                _ => Err(self.wrong(at, "an alias of no word, expected a word as the key")),
            };
        }
        self.values += node.values;
        if self.values > MAX_VALUES {
            return Err(self
                .wrong(at, format!("aliases make more than {MAX_VALUES} values, the limit"))
                .help(help("aliases (`*name`) multiply the file's content without bound: write the values out")));
        }
        self.hang(node);
        Ok(())
    }

    fn wants_key(&self) -> bool {
        matches!(self.open.last(), Some(Open { part: Part::Map(Mapping { key: None, .. }), .. }))
    }

    fn key(&mut self, at: usize, text: String, plain: bool) -> Result<(), Diagnostic> {
        let Some(Open { part: Part::Map(mapping), .. }) = self.open.last_mut() else { return Ok(()) };
        if let Some(first) = mapping.keys.insert(text.clone(), at) {
            let line = line_of(self.text, first);
            let message = format!("duplicate key `{text}`{}; the first is on line {line}", self.within());
            return Err(Diagnostic::at(self.path, self.text, at, "the second", message)
                .also(self.text, first, "the first")
                .help(help("keep one of the two")));
        }
        if plain && text == "<<" {
            return Err(self
                .wrong(at, format!("a merge key `<<`{} is not allowed", self.within()))
                .help(help("write the keys out, or name the whole value with `&name` and use it again as `*name`")));
        }
        mapping.key = Some((at, text));
        Ok(())
    }

    /// In which mapping a key stands, if not at the top.
    fn within(&self) -> String {
        if self.open.len() > 1 { format!(" in {}", self.place()) } else { String::new() }
    }

    fn check_tag(&self, at: usize, tag: Option<&Tag>) -> Result<(), Diagnostic> {
        match tag {
            Some(_) => Err(self.wrong(at, "tags such as `!name` are not allowed").help(help("remove the tag"))),
            None => Ok(()),
        }
    }

    /// The way to where the next value or key belongs.
    fn place(&self) -> Place<'_> {
        let steps = self.open.iter().filter_map(|open| match &open.part {
            Part::List(items) => Some(Seg::Index(items.len())),
            Part::Map(Mapping { key, .. }) => key.as_ref().map(|(_, key)| Seg::Key(key)),
        });
        Place(steps.collect())
    }

    fn wrong(&self, at: usize, message: impl Into<String>) -> Diagnostic {
        Diagnostic::at(self.path, self.text, at, "here", message)
    }

    fn too_deep(&self, at: usize) -> Diagnostic {
        self.wrong(at, format!("lists and mappings nest more than {MAX_DEPTH} deep"))
            .help(help("no file needs nesting of this depth"))
    }

    /// What is no YAML. A bracket that is open there is shown, too.
    fn unreadable(&self, error: &ScanError) -> Diagnostic {
        let at = self.bytes.get(error.marker().index()).copied().unwrap_or(self.text.len());
        if error.info() == "recursion limit exceeded" {
            return self.too_deep(at);
        }
        let wrong = self.wrong(at, error.info());
        let bracket = self.open.iter().rev().find(|open| self.text[open.at..].starts_with(['[', '{']));
        let advice = match (bracket, error.info()) {
            (_, info) if info.contains("quoted scalar") => "end the text with the quote that it begins with",
            (Some(_), _) => "close the bracket, or write text that has brackets or commas in quotes",
            (None, info) if info.contains("mapping values") => {
                "write text that has a colon in quotes, and begin all keys of a mapping in one column"
            }
            (None, info) if info.contains("anchor") => "give the value a name before: `&name`",
            (None, _) => "begin all keys of a mapping, or all `-` of a list, in one column",
        };
        let wrong = wrong.help(help(advice));
        match bracket {
            Some(open) => wrong.also(self.text, open.at, "this bracket is open"),
            None => wrong,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::place::token_bytes;
    use super::*;

    const TEXT: &str = "# é\ntitle: x\nlist:\n  - é: 1\n    b: { c: two, d: [3, 4.5] }\nalias: &a { k: v }\nuse: *a\n";

    fn check(place: Place<'_>, expected: &str) {
        let at = read(Path::new("a.yaml"), TEXT, "").expect("it is YAML").find(&place);
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
