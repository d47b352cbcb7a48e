//! The reviewed list of mutants that no finding has to kill, and why.

use crate::operators::Operator;
use crate::schema::Mutant;
use crate::targets::Side;
use serde::{Deserialize, Serialize};
use std::io;
use std::path::{Path, PathBuf};

/// Stands for any text in a [`Pattern`].
const ANY: char = '…';

/// Why a mutant need not be killed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Class {
    /// It does in every case what the reference does.
    #[default]
    Same,
    /// What differs is shown neither on the wire nor by a client: notes and states of the trace, limits of its own memory.
    Unseen,
    /// What differs conforms: another choice that the protocol leaves open.
    Conforming,
    /// The place is reached by conforming variants, or by mutants made by hand, alone.
    Seam,
    /// What the scenario's script asks for changes; that an end follows the script is not judged.
    Script,
    /// It differs where no run comes: after longer, larger or more than what a session can have.
    Border,
}

impl Class {
    /// As lists have it.
    pub const fn name(self) -> &'static str {
        match self {
            Class::Same => "same",
            Class::Unseen => "unseen",
            Class::Conforming => "conforming",
            Class::Seam => "seam",
            Class::Script => "script",
            Class::Border => "border",
        }
    }
}

/// Mutants, identified by what they change and not by number or line, so that it outlives edits around them. What is left out
/// fits anything, and so does `…` in a text; all mutants that fit are meant.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Pattern {
    /// The file, from the project's folder, or the end of its path.
    pub file: String,
    /// The function, with its type.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub function: Option<String>,
    /// How they differ.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub operator: Option<Operator>,
    /// What stands there.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub old: Option<String>,
    /// What stands there in the mutant; empty for what is left out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub new: Option<String>,
    /// In whose place; in both without it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub side: Option<Side>,
}

impl Pattern {
    /// Whether it means `mutant` in the place of `side`.
    pub fn is_of(&self, mutant: &Mutant, side: Side) -> bool {
        self.side.is_none_or(|own| own == side) && self.is(mutant)
    }

    /// Whether it means `mutant`, in whosever place.
    pub fn is(&self, mutant: &Mutant) -> bool {
        let fits = |pattern: &Option<String>, text: &str| pattern.as_ref().is_none_or(|pattern| fits(pattern, text));
        let named = mutant.file == self.file || mutant.file.ends_with(&format!("/{}", self.file));
        named
            && fits(&self.function, &mutant.function)
            && self.operator.is_none_or(|operator| operator == mutant.operator)
            && fits(&self.old, &mutant.old)
            && fits(&self.new, &mutant.new)
    }
}

/// Whether `text` is as `pattern` says.
fn fits(pattern: &str, text: &str) -> bool {
    let Some((start, rest)) = pattern.split_once(ANY) else { return pattern == text };
    let Some(text) = text.strip_prefix(start) else { return false };
    let places = text.char_indices().map(|(place, _)| place).chain([text.len()]);
    places.into_iter().any(|place| text.get(place..).is_some_and(|text| fits(rest, text)))
}

/// Mutants that need not be killed, for one reason.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(from = "Written")]
pub struct Equivalent {
    /// Which kind of reason it is.
    pub class: Class,
    /// Why nobody can tell, or need not, in a sentence.
    pub why: String,
    pub mutants: Vec<Pattern>,
}

/// An entry as it is written: for several mutants, or for one.
#[derive(Deserialize)]
#[serde(untagged)]
enum Written {
    Several(Several),
    One(One),
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Several {
    #[serde(default)]
    class: Class,
    why: String,
    mutants: Vec<Pattern>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct One {
    #[serde(default)]
    class: Class,
    why: String,
    file: String,
    function: Option<String>,
    operator: Option<Operator>,
    old: Option<String>,
    new: Option<String>,
    side: Option<Side>,
}

impl From<Written> for Equivalent {
    fn from(written: Written) -> Equivalent {
        match written {
            Written::Several(Several { class, why, mutants }) => Equivalent { class, why, mutants },
            Written::One(One { class, why, file, function, operator, old, new, side }) => {
                Equivalent { class, why, mutants: vec![Pattern { file, function, operator, old, new, side }] }
            }
        }
    }
}

/// Why `mutant` need not be killed in the place of `side`, if the list says so.
pub fn class_of(list: &[Equivalent], mutant: &Mutant, side: Side) -> Option<Class> {
    list.iter().find(|entry| entry.mutants.iter().any(|pattern| pattern.is_of(mutant, side))).map(|entry| entry.class)
}

/// Where the list of `protocol` is.
pub fn path(root: &Path, protocol: &str) -> PathBuf {
    root.join("harness/mutagen/equivalent").join(format!("{protocol}.yaml"))
}

/// The list of `protocol`; an empty one if there is no file.
///
/// # Errors
/// The file cannot be read, or is no such list.
pub fn read(root: &Path, protocol: &str) -> io::Result<Vec<Equivalent>> {
    let path = path(root, protocol);
    if !path.exists() {
        return Ok(Vec::new());
    }
    let text = std::fs::read_to_string(&path)?;
    serde_yaml::from_str(&text).map_err(|error| io::Error::other(format!("{}: {error}", path.display())))
}

/// The patterns that mean no mutant any more.
pub fn stale<'a>(list: &'a [Equivalent], mutants: &[Mutant]) -> Vec<&'a Pattern> {
    let patterns = list.iter().flat_map(|entry| &entry.mutants);
    patterns.filter(|pattern| !mutants.iter().any(|mutant| pattern.is(mutant))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dots_stand_for_any_text_and_nothing_else_does() {
        for (pattern, text, expected) in [
            ("a + b", "a + b", true),
            ("a + b", "a + bc", false),
            ("…b", "a + b", true),
            ("…b", "b", true),
            ("a…b…", "a * b + c", true),
            ("a…d…", "a * b + c", false),
            ("", "", true),
        ] {
            assert_eq!(fits(pattern, text), expected, "{pattern} {text}");
        }
    }

    #[test]
    fn entries_are_written_for_one_mutant_or_for_several() {
        let text = "- { file: a.rs, function: f, old: x, why: It is the same. }\n\
                    - class: border\n  why: No run is so long.\n  mutants:\n  - { file: a.rs, operator: constant }\n";
        let list: Vec<Equivalent> = serde_yaml::from_str(text).expect("a list");
        let [one, several] = &list[..] else { panic!("two entries") };
        assert_eq!((one.class, one.mutants[0].function.as_deref()), (Class::Same, Some("f")));
        assert_eq!((several.class, several.mutants[0].operator), (Class::Border, Some(Operator::Constant)));
        assert!(serde_yaml::from_str::<Vec<Equivalent>>("- { file: a.rs, wy: No. }").is_err());
    }
}
