//! Texts that are no scenario at all: no YAML, hostile.

use super::diagnostics::check_file;
use super::{FULL, HEAD, read};
use crate::scenario::file::File;
use crate::scenario::{library, once, syntax};
use std::path::Path;

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
    // At every place in CI, which sets TEST_SAMPLES=all.
    let step = if std::env::var("TEST_SAMPLES").is_ok_and(|samples| samples == "all") { 1 } else { 13 };
    for (at, c) in FULL.char_indices().step_by(step) {
        let (before, after) = (&FULL[..at], &FULL[at + c.len_utf8()..]);
        tidy(before);
        for other in ["", "é", "-", "{", "9999999999", "\"", ":"] {
            tidy(&format!("{before}{other}{after}"));
        }
    }
}

#[test]
fn what_is_wrong_with_keys_and_values_is_in_doubt_when_a_file_is_read() {
    let path = Path::new("a.yaml");
    let mut wrong = 0;
    let mut check = |text: &str| {
        if syntax::check_layout(path, text, "").is_ok() && syntax::check_keys(path, text).is_err() {
            wrong += 1;
            let (file, doubt) = once::read::<File>(text);
            assert!(doubt || file.is_err(), "{text}");
        }
    };
    let lines: Vec<&str> = FULL.split_inclusive('\n').collect();
    for at in 0..lines.len() {
        check(&[&lines[..=at], &lines[at..]].concat().concat());
    }
    for (at, colon) in FULL.match_indices(": ") {
        let (before, value) = FULL.split_at(at + colon.len());
        let after = &value[value.find([',', '}', ']', '\n']).unwrap_or_default()..];
        for other in ["", "~", "null", "NULL", "!word x", "{ a: 1, a: 2 }", "{ <<: { a: 1 } }", "[1, ~]", "{ a: }"] {
            check(&format!("{before}{other}{after}"));
        }
    }
    assert!(wrong > 500, "{wrong}");
}

#[test]
fn hardly_a_scenario_is_read_twice() {
    let files = library::built_in().into_iter().filter(|(path, _)| path.extension().is_some_and(|it| it == "yaml"));
    let doubts: Vec<bool> = files.map(|(_, text)| once::read::<File>(text).1).collect();
    let twice = doubts.iter().filter(|doubt| **doubt).count();
    assert!(twice * 20 < doubts.len(), "{twice} of {}", doubts.len());
}
