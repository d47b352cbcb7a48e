//! Pipes, colours, exit codes.

use super::{deltaproof, empty_folder, file, run, text};
use std::io;

/// Commands that write to standard output, each in every form.
const WRITING: &[&[&str]] = &[
    &[],
    &["--help"],
    &["--version"],
    &["run", "--help"],
    &["schema"],
    &["completions", "bash"],
    &["completions", "zsh"],
    &["decode", "ffffffff6765746368616c6c656e67650a"],
    &["decode", "--quiet", "ffffffff6a0a"],
    &["decode", "--format", "json", "ffffffff6a0a"],
    &["list"],
    &["list", "--format", "json"],
    &["list", "--words", "fte"],
    &["list", "--requirements"],
    &["list", "--requirements", "--format", "json"],
    &["mutants", "acks-descending"],
    &["mutants", "acks-descending", "--format", "json"],
    &["explain", "FTE-RST-01"],
    &["explain", "--format", "json", "FTE-RST-01"],
];

#[test]
fn a_closed_pipe_ends_every_command_quietly() {
    for arguments in WRITING {
        let (reader, writer) = io::pipe().expect("a pipe");
        drop(reader);
        let output = deltaproof(arguments).stdout(writer).output().expect("the program starts");
        assert_eq!(text(&output.stderr), "", "{arguments:?}");
        assert_eq!(output.status.code(), Some(0), "{arguments:?}");
    }
}

/// Commands whose examples need nothing but the project, and take no long time.
const EXEMPLARY: [&str; 7] = ["list", "explain", "replay", "diff", "decode", "judge", "schema"];

#[test]
fn the_examples_of_the_help_do_what_they_are_examples_of() {
    for command in EXEMPLARY {
        let help = run(&[command, "--help"]);
        let help = text(&help.stdout);
        let (_, examples) = help.split_once("Examples:\n").expect(command);
        let lines = examples.lines().map(|line| line.split(" > ").next().unwrap_or_default().trim());
        let words = lines.map(|line| shlex::split(line).expect(line));
        // What somebody has recorded is not here.
        const RECORDED: [&str; 4] = [".pcapng", ".jsonl", ".dem", ".mvd"];
        let is_recorded = |word: &String| RECORDED.iter().any(|ending| word.ends_with(ending));
        for words in words.filter(|words| !words.iter().any(is_recorded)) {
            let arguments: Vec<&str> = words.iter().skip(1).map(String::as_str).collect();
            let output = run(&arguments);
            // Two runs that differ, and a mutant that is found, are what was asked for.
            assert!(matches!(output.status.code(), Some(0 | 1)), "{words:?}: {}", text(&output.stderr));
        }
    }
}

/// A case in which this mutant is found.
const FAILING: [&str; 4] = ["run", "fte/remove-clean@fte-nq", "--server", "fte/removed-and-updated"];

#[test]
fn a_closed_pipe_keeps_the_verdict() {
    for format in ["human", "json", "junit", "sarif"] {
        let (reader, writer) = io::pipe().expect("a pipe");
        drop(reader);
        let output = deltaproof(&FAILING).args(["--format", format]).stdout(writer).output();
        assert_eq!(output.expect("the program starts").status.code(), Some(1), "{format}");
    }
}

#[test]
fn a_failing_run_ends_with_what_failed() {
    let output = run(&FAILING);
    let stdout = text(&output.stdout);
    assert!(stdout.ends_with("  1 fail\nFAILED: 1 of 1 case (1 fail)\n"), "{stdout}");
    assert_eq!(output.status.code(), Some(1));
}

#[test]
fn a_report_that_cannot_be_written_hides_no_verdict() {
    let file = file("in-the-way", b"no folder");
    let good = run(&["run", "fte/remove-clean@fte-nq", "--reports", &file]);
    assert!(text(&good.stdout).starts_with("pass  fte/remove-clean@fte-nq"), "{}", text(&good.stdout));
    assert!(text(&good.stderr).starts_with(&format!("error: cannot write {file}")), "{}", text(&good.stderr));
    assert_eq!(good.status.code(), Some(4));
    let bad = deltaproof(&FAILING).args(["--reports", &file]).output().expect("the program starts");
    assert_eq!(bad.status.code(), Some(1));
}

#[test]
fn annotations_stand_at_the_line_where_the_scenario_names_the_requirement() {
    let summary = file("summary.md", b"# before\n");
    let output = deltaproof(&FAILING).args(["--format", "github"]).env("GITHUB_STEP_SUMMARY", &summary).output();
    let output = output.expect("the program starts");
    let last = text(&output.stdout).lines().last().expect("a line").to_string();
    assert!(last.starts_with("::error file=scenarios/fte/remove-clean.yaml,line="), "{last}");
    let page = std::fs::read_to_string(&summary).expect("is written");
    assert!(
        page.starts_with("# before\n## deltaproof\n") && page.contains("**FAILED: 1 of 1 case (1 fail)**"),
        "{page}"
    );
}

/// A repository of somebody who has a shim that removes wrongly, what is known of it, and one scenario.
fn somebodys_repository() -> std::path::PathBuf {
    let root = empty_folder("somebodys-repository");
    let program = env!("CARGO_BIN_EXE_deltaproof");
    let script = format!("#!/bin/sh\nexec '{program}' shim reference --server fte/removed-and-updated\n");
    std::fs::write(root.join("my_shim.sh"), script).expect("can be written");
    let known = "- cases: fte/reset-*@fte-nq\n  reason: to come\n  link: none\n  until: 2099-01-01\n";
    std::fs::write(root.join("known.yaml"), known).expect("can be written");
    std::fs::create_dir_all(root.join("scenarios/fte")).expect("can be made");
    let scenario = "scenarios/fte/remove-clean.yaml";
    std::fs::copy(scenario, root.join(scenario)).expect("is there");
    root
}

#[cfg(unix)]
#[test]
fn annotations_and_sarif_of_somebodys_shim_stand_in_his_own_repository_and_name_what_he_must() {
    let root = somebodys_repository();
    let there = |arguments: &[&str]| {
        let mut command = deltaproof(arguments);
        command.current_dir(&root).env("GITHUB_WORKSPACE", &root).env_remove("GITHUB_WORKFLOW_REF");
        let output = command.env("GITHUB_STEP_SUMMARY", root.join("summary.md")).output().expect("the program starts");
        assert_eq!(output.status.code(), Some(1), "{arguments:?}: {}", text(&output.stderr));
        text(&output.stdout)
    };
    let case = ["run", "fte/remove-clean@fte-nq", "--role", "server", "--shim", "sh my_shim.sh"];
    let printed = there(&[&case[..], &["--format", "github", "--reports", "reports"]].concat());
    let last = printed.lines().last().expect("a line");
    assert!(last.starts_with("::error file=my_shim.sh,line="), "{last}");
    assert!(last.contains(" MUST ") || last.contains(" MUST NOT "), "{last}");
    let sarif = there(&[&case[..], &["--format", "sarif"]].concat());
    assert!(sarif.contains("\"uri\": \"my_shim.sh\"") && !sarif.contains("scenarios/"), "{sarif}");
    let saved = std::fs::read_to_string(root.join("reports/latest/result.sarif")).expect("is written");
    assert_eq!(saved, sarif);
    let certify = ["certify", "--profile", "fte-nq", "--role", "server", "--level", "2", "--expect", "known.yaml"];
    let certified = there(&[&certify[..], &["--format", "github", "--", "sh", "my_shim.sh"]].concat());
    assert!(
        certified.contains("\n::error file=known.yaml,line=1,title=fail%3A fte/remove-clean@fte-nq"),
        "{certified}"
    );
    let page = std::fs::read_to_string(root.join("summary.md")).expect("is written");
    assert!(page.contains("- level 2 core **not reached**\n  - FTE-RMV-12"), "{page}");
}

#[test]
fn a_mistake_in_one_file_stops_no_other_and_all_mistakes_are_reported() {
    let folder = empty_folder("one-bad-file");
    let good = std::fs::read("scenarios/fte/remove-clean.yaml").expect("is there");
    std::fs::create_dir_all(folder.join("my")).expect("can be made");
    let write = |name: &str, text: &[u8]| std::fs::write(folder.join("my").join(name), text).expect("can be written");
    write("good.yaml", &good);
    write("bad.yaml", b"title: 1\n");
    write("worse.yaml", b"[");
    write("at@home.yaml", &good);
    write("late.yml", &good);
    let root = folder.to_str().expect("is text");
    for arguments in [&["list"][..], &["run"]] {
        let output = deltaproof(arguments).args(["--scenarios", root]).output().expect("the program starts");
        assert!(text(&output.stdout).contains("my/good@fte-nq"), "{arguments:?}: {}", text(&output.stdout));
        let stderr = text(&output.stderr);
        for bad in ["bad.yaml", "worse.yaml", "at@home.yaml", "late.yml"] {
            assert!(stderr.contains(bad), "{arguments:?} said {stderr}");
        }
        assert_eq!(output.status.code(), Some(2), "{arguments:?}");
    }
    let output = deltaproof(&["run", "my/good", "--scenarios", root]).output().expect("the program starts");
    assert_eq!((text(&output.stderr).as_ref(), output.status.code()), ("", Some(0)));
}

#[test]
fn the_program_carries_its_scenarios_along_and_writes_them_where_one_says() {
    let elsewhere = empty_folder("elsewhere");
    let there =
        |arguments: &[&str]| deltaproof(arguments).current_dir(&elsewhere).output().expect("the program starts");
    assert_eq!(text(&there(&["list"]).stdout), text(&run(&["list"]).stdout));
    assert_eq!(there(&["run", "fte/remove-clean"]).stdout, run(&["run", "fte/remove-clean"]).stdout);
    let written = there(&["scenarios", "export", "mine"]);
    assert_eq!(written.status.code(), Some(0), "{}", text(&written.stderr));
    let one = std::fs::read(elsewhere.join("mine/fte/remove-clean.yaml")).expect("is written");
    assert_eq!(one, std::fs::read("scenarios/fte/remove-clean.yaml").expect("is there"));
    let again = there(&["scenarios", "export", "mine"]);
    assert_eq!(text(&again.stderr), "error: mine: the folder is not empty; name another\n");
    assert_eq!(again.status.code(), Some(2));
}

#[test]
fn completions_know_profiles_requirements_and_scenarios() {
    let script = run(&["completions", "bash"]);
    for word in ["r1q2-1905", "FTE-RST-01", "pygg2/storm"] {
        assert!(text(&script.stdout).contains(word), "{word}");
    }
}

#[test]
fn a_closed_standard_error_changes_no_exit_code() {
    for (arguments, code) in [(&["nonsense"][..], 2), (&["decode", "no-such-file"], 2), (&["schema"], 0)] {
        let (reader, writer) = io::pipe().expect("a pipe");
        drop(reader);
        let output = deltaproof(arguments).stderr(writer).output().expect("the program starts");
        assert_eq!(output.status.code(), Some(code), "{arguments:?}");
    }
}

#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_is_an_error_and_no_panic() {
    let full = std::fs::OpenOptions::new().write(true).open("/dev/full").expect("Linux has it");
    let output = deltaproof(&["schema"]).stdout(full).output().expect("the program starts");
    assert_eq!(text(&output.stderr), "error: cannot write to standard output: No space left on device (os error 28)\n");
    assert_eq!(output.status.code(), Some(4));
}

#[test]
fn no_color_wins_over_everything() {
    let coloured = deltaproof(&["--help"]).env("CLICOLOR_FORCE", "1").output().expect("the program starts");
    assert!(text(&coloured.stdout).contains('\x1b'));
    let plain = deltaproof(&["--help"]).env("CLICOLOR_FORCE", "1").env("NO_COLOR", "1").output();
    assert!(!text(&plain.expect("the program starts").stdout).contains('\x1b'));
    assert!(!text(&run(&["--help"]).stdout).contains('\x1b'), "not a terminal");
}

#[test]
fn mistakes_are_usage_errors_that_say_what_to_do() {
    for (arguments, part) in [
        (&["list", "--format", "junit"][..], "error: `--format junit` is for `run` only; use human or json\n"),
        (&["list", "--scenarios", "no/such/folder"], "error: --scenarios no/such/folder: no such folder\n"),
        (&["run", "--seed", "1", "--seeds", "1..2"], "cannot be used with"),
        (&["explain", "NO-SUCH-99"], "error: no requirement `NO-SUCH-99`"),
        (&["decode", "--profile", "no-such", "00"], "error: no profile `no-such`"),
        (&["mutants", "--profile", "fte-nc"], "error: no profile `fte-nc`; did you mean fte-nq"),
        (&["mutants", "acks-desc3nding"], "error: no mutant matches `acks-desc3nding`; did you mean acks-descending"),
        (&["run", "--profile", "fte-nw"], "error: no profile `fte-nw`; did you mean fte-nq, fte-qw?"),
        (&["run", "reset-lost-first", "--profile", "nvs"], "; those that match are of fte-nq, fte-qw;"),
        (&["run", "reset-lost-frist"], "error: no case matches `reset-lost-frist`; did you mean reset-lost-first"),
        (&["list", "no-such"], "error: no case matches `no-such`; `deltaproof list` prints them all\n"),
        (
            &["decode", "a17dffffffffffffff"],
            "error: no protocol can read the datagram; to see how far one comes, name its",
        ),
        (&["decod"], "a similar subcommand exists: 'decode'"),
    ] {
        let output = run(arguments);
        assert_eq!(output.status.code(), Some(2), "{arguments:?}");
        assert_eq!(text(&output.stdout), "", "{arguments:?}");
        let stderr = text(&output.stderr);
        assert!(stderr.contains(part), "{arguments:?} said {stderr}");
    }
}

#[test]
fn the_schema_is_json() {
    let output = run(&["schema"]);
    assert_eq!(output.status.code(), Some(0));
    let schema: serde_json::Value = serde_json::from_slice(&output.stdout).expect("JSON");
    assert!(schema.is_object());
}

#[test]
fn inputs_that_are_no_capture_are_refused_with_a_reason() {
    let empty = file("empty.txt", b"");
    let binary = file("binary.dat", b"\x7fELF\x02\x01\x01\x00");
    let cut = file("cut.txt", b"c2s oob ffffffff6a0\n");
    for (input, message) in [
        (empty.as_str(), format!("error: {empty}: the file is empty; record it again\n")),
        (
            binary.as_str(),
            format!(
                "error: {binary}: is no pcap or pcapng file, no demo and no text; give a pcap, pcapng, .dem, .qwd, .mvd or \
                 .dm2 file, or text with one datagram per line\n"
            ),
        ),
        (cut.as_str(), format!("error: {cut}:1:19: odd number of hex digits (11); every byte takes two digits\n")),
        ("harness", "error: harness: is a directory; name one or more files in it\n".to_string()),
    ] {
        let output = run(&["decode", "--quiet", input]);
        assert_eq!(text(&output.stderr), message);
        assert_eq!(output.status.code(), Some(2), "{input}");
    }
}

#[test]
fn a_run_says_the_verdict_in_a_sentence_and_stops_at_the_first_failure_if_it_is_told_to() {
    let arguments = ["run", "fte/reset-lost", "--server", "reset-never-repaired", "--no-report", "--jobs", "1"];
    let all = deltaproof(&arguments).output().expect("the program starts");
    let said = text(&all.stdout);
    let sentence = "the server fte/reset-never-repaired breaks 1 of the ";
    assert!(all.status.code() == Some(1) && said.contains(sentence), "{said}");
    let few = deltaproof(&arguments).arg("--fail-fast").output().expect("the program starts");
    let said = text(&few.stdout);
    assert_eq!(few.status.code(), Some(1), "{said}");
    assert!(said.contains(sentence) && said.contains(" (1 case). Stopped: "), "{said}");
    assert!(text(&all.stdout).starts_with(said.lines().next().expect("a line for the case")), "{said}");
}
