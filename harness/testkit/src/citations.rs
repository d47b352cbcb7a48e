//! The code that fulfils a requirement says so, by its id in a comment.

use kit::Requirement;
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

/// Modules that are no statement of the protocol, but check it or differ from it.
const OTHERS: [&str; 4] = ["requirements", "oracle", "mutants", "variants"];

/// Every obligation is cited once in the comments below these folders; an exception, an id and why no line fulfils it,
/// never. What is cited is in the catalogue, by the prefix that its first id has.
///
/// # Panics
/// That does not hold, an exception is no obligation, or a folder cannot be read.
#[track_caller]
pub fn check(folders: &[&str], requirements: &[&Requirement], exceptions: &[(&str, &str)]) {
    let prefix = requirements[0].id.split_inclusive('-').next().unwrap_or_default();
    let mut cited = BTreeMap::new();
    folders.iter().for_each(|folder| read(Path::new(folder), prefix, &mut cited));
    let excepted = |id: &str| exceptions.iter().any(|(exception, _)| *exception == id);
    let mut wrong = Vec::new();
    for requirement in requirements {
        let places = cited.remove(requirement.id).unwrap_or_default();
        if requirement.level.is_must() && places.len() != usize::from(!excepted(requirement.id)) {
            wrong.push(format!("{} is cited at {places:?}", requirement.id));
        }
    }
    wrong.extend(cited.iter().map(|(id, places)| format!("{id}, which there is not, is cited at {places:?}")));
    let obligations: Vec<&str> = requirements.iter().filter(|it| it.level.is_must()).map(|it| it.id).collect();
    let strange = exceptions.iter().filter(|(exception, _)| !obligations.contains(exception));
    wrong.extend(strange.map(|(exception, _)| format!("{exception} is no obligation")));
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Adds the places of the ids in the comments of all files below a folder.
fn read(folder: &Path, prefix: &str, cited: &mut BTreeMap<String, Vec<String>>) {
    let entries = fs::read_dir(folder).expect("a folder");
    let paths: Vec<PathBuf> = entries.map(|entry| entry.expect("an entry").path()).collect();
    for path in paths.iter().filter(|path| OTHERS.iter().all(|other| path.file_stem() != Some(other.as_ref()))) {
        if path.is_dir() {
            read(path, prefix, cited);
            continue;
        }
        let text = fs::read_to_string(path).expect("a source file");
        for (number, line) in text.lines().enumerate() {
            let comment = line.split_once("//").map_or("", |(_, comment)| comment);
            let words = comment.split(|c: char| !c.is_ascii_alphanumeric() && c != '-');
            for id in words.filter(|word| word.starts_with(prefix)) {
                cited.entry(id.to_owned()).or_default().push(format!("{}:{}", path.display(), number + 1));
            }
        }
    }
}
