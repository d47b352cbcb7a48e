//! The files that scenarios stand in: where they are, and what becomes of each.
//!
//! A folder of scenarios is a path everywhere; [`BUILT_IN`] is the one that the program carries along, and is in no file system.
//! A mistake in one file stops no other, unless who asks wants all or none.

use super::{
    BUILT_IN, Case, Diagnostic, Good, MAX_SCENARIO_BYTES, PROBES, Scenario, WORLDS, built_in_files, built_in_text,
    cases, good, id_of, is_to_run, parse_for_live, parse_with, too_long,
};
use crate::registry::PROTOCOLS;
use kit::{Profile, Protocol};
use rayon::prelude::*;
use std::fs;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Folders below the root of the scenarios nest at most so deep.
const MAX_FOLDERS: usize = 16;

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
    paths.retain(|path| is_to_run(root, path));
    Ok((paths, mistakes))
}

/// The scenario files below `root`, sorted, and those that are none though they seem to be.
fn files(root: &Path) -> Result<(Vec<PathBuf>, Vec<Diagnostic>), Diagnostic> {
    if let Some(files) = built_in_files(root) {
        return Ok((files, Vec::new()));
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
    // A pipe would be waited for. What cannot be looked at cannot be read either, and is reported then.
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
fn load_each(root: &Path, paths: &[&Path]) -> Vec<Result<Arc<Scenario>, Diagnostic>> {
    paths.par_iter().map(|path| load(root, path).map(Arc::new)).collect()
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
pub fn load_good(root: &Path, wanted: impl Fn(&str) -> bool) -> Result<Good, Diagnostic> {
    let (paths, mut mistakes) = to_run(root)?;
    mistakes.retain(|mistake| wanted(&id_of(root, Path::new(mistake.path()))));
    let (scenarios, more) = good(root, &paths, wanted, |paths| load_each(root, paths));
    mistakes.extend(more);
    Ok((scenarios, mistakes))
}

/// The scenarios for probing a server of `profile`: those below [`PROBES`] whose `profiles` are `[any]` or name it.
///
/// # Errors
/// The first file that cannot be read, or has a mistake.
pub fn probes(root: &Path, protocol: &'static Protocol, profile: &'static Profile) -> Result<Vec<Case>, Diagnostic> {
    some_probes(root, protocol, profile, |_| true)
}

/// [`probes`] whose names are `wanted`.
///
/// # Errors
/// The same.
pub fn some_probes(
    root: &Path,
    protocol: &'static Protocol,
    profile: &'static Profile,
    wanted: impl Fn(&str) -> bool,
) -> Result<Vec<Case>, Diagnostic> {
    let mut found = Vec::new();
    let (paths, mistakes) = files(&root.join(PROBES))?;
    if let Some(mistake) = Diagnostic::all(mistakes) {
        return Err(mistake);
    }
    for path in paths.into_iter().filter(|path| wanted(&id_of(root, path))) {
        let text = read(&path)?;
        if let Some(scenario) = parse_for_live(protocol, profile, &id_of(root, &path), &path, &text)? {
            let scenario = Arc::new(scenario);
            found.extend(cases(&scenario).into_iter().filter(|case| case.profile == profile));
        }
    }
    Ok(found)
}

/// The world to serve for `profile`: the first scenario below [`WORLDS`] that names it.
///
/// # Errors
/// There is none, or the first file that cannot be read or has a mistake.
pub fn world(root: &Path, protocol: &'static Protocol, profile: &'static Profile) -> Result<Case, Diagnostic> {
    let folder = root.join(WORLDS);
    for path in files(&folder)?.0 {
        if let Some(scenario) = parse_for_live(protocol, profile, &id_of(root, &path), &path, &read(&path)?)?
            && let Some(case) = cases(&Arc::new(scenario)).into_iter().next()
        {
            return Ok(case);
        }
    }
    Err(Diagnostic::whole(&folder, format!("no world for {}", profile.name), None))
}

pub(crate) fn read(path: &Path) -> Result<String, Diagnostic> {
    let fail = |error: &dyn std::fmt::Display| Diagnostic::whole(path, format!("cannot read the file: {error}"), None);
    if path.starts_with(BUILT_IN) {
        return built_in_text(path).map(String::from);
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

#[cfg(test)]
mod tests {
    use super::*;

    /// A folder of its own for one test.
    fn folder(name: &str) -> PathBuf {
        let folder = std::env::temp_dir().join(format!("deltaproof-scenario-{}-{name}", std::process::id()));
        let _ = fs::remove_dir_all(&folder);
        fs::create_dir_all(folder.join("fake/deep")).expect("the folder can be made");
        folder
    }

    #[test]
    fn files_are_found_sorted_and_a_wrong_extension_is_reported() {
        let root = folder("discover");
        for name in ["fake/b.yaml", "fake/a.yaml", "fake/deep/c.yaml", "README.md", "scenario.schema.json"] {
            fs::write(root.join(name), "title: a test\n").expect("the file can be written");
        }
        let found = discover(&root).expect("the folder can be read");
        assert_eq!(found, ["fake/a.yaml", "fake/b.yaml", "fake/deep/c.yaml"].map(|name| root.join(name)));
        fs::write(root.join("fake/d.yml"), "title: a test\n").expect("the file can be written");
        let advice = discover(&root).map_err(|diagnostic| diagnostic.advice().map(String::from));
        assert_eq!(advice, Err(Some("rename it: scenario files end in `.yaml`".into())));
        assert!(discover(&root.join("missing")).is_err());
        fs::remove_dir_all(&root).expect("the folder can be removed");
    }

    #[test]
    fn files_that_are_too_long_or_no_text_are_refused() {
        let root = folder("load");
        let load_bytes = |bytes: &[u8]| {
            let path = root.join("fake/deep/x.yaml");
            fs::write(&path, bytes).expect("the file can be written");
            match load(&root, &path) {
                Ok(scenario) => scenario.id,
                Err(diagnostic) => {
                    let place = format!("{}:", path.display().to_string().replace('\\', "/"));
                    diagnostic.one_line().replace(&place, "")
                }
            }
        };
        assert_eq!(
            load_bytes(&vec![b'#'; MAX_SCENARIO_BYTES + 1]),
            "1:1: the file has at least 262145 bytes; the limit is 262144 \
             (let `crowds` and `churn` make the changes that a long timeline lists, or split the scenario)"
        );
        assert_eq!(
            load_bytes(b"title: a\nwhy: \xff\n"),
            "1:1: the file is not UTF-8: byte 14, on line 2 (save it as UTF-8; scenario files are text)"
        );
        assert!(load(&root, &root.join("missing.yaml")).is_err());
        fs::remove_dir_all(&root).expect("the folder can be removed");
    }
}
