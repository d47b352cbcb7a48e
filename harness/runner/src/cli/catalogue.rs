//! The scenarios as the command line sees them: where they are, and which cases they make.

use super::output::Stop;
use crate::scenario::{self, Diagnostic};
use serde::Serialize;
use std::path::{Path, PathBuf};

/// One case: a scenario under one profile and variant.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schemas", derive(schemars::JsonSchema), schemars(deny_unknown_fields))]
pub(super) struct Case {
    /// `fte/reset-lost@fte-nq`, with `[variant]` after where it has one.
    #[serde(rename = "case")]
    pub name: String,
    /// The scenario's id.
    pub scenario: String,
    /// The profile.
    pub profile: String,
    /// The variant, or nothing.
    pub variant: String,
    /// What it is about.
    pub title: String,
    /// The requirements that it says it covers.
    pub requirements: Vec<String>,
}

/// The folder of scenarios: the one given, or the nearest `scenarios` from the current directory upwards, or else those that
/// the program carries along.
pub(super) fn folder(given: Option<&Path>) -> Result<PathBuf, Stop> {
    if let Some(given) = given {
        if given.is_dir() {
            return Ok(given.to_path_buf());
        }
        return Err(Stop::Usage(format!("--scenarios {}: no such folder", given.display())));
    }
    let here = std::env::current_dir()
        .map_err(|error| Stop::Usage(format!("the current directory cannot be read: {error}")))?;
    // Short, for the messages that name files in it.
    if Path::new("scenarios").is_dir() {
        return Ok(PathBuf::from("scenarios"));
    }
    let found = here.ancestors().map(|folder| folder.join("scenarios")).find(|folder| folder.is_dir());
    Ok(found.unwrap_or_else(|| PathBuf::from(scenario::BUILT_IN)))
}

/// What stands after a replay line so that the same scenarios are found again: ` --scenarios DIR`, or nothing.
pub(super) fn argument(given: Option<&Path>) -> String {
    let Some(folder) = given.map(Path::to_string_lossy) else { return String::new() };
    let quoted = shlex::try_quote(&folder).map_or_else(|_| folder.to_string(), |quoted| quoted.into_owned());
    format!(" --scenarios {quoted}")
}

/// Every case below `folder`, scenario by scenario in the order of their files' names.
///
/// Mistakes in several files are all reported.
pub(super) fn cases(folder: &Path) -> Result<Vec<Case>, Stop> {
    match readable(folder)? {
        (cases, mistakes) if mistakes.is_empty() => Ok(cases),
        (_, mistakes) => Err(Stop::Scenarios(mistakes)),
    }
}

/// [`cases`] of the scenarios that can be read, and the mistakes in the others.
pub(super) fn readable(folder: &Path) -> Result<(Vec<Case>, Vec<Diagnostic>), Stop> {
    let (scenarios, mistakes) = scenario::load_good(folder, |_| true).map_err(Stop::from)?;
    Ok((scenarios.iter().flat_map(scenario::cases).map(|case| Case::from(&case)).collect(), mistakes))
}

impl From<&scenario::Case> for Case {
    fn from(case: &scenario::Case) -> Case {
        Case {
            name: case.name(),
            scenario: case.scenario.id.clone(),
            profile: case.profile.name.to_string(),
            variant: case.variant.clone(),
            title: case.scenario.file.title.clone(),
            requirements: case.requirements().iter().map(|requirement| requirement.id.to_string()).collect(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_that_is_not_there_is_named() {
        let stop = folder(Some(Path::new("no/such/folder"))).err().map(|stop| stop.to_string());
        assert_eq!(stop.as_deref(), Some("--scenarios no/such/folder: no such folder"));
    }
}
