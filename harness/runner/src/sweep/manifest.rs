//! What a sweep of several machines is: the same file for all of them.

use super::extent::Extent;
use crate::report::folder;
use crate::scenario::Case;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::fs::File;
use std::io::Read;
use std::ops::Range;
use std::path::{Path, PathBuf};

/// The form of manifests and shard files that is written, and the only one that is read.
const FORMAT: u32 = 1;
/// Most shards of a sweep.
pub const MOST_SHARDS: u64 = 1_000_000;
/// A manifest is at most so long.
const MOST_BYTES: u64 = 64 << 20;

/// A sweep that is done in parts.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Manifest {
    /// The form of this file: 1.
    pub manifest: u32,
    /// How far the cases are run.
    pub extent: Extent,
    /// So many steps, seeds or schedules, make a shard.
    pub shard_size: u64,
    pub shards: u64,
    /// What takes the place of the reference, as the command line says it.
    pub candidate: Option<String>,
    /// Which program makes the runs.
    pub harness: Harness,
    /// The version of the random network model.
    pub fate_model: u32,
    /// Hash of the scenarios' files.
    pub scenarios: String,
    /// The names of the cases, in their order.
    pub cases: Vec<String>,
}

/// A program.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Harness {
    pub version: String,
    /// Hash of its file: another build may find something else.
    pub program: String,
}

/// Why a manifest, a shard or a merge came to nothing.
#[derive(Debug, thiserror::Error)]
pub enum SweepError {
    /// A file cannot be read.
    #[error("cannot read {}: {error}", path.display())]
    Read {
        /// The file or folder.
        path: PathBuf,
        /// What went wrong.
        error: std::io::Error,
    },
    /// A file cannot be written.
    #[error("cannot write {}: {error}", path.display())]
    Write {
        /// The file or folder.
        path: PathBuf,
        /// What went wrong.
        error: std::io::Error,
    },
    /// A file is not what it should be, or does not fit.
    #[error("{}: {why}", path.display())]
    Wrong {
        /// The file.
        path: PathBuf,
        /// Why, and what to do.
        why: String,
    },
}

impl Harness {
    /// This program.
    ///
    /// # Errors
    /// Its file cannot be read.
    pub fn this() -> Result<Harness, SweepError> {
        let path = std::env::current_exe()
            .map_err(|error| SweepError::Read { path: PathBuf::from("this program's own file"), error })?;
        let hash = File::open(&path).and_then(hash_file).map_err(|error| SweepError::Read { path, error })?;
        Ok(Harness { version: String::from(env!("CARGO_PKG_VERSION")), program: hex(&hash) })
    }
}

impl Manifest {
    /// Of these cases.
    ///
    /// # Errors
    /// This program's file cannot be read, or there are too many shards.
    pub fn new(
        cases: &[Case],
        extent: Extent,
        shard_size: u64,
        candidate: Option<String>,
    ) -> Result<Manifest, PlanError> {
        let shards = extent.steps().div_ceil(u128::from(shard_size.max(1)));
        if shards > u128::from(MOST_SHARDS) {
            return Err(PlanError::Shards(shards));
        }
        Ok(Manifest {
            manifest: FORMAT,
            extent,
            shard_size,
            shards: shards as u64,
            candidate,
            harness: Harness::this()?,
            fate_model: sim::FATE_MODEL,
            scenarios: hash_of(cases),
            cases: cases.iter().map(Case::name).collect(),
        })
    }

    /// Reads it from a file.
    ///
    /// # Errors
    /// The file cannot be read, or is no manifest that this program understands.
    pub fn read(path: &Path) -> Result<Manifest, SweepError> {
        let wrong = |why: String| SweepError::Wrong { path: path.into(), why };
        let mut text = String::new();
        File::open(path)
            .and_then(|file| file.take(MOST_BYTES).read_to_string(&mut text))
            .map_err(|error| SweepError::Read { path: path.into(), error })?;
        let manifest: Manifest = serde_json::from_str(&text)
            .map_err(|error| wrong(format!("is no manifest of a sweep ({error}); `sweep plan` writes one")))?;
        let shards = || manifest.extent.steps().div_ceil(u128::from(manifest.shard_size));
        if manifest.manifest != FORMAT {
            return Err(wrong(format!("is a manifest of format {}; this program knows {FORMAT}", manifest.manifest)));
        }
        if let Some(why) = manifest.extent.mistake() {
            return Err(wrong(format!("{why}; plan the sweep again")));
        }
        if manifest.shard_size == 0 || u128::from(manifest.shards) != shards() || manifest.shards > MOST_SHARDS {
            return Err(wrong(String::from(
                "the number of shards is not what their size makes it; plan the sweep again",
            )));
        }
        Ok(manifest)
    }

    /// Writes it to a file, which is there as a whole or not at all.
    ///
    /// # Errors
    /// It cannot be written.
    pub fn write(&self, path: &Path) -> Result<(), SweepError> {
        let fail = |error| SweepError::Write { path: path.into(), error };
        let text = serde_json::to_string_pretty(self).map_err(|error| fail(error.into()))?;
        folder::write_file(path, &(text + "\n")).map_err(|error| fail(error.error))
    }

    /// Names the manifest, whatever its file's white space.
    pub fn hash(&self) -> String {
        let mut hash = blake3::Hasher::new();
        // What was read from JSON can be written as JSON.
        hash.update(serde_json::to_string(self).unwrap_or_default().as_bytes());
        hex(&hash)
    }

    pub fn runs(&self) -> u128 {
        self.extent.steps().saturating_mul(self.cases.len() as u128)
    }

    /// The numbers of the runs of a shard.
    pub fn numbers(&self, shard: u64) -> Range<u128> {
        let cases = self.cases.len() as u128;
        let end = |shards: u64| (u128::from(shards) * u128::from(self.shard_size)).min(self.extent.steps());
        end(shard) * cases..end(shard.saturating_add(1)) * cases
    }

    /// The case and the seed of a run.
    pub fn expected(&self, number: u128) -> (String, u64) {
        let place = self.extent.at(number, self.cases.len());
        (self.cases.get(place.case).map_or(String::new(), |case| place.name(case)), place.seed)
    }

    /// Why the runs of this program, with these cases, would not be those of the manifest, if they would not.
    ///
    /// # Errors
    /// This program's file cannot be read.
    pub fn differs(&self, cases: &[Case]) -> Result<Option<String>, SweepError> {
        let this = Harness::this()?;
        let missing = self.cases.iter().find(|name| !cases.iter().any(|case| case.name() == **name));
        Ok(if let Some(missing) = missing {
            Some(format!("the manifest has the case {missing}, and the scenarios here do not"))
        } else if self.fate_model != sim::FATE_MODEL {
            Some(format!("the manifest is of fate model {}, this program of {}", self.fate_model, sim::FATE_MODEL))
        } else if self.harness != this {
            Some(format!(
                "the manifest was made by another build ({} {}, this is {} {}); use the same program file everywhere",
                self.harness.version,
                short(&self.harness.program),
                this.version,
                short(&this.program)
            ))
        } else if self.scenarios != hash_of(cases) {
            Some(String::from("the scenarios here are not those of the manifest; use the same files everywhere"))
        } else {
            None
        })
    }
}

/// Why there is no manifest.
#[derive(Debug, thiserror::Error)]
pub enum PlanError {
    /// A file is at fault.
    #[error(transparent)]
    File(#[from] SweepError),
    /// There are too many shards.
    #[error("{0} shards are more than {MOST_SHARDS}; make them larger with --shard-size")]
    Shards(u128),
}

/// Hash of the texts of the scenarios of `cases`.
fn hash_of(cases: &[Case]) -> String {
    let scenarios: BTreeMap<&str, &str> =
        cases.iter().map(|case| (case.scenario.id.as_str(), &*case.scenario.text)).collect();
    let mut hash = blake3::Hasher::new();
    for (id, text) in scenarios {
        for part in [id, text] {
            hash.update(&(part.len() as u64).to_le_bytes());
            hash.update(part.as_bytes());
        }
    }
    hex(&hash)
}

fn hash_file(mut file: File) -> std::io::Result<blake3::Hasher> {
    let (mut hash, mut part) = (blake3::Hasher::new(), vec![0; 1 << 16]);
    loop {
        match file.read(&mut part) {
            Ok(0) => return Ok(hash),
            Ok(read) => hash.update(&part[..read]),
            Err(error) if error.kind() == std::io::ErrorKind::Interrupted => continue,
            Err(error) => return Err(error),
        };
    }
}

fn hex(hash: &blake3::Hasher) -> String {
    hash.finalize().to_hex()[..32].to_string()
}

fn short(hash: &str) -> &str {
    hash.get(..8).unwrap_or(hash)
}
