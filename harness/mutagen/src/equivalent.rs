//! The reviewed list of mutants that no implementation of the protocol could be told from.

use crate::operators::Operator;
use crate::schema::Mutant;
use serde::{Deserialize, Serialize};
use std::io;
use std::path::{Path, PathBuf};

/// A mutant that is equivalent: told by what it changes and not by its number or line, so that it outlives edits around
/// it. All mutants of the function that read the same are meant.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Equivalent {
    /// The file, from the project's folder.
    pub file: String,
    /// The function, with its type.
    pub function: String,
    /// How it differs.
    pub operator: Operator,
    /// What stands there.
    pub old: String,
    /// What stands there in the mutant; nothing for what is left out.
    #[serde(default)]
    pub new: String,
    /// Why nobody could tell, in a sentence.
    pub why: String,
}

impl Equivalent {
    /// Whether it means `mutant`.
    pub fn is(&self, mutant: &Mutant) -> bool {
        (&self.file, &self.function, self.operator) == (&mutant.file, &mutant.function, mutant.operator)
            && (&self.old, &self.new) == (&mutant.old, &mutant.new)
    }
}

/// Where the list of `protocol` is.
pub fn path(root: &Path, protocol: &str) -> PathBuf {
    root.join("harness/mutagen/equivalent").join(format!("{protocol}.yaml"))
}

/// The list of `protocol`; an empty one if there is no file.
///
/// # Errors
/// The file cannot be read, or is no such list.
pub fn read(root: &Path, protocol: &str) -> io::Result<Vec<Equivalent>> {
    let path = path(root, protocol);
    if !path.exists() {
        return Ok(Vec::new());
    }
    let text = std::fs::read_to_string(&path)?;
    serde_yaml::from_str(&text).map_err(|error| io::Error::other(format!("{}: {error}", path.display())))
}

/// The entries that mean no mutant any more.
pub fn stale<'a>(list: &'a [Equivalent], mutants: &[Mutant]) -> Vec<&'a Equivalent> {
    list.iter().filter(|entry| !mutants.iter().any(|mutant| entry.is(mutant))).collect()
}
