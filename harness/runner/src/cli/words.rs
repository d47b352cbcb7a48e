//! `list --words`: the words of each protocol's own that scenarios use.

use super::output::{Answer, Format, Stop, json_lines};
use crate::scenario::Preset;
use kit::{Protocol, Role, Unit};
use serde::Serialize;
use std::io::Write;

/// A word, and what it means.
#[derive(Serialize)]
#[cfg_attr(feature = "schemas", derive(schemars::JsonSchema), schemars(deny_unknown_fields))]
pub(super) struct Word {
    protocol: &'static str,
    kind: &'static str,
    /// As written in a scenario.
    word: String,
    /// Of a verb or a note.
    args: &'static [&'static str],
    means: String,
}

/// How many there are.
#[derive(Serialize)]
#[cfg_attr(feature = "schemas", derive(schemars::JsonSchema), schemars(deny_unknown_fields))]
pub(super) struct Summary {
    words: usize,
}

/// Words, a line each.
struct Words(Vec<Word>);

impl Answer for Words {
    fn human(&self, out: &mut dyn Write) -> Result<(), Stop> {
        let width = self.0.iter().map(|word| word.call().chars().count()).max().unwrap_or(0).min(40);
        for word in &self.0 {
            let Word { protocol, kind, means, .. } = word;
            writeln!(out, "{protocol:8} {kind:7}  {:width$}  {means}", word.call())?;
        }
        Ok(())
    }

    fn json(&self, out: &mut dyn Write) -> Result<(), Stop> {
        json_lines(out, &self.0, Summary { words: self.0.len() })
    }
}

impl Word {
    /// The word, with the names of its arguments after it.
    fn call(&self) -> String {
        if self.args.is_empty() { self.word.clone() } else { format!("{}({})", self.word, self.args.join(", ")) }
    }
}

/// The words of a protocol: profiles, fields, options, texts, verbs, marks, notes and states.
fn words(protocol: &'static Protocol) -> Vec<Word> {
    let with = |kind, word: &str, args, means| Word { protocol: protocol.name, kind, word: word.into(), args, means };
    let word = |kind, word: String, means: String| with(kind, &word, &[], means);
    let profiles = protocol.profiles.iter().map(|profile| word("profile", profile.name.into(), profile.title.into()));
    let fields = protocol.fields.iter().map(|field| {
        let range = match field.unit {
            Unit::Int(least, most) => format!("integer, {least} to {most}"),
            Unit::Float => String::from("number; to shims the bits of an IEEE single"),
        };
        word("field", field.name.into(), range)
    });
    let options = protocol.options.iter().map(|option| {
        let range = format!("{} to {}, default {}", option.least, option.most, option.default);
        word("option", option.name.into(), format!("{} ({range})", option.help))
    });
    let texts = protocol.texts.iter().map(|text| word("text", text.name.into(), text.help.into()));
    let verbs = protocol.verbs.iter().map(|verb| {
        let to = if verb.to == Role::Server { "the server" } else { "a client" };
        with("verb", verb.name, verb.args, format!("to {to}: {}", verb.help))
    });
    let marks = protocol.marks.iter().map(|mark| word("mark", (*mark).into(), String::from("what `carries` can name")));
    let notes = protocol.notes.iter().map(|note| with("note", note.name, note.args, note.help.into()));
    let states = [("server", protocol.states.server), ("client", protocol.states.client)];
    let states = states.into_iter().flat_map(|(role, states)| {
        states.iter().map(move |state| ("state", (*state).into(), format!("of a {role}, for `must_reach`")))
    });
    let states = states.map(|(kind, state, means)| word(kind, state, means));
    profiles.chain(fields).chain(options).chain(texts).chain(verbs).chain(marks).chain(notes).chain(states).collect()
}

/// The words of all protocols: the names of networks.
fn shared_words() -> Vec<Word> {
    let presets = Preset::ALL.iter();
    let word = |(_, name, means): &(Preset, &str, &str)| Word {
        protocol: "any",
        kind: "preset",
        word: (*name).into(),
        args: &[],
        means: (*means).into(),
    };
    presets.map(word).collect()
}

/// Whether a filter means a word: as the name of a protocol or profile all of its words, and no other; otherwise those that
/// have its text in them.
fn is_meant(protocols: &[&'static Protocol], protocol: &Protocol, word: &Word, filter: &str) -> bool {
    let filter = filter.strip_suffix('/').unwrap_or(filter);
    let is_name =
        |protocol: &Protocol| protocol.name == filter || protocol.profiles.iter().any(|profile| profile.name == filter);
    let has = |text: &str| text.to_ascii_lowercase().contains(filter);
    match protocols.iter().any(|protocol| is_name(protocol)) {
        true => is_name(protocol),
        false => has(&word.word) || has(&word.means),
    }
}

/// Prints one line per word that a filter means, or per word. Returns how many.
pub(super) fn print(
    protocols: &[&'static Protocol],
    filters: &[String],
    format: Format,
    out: &mut dyn Write,
) -> Result<usize, Stop> {
    let mut chosen = Vec::new();
    for protocol in protocols {
        chosen.extend(words(protocol).into_iter().filter(|word| {
            filters.is_empty() || filters.iter().any(|filter| is_meant(protocols, protocol, word, filter))
        }));
    }
    chosen.extend(shared_words().into_iter().filter(|word| {
        let has = |filter: &String| [&word.word, &word.means].iter().any(|text| text.contains(filter.as_str()));
        filters.is_empty() || filters.iter().any(|filter| filter == word.kind || has(filter))
    }));
    let words = Words(chosen);
    format.say(&words, out)?;
    Ok(words.0.len())
}

#[cfg(test)]
mod tests {
    use super::*;
    use skeleton::PROTOCOL;

    fn check(filter: &str, format: Format, expected: &str) {
        let mut out = Vec::new();
        print(&[&PROTOCOL], &[String::from(filter)], format, &mut out).expect("writes to memory");
        assert_eq!(String::from_utf8_lossy(&out), expected);
    }

    #[test]
    fn words_are_listed_by_protocol_and_kind() {
        check(
            "skeleton",
            Format::Human,
            "skeleton profile  skeleton                      Its only form\n\
             skeleton field    x                             integer, -32768 to 32767\n\
             skeleton field    y                             integer, -32768 to 32767\n\
             skeleton field    model                         integer, 0 to 32767\n\
             skeleton option   tick_us                       time between snapshots and between acknowledgements, in microseconds \
             (1000 to 1000000, default 50000)\n\
             skeleton verb     acknowledge(ahead)            to a client: acknowledge its newest number plus `ahead`, a snapshot that it does not hold\n\
             skeleton mark     snapshot                      what `carries` can name\n\
             skeleton mark     full                          what `carries` can name\n\
             skeleton mark     delta                         what `carries` can name\n\
             skeleton mark     update                        what `carries` can name\n\
             skeleton mark     remove                        what `carries` can name\n\
             skeleton mark     ack                           what `carries` can name\n\
             skeleton note     command ignored               an instruction made no sense\n\
             skeleton note     snapshot applied(number)      a client applied a snapshot\n\
             skeleton note     snapshot not applied(number)  a client received a snapshot that is old, or whose base it lacks\n\
             skeleton state    free                          of a server, for `must_reach`\n\
             skeleton state    active                        of a server, for `must_reach`\n\
             skeleton state    idle                          of a client, for `must_reach`\n\
             skeleton state    connecting                    of a client, for `must_reach`\n\
             skeleton state    active                        of a client, for `must_reach`\n",
        );
    }

    #[test]
    fn networks_are_words_of_every_protocol() {
        let expected = "any      preset   dsl  a telephone line: narrow, above all upwards\n";
        check("dsl", Format::Human, expected);
    }

    #[test]
    fn json_has_a_line_for_each_and_a_summary() {
        check(
            "remove",
            Format::Json,
            "{\"protocol\":\"skeleton\",\"kind\":\"mark\",\"word\":\"remove\",\"args\":[],\"means\":\"what `carries` can name\"}\n\
             {\"summary\":{\"words\":1}}\n",
        );
    }
}
