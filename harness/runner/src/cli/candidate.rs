//! What the command line can say of what takes the place of the reference.

use super::output::Stop;
use super::values::{is_name, place};
use crate::engine::{Chosen, Engine, NoEngine};
use crate::foreign::{Foreign, PATIENCE};
use crate::place::Place;
use crate::report::place::Shown;
use crate::settings::Settings;
use clap::{ArgGroup, Args};
use shim::{Launch, Surroundings, schema};
use std::path::{Path, PathBuf};
use std::time::Duration;

/// What runs in the place of the reference.
#[derive(Debug, Default, Args)]
#[command(group(ArgGroup::new("process").args(["shim", "engine"]).multiple(true)))]
pub(super) struct CandidateArguments {
    /// Run this conforming variant or mutant in the place of the reference server, in the cases of its protocol
    #[arg(long, value_name = "NAME", conflicts_with_all = ["client", "engine"])]
    pub server: Option<String>,
    /// Run this conforming variant or mutant in the place of the reference clients, in the cases of its protocol
    #[arg(long, value_name = "NAME", conflicts_with = "engine")]
    pub client: Option<String>,
    /// Run a process in the place of the reference: this command line, which speaks the shim protocol; `run` compares several,
    /// each with a name of its own (`--shim a=COMMAND --shim b=COMMAND`)
    #[arg(long, value_name = "COMMAND", conflicts_with_all = ["server", "client"])]
    pub shim: Vec<String>,
    /// Whose place it takes, where it can be more than one; a codec only reads what the reference's clients receive
    #[arg(long, value_parser = place(), requires = "process")]
    pub role: Option<Place>,
    #[command(flatten)]
    pub engine: EngineArguments,
    #[command(flatten)]
    pub settings: SettingsArguments,
    #[command(flatten)]
    pub talk: ShimTalk,
}

impl CandidateArguments {
    /// The file that failures are shown at; `expect` has those that are known.
    pub(super) fn shown(&self, expect: Option<&Path>) -> Shown {
        if self.shim.is_empty() && self.engine.engine.is_empty() {
            return Shown::Scenario;
        }
        let shims = self.shim.iter().flat_map(|command| {
            // Of several, each has its name in front.
            let command = command.split_once('=').filter(|(name, _)| is_name(name)).map_or(command.as_str(), |it| it.1);
            shlex::split(command).unwrap_or_default()
        });
        self.engine.shown(expect, shims)
    }
}

/// An engine as it is, in the place of the reference.
#[derive(Debug, Default, Args)]
pub(super) struct EngineArguments {
    /// Run an engine as it is in the place of the reference, in virtual time: the name of its description, as `engine list` prints it;
    /// `run` compares several, each with a name of its own (`--engine a=q2pro --program a=PATH`)
    #[arg(long, value_name = "NAME")]
    pub engine: Vec<String>,
    /// The engine's program, without its arguments: those are in the description
    #[arg(long, value_name = "PATH", requires = "engine")]
    pub program: Vec<String>,
    /// The folder of the game, as the engine wants it; `engine show NAME` says what has to be in it
    #[arg(long, value_name = "DIR", requires = "engine")]
    pub dir: Vec<String>,
    /// Take the description from this file (`engine show` prints one to begin with)
    #[arg(long, value_name = "FILE", requires = "engine")]
    pub describe: Vec<String>,
}

impl EngineArguments {
    /// The file that failures are shown at, of an engine or of what was started by these `words`.
    pub(super) fn shown(&self, expect: Option<&Path>, words: impl IntoIterator<Item = String>) -> Shown {
        let expect = expect.into_iter().map(Path::to_path_buf);
        let texts = self.describe.iter().cloned().chain(words).chain(self.program.iter().cloned());
        Shown::own(expect.chain(texts.map(PathBuf::from)))
    }

    /// What is chosen for each engine, with its name where there are `several` to compare.
    pub(super) fn chosen(&self, map: Option<&Path>, several: bool) -> Result<Vec<(String, Chosen)>, Stop> {
        let mut all: Vec<(String, &str)> = Vec::new();
        for engine in &self.engine {
            let (name, what) = match (several, engine.split_once('=')) {
                (false, _) => ("", engine.as_str()),
                (true, Some((name, what))) if is_name(name) => (name, what),
                (true, _) => {
                    return Err(Stop::Usage(format!(
                        "several are compared by name: write --engine NAME={engine}, with letters and digits"
                    )));
                }
            };
            all.push((String::from(name), what));
        }
        let names: Vec<&str> = all.iter().map(|(name, _)| name.as_str()).collect();
        let of = |option: &str, values: &[String], name: &str| -> Result<Option<PathBuf>, Stop> {
            let own = |value: &&String| value.split_once('=').is_some_and(|(of, _)| !name.is_empty() && of == name);
            let others =
                |value: &&String| value.split_once('=').is_none_or(|(of, _)| of.is_empty() || !names.contains(&of));
            let mut found: Vec<&str> =
                values.iter().filter(own).filter_map(|value| Some(value.split_once('=')?.1)).collect();
            if found.is_empty() {
                found = values.iter().filter(others).map(String::as_str).collect();
            }
            match found.as_slice() {
                [] => Ok(None),
                [one] => Ok(Some(PathBuf::from(one))),
                _ => Err(Stop::Usage(format!(
                    "{option} stands more than once{}",
                    if name.is_empty() { String::new() } else { format!(" for {name}") }
                ))),
            }
        };
        let map = match map {
            Some(map) => {
                Some(map.to_str().ok_or_else(|| Stop::Usage(String::from("--map: the name of a map is text")))?)
            }
            None => None,
        };
        let one = |(name, what): &(String, &str)| {
            let program = of("--program", &self.program, name)?;
            let program = program.ok_or_else(|| {
                let own = if name.is_empty() { String::new() } else { format!("{name}=") };
                Stop::Usage(format!("which program is the engine `{what}`? say --program {own}PATH"))
            })?;
            let (dir, describe) = (of("--dir", &self.dir, name)?, of("--describe", &self.describe, name)?);
            Ok((name.clone(), Chosen { name: String::from(*what), describe, program, dir, map: map.map(String::from) }))
        };
        all.iter().map(one).collect()
    }

    /// The only one that is chosen, if one is.
    pub(super) fn only(&self, map: Option<&Path>) -> Result<Option<Chosen>, Stop> {
        match self.chosen(map, false)?.as_slice() {
            [] => Ok(None),
            [(_, chosen)] => Ok(Some(chosen.clone())),
            _ => Err(Stop::Usage(String::from("one --engine at a time; only `run` compares several"))),
        }
    }
}

impl From<NoEngine> for Stop {
    fn from(why: NoEngine) -> Stop {
        match why {
            NoEngine::Description(mistake) => Stop::from(mistake),
            NoEngine::Usage(why) => Stop::Usage(why),
        }
    }
}

/// What scenarios have to say otherwise for a shim.
#[derive(Debug, Default, Args)]
pub(super) struct SettingsArguments {
    /// Give an option or a text of all scenarios this value, which the shim needs, such as `map_checksum=0x7dba0d07`; `list --words`
    /// names all. Cases that are about another value are left out
    #[arg(long = "set", value_name = "NAME=VALUE")]
    pub set: Vec<String>,
    /// With --shim, the .bsp file of the map that a QuakeWorld server runs: it asks for the checksum (option `map_checksum`). With
    /// --engine, the name of the map that it begins
    #[arg(long, value_name = "FILE or NAME")]
    pub map: Option<PathBuf>,
    /// With a server that nobody can tell what the world is, run a clean client beside the others; what differs from what it holds once
    /// the world rests is a failure
    #[arg(long)]
    pub control: bool,
}

impl SettingsArguments {
    /// Gives a shim what is given.
    pub(super) fn give(&self, shim: Foreign) -> Result<Foreign, Stop> {
        let given = Settings::new(&self.set, self.map.as_deref(), &shim.hello.profiles).map_err(Stop::Usage)?;
        self.give_all(shim, given)
    }

    /// Gives it what is `given`, and a control client if there is to be one.
    fn give_all(&self, shim: Foreign, mut given: Settings) -> Result<Foreign, Stop> {
        given.control = self.control;
        if self.control && shim.takes_world() {
            let why = "--control is for servers that nobody can tell what the world is; all others are judged by it";
            return Err(Stop::Usage(String::from(why)));
        }
        Ok(shim.with(given))
    }

    /// Starts an engine, and gives it what is given.
    pub(super) fn start(&self, engine: &Engine, place: Option<Place>, talk: &ShimTalk) -> Result<Foreign, Stop> {
        let given = Settings::new(&self.set, None, &engine.description.profiles).map_err(Stop::Usage)?;
        let forms = engine.forms(&self.set, talk.patience(), talk.is_strict()?).map_err(Stop::Usage)?;
        let started = Foreign::start_engine(forms, engine.chosen.argument(), place);
        let foreign = started.map_err(|why| {
            Stop::Shim(format!("{why}\n`deltaproof engine doctor {}` looks for the reason", engine.chosen.argument()))
        })?;
        self.give_all(foreign, given)
    }

    /// Whether anything is given.
    pub(super) fn is_empty(&self) -> bool {
        self.set.is_empty() && self.map.is_none() && !self.control
    }
}

/// How to talk to a shim.
#[derive(Debug, Default, Args)]
pub(super) struct ShimTalk {
    /// How long it may take for one answer, in milliseconds of wall time; for the first, six times that
    #[arg(long, value_name = "MS", default_value_t = PATIENCE.as_millis() as u64)]
    pub shim_timeout: u64,
    /// Talk to it over a loopback TCP connection; its standard output is free for anything then
    #[arg(long)]
    pub shim_tcp: bool,
    /// Check every message, ours and its, against the JSON Schemas of the shim protocol
    #[arg(long)]
    pub strict_shim: bool,
}

impl ShimTalk {
    /// How to start `command`. An error where every message was to be checked, and this program cannot.
    pub(super) fn launch(&self, command: Vec<String>) -> Result<Launch, Stop> {
        let strict = self.is_strict()?;
        let surroundings = Surroundings::default();
        Ok(Launch { command, patience: self.patience(), tcp: self.shim_tcp, strict, env: Vec::new(), surroundings })
    }

    /// How long one answer may take.
    pub(super) fn patience(&self) -> Duration {
        Duration::from_millis(self.shim_timeout)
    }

    /// Whether every message is to be checked; an error where this program cannot.
    pub(super) fn is_strict(&self) -> Result<bool, Stop> {
        if self.strict_shim && !schema::AVAILABLE {
            return Err(Stop::Usage(format!("--strict-shim: {}", schema::HOW_TO_GET)));
        }
        Ok(self.strict_shim)
    }
}
