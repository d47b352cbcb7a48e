//! What pages in Markdown name of the sources.

use super::{Violation, check, keys, root};
use std::fs;

/// The names of Rust files that a page has between backquotes.
fn named(text: &str) -> impl Iterator<Item = &str> {
    let quoted = text.split('`').skip(1).step_by(2);
    quoted.filter(|name| {
        name.ends_with(".rs") && name.chars().all(|it| it.is_ascii_alphanumeric() || "_/.-".contains(it))
    })
}

/// The names in `page`, below `folder`, that are no end of any path in `files`.
fn gone(page: &str, text: &str, files: &[String]) -> Vec<Violation> {
    let has = |name: &str| files.iter().any(|file| *file == name || file.ends_with(&format!("/{name}")));
    let missing = named(text).filter(|name| !has(name));
    missing.map(|name| (format!("{page}: {name}"), "no such file; it was renamed or removed".to_string())).collect()
}

/// All files with this ending below `folder`, by their paths from the root.
fn files(folder: &str, ending: &str, into: &mut Vec<String>) {
    let entries = fs::read_dir(root().join(folder)).expect("a folder of the project");
    for entry in entries.map(|entry| entry.expect("an entry")) {
        let name = entry.file_name().into_string().expect("UTF-8");
        let path = if folder.is_empty() { name.clone() } else { format!("{folder}/{name}") };
        let is_built = name.starts_with('.') || matches!(&name[..], "target" | "node_modules");
        if entry.file_type().expect("a type").is_dir() {
            if !is_built {
                files(&path, ending, into);
            }
        } else if name.ends_with(ending) {
            into.push(path);
        }
    }
}

#[test]
fn no_page_names_a_source_that_is_gone() {
    let (mut sources, mut pages) = (Vec::new(), Vec::new());
    files("", ".rs", &mut sources);
    files("", ".md", &mut pages);
    assert!(sources.len() > 500 && pages.len() > 10, "{} sources, {} pages", sources.len(), pages.len());
    let read = |page: &String| fs::read_to_string(root().join(page)).expect("a page");
    check("page", &pages.iter().flat_map(|page| gone(page, &read(page), &sources)).collect::<Vec<_>>());

    let sources = ["harness/kit/src/law.rs".to_string()];
    let page = "See `law.rs`, `src/law.rs`, `src/aw.rs`, law.rs and `cargo run x.rs`.";
    assert_eq!(keys(&gone("a.md", page, &sources)), ["a.md: src/aw.rs"]);
}
