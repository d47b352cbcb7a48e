//! Results as JSON lines: a header, then a line for each mutant and side, written as they come.

use crate::copy::Folders;
use crate::operators::Operator;
use crate::outcome::{Fate, Outcome};
use crate::schema::{Mutant, Source};
use crate::targets::{Side, Target};
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};
use std::fs::File;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

/// What was run.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Header {
    pub protocol: String,
    /// A hash of all that decides: sources, scenarios, this tool.
    pub sources: String,
    /// Mutants that do not build, by operator.
    pub unbuildable: BTreeMap<Operator, usize>,
    /// Mutants that build, whether they were run or not.
    pub buildable: usize,
}

/// One mutant at one side.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Record {
    #[serde(flatten)]
    pub mutant: Mutant,
    /// Whose place it took.
    pub side: Side,
    /// What became of it.
    #[serde(flatten)]
    pub fate: Fate,
}

#[derive(Serialize, Deserialize)]
struct First {
    header: Header,
}

/// The results of one protocol.
#[derive(Clone, Debug)]
pub struct Results {
    /// What was run.
    pub header: Header,
    /// By number and side.
    pub records: Vec<Record>,
}

impl Results {
    /// Reads a file; a last line that was cut off is left out.
    ///
    /// # Errors
    /// There is none, or it does not begin with a header.
    pub fn read(path: &Path) -> io::Result<Results> {
        let text = std::fs::read_to_string(path)
            .map_err(|error| io::Error::new(error.kind(), format!("{}: {error}", path.display())))?;
        let mut lines = text.lines();
        let First { header } = serde_json::from_str(lines.next().unwrap_or_default())?;
        let mut records: Vec<Record> = lines.filter_map(|line| serde_json::from_str(line).ok()).collect();
        // What was found last is what counts.
        records.reverse();
        records.sort_by_key(|record| (record.mutant.number, record.side));
        records.dedup_by_key(|record| (record.mutant.number, record.side));
        Ok(Results { header, records })
    }

    /// The rows that count: what both machines share stands for a mutant of each that reaches it, and for one if none does.
    pub fn rows(&self) -> Vec<&Record> {
        let mut rows = Vec::new();
        for same in self.records.chunk_by(|one, next| one.mutant.number == next.mutant.number) {
            let before = rows.len();
            rows.extend(same.iter().filter(|record| record.fate.outcome != Outcome::Unreached));
            if rows.len() == before {
                rows.extend(same.first());
            }
        }
        rows
    }
}

/// A file that results are appended to.
#[derive(Debug)]
pub struct Writer(File);

impl Writer {
    /// Begins with the records that are there already.
    ///
    /// # Errors
    /// What cannot be written.
    pub fn new(path: &Path, header: &Header, known: &[Record]) -> io::Result<Writer> {
        if let Some(folder) = path.parent() {
            std::fs::create_dir_all(folder)?;
        }
        let mut file = File::create(path)?;
        writeln!(file, "{}", serde_json::to_string(&First { header: header.clone() })?)?;
        let mut writer = Writer(file);
        known.iter().try_for_each(|record| writer.add(record))?;
        Ok(writer)
    }

    /// Appends one.
    ///
    /// # Errors
    /// What cannot be written.
    pub fn add(&mut self, record: &Record) -> io::Result<()> {
        writeln!(self.0, "{}", serde_json::to_string(record)?)
    }
}

/// The crates that a copy is built with, and those that beside them decide what becomes of its mutants.
const BUILT_WITH: [&str; 4] = ["kit", "netchan", "netquake", "quakeworld"];
const JUDGED_BY: [&str; 4] = ["sim", "judging", "runner", "mutagen"];

/// A hash of all that decides which mutants of `target` build.
///
/// # Errors
/// What cannot be read.
pub fn hash_of_build(folders: &Folders, target: &Target, sources: &[Source]) -> io::Result<String> {
    let mut files = Vec::new();
    for name in BUILT_WITH.into_iter().chain([target.protocol]) {
        list(&folders.root.join("harness").join(name).join("src"), &mut files)?;
    }
    let mut hash = hash_of(&folders.root, files)?;
    for source in sources {
        hash.update(source.schema(&BTreeSet::new()).text.as_bytes());
    }
    Ok(short(&hash))
}

/// A hash of all that decides what becomes of the mutants of `target`.
///
/// # Errors
/// What cannot be read.
pub fn hash_of_run(folders: &Folders, target: &Target) -> io::Result<String> {
    let root = &folders.root;
    let mut files = vec![root.join("Cargo.lock")];
    for name in BUILT_WITH.into_iter().chain(JUDGED_BY).chain([target.protocol]) {
        list(&root.join("harness").join(name).join("src"), &mut files)?;
    }
    list(&root.join("scenarios").join(target.protocol), &mut files)?;
    Ok(short(&hash_of(root, files)?))
}

fn hash_of(root: &Path, mut files: Vec<PathBuf>) -> io::Result<blake3::Hasher> {
    files.sort();
    files.dedup();
    let mut hash = blake3::Hasher::new();
    for file in files {
        hash.update(file.strip_prefix(root).unwrap_or(&file).to_string_lossy().as_bytes());
        hash.update(&std::fs::read(&file)?);
    }
    Ok(hash)
}

fn short(hash: &blake3::Hasher) -> String {
    hash.finalize().to_hex()[..32].to_string()
}

fn list(folder: &Path, files: &mut Vec<PathBuf>) -> io::Result<()> {
    for entry in std::fs::read_dir(folder)? {
        let entry = entry?;
        if entry.file_type()?.is_dir() {
            list(&entry.path(), files)?;
        } else {
            files.push(entry.path());
        }
    }
    Ok(())
}
