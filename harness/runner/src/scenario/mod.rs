//! Scenarios: YAML files that say what happens in a run, and what it proves.
//!
//! [`discover`] finds the files, [`load`] reads one, [`cases`] gives what to run. In reading order: [`file`](mod@file)
//! (what a file may say), [`fault`] (the list of scripted faults), [`short`] (`50ms`, `1..4`), `syntax` and `locate` (plain YAML, and places in it), `check`
//! (names and numbers), `script`, `network` and `reach` (from names to numbers), `world` (the instructions of a run),
//! [`plan`].
//!
//! Whatever a file contains, the answer is a scenario or a [`Diagnostic`] with the exact place, and it comes soon.

mod alteration;
mod check;
mod diagnostic;
pub mod fault;
pub mod file;
mod locate;
mod network;
pub mod plan;
pub mod reach;
mod schema;
mod script;
mod shape;
pub mod short;
mod syntax;
#[cfg(test)]
mod tests;
mod world;

pub use alteration::{Alteration, FaultKind, OneFault};
pub use diagnostic::Diagnostic;
pub use file::File;
pub use plan::{Case, cases};
pub use reach::{Outcome, Reach, Target};
pub use schema::schema;

use crate::registry::PROTOCOLS;
use kit::{Profile, Protocol, Requirement};
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

/// A scenario: what its file says, with all names resolved.
#[derive(Debug)]
pub struct Scenario {
    /// Its immutable name: the file's path below the root, without the extension, such as `fte/reset-lost`.
    pub id: String,
    /// The file.
    pub path: PathBuf,
    /// What it says.
    pub file: File,
    /// The protocol of its profiles.
    pub protocol: &'static Protocol,
    /// The profiles to run it with, in the file's order.
    pub profiles: Vec<&'static Profile>,
    /// The requirements that it covers, in the file's order.
    pub requirements: Vec<&'static Requirement>,
    /// The requirement that a run must find violated; none where it must pass.
    pub finding: Option<&'static Requirement>,
    variants: Vec<(String, Vec<i64>)>,
    texts: Vec<Arc<str>>,
    script: Arc<script::Script>,
    links: Vec<[sim::Link; 2]>,
    reach: Vec<Reach>,
}

/// Finds the scenario files below `root`, sorted; those for live sessions are left out.
///
/// # Errors
/// A folder that cannot be read, or a file named `.yml`, which would silently be no scenario.
pub fn discover(root: &Path) -> Result<Vec<PathBuf>, Diagnostic> {
    let mut files = files(root)?;
    files.retain(|path| ![PROBES, WORLDS].iter().any(|folder| path.starts_with(root.join(folder))));
    Ok(files)
}

fn files(root: &Path) -> Result<Vec<PathBuf>, Diagnostic> {
    let mut files = Vec::new();
    visit(root, 0, &mut files)?;
    files.sort();
    Ok(files)
}

/// The folder below the root of the scenarios that has those for `probe`: networks and client verbs without a world.
pub const PROBES: &str = "probe";

/// The scenarios for probing a server of `profile`: those below [`PROBES`] whose `profiles` are `[any]` or name it.
///
/// # Errors
/// The first file that cannot be read, or has a mistake.
pub fn probes(root: &Path, protocol: &'static Protocol, profile: &'static Profile) -> Result<Vec<Case>, Diagnostic> {
    let mut cases = Vec::new();
    for path in files(&root.join(PROBES))? {
        let text = read(&path)?;
        let aim = Aim::Probe(protocol, profile);
        if let Some(scenario) = parse_for(aim, &id_of(root, &path), &path, &text)? {
            let scenario = Arc::new(scenario);
            cases.extend(plan::cases(&scenario).into_iter().filter(|case| case.profile == profile));
        }
    }
    Ok(cases)
}

/// The folder below the root of the scenarios that has the worlds for `serve`.
pub const WORLDS: &str = "serve";

/// The world to serve for `profile`: the first scenario below [`WORLDS`] that names it.
///
/// # Errors
/// There is none, or the first file that cannot be read or has a mistake.
pub fn world(root: &Path, protocol: &'static Protocol, profile: &'static Profile) -> Result<Case, Diagnostic> {
    let folder = root.join(WORLDS);
    for path in files(&folder)? {
        let aim = Aim::Probe(protocol, profile);
        if let Some(scenario) = parse_for(aim, &id_of(root, &path), &path, &read(&path)?)?
            && let Some(case) = plan::cases(&Arc::new(scenario)).into_iter().next()
        {
            return Ok(case);
        }
    }
    Err(Diagnostic::whole(&folder, format!("no world for {}", profile.name), None))
}

/// What a scenario is read for.
#[derive(Clone, Copy)]
enum Aim<'a> {
    /// To run with its profiles, which these protocols have.
    Run(&'a [&'static Protocol]),
    /// To probe a server of this profile.
    Probe(&'static Protocol, &'static Profile),
}

fn visit(folder: &Path, depth: usize, files: &mut Vec<PathBuf>) -> Result<(), Diagnostic> {
    if depth > MAX_FOLDERS {
        return Err(Diagnostic::whole(folder, format!("folders nest more than {MAX_FOLDERS} deep"), None));
    }
    let fail = |error: std::io::Error| Diagnostic::whole(folder, format!("cannot read the folder: {error}"), None);
    for entry in fs::read_dir(folder).map_err(fail)? {
        let entry = entry.map_err(fail)?;
        let path = entry.path();
        // Links to folders are not followed: they could lead in circles.
        if entry.file_type().map_err(fail)?.is_dir() {
            visit(&path, depth + 1, files)?;
            continue;
        }
        match path.extension().and_then(|extension| extension.to_str()) {
            Some("yaml") => files.push(path),
            Some("yml") => {
                let help = "rename it: scenario files end in `.yaml`";
                return Err(Diagnostic::whole(&path, "a scenario file with the wrong extension", Some(help.into())));
            }
            _ => {}
        }
    }
    Ok(())
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
pub fn load_each<P: AsRef<Path> + Sync>(root: &Path, paths: &[P]) -> Vec<Result<Arc<Scenario>, Diagnostic>> {
    paths.par_iter().map(|path| load(root, path.as_ref()).map(Arc::new)).collect()
}

/// Reads the scenarios below `root` whose names are `wanted`, and those that they have for controls, in the order of their files.
///
/// # Errors
/// The first file that cannot be read or has a mistake, or the first control that is not there.
pub fn load_some(root: &Path, wanted: impl Fn(&str) -> bool) -> Result<Vec<Arc<Scenario>>, Diagnostic> {
    let paths: Vec<(String, PathBuf)> = discover(root)?.into_iter().map(|path| (id_of(root, &path), path)).collect();
    let read = |wanted: &dyn Fn(&str) -> bool| {
        let chosen: Vec<&PathBuf> = paths.iter().filter(|(id, _)| wanted(id)).map(|(_, path)| path).collect();
        load_each(root, &chosen).into_iter().collect::<Result<Vec<_>, _>>()
    };
    let mut scenarios = read(&wanted)?;
    let control = |scenario: &Arc<Scenario>| scenario.file.control.clone().filter(|id| !wanted(id));
    let controls: BTreeSet<String> = scenarios.iter().filter_map(control).collect();
    let missing = |control: &String| !paths.iter().any(|(id, _)| id == control);
    // Who names one that is not there hears which there are.
    let all = controls.iter().any(missing);
    scenarios.extend(read(&|id| controls.contains(id) || all && !wanted(id))?);
    scenarios.sort_by(|one, other| one.path.cmp(&other.path));
    check_controls(&scenarios)?;
    Ok(scenarios)
}

/// The name of the scenario in the file `path`, below `root`.
fn id_of(root: &Path, path: &Path) -> String {
    let below = path.strip_prefix(root).unwrap_or(path).with_extension("");
    let names = below.components().filter_map(|part| match part {
        std::path::Component::Normal(name) => Some(name.to_string_lossy().into_owned()),
        _ => None,
    });
    names.collect::<Vec<_>>().join("/")
}

pub(crate) fn read(path: &Path) -> Result<String, Diagnostic> {
    let fail = |error: std::io::Error| Diagnostic::whole(path, format!("cannot read the file: {error}"), None);
    let file = fs::File::open(path).map_err(fail)?;
    let size = file.metadata().map_err(fail)?.len();
    if size > MAX_SCENARIO_BYTES as u64 {
        return Err(too_long(path, size));
    }
    let mut bytes = Vec::new();
    // The size may be a lie: some files have none.
    file.take(MAX_SCENARIO_BYTES as u64 + 1).read_to_end(&mut bytes).map_err(fail)?;
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

fn too_long(path: &Path, bytes: u64) -> Diagnostic {
    let message = format!("the file has at least {bytes} bytes; the limit is {MAX_SCENARIO_BYTES}");
    let help = "let `crowds` and `churn` make the changes that a long timeline lists, or split the scenario";
    Diagnostic::whole(path, message, Some(String::from(help)))
}

/// Reads the scenario in `text`, which the file `path` holds.
///
/// # Errors
/// The first mistake: in the YAML, in the keys and values, or against the registry of protocols.
pub fn parse(id: &str, path: &Path, text: &str) -> Result<Scenario, Diagnostic> {
    parse_with(PROTOCOLS, id, path, text)
}

/// [`parse`], against another registry.
fn parse_with(protocols: &[&'static Protocol], id: &str, path: &Path, text: &str) -> Result<Scenario, Diagnostic> {
    let nothing = || Diagnostic::whole(path, "the scenario is for no profile", None);
    parse_for(Aim::Run(protocols), id, path, text)?.ok_or_else(nothing)
}

/// Reads a scenario; `None`: it is one for probes, but not of this profile.
fn parse_for(aim: Aim<'_>, id: &str, path: &Path, text: &str) -> Result<Option<Scenario>, Diagnostic> {
    if text.len() > MAX_SCENARIO_BYTES {
        return Err(too_long(path, text.len() as u64));
    }
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    syntax::check(path, text)?;
    let file: File = serde_yaml::from_str(text).map_err(|error| Diagnostic::from_yaml(path, text, &error))?;
    let (protocol, profiles) = match aim {
        Aim::Run(protocols) => check::protocol(protocols, path, text, &file)?,
        Aim::Probe(protocol, profile) if file.profiles == ["any"] => (protocol, vec![profile]),
        Aim::Probe(protocol, profile) if file.profiles.iter().any(|name| name == profile.name) => {
            (protocol, vec![profile])
        }
        Aim::Probe(..) => {
            if file.profiles.is_empty() {
                check::protocol(PROTOCOLS, path, text, &file)?;
            }
            return Ok(None);
        }
    };
    let is_live = matches!(aim, Aim::Probe(..));
    let checker = check::Checker { path, text, file: &file, protocol, is_live };
    let head = checker.head(profiles, matches!(aim, Aim::Run(_)))?;
    let script = script::resolve(&checker)?;
    let links = network::resolve(&checker)?;
    let reach = reach::resolve(&checker)?;
    Ok(Some(Scenario {
        id: id.into(),
        path: path.into(),
        protocol,
        profiles: head.profiles,
        requirements: head.requirements,
        finding: head.finding,
        variants: head.variants,
        texts: head.texts,
        script: Arc::new(script),
        links,
        reach,
        file,
    }))
}

/// Checks what concerns several scenarios: that every `control` is there and runs with the same profiles.
///
/// # Errors
/// The first scenario whose control is not among `scenarios`, is itself, or lacks one of its profiles.
pub fn check_controls(scenarios: &[Arc<Scenario>]) -> Result<(), Diagnostic> {
    for scenario in scenarios {
        let Some(control) = &scenario.file.control else { continue };
        let fail = |message: String, help: Option<String>| Err(Diagnostic::whole(&scenario.path, message, help));
        if *control == scenario.id {
            return fail(String::from("the scenario is its own control"), None);
        }
        let Some(other) = scenarios.iter().find(|other| other.id == *control) else {
            let ids: Vec<&str> = scenarios.iter().map(|other| other.id.as_str()).collect();
            let help = diagnostic::suggest(control, &ids, "the scenarios are");
            return fail(format!("its control `{control}` does not exist"), help);
        };
        if let Some(profile) = scenario.profiles.iter().find(|profile| !other.profiles.contains(profile)) {
            return fail(format!("its control `{control}` does not run with the profile `{}`", profile.name), None);
        }
    }
    Ok(())
}
