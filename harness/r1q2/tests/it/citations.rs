//! The code that fulfils a requirement says so, by its id.

use kit::Level;
use r1q2::requirements::REQUIREMENTS;
use std::fs;
use std::path::{Path, PathBuf};

/// Obligations that no line fulfils, and why.
const WITHOUT_A_PLACE: [(&str, &str); 2] =
    [("R1Q2-SD-06", "clients of those revisions are not here"), ("R1Q2-GEN-02", "it is all of protocol 34")];
/// Folders whose files name requirements for another reason.
const OTHERS: [&str; 4] = ["requirements", "oracle", "mutants", "variants"];

/// The comments of all files below a folder.
fn comments(folder: &Path, found: &mut Vec<String>) {
    let mut paths: Vec<PathBuf> =
        fs::read_dir(folder).expect("a folder").map(|entry| entry.expect("an entry").path()).collect();
    paths.sort();
    for path in paths {
        if !path.is_dir() {
            let text = fs::read_to_string(&path).expect("a source file");
            found.extend(text.lines().filter_map(|line| line.split_once("// ")).map(|(_, comment)| comment.to_owned()));
        } else if !OTHERS.iter().any(|other| path.ends_with(other)) {
            comments(&path, found);
        }
    }
}

#[test]
fn every_obligation_is_cited_once_where_it_is_fulfilled() {
    let mut found = Vec::new();
    comments(&Path::new(env!("CARGO_MANIFEST_DIR")).join("src"), &mut found);
    let mut wrong = Vec::new();
    for requirement in REQUIREMENTS.iter().filter(|it| matches!(it.level, Level::Must | Level::MustNot)) {
        let id = requirement.id;
        let cited = found.iter().flat_map(|comment| comment.split([' ', ',', ':'])).filter(|word| *word == id).count();
        let expected = usize::from(!WITHOUT_A_PLACE.iter().any(|(without, _)| *without == id));
        if cited != expected {
            wrong.push(format!("{id} is cited {cited} times"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
