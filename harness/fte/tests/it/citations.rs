//! Every obligation is named at the line that fulfils it, once.

use fte::requirements::REQUIREMENTS;
use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

/// Obligations that no line of this crate fulfils, and why.
const ELSEWHERE: [(&str, &str); 5] = [
    ("FTE-HS-15", "the crates of the base protocols read what a session announces"),
    ("FTE-HS-25", "no client here stops for downloads"),
    ("FTE-PRED-12", "no client here predicts"),
    ("FTE-PRED-14", "no server here computes a ping"),
    ("FTE-PRED-17", "no client here projects movement"),
];

/// What is no statement of the protocol, but checks it or differs from it.
const JUDGES: [&str; 4] = ["requirements", "oracle", "mutants", "variants"];

/// Adds the ids in the comments of the sources below `folder`.
fn read(folder: &Path, cited: &mut BTreeMap<String, Vec<String>>) {
    for entry in fs::read_dir(folder).expect("the folder is there") {
        let path = entry.expect("it can be read").path();
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        if path.is_dir() && !JUDGES.contains(&&name[..]) {
            read(&path, cited);
        } else if name.ends_with(".rs") {
            let text = fs::read_to_string(&path).expect("it is text");
            for (number, line) in text.lines().enumerate() {
                let comment = line.split_once("// ").map_or("", |(_, comment)| comment);
                for id in comment.split([',', ' ', ':']).filter(|word| word.starts_with("FTE-")) {
                    cited.entry(id.to_string()).or_default().push(format!("{}:{}", path.display(), number + 1));
                }
            }
        }
    }
}

#[test]
fn every_obligation_is_cited_once() {
    let mut cited = BTreeMap::new();
    read(&Path::new(env!("CARGO_MANIFEST_DIR")).join("src"), &mut cited);
    let mut wrong = Vec::new();
    for requirement in REQUIREMENTS.iter().filter(|requirement| requirement.level.is_must()) {
        let places = cited.remove(requirement.id).unwrap_or_default();
        let elsewhere = ELSEWHERE.iter().any(|(id, _)| *id == requirement.id);
        if places.len() != usize::from(!elsewhere) {
            wrong.push(format!("{} is cited at {places:?}", requirement.id));
        }
    }
    wrong.extend(cited.keys().filter(|id| REQUIREMENTS.iter().all(|known| known.id != *id)).cloned());
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
