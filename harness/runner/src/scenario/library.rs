//! The files that scenarios stand in: where they are, and what becomes of each.
//!
//! A folder of scenarios is a path everywhere; [`BUILT_IN`] is the one that the program carries along, and is in no file system.
//! A mistake in one file stops no other, unless who asks wants all or none.

use super::{Diagnostic, PROBES, Scenario, WORLDS, diagnostic, parse_with};
use crate::registry::PROTOCOLS;
use include_dir::{Dir, include_dir};
use kit::Protocol;
use rayon::prelude::*;
use std::collections::BTreeSet;
use std::fs;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// A scenario file is at most so long.
pub const MAX_SCENARIO_BYTES: usize = 256 * 1024;

/// Folders below the root of the scenarios nest at most so deep.
const MAX_FOLDERS: usize = 16;

/// The root of the scenarios that the program carries along, as they were when it was built.
pub const BUILT_IN: &str = "built-in scenarios";

static FILES: Dir<'static> = include_dir!("$CARGO_MANIFEST_DIR/scenarios");

/// Every file that the program carries along: its path below the root, and its text.
pub fn built_in() -> Vec<(&'static Path, &'static str)> {
    fn visit(folder: &'static Dir<'static>, files: &mut Vec<(&'static Path, &'static str)>) {
        files.extend(folder.files().filter_map(|file| Some((file.path(), file.contents_utf8()?))));
        folder.dirs().for_each(|folder| visit(folder, files));
    }
    let mut files = Vec::new();
    visit(&FILES, &mut files);
    files.sort();
    files
}

/// Finds the scenario files below `root`, sorted; those for live sessions are left out.
///
/// # Errors
/// A folder that cannot be read, or the files that could silently be no scenarios: see [`load_good`].
pub fn discover(root: &Path) -> Result<Vec<PathBuf>, Diagnostic> {
    let (files, mistakes) = to_run(root)?;
    Diagnostic::all(mistakes).map_or(Ok(files), Err)
}

/// The scenario files below `root` and those that are none though they seem to be; without those for live sessions.
fn to_run(root: &Path) -> Result<(Vec<PathBuf>, Vec<Diagnostic>), Diagnostic> {
    let (mut paths, mistakes) = files(root)?;
    paths.retain(|path| ![PROBES, WORLDS].iter().any(|folder| path.starts_with(root.join(folder))));
    Ok((paths, mistakes))
}

/// The scenario files below `root`, sorted, and those that are none though they seem to be.
pub(super) fn files(root: &Path) -> Result<(Vec<PathBuf>, Vec<Diagnostic>), Diagnostic> {
    if let Ok(below) = root.strip_prefix(BUILT_IN) {
        let all = built_in().into_iter().map(|(path, _)| path).filter(|path| path.starts_with(below));
        let scenarios = all.filter(|path| path.extension().is_some_and(|extension| extension == "yaml"));
        return Ok((scenarios.map(|path| Path::new(BUILT_IN).join(path)).collect(), Vec::new()));
    }
    let (mut files, mut mistakes) = (Vec::new(), Vec::new());
    visit(root, 0, &mut files, &mut mistakes)?;
    files.sort();
    mistakes.sort_by(|one: &Diagnostic, other| one.path().cmp(other.path()));
    Ok((files, mistakes))
}

fn visit(
    folder: &Path,
    depth: usize,
    files: &mut Vec<PathBuf>,
    mistakes: &mut Vec<Diagnostic>,
) -> Result<(), Diagnostic> {
    if depth > MAX_FOLDERS {
        return Err(Diagnostic::whole(folder, format!("folders nest more than {MAX_FOLDERS} deep"), None));
    }
    let fail = |error: std::io::Error| Diagnostic::whole(folder, format!("cannot read the folder: {error}"), None);
    for entry in fs::read_dir(folder).map_err(fail)? {
        let entry = entry.map_err(fail)?;
        let path = entry.path();
        let name = entry.file_name();
        let name = name.to_string_lossy();
        // Hidden files are those of editors.
        if name.starts_with('.') {
            continue;
        }
        // Links to folders are not followed: they could lead in circles.
        if entry.file_type().map_err(fail)?.is_dir() {
            visit(&path, depth + 1, files, mistakes)?;
            continue;
        }
        match path.extension().and_then(|extension| extension.to_str()) {
            Some("yaml") => match no_scenario(&path, &name) {
                Some(mistake) => mistakes.push(mistake),
                None => files.push(path),
            },
            Some("yml") => {
                let help = "rename it: scenario files end in `.yaml`";
                let what = "a scenario file with the wrong extension";
                mistakes.push(Diagnostic::whole(&path, what, Some(help.into())));
            }
            _ => {}
        }
    }
    Ok(())
}

/// Why a file cannot be a scenario, whatever it says.
fn no_scenario(path: &Path, name: &str) -> Option<Diagnostic> {
    if let Some(letter) = name.chars().find(|letter| "@[],".contains(*letter) || letter.is_control()) {
        let help = "rename it: in the name of a case, `@` comes before the profile and `[` before the variant";
        let message = format!("the name of a scenario file has {letter:?} in it");
        return Some(Diagnostic::whole(path, message, Some(help.into())));
    }
    // A pipe would be waited for. What cannot be looked at cannot be read either, and is told then.
    let odd = fs::metadata(path).is_ok_and(|found| !found.is_file());
    odd.then(|| Diagnostic::whole(path, "it is no regular file", Some(String::from("scenario files are text"))))
}

/// Reads the scenario in the file `path`, below `root`.
///
/// # Errors
/// A file that cannot be read, is longer than [`MAX_SCENARIO_BYTES`] or no UTF-8, or the first mistake in it.
pub fn load(root: &Path, path: &Path) -> Result<Scenario, Diagnostic> {
    load_with(PROTOCOLS, root, path)
}

/// [`load`], of other protocols.
///
/// # Errors
/// The same.
pub fn load_with(protocols: &[&'static Protocol], root: &Path, path: &Path) -> Result<Scenario, Diagnostic> {
    parse_with(protocols, &id_of(root, path), path, &read(path)?)
}

/// Reads the scenarios in the files `paths`, below `root`, on all processors: what became of each, in their order.
fn load_each<P: AsRef<Path> + Sync>(root: &Path, paths: &[P]) -> Vec<Result<Arc<Scenario>, Diagnostic>> {
    paths.par_iter().map(|path| load(root, path.as_ref()).map(Arc::new)).collect()
}

/// Reads the scenarios below `root` whose names are `wanted`, and those that they have for controls, in the order of their files.
///
/// # Errors
/// All mistakes that [`load_good`] tells.
pub fn load_some(root: &Path, wanted: impl Fn(&str) -> bool) -> Result<Vec<Arc<Scenario>>, Diagnostic> {
    let (scenarios, mistakes) = load_good(root, wanted)?;
    Diagnostic::all(mistakes).map_or(Ok(scenarios), Err)
}

/// [`load_some`] of the scenarios that can be read, and all mistakes: what could silently be no scenario (another extension,
/// a name that no case can have, no regular file), the first mistake in each file, and controls that are not there.
///
/// # Errors
/// A folder that cannot be read.
pub fn load_good(
    root: &Path,
    wanted: impl Fn(&str) -> bool,
) -> Result<(Vec<Arc<Scenario>>, Vec<Diagnostic>), Diagnostic> {
    let (paths, mut mistakes) = to_run(root)?;
    mistakes.retain(|mistake| wanted(&id_of(root, Path::new(mistake.path()))));
    let paths: Vec<(String, PathBuf)> = paths.into_iter().map(|path| (id_of(root, &path), path)).collect();
    let mut scenarios: Vec<Arc<Scenario>> = Vec::new();
    let mut read = |wanted: &dyn Fn(&str) -> bool, scenarios: &mut Vec<Arc<Scenario>>| {
        let chosen: Vec<&PathBuf> = paths.iter().filter(|(id, _)| wanted(id)).map(|(_, path)| path).collect();
        for result in load_each(root, &chosen) {
            match result {
                Ok(scenario) => scenarios.push(scenario),
                Err(mistake) => mistakes.push(mistake),
            }
        }
    };
    read(&wanted, &mut scenarios);
    let control = |scenario: &Arc<Scenario>| scenario.file.control.clone().filter(|id| !wanted(id));
    let controls: BTreeSet<String> = scenarios.iter().filter_map(control).collect();
    read(&|id| controls.contains(id), &mut scenarios);
    scenarios.sort_by(|one, other| one.path.cmp(&other.path));
    let ids: Vec<&str> = paths.iter().map(|(id, _)| id.as_str()).collect();
    let wrong: Vec<Option<Diagnostic>> =
        scenarios.iter().map(|scenario| wrong_control(scenario, &scenarios, &ids)).collect();
    let mut good = wrong.iter().map(Option::is_none);
    scenarios.retain(|_| good.next().unwrap_or(true));
    mistakes.extend(wrong.into_iter().flatten());
    Ok((scenarios, mistakes))
}

/// Checks what concerns several scenarios: that every `control` is there and runs with the same profiles.
///
/// # Errors
/// All scenarios whose control is not among `scenarios`, is itself, or lacks one of its profiles.
pub fn check_controls(scenarios: &[Arc<Scenario>]) -> Result<(), Diagnostic> {
    let ids: Vec<&str> = scenarios.iter().map(|other| other.id.as_str()).collect();
    let wrong = scenarios.iter().filter_map(|scenario| wrong_control(scenario, scenarios, &ids));
    Diagnostic::all(wrong.collect()).map_or(Ok(()), Err)
}

/// What is wrong with the control of a scenario, among `scenarios`, of all that have files, `ids`.
fn wrong_control(scenario: &Scenario, scenarios: &[Arc<Scenario>], ids: &[&str]) -> Option<Diagnostic> {
    let control = scenario.file.control.as_ref()?;
    let fail = |message: String, help: Option<String>| Some(Diagnostic::whole(&scenario.path, message, help));
    if *control == scenario.id {
        return fail(String::from("the scenario is its own control"), None);
    }
    let Some(other) = scenarios.iter().find(|other| other.id == *control) else {
        if ids.contains(&control.as_str()) {
            return fail(format!("its control `{control}` cannot be read"), None);
        }
        let help = diagnostic::suggest(control, ids, "the scenarios are");
        return fail(format!("its control `{control}` does not exist"), help);
    };
    let lacking = scenario.profiles.iter().find(|profile| !other.profiles.contains(profile))?;
    fail(format!("its control `{control}` does not run with the profile `{}`", lacking.name), None)
}

/// The name of the scenario in the file `path`, below `root`.
pub(super) fn id_of(root: &Path, path: &Path) -> String {
    let below = path.strip_prefix(root).unwrap_or(path).with_extension("");
    let names = below.components().filter_map(|part| match part {
        std::path::Component::Normal(name) => Some(name.to_string_lossy().into_owned()),
        _ => None,
    });
    names.collect::<Vec<_>>().join("/")
}

pub(crate) fn read(path: &Path) -> Result<String, Diagnostic> {
    let fail = |error: &dyn std::fmt::Display| Diagnostic::whole(path, format!("cannot read the file: {error}"), None);
    if let Ok(below) = path.strip_prefix(BUILT_IN) {
        let file = FILES.get_file(below).and_then(|file| file.contents_utf8());
        return file.map(String::from).ok_or_else(|| fail(&"the program does not carry it along"));
    }
    let file = fs::File::open(path).map_err(|error| fail(&error))?;
    let size = file.metadata().map_err(|error| fail(&error))?.len();
    if size > MAX_SCENARIO_BYTES as u64 {
        return Err(too_long(path, size));
    }
    let mut bytes = Vec::new();
    // The size may be a lie: some files have none.
    file.take(MAX_SCENARIO_BYTES as u64 + 1).read_to_end(&mut bytes).map_err(|error| fail(&error))?;
    if bytes.len() > MAX_SCENARIO_BYTES {
        return Err(too_long(path, bytes.len() as u64));
    }
    String::from_utf8(bytes).map_err(|error| {
        let at = error.utf8_error().valid_up_to();
        let line = error.as_bytes().iter().take(at).filter(|byte| **byte == b'\n').count() + 1;
        let message = format!("the file is not UTF-8: byte {at}, on line {line}");
        Diagnostic::whole(path, message, Some(String::from("save it as UTF-8; scenario files are text")))
    })
}

pub(super) fn too_long(path: &Path, bytes: u64) -> Diagnostic {
    let message = format!("the file has at least {bytes} bytes; the limit is {MAX_SCENARIO_BYTES}");
    let help = "let `crowds` and `churn` make the changes that a long timeline lists, or split the scenario";
    Diagnostic::whole(path, message, Some(String::from(help)))
}
