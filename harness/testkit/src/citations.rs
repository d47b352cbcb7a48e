//! The code that fulfils a requirement says so, by its id in a comment.

use kit::Requirement;
use std::fs;
use std::path::{Path, PathBuf};

/// Modules whose files name requirements for another reason.
const OTHERS: [&str; 4] = ["requirements", "oracle", "mutants", "variants"];

/// Every obligation is cited once in the comments below these folders; an exception, an id and why no single line fulfils
/// it, never.
///
/// # Panics
/// One is cited more or less often, an exception is no obligation, or a folder cannot be read.
#[track_caller]
pub fn check(folders: &[&str], requirements: &[&Requirement], exceptions: &[(&str, &str)]) {
    let mut found = Vec::new();
    folders.iter().for_each(|folder| cited(Path::new(folder), &mut found));
    let obligations = || requirements.iter().filter(|it| it.level.is_must()).map(|it| it.id);
    let mut wrong = Vec::new();
    for id in obligations() {
        let expected = usize::from(exceptions.iter().all(|(exception, _)| *exception != id));
        let count = found.iter().filter(|word| *word == id).count();
        if count != expected {
            wrong.push(format!("{id} is cited {count} times, not {expected}"));
        }
    }
    let strange = exceptions.iter().filter(|(exception, _)| obligations().all(|id| id != *exception));
    wrong.extend(strange.map(|(exception, _)| format!("{exception} is no obligation")));
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// The words of all comments below a folder that may be ids.
fn cited(folder: &Path, found: &mut Vec<String>) {
    let entries = fs::read_dir(folder).expect("a folder");
    let paths: Vec<PathBuf> = entries.map(|entry| entry.expect("an entry").path()).collect();
    for path in paths.iter().filter(|path| OTHERS.iter().all(|other| path.file_stem() != Some(other.as_ref()))) {
        if path.is_dir() {
            cited(path, found);
        } else {
            let text = fs::read_to_string(path).expect("a source file");
            let comments = text.lines().filter_map(|line| line.split_once("//")).map(|(_, comment)| comment);
            let words = comments.flat_map(|it| it.split(|c: char| !c.is_ascii_alphanumeric() && c != '-'));
            found.extend(words.filter(|word| word.contains('-')).map(str::to_owned));
        }
    }
}
