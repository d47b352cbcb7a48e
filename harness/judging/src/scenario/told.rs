//! What a server can be told whose options are its own, and whose game code is ours.

use kit::table::float_value;
use kit::{Command, Protocol, StatValue, Unit};
use std::fmt;
use std::sync::Arc;

/// What such a server can be told all the same: the world, and the verbs of its protocol, but for some. Nobody is told those then, the
/// oracle neither, so that what it knows and what the server does stay one.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Told {
    not_taken: Arc<[NotTaken]>,
}

/// Something that a server does not take, or of clients that it cannot follow.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NotTaken {
    /// In this command or verb alone.
    command: Option<String>,
    /// A verb; or a field, a statistic by its number, an argument of a verb, or `entity`.
    name: String,
    /// Only larger numbers than this.
    above: Option<i64>,
}

impl NotTaken {
    /// Reads `VERB`, `NAME`, `NAME>NUMBER` or `COMMAND.NAME>NUMBER`; `None` for anything else.
    pub fn parse(text: &str) -> Option<NotTaken> {
        let (place, above) = match text.split_once('>') {
            Some((place, above)) => (place.trim(), Some(above.trim().parse().ok()?)),
            None => (text.trim(), None),
        };
        let (command, name) = match place.split_once('.') {
            Some((command, name)) => (Some(String::from(command)), name),
            None => (None, place),
        };
        (!name.is_empty()).then(|| NotTaken { command, name: String::from(name), above })
    }

    /// What is wrong with the words of it in a protocol: the first that means nothing there, and what there is.
    pub fn unknown<'a>(&'a self, protocols: &[&Protocol]) -> Option<(&'a str, Vec<&'static str>)> {
        let verbs = || protocols.iter().flat_map(|protocol| protocol.verbs);
        let commands: Vec<&str> =
            ["baseline", "set", "stat"].into_iter().chain(verbs().map(|verb| verb.name)).collect();
        if let Some(command) = self.command.as_deref().filter(|it| !commands.contains(it)) {
            return Some((command, commands));
        }
        let fields = protocols.iter().flat_map(|protocol| protocol.fields).map(|field| field.name);
        let arguments = verbs().flat_map(|verb| verb.args).copied();
        let known: Vec<&str> = commands.into_iter().skip(3).chain(fields).chain(arguments).chain(["entity"]).collect();
        let is_stat = self.command.as_deref() == Some("stat") && self.name.parse::<u8>().is_ok();
        (!is_stat && !known.contains(&self.name.as_str())).then_some((&self.name, known))
    }

    fn has(&self, command: &str, name: &str, value: f64) -> bool {
        let is_it = self.name == name && self.command.as_deref().is_none_or(|it| it == command);
        is_it && self.above.is_none_or(|above| value > above as f64)
    }
}

impl fmt::Display for NotTaken {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(command) = &self.command {
            write!(f, "{command}.")?;
        }
        write!(f, "{}", self.name)?;
        self.above.map_or(Ok(()), |above| write!(f, ">{above}"))
    }
}

impl Told {
    /// What is told to a server that does not take these; what cannot be read of them counts for nothing.
    pub fn but_for(not_taken: &[String]) -> Told {
        Told { not_taken: not_taken.iter().filter_map(|text| NotTaken::parse(text)).collect() }
    }

    /// Whether the server takes an instruction.
    pub fn takes(&self, protocol: &Protocol, command: &Command) -> bool {
        let is_refused = |command: &str, name: &str, value: f64| {
            self.not_taken.iter().any(|not_taken| not_taken.has(command, name, value))
        };
        let of_field = |command: &str, entity: u32, field: usize, value: i32| {
            let Some(field) = protocol.fields.get(field) else { return false };
            let value = match field.unit {
                Unit::Float => f64::from(float_value(value)),
                Unit::Int(..) => f64::from(value),
            };
            is_refused(command, "entity", entity.into()) || is_refused(command, field.name, value)
        };
        !match *command {
            Command::Baseline { entity, field, value } => of_field("baseline", entity, field, value),
            Command::Set { entity, field, value } => of_field("set", entity, field, value),
            Command::Spawn { entity } | Command::Remove { entity } => is_refused("", "entity", entity.into()),
            Command::Stat { stat, value, .. } => {
                let value = match value {
                    StatValue::Int(value) => f64::from(value),
                    StatValue::Float(value) => f64::from(value),
                };
                is_refused("stat", &stat.to_string(), value)
            }
            Command::Verb { verb, args } => protocol.verbs.get(verb).is_some_and(|verb| {
                let mut args = verb.args.iter().zip(args);
                is_refused("", verb.name, 0.0) || args.any(|(name, value)| is_refused(verb.name, name, value.into()))
            }),
            _ => false,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::registry::PROTOCOLS;

    fn fitz() -> &'static Protocol {
        PROTOCOLS.iter().find(|protocol| protocol.name == "fitz666").expect("it is known")
    }

    fn check(not_taken: &str, command: &Command, expected: bool) {
        assert_eq!(Told::but_for(&[String::from(not_taken)]).takes(fitz(), command), expected, "{not_taken}");
    }

    #[test]
    fn what_is_not_taken_is_a_verb_a_field_or_a_number_that_is_too_large() {
        let place = |name: &str| fitz().fields.iter().position(|field| field.name == name).expect("it is there");
        let verb = |name: &str| fitz().verbs.iter().position(|verb| verb.name == name).expect("it is there");
        let baseline = |value| Command::Baseline { entity: 10, field: place("model"), value };
        check("baseline.model>520", &baseline(520), true);
        check("baseline.model>520", &baseline(521), false);
        check("baseline.model>520", &Command::Set { entity: 10, field: place("model"), value: 521 }, true);
        check("nextthink", &Command::Set { entity: 10, field: place("nextthink"), value: 1 }, false);
        check("entity>9", &Command::Spawn { entity: 10 }, false);
        check("entity>10", &baseline(1), true);
        check("yaw>90", &Command::Set { entity: 1, field: place("yaw"), value: 90.5_f32.to_bits() as i32 }, false);
        check("stat.2>519", &Command::Stat { client: 1, stat: 2, value: StatValue::Int(520) }, false);
        check("stat.2>519", &Command::Stat { client: 1, stat: 3, value: StatValue::Int(520) }, true);
        check("reload", &Command::Verb { verb: verb("reload"), args: [0; 4] }, false);
        check("sound.channel>7", &Command::Verb { verb: verb("sound"), args: [1, 8, 1, 1] }, false);
        check("sound.channel>7", &Command::Verb { verb: verb("sound"), args: [8, 7, 8, 8] }, true);
    }

    #[test]
    fn words_that_mean_nothing_are_found() {
        let unknown = |text: &str| {
            let parsed = NotTaken::parse(text).expect("it can be read");
            assert_eq!(parsed.to_string(), text);
            parsed.unknown(&[fitz()]).map(|(word, _)| String::from(word))
        };
        for known in ["hide", "baseline.model>520", "stat.2>519", "entity>8500", "sound.channel>7", "nextthink"] {
            assert_eq!(unknown(known), None, "{known}");
        }
        assert_eq!(unknown("hides").as_deref(), Some("hides"));
        assert_eq!(unknown("basis.model>5").as_deref(), Some("basis"));
        assert_eq!(unknown("stat.300>5").as_deref(), Some("300"));
        assert_eq!(NotTaken::parse("model>many"), None);
    }
}
