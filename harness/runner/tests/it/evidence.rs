//! Failures with their evidence, and explorations, as users start them.

use super::{empty_folder, run, text};
use serde_json::Value;
use std::fs;
use std::io::{BufRead, BufReader, Read};
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

/// The folders of evidence below one.
fn folders(parent: &Path) -> Vec<PathBuf> {
    let mut found: Vec<PathBuf> =
        fs::read_dir(parent).expect("evidence was written").map(|entry| entry.expect("readable").path()).collect();
    found.sort();
    found
}

fn files(folder: &Path) -> Vec<(String, Vec<u8>)> {
    let read = |path: PathBuf| {
        let name = path.file_name().expect("a name").to_string_lossy().into_owned();
        (name, fs::read(&path).expect("readable"))
    };
    folders(folder).into_iter().map(read).collect()
}

/// Runs `fte/history-two-lost` with an end that takes acknowledgements for cumulative, and returns the folder of its evidence.
fn evidence(name: &str) -> PathBuf {
    let parent = empty_folder(name);
    let folder = parent.to_str().expect("UTF-8");
    let output = run(&["run", CASE, "--server", MUTANT, "--no-report", "--evidence", folder]);
    assert_eq!(output.status.code(), Some(1), "{}", text(&output.stdout));
    let found = folders(&parent);
    assert_eq!(found.len(), 1, "{found:?}");
    assert!(text(&output.stderr).contains(found[0].to_str().expect("UTF-8")), "{}", text(&output.stderr));
    found[0].clone()
}

/// Runs the script of a folder from another one, as somebody does who was sent it.
fn repro(folder: &Path) -> Output {
    let mut script = Command::new("sh");
    script.arg(folder.join("repro.sh")).current_dir("/").env("DELTAPROOF", env!("CARGO_BIN_EXE_deltaproof"));
    script.output().expect("there is a shell")
}

const CASE: &str = "fte/history-two-lost@fte-nq";
const MUTANT: &str = "fte/acks-cumulative";

#[test]
fn the_evidence_of_a_failure_fails_in_the_same_way_on_its_own() {
    let folder = evidence("evidence-alone");
    let record: Value =
        serde_json::from_slice(&fs::read(folder.join("verdict.json")).expect("is there")).expect("JSON");
    let failed = record["failed"].as_str().expect("a requirement");
    assert!(record["minimal"]["faults"].as_u64() <= record["minimal"]["faults_before"].as_u64());
    let readme = fs::read_to_string(folder.join("README.txt")).expect("is there");
    assert!(readme.starts_with(&format!("requirement       {failed}")), "{readme}");
    let repro = repro(&folder);
    assert_eq!(repro.status.code(), Some(1), "{}", text(&repro.stderr));
    let (failed, server) = (format!("  {failed} "), " server at ");
    let same = text(&repro.stdout).lines().any(|line| line.starts_with(&failed) && line.contains(server));
    assert!(same, "{}", text(&repro.stdout));
    // The reference does what the mutant does not.
    let output = run(&["run", "minimal@", "--scenarios", folder.to_str().expect("UTF-8")]);
    assert!(!text(&output.stdout).contains("\nfail "), "{}", text(&output.stdout));
}

#[test]
fn evidence_is_made_again_from_its_own_folder_byte_for_byte() {
    let folder = evidence("evidence-again");
    let before = files(&folder);
    let output = run(&["shrink", folder.to_str().expect("UTF-8")]);
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    assert_eq!(files(&folder), before);
}

#[test]
fn a_folder_of_somebody_else_is_not_replaced() {
    let folder = evidence("evidence-kept");
    fs::write(folder.join("notes.txt"), "years of work").expect("writable");
    let output = run(&["shrink", folder.to_str().expect("UTF-8")]);
    assert_eq!(output.status.code(), Some(4));
    assert!(text(&output.stderr).contains("it holds notes.txt, which is of no evidence"), "{}", text(&output.stderr));
    assert_eq!(fs::read_to_string(folder.join("notes.txt")).expect("is there"), "years of work");
}

#[test]
fn a_folder_has_a_drawing_a_capture_and_what_the_ends_hold() {
    let folder = evidence("evidence-files");
    let names: Vec<String> = files(&folder).into_iter().map(|(name, _)| name).collect();
    let expected = [
        "README.txt",
        "minimal.yaml",
        "repro.sh",
        "scenario.yaml",
        "state-diff.json",
        "timeline.html",
        "verdict.json",
        "wire.pcapng",
    ];
    assert_eq!(names, expected);
    let capture = folder.join("wire.pcapng");
    let output = run(&["decode", capture.to_str().expect("UTF-8")]);
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    let readme = fs::read_to_string(folder.join("README.txt")).expect("is there");
    for part in [
        "client1 shows what is not in the server's world: entity 8",
        "frame 33 at 2.000s, remove 8, update 2  [lost: script]",
        "lines like these until",
    ] {
        assert!(readme.contains(part), "no {part}:\n{readme}");
    }
}

#[test]
fn what_a_sweep_an_exploration_and_a_search_find_has_its_evidence() {
    let clean = "fte/history-two-lost@fte-nq";
    for (name, command) in [
        ("swept", vec!["sweep", clean, "--seeds", "1..2"]),
        ("tried", vec!["explore", "--profile", "fte-nq", clean, "--at", "44", "--faults", "1", "--datagrams", "1"]),
        (
            "sought",
            vec!["explore", "--profile", "fte-nq", clean, "--at", "start", "--search", "guided", "--draws", "1"],
        ),
    ] {
        let parent = empty_folder(name);
        let folder = parent.to_str().expect("UTF-8");
        let output = run(&[&command[..], &["--server", MUTANT, "--evidence", folder]].concat());
        assert_eq!(output.status.code(), Some(1), "{name}: {}", text(&output.stderr));
        let found = folders(&parent);
        assert!(!found.is_empty(), "{name}");
        assert_eq!(repro(&found[0]).status.code(), Some(1), "{name}");
    }
}

#[test]
fn a_folder_that_is_no_evidence_or_cannot_be_written_is_named() {
    let nothing = empty_folder("no-evidence");
    fs::create_dir_all(&nothing).expect("writable");
    let path = nothing.to_str().expect("UTF-8");
    let output = run(&["shrink", path]);
    assert_eq!(output.status.code(), Some(2));
    let said = text(&output.stderr);
    assert!(said.contains(&format!("{path}/verdict.json")) && said.contains("no evidence"), "{said}");
    fs::write(nothing.join("file"), "").expect("writable");
    let blocked = format!("{path}/file/below");
    let output = run(&["run", CASE, "--server", MUTANT, "--no-report", "--evidence", &blocked]);
    let said = text(&output.stderr);
    assert!(
        said.contains(&format!("cannot write {blocked}")) && said.contains("name a folder for --evidence"),
        "{said}"
    );
    assert_eq!(output.status.code(), Some(1), "the run failed, whatever became of its evidence");
    let folder = evidence("evidence-without-scenario");
    fs::remove_file(folder.join("scenario.yaml")).expect("it is there");
    let output = run(&["shrink", folder.to_str().expect("UTF-8")]);
    assert_eq!(output.status.code(), Some(2));
    let said = text(&output.stderr);
    assert!(said.contains("scenario.yaml is missing") && said.contains(CASE), "{said}");
}

#[test]
fn what_is_against_a_recommendation_alone_is_made_smaller_when_it_is_asked_for() {
    let parent = empty_folder("recommended");
    let folder = parent.to_str().expect("UTF-8");
    let mutant = "fte/future-becomes-newest";
    let output = run(&["shrink", "fte/ack-future@fte-nq", "--seed", "1", "--server", mutant, "--evidence", folder]);
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    assert!(text(&output.stdout).contains("FTE-ACK-20: 2 faults"), "{}", text(&output.stdout));
    let found = folders(&parent);
    let again = repro(&found[0]);
    assert!(text(&again.stdout).contains("FTE-ACK-20"), "{}", text(&again.stdout));
    let readme = fs::read_to_string(found[0].join("README.txt")).expect("is there");
    let (_, disturbed) = readme.split_once("Datagrams that met a fault in that run:").expect("they are shown");
    let (disturbed, _) = disturbed.split_once("In what the ends differ").expect("it follows");
    assert_eq!(disturbed.matches("[lost: script]").count(), 2, "{readme}");
}

#[test]
fn what_does_not_fail_is_not_made_smaller() {
    let output = run(&["shrink", CASE, "--seed", "1"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(text(&output.stderr).contains("does not fail (pass)"), "{}", text(&output.stderr));
}

#[test]
fn every_schedule_of_a_window_is_run_once_and_an_exploration_goes_on_where_it_was() {
    let folder = empty_folder("explored");
    let folder = folder.to_str().expect("UTF-8");
    let window = ["explore", "--profile", "fte-nq", "new-map", "--faults", "1", "--datagrams", "3", "--format", "json"];
    let output = run(&[&window[..], &["--at", "map", "fte/map-change-clean@fte-nq[client_fte2=0x8]"]].concat());
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    // None; one of six datagrams in three ways.
    assert!(text(&output.stdout).contains("\"runs\":19,"), "{}", text(&output.stdout));
    let arguments =
        [&window[..], &["--at", "map", "fte/map-change-clean@fte-nq[client_fte2=0x8]", "--out", folder]].concat();
    let (first, second) = (run(&arguments), run(&arguments));
    assert_eq!(text(&first.stdout), text(&output.stdout));
    assert_eq!(text(&second.stdout), text(&output.stdout));
}

#[test]
fn every_protocol_has_its_windows_and_each_says_how_many_schedules_there_are() {
    let windows = |profile: &str| {
        let output = run(&["explore", "--profile", profile, "--faults", "0", "--datagrams", "40"]);
        assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
        let said = text(&output.stdout);
        let lines = said.lines().filter(|line| line.contains(": 1 schedule (1 without a fault), "));
        let names =
            lines.filter_map(|line| line.strip_prefix(profile)?.split_once(':').map(|(name, _)| name.to_string()));
        names.collect::<Vec<_>>()
    };
    assert_eq!(windows("fte-nq"), ["-sign-on", "-new-map", "-remove-and-respawn", "-history-wraps"]);
    assert_eq!(windows("fitz666"), ["-sign-on", "-new-map", "-remove-and-respawn"]);
    assert_eq!(windows("nvs"), ["-sign-on", "-new-map"]);
    assert_eq!(windows("r1q2-1904"), ["-sign-on", "-new-map", "-remove-and-respawn", "-history-wraps"]);
    assert_eq!(windows("pygg2"), ["-sign-on", "-remove", "-leave-and-return", "-numbers-wrap"]);
}

#[test]
fn a_window_that_is_longer_than_its_run_is_refused_with_what_fits() {
    let window = ["explore", "--profile", "fte-qw", "fte/history-clean", "--at", "64", "--faults", "0"];
    let output = run(&[&window[..], &["--datagrams", "40"]].concat());
    assert_eq!(output.status.code(), Some(2));
    assert!(text(&output.stderr).contains("say --datagrams 35, or fewer"), "{}", text(&output.stderr));
    let output = run(&[&window[..], &["--datagrams", "35"]].concat());
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
}

#[cfg(unix)]
#[test]
fn a_search_that_is_interrupted_says_what_it_has_done() {
    let mut search = Command::new(env!("CARGO_BIN_EXE_deltaproof"));
    search.args(["explore", "--profile", "fte-nq", "--search", "guided", "--draws", "1", "--budget", "1000000000"]);
    let mut search = search.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("it starts");
    let mut said = BufReader::new(search.stderr.take().expect("it is a pipe"));
    let mut line = String::new();
    said.read_line(&mut line).expect("it says what its draws begin with");
    assert!(line.contains("draws"), "{line}");
    let killed = Command::new("kill").args(["-INT", &search.id().to_string()]).status().expect("there is kill");
    assert!(killed.success());
    let mut rest = String::new();
    said.read_to_string(&mut rest).expect("UTF-8");
    assert!(rest.contains("interrupted; the same --draws begin in the same way"), "{rest}");
    assert_eq!(search.wait().expect("it ends").code(), Some(0));
}
