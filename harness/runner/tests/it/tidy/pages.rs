//! What pages in Markdown name of the sources.

use super::source::walk;
use super::{Violation, check, keys, root};
use std::fs;
use std::path::PathBuf;

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

/// All files with this ending, by their paths from the root.
fn files(ending: &str) -> Vec<String> {
    let mut paths = Vec::new();
    walk(root(), ending, &mut paths);
    let name = |path: PathBuf| path.strip_prefix(root()).expect("below the root").to_str().expect("UTF-8").to_string();
    paths.into_iter().map(name).collect()
}

#[test]
fn no_page_names_a_source_that_is_gone() {
    let (sources, pages) = (files("rs"), files("md"));
    assert!(sources.len() > 500 && pages.len() > 10, "{} sources, {} pages", sources.len(), pages.len());
    let read = |page: &String| fs::read_to_string(root().join(page)).expect("a page");
    check("page", &pages.iter().flat_map(|page| gone(page, &read(page), &sources)).collect::<Vec<_>>());

    let sources = ["harness/kit/src/law.rs".to_string()];
    let page = "See `law.rs`, `src/law.rs`, `src/aw.rs`, law.rs and `cargo run x.rs`.";
    assert_eq!(keys(&gone("a.md", page, &sources)), ["a.md: src/aw.rs"]);
}
