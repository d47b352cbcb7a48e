//! What is known of an engine: a YAML file says how it is started, what it needs, and what is typed at its console.

use crate::registry::{self, PROTOCOLS};
use crate::scenario::plain::{Text, To};
use crate::scenario::{Diagnostic, NotTaken};
use kit::Protocol;
use serde::de::{Error, Visitor};
use serde::{Deserialize, Deserializer};
use std::collections::BTreeMap;
use std::fmt;
use std::path::Path;

macro_rules! built_in {
    ($($name:literal)*) => {
        &[$(($name, include_str!(concat!("../../../../shims/engines/", $name, ".yaml")))),*]
    };
}

/// The descriptions that the program carries along: names as on the command line, and texts.
pub const BUILT_IN: &[(&str, &str)] =
    built_in!["fteqw" "q2pro" "quakespasm" "quakespasm-spiked" "r1q2" "r1q2-1901" "yquake2"];

/// What stands for something else in arguments, environment, directory and console.
pub const PLACEHOLDERS: [&str; 5] = ["dir", "map", "home", "port", "program"];
/// In `set`, the checksum of the map.
pub const BSP: &str = "{bsp}";
/// What everybody is told to do, beside the verbs of protocols.
const COMMANDS: [&str; 4] = ["map", "connect", "disconnect", "leave"];

/// A description, as it is written.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Description {
    /// As reports show it.
    pub name: String,
    /// What it is, in a line.
    pub about: String,
    /// What it can be.
    pub roles: Vec<RoleName>,
    /// The profiles that it speaks.
    pub profiles: Vec<String>,
    /// What it is started with.
    #[serde(default)]
    pub arguments: Vec<Given>,
    /// Its working directory; otherwise ours.
    #[serde(default)]
    pub directory: Option<String>,
    /// All of its environment but for what everybody needs.
    #[serde(default)]
    pub environment: BTreeMap<String, Given>,
    /// The UDP ports of its game, the main one first; without one, the first that it binds.
    #[serde(default)]
    pub ports: Vec<u16>,
    /// The map, unless the command line names another.
    #[serde(default)]
    pub map: Option<String>,
    /// It runs for so many virtual milliseconds before the first run begins.
    #[serde(default = "boot_ms")]
    pub boot_ms: u32,
    /// Lines that are typed then.
    #[serde(default)]
    pub boot_type: Vec<String>,
    /// So many looks at the clock without waiting count as a millisecond.
    #[serde(default = "spin")]
    pub spin: u32,
    /// Whether it may start threads.
    #[serde(default)]
    pub threads: Threads,
    /// What is typed for a command or a verb of a scenario.
    #[serde(default)]
    pub console: BTreeMap<String, Given>,
    /// Options and texts of scenarios that it needs.
    #[serde(default)]
    pub set: BTreeMap<String, Given>,
    /// What it can be told where the game in its folder is ours (`engine data`); without it, nothing.
    #[serde(default)]
    pub world: Option<World>,
    /// What differs in a profile.
    #[serde(default)]
    pub by_profile: BTreeMap<String, Changes>,
    /// What somebody has to know who uses it.
    #[serde(default)]
    pub notes: String,
}

/// What an engine can be told that runs our own game.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct World {
    /// What it does not take, or of clients that it cannot follow: verbs, fields, and numbers that are too large
    /// ([`NotTaken`]). All else it takes.
    #[serde(default)]
    pub not_taken: Vec<String>,
}

const fn boot_ms() -> u32 {
    3_000
}

const fn spin() -> u32 {
    2_000
}

/// What differs in a profile: a list is another one, a mapping has more keys.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Changes {
    arguments: Option<Vec<Given>>,
    directory: Option<String>,
    environment: BTreeMap<String, Given>,
    ports: Option<Vec<u16>>,
    map: Option<String>,
    boot_ms: Option<u32>,
    boot_type: Option<Vec<String>>,
    spin: Option<u32>,
    threads: Option<Threads>,
    console: BTreeMap<String, Given>,
    set: BTreeMap<String, Given>,
}

/// What an engine can be.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum RoleName {
    /// It serves clients.
    Server,
    /// It plays.
    Client,
}

impl RoleName {
    /// The word.
    pub const fn name(self) -> &'static str {
        match self {
            RoleName::Server => "server",
            RoleName::Client => "client",
        }
    }
}

/// Whether threads may be started.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Threads {
    /// It is told that there can be none.
    #[default]
    Refuse,
    /// They run in real time.
    Allow,
}

impl Threads {
    /// The word.
    pub const fn name(self) -> &'static str {
        match self {
            Threads::Refuse => "refuse",
            Threads::Allow => "allow",
        }
    }
}

/// A text, which may be written as a number.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(transparent)]
pub struct Given(#[serde(deserialize_with = "text_or_number")] pub String);

fn text_or_number<'de, D: Deserializer<'de>>(from: D) -> Result<String, D::Error> {
    struct Either;

    impl Visitor<'_> for Either {
        type Value = String;

        fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str("text or a whole number")
        }

        fn visit_i64<E: Error>(self, number: i64) -> Result<String, E> {
            Ok(number.to_string())
        }

        fn visit_u64<E: Error>(self, number: u64) -> Result<String, E> {
            Ok(number.to_string())
        }

        fn visit_str<E: Error>(self, text: &str) -> Result<String, E> {
            Ok(String::from(text))
        }
    }

    from.deserialize_any(Either)
}

impl fmt::Display for Given {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl Description {
    /// Reads one, which the file `path` holds.
    ///
    /// # Errors
    /// The first mistake, at its place.
    pub fn parse(path: &Path, text: &str) -> Result<Description, Diagnostic> {
        let (read, at): (Description, _) = Text::read(path, text, "a description begins with `name:`")?;
        Checker { at, read: &read }.check()?;
        Ok(read)
    }

    /// What it is in a profile: with the changes of that.
    pub fn of(&self, profile: &str) -> Description {
        let mut whole = self.clone();
        let Some(changes) = whole.by_profile.remove(profile) else { return whole };
        let Changes { arguments, directory, environment, ports, map, boot_ms, boot_type, spin, threads, console, set } =
            changes;
        whole.arguments = arguments.unwrap_or(whole.arguments);
        whole.directory = directory.or(whole.directory);
        whole.environment.extend(environment);
        whole.ports = ports.unwrap_or(whole.ports);
        whole.map = map.or(whole.map);
        whole.boot_ms = boot_ms.unwrap_or(whole.boot_ms);
        whole.boot_type = boot_type.unwrap_or(whole.boot_type);
        whole.spin = spin.unwrap_or(whole.spin);
        whole.threads = threads.unwrap_or(whole.threads);
        whole.console.extend(console);
        whole.set.extend(set);
        whole
    }

    /// The protocols of its profiles.
    pub fn protocols(&self) -> impl Iterator<Item = &'static Protocol> {
        let speaks =
            |protocol: &&&Protocol| protocol.profiles.iter().any(|it| self.profiles.iter().any(|name| name == it.name));
        PROTOCOLS.iter().filter(speaks).copied()
    }

    /// Whether anything of it needs the folder of the game.
    pub fn needs_dir(&self) -> bool {
        let has = |text: &str| text.contains("{dir}");
        let is_in = |it: &Description| {
            let given =
                it.arguments.iter().chain(it.environment.values()).chain(it.console.values()).map(Given::to_string);
            given.chain(it.boot_type.iter().cloned()).chain(it.directory.clone()).any(|text| has(&text))
                || it.set.values().any(|value| value.to_string() == BSP)
        };
        self.profiles.iter().any(|profile| is_in(&self.of(profile)))
    }
}

/// Looks for words that mean nothing.
struct Checker<'a> {
    at: Text<'a>,
    read: &'a Description,
}

impl Checker<'_> {
    fn check(&self) -> Result<(), Diagnostic> {
        let Description { roles, profiles, by_profile, .. } = self.read;
        for (key, empty) in [("roles", roles.is_empty()), ("profiles", profiles.is_empty())] {
            if empty {
                return Err(self.at.wrong(&[To::Value(key)], format!("`{key}` is empty"), None));
            }
        }
        let known: Vec<&str> = registry::profiles(PROTOCOLS).map(|(_, profile)| profile.name).collect();
        for (index, name) in profiles.iter().enumerate() {
            if !known.contains(&name.as_str()) {
                let way = [To::Value("profiles"), To::Item(index)];
                return Err(self.at.unknown(&way, "profile", name, &known, "there are"));
            }
        }
        let uses_port = |it: &Description| it.arguments.iter().any(|argument| argument.to_string().contains("{port}"));
        if let Some(profile) =
            profiles.iter().find(|name| uses_port(&self.read.of(name)) && self.read.of(name).ports.is_empty())
        {
            let help = Some(String::from("write `ports: [27500]`, with the UDP port that it binds"));
            return Err(self.at.wrong(
                &[To::Key("arguments")],
                format!("{profile}: `{{port}}` is used, and `ports` is empty"),
                help,
            ));
        }
        let Description { arguments, directory, environment, ports, console, set, .. } = self.read;
        let all: Vec<&Protocol> = self.read.protocols().collect();
        self.check_part(&[], Part { arguments, directory, environment, ports, console, set }, &all)?;
        self.not_taken(&all)?;
        let own: Vec<&str> = profiles.iter().map(String::as_str).collect();
        for (name, changes) in by_profile {
            if !own.contains(&name.as_str()) {
                let way = [To::Value("by_profile"), To::Key(name)];
                return Err(self.at.unknown(&way, "profile", name, &own, "its `profiles` are"));
            }
            let Changes { arguments, directory, environment, ports, console, set, .. } = changes;
            let (arguments, ports) = (arguments.as_deref().unwrap_or_default(), ports.as_deref().unwrap_or_default());
            let of_one: Vec<&Protocol> =
                all.iter().copied().filter(|protocol| protocol.profiles.iter().any(|it| it.name == name)).collect();
            let part = Part { arguments, directory, environment, ports, console, set };
            self.check_part(&[To::Value("by_profile"), To::Value(name)], part, &of_one)?;
        }
        Ok(())
    }

    /// What is not taken has to be something.
    fn not_taken(&self, protocols: &[&Protocol]) -> Result<(), Diagnostic> {
        for (index, text) in self.read.world.iter().flat_map(|world| &world.not_taken).enumerate() {
            let way = [To::Value("world"), To::Value("not_taken"), To::Item(index)];
            let Some(not_taken) = NotTaken::parse(text) else {
                let help = Some(String::from("write `VERB`, `FIELD`, `NAME>NUMBER` or `COMMAND.NAME>NUMBER`"));
                return Err(self.at.wrong(&way, format!("`{text}` is none of these"), help));
            };
            if let Some((name, known)) = not_taken.unknown(protocols) {
                return Err(self.at.unknown(&way, "verb, field or argument", name, &known, "there are"));
            }
        }
        Ok(())
    }

    /// Checks what a description and the changes of a profile have in common, below `way`.
    fn check_part(&self, way: &[To<'_>], part: Part<'_>, protocols: &[&Protocol]) -> Result<(), Diagnostic> {
        for (index, argument) in part.arguments.iter().enumerate() {
            self.placeholders(&[way, &[To::Value("arguments"), To::Item(index)]].concat(), &argument.to_string())?;
        }
        if let Some(directory) = part.directory {
            self.placeholders(&[way, &[To::Value("directory")]].concat(), directory)?;
        }
        for (name, value) in part.environment {
            self.placeholders(&[way, &[To::Value("environment"), To::Value(name)]].concat(), &value.to_string())?;
        }
        if let Some(index) = part.ports.iter().position(|port| *port == 0) {
            let way = [way, &[To::Value("ports"), To::Item(index)]].concat();
            return Err(self.at.wrong(&way, "no port has the number 0", None));
        }
        let verbs = protocols.iter().flat_map(|protocol| protocol.verbs).map(|verb| verb.name);
        let typed: Vec<&str> = COMMANDS.into_iter().chain(verbs).collect();
        if let Some(name) = part.console.keys().find(|name| !typed.contains(&name.as_str())) {
            let way = [way, &[To::Value("console"), To::Key(name)]].concat();
            return Err(self.at.unknown(&way, "command or verb", name, &typed, "there are"));
        }
        let options = protocols.iter().flat_map(|protocol| protocol.options).map(|option| option.name);
        let texts = protocols.iter().flat_map(|protocol| protocol.texts).map(|text| text.name);
        let known: Vec<&str> = options.chain(texts).collect();
        if let Some(name) = part.set.keys().find(|name| !known.contains(&name.as_str())) {
            let way = [way, &[To::Value("set"), To::Key(name)]].concat();
            return Err(self.at.unknown(&way, "option or text", name, &known, "there are"));
        }
        Ok(())
    }

    /// Whatever looks like a placeholder has to be one.
    fn placeholders(&self, way: &[To<'_>], text: &str) -> Result<(), Diagnostic> {
        let mut rest = text;
        while let Some((_, after)) = rest.split_once('{') {
            rest = after;
            let Some((word, _)) = after.split_once('}') else { break };
            let is_word = !word.is_empty() && word.bytes().all(|byte| byte.is_ascii_lowercase());
            if is_word && !PLACEHOLDERS.contains(&word) {
                return Err(self.at.unknown(way, "placeholder", word, &PLACEHOLDERS, "there are"));
            }
        }
        Ok(())
    }
}

/// What a description and the changes of a profile have in common, as far as it is checked.
struct Part<'a> {
    arguments: &'a [Given],
    directory: &'a Option<String>,
    environment: &'a BTreeMap<String, Given>,
    ports: &'a [u16],
    console: &'a BTreeMap<String, Given>,
    set: &'a BTreeMap<String, Given>,
}
