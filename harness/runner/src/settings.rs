//! Options and texts of scenarios that an implementation needs to have other values than the scenarios say.

use crate::live::map;
use crate::nearest::{did_you_mean, nearest};
use crate::registry::PROTOCOLS;
use crate::scenario::Case;
use kit::Protocol;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// What is given in place of what scenarios say. A case whose variant is about another value is not for this implementation.
#[derive(Clone, Debug, Default)]
pub struct Settings {
    /// Names and values, as they were given.
    given: Vec<(String, String)>,
    options: Vec<(String, i64)>,
    texts: Vec<(String, Arc<str>)>,
    /// The file of a map, which gives the option `map_checksum` and the text `map`.
    map: Option<PathBuf>,
    /// Whether a control client runs beside the others.
    pub control: bool,
}

/// The option and the text that the file of a map gives.
const MAP_CHECKSUM: &str = "map_checksum";
const MAP: &str = "map";

impl Settings {
    /// Reads `NAME=VALUE` of options and texts that a protocol of these profiles has, and the file of a map.
    ///
    /// # Errors
    /// What is wrong with one.
    pub fn new(given: &[String], map: Option<&Path>, profiles: &[String]) -> Result<Settings, String> {
        let spoken =
            |protocol: &&&Protocol| protocol.profiles.iter().any(|it| profiles.iter().any(|name| name == it.name));
        let spoken: Vec<&'static Protocol> = PROTOCOLS.iter().filter(spoken).copied().collect();
        Settings::of(&spoken, given, map)
    }

    /// The same, of these protocols.
    ///
    /// # Errors
    /// What is wrong with one.
    pub fn of(spoken: &[&'static Protocol], given: &[String], map: Option<&Path>) -> Result<Settings, String> {
        let mut settings = Settings::default();
        for text in given {
            let wrong = |why: String| format!("--set {text}: {why}");
            let (name, value) = text.split_once('=').ok_or_else(|| wrong(String::from("write NAME=VALUE")))?;
            settings.give(spoken, name, value).map_err(wrong)?;
            settings.given.push((String::from(name), String::from(value)));
        }
        if let Some(file) = map {
            settings.give_map(spoken, file).map_err(|why| format!("--map {}: {why}", file.display()))?;
        }
        Ok(settings)
    }

    fn give(&mut self, spoken: &[&'static Protocol], name: &str, value: &str) -> Result<(), String> {
        let text = spoken.iter().flat_map(|protocol| protocol.texts).find(|text| text.name == name);
        if let Some(text) = text {
            (text.check)(value)?;
            self.texts.push((String::from(name), Arc::from(value)));
            return Ok(());
        }
        let option = spoken.iter().flat_map(|protocol| protocol.options).find(|option| option.name == name);
        let option = option.ok_or_else(|| {
            let options = spoken.iter().flat_map(|protocol| protocol.options).map(|option| option.name);
            let texts = spoken.iter().flat_map(|protocol| protocol.texts).map(|text| text.name);
            let hint = did_you_mean(&nearest(name, options.chain(texts)));
            format!("no option or text of {} is called `{name}`{hint} (`list --words` names all)", names(spoken))
        })?;
        let number = match value.strip_prefix("0x") {
            Some(hex) => i64::from_str_radix(hex, 16),
            None => value.parse(),
        };
        let number = number.map_err(|error| error.to_string())?;
        option.check(number)?;
        self.options.push((String::from(name), number));
        Ok(())
    }

    /// Takes the name of a map from its file, and its checksum where an end says it.
    fn give_map(&mut self, spoken: &[&'static Protocol], file: &Path) -> Result<(), String> {
        if !spoken.iter().any(|protocol| protocol.texts.iter().any(|text| text.name == MAP)) {
            return Err(format!("no server of {} names a map", names(spoken)));
        }
        let bytes = std::fs::read(file).map_err(|error| error.to_string())?;
        let of_quake2 = spoken.iter().any(|protocol| protocol.name == r1q2::PROTOCOL.name);
        let sum = if of_quake2 { map::quake2_checksum(&bytes)? } else { map::checksum(&bytes)? };
        if spoken.iter().any(|protocol| protocol.options.iter().any(|option| option.name == MAP_CHECKSUM)) {
            self.options.push((String::from(MAP_CHECKSUM), i64::from(sum)));
        }
        let name = file.file_stem().and_then(|name| name.to_str()).ok_or("its name is not written in UTF-8")?;
        self.give(spoken, MAP, name)?;
        self.map = Some(file.to_path_buf());
        Ok(())
    }

    /// The options of a protocol that are given: index and value.
    pub fn options(&self, protocol: &Protocol) -> Vec<(usize, i64)> {
        let place = |name: &str| protocol.options.iter().position(|option| option.name == name);
        self.options.iter().filter_map(|(name, value)| Some((place(name)?, *value))).collect()
    }

    /// Gives a case what is given, where its protocol has it.
    pub fn apply(&self, case: &mut Case) {
        let protocol = case.protocol;
        for (place, value) in self.options(protocol) {
            if let Some(option) = case.options.get_mut(place) {
                *option = value;
            }
        }
        for (name, value) in &self.texts {
            if let Some(place) = protocol.texts.iter().position(|text| text.name == name) {
                case.texts.push((place, Arc::clone(value)));
            }
        }
    }

    /// What a case is about that cannot be with it: an option of its variant is given another value; or, of a `worldless` server, which
    /// does not know what scenarios say, one by which both ends read has another value than the server's.
    pub fn differs(&self, case: &Case, worldless: bool) -> Option<&'static str> {
        let mut given = case.clone();
        self.apply(&mut given);
        let varied =
            |name: &str| case.variant.split(',').any(|chosen| chosen.split_once('=').is_some_and(|it| it.0 == name));
        let options = case.protocol.options.iter().zip(case.options.iter().zip(&given.options));
        let mut options = options.filter(|(option, (own, given))| {
            let is_given = self.options.iter().any(|(name, _)| name == option.name);
            let has = if is_given { **given } else { option.default };
            **own != has && (is_given && varied(option.name) || worldless && option.dialect)
        });
        let mut texts = case.protocol.texts.iter().filter(|text| {
            let given = self.texts.iter().find(|(name, _)| name == text.name).map(|(_, given)| &**given);
            let own = case.scenario.file.texts.get(text.name).map(|own| own.as_str());
            worldless && text.dialect && own.is_some_and(|own| own != given.unwrap_or(text.default))
        });
        options.next().map(|(option, _)| option.name).or_else(|| texts.next().map(|text| text.name))
    }

    /// What chooses it on the command line, with a blank before each part.
    pub fn argument(&self) -> String {
        let quoted =
            |text: &str| shlex::try_quote(text).map_or_else(|_| String::from(text), |quoted| quoted.into_owned());
        let set = self.given.iter().map(|(name, value)| format!(" --set {}", quoted(&format!("{name}={value}"))));
        let map = self.map.iter().map(|file| format!(" --map {}", quoted(&file.display().to_string())));
        let control = self.control.then(|| String::from(" --control"));
        set.chain(map).chain(control).collect()
    }
}

fn names(protocols: &[&'static Protocol]) -> String {
    protocols.iter().map(|protocol| protocol.name).collect::<Vec<&str>>().join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn given(profile: &str, set: &[&str], map: Option<&Path>) -> Result<Settings, String> {
        let set: Vec<String> = set.iter().map(|text| String::from(*text)).collect();
        Settings::new(&set, map, &[String::from(profile)])
    }

    #[test]
    fn a_map_gives_its_name_and_the_checksum_that_its_game_wants() {
        let folder = std::env::temp_dir().join(format!("deltaproof-settings-{}", std::process::id()));
        std::fs::create_dir_all(&folder).expect("a folder");
        let file = folder.join("arena.bsp");
        std::fs::write(&file, b"IBSP\x26\0\0\0").expect("a file");
        let settings = given("r1q2-35", &[], Some(&file)).expect("it is a map of Quake II");
        assert_eq!(settings.options, [(String::from("map_checksum"), 0xdd2b_405b)]);
        assert_eq!(settings.texts, [(String::from("map"), "arena".into())]);
        let refused = given("fitz666", &[], Some(&file)).expect_err("it is none of Quake");
        assert!(refused.ends_with("no map file of Quake: give the .bsp of the map that the server runs"), "{refused}");
        std::fs::remove_dir_all(&folder).expect("the folder goes");
    }

    #[test]
    fn a_name_that_nobody_has_is_answered_with_the_nearest() {
        let why = given("r1q2-35", &["mapp=a"], None).expect_err("no such text");
        assert_eq!(
            why,
            "--set mapp=a: no option or text of r1q2 is called `mapp`; did you mean map? (`list --words` names all)"
        );
        assert!(given("r1q2-35", &["map=a b"], None).expect_err("a blank").contains("is in no map's name"));
    }
}
