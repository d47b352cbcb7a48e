//! Engines as they are: a program that nobody changed is a shim, with a library of ours preloaded.
//!
//! In reading order: [`description`] (what is known of an engine), [`program`] (what the file is), [`preload`] (the library, built
//! where it is needed), `map` (the checksum that a client has to know), [`data`] (a game of our own, which does what scenarios say),
//! `quake_code`, `quake_map`, `quake_pack` and `quake2_map` (what that is made of, of `lump`s), and here what becomes of
//! all that: how it is started.

pub mod data;
pub mod description;
mod lump;
mod map;
pub mod preload;
pub mod program;
mod quake2_map;
mod quake_code;
mod quake_map;
mod quake_pack;

use crate::foreign::Form;
use crate::scenario::Diagnostic;
use crate::settings::Settings;
use description::{BSP, BUILT_IN, Description, RoleName, World};
use kit::Hidden;
use program::Program;
use serde_json::json;
use shim::{Launch, Surroundings};
use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// What the command line says of an engine.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Chosen {
    /// The name of its description.
    pub name: String,
    /// The file of the description, if it is not one that is carried along.
    pub describe: Option<PathBuf>,
    pub program: PathBuf,
    /// The folder of the game.
    pub dir: Option<PathBuf>,
    /// The map, if it is not the description's.
    pub map: Option<String>,
}

/// Why there is no engine.
#[derive(Debug, thiserror::Error)]
pub enum NoEngine {
    /// Its description is wrong.
    #[error("{0}")]
    Description(Diagnostic),
    /// Anything else.
    #[error("{0}")]
    Usage(String),
}

impl From<Diagnostic> for NoEngine {
    fn from(mistake: Diagnostic) -> NoEngine {
        NoEngine::Description(mistake)
    }
}

impl From<String> for NoEngine {
    fn from(why: String) -> NoEngine {
        NoEngine::Usage(why)
    }
}

/// The description called `name`, or that in a file.
///
/// # Errors
/// There is none of that name, or it is wrong.
pub fn describe(name: &str, file: Option<&Path>) -> Result<Description, NoEngine> {
    if let Some(file) = file {
        let text = fs::read_to_string(file).map_err(|error| format!("--describe {}: {error}", file.display()))?;
        return Ok(Description::parse(file, &text)?);
    }
    let known = || BUILT_IN.iter().map(|(name, _)| *name);
    let text = BUILT_IN.iter().find(|(known, _)| *known == name).map(|(_, text)| *text).ok_or_else(|| {
        let names: Vec<&str> = known().collect();
        format!(
            "no engine `{name}` is described; there are {}; describe another one by --describe FILE",
            names.join(", ")
        )
    })?;
    Ok(Description::parse(&Path::new("built-in engines").join(format!("{name}.yaml")), text)?)
}

/// An engine, ready to be started.
#[derive(Clone, Debug)]
pub struct Engine {
    /// What was said of it, with paths that are good in any folder.
    pub chosen: Chosen,
    pub description: Description,
    pub program: Program,
    /// What is preloaded.
    pub library: PathBuf,
}

/// Whether engines as they are can be run on a system.
fn on(system: &str) -> Result<(), NoEngine> {
    match system {
        "linux" => Ok(()),
        other => Err(NoEngine::Usage(format!(
            "engines as they are need Linux, where a library is preloaded into them, and this is {other}; here, write a shim \
             (`deltaproof shim new`), or talk to the engine over UDP with `probe`, `serve` or `proxy`"
        ))),
    }
}

impl Engine {
    /// Finds what was chosen, and builds the library where it is not there yet.
    ///
    /// # Errors
    /// What is wrong with the description, the program or the folder; that there is no compiler; or that the system is not Linux.
    pub fn new(chosen: &Chosen) -> Result<Engine, NoEngine> {
        on(std::env::consts::OS)?;
        let description = describe(&chosen.name, chosen.describe.as_deref())?;
        let path = program::find(&chosen.program);
        let wrong = |why: program::NoProgram| format!("--program {}: {why}", chosen.program.display());
        let program = Program::look(&path).map_err(wrong)?;
        let chosen = chosen.whole(&description, &path)?;
        let library = preload::library(program.narrow)?.path;
        Ok(Engine { chosen, description, program, library })
    }

    /// How it is started in each profile, and what scenarios have to say otherwise: as its description says, and then `given` on the
    /// command line. Profiles in which that is the same have one form together.
    ///
    /// # Errors
    /// An option or a text is wrong, or the checksum of the map cannot be found.
    pub fn forms(&self, given: &[String], patience: Duration, strict: bool) -> Result<Vec<Form>, String> {
        let mut forms: Vec<(Vec<String>, Launch, Vec<String>)> = Vec::new();
        for profile in &self.description.profiles {
            let own = self.description.of(profile);
            let launch = self.launch(&own, patience, strict);
            let set = self.set(&own, profile, given)?;
            let is_same = |(_, other, others): &&mut (Vec<String>, Launch, Vec<String>)| {
                (&other.command, &other.env, &other.surroundings.directory)
                    == (&launch.command, &launch.env, &launch.surroundings.directory)
                    && *others == set
            };
            match forms.iter_mut().find(is_same) {
                Some((profiles, ..)) => profiles.push(profile.clone()),
                None => forms.push((vec![profile.clone()], launch, set)),
            }
        }
        let form = |(profiles, launch, set): (Vec<String>, Launch, Vec<String>)| {
            let settings = Settings::new(&set, None, &profiles)?;
            Ok(Form { profiles, launch, settings })
        };
        forms.into_iter().map(form).collect()
    }

    /// What is given to scenarios of a profile, as `NAME=VALUE`.
    fn set(&self, own: &Description, profile: &str, given: &[String]) -> Result<Vec<String>, String> {
        let of = own.protocols().find(|protocol| protocol.profiles.iter().any(|it| it.name == profile));
        let has = |name: &str| {
            of.is_some_and(|it| {
                it.options.iter().any(|it| it.name == name) || it.texts.iter().any(|it| it.name == name)
            })
        };
        let mut set = Vec::new();
        for (name, value) in own.set.iter().filter(|(name, _)| has(name)) {
            let value = match value.to_string() {
                // Whoever gives it need not have the map.
                text if text == BSP && given.iter().any(|given| given.split('=').next() == Some(name)) => continue,
                text if text == BSP => self.checksum(own)?.to_string(),
                text => self.placed(own, &text),
            };
            set.push(format!("{name}={value}"));
        }
        set.extend(given.iter().filter(|given| given.split('=').next().is_some_and(has)).cloned());
        Ok(set)
    }

    fn checksum(&self, own: &Description) -> Result<u32, String> {
        let (Some(dir), Some(map)) = (&self.chosen.dir, self.map(own)) else {
            return Err(format!("{}: the checksum of a map needs --dir and a map", own.name));
        };
        map::checksum(dir, map)
    }

    /// What it can be told, if the game in its folder is ours.
    fn world(&self) -> Option<&World> {
        let is_ours = self.chosen.dir.as_deref().is_some_and(data::is_ours);
        self.description.world.as_ref().filter(|_| is_ours)
    }

    fn map<'a>(&'a self, own: &'a Description) -> Option<&'a str> {
        self.chosen.map.as_deref().or(own.map.as_deref())
    }

    /// A text with what its placeholders stand for; `{home}` is left to who starts the process.
    fn placed(&self, own: &Description, text: &str) -> String {
        let dir = self.chosen.dir.as_deref().unwrap_or(Path::new("")).to_string_lossy();
        let port = own.ports.first().map(u16::to_string).unwrap_or_default();
        let program = self.program.path.to_string_lossy();
        let known = [
            ("{dir}", &*dir),
            ("{map}", self.map(own).unwrap_or_default()),
            ("{port}", &port),
            ("{program}", &program),
        ];
        known.iter().fold(String::from(text), |text, (name, value)| text.replace(name, value))
    }

    /// How it is started as `own` describes it.
    fn launch(&self, own: &Description, patience: Duration, strict: bool) -> Launch {
        let mut command = vec![self.program.path.to_string_lossy().into_owned()];
        command.extend(own.arguments.iter().map(|argument| self.placed(own, &argument.to_string())));
        let surroundings = Surroundings {
            directory: own.directory.as_ref().map(|directory| self.placed(own, directory)),
            alone: true,
            home: Some("{home}"),
        };
        Launch { command, patience, tcp: true, strict, env: self.environment(own), surroundings }
    }

    /// All of its environment: what everybody needs, what its description says, and what the library wants to know.
    fn environment(&self, own: &Description) -> Vec<(String, String)> {
        let mut all = vec![
            (String::from("PATH"), String::from("/usr/local/bin:/usr/bin:/bin")),
            (String::from("LANG"), String::from("C")),
        ];
        // Where libraries are, and words for whoever looks for a fault.
        for name in ["LD_LIBRARY_PATH", "DELTAPROOF_ENGINE_LOG", "DELTAPROOF_ENGINE_ASLR"] {
            all.extend(std::env::var(name).ok().map(|value| (String::from(name), value)));
        }
        let mut preloaded = self.library.to_string_lossy().into_owned();
        for (name, value) in &own.environment {
            let value = self.placed(own, &value.to_string());
            match name.as_str() {
                "LD_PRELOAD" => preloaded = format!("{preloaded}:{value}"),
                _ => all.push((name.clone(), value)),
            }
        }
        all.push((String::from("LD_PRELOAD"), preloaded));
        let ports: Vec<String> = own.ports.iter().map(u16::to_string).collect();
        let typed: Vec<String> = own.boot_type.iter().map(|line| self.placed(own, line)).collect();
        let mut tell = |name: &str, value: String| all.push((format!("DELTAPROOF_ENGINE_{name}"), value));
        tell("HELLO", self.hello());
        tell("PORTS", ports.join(","));
        tell("BOOT_MS", own.boot_ms.to_string());
        tell("SPIN", own.spin.to_string());
        tell("THREADS", String::from(own.threads.name()));
        if self.world().is_some() {
            tell("GAME", String::from("1"));
        }
        if !typed.is_empty() {
            tell("BOOT_TYPE", typed.join("\\n"));
        }
        for (name, line) in &own.console {
            let plain = |letter: char| if letter.is_ascii_alphanumeric() { letter } else { '_' };
            let name: String = name.chars().map(plain).collect();
            tell(&format!("TYPE_{name}"), self.placed(own, &line.to_string()));
        }
        all
    }

    /// Who it is, as the members of the reply to `hello`.
    fn hello(&self) -> String {
        let Description { name, roles, profiles, .. } = &self.description;
        let names: Vec<&str> = roles.iter().map(|role| role.name()).collect();
        let world = self.world();
        let mut hello = json!({
            "version": shim::VERSION, "name": name, "build": self.program.hash, "roles": names, "profiles": profiles,
            "takes_world": !roles.contains(&RoleName::Server) || world.is_some(),
        });
        if let Some(world) = world {
            hello["own_options"] = json!(true);
            hello["not_taken"] = json!(world.not_taken);
        }
        if roles.contains(&RoleName::Client) {
            // Nobody can look into it: its datagrams are all that there is.
            let of = self.description.protocols().flat_map(|protocol| Hidden::names(protocol.fields, protocol.notes));
            hello["not_shown"] = json!(of.collect::<BTreeSet<String>>());
        }
        let text = hello.to_string();
        text.strip_prefix('{').and_then(|text| text.strip_suffix('}')).unwrap_or_default().to_string()
    }
}

impl Chosen {
    /// The same with paths that are good in any folder, where the folder of the game is there if it is needed.
    fn whole(&self, description: &Description, program: &Path) -> Result<Chosen, String> {
        let absolute =
            |path: &PathBuf| std::path::absolute(path).map_err(|error| format!("{}: {error}", path.display()));
        let dir = self.dir.as_ref().map(absolute).transpose()?;
        match &dir {
            Some(dir) if !dir.is_dir() => return Err(format!("--dir {}: there is no such folder", dir.display())),
            None if description.needs_dir() => {
                let notes = description.notes.trim();
                return Err(format!("{} needs --dir, the folder of the game\n{notes}", description.name));
            }
            _ => {}
        }
        let describe = self.describe.as_ref().map(absolute).transpose()?;
        let texts = [Some(program), dir.as_deref(), describe.as_deref()];
        if let Some(path) = texts.into_iter().flatten().find(|path| path.to_str().is_none()) {
            return Err(format!("{}: the path is not UTF-8", path.display()));
        }
        Ok(Chosen { program: program.to_path_buf(), dir, describe, ..self.clone() })
    }

    /// What chooses it on the command line.
    pub fn argument(&self) -> String {
        let quoted =
            |text: &str| shlex::try_quote(text).map_or_else(|_| String::from(text), |quoted| quoted.into_owned());
        let path = |path: &Path| quoted(&path.to_string_lossy());
        let mut text = format!("--engine {} --program {}", quoted(&self.name), path(&self.program));
        let options = [
            ("--dir", self.dir.as_deref().map(path)),
            ("--describe", self.describe.as_deref().map(path)),
            ("--map", self.map.as_deref().map(quoted)),
        ];
        for (option, value) in options {
            text.extend(value.map(|value| format!(" {option} {value}")));
        }
        text
    }
}

#[cfg(test)]
mod tests;
