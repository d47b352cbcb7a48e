//! A source with all its mutants in it: every place becomes a choice by number, everything else stays as it is.

use crate::operators::{self, Change, Found, Operator, Place, Shape};
use crate::targets::{Part, Target};
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;
use std::ops::Range;
use std::path::{Path, PathBuf};

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Mutant {
    /// From 1, in the order of the files and of the places in them.
    pub number: u32,
    /// The file, from the project's folder.
    pub file: String,
    /// The line, from 1.
    pub line: usize,
    /// The column, from 1.
    pub column: usize,
    /// The function, with its type.
    pub function: String,
    /// How it differs.
    pub operator: Operator,
    /// What stands there.
    pub old: String,
    /// What stands there in the mutant; nothing for what is left out.
    pub new: String,
}

/// A file that is mutated.
#[derive(Debug)]
pub struct Source {
    /// The crate.
    pub package: &'static str,
    /// The file below the crate's `src`.
    pub file: &'static str,
    pub part: Part,
    text: String,
    found: Found,
    /// The number of its first mutant.
    first: u32,
}

/// What keeps the sources of a protocol from being mutated.
#[derive(Debug, thiserror::Error)]
pub enum Unreadable {
    /// A file of the table cannot be read.
    #[error("{0}: {1}")]
    File(PathBuf, std::io::Error),
    /// It is no Rust source.
    #[error("{0}: {1}")]
    Syntax(PathBuf, syn::Error),
}

/// What a piece of a generated text is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Piece {
    /// The code of one mutant.
    Code(u32),
    /// A place with these mutants, first and last.
    Place(u32, u32),
    /// A statement that leaves its block, and the mutant without it.
    Leaving(u32),
}

impl Piece {
    /// The mutants without which the piece is as it was.
    pub fn mutants(self) -> Vec<u32> {
        match self {
            Piece::Code(number) | Piece::Leaving(number) => vec![number],
            Piece::Place(first, last) => (first..=last).collect(),
        }
    }
}

/// A source with its mutants.
#[derive(Clone, Debug, Default)]
pub struct Schema {
    pub text: String,
    /// What is where in it, by bytes.
    pub pieces: Vec<(Range<usize>, Piece)>,
}

/// The sources of a target below `root`, the project's folder, with their mutants numbered.
///
/// # Errors
/// The first file that cannot be read.
pub fn sources(root: &Path, target: &Target) -> Result<Vec<Source>, Unreadable> {
    let mut sources = Vec::new();
    let mut next = 1;
    for package in target.crates {
        for &(file, part) in package.files {
            let path = root.join("harness").join(package.name).join("src").join(file);
            let text = std::fs::read_to_string(&path).map_err(|error| Unreadable::File(path.clone(), error))?;
            let source = Source::new(package.name, file, part, text, next);
            let source = source.map_err(|error| Unreadable::Syntax(path, error))?;
            next += source.len() as u32;
            sources.push(source);
        }
    }
    Ok(sources)
}

impl Source {
    /// A source whose first mutant has the number `first`.
    ///
    /// # Errors
    /// The text is no Rust source.
    pub fn new(
        package: &'static str,
        file: &'static str,
        part: Part,
        text: String,
        first: u32,
    ) -> Result<Source, syn::Error> {
        let found = operators::find(&text, part)?;
        Ok(Source { package, file, part, text, found, first })
    }

    /// How many mutants it has.
    pub fn len(&self) -> usize {
        self.found.places.iter().map(|place| place.changes.len()).sum()
    }

    /// Whether it has none.
    pub fn is_empty(&self) -> bool {
        self.found.places.is_empty()
    }

    /// Places, each with the number of its first mutant.
    fn numbered(&self) -> impl Iterator<Item = (u32, &Place)> {
        self.found.places.iter().scan(self.first, |next, place| {
            let first = *next;
            *next += place.changes.len() as u32;
            Some((first, place))
        })
    }

    pub fn mutants(&self) -> impl Iterator<Item = Mutant> {
        self.numbered().flat_map(move |(first, place)| {
            place.changes.iter().zip(first..).map(move |(change, number)| Mutant {
                number,
                file: format!("harness/{}/src/{}", self.package, self.file),
                line: place.line,
                column: place.column,
                function: place.function.clone(),
                operator: change.operator,
                old: change.old.clone(),
                new: change.new.clone(),
            })
        })
    }

    /// The mutants in functions of that name which are `const`: they cannot stay where a constant is made with them.
    pub fn in_constant(&self, name: &str) -> Vec<u32> {
        let ends = |function: &str| function.rsplit("::").next() == Some(name);
        let constant = self.found.constants.iter().any(|(_, function)| ends(function));
        let inside = self.numbered().filter(|(_, place)| constant && ends(&place.function));
        inside.flat_map(|(first, place)| first..first + place.changes.len() as u32).collect()
    }

    /// The text with all mutants that are not `dropped`.
    pub fn schema(&self, dropped: &BTreeSet<u32>) -> Schema {
        let mut edits = Vec::new();
        for &at in &self.found.loops {
            edits.push(Edit::at(at, vec![(String::from(" ::mutagen_rt::tick();"), None)]));
        }
        let mut kept: BTreeSet<&str> = BTreeSet::new();
        for (first, place) in self.numbered() {
            let numbers = first..first + place.changes.len() as u32;
            let codes: Vec<(u32, &str)> = numbers.zip(&place.changes).map(|(n, change)| (n, &*change.code)).collect();
            let codes: Vec<_> = codes.into_iter().filter(|(number, _)| !dropped.contains(number)).collect();
            if let (Some(&(low, _)), Some(&(high, _))) = (codes.first(), codes.last()) {
                kept.insert(&place.function);
                edits.extend(edits_of(place, &codes, (low, high)));
            }
        }
        for (bytes, function) in &self.found.constants {
            if kept.contains(function.as_str()) {
                edits.push(Edit { skip: bytes.len(), ..Edit::at(bytes.start, Vec::new()) });
            }
        }
        edits.sort_by_key(|edit| (edit.at, edit.order));
        compose(&self.text, &edits)
    }
}

/// Text that is put in, in pieces, some of them the code of a mutant.
struct Edit {
    at: usize,
    /// Of edits at one byte: what ends before what begins, of ends the inner, of beginnings the outer place first.
    order: (u8, usize),
    pieces: Vec<(String, Option<u32>)>,
    /// A place begins or ends here.
    border: Option<(bool, Piece)>,
    /// So many bytes of the source are left out.
    skip: usize,
}

impl Edit {
    fn at(at: usize, pieces: Vec<(String, Option<u32>)>) -> Edit {
        Edit { at, order: (1, 0), pieces, border: None, skip: 0 }
    }
}

/// What statements begin with that leave their block.
const LEAVING: [&str; 3] = ["return", "break", "continue"];

fn edits_of(place: &Place, codes: &[(u32, &str)], (low, high): (u32, u32)) -> Vec<Edit> {
    let Range { start, end } = place.bytes;
    let leaves = |change: &Change| LEAVING.iter().any(|word| change.old.starts_with(word));
    let leaves = place.shape == Shape::Statement && place.changes.iter().any(leaves);
    let around = |before: String, after: Vec<(String, Option<u32>)>| {
        let piece = if leaves { Piece::Leaving(low) } else { Piece::Place(low, high) };
        let begin = Edit { order: (2, usize::MAX - end), border: Some((true, piece)), ..Edit::at(start, Vec::new()) };
        let begin = Edit { pieces: vec![(before, None)], ..begin };
        let end = Edit { order: (0, usize::MAX - start), border: Some((false, piece)), ..Edit::at(end, after) };
        vec![begin, end]
    };
    match place.shape {
        Shape::Entry => {
            let pieces = codes.iter().flat_map(|&(number, code)| {
                let question = format!(" if ::mutagen_rt::is({number}) {{ ");
                [(question, None), (code.to_string(), Some(number)), (String::from(" }"), None)]
            });
            vec![Edit::at(start, pieces.collect())]
        }
        Shape::Statement => {
            around(format!("if ::mutagen_rt::is({low}) {{}} else {{ "), vec![(String::from(" }"), None)])
        }
        Shape::Expression => {
            let mut after = Vec::new();
            for &(number, code) in codes {
                let arm = if number == high { String::from(", _ => ") } else { format!(", {number} => ") };
                after.push((arm, None));
                after.push((code.to_string(), Some(number)));
            }
            after.push((String::from(" })"), None));
            around(format!("(match ::mutagen_rt::pick({low}, {high}) {{ 0 => "), after)
        }
    }
}

fn compose(text: &str, edits: &[Edit]) -> Schema {
    let mut schema = Schema::default();
    let mut open: Vec<usize> = Vec::new();
    let mut done = 0;
    for edit in edits {
        schema.text.push_str(text.get(done..edit.at).unwrap_or_default());
        done = edit.at + edit.skip;
        if let Some((true, _)) = edit.border {
            open.push(schema.text.len());
        }
        for (piece, number) in &edit.pieces {
            let start = schema.text.len();
            schema.text.push_str(piece);
            schema.pieces.extend(number.map(|number| (start..schema.text.len(), Piece::Code(number))));
        }
        if let (Some((false, place)), Some(start)) = (edit.border, open.len().checked_sub(1).map(|last| open[last])) {
            open.pop();
            schema.pieces.push((start..schema.text.len(), place));
        }
    }
    schema.text.push_str(text.get(done..).unwrap_or_default());
    schema
}
