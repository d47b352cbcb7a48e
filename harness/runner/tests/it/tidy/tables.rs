//! What documents, manifests and folders say, against what there is.

use super::{Violation, check, keys, root, sources};
use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

/// Whom a crate may import, as `ARCHITECTURE.md` has it; everything is below the runner.
const IMPORTS: &[(&str, &[&str])] = &[
    ("kit", &[]),
    ("sim", &["kit"]),
    ("testkit", &["kit", "sim"]),
    ("netchan", &["kit"]),
    ("netquake", &["kit"]),
    ("quakeworld", &["kit", "netchan", "netquake"]),
    ("fte", &["kit", "netchan", "netquake", "quakeworld"]),
    ("fitz666", &["kit", "netquake"]),
    ("nvs", &["kit", "netquake"]),
    ("r1q2", &["kit", "netchan"]),
    ("pygg2", &["kit"]),
    ("skeleton", &["kit"]),
    ("judging", &["kit", "sim", "fte", "fitz666", "nvs", "r1q2", "pygg2"]),
    ("shim", &["kit"]),
    // What it imports as `turmoil` is the library of that name.
    ("turmoil", &["kit", "sim", "turmoil"]),
    ("compare-executors", &["kit", "sim", "turmoil"]),
    ("mutagen", &["kit"]),
];

/// The entries of a table of a manifest, up to the next table.
fn entries<'a>(manifest: &'a str, table: &str) -> impl Iterator<Item = &'a str> {
    let of_table =
        manifest.lines().skip_while(move |line| *line != table).skip(1).take_while(|line| !line.starts_with('['));
    of_table.filter_map(|line| line.split(['.', ' ', '=']).next()).filter(|name| !name.is_empty())
}

fn imports(package: &str, manifest: &str) -> Vec<Violation> {
    let Some((_, allowed)) = IMPORTS.iter().find(|(name, _)| *name == package) else {
        return vec![(package.to_string(), String::from("ARCHITECTURE does not say whom it may import"))];
    };
    let ours = |name: &&str| IMPORTS.iter().any(|(known, _)| known == name) && !allowed.contains(name);
    let wrong = entries(manifest, "[dependencies]").filter(ours);
    wrong.map(|name| (format!("{package} -> {name}"), String::from("ARCHITECTURE does not allow it"))).collect()
}

#[test]
fn crates_import_what_the_architecture_allows() {
    let folders: BTreeSet<&str> = sources().iter().map(|source| &source.package[..]).collect();
    let of = |name: &str| fs::read_to_string(root().join("harness").join(name).join("Cargo.toml")).expect("a manifest");
    let found: Vec<Violation> =
        folders.iter().filter(|name| **name != "runner").flat_map(|name| imports(name, &of(name))).collect();
    check("crate", &found);
    let bad = "[dependencies]\nkit.workspace = true\nsim = { path = \"\" }\n\n[dev-dependencies]\nfte.workspace = true";
    assert_eq!(keys(&imports("netquake", bad)), ["netquake -> sim"]);
    assert_eq!(keys(&imports("attic", "")), ["attic"]);
}

/// Goldens of which nothing knows: traces without a scenario, and other files whose names no source has.
fn unused_goldens(files: &[String], is_scenario: impl Fn(&str) -> bool, source: &str) -> Vec<Violation> {
    let is_used = |path: &str| {
        let (folder, file) = path.rsplit_once('/').unwrap_or(("", path));
        match (folder.strip_suffix("/traces"), file.strip_suffix(".snap")) {
            (Some(protocol), Some(scenario)) => is_scenario(&format!("{protocol}/{scenario}.yaml")),
            _ => file == "README.md" || source.contains(file.rsplit_once('.').map_or(file, |(stem, _)| stem)),
        }
    };
    // What a failing test proposes is no golden yet.
    let unused = files.iter().filter(|path| !path.ends_with(".snap.new") && !is_used(path));
    unused.map(|path| (path.clone(), String::from("no scenario and no test uses it"))).collect()
}

/// All tests, in one text.
fn test_text() -> String {
    let tests = sources().iter().filter(|source| source.test);
    tests.map(|source| fs::read_to_string(root().join(&source.path)).expect("a source")).collect()
}

/// The files below `folder`, as paths from there.
fn files_below(folder: &Path, before: &str, files: &mut Vec<String>) {
    for entry in fs::read_dir(folder).expect("a folder") {
        let entry = entry.expect("an entry");
        let name = format!("{before}{}", entry.file_name().to_str().expect("UTF-8"));
        if entry.path().is_dir() {
            files_below(&entry.path(), &format!("{name}/"), files);
        } else {
            files.push(name);
        }
    }
    files.sort();
}

#[test]
fn every_golden_is_used() {
    let mut files = Vec::new();
    files_below(&root().join("golden"), "", &mut files);
    let text = test_text();
    check("golden", &unused_goldens(&files, |path| root().join("scenarios").join(path).is_file(), &text));
    let files = ["p/traces/a.snap", "p/traces/b.snap", "p/c.snap", "p/d.snap", "README.md"].map(String::from);
    assert_eq!(keys(&unused_goldens(&files, |path| path == "p/a.yaml", "\"c\"")), ["p/traces/b.snap", "p/d.snap"]);
}

/// Rows of the table of `STYLE.md` that name nothing which enforces them, or something that there is not.
fn unenforced(style: &str, exists: impl Fn(&str) -> bool) -> Vec<Violation> {
    let mut wrong = Vec::new();
    for row in style.lines().filter(|line| line.starts_with('|')).skip(2) {
        let cells: Vec<&str> = row.trim_matches('|').split(" | ").map(str::trim).collect();
        let [rule, _, by] = cells[..] else {
            wrong.push((row.to_string(), String::from("a row has three cells")));
            continue;
        };
        let named: Vec<&str> = by.split('`').skip(1).step_by(2).collect();
        if named.is_empty() {
            wrong.push((rule.to_string(), String::from("nothing is named that enforces it")));
        }
        for name in named.into_iter().filter(|name| !exists(name)) {
            wrong.push((rule.to_string(), format!("there is no `{name}`")));
        }
    }
    wrong
}

#[test]
fn every_rule_of_style_names_what_enforces_it() {
    let read = |path: &str| fs::read_to_string(root().join(path)).expect("a file of the project");
    let manifest = read("Cargo.toml");
    let lints: BTreeSet<&str> = ["[workspace.lints.rust]", "[workspace.lints.clippy]"]
        .iter()
        .flat_map(|table| entries(&manifest, table))
        .collect();
    let tests = test_text();
    let exists = |name: &str| {
        let last = name.rsplit("::").next().unwrap_or(name);
        let is_path = name.contains('/') && root().join(name).exists();
        is_path || lints.contains(last) || tests.contains(&format!("fn {last}("))
    };
    check("style", &unenforced(&read("harness/STYLE.md"), exists));
    let table = "# Style\n| rule | why | by |\n|---|---|---|\n| a | b | `yes` |\n| c | d | review |\n| e | f | `yes`, `no` |\n| g |";
    assert_eq!(keys(&unenforced(table, |name| name == "yes")), ["c", "e", "| g |"]);
}

#[test]
fn every_requirement_says_what_must_hold_and_where_it_comes_from() {
    for protocol in deltaproof::registry::PROTOCOLS {
        for requirement in protocol.requirements {
            let said = [requirement.text, requirement.source];
            assert!(said.iter().all(|text| !text.is_empty()), "{}", requirement.id);
            // A law says itself what is looked at.
            let is_law = protocol.checks_of(requirement).any(|check| !check.clauses.is_empty());
            let is_free = requirement.level == kit::Level::May;
            assert!(is_law || is_free || !requirement.observed.is_empty(), "{}", requirement.id);
        }
    }
}
