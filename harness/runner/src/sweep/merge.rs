//! The shards of a sweep, put together: every run once, or a list of what is wrong.

use super::manifest::{Manifest, SweepError};
use super::row::Row;
use super::shard::{self, Defect};
use std::collections::BTreeMap;
use std::fmt::Write;
use std::fs;
use std::path::{Path, PathBuf};

/// What the folders have of a sweep.
#[derive(Debug, Default)]
pub struct Found {
    /// Files that are whole shards, by the shard's number.
    pub shards: BTreeMap<u64, Vec<PathBuf>>,
    /// Files that are none, and why.
    pub wrong: Vec<(PathBuf, Defect)>,
}

impl Found {
    /// Looks through every `.jsonl` file in `folders`, to its end. A folder that is not there has none.
    ///
    /// # Errors
    /// A folder cannot be read.
    pub fn look(manifest: &Manifest, folders: &[PathBuf]) -> Result<Found, SweepError> {
        let mut found = Found::default();
        for path in folders.iter().map(|folder| files(folder)).collect::<Result<Vec<_>, _>>()?.concat() {
            match shard::check(&path, manifest, &mut |_, _| {}) {
                Ok(shard) => found.shards.entry(shard).or_default().push(path),
                Err(defect) => found.wrong.push((path, defect)),
            }
        }
        Ok(found)
    }

    /// The shards of which no file is whole.
    pub fn missing(&self, manifest: &Manifest) -> Vec<u64> {
        (0..manifest.shards).filter(|shard| !self.shards.contains_key(shard)).collect()
    }

    /// Everything for which there is no merged result, a sentence each.
    pub fn complaints(&self, manifest: &Manifest) -> Vec<String> {
        let wrong = self.wrong.iter().map(|(path, defect)| format!("{} {defect}", path.display()));
        let doubled = self.shards.iter().filter(|(_, paths)| paths.len() > 1).map(|(shard, paths)| {
            let names: Vec<String> = paths.iter().map(|path| path.display().to_string()).collect();
            format!("shard {shard} is there {} times: {}", paths.len(), names.join(", "))
        });
        let missing = self.missing(manifest);
        let missing = (!missing.is_empty()).then(|| {
            let (are, of) = (missing.len(), manifest.shards);
            let spec = array_spec(&missing);
            format!("{are} of {of} shards {} missing: {spec}", if are == 1 { "is" } else { "are" })
        });
        wrong.chain(doubled).chain(missing).collect()
    }

    /// Tells every row of a sweep that has no [`complaints`](Found::complaints), in order.
    ///
    /// # Errors
    /// A file has changed since it was looked at.
    pub fn rows(&self, manifest: &Manifest, tell: &mut dyn FnMut(&Row, &str)) -> Result<(), SweepError> {
        for path in self.shards.values().flatten() {
            shard::check(path, manifest, tell)
                .map_err(|defect| SweepError::Wrong { path: path.clone(), why: format!("{defect}, of late") })?;
        }
        Ok(())
    }
}

fn files(folder: &Path) -> Result<Vec<PathBuf>, SweepError> {
    let fail = |error| SweepError::Read { path: folder.into(), error };
    let entries = match fs::read_dir(folder) {
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(Vec::new()),
        entries => entries.map_err(fail)?,
    };
    let mut files = Vec::new();
    for entry in entries {
        let path = entry.map_err(fail)?.path();
        if path.extension().is_some_and(|extension| extension == "jsonl") {
            files.push(path);
        }
    }
    files.sort();
    Ok(files)
}

/// Numbers in ascending order, as job arrays want them: `3,7-9`.
pub fn array_spec(numbers: &[u64]) -> String {
    let mut spec = String::new();
    for range in numbers.chunk_by(|one, next| one.checked_add(1) == Some(*next)) {
        let comma = if spec.is_empty() { "" } else { "," };
        // To write to a text cannot fail.
        let _ = match range {
            [one] => write!(spec, "{comma}{one}"),
            [first, .., last] => write!(spec, "{comma}{first}-{last}"),
            [] => Ok(()),
        };
    }
    spec
}
