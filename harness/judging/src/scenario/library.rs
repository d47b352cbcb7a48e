//! The scenarios that the program carries along, and what holds among scenarios: each has its control.
//!
//! A folder of scenarios is a path everywhere; [`BUILT_IN`] is the one that the program carries along, and is in no file system.

use super::{Diagnostic, PROBES, Scenario, WORLDS, diagnostic, parse};
use include_dir::{Dir, include_dir};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// A scenario file is at most so long.
pub const MAX_SCENARIO_BYTES: usize = 256 * 1024;

/// The root of the scenarios that the program carries along, as they were when it was built.
pub const BUILT_IN: &str = "built-in scenarios";

static FILES: Dir<'static> = include_dir!("$CARGO_MANIFEST_DIR/../../scenarios");

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

/// The scenarios that the program carries along below `root`, with those for live sessions; `None`: that is a folder of files.
pub fn built_in_files(root: &Path) -> Option<Vec<PathBuf>> {
    let below = root.strip_prefix(BUILT_IN).ok()?;
    let all = built_in().into_iter().map(|(path, _)| path).filter(|path| path.starts_with(below));
    let scenarios = all.filter(|path| path.extension().is_some_and(|extension| extension == "yaml"));
    Some(scenarios.map(|path| Path::new(BUILT_IN).join(path)).collect())
}

/// The text of a file that the program carries along; its path begins with [`BUILT_IN`].
///
/// # Errors
/// There is no such file.
pub fn built_in_text(path: &Path) -> Result<&'static str, Diagnostic> {
    let file = path.strip_prefix(BUILT_IN).ok().and_then(|below| FILES.get_file(below));
    let message = "cannot read the file: the program does not carry it along";
    file.and_then(|file| file.contents_utf8()).ok_or_else(|| Diagnostic::whole(path, message, None))
}

/// The scenarios that the program carries along whose names are `wanted`, and those that they have for controls.
///
/// # Errors
/// All mistakes in them.
pub fn load_built_in(wanted: impl Fn(&str) -> bool) -> Result<Vec<Arc<Scenario>>, Diagnostic> {
    let root = Path::new(BUILT_IN);
    let mut paths = built_in_files(root).unwrap_or_default();
    paths.retain(|path| is_to_run(root, path));
    let load = |path: &&Path| parse(&id_of(root, path), path, built_in_text(path)?).map(Arc::new);
    let (scenarios, mistakes) = good(root, &paths, wanted, |paths| paths.iter().map(load).collect());
    Diagnostic::all(mistakes).map_or(Ok(scenarios), Err)
}

/// Whether the file `path` below `root` has a scenario to run, and none for live sessions.
pub fn is_to_run(root: &Path, path: &Path) -> bool {
    ![PROBES, WORLDS].iter().any(|folder| path.starts_with(root.join(folder)))
}

/// Scenarios, and what is wrong with others.
pub type Good = (Vec<Arc<Scenario>>, Vec<Diagnostic>);

/// Of the scenarios in the files `paths`, below `root`, those whose names are `wanted`, and those that they have for controls, in the
/// order of their files; and what is wrong with others. `load_each` reads some of the files, in their order.
pub fn good(
    root: &Path,
    paths: &[PathBuf],
    wanted: impl Fn(&str) -> bool,
    load_each: impl Fn(&[&Path]) -> Vec<Result<Arc<Scenario>, Diagnostic>>,
) -> Good {
    let paths: Vec<(String, &Path)> = paths.iter().map(|path| (id_of(root, path), path.as_path())).collect();
    let (mut scenarios, mut mistakes): Good = (Vec::new(), Vec::new());
    let mut read = |wanted: &dyn Fn(&str) -> bool, scenarios: &mut Vec<Arc<Scenario>>| {
        let chosen: Vec<&Path> = paths.iter().filter(|(id, _)| wanted(id)).map(|(_, path)| *path).collect();
        for result in load_each(&chosen) {
            match result {
                Ok(scenario) => scenarios.push(scenario),
                Err(mistake) => mistakes.push(mistake),
            }
        }
    };
    read(&wanted, &mut scenarios);
    // Controls can have controls.
    let mut known = BTreeSet::new();
    loop {
        let controls = scenarios.iter().filter_map(|scenario| scenario.file.control.clone());
        let more: BTreeSet<String> = controls.filter(|id| !wanted(id) && !known.contains(id)).collect();
        if more.is_empty() {
            break;
        }
        read(&|id| more.contains(id), &mut scenarios);
        known.extend(more);
    }
    scenarios.sort_by(|one, other| one.path.cmp(&other.path));
    let ids: Vec<&str> = paths.iter().map(|(id, _)| id.as_str()).collect();
    let wrong: Vec<Option<Diagnostic>> =
        scenarios.iter().map(|scenario| wrong_control(scenario, &scenarios, &ids)).collect();
    let mut good = wrong.iter().map(Option::is_none);
    scenarios.retain(|_| good.next().unwrap_or(true));
    mistakes.extend(wrong.into_iter().flatten());
    (scenarios, mistakes)
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
pub fn id_of(root: &Path, path: &Path) -> String {
    let below = path.strip_prefix(root).unwrap_or(path).with_extension("");
    let names = below.components().filter_map(|part| match part {
        std::path::Component::Normal(name) => Some(name.to_string_lossy().into_owned()),
        _ => None,
    });
    names.collect::<Vec<_>>().join("/")
}

/// A scenario file that is longer than [`MAX_SCENARIO_BYTES`].
pub fn too_long(path: &Path, bytes: u64) -> Diagnostic {
    let message = format!("the file has at least {bytes} bytes; the limit is {MAX_SCENARIO_BYTES}");
    let help = "let `crowds` and `churn` make the changes that a long timeline lists, or split the scenario";
    Diagnostic::whole(path, message, Some(String::from(help)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_scenario_can_be_read_alone_with_its_control_and_the_control_of_that() {
        let read = |id: &str| load_built_in(|known| known == id).map_err(|error| error.one_line());
        let ids = |id: &str| read(id).map(|all| all.iter().map(|scenario| scenario.id.clone()).collect::<Vec<_>>());
        let all = ["fte/movement-clean", "fte/movement-echo", "fte/movement-repeated"].map(String::from);
        assert_eq!(ids("fte/movement-repeated"), Ok(Vec::from(all)));
    }
}
