//! Files that are no scenario at all: not found, too long, no text, no YAML, hostile.

use super::super::{MAX_SCENARIO_BYTES, discover, load};
use super::diagnostics::check_file;
use super::{FULL, HEAD, read};
use std::fs;
use std::path::PathBuf;

#[test]
fn what_is_no_yaml_is_shown_where_it_went_wrong() {
    check_file("", "1:1: the file is empty (a scenario begins with `title:`)");
    check_file("# nothing\n\n---\n", "1:1: the file is empty (a scenario begins with `title:`)");
    check_file("[1, 2]", "1:1: wrong type: a list, expected a mapping with the keys of a scenario");
    check_file(
        "title: a\n\tb: 3\n",
        "2:1: a tab in the indentation (YAML indents with spaces alone: use two for each level)",
    );
    check_file("title: a\nwhy: b: c\n", "2:7: mapping values are not allowed in this context");
    check_file(
        "title: a\nwhy: \"b\n",
        "2:6: found unexpected end of stream, while scanning a quoted scalar at line 2 column 6",
    );
    check_file("title: a\nwhy: *b\n", "2:6: unknown anchor");
    check_file(
        "title: a\n---\ntitle: b\n",
        "2:1: deserializing from YAML containing more than one document is not supported \
         (one file is one scenario: remove the `---` lines)",
    );
}

#[test]
fn columns_count_characters_and_a_byte_order_mark_is_no_part_of_the_text() {
    let text = format!("\u{feff}{}", HEAD.replace("a test", "é ü — ö")) + "options: { 'é': 1, server_fte2: é }\n";
    check_file(
        &text,
        "7:33: options.server_fte2: `é` is not an integer (write it in decimal or hexadecimal, such as 40, -1 or 0x28)",
    );
    assert!(read(&format!("\u{feff}{HEAD}").replace('\n', "\r\n")).is_ok());
}

#[test]
fn bombs_are_refused_at_once() {
    let mut bomb = String::from("a: &a [x, x, x, x, x, x, x, x, x]\n");
    for (name, inner) in ["b", "c", "d", "e", "f", "g"].iter().zip(["a", "b", "c", "d", "e", "f"]) {
        bomb += &format!(
            "{name}: &{name} [*{inner}, *{inner}, *{inner}, *{inner}, *{inner}, *{inner}, *{inner}, *{inner}]\n"
        );
    }
    check_file(
        &bomb,
        "2:8: repetition limit exceeded (aliases (`*name`) multiply the file's content without bound: write the values out)",
    );
    let deep = "(a scenario needs no nesting of this depth)";
    check_file(&"[".repeat(100_000), &format!("1:65: brackets nest more than 64 deep {deep}"));
    check_file(&"{a: ".repeat(60_000), &format!("1:257: brackets nest more than 64 deep {deep}"));
    check_file(&"[ \"]\", ".repeat(30_000), &format!("1:449: brackets nest more than 64 deep {deep}"));
    check_file(&"- ".repeat(100_000), &format!("1:257: recursion limit exceeded {deep}"));
    let stairs: String = (0..300).map(|level| format!("{}a:\n", " ".repeat(level))).collect();
    check_file(&stairs, &format!("130:130: a line is indented by 129 columns; the limit is 128 {deep}"));
}

/// A folder of its own for one test.
fn folder(name: &str) -> PathBuf {
    let folder = std::env::temp_dir().join(format!("deltaproof-scenario-{}-{name}", std::process::id()));
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(folder.join("fake/deep")).expect("the folder can be made");
    folder
}

#[test]
fn files_are_found_sorted_and_a_wrong_extension_is_told() {
    let root = folder("discover");
    for name in ["fake/b.yaml", "fake/a.yaml", "fake/deep/c.yaml", "README.md", "scenario.schema.json"] {
        fs::write(root.join(name), HEAD).expect("the file can be written");
    }
    let found = discover(&root).expect("the folder can be read");
    assert_eq!(found, ["fake/a.yaml", "fake/b.yaml", "fake/deep/c.yaml"].map(|name| root.join(name)));
    fs::write(root.join("fake/d.yml"), HEAD).expect("the file can be written");
    let told = discover(&root).map_err(|diagnostic| diagnostic.advice().map(String::from));
    assert_eq!(told, Err(Some("rename it: scenario files end in `.yaml`".into())));
    assert!(discover(&root.join("missing")).is_err());
    fs::remove_dir_all(&root).expect("the folder can be removed");
}

#[test]
fn files_that_are_too_long_or_no_text_are_refused() {
    let root = folder("load");
    let load_bytes = |bytes: &[u8]| {
        let path = root.join("fake/deep/x.yaml");
        fs::write(&path, bytes).expect("the file can be written");
        match load(&root, &path) {
            Ok(scenario) => scenario.id,
            Err(diagnostic) => {
                let place = format!("{}:", path.display().to_string().replace('\\', "/"));
                diagnostic.one_line().replace(&place, "")
            }
        }
    };
    assert_eq!(
        load_bytes(&vec![b'#'; MAX_SCENARIO_BYTES + 1]),
        "1:1: the file has at least 262145 bytes; the limit is 262144 \
         (let `crowds` and `churn` make the changes that a long timeline lists, or split the scenario)"
    );
    assert_eq!(
        load_bytes(b"title: a\nwhy: \xff\n"),
        "1:1: the file is not UTF-8: byte 14, on line 2 (save it as UTF-8; scenario files are text)"
    );
    assert!(load(&root, &root.join("missing.yaml")).is_err());
    fs::remove_dir_all(&root).expect("the folder can be removed");
}

#[test]
fn no_mutilated_file_is_a_panic_and_every_place_is_within_it() {
    let tidy = |text: &str| {
        if let Err(diagnostic) = read(text) {
            assert!(diagnostic.line() <= text.lines().count() + 1, "{}", diagnostic.one_line());
            assert!(!diagnostic.render(false).is_empty());
        }
    };
    let lines: Vec<&str> = FULL.lines().collect();
    for skipped in 0..lines.len() {
        let (before, after) = (lines[..skipped].join("\n"), lines[skipped + 1..].join("\n"));
        tidy(&format!("{before}\n{after}\n"));
    }
    for (at, c) in FULL.char_indices().step_by(7) {
        let (before, after) = (&FULL[..at], &FULL[at + c.len_utf8()..]);
        tidy(before);
        for other in ["", "é", "-", "{", "9999999999", "\"", ":"] {
            tidy(&format!("{before}{other}{after}"));
        }
    }
}
