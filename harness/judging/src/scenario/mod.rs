//! Scenarios: YAML files that say what happens in a run, and what it proves.
//!
//! [`parse`] reads a text, [`cases`] gives what to run. In reading order: `library` (the texts that the program carries along),
//! `plain` (YAML of ours), [`file`](mod@file) (what a file may say), [`fault`] (the list of scripted faults), [`short`] (`50ms`, `1..4`), `tree`, `values` and `place` (plain YAML, from its text to types, and places in it), `check`
//! (names and numbers), `host`, `rebind`, `script`, `preset`, `network` and `reach` (from names to numbers), `world` (the instructions of a run),
//! [`plan`].
//!
//! Whatever a file contains, the answer is a scenario or a [`Diagnostic`] with the exact place, and it comes soon.

mod alteration;
mod check;
mod diagnostic;
pub mod fault;
pub mod file;
mod host;
mod library;
mod network;
mod place;
pub mod plain;
pub mod plan;
mod preset;
pub mod reach;
mod rebind;
mod replayed;
#[cfg(feature = "schemas")]
mod schema;
mod script;
mod setting;
#[cfg(feature = "schemas")]
mod shape;
pub mod short;
#[cfg(test)]
mod tests;
pub mod told;
mod tree;
mod values;
mod world;

pub use alteration::{Alteration, FaultKind, OneFault};
pub use diagnostic::Diagnostic;
pub use file::{File, Preset};
pub use library::{
    BUILT_IN, Good, MAX_SCENARIO_BYTES, built_in, built_in_files, built_in_text, check_controls, good, id_of,
    is_to_run, load_built_in, too_long,
};
pub use plan::{Case, by_profile, cases};
pub use reach::{Outcome, Reach, Target};
#[cfg(feature = "schemas")]
pub use schema::schema;
pub use setting::{Quality, Setting};
pub use told::{NotTaken, Told};

use crate::registry::PROTOCOLS;
use kit::{Profile, Protocol, Requirement};
use plain::Text;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// The JSON Schema of scenario files, as text. Only a program with the feature `schemas` makes it again from the types that read them.
#[cfg(not(feature = "schemas"))]
pub fn schema() -> String {
    String::from(include_str!("../../../../scenarios/scenario.schema.json"))
}

/// A scenario: what its file says, with all names resolved.
#[derive(Debug)]
pub struct Scenario {
    /// Its immutable name: the file's path below the root, without the extension, such as `fte/reset-lost`.
    pub id: String,
    /// The file.
    pub path: PathBuf,
    /// What was read.
    pub text: Arc<str>,
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
    hosts: host::Hosts,
    rebinds: Vec<kit::Rebind>,
    reach: Vec<Reach>,
}

/// The folder below the root of the scenarios that has those for `probe`: networks and client verbs without a world.
pub const PROBES: &str = "probe";

/// The folder below the root of the scenarios that has the worlds for `serve`.
pub const WORLDS: &str = "serve";

/// What a scenario cannot do without.
const NEEDED: &str =
    "a scenario has at least `title`, `why`, `profiles`, `requirements`, `fate_model: 1` and `duration`";

/// What a scenario is read for.
#[derive(Clone, Copy)]
enum Aim<'a> {
    /// To run with its profiles, which these protocols have.
    Run(&'a [&'static Protocol]),
    /// To probe a server of this profile.
    Probe(&'static Protocol, &'static Profile),
}

/// Reads the scenario in `text`, which the file `path` holds.
///
/// # Errors
/// The first mistake: in the YAML, in the keys and values, or against the registry of protocols.
pub fn parse(id: &str, path: &Path, text: &str) -> Result<Scenario, Diagnostic> {
    parse_with(PROTOCOLS, id, path, text)
}

/// [`parse`], against another registry.
///
/// # Errors
/// The same.
pub fn parse_with(protocols: &[&'static Protocol], id: &str, path: &Path, text: &str) -> Result<Scenario, Diagnostic> {
    let nothing = || Diagnostic::whole(path, "the scenario is for no profile", None);
    parse_for(Aim::Run(protocols), id, path, text)?.ok_or_else(nothing)
}

/// Reads the scenario in `text`, which the file `path` holds, for a live session with `profile`; `None`: it is for others.
///
/// # Errors
/// The first mistake.
pub fn parse_for_live(
    protocol: &'static Protocol,
    profile: &'static Profile,
    id: &str,
    path: &Path,
    text: &str,
) -> Result<Option<Scenario>, Diagnostic> {
    parse_for(Aim::Probe(protocol, profile), id, path, text)
}

/// Reads a scenario; `None`: it is one for probes, but not of this profile.
fn parse_for(aim: Aim<'_>, id: &str, path: &Path, text: &str) -> Result<Option<Scenario>, Diagnostic> {
    if text.len() > MAX_SCENARIO_BYTES {
        return Err(too_long(path, text.len() as u64));
    }
    let read = text;
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let (file, source): (File, _) = Text::read(path, text, NEEDED)?;
    let (protocol, profiles) = match aim {
        Aim::Run(protocols) => check::protocol(protocols, &source, &file)?,
        Aim::Probe(protocol, profile) if file.profiles == ["any"] => (protocol, vec![profile]),
        Aim::Probe(protocol, profile) if file.profiles.iter().any(|name| name == profile.name) => {
            (protocol, vec![profile])
        }
        Aim::Probe(..) => {
            if file.profiles.is_empty() {
                check::protocol(PROTOCOLS, &source, &file)?;
            }
            return Ok(None);
        }
    };
    let is_live = matches!(aim, Aim::Probe(..));
    let checker = check::Checker { source, file: &file, protocol, is_live };
    let head = checker.head(profiles, matches!(aim, Aim::Run(_)))?;
    let hosts = host::resolve(&checker)?;
    let rebinds = rebind::resolve(&checker, &head.profiles)?;
    let script = script::resolve(&checker, &hosts)?;
    let links = network::resolve(&checker, &hosts)?;
    let reach = reach::resolve(&checker)?;
    Ok(Some(Scenario {
        id: id.into(),
        path: path.into(),
        text: read.into(),
        protocol,
        profiles: head.profiles,
        requirements: head.requirements,
        finding: head.finding,
        variants: head.variants,
        texts: head.texts,
        script: Arc::new(script),
        links,
        hosts,
        rebinds,
        reach,
        file,
    }))
}
