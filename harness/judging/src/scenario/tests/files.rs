//! Texts that are no scenario at all: no YAML, hostile.

use super::diagnostics::check_file;
use super::{FULL, HEAD, read};

#[test]
fn what_is_no_yaml_is_shown_where_it_went_wrong() {
    check_file(
        "",
        "1:1: the file is empty (a scenario has at least `title`, `why`, `profiles`, `requirements`, `fate_model: 1` and `duration`)",
    );
    check_file(
        "# nothing\n\n---\n",
        "1:1: the file is empty (a scenario has at least `title`, `why`, `profiles`, `requirements`, `fate_model: 1` and `duration`)",
    );
    check_file("[1, 2]", "1:1: wrong type: a list, expected a mapping with the keys of a scenario");
    check_file(
        "title: a\n\tb: 3\n",
        "2:1: a tab in the indentation (YAML indents with spaces alone: use two for each level)",
    );
    check_file(
        "title: a\nwhy: b: c\n",
        "2:7: mapping values are not allowed in this context (write text that has a colon in quotes, and begin all keys of a mapping in \
         one column)",
    );
    check_file(
        "title: a\nwhy: \"b\n",
        "2:6: while scanning a quoted scalar, found unexpected end of stream (end the text with the quote that it begins with)",
    );
    check_file(
        "title: [a\nwhy: b\n",
        "2:4: illegal placement of ':' indicator (close the bracket, or write text that has brackets or commas in quotes)",
    );
    check_file(
        "title: a\nwhy: *b\n",
        "2:6: while parsing node, found unknown anchor (give the value a name before: `&name`)",
    );
    check_file(
        "title: a\n---\ntitle: b\n",
        "2:1: a second document (one file is one document: remove the `---` lines)",
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
        "7:8: aliases make more than 500000 values, the limit (aliases (`*name`) multiply the file's content without bound: write the values out)",
    );
    let deep = "lists and mappings nest more than 64 deep (no file needs nesting of this depth)";
    // The parser itself stops at 255, which it meets first within brackets.
    check_file(&"[".repeat(100_000), &format!("1:256: {deep}"));
    check_file(&"{a: ".repeat(60_000), &format!("1:1021: {deep}"));
    check_file(&"[ \"]\", ".repeat(30_000), &format!("1:1786: {deep}"));
    check_file(&"- ".repeat(100_000), &format!("1:129: {deep}"));
    let stairs: String = (0..300).map(|level| format!("{}a:\n", " ".repeat(level))).collect();
    check_file(&stairs, &format!("65:65: {deep}"));
    let brackets = format!("a: {}{}\n", "[".repeat(70), "]".repeat(70));
    check_file(&brackets, &format!("1:67: {deep}"));
    check_file("a: &a [*a]\n", "1:8: an alias within the value that it stands for");
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
