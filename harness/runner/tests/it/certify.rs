//! Certificates: the same for the same implementation, verified by another run, and none for a mutant.

use crate::{deltaproof, empty_folder};
use deltaproof::certify::Certificate;
use serde_json::Value;
use std::path::{Path, PathBuf};
use std::process::Output;

/// A folder with two scenarios of fte-nq: all of them would take a minute without optimisation.
fn scenarios(name: &str) -> PathBuf {
    let folder = empty_folder(name);
    let from = Path::new(env!("CARGO_MANIFEST_DIR")).join("scenarios/fte");
    std::fs::create_dir_all(folder.join("scenarios/fte")).expect("the test's folder is writable");
    for file in ["history-clean.yaml", "history-two-lost.yaml"] {
        std::fs::copy(from.join(file), folder.join("scenarios/fte").join(file)).expect("the scenario is there");
    }
    folder
}

/// Certifies in a folder of [`scenarios`], where `DIR` in an argument stands for that folder.
fn certify(folder: &Path, arguments: &[&str]) -> Output {
    let here = folder.to_str().expect("the path is UTF-8");
    let scenarios = format!("{here}/scenarios");
    let mut all = vec![String::from("--scenarios"), scenarios, String::from("certify")];
    all.extend(arguments.iter().map(|argument| argument.replace("DIR", here)));
    deltaproof(&all.iter().map(String::as_str).collect::<Vec<_>>()).output().expect("the program starts")
}

const REFERENCE: [&str; 4] = ["--", env!("CARGO_BIN_EXE_deltaproof"), "shim", "reference"];
const SERVER: [&str; 4] = ["--profile", "fte-nq", "--role", "server"];

fn stdout(output: &Output) -> String {
    String::from_utf8_lossy(&output.stdout).into_owned()
}

fn stderr(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

#[track_caller]
fn check(output: &Output, code: i32, parts: &[&str]) {
    let said = stdout(output) + &stderr(output);
    assert_eq!(output.status.code(), Some(code), "{said}");
    for part in parts {
        assert!(said.contains(part), "{part:?} is not in:\n{said}");
    }
}

#[test]
fn the_reference_has_the_same_certificate_in_its_own_process_and_it_verifies() {
    let folder = scenarios("certified");
    let alone = certify(&folder, &[&SERVER[..], &["--level", "2", "--out", "DIR/alone"]].concat());
    check(&alone, 0, &["level 0 valid      reached", "level 2 core       reached", "level 2\n"]);
    let shim = certify(&folder, &[&SERVER[..], &["--level", "2", "--out", "DIR/shim"], &REFERENCE].concat());
    check(&shim, 0, &["level 2 core       reached"]);
    let read = |name: &str| std::fs::read_to_string(folder.join(name)).expect("it was written");
    assert_eq!(read("alone/certificate.json"), read("shim/certificate.json"));
    assert!(read("shim/badge.svg").contains("fte-nq server level 2"));
    for file in ["index.html", "junit.xml", "result.json"] {
        assert!(!read(&format!("shim/{file}")).is_empty());
    }
    let verified = certify(&folder, &[&["--verify", "DIR/shim/certificate.json"], &REFERENCE[..]].concat());
    check(&verified, 0, &["verified: every verdict and every hash is as the certificate has it"]);
}

#[test]
fn a_certificate_that_was_touched_does_not_verify() {
    let folder = scenarios("touched");
    check(&certify(&folder, &[&SERVER[..], &["--level", "1", "--out", "DIR"]].concat()), 0, &[]);
    let path = folder.join("certificate.json");
    let mut certificate: Value = serde_json::from_slice(&std::fs::read(&path).expect("it was written")).expect("JSON");
    let trace = certificate["cases"][0]["trace"].as_str().expect("a hash").to_string();
    certificate["cases"][0]["trace"] = Value::from("0000000000000000");
    std::fs::write(&path, certificate.to_string()).expect("the test's folder is writable");
    let expected = format!("the certificate has 0000000000000000, this run {trace}");
    check(
        &certify(&folder, &["--verify", "DIR/certificate.json"]),
        1,
        &["the trace of fte/history-clean@fte-nq", &expected],
    );
    std::fs::write(&path, "{\"certificate\": 2}").expect("the test's folder is writable");
    check(&certify(&folder, &["--verify", "DIR/certificate.json"]), 2, &["it is a certificate of format 2"]);
}

/// Every leaf of a certificate, as a JSON pointer.
fn leaves(at: &str, value: &Value, found: &mut Vec<String>) {
    match value {
        Value::Object(members) => {
            members.iter().for_each(|(key, value)| leaves(&format!("{at}/{key}"), value, found));
        }
        Value::Array(items) => {
            (0..).zip(items).for_each(|(place, value): (usize, _)| leaves(&format!("{at}/{place}"), value, found));
        }
        _ => found.push(String::from(at)),
    }
}

#[test]
fn a_certificate_in_which_any_field_was_edited_differs_from_the_run() {
    let folder = scenarios("edited");
    let mutant = [&REFERENCE[..], &["--server", "acks-cumulative"]].concat();
    let out = ["--level", "3", "--out", "DIR"];
    check(&certify(&folder, &[&SERVER[..], &out, &mutant].concat()), 1, &[]);
    let text = std::fs::read_to_string(folder.join("certificate.json")).expect("it was written");
    let mut good: Value = serde_json::from_str(&text).expect("JSON");
    // What only a certificate of level 3 has.
    (good["more"], good["faulted"]) = (good["cases"].clone(), good["clean"].clone());
    good["by_the_wire"] = Value::from(true);
    let certificate = Certificate::parse(&good.to_string()).expect("a certificate");
    assert_eq!(certificate.differences(&certificate), [""; 0]);
    let mut all = Vec::new();
    leaves("", &good, &mut all);
    assert!(all.len() > 100 && all.iter().any(|leaf| leaf.ends_with("/not_covered")), "{all:?}");
    for leaf in all {
        let mut edited = good.clone();
        let field = edited.pointer_mut(&leaf).expect(&leaf);
        *field = match &*field {
            Value::String(text) => Value::from(format!("{text}x")),
            Value::Number(number) => Value::from(number.as_u64().unwrap_or_default() + 1),
            Value::Bool(value) => Value::from(!value),
            other => panic!("{leaf} is {other}"),
        };
        // What is no certificate any more is refused.
        if let Ok(edited) = Certificate::parse(&edited.to_string()) {
            assert_eq!(edited.differences(&certificate).len(), 1, "{leaf} was edited");
        }
    }
    for list in ["levels", "requirements", "cases", "levels/3/blocked_by", "levels/3/blocked_by/0/cases"] {
        let mut edited = good.clone();
        let list = edited.pointer_mut(&format!("/{list}")).and_then(Value::as_array_mut).expect(list);
        list.pop().expect("something is there");
        let edited = Certificate::parse(&edited.to_string()).expect("a certificate");
        assert_eq!(edited.differences(&certificate).len(), 1, "{}", edited.text());
    }
}

#[test]
fn an_edited_headline_does_not_verify() {
    let folder = scenarios("headline");
    check(&certify(&folder, &[&SERVER[..], &["--level", "1", "--out", "DIR"]].concat()), 0, &[]);
    let path = folder.join("certificate.json");
    let text = std::fs::read_to_string(&path).expect("it was written");
    std::fs::write(&path, text.replace("MUST ", "MUST 1")).expect("the test's folder is writable");
    check(&certify(&folder, &["--verify", "DIR/certificate.json"]), 1, &["the headline of the certificate"]);
}

#[test]
fn a_mutant_in_another_process_gets_no_certificate_and_its_requirement_is_named() {
    let folder = scenarios("mutant");
    let mutant = certify(&folder, &[&SERVER[..], &REFERENCE, &["--server", "acks-cumulative"]].concat());
    check(
        &mutant,
        1,
        &[
            "level 2 core       reached",
            "level 3 resilient  not reached",
            "1 case: FTE-ACK-09",
            "level 2 of 3 asked for",
        ],
    );
    assert!(stdout(&mutant).contains("deltaproof replay fte/history-two-lost@fte-nq"), "{}", stdout(&mutant));
}

#[test]
fn what_is_no_shim_reaches_not_even_level_0() {
    let folder = scenarios("no-shim");
    check(&certify(&folder, &[&SERVER[..], &["--", "sh", "-c", "echo joy"]].concat()), 3, &["no level", "joy"]);
    let other =
        [&["--profile", "fte-nq", "--role", "client"], &REFERENCE[..], &["--client", "r1q2/acks-nothing"]].concat();
    let other = certify(&folder, &other);
    assert_ne!(other.status.code(), Some(0), "{}", stdout(&other));
    check(&certify(&folder, &["--level", "9"]), 2, &[]);
    check(&certify(&folder, &["--profile", "fte-n", "--role", "client"]), 2, &["did you mean fte-nq"]);
}

#[test]
fn known_failures_are_named_and_never_count_towards_a_level() {
    let folder = scenarios("known");
    let expect = |text: &str| std::fs::write(folder.join("known.yaml"), text).expect("the test's folder is writable");
    let run = |more: &[&str]| {
        let arguments = ["--expect", "DIR/known.yaml", "--today", "2026-11-23"];
        certify(&folder, &[&SERVER[..], &arguments, more].concat())
    };
    let mutant = [&REFERENCE[..], &["--server", "acks-cumulative"]].concat();
    expect("- {cases: 'fte/history-*', reason: acks are cumulative, link: 'https://example.org/7', until: 2026-12-31}");
    check(&run(&mutant), 1, &["known failure  fte/history-two-lost@fte-nq", "level 2 of 3 asked for"]);
    expect("- {cases: 'fte/history-*', reason: acks are cumulative, link: 'https://example.org/7', until: 2026-11-22}");
    check(&run(&mutant), 1, &["`fte/history-*` was accepted until 2026-11-22: https://example.org/7"]);
    expect("- {cases: 'fte/histry-*', reason: acks are cumulative, link: 'https://example.org/7', until: 2026-12-31}");
    check(&run(&mutant), 1, &["`fte/histry-*` fits no case of the profile"]);
    expect("- {cases: fte/history-clean@fte-nq, reason: none, link: 'https://example.org/7', until: 2026-12-31}");
    check(&run(&mutant), 1, &["`fte/history-clean@fte-nq` is expected to fail and does not any more"]);
    expect("- {cases: fte/history-clean@fte-nq}");
    check(&run(&mutant), 2, &["known.yaml", "an entry has `cases`"]);
}

#[test]
fn what_an_older_certificate_has_must_not_be_lost() {
    let folder = scenarios("ratchet");
    let out = [&SERVER[..], &["--level", "2", "--out", "DIR"]].concat();
    check(&certify(&folder, &out), 0, &[]);
    let against = [&SERVER[..], &["--level", "2", "--against", "DIR/certificate.json"]].concat();
    check(&certify(&folder, &against), 0, &[]);
    let mutant = [&against[..], &REFERENCE, &["--server", "remove-by-bit-14"]].concat();
    let lost = certify(&folder, &mutant);
    assert_eq!(lost.status.code(), Some(1), "{}", stdout(&lost));
    assert!(stderr(&lost).contains("lost since the last certificate: "), "{}", stderr(&lost));
}
