//! The file of one shard: a row per run, and a last line by which it is known to be whole.

use super::manifest::{Manifest, SweepError};
use super::row::Row;
use serde::{Deserialize, Serialize};
use std::fs::{self, File};
use std::io::{BufRead, BufReader, BufWriter, Read, Write};
use std::path::{Path, PathBuf};

/// A line of a shard file is at most so long.
const MOST_LINE: u64 = 64 << 10;

/// The last line of a shard file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Footer {
    /// The shard's number.
    pub shard: u64,
    /// The number of rows above.
    pub rows: u64,
    /// Hash of the rows above.
    pub hash: String,
    /// The hash of the manifest.
    pub manifest: String,
}

/// A shard's footer, as its line has it.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct End {
    end: Footer,
}

/// The file of a shard in a folder.
pub fn path(folder: &Path, shard: u64) -> PathBuf {
    folder.join(format!("shard-{shard:06}.jsonl"))
}

/// Writes a shard under another name; it gets its own when it is whole.
pub struct Writer {
    shard: u64,
    path: PathBuf,
    fresh: PathBuf,
    file: BufWriter<File>,
    hash: blake3::Hasher,
    rows: u64,
}

impl Writer {
    /// Into `folder`, which is made where there is none. `unique` tells apart those who write the same shard at the same time.
    ///
    /// # Errors
    /// The folder or the file cannot be made.
    pub fn create(folder: &Path, shard: u64, unique: u64) -> Result<Writer, SweepError> {
        let path = path(folder, shard);
        let fresh = folder.join(format!("{}{unique:016x}.tmp", unfinished(shard)));
        let file = fs::create_dir_all(folder).and_then(|()| File::create_new(&fresh));
        let file = BufWriter::new(file.map_err(|error| SweepError::Write { path: fresh.clone(), error })?);
        Ok(Writer { shard, path, fresh, file, hash: blake3::Hasher::new(), rows: 0 })
    }

    /// Adds a row.
    ///
    /// # Errors
    /// It cannot be written.
    pub fn row(&mut self, line: &str) -> Result<(), SweepError> {
        self.hash.update(line.as_bytes());
        self.hash.update(b"\n");
        self.rows += 1;
        writeln!(self.file, "{line}").map_err(|error| self.fail(error))
    }

    /// Ends the file and gives it its name.
    ///
    /// # Errors
    /// It cannot be written; what was there before is still there.
    pub fn finish(mut self, manifest: &str) -> Result<PathBuf, SweepError> {
        let end = End {
            end: Footer {
                shard: self.shard,
                rows: self.rows,
                hash: self.hash.finalize().to_hex()[..32].to_string(),
                manifest: String::from(manifest),
            },
        };
        let line = serde_json::to_string(&end).map_err(|error| self.fail(error.into()))?;
        writeln!(self.file, "{line}")
            .and_then(|()| self.file.flush())
            .and_then(|()| self.file.get_ref().sync_all())
            .and_then(|()| fs::rename(&self.fresh, &self.path))
            .map_err(|error| self.fail(error))?;
        let folder = self.path.parent().unwrap_or(Path::new("."));
        // The name is in the folder's own data. Not every file system has a way to sync that.
        let _ = File::open(folder).and_then(|folder| folder.sync_all());
        clear(folder, self.shard);
        Ok(self.path.clone())
    }

    fn fail(&self, error: std::io::Error) -> SweepError {
        SweepError::Write { path: self.path.clone(), error }
    }
}

impl Drop for Writer {
    fn drop(&mut self) {
        // Of a shard that is whole there is no such file any more.
        let _ = fs::remove_file(&self.fresh);
    }
}

fn unfinished(shard: u64) -> String {
    format!(".shard-{shard:06}-")
}

/// Removes what killed workers left of a shard that is whole by now.
fn clear(folder: &Path, shard: u64) {
    let Ok(entries) = fs::read_dir(folder) else { return };
    for entry in entries.flatten() {
        let name = entry.file_name();
        let name = name.to_string_lossy();
        if name.starts_with(&unfinished(shard)) && name.ends_with(".tmp") {
            let _ = fs::remove_file(entry.path());
        }
    }
}

/// Reads a shard file and tells every row, each of which has to be the run that the manifest has there. Returns the shard's number.
///
/// # Errors
/// Why the file is not a whole shard of this manifest; rows may have been reported before that is seen.
pub fn check(path: &Path, manifest: &Manifest, tell: &mut dyn FnMut(&Row, &str)) -> Result<u64, Defect> {
    let shard = footer(path)?;
    if shard.manifest != manifest.hash() {
        return Err(Defect::Manifest);
    }
    if shard.shard >= manifest.shards {
        return Err(Defect::Damaged(format!("is shard {}, and the manifest has {}", shard.shard, manifest.shards)));
    }
    let mut lines = Lines::open(path)?;
    let mut hash = blake3::Hasher::new();
    let numbers = manifest.numbers(shard.shard);
    for number in numbers.clone() {
        let Some(line) = lines.next()? else { return Err(lines.damaged("the file ends too early")) };
        let (case, seed) = manifest.expected(number);
        let row: Row =
            serde_json::from_str(line).map_err(|error| Defect::Damaged(format!("row of {case}: {error}")))?;
        if (&row.case, row.seed) != (&case, seed) {
            return Err(lines.damaged(&format!("{} seed {} instead of {case} seed {seed}", row.case, row.seed)));
        }
        hash.update(line.as_bytes());
        hash.update(b"\n");
        tell(&row, line);
    }
    let end = lines.next()?.and_then(|line| serde_json::from_str::<End>(line).ok());
    if end.map(|end| end.end) != Some(shard.clone()) || lines.next()?.is_some() {
        return Err(lines.damaged("there are more rows than the shard has runs"));
    }
    let rows = (numbers.end - numbers.start) as u64;
    if shard.rows != rows || shard.hash != hash.finalize().to_hex()[..32] {
        return Err(Defect::Damaged(String::from("its rows are not those that were written")));
    }
    Ok(shard.shard)
}

/// Why a file is no whole shard.
#[derive(Debug, thiserror::Error)]
pub enum Defect {
    /// It is not there.
    #[error("is not there")]
    Missing,
    /// It has no last line.
    #[error("is cut off: its last line, by which a whole shard is known, is not there")]
    Truncated,
    /// It belongs to something else.
    #[error("is of another manifest")]
    Manifest,
    /// It was changed.
    #[error("is damaged: {0}")]
    Damaged(String),
    /// It cannot be read.
    #[error("cannot be read: {0}")]
    Read(std::io::Error),
}

impl From<std::io::Error> for Defect {
    fn from(error: std::io::Error) -> Defect {
        if error.kind() == std::io::ErrorKind::NotFound { Defect::Missing } else { Defect::Read(error) }
    }
}

/// The last line of a shard file.
fn footer(path: &Path) -> Result<Footer, Defect> {
    use std::io::{Seek, SeekFrom};
    let mut file = File::open(path)?;
    let length = file.metadata()?.len();
    let mut end = Vec::new();
    file.seek(SeekFrom::Start(length.saturating_sub(MOST_LINE)))?;
    file.take(MOST_LINE).read_to_end(&mut end)?;
    let end = end.strip_suffix(b"\n").ok_or(Defect::Truncated)?;
    let line = end.rsplit(|byte| *byte == b'\n').next().unwrap_or_default();
    serde_json::from_slice::<End>(line).map(|end| end.end).map_err(|_| Defect::Truncated)
}

/// The lines of a file, none of them kept.
struct Lines {
    file: BufReader<File>,
    line: Vec<u8>,
    number: u64,
}

impl Lines {
    fn open(path: &Path) -> Result<Lines, Defect> {
        Ok(Lines { file: BufReader::new(File::open(path)?), line: Vec::new(), number: 0 })
    }

    fn next(&mut self) -> Result<Option<&str>, Defect> {
        self.line.clear();
        self.number += 1;
        let read = (&mut self.file).take(MOST_LINE).read_until(b'\n', &mut self.line)?;
        if read == 0 {
            return Ok(None);
        }
        let Some(line) = self.line.strip_suffix(b"\n") else {
            return Err(Defect::Damaged(format!("line {} is too long, or not whole", self.number)));
        };
        std::str::from_utf8(line).map(Some).map_err(|_| Defect::Damaged(format!("line {} is no text", self.number)))
    }

    fn damaged(&self, why: &str) -> Defect {
        Defect::Damaged(format!("line {}: {why}", self.number))
    }
}
