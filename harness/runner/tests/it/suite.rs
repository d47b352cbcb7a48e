//! `list`, `run` and `replay` over the project's own scenarios: one case stands for all.

use super::{CASE, deltaproof, empty_folder, one_scenario, run, text};
use serde_json::Value;
use std::io;
use std::path::{Path, PathBuf};

fn json_lines(bytes: &[u8]) -> Vec<Value> {
    text(bytes).lines().map(|line| serde_json::from_str(line).expect("every line is JSON")).collect()
}

#[test]
fn lists_end_with_a_summary_that_counts_them() {
    let lists = [
        (&["list"][..], "cases"),
        (&["list", "--requirements"], "requirements"),
        (&["list", "--variants"], "variants"),
    ];
    for (arguments, key) in lists {
        let output = run(&[arguments, &["--format", "json"]].concat());
        let lines = json_lines(&output.stdout);
        assert_eq!(lines[lines.len() - 1]["summary"][key], lines.len() - 1);
        assert!(lines.len() > 1);
    }
}

#[test]
fn a_run_says_the_same_to_people_and_machines_and_in_its_report() {
    let scenarios = one_scenario();
    let reports = Path::new(env!("CARGO_TARGET_TMPDIR")).join("reports");
    let folder = reports.to_str().expect("the path is UTF-8");
    let arguments = ["run", CASE, "--seed", "1", "--reports", folder, "--scenarios", &scenarios];
    let human = run(&arguments);
    assert_eq!(human.status.code(), Some(0), "{}", text(&human.stdout));
    let json = run(&[&arguments[..], &["--format", "json"]].concat());
    let lines = json_lines(&json.stdout);
    let summary = &lines[lines.len() - 1]["summary"];
    let headline = summary["headline"].as_str().expect("a headline");
    assert!(headline.starts_with("MUST "), "{headline}");
    assert!(text(&human.stdout).ends_with(&format!("{headline}\n")));
    let result = std::fs::read(reports.join("latest/result.json")).expect("the report was written");
    let result: Value = serde_json::from_slice(&result).expect("JSON");
    assert_eq!(result["root_hash"], summary["root_hash"]);
    let junit = run(&[&arguments[..], &["--format", "junit"]].concat());
    let written = std::fs::read(reports.join("latest/junit.xml")).expect("the report was written");
    assert_eq!(text(&junit.stdout), text(&written));
}

#[test]
fn a_replay_shows_the_run_and_ends_as_it_did() {
    let scenarios = one_scenario();
    let arguments = ["replay", CASE, "--seed", "1", "--last", "5", "--scenarios", &scenarios];
    let output = run(&arguments);
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    assert!(text(&output.stdout).contains(CASE));
    let lines = json_lines(&run(&[&arguments[..], &["--format", "json"]].concat()).stdout);
    // Which run it is, five events, when it ended, and the summary.
    assert_eq!(lines.len(), 8);
    assert_eq!(lines[0]["run"]["case"], CASE);
    assert_eq!(lines[7]["summary"]["case"], CASE);
}

#[test]
fn a_closed_pipe_ends_runs_and_replays_quietly() {
    let scenarios = one_scenario();
    for arguments in [
        &["run", CASE, "--seed", "1"][..],
        &["run", CASE, "--seed", "1", "--format", "json"],
        &["run", CASE, "--seed", "1", "--format", "junit"],
        &["replay", CASE, "--seed", "1"],
        &["replay", CASE, "--seed", "1", "--format", "json"],
    ] {
        let (reader, writer) = io::pipe().expect("a pipe");
        drop(reader);
        let output = deltaproof(arguments)
            .args(["--scenarios", &scenarios])
            .stdout(writer)
            .output()
            .expect("the program starts");
        assert_eq!(text(&output.stderr), "", "{arguments:?}");
        assert_eq!(output.status.code(), Some(0), "{arguments:?}");
    }
}

#[test]
fn a_case_that_does_not_exist_is_a_usage_error() {
    for arguments in [&["run", "no-such-case"][..], &["replay", "no-such-case", "--seed", "1"]] {
        let output = run(arguments);
        assert_eq!(output.status.code(), Some(2), "{arguments:?}");
        assert!(text(&output.stderr).contains("no-such-case"), "{arguments:?}");
    }
}

#[test]
fn what_did_not_happen_does_not_hide_what_is_violated() {
    // The client goes on after a zpacket that cannot be read; that it leaves is what the scenario waits for.
    let output =
        deltaproof(&["run", "r1q2/malformed@r1q2-35", "--client", "never-gives-up"]).output().expect("it starts");
    let said = text(&output.stdout);
    assert!(said.contains("fail-should  r1q2/malformed@r1q2-35"), "{said}");
    assert!(said.contains("R1Q2-ZPKT-06 SHOULD client1"), "{said}");
    assert_eq!(output.status.code(), Some(0), "{said}");
}

/// The example of `scenarios/README.md`, changed, as a scenario in a folder of its own beside its control.
fn example(name: &str, from: &str, to: &str) -> String {
    let root = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("scenarios");
    let readme = std::fs::read_to_string(root.join("README.md")).expect("the README is there");
    let example = readme.split("```yaml\n").nth(1).and_then(|rest| rest.split("```").next()).expect("has an example");
    assert!(example.contains(from), "{from} is not in the example");
    let folder = empty_folder(name);
    std::fs::create_dir_all(folder.join("fte")).expect("the test's folder is writable");
    let control = "fte/delta-clean.yaml";
    std::fs::copy(root.join(control), folder.join(control)).expect("the control is there");
    std::fs::write(folder.join("fte/example.yaml"), example.replace(from, to)).expect("the folder is writable");
    let folder = folder.to_str().expect("the path is UTF-8");
    text(&run(&["run", "fte/example", "--scenarios", folder, "--no-report", "--why"]).stdout)
}

#[test]
fn the_example_of_the_readme_passes_in_every_profile_that_it_names() {
    let said = example("example", "title", "title");
    for profile in ["fte-nq", "fte-qw"] {
        assert!(said.contains(&format!("pass  fte/example@{profile}")), "{said}");
    }
    assert!(!said.contains("vacuous") && !said.contains("quiet stretches folded"), "{said}");
}

#[test]
fn a_case_of_which_other_cases_decide_has_one_line() {
    let said = example("claimed", "FTE-RST-07]", "FTE-STAT-06]");
    for profile in ["fte-nq", "fte-qw"] {
        let case = format!("  fte/example@{profile}  ");
        let lines: Vec<&str> = said.lines().filter(|line| line.contains(&case)).collect();
        assert!(matches!(lines[..], [line] if line.starts_with("vacuous  ")), "{said}");
    }
}

#[test]
fn why_draws_the_run_of_a_vacuous_case_and_of_a_failed_one_up_to_what_is_wrong() {
    let said = example("drawn", "entity: 5 }", "entity: 77 }");
    let (_, drawn) = said.split_once(", quiet stretches folded:\n").expect("it is drawn");
    assert!(drawn.contains("client1      connect") && drawn.contains("remove-all"), "{said}");

    let arguments = ["run", "fte/ack-batched", "--profile", "fte-nq", "--server", "fte/frames-reliable", "--why"];
    let said = text(&run(&[&arguments[..], &["--no-report"]].concat()).stdout);
    let (_, drawn) = said.split_once("quiet stretches folded:\n").expect("it is drawn");
    assert!(drawn.contains("FTE-ACK-01 MUST server"), "{said}");
}

#[test]
fn a_vacuous_case_says_what_came_nearest_and_what_stood_in_its_way() {
    let said = example("nearest-number", "entity: 5 }", "entity: 77 }");
    let why = "never seen: of this kind there were 5 (2, the last at 2.150000s); ";
    assert!(said.contains(why) && said.contains(" datagrams went that way, the last at "), "{said}");
    let said = example("nothing-lost", "nth: 1 }", "nth: 30 }");
    assert!(
        said.contains("never seen: it was sent ") && said.contains("; the network lost nothing that way"),
        "{said}"
    );
    let said = example(
        "last-state",
        "lost: { direction: s2c, carries: reset, entity: 5 }",
        "state: { host: client1, name: challenging }",
    );
    assert!(said.contains("never seen: the last state was active, from "), "{said}");
}
